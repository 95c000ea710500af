"""Frames, errors, Jacobian and limits of an inverse-kinematics problem, with numpy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.ik.packed import Aims, Nodes, Work, views
from core.kinematics.cones import NO_CONE
from core.kinematics.nodes_plain import clamp_values, place
from core.kinematics.splines_plain import move_nodes
from core.skeleton.skeleton import Array
from core.skeleton.tree import KIND_CURVE, KIND_HINGE, Ints
from core.spatial import so3

STILL = 1e-9
"""Motion of an effector, [W per rad or W], that is nothing but rounding: a joint that turns about the effector."""


Parts = tuple[Nodes, Aims, Work]


def unpack(
    ints: Ints, floats: Array, lower: Array, upper: Array, weight: Array, gain: Array, x: Array, trace: Array
) -> Parts:
    """Return nodes, goals and scratch memory of ``problem.packed_arguments``: what a kernel's ``run`` does first."""
    found = views(ints, floats)
    aims = Aims(*(found[name] for name in Aims._fields))
    found |= {"lower": lower, "upper": upper, "weight": weight, "gain": gain, "trace": trace}
    return Nodes(*(found[name] for name in Nodes._fields)), aims, Work(*(found[name] for name in Work._fields))


def evaluate(*packed: Any) -> tuple[float, float]:
    """Work out ``frames`` and ``errors`` of a packed problem; return merit and largest error."""
    nodes, aims, work = unpack(*packed)
    frames(nodes, aims, packed[6], work)
    return errors(aims, work)


def steepness(*packed: Any) -> float:
    """Return the ``slope`` of a packed problem."""
    nodes, aims, work = unpack(*packed)
    return slope(nodes, aims, packed[6], work)


def stretch(*packed: Any) -> tuple[float, float, float]:
    """Return how far the first goal's chain spans, how far it would if straight, and how far off its target is, [W].

    All from the origin of the first joint that moves the goal; zeros if none does. Works out ``frames``.
    """
    nodes, aims, work = unpack(*packed)
    frames(nodes, aims, packed[6], work)
    on_path = np.flatnonzero(aims.distal[0])
    if len(on_path) == 0:
        return 0.0, 0.0, 0.0
    points = np.vstack([work.X[on_path, :, 3], work.P[:1]])
    links = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return float(np.linalg.norm(work.P[0] - points[0])), links, float(np.linalg.norm(aims.target[0] - points[0]))


def frames(nodes: Nodes, aims: Aims, x: Array, work: Work) -> None:
    """Write the nodes' world frames into ``work.X`` and ``work.R`` and the end-effectors into ``work.P``, ``work.O``.

    Args:
        nodes: Degrees of freedom.
        aims: Goals.
        x: Values of the nodes, shape (K,).
        work: Scratch memory.
    """
    c, s = work.spin
    if len(nodes.splines):
        move_nodes(nodes.kind, nodes.spline, nodes.splines, nodes.fixed, nodes.turn, x, work.F, work.T, work.S)
    place(nodes.parent, nodes.kind, work.F, work.T, bool(nodes.affine[0]), aims.base, x, c, s, work.X, work.R)
    for g, k in enumerate(aims.node):
        frame, rotation = (aims.base[0], aims.base[1, :, :3]) if k < 0 else (work.X[k], work.R[k])
        work.P[g] = frame[:, :3] @ aims.point[g] + frame[:, 3]
        work.O[g] = rotation @ aims.twist[g]


def errors(aims: Aims, work: Work) -> tuple[float, float]:
    """Write the goals' errors into ``work.E``, and what is returned into ``work.score``.

    Returns:
        The merit ``sum w (|dp|^2 + (L angle)^2)`` and the largest single ``|dp|`` or ``L angle``.
    """
    merit = worst = 0.0
    for g in range(len(aims.node)):
        at_position, at_rotation, reach = aims.weight[g]
        work.E[6 * g : 6 * g + 6] = 0.0
        if at_position > 0.0:
            e = work.E[6 * g : 6 * g + 3] = aims.target[g] - work.P[g]
            merit += at_position * float(e @ e)
            worst = max(worst, math.sqrt(float(e @ e)))
        if at_rotation > 0.0:
            r = work.E[6 * g + 3 : 6 * g + 6] = reach * so3.log(aims.wanted[g] @ work.O[g].T)
            merit += at_rotation * float(r @ r)
            worst = max(worst, math.sqrt(float(r @ r)))
    work.score[:] = merit, worst
    return merit, worst


def record_start(work: Work, merit: float) -> None:
    """Note the merit a solver starts with, unless an attempt before it has noted one."""
    if work.used[0] == 0:
        record(work, merit)


def record(work: Work, merit: float) -> None:
    """Note the merit after an iteration; each solver does so once an iteration."""
    if work.used[0] < len(work.trace):
        work.trace[work.used[0]] = merit
    work.used[0] += 1


def columns(nodes: Nodes, aims: Aims, work: Work) -> None:
    """Write the Jacobian of the end-effectors into ``work.J``; angular rows times L, rows of free parts zero.

    Source: Welman (1993) eqs. 4.7, 4.8 in the local frames of section 4.1.3.
    """
    work.J[:] = 0.0
    for g in range(len(aims.node)):
        at_position, at_rotation, reach = aims.weight[g]
        for k in np.flatnonzero(aims.distal[g]):
            linear, origin = work.X[k, :, :3], work.X[k, :, 3]
            if nodes.kind[k] == KIND_HINGE:
                if at_position > 0.0:
                    arm = np.linalg.solve(linear, work.P[g] - origin)
                    work.J[6 * g : 6 * g + 3, k] = linear @ np.array([-arm[1], arm[0], 0.0])
                if at_rotation > 0.0:
                    work.J[6 * g + 3 : 6 * g + 6, k] = reach * work.R[k, :, 2]
            elif nodes.kind[k] >= KIND_CURVE:
                S = work.S[k]
                if at_position > 0.0:
                    arm = np.linalg.solve(linear, work.P[g] - origin)
                    work.J[6 * g : 6 * g + 3, k] = linear @ (S[3:] + np.cross(S[:3], arm))
                if at_rotation > 0.0:
                    work.J[6 * g + 3 : 6 * g + 6, k] = reach * (work.R[k] @ S[:3])
            elif at_position > 0.0:
                work.J[6 * g : 6 * g + 3, k] = linear[:, 2]


def bounds(nodes: Nodes, k: int, x: Array) -> tuple[float, float]:
    """Return the limits of node ``k`` while the others stay: its own, and the joint's cone around them."""
    lower, upper = float(nodes.lower[k]), float(nodes.upper[k])
    if nodes.cone[k] != NO_CONE:
        c = math.cos(x[nodes.partner[k]])
        if c > 0.0 and nodes.cone[k] < c:
            most = math.acos(max(nodes.cone[k] / c, -1.0))
            lower, upper = max(lower, -most), min(upper, most)
        elif c > 0.0:
            lower, upper = max(lower, 0.0), min(upper, 0.0)
    return lower, upper


def clamp(nodes: Nodes, x: Array) -> None:
    """Move ``x`` inside all limits, in place; a joint with a cone is turned back along its own arc."""
    clamp_values(nodes.lower, nodes.upper, nodes.partner, nodes.cone, x)


def slope(nodes: Nodes, aims: Aims, x: Array, work: Work) -> float:
    """Return how steeply the merit still falls, 0 where no free node helps; after ``frames`` and ``errors``.

    It is ``max_k |J_k . E| / (|J_k| |E|)`` over the nodes that may move and are not pressed against a limit.
    """
    columns(nodes, aims, work)
    weighted = work.E * np.repeat(aims.weight[:, :2], 3, axis=1).ravel()
    length = math.sqrt(float(work.E @ work.E))
    steepest = 0.0
    for k in range(len(x)):
        pull = float(work.J[:, k] @ weighted)
        lower, upper = bounds(nodes, k, x)
        pressed = (pull > 0.0 and x[k] >= upper) or (pull < 0.0 and x[k] <= lower)
        column = math.sqrt(float(work.J[:, k] @ work.J[:, k]))
        if nodes.weight[k] > 0.0 and not pressed and column > STILL and length > 0.0:
            steepest = max(steepest, abs(pull) / (column * length))
    return steepest
