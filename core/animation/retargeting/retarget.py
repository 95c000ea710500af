"""A sequence of one figure as a sequence of another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from core.animation.contacts.feet import Foot
from core.animation.contacts.finding import find_contacts, moving_range
from core.animation.contacts.paths import FootPaths
from core.animation.new_sequence import new_sequence
from core.animation.retargeting.footing import cleared, frames_of_poses, put_apart
from core.animation.retargeting.holding import hold, keyed
from core.animation.retargeting.legs import hips, hips_of_root, point_height, usual_scale
from core.animation.retargeting.matching import Matching
from core.animation.retargeting.pairs import Pair, checked_pairs, rolls, suggested_pairs
from core.animation.retargeting.posing import PointWish, TurnedPoses
from core.animation.retargeting.standing import flat_frames, levels, paired_feet, stood
from core.animation.sequence import Sequence
from core.arrays import Array, Ints
from core.constraints.soles import height
from core.errors import SequenceError
from core.kinematics import forward_kinematics
from core.progress import Progress, part, report
from core.skeleton.segment import rest_frames
from core.skeleton.skeleton import Skeleton

HIPS, FEET = 30.0, 3000.0
"""How much the place of the hips and of the soles counts beside turns of parts, whose least weight is 1, [1/m^2]."""
_CLEARED = 4  # times at most that feet are taken out of the floor and of each other
_HELD_APART = 3  # times at most that they are held, and put apart for that
_AT_ONCE = 256


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
    source = sequence.skeleton
    if not sequence.keys:
        raise SequenceError("there is no key, so there is no motion to retarget")
    if scale is not None and not (np.isfinite(scale) and scale > 0.0):
        raise SequenceError(f"scale is {scale!r}; it must be more than 0")
    chosen = suggested_pairs(source, target) if pairs is None else tuple(pairs)
    matching = Matching(source, target, checked_pairs(source, target, chosen))
    factor = usual_scale(source, target) if scale is None else scale
    first, last = moving_range(sequence)
    frames = np.arange(first, last + 1)
    feet = paired_feet(source, target, matching.joints)
    contacts = find_contacts(sequence, feet.values(), progress=part(progress, 0.0, 0.1)) if feet else None
    phases = {} if contacts is None else stood(contacts, feet, height(source))
    lows = [] if contacts is None else levels(contacts, phases, matching)
    turns, ways = _wanted(sequence, frames, matching, feet, part(progress, 0.1, 0.2))
    ways = [
        factor * (way - (0.0, low, 0.0))
        for way, low in zip(ways, [float(np.mean(lows)) if lows else 0.0, *lows], strict=True)
    ]
    for foot, way in zip(feet, ways[1:], strict=True):
        way[:, 1] += point_height(target, foot)
    if rolls(source, target):
        ways[0][:, 1] = _own_height(target)
    poser, flat = TurnedPoses(target, matching.weights), [flat_frames(phases[foot.joint], first) for foot in feet]
    share = 0.3 / _CLEARED
    for turn in range(_CLEARED):
        wishes = [
            PointWish(0, hips_of_root(target), ways[0], HIPS if feet else FEET),
            *(PointWish(foot.joint, foot.point, way, FEET) for foot, way in zip(feet, ways[1:], strict=True)),
        ]
        poses = poser.poses(turns, wishes, sequence.fps, part(progress, 0.2 + share * turn, 0.2 + share * (turn + 1)))
        if not feet or not cleared(target, tuple(feet), poses, flat, ways[1:], sequence.fps):
            break
    made = new_sequence(target, sequence.name)
    made.fps, made.menu, made.loop = sequence.fps, sequence.menu, sequence.loop
    keyed(made, frames, poses)
    made.set_range(*sequence.range)
    if contacts is None or not hold_feet:
        report(progress, 1.0)
        return Retargeted(made, chosen, factor, None)
    even, strips = contacts.bounds.floor is not None, made.locks.strips
    for turn in range(_HELD_APART):
        begin, end = (1.0 - 0.5 ** (n + 1) for n in (turn, turn + 1))
        middle = 0.1 * begin + 0.9 * end
        paths, let_go = hold(made, tuple(feet), phases, even, part(progress, begin, middle))
        held = frames_of_poses(target, np.array([key.q for key in made.keys]))
        if turn == _HELD_APART - 1 or not put_apart(target, tuple(feet), held, ways[1:]):
            break
        # Feet that stand still somewhere in the middle of where they were may be in each other again.
        made.locks.strips = strips
        keyed(made, frames, poser.poses(turns, wishes, sequence.fps, part(progress, middle, end)))
    report(progress, 1.0)
    return Retargeted(made, chosen, factor, paths, let_go)


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
    way = factor * hips(source, X)
    if rolls(source, target):
        way[:, 1] = _own_height(target)
    wish = PointWish(0, hips_of_root(target), way, FEET)
    return TurnedPoses(target, matching.weights).poses(matching.wanted(X), [wish], sequence.fps)[0]


def _wanted(
    sequence: Sequence, frames: Ints, matching: Matching, feet: Mapping[Foot, Foot], progress: Progress | None
) -> tuple[Array, list[Array]]:
    """Return how the target's parts are to be turned, and where the source's hips and held points of feet are.

    Returns:
        Rotations, shape (m, n, 3, 3), and the hips' way and that of each foot, shape (m, 3) each, [m].
    """
    source = sequence.skeleton
    turns: list[Array] = []
    ways: list[list[Array]] = []
    for start in range(0, len(frames), _AT_ONCE):
        report(progress, start / len(frames))
        X = forward_kinematics(source, sequence.poses_at_frames(frames[start : start + _AT_ONCE].astype(np.float64)))
        turns.append(matching.wanted(X))
        soles = [X[:, own.joint, :3, :3] @ own.point + X[:, own.joint, :3, 3] for own in feet.values()]
        ways.append([hips(source, X), *soles])
    return np.concatenate(turns), [np.concatenate(way) for way in zip(*ways, strict=True)]


def _own_height(s: Skeleton) -> float:
    """Return how high what stands for the hips of a figure without legs is; it stands as high as it stands, [m]."""
    return float(hips(s, rest_frames(s)[None])[0, 1])
