"""What hardly moves is slowed down, then falls asleep, compiled: see ``step_plain.rest``."""

from __future__ import annotations

import math

import numba as nb

from core.dynamics.step.slots import (
    ASLEEP,
    BEFORE,
    BODY_COUNT,
    BODY_PLACES,
    BODY_ROTATIONS,
    BOUNDED,
    CALM,
    CONTACT,
    CONTACT_B,
    CONTACT_ROOM,
    CONTACT_WIDTH,
    CONTACTS,
    ENERGY,
    EQUALITIES,
    KINETIC,
    KNOWN,
    MAY_SLEEP,
    MOTORS,
    NODE_COUNT,
    NUMBER_COUNT,
    NUMBERS,
    QUIET,
    QUIET_LENGTH,
    QUIET_SPEED,
    QUIET_TIME,
    QUIET_TURN,
    SETTLE_ENERGY,
    SETTLE_RATE,
    SETTLE_TIME,
    STILL,
    VECTOR_COUNT,
    VECTORS,
    U,
)
from core.kinematics.inlining import F0, F1, I1, INTERNAL, view
from core.kinematics.linking import linked


@linked
@nb.njit(nb.void(F1, I1, F0), **INTERNAL)
def rest(floats, ints, h):  # type: ignore[no-untyped-def]
    """Let everything fall asleep that has hardly moved for a while, on contacts or locks."""
    n, count = ints[NODE_COUNT], ints[BODY_COUNT]
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    fastest = 0.0
    for i in range(n):
        fastest = max(fastest, abs(vectors[U, i]))
    supported = ints[CONTACTS] > 0 or ints[EQUALITIES] > 0
    if not ints[MAY_SLEEP] or ints[MOTORS] or not supported:
        ints[QUIET] = 0
        return
    calm = False
    if ints[BOUNDED] and ints[KNOWN] and numbers[KINETIC] < numbers[SETTLE_ENERGY]:
        contact = view(floats, ints[CONTACT], (ints[CONTACT_ROOM], CONTACT_WIDTH))
        for k in range(ints[CONTACTS]):
            calm = calm or contact[k, CONTACT_B] < 0.0
    ints[CALM] = ints[CALM] + 1 if calm else 0
    if ints[CALM] * h > numbers[SETTLE_TIME]:
        slower = 1.0 - min(1.0, h * numbers[SETTLE_RATE])
        for i in range(n):
            vectors[U, i] *= slower
        numbers[ENERGY] -= (1.0 - slower * slower) * numbers[KINETIC]
    if not fastest <= numbers[QUIET_SPEED]:
        ints[QUIET] = 0
        return
    rotations = view(floats, ints[BODY_ROTATIONS], (count, 9))
    places, still = view(floats, ints[BODY_PLACES], (count, 3)), view(floats, ints[STILL], (count, 12))
    moved = turned = 0.0
    for b in range(count):
        if ints[QUIET] == 0:
            for k in range(9):
                still[b, k] = rotations[b, k]
            for k in range(3):
                still[b, 9 + k] = places[b, k]
        away = 0.0
        for k in range(9):
            turned = max(turned, abs(rotations[b, k] - still[b, k]))
        for k in range(3):
            away += (places[b, k] - still[b, 9 + k]) ** 2
        moved = max(moved, away)
    if math.sqrt(moved) > numbers[QUIET_LENGTH] or turned > numbers[QUIET_TURN]:
        ints[QUIET] = 0
        return
    ints[QUIET] += 1
    if ints[QUIET] * h >= numbers[QUIET_TIME]:
        ints[ASLEEP] = 1
        for i in range(n):
            vectors[U, i] = vectors[BEFORE, i] = 0.0
