"""What is heard while a sequence plays: samples from a time on, round and round if it loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.audio.sound import Samples, Sound

FADE = 0.003
"""Time over which a sound comes and goes where it is cut, so that the cut is not heard as a click, [s]."""


class Span(NamedTuple):
    """A part of the time line: its first time and its length, [s]."""

    first: float
    length: float


class Stream:
    """Samples one after the other; knows nothing of devices.

    Args:
        sound: The sound.
        offset: When it starts, [s] on the time line.
        start: Time from which it is heard, [s] on the time line.
        gain: Factor of its loudness.
        loop: What plays round and round, or None.
        length: How long it is heard at all, [s]; None for ever.
    """

    def __init__(
        self,
        sound: Sound,
        offset: float,
        start: float,
        gain: float = 1.0,
        loop: Span | None = None,
        length: float | None = None,
    ):
        self._sound = sound
        self._offset, self._start, self._gain = offset, start, gain
        self._loop = loop
        self._length = length
        self.given = 0

    def time_after(self, seconds: float | Array) -> Array:
        """Return where on the time line it is some time after the start, [s]."""
        times = self._start + np.asarray(seconds, dtype=np.float64)
        if self._loop is None:
            return times
        first, length = self._loop
        return np.where(times >= first + length, first + (times - first) % length, times)

    def read(self, count: int) -> Samples:
        """Return the next samples, shape (count,), silence where the sound is not, -1 to 1."""
        rate = self._sound.rate
        after = (self.given + np.arange(count)) / rate
        self.given += count
        times = self.time_after(after)
        places = np.rint((times - self._offset) * rate)
        there = (places >= 0) & (places < len(self._sound.samples))
        out = np.zeros(count, dtype=np.float32)
        out[there] = self._sound.samples[places[there].astype(np.int64)]
        out *= self._gain * self._fade(after, times)
        return np.clip(out, -1.0, 1.0, out=out)

    def _fade(self, after: Array, times: Array) -> Samples:
        """Return how loud it is where it is cut: at the start, at the seam of a loop, and at the end."""
        near = after
        if self._loop is not None:
            first, length = self._loop
            near = np.minimum(near, np.abs(first + length - times))
            near = np.where(after > times - first, np.minimum(near, np.abs(times - first)), near)
        if self._length is not None:
            near = np.minimum(near, self._length - after)
        return np.clip(near / FADE, 0.0, 1.0).astype(np.float32)
