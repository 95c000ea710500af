"""A picture of a sound at any scale: smallest, largest and mean square sample of ever longer pieces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.audio.sound import Samples, Sound
from core.progress import Progress, report

FINEST = 64
"""Samples that one piece of the finest level stands for; what is finer is read from the samples themselves."""


class Columns(NamedTuple):
    """What a row of columns shows.

    Attributes:
        low: Smallest sample in each, shape (n,); 0 where the sound is not.
        high: Largest sample in each, shape (n,).
        power: Root of the mean square in each, shape (n,).
    """

    low: Samples
    high: Samples
    power: Samples


class _Level(NamedTuple):
    """Pieces of one length: smallest, largest and mean square of each, shape (m,), and how many samples one has."""

    low: Samples
    high: Samples
    square: Samples
    size: int


class Waveform:
    """Levels of a sound, each of half as many pieces as the one before, so that a picture costs what it is wide.

    Args:
        sound: The sound.
        progress: Told what share is done; may raise ``core.errors.Cancelled``.

    Attributes:
        sound: The sound.
        peak: Largest sample without its sign.
    """

    def __init__(self, sound: Sound, progress: Progress | None = None):
        self.sound = sound
        self._levels = [_finest(sound.samples, progress)]
        while len(self._levels[-1].low) > 1:
            self._levels.append(_halved(self._levels[-1]))
        top = self._levels[-1]
        self.peak = float(max(abs(top.low[0]), abs(top.high[0]))) if len(top.low) else 0.0

    def columns(self, first: float, last: float, count: int) -> Columns:
        """Return what ``count`` columns show that lie side by side from a time to another.

        The work is that of a few pieces a column, however long the times between are.

        Args:
            first: Left edge of the first column, [s] from the start of the sound.
            last: Right edge of the last column, [s].
            count: How many columns.
        """
        width = (last - first) * self.sound.rate / max(count, 1)
        if count <= 0 or width <= 0.0:
            empty = np.zeros(0, dtype=np.float32)
            return Columns(empty, empty, empty)
        level = self._level(width)
        total = len(level.low)
        edges = first * self.sound.rate / level.size + np.arange(count + 1) * (width / level.size)
        begin = np.floor(edges[:-1]).astype(np.int64)
        end = np.maximum(np.floor(edges[1:]).astype(np.int64), begin + 1)
        inside = (end > 0) & (begin < total)
        low, high, power = (np.zeros(count, dtype=np.float32) for _ in range(3))
        if not inside.any():
            return Columns(low, high, power)
        begin, end = np.clip(begin[inside], 0, total - 1), np.clip(end[inside], 1, total)
        end = np.maximum(end, begin + 1)
        low[inside] = _reduced(np.minimum, level.low, begin, end)
        high[inside] = _reduced(np.maximum, level.high, begin, end)
        sums = _reduced(np.add, level.square, begin, end)
        power[inside] = np.sqrt(sums / (end - begin))
        return Columns(low, high, power)

    def _level(self, width: float) -> _Level:
        """Return the coarsest level whose pieces are no longer than a column of so many samples."""
        if width < FINEST:
            samples = self.sound.samples
            return _Level(samples, samples, _Squares(samples), 1)  # type: ignore[arg-type]
        index = min(int(np.log2(width / FINEST)), len(self._levels) - 1)
        return self._levels[index]


class _Squares:
    """The squares of samples, worked out only where they are asked for."""

    def __init__(self, samples: Samples):
        self._samples = samples

    def __getitem__(self, key: slice) -> Samples:
        return np.square(self._samples[key])


def _reduced(function: np.ufunc, values: Samples, begin: NDArray[np.int64], end: NDArray[np.int64]) -> Array:
    """Return a ufunc over the pieces ``begin[i]..end[i]``, which are in order and not empty."""
    start, stop = int(begin[0]), int(end[-1])
    part = np.append(values[start:stop], values[stop - 1 : stop])  # reduceat must not name the end as an index
    pairs = np.empty(2 * len(begin), dtype=np.int64)
    pairs[0::2], pairs[1::2] = begin - start, end - start
    result: Array = function.reduceat(part, pairs)[0::2]
    return result


def _finest(samples: Samples, progress: Progress | None) -> _Level:
    count = -(-len(samples) // FINEST)
    low, high, square = (np.empty(count, dtype=np.float32) for _ in range(3))
    step = 1 << 14  # pieces a slice
    for first in range(0, count, step):
        part = samples[first * FINEST : (first + step) * FINEST]
        if len(part) % FINEST:
            part = np.append(part, np.full(-len(part) % FINEST, part[-1], dtype=np.float32))
        pieces = part.reshape(-1, FINEST)
        last = first + len(pieces)
        low[first:last], high[first:last] = pieces.min(axis=1), pieces.max(axis=1)
        square[first:last] = np.mean(np.square(pieces), axis=1)
        report(progress, last / count)
    return _Level(low, high, square, FINEST)


def _halved(level: _Level) -> _Level:
    def paired(values: Samples) -> Samples:
        even = values if len(values) % 2 == 0 else np.append(values, values[-1])
        return even.reshape(-1, 2)

    return _Level(
        paired(level.low).min(axis=1),
        paired(level.high).max(axis=1),
        paired(level.square).mean(axis=1),
        2 * level.size,
    )
