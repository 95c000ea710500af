"""Keeps a limb from shaking while its goal lies where it cannot go: no leaps between poses that are about as good."""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.ik import Goal, Result, solve
from core.ik.reach import Reach
from core.skeleton.skeleton import Skeleton

LEAP, LEAP_PER_TURN = math.radians(25.0), 4.0
"""Most that a joint may turn in one move, and that as a multiple of the goal's turn about the base of its chain."""
STEPS = 6
"""Most damped steps that are taken instead of a leap."""
FAIR_SHARE = 0.3
"""Share of what a leap gains that the steps must gain to be taken instead, whatever the leap gains."""
WORTH = 0.03
"""Share of the reach that a leap must come nearer than the steps to be taken all the same."""


def leaps(before: Array, after: Array, goal_before: Array | None, goal: Array, reach: Reach) -> bool:
    """Return whether a pose is far from the one before it although the goal hardly moved.

    Args:
        before: The pose shown now, shape (nq,).
        after: Another one, shape (nq,).
        goal_before: The goal of the last move, shape (3,), [m]; None at the first, when nothing is a leap.
        goal: The goal now, shape (3,), [m].
        reach: What the lengths of the chain allow.
    """
    if goal_before is None:
        return False
    away = max(float(np.linalg.norm(goal - reach.center)), 1e-9)
    turned = float(np.linalg.norm(goal - goal_before)) / away
    return float(np.abs(after[3:] - before[3:]).max(initial=0.0)) > max(LEAP, LEAP_PER_TURN * turned)


def steadied(skeleton: Skeleton, q: Array, goal: Goal, base: int, result: Result, reach: Reach) -> Result:
    """Return what to show instead of a leap that a solver made after a goal that it cannot reach.

    A few damped steps of least squares, none of which goes further from the goal, follow the goal without one. They
    are taken unless they get stuck where the leap comes much nearer: then the limb swings over, once.

    Args:
        skeleton: The figure.
        q: The pose shown now, shape (nq,).
        goal: The goal.
        base: First joint that moves.
        result: What the solver found.
        reach: What the lengths of the chain allow.
    """
    steps = _step(skeleton, q, goal, base)
    start = float(steps.errors[0])
    for _ in range(STEPS - 1):
        further = _step(skeleton, steps.q, goal, base)
        if not further.error < steps.error or float(np.abs(further.q[3:] - q[3:]).max()) > LEAP:
            break
        steps = further
    size = reach.outer if math.isfinite(reach.outer) else float(np.linalg.norm(goal.position - reach.center))
    if start - steps.error >= FAIR_SHARE * (start - result.error) or steps.error - result.error < WORTH * size:
        return steps
    return result


def _step(skeleton: Skeleton, q: Array, goal: Goal, base: int) -> Result:
    return solve(skeleton, q, goal, "damped_least_squares", base, max_iterations=1, nudge=False)
