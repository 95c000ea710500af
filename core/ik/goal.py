"""What inverse kinematics gives back; what it is asked for stands in ``core.kinematics.goal``."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.arrays import Array
from core.kinematics.goal import LARGEST, Goal, finite

__all__ = ["LARGEST", "Goal", "Result", "finite"]


@dataclass(frozen=True, eq=False)
class Result:
    """What a solver found.

    Attributes:
        q: Pose inside all limits, shape (nq,); a new array.
        error: ``sqrt(sum w_p |dp|^2 + w_o (L angle)^2)`` over the goals, L the reach of the goal's chain, [m].
        iterations: Sweeps or steps taken.
        converged: Whether each goal's position error and L-scaled angle are within the tolerance.
        errors: Least error so far, at the start and after each iteration, shape (iterations + 1,), [m]; never rises.
            With locks only at the start and the end.
        reason: Why it ended: "reached", "out_of_reach", "limits", "straight", "stalled", "iterations", or "locks" if
            only these keep the figure from the goal.
        blocked: Degrees of freedom, ``q`` index minus 3, that the goal presses against a limit.
        short: By how much the position goal lies beyond the reach of its chain, 0 if it does not, [m].
        residuals: Largest part of each lock's residual, [m] or [rad], shape (number of locks,).
        held: Whether every lock of weight 1 holds, to 1e-9 m.
    """

    q: Array
    error: float
    iterations: int
    converged: bool
    errors: Array = field(default_factory=lambda: np.zeros(0))
    reason: str = ""
    blocked: tuple[int, ...] = ()
    short: float = 0.0
    residuals: Array = field(default_factory=lambda: np.zeros(0))
    held: bool = True
