"""What came of a reduction of keys, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.animation.reduction.reduce import Reduction


def brief(found: Reduction) -> str:
    """Return how many keys are left, in a line that fits a small window."""
    became = f"{found.before:,} keys of joints became {found.after:,}"
    if found.whole_poses:
        became = f"{found.frames_before:,} poses became {found.frames_after:,}"
    return f"{became}; every part within {1000.0 * found.off:.1f} mm"


def summary(found: Reduction) -> str:
    """Return how many keys are left, how they are counted, and how far parts are off, in a sentence."""
    every = 1.0 / found.share
    mean = f"one every {every:.0f} frames" if every >= 9.5 else f"one every {every:.1f} frames"
    off = f"{1000.0 * found.off:.1f} mm and {math.degrees(found.turned):.1f}°"
    frames = f"{found.frames_after:,} of {found.last - found.first + 1:,} frames"
    if found.whole_poses:
        return (
            f"{found.frames_after:,} poses instead of keys at {found.frames_before:,} frames, "
            f"{mean} ({100.0 * found.share:.1f} %); "
            f"every part within {off} at every frame"
        )
    return (
        f"{found.after:,} keys of joints instead of {found.before:,}, {mean} for each joint "
        f"({100.0 * found.share:.1f} %); {frames} have a key of some joint; every part within {off} at every frame"
    )
