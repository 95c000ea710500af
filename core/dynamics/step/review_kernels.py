"""Whether a substep is as it should be, and how it is undone, compiled: see ``review_plain``."""

from __future__ import annotations

import numba as nb

from core.dynamics.step.by_address import by_address
from core.dynamics.step.motion_kernels import place, place_bodies
from core.dynamics.step.slots import (
    BALL_ANGLES,
    BALL_COUNT,
    BALL_DIRECTIONS,
    BALL_HIGH,
    BALL_LOW,
    BALL_NODE,
    BALL_WIDTH,
    BALLS,
    BEFORE,
    BODIES,
    BODY_COUNT,
    BODY_GIVE,
    BODY_PLACES,
    BODY_ROTATIONS,
    BODY_WIDTH,
    BOUNDED,
    CONTACT,
    CONTACT_A,
    CONTACT_B,
    CONTACT_GAP,
    CONTACT_ROOM,
    CONTACT_WIDTH,
    CONTACTS,
    DEEPER,
    FIND_AT,
    FLIGHT,
    FREE,
    HELD,
    HIGH,
    KIND,
    LIMIT_MARGIN,
    LOW,
    NEW,
    NODE_COUNT,
    NODE_WIDTH,
    NODES,
    NUMBER_COUNT,
    NUMBERS,
    OVER,
    REACH,
    ROTATION,
    SUNK,
    SUNK_IDS,
    TOO_DEEP,
    TURN,
    VECTOR_COUNT,
    VECTORS,
    U,
    X,
)
from core.kinematics.inlining import F0, F1, F2, F3, I0, I1, INTERNAL, view
from core.kinematics.linking import linked

call_find = by_address(I0(I1, F1, F3, F2, F1, F2, I1))


@linked
@nb.njit(nb.void(F1, I1), **INTERNAL)
def keep(floats, ints):  # type: ignore[no-untyped-def]
    """Keep coordinates and velocities, those of the substep before too."""
    n = ints[NODE_COUNT]
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    kept = view(floats, ints[FLIGHT], (3, n))
    nodes, turns = view(floats, ints[NODES], (n, NODE_WIDTH)), view(floats, ints[FLIGHT] + 6 * n, (n, 4))
    kind = view(ints, ints[KIND], (n,))
    for i in range(n):
        kept[0, i], kept[1, i], kept[2, i] = vectors[X, i], vectors[U, i], vectors[BEFORE, i]
        if kind[i] == ROTATION:
            for k in range(4):
                turns[i, k] = nodes[i, TURN + k]


@linked
@nb.njit(nb.void(F1, I1), **INTERNAL)
def go_back(floats, ints):  # type: ignore[no-untyped-def]
    """Go back to what is kept."""
    n = ints[NODE_COUNT]
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    kept = view(floats, ints[FLIGHT], (3, n))
    nodes, turns = view(floats, ints[NODES], (n, NODE_WIDTH)), view(floats, ints[FLIGHT] + 6 * n, (n, 4))
    kind = view(ints, ints[KIND], (n,))
    for i in range(n):
        vectors[X, i], vectors[U, i], vectors[BEFORE, i] = kept[0, i], kept[1, i], kept[2, i]
        if kind[i] == ROTATION:
            for k in range(4):
                nodes[i, TURN + k] = turns[i, k]


@linked
@nb.njit(nb.boolean(F1, I1, F0), **INTERNAL)
def misses(floats, ints, h):  # type: ignore[no-untyped-def]
    """Return whether a limit that has no row is exceeded at the end of the substep."""
    n = ints[NODE_COUNT]
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    margin = view(floats, ints[NUMBERS], (NUMBER_COUNT,))[LIMIT_MARGIN]
    held = view(ints, ints[HELD], (n,))
    x, low, high, free, new = vectors[X], vectors[LOW], vectors[HIGH], vectors[FREE], vectors[NEW]
    for i in range(n):
        if held[i]:
            continue
        if x[i] + h * new[i] < low[i] - OVER and x[i] - low[i] + h * min(free[i], 0.0) >= margin:
            return True
        if x[i] + h * new[i] > high[i] + OVER and high[i] - x[i] - h * max(free[i], 0.0) >= margin:
            return True
    balls = view(floats, ints[BALLS], (ints[BALL_COUNT], BALL_WIDTH))
    for k in range(ints[BALL_COUNT]):
        B = balls[k]
        i = int(B[BALL_NODE])
        if held[i]:
            continue
        for j in range(3):
            at = BALL_DIRECTIONS + 3 * j
            speed = B[at] * free[i] + B[at + 1] * free[i + 1] + B[at + 2] * free[i + 2]
            later = B[at] * new[i] + B[at + 1] * new[i + 1] + B[at + 2] * new[i + 2]
            angle = B[BALL_ANGLES + j]
            below, above = angle - B[BALL_LOW + j], B[BALL_HIGH + j] - angle
            if below + h * later < -OVER and below + h * min(speed, 0.0) >= margin:
                return True
            if above - h * later < -OVER and above - h * max(speed, 0.0) >= margin:
                return True
    return False


@linked
@nb.njit(nb.boolean(F1, I1, I1, F1), **INTERNAL)
def sinks(floats, ints, shape_ints, shape_floats):  # type: ignore[no-untyped-def]
    """Return whether anything is too deep in something else, and deeper than the contacts tell that it was."""
    count, room = ints[BODY_COUNT], ints[CONTACT_ROOM]
    most = view(floats, ints[NUMBERS], (NUMBER_COUNT,))[TOO_DEEP]
    bodies, reach = view(floats, ints[BODIES], (count, BODY_WIDTH)), view(floats, ints[REACH], (count,))
    contact, sunk = (
        view(floats, ints[CONTACT], (room, CONTACT_WIDTH)), view(floats, ints[SUNK], (room, CONTACT_WIDTH)),
    )  # fmt: skip
    for k in range(ints[CONTACTS]):
        most = max(most, DEEPER - contact[k, CONTACT_GAP])
    if not ints[BOUNDED]:
        place(floats, ints)
        place_bodies(floats, ints)
    for b in range(count):
        reach[b] = 0.0
    found = call_find(
        ints[FIND_AT], (
        shape_ints, shape_floats, view(floats, ints[BODY_ROTATIONS], (count, 3, 3)),
        view(floats, ints[BODY_PLACES], (count, 3)), reach, sunk, view(ints, ints[SUNK_IDS], (room,)),
    ))  # fmt: skip
    for k in range(found):
        gap = sunk[k, CONTACT_GAP]
        for side in range(CONTACT_A, CONTACT_B + 1):
            if sunk[k, side] >= 0.0:
                gap += bodies[int(sunk[k, side]), BODY_GIVE]
        if gap < -most:
            return True
    return False
