"""From a line drawn by hand to a few points of a smooth curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.animation.curves.timing_curves import Points
from core.keyed_curves import monotone_slopes
from core.arrays import Array

MOST_POINTS = 12
GAP = 0.5
"""Least distance between two points along the frames, [frames]."""
_SAMPLES = 200


def as_function(points: Sequence[tuple[float, float]]) -> tuple[Array, Array]:
    """Return the places of a drawn line by ascending x: where it went back, what was drawn last counts.

    Args:
        points: (x, y) in the order in which they were drawn.
    """
    kept: list[tuple[float, float]] = []
    if len(points) > 1 and points[-1][0] < points[0][0]:
        points = [(-x, y) for x, y in points]
        xs, ys = as_function(points)
        return -xs[::-1], ys[::-1]
    for x, y in points:
        while kept and kept[-1][0] >= x:
            kept.pop()
        kept.append((x, y))
    return np.array([x for x, _ in kept]), np.array([y for _, y in kept])


def monotone_values(xs: Array, ys: Array, at: Array) -> Array:
    """Return the values of the monotone cubic through points, the one that speed curves follow, shape of ``at``."""
    slopes = monotone_slopes(xs, ys)
    i = np.clip(np.searchsorted(xs, at, side="right") - 1, 0, len(xs) - 2)
    h = xs[i + 1] - xs[i]
    u = (at - xs[i]) / h
    a, b = slopes[i] * h, slopes[i + 1] * h
    d = ys[i + 1] - ys[i]
    return np.asarray(ys[i] + u * (a + u * ((3.0 * d - 2.0 * a - b) + u * (a + b - 2.0 * d))))


def few_points(points: Sequence[tuple[float, float]], tolerance: float) -> tuple[tuple[float, float], ...]:
    """Return few points whose smooth curve follows a drawn line.

    The line is smoothed first: a hand trembles. Then points are added where the curve through those there are is
    farthest away, until it is nowhere farther than the tolerance.

    Args:
        points: (frame, speed) in the order in which they were drawn.
        tolerance: How far the curve may be from the line, in the unit of y.

    Returns:
        From 2 to ``MOST_POINTS`` points, frames ascending and whole but for the ends; () if the line has no width.
    """
    xs, ys = as_function(points)
    if len(xs) < 2 or xs[-1] - xs[0] < 1.0:
        return ()
    at = np.linspace(xs[0], xs[-1], _SAMPLES)
    line = _smoothed(np.interp(at, xs, ys))
    chosen = [0, _SAMPLES - 1]
    while len(chosen) < MOST_POINTS:
        off = np.abs(monotone_values(at[chosen], line[chosen], at) - line)
        for k in chosen:  # a frame's distance from a point there is none to be had
            off[np.abs(at - at[k]) < 1.0] = 0.0
        worst = int(off.argmax())
        if off[worst] <= tolerance:
            break
        chosen = sorted([*chosen, worst])
    frames = np.rint(at[chosen])
    found: dict[float, float] = {}
    for frame, value in zip(frames.tolist(), line[chosen].tolist(), strict=True):
        found.setdefault(frame, value)
    return tuple(found.items()) if len(found) > 1 else ()


def _smoothed(values: Array) -> Array:
    """Return values smoothed by a binomial window that leaves both ends where they are."""
    window = np.array([1.0, 6.0, 15.0, 20.0, 15.0, 6.0, 1.0]) / 64.0
    padded = np.concatenate((2.0 * values[0] - values[3:0:-1], values, 2.0 * values[-1] - values[-2:-5:-1]))
    smooth = np.convolve(padded, window, mode="valid")
    smooth[0], smooth[-1] = values[0], values[-1]
    return smooth


def moved_speed(points: Points, i: int, frame: float, speed: float) -> Points:
    """Return points with one moved; it does not cross its neighbours, and no speed is below 0."""
    low = points[i - 1][0] + GAP if i > 0 else 0.0
    high = points[i + 1][0] - GAP if i + 1 < len(points) else np.inf
    made = (*points[:i], (float(min(max(frame, low), high)), max(speed, 0.0)), *points[i + 1 :])
    return points if not any(value > 0.0 for _, value in made) else made


def merged(points: Points, drawn: Points) -> Points:
    """Return points with those between the ends of a sketch replaced by the sketch's."""
    first, last = drawn[0][0], drawn[-1][0]
    before = tuple(point for point in points if point[0] < first - GAP)
    return (*before, *drawn, *(point for point in points if point[0] > last + GAP))
