"""The rows of a substep are settled, compiled: their quadratic program solved, and what it tells remembered."""

from __future__ import annotations

import math

import numba as nb

from core.dynamics.contact import qp_memory_kernel
from core.dynamics.contact.qp_layout import FALLBACKS as SOLVED_OTHERWISE
from core.dynamics.contact.qp_layout import ITERATIONS as TAKEN
from core.dynamics.step.by_address import by_address
from core.dynamics.step.rows_kernels import I8
from core.dynamics.step.slots import (
    BALL_COUNT,
    BALL_FLAGS,
    BALL_ROW,
    BASE,
    CONTACT,
    CONTACT_FRICTION,
    CONTACT_NORMAL,
    CONTACT_ROOM,
    CONTACT_ROW,
    CONTACT_ROWS,
    CONTACT_STATE,
    CONTACT_STATE_WIDTH,
    CONTACT_WIDTH,
    CONTACTS,
    EQUALITIES,
    FALLBACKS,
    FIRST_TANGENT,
    FLAGS,
    FORCE,
    HIGH_ROW,
    IDS,
    INDEX_WORK,
    ITERATIONS,
    KKT,
    LIMIT_FLAGS,
    LOCK_FLAGS,
    LOCK_FORCE,
    LOCK_ROOM,
    LOCK_ROW,
    LOCK_WIDTH,
    LOCKS,
    LOW_ROW,
    MULTIPLIER,
    NODE_COUNT,
    NUMBER_COUNT,
    NUMBERS,
    PASSES,
    REMEMBERED_FLAGS,
    REMEMBERED_IDS,
    RIGHT_SIDE,
    ROW,
    ROW_KIND,
    ROW_NUMBERS,
    ROW_OF,
    ROW_ROOM,
    ROW_SPEED,
    ROW_VALUES,
    ROWS,
    SECOND_TANGENT,
    SLIDING,
    SOLVE_AT,
    SPEEDS,
    VECTORS,
    WORK,
    Y,
)
from core.kernels.compiling import calls_of
from core.kinematics.inlining import F0, F1, F2, I0, I1, INTERNAL, view
from core.kinematics.linking import linked

unpack = calls_of(qp_memory_kernel).unpack
call_solve = by_address(F0(F2, F1, I0, I0, I8, nb.boolean, F1, F1, F1, I1))
CLOSE, SINKING, MORE = 1e-7, 0.05, 8
"""As in ``step_plain``."""


@linked
@nb.njit(nb.void(F1, I1, I8), **INTERNAL)
def settle(floats, ints, flags):  # type: ignore[no-untyped-def]
    """Solve the quadratic program of the rows into ``Y``; the sliding speed of each contact is found in passes."""
    n, m, contacts = ints[NODE_COUNT], ints[ROWS], ints[CONTACTS]
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    rows = view(floats, ints[ROW], (m, n))
    values = view(floats, ints[ROW_VALUES], (ROW_NUMBERS, ints[ROW_ROOM]))
    contact = view(floats, ints[CONTACT], (ints[CONTACT_ROOM], CONTACT_WIDTH))
    states = view(floats, ints[CONTACT_STATE], (ints[CONTACT_ROOM], CONTACT_STATE_WIDTH))
    y = view(floats, ints[VECTORS] + Y * n, (n,))
    active = flags[ints[FLAGS] : ints[FLAGS] + m]
    work, index_work = floats[ints[WORK] :], ints[ints[INDEX_WORK] :]
    along = unpack(work, index_work, m, n).slack
    passes = int(numbers[PASSES])
    for taken in range(passes + MORE):
        for i in range(m):
            values[RIGHT_SIDE, i] = values[BASE, i] - values[ROW_SPEED, i]
        for k in range(contacts):
            if states[k, CONTACT_ROWS] == 4.0:
                first = int(states[k, CONTACT_ROW])
                less = contact[k, CONTACT_FRICTION] * states[k, SLIDING]
                for j in range(4):
                    values[RIGHT_SIDE, first + j] -= less
        residual = call_solve(
            ints[SOLVE_AT],
            (rows, values[RIGHT_SIDE], m, ints[EQUALITIES], active, taken > 0, y, values[MULTIPLIER], work, index_work),
        )
        numbers[KKT] = max(numbers[KKT], residual)
        ints[ITERATIONS] += index_work[TAKEN]
        ints[FALLBACKS] += index_work[SOLVED_OTHERWISE]
        change = sinking = 0.0
        for k in range(contacts):
            if states[k, CONTACT_ROWS] != 4.0:
                continue
            first = int(states[k, CONTACT_ROW])
            c, d = values[ROW_SPEED, first] + along[first], values[ROW_SPEED, first + 1] + along[first + 1]
            a, up = c - d, c + d
            b = values[ROW_SPEED, first + 2] + along[first + 2] - values[ROW_SPEED, first + 3] - along[first + 3]
            mu = contact[k, CONTACT_FRICTION]
            sliding = math.sqrt(a * a + b * b) / (2.0 * mu)
            change = max(change, mu * abs(sliding - states[k, SLIDING]))
            sinking = max(sinking, values[BASE, first] - 0.5 * up)
            values[RIGHT_SIDE, first] = sliding
        if change < CLOSE or (taken + 1 >= passes and sinking < SINKING) or taken + 1 == passes + MORE:
            break
        for k in range(contacts):
            if states[k, CONTACT_ROWS] == 4.0:
                sliding = values[RIGHT_SIDE, int(states[k, CONTACT_ROW])]
                states[k, SLIDING] = sliding if taken + 1 < passes else min(sliding, states[k, SLIDING])


@linked
@nb.njit(nb.void(F1, I1, I8, F0), **INTERNAL)
def remember(floats, ints, flags, h):  # type: ignore[no-untyped-def]
    """Keep forces, and what the next substep starts from."""
    n, room = ints[NODE_COUNT], ints[CONTACT_ROOM]
    values = view(floats, ints[ROW_VALUES], (ROW_NUMBERS, ints[ROW_ROOM]))
    contact = view(floats, ints[CONTACT], (room, CONTACT_WIDTH))
    states = view(floats, ints[CONTACT_STATE], (room, CONTACT_STATE_WIDTH))
    locks = view(floats, ints[LOCKS], (ints[LOCK_ROOM], LOCK_WIDTH))
    row_kind, row_of = view(ints, ints[ROW_KIND], (ints[ROW_ROOM],)), view(ints, ints[ROW_OF], (ints[ROW_ROOM],))
    active = view(flags, ints[FLAGS], (ints[ROW_ROOM],))
    old_flags = view(flags, ints[REMEMBERED_FLAGS], (room, 4))
    for k in range(ints[LOCK_ROOM]):
        flags[ints[LOCK_FLAGS] + k] = 0
    for k in range(2 * n):
        flags[ints[LIMIT_FLAGS] + k] = 0
    for k in range(6 * ints[BALL_COUNT]):
        flags[ints[BALL_FLAGS] + k] = 0
    for i in range(ints[ROWS]):
        kind, of = row_kind[i], row_of[i]
        if kind == LOCK_ROW:
            flags[ints[LOCK_FLAGS] + of] = active[i]
            locks[of, LOCK_FORCE] = values[MULTIPLIER, i] / h
        elif kind == LOW_ROW:
            flags[ints[LIMIT_FLAGS] + of] = active[i]
        elif kind == HIGH_ROW:
            flags[ints[LIMIT_FLAGS] + n + of] = active[i]
        elif kind == BALL_ROW:
            flags[ints[BALL_FLAGS] + of] = active[i]
    for k in range(ints[CONTACTS]):
        K, W = contact[k], states[k]
        first, count = int(W[CONTACT_ROW]), int(W[CONTACT_ROWS])
        push = one = two = 0.0
        for j in range(4):
            old_flags[k, j] = active[first + j] if j < count else 0
            if j < count:
                own = values[MULTIPLIER, first + j] / h
                push += own
                if count == 4:
                    sign = own if j % 2 == 0 else -own
                    if j < 2:
                        one += sign
                    else:
                        two += sign
        one, two = one * K[CONTACT_FRICTION], two * K[CONTACT_FRICTION]
        for j in range(3):
            W[FORCE + j] = push * K[CONTACT_NORMAL + j] + one * W[FIRST_TANGENT + j] + two * W[SECOND_TANGENT + j]
        own_speeds = view(floats, ints[SPEEDS] + 4 * k, (4,))
        own_speeds[0] = W[SLIDING]
        for j in range(3):
            own_speeds[1 + j] = W[FIRST_TANGENT + j]
        ints[ints[REMEMBERED_IDS] + k] = ints[ints[IDS] + k]
