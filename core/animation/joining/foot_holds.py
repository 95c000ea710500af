"""Lock strips across a seam: what stands stays, held by one lock, and settles into the second motion as it leaves.

The frames here are those of the joined sequence: a frame ``f`` of the second motion is ``f + shift`` there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from core.animation.contacts.feet import HEEL
from core.animation.joining.seam import Seam
from core.animation.joining.stretch import is_still, parts_of
from core.animation.locks.moved import moved_lock, moved_strip
from core.animation.locks.strip import LockStrip, moved_copy, new_id
from core.animation.locks.target_keys import TargetKey
from core.animation.sequence import Sequence
from core.arrays import Array
from core.constraints.bind import bind
from core.constraints.lock import Lock
from core.kinematics.forward import forward_kinematics
from core.spatial import se3, so3

SETTLING = 0.3
"""A foot that was held elsewhere than its motion has it comes back to that in this time once it is lifted, [s]."""

_LETTING_GO = 4
"""How long a lock takes to go off that keeps a foot of a motion without locks, about when its heel lifts, [frames]."""
_OFF = 1e-4  # [m] and [rad]: what is less needs no settling


class Across(NamedTuple):
    """A foot that stands in both motions at the seam.

    Attributes:
        number: Its number among the figure's feet.
        parts: Its joints.
        moves: Where the frame of each part goes from where the second motion, once placed, has it at the seam to
            where the first one has it, shape (4, 4) each.
        last: Last frame at which it stands.
        landing: First frame at which it stands again.
    """

    number: int
    parts: tuple[int, ...]
    moves: Mapping[int, Array]
    last: int
    landing: int


def feet_across(seam: Seam) -> tuple[Across, ...]:
    """Return the feet that stand in both motions at a seam."""
    found, a, b = [], seam.before, seam.after
    for number in seam.feet:
        parts = parts_of(seam.first.feet[number])
        moves = {
            part: seam.first.frame_of(part, a) @ se3.inverse(seam.motion @ seam.second.frame_of(part, b))
            for part in parts
        }
        last = seam.second.stance_end(number, b)
        landing = seam.second.next_landing(number, last)
        found.append(Across(number, parts, moves, last + a - b, landing + a - b))
    return tuple(found)


def _going_back(move: Array, X: Array, left: Array) -> Array:
    """Return motions, shape (m, 4, 4), that take a foot so much of the way that a motion takes it.

    Args:
        move: The motion, shape (4, 4).
        X: World frames of the foot, shape (m, 4, 4).
        left: Shares of it, shape (m,).
    """
    off = (move @ X)[:, :3, 3] - X[:, :3, 3]
    made = np.tile(np.eye(4), (len(X), 1, 1))
    made[:, :3, :3] = so3.exp(left[:, None] * so3.log(move[:3, :3]))
    turned = np.einsum("mij,mj->mi", made[:, :3, :3], X[:, :3, 3])
    made[:, :3, 3] = X[:, :3, 3] + left[:, None] * off - turned
    return made


def _smooth(u: Array) -> Array:
    return np.asarray(u * u * u * (u * (6.0 * u - 15.0) + 10.0))


def _led(strip: LockStrip, move: Array, foot: Across, frames_of: Callable[[Array], Array]) -> LockStrip:
    """Return a strip whose target moves, led along with its foot: all the way while that stands, then less.

    The spline at a key depends on its neighbours: the first two keys of the way go along in full, the last two stay.

    Args:
        strip: The strip, where the second motion has it.
        move: The motion of the foot while it stands.
        foot: The foot.
        frames_of: The foot's frames in the second motion, as it was placed.
    """
    frames = np.array([key.frame for key in strip.targets])
    way = frames[(frames > foot.last) & (frames < foot.landing)]
    low, high = (way[min(1, len(way) - 1)], way[max(len(way) - 2, 0)]) if len(way) else (foot.last, foot.last + 1)
    left = 1.0 - _smooth(np.clip((frames - low) / max(high - low, 1), 0.0, 1.0))
    moves = _going_back(move, frames_of(frames), left)
    lock, keys = strip.lock, []
    for key, motion in zip(strip.targets, moves, strict=True):

        def led(target: Any, motion: Array = motion) -> Any:
            return moved_lock(replace(lock, target=target), motion).target

        keys.append(key.elsewhere(lock.rule, led))
    return replace(strip, lock=moved_lock(lock, moves[0]), targets=tuple(keys))


def strips_across(
    seam: Seam, first: tuple[LockStrip, ...], second: tuple[LockStrip, ...], feet: tuple[Across, ...], end: int
) -> tuple[LockStrip, ...]:
    """Return the strips of both motions once they are joined.

    What holds a foot that stands in both goes on as one strip with the first one's target where both hold it likewise;
    else the second one's takes over where the first one has the foot. All else of the first motion ends where the
    cross-fade begins, all else of the second begins where it ends.

    Args:
        seam: The seam.
        first: Strips of the first motion.
        second: Strips of the second one, where it comes to stand, on their new frames; they may begin before the seam.
        feet: The feet that stand in both.
        end: Last frame.
    """
    s, a = seam.first.skeleton, seam.before
    here = [strip for strip in first if strip.start <= a]
    made = {strip.id: ended for strip in here if (ended := _ended(strip, a)) is not None}
    open_ends = {strip.id: strip for strip in here if strip.factor_at(a) == 1.0 and is_still(strip)}
    of_foot: dict[int, list[LockStrip]] = {foot.number: [] for foot in feet}
    foot_of = {part: foot for foot in feet for part in foot.parts}
    for strip in second:
        foot = foot_of.get(s.joint_index(strip.lock.joint)) if strip.lock.second is None else None
        if foot is not None and strip.start <= (foot.last if is_still(strip) else foot.landing - 1):
            of_foot[foot.number].append(strip)
        elif (begun := _begun(strip, a + seam.frames)) is not None:
            made[begun.id] = begun
    for foot in feet:
        staying = [each for each in of_foot[foot.number] if not _rolls(each, foot)]
        own = [come for each in staying if (come := _begun(each, a)) is not None]
        if any(strip.start <= a for strip in own):
            _take_over(seam, foot, own, open_ends, made)
        else:
            made.update({strip.id: strip for strip in _held_on(seam, foot, list(open_ends.values()), end)})
            made.update({strip.id: strip for strip in own})
    return tuple(made.values())


def _rolls(strip: LockStrip, foot: Across) -> bool:
    """Return whether a strip only says how a foot rolls while it stands."""
    return not is_still(strip) and strip.end is not None and strip.end <= foot.last + 1


def _take_over(
    seam: Seam, foot: Across, own: list[LockStrip], open_ends: dict[str, LockStrip], made: dict[str, LockStrip]
) -> None:
    """Let the strips of the second motion go on holding a foot where the first one has it.

    All of them go by one motion, that of the part that one lock holds all along, so that they still agree. How the foot
    rolls while it stands is left to the keys: where toes or an ankle are a little otherwise, a path for it would pull
    at what stands.
    """
    s, frame = seam.first.skeleton, seam.before
    now = [strip for strip in own if strip.ease_in == 0.0 and strip.start == min(each.start for each in own)]
    partners = {strip.id: _same_hold(strip, open_ends) for strip in now if is_still(strip)}
    going_on = {partner.id for partner in partners.values() if partner is not None}
    merged = {s.joint_index(strip.lock.joint) for strip in now if partners.get(strip.id) is not None}
    still = {s.joint_index(strip.lock.joint) for strip in now if is_still(strip)}
    reference = next((part for part in foot.parts if part in (merged or still)), foot.parts[0])
    move = foot.moves[reference] if reference in still else _over_ground(foot.moves[reference])
    for id, strip in list(made.items()):
        # Both would hold at the seam, not quite alike.
        if strip.end == frame and s.joint_index(strip.lock.joint) in foot.parts and strip.id not in going_on:
            del made[id]
            if strip.start < frame:
                made[id] = replace(strip, end=frame - 1)

    def frames_of(frames: Array) -> Array:
        back = np.clip(frames + seam.after - seam.before, seam.second.first, seam.second.last)
        return np.asarray(seam.motion @ seam.second.frames[back - seam.second.first, foot.parts[0]])

    for strip in own:
        partner = partners.get(strip.id)
        if partner is None or partner.id not in open_ends:
            rigid = is_still(strip) or strip.formula is not None
            made[strip.id] = moved_strip(strip, move) if rigid else _led(strip, move, foot, frames_of)
        else:
            del open_ends[partner.id]
            made[partner.id] = replace(partner, end=strip.end, ease_out=strip.ease_out)


def let_go(first: tuple[LockStrip, ...], frame: int) -> int:
    """Return from which frame on keys must hold what locks of the first motion did that were going off at the seam."""
    return min([frame, *(_full_end(strip) for strip in first if _goes_off(strip, frame))])


def _goes_off(strip: LockStrip, frame: int) -> bool:
    return strip.end is not None and strip.eases[1] > 0.0 and strip.end - strip.eases[1] < frame < strip.end


def _full_end(strip: LockStrip) -> int:
    assert strip.end is not None
    return max(math.floor(strip.end - strip.eases[1]), strip.start)


def _ended(strip: LockStrip, frame: int) -> LockStrip | None:
    """Return a strip that ends at a frame at the latest, before it goes off if it is about to; None if none is left."""
    if strip.end is not None and strip.end <= frame:
        return strip
    last = _full_end(strip) if _goes_off(strip, frame) else frame
    return replace(strip, end=last, ease_out=0.0) if strip.start + strip.eases[0] < last else None


def _begun(strip: LockStrip, frame: int) -> LockStrip | None:
    """Return a strip that begins at a frame at the earliest; None if nothing is left of it that holds in full.

    One that is coming on there begins when it has done so.
    """
    if strip.start >= frame:
        return strip
    coming, going = strip.eases
    start = max(frame, math.ceil(strip.start + coming))
    if strip.end is not None and strip.end - going <= start:
        return None
    formula = strip.formula
    if formula is not None:
        formula = replace(formula, since=formula.since + start - strip.start)
    return replace(strip, start=start, ease_in=0.0, formula=formula)


def _same_hold(strip: LockStrip, others: Mapping[str, LockStrip]) -> LockStrip | None:
    """Return a strip among others that holds the same thing as one, wherever."""
    free = replace(strip.lock, target=None)
    return next((o for o in others.values() if replace(o.lock, target=None) == free and o.weight == strip.weight), None)


def _over_ground(move: Array) -> Array:
    """Return the part of a motion that goes over the ground: its turn about y, and where it takes what it moves."""
    made = np.eye(4)
    turn = move[:3, :3]
    made[:3, :3] = so3.axis_rotation("y", float(np.arctan2(turn[0, 2] - turn[2, 0], turn[0, 0] + turn[2, 2])))
    made[[0, 2], 3] = move[[0, 2], 3]
    return made


def _held_on(seam: Seam, foot: Across, first: list[LockStrip], end: int) -> list[LockStrip]:
    """Return strips that keep a foot where it is which only the first motion, or none, holds by locks.

    They last as long as the second motion has it, its heel or its toes, on the ground. Where toes hold their pose the
    foot itself holds its orientation alone: as that goes off it turns about the toes, and nothing pulls at them.
    """
    s, a, b = seam.first.skeleton, seam.before, seam.after
    about, regions = seam.first.feet[foot.number], seam.second.regions(foot.number)

    def down(*names: str) -> int:
        last = b
        for name in names:
            lifted = np.flatnonzero(~regions[name][b - seam.second.first :])
            last = max(last, (b + int(lifted[0]) if len(lifted) else seam.second.last + 1) - 1)
        return min(last + a - b, foot.last, end)

    if about.toes is None or HEEL not in regions:
        last, kind = down(*regions), "pose" if about.turns else "position"
        return [_hold(seam, about.joint, a, last, end, kind, about.point)] if last > a else []
    heel, toes = down(HEEL), down(*(name for name in regions if name != HEEL))
    found = []
    if toes > a:
        name = s.joint_names[about.toes]
        there = next((o for o in first if o.lock.joint == name and o.lock.kind == "pose" and o.weight == 1.0), None)
        made = _hold(seam, about.toes, a, toes, end, "pose", np.zeros(3))
        found.append(made if there is None else replace(there, end=made.end, ease_out=made.ease_out))
    if heel > a:
        kind = "orientation" if toes >= heel else "pose"
        found.append(_hold(seam, about.joint, a, heel, end, kind, about.point))
    return found


def _hold(seam: Seam, part: int, first: int, last: int, end: int, kind: str, point: Array) -> LockStrip:
    """Return a strip that keeps a part as the first motion has it at the seam, and goes off about a frame."""
    lock = Lock(seam.first.skeleton.joint_names[part], kind, tuple(point))
    bound = bind(lock, seam.first.skeleton, seam.first.poses[seam.before - seam.first.first])
    ease = float(min(_LETTING_GO, last - first))
    return LockStrip(bound, first, min(last + _LETTING_GO // 2, end), ease_out=ease)


def settled(
    joined: Sequence, feet: tuple[Across, ...], poses: Callable[[Array], Array], end: int
) -> tuple[LockStrip, ...]:
    """Return the strips of a joined sequence with those that bring feet back onto the second motion once they leave.

    Args:
        joined: The sequence without them.
        feet: The feet that stand in both motions at the seam.
        poses: The second motion where it was put, frames of the joined sequence to poses.
        end: Its last frame.
    """
    s, strips = joined.skeleton, list(joined.locks.strips)
    for foot in feet:
        last = min(foot.last + max(round(SETTLING * joined.fps), 1), foot.landing, end)
        if last <= foot.last + 1:
            continue
        frames = np.arange(foot.last, last + 1, dtype=np.float64)
        joint, names = foot.parts[0], [s.joint_names[part] for part in foot.parts]
        if any(strip.lock.joint in names and is_still(strip) and strip.covers(foot.last + 1) for strip in strips):
            continue  # it is let go by and by
        wanted = forward_kinematics(s, poses(frames))[:, joint]
        held = forward_kinematics(s, joined.poses_at_frames([foot.last]))[0, joint]
        off, turn = held[:3, 3] - wanted[0, :3, 3], so3.log(held[:3, :3] @ wanted[0, :3, :3].T)
        if np.linalg.norm(off) < _OFF and np.linalg.norm(turn) < _OFF:
            continue
        u = (frames - foot.last) / (last - foot.last)
        left = 1.0 - _smooth(u)
        placed = np.tile(np.eye(4), (len(frames), 1, 1))
        placed[:, :3, :3] = so3.exp(left[:, None] * turn) @ wanted[:, :3, :3]
        placed[:, :3, 3] = wanted[:, :3, 3] + left[:, None] * off
        if any(strip.lock.joint in names and not is_still(strip) and strip.covers(foot.last + 1) for strip in strips):
            continue  # its way leads it back
        keys = tuple(TargetKey(int(f), X) for f, X in zip(frames.tolist(), placed, strict=True))
        strips.append(LockStrip(Lock(s.joint_names[joint], "pose", target=placed[0]), foot.last, last, targets=keys))
    return tuple(strips)


def shifted(strip: LockStrip, by: int) -> LockStrip:
    """Return a strip so many frames later, with the same id; none of it, nor of its target's keys, before frame 0."""
    if strip.start + by >= 0 and all(key.frame + by >= 0 for key in strip.targets):
        return moved_copy(strip, strip.start + by, id=strip.id)
    keys = {max(key.frame + by, 0): replace(key, frame=max(key.frame + by, 0)) for key in strip.targets}
    for frame in (0,) if strip.targets and min(key.frame for key in strip.targets) + by < 0 else ():
        keys[frame] = replace(strip.key_at(frame - by), frame=frame)
    begun = _begun(strip, max(-by, strip.start))
    begun = strip if begun is None else begun
    end = None if begun.end is None else max(begun.end + by, 0)
    return replace(begun, start=max(begun.start + by, 0), end=end, targets=tuple(keys[f] for f in sorted(keys)))


def fresh(strips: tuple[LockStrip, ...], taken: set[str]) -> tuple[LockStrip, ...]:
    """Return strips of which none has an id that is taken."""
    return tuple(replace(strip, id=new_id()) if strip.id in taken else strip for strip in strips)
