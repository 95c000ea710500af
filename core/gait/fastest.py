"""The fastest that a figure goes in a gait: so fast that no joint has to turn faster than joints do."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from core.arrays import Array
from core.gait.error import GaitError
from core.gait.gait import Gait
from core.gait.kept import Kept
from core.gait.manner import ADULT, Manner
from core.gait.walk import Walk
from core.skeleton import Skeleton
from core.terrain.ground import LEVEL

_USUAL = 1.02  # times the usual speed: slower than that nobody is refused
_SLACK = 1.03  # times the speed of joints: so much is no reason to refuse
_HALVINGS = 5
_TIDY = 0.05  # [m/s]: to so much the fastest speed is rounded down


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


def check_speed(gait: Gait, s: Skeleton, manner: Manner, leg: float, walk: Walk, fps: float) -> None:
    """Check that a figure is not to go faster than its joints can turn.

    Uneven ground and footprints that are moved are no reason: what counts is how it would go on level ground.

    Args:
        gait: The gait.
        s: The figure.
        manner: How it goes.
        leg: Length of its legs, [m].
        walk: What was made.
        fps: Frames a second.

    Raises:
        GaitError: If it is; names the fastest speed.
    """
    pace = gait.pace_for(manner, leg)
    usual = gait.pace_for(Manner(manner.kind, legs=manner.legs), leg)
    most = most_turning(gait, leg)
    if (pace.speed <= _USUAL * usual.speed and pace.rate <= _USUAL * usual.rate) or turning(s, walk, fps) <= most:
        return
    plain = replace(manner, footprints={}, path=(), turn=0.0, heading=0.0, place=(0.0, 0.0))

    def speed_of_joints(share: float) -> float:
        return turning(s, gait.make(s, _slower(plain, share), LEVEL, fps), fps)

    asked = speed_of_joints(1.0)
    if asked <= most:
        return

    def found() -> float:
        exact = gait.pace_for(_slower(plain, _largest(speed_of_joints, most)), leg).speed
        tidy = math.floor(exact / _TIDY) * _TIDY
        while manner.speed is not None and tidy > usual.speed and speed_of_joints(tidy / pace.speed) > most:
            tidy -= _TIDY  # at some speeds between, joints are unlucky
        return tidy

    others = replace(plain, speed=None)  # of whom the fastest speed is the same
    fastest = _kept.get((s, gait), (repr(others), fps), found)
    if fastest >= pace.speed:
        fastest = found()
    degrees = math.degrees(asked) / 30.0
    raise GaitError(
        f'figure "{s.name}" cannot {gait.name} at {pace.speed:.2f} m/s: joints would turn by {degrees:.0f} degrees '
        f"in a thirtieth of a second; its fastest {gait.name} {_of_such_steps(manner)}is {fastest:.2f} m/s"
    )


_kept: Kept[float] = Kept(64)


def _largest(speed_of_joints: Callable[[float], float], most: float) -> float:
    """Return the largest share of a speed at which joints turn no faster than they may."""
    low, high = 0.25, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if speed_of_joints(middle) <= most else (low, middle)
    return low


def _slower(manner: Manner, share: float) -> Manner:
    """Return the manner with a share of its speed; of its rate, or of its length, if only these are given."""
    if manner.speed is not None:
        return replace(manner, speed=manner.speed * share)
    if manner.step_rate is not None:
        return replace(manner, step_rate=manner.step_rate * share)
    return manner if manner.step_length is None else replace(manner, step_length=manner.step_length * share)


def _of_such_steps(manner: Manner) -> str:
    if manner.step_length is not None and (manner.speed is not None or manner.step_rate is not None):
        return f"in steps of {manner.step_length:.2f} m "
    return f"at {60.0 * manner.step_rate:.0f} steps a minute " if manner.step_rate is not None and manner.speed else ""
