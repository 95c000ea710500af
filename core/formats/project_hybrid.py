"""Hybrid strips of a ``.seq`` file, checked member by member."""

from __future__ import annotations

from typing import Any

from core.animation.hybrid.records import DEFAULTS, HYBRID_MEMBERS
from core.animation.hybrid.strip import LARGEST_DAMPING, LARGEST_GAIN, MODES, HybridStrip, collision
from core.animation.key import MAX_FRAME
from core.animation.locks.strip import new_id
from core.errors import CoreError
from core.formats import json_text
from core.formats.record_reader import RecordReader
from core.skeleton import Skeleton

Record = dict[str, Any]

_NUMBERS = (("ease_in", MAX_FRAME), ("ease_out", MAX_FRAME), ("gain", LARGEST_GAIN), ("damping", LARGEST_DAMPING))


def read_hybrid(reader: RecordReader, data: Record, place: str, skeleton: Skeleton | None) -> tuple[HybridStrip, ...]:
    """Return the hybrid strips of a sequence's record; what is wrong is noted with its place."""
    strips: list[tuple[HybridStrip, str]] = []
    for record, here in reader.records(data, place, "hybrid") if data.get("hybrid") is not None else ():
        strip = _strip(reader, record, here, skeleton)
        if strip is None:
            continue
        for other, there in strips:
            if strip.id == other.id:
                shown = json_text.show(strip.id)
                reader.problem(f"{here}.id", f"{shown} is also the id of {there}; each strip has its own")
            if strip.overlaps(other):
                reader.problem(here, collision(other, strip))
        strips.append((strip, here))
    return tuple(strip for strip, _ in strips)


def _strip(reader: RecordReader, record: Record, here: str, skeleton: Skeleton | None) -> HybridStrip | None:
    before = len(reader.problems)
    parts = _parts(reader, record, here, skeleton)
    start, end = _frame(reader, record, here, "start"), None
    if record.get("end") is not None:
        end = _frame(reader, record, here, "end")
    if start is not None and end is not None and end <= start:
        reader.problem(f"{here}.end", f"{end} does not lie after the start {start}; expected {start + 1} or more")
    mode = reader.member(record, here, "mode", "text", DEFAULTS["mode"])
    if mode is not None and mode not in MODES:
        reader.problem(f"{here}.mode", f"{json_text.show(mode)} is unknown; valid are {', '.join(MODES)}")
    numbers = {name: _number(reader, record, here, name, most) for name, most in _NUMBERS}
    name = reader.member(record, here, "name", "text or null", None)
    id = reader.member(record, here, "id", "text or null", None)
    if id == "":
        reader.problem(f"{here}.id", "is empty; expected text that no other strip has, or null")
    if len(reader.problems) > before or start is None:
        return None
    extra = {member: value for member, value in record.items() if member not in HYBRID_MEMBERS}
    try:
        return HybridStrip(parts, start, end, mode=mode, id=id or new_id(), name=name, extra=extra, **numbers)
    except CoreError as error:
        reader.problem(here, str(error))
        return None


def _parts(reader: RecordReader, record: Record, here: str, skeleton: Skeleton | None) -> tuple[str, ...]:
    found: list[str] = []
    for i, name in enumerate(reader.member(record, here, "parts", "a list", []) or []):
        place = f"{here}.parts[{i}]"
        if not isinstance(name, str):
            reader.problem(place, f"{json_text.show(name)} is not text; expected the name of a joint")
        elif name in found:
            reader.problem(place, f"{json_text.show(name)} is named twice; once is right")
        elif skeleton is not None and name not in skeleton.joint_names:
            reader.problem(place, f'{json_text.show(name)} is not a joint of figure "{skeleton.name}"')
        else:
            found.append(name)
    return tuple(found)


def _frame(reader: RecordReader, record: Record, here: str, name: str) -> int | None:
    frame: int | None = reader.member(record, here, name, "a whole number")
    if frame is not None and not 0 <= frame <= MAX_FRAME:
        valid = f"valid are whole numbers from 0 to {MAX_FRAME}"
        reader.problem(f"{here}.{name}", f"{json_text.show(frame)} is out of range; {valid}")
        return None
    return frame


def _number(reader: RecordReader, record: Record, here: str, name: str, most: float) -> float:
    default = DEFAULTS.get(name, 1.0)
    value = reader.member(record, here, name, "a number", default)
    if value is not None and not 0 <= value <= most:
        reader.problem(f"{here}.{name}", f"{json_text.show(value)} is out of range; valid are 0 to {most:g}")
    return float(value) if value is not None else default
