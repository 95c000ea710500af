"""Where feet are set down: planned along the way, then fitted to the ground, and when they touch and leave it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Ints
from core.gait.biped import Biped
from core.gait.kept import Kept
from core.gait.manner import ADULT, Manner, Pace
from core.gait.turns import LEFT, RIGHT
from core.spatial.cross_products import cross
from core.terrain.ground import Ground

_SHIFT = 0.45  # of a sole's length: as far along may a step go to a better place
_SHIFTS = 13
_SHORTEST, _SHORTER = 0.7, 12  # of a step's length: as much shorter may it be where the ground rises or falls
_MOST_RISE = 0.24  # of a leg's length: how much higher or lower a step is, rather than shorter
_COST = 0.004  # [m]: of unevenness under the sole that a step takes a sole's length aside for
_SLOWER, _SLOWEST = 1.2, 2.0  # a step that rises as far takes so much longer, and so many times that at most
_STEEP_COST = 0.16  # of what a step rises or falls beyond the usual
_SUNK = 0.0004  # [m]: what a sole sinks in at its deepest, so that it surely touches
_MOST_SUNK = 0.0013  # [m]: and at most where the ground is uneven
_STAND, _WAIT = 0.4, 0.6  # [s]: before the first step, and after the last
_PASSES = 1.1  # of the width of a sole: by so much at least, as one foot passes the other
NARROW = 0.6  # of the distance of the hips: how far apart feet go in a walk
_LONGER, _SHORT = 1.45, 0.4  # so many times as long as the one before is a step at most, but no shorter than usual
_OWN_RISE = 0.75  # of what a foot rises or falls from its last place, as against the other one's
_FINE = 7
_MARGIN = 0.05  # of a sole's length: so far from its ends an edge may be at the nearest
_EDGE = 0.08  # of a sole's length: ground that is so much lower at once is over an edge, and bears nothing
_BORNE = 0.7  # of a sole must be borne at least; the rest hangs over an edge
_HANGING = 0.02  # [m]: of unevenness, what a sole that hangs costs


class Footsteps(NamedTuple):
    """The footprints of a walk. The first two are those it begins on; each is of the same foot as the one before last.

    Attributes:
        sides: ``LEFT`` or ``RIGHT`` of each, shape (n,).
        frames: Where the middle of the sole is and how it is turned, shape (n, 4, 4), in the axes left, up, forward.
        lands: Frame at which it touches the ground, shape (n,); before 0 for those that stand there already.
        leaves: Frame at which it leaves it again; after the last for those that stay.
        last: Last frame.
        lead: Frame at which the walk has begun.
        fps: Frames a second.
    """

    sides: Array
    frames: Array
    lands: Ints
    leaves: Ints
    last: int
    lead: int
    fps: float = 30.0

    @property
    def places(self) -> Array:
        """Middles of the soles, shape (n, 3), [m]."""
        return self.frames[:, :3, 3]


def plan(biped: Biped, manner: Manner, pace: Pace, ground: Ground, fps: float) -> Footsteps:
    """Return the footsteps of a walk.

    Args:
        biped: The figure.
        manner: How it walks.
        pace: Speed, length and rate of its steps.
        ground: What it walks on.
        fps: Frames a second.
    """
    sides = alternating(manner.first, manner.steps + 2)
    frames = _frames(biped, manner, pace, sides, ground)
    return Footsteps(sides, frames, *timed(manner, pace, biped, fps, frames), fps)


def alternating(first: str, number: int) -> Array:
    """Return the sides of so many footprints of which the third is the first step, shape (number,)."""
    side = LEFT if first == "left" else RIGHT
    return np.where(np.arange(number) % 2 == 0, side, -side)


def _frames(biped: Biped, manner: Manner, pace: Pace, sides: Array, ground: Ground) -> Array:
    """Return the frames of footprints on the ground, shape (n, 4, 4): each from where the one before came to be."""
    number = len(sides)
    hips, width = widths(biped, manner)
    lengths, apart = np.full(number, pace.length), np.full(number, width)
    lengths[0] = 0.0
    if manner.start:
        lengths[1] = 0.0
        apart[:2] = max(width, 0.9 * hips)
        if number > 3:
            lengths[2] *= 0.8
    if manner.stop:
        lengths[-1] = 0.0
        apart[-1] = max(width, 0.85 * hips)
    soles = {leg.side: sole_grid(leg.sole) for leg in biped.legs}
    size = max(float(np.ptp(leg.sole[:, 2])) for leg in biped.legs)
    found = np.tile(np.eye(4), (number, 1, 1))
    middle, heading, height = np.array(manner.place), manner.heading, None
    gone = np.inf
    for k in range(number):
        lengths[k] = min(lengths[k], max(_LONGER * gone, _SHORT * pace.length))
        turn = manner.turn if k >= 2 else 0.0
        way = np.array([np.sin(heading + 0.5 * turn), np.cos(heading + 0.5 * turn)])
        heading += turn
        left = np.array([np.cos(heading), -np.sin(heading)])
        yaw = heading + biped.outward * sides[k]
        if k in manner.footprints:
            x, z, yaw = manner.footprints[k]
            places, away = np.array([[x, z]]), np.zeros(1)
            heading = yaw - biped.outward * sides[k]
        else:
            away = tries(float(lengths[k]), size)
            places = middle + (lengths[k] + away)[:, None] * way + 0.5 * apart[k] * sides[k] * left
        best, found[k], height = set_down(soles[int(sides[k])], places, away, yaw, ground, height, biped.leg_length)
        sideways = 0.5 * apart[k] * sides[k]
        left = np.array([np.cos(heading), -np.sin(heading)])
        before, middle = middle, places[best] - sideways * left
        if k >= 2:
            gone = float(np.hypot(*(middle - before)))
    return found


def widths(biped: Biped, manner: Manner) -> tuple[float, float]:
    """Return how far apart the hips are, and how far apart sideways the feet go, [m]: one has to pass the other."""
    hips = abs(float(biped.legs[0].hip_place[0] - biped.legs[1].hip_place[0]))
    if not biped.leans:
        return hips, hips
    if manner.width is not None:
        return hips, manner.width
    broad = _PASSES * max(float(np.ptp(leg.sole[:, 0])) for leg in biped.legs)
    return hips, min(max(NARROW * hips, broad), hips)


def tries(length: float, size: float) -> Array:
    """Return by how much a step may be longer or shorter than it would be, the nearest first, [m]."""
    reach = _SHIFT * size
    found = np.linspace(-reach, reach, _SHIFTS)
    if length > 0.0:
        shorter = np.linspace(-_SHORTEST * length, -reach, _SHORTER)
        found = np.concatenate([shorter[shorter < -reach], found])
    return np.asarray(found[np.argsort(np.abs(found), kind="stable")])


def set_down(
    sole: Array, places: Array, away: Array, yaw: float, ground: Ground, height: float | None, leg: float
) -> tuple[int, Array, float]:
    """Return which of some places a foot is set down on, the frame of its sole there, and how high the ground is.

    Args:
        sole: Points of the sole, shape (k, 3).
        places: x and z of each, shape (m, 2).
        away: How far each is from where the foot would go, shape (m,), [m].
        yaw: Where it points, [rad].
        ground: The ground.
        height: How high the other foot stands, [m]; None if it does not matter.
        leg: Length of a leg, [m].
    """
    return _set_down.get(
        (ground,), (sole, places, away, yaw, height, leg),
        lambda: _best_of(sole, places, away, yaw, ground, height, leg),
    )  # fmt: skip


_set_down: Kept[tuple[int, Array, float]] = Kept(400)


def _best_of(
    sole: Array, places: Array, away: Array, yaw: float, ground: Ground, height: float | None, leg: float
) -> tuple[int, Array, float]:
    """Return what ``set_down`` does."""
    plane, left_over, hangs = _planes(sole, places, yaw, ground)
    size, most = float(np.ptp(sole[:, 2])) / (1.0 + 2.0 * _MARGIN), _MOST_RISE * leg
    uneven = np.maximum(np.ptp(left_over, axis=1), 1e-4) + _HANGING * hangs
    cost = uneven + _COST * np.abs(away) / size
    if height is not None:
        rise = np.abs(plane[:, 2] - height)
        cost = cost + np.maximum(rise - most, 0.0) + _STEEP_COST * np.maximum(rise - 0.4 * most, 0.0)
    best = int(cost.argmin())
    return best, _placed(places[best], plane[best], left_over[best], yaw), float(plane[best, 2])


def _planes(sole: Array, places: Array, yaw: float, ground: Ground) -> tuple[Array, Array, Array]:
    """Return the planes nearest to the ground under soles, what it is off them, and how much of them hangs.

    Where a sole hangs over an edge, the ground this side of it counts.

    Args:
        sole: Points of a sole, shape (k, 3).
        places: Where its middle is, x and z, shape (m, 2).
        yaw: Where it points, [rad].
        ground: The ground.

    Returns:
        Rise along x and z and height in the middle, shape (m, 3); heights over that, shape (m, k); the share of a sole
        that hangs, shape (m,).
    """
    c, s = np.cos(yaw), np.sin(yaw)
    x, z = c * sole[:, 0] + s * sole[:, 2], -s * sole[:, 0] + c * sole[:, 2]
    at = places[:, None] + np.stack([x, z], axis=1)
    heights = ground.heights(at.reshape(-1, 2)).reshape(len(places), len(sole))
    rows = np.stack([x, z, np.ones_like(x)], axis=1)
    plane = heights @ np.linalg.solve(rows.T @ rows, rows.T).T
    left_over = heights - plane @ rows.T
    hangs, edge = np.zeros(len(places)), _EDGE * float(np.ptp(sole[:, 2]))
    for m in np.flatnonzero(np.ptp(left_over, axis=1) > edge):
        ordered = np.sort(heights[m])
        gaps = np.diff(ordered)
        borne = heights[m] > ordered[int(gaps.argmax())]
        if gaps.max() < edge or borne.mean() < _BORNE:
            continue
        plane[m] = np.linalg.lstsq(rows[borne], heights[m, borne], rcond=1e-6)[0]
        left_over[m] = heights[m] - rows @ plane[m]
        left_over[m, ~borne] = left_over[m, borne].min()
        hangs[m] = 1.0 - borne.mean()
    return plane, left_over, hangs


def _placed(place: Array, plane: Array, left_over: Array, yaw: float) -> Array:
    """Return the frame of a footprint that lies on a plane, as high as what rises above it under the sole."""
    normal = np.array([-plane[0], 1.0, -plane[1]])
    normal /= np.linalg.norm(normal)
    side = cross(normal, np.array([np.sin(yaw), 0.0, np.cos(yaw)]))
    side /= np.linalg.norm(side)
    found = np.eye(4)
    found[:3, 0], found[:3, 1], found[:3, 2] = side, normal, cross(side, normal)
    found[:3, 3] = place[0], plane[2] + left_over.max() - min(_SUNK + 0.4 * np.ptp(left_over), _MOST_SUNK), place[1]
    return found


def sole_grid(sole: Array) -> Array:
    """Return points spread over a sole from its outline, and a little before and behind it, shape (k, 3)."""
    low, high = sole.min(axis=0), sole.max(axis=0)
    margin = _MARGIN * float(high[2] - low[2])
    along = np.linspace(low[2] - margin, high[2] + margin, _FINE)
    x, z = np.meshgrid(np.linspace(low[0], high[0], 3), along, indexing="ij")
    inner = np.stack([x.reshape(-1), np.zeros(x.size), z.reshape(-1)], axis=1)
    return inner


def timed(
    manner: Manner, pace: Pace, biped: Biped, fps: float, frames: Array, longer: Array | float = 1.0
) -> tuple[Ints, Ints, int, int]:
    """Return when feet land and leave, the last frame, and the frame from which on it walks.

    Each step takes ``longer`` times as long as it would.
    """
    step, number = fps / pace.rate, len(frames)
    swing = 2.0 * (1.0 - pace.duty(biped.leg_length)) * step
    lead = _STAND * fps if manner.start else 0.0
    # Up and down takes longer.
    heights = frames[:, 1, 3]
    rises = np.abs(np.diff(heights, prepend=heights[0]))
    rises[2:] = np.maximum(rises[2:], _OWN_RISE * np.abs(heights[2:] - heights[:-2]))
    small = math.sqrt(max(ADULT / biped.leg_length, 1.0))  # whose legs are short takes more care
    slower = 1.0 + _SLOWER * small * np.minimum(rises / (_MOST_RISE * biped.leg_length), _SLOWEST)
    slower = slower * longer
    slower[:2] = 1.0
    lands = np.rint(lead + (np.cumsum(slower) - slower[0] - 1.0) * step).astype(np.intp)
    if manner.start:
        lands[:2] = -1
    leaves = np.full(number, np.iinfo(np.int32).max, dtype=np.intp)
    leaves[:-2] = np.rint(lands[2:] - swing * slower[2:]).astype(np.intp)
    if number > 3:
        leaves[1:-2] = np.maximum(leaves[1:-2], lands[2:-1] + 1)  # one foot is down before the other goes
    leaves[:-2] = np.maximum(np.minimum(leaves[:-2], lands[2:] - 3), 0 if not manner.start else 1)
    last = int(lands[-1]) + (round(_WAIT * fps) if manner.stop else 0)
    return lands, leaves, last, round(lead)
