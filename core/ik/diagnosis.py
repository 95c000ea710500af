"""Why a goal was not met: beyond reach, held up by limits, a straight limb, or a solver that gave up."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.ik import nodes_kernel
from core.ik.nodes_kernel import bounds
from core.ik.problem import Problem
from core.kernels import serving
from core.kinematics.cones import NO_CONE
from core.skeleton.tree import KIND_BEFORE, KIND_HINGE, KIND_SLIDE, Ints

REACHED, OUT_OF_REACH, LIMITS, STRAIGHT, STALLED, ITERATIONS = (
    "reached", "out_of_reach", "limits", "straight", "stalled", "iterations",
)  # fmt: skip

FLAT = 2e-2
"""Cosine between the error and the way a joint moves the effector, under which the joint does not help."""
_STILL = 1e-9
"""Motion of a point [W per rad] that counts as none."""
_TOUCHING = 1e-6
"""How near to a limit, [rad] or [W], counts as on it."""
_STRETCHED = 1e-2
"""Part of the reach within which a chain is as good as stretched to a goal beyond it."""
_LITTLE = 1e-3
"""Part of the whole error that a goal's own must be to be asked for."""


class Diagnosis(NamedTuple):
    """Why a solve ended.

    Attributes:
        reason: "reached", "out_of_reach", "limits", "straight", "stalled" or "iterations".
        blocked: Degrees of freedom, ``q`` index minus 3, that the goals press against a limit, the one that would help
            most first.
        short: By how much a position goal lies beyond the reach of its chain, or inside the hole a chain with one
            long segment leaves around its base, the largest of all goals, [m]; 0 within.
    """

    reason: str
    blocked: tuple[int, ...] = ()
    short: float = 0.0


MET = Diagnosis(REACHED)


def diagnose(problem: Problem, tolerance: float, exhausted: bool) -> Diagnosis:
    """Return why the values in ``problem.x`` do not meet the goals.

    A goal counts as out of reach by the lengths of the segments alone: that limits keep the chain from stretching so
    far is reported as limits; that a solver had too few iterations to stretch it is reported as iterations. A degree of
    freedom is blocked if it rests on a limit, or its joint on its cone, and going on would lower the error. Limits
    are the reason if nothing that is not blocked helps at first order. A chain is straight if nothing can move any
    goal's point or frame toward where it should be, at first order and each goal by itself; where goals that pull
    different ways hold each other, the solver has stalled.

    Args:
        problem: Its ``work`` holds the frames and errors of ``x``.
        tolerance: What counts as met, [W].
        exhausted: Whether the solver used up its iterations.
    """
    if problem.work.score[1] <= tolerance:
        return MET
    short = problem.size * max((shortfall(problem, g) for g in range(len(problem.aims.node))), default=0.0)
    free, apart, blocked = _slopes(problem)
    if short > problem.size * tolerance and not (exhausted and free > FLAT and _is_approaching(problem)):
        reason = OUT_OF_REACH
    elif free <= FLAT and blocked:
        reason = LIMITS
    elif apart <= FLAT and (problem.nodes.kind >= KIND_BEFORE).any():
        # The nearest place on its way, and off it nothing is within reach.
        reason, short = OUT_OF_REACH, problem.size * _farthest(problem)
    elif apart <= FLAT:
        reason = STRAIGHT
    else:
        reason = ITERATIONS if exhausted else STALLED
    return Diagnosis(reason, blocked, short)


def _farthest(problem: Problem) -> float:
    """Return how far the point of a goal is from its place, of the goal that is farthest off, [W]."""
    aims, E = problem.aims, problem.work.E.reshape(-1, 6)
    return max((_length(e[:3]) for e, weight in zip(E, aims.weight, strict=True) if weight[0] > 0.0), default=0.0)


def _is_approaching(problem: Problem) -> bool:
    """Return whether any goal's point is still clearly further from its goal than reach alone keeps it."""
    aims, work = problem.aims, problem.work
    for g in range(len(aims.node)):
        if aims.weight[g, 0] > 0.0:
            _, _, outer = reach(problem, g)
            if _length(aims.target[g] - work.P[g]) - shortfall(problem, g) > _STRETCHED * outer:
                return True
    return False


def shortfall(problem: Problem, goal: int) -> float:
    """Return by how much a goal's position lies outside what its chain can span, 0 within or if it is free, [W]."""
    aims = problem.aims
    if aims.weight[goal, 0] <= 0.0:
        return 0.0
    center, inner, outer = reach(problem, goal)
    distance = float(np.linalg.norm(aims.target[goal] - center))
    return max(0.0, distance - outer, inner - distance)


def reach(problem: Problem, goal: int) -> tuple[Array, float, float]:
    """Return the ball that a goal's point cannot leave, and the hole in it that it cannot enter.

    The ball is about the first joint of the chain that moves the point; limits of hinges are ignored, slides end at
    theirs. What no joint of this solve moves counts as one segment.

    Args:
        problem: Its ``work`` holds the frames of ``x``.
        goal: Number of the goal.

    Returns:
        Center in the world, shape (3,), inner and outer radius, all [W]. The outer one is infinite if a slide has no
        limit or a part moves by coordinates of its own, and an upper bound if the figure has scales.
    """
    nodes, aims, work = problem.nodes, problem.aims, problem.work
    path = np.flatnonzero((aims.distal[goal] == 1) & (nodes.weight > 0.0))
    if len(path) == 0:
        return work.P[goal].copy(), 0.0, 0.0
    first = _pivot(problem, path)
    if (nodes.kind[path] >= KIND_BEFORE).any():
        return work.X[path[first], :, 3].copy(), 0.0, math.inf
    slides = nodes.kind[path] == KIND_SLIDE
    points = np.concatenate([work.X[path, :, 3], work.P[goal : goal + 1]])
    axes = np.where(slides[:, None], work.X[path, :, 2], 0.0)
    least, most = nodes.lower[path] - problem.x[path], nodes.upper[path] - problem.x[path]
    center = points[first].copy()
    if slides[first] and math.isfinite(least[first]) and math.isfinite(most[first]):
        center += axes[first] * (0.5 * (least[first] + most[first]))
    outer, widest = 0.0, 0.0
    before = center
    for i in range(first, len(points)):
        own = points[i] - before
        before = points[i]
        if i < len(path) and slides[i]:
            if not (math.isfinite(least[i]) and math.isfinite(most[i])):
                return center, 0.0, math.inf
            outer += max(_length(own + axes[i] * least[i]), _length(own + axes[i] * most[i]))
        else:
            outer += _length(own)
            widest = max(widest, _length(own))
    if nodes.affine[0]:
        return center, 0.0, _scaled_reach(problem, goal)
    return center, max(0.0, 2.0 * widest - outer), outer


def _pivot(problem: Problem, path: Ints) -> int:
    """Return the first of the nodes ``path`` that is the centre of what the chain spans.

    The first hinges leave the later ones where they are as long as those lie on their axes.
    """
    X, kind = problem.work.X, problem.nodes.kind
    for i in range(len(path)):
        if kind[path[i]] != KIND_HINGE or i + 1 == len(path) or kind[path[i + 1]] != KIND_HINGE:
            return i
        arms = X[path[i + 1], :, 3] - X[path[: i + 1], :, 3]
        if np.abs(np.cross(X[path[: i + 1], :, 2], arms)).max() > _STILL:
            return i
    return 0


def _scaled_reach(problem: Problem, goal: int) -> float:
    """Return an upper bound of the reach where scales make a segment's length depend on the pose, [W]."""
    nodes, aims = problem.nodes, problem.aims
    norms = np.linalg.norm(nodes.fixed[:, :, :3], 2, axis=(1, 2))
    start = float(np.linalg.norm(aims.base[0, :, :3], 2))
    total, stretch, begun = 0.0, start, False
    for k in np.flatnonzero(aims.distal[goal]):
        if begun:
            total += stretch * _length(nodes.fixed[k, :, 3])
        stretch *= float(norms[k])
        if nodes.kind[k] == KIND_SLIDE:
            total += stretch * max(abs(float(nodes.lower[k])), abs(float(nodes.upper[k])))
        begun = True
    return total + stretch * _length(aims.point[goal])


def _slopes(problem: Problem) -> tuple[float, float, tuple[int, ...]]:
    """Return how much the free nodes help, how much they help any one error by itself, and the blocked ones.

    The first two are the largest cosines between an error and the motion that goes with a node.
    """
    nodes, aims, x, work = problem.nodes, problem.aims, problem.x, problem.work
    serving(nodes_kernel).columns(nodes, aims, work)
    number = len(x)
    weight = np.repeat(np.sqrt(aims.weight[:, :2].ravel()), 3)
    J, E = work.J * weight[:, None], work.E * weight
    rows, parts = J.reshape(len(E) // 3, 3, number), E.reshape(-1, 3)
    columns = np.sqrt(np.sum(J * J, axis=0))
    moving = (nodes.weight > 0.0) & (columns > _STILL * float(weight.max()))
    if not moving.any():
        return 0.0, 0.0, ()
    pulls = np.einsum("rik,ri->rk", rows, parts)
    pull = pulls.sum(axis=0)
    lower, upper = nodes.lower.copy(), nodes.upper.copy()
    for k in np.flatnonzero(nodes.cone != NO_CONE):
        lower[k], upper[k] = bounds(nodes, int(k), x)
    pressed = ((pull > 0.0) & (x >= upper - _TOUCHING)) | ((pull < 0.0) & (x <= lower + _TOUCHING))
    help_ = np.where(moving, np.abs(pull) / (np.where(moving, columns, 1.0) * _length(E)), 0.0)
    apart = 0.0
    for own, part, steps in zip(pulls, parts, rows, strict=True):
        size, speeds = _length(part), np.sqrt(np.sum(steps * steps, axis=0))
        helps = moving & ~pressed & (speeds > _STILL * float(weight.max()))
        if size > _LITTLE * _length(E) and helps.any():
            apart = max(apart, float((np.abs(own[helps]) / speeds[helps]).max()) / size)
    blocked = [k for k in np.argsort(-help_, kind="stable") if pressed[k] and help_[k] > FLAT]
    dofs = tuple(int(problem.structure.q_index[k]) - 3 for k in blocked)
    return float(help_[~pressed].max(initial=0.0)), apart, dofs


def _length(v: Array) -> float:
    return math.sqrt(float(v @ v))
