"""Flights: while nothing holds a figure, its centre of mass is on a parabola and it keeps its angular momentum."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.preview.keyed_motion import KeyedDynamics
from core.preview.plausibility.support import NOTHING, Support, stretches
from core.preview.plausibility.violation import MOMENTUM, PARABOLA, Thresholds, Violation
from core.skeleton.extent import figure_height
from core.skeleton.skeleton import Skeleton

_REACH = 2  # samples either side that rates are estimated from
_FEWEST = 4  # samples that a parabola with an acceleration of its own is fitted to


class Flight(NamedTuple):
    """A stretch in the air.

    Attributes:
        first: Place of its first sample.
        last: Place of its last sample.
        inner: Places of the samples that are looked at.
    """

    first: int
    last: int
    inner: slice

    @property
    def turning(self) -> slice:
        """Places of the samples whose rates are estimated from the flight alone, not by what comes before or after."""
        start, stop = max(self.inner.start, self.first + _REACH), min(self.inner.stop, self.last - _REACH + 1)
        return slice(start, stop) if stop - start >= _FEWEST else self.inner


def flights(motion: KeyedDynamics, held: Support, gravity: Array, limits: Thresholds) -> list[Flight]:
    """Return the stretches in which a figure is in the air.

    One in which it is hardly above the ground counts only if it falls: recorded feet float a little.

    Args:
        motion: The motion.
        held: What holds the figure there.
        gravity: Shape (3,), [m/s^2].
        limits: Thresholds.
    """
    found = []
    for a, b in stretches(held.state == NOTHING):
        cut = max(1, math.ceil(limits.trimmed * (b - a)))
        inner = slice(a + cut, b - cut + 1)
        if motion.times[b] - motion.times[a] < limits.shortest or inner.stop - inner.start < _FEWEST:
            continue
        if held.low[a : b + 1].max() < held.surely_off:
            g = float(np.linalg.norm(gravity))
            falls = _fitted(motion.times[inner], motion.center_of_mass[inner]) @ gravity / max(g * g, 1e-12)
            if falls < limits.falling:
                continue
        found.append(Flight(a, b, inner))
    return found


def off_the_parabola(
    s: Skeleton, motion: KeyedDynamics, flight: Flight, gravity: Array, limits: Thresholds
) -> list[Violation]:
    """Return what is wrong with the way of the centre of mass through a flight.

    Args:
        s: The figure.
        motion: The motion.
        flight: The flight.
        gravity: Shape (3,), [m/s^2].
        limits: Thresholds.
    """
    g = float(np.linalg.norm(gravity))
    if g == 0.0:
        return []
    down = gravity / g
    t, c = motion.times[flight.inner], motion.center_of_mass[flight.inner]
    T = float(t[-1] - t[0])
    rise = 0.125 * g * T * T
    unsure = limits.rise * figure_height(s) / rise
    acceleration = _fitted(t, c)
    fall = float(acceleration @ down)
    sideways = acceleration - fall * down
    away = _from_parabola(t, c, gravity)
    upright = float(np.abs(away @ down).max())
    found = []
    first, last = _frames(motion, flight)
    wrong, off = abs(fall / g - 1.0), upright / rise
    if wrong > max(limits.gravity, unsure) or off > max(limits.off_parabola, unsure):
        amount = max(wrong, off)
        where = f"{upright * 100.0:.1f} cm off its parabola"
        if abs(fall) < 0.1 * g:
            words = f"Hangs in the air: the centre of mass does not fall and is up to {where}"
        else:
            words = f"In the air the centre of mass falls at {fall:.1f} instead of {g:.2f} m/s², up to {where}"
        found.append(Violation(PARABOLA, first, last, amount, f"{words} ({_percent(amount)})"))
    pushed = float(np.linalg.norm(sideways))
    if pushed > max(limits.gravity, unsure) * g:
        words = f"Pushed sideways in the air: {pushed:.1f} m/s², {_percent(pushed / g)} of the weight"
        found.append(Violation(MOMENTUM, first, last, pushed / g, words))
    return found


def turns_by_itself(motion: KeyedDynamics, flight: Flight, limits: Thresholds) -> list[Violation]:
    """Return whether the angular momentum of a flight is not kept.

    Args:
        motion: The motion.
        flight: The flight.
        limits: Thresholds.
    """
    inner = flight.turning
    t, L = motion.times[inner], motion.momentum[inner, :3]
    third = max(len(t) // 3, 1)
    half = max(min(round(0.04 / max(float(t[1] - t[0]), 1e-9)), (len(t) - 1) // 2), 0)
    smooth = _running_mean(L, half)
    slope = np.linalg.lstsq(np.vander(t - t.mean(), 2, increasing=True), L, rcond=None)[0][1]
    change = max(
        float(np.linalg.norm(L[-third:].mean(axis=0) - L[:third].mean(axis=0))),
        float(np.linalg.norm(slope)) * float(t[-1] - t[0]),
    )
    wobble = float(np.linalg.norm(np.ptp(smooth, axis=0)))
    moment = float(np.trace(motion.inertia[inner].mean(axis=0))) / 3.0
    size = float(np.linalg.norm(L, axis=1).max())
    scale = max(size, limits.turning_rate * moment)
    turned = change > max(limits.turning * size, limits.turning_least * moment)
    wobbled = wobble > max(limits.wobbling * size, limits.wobbling_least * moment)
    if not turned and not wobbled:
        return []
    amount = max(change, wobble) / scale
    first, last = _frames(motion, flight)
    words = (
        f"Turns by itself in the air: the angular momentum changes by {max(change, wobble):.1f} of {size:.1f} N m s"
        f" ({_percent(amount)})"
    )
    return [Violation(MOMENTUM, first, last, amount, words, turning=True)]


def _frames(motion: KeyedDynamics, flight: Flight) -> tuple[int, int]:
    return math.floor(motion.frames[flight.first]), math.ceil(motion.frames[flight.last])


def _fitted(t: Array, c: Array) -> Array:
    """Return the acceleration of the parabola nearest to places, shape (3,)."""
    powers = np.vander(t - t.mean(), 3, increasing=True)
    return np.asarray(2.0 * np.linalg.lstsq(powers, c, rcond=None)[0][2])


def _from_parabola(t: Array, c: Array, gravity: Array) -> Array:
    """Return how far places are from the nearest parabola of free flight, shape (m, 3)."""
    t = t - t.mean()
    straight = c - 0.5 * t[:, None] ** 2 * gravity
    powers = np.vander(t, 2, increasing=True)
    return np.asarray(straight - powers @ np.linalg.lstsq(powers, straight, rcond=None)[0])


def _running_mean(values: Array, half: int) -> Array:
    sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
    return np.asarray((sums[2 * half + 1 :] - sums[: len(sums) - 2 * half - 1]) / (2 * half + 1))


def _percent(amount: float) -> str:
    return f"{100.0 * amount:.0f} %"
