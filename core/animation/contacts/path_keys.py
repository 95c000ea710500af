"""As few keys of a lock's target as hold a path within a tolerance, each with the slopes that the path has there."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.animation.locks.target_keys import Slopes, TargetKey, TargetPath, slopes_of_parts, target_way
from core.animation.shape import FREE
from core.arrays import Array
from core.constraints.kinds.base import Kind
from core.constraints.kinds.target_parts import ROTATION
from core.progress import Progress

Away = Callable[[Any, int], float]
"""How far a target is from where it should be at a sample, [m]."""


_ONE_SIDED = ((1.0,), (2.0, -0.5), (3.0, -1.5, 1.0 / 3.0))  # weights of the next samples for a derivative
_CENTRAL = ((0.5,), (2.0 / 3.0, -1.0 / 12.0))
_CORNER = 0.1  # of the tolerance: slopes either side that differ by less than that does are one
_AT_ONCE = 256  # samples between two reports of how much is done
_BULGE = 4.0 / 27.0  # a cubic leaves its chord by so much of a slope at one end


def path_keys(
    values: Sequence[Any],
    frames: Array,
    away: Away,
    rule: Kind,
    tolerance: float,
    reach: float = 0.0,
    progress: Progress | None = None,
) -> tuple[tuple[TargetKey, ...], float]:
    """Return keys of a target whose path stays near another one, and how far it goes from it.

    A key is put where the path is farthest off in each span between two, over and over, until all of it is near enough
    or there is a key at every frame; then those are taken away again that it can do without. Keys have the slopes of
    the path: one where it goes on as it comes, two where it starts, stops or turns at once.

    Args:
        values: The target at each sample.
        frames: Frames of the samples, ascending, whole ones among them, the first and the last, shape (m,).
        away: How far a target is off at a sample, by its number.
        rule: Kind of the lock.
        tolerance: How far the path may be off, [m].
        reach: How far from the target's place something goes with its turns, [m].
        progress: Takes how much is done, 0 to 1, and may raise ``core.errors.Cancelled``.
    """
    fit = _Fit(values, frames, away, rule, tolerance, reach, progress)
    fit.add()
    fit.reshape()
    fit.take_away()
    return fit.keys(), float(fit.off.max(initial=0.0))


class _Fit:
    """Keys of a target under way.

    Attributes:
        keyed: Frames that have a key, ascending.
        off: How far the path is off at each sample, [m].
    """

    def __init__(
        self,
        values: Sequence[Any],
        frames: Array,
        away: Away,
        rule: Kind,
        tolerance: float,
        reach: float,
        progress: Progress | None,
    ):
        self._values, self._frames, self._away, self._rule = values, frames, away, rule
        self._tolerance, self._progress, self._reach = tolerance, progress, reach
        whole = np.flatnonzero(np.abs(frames - np.round(frames)) < 1e-9)
        self._samples_at = {round(float(frames[n])): int(n) for n in whole}
        self._known: dict[int, TargetKey] = {}
        self.keyed = sorted({round(float(frames[0])), round(float(frames[-1]))})
        self.off = np.zeros(len(frames))
        self._look(float(frames[0]), float(frames[-1]))

    def keys(self) -> tuple[TargetKey, ...]:
        """Return the keys."""
        return tuple(self._key(frame) for frame in self.keyed)

    def _key(self, frame: int) -> TargetKey:
        if frame not in self._known:
            n = self._samples_at[frame]
            come, leave = self._slopes(n)
            self._known[frame] = TargetKey(frame, self._values[n], FREE, come, leave)
        return self._known[frame]

    def _slopes(self, n: int) -> tuple[Slopes | None, Slopes | None]:
        """Return the slopes of the path as it comes to a sample and as it leaves it; None at its ends."""
        before, after = self._side(n, -1), self._side(n, 1)
        if not len(before) and not len(after):
            return None, None
        if not len(before) or not len(after):
            return (None, _row(_derivative(after))) if len(after) else (_row(-_derivative(before)), None)
        come, leave = -_derivative(before), _derivative(after)
        if _BULGE * self._size(leave - come) > _CORNER * self._tolerance:
            return _row(come), _row(leave)
        number = min(len(before), len(after), len(_CENTRAL))
        both = np.tensordot(_CENTRAL[number - 1], after[:number] - before[:number], axes=1)
        return _row(both), _row(both)

    def _side(self, n: int, step: int) -> Array:
        """Return how far the path goes in the next samples on one side, per distance of samples, shape (k, d)."""
        found = []
        for k in range(1, len(_ONE_SIDED) + 1):
            if not 0 <= n + k * step < len(self._values):
                break
            found.append(target_way(self._rule.parts, self._values[n], self._values[n + k * step]))
        apart = float(self._frames[1] - self._frames[0]) if len(self._frames) > 1 else 1.0
        return np.array(found) / apart

    def _size(self, slopes: Array) -> float:
        """Return how fast slopes move anything of the target, [m/frame]."""
        size, at, parts = 0.0, 0, self._rule.parts
        for part, number in zip(parts, slopes_of_parts(parts, self._values[0]), strict=True):
            own = float(np.linalg.norm(slopes[at : at + number]))
            size += self._reach * own if part.form == ROTATION else own
            at += number
        return size

    def _samples(self, first: float, last: float) -> slice:
        a, b = np.searchsorted(self._frames, [first, last], side="left")
        return slice(int(a), min(int(b) + 1, len(self._frames)))

    def _look(self, first: float, last: float) -> None:
        """Measure again how far the path is off between two frames."""
        path, span = TargetPath(self.keys(), self._rule), self._samples(first, last)
        for start in range(span.start, span.stop, _AT_ONCE):
            if self._progress is not None:
                self._progress(min(len(self.keyed) / max(len(self._samples_at), 1), 0.99))
            stop = min(start + _AT_ONCE, span.stop)
            for n, target in enumerate(path.along(self._frames[start:stop]), start):
                self.off[n] = self._away(target, n)

    def add(self) -> None:
        """Put keys where the path is farthest off, until it is near enough or there is one at every frame."""
        while True:
            free = np.array(sorted(set(self._samples_at) - set(self.keyed)), dtype=np.int64)
            new = set()
            for start, end in itertools.pairwise(self.keyed):
                span, inside = self._samples(start, end), free[(free > start) & (free < end)]
                if len(inside) and float(self.off[span].max()) > self._tolerance:
                    worst = float(self._frames[span.start + int(self.off[span].argmax())])
                    new.add(int(inside[np.abs(inside - worst).argmin()]))
            if not new:
                return
            self.keyed = sorted({*self.keyed, *new})
            for frame in sorted(new):  # a span depends on nothing but its two keys
                place = self.keyed.index(frame)
                self._look(self.keyed[place - 1], self.keyed[place + 1])

    def reshape(self) -> None:
        """Give spans of a frame that are off the slopes that fit them best: the path may start or jump inside them."""
        for start, end in itertools.pairwise(self.keyed):
            span = self._samples(start, end)
            if float(self.off[span].max()) <= self._tolerance or span.stop - span.start < 4:
                continue
            kept = self.off.copy(), self._key(start), self._key(end)
            leave, come = self._fitted(span)
            self._known[start] = replace(kept[1], slope_out=_row(leave))
            self._known[end] = replace(kept[2], slope_in=_row(come))
            self._look(start, end)
            if float(self.off[span].max()) >= float(kept[0][span].max()):
                self.off, self._known[start], self._known[end] = kept

    def _fitted(self, span: slice) -> tuple[Array, Array]:
        """Return the slopes at the ends of a span whose cubic is nearest to the path by least squares, each (d,)."""
        parts, first = self._rule.parts, self._values[span.start]
        ways = np.array([target_way(parts, first, self._values[n]) for n in range(span.start, span.stop)])
        length = float(self._frames[span.stop - 1] - self._frames[span.start])
        u = (self._frames[span] - self._frames[span.start])[:, None] / length
        rows = np.concatenate((u * (1.0 - u) ** 2, -u * u * (1.0 - u)), axis=1)
        slopes = np.linalg.lstsq(rows, ways - u * u * (3.0 - 2.0 * u) * ways[-1], rcond=None)[0] / length
        return slopes[0], slopes[1]

    def take_away(self) -> None:
        """Take away the keys that the path can do without."""
        for frame in self.keyed[1:-1]:
            place, keyed, kept = self.keyed.index(frame), self.keyed, self.off.copy()
            ends = keyed[place - 1], keyed[place + 1]
            span = self._samples(*ends)
            self.keyed = [f for f in keyed if f != frame]
            self._look(*ends)
            if (self.off[span] > np.maximum(self._tolerance, kept[span])).any():
                self.keyed = keyed
                self.off[:] = kept


def _derivative(ways: Array) -> Array:
    """Return the derivative at the first of some samples, from how far they go from it, shape (d,)."""
    return np.asarray(np.tensordot(_ONE_SIDED[len(ways) - 1], ways, axes=1))


def _row(slopes: Array) -> Slopes:
    return tuple(slopes.tolist())
