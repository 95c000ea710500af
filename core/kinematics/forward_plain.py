"""Forward kinematics with numpy: all joints of one depth, in all poses, in one product."""

from __future__ import annotations

import numpy as np

from core.kinematics.splines_plain import curve, surface
from core.skeleton.tree import KIND_CURVE, KIND_FIRST, KIND_HINGE, KIND_SLIDE, Array, Tree
from core.spatial import so3


def local_frames(tree: Tree, q: Array) -> Array:
    """Return ``T(offset) R D_1 .. D_n S`` of each joint in its parent's frame, shape (m, n, 4, 4); new.

    Args:
        tree: The packed skeleton.
        q: Poses, shape (m, nq).
    """
    m, n = len(q), len(tree.parent)
    frames = np.zeros((m, n, 4, 4))
    frames[:, :, :3, :3] = tree.rotation
    frames[:, :, :3, 3] = tree.offset
    frames[:, :, 3, 3] = 1.0
    frames[:, 0, :3, 3] += q[:, :3]
    linear, origin = frames[:, :, :3, :3], frames[:, :, :3, 3]  # views
    count = np.diff(tree.first)
    for rank in range(int(count.max(initial=0))):
        joints = np.flatnonzero(count > rank)
        kind = tree.kind[tree.first[joints] + rank]
        turning, sliding = joints[kind == KIND_HINGE], joints[kind == KIND_SLIDE]
        if len(turning):
            k = tree.first[turning] + rank
            W = so3.hat(tree.axis[k])
            t = q[:, 3 + k][:, :, None, None]
            turn = np.eye(3) + np.sin(t) * W + 2.0 * np.sin(0.5 * t) ** 2 * (W @ W)
            linear[:, turning] = linear[:, turning] @ turn
        if len(sliding):
            k = tree.first[sliding] + rank
            step = tree.axis[k] * q[:, 3 + k][:, :, None]
            origin[:, sliding] += np.einsum("mnij,mnj->mni", linear[:, sliding], step)
    for k in np.flatnonzero(tree.kind >= KIND_CURVE):
        if tree.kind[k] == KIND_FIRST:
            continue
        joint = int(np.searchsorted(tree.first, k, side="right")) - 1
        for pose in range(m):
            if tree.kind[k] == KIND_CURVE:
                Q = curve(tree.splines, tree.spline[k], float(q[pose, 3 + k]))[0]
            else:
                Q = surface(tree.splines, tree.spline[k], float(q[pose, 2 + k]), float(q[pose, 3 + k]))[0]
            frames[pose, joint] = frames[pose, joint] @ Q
    linear *= tree.scale[:, None, :]
    return frames


def forward(tree: Tree, q: Array, out: Array) -> None:
    """Write the world frames of all joints into ``out``.

    Args:
        tree: The packed skeleton.
        q: Poses, shape (m, nq).
        out: World frames, shape (m, n, 4, 4), overwritten.
    """
    local = local_frames(tree, q)
    out[:, 0] = local[:, 0]
    for joints, parents in tree.levels:
        out[:, joints] = out[:, parents] @ local[:, joints]
