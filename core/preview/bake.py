"""What was simulated, as keys: one at every frame, or as few as stay within a tolerance.

Only channels that forces moved get keys; those of joints that keys moved stay as they are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.animation import editing
from core.animation.channels import channels_of
from core.animation.hybrid_strips import without_range
from core.animation.key import MAX_FRAME, Key
from core.animation.key_parts import Names
from core.animation.sequence import Sequence as Motion
from core.animation.shape import SPLINE, Shape
from core.arrays import Array
from core.errors import Cancelled, SequenceError
from core.kinematics import forward_kinematics
from core.preview.preview import Preview
from core.preview.sample import KEYED, Sample
from core.skeleton import Skeleton
from core.skeleton.segment import segment_tip

_THINNED = 240  # keys: of more than these none is tried to leave out once more
_REACH = 3  # keys on either side that a curve near a key depends on, and one to spare


def reduced(
    whole: Motion,
    with_keys: Callable[[Sequence[Key]], Motion],
    keys: Sequence[Key],
    tolerance: float,
    progress: Callable[[float], None] | None,
    cancelled: Callable[[], bool],
    stay: frozenset[int] = frozenset(),
) -> tuple[list[Key], float]:
    """Return some of the keys, between which the motion stays near that of all of them, and how near.

    Args:
        whole: The motion with all keys.
        with_keys: Returns the motion with some of them.
        keys: All keys, one a frame.
        tolerance: How far a joint may be off at any frame, [m].
        progress: Told what is done, 0 to 1.
        cancelled: Asked now and then whether to stop.
        stay: Numbers of keys that are among them whatever happens.

    Raises:
        Cancelled: If ``cancelled`` said so.
    """
    frames = np.array([key.frame for key in keys])
    wanted = places(whole.skeleton, whole.poses_at_frames(frames))
    chosen = {0, len(keys) - 1} | stay

    def errors(of: set[int], among: NDArray[np.intp]) -> Array:
        if cancelled():
            raise Cancelled
        motion = with_keys([keys[k] for k in sorted(of)])
        off = places(motion.skeleton, motion.poses_at_frames(frames[among])) - wanted[among]
        return np.asarray(np.sqrt((off * off).sum(axis=-1)).max(axis=-1))

    everywhere = np.arange(len(keys))
    while True:
        off = errors(chosen, everywhere)
        off[sorted(chosen)] = 0.0  # a key that locks draw on is what it is
        if progress is not None:
            progress(0.5 * min(1.0, float((off <= tolerance).mean())))
        ends = sorted(chosen)
        more = [a + 1 + int(off[a + 1 : b].argmax()) for a, b in itertools.pairwise(ends) if b > a + 1]
        more = [k for k in more if off[k] > tolerance]
        if not more:
            break
        chosen |= set(more)
    if len(chosen) <= _THINNED:
        chosen = _thinned(chosen, errors, tolerance, progress, stay)
    off = errors(chosen, everywhere)
    if progress is not None:
        progress(1.0)
    return [keys[k] for k in sorted(chosen)], float(off.max())


def _thinned(
    chosen: set[int],
    errors: Callable[[set[int], NDArray[np.intp]], Array],
    tolerance: float,
    progress: Callable[[float], None] | None,
    stay: frozenset[int],
) -> set[int]:
    """Return the keys that are needed: of those chosen one after the other is left out where that does no harm."""
    order = [k for k in sorted(chosen)[1:-1] if k not in stay]
    for number, k in enumerate(order):
        left = chosen - {k}
        ends = sorted(left)
        place = int(np.searchsorted(ends, k))
        among = np.arange(ends[max(place - _REACH, 0)], ends[min(place + _REACH - 1, len(ends) - 1)] + 1)
        if errors(left, among).max() <= tolerance:
            chosen = left
        if progress is not None:
            progress(0.5 + 0.5 * number / len(order))
    return chosen


def places(s: Skeleton, poses: Array) -> Array:
    """Return where joints and the ends of their parts are, shape (m, 2 n, 3), [m]."""
    X = forward_kinematics(s, poses)
    ends = np.stack([segment_tip(s, joint) for joint in range(len(s.joints))])
    tips = np.einsum("mnij,nj->mni", X[..., :3, :3], ends) + X[..., :3, 3]
    return np.concatenate([X[..., :3, 3], tips], axis=1)


FARTHEST = 1e8
"""Farthest that a figure may have come, [m]: an hour of free fall is less."""
Keys = tuple[Key, ...]


def _go_on() -> bool:
    return False


@dataclass(frozen=True)
class Baked:
    """What was simulated, as keys of a sequence.

    Attributes:
        keys: The keys that were made, one a frame at most, ascending.
        channels: Names of the channels they hold; None for all.
        first: First frame.
        last: Last frame.
        error: Farthest that a joint, or the end of one, is from where it was simulated, of all frames, [m].
        whole: Whether it goes on to the end of what was simulated: then strips without an end are used up.
    """

    keys: Keys
    channels: Names
    first: int
    last: int
    error: float
    whole: bool = False


def bake(
    simulated: Preview | Iterable[Sample],
    sequence: Motion,
    *,
    tolerance: float | None = None,
    first: int | None = None,
    last: int | None = None,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] = _go_on,
) -> Baked:
    """Return what was simulated as keys.

    Args:
        simulated: The preview, or its samples.
        sequence: The sequence that it began with; it does not change.
        tolerance: How far a joint, or the end of one, may be from where it was simulated, [m], at every frame; None
            makes a key at every frame.
        first: First frame; None for the first that was simulated.
        last: Last frame; None for the last that was simulated.
        progress: Told what is done, 0 to 1.
        cancelled: Asked now and then whether to stop.

    Raises:
        SequenceError: If nothing was simulated between these frames, it ran away, all of it was moved by keys, the
            tolerance is no length, or the sequence has timing curves.
        Cancelled: If ``cancelled`` said so.
    """
    samples = list(simulated.samples if isinstance(simulated, Preview) else simulated)
    _check_timing(sequence)
    if tolerance is not None and not (math.isfinite(tolerance) and tolerance > 0.0):
        raise SequenceError(f"tolerance {tolerance!r} makes no sense; it must be a length above 0 [m], or None")
    at_frames = {round(sample.frame): sample for sample in samples if abs(sample.frame - round(sample.frame)) < 1e-6}
    if not at_frames:
        raise SequenceError("nothing was simulated; there is nothing to bake")
    begins, ends = min(at_frames), max(at_frames)
    first, last = begins if first is None else first, ends if last is None else last
    if not begins <= first < last <= ends:
        raise SequenceError(
            f"frames {first} to {last} were not simulated; bake two frames or more out of {begins} to {ends}"
        )
    chosen = [sample for sample in samples if first - 1e-6 <= sample.frame <= last + 1e-6]
    names = moved_channels(sequence, chosen)
    poses = np.stack([at_frames[frame].q for frame in range(first, last + 1)])
    sense = np.abs(poses).max(axis=1) <= FARTHEST  # not where one is NaN
    if not sense.all():
        frame = first + int(sense.argmin())
        raise SequenceError(f"at frame {frame} the simulation has run away; bake only what comes before it")
    made = keys_of(sequence, first, poses, names, tolerance, progress, cancelled)
    return replace(made, whole=last == ends)


def keys_of(
    sequence: Motion,
    first: int,
    poses: Array,
    names: Names,
    tolerance: float | None,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] = _go_on,
    stay: Sequence[int] = (),
) -> Baked:
    """Return poses at frames that follow each other as keys.

    Args:
        sequence: The sequence that they are for; it does not change.
        first: Frame of the first pose.
        poses: Shape (m, nq), [m] and [rad].
        names: Names of the channels that keys hold; None for all.
        tolerance: How far a joint, or the end of one, may be from these poses, [m]; None makes a key at every frame.
        progress: Told what is done, 0 to 1.
        cancelled: Asked now and then whether to stop.
        stay: Frames that have a key whatever happens.

    Raises:
        SequenceError: If the sequence has timing curves.
        Cancelled: If ``cancelled`` said so.
    """
    _check_timing(sequence)
    last = first + len(poses) - 1
    keys = [Key(first + k, q, SPLINE, keyed=names) for k, q in enumerate(poses)]
    kept, keys[-1] = _around(sequence, keys, names, first, last)
    whole = _with(sequence, kept, keys)
    if tolerance is None:
        return Baked(tuple(keys), names, first, last, 0.0)
    own = frozenset(frame - first for frame in stay)
    found, error = reduced(whole, lambda some: _with(sequence, kept, some), keys, tolerance, progress, cancelled, own)
    return Baked(tuple(found), names, first, last, error)


def _check_timing(sequence: Motion) -> None:
    if sequence.timing.in_use:
        raise SequenceError(
            f'sequence "{sequence.name}" has timing curves, which keys at frames would go through again; '
            "bake it without them"
        )


def moved_channels(sequence: Motion, samples: Sequence[Sample]) -> Names:
    """Return the names of the channels that forces moved in some samples; None for all.

    Raises:
        SequenceError: If keys moved all of them.
    """
    moved = np.zeros(len(sequence.skeleton.joints), dtype=np.bool_)
    for sample in samples:
        moved |= sample.dynamic != KEYED
    channels = channels_of(sequence.skeleton)
    names = frozenset(channels.of_joints(np.flatnonzero(moved).tolist(), place=True))
    if not names:
        raise SequenceError("keys moved all joints at these frames; there is nothing to bake")
    return None if names == channels.all else names


def _around(sequence: Motion, keys: list[Key], names: Names, first: int, last: int) -> tuple[Keys, Key]:
    """Return the keys of a sequence without what is baked, and the last baked key, which goes on as the motion did."""
    channels = sequence.channels
    there = editing.inside(sequence.keys, first, last, channels, names)
    kept = editing.removed(sequence.keys, there, channels) if there else sequence.keys
    before = [key for key in sequence.keys if key.frame <= last]
    shape = before[-1].shape if before else Shape()
    end = keys[-1]
    if not shape.has_slopes and shape.ease is None:
        end = end.changed(shape=shape)
    return kept, end


def _with(sequence: Motion, kept: Keys, keys: Sequence[Key]) -> Motion:
    """Return a sequence of these keys and the locks of another."""
    start, stop = sequence.range
    made = Motion(
        sequence.skeleton, sequence.fps, sequence.name, start,
        None if sequence.ends_with_last_key else stop, loop=sequence.loop,
        keys=editing.together((*kept, *keys), sequence.channels, "baking"),
    )  # fmt: skip
    made.locks, made.locks.strips = sequence.locks, sequence.locks.strips
    made.locks.holds, made.companions = sequence.locks.holds, sequence.companions
    return made


def baked_values(sequence: Motion, baked: Baked) -> dict[str, Any]:
    """Return what a sequence has once something is baked into it: ``"keys"``, ``"hybrid_strips"`` and ``"range"``.

    Strips are consumed: what they had in the range is keys now. Those without an end are gone after the last frame of
    a simulation as well: they would let the figure fall again at the end of what was baked.

    Args:
        sequence: The sequence; it does not change.
        baked: From :func:`bake`, of this sequence.
    """
    there = editing.inside(sequence.keys, baked.first, baked.last, sequence.channels, baked.channels)
    kept = editing.removed(sequence.keys, there, sequence.channels) if there else sequence.keys
    start, stop = sequence.range
    end = None if sequence.ends_with_last_key else min(max(stop, baked.last), MAX_FRAME)
    strips = sequence.hybrid_strips
    if baked.whole:
        strips = tuple(
            replace(each, end=baked.last) if each.end is None and each.start < baked.last else each for each in strips
        )
    return {
        "keys": editing.together((*kept, *baked.keys), sequence.channels, "baking"),
        "hybrid_strips": without_range(strips, baked.first, baked.last),
        "range": (start, end),
    }
