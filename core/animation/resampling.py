"""Part of a sequence as a sequence of its own, at the same or another number of frames a second."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from core.animation import lock_strips
from core.animation.key import MAX_FRAME, Key, check_frame
from core.animation.sequence import Sequence
from core.errors import SequenceError

MOST_KEYS = 1_000_000
_WHOLE = 1e-6  # frames: a number this near to a whole one is meant to be whole


def resampled(sequence: Sequence, first: int, last: int, fps: float | None = None) -> Sequence:
    """Return the frames ``first..last`` of a sequence as a new one that begins at frame 0.

    Where every key falls on a whole frame of the new rate, the keys stay as they are, and a stretch that begins or
    ends between keys gets keys there; near those the spline runs a little differently. Lock strips stay with them.
    Otherwise the motion is taken down pose by pose, a key at each new frame that holds the locks, without strips.

    Args:
        sequence: The sequence; it does not change.
        first: First frame.
        last: Last frame, not before ``first``.
        fps: Frames a second of the new one; None for the same.

    Raises:
        SequenceError: If a frame or the rate is not valid, or there would be more than a million keys.
    """
    first, last = check_frame(first), check_frame(last)
    if first > last:
        raise SequenceError(f"frames {first} to {last} run backwards; expected {last} to {first}")
    rate = sequence.fps if fps is None else fps
    if not (math.isfinite(rate) and rate > 0.0):
        raise SequenceError(f"{rate!r} frames a second make no sense; it must be a positive number")
    factor = rate / sequence.fps
    length = math.floor((last - first) * factor + _WHOLE)
    if length > MAX_FRAME:
        raise SequenceError(f"at {rate:g} frames a second the sequence would end at frame {length}")
    keys = _kept(sequence, first, last, factor)
    strips: lock_strips.Strips = ()
    if keys is not None:
        strips = lock_strips.rescaled(lock_strips.cut_out(sequence.strips, first, last), factor)
    else:
        if length + 1 > MOST_KEYS:
            raise SequenceError(
                f"at {rate:g} frames a second there would be {length + 1} keys; {MOST_KEYS} are the most"
            )
        poses = sequence.poses_at_frames(first + np.arange(length + 1) / factor)
        keys = [Key(frame, q) for frame, q in enumerate(poses)]
    made = Sequence(sequence.skeleton, rate, sequence.name, menu=sequence.menu, loop=sequence.loop, keys=keys)
    if not sequence.ends_with_last_key or sequence.range[0] > first:
        start, end = (min(max(frame - first, 0), last - first) * factor for frame in sequence.range)
        made.set_range(math.floor(start + _WHOLE), min(math.floor(end + _WHOLE), length))
    made.script, made.audio, made.extra = sequence.script, sequence.audio, dict(sequence.extra)
    if first == 0 and factor == 1.0 and last >= sequence.range[1]:
        strips = sequence.strips  # nothing is cut off, not even those that go on for ever
    made.locks, made.strips = sequence.locks, strips
    made.holds, made.companions = sequence.holds, sequence.companions
    return made


def _kept(sequence: Sequence, first: int, last: int, factor: float) -> list[Key] | None:
    """Return the keys of a stretch on their new frames; None if one would fall between frames or on another."""
    inside = [key for key in sequence.keys if first <= key.frame <= last]
    for edge in (first, last):
        before = [key for key in sequence.keys if key.frame <= edge]
        if before and before[-1].frame < edge < sequence.keys[-1].frame:
            inside.append(Key(edge, sequence.pose_at_frame(edge), before[-1].interp, before[-1].turns))
    inside = sorted({key.frame: key for key in inside}.values(), key=lambda key: key.frame)
    made: list[Key] = []
    for key in inside:
        place = (key.frame - first) * factor
        frame = round(place)
        if abs(place - frame) > _WHOLE or (made and made[-1].frame == frame):
            return None
        made.append(replace(key, frame=frame))
    return made
