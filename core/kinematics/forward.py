"""World frames of all joints for one pose or thousands."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.kernels import serving
from core.kinematics import forward_kernel
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import pack


def forward_kinematics(s: Skeleton, q: Any) -> Array:
    """Return the world frame ``X_WJ`` of every joint.

    ``X_child = X_parent T(offset) Rz Ry Rx D_1(q_1) .. D_n(q_n) S(scale)``, root translation ``q[:3]`` added to the
    root's offset in world axes. Frames below a joint with a ``scale`` are affine.

    Args:
        s: The figure.
        q: One pose, shape (nq,), or many, shape (m, nq), [m] and [rad].

    Returns:
        Shape (n, 4, 4), or (m, n, 4, 4) for many poses; a new array.

    Raises:
        PoseError: If ``q`` has the wrong shape or holds NaN or infinity.

    Source: Welman (1993) section 4.1.3 for scaled nodes.
    """
    tree = pack(s)
    poses = s.check_pose(q, batch=True)
    if not poses.flags.writeable:
        poses = poses.copy()  # compiled kernels are typed for writable arrays
    single = poses.ndim == 1
    out = np.empty((1 if single else len(poses), len(tree.parent), 4, 4))
    serving(forward_kernel).forward(tree, poses[None] if single else poses, out)
    return out[0] if single else out
