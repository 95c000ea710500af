"""What was simulated, as keys: one at every frame, or as few as stay within a tolerance.

Only channels that forces moved get keys; those of joints that keys moved stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.animation import Sequence as Motion
from core.animation import editing
from core.animation.channels import channels_of
from core.animation.hybrid.strip_edits import without_range
from core.animation.key import MAX_FRAME, Key
from core.animation.key_parts import Names
from core.animation.shape import SPLINE, Shape
from core.errors import SequenceError
from core.preview.preview import Preview
from core.preview.reduction import reduced
from core.preview.sample import KEYED, Sample

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
    """

    keys: Keys
    channels: Names
    first: int
    last: int
    error: float


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
    if sequence.timing.in_use:
        raise SequenceError(
            f'sequence "{sequence.name}" has timing curves, which keys at frames would go through again; '
            "bake it without them"
        )
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
    keys = [Key(first + k, q, SPLINE, keyed=names) for k, q in enumerate(poses)]
    kept, keys[-1] = _around(sequence, keys, names, first, last)
    whole = _with(sequence, kept, keys)
    if tolerance is None:
        return Baked(tuple(keys), names, first, last, 0.0)
    found, error = reduced(whole, lambda some: _with(sequence, kept, some), keys, tolerance, progress, cancelled)
    return Baked(tuple(found), names, first, last, error)


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

    Strips are consumed: what they had in the range is keys now.

    Args:
        sequence: The sequence; it does not change.
        baked: From :func:`bake`, of this sequence.
    """
    there = editing.inside(sequence.keys, baked.first, baked.last, sequence.channels, baked.channels)
    kept = editing.removed(sequence.keys, there, sequence.channels) if there else sequence.keys
    start, stop = sequence.range
    end = None if sequence.ends_with_last_key else min(max(stop, baked.last), MAX_FRAME)
    return {
        "keys": editing.together((*kept, *baked.keys), sequence.channels, "baking"),
        "hybrid_strips": without_range(sequence.hybrid_strips, baked.first, baked.last),
        "range": (start, end),
    }
