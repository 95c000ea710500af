"""Which frames are shown as ghosts of the figure, and which keys as beads on a trail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.animation import Sequence

if TYPE_CHECKING:
    from app.document.session import Session

Frames = NDArray[np.int64]
BEFORE, AFTER = "ghost_before", "ghost_after"
_SECONDS = 0.25  # between the pose and its ghosts in a recorded motion


def _gap(sequence: Sequence, frames: Frames) -> float:
    """Return how many frames apart keys must be to be shown one by one: a quarter of a second in a recording."""
    recorded = len(frames) > 2 and float(np.median(np.diff(frames))) <= 1.0
    return max(1.0, _SECONDS * sequence.fps) if recorded else 1.0


def trail_keys(sequence: Sequence, keys: Frames | None = None) -> list[int]:
    """Return the frames of the keys to be marked on a trail: all, in a recording the first, the last and some.

    Args:
        sequence: The motion.
        keys: Only these of its keys, ascending; None for all.
    """
    frames = np.array(sorted(sequence.keys.frames) if keys is None else keys, dtype=np.int64)
    steps = np.floor((frames - frames[:1]) / _gap(sequence, frames))
    chosen = np.diff(steps, prepend=-1.0) > 0.0
    chosen[-1:] = True
    return [int(frame) for frame in frames[chosen]]


def neighbor_keys(sequence: Sequence, frame: float) -> list[tuple[int, str]]:
    """Return the nearest key before and the nearest after a frame, each with the colour token of its ghost.

    In a recording, with a key at every frame, they are further away: the pose a frame before lies inside the figure,
    and says nothing about the motion.
    """
    before, after = neighbors(sequence, frame, 1, 1)
    return [*((f, BEFORE) for f in before), *((f, AFTER) for f in after)]


def neighbors(sequence: Sequence, frame: float, before: int, after: int) -> tuple[list[int], list[int]]:
    """Return so many keys before a frame and after it, the nearest first; see ``neighbor_keys``."""
    frames = sequence.keys.table.frames
    gap = _gap(sequence, frames)
    found: tuple[list[int], list[int]] = [], []
    at = frame
    while len(found[0]) < before:
        k = int(np.searchsorted(frames, at - gap, side="right")) - 1
        if k < 0:
            break
        at = int(frames[k])
        found[0].append(at)
    at = frame
    while len(found[1]) < after:
        k = int(np.searchsorted(frames, at + gap, side="left"))
        if k >= len(frames):
            break
        at = int(frames[k])
        found[1].append(at)
    return found


def ghost_frames(sequence: Sequence, frame: int, session: Session) -> list[tuple[int, str, float]]:
    """Return frame, colour token and strength of each ghost that the session asks for, the nearest first."""
    before, after = session.view.ghosts_before, session.view.ghosts_after
    if session.view.ghosts_at == "keys":
        sides = neighbors(sequence, frame, before, after)
    else:
        keys, step = sequence.keys.frames, session.view.ghost_step
        first, last = sequence.range
        first, last = (min(first, keys[0]), max(last, keys[-1])) if keys else (first, last)
        sides = (
            [f for f in (frame - k * step for k in range(1, before + 1)) if f >= first],
            [f for f in (frame + k * step for k in range(1, after + 1)) if f <= last],
        )
    rows = [
        (f, token, session.view.ghost_strength * session.view.ghost_fade**k)
        for found, token in zip(sides, (BEFORE, AFTER), strict=True)
        for k, f in enumerate(found)
    ]
    return sorted(rows, key=lambda row: (-row[2], abs(row[0] - frame)))
