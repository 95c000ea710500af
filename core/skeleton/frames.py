"""World frames of all joints, for the few poses that the figure's own files ask about; motion is kinematics' affair."""

from __future__ import annotations

import numpy as np

from core.skeleton.skeleton import SLIDE, Array, Skeleton
from core.spatial.so3 import exp


def frames_at(s: Skeleton, values: Array) -> Array:
    """Return the world frame of every joint, root translation left out, shape (n, 4, 4).

    Args:
        s: The figure.
        values: One value a degree of freedom, shape (n_dofs,), [rad] or [m].
    """
    frames = np.zeros((len(s.joints), 4, 4))
    for i, joint in enumerate(s.joints):
        local = np.eye(4)
        local[:3, :3] = joint.rotation
        local[:3, 3] = joint.offset
        for k, dof in enumerate(joint.dofs):
            value = float(values[s.first_dof[i] + k])
            if value != 0.0:
                if dof.kind == SLIDE:
                    local[:3, 3] += local[:3, :3] @ (dof.axis * value)
                else:
                    local[:3, :3] = local[:3, :3] @ exp(dof.axis * value)
        local[:3, :3] *= joint.scale
        frames[i] = local if joint.parent < 0 else frames[joint.parent] @ local
    return frames
