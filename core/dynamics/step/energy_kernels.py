"""No step adds energy, compiled: see ``energy_plain``."""

from __future__ import annotations

import math

import numba as nb

from core.dynamics.node_motion import INTERNAL
from core.dynamics.step.by_address import by_address
from core.dynamics.step.rows_kernels import I8
from core.dynamics.step.slots import (
    BALL_ANGLES,
    BALL_COUNT,
    BALL_HIGH,
    BALL_LOW,
    BALL_ROW,
    BALL_WIDTH,
    BALLS,
    BASE,
    CONTACT,
    CONTACT_GAP,
    CONTACT_KIND,
    CONTACT_ROOM,
    CONTACT_WIDTH,
    ENERGY,
    ENERGY_RISE,
    HIGH,
    JUMPED,
    KINETIC,
    KNOWN,
    LOCK_ROW,
    LOW,
    LOW_ROW,
    MEASURE_AT,
    MULTIPLIER,
    NODE_COUNT,
    NUMBER_COUNT,
    NUMBERS,
    POTENTIAL,
    ROW_KIND,
    ROW_OF,
    ROW_ROOM,
    ROW_VALUES,
    ROWS,
    VECTOR_COUNT,
    VECTORS,
    U,
    X,
)
from core.kinematics.inlining import F0, F1, I1, view
from core.kinematics.linking import linked

call_measure = by_address(nb.void(F1, I1, I8))
FAR_IN, FAR_OVER = 0.002, 0.15
"""As in ``energy_plain``."""


@linked
@nb.njit(F0(F1, I1), **INTERNAL)
def pushed_out(floats, ints):  # type: ignore[no-untyped-def]
    """Return the work of locks, and of what brings bodies and joints out that are far where they must not be."""
    n = ints[NODE_COUNT]
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    values = view(floats, ints[ROW_VALUES], (4, ints[ROW_ROOM]))
    balls = view(floats, ints[BALLS], (ints[BALL_COUNT], BALL_WIDTH))
    contact = view(floats, ints[CONTACT], (ints[CONTACT_ROOM], CONTACT_WIDTH))
    total = 0.0
    for i in range(ints[ROWS]):
        work = values[MULTIPLIER, i] * values[BASE, i]
        if not work > 0.0:
            continue
        kind, of = ints[ints[ROW_KIND] + i], ints[ints[ROW_OF] + i]
        gap = -1.0
        if kind == CONTACT_KIND:
            gap = contact[of, CONTACT_GAP] + FAR_IN - FAR_OVER
        elif kind == BALL_ROW:
            ball, j = balls[of // 6], (of % 6) // 2
            angle = ball[BALL_ANGLES + j]
            gap = angle - ball[BALL_LOW + j] if of % 2 == 0 else ball[BALL_HIGH + j] - angle
        elif kind != LOCK_ROW:
            x = vectors[X, of]
            gap = x - vectors[LOW, of] if kind == LOW_ROW else vectors[HIGH, of] - x
        if gap < -FAR_OVER:
            total += work
    return total


@linked
@nb.njit(F0(F1, I1, I8, F0, F0), **INTERNAL)
def bound_energy(floats, ints, flags, share, work):  # type: ignore[no-untyped-def]
    """Scale velocities down where the energy has risen by more than work and a share of what a step may add.

    Return what it has risen too far even so.
    """
    n = ints[NODE_COUNT]
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    u = view(floats, ints[VECTORS] + U * n, (n,))
    call_measure(ints[MEASURE_AT], (floats, ints, flags))
    kinetic, potential = numbers[KINETIC], numbers[POTENTIAL]
    least = 0.0
    if ints[KNOWN]:
        least = numbers[ENERGY] + work + share * numbers[ENERGY_RISE] - potential
        if kinetic > least:
            scale = math.sqrt(max(least, 0.0) / kinetic)
            for i in range(n):
                u[i] *= scale
            kinetic = max(least, 0.0)
            if scale < 0.9:
                ints[JUMPED] = 1
    numbers[ENERGY] = kinetic + potential
    ints[KNOWN] = 1
    return max(0.0, -least)
