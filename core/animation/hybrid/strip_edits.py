"""Edits of a row of hybrid strips: pure functions from strips to strips, like ``core.animation.locks.strip_edits``.

Strips follow keys in time as lock strips do. Where an edit of keys would bring two strips of a joint over each other,
the earlier one goes on and the later one begins where it ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from core.animation.hybrid.strip import HybridStrip
from core.animation.key import MAX_FRAME, check_frame
from core.animation.locks.strip import new_id
from core.animation.locks.strip_edits import retimed_ends
from core.errors import SequenceError

HybridStrips = tuple[HybridStrip, ...]


def without_overlaps(strips: Iterable[HybridStrip]) -> HybridStrips:
    """Return strips of which no two move a joint at once: later ones begin where earlier ones end, or are gone."""
    given = list(strips)
    kept: dict[int, HybridStrip] = {}
    for place in sorted(range(len(given)), key=lambda k: (given[k].start, k)):
        strip = given[place]
        ends = [math.inf if other.end is None else other.end for other in kept.values() if strip.overlaps(other)]
        start = max([strip.start, *ends])
        if start < (math.inf if strip.end is None else strip.end):
            kept[place] = strip if start == strip.start else replace(strip, start=int(start), ease_in=0.0)
    return tuple(kept[place] for place in sorted(kept))


def _with_ends(strip: HybridStrip, start: int, end: int | None) -> HybridStrip:
    """Return a strip with other ends, at least a frame long."""
    if end is not None and end <= start:
        start, end = (start, start + 1) if start < MAX_FRAME else (start - 1, start)
    return replace(strip, start=start, end=end)


def retimed(strips: HybridStrips, frames: Iterable[int], mapping: Mapping[int, int]) -> HybridStrips:
    """Return strips that have followed keys.

    Args:
        strips: The strips.
        frames: Frames of all keys before.
        mapping: New frames of the keys that have moved, by their old ones.
    """
    if not strips:
        return strips
    old = sorted(set(frames))
    moves = {frame: mapping.get(frame, frame) for frame in old}
    if all(frame == new for frame, new in moves.items()):
        return strips
    shifts = {new - frame for frame, new in moves.items()}
    if len(shifts) == 1:
        return without_overlaps(_shifted(strip, 0, next(iter(shifts))) for strip in strips)
    return without_overlaps(_with_ends(strip, *retimed_ends(strip.start, strip.end, old, moves)) for strip in strips)


def made_room(strips: HybridStrips, frame: int, by: int) -> HybridStrips:
    """Return strips after ``by`` frames were put in before ``frame``; one that reaches across goes on through them."""
    return tuple(_shifted(strip, frame, by) for strip in strips)


def _shifted(strip: HybridStrip, first: int, by: int) -> HybridStrip:
    def later(frame: int) -> int:
        return min(max(frame + by, 0), MAX_FRAME) if frame >= first else frame

    return _with_ends(strip, later(strip.start), None if strip.end is None else later(strip.end))


def without_frames(
    strips: HybridStrips, place: Callable[[int], int | None], start: Callable[[int], int], end: Callable[[int], int]
) -> HybridStrips:
    """Return strips after frames were taken away: one over them gets shorter, one inside them is gone.

    Args:
        strips: The strips.
        place: Where a frame goes; None if it is taken away.
        start: Where a strip begins that began at a frame.
        end: Where one ends that ended there.
    """
    kept = []
    for strip in strips:
        first, last = start(strip.start), None if strip.end is None else end(strip.end)
        gone = place(strip.start) is None and strip.end is not None and place(strip.end) is None
        if not gone and (last is None or first < last):
            kept.append(replace(strip, start=first, end=last))
    return without_overlaps(kept)


def rescaled(strips: HybridStrips, factor: float) -> HybridStrips:
    """Return strips of which all frames are multiplied, rounded to whole ones: the same times at another rate."""
    if factor == 1.0:
        return strips
    made = []
    for strip in strips:
        longer = replace(strip, ease_in=strip.ease_in * factor, ease_out=strip.ease_out * factor)
        end = None if strip.end is None else round(strip.end * factor)
        made.append(_with_ends(longer, round(strip.start * factor), end))
    return without_overlaps(made)


# -- one strip -------------------------------------------------------------------------------------------------------


def moved_copy(strip: HybridStrip, start: int, **values: Any) -> HybridStrip:
    """Return a copy of a strip, with an id of its own, that begins at a frame, its end with it."""
    end = None if strip.end is None else check_frame(strip.end + check_frame(start) - strip.start)
    return replace(strip, **{"id": new_id(), "start": start, "end": end, **values})


def split(strip: HybridStrip, frame: int) -> tuple[HybridStrip, HybridStrip]:
    """Return a strip cut in two at a frame, where its joints are at their keys: the first keeps the id.

    Raises:
        SequenceError: If the frame is not inside the strip.
    """
    frame = check_frame(frame)
    if not strip.start < frame or (strip.end is not None and frame >= strip.end):
        last = "on" if strip.end is None else f"to {strip.end}"
        raise SequenceError(f"{strip.title} runs from frame {strip.start} {last}; it cannot be split at frame {frame}")
    return replace(strip, end=frame), replace(strip, id=new_id(), start=frame, ease_in=0.0)


def without_range(strips: HybridStrips, first: int, last: int) -> HybridStrips:
    """Return strips after the motion of ``first..last`` became keys: what lay there is gone, the rest stays."""
    kept = []
    for strip in strips:
        if strip.start >= last or (strip.end is not None and strip.end <= first):
            kept.append(strip)
            continue
        before = strip.start < first
        if before:
            kept.append(replace(strip, end=first))
        if strip.end is None or strip.end > last:
            kept.append(replace(strip, id=new_id() if before else strip.id, start=last, ease_in=0.0))
    return tuple(kept)


# -- clips -----------------------------------------------------------------------------------------------------------


def cut_out(strips: HybridStrips, first: int, last: int) -> HybridStrips:
    """Return the strips in ``first..last``, cut off at both ends, their frames counted from ``first``."""
    found = []
    for strip in strips:
        start = max(strip.start, first)
        end = last if strip.end is None else min(strip.end, last)
        if start < end:
            ease_in = strip.ease_in if start == strip.start else 0.0
            found.append(replace(strip, start=start - first, end=end - first, ease_in=ease_in))
    return tuple(found)


def put_in(strips: HybridStrips, frame: int, clip: HybridStrips) -> HybridStrips:
    """Return strips with those of a clip put in from ``frame`` on; where a joint has a strip already that one stays."""
    made = list(strips)
    for strip in clip:
        brought = moved_copy(strip, strip.start + frame)
        if not any(brought.overlaps(other) for other in strips):
            made.append(brought)
    return tuple(made)


def renamed(strips: HybridStrips, names: Mapping[str, str | None]) -> HybridStrips:
    """Return strips whose joints have other names; a joint without one is left out, and a strip without joints too.

    Args:
        strips: The strips.
        names: New names by old ones, None for a joint that is gone; others stay.
    """
    made = []
    for strip in strips:
        new_names = [names.get(name, name) for name in strip.parts]
        parts = tuple(dict.fromkeys(name for name in new_names if name is not None))
        if parts or strip.whole:
            made.append(strip if parts == strip.parts else replace(strip, parts=parts))
    return tuple(made)
