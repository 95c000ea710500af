"""Timing apart from the path: which moment of the path is shown when, how fast a path is travelled, eases in a span.

The curves are cubic and monotone: between two points none of them rises above the higher or falls below the lower,
so that time never runs backwards and a speed is never negative.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.animation.channels import channels_of
from core.arrays import Array
from core.errors import SequenceError
from core.keyed_curves import monotone_slopes
from core.keyed_curves.keys import Place, placed
from core.skeleton import Skeleton

Point = tuple[float, float]
Points = tuple[Point, ...]
Timings = Mapping[str, "TimingCurve"]

WHOLE_FIGURE = "*"
"""Instead of a channel's name: the timing of all of them."""

_HALVINGS = 60
_EASE_STEPS, _EASE_FOUND = 64, 1e-15


class _Cubics:
    """Cubics from point to point with given slopes."""

    def __init__(self, x: Array, y: Array, slopes: Array):
        self.x, self.y = x, y
        h, rise = np.diff(x), np.diff(y)
        first, last = slopes[:-1] * h, slopes[1:] * h
        self.h = h
        self.c1, self.c2, self.c3 = first, 3.0 * rise - 2.0 * first - last, first + last - 2.0 * rise
        self.parts = h * (y[:-1] + first / 2.0 + self.c2 / 3.0 + self.c3 / 4.0)
        self.sums = np.concatenate(([0.0], np.cumsum(self.parts)))

    def _at(self, x: Array) -> tuple[NDArray[np.intp], Array]:
        i = np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, len(self.h) - 1)
        return i, np.clip((x - self.x[i]) / self.h[i], 0.0, 1.0)

    def values(self, x: Array) -> Array:
        i, u = self._at(x)
        found = ((self.c3[i] * u + self.c2[i]) * u + self.c1[i]) * u + self.y[i]
        a, b = self.y[i], self.y[i + 1]
        # Rounding must not take a monotone curve over its points, and at a point it has the point's value.
        found = np.where(u == 1.0, b, np.clip(found, np.minimum(a, b), np.maximum(a, b)))
        return np.asarray(found)

    def slopes(self, x: Array) -> Array:
        i, u = self._at(x)
        return np.asarray(((3.0 * self.c3[i] * u + 2.0 * self.c2[i]) * u + self.c1[i]) / self.h[i])

    def integrals(self, x: Array) -> Array:
        i, u = self._at(x)
        part = (((self.c3[i] / 4.0 * u + self.c2[i] / 3.0) * u + self.c1[i] / 2.0) * u + self.y[i]) * u * self.h[i]
        return np.asarray(np.where(u == 1.0, self.sums[i + 1], self.sums[i] + part))


def _points(points: Iterable[Any], what: str, value: str) -> Points:
    """Return checked points: at least two, finite, their frames ascending."""
    checked: list[Point] = []
    for point in points:
        try:
            frame, second = point
        except (TypeError, ValueError):
            raise SequenceError(f"{what}: {point!r} is not a point; it must be a frame and {value}") from None
        for number in (frame, second):
            real = isinstance(number, (int, float, np.integer, np.floating)) and not isinstance(number, bool)
            if not real or not math.isfinite(number):
                raise SequenceError(f"{what}: {number!r} in a point must be a finite number")
        checked.append((float(frame), float(second)))
    if len(checked) < 2:
        raise SequenceError(f"{what} has {len(checked)} points; it needs two or more")
    for a, b in itertools.pairwise(checked):
        if not b[0] > a[0]:
            raise SequenceError(f"{what}: the point at frame {b[0]:g} follows one at {a[0]:g}; frames must ascend")
    return tuple(checked)


@dataclass(frozen=True)
class _PointCurve:
    """A curve through points, each a frame and what holds there, from the first point's frame to the last's."""

    points: Points

    @property
    def first(self) -> float:
        """The frame it begins at."""
        return self.points[0][0]

    @property
    def last(self) -> float:
        """The frame it ends at."""
        return self.points[-1][0]


@dataclass(frozen=True)
class TimingCurve(_PointCurve):
    """Which frame of the path is taken at the frame that is shown: a curve of time beside the one of the path.

    Monotone with a continuous first derivative. Outside its ends every frame is itself; at the ends the pace is that
    of the frames outside, as far as the curve stays monotone.

    Attributes:
        points: (frame shown, frame of the path), in ascending order; the first and the last map onto themselves.

    Raises:
        SequenceError: If there are fewer than two points, one is not finite, frames do not ascend, the path would run
            backwards, or an end does not map onto itself.

    Source: the double interpolant of Steketee and Badler (1985), with the slopes of ``monotone_slopes``.
    """

    def __post_init__(self) -> None:
        points = _points(self.points, "a timing curve", "the frame of the path")
        object.__setattr__(self, "points", points)
        for a, b in itertools.pairwise(points):
            if b[1] < a[1]:
                raise SequenceError(
                    f"a timing curve: at frame {b[0]:g} the path is at {b[1]:g}, before {a[1]:g} where it was at frame "
                    f"{a[0]:g}; it must not run backwards"
                )
        for frame, at in (points[0], points[-1]):
            if at != frame:
                raise SequenceError(f"a timing curve ends at frame {frame:g} with {at:g}; its ends must be themselves")

    @cached_property
    def _cubics(self) -> _Cubics:
        x, y = np.array(self.points).T
        slopes = monotone_slopes(x, y)
        chord = np.diff(y) / np.diff(x)
        slopes[0], slopes[-1] = min(1.0, 3.0 * chord[0]), min(1.0, 3.0 * chord[-1])
        return _Cubics(x, y, slopes)

    def at(self, frames: object) -> Array:
        """Return the frames of the path for frames that are shown, both of any shape."""
        frames = np.asarray(frames, dtype=np.float64)
        inside = (frames > self.first) & (frames < self.last)
        return np.where(inside, self._cubics.values(frames), frames)

    def shown(self, at: object) -> Array:
        """Return the frames that show frames of the path, both of any shape: the earliest, where the path stands."""
        at = np.asarray(at, dtype=np.float64)
        lo, hi = np.full(at.shape, self.first), np.full(at.shape, self.last)
        for _ in range(_HALVINGS):
            middle = 0.5 * (lo + hi)
            early = self._cubics.values(middle) < at
            lo, hi = np.where(early, middle, lo), np.where(early, hi, middle)
        return np.where((at > self.first) & (at < self.last), hi, at)

    def paces(self, frames: object) -> Array:
        """Return how fast the path is run through, 1 for as it is keyed, at frames of any shape."""
        frames = np.asarray(frames, dtype=np.float64)
        inside = (frames >= self.first) & (frames <= self.last)
        return np.where(inside, self._cubics.slopes(frames), 1.0)


@dataclass(frozen=True)
class SpeedCurve(_PointCurve):
    """How fast a path is travelled, from one frame to another, in numbers that count relative to each other.

    Attributes:
        points: (frame, speed), in ascending order, speeds 0 or more and not all 0.

    Raises:
        SequenceError: If there are fewer than two points, one is not finite, frames do not ascend, a speed is
            negative, or all are 0.
    """

    def __post_init__(self) -> None:
        points = _points(self.points, "a speed curve", "the speed")
        object.__setattr__(self, "points", points)
        for frame, speed in points:
            if speed < 0.0:
                raise SequenceError(f"a speed curve: speed {speed:g} at frame {frame:g}; it must be 0 or more")
        if not any(speed > 0.0 for _, speed in points):
            raise SequenceError("a speed curve whose speeds are all 0 gets nowhere; one must be more")

    @cached_property
    def _cubics(self) -> _Cubics:
        x, y = np.array(self.points).T
        y = y / y.max()  # the numbers count relative to each other: very large ones must not overflow
        return _Cubics(x, y, monotone_slopes(x, y))

    def fraction(self, frames: object) -> Array:
        """Return how much of the way lies behind at frames of any shape, 0 to 1: the exact integral of the speed."""
        frames = np.asarray(frames, dtype=np.float64)
        cubics = self._cubics
        part = np.clip(cubics.integrals(frames) / cubics.sums[-1], 0.0, 1.0)
        return np.where(frames <= self.first, 0.0, np.where(frames >= self.last, 1.0, part))

    def speeds(self, frames: object) -> Array:
        """Return the speed at frames of any shape; outside its ends that of the nearer end."""
        frames = np.asarray(frames, dtype=np.float64)
        return self._cubics.values(frames) * max(speed for _, speed in self.points)


def eased(u: Array, controls: Array) -> Array:
    """Return the part of the way at parts of a span's time under eases; exactly 0 at 0 and 1 at 1.

    Args:
        u: Parts of the time, 0 to 1, shape (...).
        controls: ``x1, y1, x2, y2`` of the cubic Bezier curves from (0, 0) to (1, 1), x from 0 to 1, shape (..., 4).

    Returns:
        Shape (...); outside 0 to 1 where a curve's ``y`` is.

    The curve's time ascends, so that bisection always finds the place on it; Newton's steps that stay between the
    bounds make it quick.
    """
    u = np.asarray(u, dtype=np.float64)
    x1, y1, x2, y2 = (np.asarray(controls, dtype=np.float64)[..., k] for k in range(4))
    cx, cy = 3.0 * x1, 3.0 * y1
    bx, by = 3.0 * (x2 - x1) - cx, 3.0 * (y2 - y1) - cy
    ax, ay = 1.0 - cx - bx, 1.0 - cy - by
    lo, hi = np.zeros(u.shape), np.ones(u.shape)
    s, found = np.array(u), np.zeros(u.shape, dtype=bool)
    for _ in range(_EASE_STEPS):
        off = ((ax * s + bx) * s + cx) * s - u
        lo, hi = np.where(off <= 0.0, s, lo), np.where(off >= 0.0, s, hi)
        slope = (3.0 * ax * s + 2.0 * bx) * s + cx
        with np.errstate(divide="ignore", invalid="ignore"):
            step = s - off / slope
        # A step that leaves the bounds, or is none, is halved into them.
        new = np.where((step > lo) & (step < hi), step, 0.5 * (lo + hi))
        # What has been found stays: it must not depend on what is asked beside it.
        new = np.where(found, s, new)
        found |= np.abs(new - s) <= _EASE_FOUND
        s = new
        if found.all():
            break
    value = ((ay * s + by) * s + cy) * s
    return np.where(u <= 0.0, 0.0, np.where(u >= 1.0, 1.0, value))


# -- frames that go elsewhere ------------------------------------------------------------------------------------------


def _ascending(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return points without those that do not come after the one before."""
    kept: list[tuple[float, float]] = []
    for point in points:
        if not kept or point[0] > kept[-1][0]:
            kept.append(point)
    return kept


def shifted_timing(curve: TimingCurve, place: Place) -> TimingCurve | None:
    """Return a timing curve whose frames go elsewhere; None if too little is left of it."""
    points = []
    for frame, at in curve.points:
        there, path = placed(frame, place), placed(at, place)
        if there is not None and path is not None:
            points.append((there, path))
    points = _ascending(points)
    if len(points) < 2:
        return None
    # Where an end was taken away, the curve ends with the frame that is now its last.
    first, last = points[0][0], points[-1][0]
    held = [(frame, min(max(at, first), last)) for frame, at in points]
    held[0], held[-1] = (first, first), (last, last)
    return TimingCurve(tuple(held))


def shifted_speed(curve: SpeedCurve, place: Place) -> SpeedCurve | None:
    """Return a speed curve whose frames go elsewhere; None if too little is left of it."""
    points = _ascending([(there, s) for frame, s in curve.points if (there := placed(frame, place)) is not None])
    return SpeedCurve(tuple(points)) if len(points) > 1 and any(speed > 0.0 for _, speed in points) else None


class Timing:
    """Which moment of the motion through the keys is shown when.

    Args:
        skeleton: The figure.
        where: Gives what messages call the sequence.
        changed: Called after every change.
    """

    __slots__ = ("_changed", "_curves", "_root_speed", "_skeleton", "_where")

    def __init__(self, skeleton: Skeleton, where: Callable[[], str], changed: Callable[[], None]):
        self._skeleton, self._where, self._changed = skeleton, where, changed
        self._curves: Timings = MappingProxyType({})
        self._root_speed: SpeedCurve | None = None

    @property
    def curves(self) -> Timings:
        """Timing curves by the channel's name, ``"*"`` for the whole figure; assign a mapping to change them.

        Raises:
            SequenceError: On assigning a name that is no channel, or what is no ``TimingCurve``.
        """
        return self._curves

    @curves.setter
    def curves(self, curves: Mapping[str, TimingCurve]) -> None:
        channels = channels_of(self._skeleton)
        for name, curve in curves.items():
            if name != WHOLE_FIGURE and name not in channels:
                known = ", ".join(channel for channel in channels if channel)
                raise SequenceError(
                    f'{self._where()}: there is no channel "{name}" to time; '
                    f'valid are {known}, "" for the place of the root, "*" for the whole figure'
                )
            if not isinstance(curve, TimingCurve):
                raise SequenceError(f'{self._where()}: the timing of "{name}" is {curve!r}, no TimingCurve')
        self._curves = MappingProxyType({name: curves[name] for name in sorted(curves)})
        self._changed()

    @property
    def root_speed(self) -> SpeedCurve | None:
        """How fast the root travels its path, by arc length between the curve's ends; None for as it is keyed.

        Raises:
            SequenceError: On assigning anything but a ``SpeedCurve`` or None.
        """
        return self._root_speed

    @root_speed.setter
    def root_speed(self, curve: SpeedCurve | None) -> None:
        if curve is not None and not isinstance(curve, SpeedCurve):
            raise SequenceError(f"{self._where()}: the speed of the root is {curve!r}, no SpeedCurve")
        self._root_speed = curve
        self._changed()

    @property
    def in_use(self) -> bool:
        """Whether frames are not simply those of the keys: a timing curve or a speed of the root."""
        return bool(self._curves) or self._root_speed is not None
