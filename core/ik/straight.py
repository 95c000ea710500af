"""A start with a straight chain bent as far as its goal asks for (Welman, figure 4.2).

Pulling in on the tip of a straight chain moves nothing: no joint can shorten it at first order. Where the chain is
straight and its goal lies on its line, or nearly so, and nearer than its tip, the joints between its ends are turned
alike, into an arc that is as short as the goal is far, and the joint at the base turns the arc toward the goal. From
there any solver goes on.
"""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.ik import nodes_kernel
from core.ik.ccd import run as sweep
from core.ik.nodes_kernel import record_start
from core.ik.problem import Problem, packed_arguments
from core.kernels import serving
from core.skeleton.tree import KIND_HINGE, Ints

_STRAIGHT = math.cos(math.radians(3.0))
"""Part of its length that a chain spans from where it counts as straight."""
_AHEAD = math.cos(math.radians(5.0))
"""Cosine of the angle off the chain's line up to which a goal pulls along it; others turn the chain and so bend it."""
_SLACK = 1e-9
"""Part of the reach that is nothing: points nearer to each other are one."""
_TRIED = 1e-3
"""Turn by which the two senses of an arc are compared, [rad]."""
_HALVINGS = 52


def bend_straight_chain(problem: Problem, tolerance: float, most: int) -> int:
    """Bend a straight chain whose goal pulls inward; leave any other as it is.

    The bend grows with what the chain must get shorter and vanishes with it. It goes to the side where the chain is
    bent already, else to the one with more room in the limits. What does not lower the error is taken back.

    Args:
        problem: Its ``x`` is changed in place, inside the limits; only problems with one position goal are.
        tolerance: Shortening that does not count, [W].
        most: Most sweeps, at least 1; two are enough to aim.

    Returns:
        Sweeps made to aim the arc, 0 if nothing was bent. The problem's ``work`` is that of ``x``.
    """
    aims, nodes, work, x = problem.aims, problem.nodes, problem.work, problem.x
    if len(aims.node) != 1:
        return 0
    kernels = serving(nodes_kernel)
    arguments = packed_arguments(problem)
    now, stretched, wanted = kernels.stretch(*arguments)
    if wanted >= now - tolerance or now <= _STRAIGHT * stretched:
        return 0
    on_path = _hinges_to_goal(problem)
    if len(on_path) == 0:
        return 0
    evaluate = kernels.evaluate
    merit, _ = evaluate(*arguments)
    pivot = work.X[np.flatnonzero(aims.distal[0])[0], :, 3].copy()
    if abs(float((work.P[0] - pivot) @ (aims.target[0] - pivot))) < _AHEAD * now * wanted:
        return 0
    record_start(work, merit)
    before = x.copy()
    arc = _arc(problem, on_path, pivot, now)
    if arc is None:
        return 0

    def span(turn: float) -> float:
        x[:] = before + turn * arc
        kernels.clamp(nodes, x)
        evaluate(*arguments)
        return _length(work.P[0] - pivot)

    arc *= _sense(arc, span(_TRIED), span(-_TRIED), before, nodes.lower, nodes.upper, now)
    least, enough = 0.0, math.pi
    for _ in range(_HALVINGS):
        middle = 0.5 * (least + enough)
        if span(middle) > wanted:
            least = middle
        else:
            enough = middle
    span(enough)
    aiming = np.where(np.linalg.norm(work.X[:, :, 3] - pivot, axis=1) <= _SLACK, nodes.weight, 0.0)
    sweeps = sweep(problem._replace(nodes=nodes._replace(weight=aiming)), tolerance, min(2, most))
    if not work.score[0] < merit:
        x[:] = before
        evaluate(*arguments)
    return sweeps


def _hinges_to_goal(problem: Problem) -> Ints:
    """Return the nodes that can move the goal, if hinges alone do and it is a position alone; else none."""
    aims, nodes = problem.aims, problem.nodes
    free = np.flatnonzero((aims.distal[0] != 0) & (nodes.weight > 0.0) & (nodes.lower < nodes.upper))
    position_alone = aims.weight[0, 0] > 0.0 and aims.weight[0, 1] == 0.0
    return free if position_alone and (nodes.kind[free] == KIND_HINGE).all() else free[:0]


def _arc(problem: Problem, on_path: Ints, pivot: Array, now: float) -> Array | None:
    """Return by how much each node turns when the chain is bent by 1 rad a joint, shape (K,); None if none can.

    The joint that gives way most turns by 1, stiffer ones by as much less as their gain is. All turn about one
    direction square to the chain: that in which it is bent already, else that of the joint in the middle that can turn
    squarest to the chain. Of the nodes of a joint the one that lies nearest to it turns.
    """
    work = problem.work
    origins, axes = work.X[on_path, :, 3], work.R[on_path, :, 2]
    along = (work.P[0] - pivot) / now
    inner = np.minimum(np.linalg.norm(origins - pivot, axis=1), np.linalg.norm(origins - work.P[0], axis=1)) > max(
        _SLACK, 1e-6 * now
    )
    square = axes - np.outer(axes @ along, along)
    if not inner.any():
        return None
    aside = origins - pivot - np.outer((origins - pivot) @ along, along)
    farthest = int(np.argmax(np.linalg.norm(aside, axis=1)))
    normal = np.cross(along, aside[farthest])
    if _length(normal) <= 1e-6 * now or np.abs(square[inner] @ normal).max() <= 0.5 * _length(normal):
        squareness = np.where(inner, np.linalg.norm(square, axis=1), 0.0)
        first = int(np.argmax(squareness > squareness.max() - 1e-9))
        normal = square[first]
    if _length(normal) <= 1e-6 * min(1.0, now):
        return None
    normal = normal / _length(normal)
    arc = np.zeros(len(problem.x))
    cosines = np.where(inner, axes @ normal, 0.0)
    start = 0
    while start < len(on_path):
        end = start + 1
        while end < len(on_path) and _length(origins[end] - origins[start]) <= _SLACK:
            end += 1
        best = start + int(np.argmax(np.abs(cosines[start:end])))
        if abs(cosines[best]) > 0.5:
            arc[on_path[best]] = math.copysign(problem.nodes.gain[on_path[best]], cosines[best])
        start = end
    return arc / np.abs(arc).max() if arc.any() else None


def _sense(arc: Array, ahead: float, back: float, x: Array, lower: Array, upper: Array, now: float) -> float:
    """Return 1 or -1: the sense in which the arc gets shorter, else in which the limits leave more room."""
    if abs(ahead - back) > 1e-3 * _TRIED * _TRIED * now:
        return 1.0 if ahead < back else -1.0
    turns = arc != 0.0
    room_up = np.where(arc > 0.0, upper - x, x - lower)[turns]
    room_down = np.where(arc > 0.0, x - lower, upper - x)[turns]
    return 1.0 if np.minimum(room_up, math.pi).sum() >= np.minimum(room_down, math.pi).sum() else -1.0


def _length(v: Array) -> float:
    return math.sqrt(float(v @ v))
