"""The keys of one channel under way: where they stand, their values and slopes, and how far the curve is off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from core.animation.reduction.cubics import UNLIMITED, Limits, evaluated, fitted, within
from core.arrays import Array, Bools, Ints
from core.progress import Progress, report

_AROUND = 3
"""So many spans either side of a key take new values and slopes when it goes or comes."""


@dataclass(frozen=True, eq=False)
class Change:
    """A curve with a key less, worked out but not taken over.

    Attributes:
        keys: Samples that are keys, shape (n,).
        knots: Values and slopes in turn, shape (2 n, k).
        place: Number of the key around which it was fitted.
        first: First sample at which the curve may be another one.
        made: The curve from there on, shape (j, k).
    """

    keys: Ints
    knots: Array
    place: int
    first: int
    made: Array


class Curve:
    """Keys of a channel.

    Args:
        samples: The channel's values at each frame, shape (m, k).
        reach: How far a value moves anything for each unit of its change, [m], shape (k,).
        limits: Limits of the values, inside which they are played, shape (k,) each.

    Attributes:
        keys: Samples that are keys, ascending, shape (n,).
        made: The curve at each sample, shape (m, k).
    """

    def __init__(self, samples: Array, reach: Array, limits: Limits = UNLIMITED):
        self.samples, self.reach, self.limits = samples, reach, limits
        self.keys: Ints = np.array([0, len(samples) - 1])
        self._fit()

    @property
    def values(self) -> Array:
        """Values at the keys, shape (n, k)."""
        return self.knots[0::2]

    @property
    def slopes(self) -> Array:
        """Slopes at the keys, [1/frame], shape (n, k)."""
        return self.knots[1::2]

    @property
    def off(self) -> Array:
        """How far anything is moved by what the curve is off at each sample, at most, [m], shape (m,)."""
        return self._size(self.made - self.samples)

    def _size(self, off: Array) -> Array:
        return np.asarray(np.linalg.norm(off * self.reach, axis=-1))

    def _fit(self) -> None:
        """Fit all of the curve; its ends are those of the samples."""
        fixed, given = self._fixed(self.keys, 0)
        self.knots = within(self.keys, fitted(self.samples, self.keys, fixed, given), self.limits)
        self.made = evaluated(self.keys, self.values, self.slopes, 0, len(self.samples) - 1, self.limits)

    def _fixed(self, keys: Ints, first: int) -> tuple[Bools, Array]:
        """Return what is given of keys: the values at the ends of the samples."""
        fixed, given = np.zeros(2 * len(keys), dtype=bool), np.zeros((2 * len(keys), self.samples.shape[1]))
        for k in (0, len(keys) - 1):
            if keys[k] in (0, len(self.samples) - 1):
                fixed[2 * k], given[2 * k] = True, self.samples[keys[k]]
        return fixed, given

    def add(self, new: Iterable[int]) -> None:
        """Make samples keys, and fit the curve anew."""
        self.keys = np.union1d(self.keys, np.array(list(new), dtype=np.int64))
        self._fit()

    def worst_around(self, at: int) -> int | None:
        """Return where the curve is farthest off in the span of a sample, or in both beside one that is a key.

        Keys do not count; None if there is nothing between them.
        """
        low = max(int(np.searchsorted(self.keys, at, side="left")) - 1, 0)
        high = min(int(np.searchsorted(self.keys, at, side="right")), len(self.keys) - 1)
        inside = np.setdiff1d(np.arange(self.keys[low], self.keys[high]), self.keys[low:high])
        if not len(inside):
            return None
        return int(inside[self._size(self.made[inside] - self.samples[inside]).argmax()])

    def refine(self, tolerance: float) -> None:
        """Put keys where the curve is farthest off, until it is near enough or there is one at every frame."""
        while True:
            off, new = self.off, []
            over = np.maximum.reduceat(off, self.keys[:-1])
            for span in np.flatnonzero(over > tolerance).tolist():
                first, last = int(self.keys[span]), int(self.keys[span + 1])
                at = self.worst_around(first + 1) if last - first > 1 else None
                if at is not None:
                    new.append(at)
            if not new:
                return
            self.add(new)

    def without(self, key: int) -> Change:
        """Return the curve without one of its keys, by its number; the keys around take other values and slopes."""
        return self._around(np.delete(self.keys, key), np.delete(self.knots, (2 * key, 2 * key + 1), axis=0), key)

    def merged(self, key: int, at: int) -> Change:
        """Return the curve with one key at a sample in the place of two, by the number of the first."""
        keys = np.delete(self.keys, key)
        keys[key] = at
        return self._around(keys, np.delete(self.knots, (2 * key, 2 * key + 1), axis=0), key)

    def weighed(self, change: Change, weights: Array) -> Change:
        """Return a change fitted once more, some of its samples counting for more, shape (j,)."""
        return self._around(change.keys, change.knots, change.place, weights)

    def around(self, key: int) -> list[int]:
        """Return the samples of the keys that know of one, by its number."""
        return [int(each) for each in self.keys[max(key - 2 * _AROUND, 0) : key + 2 * _AROUND + 1]]

    def _around(self, keys: Ints, knots: Array, place: int, weights: Array | None = None) -> Change:
        """Return the curve fitted anew around the span that ends with a key."""
        low, high = max(place - 1 - _AROUND, 0), min(place + _AROUND, len(keys) - 1)
        own = keys[low : high + 1]
        first, last = int(own[0]), int(own[-1])
        fixed, given = self._fixed(own, first)
        for end, k in ((0, low), (len(own) - 1, high)):
            if 0 < k < len(keys) - 1:
                fixed[2 * end : 2 * end + 2], given[2 * end : 2 * end + 2] = True, knots[2 * k : 2 * k + 2]
        found = within(own, fitted(self.samples[first : last + 1], own - first, fixed, given, weights), self.limits)
        for end, k in ((0, low), (len(own) - 1, high)):
            if 0 < k < len(keys) - 1:  # the span beyond counts for its slope, too
                found[2 * end + 1] = knots[2 * k + 1]
        knots = knots.copy()
        knots[2 * low : 2 * high + 2] = found
        made = evaluated(own, found[0::2], found[1::2], first, last, self.limits)
        return Change(keys, knots, place, first, made)

    def size_of(self, change: Change) -> float:
        """Return how far anything is moved by what the curve would be off after a change, where it changes, [m]."""
        there = slice(change.first, change.first + len(change.made))
        return float(self._size(change.made - self.samples[there]).max())

    def take(self, change: Change) -> None:
        """Take a change over."""
        self.keys, self.knots = change.keys, change.knots
        self.made[change.first : change.first + len(change.made)] = change.made

    def thin(self, tolerance: float, progress: Progress | None = None) -> None:
        """Take away keys that the curve can do without, those first that matter least.

        Args:
            tolerance: How far anything may be moved by what the curve is off, [m].
            progress: Told how much is done, 0 to 1, at each key that is tried: there may be thousands.
        """
        sizes: dict[int, float] = {}
        begun, left = 0.0, 0.5  # each round tries fewer keys than the one before
        while len(self.keys) > 2:
            new = [k for k in range(1, len(self.keys) - 1) if int(self.keys[k]) not in sizes]
            for done, k in enumerate(new):
                report(progress, begun + left * done / len(new))
                sizes[int(self.keys[k])] = self.size_of(self.without(k))
            begun, left = begun + left, 0.5 * left
            gone: list[int] = []
            near: set[int] = set()
            for size, k in sorted((sizes[int(self.keys[k])], k) for k in range(1, len(self.keys) - 1)):
                if size > tolerance:
                    break
                if near.isdisjoint(range(k - 2 * _AROUND, k + 2 * _AROUND + 1)):  # no two that know of each other
                    gone.append(k)
                    near.add(k)
            if not gone:
                return
            for k in sorted(gone, reverse=True):
                for each in self.around(k):
                    sizes.pop(each, None)
                self.take(self.without(k))
