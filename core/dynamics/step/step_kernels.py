"""The step, compiled: see ``step_plain``. All that it needs lies in a few blocks, so that a call costs little."""

from __future__ import annotations

import math

import numba as nb

from core.dynamics.contact import pairs_kernel, qp_kernel
from core.dynamics.step.by_address import address, by_address
from core.dynamics.step.energy_kernels import bound_energy
from core.dynamics.step.flight_kernels import at_rest, call_mass_at, fly, mass_at, turn
from core.dynamics.step.force_kernels import arrive, efforts, eliminate_held, forces, give, pull
from core.dynamics.step.lock_kernels import ball_rows, lock_rows
from core.dynamics.step.motion_kernels import (
    factor,
    place_bodies,
    solve_lower,
    solve_transposed,
    twists,
)
from core.dynamics.step.pushing_kernels import allowed_work, push_out, tell_pushes
from core.dynamics.step.rest_kernels import rest
from core.dynamics.step.review_kernels import go_back, keep, misses, sinks
from core.dynamics.step.rows_kernels import I8, contact_rows, limit_rows
from core.dynamics.step.settle_kernels import remember, settle
from core.dynamics.step.slots import (
    AGAIN,
    ASLEEP,
    BALL_COUNT,
    BALL_ROWS_AT,
    BEFORE,
    BODIES,
    BODY_COUNT,
    BODY_NODE,
    BODY_PLACES,
    BODY_RADIUS,
    BODY_ROTATIONS,
    BODY_WIDTH,
    BOUNDED,
    CHAIN,
    CONTACT,
    CONTACT_ROOM,
    CONTACT_ROWS_AT,
    CONTACT_WIDTH,
    CONTACTS,
    DEPTH,
    DISSIPATES,
    EFFORTS_AT,
    ENERGY_RISE,
    EQUALITIES,
    EXCESS,
    FALLBACKS,
    FIND_AT,
    FLIGHTS,
    FLY_AT,
    FREE,
    FULL_MASS,
    GIVEN,
    HELD,
    IDS,
    ITERATIONS,
    JUMP,
    JUMPED,
    KIND,
    KKT,
    KNOWN,
    LARGEST_TURN,
    LEFT_OUT,
    LESS,
    LOCK_COUNT,
    LOCK_ROWS_AT,
    MARGIN,
    MASS,
    MASS_AT,
    MASS_COUNT,
    MEASURE_AT,
    MIDDLE,
    MOST_SUBSTEPS,
    NEW,
    NODE_COUNT,
    NODE_WIDTH,
    NODES,
    NUMBER_COUNT,
    NUMBERS,
    PARENT,
    PIVOT,
    PLACED,
    PULL_COUNT,
    PUSH,
    REACH,
    REFERENCE,
    REMEMBERED,
    RIGHT,
    ROOT,
    ROTATION,
    ROWS,
    SLIDE,
    SOLVE_AT,
    START,
    STEP,
    SUBSTEPS,
    TAKEN,
    TIME,
    TOO_FAR,
    TOO_LONG,
    TURN,
    TURNED,
    VECTOR_COUNT,
    VECTORS,
    WATCHED,
    WIDELY,
    A,
    P,
    U,
    V,
    X,
    Y,
)
from core.dynamics.step.state_kernels import measure, strike
from core.kernels.compiling import calls_of
from core.kinematics.inlining import F0, F1, F2, F3, I0, I1, INTERNAL, OPTIONS, view
from core.kinematics.linking import linked

find, solve = calls_of(pairs_kernel).find, calls_of(qp_kernel).solve

__all__ = ["advance", "measure", "strike"]

call_find = by_address(I0(I1, F1, F3, F2, F1, F2, I1))
call_fly = by_address(nb.void(F1, I1, F0))
call_rows = by_address(nb.void(F1, I1, I8, F0))
call_contact_rows = by_address(nb.void(F1, I1, I8, F0, I0))
call_efforts = by_address(nb.void(F1, I1, F0, nb.boolean))


def addresses() -> dict[int, int]:
    """Return what stands where in the head of the integers for calls by address."""
    functions = {
        FIND_AT: find, SOLVE_AT: solve, MASS_AT: mass_at, FLY_AT: fly, CONTACT_ROWS_AT: contact_rows,
        LOCK_ROWS_AT: lock_rows, BALL_ROWS_AT: ball_rows, EFFORTS_AT: efforts, MEASURE_AT: measure,
    }  # fmt: skip
    return {slot: address(function) for slot, function in functions.items()}


@linked
@nb.njit(nb.void(F1, I1, F0, nb.boolean), **INTERNAL)
def reach_of(floats, ints, h, more):  # type: ignore[no-untyped-def]
    """Write how near something must come to each body to matter within the substep, by the twists in columns V.

    If ``more``, add what it must be nearer by those in columns A.
    """
    n, count = ints[NODE_COUNT], ints[BODY_COUNT]
    nodes, bodies = view(floats, ints[NODES], (n, NODE_WIDTH)), view(floats, ints[BODIES], (count, BODY_WIDTH))
    places, reach = view(floats, ints[BODY_PLACES], (count, 3)), view(floats, ints[REACH], (count,))
    node = view(ints, ints[BODY_NODE], (count,))
    margin = floats[ints[NUMBERS] + MARGIN]
    for b in range(count):
        if not more:
            reach[b] = margin
        if node[b] < 0:
            continue
        W, O = nodes[node[b]], nodes[ints[ints[REFERENCE] + node[b]]]  # noqa: E741
        r0, r1, r2 = places[b, 0] - O[P], places[b, 1] - O[P + 1], places[b, 2] - O[P + 2]
        at = A if more else V
        w0, w1, w2 = W[at], W[at + 1], W[at + 2]
        v0, v1, v2 = W[at + 3] + w1 * r2 - w2 * r1, W[at + 4] + w2 * r0 - w0 * r2, W[at + 5] + w0 * r1 - w1 * r0
        speed = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
        reach[b] += h * (speed + math.sqrt(w0 * w0 + w1 * w1 + w2 * w2) * bodies[b, BODY_RADIUS])


@linked
@nb.njit(nb.void(F1, I1, F0), **INTERNAL)
def move(floats, ints, h):  # type: ignore[no-untyped-def]
    """Move the coordinates on by the velocities."""
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    kind = view(ints, ints[KIND], (n,))
    u, x = vectors[U], vectors[X]
    for i in range(n):
        if kind[i] == ROTATION:
            turn(nodes[i], TURN, h, u[i], u[i + 1], u[i + 2])
        elif kind[i] != TURNED:
            x[i] += h * u[i]


@linked
@nb.njit(I0(F1, I1, I8, I1, F1, F0, nb.boolean, nb.boolean), **INTERNAL)
def substep(floats, ints, flags, shape_ints, shape_floats, h, held, last):  # type: ignore[no-untyped-def]
    """Take one substep of length h; return whether it is taken, or has to be tried again, or is too long.

    ``held``: whether anything is prescribed, ``last``: whether efforts are wanted.
    """
    n = ints[NODE_COUNT]
    nodes = view(floats, ints[NODES], (n, NODE_WIDTH))
    vectors = view(floats, ints[VECTORS], (VECTOR_COUNT, n))
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    mass = view(floats, ints[MASS], (ints[MASS_COUNT],))
    depth, start = view(ints, ints[DEPTH], (n,)), view(ints, ints[START], (n,))
    chain = view(ints, ints[CHAIN], mass.shape)
    parent = view(ints, ints[PARENT], (n,))
    u, before, free, new, right = vectors[U], vectors[BEFORE], vectors[FREE], vectors[NEW], vectors[RIGHT]
    ints[PLACED] = ints[BOUNDED] and not (ints[WIDELY] and ints[KNOWN])  # tried again as it was: inertias are summed up
    if ints[BOUNDED] and not ints[KNOWN]:
        bound_energy(floats, ints, flags, 0.0, 0.0)
    for i in range(n):
        vectors[MIDDLE, i] = u[i] if ints[JUMPED] else 1.5 * u[i] - 0.5 * before[i]
    call_mass_at(ints[MASS_AT], (floats, ints))
    ints[PLACED] = 0
    if held:
        full = view(floats, ints[FULL_MASS], mass.shape)
        for k in range(len(mass)):
            full[k] = mass[k]
    forces(floats, ints, h)
    if ints[PULL_COUNT]:
        twists(nodes, parent, u, V)
        pull(floats, ints, h, False)
    if held:
        eliminate_held(floats, ints)
    factor(mass, depth, start, chain, vectors[PIVOT], vectors[ROOT])
    solve_transposed(mass, depth, start, chain, right)
    for i in range(n):
        right[i] *= vectors[PIVOT, i]
    solve_lower(mass, depth, start, chain, right)
    for i in range(n):
        free[i] = vectors[GIVEN, i] if held and ints[ints[HELD] + i] else u[i] + right[i]
    ints[ROWS] = ints[EQUALITIES] = ints[CONTACTS] = 0
    twists(nodes, parent, free, V)
    if ints[LOCK_COUNT]:
        call_rows(ints[LOCK_ROWS_AT], (floats, ints, flags, h))
    limit_rows(floats, ints, flags, h)
    if ints[BALL_COUNT]:
        call_rows(ints[BALL_ROWS_AT], (floats, ints, flags, h))
    place_bodies(floats, ints)
    reach_of(floats, ints, h, False)
    if ints[WIDELY]:
        twists(nodes, parent, new, A)
        reach_of(floats, ints, h, True)
    count = ints[BODY_COUNT]
    found = call_find(
        ints[FIND_AT], (
        shape_ints, shape_floats, view(floats, ints[BODY_ROTATIONS], (count, 3, 3)),
        view(floats, ints[BODY_PLACES], (count, 3)), view(floats, ints[REACH], (count,)),
        view(floats, ints[CONTACT], (ints[CONTACT_ROOM], CONTACT_WIDTH)), view(ints, ints[IDS], (ints[CONTACT_ROOM],)),
    ))  # fmt: skip
    if found:
        twists(nodes, parent, u, A)
        call_contact_rows(ints[CONTACT_ROWS_AT], (floats, ints, flags, h, found))
    ints[REMEMBERED] = ints[CONTACTS]
    if ints[ROWS] == 0 and not ints[DISSIPATES] and (not held or at_rest(floats, ints)):
        for i in range(n):
            before[i] = u[i]
        call_fly(ints[FLY_AT], (floats, ints, h))
        ints[FLIGHTS] += 1
        ints[KNOWN] = 0
        ints[JUMPED] = 0
        return TAKEN
    jump = fastest = 0.0
    may_halve = h * numbers[MOST_SUBSTEPS] > 1.5 * numbers[STEP]
    if ints[ROWS]:
        pushes = push_out(floats, ints, h)
        settle(floats, ints, flags)
        if pushes:
            tell_pushes(floats, ints)
        for i in range(n):
            new[i] = vectors[ROOT, i] * vectors[Y, i]
        solve_lower(mass, depth, start, chain, new)
        for i in range(n):
            jump = max(jump, abs(new[i]))
            new[i] = free[i] + new[i]
        remember(floats, ints, flags, h)
        for i in range(n):
            if ints[ints[KIND] + i] != SLIDE:
                fastest = max(fastest, abs(new[i]))
        if not ints[WIDELY] and misses(floats, ints, h):
            return AGAIN
        if may_halve and fastest * h > TOO_FAR * numbers[LARGEST_TURN]:
            return TOO_LONG
    else:
        for i in range(n):
            new[i] = free[i]
    if last:
        if held and ints[PULL_COUNT]:
            twists(nodes, parent, new, V)
        call_efforts(ints[EFFORTS_AT], (floats, ints, h, held))
    watched = may_halve and ints[CONTACTS] > 0 and fastest * h > WATCHED
    jumped = ints[JUMPED]
    if ints[ROWS]:
        keep(floats, ints)
    ints[JUMPED] = 1 if jump > numbers[JUMP] else 0
    for i in range(n):
        before[i] = u[i]
        u[i] = new[i]
    work = allowed_work(floats, ints) if ints[BOUNDED] and ints[ROWS] else 0.0
    move(floats, ints, h)
    if ints[BOUNDED]:
        share = h / numbers[STEP]
        excess = bound_energy(floats, ints, flags, share, work)
        if excess > EXCESS and ints[ROWS] and numbers[PUSH] == 1.0 and work == 0.0:
            go_back(floats, ints)
            ints[JUMPED], ints[KNOWN] = jumped, 0
            numbers[PUSH] = LESS * numbers[ENERGY_RISE] * share / (numbers[ENERGY_RISE] * share + excess)
            return AGAIN
    if watched and sinks(floats, ints, shape_ints, shape_floats):
        go_back(floats, ints)
        ints[JUMPED], ints[KNOWN] = jumped, 0
        return TOO_LONG
    return TAKEN


@nb.njit(nb.void(F1, I1, I8, I1, F1, I0, I0), **(OPTIONS | {"nogil": True}))
def advance(floats, ints, flags, shape_ints, shape_floats, count, left):  # type: ignore[no-untyped-def]
    """See ``step_plain.advance``."""
    n = ints[NODE_COUNT]
    numbers = view(floats, ints[NUMBERS], (NUMBER_COUNT,))
    u = view(floats, ints[VECTORS] + U * n, (n,))
    ints[FALLBACKS] = ints[SUBSTEPS] = ints[ITERATIONS] = ints[FLIGHTS] = ints[LEFT_OUT] = 0
    numbers[KKT] = 0.0
    held = False
    for i in range(n):
        held = held or ints[ints[HELD] + i] != 0
    h = numbers[STEP]
    for k in range(count):
        numbers[TIME] += h
        if ints[ASLEEP]:
            continue
        fastest = 0.0
        for i in range(n):
            if ints[ints[KIND] + i] != SLIDE:
                fastest = max(fastest, abs(u[i]))
        parts = 1
        if fastest * h > numbers[LARGEST_TURN]:
            parts = int(min(math.ceil(fastest * h / numbers[LARGEST_TURN]), numbers[MOST_SUBSTEPS]))
        todo = parts
        while todo > 0:
            if held:
                give(floats, ints, h / parts, parts * (left - k - 1) + todo)
            last = k + 1 == count and todo == 1
            result = substep(floats, ints, flags, shape_ints, shape_floats, h / parts, held, last)
            ints[WIDELY] = 0 if result == TAKEN else 1
            if result == TAKEN:
                numbers[PUSH] = 1.0
                todo -= 1
                ints[SUBSTEPS] += 1
            elif result == TOO_LONG:
                parts, todo = 2 * parts, 2 * todo
        if held and left - k == 1:
            arrive(floats, ints)
        rest(floats, ints, h)
