"""How kernels find the arrays of a problem of locks in its two blocks of memory."""

from __future__ import annotations

import numba as nb
from numba import types

from core.constraints.hold.packed import BENDS, ENTRIES, HEADER, MASKED, NODES, POSE, ROWS, SLOTS, SPLINES, STATE, Hold
from core.kinematics.inlining import F0, F1, F2, F3, I1, I2, INLINE, view

HOLD = types.NamedTuple(
    [
        I1, I1, I1, I1, I1, I2, I2, I2, I1, I2, I1, F3, F3, F1, F3, F3, F2,
        F2, F2, F1, F3, F2, F2, F2, F3, F3, F2, F2, F2, F2, F2, F3, F3,
        F2, F2, F2, F2, F2, F2, F2,
    ],
    Hold,
)  # fmt: skip
THREE = types.UniTuple(F0, 3)


@nb.njit(HOLD(I1, F1), **INLINE)
def unpack(ints, floats):  # type: ignore[no-untyped-def]
    """Return the arrays of a problem, found in two blocks in the order of ``packed.shapes``."""
    K, E, M, B, nq = ints[NODES], ints[ENTRIES], ints[ROWS], ints[BENDS], ints[POSE]
    masked = M if ints[MASKED] != 0 else 0
    header = view(ints, 0, (HEADER,))
    at = HEADER
    parent = view(ints, at, (K,))
    kind = view(ints, at + K, (K,))
    partner = view(ints, at + 2 * K, (K,))
    q_index = view(ints, at + 3 * K, (K,))
    at += 4 * K
    entry = view(ints, at, (E, 8))
    reach = view(ints, at + 8 * E, (E, K))
    at += 8 * E + E * K
    bend = view(ints, at, (B, 3))
    rows = view(ints, at + 3 * B, (M,))
    free = view(ints, at + 3 * B + M, (2, K))
    spline = view(ints, at + 3 * B + M + 2 * K, (K,))
    fixed = view(floats, 0, (K, 3, 4))
    turn = view(floats, 12 * K, (K, 3, 3))
    splines = view(floats, 21 * K, (ints[SPLINES],))
    at = 21 * K + ints[SPLINES]
    F = view(floats, at, (K, 3, 4))
    placed = view(floats, at + 12 * K, (K, 3, 3))
    S = view(floats, at + 21 * K, (K, 6))
    at += 27 * K
    node = view(floats, at, (8, K))
    moment = view(floats, at + 8 * K, (K, 3))
    at += 11 * K
    standing = view(floats, at, (4,))
    base = view(floats, at + 4, (2, 3, 4))
    at += 28
    point = view(floats, at, (E, 3))
    other_point = view(floats, at + 3 * E, (E, 3))
    target = view(floats, at + 6 * E, (E, 3))
    basis = view(floats, at + 9 * E, (E, 3, 3))
    wanted = view(floats, at + 18 * E, (E, 3, 3))
    at += 27 * E
    directions = view(floats, at, (M, 3))
    row = view(floats, at + 3 * M, (4, M))
    at += 7 * M
    mask = view(floats, at, (masked, K))
    at += masked * K
    side = view(floats, at, (B, 3))
    limits = view(floats, at + 3 * B, (2, nq))
    at += 3 * B + 2 * nq
    X = view(floats, at, (K, 3, 4))
    R = view(floats, at + 12 * K, (K, 3, 3))
    below = view(floats, at + 21 * K, (K, 4))
    vector = view(floats, at + 25 * K, (STATE + SLOTS, K))
    at += (25 + STATE + SLOTS) * K
    values = view(floats, at, (SLOTS + 7, M))
    at += (SLOTS + 7) * M
    J = view(floats, at, (M, K))
    at += M * K
    T = view(floats, at, (masked, K))
    at += masked * K
    G = view(floats, at, (M, K))
    A = view(floats, at + M * K, (M, M))
    return Hold(
        header, parent, kind, partner, q_index, entry, reach, bend, rows, free, spline, fixed, turn, splines, F,
        placed, S, node, moment, standing,
        base, point, other_point, target, basis, wanted, directions, row, mask, side, limits, X, R, below, vector,
        values, J, T, G, A,
    )  # fmt: skip
