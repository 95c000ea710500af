"""The second term of the pseudoinverse: what the goals leave free makes a criterion smaller."""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.errors import GoalError
from core.ik import nodes_kernel, pseudoinverse, pseudoinverse_kernel
from core.ik.bending import narrowed
from core.ik.criteria.criterion import Criterion, Posture
from core.ik.goal import Goal
from core.ik.nodes_kernel import record
from core.ik.problem import Problem, packed_arguments, pose_of
from core.kernels import serving
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Ints

FIRST_MOVE, LARGEST_MOVE = 0.1, 0.5
"""Largest change of a node in the first step, and in any, [rad] or [W]."""
LEAST_MOVE = 1e-6
SHORTER = 0.25
CORRECTIONS = 6
"""Most pseudoinverse steps that bring the goals back after a step beside them."""
ENOUGH = 1e-4
"""Part of the fall that the slope promises which a step must keep."""
STALL_STEPS, STALL = 3, 1e-4
"""So many steps that gain less than that part of what was gained so far are the end."""
UNMET_ITERATIONS = 60
"""Most iterations where the goals cannot be met: a chain stretched to its limit has little freedom left."""
EXTRA_ITERATIONS = 400
"""Iterations that ``max_iterations=None`` stands for beside the solver's own."""


def descend(
    problem: Problem,
    skeleton: Skeleton,
    pose: Array,
    goals: tuple[Goal, ...],
    criterion: Criterion,
    tolerance: float,
    most: int,
) -> int:
    """Lower a criterion along ``-(I - J^+ J) grad H`` until it no longer falls, goals kept.

    Each step is followed by pseudoinverse steps that take back what it moved the goals at second order. It counts only
    if the criterion falls and the goals' error is within the tolerance, or no larger than it was; else it is
    shortened. Lengths of steps follow Barzilai and Borwein. Hinges that bend one way stay on their side.

    Args:
        problem: As a solver left it; ``x`` is changed in place, ``work`` holds its frames and errors at the end.
        skeleton: The figure.
        pose: The pose the problem was built from, shape (nq,).
        goals: The goals.
        criterion: What to lower.
        tolerance: [W].
        most: Most iterations, corrections included.

    Returns:
        Number of iterations.

    Source: Welman (1993) eq. 3.8, with the sign that makes H fall.
    """
    nodes = problem.nodes
    free = np.flatnonzero(nodes.weight > 0.0)
    if not len(free) or most <= 0:
        return 0
    lower, upper = narrowed(problem.structure.bends, problem.x, nodes.lower, nodes.upper)
    held = problem._replace(nodes=nodes._replace(lower=lower, upper=upper))
    search = _Search(held, skeleton, pose, goals, criterion, free, tolerance)
    if problem.work.score[1] > tolerance:
        most = min(most, UNMET_ITERATIONS)
    iterations = slow = 0
    gained, length, before = 0.0, math.inf, None
    while iterations < most and slow < STALL_STEPS:
        direction = search.direction()
        slope, fastest = float(search.gradient @ direction), float(np.abs(direction).max(initial=0.0))
        if not slope < 0.0 or fastest == 0.0:
            break
        if before is not None:
            moved, turned = search.x - before[0], before[1] - direction
            curve = float(moved @ turned)
            length = float(moved @ moved) / curve if curve > 0.0 else 2.0 * length
        else:
            length = FIRST_MOVE / fastest
        length = min(length, LARGEST_MOVE / fastest)
        start, value = search.x, search.value
        while True:
            iterations += search.move(start + length * direction, most - iterations)
            if search.allowed() and search.evaluate() <= value + ENOUGH * length * slope:
                break
            search.put_back(start)
            length *= SHORTER
            if length * fastest < LEAST_MOVE or iterations >= most:
                return iterations
        search.accept()
        before = (start, direction)
        fall = value - search.value
        gained += fall
        slow = slow + 1 if fall <= STALL * gained else 0
    return iterations


class _Search:
    """Where the descent stands, and the pose it tries."""

    def __init__(
        self,
        problem: Problem,
        skeleton: Skeleton,
        pose: Array,
        goals: tuple[Goal, ...],
        criterion: Criterion,
        free: Ints,
        tolerance: float,
    ):
        self.problem, self.pose, self.criterion, self.free = problem, pose, criterion, free
        self.tolerance = tolerance
        self.merit = float(problem.work.score[0])
        self.rows, self.packed = pseudoinverse.scratch(problem), packed_arguments(problem)
        structure = problem.structure
        self.posture = Posture(skeleton, pose, structure.q_index[free], goals, structure.top, problem.size)
        self.evaluate()
        self.accept()

    def evaluate(self) -> float:
        """Return the criterion's value at the pose that is tried; its gradient is kept for ``accept``."""
        posture = self.posture.at(pose_of(self.problem, self.pose))
        value, slope = self.criterion.evaluate(posture)
        slope = np.asarray(slope, dtype=np.float64)
        if slope.shape != self.free.shape or not math.isfinite(value) or not np.isfinite(slope).all():
            raise GoalError(
                f"criterion {type(self.criterion).__name__} gives {value!r} and a gradient of shape {slope.shape}; "
                f"they must be finite, and the shape {self.free.shape}"
            )
        gradient = np.zeros(len(self.problem.x))
        gradient[self.free] = slope * self.problem.structure.unit[self.free]
        self._tried = float(value), gradient
        return float(value)

    def accept(self) -> None:
        """Go on from the pose that was tried."""
        self.x = self.problem.x.copy()
        self.value, self.gradient = self._tried

    def direction(self) -> Array:
        """Return the step of eq. 3.8's second term, shape (K,); new."""
        out = np.empty(len(self.x))
        kernels = serving(pseudoinverse_kernel)
        kernels.run_null_step(*self.packed, self.rows, self.gradient, out)
        return out

    def move(self, x: Array, room: int) -> int:
        """Try other values, and bring the goals back; return the iterations."""
        self.problem.x[:] = x
        serving(nodes_kernel).clamp(self.problem.nodes, self.problem.x)
        record(self.problem.work, self.merit)
        kernels = serving(pseudoinverse_kernel)
        return 1 + int(kernels.run(*self.packed, self.rows, self.tolerance, min(CORRECTIONS, room - 1)))

    def allowed(self) -> bool:
        """Return whether the goals are met, or at least as near as they were."""
        merit, worst = self.problem.work.score.tolist()
        return bool(worst <= self.tolerance or merit <= self.merit)

    def put_back(self, x: Array) -> None:
        """Take the pose back that was tried."""
        self.problem.x[:] = x
        serving(nodes_kernel).evaluate(*self.packed)
