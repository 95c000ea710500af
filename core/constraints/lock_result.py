"""What a solver of locks found, and the report on any pose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from core.arrays import Array
from core.constraints.hold.row_values import arguments, residual_of
from core.constraints.hold.rows import Rows
from core.constraints.lock import Lock
from core.constraints.places import Figures, Places
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import pack

HELD, HELD_TURN = 1e-5, math.radians(2e-3)
"""Wherever it is reported, a lock that is off by no more than this holds, [m] and [rad]."""


@dataclass(frozen=True, eq=False)
class LockResult:
    """What a solver of locks found.

    Attributes:
        q: Pose inside all limits, shape (nq,); a new array.
        residuals: Largest part of each lock's residual, [m] or [rad], shape (n,); 0 for a lock of weight 0.
        held: Whether every lock of weight 1 is within the tolerance.
        iterations: Steps taken.
        position_residuals: [m], NaN for locks that hold no place, shape (n,).
        angle_residuals: [rad], NaN for locks that hold no orientation, shape (n,).
        errors: From where each part is to where it should be, world: way [m] and rotation vector [rad], shape (n, 6).
        blocked: Degrees of freedom, ``q`` index minus 3, at a limit while a lock is not held.
        goal_error: Largest position error [m] or angle [rad] of the goals, 0 without goals.
        locks: The locks as they were held, bound.
    """

    q: Array
    residuals: Array
    held: bool
    iterations: int = 0
    position_residuals: Array = field(default_factory=lambda: np.zeros(0))
    angle_residuals: Array = field(default_factory=lambda: np.zeros(0))
    errors: Array = field(default_factory=lambda: np.zeros((0, 6)))
    blocked: tuple[int, ...] = ()
    goal_error: float = 0.0
    locks: tuple[Lock, ...] = ()


def report(
    s: Skeleton,
    pose: Array,
    used: int,
    bound: tuple[Lock, ...],
    locks: Sequence[Rows],
    goals: Sequence[Rows],
    none: Array,
    tolerance: float,
    figures: Figures,
) -> LockResult:
    """Return what is left of locks in a pose.

    Args:
        s: The figure.
        pose: The pose, shape (nq,).
        used: Steps it took.
        bound: The locks.
        locks: Their rows.
        goals: Rows of the goals.
        none: NaN where a lock has no place (0) or orientation (1) to hold, else 0, shape (2, n).
        tolerance: [m].
        figures: Other figures.
    """
    places, number = Places(s, pose, figures), len(bound)
    errors, parts = np.zeros((number, 6)), np.zeros((2, number))
    held, size = True, pack(s).size or 1.0
    for rows in locks:
        part, error, length = _missing(rows, places)
        errors[rows.lock, 3 * part : 3 * part + 3] += error
        parts[part, rows.lock] = math.hypot(parts[part, rows.lock], length)
        held &= rows.weight < 1.0 or length * (size if part else 1.0) <= tolerance
    goal_error = max((_missing(rows, places)[2] for rows in goals), default=0.0)
    pressed = np.flatnonzero((pose[3:] <= s.limits[:, 0]) | (pose[3:] >= s.limits[:, 1]))
    blocked = () if held else tuple(int(k) for k in pressed)
    position, angle = parts + none
    return LockResult(
        pose, parts.max(axis=0, initial=0.0), bool(held), used, position, angle, errors, blocked, goal_error, bound
    )


def _missing(rows: Rows, places: Places) -> tuple[int, Array, float]:
    """Return whether rows are angles (1) or lengths (0), the way in the world that is missing, and its length."""
    residual, h = residual_of(rows), arguments(rows, places)
    C = residual.value(*h)
    length = float(np.linalg.norm(np.maximum(C, 0.0) if rows.inequality else C))
    return int(residual.angular), residual.missing(*h), length
