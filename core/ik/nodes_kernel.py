"""Frames, errors, Jacobian and limits of an inverse-kinematics problem."""

from __future__ import annotations

import math

from core.ik.packed import Aims, Nodes, Work, unpack
from core.kernels import F1, F3, I1, PAIR, THREE, kernel
from core.kinematics.cones import NO_CONE
from core.kinematics.joints_kernel import move_nodes, point_speed, turn_speed
from core.kinematics.nodes_kernel import clamp_values, in_frame, place, rotation_vector
from core.skeleton.tree import KIND_BEFORE, KIND_HINGE

STILL = 1e-9
"""Motion of an effector, [W per rad or W], that is nothing but rounding: a joint that turns about the effector."""


@kernel(inline=True, python=True)
def frames(nodes: Nodes, aims: Aims, x: F1, work: Work) -> None:
    """Write the nodes' world frames into ``work.X`` and ``work.R`` and the end-effectors into ``work.P``, ``work.O``.

    Args:
        nodes: Degrees of freedom.
        aims: Goals.
        x: Values of the nodes, shape (K,).
        work: Scratch memory.
    """
    base, X, R, P, O = aims.base, work.X, work.R, work.P, work.O  # noqa: E741 - the thesis' name
    c, s = work.spin[0], work.spin[1]
    if len(nodes.records) > 0:
        move_nodes(nodes.kind, nodes.record, nodes.records, nodes.fixed, nodes.turn, x, work.F, work.T, work.S)
    place(nodes.parent, nodes.kind, work.F, work.T, nodes.affine[0] != 0, base, x, c, s, X, R)
    for g in range(len(aims.node)):
        k = aims.node[g]
        x0, x1, x2 = aims.point[g, 0], aims.point[g, 1], aims.point[g, 2]
        for i in range(3):
            if k < 0:
                P[g, i] = base[0, i, 0] * x0 + base[0, i, 1] * x1 + base[0, i, 2] * x2 + base[0, i, 3]
                a0, a1, a2 = base[1, i, 0], base[1, i, 1], base[1, i, 2]
            else:
                P[g, i] = X[k, i, 0] * x0 + X[k, i, 1] * x1 + X[k, i, 2] * x2 + X[k, i, 3]
                a0, a1, a2 = R[k, i, 0], R[k, i, 1], R[k, i, 2]
            for m in range(3):
                O[g, i, m] = a0 * aims.twist[g, 0, m] + a1 * aims.twist[g, 1, m] + a2 * aims.twist[g, 2, m]


@kernel(inline=True)
def dot_rows(a: F3, b: F3, g: int, i: int, j: int) -> float:
    """Return row i of matrix g of ``a`` times row j of matrix g of ``b``."""
    return a[g, i, 0] * b[g, j, 0] + a[g, i, 1] * b[g, j, 1] + a[g, i, 2] * b[g, j, 2]


@kernel
def rotation_error(wanted: F3, current: F3, g: int) -> THREE:
    """Return ``log(wanted[g] current[g]^T)``."""
    return rotation_vector(
        dot_rows(wanted, current, g, 0, 0), dot_rows(wanted, current, g, 0, 1), dot_rows(wanted, current, g, 0, 2),
        dot_rows(wanted, current, g, 1, 0), dot_rows(wanted, current, g, 1, 1), dot_rows(wanted, current, g, 1, 2),
        dot_rows(wanted, current, g, 2, 0), dot_rows(wanted, current, g, 2, 1), dot_rows(wanted, current, g, 2, 2),
    )  # fmt: skip


@kernel(inline=True, python=True)
def errors(aims: Aims, work: Work) -> PAIR:
    """Write the goals' errors into ``work.E``, and what is returned into ``work.score``.

    Returns:
        The merit ``sum w (|dp|^2 + (L angle)^2)`` and the largest single ``|dp|`` or ``L angle``.
    """
    merit = worst = 0.0
    E = work.E
    for g in range(len(aims.node)):
        at_position, at_rotation, reach = aims.weight[g, 0], aims.weight[g, 1], aims.weight[g, 2]
        for i in range(6):
            E[6 * g + i] = 0.0
        if at_position > 0.0:
            total = 0.0
            for i in range(3):
                e = aims.target[g, i] - work.P[g, i]
                E[6 * g + i] = e
                total += e * e
            merit += at_position * total
            worst = max(worst, math.sqrt(total))
        if at_rotation > 0.0:
            a, b, c = rotation_error(aims.wanted, work.O, g)
            a, b, c = a * reach, b * reach, c * reach
            E[6 * g + 3], E[6 * g + 4], E[6 * g + 5] = a, b, c
            total = a * a + b * b + c * c
            merit += at_rotation * total
            worst = max(worst, math.sqrt(total))
    work.score[0], work.score[1] = merit, worst
    return merit, worst


@kernel(inline=True)
def record_start(work: Work, merit: float) -> None:
    """Note the merit a solver starts with, unless an attempt before it has noted one."""
    if work.used[0] == 0:
        work.trace[0] = merit
        work.used[0] = 1


@kernel(inline=True)
def record(work: Work, merit: float) -> None:
    """Note the merit after an iteration; each solver does so once an iteration."""
    if work.used[0] < len(work.trace):
        work.trace[work.used[0]] = merit
    work.used[0] += 1


@kernel(internal=True)
def coordinate_column(aims: Aims, work: Work, g: int, k: int) -> None:
    """Write the column of a coordinate of a joint for goal g."""
    J, row = work.J, 6 * g
    if aims.weight[g, 0] > 0.0:
        a, b, c = in_frame(work.X, k, work.P[g, 0], work.P[g, 1], work.P[g, 2])
        J[row, k], J[row + 1, k], J[row + 2, k] = point_speed(work.X, work.S, k, a, b, c)
    if aims.weight[g, 1] > 0.0:
        reach = aims.weight[g, 2]
        a, b, c = turn_speed(work.R, work.S, k)
        J[row + 3, k], J[row + 4, k], J[row + 5, k] = reach * a, reach * b, reach * c


@kernel(inline=True, python=True)
def columns(nodes: Nodes, aims: Aims, work: Work) -> None:
    """Write the Jacobian of the end-effectors into ``work.J``; angular rows times L, rows of free parts zero.

    Source: Welman (1993) eqs. 4.7, 4.8 in the local frames of section 4.1.3.
    """
    affine = nodes.affine[0] != 0
    J, X, R, P = work.J, work.X, work.R, work.P
    kind, distal = nodes.kind, aims.distal
    for g in range(len(aims.node)):
        at_position, at_rotation, reach = aims.weight[g, 0], aims.weight[g, 1], aims.weight[g, 2]
        row = 6 * g
        for k in range(len(kind)):
            for i in range(6):
                J[row + i, k] = 0.0
            if distal[g, k] == 0:
                continue
            if kind[k] == KIND_HINGE:
                if at_position > 0.0:
                    if affine:
                        a, b, _ = in_frame(X, k, P[g, 0], P[g, 1], P[g, 2])
                        for i in range(3):
                            J[row + i, k] = a * X[k, i, 1] - b * X[k, i, 0]
                    else:
                        a, b, c = P[g, 0] - X[k, 0, 3], P[g, 1] - X[k, 1, 3], P[g, 2] - X[k, 2, 3]
                        x, y, z = X[k, 0, 2], X[k, 1, 2], X[k, 2, 2]
                        J[row, k] = y * c - z * b
                        J[row + 1, k] = z * a - x * c
                        J[row + 2, k] = x * b - y * a
                if at_rotation > 0.0:
                    for i in range(3):
                        J[row + 3 + i, k] = reach * R[k, i, 2]
            elif kind[k] >= KIND_BEFORE:
                coordinate_column(aims, work, g, k)
            elif at_position > 0.0:
                for i in range(3):
                    J[row + i, k] = X[k, i, 2]


@kernel
def evaluate(ints: I1, floats: F1, lower: F1, upper: F1, weight: F1, gain: F1, x: F1, trace: F1) -> PAIR:
    """Work out ``frames`` and ``errors`` of a packed problem; return merit and largest error."""
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, trace)
    frames(nodes, aims, x, work)
    return errors(aims, work)


@kernel(inline=True)
def bounds(nodes: Nodes, k: int, x: F1) -> PAIR:
    """Return the limits of node ``k`` while the others stay: its own, and the joint's cone around them."""
    lower, upper = nodes.lower[k], nodes.upper[k]
    if nodes.cone[k] != NO_CONE:
        # The cosine by way of the tangent: compilers work out cosines ahead of the question whether there is a cone.
        t = math.tan(0.5 * x[nodes.partner[k]])
        c = (1.0 - t * t) / (1.0 + t * t)
        if c > 0.0 and nodes.cone[k] < c:
            most = math.acos(max(nodes.cone[k] / c, -1.0))
            lower, upper = max(lower, -most), min(upper, most)
        elif c > 0.0:
            lower, upper = max(lower, 0.0), min(upper, 0.0)
    return lower, upper


@kernel
def clamp(nodes: Nodes, x: F1) -> None:
    """Move ``x`` inside all limits, in place; a joint with a cone is turned back along its own arc."""
    clamp_values(nodes.lower, nodes.upper, nodes.partner, nodes.cone, x)


@kernel(inline=True)
def try_step(nodes: Nodes, aims: Aims, x: F1, work: Work, dq: F1, trial: F1, merit: float) -> PAIR:
    """Take a step inside the limits if it lowers the merit; frames and errors are those of ``x`` afterwards.

    Args:
        nodes: Degrees of freedom.
        aims: Goals.
        x: Values of the nodes, shape (K,), changed in place.
        work: Scratch memory.
        dq: The step, shape (K,).
        trial: Scratch memory, shape (K,).
        merit: That of ``x``.

    Returns:
        Merit and largest error where the step leads, taken or not.
    """
    for k in range(len(x)):
        trial[k] = x[k] + dq[k]
    clamp(nodes, trial)
    frames(nodes, aims, trial, work)
    new_merit, new_worst = errors(aims, work)
    record(work, min(merit, new_merit))
    if new_merit < merit:
        for k in range(len(x)):
            x[k] = trial[k]
    else:
        frames(nodes, aims, x, work)
        errors(aims, work)
    return new_merit, new_worst


@kernel
def slope(nodes: Nodes, aims: Aims, x: F1, work: Work) -> float:
    """Return how steeply the merit still falls, 0 where no free node helps; after ``frames`` and ``errors``.

    It is ``max_k |J_k . E| / (|J_k| |E|)`` over the nodes that may move and are not pressed against a limit.
    """
    columns(nodes, aims, work)
    J, E = work.J, work.E
    length = 0.0
    for i in range(len(E)):
        length += E[i] * E[i]
    length = math.sqrt(length)
    steepest = 0.0
    for k in range(len(x)):
        pull = column = 0.0
        for g in range(len(aims.node)):
            for i in range(6):
                j = J[6 * g + i, k]
                pull += j * E[6 * g + i] * aims.weight[g, i // 3]
                column += j * j
        column = math.sqrt(column)
        lower, upper = bounds(nodes, k, x)
        pressed = (pull > 0.0 and x[k] >= upper) or (pull < 0.0 and x[k] <= lower)
        if nodes.weight[k] > 0.0 and not pressed and column > STILL and length > 0.0:
            steepest = max(steepest, abs(pull) / (column * length))
    return steepest


@kernel
def stretch(ints: I1, floats: F1, lower: F1, upper: F1, weight: F1, gain: F1, x: F1, trace: F1) -> THREE:
    """Return how far the first goal's chain spans, how far it would if straight, and how far off its target is, [W].

    All from the origin of the first joint that moves the goal; zeros if none does. Works out ``frames``.
    """
    nodes, aims, work = unpack(ints, floats, lower, upper, weight, gain, trace)
    frames(nodes, aims, x, work)
    X, P, target = work.X, work.P, aims.target
    first = -1
    links = a = b = c = 0.0
    for k in range(len(x)):
        if aims.distal[0, k] != 0:
            if first < 0:
                first = k
            else:
                links += math.sqrt((X[k, 0, 3] - a) ** 2 + (X[k, 1, 3] - b) ** 2 + (X[k, 2, 3] - c) ** 2)
            a, b, c = X[k, 0, 3], X[k, 1, 3], X[k, 2, 3]
    if first < 0:
        return 0.0, 0.0, 0.0
    links += math.sqrt((P[0, 0] - a) ** 2 + (P[0, 1] - b) ** 2 + (P[0, 2] - c) ** 2)
    a, b, c = X[first, 0, 3], X[first, 1, 3], X[first, 2, 3]
    span = math.sqrt((P[0, 0] - a) ** 2 + (P[0, 1] - b) ** 2 + (P[0, 2] - c) ** 2)
    wanted = math.sqrt((target[0, 0] - a) ** 2 + (target[0, 1] - b) ** 2 + (target[0, 2] - c) ** 2)
    return span, links, wanted
