"""As few keys of a lock's target as hold a path within a tolerance."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from core.animation.key import LINEAR, SPLINE
from core.animation.locks.target_keys import TargetKey, TargetPath
from core.animation.shape import CENTRIPETAL
from core.arrays import Array
from core.constraints.kinds.base import Kind

Away = Callable[[Any, int], float]
"""How far a target is from where it should be at a sample, [m]."""

Progress = Callable[[float], None]

_REACH = 2  # spans either side of a key that its value has a say in


def path_keys(
    targets: dict[int, Any],
    frames: Array,
    away: Away,
    rule: Kind,
    tolerance: float,
    fixed: tuple[int, ...] = (),
    progress: Progress | None = None,
) -> tuple[tuple[TargetKey, ...], float]:
    """Return keys of a target whose path stays near another one, and how far it goes from it.

    A key is put where the path is farthest off in each span between two, over and over, until all of it is near enough
    or there is a key at every frame; then those are taken away again that it can do without.

    Args:
        targets: The target at each frame a key may have, at least at the first and the last.
        frames: Frames of the samples that are looked at, ascending, shape (m,).
        away: How far a target is off at a sample, by its number.
        rule: Kind of the lock.
        tolerance: How far the path may be off, [m].
        fixed: Frames that keep their key; the first and the last always do.
        progress: Takes how much is done, 0 to 1, and may raise ``core.errors.Cancelled``.
    """
    fit = _Fit(targets, frames, away, rule, tolerance, fixed, progress)
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
        targets: dict[int, Any],
        frames: Array,
        away: Away,
        rule: Kind,
        tolerance: float,
        fixed: tuple[int, ...],
        progress: Progress | None,
    ):
        self._targets, self._frames, self._away, self._rule = targets, frames, away, rule
        self._tolerance, self._progress = tolerance, progress
        self._fixed = {min(targets), max(targets), *fixed}
        self._shapes: dict[int, str] = {}
        self.keyed = sorted(self._fixed)
        self.off = np.zeros(len(frames))
        self._look(float(frames[0]), float(frames[-1]))

    def keys(self) -> tuple[TargetKey, ...]:
        """Return the keys."""
        return tuple(TargetKey(f, self._targets[f], self._shapes.get(f, SPLINE)) for f in self.keyed)

    def _samples(self, first: float, last: float) -> slice:
        a, b = np.searchsorted(self._frames, [first, last], side="left")
        return slice(int(a), min(int(b) + 1, len(self._frames)))

    def _look(self, first: float, last: float) -> None:
        """Measure again how far the path is off between two frames."""
        path, span = TargetPath(self.keys(), self._rule), self._samples(first, last)
        for n in range(span.start, span.stop):
            if self._progress is not None and n % 256 == 0:
                self._progress(min(len(self.keyed) / max(len(self._targets), 1), 0.99))
            self.off[n] = self._away(path.at(float(self._frames[n])), n)

    def add(self) -> None:
        """Put keys where the path is farthest off, until it is near enough or there is one at every frame."""
        while True:
            free = np.array(sorted(set(self._targets) - set(self.keyed)), dtype=np.int64)
            new = set()
            for start, end in itertools.pairwise(self.keyed):
                span, inside = self._samples(start, end), free[(free > start) & (free < end)]
                if len(inside) and float(self.off[span].max()) > self._tolerance:
                    worst = float(self._frames[span.start + int(self.off[span].argmax())])
                    new.add(int(inside[np.abs(inside - worst).argmin()]))
            if not new:
                return
            self.keyed = sorted({*self.keyed, *new})
            for start, end in _around(self.keyed, sorted(new)):
                self._look(start, end)

    def reshape(self) -> None:
        """Go otherwise between keys where a spline is off: what starts or stops at once would swing over."""
        for place, (start, end) in enumerate(itertools.pairwise(self.keyed)):
            if float(self.off[self._samples(start, end)].max()) <= self._tolerance:
                continue
            kept = self.off.copy()
            ends = self.keyed[max(place - _REACH, 0)], self.keyed[min(place + 1 + _REACH, len(self.keyed) - 1)]
            span = self._samples(*ends)
            for shape in (CENTRIPETAL, LINEAR):
                before = self._shapes.get(start, SPLINE)
                self._shapes[start] = shape
                self._look(*ends)
                if float(self.off[span].max()) < float(kept[span].max()):
                    kept = self.off.copy()
                else:
                    self._shapes[start] = before
                    self.off[:] = kept

    def take_away(self) -> None:
        """Take away the keys that the path can do without."""
        for frame in [f for f in self.keyed if f not in self._fixed]:
            place, keyed, kept = self.keyed.index(frame), self.keyed, self.off.copy()
            ends = keyed[max(place - _REACH - 1, 0)], keyed[min(place + _REACH + 1, len(keyed) - 1)]
            span = self._samples(*ends)
            self.keyed = [f for f in keyed if f != frame]
            self._look(*ends)
            if (self.off[span] > np.maximum(self._tolerance, kept[span])).any():
                self.keyed = keyed
                self.off[:] = kept


def _around(keyed: list[int], new: list[int]) -> list[tuple[int, int]]:
    """Return the stretches in which new keys have a say, joined where they meet."""
    found: list[tuple[int, int]] = []
    for frame in new:
        place = keyed.index(frame)
        start, end = keyed[max(place - _REACH, 0)], keyed[min(place + _REACH, len(keyed) - 1)]
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found
