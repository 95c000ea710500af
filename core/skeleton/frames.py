"""World frames of all joints, for the few poses that the figure's own files ask about; motion is kinematics' affair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Array
from core.skeleton.dof import SLIDE
from core.skeleton.joint import Joint
from core.skeleton.structure import Structure
from core.spatial.so3 import exp


def local_frame(joint: Joint, values: Sequence[float] | Array) -> Array:
    """Return a joint's frame in its parent's, ``T(offset) R D_1 .. D_n S``, shape (4, 4); new.

    Args:
        joint: The joint.
        values: One value for each of its degrees of freedom, [rad], [m] or plain numbers.
    """
    local = np.eye(4)
    local[:3, :3] = joint.rotation
    local[:3, 3] = joint.offset
    if joint.curved is not None:
        local = local @ joint.curved.transform(values)
        local[:3, :3] *= joint.scale
        return local
    for dof, value in zip(joint.dofs, values, strict=True):
        if value != 0.0:
            if dof.kind == SLIDE:
                local[:3, 3] += local[:3, :3] @ (dof.axis * float(value))
            else:
                local[:3, :3] = local[:3, :3] @ exp(dof.axis * float(value))
    local[:3, :3] *= joint.scale
    return local


def frames_at(s: Structure, values: Array) -> Array:
    """Return the world frame of every joint, root translation left out, shape (n, 4, 4).

    Args:
        s: The figure.
        values: One value a degree of freedom, shape (n_dofs,), [rad] or [m].
    """
    frames = np.zeros((len(s.joints), 4, 4))
    for i, joint in enumerate(s.joints):
        local = local_frame(joint, values[s.first_dof[i] : s.first_dof[i + 1]])
        frames[i] = local if joint.parent < 0 else frames[joint.parent] @ local
    return frames
