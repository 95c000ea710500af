"""The keys of a lock's target: one put at another frame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.animation.key import MAX_FRAME

if TYPE_CHECKING:
    from core.animation.locks.strip import LockStrip


def with_target_at(strip: LockStrip, number: int, frame: int) -> LockStrip:
    """Return a strip with a key of its target at another frame, between its neighbours."""
    keys = list(strip.targets)
    low = keys[number - 1].frame + 1 if number else 0
    high = keys[number + 1].frame - 1 if number + 1 < len(keys) else MAX_FRAME
    keys[number] = replace(keys[number], frame=min(max(frame, low), high))
    return replace(strip, targets=tuple(keys))
