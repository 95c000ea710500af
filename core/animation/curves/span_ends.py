"""The four keys that a span depends on, and the slopes of the pose's values at its two ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.animation.curves.key_rows import KINDS, NONE, KeyRows
from core.animation.curves.tangents import (
    Chords,
    TangentKinds,
    bounded_slopes,
    key_slopes,
    slope_bounds,
    tangents,
)
from core.animation.shape import AUTO, CENTRIPETAL, FREE, KOCHANEK_BARTELS, STEPPED, Shape
from core.arrays import Array, Bools, Ints

Limits = tuple[Array, Array]
Number = TypeVar("Number", bound=np.generic)

_OWN = KINDS[FREE], KINDS[KOCHANEK_BARTELS]
_AUTO = KINDS[AUTO]


@dataclass(frozen=True)
class SpanEnds:
    """Spans, each with the key before it, its own two, and the key after it.

    Attributes:
        rows: The keys.
        index: Numbers of the four keys, each of shape (m, w); ``NONE`` where there is none.
        poses: Values of the four, each of shape (m, k): all of a pose or the first few; where there is no key, those
            of the nearer end.
        frames: Their frames, each of shape (m, w); likewise.
        shapes: Numbers of the shapes of the key before, the two ends, and the spans after, each of shape (m, w).
    """

    rows: KeyRows
    index: tuple[Ints, Ints, Ints, Ints]
    poses: tuple[Array, Array, Array, Array]
    frames: tuple[Array, Array, Array, Array]
    shapes: tuple[Ints, Ints, Ints, Ints]

    @classmethod
    def of(cls, rows: KeyRows, at: Ints, columns: int | None = None) -> SpanEnds:
        """Return the spans that channels are in after keys.

        Args:
            rows: The keys.
            at: Numbers of keys, shape (m,).
            columns: Number of values at the beginning of a pose that are asked for; None for all.
        """
        index = before, start, end, after = rows.four(at)
        first, last = np.where(before == NONE, start, before), np.where(after == NONE, end, after)
        with np.errstate(over="ignore"):
            poses = [rows.poses(i, columns) for i in (first, start, end, last)]
            frames = [rows.frames[i] for i in (first, start, end, last)]
            if rows.periodic:
                wrapped = first > start, last < end
                for side, k, sign in ((0, 0, -1.0), (1, 3, 1.0)):
                    frames[k] = np.where(wrapped[side], frames[k] + sign * rows.length, frames[k])
                    poses[k][:, :3] += np.where(wrapped[side][:, :1], sign * rows.drift, 0.0)
        shapes = rows.shape(first), rows.shape(start), rows.shape(end), rows.shape(end)
        if rows.periodic:
            # The last key of a round is the first of the next: its shape is the first's, but for what is set by hand.
            again = wrapped[1] & ~np.isin(rows.looks.shapes.kinds[shapes[2]], _OWN)
            beginning = rows.shape(np.zeros_like(end))
            shapes = (
                shapes[0],
                shapes[1],
                np.where(again, beginning, shapes[2]),
                np.where(wrapped[1], beginning, shapes[3]),
            )
        return cls(rows, index, tuple(poses), tuple(frames), shapes)  # type: ignore[arg-type]

    @property
    def kinds(self) -> NDArray[np.int8]:
        """Kinds of the spans, shape (m, w)."""
        return self.rows.looks.shapes.kinds[self.shapes[1]]

    def wide(self, values: NDArray[Number], of: Ints | None = None) -> NDArray[Number]:
        """Return what is ``w`` wide for each value of the pose, or for what ``of`` has the columns of."""
        if self.rows.width == 1:
            return values
        return values[:, self.rows.of_value[: self.poses[0].shape[1]] if of is None else of]

    def lengths(self, end: int) -> tuple[Array, Array]:
        """Return the lengths of the spans either side of the keys at an end, 1 or 2, each of shape (m, w)."""
        return self.frames[end] - self.frames[end - 1], self.frames[end + 1] - self.frames[end]

    def tangent_kinds(self, end: int, of: Ints | None = None) -> TangentKinds:
        """Return how the spans either side of the keys at an end, 1 or 2, are filled, for every value."""
        shapes = self.rows.looks.shapes
        own, before, after = self.shapes[end], self.shapes[end - 1], self.shapes[1 if end == 1 else 3]
        own, before, after = self.wide(own, of), self.wide(before, of), self.wide(after, of)
        return TangentKinds(shapes.kinds[own], shapes.kinds[before], shapes.kinds[after], shapes.tcb[own])

    def limits(self, k: int, limits: Limits) -> Limits:
        """Return the limits in the spans between keys ``k`` and ``k + 1`` of the four, each of shape (m, values).

        Keys may lie outside the limits (an imported motion does); their span then gives way just far enough.
        """
        a, b = self.poses[k], self.poses[k + 1]
        return np.minimum(limits[0], np.minimum(a, b)), np.maximum(limits[1], np.maximum(a, b))

    def slopes(self, end: int, limits: Limits) -> tuple[Array, Array]:
        """Return the slopes of all values at the keys at an end, 1 or 2, kept gentle enough for the limits.

        Returns:
            Those that come to the keys and those that leave them, [1/frame], each of shape (m, values); the same
            array where no key breaks them.
        """
        before, here, after = self.poses[end - 1 : end + 2]
        h_in, h_out = (self.wide(h) for h in self.lengths(end))
        plain = key_slopes(before, here, after, h_in, h_out)
        spans = self.tangent_kinds(end)
        found = plain, plain
        if spans.special:
            found = tangents(Chords(here - before, after - here, h_in, h_out, _sizes), plain, spans)
        found = self._own(end, found)
        kept = self.kept(end)
        bounds = tuple(
            slope_bounds(here, h, *self._ranges(k, limits, self.wide(kept[k - end + 1])), k == end)
            for k, h in ((end - 1, h_in), (end, h_out))
        )
        # In the order of the spline there always was: what leaves first.
        common = bounded_slopes(found[0], bounds[1], bounds[0])
        if found[0] is found[1]:
            return common, common
        same = found[0] == found[1]
        return (
            np.where(same, common, bounded_slopes(found[0], bounds[0])),
            np.where(same, common, bounded_slopes(found[1], bounds[1])),
        )

    def kept(self, end: int) -> tuple[Bools, Bools]:
        """Return which spans before and after the keys at an end, 1 or 2, ask for slopes that do not overshoot.

        A key whose slopes the animator made, or gave a tension, keeps them. The next one, if it is automatic, is no
        less so for that: a slope pulled at one key changes nothing beyond it.

        Returns:
            Two of shape (m, w).
        """
        kinds = self.rows.looks.shapes.kinds
        here, before = kinds[self.shapes[end]], kinds[self.shapes[end - 1]]
        own = np.isin(here, _OWN)
        return (
            ((before == _AUTO) & ~own) | ((before == KINDS[FREE]) & (here == _AUTO)),
            (kinds[self.shapes[1 if end == 1 else 3]] == _AUTO) & ~own,
        )

    def _ranges(self, k: int, limits: Limits, kept: Bools) -> Limits:
        """Return the limits between keys ``k`` and ``k + 1`` of the four: the joints', or the two keys' own values."""
        a, b = self.poses[k], self.poses[k + 1]
        low, high = np.minimum(a, b), np.maximum(a, b)
        if kept.all():
            return low, high
        return np.where(kept, low, np.minimum(limits[0], low)), np.where(kept, high, np.maximum(limits[1], high))

    def free(self, end: int) -> Bools:
        """Return which keys at an end have slopes of their own on either side, shape (m, w, 2)."""
        return self.rows.looks.shapes.free[self.shapes[end]]

    def _own(self, end: int, found: tuple[Array, Array]) -> tuple[Array, Array]:
        """Put the slopes that keys have of their own in the place of those that were worked out."""
        if not self.free(end).any():
            return found
        slopes = found[0].copy(), found[1].copy()
        for row, columns, shape in self._cells(end):
            for side, own in enumerate((shape.slopes_in, shape.slopes_out)):
                for column, value in zip(columns.tolist(), own or (), strict=False):
                    if value is not None and column < slopes[side].shape[1]:
                        slopes[side][row, column] = value
        return slopes

    def _cells(self, end: int) -> Iterator[tuple[int, Ints, Shape]]:
        shapes = self.rows.looks.shapes.list
        for row, column in np.argwhere(self.free(end).any(axis=-1)).tolist():
            yield row, self.rows.columns(column), shapes[self.shapes[end][row, column]]

    def hulls(self, slopes: tuple[Array, Array]) -> Bools:
        """Return which values stay between those of the two keys: of spans that never overshoot, by nothing else bent.

        Args:
            slopes: By ``u`` at both ends, each of shape (m, values).
        """
        shapes = self.rows.looks.shapes
        calm = ~_overshoots(shapes.eases)[self.shapes[1]]
        centripetal, auto = (self.wide((self.kinds == kind) & calm) for kind in (KINDS[CENTRIPETAL], _AUTO))
        found: Bools = np.broadcast_to(centripetal, self.poses[0].shape).copy()
        found[:, :3] = False  # a place goes its way as a whole
        found |= auto
        if not found.any():
            return found
        chord = self.poses[2] - self.poses[1]
        for slope in slopes:
            np.logical_and(found, (slope * np.sign(chord) >= 0.0) & (np.abs(slope) <= 3.0 * np.abs(chord)), out=found)
        return found

    @property
    def stepped(self) -> Bools:
        """Which spans have no motion, shape (m, w)."""
        return self.kinds == KINDS[STEPPED]


def _overshoots(eases: Array) -> Bools:
    return np.asarray(((eases[:, 1::2] < 0.0) | (eases[:, 1::2] > 1.0)).any(axis=1), dtype=np.bool_)


def _sizes(d: Array) -> Array:
    """Return sizes of chords of values: the root's place counts as a whole."""
    sizes = np.abs(d)
    sizes[..., :3] = np.sqrt((d[..., :3] * d[..., :3]).sum(axis=-1, keepdims=True))
    return sizes
