"""Edits of a row of keys: pure functions from sorted keys to sorted keys. Nothing merges silently."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping

import numpy as np

from core.animation.clip import Clip
from core.animation.key import MAX_FRAME, Key, check_frame
from core.errors import KeyCollision, SequenceError

Keys = tuple[Key, ...]
_NAMED = 8


def _frame_list(frames: Iterable[int]) -> str:
    ordered = sorted(frames)
    text = ", ".join(str(frame) for frame in ordered[:_NAMED])
    return text + (f" and {len(ordered) - _NAMED} more" if len(ordered) > _NAMED else "")


def sorted_keys(keys: Iterable[Key], doing: str = "these keys") -> Keys:
    """Return ``keys`` sorted by frame.

    Raises:
        KeyCollision: If two have the same frame; the message names the frames.
    """
    ordered = sorted(keys, key=lambda key: key.frame)
    double = {a.frame for a, b in itertools.pairwise(ordered) if a.frame == b.frame}
    if double:
        word = "frame" if len(double) == 1 else "frames"
        places = _frame_list(double)
        raise KeyCollision(f"{doing} would put two keys on {word} {places}; move or delete one of them first")
    return tuple(ordered)


def checked_range(first: int, last: int) -> tuple[int, int]:
    """Return the range as ints.

    Raises:
        SequenceError: If an end is no frame, or the first lies after the last.
    """
    first, last = check_frame(first), check_frame(last)
    if first > last:
        raise SequenceError(f"the range {first} to {last} runs backwards; the first frame must not lie after the last")
    return first, last


def put(keys: Keys, key: Key) -> Keys:
    """Return ``keys`` with ``key`` set; a key on the same frame is replaced."""
    return sorted_keys([*(other for other in keys if other.frame != key.frame), key])


def removed(keys: Keys, frames: Iterable[int]) -> Keys:
    """Return ``keys`` without those at ``frames``.

    Raises:
        SequenceError: If there is no key at one of the frames.
    """
    wanted = {check_frame(frame) for frame in frames}
    missing = wanted - {key.frame for key in keys}
    if missing:
        raise SequenceError(f"there is no key at frame {_frame_list(missing)} to delete")
    return tuple(key for key in keys if key.frame not in wanted)


def moved(keys: Keys, mapping: Mapping[int, int], doing: str = "moving") -> Keys:
    """Return ``keys`` with those at the mapping's old frames taken to its new frames, all at once.

    Raises:
        SequenceError: If there is no key at an old frame, or a new frame is not valid.
        KeyCollision: If a key would land on another.
    """
    missing = set(mapping) - {key.frame for key in keys}
    if missing:
        raise SequenceError(f"there is no key at frame {_frame_list(missing)} to move")
    new = {old: check_frame(frame) for old, frame in mapping.items()}
    return sorted_keys((key.moved(new[key.frame]) if key.frame in new else key for key in keys), doing)


def slide_map(keys: Keys, first: int, last: int, by: int) -> dict[int, int]:
    """Return the new frames, by the old ones, of the keys in ``first..last`` when they slide by ``by`` frames.

    Raises:
        SequenceError: If ``by`` is no whole number.
    """
    first, last = checked_range(first, last)
    if not isinstance(by, (int, float, np.integer, np.floating)) or not math.isfinite(by) or int(by) != by:
        raise SequenceError(f"keys slide by whole frames, not by {by}")
    return {key.frame: key.frame + int(by) for key in keys if first <= key.frame <= last}


def slid(keys: Keys, first: int, last: int, by: int) -> Keys:
    """Return ``keys`` with those in ``first..last`` moved by ``by`` frames.

    Raises:
        SequenceError: If a key would land before frame 0.
        KeyCollision: If a key would land on one outside the range.
    """
    return moved(keys, slide_map(keys, first, last, by), "sliding")


def stretch_map(keys: Keys, first: int, last: int, factor: float) -> dict[int, int]:
    """Return the new frames, by the old ones, of the keys in ``first..last`` when they spread from ``first``.

    Raises:
        SequenceError: If the factor is not a positive number.
    """
    first, last = checked_range(first, last)
    number = isinstance(factor, (int, float, np.integer, np.floating))
    if not (number and math.isfinite(factor) and factor > 0.0):
        raise SequenceError(f"stretch factor {factor} makes no sense; it must be a positive number")
    if (last - first) * factor > MAX_FRAME:
        raise SequenceError(f"stretch factor {factor:g} takes keys past the last possible frame {MAX_FRAME}")
    # Halves round up, so that the same stretch gives the same spacing wherever it begins.
    inside = [key.frame for key in keys if first <= key.frame <= last]
    return {frame: first + math.floor((frame - first) * factor + 0.5) for frame in inside}


def stretched(keys: Keys, first: int, last: int, factor: float) -> Keys:
    """Return ``keys`` with those in ``first..last`` spread from ``first`` by ``factor``, rounded to whole frames.

    Raises:
        SequenceError: If the factor is not a positive number.
        KeyCollision: If two keys would share a frame.
    """
    return moved(keys, stretch_map(keys, first, last, factor), "stretching")


def inserted(keys: Keys, frame: int, clip: Clip, make_room: bool = False) -> Keys:
    """Return ``keys`` with those of ``clip`` put in from ``frame`` on.

    Args:
        keys: The sequence's keys.
        frame: Where the clip's first frame goes.
        clip: What is put in.
        make_room: Whether keys at ``frame`` and after it first move on by the clip's length and one frame.

    Raises:
        KeyCollision: If a key would land on one that is there.
    """
    frame = check_frame(frame)
    if make_room:
        by = clip.length + 1
        keys = moved(keys, {key.frame: key.frame + by for key in keys if key.frame >= frame}, "inserting")
    return sorted_keys([*keys, *(key.moved(frame + key.frame) for key in clip.keys)], "inserting")
