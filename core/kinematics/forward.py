"""World frames of all joints for one pose or thousands."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.kernels import is_ready, serving
from core.kernels.functions import raise_kept
from core.kernels.threads import share_rows
from core.kinematics import forward_kernel
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import KIND_HINGE, Tree, pack
from core.spatial import so3

_WORTH_A_THREAD = 8000
"""Joints, those of all poses together, below which another thread costs more time than it saves."""


def forward_kinematics(s: Skeleton, q: Any) -> Array:
    """Return the world frame ``X_WJ`` of every joint; of many poses on all processors, with the same bits.

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
    kernels, least = serving(forward_kernel), _WORTH_A_THREAD // len(tree.parent) + 1
    if single:
        kernels.forward(tree, poses[None], out)
    elif len(poses) < 2 * least or tree.general or not is_ready(forward_kernel):
        kernels.forward(tree, poses, out)  # what functions of joints raise is kept for this thread
    else:
        share_rows(lambda first, end: kernels.forward_rows(tree, poses[first:end], out[first:end]), len(poses), least)
    if tree.general:
        raise_kept()
    return out[0] if single else out


def turned_by(s: Skeleton, tree: Tree, q: Array, joint: int, R: Array) -> Array:
    """Return a rotation times what a joint's degrees of freedom turn by, scales left out, shape (3, 3).

    Args:
        s: The figure.
        tree: The same, packed.
        q: Its pose, shape (nq,), [m] and [rad].
        joint: Index.
        R: What its degrees of freedom start from: its orientation in its parent's frame, or in the world.
    """
    first, end = tree.first[joint], tree.first[joint + 1]
    curved = s.joints[joint].curved
    if curved is not None:
        R = R @ curved.transform(q[3 + first : 3 + end])[:3, :3]
    for k in range(first, end):
        if tree.kind[k] == KIND_HINGE:
            R = R @ so3.axis_rotation(tree.axis[k], q[3 + k])
    return R
