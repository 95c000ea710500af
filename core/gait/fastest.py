"""The fastest that a figure goes in a gait: so fast that no joint has to turn faster than joints do.

It is the figure's and the gait's own, and where the length or the rate of steps is given, of those steps. Ground,
footprints, paths, or what was asked for before are no part of it: it is looked for at speeds of a fixed grid, each
tried by a short walk on level ground.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.gait.error import GaitError
from core.gait.gait import Gait
from core.gait.kept import Kept
from core.gait.manner import ADULT, CURVES, FORCES, WALK, Manner
from core.gait.walk import Walk
from core.skeleton import Skeleton
from core.terrain.ground import LEVEL

_USUAL = 1.02  # times the usual speed: slower than that nobody is refused
_SLACK = 1.03  # times the speed of joints: so much is no reason to refuse
_STEPS = 20  # of the walks that are tried: feet land at all shares of a frame
_GRID = 0.05  # [m/s]
_MOST = 200  # of the grid: no manner is faster
_FIRST = 4  # so many of the grid above the usual speed it is looked for at first
_HASTE = 8.0  # steps a second that nobody takes


def turning(s: Skeleton, walk: Walk, fps: float) -> float:
    """Return how fast a joint of a figure turns from key to key at the most, not counting the root, [rad/s]."""
    frames = np.array([key.frame for key in walk.keys], dtype=np.float64)
    if len(frames) < 2:
        return 0.0
    q: Array = np.array([key.q for key in walk.keys])[:, 3 + len(s.joints[0].dofs) :]
    return float((np.abs(np.diff(q, axis=0)).max(axis=1, initial=0.0) / np.diff(frames)).max() * fps)


def most_turning(gait: Gait, leg: float) -> float:
    """Return how fast joints turn in a gait before it is refused, [rad/s]: small figures step faster."""
    return _SLACK * gait.fastest * max(math.sqrt(ADULT / leg), 1.0)


class _Steps(NamedTuple):
    """What of a manner's steps stays the same as they get faster, each None if people choose it.

    Attributes:
        length: Their length, [m].
        rate: Their rate, [1/s].
    """

    length: float | None
    rate: float | None


def check_speed(gait: Gait, s: Skeleton, manner: Manner, leg: float, fps: float) -> None:
    """Check that a figure is not to go faster than its joints can turn.

    Args:
        gait: The gait.
        s: The figure.
        manner: How it goes.
        leg: Length of its legs, [m].
        fps: Frames a second.

    Raises:
        GaitError: If it is; names the fastest speed.
    """
    if _is_usual(gait, manner, leg):
        return
    pace, steps = gait.pace_for(manner, leg), _steps(gait, manner, leg)
    fastest = _fastest_speed(gait, s, manner, leg, fps, CURVES)
    if pace.speed <= fastest + 1e-9:
        return
    so = f"its fastest {gait.name} {_in_words(steps)}is {fastest:.2f} m/s"
    if fastest <= 0.0:
        so = f"no {gait.name} {_in_words(steps)}is slow enough"
    raise GaitError(f'figure "{s.name}" cannot {gait.name} at {pace.speed:.2f} m/s: joints do not turn so fast; {so}')


def speed_is_known(gait: Gait, s: Skeleton, manner: Manner, leg: float, fps: float) -> bool:
    """Return whether all answers about a manner come at once: speeds were looked for before, or do not matter."""
    asked = [] if _is_usual(gait, manner, leg) else [CURVES]
    asked += [FORCES] if _rides_on_springs(gait, manner) else []
    return all(_fastest.has((s, gait), _key(gait, manner, leg, fps, legs)) for legs in asked)


def springs_are_too_fast(gait: Gait, s: Skeleton, manner: Manner, leg: float, fps: float) -> bool:
    """Return whether joints turn too fast in a walk on level ground if forces move the body over the feet."""
    if not _rides_on_springs(gait, manner):
        return False
    return gait.pace_for(manner, leg).speed > _fastest_speed(gait, s, manner, leg, fps, FORCES) + _GRID


def _rides_on_springs(gait: Gait, manner: Manner) -> bool:
    return manner.legs == FORCES and gait.name == WALK and gait.legs == 2


_fastest: Kept[float] = Kept(64)


def _fastest_speed(gait: Gait, s: Skeleton, manner: Manner, leg: float, fps: float, legs: str) -> float:
    """Return the fastest speed in steps like a manner's, moved by one of ``LEGS``, [m/s]."""
    return _fastest.get(
        (s, gait), _key(gait, manner, leg, fps, legs),
        lambda: _looked_for(gait, s, manner.feet, _steps(gait, manner, leg), leg, fps, legs),
    )  # fmt: skip


def _key(gait: Gait, manner: Manner, leg: float, fps: float, legs: str) -> tuple[object, ...]:
    return (manner.feet, *_steps(gait, manner, leg), fps, legs)


def _is_usual(gait: Gait, manner: Manner, leg: float) -> bool:
    """Return whether a manner is no faster than usual, and takes no quicker steps."""
    pace, usual = gait.pace_for(manner, leg), gait.pace_for(Manner(manner.kind), leg)
    return pace.speed <= _USUAL * usual.speed and pace.rate <= _USUAL * usual.rate


def _steps(gait: Gait, manner: Manner, leg: float) -> _Steps:
    """Return what of a manner's steps stays the same as they get faster."""
    length, rate, speed = manner.step_length, manner.step_rate, manner.speed
    if length is not None and rate is None and speed is None and gait.pace is not None:
        return _Steps(None, gait.pace_for(manner, leg).rate)  # longer steps of a run are not quicker
    if rate is not None and length is None and speed is None and gait.pace is not None:
        return _Steps(gait.pace_for(manner, leg).length, None)
    if length is not None and (rate is not None or speed is not None):
        return _Steps(length, None)
    return _Steps(None, rate if speed is not None else None)


def _looked_for(
    gait: Gait, s: Skeleton, feet: tuple[str, ...], steps: _Steps, leg: float, fps: float, legs: str
) -> float:
    """Return the fastest speed of the grid, [m/s]; 0 if there is none."""
    usual, most = gait.pace_for(Manner(gait.name), leg), most_turning(gait, leg)

    def fits(number: int) -> bool:
        speed = number * _GRID
        rate = steps.rate if steps.length is None else speed / steps.length
        if rate is not None and rate > _HASTE:
            return False
        tried = Manner(
            gait.name, steps=_STEPS, feet=feet, speed=speed, step_length=steps.length, step_rate=steps.rate, legs=legs
        )
        try:
            return turning(s, gait.make(s, tried, LEVEL, fps), fps) <= most
        except GaitError:  # it could not even get over level ground like that
            return False

    begin = usual.speed if steps.length is None else min(usual.speed, steps.length * usual.rate)
    return _GRID * _last_that_fits(fits, max(math.floor(begin / _GRID), 1))


def _last_that_fits(fits: Callable[[int], bool], begin: int) -> int:
    """Return the last number that fits, looked for up and down from one, in growing steps and then by halves."""
    good, bad, step = (begin, _MOST + 1, _FIRST) if fits(begin) else (0, begin, 0)
    while step and bad - good > 1:
        number = min(good + step, _MOST)
        if not fits(number):
            bad = number
            break
        good, step = number, 2 * step
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good


def _in_words(steps: _Steps) -> str:
    if steps.length is not None:
        return f"in steps of {steps.length:.2f} m "
    return "" if steps.rate is None else f"at {60.0 * steps.rate:.0f} steps a minute "
