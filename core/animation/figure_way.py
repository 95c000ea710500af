"""The calm way of a figure: where it goes and where it heads, without the sway and the bob of each step.

The whole way is smoothed by a Gaussian, forward and backward in time alike, so that it is never behind.
"""

from __future__ import annotations

import numpy as np

from core.animation.sequence import Sequence
from core.animation.shot_camera import CALM
from core.arrays import Array
from core.kinematics import forward_kinematics

_AT_A_TIME = 256  # poses


def smoothed(values: Array, rate: float, closes: bool, calm: float = CALM) -> Array:
    """Return values over time without their fast parts; no value lags, at the ends neither.

    Args:
        values: Shape (m, k).
        rate: Values a second.
        closes: Whether the first would follow the last, farther along by as much as all of them go.
        calm: Standard deviation of the Gaussian, [s].
    """
    m = len(values)
    if m < 3 or calm <= 0.0:
        return values.copy()
    # The straight way from the first to the last is taken out before, so that smoothing does not lag at the ends.
    steps = m if closes else m - 1
    end = values[-1] + (values[-1] - values[-2]) if closes else values[-1]
    line = values[0] + np.arange(m)[:, None] / steps * (end - values[0])
    import scipy  # here, as the window starts without it

    rest = scipy.ndimage.gaussian_filter1d(values - line, calm * rate, axis=0, mode="wrap" if closes else "nearest")
    return np.asarray(line + rest)


def smooth_path(roots: Array, rate: float, closes: bool) -> Array:
    """Return a calm path that follows a figure: its root over the ground, without the sway of each step.

    Args:
        roots: The root at each picture, shape (m, 3), [m].
        rate: Pictures a second.
        closes: Whether the first picture follows the last.

    Returns:
        Shape (m, 3), [m]; the height does not change.
    """
    return smoothed(roots * np.array([1.0, 0.0, 1.0]), rate, closes)


class FigureWay:
    """The calm way over the ground, and the calm heading.

    Args:
        frames: Where the root is known, ascending, shape (m,).
        roots: Its frames in the world there, shape (m, 4, 4).
        rate: How many of them are a second apart.
        closes: Whether the first follows the last.
        calm: Over how long it is smoothed, [s].
    """

    def __init__(self, frames: Array, roots: Array, rate: float, closes: bool = False, calm: float = CALM):
        self._frames = np.asarray(frames, dtype=np.float64)
        headings = np.unwrap(np.arctan2(roots[:, 0, 2], roots[:, 2, 2]))
        known = np.column_stack([roots[:, 0, 3], roots[:, 2, 3], headings])
        self._known = smoothed(known, rate, closes, calm)

    @classmethod
    def of(cls, sequence: Sequence, calm: float = CALM) -> FigureWay:
        """Return the way of a sequence over all frames that play or have keys, as keyed."""
        first, last = sequence.range
        if sequence.keys:
            first, last = min(first, sequence.keys[0].frame), max(last, sequence.keys[-1].frame)
        frames = np.arange(first, last + 1, dtype=np.float64)
        poses = sequence.rounds_at_frames(frames)  # what locks move a root by between keys is less than the smoothing
        skeleton, parts = sequence.skeleton, range(0, len(frames), _AT_A_TIME)
        roots = np.concatenate([forward_kinematics(skeleton, poses[k : k + _AT_A_TIME])[:, 0] for k in parts])
        return cls(frames, roots, sequence.fps, False, calm)

    def at(self, frame: float) -> tuple[Array, float]:
        """Return place over the ground, shape (3,), [m], y 0, and heading about y, [rad]; beyond the ends as there."""
        x, z, heading = (float(np.interp(frame, self._frames, column)) for column in self._known.T)
        return np.array([x, 0.0, z]), heading
