"""The way of the feet: on the heel, flat, on the toes where they stand, and over the ground to the next place.

In contact a foot turns about a point that stays: first the back of its heel, then none, then the joint of its toes, or
its tip (Perry 1992, Gait Analysis, chapter 3, calls them the rockers of heel and forefoot).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array, Ints
from core.gait.biped import Biped
from core.gait.footsteps import Footsteps
from core.gait.kept import Kept
from core.gait.leg import Leg
from core.spatial import so3
from core.terrain.ground import Ground

CLEAR = 0.02
"""So far the swinging foot is over the ground, of a leg's length."""

_STRIKE, _PUSH = np.radians(19.0), np.radians(58.0)  # at an easy walk: the foot turned up on its heel, the heel lifted
_OTHERS_PUSH = np.radians(50.0)  # by feet of other proportions than people's
_HEEL_TIME, _TOE_TIME = 0.11, 0.27  # of two steps: how long it rolls on the heel, and on the toes
_FIRST_TOE = 0.8  # of that: as it takes the first step
_FASTEST = 10.0  # [rad/s]: no heel is lifted faster
_EARLY = 0.45  # see ``rolled``
_BRISK = 2.2  # how fast a foot turns as its heel comes down, times the mean of its roll
_ROLL_SPEED = 2.55  # how much faster it is as it leaves than in the mean
_EASY_STEP = 0.75  # of a leg's length
_OUTWARD = 0.022  # of a leg's length: so far it goes around the other leg
_SOFT, _SOFTER = 0.0, 0.5  # of the way from a cubic to a quintic: the softer its ends, the faster the middle of a swing
_TOE_BEND = 0.55  # of a swing: until then the toes have come back
_SHARES = (0.0, 0.5, 1.0)  # ways of stepping over an edge that are tried
_BREADTH = 0.012  # of a leg's length: so far off the foot an edge counts
_EDGE = 0.1  # of a leg's length: ground that stands out as far is an edge to be stepped over
_LOW_EDGE = 0.15  # of that: what stands out less is nothing to step over
_STEEP = 0.5  # rise over run: steeper ground is an edge that front and back of a foot may meet
_HANGS = 0.02  # of a leg's length: a heel so far over the ground hangs
_SAMPLES = 17  # of the straight way, for what stands out over it
_EPSILON = 1e-3


class Contact(NamedTuple):
    """How a foot stands at one footprint.

    Attributes:
        step: Number of the footprint.
        flat: The foot's frame in the world while all of it is on the ground, shape (4, 4).
        toes: That of its toes.
        land: First frame of contact, or 0.
        down: Frame from which on it is flat.
        rise: Frame from which on its heel is lifted.
        leave: Last frame of contact, or the last of all.
        strike: How far it is turned up as it lands, [rad].
        push: How far its heel is lifted as it leaves, [rad].
        landed: Frame at which it began to roll on its heel, perhaps before the first.
    """

    step: int
    flat: Array
    toes: Array
    land: int
    down: int
    rise: int
    leave: int
    strike: float
    push: float
    landed: int


class FootWay(NamedTuple):
    """The way of one foot.

    Attributes:
        leg: Its leg.
        contacts: Where it stands, in order.
        frames: Its frame in the world at each frame of time, shape (m, 4, 4).
        roll: How far its heel is lifted against its toes there, negative while it is on the heel, shape (m,), [rad].
        toes: How far the toes are bent, shape (m,), [rad].
    """

    leg: Leg
    contacts: tuple[Contact, ...]
    frames: Array
    roll: Array
    toes: Array


def foot_way(biped: Biped, leg: Leg, steps: Footsteps, ground: Ground, lift: float) -> FootWay:
    """Return the way of one foot through a walk.

    Args:
        biped: The figure.
        leg: The leg.
        steps: Its footsteps and those of the other one.
        ground: What it goes over.
        lift: How high the foot is lifted, 1 for the usual.
    """
    contacts = _contacts(biped, leg, steps, ground)
    number = steps.last + 1
    frames, roll = np.tile(np.eye(4), (number, 1, 1)), np.zeros(number)
    toes = np.zeros(number)
    for k, contact in enumerate(contacts):
        span = np.arange(contact.land, contact.leave + 1)
        roll[span] = rolled(contact, span.astype(np.float64), _EARLY)
        frames[span] = rolled_frames(leg, contact, roll[span])
        toes[span] = np.maximum(roll[span], 0.0)
        if k + 1 < len(contacts):
            after = contacts[k + 1]
            inside = np.arange(contact.leave, after.land + 1)
            swung, turned, bent = _swing(biped, leg, contact, after, inside, ground, lift)
            frames[inside[1:-1]], roll[inside[1:-1]] = swung[1:-1], turned[1:-1]
            toes[inside[1:-1]] = bent[1:-1]
    return FootWay(leg, contacts, frames, roll, toes)


def _contacts(biped: Biped, leg: Leg, steps: Footsteps, ground: Ground) -> tuple[Contact, ...]:
    found = []
    mine = [k for k in range(len(steps.sides)) if steps.sides[k] == leg.side]
    length = biped.leg_length
    for k in mine:
        land, leave = int(steps.lands[k]), int(steps.leaves[k])
        came = _stride(steps, k - 2, k) / (2.0 * _EASY_STEP * length)
        goes = _stride(steps, k, k + 2) / (2.0 * _EASY_STEP * length)
        period = 2.0 * float(np.median(np.diff(steps.lands[1:]))) if len(steps.lands) > 3 else 30.0
        rolls = leg.foot.rolls
        stands = k < 2 and steps.lead > 0
        strike = 0.0 if stands or not rolls or leg.walks_on_toes else float(_STRIKE * np.clip(came, 0.0, 1.25))
        G, over = steps.frames[k], _HANGS * length
        if strike > 0.0:
            strike = _struck(leg, G @ leg.flat, strike, ground, over)
        most = _PUSH if leg.like_a_persons else _OTHERS_PUSH
        push = 0.0 if leave > steps.last or not rolls else float(min(most * np.clip(goes, 0.25, 1.15), leg.most_roll))
        if push > 0.0 and leg.toe_column < 0 and _hangs(leg, G @ leg.flat, ground, over):
            push = 0.0  # it would roll over a tip in the air, off the edge that bears it: it is lifted as a whole
        leave = min(leave, steps.last)
        down = land + max(round(_HEEL_TIME * period), 2) if strike > 0.0 else land
        rise = leave - max(round(_TOE_TIME * period * (_FIRST_TOE if stands else 1.0)), 2) if push > 0.0 else leave
        down = min(down, leave - 2)
        rise = max(rise, down + 1, 0)
        push = min(push, _FASTEST / steps.fps * (leave - rise) / _ROLL_SPEED)
        found.append(
            Contact(k, G @ leg.flat, G @ leg.toe_flat, max(land, 0), max(down, 0), rise, leave, strike, push, land)
        )
    return tuple(found)


def _hangs(leg: Leg, flat: Array, ground: Ground, most: float) -> bool:
    """Return whether the tip of a foot that stands hangs over an edge, so far over the ground."""
    tip = flat[:3, :3] @ leg.ball + flat[:3, 3]
    return bool(tip[1] - ground.heights(tip[None, [0, 2]])[0] > most)


def _struck(leg: Leg, flat: Array, strike: float, ground: Ground, most: float) -> float:
    """Return how far a foot can be turned up as it lands, [rad]: not at all if its heel hangs over an edge.

    Less than usual where what is behind the heel, such as the riser of stairs that go down, is in the way.
    """
    heel = flat[:3, :3] @ leg.heel + flat[:3, 3]
    if heel[1] - ground.heights(heel[None, [0, 2]])[0] > most:
        return 0.0
    tries = strike * np.array([1.0, 0.6, 0.3])
    ahead = flat[:3, :3] @ leg.flat[:3, :3].T @ np.array([0.0, 0.0, 0.4 * most])
    points = sole_points(leg, _rolled_about(leg, flat, -tries), np.zeros(len(tries)), outer=True)
    fits = np.flatnonzero(room_under(points, ground, np.tile(ahead[[0, 2]], (len(tries), 1))) > -most)
    return float(tries[fits[0]]) if len(fits) else 0.0


def _stride(steps: Footsteps, a: int, b: int) -> float:
    """Return how far a foot goes from one footprint to another, [m]; 0 if there is none."""
    if a < 0 or b >= len(steps.sides):
        return 0.0 if steps.lead > 0 or b >= len(steps.sides) else _stride(steps, a + 2, b + 2)
    return float(np.linalg.norm((steps.places[b] - steps.places[a])[[0, 2]]))


def rolled(contact: Contact, frames: Array, early: float) -> Array:
    """Return how far a foot is rolled at frames of its contact, [rad]: below 0 on the heel, above on the toes.

    Args:
        contact: The contact.
        frames: Frames, shape (m,).
        early: How soon the heel is lifted, 0 to 1: the share of its push that goes with the square of the time, the
            rest with the third power.
    """
    found = np.zeros(len(frames))
    if contact.strike > 0.0 and contact.down > contact.landed:
        u = np.clip((frames - contact.landed) / (contact.down - contact.landed), 0.0, 1.0)
        found -= contact.strike * (1.0 - u * (_BRISK * (1.0 - u) ** 2 + u * (3.0 - 2.0 * u)))
    if contact.push > 0.0 and contact.leave > contact.rise:
        u = np.clip((frames - contact.rise) / (contact.leave - contact.rise), 0.0, 1.0)
        found += contact.push * u * u * (early + (1.0 - early) * u)
    return found


def rolled_frames(leg: Leg, contact: Contact, roll: Array) -> Array:
    """Return the frames of a foot that is rolled by angles where it stands, shape (m, 4, 4)."""
    return _rolled_about(leg, contact.flat, roll)


def _rolled_about(leg: Leg, flat: Array, roll: Array) -> Array:
    turned = so3.axis_rotation(leg.axis, roll)
    pivot = np.where((roll < 0.0)[:, None], leg.heel, leg.ball)
    found = np.tile(flat, (len(roll), 1, 1))
    found[:, :3, :3] = flat[:3, :3] @ turned
    there = pivot @ flat[:3, :3].T + flat[:3, 3]
    found[:, :3, 3] = there - np.einsum("mij,mj->mi", found[:, :3, :3], pivot)
    normal = flat[:3, :3] @ leg.flat[1, :3]
    found[:, :3, 3] -= np.interp(roll, leg.rolls, leg.rounding)[:, None] * normal
    return found


def _swing(
    biped: Biped, leg: Leg, before: Contact, after: Contact, frames: Ints, ground: Ground, lift: float
) -> tuple[Array, Array, Array]:
    """Return frames, roll and bend of the toes of a foot from where it leaves to where it lands, both included.

    A swing that is as it was but for its time is not made again.
    """
    then = int(frames[0])
    before, after = (
        each._replace(
            land=each.land - then, down=each.down - then, rise=each.rise - then, leave=each.leave - then,
            landed=each.landed - then,
        )
        for each in (before, after)
    )  # fmt: skip
    return _swings.get(
        (biped, leg, ground), (*before[1:], *after[1:], lift),
        lambda: _swung(biped, leg, before, after, frames - then, ground, lift),
    )  # fmt: skip


_swings: Kept[tuple[Array, Array, Array]] = Kept(400)


def _swung(
    biped: Biped, leg: Leg, before: Contact, after: Contact, frames: Ints, ground: Ground, lift: float
) -> tuple[Array, Array, Array]:
    """Return what ``_swing`` does; the foot leaves at frame 0."""
    duration = float(after.land - before.leave)
    u = (frames - before.leave) / duration
    ends = rolled_frames(leg, before, np.array([before.push])), rolled_frames(leg, after, np.array([-after.strike]))
    speed, rate = _speed_at(leg, before, before.leave - _EPSILON)
    final = _speed_at(leg, after, after.land)[0] if after.strike > 0.0 else np.zeros(3)
    start, end = ends[0][0, :3, 3], ends[1][0, :3, 3]
    turn = so3.log(before.flat[:3, :3].T @ after.flat[:3, :3])

    over, steep = _edge(before, after, ground)
    edge = min(over / (_EDGE * biped.leg_length), 1.0)
    soft = _SOFTER if steep else _SOFT
    toward = float(np.sign(end[1] - start[1]))
    across = before.flat[:3, :3] @ leg.flat[:3, :3].T @ np.array([float(leg.side), 0.0, 0.0])
    ahead = (end - start)[[0, 2]] / max(float(np.hypot(*(end - start)[[0, 2]])), 1e-9)

    def poses(u: Array, rise: float) -> tuple[Array, Array]:
        ease = _hermite(u, 0.0, 1.0, 0.0, 0.0, soft)
        roll = _hermite(u, before.push, -after.strike, 0.8 * rate * duration, 0.0, soft)
        found = np.tile(np.eye(4), (len(u), 1, 1))
        R = before.flat[:3, :3] @ so3.exp(ease[:, None] * turn)
        found[:, :3, :3] = R @ so3.axis_rotation(leg.axis, roll)
        along, upward = _stepped(u, rise)
        found[:, :3, 3] = _hermite(along[:, None], start, end, speed * duration, final * duration, soft)
        found[:, 1, 3] = _hermite(upward, start[1], end[1], speed[1] * duration, final[1] * duration, soft)
        arch = np.sin(np.pi * u) ** 2
        if biped.leans:
            found[:, :3, 3] += (_OUTWARD * biped.leg_length * arch)[:, None] * across
        found[:, 1, 3] += max(lift - 1.0, 0.0) * 0.06 * biped.leg_length * arch
        return found, roll

    # Up over what is under it at each frame and between two, as a beam bends that lies over it.
    t = np.linspace(0.0, 1.0, 2 * len(frames) - 1)[1:-1]
    middle = np.minimum(1.6 * np.sin(np.pi * t) ** 2, 1.0)
    wanted, bend = CLEAR * biped.leg_length * lift * middle, _toes_back(before.push, t)
    broad = (_BREADTH * biped.leg_length * np.maximum(middle, 0.25))[:, None] * ahead if steep else None
    best: tuple[float, float, Array] | None = None
    for share in (_SHARES[1:] if steep else _SHARES) if edge > _LOW_EDGE else _SHARES[:1]:
        sampled, _ = poses(t, share * edge * toward)
        bent = beam(t, wanted - room_under(sole_points(leg, sampled, bend, outer=steep), ground, broad))
        way = sampled[:, :3, 3]
        way[:, 1] += bent
        bending = float((np.diff(way, n=2, axis=0) ** 2).sum())
        if best is None or bending < best[0]:
            best = bending, share * edge * toward, bent
    assert best is not None
    _, rise, bent = best
    found, roll = poses(u, rise)
    found[1:-1, 1, 3] += bent[1::2]
    return found, roll, _toes_back(before.push, u)


def _toes_back(push: float, u: Array) -> Array:
    """Return how far toes are still bent in a swing, [rad]."""
    v = np.clip(u / _TOE_BEND, 0.0, 1.0)
    return np.asarray(push * (1.0 - v) ** 2 * (1.0 + 2.0 * v))


def room_under(points: Array, ground: Ground, broad: Array | None = None) -> Array:
    """Return how far the lowest of points is over the ground, shape (m,), [m].

    Args:
        points: Points, shape (m, k, 3).
        ground: The ground.
        broad: Ground so far to either side of them counts instead, x and z, shape (m, 2), [m].
    """
    under = points[:, :, [0, 2]]
    places = [under] if broad is None else [under + broad[:, None], under - broad[:, None]]
    heights = [ground.heights(each.reshape(-1, 2)).reshape(points.shape[:2]) for each in places]
    return np.asarray((points[:, :, 1] - np.max(heights, axis=0)).min(axis=1))


def beam(u: Array, least: Array) -> Array:
    """Return how a beam that is held at 0 and 1 bends over what stands up at some places, shape (m,).

    No other way over it bends less. What pushes it up there is found by ``nnls``, as the nearest point of a cone.

    Args:
        u: Places, ascending between 0 and 1, shape (m,).
        least: How high it must be there, shape (m,).
    """
    from scipy.optimize import nnls  # here: the window starts without it

    if float(least.max()) <= 0.0:
        return np.zeros(len(u))
    x, s = np.minimum(u[:, None], u), np.maximum(u[:, None], u)
    compliance = (x * (1.0 - s)) ** 2 * (3.0 * s - 3.0 * x + 2.0 * x * (1.0 - s)) / 6.0
    root = np.linalg.cholesky(compliance + 1e-12 * np.eye(len(u)))
    pushes, _ = nnls(root.T, np.linalg.solve(root, least))
    return np.asarray(compliance @ pushes)


def _edge(before: Contact, after: Contact, ground: Ground) -> tuple[float, bool]:
    """Return how far the ground stands out over the way from one place to the next, [m], and if it is steep there."""
    t = np.linspace(0.0, 1.0, _SAMPLES)
    way = before.flat[:3, 3] + t[:, None] * (after.flat[:3, 3] - before.flat[:3, 3])
    over = ground.heights(way[:, [0, 2]])
    line = over[0] + t * (over[-1] - over[0])
    apart = float(np.hypot(*(way[1] - way[0])[[0, 2]]))
    steep = float(np.abs(np.diff(over)).max()) > _STEEP * max(apart, 1e-3)
    return max(float((over - line).max()), 0.0), steep


def _stepped(u: Array, rise: float) -> tuple[Array, Array]:
    """Return how far a foot is along its way forward and upward: a step up goes up first, one down goes down last."""
    late, early = u * u, 1.0 - (1.0 - u) ** 2
    share = abs(rise)
    if rise > 0.0:
        return u + share * (late - u), u + 0.8 * share * (early - u)
    return u + share * (early - u), u + 0.8 * share * (late - u)


def sole_points(leg: Leg, frames: Array, bend: Array, outer: bool = False) -> Array:
    """Return the points under a foot and its toes in the world, shape (m, k, 3).

    Args:
        leg: The leg.
        frames: Frames of the foot, shape (m, 4, 4).
        bend: How far its toes are bent up, shape (m,), [rad].
        outer: Whether also those at its front and back.
    """
    foot, front = (leg.outer, leg.outer_toes) if outer else (leg.lowest, leg.lowest_toes)
    own = np.einsum("mij,kj->mki", frames[:, :3, :3], foot) + frames[:, None, :3, 3]
    if not len(front):
        return np.asarray(own)
    # The toes turn about their joint, which is where the foot rolls over them.
    relative = np.linalg.inv(leg.flat) @ leg.toe_flat
    turned = so3.axis_rotation(leg.axis, -bend) if leg.toe_column >= 0 else np.tile(np.eye(3), (len(bend), 1, 1))
    R = frames[:, :3, :3] @ turned @ relative[:3, :3]
    place = np.einsum("mij,j->mi", frames[:, :3, :3], relative[:3, 3]) + frames[:, :3, 3]
    toes = np.einsum("mij,kj->mki", R, front) + place[:, None]
    return np.concatenate([own, toes], axis=1)


def _speed_at(leg: Leg, contact: Contact, frame: float) -> tuple[Array, float]:
    """Return the velocity of a foot's joint just after a frame, [m/frame], and how fast its heel rises, [rad/frame]."""
    t = np.array([frame, frame + _EPSILON])
    roll = rolled(contact, t, _EARLY)
    places = rolled_frames(leg, contact, roll)[:, :3, 3]
    return (places[1] - places[0]) / _EPSILON, float(roll[1] - roll[0]) / _EPSILON


def _hermite(
    u: Array, a: Array | float, b: Array | float, da: Array | float, db: Array | float, soft: float = _SOFT
) -> Array:
    """Return what goes from ``a`` to ``b`` with given rates of change: between the cubic and the quintic one."""
    u2, u3 = u * u, u * u * u
    cubic = (2 * u3 - 3 * u2 + 1) * a + (u3 - 2 * u2 + u) * da + (3 * u2 - 2 * u3) * b + (u3 - u2) * db
    u4, u5 = u3 * u, u3 * u2
    quintic = (
        (1 - 10 * u3 + 15 * u4 - 6 * u5) * a
        + (u - 6 * u3 + 8 * u4 - 3 * u5) * da
        + (10 * u3 - 15 * u4 + 6 * u5) * b
        + (7 * u4 - 4 * u3 - 3 * u5) * db
    )
    return np.asarray(soft * quintic + (1.0 - soft) * cubic)
