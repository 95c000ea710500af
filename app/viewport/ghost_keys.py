"""Which keys are shown as ghosts of the figure."""

from __future__ import annotations

import numpy as np

from core.animation import Sequence

_SECONDS = 0.25  # between the pose and its ghosts in a recorded motion


def neighbor_keys(sequence: Sequence, frame: float) -> list[tuple[int, str]]:
    """Return the nearest key before and the nearest after a frame, each with the colour token of its ghost.

    In a recording, with a key at every frame, they are further away: the pose a frame before lies inside the figure,
    and says nothing about the motion.
    """
    frames = np.array(sequence.frames)
    recorded = len(frames) > 2 and float(np.median(np.diff(frames))) <= 1.0
    gap = max(1.0, _SECONDS * sequence.fps) if recorded else 1.0
    found = [(int(f), "ghost_before") for f in frames[frames <= frame - gap][-1:]]
    return found + [(int(f), "ghost_after") for f in frames[frames >= frame + gap][:1]]
