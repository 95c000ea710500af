"""The fastest that a figure goes in a gait: so fast that no joint has to turn faster than joints do.

It is the figure's and the gait's own, and where the length or the rate of steps is given, of those steps. Ground,
footprints, paths, or what was asked for before are no part of it: it is looked for at speeds of a fixed grid, each
tried by walks on level ground with a key at each frame. Of jumps it is how far that is bounded: how fast they are
follows from how high they go.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.gait.error import GaitError
from core.gait.gait import Gait
from core.gait.kept import Kept
from core.gait.manner import CURVES, FORCES, WALK, Manner
from core.gait.walk import Walk
from core.skeleton import Skeleton
from core.terrain.ground import LEVEL

_USUAL = 1.02  # times the usual speed: slower than that nobody is refused whose legs are long
_LONG = 0.8  # [m]: legs of people and horses, whose usual gaits are tested; shorter ones step quicker
_STEPS, _JUMPS = (8, 20), (4,)  # of the walks that are tried: feet land at many shares of a frame
_GRID = 0.05  # [m/s], of jumps [m]
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


class _Steps(NamedTuple):
    """What of a manner's steps stays the same as they get faster, each None if people choose it.

    Attributes:
        length: Their length, [m].
        rate: Their rate, [1/s].
    """

    length: float | None
    rate: float | None


def check_speed(gait: Gait, s: Skeleton, manner: Manner, leg: float, fps: float) -> None:
    """Check that a figure is not to go so fast, or to jump so far, that its joints would have to turn too fast.

    Args:
        gait: The gait.
        s: The figure.
        manner: How it goes.
        leg: Length of its legs, [m].
        fps: Frames a second.

    Raises:
        GaitError: If it is; names the fastest speed, or the farthest jump.
    """
    if _goes_as_usual(gait, s, manner, leg, fps):
        return
    pace, steps = gait.pace_for(manner, leg), _steps(gait, manner, leg)
    asked = pace.length if gait.leaps else pace.speed
    most = _most_of(gait, s, manner, leg, fps, CURVES)
    if asked <= most + 1e-9:
        return
    if most <= 0.0:
        gait.make(s, Manner(gait.name, feet=manner.feet), LEVEL, fps)  # it may say better why it cannot
    if gait.leaps:
        how, so = f"jump {asked:.2f} m far", f"its farthest jump {_as_high(manner)}is {most:.2f} m"
    else:
        how, so = f"{gait.name} at {asked:.2f} m/s", f"its fastest {gait.name} {_in_words(steps)}is {most:.2f} m/s"
    if most <= 0.0:
        so = f"not even in its shortest jump {_as_high(manner)}" if gait.leaps else (
            f"not even in its slowest {gait.name} {_in_words(steps)}")  # fmt: skip
        raise GaitError(f'figure "{s.name}" cannot {how}: joints do not turn so fast, {so.rstrip()}')
    raise GaitError(f'figure "{s.name}" cannot {how}: joints do not turn so fast; {so}')


def instead_of_usual(gait: Gait, s: Skeleton, manner: Manner, leg: float, fps: float) -> float | None:
    """Return how fast a figure goes, [m/s], or how far it jumps, [m], that cannot do as usual.

    None if it can, if the manner says how fast or how far, or if no speed is slow enough.
    """
    said = (manner.speed, manner.step_length, manner.step_rate) != (None, None, None)
    if said or _goes_as_usual(gait, s, manner, leg, fps):
        return None
    pace, most = gait.pace_for(manner, leg), _most_of(gait, s, manner, leg, fps, CURVES)
    return most if 0.0 < most < (pace.length if gait.leaps else pace.speed) else None


def speed_is_known(gait: Gait, s: Skeleton, manner: Manner, leg: float, fps: float) -> bool:
    """Return whether all answers about a manner come at once: speeds were looked for before, or do not matter."""
    if _rides_on_springs(gait, manner) and not _most.has((s, gait), _key(gait, manner, leg, fps, FORCES)):
        return False
    asked = leg < _LONG and _is_usual(gait, manner, leg)
    if asked and not _fits.has((s, gait), _usual_key(manner, fps)):
        return False
    if _goes_as_usual(gait, s, manner, leg, fps):
        return True
    return _most.has((s, gait), _key(gait, manner, leg, fps, CURVES))


def springs_are_too_fast(gait: Gait, s: Skeleton, manner: Manner, leg: float, fps: float) -> bool:
    """Return whether joints turn too fast in a walk on level ground if forces move the body over the feet."""
    if not _rides_on_springs(gait, manner):
        return False
    return gait.pace_for(manner, leg).speed > _most_of(gait, s, manner, leg, fps, FORCES) + _GRID


def _rides_on_springs(gait: Gait, manner: Manner) -> bool:
    return manner.legs == FORCES and gait.name == WALK and gait.legs == 2


_most: Kept[float] = Kept(64)
_fits: Kept[bool] = Kept(64)


def _most_of(gait: Gait, s: Skeleton, manner: Manner, leg: float, fps: float, legs: str) -> float:
    """Return the fastest speed in steps like a manner's, moved by one of ``LEGS``, [m/s]; the farthest jump, [m]."""
    return _most.get(
        (s, gait), _key(gait, manner, leg, fps, legs),
        lambda: _farthest(gait, s, manner.feet, manner.lift, leg, fps) if gait.leaps
        else _looked_for(gait, s, manner.feet, _steps(gait, manner, leg), leg, fps, legs),
    )  # fmt: skip


def _key(gait: Gait, manner: Manner, leg: float, fps: float, legs: str) -> tuple[object, ...]:
    if gait.leaps:
        return (manner.feet, manner.lift, fps)
    return (manner.feet, *_steps(gait, manner, leg), fps, legs)


def _is_usual(gait: Gait, manner: Manner, leg: float) -> bool:
    """Return whether a manner is no faster than usual, and takes no quicker steps; jumps are as usual."""
    pace, usual = gait.pace_for(manner, leg), gait.pace_for(Manner(manner.kind), leg)
    if gait.leaps:
        return manner.lift == 1.0 and pace.length <= _USUAL * usual.length
    return pace.speed <= _USUAL * usual.speed and pace.rate <= _USUAL * usual.rate


def _goes_as_usual(gait: Gait, s: Skeleton, manner: Manner, leg: float, fps: float) -> bool:
    """Return whether a manner is no faster than usual, and no joint turns too fast at the usual speed."""
    if not _is_usual(gait, manner, leg):
        return False
    if leg >= _LONG:
        return True
    tried = Manner(gait.name, feet=manner.feet)
    return _fits.get((s, gait), _usual_key(manner, fps), lambda: _can(gait, s, tried, fps))


def _usual_key(manner: Manner, fps: float) -> tuple[object, ...]:
    return (manner.feet, fps)


def _can(gait: Gait, s: Skeleton, manner: Manner, fps: float) -> bool:
    """Return whether a figure goes over level ground in a manner without a joint that turns too fast."""
    most, numbers = gait.fastest, _JUMPS if gait.leaps else _STEPS
    try:
        walks = (gait.each_frame(s, replace(manner, steps=steps), LEVEL, fps) for steps in numbers)
        return all(turning(s, walk, fps) <= most for walk in walks)
    except GaitError:  # it could not even get over level ground like that
        return False


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
    usual = gait.pace_for(Manner(gait.name), leg)

    def fits(number: int) -> bool:
        speed = number * _GRID
        rate = steps.rate if steps.length is None else speed / steps.length
        if rate is not None and rate > _HASTE:
            return False
        tried = Manner(gait.name, feet=feet, speed=speed, step_length=steps.length, step_rate=steps.rate, legs=legs)
        return _can(gait, s, tried, fps)

    begin = usual.speed if steps.length is None else min(usual.speed, steps.length * usual.rate)
    return _GRID * _last_that_fits(fits, max(math.floor(begin / _GRID), 1))


def _farthest(gait: Gait, s: Skeleton, feet: tuple[str, ...], lift: float, leg: float, fps: float) -> float:
    """Return the farthest jump of the grid, so high, [m]; 0 if there is none."""

    def fits(number: int) -> bool:
        tried = Manner(gait.name, feet=feet, step_length=number * _GRID, lift=lift)
        return _can(gait, s, tried, fps)

    return _GRID * _last_that_fits(fits, max(math.floor(gait.pace_for(Manner(gait.name), leg).length / _GRID), 1))


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


def _as_high(manner: Manner) -> str:
    return "" if manner.lift == 1.0 else f"{manner.lift:.0%} as high as usual "


def _in_words(steps: _Steps) -> str:
    if steps.length is not None:
        return f"in steps of {steps.length:.2f} m "
    return "" if steps.rate is None else f"at {60.0 * steps.rate:.0f} steps a minute "
