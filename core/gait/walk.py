"""A walk: keys and lock strips of a sequence, made from a manner of walking and the ground.

Feet are held by locks: a place and a turn on the heel, all of the foot while it is flat, the toes while the heel is
lifted, and a keyed path from there to the next footprint. The keys hold the same poses, and what the trunk does.
"""

from __future__ import annotations

import itertools
import zlib
from functools import partial
from typing import NamedTuple

import numpy as np

from core.animation.key import Key
from core.animation.locks.strip import STRIP_MARK, LockStrip
from core.animation.locks.target_keys import TargetKey
from core.animation.new_sequence import new_sequence
from core.animation.sequence import Sequence
from core.arrays import Array, Ints
from core.constraints.lock import Lock
from core.gait.along_path import plan_along
from core.gait.biped import Biped, biped_on
from core.gait.body import BodyWay, body_way
from core.gait.feet import Contact, FootWay, foot_way
from core.gait.footsteps import Footsteps, plan
from core.gait.held_feet import Grip, brought, held, pose_at
from core.gait.kept import Kept, KeptRows
from core.gait.leg import Leg
from core.gait.manner import Manner
from core.gait.stiff_legs import over_stiff_legs
from core.gait.turns import turn_by
from core.gait.upper_body import upper_body
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.terrain.ground import LEVEL, Ground

_KEYS_A_STEP = 5
_SWING_KEYS = 2  # frames from one key of a swinging foot's path to the next
_ROLL_KEYS = 2
_BENT = 2.5e-3  # [m]: where so much of the path would be lost between keys, each frame gets one
_ABDUCTED = np.radians(3.0)
_NEARLY = 1e-6


class Walk(NamedTuple):
    """What makes a walk.

    Attributes:
        steps: Its footsteps.
        feet: The way of the left foot and of the right one; of four-legged figures those behind, then those before.
        keys: Its keys.
        strips: Its lock strips.
        last: Last frame.
        missed: How far a foot is from where it should be in the keys, at most, [m] or [rad].
        note: What was done otherwise than asked for; empty if nothing was.
    """

    steps: Footsteps
    feet: tuple[FootWay, ...]
    keys: tuple[Key, ...]
    strips: tuple[LockStrip, ...]
    last: int
    missed: float
    note: str = ""


def make_walk(
    s: Skeleton, manner: Manner | None = None, ground: Ground = LEVEL, fps: float = 30.0, each_frame: bool = False
) -> Walk:
    """Return keys and lock strips of a walk. The same arguments give the same bits.

    Args:
        s: A figure with two legs.
        manner: How it walks.
        ground: What it walks on.
        fps: Frames a second.
        each_frame: Whether each frame gets a key.

    Raises:
        GaitError: If the figure cannot walk.
    """
    manner = Manner() if manner is None else manner
    biped = biped_on(s, manner.feet)
    pace = manner.pace(biped.leg_length)
    steps = planned(biped, manner, ground, fps)
    left, right = (foot_way(biped, leg, steps, ground, manner.lift) for leg in biped.legs)
    feet = (left, right)
    body = body_way(biped, manner, pace, steps, feet, fps)
    if biped.is_stiff:
        body, feet = over_stiff_legs(biped, steps, feet, body, ground, manner.lift)
    # A leg that does not bend is as long between keys, too.
    every = each_frame or biped.is_stiff
    frames = np.asarray(range(steps.last + 1)) if every else _key_frames(steps, feet)
    poses = _poses(biped, body, feet, frames)
    strips = tuple(strip for way in feet for strip in _strips(s, way, steps.last))
    held, missed = _held(biped, poses, feet, frames)
    keys = tuple(Key(int(frame), pose) for frame, pose in zip(frames, held, strict=True))
    return Walk(steps, feet, keys, strips, steps.last, missed)


def planned(biped: Biped, manner: Manner, ground: Ground, fps: float) -> Footsteps:
    """Return the footsteps of a walk: along its path, or straight on and turning."""
    pace = manner.pace(biped.leg_length)
    return (plan_along if manner.path else plan)(biped, manner, pace, ground, fps)


def walk_sequence(
    s: Skeleton, manner: Manner | None = None, ground: Ground = LEVEL, fps: float = 30.0, name: str = "Walk"
) -> Sequence:
    """Return a new sequence with a walk; see ``make_walk``."""
    walk = make_walk(s, manner, ground, fps)
    made = new_sequence(s, name)
    made.fps = fps
    put_walk(made, walk)
    return made


def put_walk(sequence: Sequence, walk: Walk) -> None:
    """Put a walk into a sequence in place of its keys; strips of another walk go, all others stay."""
    sequence.set_keys(walk.keys)
    sequence.locks.strips = (*(s for s in sequence.locks.strips if not s.id.startswith(STRIP_MARK)), *walk.strips)
    sequence.set_range(0, walk.last)


# -- keys ------------------------------------------------------------------------------------------------------------


def _key_frames(steps: Footsteps, feet: tuple[FootWay, FootWay]) -> Array:
    """Return the frames that get a key: the ends of contacts, and a few to each step between."""
    marks = {0, steps.last}
    marks |= {int(land) for land in steps.lands if 0 <= land <= steps.last}
    if steps.lead > 0:
        marks |= {round(0.5 * steps.lead), steps.lead}
    rows = sorted(marks)
    found = set(rows)
    for a, b in itertools.pairwise(rows):
        if b - a > 2:
            found |= {round(x) for x in np.linspace(a, b, min(_KEYS_A_STEP, (b - a) // 2) + 1)}
    for way in feet:  # toes bend by their keys alone as a foot swings
        for contact in way.contacts:
            found |= {frame for frame in (contact.rise, contact.leave) if frame <= steps.last}
    return np.array(sorted(found), dtype=np.int64)


def _poses(biped: Biped, body: BodyWay, feet: tuple[FootWay, FootWay], frames: Array) -> Array:
    """Return poses near those that hold the feet, shape (m, nq)."""
    s = biped.skeleton
    spine, neck = (each[frames] for each in body.bends)
    q = upper_body(biped, body.pelvis[frames], spine, neck, body.swings[frames], body.elbows[frames], _ABDUCTED)
    rest = forward_kinematics(s, biped.stand)
    for leg, way in zip(biped.legs, feet, strict=True):
        _put_leg(biped, q, leg, way, body.pelvis[frames], frames, rest)
    lower, upper = s.limits[:, 0], s.limits[:, 1]
    q[:, 3:] = np.clip(q[:, 3:], lower, upper)
    return q


_brought = KeptRows(16)


def _held(biped: Biped, poses: Array, feet: tuple[FootWay, FootWay], frames: Array) -> tuple[Array, float]:
    """Return poses that hold both feet by the legs, and little by the root, shape (m, nq), and how far one misses."""
    s, grips = biped.skeleton, []
    for way in feet:
        leg, there = way.leg, way.frames[frames]
        columns = np.unique(np.concatenate([leg.hip_turns.columns, leg.ankle_turns.columns, leg.bend]))
        grip = Grip(leg, columns, np.ones(len(columns)), biped.leg_length, s.limits[columns - 3])
        grips.append(grip)
        poses = _brought.get((s, leg), (), (poses, there), partial(_rows_brought, s, grip, poses, there))
    return held(s, grips, list(feet), poses, np.asarray(frames, dtype=np.intp))


def _rows_brought(s: Skeleton, grip: Grip, q: Array, there: Array, rows: Ints) -> Array:
    return brought(s, grip, q[rows], there[rows])


def _axes(biped: Biped, pelvis: Array) -> Array:
    """Return the rotations from the body's axes to the world, shape (m, 3, 3)."""
    return np.asarray(pelvis[:, :3, :3] @ (biped.pelvis_rest @ biped.facing.T).T)


def _hips(biped: Biped, leg: Leg, pelvis: Array) -> Array:
    """Return where the hip of a leg is, shape (m, 3), [m]."""
    return np.asarray(np.einsum("mij,j->mi", _axes(biped, pelvis), leg.hip_place) + pelvis[:, :3, 3])


def _put_leg(biped: Biped, q: Array, leg: Leg, way: FootWay, pelvis: Array, frames: Array, rest: Array) -> None:
    """Bend a leg so that its foot is about where it should be."""
    R, hip = _axes(biped, pelvis), _hips(biped, leg, pelvis)
    way_to = np.einsum("mji,mj->mi", R, way.frames[frames, :3, 3] - hip)
    reach = np.clip(np.linalg.norm(way_to, axis=1), leg.reach[0], leg.reach[-1])
    own = np.interp(reach, leg.reach, leg.direction)
    back = np.arctan2(-way_to[:, 2], -way_to[:, 1])
    out = np.arctan2(way_to[:, 0], np.hypot(way_to[:, 1], way_to[:, 2]))
    flex = back - own
    zero = np.zeros_like(flex)
    for n, column in enumerate(leg.bend):
        q[:, column] = np.interp(reach, leg.reach, leg.bends[:, n])
    foot = np.einsum("mji,mjk->mik", R, way.frames[frames, :3, :3]) @ leg.flat[:3, :3].T
    aside = np.arctan2(-foot[:, 2, 0], foot[:, 0, 0])
    turn_by(q, leg.hip_turns, np.stack([flex, aside, out], axis=1))
    pitch = np.arctan2(foot[:, 2, 1], foot[:, 1, 1])
    ankle = pitch - flex - np.interp(reach, leg.reach, leg.knee_turn)
    turn_by(q, leg.ankle_turns, np.stack([ankle, zero, zero], axis=1))
    if leg.toe_column >= 0:
        q[:, leg.toe_column] += leg.toe_sign * way.toes[frames]


# -- strips ----------------------------------------------------------------------------------------------------------


def _strips(s: Skeleton, way: FootWay, last: int) -> list[LockStrip]:
    """Return the strips that hold a foot from frame 0 to the last one."""
    leg, made = way.leg, []
    name = s.joint_names[leg.foot.joint]
    for k, contact in enumerate(way.contacts):
        after = way.contacts[k + 1] if k + 1 < len(way.contacts) else None
        made += contact_strips(s, way, contact, name, last, after is None)
        if after is not None:
            made.append(_swing_strip(way, contact, after, name))
    return made


def strip_id(*parts: object) -> str:
    """Return an id that is the same in each making."""
    return f"{STRIP_MARK}{zlib.crc32(repr(parts).encode()):08x}"


def contact_strips(s: Skeleton, way: FootWay, contact: Contact, name: str, last: int, final: bool) -> list[LockStrip]:
    """Return the strips that hold a foot at one footprint; at its final one to the last frame."""
    end, frames = last if final else contact.leave, way.frames[contact.land : contact.leave + 1]
    return _stances.get(
        (s, way.leg), (*contact, frames, name, end, final), lambda: _stance(s, way, contact, name, last, final)
    )  # fmt: skip


_stances: Kept[list[LockStrip]] = Kept(400)


def _stance(s: Skeleton, way: FootWay, contact: Contact, name: str, last: int, final: bool) -> list[LockStrip]:
    """Return what ``contact_strips`` does."""
    leg, foot, made = way.leg, way.leg.foot, []
    rises = contact.push > 0.0
    end = last if final else contact.leave
    point = foot.point
    tag = name, contact.step
    if contact.down > contact.land:
        frames = _spread(contact.land, contact.down, 1)
        targets = [TargetKey(int(f), pose_at(way.frames[f], leg.heel)) for f in frames]
        lock = Lock(name, "pose", point=leg.heel, target=targets[0].target)
        made.append(
            LockStrip(lock, contact.land, contact.down - 1, targets=tuple(targets), id=strip_id(*tag, "heel"),
                      name=f"{name} on its heel")
        )  # fmt: skip
    flat_end = contact.rise if rises else end
    held = Lock(name, "pose", point=point, target=pose_at(contact.flat, point))
    whole = rises and foot.toes is not None and leg.toe_column >= 0
    stop = flat_end - 1 if rises and not whole else flat_end
    if not final and not rises:
        stop = contact.leave - 1
    made.append(
        LockStrip(held, contact.down, max(stop, contact.down), id=strip_id(*tag, "flat"), name=f"{name} stance")
    )
    if foot.toes is not None and leg.toe_column >= 0:
        toes = s.joint_names[foot.toes]
        middle = leg.lowest_toes.mean(axis=0)
        lock = Lock(toes, "pose", point=middle, target=pose_at(contact.toes, middle))
        made.append(LockStrip(lock, contact.down, end, id=strip_id(*tag, "toes"), name=f"{toes} stance"))
    if not rises:
        return made
    frames = _spread(contact.rise, contact.leave, _ROLL_KEYS)
    if whole:  # the toes are held; what is left is how high the heel is
        normal = contact.flat[:3, :3] @ leg.flat[:3, :3].T @ np.array([0.0, 1.0, 0.0])
        up = way.frames[frames, :3, :3] @ leg.heel + way.frames[frames, :3, 3]
        planes = [np.array([*normal, float(normal @ p)]) for p in up]
        keys = tuple(TargetKey(int(f), plane) for f, plane in zip(frames, planes, strict=True))
        lock = Lock(name, "plane", point=leg.heel, target=planes[0])
        stop = contact.leave
    else:
        poses = [pose_at(way.frames[f], leg.ball) for f in frames]
        keys = tuple(TargetKey(int(f), pose) for f, pose in zip(frames, poses, strict=True))
        lock = Lock(name, "pose", point=leg.ball, target=poses[0])
        stop = contact.leave - 1
    made.append(
        LockStrip(lock, contact.rise, stop, targets=keys, id=strip_id(*tag, "push"), name=f"{name} on its toes")
    )
    return made


_paths: Kept[LockStrip] = Kept(400)


def _swing_strip(way: FootWay, before: Contact, after: Contact, name: str) -> LockStrip:
    """Return the strip that leads a foot from one footprint to the next."""
    frames = way.frames[before.leave : after.land + 1]
    return _paths.get(
        (way.leg,), (frames, before.leave, after.land, before.step, name),
        lambda: _path(way, before, after, name),
    )  # fmt: skip


def _path(way: FootWay, before: Contact, after: Contact, name: str) -> LockStrip:
    """Return what ``_swing_strip`` does."""
    point = way.leg.foot.point
    frames = _spread(before.leave, after.land, _SWING_KEYS)
    if _bends(way.frames[before.leave : after.land + 1, :3, 3]) > _BENT:
        frames = _spread(before.leave, after.land, 1)
    keys = tuple(TargetKey(int(f), pose_at(way.frames[f], point)) for f in frames)
    lock = Lock(name, "pose", point=point, target=keys[0].target)
    return LockStrip(
        lock, before.leave, after.land - 1, targets=keys, id=strip_id(name, before.step, "swing"), name=f"{name} path"
    )


def _bends(places: Array) -> float:
    """Return how far off a spline through every other place those between may be, [m]: 0 for fewer than 7."""
    if len(places) < 7:
        return 0.0
    inner = (9.0 * (places[2:-4] + places[4:-2]) - places[:-6] - places[6:]) / 16.0 - places[3:-3]
    ends = [(3.0 * p[0] + 6.0 * p[2] - p[4]) / 8.0 - p[1] for p in (places, places[::-1])]
    return float(np.linalg.norm(np.concatenate([inner, ends]), axis=1).max())


def _spread(first: int, last: int, apart: int) -> Array:
    """Return frames from one to another, both included, about so far apart."""
    number = max(round((last - first) / apart), 1)
    return np.unique(np.rint(np.linspace(first, last, number + 1)).astype(np.int64))
