"""How the locks of a document stand: what each is off by in a pose, and the word for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from core.animation.locks.strip import LockStrip
from core.arrays import Array
from core.constraints.lock import Lock
from core.constraints.lock_result import HELD, HELD_TURN
from core.constraints.places import Figures, Places
from core.errors import LockError
from core.skeleton.skeleton import Skeleton

__all__ = ["HELD", "HELD_TURN", "LockState", "hold_fully", "is_off", "measured", "word_for"]

NOTHING = (math.nan, math.nan)
"""How far off a lock is that holds nothing now."""

Active = tuple[LockStrip | None, Lock, float]
"""A strip, or None for a lock that holds at all times; its lock as it is now; the share of it that eases leave."""


@dataclass(frozen=True, eq=False)
class LockState:
    """How one lock stands at the current frame.

    Attributes:
        strip: Its strip; None for a lock that holds at all times.
        lock: The lock as it is at this frame, its target evaluated.
        position_residual: How far the part is from where it should be, [m]; NaN where the lock holds no place, or
            does not act now.
        angle_residual: By how much its orientation is off, [rad]; NaN where the lock holds none, or does not act now.
        word: ``"holds"``; ``"yields"``, if it is soft or easing and off; ``"conflict"``, if it should hold and does
            not; ``"let go"``, if a recording goes on without it here; ``"off"``, if it does not act at this frame.
        factor: The share of it that eases leave, 0 to 1.
    """

    strip: LockStrip | None
    lock: Lock
    position_residual: float
    angle_residual: float
    word: str
    factor: float


def is_off(lock: Lock, factor: float) -> bool:
    """Return whether a lock does not act: outside its frames, or without weight."""
    return factor <= 0.0 or max(lock.weights) <= 0.0


def measured(
    skeleton: Skeleton, pose: Array, locks: Sequence[Lock], figures: Figures
) -> dict[int, tuple[float, float]]:
    """Return how far off locks are in a pose, [m] and [rad] by the lock's ``id``; NaN for what a lock does not hold.

    Args:
        skeleton: The figure.
        pose: Shape (nq,).
        locks: The locks.
        figures: Other figures that they name. A lock that names one that is not there is left out.
    """
    found: dict[int, tuple[float, float]] = {}
    if not locks:
        return found
    places = Places(skeleton, pose, figures)
    for lock in locks:
        try:
            away, turned = lock.rule.deviation(lock, places, locks)
        except LockError:
            continue
        place = math.nan if away is None else math.sqrt(float(away @ away))
        found[id(lock)] = place, math.nan if turned is None else math.sqrt(float(turned @ turned))
    return found


def word_for(lock: Lock, factor: float, position: float, angle: float, kept: float = 1.0) -> str:
    """Return the word for a lock that is off by a length, [m], and an angle, [rad]; NaN where it has none.

    Args:
        lock: The lock.
        factor: The share of it that eases leave.
        position: How far it is off.
        angle: By how much it is turned off.
        kept: How far the motion keeps its locks here; less than 1 where a recording lets go of them.
    """
    if is_off(lock, factor):
        return "off"
    wp, wo = lock.weights
    far, turned = position > HELD, angle > HELD_TURN  # False for NaN
    if not far and not turned:
        return "holds"
    if kept < 1.0:
        return "let go"
    hard = (far and wp >= 1.0) or (turned and wo >= 1.0)
    return "conflict" if hard and factor >= 1.0 else "yields"


def hold_fully(active: Sequence[Active]) -> list[Lock]:
    """Return the locks that hold a pose while it is edited: those whose eases are over, or have not begun.

    A lock that is easing pulls the pose between keys only: at its full target it would tear the part there, and
    eased once more with every edit it would creep.
    """
    return [lock for _, lock, factor in active if factor >= 1.0 and not is_off(lock, factor)]
