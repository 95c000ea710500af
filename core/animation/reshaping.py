"""Selected keys reshaped by one amount: between and away from the keys beside them, exaggerated, smoothed, delayed.

Every kind looks at the keys as they are and returns others at the same frames; only the values that are selected
change, and they stay inside limits and cones as far as they are inside now. Rotations of compound joints go along arcs,
as ``core.animation.breakdown.blended`` has them; so what is halved and then doubled comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.animation import breakdown, editing
from core.animation.breakdown import blended
from core.animation.channels import channels_of
from core.animation.curves.compound_joints import CompoundJoints
from core.animation.key import Key
from core.animation.key_parts import Parts
from core.animation.layers.offsets import kept_inside
from core.animation.sequence import Sequence
from core.arrays import Array, Bools, Ints
from core.errors import SequenceError
from core.skeleton import Skeleton
from core.skeleton.per_skeleton import per_skeleton
from core.spatial import quaternion as quat

BREAKDOWN, PUSH, LEAN = "breakdown", "push", "lean"
EXAGGERATE, SMOOTH, OVERLAP = "exaggerate", "smooth", "overlap"

PASSES = 4
"""How often keys are drawn toward their neighbours where they are smoothed in full."""
MOST_DELAY = 10.0
"""How many frames a joint may lag behind the one before it, [frames]."""

_HELD_BACK = 1e-9  # less than that is rounding

Columns = Mapping[int, NDArray[np.int64]]
"""Frames of the keys that change, by the column of the pose."""


def reshaped(
    sequence: Sequence, parts: Parts, points: Columns, kind: str, amount: float, stopped: set[int] | None = None
) -> list[Key]:
    """Return a sequence's keys with values of some changed.

    Args:
        sequence: The sequence; it does not change.
        parts: Channels of the selected keys, by frame.
        points: Values that change.
        kind: One of ``KINDS``.
        amount: How far; what stands for nothing and what for most is in ``KINDS``.
        stopped: Takes the places of values that limits keep from going as far as the others.

    Raises:
        SequenceError: If the selected keys are too few for it, or there is no such kind.
    """
    if kind not in KINDS:
        raise SequenceError(f'there is no way to reshape keys called "{kind}"; there are {", ".join(KINDS)}')
    return KINDS[kind].make(sequence, parts, points, amount, set() if stopped is None else stopped)


def columns_of(sequence: Sequence, parts: Parts) -> Columns:
    """Return all values of selected keys: which columns of the pose change at which frames."""
    channels = channels_of(sequence.skeleton)
    found: dict[int, list[int]] = {}
    for key in sequence.keys:
        if key.frame not in parts:
            continue
        names = parts[key.frame]
        held = channels.all if key.keyed is None else key.keyed
        for column in np.flatnonzero(channels.mask(held if names is None else held & names)).tolist():
            found.setdefault(column, []).append(key.frame)
    return {column: np.array(frames, dtype=np.int64) for column, frames in found.items()}


# -- between the keys beside them ------------------------------------------------------------------------------------


def _between(kind: str) -> Callable[[Sequence, Parts, Columns, float, set[int]], list[Key]]:
    """Return what moves keys between, away from and toward the nearest keys that are not among them.

    The selected keys of a run all go by the same two keys, one at either side of the run, whatever their order: at
    100 % of a breakdown all are the one after it, relaxed fully they are on the way from the one to the other.
    """
    move = {BREAKDOWN: breakdown.broken_down, PUSH: breakdown.pushed, LEAN: breakdown.leaned}[kind]

    def make(sequence: Sequence, parts: Parts, points: Columns, amount: float, stopped: set[int]) -> list[Key]:
        skeleton, channels = sequence.skeleton, channels_of(sequence.skeleton)
        others = Sequence(skeleton, fps=sequence.fps)
        others.set_keys(editing.removed(sequence.keys, parts, channels))
        masks, made, known = _masks(skeleton, points), [], False
        for key in sequence.keys:
            mask = masks.get(key.frame)
            if mask is None:
                made.append(key)
                continue
            near = breakdown.neighbours(others, key.frame)
            known |= bool((near.known & mask).any())
            pose = others.pose_of(key) if len(others.keys) else key.q
            q = move(near, np.where(channels.mask(key.keyed or channels.all), key.q, pose), amount, mask, stopped)
            made.append(_with(key, np.where(mask & near.known, q, key.q)))
        if not known:
            raise SequenceError("there is no key beside the selected ones; leave one at either side")
        return made

    return make


# -- all together ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Run:
    """All keys of a sequence as arrays, and which values of them change.

    Attributes:
        frames: Shape (n,).
        poses: The poses at them, what a key does not hold taken from those around, shape (n, nq).
        mask: What changes, shape (n, nq).
        turns: Whether the channel of a value follows its angles, shape (n, nq).
        arcs: Whether joints with two axes take arcs, shape (n, nq).
    """

    frames: Array
    poses: Array
    mask: Bools
    turns: Bools
    arcs: Bools

    @classmethod
    def of(cls, sequence: Sequence, points: Columns) -> _Run:
        keys, skeleton = sequence.keys, sequence.skeleton
        channels, masks = channels_of(skeleton), _masks(skeleton, points)
        mask, turns, arcs = (np.zeros((len(keys), skeleton.nq), dtype=bool) for _ in range(3))
        for i, key in enumerate(keys):
            turns[i], arcs[i] = key.shape.turns, key.shape.arcs
            for name in key.shapes:
                columns = channels.columns[channels.index(name)]
                shape = key.shape_of(name)
                turns[i, columns], arcs[i, columns] = shape.turns, shape.arcs
            if key.frame in masks:
                mask[i] = masks[key.frame]
        poses = np.array([sequence.pose_of(key) for key in keys]).reshape(len(keys), skeleton.nq)
        return cls(np.array(keys.frames, dtype=np.float64), poses, mask, turns, arcs)

    def keys(self, sequence: Sequence, made: Array, stopped: set[int]) -> list[Key]:
        """Return the keys with those values of poses, shape (n, nq), that change, inside the limits."""
        rows = np.flatnonzero(self.mask.any(axis=1))
        wanted = np.where(self.mask[rows], made[rows], self.poses[rows])
        held = kept_inside(sequence.skeleton, wanted, self.poses[rows])
        stopped.update(np.flatnonzero((np.abs(held - wanted) > _HELD_BACK).any(axis=0)).tolist())
        found = list(sequence.keys)
        for i, q in zip(rows.tolist(), held, strict=True):
            found[i] = _with(found[i], np.where(self.mask[i], q, found[i].q))
        return found


def _exaggerated(sequence: Sequence, parts: Parts, points: Columns, amount: float, stopped: set[int]) -> list[Key]:
    """Return keys farther from their mean, or nearer to it; 1 leaves them.

    The root's place goes away from the straight way between the first and the last of them instead: a walk that is
    exaggerated sways more, and ends where it ended.
    """
    run, skeleton = _Run.of(sequence, points), sequence.skeleton
    middle = run.poses.copy()
    for mask, columns in _alike(run.mask):
        if len(mask) < 2:
            raise SequenceError("one key alone has no mean to be exaggerated about; select two or more")
        middle[np.ix_(mask, columns)] = run.poses[np.ix_(mask, columns)].mean(axis=0)
        place = columns[columns < 3]
        if len(place):
            share = (run.frames[mask] - run.frames[mask[0]]) / (run.frames[mask[-1]] - run.frames[mask[0]])
            ends = run.poses[np.ix_(mask[[0, -1]], place)]
            middle[np.ix_(mask, place)] = ends[0] + share[:, None] * (ends[1] - ends[0])
    _put_mean_rotations(_joints(skeleton), run, middle)
    return run.keys(sequence, blended(skeleton, middle, run.poses, amount, run.turns, run.arcs), stopped)


def _smoothed(sequence: Sequence, parts: Parts, points: Columns, amount: float, stopped: set[int]) -> list[Key]:
    """Return keys drawn toward the way between the keys at either side, several times; 0 leaves them, 1 is most.

    Those that have no key of their channel at one side stay.
    """
    run, skeleton, keyed = _Run.of(sequence, points), sequence.skeleton, sequence.keys.table.keyed
    of_value = channels_of(skeleton).of_value
    n = len(run.frames)
    number = np.where(keyed, np.arange(n)[:, None], -1)
    before = np.vstack([np.full((1, keyed.shape[1]), -1), np.maximum.accumulate(number, axis=0)[:-1]])
    number = np.where(keyed, np.arange(n)[:, None], n)
    after = np.vstack([np.minimum.accumulate(number[::-1], axis=0)[::-1][1:], np.full((1, keyed.shape[1]), n)])
    inner = (before >= 0) & (after < n)
    if not (inner[:, of_value] & run.mask).any():
        raise SequenceError("there is no key at either side of the selected ones; keys at the ends stay as they are")
    before, after = np.where(inner, before, 0), np.where(inner, after, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (run.frames[:, None] - run.frames[before]) / (run.frames[after] - run.frames[before])
    share = np.where(inner, share, 0.0)[:, of_value]
    moves, poses, columns = run.mask & inner[:, of_value], run.poses, np.arange(skeleton.nq)
    rows = np.flatnonzero(moves.any(axis=1))
    turns, arcs = run.turns[rows], run.arcs[rows]
    left, right = before[rows][:, of_value], after[rows][:, of_value]
    for _ in range(PASSES if amount else 0):
        between = blended(skeleton, poses[left, columns], poses[right, columns], share[rows], turns, arcs)
        drawn = blended(skeleton, poses[rows], between, 0.5 * amount, turns, arcs)
        poses = poses.copy()
        poses[rows] = np.where(moves[rows], drawn, poses[rows])
    return run.keys(sequence, poses, stopped)


def _overlapped(sequence: Sequence, parts: Parts, points: Columns, amount: float, stopped: set[int]) -> list[Key]:
    """Return keys with the values that the motion has some frames earlier, more of them joint by joint along a limb.

    The first selected joint of a limb lags by the amount, the next selected one by twice as much, and so on; the root
    leads. Below zero they come earlier. Before its first and after its last key the motion is what cycles make of it.

    Args:
        sequence: See ``reshaped``.
        parts: Likewise.
        points: Likewise.
        amount: [frames].
        stopped: See ``reshaped``.
    """
    run, skeleton = _Run.of(sequence, points), sequence.skeleton
    levels = _levels(skeleton, np.flatnonzero(run.mask.any(axis=0)))
    if amount == 0.0:
        return list(sequence.keys)
    if not levels.any():
        raise SequenceError("only the root is selected, which leads; select keys of other joints")
    plain = Sequence(skeleton, fps=sequence.fps)
    plain.set_keys(sequence.keys)
    plain.cycles = sequence.cycles
    made = run.poses.copy()
    rows = np.flatnonzero(run.mask.any(axis=1))
    for level in np.unique(levels[levels > 0]).tolist():
        columns = np.flatnonzero(levels == level)
        made[np.ix_(rows, columns)] = plain.poses_at_frames(run.frames[rows] - amount * level)[:, columns]
    return run.keys(sequence, made, stopped)


def _levels(skeleton: Skeleton, columns: Ints) -> Ints:
    """Return how many joints with selected values lie from the root to that of each value, itself one, shape (nq,)."""
    joints = {int(skeleton.dof_joints[column - 3]) for column in columns.tolist() if column >= 3}
    depth = np.zeros(len(skeleton.joints), dtype=np.int64)
    for i, joint in enumerate(skeleton.joints):
        if joint.parent >= 0:
            depth[i] = depth[joint.parent] + (i in joints)
    levels = np.zeros(skeleton.nq, dtype=np.int64)
    levels[3:] = depth[np.asarray(skeleton.dof_joints, dtype=np.int64)]
    return levels


def _alike(mask: Bools) -> Iterator[tuple[Ints, Ints]]:
    """Return the rows in which some columns are chosen, and these columns: those with the same rows together."""
    patterns, number = np.unique(mask, axis=1, return_inverse=True)
    for i, pattern in enumerate(patterns.T):
        if pattern.any():
            yield np.flatnonzero(pattern), np.flatnonzero(number.ravel() == i)


def _put_mean_rotations(joints: CompoundJoints, run: _Run, middle: Array) -> None:
    """Put the mean rotations of compounds into poses, where all of their values change at the same keys.

    The mean is the one of the quaternions as vectors, on the branch of angles nearest to the mean angles. Joints that
    follow their angles, or whose angles lie more than half a turn apart, have the mean of these.
    """
    if not len(joints):
        return
    values, means = joints.values(run.poses), joints.values(middle)
    rotations = joints.rotations(values)
    for c, columns in enumerate(joints.columns):
        own = run.mask[:, columns]
        rows = np.flatnonzero(own.any(axis=1))
        if not len(rows) or not own[rows].all() or run.turns[np.ix_(rows, columns)].any():
            continue
        if np.ptp(values[rows, c], axis=0).max() > np.pi or (joints.pairs and not run.arcs[rows][:, columns].all()):
            continue
        q = quat.shortest(rotations[rows[0], c], rotations[rows, c]).sum(axis=0)
        if (length := float(np.linalg.norm(q))) > 1e-6:
            some = joints.taken(np.array([c]))
            means[rows, c] = some.angles((q / length)[None], means[rows[0], c][None])[0]
    joints.put(middle, means)


def _masks(skeleton: Skeleton, points: Columns) -> dict[int, Bools]:
    """Return which values change at each frame, shape (nq,)."""
    found: dict[int, Bools] = {}
    for column, frames in points.items():
        for frame in np.asarray(frames).tolist():
            found.setdefault(frame, np.zeros(skeleton.nq, dtype=bool))[column] = True
    return found


def _with(key: Key, values: Array) -> Key:
    values.setflags(write=False)
    return key.changed(q=values)


@per_skeleton
def _joints(skeleton: Skeleton) -> CompoundJoints:
    return CompoundJoints(skeleton, pairs=True)


@dataclass(frozen=True)
class Kind:
    """A way to reshape keys.

    Attributes:
        make: From the sequence, the selected channels, the values that change, the amount, and a set that takes the
            places of values which limits stop, to all keys.
        least: The smallest amount.
        most: The greatest one.
        rest: The one that stands for nothing, or where one begins.
    """

    make: Callable[[Sequence, Parts, Columns, float, set[int]], list[Key]]
    least: float
    most: float
    rest: float


KINDS: Mapping[str, Kind] = {
    BREAKDOWN: Kind(_between(BREAKDOWN), breakdown.LEAST, breakdown.MOST, 0.5),
    PUSH: Kind(_between(PUSH), -1.0, 1.0, 0.0),
    LEAN: Kind(_between(LEAN), -1.0, 1.0, 0.0),
    EXAGGERATE: Kind(_exaggerated, 0.0, 3.0, 1.0),
    SMOOTH: Kind(_smoothed, 0.0, 1.0, 0.0),
    OVERLAP: Kind(_overlapped, -MOST_DELAY, MOST_DELAY, 0.0),
}
"""Ways to reshape keys: ``"breakdown"``: between the keys beside them; ``"push"``: away from the way between these, or
toward it; ``"lean"``: to the key before or after; ``"exaggerate"``: times as far from their mean; ``"smooth"``: toward
the way between their neighbours; ``"overlap"``: joints of a limb lag behind each other, [frames]."""
