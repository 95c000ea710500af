"""Edits of a row of lock strips: pure functions from strips to strips, the companions of ``core.animation.editing``.

Strips follow keys in time: whatever keys a strip covers it goes on covering, and what lies between keys keeps its place
between them. That goes for its ends and for the keys of its target.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from core.animation.curves.timing_curves import Place, SpeedCurve, shifted_speed
from core.animation.key import MAX_FRAME, check_frame
from core.animation.locks.strip import LockStrip, new_id
from core.animation.locks.target_keys import TargetKey
from core.errors import SequenceError

Strips = tuple[LockStrip, ...]

_NEAR = 2  # keys of a target on either side of a span that its curve depends on


# -- retiming --------------------------------------------------------------------------------------------------------


def retimed(strips: Strips, frames: Iterable[int], mapping: Mapping[int, int]) -> Strips:
    """Return strips that have followed keys.

    Args:
        strips: The strips.
        frames: Frames of all keys before.
        mapping: New frames of the keys that have moved, by their old ones.
    """
    old = sorted(set(frames))
    moves = {frame: mapping.get(frame, frame) for frame in old}
    if all(frame == new for frame, new in moves.items()):
        return strips
    shifts = {new - frame for frame, new in moves.items()}
    if len(shifts) == 1:
        return tuple(_shifted(strip, 0, next(iter(shifts))) for strip in strips)
    return tuple(_retimed(strip, old, moves) for strip in strips)


def _retimed(strip: LockStrip, old: list[int], moves: Mapping[int, int]) -> LockStrip:
    start, end = retimed_ends(strip.start, strip.end, old, moves)
    speed = moved_speed(strip, lambda frame: _mapped(frame, old, moves))
    return replace(strip, start=start, end=end, targets=_mapped_targets(strip.targets, old, moves), speed=speed)


def retimed_ends(start: int, end: int | None, old: list[int], moves: Mapping[int, int]) -> tuple[int, int | None]:
    """Return where the ends of a range go when keys move: it covers the keys that it covered before, and no others.

    Args:
        start: First frame of the range.
        end: Last frame; None for ever.
        old: Frames of all keys before, ascending.
        moves: Where each of them goes.
    """

    def covers(frame: int) -> bool:
        return start <= frame and (end is None or frame <= end)

    inside = {moves[frame] for frame in old if covers(frame)}
    if not inside:
        first = _mapped(start, old, moves)
        return first, None if end is None else max(_mapped(end, old, moves), first)
    outside = [moves[frame] for frame in old if not covers(frame)]
    low, high = min(inside), max(inside)
    floor = max((frame + 1 for frame in outside if frame < low), default=0)
    top = min((frame - 1 for frame in outside if frame > high), default=MAX_FRAME)
    first = min(max(_mapped(start, old, moves), floor), low)
    return first, None if end is None else max(min(_mapped(end, old, moves), top), high)


def _mapped(frame: int, old: list[int], moves: Mapping[int, int]) -> int:
    return min(max(round(placed(frame, old, moves)), 0), MAX_FRAME)


def placed(frame: int, old: list[int], moves: Mapping[int, int]) -> float:
    """Return where a frame goes when keys move: with its key, or in proportion between two, or nowhere beyond the last.

    Args:
        frame: The frame.
        old: Frames of all keys before, ascending.
        moves: Where each of them goes.
    """
    if frame in moves:
        return moves[frame]
    after = bisect.bisect_left(old, frame)
    if after in (0, len(old)):
        return frame
    a, b = old[after - 1], old[after]
    return moves[a] + (frame - a) * (moves[b] - moves[a]) / (b - a)


def _mapped_targets(keys: tuple[TargetKey, ...], old: list[int], moves: Mapping[int, int]) -> tuple[TargetKey, ...]:
    """Return keys of a target at their new frames; of several that would share one, the one that fits it best."""
    found: dict[int, tuple[float, TargetKey]] = {}
    for key in keys:
        place = placed(key.frame, old, moves)
        frame = min(max(round(place), 0), MAX_FRAME)
        off = abs(place - frame)
        if frame not in found or off < found[frame][0]:
            found[frame] = off, key
    return tuple(replace(found[frame][1], frame=frame) for frame in sorted(found))


def made_room(strips: Strips, frame: int, by: int) -> Strips:
    """Return strips after ``by`` frames were put in before ``frame``: all from there on is later.

    A strip that reaches across goes on through what was put in.
    """
    return tuple(_shifted(strip, frame, by) for strip in strips)


def _shifted(strip: LockStrip, first: int, by: int) -> LockStrip:
    """Return a strip whose ends and targets from ``first`` on are ``by`` frames later, none before frame 0."""

    def later(frame: int) -> int:
        return min(max(frame + by, 0), MAX_FRAME) if frame >= first else frame

    targets = {later(key.frame): key for key in strip.targets}
    end = None if strip.end is None else later(strip.end)
    moved = tuple(replace(key, frame=frame) for frame, key in targets.items())
    return replace(strip, start=later(strip.start), end=end, targets=moved, speed=moved_speed(strip, later))


def moved_speed(strip: LockStrip, place: Place) -> SpeedCurve | None:
    """Return the speed curve of a strip whose frames go elsewhere; None if it has none, or too little is left."""
    return None if strip.speed is None else shifted_speed(strip.speed, place)


# -- one strip -------------------------------------------------------------------------------------------------------


def moved_copy(strip: LockStrip, start: int, **values: Any) -> LockStrip:
    """Return a copy of a strip, with an id of its own, that begins at a frame, its end and targets with it.

    Raises:
        SequenceError: If a target of it would lie before frame 0.
    """
    by = check_frame(start) - strip.start
    targets = tuple(replace(key, frame=key.frame + by) for key in strip.targets)
    end = None if strip.end is None else strip.end + by
    speed = moved_speed(strip, lambda frame: frame + by)
    return replace(strip, **{"id": new_id(), "start": start, "end": end, "targets": targets, "speed": speed, **values})


def split(strip: LockStrip, frame: int) -> tuple[LockStrip, LockStrip]:
    """Return a strip cut in two: the first, with its id, ends before ``frame``, the second begins there.

    Both go on as the whole did: they keep the keys outside them that their targets' curves depend on.

    Raises:
        SequenceError: If the frame is not inside the strip.
    """
    frame = check_frame(frame)
    if not strip.covers(frame) or frame == strip.start:
        last = "on" if strip.end is None else f"to {strip.end}"
        raise SequenceError(f"{strip.title} runs from frame {strip.start} {last}; it cannot be split at frame {frame}")
    before, after = _around(strip.targets, 0, frame - 1), _around(strip.targets, frame, strip.end or MAX_FRAME)
    if strip.speed is not None:  # how far it has come depends on the whole path
        before = after = strip.targets
    first = replace(strip, end=frame - 1, ease_out=0.0, targets=before)
    second = replace(strip, id=new_id(), start=frame, ease_in=0.0, targets=after)
    return first, second


def _around(keys: tuple[TargetKey, ...], first: int, last: int) -> tuple[TargetKey, ...]:
    """Return the keys in a range and those on either side of it that the curve in it depends on."""
    before = [key for key in keys if key.frame < first][-_NEAR:]
    after = [key for key in keys if key.frame > last][:_NEAR]
    return (*before, *(key for key in keys if first <= key.frame <= last), *after)


def joined(first: LockStrip, second: LockStrip) -> LockStrip:
    """Return the strip that two neighbors make: with the id and the values of the first up to the end of the second.

    Raises:
        SequenceError: If they hold different things, or do not follow each other.
    """
    if replace(first.lock, target=None) != replace(second.lock, target=None):
        raise SequenceError(f"{first.title} and {second.title} hold different things; only strips of one lock join")
    if not first.targets and not second.targets and first.lock != second.lock:
        raise SequenceError(f"{first.title} holds other places before and after; key its target to join them")
    if first.speed != second.speed:
        raise SequenceError(f"{first.title} and {second.title} travel with different speeds; strips of one speed join")
    if first.end is None or second.start <= first.start:
        raise SequenceError(f"{second.title} does not follow {first.title}; strips join in the order of their frames")
    kept = [key for key in first.targets if key.frame < second.start]
    kept += [key for key in second.targets if key.frame >= second.start or not first.targets]
    if not first.targets and kept:  # what stood still goes on doing so up to where the other begins
        kept.insert(0, TargetKey(max(second.start - 1, 0), first.lock.target))
        kept = list({key.frame: key for key in kept}.values())
    elif first.targets and not second.targets:
        kept.append(TargetKey(second.start, second.lock.target))
    return replace(first, end=second.end, ease_out=second.ease_out, targets=tuple(kept))


# -- clips -----------------------------------------------------------------------------------------------------------


def cut_out(strips: Strips, first: int, last: int) -> Strips:
    """Return the strips in ``first..last``, cut off at both ends, their frames counted from ``first``."""
    found = []
    for strip in strips:
        start = max(strip.start, first)
        end = last if strip.end is None else min(strip.end, last)
        if start > end:
            continue
        targets = tuple(replace(key, frame=key.frame - first) for key in _within(strip, start, end))
        found.append(
            replace(
                strip,
                start=start - first,
                end=end - first,
                ease_in=strip.ease_in if start == strip.start else 0.0,
                ease_out=strip.ease_out if end == strip.end else 0.0,
                targets=targets,
                speed=_cut_speed(strip, first, start, end),
            )
        )
    return tuple(found)


def _cut_speed(strip: LockStrip, first: int, start: int, end: int) -> SpeedCurve | None:
    """Return the part of a strip's speed curve from ``start`` to ``end``, its frames counted from ``first``."""
    if strip.speed is None:
        return None
    low, high = max(float(start), strip.speed.first), min(float(end), strip.speed.last)
    if not low < high:
        return None
    ends = strip.speed.speeds([low, high]).tolist()
    inner = [(frame, speed) for frame, speed in strip.speed.points if low < frame < high]
    points = [(low, ends[0]), *inner, (high, ends[1])]
    return SpeedCurve(tuple((frame - first, speed) for frame, speed in points)) if any(s for _, s in points) else None


def rescaled(strips: Strips, factor: float) -> Strips:
    """Return strips of which all frames are multiplied, rounded to whole ones: the same times at another rate."""
    if factor == 1.0:
        return strips
    found = []
    for strip in strips:
        targets = {round(key.frame * factor): key for key in strip.targets}
        found.append(
            replace(
                strip,
                start=round(strip.start * factor),
                end=None if strip.end is None else round(strip.end * factor),
                ease_in=strip.ease_in * factor,
                ease_out=strip.ease_out * factor,
                targets=tuple(replace(key, frame=frame) for frame, key in targets.items()),
                speed=strip.speed and SpeedCurve(tuple((frame * factor, speed) for frame, speed in strip.speed.points)),
            )
        )
    return tuple(found)


def _within(strip: LockStrip, start: int, end: int) -> tuple[TargetKey, ...]:
    """Return keys of a strip's target for a part of it, with keys at its ends where it was cut between two."""
    if not strip.targets:
        return ()
    keys = {key.frame: key for key in strip.targets if start <= key.frame <= end}
    for frame in (start, end):
        if frame not in keys:
            before = [key for key in strip.targets if key.frame < frame]
            interp = before[-1].interp if before else strip.targets[0].interp
            keys[frame] = TargetKey(frame, strip.target_at(frame), interp)
    return tuple(keys[frame] for frame in sorted(keys))


def put_in(strips: Strips, frame: int, clip: Strips) -> Strips:
    """Return strips with those of a clip put in from ``frame`` on; what is held there already is not held twice."""
    brought = []
    for strip in clip:
        new = moved_copy(strip, strip.start + frame)
        if not any(_contains(other, new) for other in strips):
            brought.append(new)
    return (*strips, *brought)


def _contains(outer: LockStrip, inner: LockStrip) -> bool:
    last = inner.end if inner.end is not None else MAX_FRAME
    same = outer.lock == inner.lock and not outer.targets and not inner.targets and outer.weight == inner.weight
    return same and outer.covers(inner.start) and outer.covers(last)
