"""Footsteps along a path on the ground: as long as the path leaves room for, shorter and slower where it bends."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.gait.biped import Biped
from core.gait.footsteps import Footsteps, alternating, set_down, sole_grid, timed, tries, widths
from core.gait.ground_path import GroundPath, path_of
from core.gait.manner import MOST_STEPS, Manner, Pace
from core.terrain.ground import Ground

_MOST_TURN = np.radians(20.0)  # from one footprint to the next
_FIRST = 0.8  # of a step: the one from standing
_STRETCH = 0.12  # of a step: as much longer may all be, rather than that there is one more
_EASY_RADIUS = 2.2  # of a leg's length: wider curves are walked as fast as a straight way
_LEAST = 0.25  # of a step: shorter it is nowhere
_FINE, _MOST_PLACES = 0.1, 20_000  # of a step: how near to each other the places are that are looked at
_START_APART, _STOP_APART = 0.9, 0.85  # of the distance of the hips: how far apart feet stand
_END = 0.02  # of a step: nearer to its end a path is done


def plan_along(biped: Biped, manner: Manner, pace: Pace, ground: Ground, fps: float) -> Footsteps:
    """Return the footsteps of a walk along the path of its manner, from its beginning to its end.

    A path of which the walk is under way at an end is walked to there, no farther.

    Args:
        biped: The figure.
        manner: How it walks; with a path.
        pace: Speed, length and rate of its steps on a straight way.
        ground: What it walks on.
        fps: Frames a second.
    """
    path, leg = path_of(manner.path), biped.leg_length
    hips, width = widths(biped, manner)
    soles = {part.side: sole_grid(part.sole) for part in biped.legs}
    size = max(float(np.ptp(part.sole[:, 2])) for part in biped.legs)
    strides = _Strides(path, pace.length, leg)
    sides = alternating(manner.first, MOST_STEPS + 2)
    frames: list[Array] = []
    slower: list[float] = []
    done, height, closing = 0.0, None, False
    for k, side in enumerate(sides):
        to, away = done, np.zeros(1)
        if k >= (2 if manner.start else 1) and not closing:
            to, final = strides.after(done, k == 2 and manner.start)
            away = np.zeros(1) if final else tries(to - done, size)
        s = to + away
        apart = width
        if k < 2 and manner.start:
            apart = max(width, _START_APART * hips)
        elif closing:
            apart = max(width, _STOP_APART * hips)
        heading = float(path.headings(s[:1])[0])
        yaw = heading + biped.outward * side
        if k in manner.footprints:
            x, z, yaw = manner.footprints[k]
            places, away, s = np.array([[x, z]]), np.zeros(1), s[:1]
        else:
            headings = path.headings(s)
            left_of = np.stack([np.cos(headings), -np.sin(headings)], axis=1)
            places = path.places(s) + 0.5 * apart * side * left_of
        best, frame, height = set_down(soles[int(side)], places, away, yaw, ground, height, leg)
        frames.append(frame)
        slower.append(1.0 / strides.rate(0.5 * (done + float(s[best]))))
        done = float(s[best])
        if closing:
            break
        if path.length - done <= _END * pace.length and k >= 1:
            if not manner.stop:
                break
            closing = True
    count = len(frames)
    return Footsteps(
        sides[:count], np.array(frames),
        *timed(manner, pace, biped, fps, np.array(frames), np.array(slower)), fps,
    )  # fmt: skip


class _Strides:
    """How many steps a path takes up to each of its places, and how long they are there.

    Args:
        path: The path.
        length: Length of a step on a straight way, [m].
        leg: Length of a leg, [m].
    """

    def __init__(self, path: GroundPath, length: float, leg: float):
        number = min(max(round(path.length / (_FINE * length)), 8), _MOST_PLACES) + 1
        self._at = np.linspace(0.0, path.length, number)
        bend = np.abs(path.curvatures(self._at))
        # Speed is length by rate, and both change alike; beyond that steps get shorter, not slower.
        self._rate = np.sqrt(path.paces(self._at, 0.6 * length, _EASY_RADIUS * leg))
        self._factor = np.minimum(self._rate, np.maximum(_MOST_TURN / np.maximum(bend * length, 1e-9), _LEAST))
        per_step = 1.0 / (length * self._factor)
        between = 0.5 * (per_step[1:] + per_step[:-1]) * np.diff(self._at)
        self._steps = np.concatenate([[0.0], np.cumsum(between)])

    def rate(self, place: float) -> float:
        """Return how quick steps are at a place, of those on a straight way."""
        return float(np.interp(place, self._at, self._rate))

    def after(self, place: float, first: bool) -> tuple[float, bool]:
        """Return where the next step leads from a place, [m], and whether it is the last one."""
        gone = float(np.interp(place, self._at, self._steps))
        rest, short = float(self._steps[-1]) - gone, 1.0 - _FIRST if first else 0.0
        left = max(int(np.ceil(rest / (1.0 + _STRETCH) + short)), 1)
        if left == 1:
            return float(self._at[-1]), True
        return float(np.interp(gone + rest * (1.0 - short) / (left - short), self._steps, self._at)), False
