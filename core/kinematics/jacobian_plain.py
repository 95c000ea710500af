"""The point Jacobian with numpy, in the local frames of Welman 4.1.3."""

from __future__ import annotations

import numpy as np

from core.kinematics.splines_plain import curve, surface
from core.skeleton.tree import KIND_CURVE, KIND_FIRST, KIND_HINGE, Array, Tree
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
    twists: list[tuple[int, Array, Array, Array, Array]] = []
    for j in reversed(path):
        origin = origin + linear @ tree.offset[j]
        linear, turn = linear @ tree.rotation[j], turn @ tree.rotation[j]
        for k in range(tree.first[j], tree.first[j + 1]):
            if tree.kind[k] >= KIND_CURVE:
                if tree.kind[k] == KIND_FIRST:
                    continue
                if tree.kind[k] == KIND_CURVE:
                    Q, S = curve(tree.splines, tree.spline[k], float(q[3 + k]))
                    own = [(k, S)]
                else:
                    Q, other, S = surface(tree.splines, tree.spline[k], float(q[2 + k]), float(q[3 + k]))
                    own = [(k - 1, other), (k, S)]
                origin = origin + linear @ Q[:3, 3]
                linear, turn = linear @ Q[:3, :3], turn @ Q[:3, :3]
                twists += [(column, linear, origin, turn, S) for column, S in own]
                continue
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
    for k, M, o, R, S in twists:
        out[:3, 3 + k] = M @ (S[3:] + np.cross(S[:3], np.linalg.solve(M, p - o)))
        out[3:, 3 + k] = R @ S[:3]
