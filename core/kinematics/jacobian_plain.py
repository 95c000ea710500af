"""The point Jacobian with numpy, in the local frames of Welman 4.1.3."""

from __future__ import annotations

import numpy as np

from core.skeleton.tree import KIND_HINGE, Array, Tree
from core.spatial import so3


def jacobian(tree: Tree, q: Array, joint: int, point: Array, out: Array) -> None:
    """Write the Jacobian of ``point`` of ``joint`` into ``out``.

    Args:
        tree: The packed skeleton.
        q: Pose, shape (nq,).
        joint: Index of the joint.
        point: Point in the joint's frame, shape (3,).
        out: Rows [v; w], shape (6, nq), overwritten.
    """
    out[:] = 0.0
    out[:3, :3] = np.eye(3)
    path = [joint]
    while tree.parent[path[-1]] >= 0:
        path.append(int(tree.parent[path[-1]]))
    linear, turn, origin = np.eye(3), np.eye(3), q[:3].copy()
    columns: list[tuple[int, bool, Array, Array, Array]] = []
    for j in reversed(path):
        origin = origin + linear @ tree.offset[j]
        linear, turn = linear @ tree.rotation[j], turn @ tree.rotation[j]
        for k in range(tree.first[j], tree.first[j + 1]):
            hinge = tree.kind[k] == KIND_HINGE
            columns.append((k, hinge, linear, origin, turn @ tree.axis[k]))
            if hinge:
                spin = so3.axis_rotation(tree.axis[k], q[3 + k])
                linear, turn = linear @ spin, turn @ spin
            else:
                origin = origin + linear @ (tree.axis[k] * q[3 + k])
        linear = linear * tree.scale[j]
    p = origin + linear @ point
    for k, hinge, M, o, axis in columns:
        if hinge:
            out[:3, 3 + k] = M @ np.cross(tree.axis[k], np.linalg.solve(M, p - o))
            out[3:, 3 + k] = axis
        else:
            out[:3, 3 + k] = M @ tree.axis[k]
