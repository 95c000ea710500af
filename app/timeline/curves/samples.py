"""What the curve editor draws: the motion sampled over the frames that can be seen, exact at every sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.timeline.curves.edits import Slopes, path_slopes, plain_path
from app.timeline.curves.rows import DEGREES_PER_RADIAN, CurveRow
from app.timeline.curves.targets import seen_target_values
from core.animation.curves.samples import channel_speeds, channel_values, turned_from_key
from core.arrays import Array
from core.skeleton.dof import ANGLE

if TYPE_CHECKING:
    from core.animation.sequence import Sequence

Frames = NDArray[np.int64]

SPACING = 2.0  # between two samples, px
MOST_SAMPLES = 1200
FINEST = 1.0 / 16.0  # frames
_BESIDE = 1e-4
_JUMP = 1.5  # what an angle changes by between two neighbouring samples that is no motion, [rad]


class CurveSamples:
    """Poses of a sequence over a range of frames, worked out once for all curves that are drawn.

    Attributes:
        frames: Where samples are, ascending, shape (m,).
        token: Another one as soon as what is drawn is.
    """

    def __init__(self) -> None:
        self.frames: Array = np.empty(0)
        self._sequence: Sequence | None = None
        self._poses: Array | None = None
        self._rates: Array | None = None
        self.token: object = None
        self._path: tuple[object, Sequence] | None = None
        self._kept: dict[tuple[str, int], Array | None] = {}

    def show(self, sequence: Sequence, token: object, first: float, last: float, pixels: float) -> None:
        """Say what is to be drawn.

        Args:
            sequence: The sequence.
            token: Anything that is another as soon as the motion is.
            first: Frame at the left edge.
            last: Frame at the right edge.
            pixels: Width of a frame, [px].
        """
        token = (token, id(sequence), round(first, 4), round(last, 4), pixels)
        if token == self.token:
            return
        self.token, self._sequence = token, sequence
        self._poses = self._rates = None
        self._kept = {}
        self.frames = self._grid(sequence, first, last, pixels)

    def _grid(self, sequence: Sequence, first: float, last: float, pixels: float) -> Array:
        frames = sequence.keys.table.frames
        if not len(frames):
            return np.empty(0)
        first, last = max(first, 0.0), max(last, 1.0)
        step = max(SPACING / pixels, FINEST, (last - first) / MOST_SAMPLES)
        grid = np.arange(np.floor(first / step), np.ceil(last / step) + 1) * step
        seen = frames[np.searchsorted(frames, first) : np.searchsorted(frames, last, side="right")].astype(np.float64)
        if len(seen) <= MOST_SAMPLES:  # where the motion steps, the step is upright
            grid = np.concatenate((grid, seen, np.maximum(seen - _BESIDE, 0.0)))
        return np.unique(grid)

    @property
    def poses(self) -> Array:
        """Poses at the samples, without locks, with what is before and after the keys, shape (m, nq)."""
        if self._poses is None:
            assert self._sequence is not None
            self._poses = self._sequence.rounds_at_frames(self.frames)
        return self._poses

    @property
    def rates(self) -> Array:
        """How fast all values change at the samples, [1/s], shape (m, nq)."""
        if self._rates is None:
            assert self._sequence is not None
            ahead = self._sequence.rounds_at_frames(self.frames + _BESIDE)
            self._rates = (ahead - self.poses) / _BESIDE * self._sequence.fps
        return self._rates

    def values(self, row: CurveRow) -> Array:
        """Return the curve of a row in the unit on screen, angles without flips, shape (m,)."""
        if row.turned:
            return self._turns(row) * DEGREES_PER_RADIAN
        if row.target:
            return row.on_screen(self._target(row))
        smooth = self._unflipped(row)
        return row.on_screen(self.poses[:, row.id] if smooth is None else smooth)

    def _unflipped(self, row: CurveRow) -> Array | None:
        """Return a compound's angle on one branch if the poses change theirs on the way, else None."""
        key = ("flips", row.id)
        if key not in self._kept:
            found = None
            assert self._sequence is not None
            if row.unit == ANGLE and self._sequence.channels.compounds[row.number] is not None:
                columns = self._sequence.channels.columns[row.number]
                steps = np.abs(np.diff(self.poses[:, columns], axis=0)).max(axis=1)
                if ((steps > _JUMP) & (np.diff(self.frames) > 2.0 * _BESIDE)).any():
                    values = channel_values(self._sequence, row.channel, self.frames)
                    found = values[:, int(np.searchsorted(columns, row.id))]
            self._kept[key] = found
        return self._kept[key]

    def branch(self, row: CurveRow, frames: Frames, stored: Array) -> tuple[Array, Array]:
        """Return how values of keys are shown on a curve without flips, and which way they move with it.

        Args:
            row: The curve.
            frames: Frames of its keys that are sampled, shape (k,).
            stored: Their values in the unit on screen.

        Returns:
            Values, and 1 or -1 each: the other triple of angles of a rotation has the middle one turned round.
        """
        smooth = None if row.turned or not len(self.frames) else self._unflipped(row)
        if smooth is None:
            return stored, np.ones(len(frames))
        at = np.clip(np.searchsorted(self.frames, frames), 0, len(self.frames) - 1)
        shown = np.where(self.frames[at] == frames, row.on_screen(smooth[at]), stored)
        halves = (shown - stored) / 180.0
        return shown, np.where(np.abs(halves - np.rint(halves)) < 1e-6, 1.0, -1.0)

    def speeds(self, row: CurveRow) -> Array:
        """Return how fast a row's value changes, [rad/s] or [m/s], shape (m,)."""
        if row.target:
            assert self._sequence is not None
            if len(self.frames) < 2:
                return np.zeros(len(self.frames))
            steps = np.gradient(self._target(row), self.frames)
            return np.asarray(steps * self._sequence.fps)
        if not row.turned:
            return self.rates[:, row.id]
        key = ("speed", row.id)
        if key not in self._kept:
            assert self._sequence is not None
            self._kept[key] = channel_speeds(self._sequence, row.channel, self.frames)
        found = self._kept[key]
        assert found is not None
        return found

    def _target(self, row: CurveRow) -> Array:
        key = ("target", row.id)
        if key not in self._kept:
            assert self._sequence is not None
            self._kept[key] = seen_target_values(self._sequence, row.id, self.frames)
        found = self._kept[key]
        assert found is not None
        return found

    def _turns(self, row: CurveRow) -> Array:
        key = ("turn", row.id)
        if key not in self._kept:
            assert self._sequence is not None
            self._kept[key] = turned_from_key(self._sequence, row.channel, self.frames).angles
        found = self._kept[key]
        assert found is not None
        return found

    def slopes(self, token: object, row: CurveRow, frames: Frames) -> Slopes:
        """Return the slopes of a row's path at keys, [1/frame] of the pose's unit, without eases and timing."""
        if self._sequence is None:
            return Slopes(np.zeros(len(frames)), np.zeros(len(frames)))
        key = (token, id(self._sequence))
        if self._path is None or self._path[0] != key:
            self._path = (key, plain_path(self._sequence))
        return path_slopes(self._path[1], frames, row.id)
