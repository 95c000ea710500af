"""Types of the solvers' kernels, and how they find a problem's arrays in its two blocks of memory."""

from __future__ import annotations

import numba as nb
from numba import types

from core.ik.packed import Aims, Nodes, Work
from core.kinematics.inlining import F0, F1, F2, F3, I0, I1, I2, INLINE, OPTIONS, PAIR, view

__all__ = [
    "AIMS", "F0", "F1", "F2", "F3", "I0", "I1", "I2", "INLINE", "NODES", "OPTIONS", "PACKED", "PAIR", "WORK",
    "unpack", "view",
]  # fmt: skip

NODES = types.NamedTuple([I1, I1, F3, F3, F1, F1, I1, F1, F1, F1, I1, I1, I1, F1], Nodes)
AIMS = types.NamedTuple([I1, F2, F3, F2, F3, F2, I2, F3], Aims)
WORK = types.NamedTuple([F3, F3, F2, F3, F1, F2, F2, F1, F2, F1, F1, I1, F2, F2, F3, F3, F2], Work)

PACKED = (I1, F1, F1, F1, F1, F1, F1, F1)
"""Types of ``problem.packed_arguments``."""


@nb.njit(types.Tuple((NODES, AIMS, WORK))(*PACKED), **INLINE)
def unpack(ints, floats, lower, upper, weight, gain, x, trace):  # type: ignore[no-untyped-def]
    """Return nodes, goals and scratch memory, found in two blocks in the order of ``packed.shapes``."""
    K, G = ints[0], ints[1]
    affine = view(ints, 2, (1,))
    at = 4
    parent = view(ints, at, (K,))
    kind = view(ints, at + K, (K,))
    partner = view(ints, at + 2 * K, (K,))
    ball = view(ints, at + 3 * K, (K,))
    spline = view(ints, at + 4 * K, (K,))
    at += 5 * K
    node = view(ints, at, (G,))
    distal = view(ints, at + G, (G, K))
    used = view(ints, at + G + G * K, (1,))
    fixed = view(floats, 0, (K, 3, 4))
    turn = view(floats, 12 * K, (K, 3, 3))
    cone = view(floats, 21 * K, (K,))
    at = 22 * K
    point = view(floats, at, (G, 3))
    twist = view(floats, at + 3 * G, (G, 3, 3))
    target = view(floats, at + 12 * G, (G, 3))
    wanted = view(floats, at + 15 * G, (G, 3, 3))
    importance = view(floats, at + 24 * G, (G, 3))
    at += 27 * G
    base = view(floats, at, (2, 3, 4))
    at += 24
    X = view(floats, at, (K, 3, 4))
    R = view(floats, at + 12 * K, (K, 3, 3))
    at += 21 * K
    P = view(floats, at, (G, 3))
    O = view(floats, at + 3 * G, (G, 3, 3))  # noqa: E741 - the thesis' name
    E = view(floats, at + 12 * G, (6 * G,))
    at += 18 * G
    J = view(floats, at, (6 * G, K))
    A = view(floats, at + 6 * G * K, (6 * G, 6 * G))
    at += 6 * G * (K + 6 * G)
    y = view(floats, at, (6 * G,))
    s = view(floats, at + 6 * G, (8, K))
    at += 6 * G + 8 * K
    score = view(floats, at, (2,))
    B = view(floats, at + 2, (6 * G, K))
    at += 2 + 6 * G * K
    turned = view(floats, at, (2, K))
    F = view(floats, at + 2 * K, (K, 3, 4))
    T = view(floats, at + 14 * K, (K, 3, 3))
    S = view(floats, at + 23 * K, (K, 6))
    splines = view(floats, at + 29 * K, (ints[3],))
    nodes = Nodes(parent, kind, fixed, turn, lower, upper, partner, cone, weight, gain, affine, ball, spline, splines)
    aims = Aims(node, point, twist, target, wanted, importance, distal, base)
    work = Work(X, R, P, O, E, J, A, y, s, score, trace, used, B, turned, F, T, S)
    return nodes, aims, work
