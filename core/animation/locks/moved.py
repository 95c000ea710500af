"""Locks taken elsewhere in the world, with the keys of their targets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.animation.locks.strip import LockStrip
from core.arrays import Array
from core.constraints.lock import Lock


def moved_lock(lock: Lock, motion: Array) -> Lock:
    """Return a lock moved rigidly; one that is bound to another part, not to the world, stays.

    Args:
        lock: The lock.
        motion: Where the world's frame goes, shape (4, 4).
    """
    if lock.target is None or lock.second is not None:
        return lock
    return replace(lock, target=lock.rule.moved_target(lock.target, motion))


def moved_strip(strip: LockStrip, motion: Array) -> LockStrip:
    """Return a lock strip moved likewise, with the keys of its target."""

    def moved(target: Any) -> Any:
        return moved_lock(replace(strip.lock, target=target), motion).target

    targets = tuple(key.elsewhere(strip.lock.rule, moved) for key in strip.targets)
    return replace(strip, lock=moved_lock(strip.lock, motion), targets=targets)
