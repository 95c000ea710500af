"""Locks and lock strips of a ``.seq`` file, checked member by member."""

from __future__ import annotations

from typing import Any

from core.animation import LockStrip, TargetKey
from core.animation.key import MAX_FRAME
from core.animation.locks.strip import checked_lock, new_id
from core.animation.locks.strip_records import STRIP_MEMBERS
from core.animation.locks.target_keys import TARGET_INTERPOLATIONS
from core.constraints.lock import Lock
from core.constraints.records import lock_from_json
from core.errors import CoreError
from core.formats import json_text
from core.formats.project_keys import read_speed
from core.formats.record_reader import RecordReader
from core.skeleton import Skeleton

Record = dict[str, Any]
_FRAMES = f"valid are whole numbers from 0 to {MAX_FRAME}"


def read_locks(reader: RecordReader, data: Record, place: str, skeleton: Skeleton | None) -> list[Lock]:
    """Return the locks of a sequence's record that hold at all times; what is wrong is noted with its place."""
    found = [_lock(reader, record, here, skeleton) for record, here in _records(reader, data, place, "locks")]
    return [lock for lock in found if lock is not None]


def read_strips(reader: RecordReader, data: Record, place: str, skeleton: Skeleton | None) -> list[LockStrip]:
    """Return the lock strips of a sequence's record; what is wrong is noted with its place."""
    strips: list[LockStrip] = []
    taken: dict[str, str] = {}
    for record, here in _records(reader, data, place, "strips"):
        before = len(reader.problems)
        strip = _strip(reader, record, here, skeleton, before)
        if strip is None:
            continue
        if strip.id in taken:
            shown = json_text.show(strip.id)
            reader.problem(f"{here}.id", f"{shown} is also the id of {taken[strip.id]}; each strip has its own")
        taken[strip.id] = here
        strips.append(strip)
    return strips


def _records(reader: RecordReader, data: Record, place: str, name: str) -> list[tuple[Record, str]]:
    return reader.records(data, place, name) if data.get(name) is not None else []


def _strip(reader: RecordReader, record: Record, here: str, skeleton: Skeleton | None, before: int) -> LockStrip | None:
    data = reader.member(record, here, "lock", "an object")
    start = _frame(reader, record, here, "start")
    end = None if record.get("end") is None else _frame(reader, record, here, "end")
    if start is not None and end is not None and end < start:
        reader.problem(f"{here}.end", f"{end} lies before the start {start}; a strip must not run backwards")
    numbers = {
        name: _number(reader, record, here, name, most, default)
        for name, most, default in (("ease_in", MAX_FRAME, 0), ("ease_out", MAX_FRAME, 0), ("weight", 1, 1))
    }
    name = reader.member(record, here, "name", "text or null", None)
    id = reader.member(record, here, "id", "text or null", None)
    if id == "":
        reader.problem(f"{here}.id", "is empty; expected text that no other strip has, or null")
    targets = _targets(reader, record, here)
    speed = read_speed(reader, record, here, "speed")
    lock = None if data is None else _lock(reader, data, f"{here}.lock", skeleton, bool(targets))
    if lock is None or len(reader.problems) > before:
        return None
    known = {name for name in record if name in STRIP_MEMBERS}
    extra = {name: value for name, value in record.items() if name not in known}
    try:
        return LockStrip(
            lock,
            start or 0,
            end,
            targets=tuple(targets),
            id=id or new_id(),
            name=name,
            extra=extra,
            ease_in=numbers["ease_in"],
            ease_out=numbers["ease_out"],
            weight=numbers["weight"],
            speed=speed,
        )
    except CoreError as error:
        reader.problem(here, str(error))
        return None


def _targets(reader: RecordReader, record: Record, here: str) -> list[TargetKey]:
    keys: list[TargetKey] = []
    for item, place in _records(reader, record, here, "targets"):
        before = len(reader.problems)
        frame = _frame(reader, item, place, "frame")
        interp = reader.member(item, place, "interp", "text", "spline")
        if interp is not None and interp not in TARGET_INTERPOLATIONS:
            valid = ", ".join(TARGET_INTERPOLATIONS)
            reader.problem(f"{place}.interp", f"{json_text.show(interp)} is unknown; valid are {valid}")
        target = reader.member(item, place, "target", "a list or a number")
        if len(reader.problems) == before and frame is not None:
            keys.append(TargetKey(frame, target, interp))
    return keys


def _lock(
    reader: RecordReader, record: Record, here: str, skeleton: Skeleton | None, keyed: bool = False
) -> Lock | None:
    before = len(reader.problems)
    for name in ("joint", "kind"):
        reader.member(record, here, name, "text")
    if len(reader.problems) > before or skeleton is None:
        return None
    try:
        lock = lock_from_json(record, skeleton)
        return lock if keyed else checked_lock(lock, skeleton, "a sequence")
    except CoreError as error:
        reader.problem(here, str(error))
        return None


def _frame(reader: RecordReader, record: Record, here: str, name: str) -> int | None:
    frame: int | None = reader.member(record, here, name, "a whole number")
    if frame is not None and not 0 <= frame <= MAX_FRAME:
        reader.problem(f"{here}.{name}", f"{json_text.show(frame)} is out of range; {_FRAMES}")
        return None
    return frame


def _number(reader: RecordReader, record: Record, here: str, name: str, most: float, default: float) -> float:
    value = reader.member(record, here, name, "a number", default)
    if value is not None and not 0 <= value <= most:
        reader.problem(f"{here}.{name}", f"{json_text.show(value)} is out of range; valid are 0 to {most:g}")
    return float(value) if value is not None else default
