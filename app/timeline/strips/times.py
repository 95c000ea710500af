"""When strips begin and end: retiming one, with what keeps strips of the same lock or joint apart.

Strips are ``LockStrip`` or ``HybridStrip``. The ``gap`` between two of a kind is the least difference between the later
one's start and the earlier one's end: 1 if the end still belongs to the earlier one, 0 if the next may begin there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from core.animation.key import MAX_FRAME
from core.animation.locks.strip import LockStrip

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip
    from core.animation.locks.strip import LockStrip

Strip = TypeVar("Strip", "LockStrip", "HybridStrip")

EASE = 4.0
"""Frames over which a strip eases in or out if nothing else is said."""


def room_for(strip: Strip, others: Iterable[Strip], gap: int = 1) -> tuple[int, int]:
    """Return the first and last frame that a strip may reach without running into others.

    Args:
        strip: The strip.
        others: The other strips of its lock, or of its joints.
        gap: Frames between two of them.
    """
    first, last = 0, MAX_FRAME
    for other in others:
        if other.start > strip.start:
            last = min(last, other.start - gap)
        elif other.end is not None:
            first = max(first, other.end + gap)
    return min(first, strip.start), last


def with_start(strip: Strip, frame: int, others: Iterable[Strip], gap: int = 1) -> Strip:
    """Return a strip that begins at another frame, as near to it as may be; its end and its torques stay."""
    first, _ = room_for(strip, others, gap)
    last = MAX_FRAME - 1 if strip.end is None else max(strip.end - 1, strip.start)
    start = min(max(frame, first, 0), last)
    changes: dict[str, Any] = {"start": start}
    if not isinstance(strip, LockStrip):
        changes["torques"] = tuple(curve.moved(float(strip.start - start)) for curve in strip.torques)
    return replace(strip, **changes)


def with_end(strip: Strip, frame: int, others: Iterable[Strip], gap: int = 1) -> Strip:
    """Return a strip that ends at another frame, as near to it as may be; its start stays."""
    _, last = room_for(strip, others, gap)
    return replace(strip, end=max(min(frame, last), strip.start + 1))


def with_ease(strip: Strip, at_end: bool, frames: float) -> Strip:
    """Return a strip that eases over other frames, as many as there is room for beside its other ease."""
    ease_in, ease_out = strip.eases
    most = float(MAX_FRAME) if strip.end is None else strip.end - strip.start - (ease_in if at_end else ease_out)
    frames = min(max(float(frames), 0.0), max(most, 0.0))
    if at_end:
        return replace(strip, ease_in=ease_in, ease_out=frames)
    return replace(strip, ease_in=frames, ease_out=strip.ease_out if strip.end is None else ease_out)


def default_ease(strip: Strip) -> Strip:
    """Return a strip that eases in and out over the usual number of frames; a short one over less."""
    return replace(strip, ease_in=EASE, ease_out=EASE)


def slid(strip: Strip, by: int) -> Strip:
    """Return a strip some frames later, with its ends and the keys of its target if it has some."""
    if not by:
        return strip
    changes: dict[str, Any] = {"start": strip.start + by, "end": None if strip.end is None else strip.end + by}
    if isinstance(strip, LockStrip):
        changes["targets"] = tuple(replace(key, frame=key.frame + by) for key in strip.targets)
    return replace(strip, **changes)


def _first_frame(strip: Strip) -> int:
    return min([strip.start, *(key.frame for key in getattr(strip, "targets", ()))])


def fits(strip: Strip, others: Iterable[Strip], by: int = 0, gap: int = 1) -> bool:
    """Return whether a strip, some frames later, lies within the frames there are and meets no other."""
    start, end = strip.start + by, None if strip.end is None else strip.end + by
    if _first_frame(strip) + by < 0 or max(start, end or 0) > MAX_FRAME:
        return False
    return not any(
        (end is None or other.start < end + gap) and (other.end is None or start < other.end + gap) for other in others
    )


def allowed_together(strips: Sequence[tuple[Strip, Sequence[Strip]]], wanted: int, gap: int = 1) -> int:
    """Return the same for some strips that slide together, each with the others it must not meet."""
    wanted = max([wanted, *(-_first_frame(strip) for strip, _ in strips)])
    choices = {wanted, 0}
    for strip, others in strips:
        for other in others:  # beside each of them is where a strip that cannot stand at ``wanted`` may stop
            if strip.end is not None:
                choices.add(other.start - gap - strip.end)
            if other.end is not None:
                choices.add(other.end + gap - strip.start)
    sign = 1 if wanted >= 0 else -1
    near = [by for by in choices if 0 <= by * sign <= abs(wanted)]
    good = [by for by in near if all(fits(strip, others, by, gap) for strip, others in strips)]
    return max(good, key=abs, default=0)


def place_for(strip: Strip, start: int, others: Sequence[Strip], gap: int = 1) -> int | None:
    """Return the frame nearest to ``start`` where a copy of a strip may begin; None if there is room nowhere."""
    choices = {start, 0}
    for other in others:
        if strip.end is not None:
            choices.add(other.start - gap - (strip.end - strip.start))
        if other.end is not None:
            choices.add(other.end + gap)
    good = [at for at in choices if fits(strip, others, at - strip.start, gap)]
    return min(good, key=lambda at: (abs(at - start), at), default=None)


def snapped(frame: float, places: Iterable[int], reach: float) -> int:
    """Return the nearest of some frames if one lies within ``reach`` frames, else the nearest whole frame."""
    near = min(places, key=lambda place: abs(place - frame), default=None)
    return near if near is not None and abs(near - frame) <= reach else round(frame)
