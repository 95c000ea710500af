"""Edits of a row of keys: pure functions from sorted keys to sorted keys. Nothing merges silently.

Which channels of a key an edit means is given by frame (``core.animation.key_parts.Parts``). Some channels of a key
that move away leave a key with the others behind; where they come to other channels' keys, one key holds them all.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping

import numpy as np

from core.animation.channels import Channels
from core.animation.clip import Clip
from core.animation.key import MAX_FRAME, Key, check_frame
from core.animation.key_parts import Names, Parts, collision, every_channel, frame_list, held, joined, part_of, rest_of
from core.errors import KeyCollision, SequenceError

Keys = tuple[Key, ...]


def sorted_keys(keys: Iterable[Key], doing: str = "these keys") -> Keys:
    """Return ``keys`` sorted by frame.

    Raises:
        KeyCollision: If two have the same frame; the message names the frames.
    """
    ordered = sorted(keys, key=lambda key: key.frame)
    double = {a.frame for a, b in itertools.pairwise(ordered) if a.frame == b.frame}
    if double:
        raise KeyCollision(collision(double, None, doing))
    return tuple(ordered)


def together(keys: Iterable[Key], channels: Channels, doing: str) -> Keys:
    """Return keys sorted by frame, those of different channels at one frame made one; the first is what is there.

    Raises:
        KeyCollision: If two at one frame hold the same channel; the message names the frames.
    """
    at: dict[int, Key] = {}
    double: list[tuple[int, frozenset[str], bool]] = []
    for key in keys:
        there = at.get(key.frame)
        if there is None:
            at[key.frame] = key
            continue
        both = held(there, channels) & held(key, channels)
        if both:
            double.append((key.frame, both, len(both) == len(held(there, channels))))
        else:
            at[key.frame] = joined(there, key, channels, doing)
    if double:
        whole = all(every for _, _, every in double)
        names = None if whole else frozenset().union(*(both for _, both, _ in double))
        raise KeyCollision(collision({frame for frame, _, _ in double}, names, doing))
    return tuple(at[frame] for frame in sorted(at))


def checked_range(first: int, last: int) -> tuple[int, int]:
    """Return the range as ints.

    Raises:
        SequenceError: If an end is no frame, or the first lies after the last.
    """
    first, last = check_frame(first), check_frame(last)
    if first > last:
        raise SequenceError(f"the range {first} to {last} runs backwards; the first frame must not lie after the last")
    return first, last


def _checked_parts(keys: Keys, parts: Parts, channels: Channels, doing: str) -> dict[int, Names]:
    """Return parts after checking that there is something at each of their frames."""
    wanted = {check_frame(frame): names for frame, names in parts.items()}
    there = {key.frame: key for key in keys if key.frame in wanted}
    missing = [
        frame for frame, names in wanted.items() if frame not in there or not held(there[frame], channels, names)
    ]
    if missing:
        raise SequenceError(f"there is no key at frame {frame_list(missing)} to {doing}")
    return wanted


def removed(keys: Keys, parts: Parts, channels: Channels) -> Keys:
    """Return ``keys`` without some channels at some frames; a key that would hold none is gone.

    Raises:
        SequenceError: If none of the channels is keyed at one of the frames.
    """
    wanted = _checked_parts(keys, parts, channels, "delete")
    left = (rest_of(key, channels, wanted[key.frame]) if key.frame in wanted else key for key in keys)
    return tuple(key for key in left if key is not None)


def moved(
    keys: Keys, mapping: Mapping[int, int], channels: Channels, parts: Parts | None = None, doing: str = "moving"
) -> Keys:
    """Return ``keys`` with those at the mapping's old frames taken to its new frames, all at once.

    Args:
        keys: Sorted keys.
        mapping: New frames by old ones.
        channels: Channels of the figure.
        parts: Which channels move at the old frames; None, or a frame that is not in it, for all.
        doing: What messages call the edit.

    Raises:
        SequenceError: If there is no key at an old frame, or a new frame is not valid.
        KeyCollision: If a key would land on another of the same channel.
    """
    parts = parts or {}
    wanted = _checked_parts(keys, {frame: parts.get(frame) for frame in mapping}, channels, "move")
    new = {old: check_frame(frame) for old, frame in mapping.items()}
    staying: list[Key] = []
    going: list[Key] = []
    for key in keys:
        if key.frame not in new or new[key.frame] == key.frame:
            staying.append(key)
            continue
        rest, part = rest_of(key, channels, wanted[key.frame]), part_of(key, channels, wanted[key.frame])
        if rest is not None:
            staying.append(rest)
        if part is not None:
            going.append(part.moved(new[key.frame]))
    return together([*staying, *going], channels, doing)


def inside(keys: Keys, first: int, last: int, channels: Channels, chosen: Names = None) -> dict[int, Names]:
    """Return the parts of the keys in ``first..last`` that hold some channels, by frame."""
    frames = (key.frame for key in keys if first <= key.frame <= last and held(key, channels, chosen))
    return every_channel(frames, chosen)


def whole_number(by: object) -> int:
    """Return a number of frames to move by.

    Raises:
        SequenceError: If it is no whole number.
    """
    if isinstance(by, bool) or not isinstance(by, (int, float, np.integer, np.floating)):
        raise SequenceError(f"keys slide by whole frames, not by {by!r}")
    if not math.isfinite(by) or int(by) != by:
        raise SequenceError(f"keys slide by whole frames, not by {by}")
    return int(by)


def slide_map(frames: Iterable[int], by: int) -> dict[int, int]:
    """Return the new frames, by the old ones, of keys that slide by ``by`` frames.

    Raises:
        SequenceError: If ``by`` is no whole number.
    """
    by = whole_number(by)
    return {frame: frame + by for frame in frames}


def stretched_frame(frame: int, first: int, factor: float) -> int:
    """Return where a frame goes when what follows ``first`` is spread by ``factor``."""
    # Halves round up, so that the same stretch gives the same spacing wherever it begins.
    return first + math.floor((frame - first) * factor + 0.5)


def stretch_map(frames: Iterable[int], first: int, last: int, factor: float) -> dict[int, int]:
    """Return the new frames, by the old ones, of keys in ``first..last`` when they spread from ``first``.

    Raises:
        SequenceError: If the factor is not a positive number.
    """
    first, last = checked_range(first, last)
    number = isinstance(factor, (int, float, np.integer, np.floating)) and not isinstance(factor, bool)
    if not (number and math.isfinite(factor) and factor > 0.0):
        raise SequenceError(f"stretch factor {factor} makes no sense; it must be a positive number")
    if (last - first) * factor > MAX_FRAME:
        raise SequenceError(f"stretch factor {factor:g} takes keys past the last possible frame {MAX_FRAME}")
    return {frame: stretched_frame(frame, first, factor) for frame in frames}


def inserted(keys: Keys, frame: int, clip: Clip, channels: Channels, make_room: bool = False) -> Keys:
    """Return ``keys`` with those of ``clip`` put in from ``frame`` on.

    Args:
        keys: The sequence's keys.
        frame: Where the clip's first frame goes.
        clip: What is put in; its keys are the figure's.
        channels: Channels of the figure.
        make_room: Whether keys at ``frame`` and after it first move on by the clip's length and one frame: those of
            the channels that the clip holds.

    Raises:
        KeyCollision: If a key would land on one that is there.
    """
    frame = check_frame(frame)
    if make_room:
        parts = inside(keys, frame, MAX_FRAME, channels, clip.channels)
        keys = moved(keys, slide_map(parts, clip.length + 1), channels, parts, "inserting")
    return together([*keys, *(key.moved(frame + key.frame) for key in clip.keys)], channels, "inserting")


def put_many(keys: Keys, changes: Mapping[int, Key | None]) -> Keys:
    """Return ``keys`` with some put at their frames, and what is there taken away where the change is None."""
    if len(changes) * 8 > len(keys):
        at = {key.frame: key for key in keys}
        at.update({frame: key for frame, key in changes.items() if key is not None})
        return tuple(at[frame] for frame in sorted(at) if changes.get(frame, at[frame]) is not None)
    row = list(keys)
    for frame, key in changes.items():
        i = bisect_left(row, frame, key=lambda other: other.frame)
        there = i < len(row) and row[i].frame == frame
        row[i : i + there] = [] if key is None else [key]
    return tuple(row)
