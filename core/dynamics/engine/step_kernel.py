"""The step: see :class:`core.dynamics.engine.stepper.Stepper`. It is taken in parts where something turns fast."""

from __future__ import annotations

import math

from core.dynamics.contact.pairs_kernel import find
from core.dynamics.engine.applied_kernel import add_applied, apply_forces, apply_none, apply_rows
from core.dynamics.engine.contact_rows_kernel import contact_rows, reach_of_bodies
from core.dynamics.engine.drag_kernel import drags
from core.dynamics.engine.efforts_kernel import efforts
from core.dynamics.engine.energy_kernel import bound_energy
from core.dynamics.engine.friction_kernel import joint_friction
from core.dynamics.engine.integrate_kernel import fly, move
from core.dynamics.engine.joint_rows_kernel import ball_rows, cone_rows, limit_rows
from core.dynamics.engine.lock_rows_kernel import lock_rows
from core.dynamics.engine.memory import AGAIN, SLIDE, TAKEN, TOO_LONG, Memory
from core.dynamics.engine.momentum_kernel import note_bias, note_momentum, put_momentum
from core.dynamics.engine.motion_kernel import mass_at, place_bodies, solve_lower, solve_mass, stand, twists
from core.dynamics.engine.path_forces_kernel import path_forces
from core.dynamics.engine.point_forces_kernel import point_forces
from core.dynamics.engine.points_kernel import load
from core.dynamics.engine.prescribed_kernel import arrive, eliminate_prescribed, prescribed_rates, prescribed_rest
from core.dynamics.engine.pull_forces_kernel import note_pulls, pull_forces
from core.dynamics.engine.pushing_kernel import add_pushes, allowed_work, push_out
from core.dynamics.engine.review_kernel import go_back, keep, leaves_cones, misses, sinks
from core.dynamics.engine.sleep_kernel import sleep
from core.dynamics.engine.solve_kernel import remember, solve_rows
from core.dynamics.engine.stable_pd_kernel import stable_pd
from core.dynamics.engine.vector_forces_kernel import vector_forces
from core.kernels import F1, I1, kernel

TOO_FAR = 3.0
"""A part of a step is taken in halves if a blow makes something turn by more than this times the largest turn in it."""
WATCHED = 0.005
"""Where nothing turns as far in a part of a step, none is looked at again, [rad]."""
EXCESS, LESS = 1e-6, 0.5
"""Lifts that take so much more energy than a step may add, [J], are tried again, with so much of what would do."""


@kernel
def strike(memory: Memory, body: int, impulse: F1) -> None:
    """Change velocities as an impulse [angular; linear] about a body's origin does, world axes."""
    u, u_given, u_middle = memory.u, memory.u_given, memory.u_middle
    state = memory.state
    n = state.node_count
    node = memory.body_node[body]
    if node < 0:
        return
    nodes = memory.nodes
    depth, start, chain = memory.depth, memory.start, memory.chain
    right = memory.right_side
    for i in range(n):
        u_middle[i] = u[i]
        u_given[i] = u[i]
        right[i] = 0.0
    mass_at(memory)
    place_bodies(memory)
    W = nodes[node]
    for k in range(6):
        W.F[k] = impulse[k] if k < 3 else 0.0
    p = memory.body_places[body]
    load(memory, node, p[0], p[1], p[2], impulse[3], impulse[4], impulse[5])
    for j in range(depth[node] + 1):
        i = chain[start[node] + j]
        for k in range(6):
            right[i] += nodes[i].S[k] * W.F[k]
    eliminate_prescribed(memory)
    solve_mass(memory, right)
    for i in range(n):
        u[i] += right[i]


@kernel(internal=True)
def middle_velocities(memory: Memory) -> None:
    """Write the velocities in the middle of the substep, by those of the substep before."""
    u, before, middle, jumped = memory.u, memory.u_before, memory.u_middle, memory.state.jumped
    for i in range(memory.state.node_count):
        middle[i] = u[i] if jumped else 1.5 * u[i] - 0.5 * before[i]


@kernel(linked=True)
def move_freely(memory: Memory, h: float, held: bool) -> None:
    """Write the velocities at the end of a substep without rows; factor the mass matrix with what is implicit."""
    state = memory.state
    n = state.node_count
    u, free, right = memory.u, memory.u_free, memory.right_side
    middle_velocities(memory)
    mass_at(memory)
    note_bias(memory)
    if state.bounded and not state.energy_known:
        bound_energy(memory, 0.0, 0.0)
    stable_pd(memory, h)
    if state.friction_count:
        joint_friction(memory, h)
    if state.pull_count:
        twists(memory, u, memory.velocity)
        pull_forces(memory, memory.velocity, h)
    if state.applied or state.acting:
        if state.applied:
            apply_forces(memory)
        else:
            apply_none(memory)
        if state.path_count:
            path_forces(memory, h)
        if state.point_force_count:
            point_forces(memory, h)
        if state.drag_count:
            drags(memory, h)
        if state.vector_force_count:
            vector_forces(memory, h)
        add_applied(memory, h)
    if held:
        eliminate_prescribed(memory)
    solve_mass(memory, right)
    for i in range(n):
        free[i] = memory.u_given[i] if held and memory.held[i] else u[i] + right[i]


@kernel(linked=True)
def find_rows(memory: Memory, shape_ints: I1, shape_floats: F1, h: float) -> None:
    """Write the rows that velocities at the end of a substep have to keep to: equations first, contacts last."""
    state = memory.state
    V, other = memory.velocity, memory.other_velocity
    state.row_count = state.equality_count = state.contact_count = 0
    twists(memory, memory.u_free, V)
    if state.applied_count:
        apply_rows(memory, h, True)
    if state.lock_count:
        lock_rows(memory, h)
    if state.applied_count:
        apply_rows(memory, h, False)
    limit_rows(memory, h)
    if state.ball_count:
        ball_rows(memory, h)
    if state.cone_count:
        cone_rows(memory, h)
    place_bodies(memory)
    reach_of_bodies(memory, V, h, False)
    if state.widely:
        twists(memory, memory.u_new, other)
        reach_of_bodies(memory, other, h, True)
    found = find(
        shape_ints, shape_floats, memory.body_rotations, memory.body_places, memory.reach,
        memory.contact_values, memory.ids,
    )  # fmt: skip
    if found:
        twists(memory, memory.u, other)
        contact_rows(memory, h, found)
    state.remembered_count = state.contact_count


@kernel(linked=True)
def meet_rows(memory: Memory, h: float) -> float:
    """Write the velocities that keep to the rows; return the largest change of one by them."""
    n = memory.state.node_count
    root, y, free, new = memory.root, memory.y, memory.u_free, memory.u_new
    jump = 0.0
    pushes = push_out(memory, h)
    solve_rows(memory)
    if pushes:
        add_pushes(memory)
    for i in range(n):
        new[i] = root[i] * y[i]
    solve_lower(memory.mass, memory.depth, memory.start, memory.chain, new)
    for i in range(n):
        jump = max(jump, abs(new[i]))
        new[i] = free[i] + new[i]
    remember(memory, h)
    return jump


@kernel(linked=True)
def substep(
    memory: Memory, shape_ints: I1, shape_floats: F1, h: float, held: bool, last: bool, arrives: bool
) -> int:  # fmt: skip
    """Take one substep of length h; return whether it is taken, or has to be tried again, or is too long.

    Args:
        memory: The memory.
        shape_ints, shape_floats: The blocks of a set of shapes that may touch.
        h: Its length, [s].
        held: Whether anything is prescribed.
        last: Whether efforts are wanted.
        arrives: Whether prescribed coordinates are where they are to be at its end.
    """
    state = memory.state
    n = state.node_count
    u, before, free, new = memory.u, memory.u_before, memory.u_free, memory.u_new
    move_freely(memory, h, held)
    find_rows(memory, shape_ints, shape_floats, h)
    if state.row_count == 0 and not state.dissipates and (not held or prescribed_rest(memory)):
        for i in range(n):
            before[i] = u[i]
        fly(memory, h)
        if arrives:
            arrive(memory)
            state.placed = 0
        state.flights += 1
        state.energy_known = 0
        state.jumped = 0
        return TAKEN
    jump = fastest = 0.0
    may_halve = h * state.most_substeps > 1.5 * state.step
    if state.row_count:
        jump = meet_rows(memory, h)
        for i in range(n):
            if memory.kind[i] != SLIDE:
                fastest = max(fastest, abs(new[i]))
        if not state.widely and misses(memory, h):
            return AGAIN
        if may_halve and (fastest * h > TOO_FAR * state.largest_turn or (state.widely and leaves_cones(memory, h))):
            return TOO_LONG
    else:
        for i in range(n):
            new[i] = free[i]
    if last:
        if state.pull_count:
            twists(memory, new, memory.velocity)
            note_pulls(memory, memory.velocity, h)
        efforts(memory, h, held)
    watched = may_halve and state.contact_count > 0 and fastest * h > WATCHED
    jumped = state.jumped
    if state.row_count:
        keep(memory)
    state.jumped = 1 if jump > state.jump else 0
    note_momentum(memory, new, h)
    for i in range(n):
        before[i] = u[i]
        u[i] = new[i]
    work = allowed_work(memory) if state.bounded and state.row_count else 0.0
    move(memory, h)
    if arrives:
        arrive(memory)
    if state.general:
        middle_velocities(memory)  # rates of general joints are evaluated with their frames
    stand(memory)
    put_momentum(memory)
    if state.bounded:
        share = h / state.step
        excess = bound_energy(memory, share, work)
        if excess > EXCESS and state.row_count and state.push_share == 1.0 and work == 0.0:
            go_back(memory)
            state.jumped, state.energy_known = jumped, 0
            state.push_share = LESS * state.energy_rise * share / (state.energy_rise * share + excess)
            return AGAIN
    if watched and sinks(memory, shape_ints, shape_floats):
        go_back(memory)
        state.jumped, state.energy_known = jumped, 0
        return TOO_LONG
    return TAKEN


@kernel(nogil=True)
def advance(memory: Memory, shape_ints: I1, shape_floats: F1, count: int, left: int) -> None:
    """Take steps.

    Time is that of the end of the part of a step that is taken: what depends on it, as how active a muscle is, counts
    as it is there, like all else that is implicit.

    Args:
        memory: The memory.
        shape_ints, shape_floats: The blocks of a set of shapes that may touch.
        count: How many steps.
        left: In so many steps prescribed coordinates get to where they are to be.
    """
    state = memory.state
    n = state.node_count
    u = memory.u
    state.fallbacks = state.substeps = state.iterations = state.flights = state.left_out = 0
    state.kkt = 0.0
    held = False
    for i in range(n):
        held = held or memory.held[i] != 0
    h = state.step
    for k in range(count):
        begin = state.time
        state.time = begin + h
        if state.asleep:
            continue
        fastest = 0.0
        for i in range(n):
            if memory.kind[i] != SLIDE:
                fastest = max(fastest, abs(u[i]))
        parts = 1
        if fastest * h > state.largest_turn:
            parts = int(min(math.ceil(fastest * h / state.largest_turn), state.most_substeps))
        todo = parts
        while todo > 0:
            if held:
                prescribed_rates(memory, h / parts, parts * (left - k - 1) + todo)
            last = k + 1 == count and todo == 1
            arrives = held and left - k == 1 and todo == 1
            state.time = begin + h * ((parts - todo + 1) / parts)
            result = substep(memory, shape_ints, shape_floats, h / parts, held, last, arrives)
            state.widely = 0 if result == TAKEN else 1
            if result == TAKEN:
                state.push_share = 1.0
                todo -= 1
                state.substeps += 1
            elif result == TOO_LONG:
                parts, todo = 2 * parts, 2 * todo
        sleep(memory, h)
