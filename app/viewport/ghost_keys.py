"""Which keys are shown as ghosts of the figure, and which as beads on its trail."""

from __future__ import annotations

import numpy as np

from core.animation import Sequence

_SECONDS = 0.25  # between the pose and its ghosts in a recorded motion


def _gap(sequence: Sequence) -> float:
    """Return how many frames apart keys must be to be shown one by one: a quarter of a second in a recording."""
    frames = np.array(sequence.frames)
    recorded = len(frames) > 2 and float(np.median(np.diff(frames))) <= 1.0
    return max(1.0, _SECONDS * sequence.fps) if recorded else 1.0


def trail_keys(sequence: Sequence) -> list[int]:
    """Return the frames of the keys to be marked on a trail: all, in a recording the first, the last and some."""
    frames = np.array(sorted(sequence.frames), dtype=np.int64)
    steps = np.floor((frames - frames[:1]) / _gap(sequence))
    chosen = np.diff(steps, prepend=-1.0) > 0.0
    chosen[-1:] = True
    return [int(frame) for frame in frames[chosen]]


def neighbor_keys(sequence: Sequence, frame: float) -> list[tuple[int, str]]:
    """Return the nearest key before and the nearest after a frame, each with the colour token of its ghost.

    In a recording, with a key at every frame, they are further away: the pose a frame before lies inside the figure,
    and says nothing about the motion.
    """
    frames = np.array(sequence.frames)
    gap = _gap(sequence)
    found = [(int(f), "ghost_before") for f in frames[frames <= frame - gap][-1:]]
    return found + [(int(f), "ghost_after") for f in frames[frames >= frame + gap][:1]]
