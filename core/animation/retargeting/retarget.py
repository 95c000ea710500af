"""A sequence of one figure as a sequence of another one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from core.animation.contacts.feet import Foot, figure_feet
from core.animation.contacts.finding import ContactOptions, Contacts, find_contacts, moving_range
from core.animation.contacts.paths import FootPaths, lock_paths
from core.animation.contacts.phases import FLAT, REST, SWING, Phase, phases_of, stances, without_frames
from core.animation.key import LINEAR, Key
from core.animation.new_sequence import new_sequence
from core.animation.retargeting.footing import depths, eased, overlaps
from core.animation.retargeting.matching import Matching, rotations
from core.animation.retargeting.pairs import Pair, anatomy_of, checked_pairs, suggested_pairs
from core.animation.retargeting.posing import PointWish, TurnedPoses
from core.animation.sequence import Sequence
from core.arrays import Array, Bools, Ints
from core.constraints.lock import Lock
from core.constraints.soles import height
from core.constraints.solve_locks import solve_locks
from core.errors import SequenceError
from core.kinematics import forward_kinematics
from core.skeleton.named_parts import THIGH
from core.skeleton.segment import rest_frames
from core.skeleton.skeleton import Skeleton

HIPS, FEET = 30.0, 3000.0
"""How much the place of the hips and of the soles counts beside turns of parts, whose least weight is 1, [1/m^2]."""
_SAME_FLOOR = 0.03  # of the height: feet that stand this much higher are on other ground
_SMOOTH, _ROOT = 0.06, 1e-3  # [s]; how easily the root moves where the legs could, beside joints
_NEARER, _ROUNDS = 2, 10  # times at most that feet are put nearer to each other, and that anything is tried
_HELD = 1e-6  # [m] or [rad]
_YIELDS, _UPRIGHT = 0.1, 0.5  # how much a foot's place, and how the body is turned, count where both cannot be
_CLEARED = 4  # times at most that feet are taken out of the floor and of each other
_TOUCHES, _WIDEST = 1e-3, 0.03  # [m]: less is no harm; of the height: farther feet are not put apart at a time
_AT_ONCE = 256
Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Retargeted:
    """A motion on another figure.

    Attributes:
        sequence: The motion, with a key at each frame and locks that hold its feet.
        pairs: The pairs it was made by.
        scale: How many times as long its ways over the ground are.
        paths: What holds the feet; None where the figure has no feet, or they are not to be held.
        let_go: How many frames a foot is free at which it stood, as the limits of joints do not let it stand there.
    """

    sequence: Sequence
    pairs: tuple[Pair, ...]
    scale: float
    paths: FootPaths | None
    let_go: int = 0


def retarget(
    sequence: Sequence,
    target: Skeleton,
    pairs: Iterable[Pair] | None = None,
    scale: float | None = None,
    hold_feet: bool = True,
    progress: Progress | None = None,
) -> Retargeted:
    """Return a sequence in which another figure moves as the figure of this one does.

    Parts that are paired are turned alike, as far as limits allow. Ways over the ground, and how high the hips are, are
    as much longer as the legs. Where a foot of the source stands that of the target is held in its place by locks; how
    far it was off the ground while it stood does not matter.

    Args:
        sequence: The motion, with its locks.
        target: The figure that is to move likewise.
        pairs: Which joint stands for which; None for those that bodies and names speak for.
        scale: How many times as long ways are; None for what the legs say.
        hold_feet: Whether locks hold the feet where they stand.
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.

    Raises:
        SequenceError: If there is no key, a pair names no joint or one twice, or the scale is not positive.
    """
    source, tell = sequence.skeleton, progress or _nothing
    if not sequence.keys:
        raise SequenceError("there is no key, so there is no motion to take over")
    if scale is not None and not (np.isfinite(scale) and scale > 0.0):
        raise SequenceError(f"scale is {scale!r}; it must be more than 0")
    chosen = suggested_pairs(source, target) if pairs is None else tuple(pairs)
    matching = Matching(source, target, checked_pairs(source, target, chosen))
    factor = usual_scale(source, target) if scale is None else scale
    first, last = moving_range(sequence)
    frames = np.arange(first, last + 1)
    feet = _feet(source, target, matching.joints)
    contacts = find_contacts(sequence, feet.values(), progress=lambda part: tell(0.1 * part)) if feet else None
    phases = {} if contacts is None else _stood(contacts, feet, height(source))
    levels = _levels(contacts, phases, matching) if contacts is not None else []
    level = float(np.mean(levels)) if levels else 0.0
    turns, hips, soles = [], [], []
    for start in range(0, len(frames), _AT_ONCE):
        tell(0.1 + 0.1 * start / len(frames))
        X = forward_kinematics(source, sequence.poses_at_frames(frames[start : start + _AT_ONCE].astype(np.float64)))
        turns.append(matching.wanted(X))
        hips.append(_hips(source, X))
        soles.append([X[:, own.joint, :3, :3] @ own.point + X[:, own.joint, :3, 3] for own in feet.values()])
    ways = [np.concatenate(hips), *(np.concatenate(way) for way in zip(*soles, strict=True))]
    ways = [factor * (way - (0.0, low, 0.0)) for way, low in zip(ways, [level, *levels], strict=True)]
    for foot, way in zip(feet, ways[1:], strict=True):
        way[:, 1] += _point_height(target, foot)
    if not _thighs(target):  # it stands as high as it stands
        ways[0][:, 1] = _hips(target, rest_frames(target)[None])[0, 1]
    poser, wanted = TurnedPoses(target, matching.weights), np.concatenate(turns)
    for turn in range(_CLEARED):
        wishes = [
            PointWish(0, _hips_of_root(target), ways[0], HIPS if feet else FEET),
            *(PointWish(foot.joint, foot.point, way, FEET) for foot, way in zip(feet, ways[1:], strict=True)),
        ]
        poses = poser.poses(wanted, wishes, sequence.fps, _within(tell, turn, _CLEARED))
        if not feet or not _cleared(target, tuple(feet), poses, phases, first, ways[1:], sequence.fps):
            break
    made = new_sequence(target, sequence.name)
    made.fps, made.menu, made.loop = sequence.fps, sequence.menu, sequence.loop
    made.set_keys([Key(int(frame), q, LINEAR) for frame, q in zip(frames, poses, strict=True)])
    made.set_range(*sequence.range)
    if contacts is None or not hold_feet:
        tell(1.0)
        return Retargeted(made, chosen, factor, None)
    even = ContactOptions(floor=0.0) if contacts.bounds.floor is not None else None
    kept, stood = made.locks.strips, dict(phases)
    for turn in range(_ROUNDS):
        tell(0.5 + 0.5 * turn / _ROUNDS)
        paths = lock_paths(made, tuple(feet), even, phases=stood)
        made.locks.strips = (*kept, *paths.strips)
        poses, off = _settled(made, frames, poses)
        if not off.any() or turn == _ROUNDS - 1:
            break
        # Legs that may not go as far apart stand nearer to each other: where they came to. What cannot be held even so
        # is let go, of the foot that is nearer to its next or last step.
        if turn >= _NEARER:
            for frame in frames[off].tolist():
                inside = {joint: _inside(each, frame) for joint, each in stood.items()}
                joint = min(inside, key=lambda each: inside[each])
                stood[joint] = without_frames(stood[joint], range(frame - 1, frame + 2))
        made.locks.strips = kept
        made.set_keys([Key(int(frame), q, LINEAR) for frame, q in zip(frames, poses, strict=True)])
    made.set_keys([Key(int(frame), q, LINEAR) for frame, q in zip(frames, poses, strict=True)])
    tell(1.0)
    return Retargeted(made, chosen, factor, paths, _standing(phases) - _standing(stood))


def retargeted_pose(
    sequence: Sequence, target: Skeleton, frame: float, pairs: Iterable[Pair], scale: float | None = None
) -> Array:
    """Return the pose of another figure at one frame as ``retarget`` has it but for held feet, quickly, shape (nq,).

    Args:
        sequence: The motion.
        target: The figure that is to move likewise.
        frame: The frame.
        pairs: Which joint stands for which.
        scale: How many times as long ways are; None for what the legs say.

    Raises:
        SequenceError: As ``retarget``.
    """
    source = sequence.skeleton
    matching = Matching(source, target, checked_pairs(source, target, pairs))
    factor = usual_scale(source, target) if scale is None else scale
    X = forward_kinematics(source, sequence.poses_at_frames(np.array([float(frame)])))
    hips = factor * _hips(source, X)
    if not _thighs(target):
        hips[:, 1] = _hips(target, rest_frames(target)[None])[0, 1]
    wish = PointWish(0, _hips_of_root(target), hips, FEET)
    return TurnedPoses(target, matching.weights).poses(matching.wanted(X), [wish], sequence.fps)[0]


def _standing(phases: dict[int, list[Phase]]) -> int:
    """Return at how many frames feet stand, all together."""
    return sum(last - first + 1 for each in phases.values() for first, last in stances(each))


def _inside(phases: list[Phase], frame: int) -> float:
    """Return how many frames a foot stands before and after one, whichever is less; infinity where it does not."""
    for first, last in stances(phases):
        if first <= frame <= last:
            return min(frame - first, last - frame)
    return np.inf


def _settled(sequence: Sequence, frames: Ints, poses: Array) -> tuple[Array, Bools]:
    """Return poses that keep the locks at each frame, shape (m, nq), and which of them do not, shape (m,).

    Legs of other proportions do not reach where they should, so the root has to give way. It does so evenly: by the way
    that it would have to go alone, smoothed over time; the legs do the rest.
    """
    s, locks = sequence.skeleton, [[each.lock for each in sequence.locks.active(frame)] for frame in frames.tolist()]
    ways = np.array(
        [solve_locks(s, q, own).q[:3] - q[:3] if own else np.zeros(3) for q, own in zip(poses, locks, strict=True)]
    )
    made = poses.copy()
    made[:, :3] += gaussian_filter1d(ways, _SMOOTH * sequence.fps, axis=0, mode="nearest")
    off = np.zeros(len(poses), dtype=bool)
    for row, own in enumerate(locks):
        if own:
            found = solve_locks(s, made[row], own, root_weight=_ROOT)
            if not (found.residuals < _HELD).all():
                upright = Lock(0, "orientation", target=forward_kinematics(s, poses[row])[0, :3, :3], weight=_UPRIGHT)
                less = [each for lock in own for each in _yielding(lock)]
                off[row], found = True, solve_locks(s, made[row], [*less, upright])
            made[row] = found.q
    return made, off


def _yielding(lock: Lock) -> list[Lock]:
    """Return locks that let a foot come nearer rather than tip it over: they keep its turn and how high it is."""
    if lock.kind != "pose":
        return [lock]
    X = np.asarray(lock.target)
    level = replace(lock, kind="plane", target=(0.0, 1.0, 0.0, float(X[1, 3])))
    near = replace(lock, kind="position", target=X[:3, 3], weight=_YIELDS)
    return [Lock(lock.joint, "orientation", target=X[:3, :3]), level, near]


def _within(tell: Progress, turn: int, turns: int) -> Progress:
    """Return what tells how much is done while poses are found for the turn-th of some times."""
    return lambda part: tell(0.2 + 0.3 * (turn + part) / turns)


def _nothing(part: float) -> None:
    """Take how much is done."""


def _parts(contacts: Contacts) -> int:
    """Return how many samples there are to a frame."""
    span = round(float(contacts.frames[-1] - contacts.frames[0]))
    return (len(contacts.frames) - 1) // max(span, 1) or 1


def _stood(contacts: Contacts, feet: dict[Foot, Foot], size: float) -> dict[int, list[Phase]]:
    """Return what each of the target's feet does, by its joint."""
    first, parts = round(float(contacts.frames[0])), _parts(contacts)
    rows = zip(feet, contacts.feet, contacts.touching, contacts.frames_of, strict=True)
    return {
        foot.joint: _as_stands(foot, phases_of(own, touching, places, first, parts, size))
        for foot, own, touching, places in rows
    }


def _cleared(
    s: Skeleton, feet: tuple[Foot, ...], poses: Array, phases: dict[int, list[Phase]], first: int, ways: list[Array],
    rate: float,
) -> bool:
    """Take ways of feet out of the floor and of each other, in place; return whether any had to be."""
    X = np.concatenate(
        [forward_kinematics(s, poses[start : start + _AT_ONCE]) for start in range(0, len(poses), _AT_ONCE)]
    )
    found = False
    for foot, way in zip(feet, ways, strict=True):
        deep = depths(s, foot, X)
        deep[_flat(phases[foot.joint], first)] = 0.0
        if deep.max() > _TOUCHES:
            way[:, 1] += eased(deep, rate)
            found = True
    if len(feet) == 2:
        apart = float(overlaps(s, feet[0], feet[1], X).max())
        if apart > _TOUCHES:
            side = X[:, _hip_above(s, feet[0].joint), :3, 3] - X[:, _hip_above(s, feet[1].joint), :3, 3]
            side[:, 1] = 0.0
            side *= 0.5 * min(apart + _TOUCHES, _WIDEST * height(s)) / np.linalg.norm(side, axis=1)[:, None]
            ways[0] += side
            ways[1] -= side
            found = True
    return found


def _hip_above(s: Skeleton, joint: int) -> int:
    """Return the joint at which the leg of a foot begins."""
    thighs = _thighs(s)
    while joint not in thighs and s.joints[joint].parent > 0:
        joint = s.joints[joint].parent
    return joint


def _levels(contacts: Contacts, phases: dict[int, list[Phase]], matching: Matching) -> list[float]:
    """Return how high the held point of each of the source's feet is where it stands flat; let them be level there.

    Where the feet differ by more than recordings are off, as on stairs, all have the mean.
    """
    first, found = round(float(contacts.frames[0])), []
    for own, places, (joint, phase) in zip(contacts.feet, contacts.frames_of, phases.items(), strict=True):
        flat = places[:: _parts(contacts), 0][_flat(phase, first)]
        if len(flat):
            matching.stand(joint, flat)
            found.append(float(np.median((flat[:, :3, :3] @ own.point + flat[:, :3, 3])[:, 1])))
        else:
            found.append(np.nan)
    if np.isnan(found).all():
        return [contacts.bounds.floor or 0.0] * len(found)
    apart = np.nanmax(found) - np.nanmin(found) > _SAME_FLOOR * height(matching.source)
    mean = float(np.nanmean(found))
    return [mean if apart or np.isnan(each) else each for each in found]


def _flat(phases: list[Phase], first: int) -> list[int]:
    """Return at which frames, counted from the first, a foot stands with all of it."""
    return [f - first for p in phases if p.kind in (FLAT, REST) for f in range(p.first, p.last + 1)]


def _as_stands(foot: Foot, phases: list[Phase]) -> list[Phase]:
    """Return what a foot does, said as its own shape has it: one with heel and toes is flat where another rests."""
    made: list[Phase] = []
    for phase in phases:
        kind = phase.kind
        if kind != SWING and not foot.rolls:
            kind = REST
        elif kind == REST:
            kind = FLAT
        if made and made[-1].kind == kind:
            made[-1] = made[-1]._replace(last=phase.last)
        else:
            made.append(phase._replace(kind=kind))
    return made


def _feet(source: Skeleton, target: Skeleton, joints: dict[int, int]) -> dict[Foot, Foot]:
    """Return the source's foot for each of the target's whose joint, or one below it, is paired with it."""
    own = {foot.joint: foot for foot in figure_feet(source)}
    found: dict[Foot, Foot] = {}
    for foot in figure_feet(target):
        other = own.get(joints.get(foot.joint, -1))
        if other is not None:
            found[foot] = other
    return found


def _thighs(s: Skeleton) -> list[int]:
    """Return the joints at which legs begin."""
    anatomy = anatomy_of(s)
    return [i for i in anatomy.chains if anatomy.parts[i] == THIGH]


def _hips(s: Skeleton, X: Array) -> Array:
    """Return the middle between the hips in frames of shape (m, n, 4, 4), the root of a figure without legs, (m, 3)."""
    return np.asarray(X[:, _thighs(s) or [0]][:, :, :3, 3].mean(axis=1))


def _hips_of_root(s: Skeleton) -> Array:
    """Return where the middle between the hips is in the root's frame at rest, scales left out, shape (3,), [m]."""
    X = rest_frames(s)
    return np.asarray(rotations(X[0]).T @ (_hips(s, X[None])[0] - X[0, :3, 3]))


def usual_scale(source: Skeleton, target: Skeleton) -> float:
    """Return how many times as long the target's legs are; how many times as tall it is, where not both have legs."""
    legs = [_leg(s) for s in (source, target)]
    return height(target) / height(source) if None in legs else legs[1] / legs[0]  # type: ignore[operator]


def _leg(s: Skeleton) -> float | None:
    """Return how long the legs of a figure are, from the hips to the floor, [m]; None where it has none."""
    anatomy, frames, thighs = anatomy_of(s), rest_frames(s), _thighs(s)
    feet = figure_feet(s)
    if not thighs or not feet:
        return None
    lengths = []
    for thigh in thighs:
        length, joint = 0.0, thigh
        below = anatomy.next[joint]
        while below >= 0:
            length += float(np.linalg.norm(frames[below, :3, 3] - frames[joint, :3, 3]))
            joint, below = below, anatomy.next[below]
        lengths.append(length)
    ankles = [float(frames[foot.joint, 1, 3]) - _lowest(foot, frames) for foot in feet]
    return float(np.mean(lengths) + np.mean(ankles))



def _lowest(foot: Foot, frames: Array) -> float:
    """Return how high the lowest point of a foot is in frames of shape (n, 4, 4), [m]."""
    return min(
        float((frames[r.joint, :3, :3] @ r.points.T + frames[r.joint, :3, 3:])[1].min()) for r in foot.regions
    )


def _point_height(s: Skeleton, foot: Foot) -> float:
    """Return how high the point of a foot that locks hold is above its sole while it stands, [m]."""
    frames = rest_frames(s)
    return float((frames[foot.joint, :3, :3] @ foot.point + frames[foot.joint, :3, 3])[1]) - _lowest(foot, frames)
