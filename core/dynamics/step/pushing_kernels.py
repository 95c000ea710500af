"""What is far inside something else, or far over a limit, is pushed out, compiled: see ``pushing_plain``."""

from __future__ import annotations

import math

import numba as nb

from core.dynamics.step.pushing_plain import NOTHING, STIFF, SWEEPS, YIELDS
from core.dynamics.step.slots import (
    BALL_ANGLES,
    BALL_COUNT,
    BALL_HIGH,
    BALL_LOW,
    BALL_ROW,
    BALL_WIDTH,
    BALLS,
    BASE,
    BURIED,
    CONTACT,
    CONTACT_FRICTION,
    CONTACT_GAP,
    CONTACT_KIND,
    CONTACT_OTHER,
    CONTACT_ROOM,
    CONTACT_ROWS,
    CONTACT_STATE,
    CONTACT_STATE_WIDTH,
    CONTACT_WIDTH,
    FAR_IN,
    FAR_OVER,
    HIGH,
    LOCK_ROW,
    LOW,
    LOW_ROW,
    MULTIPLIER,
    NODE_COUNT,
    NUMBER_COUNT,
    NUMBERS,
    PUSH_WORK,
    PUSHED,
    RIGHT_SIDE,
    ROW,
    ROW_KIND,
    ROW_NUMBERS,
    ROW_OF,
    ROW_ROOM,
    ROW_SPEED,
    ROW_VALUES,
    ROWS,
    START_X,
    STEP,
    VECTOR_COUNT,
    VECTORS,
    X,
    Y,
)
from core.kinematics.inlining import F0, F1, I0, I1, INTERNAL, view
from core.kinematics.linking import linked


@nb.njit(nb.boolean(F1, I1, I0), **INTERNAL)
def is_far(floats, ints, i):  # type: ignore[no-untyped-def]
    """Return whether a row is of something far where it must not be."""
    kind, of = ints[ints[ROW_KIND] + i], ints[ints[ROW_OF] + i]
    if kind == CONTACT_KIND:
        return floats[ints[CONTACT] + of * CONTACT_WIDTH + CONTACT_GAP] < -FAR_IN
    if kind == LOCK_ROW:
        return False
    if kind == BALL_ROW:
        ball, j = view(floats, ints[BALLS], (ints[BALL_COUNT], BALL_WIDTH))[of // 6], (of % 6) // 2
        angle = ball[BALL_ANGLES + j]
        gap = angle - ball[BALL_LOW + j] if of % 2 == 0 else ball[BALL_HIGH + j] - angle
    else:
        vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, ints[NODE_COUNT]))
        gap = vectors[X, of] - vectors[LOW, of] if kind == LOW_ROW else vectors[HIGH, of] - vectors[X, of]
    return gap < -FAR_OVER


@nb.njit(nb.boolean(F1, I1, I0), **INTERNAL)
def is_buried(floats, ints, i):  # type: ignore[no-untyped-def]
    """Return whether a row is of a contact deep in something that has more than one side."""
    if ints[ints[ROW_KIND] + i] != CONTACT_KIND:
        return False
    at = ints[CONTACT] + ints[ints[ROW_OF] + i] * CONTACT_WIDTH
    return floats[at + CONTACT_OTHER] >= 0.0 and floats[at + CONTACT_GAP] < -BURIED


@nb.njit(I0(F1, I1, I0), **INTERNAL)
def rows_of(floats, ints, i):  # type: ignore[no-untyped-def]
    """Return how many rows begin at a row for one contact or limit."""
    if ints[ints[ROW_KIND] + i] != CONTACT_KIND:
        return 1
    states = view(floats, ints[CONTACT_STATE], (ints[CONTACT_ROOM], CONTACT_STATE_WIDTH))
    return int(states[ints[ints[ROW_OF] + i], CONTACT_ROWS])


TINY = 1e-300
"""What yields so little cannot move at all."""


@linked
@nb.njit(nb.boolean(F1, I1, F0), **INTERNAL)
def push_out(floats, ints, h):  # type: ignore[no-untyped-def]
    """Push out what is far in, by an impulse in ``START_X``; afterwards its rows only ask that it gets no farther.

    Return whether anything is.
    """
    n, m = ints[NODE_COUNT], ints[ROWS]
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    values = view(floats, ints[ROW_VALUES], (ROW_NUMBERS, ints[ROW_ROOM]))
    rows = view(floats, ints[ROW], (m, n))
    y = view(floats, ints[VECTORS] + START_X * n, (n,))
    asks = values[RIGHT_SIDE]  # how much the rows that push yield: the program writes here afterwards
    numbers[PUSH_WORK] = 0.0
    far = False
    i = 0
    while i < m:
        count = rows_of(floats, ints, i)
        for j in range(i, i + count):
            values[PUSHED, j] = asks[j] = 0.0
        if values[BASE, i] > 0.0 and is_far(floats, ints, i):
            asks[i], far = 1.0, True
        i += count
    if not far:
        return False
    for k in range(n):
        y[k] = 0.0
    yields = YIELDS * numbers[STEP] / h
    contact = view(floats, ints[CONTACT], (ints[CONTACT_ROOM], CONTACT_WIDTH))
    for i in range(m):
        if asks[i] == 0.0:
            continue
        last = min(rows_of(floats, ints, i), 2)
        along, own = 0.0, 0.0
        for k in range(n):
            w = 0.5 * (rows[i, k] + rows[i + last - 1, k])
            along += w * w
            own += 0.5 * (rows[i, k] * rows[i, k] + rows[i + last - 1, k] * rows[i + last - 1, k])
        across = along
        if last == 2:
            mu = contact[ints[ints[ROW_OF] + i], CONTACT_FRICTION]
            across = max((own - along) / (mu * mu), 0.0)
        if along < across:
            values[BASE, i] *= math.sqrt(along / across)
        asks[i] = max(yields * max(along, STIFF * across), TINY)
    for _ in range(SWEEPS):
        for i in range(m):
            soft = asks[i]
            if soft <= TINY:
                continue
            other = i + min(rows_of(floats, ints, i), 2) - 1  # half the sum of both is the normal of a pyramid
            squared = along = 0.0
            for k in range(n):
                w = 0.5 * (rows[i, k] + rows[other, k])
                squared += w * w
                along += w * y[k]
            missing = values[BASE, i] - 0.5 * (values[ROW_SPEED, i] + values[ROW_SPEED, other]) - along
            change = (missing - soft * values[PUSHED, i]) / (squared + soft)
            change = max(change, -values[PUSHED, i])
            values[PUSHED, i] += change
            for k in range(n):
                y[k] += change * 0.5 * (rows[i, k] + rows[other, k])
    for i in range(m):
        if asks[i] != 0.0:
            numbers[PUSH_WORK] += values[PUSHED, i] * values[BASE, i]
            base = NOTHING if is_buried(floats, ints, i) else 0.0
            for j in range(i, i + rows_of(floats, ints, i)):
                values[BASE, j] = base
        for k in range(n):
            values[ROW_SPEED, i] += rows[i, k] * y[k]
    return True


@linked
@nb.njit(nb.void(F1, I1), **INTERNAL)
def tell_pushes(floats, ints):  # type: ignore[no-untyped-def]
    """Add the impulses of pushes to the answer, and to the multipliers of their rows."""
    n = ints[NODE_COUNT]
    values = view(floats, ints[ROW_VALUES], (ROW_NUMBERS, ints[ROW_ROOM]))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    for k in range(n):
        vectors[Y, k] += vectors[START_X, k]
    for i in range(ints[ROWS]):
        push = values[PUSHED, i]
        if push > 0.0:
            last = min(rows_of(floats, ints, i), 2)
            for j in range(i, i + last):
                values[MULTIPLIER, j] += push / last


@linked
@nb.njit(F0(F1, I1), **INTERNAL)
def allowed_work(floats, ints):  # type: ignore[no-untyped-def]
    """Return the work of locks, and of what pushes out what is far where it must not be, [J]."""
    values = view(floats, ints[ROW_VALUES], (ROW_NUMBERS, ints[ROW_ROOM]))
    total = view(floats, ints[NUMBERS], (NUMBER_COUNT,))[PUSH_WORK]
    for i in range(ints[ROWS]):
        if ints[ints[ROW_KIND] + i] == LOCK_ROW:
            total += max(values[MULTIPLIER, i] * values[BASE, i], 0.0)
    return total
