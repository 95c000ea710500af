"""Selected keys reshaped by one amount: between and away from the keys beside them, exaggerated, smoothed, delayed.

Every kind looks at the keys as they are and returns others at the same frames; what is delayed has keys where its
extremes come to be, too. Only the values that are selected change, and they stay inside limits and cones as far as they
are inside now. Rotations of compound joints go along arcs, as ``core.animation.breakdown.blended`` has them; so what is
halved and then doubled comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.animation import breakdown, editing
from core.animation.breakdown import blended
from core.animation.channels import Channels, channels_of
from core.animation.curves.compound_joints import CompoundJoints
from core.animation.curves.key_rows import same_pose
from core.animation.cycles import NO_CYCLES, REPEAT, CycledMotion
from core.animation.key import Key
from core.animation.key_parts import Parts
from core.animation.layers.edits import with_keys_at
from core.animation.layers.offsets import kept_inside
from core.animation.sequence import Sequence
from core.animation.shape import FREE
from core.animation.sorted_keys import Keys
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
        masks, found = _masks(skeleton, points), list(sequence.keys)
        rows = [i for i, key in enumerate(found) if key.frame in masks]
        frames = np.array([found[i].frame for i in rows], dtype=np.int64)
        near = breakdown.neighbours(others, frames)
        mask = np.array([masks[frame] for frame in frames.tolist()], dtype=bool).reshape(len(rows), skeleton.nq)
        if not (near.known & mask).any():
            raise SequenceError("there is no key beside the selected ones; leave one at either side")
        poses = [
            found[i].q if found[i].keyed is None or not len(others.keys) else _completed(others, found[i], channels)
            for i in rows
        ]
        made = move(near, np.array(poses), amount, mask, stopped)
        for i, q, changes in zip(rows, made, mask & near.known, strict=True):
            found[i] = _with(found[i], np.where(changes, q, found[i].q))
        return found

    return make


def _completed(others: Sequence, key: Key, channels: Channels) -> Array:
    """Return the pose of a key, what it does not hold taken from what others make of it, shape (nq,)."""
    return np.where(channels.mask(key.keyed or channels.all), key.q, others.pose_of(key))


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
        mask, (turns, arcs) = np.zeros((len(keys), skeleton.nq), dtype=bool), breakdown.ways(keys, channels)
        for i, key in enumerate(keys):
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
    """Return keys farther from their mean, or nearer to it, with the slopes that were set by hand; 1 leaves them.

    The root's place goes away from the straight way between the first and the last of them instead: a walk that is
    exaggerated sways more, and ends where it ended.
    """
    run, skeleton = _Run.of(sequence, points), sequence.skeleton
    if amount == 1.0 and (run.mask.sum(axis=0) != 1).all():
        return list(sequence.keys)
    middle, along = run.poses.copy(), np.zeros(skeleton.nq)
    for mask, columns in _alike(run.mask):
        if len(mask) < 2:
            raise SequenceError("one key alone has no mean to be exaggerated about; select two or more")
        middle[np.ix_(mask, columns)] = run.poses[np.ix_(mask, columns)].mean(axis=0)
        place = columns[columns < 3]
        if len(place):
            share = (run.frames[mask] - run.frames[mask[0]]) / (run.frames[mask[-1]] - run.frames[mask[0]])
            ends = run.poses[np.ix_(mask[[0, -1]], place)]
            middle[np.ix_(mask, place)] = ends[0] + share[:, None] * (ends[1] - ends[0])
            along[place] = (ends[1] - ends[0]) / (run.frames[mask[-1]] - run.frames[mask[0]])
    _put_mean_rotations(_joints(skeleton), run, middle)
    made = run.keys(sequence, blended(skeleton, middle, run.poses, amount, run.turns, run.arcs), stopped)
    rows = zip(made, run.mask, strict=True)
    return [_steeper(key, mask, channels_of(skeleton), along, amount) if key.shapes else key for key, mask in rows]


def _steeper(key: Key, mask: Bools, channels: Channels, along: Array, factor: float) -> Key:
    """Return a key whose slopes set by hand are as much steeper than a way as its values are farther from it.

    Args:
        key: The key.
        mask: Which values change, shape (nq,).
        channels: Channels of the figure.
        along: Slopes of the way, [1/frame], shape (nq,).
        factor: How much.
    """
    shapes = dict(key.shapes)
    for name, shape in key.shapes.items():
        columns = channels.columns[channels.index(name)]
        if shape.interp != FREE or not shape.has_slopes or not mask[columns].any():
            continue
        sides = {
            side: tuple(
                slope if slope is None or not mask[column] else along[column] + factor * (slope - along[column])
                for slope, column in zip(slopes, columns.tolist(), strict=True)
            )
            for side, slopes in (("slopes_in", shape.slopes_in), ("slopes_out", shape.slopes_out))
            if slopes is not None
        }
        shapes[name] = shape.changed(**sides)
    return key.changed(shapes=shapes)


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
    leads. Below zero they come earlier. Before its first and after its last key the motion is what cycles make of it; a
    loop that closes goes round. Between the first and the last selected key of a joint each pose of a key gets another
    key at the nearest frame to where it comes to be, so that no extreme is lost.

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
    rows = np.flatnonzero(run.mask.any(axis=1))
    groups: list[tuple[Ints, Ints | None]] = []
    times: list[Array] = []
    for level in np.unique(levels[levels > 0]).tolist():
        columns = np.flatnonzero((levels == level) & run.mask.any(axis=0))
        groups.append((columns, None))
        times.append(run.frames[rows] - amount * level)
        for own, some in _alike(run.mask[:, columns]):
            later = np.floor(run.frames[own] + amount * level + 0.5)
            later = later[(later > run.frames[own[0]]) & (later < run.frames[own[-1]])]
            groups.append((columns[some], later.astype(np.int64)))
            times.append(later - amount * level)
    every, number = np.unique(np.concatenate(times), return_inverse=True)
    found = _motion(sequence)(every)[number.ravel()]
    poses = np.split(found, np.cumsum([len(each) for each in times])[:-1])
    made, added = run.poses.copy(), _Added(sequence)
    for (columns, later), there in zip(groups, poses, strict=True):
        if later is None:
            made[np.ix_(rows, columns)] = there[:, columns]
        else:
            added.put(later.tolist(), columns, there)
    return added.onto(sequence.keys.checked(run.keys(sequence, made, stopped)))


def _motion(sequence: Sequence) -> Callable[[Array], Array]:
    """Return what gives the poses of the keys at frames, with cycles: without timing, layers and locks."""
    base, keys = sequence, sequence.keys
    if sequence.timing.in_use:
        base = Sequence(sequence.skeleton, fps=sequence.fps, loop=sequence.loop, keys=keys)
        base.cycles = sequence.cycles
    first, last = keys[0].frame, keys[-1].frame
    cycles = sequence.cycles
    if cycles == NO_CYCLES and sequence.loop and same_pose(*base.base_at_frames([first, last])):
        cycles = (REPEAT, REPEAT)
    if cycles == NO_CYCLES or first == last:
        return base.base_at_frames
    return CycledMotion(sequence.skeleton, cycles, first, last, base.base_at_frames).at


class _Added:
    """Keys between those of a sequence.

    Args:
        sequence: The sequence.
    """

    def __init__(self, sequence: Sequence):
        self._sequence, self._channels = sequence, channels_of(sequence.skeleton)
        self._values: dict[int, dict[str, Array]] = {}

    def put(self, frames: list[int], columns: Ints, poses: Array) -> None:
        """Key channels at frames where they have no keys.

        Args:
            frames: The frames.
            columns: Values; channels of which one is missing are left out.
            poses: The poses there, shape (n, nq).
        """
        for number in np.unique(self._channels.of_value[columns]).tolist():
            name, own = self._channels.names[number], self._channels.columns[number]
            if np.isin(own, columns).all():
                keyed = set(self._sequence.keys.channel_frames(name).tolist())
                for i, frame in enumerate(frames):
                    if frame not in keyed:
                        self._values.setdefault(frame, {})[name] = poses[i, own]

    def onto(self, keys: Keys) -> list[Key]:
        """Return keys with these among them."""
        if not self._values:
            return list(keys)
        frames = sorted(self._values)
        poses = dict(zip(frames, self._sequence.base_at_frames(frames).copy(), strict=True))
        for frame, values in self._values.items():
            for name, own in values.items():
                poses[frame][self._channels.columns[self._channels.index(name)]] = own
        wanted = {frame: frozenset(values) for frame, values in self._values.items()}
        return list(with_keys_at(keys, wanted, self._channels, poses.__getitem__))


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
        pair = c >= len(joints) - joints.pairs
        if np.ptp(values[rows, c], axis=0).max() > np.pi or (pair and not run.arcs[rows][:, columns].all()):
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
