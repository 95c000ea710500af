"""When strips of locks begin and end: retiming one, with what keeps strips of the same lock apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.animation.key import MAX_FRAME

if TYPE_CHECKING:
    from core.animation.locks.strip import LockStrip

EASE = 4.0
"""Frames over which a lock eases in or out if nothing else is said."""


def room_for(strip: LockStrip, others: Iterable[LockStrip]) -> tuple[int, int]:
    """Return the first and last frame that a strip may reach without running into strips of the same lock.

    Args:
        strip: The strip.
        others: The other strips of its lock.
    """
    first, last = 0, MAX_FRAME
    for other in others:
        if other.start > strip.start:
            last = min(last, other.start - 1)
        elif other.end is not None:
            first = max(first, other.end + 1)
    return min(first, strip.start), last


def with_start(strip: LockStrip, frame: int, others: Iterable[LockStrip]) -> LockStrip:
    """Return a strip that begins at another frame, as near to it as may be; its end stays."""
    first, _ = room_for(strip, others)
    last = MAX_FRAME - 1 if strip.end is None else max(strip.end - 1, strip.start)
    return replace(strip, start=min(max(frame, first, 0), last))


def with_end(strip: LockStrip, frame: int, others: Iterable[LockStrip]) -> LockStrip:
    """Return a strip that ends at another frame, as near to it as may be; its start stays."""
    _, last = room_for(strip, others)
    return replace(strip, end=max(min(frame, last), strip.start + 1))


def with_ease(strip: LockStrip, at_end: bool, frames: float) -> LockStrip:
    """Return a strip that eases over other frames, as many as there is room for beside its other ease."""
    ease_in, ease_out = strip.eases
    most = float(MAX_FRAME) if strip.end is None else strip.end - strip.start - (ease_in if at_end else ease_out)
    frames = min(max(float(frames), 0.0), max(most, 0.0))
    if at_end:
        return replace(strip, ease_in=ease_in, ease_out=frames)
    return replace(strip, ease_in=frames, ease_out=strip.ease_out if strip.end is None else ease_out)


def default_ease(strip: LockStrip) -> LockStrip:
    """Return a strip that eases in and out over the usual number of frames; a short one over less."""
    return replace(strip, ease_in=EASE, ease_out=EASE)


def slid(strip: LockStrip, by: int) -> LockStrip:
    """Return a strip some frames later, with its ends and the keys of its target."""
    if not by:
        return strip
    targets = tuple(replace(key, frame=key.frame + by) for key in strip.targets)
    return replace(strip, start=strip.start + by, end=None if strip.end is None else strip.end + by, targets=targets)


def with_target_at(strip: LockStrip, number: int, frame: int) -> LockStrip:
    """Return a strip with a key of its target at another frame, between its neighbours."""
    keys = list(strip.targets)
    low = keys[number - 1].frame + 1 if number else 0
    high = keys[number + 1].frame - 1 if number + 1 < len(keys) else MAX_FRAME
    keys[number] = replace(keys[number], frame=min(max(frame, low), high))
    return replace(strip, targets=tuple(keys))


def fits(strip: LockStrip, others: Iterable[LockStrip], by: int = 0) -> bool:
    """Return whether a strip, some frames later, lies within the frames there are and meets no other of its lock."""
    start, end = strip.start + by, None if strip.end is None else strip.end + by
    if min([start, *(key.frame + by for key in strip.targets)]) < 0 or max(start, end or 0) > MAX_FRAME:
        return False
    return not any(
        (end is None or other.start <= end) and (other.end is None or start <= other.end) for other in others
    )


def allowed_slide(strip: LockStrip, wanted: int, others: Sequence[LockStrip]) -> int:
    """Return the slide nearest to ``wanted``, on the way there from 0, at which a strip meets no other of its lock.

    As with keys: what stands in the way is jumped over once there is room behind it.
    """
    low = min([strip.start, *(key.frame for key in strip.targets)])
    wanted = max(wanted, -low)
    choices = {wanted, 0}
    for other in others:  # beside each of them is where a strip that cannot stand at ``wanted`` may stop
        if strip.end is not None:
            choices.add(other.start - 1 - strip.end)
        if other.end is not None:
            choices.add(other.end + 1 - strip.start)
    way = 1 if wanted >= 0 else -1
    good = [by for by in choices if 0 <= by * way <= abs(wanted) and fits(strip, others, by)]
    return max(good, key=abs, default=0)


def place_for(strip: LockStrip, start: int, others: Sequence[LockStrip]) -> int | None:
    """Return the frame nearest to ``start`` where a copy of a strip may begin; None if there is room nowhere."""
    choices = {start, 0}
    for other in others:
        if strip.end is not None:
            choices.add(other.start - 1 - (strip.end - strip.start))
        if other.end is not None:
            choices.add(other.end + 1)
    good = [at for at in choices if fits(strip, others, at - strip.start)]
    return min(good, key=lambda at: (abs(at - start), at), default=None)


def snapped(frame: float, places: Iterable[int], reach: float) -> int:
    """Return the nearest of some frames if one lies within ``reach`` frames, else the nearest whole frame."""
    near = min(places, key=lambda place: abs(place - frame), default=None)
    return near if near is not None and abs(near - frame) <= reach else round(frame)
