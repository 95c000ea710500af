"""The step in numpy: the twin of ``step_kernels``, by dense matrices and as the equations read."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from core.dynamics.contact import pairs_kernel, qp_kernel
from core.dynamics.contact.qp_layout import FALLBACKS, ITERATIONS
from core.dynamics.step import motion_plain as motion
from core.dynamics.step import rows_plain as rows_of
from core.dynamics.step import slots as at
from core.dynamics.step.energy_plain import bound_energy
from core.dynamics.step.flight_plain import at_rest, fly
from core.dynamics.step.memory import Memory
from core.dynamics.step.pushing_plain import allowed_work, push_out, tell_pushes
from core.dynamics.step.review_plain import go_back, keep, misses, sinks
from core.spatial import quaternion

Array = NDArray[np.float64]

CLOSE = 1e-7
"""Sliding speeds times friction that change less than this, [m/s], from pass to pass end the passes."""
SINKING, MORE = 0.05, 8
"""Where contacts come nearer than they may by more than this speed, [m/s], because they slide less than was thought,
so many more passes follow, in which the sliding speeds only become less."""


class Shapes(NamedTuple):
    """The blocks of a set of shapes."""

    ints: NDArray[np.int64]
    floats: Array


def advance(
    floats: Array, integers: NDArray[np.int64], flags: NDArray[np.int8], shape_ints: NDArray[np.int64],
    shape_floats: Array, count: int, left: int,
) -> None:  # fmt: skip
    """Take steps: see :class:`core.dynamics.step.stepper.Stepper`.

    Args:
        floats, integers, flags: The blocks of the memory.
        shape_ints, shape_floats: The blocks of a set of shapes that may touch.
        count: How many steps.
        left: In so many steps prescribed coordinates get to where they are to be.
    """
    m, find = Memory(floats, integers, flags), Shapes(shape_ints, shape_floats)
    head, numbers = m.head, m.numbers
    for key in (at.FALLBACKS, at.SUBSTEPS, at.ITERATIONS, at.FLIGHTS, at.LEFT_OUT):
        head[key] = 0
    numbers[at.KKT] = 0.0
    for k in range(count):
        if not head[at.ASLEEP]:
            step(m, find, left - k)
        numbers[at.TIME] += numbers[at.STEP]


def step(m: Memory, find: Shapes, left: int) -> None:
    """Take one step, in parts if something turns fast."""
    h = float(m.numbers[at.STEP])
    turning = m.kind != at.SLIDE
    fastest = float(np.abs(m.vectors[at.U, turning]).max(initial=0.0))
    parts = min(max(1, math.ceil(fastest * h / m.numbers[at.LARGEST_TURN])), int(m.numbers[at.MOST_SUBSTEPS]))
    todo = parts
    while todo > 0:
        give(m, h / parts, parts * (left - 1) + todo)
        result = substep(m, h / parts, find)
        m.head[at.WIDELY] = int(result != at.TAKEN)
        if result == at.TAKEN:
            m.numbers[at.PUSH] = 1.0
            todo -= 1
            m.head[at.SUBSTEPS] += 1
        elif result == at.TOO_LONG:
            parts, todo = 2 * parts, 2 * todo
    if left == 1:
        arrive(m)
    rest(m, h)


def give(m: Memory, h: float, left: int) -> None:
    """Write the velocities at which prescribed coordinates get to where they are to be after so many parts."""
    given = m.vectors[at.GIVEN]
    for i in range(len(m.nodes)):
        if not m.held[i]:
            continue
        if m.kind[i] == at.ROTATION:
            now, then = m.nodes[i, at.TURN : at.TURN + 4], m.nodes[i, at.NEXT_TURN : at.NEXT_TURN + 4]
            given[i : i + 3] = turn_between(now, then) / (h * left)
        elif m.kind[i] != at.TURNED:
            given[i] = (m.vectors[at.NEXT, i] - m.vectors[at.X, i]) / (h * left)


def turn_between(now: Array, then: Array) -> Array:
    """Return the rotation vector, in own axes, from one unit quaternion to another by the shorter way."""
    away = quaternion.multiply(quaternion.conjugate(now), then)
    return np.asarray(2.0 * quaternion.log(-away if away[0] < 0.0 else away))


def arrive(m: Memory) -> None:
    """Put prescribed coordinates where they are to be, to the last bit."""
    for i in range(len(m.nodes)):
        if m.held[i]:
            m.vectors[at.X, i] = m.vectors[at.NEXT, i]
            m.nodes[i, at.TURN : at.TURN + 4] = m.nodes[i, at.NEXT_TURN : at.NEXT_TURN + 4]


def substep(m: Memory, h: float, find: Shapes) -> int:
    """Take one substep of length h; return whether it is taken, or has to be tried again, or is too long."""
    head, vectors = m.head, m.vectors
    n = len(m.nodes)
    if head[at.BOUNDED] and not head[at.KNOWN]:
        bound_energy(m, 0.0, 0.0)
    motion.place(m)
    u = vectors[at.U]
    middle = u if head[at.JUMPED] else 1.5 * u - 0.5 * vectors[at.BEFORE]
    M = motion.mass_matrix(m)
    bias = motion.bias(m, middle)
    right, diagonal = spring_forces(m)
    A = M + np.diag(h * vectors[at.DAMPING] + h * vectors[at.KD] + h * h * (vectors[at.STIFFNESS] + vectors[at.KP]))
    right = h * (right + vectors[at.TORQUE] - bias)
    for k in range(int(head[at.PULL_COUNT])):
        node, point, target, stiffness, damping = pull_of(m, k)
        J = np.array([rows_of.point_row(m, node, point, axis) for axis in np.eye(3)])
        A += J.T @ J * (h * damping + h * h * stiffness)
        right += h * stiffness * J.T @ (target - point)
    held = m.held != 0
    right += M @ u
    new = vectors[at.NEW]
    right -= A[:, held] @ vectors[at.GIVEN, held]
    A[held], A[:, held] = 0.0, 0.0
    A[held, held] = 1.0
    right[held] = vectors[at.GIVEN, held]
    L = np.linalg.cholesky(A)
    free = np.linalg.solve(A, right)
    free[held] = vectors[at.GIVEN, held]
    vectors[at.FREE] = free
    rows = rows_of.Rows(m, h)
    rows_of.lock_rows(rows, free)
    rows_of.limit_rows(rows, free)
    rows_of.ball_rows(rows, free)
    motion.place_bodies(m)
    rows_of.contact_rows(rows, near(m, h, free, find), free)
    count = int(head[at.ROWS])
    vectors[at.EFFORT] = 0.0
    if count == 0 and not head[at.DISSIPATES] and at_rest(m):
        head[at.REMEMBERED] = 0
        vectors[at.BEFORE] = u
        fly(m, h)
        head[at.FLIGHTS] += 1
        head[at.KNOWN] = 0
        head[at.JUMPED] = 0
        return at.TAKEN
    new[:] = free
    if count:
        C = np.array(rows.C)
        W = np.zeros((count, n))
        moving = C.copy()
        moving[:, held] = 0.0
        W[:] = scipy.linalg.solve_triangular(L, moving.T, lower=True).T
        speeds = C @ free
        out = push_out(m, W, speeds, h)
        y = out + solve(m, W, speeds)
        tell_pushes(m)
        new += scipy.linalg.solve_triangular(L.T, y, lower=False)
        new[held] = vectors[at.GIVEN, held]
        remember(m, W, C, y, h)
    head[at.REMEMBERED] = head[at.CONTACTS]
    fastest = float(np.abs(new[m.kind != at.SLIDE]).max(initial=0.0))
    may_halve = h * m.numbers[at.MOST_SUBSTEPS] > 1.5 * m.numbers[at.STEP]
    if count and not head[at.WIDELY] and misses(m, h):
        return at.AGAIN
    if count and may_halve and fastest * h > at.TOO_FAR * m.numbers[at.LARGEST_TURN]:
        return at.TOO_LONG
    watched = may_halve and head[at.CONTACTS] > 0 and fastest * h > at.WATCHED
    kept = keep(m)
    efforts(m, h, M, bias, rows, diagonal)
    head[at.JUMPED] = int(float(np.abs(new - free).max(initial=0.0)) > m.numbers[at.JUMP])
    vectors[at.BEFORE] = u
    vectors[at.U] = new
    work = allowed_work(m) if count else 0.0
    move(m, h, new)
    if head[at.BOUNDED]:
        most = float(m.numbers[at.ENERGY_RISE]) * h / float(m.numbers[at.STEP])
        excess = bound_energy(m, h / float(m.numbers[at.STEP]), work)
        if excess > at.EXCESS and count and m.numbers[at.PUSH] == 1.0 and work == 0.0:
            go_back(m, kept)
            m.numbers[at.PUSH] = at.LESS * most / (most + excess)
            return at.AGAIN
    if watched and sinks(m, find):
        go_back(m, kept)
        return at.TOO_LONG
    return at.TAKEN


def pull_of(m: Memory, k: int) -> tuple[int, Array, Array, float, float]:
    """Return node, point in the world, target, stiffness and damping of a pull."""
    pull = m.pulls[k]
    node = int(pull[at.PULL_NODE])
    point = rows_of.spot(m, node, pull[at.PULL_POINT : at.PULL_POINT + 3])
    target = pull[at.PULL_TARGET : at.PULL_TARGET + 3]
    return node, point, target, float(pull[at.PULL_STIFFNESS]), float(pull[at.PULL_DAMPING])


def spring_forces(m: Memory) -> tuple[Array, Array]:
    """Return the forces of springs and motors at the present coordinates and no velocity, and those of motors only."""
    vectors = m.vectors
    spring, motor = vectors[at.REST] - vectors[at.X], vectors[at.TARGET] - vectors[at.X]
    for i in np.flatnonzero(m.kind == at.ROTATION):
        turn = m.nodes[i, at.TURN : at.TURN + 4]
        spring[i : i + 3] = turn_between(turn, m.nodes[i, at.REST_TURN : at.REST_TURN + 4])
        motor[i : i + 3] = turn_between(turn, m.nodes[i, at.TARGET_TURN : at.TARGET_TURN + 4])
    motor = vectors[at.KP] * motor + vectors[at.KD] * vectors[at.TARGET_RATE]
    return vectors[at.STIFFNESS] * spring + motor, motor


def near(m: Memory, h: float, free: Array, find: Shapes) -> int:
    """Write the contacts that bodies may have within the substep; return how many."""
    margin = m.numbers[at.MARGIN]
    for b in range(len(m.bodies)):
        i = int(m.body_node[b])
        speed = 0.0
        if i >= 0:
            arm = m.body_places[b] - motion.reference(m, i)
            for u in (free, m.vectors[at.NEW])[: 1 + int(m.head[at.WIDELY])]:
                V = motion.jacobian(m, i) @ u
                speed += float(np.linalg.norm(V[3:] + np.cross(V[:3], arm)))
                speed += float(np.linalg.norm(V[:3])) * m.bodies[b, at.BODY_RADIUS]
        m.reach[b] = margin + h * speed
    found = pairs_kernel.find(find.ints, find.floats, m.body_rotations, m.body_places, m.reach, m.contact, m.ids)
    return int(found)


def solve(m: Memory, W: Array, speeds: Array) -> Array:
    """Return the solution of the quadratic program; the sliding speed of each contact is found in passes."""
    count = int(m.head[at.ROWS])
    base, multipliers = m.row_values[at.BASE, :count], m.row_values[at.MULTIPLIER, :count]
    contacts = int(m.head[at.CONTACTS])
    passes = int(m.numbers[at.PASSES])
    y = np.zeros(W.shape[1])
    for taken in range(passes + MORE):
        b = base - speeds
        for k in range(contacts):
            state = m.contact_state[k]
            if state[at.CONTACT_ROWS] == 4:
                first = int(state[at.CONTACT_ROW])
                b[first : first + 4] -= m.contact[k, at.CONTACT_FRICTION] * state[at.SLIDING]
        residual = qp_kernel.solve(
            W, b, count, int(m.head[at.EQUALITIES]), m.flags_of_rows[:count], taken > 0, y, multipliers, m.work,
            m.index_work,
        )  # fmt: skip
        m.numbers[at.KKT] = max(m.numbers[at.KKT], residual)
        m.head[at.ITERATIONS] += m.index_work[ITERATIONS]
        m.head[at.FALLBACKS] += m.index_work[FALLBACKS]
        along = speeds + W @ y
        change = sinking = 0.0
        found = m.contact_state[:contacts, at.SLIDING].copy()
        for k in range(contacts):
            state, mu = m.contact_state[k], float(m.contact[k, at.CONTACT_FRICTION])
            if state[at.CONTACT_ROWS] == 4:
                v = along[int(state[at.CONTACT_ROW]) :][:4]
                sliding = math.hypot(v[0] - v[1], v[2] - v[3]) / (2.0 * mu)
                change = max(change, mu * abs(sliding - state[at.SLIDING]))
                sinking = max(sinking, float(base[int(state[at.CONTACT_ROW])]) - 0.5 * float(v[0] + v[1]))
                found[k] = sliding if taken + 1 < passes else min(sliding, state[at.SLIDING])
        if change < CLOSE or (taken + 1 >= passes and sinking < SINKING) or taken + 1 == passes + MORE:
            break
        m.contact_state[:contacts, at.SLIDING] = found
    return y


def remember(m: Memory, W: Array, C: Array, y: Array, h: float) -> None:
    """Keep forces, and what the next substep starts from."""
    count, contacts = int(m.head[at.ROWS]), int(m.head[at.CONTACTS])
    multipliers = m.row_values[at.MULTIPLIER]
    m.lock_flags[:], m.limit_flags[:], m.ball_flags[:] = 0, 0, 0
    for i in range(count):
        kind, of, flag, force = int(m.row_kind[i]), int(m.row_of[i]), m.flags_of_rows[i], multipliers[i] / h
        if kind == at.LOCK_ROW:
            m.lock_flags[of] = flag
            m.locks[of, at.LOCK_FORCE] = force
        elif kind in (at.LOW_ROW, at.HIGH_ROW):
            m.limit_flags[kind - at.LOW_ROW, of] = flag
        elif kind == at.BALL_ROW:
            m.ball_flags[of // 6, of % 6] = flag
    for k in range(contacts):
        state = m.contact_state[k]
        normal, mu = m.contact[k, at.CONTACT_NORMAL : at.CONTACT_NORMAL + 3], float(m.contact[k, at.CONTACT_FRICTION])
        first = int(state[at.CONTACT_ROW])
        own = multipliers[first : first + int(state[at.CONTACT_ROWS])] / h
        force = own.sum() * normal
        m.remembered_flags[k] = 0
        m.remembered_flags[k, : len(own)] = m.flags_of_rows[first : first + len(own)]
        if len(own) == 4:
            force = force + mu * (own[0] - own[1]) * state[at.FIRST_TANGENT : at.FIRST_TANGENT + 3]
            force = force + mu * (own[2] - own[3]) * state[at.SECOND_TANGENT : at.SECOND_TANGENT + 3]
        state[at.FORCE : at.FORCE + 3] = force
        m.speeds[k, 0] = state[at.SLIDING]
        m.speeds[k, 1:] = state[at.FIRST_TANGENT : at.FIRST_TANGENT + 3]
        m.remembered_ids[k] = m.ids[k]


def efforts(m: Memory, h: float, M: Array, bias: Array, rows: rows_of.Rows, motor: Array) -> None:
    """Write what motors, limits and drives exert in the joints, [N m] or [N]."""
    vectors, new = m.vectors, m.vectors[at.NEW]
    effort = motor - (h * vectors[at.KP] + vectors[at.KD]) * new
    count = int(m.head[at.ROWS])
    impulses = np.zeros(len(new))
    for i in range(count):
        share = rows.C[i] * m.row_values[at.MULTIPLIER, i] / h
        impulses += share
        if m.row_kind[i] in (at.LOW_ROW, at.HIGH_ROW, at.BALL_ROW):
            effort += share
    held = m.held != 0
    spring, _ = spring_forces(m)
    spring = spring - motor - (h * vectors[at.STIFFNESS] + vectors[at.DAMPING]) * new
    pulls = np.zeros(len(new))
    for k in range(int(m.head[at.PULL_COUNT])):
        node, point, target, stiffness, damping = pull_of(m, k)
        J = np.array([rows_of.point_row(m, node, point, axis) for axis in np.eye(3)])
        pulls += J.T @ (stiffness * (target - point) - (h * stiffness + damping) * (J @ new))
    drive = M @ (new - vectors[at.U]) / h + bias - impulses - spring - vectors[at.TORQUE] - pulls
    effort[held] = drive[held]
    vectors[at.EFFORT] = effort


def move(m: Memory, h: float, u: Array) -> None:
    """Move the coordinates on by velocities."""
    for i in range(len(m.nodes)):
        if m.kind[i] == at.ROTATION:
            turn = quaternion.multiply(m.nodes[i, at.TURN : at.TURN + 4], quaternion.exp(0.5 * h * u[i : i + 3]))
            m.nodes[i, at.TURN : at.TURN + 4] = turn / np.linalg.norm(turn)
        elif m.kind[i] != at.TURNED:
            m.vectors[at.X, i] += h * u[i]


def rest(m: Memory, h: float) -> None:
    """Let everything fall asleep that has hardly moved for a while, on contacts or locks."""
    head, numbers = m.head, m.numbers
    fastest = float(np.abs(m.vectors[at.U]).max(initial=0.0))
    supported = head[at.CONTACTS] > 0 or head[at.EQUALITIES] > 0
    if not head[at.MAY_SLEEP] or head[at.MOTORS] or not supported:
        head[at.QUIET] = 0
        return
    on_world = bool((m.contact[: head[at.CONTACTS], at.CONTACT_B] < 0.0).any())
    calm = head[at.BOUNDED] and head[at.KNOWN] and on_world and numbers[at.KINETIC] < numbers[at.SETTLE_ENERGY]
    head[at.CALM] = head[at.CALM] + 1 if calm else 0
    if head[at.CALM] * h > numbers[at.SETTLE_TIME]:
        slower = 1.0 - min(1.0, h * numbers[at.SETTLE_RATE])
        m.vectors[at.U] *= slower
        numbers[at.ENERGY] -= (1.0 - slower**2) * numbers[at.KINETIC]
    if not fastest <= numbers[at.QUIET_SPEED]:
        head[at.QUIET] = 0
        return
    poses = np.concatenate([m.body_rotations.reshape(-1, 9), m.body_places], axis=1)  # before the last substep
    if head[at.QUIET] == 0:
        m.still[:, :12] = poses
    moved = np.linalg.norm(poses[:, 9:] - m.still[:, 9:12], axis=1).max(initial=0.0)
    turned = np.abs(poses[:, :9] - m.still[:, :9]).max(initial=0.0)
    if moved > numbers[at.QUIET_LENGTH] or turned > numbers[at.QUIET_TURN]:
        head[at.QUIET] = 0
        return
    head[at.QUIET] += 1
    if head[at.QUIET] * h >= numbers[at.QUIET_TIME]:
        head[at.ASLEEP] = 1
        m.vectors[at.U] = 0.0
        m.vectors[at.BEFORE] = 0.0


def addresses() -> dict[int, int]:
    """Return what the compiled twin needs in the head of the integers: nothing here."""
    return {}


def measure(floats: Array, integers: NDArray[np.int64], flags: NDArray[np.int8]) -> None:
    """Write energy, momentum, centre of mass and poses and twists of the present state."""
    motion.measure(Memory(floats, integers, flags))


def strike(floats: Array, integers: NDArray[np.int64], flags: NDArray[np.int8], body: int, impulse: Array) -> None:
    """Change velocities as an impulse [angular; linear] about a body's origin does, world axes."""
    m = Memory(floats, integers, flags)
    motion.place(m)
    motion.place_bodies(m)
    node = int(m.body_node[body])
    if node < 0:
        return
    arm = m.body_places[body] - motion.reference(m, node)
    wrench = np.concatenate([impulse[:3] + np.cross(arm, impulse[3:]), impulse[3:]])
    M, moves = motion.mass_matrix(m), m.held == 0
    change = motion.jacobian(m, node).T @ wrench
    m.vectors[at.U, moves] += np.linalg.solve(M[np.ix_(moves, moves)], change[moves])
