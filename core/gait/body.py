"""The way of the body over its feet: where the pelvis is and how it is turned, and what trunk and arms do about it.

The pelvis goes over the foot that stands, highest in the middle of a step, and comes down so far that both legs reach
the ground. It turns with the leg that swings forward, by 4 degrees each way, and drops to its side by 4 degrees
(Saunders, Inman and Eberhart 1953, "The major determinants in normal and pathological gait", Journal of Bone and Joint
Surgery 35-A, 543-558); the shoulders turn the other way, and the arms swing with the leg of the other side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.gait.biped import Biped
from core.gait.feet import FootWay
from core.gait.footsteps import Footsteps
from core.gait.leg_dynamics import rides
from core.gait.manner import FORCES, Manner, Pace
from core.gait.turns import headed
from core.gait.upper_body import pelvis_at
from core.spatial import so3

_TURN, _DROP = np.radians(5.0), np.radians(4.0)  # of the pelvis, each way, at an easy step
_SHOULDERS = 1.9  # times the pelvis' turn: what the spine turns back
_SWAY = 0.022  # of a leg's length, each way
_EASY_STEP = 0.75  # of a leg's length
_BOB = 0.027  # of a leg's length, each way, at an easy step
_STANDING = 0.994  # likewise of a leg that stands upright
_LATE = 0.10  # of a step: so far is the body behind as a foot lands
_STOPPING, _STOPPED = 0.22, 0.08  # likewise as the last one lands, and a third of the time after that
_LEAN = np.radians(2.0)
_ARM = np.radians(21.0)  # forward and back, at an easy step
_ELBOW, _ELBOW_SWING = np.radians(17.0), np.radians(13.0)
_LAG = 0.06  # [s]: arms come after legs


class BodyWay(NamedTuple):
    """The way of pelvis, trunk and arms.

    Attributes:
        pelvis: Frame of the pelvis in the world, shape (m, 4, 4).
        bends: Rotation vectors in the body's axes (left, up, forward) that spine and neck make together, two of shape
            (m, 3), [rad].
        swings: How far arms are swung forward, the left and the right one, shape (m, 2), [rad].
        elbows: How far their elbows are bent, likewise.
    """

    pelvis: Array
    bends: tuple[Array, Array]
    swings: Array
    elbows: Array


def body_way(
    biped: Biped, manner: Manner, pace: Pace, steps: Footsteps, feet: tuple[FootWay, FootWay], fps: float
) -> BodyWay:
    """Return the way of a body over its feet at each frame.

    Args:
        biped: The figure.
        manner: How it walks.
        pace: Speed, length and rate of its steps.
        steps: Where its feet stand, and when.
        feet: The way of the left foot and of the right one.
        fps: Frames a second.
    """
    number, length = steps.last + 1, biped.leg_length
    easy = pace.length / (_EASY_STEP * length)
    step = fps / pace.rate
    ground, heading = _middle(steps, manner, number)
    support = _support(steps, number, step)
    ahead = np.stack([np.sin(heading), np.zeros(number), np.cos(heading)], axis=1)
    left = np.stack([np.cos(heading), np.zeros(number), -np.sin(heading)], axis=1)
    ankles = [way.frames[:, :3, 3] for way in feet]
    stride = ((ankles[0] - ankles[1]) * ahead).sum(axis=1) / max(pace.length, 1e-6)
    stride = np.clip(_blurred(stride, 0.06 * step), -1.3, 1.3)
    # Toward the side that bears it, later and rounder than the weight goes over.
    shift = _blurred(support, 0.22 * step)
    sway = manner.sway if biped.leans else 0.0
    place = ground + (_SWAY * length * sway * shift)[:, None] * left
    yaw = heading - (_TURN if biped.leans else 0.0) * min(easy, 1.4) * stride
    roll = _DROP * min(easy, 1.3) * _blurred(support, 0.12 * step) * min(sway, 1.6)
    lean = manner.lean + _LEAN * min(easy, 1.5)
    moving = _moving(steps, number, step)
    pitch = 0.5 * lean * moving
    R = headed(yaw) @ so3.exp(roll[:, None] * [0.0, 0.0, 1.0]) @ so3.exp(pitch[:, None] * [1.0, 0.0, 0.0])
    bob = _bobbing(steps, number) * _BOB * length * min(easy * easy, 1.8) * manner.bounce
    place[:, 1] += length * _height_share(biped) + bob
    if manner.legs == FORCES:
        _ride(biped, steps, ahead, ground, place, lean)
    place[:, 1] = _reached(biped, feet, R, place, place[:, 1], step)
    spine = np.stack([0.5 * lean * moving, -_SHOULDERS * (yaw - heading) * manner.arm_swing, -0.75 * roll], axis=1)
    # The head stays level and looks ahead.
    neck = np.stack([-0.8 * lean * moving, -(yaw - heading) - spine[:, 1], -roll - spine[:, 2]], axis=1)
    swings, elbows = _arms(manner, easy, stride, moving, fps)
    return BodyWay(pelvis_at(biped, place, R), (spine, neck), swings, elbows)


def _ride(biped: Biped, steps: Footsteps, ahead: Array, ground: Array, place: Array, lean: float) -> None:
    """Move the pelvis as forces do, in place, wherever the steps are even."""
    over = float(np.mean([leg.hip_place[1] for leg in biped.legs]))
    for ride in rides(biped, steps, ahead, ground, place[:, 1] + over, lean):
        rows = np.arange(ride.first, ride.first + len(ride.ways))
        place[rows] += (ride.ways[:, 0] - ride.along)[:, None] * ahead[rows]
        place[rows, 1] = ride.ways[:, 1] - over


def _height_share(biped: Biped) -> float:
    """Return how high the pelvis is over the ground, of the leg's length, as both legs stand almost straight."""
    spare = (1.0 - _STANDING) * float(np.mean([leg.length for leg in biped.legs]))
    return (biped.height - spare) / biped.leg_length


def _blurred(values: Array, sigma: float) -> Array:
    """Return values smoothed over so many frames, shape (m,)."""
    from scipy.ndimage import gaussian_filter1d  # here: the window starts without it

    return np.asarray(gaussian_filter1d(values, sigma, mode="nearest"))


def _middle(steps: Footsteps, manner: Manner, number: int) -> tuple[Array, Array]:
    """Return the place on the ground over which the body goes, shape (m, 3), and where it heads, shape (m,)."""
    from scipy.interpolate import CubicSpline  # here: the window starts without it

    places = steps.places
    headings = np.unwrap(np.arctan2(steps.frames[:, 0, 2], steps.frames[:, 2, 2]))
    between, course = 0.5 * (places[:-1] + places[1:]), 0.5 * (headings[:-1] + headings[1:])
    frames, knots, turns = [], [], []
    if steps.lead > 0:
        frames.append(0.0)
        knots.append(between[0])
        turns.append(course[0])
    # As a foot lands the body is between it and the other one.
    for k in range(1 if steps.lead == 0 else 2, len(places)):
        frames.append(float(steps.lands[k]))
        late = _LATE if steps.last <= steps.lands[-1] or k < len(places) - 1 else _STOPPING
        knots.append((1.0 - late) * between[k - 1] + late * between[max(k - 2, 0)])
        turns.append(course[k - 1])
    if steps.last > steps.lands[-1]:
        frames.append(float(steps.lands[-1]) + 0.35 * (steps.last - steps.lands[-1]))
        knots.append(between[-1] + _STOPPED * (between[-2] - between[-1]))
        turns.append(course[-1])
        frames.append(float(steps.last))
        knots.append(between[-1])
        turns.append(course[-1])
    if steps.lead > 0:  # it falls into the first step
        frames.insert(1, 0.85 * steps.lead)
        knots.insert(1, between[0] + 0.03 * (knots[1] - between[0]))
        turns.insert(1, course[0])
    t = np.arange(number, dtype=np.float64)
    at, values = np.array(frames), np.concatenate([np.array(knots), np.array(turns)[:, None]], axis=1)
    if len(at) < 2:
        found = np.tile(values[0], (number, 1))
    else:
        begins = "clamped" if steps.lead > 0 else "not-a-knot"
        ends = "clamped" if steps.last > steps.lands[-1] else "not-a-knot"
        if len(at) < 4:
            begins = ends = "clamped"
        if begins == ends:
            found = CubicSpline(at, values, bc_type=begins)(t)
        else:
            speeds = (values[-1] - values[-2]) / (at[-1] - at[-2]), (values[1] - values[0]) / (at[1] - at[0])
            first = (1, np.zeros(4)) if begins == "clamped" else (1, speeds[1])
            final = (1, np.zeros(4)) if ends == "clamped" else (1, speeds[0])
            found = CubicSpline(at, values, bc_type=(first, final))(t)
    return found[:, :3], found[:, 3]


def _support(steps: Footsteps, number: int, step: float) -> Array:
    """Return which foot bears the body, from -1, the right one alone, to 1, the left one, shape (m,)."""
    knots = [(0.0, 0.0)]
    for k in range(2, len(steps.sides)):
        stands = float(steps.sides[k - 1])
        leave, land = float(steps.leaves[k - 2]), float(steps.lands[k])
        if leave > knots[-1][0]:
            knots.append((leave, stands))
        knots.append((land, stands))
    if steps.last > knots[-1][0]:
        knots.append((knots[-1][0] + min(0.7 * step, steps.last - knots[-1][0]), 0.0))
    if steps.lead == 0 and len(knots) > 1:
        knots[0] = (0.0, 0.5 * float(steps.sides[0]))
    at, values = np.array(knots).T
    return np.interp(np.arange(number), at, values)


def _moving(steps: Footsteps, number: int, step: float) -> Array:
    """Return whether it walks, from 0 to 1, shape (m,)."""
    t = np.arange(number, dtype=np.float64)
    begins = np.ones(number) if steps.lead == 0 else _smooth((t - 0.6 * steps.lead) / step)
    ends = np.ones(number) if steps.last <= steps.lands[-1] else _smooth((steps.lands[-1] + 0.5 * step - t) / step)
    return begins * ends


def _smooth(u: Array) -> Array:
    v = np.clip(u, 0.0, 1.0)
    return np.asarray(v * v * (3.0 - 2.0 * v))


def _bobbing(steps: Footsteps, number: int) -> Array:
    """Return how high the body is in its step, from -2 just after a foot has landed to 0 in the middle between."""
    at, values = [0.0], [0.0]
    for k in range(2, len(steps.sides)):
        leave, land = float(steps.leaves[k - 2]), float(steps.lands[k])
        after = float(steps.leaves[k - 1]) if k + 1 < len(steps.sides) else land
        middle = 0.5 * (leave + land)
        low = 0.5 * (land + min(after, land + 0.5 * (land - leave)))
        if middle > at[-1]:
            at.append(middle)
            values.append(0.0)
        if low > at[-1] and k + 1 < len(steps.sides):
            at.append(low)
            values.append(-2.0)
    if number - 1 > at[-1]:
        at.append(float(number - 1))
        values.append(0.0)
    if len(at) < 3:
        return np.zeros(number)
    t = np.arange(number, dtype=np.float64)
    before = np.clip(np.searchsorted(at, t, side="right") - 1, 0, len(at) - 2)
    a, b = np.array(at)[before], np.array(at)[before + 1]
    u = np.clip((t - a) / (b - a), 0.0, 1.0)
    v = np.array(values)
    return np.asarray(v[before] + (v[before + 1] - v[before]) * 0.5 * (1.0 - np.cos(np.pi * u)))


def _reached(biped: Biped, feet: tuple[FootWay, FootWay], R: Array, place: Array, heights: Array, step: float) -> Array:
    """Return the heights of the pelvis, lowered smoothly to where both legs reach their feet, shape (m,)."""
    from scipy.ndimage import maximum_filter1d  # here: the window starts without it

    cap = np.full(len(heights), np.inf)
    for leg, way in zip(biped.legs, feet, strict=True):
        hip = np.einsum("mij,j->mi", R, leg.hip_place)
        ankle = way.frames[:, :3, 3]
        flat = (place + hip - ankle)[:, [0, 2]]
        reach = leg.stretched * leg.length
        down = np.sqrt(np.maximum(reach * reach - (flat * flat).sum(axis=1), (0.3 * reach) ** 2))
        cap = np.minimum(cap, ankle[:, 1] + down - hip[:, 1])
    sigma = 0.15 * step
    found = _blurred(np.minimum(heights, cap), sigma)
    for _ in range(4):
        over = np.maximum(found - cap, 0.0)
        if float(over.max()) <= 1e-6:
            break
        wide = maximum_filter1d(over, size=2 * round(2.0 * sigma) + 1, mode="nearest")
        found = found - _blurred(wide, sigma)
    return np.asarray(found)


def _arms(manner: Manner, easy: float, stride: Array, moving: Array, fps: float) -> tuple[Array, Array]:
    """Return how far arms are swung forward and elbows bent, the left and the right one, two of shape (m, 2), [rad]."""
    late = _blurred(np.interp(np.arange(len(stride)) - _LAG * fps, np.arange(len(stride)), stride), 1.0)
    forward = np.stack([-late, late], axis=1)  # with the other leg
    swings = _ARM * min(easy, 1.5) * manner.arm_swing * forward + np.radians(2.0)
    bent = _ELBOW_SWING * min(easy, 1.5) * manner.arm_swing * np.clip(0.5 + 0.5 * forward, 0.0, 1.2)
    return swings, _ELBOW * (0.6 + 0.4 * moving)[:, None] + bent * moving[:, None]
