"""Limbs that step under a trunk: from where feet stand, and how a limb swings, to keys and lock strips.

In contact a foot is where it stands. In between the limb's joints swing: from how they stand as the foot leaves, as
fast as they turn there, through given values, to how they stand as it lands. So no joint turns faster than it is
meant to: a foot that was led along a path would make knees snap where limbs are nearly straight.
While no foot is on the ground the centre of mass falls freely: the root is moved until it does.
"""

from __future__ import annotations

import itertools
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from core.animation.key import Key
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from core.arrays import Array, Bools, Ints
from core.constraints.lock import Lock
from core.errors import SequenceError
from core.gait.feet import Contact, FootWay, beam, rolled, rolled_frames, sole_points
from core.gait.held_feet import brought, frames_of, held
from core.gait.kept import Kept, KeptRows
from core.gait.limbs import Bent, Limb, bent, changes, columns_of, grip_of
from core.gait.placed_root import place_root
from core.gait.walk import contact_strips, strip_id
from core.kinematics.center_of_mass import center_of_mass
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.terrain.ground import Ground

_EARLY = 0.8  # see ``rolled``
GRAVITY = 9.81
_OVER = 0.004  # [m]: so far over the ground a foot in the air is at least
_ROUNDED = 7  # decimals of a flight, [m] and [rad]
_LIFTS = 2  # times that a foot is lifted: it rises by less the more it is folded
_NEGLIGIBLE = 5e-4  # [m]
_LEAST_SWING = 0.35  # of a swing, is left of it however fast joints turn
_TOES_BACK = 0.45  # of a swing: until then the toes have come back
SPEED = float(np.radians(570.0))
"""No joint of a leg swings faster in walks, trots and runs that people and horses do for long, [rad/s].

A carpus flexes by 76 (13) degrees in the swing of a trot (Clayton, Sha, Stick and Mullineaux 2004, "Three-dimensional
carpal kinematics of trotting horses", Equine Veterinary Journal 36, 671-676), which takes 0.4 s: if it comes and goes
as evenly as a cosine, 600 degrees a second at the most. A runner's knee flexes by 90 degrees (Novacheck 1998, "The
biomechanics of running", Gait & Posture 7, 77-95) in about half a second.
"""
_ROLL = float(np.radians(530.0))  # [rad/s]: no foot rolls faster as it leaves
FAST = float(np.radians(900.0))
"""Likewise at a gallop, [rad/s].

Forelegs swing forward in 0.34 to 0.36 s at 9 to 17 m/s (Witte, Hirst and Wilson 2006, "Effect of speed on stride
parameters in racehorses at gallop in field conditions", Journal of Experimental Biology 209, 4389-4397); a carpus that
flexes by 100 degrees meanwhile turns by 900 degrees a second.
"""


class Passing(NamedTuple):
    """How a limb passes in the middle of a swing.

    Attributes:
        share: When, from where the foot leaves, 0, to where it lands, 1.
        back: How far it swings to the back of the way from where it points as the foot leaves to where it points as it
            lands, [rad].
        fold: How far it folds, from -1, straightest, to 0, as at rest, to 1.
        foot: How far the foot is turned, heel up, against how it hangs on the limb at rest, [rad].
    """

    share: float
    back: float
    fold: float
    foot: float


class Swing(NamedTuple):
    """How a limb swings.

    Attributes:
        through: How it passes, in order.
        clear: How far it passes over the ground, of the limb's length.
        fastest: No joint turns faster, if a smaller swing will do, [rad/s].
    """

    through: tuple[Passing, ...]
    clear: float = 0.02
    fastest: float = SPEED


class Stepping(NamedTuple):
    """What limbs do.

    Attributes:
        poses: At the frames that are keyed, shape (k, nq).
        ways: The way of each foot.
        missed: How far one is from where it should be, at most, [m] or [rad].
    """

    poses: Array
    ways: tuple[FootWay, ...]
    missed: float


def stepped(
    s: Skeleton,
    limbs: tuple[Limb, ...],
    contacts: tuple[tuple[Contact, ...], ...],
    swings: tuple[Swing, ...],
    trunk: Array,
    ground: Ground,
    frames: Ints,
    fps: float,
) -> Stepping:
    """Return poses with limbs that step.

    Args:
        s: The figure.
        limbs: Its limbs.
        contacts: Where each of their feet stands, in order.
        swings: How each swings.
        trunk: Poses of all frames with limbs at rest, shape (m, nq).
        ground: What they step on.
        frames: Frames that are keyed, shape (k,).
        fps: Frames a second.
    """
    F = forward_kinematics(s, trunk)
    q, ways = trunk.copy(), []
    for limb, where, swing in zip(limbs, contacts, swings, strict=True):
        way = _standing_way(limb, where, len(q))
        angles = _stand(s, limb, q, way, F, _needed(where, len(q), frames))
        _swing(s, limb, q, way, angles, swing, fps)
        ways.append(way)
    for limb, way, swing in zip(limbs, ways, swings, strict=True):
        for _ in range(_LIFTS):
            if not _lift(s, limb, q, way, swing, ground):
                break
        _raise(s, limb, q, ~standing(way.contacts, len(q)), way.toes, ground)
    F = forward_kinematics(s, q)
    for limb, way in zip(limbs, ways, strict=True):
        free = ~standing(way.contacts, len(q))  # a foot in the air never drags the body along
        way.frames[free] = F[free, limb.leg.foot.joint]
    poses, missed = held(s, [grip_of(limb) for limb in limbs], ways, q[frames], frames)
    return Stepping(poses, tuple(ways), missed)


def most_push(frames: int, fps: float) -> float:
    """Return how far a foot can be rolled that has so many frames for it, [rad]: it is fastest in the last one."""
    u = 1.0 - 1.0 / max(frames, 1)
    return _ROLL / fps / (1.0 - u * u * (_EARLY + (1.0 - _EARLY) * u))


def _standing_way(limb: Limb, contacts: tuple[Contact, ...], number: int) -> FootWay:
    """Return the way of a foot where it stands, and how its toes come back in between."""
    roll, toes = np.zeros(number), np.zeros(number)
    frames = np.tile(np.eye(4), (number, 1, 1))
    for contact in contacts:
        span = np.arange(max(contact.land, 0), min(contact.leave, number - 1) + 1)
        roll[span], frames[span] = _rolled(limb, contact, span)
        toes[span] = np.maximum(roll[span], 0.0)
    for before, after in itertools.pairwise(contacts):
        rows = np.arange(before.leave + 1, after.land)
        v = np.clip((rows - before.leave) / max(after.land - before.leave, 1) / _TOES_BACK, 0.0, 1.0)
        roll[rows] = toes[rows] = max(roll[before.leave], 0.0) * (1.0 - v * v * (3.0 - 2.0 * v))
    return FootWay(limb.leg, contacts, frames, roll, toes)


_stood = KeptRows(16)


def _stand(s: Skeleton, limb: Limb, q: Array, way: FootWay, F: Array, needed: Bools) -> Array:
    """Bend a limb so that its foot is where it stands, in place; return how far back it points, shape (m,).

    Args:
        s: The figure.
        limb: The limb.
        q: Poses of all frames, shape (m, nq).
        way: The way of its foot.
        F: Frames of all joints with limbs at rest, shape (m, n, 4, 4).
        needed: Frames that are looked at, shape (m,); others stay as they are.
    """
    rows = np.flatnonzero(standing(way.contacts, len(q)) & needed)
    girdle, feet, poses = F[rows, limb.girdle], way.frames[rows], q[rows]
    found = _stood.get(
        (s, limb), (), (girdle, feet, poses), lambda k: _stood_rows(s, limb, girdle[k], feet[k], poses[k])
    )  # fmt: skip
    q[rows] = found[:, :-1]
    leg = limb.leg
    if leg.toe_column >= 0:
        toe = q[:, leg.toe_column] + leg.toe_sign * way.toes
        q[:, leg.toe_column] = np.clip(toe, *s.limits[leg.toe_column - 3])
    angles = np.zeros(len(q))
    angles[rows] = found[:, -1]
    return angles


def _stood_rows(s: Skeleton, limb: Limb, girdle: Array, feet: Array, q: Array) -> Array:
    """Return poses with a limb bent so that its foot is where it stands, and how far back it points, (m, nq + 1)."""
    leg = limb.leg
    body = girdle[:, :3, :3] @ limb.girdle_rest.T
    hip = np.einsum("mij,j->mi", body, leg.hip_place) + girdle[:, :3, 3]
    local = np.einsum("mji,mj->mi", body, feet[:, :3, 3] - hip)
    turned = np.einsum("mji,mjk->mik", body, feet[:, :3, :3]) @ leg.flat[:3, :3].T
    bends = limb if limb.standing is None else limb.standing
    # In the plane that the limb is turned into, from the hip, up and forward.
    up = -np.hypot(local[:, 1], local[:, 0] - limb.rest_way[0])
    found = bent(bends, np.stack([up, local[:, 2]], axis=1))
    change = changes(bends, found)
    out = np.arctan2(local[:, 0], -local[:, 1]) - np.arctan2(limb.rest_way[0], -limb.rest_way[1])
    twist = np.arctan2(turned[:, 0, 2], np.hypot(turned[:, 1, 2], turned[:, 2, 2]))
    pitch = np.arctan2(turned[:, 2, 1], turned[:, 1, 1])
    zero = np.zeros_like(pitch)
    change[:, leg.hip_turns.columns] += np.stack([zero, twist, out], axis=1) @ leg.hip_turns.share.T
    change[:, leg.ankle_turns.columns] += np.stack([pitch - found.turn, zero, zero], axis=1) @ leg.ankle_turns.share.T
    poses = q + change
    poses = np.clip(poses, *limb.limits.T)
    back = np.arctan2(-local[:, 2], -up) - np.arctan2(-limb.rest_way[2], -limb.rest_way[1])
    return np.concatenate([brought(s, grip_of(limb), poses, feet), back[:, None]], axis=1)


def _needed(contacts: tuple[Contact, ...], number: int, frames: Ints) -> Bools:
    """Return the frames of which poses are keyed or tell how a swing begins or ends, shape (m,)."""
    found = np.zeros(number, dtype=bool)
    found[frames] = True
    for each in contacts:
        for frame in (each.land, each.land + 1, each.leave - 1, each.leave):
            found[min(max(frame, 0), number - 1)] = True
    return found


def _swing(s: Skeleton, limb: Limb, q: Array, way: FootWay, angles: Array, swing: Swing, fps: float) -> None:
    """Swing a limb from where its foot leaves to where it lands, in place; see ``_stand`` for its angles there."""
    columns = columns_of(limb)
    passing = _passing(s, limb, swing, columns)
    most = swing.fastest / fps
    times = tuple(each.share for each in swing.through)
    at = np.array(times)
    ease = at * at * (3.0 - 2.0 * at)
    for before, after in itertools.pairwise(way.contacts):
        a, b = before.leave, after.land
        if b - a < 2:
            continue
        # One frame of contact at either end tells how fast joints turn as it leaves and lands.
        first = q[a, columns] - q[max(a - 1, before.land), columns]
        last = q[min(b + 1, len(q) - 1), columns] - q[b, columns]
        ends = [q[a, columns], q[b, columns], *(np.clip(slope, -most, most) * (b - a) for slope in (first, last))]
        plain = _weights((), b - a) @ np.array(ends)
        values = plain.copy()
        if times:
            back = angles[a] + ease * (angles[b] - angles[a])
            through = passing + back[:, None] * limb.swing[columns]
            through = np.where(np.isfinite(through), through, _weights((), times) @ np.array(ends))
            full = _weights(times, b - a) @ np.array([*ends, *through])
            values += _share(np.diff(plain, axis=0), np.diff(full, axis=0), most) * (full - plain)
        q[a + 1 : b, columns] = values[1:-1]
    q[:, columns] = np.clip(q[:, columns], *limb.limits[columns].T)


def _passing(s: Skeleton, limb: Limb, swing: Swing, columns: Ints) -> Array:
    """Return the values that joints pass through in a swing of a limb that points down at both its ends, shape (n, c).

    They are NaN for those that just come along.
    """
    through = np.array([each[1:] for each in swing.through]).reshape(-1, 3)
    ankle = limb.leg.ankle_turns
    turn = np.zeros(s.nq)
    turn[ankle.columns] = ankle.share[:, 0]
    ways = Bent(through[:, 0], through[:, 1], np.zeros(len(through)))
    found = s.rest_pose() + changes(limb, ways) + through[:, 2:] * turn
    moves = np.abs(limb.fold).max(axis=0) + np.abs(limb.swing) + np.abs(turn) > _LITTLE
    return np.where(moves, found, np.nan)[:, columns]


_LITTLE = 0.2  # of a turn: what takes part by less in a swing just comes along


def _share(plain: Array, full: Array, most: float) -> float:
    """Return how much of a swing there can be so that no joint turns by more in a frame than it may."""
    fast = (np.abs(full) > most) & (np.abs(plain) < most)
    if not fast.any():
        return 1.0
    room = np.sign(full[fast]) * most - plain[fast]
    return float(np.clip((room / (full[fast] - plain[fast])).min(), _LEAST_SWING, 1.0))


@lru_cache(maxsize=512)
def _weights(times: tuple[float, ...], at: int | tuple[float, ...]) -> Array:
    """Return how a cubic spline over a swing hangs on its values.

    Args:
        times: When it goes through given values.
        at: The frames of the swing, for values at each; or when values are wanted.

    Returns:
        For each its weights of: the values at both ends, the slopes there, the values between; shape (k, 4 + n).
    """
    from scipy.interpolate import CubicSpline  # here: the window starts without it

    n = len(times)
    values = np.zeros((n + 2, n + 4))
    values[0, 0] = values[-1, 1] = 1.0
    values[1:-1, 4:] = np.eye(n)
    slopes = np.eye(n + 4)[2:4]
    found = CubicSpline([0.0, *times, 1.0], values, bc_type=((1, slopes[0]), (1, slopes[1])))
    made = np.asarray(found(np.linspace(0.0, 1.0, at + 1) if isinstance(at, int) else np.array(at)))
    made.setflags(write=False)
    return made


def _lift(s: Skeleton, limb: Limb, q: Array, way: FootWay, swing: Swing, ground: Ground) -> bool:
    """Lift a foot so that it swings over the ground, in place; return whether it had to be."""
    low = _room(s, limb, q, way.toes, ground)
    lifted = np.zeros(len(q))
    for before, after in itertools.pairwise(way.contacts):
        rows = np.arange(before.leave + 1, after.land)
        if not len(rows):
            continue
        u = (rows - before.leave) / (after.land - before.leave)
        clear = swing.clear * limb.length * np.sin(np.pi * u) ** 2
        lifted[rows] = beam(u, np.where(low[rows] < clear - _NEGLIGIBLE, clear - low[rows], 0.0))
    rows = np.flatnonzero(lifted > _NEGLIGIBLE)
    if not len(rows):
        return False
    _move_up(s, limb, q, rows, lifted[rows])
    return True


def _room(s: Skeleton, limb: Limb, q: Array, toes: Array, ground: Ground) -> Array:
    """Return how far the lowest point under a foot is over the ground, shape (m,), [m]."""
    points = sole_points(limb.leg, frames_of(s, limb.leg.foot.joint, q), toes)
    under = ground.heights(points[..., [0, 2]].reshape(-1, 2)).reshape(points.shape[:2])
    return np.asarray((points[..., 1] - under).min(axis=1))


def _move_up(s: Skeleton, limb: Limb, q: Array, rows: Ints, by: Array) -> None:
    """Move a foot up in poses, in place."""
    wanted = frames_of(s, limb.leg.foot.joint, q[rows])
    wanted[:, 1, 3] += by
    q[rows] = brought(s, grip_of(limb), q[rows], wanted)


def _raise(s: Skeleton, limb: Limb, q: Array, flies: Bools, toes: Array, ground: Ground) -> None:
    """Lift a foot in the air that would go into the ground, in place."""
    free = np.flatnonzero(flies)
    if not len(free):
        return
    short = np.maximum(_OVER - _room(s, limb, q[free], toes[free], ground), 0.0)
    rows = np.flatnonzero(short > 0.0)
    if len(rows):
        _move_up(s, limb, q, free[rows], short[rows])


def standing(contacts: tuple[Contact, ...], number: int) -> Bools:
    """Return in which frames a foot stands, shape (m,)."""
    found = np.zeros(number, dtype=bool)
    for contact in contacts:
        found[max(contact.land, 0) : contact.leave + 1] = True
    return found


def feet_standing(limb: Limb, contacts: tuple[Contact, ...], number: int) -> Array:
    """Return the frames of a foot where it stands, shape (m, 4, 4)."""
    found = np.tile(np.eye(4), (number, 1, 1))
    for contact in contacts:
        rows = np.arange(contact.land, min(contact.leave, number - 1) + 1)
        found[rows] = _rolled(limb, contact, rows)[1]
    return found


_rolls: Kept[tuple[Array, Array]] = Kept(800)


def _rolled(limb: Limb, contact: Contact, rows: Ints) -> tuple[Array, Array]:
    """Return how far a foot is rolled at frames of its contact, shape (k,), [rad], and its frames, (k, 4, 4)."""

    def make() -> tuple[Array, Array]:
        roll = rolled(contact, rows.astype(np.float64), _EARLY)
        return roll, rolled_frames(limb.leg, contact, roll)

    return _rolls.get((limb.leg,), (*contact[1:], len(rows)), make)


def flights(contacts: tuple[tuple[Contact, ...], ...], number: int) -> list[tuple[int, int]]:
    """Return the last frame of contact before each flight, and the first one after it."""
    rows = np.flatnonzero(np.any([standing(where, number) for where in contacts], axis=0))
    return [(int(a), int(b)) for a, b in itertools.pairwise(rows) if b - a > 1]


def flown(
    s: Skeleton, limbs: tuple[Limb, ...], step: Stepping, frames: Ints, ground: Ground, fps: float, even: bool = False
) -> Array:
    """Return poses of limbs that step with flights in which nothing moves the body but its weight, shape (k, nq).

    Args:
        s: The figure.
        limbs: Its limbs.
        step: What they do.
        frames: Frames that are keyed, shape (k,).
        ground: What they step on.
        fps: Frames a second.
        even: Whether nothing turns it in the air, either, but what it took off with.
    """
    number = len(step.ways[0].frames)
    inside = flights(tuple(way.contacts for way in step.ways), number)
    if not inside:
        return step.poses
    found = fall_freely(s, step.poses, frames, inside, fps, even)
    for limb, way in zip(limbs, step.ways, strict=True):
        _raise(s, limb, found, ~standing(way.contacts, number)[frames], way.toes[frames], ground)
    return fall_freely(s, found, frames, inside, fps)


def fall_freely(
    s: Skeleton, poses: Array, frames: Ints, flown: list[tuple[int, int]], fps: float, even: bool = False
) -> Array:
    """Return poses with the root moved in flights so that the centre of mass goes by its parabola, shape (k, nq).

    If ``even``, it is turned as well, so that nothing but what it took off with turns it.
    """
    found = poses.copy()
    for a, b in flown:
        rows = np.flatnonzero((frames >= a) & (frames <= b))
        if len(rows) < 3 or frames[rows[0]] != a or frames[rows[-1]] != b:
            continue
        centers, t = center_of_mass(s, poses[rows]), (frames[rows] - a) / fps
        g = np.array([0.0, -GRAVITY, 0.0])
        speed = (centers[-1] - centers[0]) / t[-1] - 0.5 * g * t[-1]
        found[rows, :3] += centers[0] + t[:, None] * speed + 0.5 * (t * t)[:, None] * g - centers
        if even:
            _even(s, found, rows, fps)
    return found


def _even(s: Skeleton, poses: Array, rows: Ints, fps: float) -> None:
    """Turn a figure about its centre of mass, in place, so that its angular momentum stays the same in a flight."""
    here = poses[rows]
    here[:, :3] -= here[0, :3]
    here = np.round(here, _ROUNDED) + 0.0  # a flight that begins elsewhere is the same one
    turns = _evened.get((s,), (here, fps), lambda: _evened_turns(s, here, fps))
    if turns is None:
        return
    F = forward_kinematics(s, poses[rows])
    centers = center_of_mass(s, poses[rows], F)
    root = F[:, 0].copy()
    root[:, :3, :3] = turns @ F[:, 0, :3, :3]
    root[:, :3, 3] = centers + np.einsum("mij,mj->mi", turns, F[:, 0, :3, 3] - centers)
    turned = poses[rows]
    place_root(s, turned, root)
    poses[rows[1:-1]] = turned[1:-1]


_evened: Kept[Array | None] = Kept(64)


def _evened_turns(s: Skeleton, poses: Array, fps: float) -> Array | None:
    """Return how a figure turns in a flight, shape (m, 3, 3); None if no way leads from its first pose to its last."""
    from core.preview.plausibility.ballistic import evened_turns  # here: files are read without it

    try:
        return evened_turns(s, poses, 1.0 / fps)
    except SequenceError:
        return None


def stepping_keys(poses: Array, frames: Ints) -> tuple[Key, ...]:
    """Return keys of poses at frames."""
    return tuple(Key(int(frame), pose) for frame, pose in zip(frames, poses, strict=True))


def stance_strips(s: Skeleton, ways: tuple[FootWay, ...], last: int) -> tuple[LockStrip, ...]:
    """Return lock strips that hold feet where they stand, from frame 0 to the last."""
    made: list[LockStrip] = []
    for way in ways:
        name = s.joint_names[way.leg.foot.joint]
        for contact in way.contacts:
            if contact.land >= last:
                continue
            if way.leg.foot.turns:
                made += contact_strips(s, way, contact, name, last, contact.leave >= last)
            else:
                frames = way.frames[contact.land : contact.leave + 1]
                made += _hooves.get(
                    (way.leg,), (*contact, frames, name, min(contact.leave, last)),
                    partial(_hoof_strips, way, contact, name, last),
                )  # fmt: skip
    return tuple(made)


_hooves: Kept[list[LockStrip]] = Kept(400)


def _hoof_strips(way: FootWay, contact: Contact, name: str, last: int) -> list[LockStrip]:
    """Return the strips that hold a hoof by its tip and its back: it may tilt, as it has no joint to keep it level."""
    end, made = min(contact.leave, last), []
    for point, what in ((way.leg.ball, "tip"), (way.leg.heel, "back")):
        rolls = contact.push > 0.0 and what == "back"
        keyed = _spread(contact.rise, end) if rolls and contact.rise < end else np.zeros(0, dtype=np.int64)
        flat = contact.flat[:3, :3] @ point + contact.flat[:3, 3]
        lock = Lock(name, "position", point=point, target=flat)
        stop = contact.rise - 1 if len(keyed) else end
        made.append(LockStrip(lock, contact.down, max(stop, contact.down), id=strip_id(name, contact.step, what),
                              name=f"{name} stance"))  # fmt: skip
        if len(keyed):
            places = [way.frames[f, :3, :3] @ point + way.frames[f, :3, 3] for f in keyed]
            targets = tuple(TargetKey(int(f), place) for f, place in zip(keyed, places, strict=True))
            lock = Lock(name, "position", point=point, target=places[0])
            made.append(LockStrip(lock, contact.rise, end, targets=targets, id=strip_id(name, contact.step, "push"),
                                  name=f"{name} rolls off"))  # fmt: skip
    return made


def _spread(first: int, last: int) -> Ints:
    return np.arange(first, last + 1)
