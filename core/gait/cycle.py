"""Gaits that repeat: when each foot lands and leaves by its share of a stride, and where it is set down under the body.

A gait is a row of numbers, after Hildebrand (1965, "Symmetrical gaits of horses", Science 150, 701-708): for each foot
the share of the stride at which it lands, and its duty factor, the share for which it stands. The body goes along its
way; a foot is set down so that the body passes over it in the middle of its stance, on feet that leave sooner as it
speeds up. Speeds and stride rates are stated by leg length, as figures of another size move alike at the same Froude
number (Alexander 1989, "Optimization and gaits in the locomotion of vertebrates", Physiological Reviews 69, 1199-1227).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.gait.ground_path import GroundPath, path_of
from core.gait.manner import Manner, Pace
from core.gait.stepping import GRAVITY, Swing

_STAND, _WAIT = 0.4, 0.5  # [s]: before the first step, and after the last
_SPEEDING = 1.1  # strides that it takes to get up to speed
_MOST_SPEEDING = 0.22  # of gravity: nobody gets up to speed faster
CARRIED = 0.15  # of a stride: over so long the body goes along with a print that is elsewhere


class Cycle(NamedTuple):
    """A gait that repeats.

    Attributes:
        speed: Its usual speed, of the root of gravity times leg length.
        rate: Its usual strides, of the root of gravity over leg length.
        lands: When each foot lands, of a stride: left and right, of four-legged figures behind, then before.
        duty: How long each stands, likewise.
        swings: How limbs swing: those behind, then those before.
        push: How far a foot is rolled as it leaves, [rad].
        strike: How far it is turned up on its heel as it lands, [rad].
        rolls: For how much of its stance it rolls off.
        width: How far feet of a pair go apart, of the distance of their hips.
        sideways: Of gravity: curves that take more are gone more slowly.
        hurry: With which power of a speed over the usual one feet stand for less of a stride.
        ahead: How much farther before the hips than under them a foot is set down, of the way the body goes meanwhile.
    """

    speed: float
    rate: float
    lands: tuple[float, ...]
    duty: tuple[float, ...]
    swings: tuple[Swing, ...]
    push: float
    strike: float = 0.0
    rolls: float = 0.45
    width: float = 0.8
    ahead: float = 0.0
    sideways: float = 0.1
    hurry: float = 0.0

    def at_speed(self, manner: Manner, leg: float) -> Cycle:
        """Return the gait as it is in a manner: who goes faster than usual is in the air for longer.

        Duty factors fall with speed (Hoyt, Wickler and Cogger 2000, "Time of contact and step length", Journal of
        Experimental Biology 203, 221-227).
        """
        faster = self.pace(manner, leg)[0] / (self.speed * np.sqrt(GRAVITY * leg))
        if faster <= 1.0 or self.hurry == 0.0:
            return self
        return self._replace(duty=tuple(float(each * faster**-self.hurry) for each in self.duty))

    def pace(self, manner: Manner, leg: float) -> tuple[float, float]:
        """Return the speed, [m/s], and how long a stride takes, [s]: two steps of the manner."""
        usual = self.speed * np.sqrt(GRAVITY * leg), self.rate * np.sqrt(GRAVITY / leg)
        v, length, rate = manner.speed, manner.step_length, manner.step_rate
        if length is not None and rate is not None:
            v = length * rate
        elif v is not None and length is not None:
            rate = v / length
        elif v is None and length is not None:
            rate = 2.0 * usual[1]
            v = length * rate
        elif v is None and rate is not None:
            v = usual[0] * rate / (2.0 * usual[1])
        elif v is None:
            v = usual[0]
        if rate is None:  # who goes faster within a gait takes longer strides, and little quicker ones
            rate = 2.0 * usual[1] * (v / usual[0]) ** 0.4
        return float(v), float(2.0 / rate)

    def steps(self, manner: Manner, leg: float) -> Pace:
        """Return speed, length and rate of its steps, two a stride, for a leg of so many metres."""
        v, stride = self.pace(manner, leg)
        return Pace(v, 0.5 * v * stride, 2.0 / stride)


class Progress(NamedTuple):
    """How a body goes along its way.

    Attributes:
        path: The way.
        gone: How far it is along that at each frame, shape (m,), [m].
        share: Its speed there, of the gait's own, likewise.
        first: Frame at which the first foot leaves, or the frame that is counted as 0.
        last: Last frame.
        cut: Frames that are left out at the beginning.
        stride: Frames of a stride.
        stop: Frame at which it has arrived; past the last one if it goes on.
        fps: Frames a second.
    """

    path: GroundPath
    gone: Array
    share: Array
    first: float
    last: int
    cut: int
    stride: float
    stop: float
    fps: float


def course(manner: Manner, length: float) -> GroundPath:
    """Return the way of a manner: its path, or as many steps of a length straight ahead or turning."""
    if manner.path:
        return path_of(manner.path)
    number = max(manner.steps, 1)
    headings = manner.heading + manner.turn * (np.arange(number) + 0.5)
    steps = length * np.stack([np.sin(headings), np.cos(headings)], axis=1)
    return GroundPath(np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)]) + np.array(manner.place))


def progress(cycle: Cycle, manner: Manner, leg: float, fps: float) -> Progress:
    """Return how a body goes along its way.

    Args:
        cycle: The gait.
        manner: How fast, how far, and which way.
        leg: Length of a leg, [m].
        fps: Frames a second.
    """
    v, stride_time = cycle.pace(manner, leg)
    stride = stride_time * fps
    path = course(manner, 0.5 * v * stride_time)
    lead = round(_STAND * fps) if manner.start else 0
    cut = 0 if manner.start else int(np.ceil(1.5 * stride))
    step = v / fps
    places = np.linspace(0.0, path.length, max(int(path.length / (0.25 * leg)), 4) + 1)
    allowed = path.paces(places, 0.5 * v * stride_time, v * v / (cycle.sideways * GRAVITY))
    gone, share, s = [0.0], [0.0 if manner.start else 1.0], 0.0
    up = min(1.0 / (_SPEEDING * stride), _MOST_SPEEDING * GRAVITY / (v * fps))
    most = 60_000
    for _ in range(lead):
        gone.append(0.0)
        share.append(0.0)
    pace = 0.0 if manner.start else 1.0
    while s < path.length - 1e-4 * step and len(gone) < most:
        wanted = float(np.interp(s, places, allowed))
        if manner.stop:  # as far from the end as it takes to slow down evenly
            wanted = min(wanted, np.sqrt(2.0 * up * (path.length - s) / step) + 0.02)
        pace += float(np.clip(wanted - pace, -2.0 * up, up))
        pace = max(pace, 0.02)
        s = min(s + pace * step, path.length)
        gone.append(s)
        share.append(pace)
    stop = float(len(gone) - 1)
    rest = round((_WAIT * fps + 1.6 * stride) if manner.stop else 1.6 * stride)
    gone += [s if manner.stop else s + (k + 1) * pace * step for k in range(rest)]
    share += [0.0 if manner.stop else pace] * rest
    before = -np.arange(cut, 0, -1) * step
    number = len(gone) + cut
    found = np.concatenate([before, np.array(gone)])
    shares = np.concatenate([np.ones(cut), np.array(share)])
    last = number - 1 if manner.stop else int(stop) + cut
    return Progress(
        path, smoothed(found, 0.10 * stride), smoothed(shares, 0.12 * stride), float(lead + cut), last, cut, stride,
        stop + cut if manner.stop else 2.0 * number, fps,
    )  # fmt: skip


def smoothed(values: Array, sigma: float) -> Array:
    """Return values smoothed over so many frames, shape (m, ...)."""
    from scipy.ndimage import gaussian_filter1d  # here: the window starts without it

    return np.asarray(gaussian_filter1d(values, sigma, axis=0, mode="nearest"))


def ahead_of(cycle: Cycle, way: Progress, foot: int) -> Array:
    """Return how far a foot is before the others as it steps, from -1 to 1 and less as it slows down, shape (m,)."""
    phase = (np.arange(len(way.gone)) - way.first) / way.stride - cycle.lands[foot]
    return np.asarray(np.cos(2.0 * np.pi * (phase + 0.06)) * way.share)
