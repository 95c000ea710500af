"""What a drag is after and how its last move was solved: what the views and the solver panel show while it lasts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.arrays import Array
from core.ik.goal import Result

if TYPE_CHECKING:
    from app.words.hindrance import Explanation


@dataclass(frozen=True, eq=False)
class DragGoal:
    """What a drag is after.

    Attributes:
        joint: Index of the part that is dragged.
        effector: Where the dragged point is, in the world, shape (3,), [m].
        goal: Where it is to go, in the world, shape (3,), [m].
        hindrance: What keeps it from there, or None while that is not asked.
    """

    joint: int
    effector: Array
    goal: Array
    hindrance: Explanation | None = None


@dataclass(frozen=True, eq=False)
class DragSolve:
    """How the last move of a drag was solved, as in ``core.ik.Result``.

    Attributes:
        iterations: How many steps were taken.
        errors: Distance to the goal before the first step and after each, shape (iterations + 1,), [m].
        seconds: Time of the solving thread, [s].
        error: Distance that is left, [m].
        reason: Why it ended.
        blocked: Degrees of freedom that limits have stopped.
        short: By how much the goal is out of reach, [m].
    """

    iterations: int
    errors: Array
    seconds: float
    error: float
    reason: str = "reached"
    blocked: tuple[int, ...] = ()
    short: float = 0.0

    @classmethod
    def of(cls, result: Result, seconds: float) -> DragSolve:
        """Return the account of a result that took a number of seconds."""
        return cls(
            result.iterations, result.errors, seconds, result.error, result.reason, tuple(result.blocked), result.short
        )
