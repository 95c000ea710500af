"""Rows of locks' targets: where a keyed target is, as curves whose keys are the target's. No window."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from app.timeline.curves.rows import DASHES, LETTERS, TARGETS, TOKENS, CurveRow, RowGroup
from core.animation.cycles import MIRROR, REPEAT
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from core.arrays import Array
from core.constraints.kinds.target_parts import PLACE, TargetPart
from core.skeleton.dof import LENGTH

if TYPE_CHECKING:
    from core.animation.sequence import Sequence

Frames = NDArray[np.int64]
Strips = tuple[LockStrip, ...]


def place_part(strip: LockStrip) -> TargetPart | None:
    """Return the place in a strip's target; None if it has none or the target is not keyed."""
    parts = strip.lock.rule.parts if strip.targets else ()
    return next((part for part in parts if part.form == PLACE), None)


def groups_of_targets(strips: Strips, joints: Iterable[str] | None) -> tuple[RowGroup, ...]:
    """Return the rows of the keyed targets of locks of some parts, None for all: a group for each strip."""
    names = None if joints is None else set(joints)
    groups = []
    for n, strip in enumerate(strips):
        if place_part(strip) is not None and (names is None or strip.lock.joint in names):
            rows = tuple(
                CurveRow(
                    TARGETS + 3 * n + i, "", 0, f"Target {LETTERS[i].lower()}", LETTERS[i], TOKENS[i], DASHES[i], LENGTH
                )
                for i in range(3)
            )
            groups.append(RowGroup(f"Target of {strip.name or strip.lock.joint}, frame {strip.start}", rows))
    return tuple(groups)


def strip_of(strips: Strips, row_id: int) -> tuple[LockStrip, int] | None:
    """Return the strip of a row's id, and which coordinate of its place the row is; None if it is gone."""
    n, axis = divmod(row_id - TARGETS, 3)
    return (strips[n], axis) if n < len(strips) and place_part(strips[n]) is not None else None


def target_frames(strips: Strips, row_id: int) -> Frames:
    """Return the frames of a target's keys, ascending."""
    found = strip_of(strips, row_id)
    return np.array([key.frame for key in found[0].targets] if found else [], dtype=np.int64)


def target_values(strips: Strips, row_id: int, frames: Iterable[float]) -> Array:
    """Return a coordinate of a target's place at frames, whole or not, [m]."""
    found = strip_of(strips, row_id)
    part = None if found is None else place_part(found[0])
    if found is None or part is None:
        return np.empty(0)
    strip, axis = found
    return np.array([float(part.of(strip.target_at(frame))[axis]) for frame in frames])


def seen_target_values(sequence: Sequence, row_id: int, frames: Array) -> Array:
    """Return a coordinate of a target's place at frames with what cycles make of it beyond the keys, [m], shape (m,).

    Where rounds are carried on over the floor a place in the world is so as well. In rounds that are mirrored the part
    across from it is held: there it is nan.
    """
    strips, cycled = sequence.locks.strips, sequence.cycled
    found = strip_of(strips, row_id)
    if cycled is None or found is None or not (beyond := cycled.beyond(frames)).any():
        return target_values(strips, row_id, frames.tolist())
    strip, axis = found
    there, rounds = cycled.inside(frames)
    first = row_id - axis
    inside = np.where(beyond, there, frames).tolist()
    places = np.stack([target_values(strips, first + i, inside) for i in range(3)], axis=-1)
    for n in np.unique(rounds[beyond & (rounds != 0)]).tolist():
        at, kind = beyond & (rounds == n), sequence.cycles[n > 0]
        if kind == MIRROR and n % 2:
            places[at] = np.nan
        elif kind != REPEAT and strip.lock.other is None:
            places[at] = cycled.carried(kind, n).moved(places[at])
    return np.asarray(places[:, axis])


def moved_targets(
    strips: Strips, points: Mapping[int, Frames], frames: Mapping[int, int], rise: Mapping[int, Array]
) -> Strips:
    """Return strips with keys of their targets moved in time and place.

    Args:
        strips: All strips.
        points: Frames of the keys that move, by row id.
        frames: Their new frames by their old ones; empty if none moves.
        rise: How much each coordinate rises at each of its frames, [m], by row id.

    Raises:
        SequenceError: If two keys of a target would share a frame.
    """
    made = list(strips)
    for n, strip in enumerate(strips):
        own = {each: points[each] for each in range(TARGETS + 3 * n, TARGETS + 3 * n + 3) if each in points}
        part = place_part(strip)
        if not own or part is None:
            continue
        rises: dict[int, Array] = {}
        for each, there in own.items():
            for frame, change in zip(there.tolist(), rise[each].tolist(), strict=True):
                rises.setdefault(frame, np.zeros(3))[each - TARGETS - 3 * n] += change
        keys = [_moved(key, part, rises[key.frame], frames) if key.frame in rises else key for key in strip.targets]
        made[n] = replace(strip, targets=tuple(sorted(keys, key=lambda key: key.frame)))
    return tuple(made)


def _moved(key: TargetKey, part: TargetPart, rise: Array, frames: Mapping[int, int]) -> TargetKey:
    target: Any = np.array(key.target, dtype=np.float64)
    if rise.any():
        target[part.where] = part.of(target) + rise
    return replace(key, frame=frames.get(key.frame, key.frame), target=target)
