"""Rows of the timeline's locks: one for each part and kind, its strips one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.words.lock_words import joint_of, part_of
from core.constraints.kinds import KINDS

if TYPE_CHECKING:
    from core.animation.locks.strip import LockStrip
    from core.constraints.lock import Lock
    from core.skeleton import Skeleton


@dataclass(frozen=True)
class LockRow:
    """One row.

    Attributes:
        part: Name of the part, ``"Right foot"``.
        kind: Kind of all its locks.
        joint: Index of the joint, None for what holds the whole figure.
        strips: Its strips, by start; no two of them at the same frame.
    """

    part: str
    kind: str
    joint: int | None
    strips: tuple[LockStrip, ...]


def row_joint(lock: Lock, skeleton: Skeleton) -> int | None:
    """Return the joint whose row a lock stands in; None for what holds the whole figure."""
    return None if lock.rule.of_figure else joint_of(lock, skeleton)


def what_it_holds(lock: Lock, skeleton: Skeleton) -> tuple[Any, ...]:
    """Return what must be the same of two locks that are one lock at different times."""
    joint = row_joint(lock, skeleton)
    other = None
    if lock.second is not None:
        figure, part, point = lock.second
        other = (figure, part, point.tobytes())
    return (joint, lock.kind, lock.point.tobytes(), other)


def siblings(strip: LockStrip, strips: Iterable[LockStrip], skeleton: Skeleton) -> list[LockStrip]:
    """Return the other strips of the same lock, by start: those that ``strip`` must not run into."""
    mine = what_it_holds(strip.lock, skeleton)
    others = [each for each in strips if each.id != strip.id and what_it_holds(each.lock, skeleton) == mine]
    return sorted(others, key=lambda each: each.start)


def lock_rows(strips: Iterable[LockStrip], skeleton: Skeleton | None) -> tuple[LockRow, ...]:
    """Return the rows that strips stand in: by joint, then by kind; those that overlap get a row each."""
    if skeleton is None:
        return ()
    groups: dict[tuple[int, int], list[LockStrip]] = {}
    for strip in strips:
        lock = strip.lock
        joint = row_joint(lock, skeleton)
        place = len(skeleton.joints) if joint is None else joint
        groups.setdefault((place, KINDS.index(lock.rule)), []).append(strip)
    rows = []
    for (place, _), group in sorted(groups.items()):
        joint = place if place < len(skeleton.joints) else None
        part, kind_name = part_of(group[0].lock, skeleton), group[0].lock.kind
        rows += [LockRow(part, kind_name, joint, tuple(lane)) for lane in _lanes(group)]
    return tuple(rows)


def _lanes(strips: list[LockStrip]) -> list[list[LockStrip]]:
    """Return the strips in as few lists as hold no two at the same frame."""
    lanes: list[list[LockStrip]] = []
    for strip in sorted(strips, key=lambda each: each.start):
        for lane in lanes:
            end = lane[-1].end
            if end is not None and end < strip.start:
                lane.append(strip)
                break
        else:
            lanes.append([strip])
    return lanes
