"""Hybrid strips as records of a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from core.animation.hybrid.strip import DYNAMIC, EASE_OUT, GAIN, HybridStrip
from core.animation.locks.strip import new_id
from core.errors import SequenceError

HYBRID_MEMBERS = ("parts", "start", "end", "mode", "ease_in", "ease_out", "gain", "damping", "id", "name")
"""Members of a strip's record."""

DEFAULTS: dict[str, Any] = {
    "mode": DYNAMIC, "ease_in": 0.0, "ease_out": EASE_OUT, "gain": GAIN, "damping": 1.0, "name": None,
}  # fmt: skip
"""Members that are left out of a record where they have this value."""

Record = dict[str, Any]


def hybrid_to_json(strip: HybridStrip) -> Record:
    """Return a strip as a JSON value. What is left at its default is left out; unknown members stand beside it."""
    record: Record = {"id": strip.id, "parts": list(strip.parts), "start": strip.start, "end": strip.end}
    for name, default in DEFAULTS.items():
        value = getattr(strip, name)
        if value != default:
            record[name] = value
    return {**record, **strip.extra}


def hybrids_to_json(strips: Iterable[HybridStrip]) -> list[Record]:
    """Return the records of several strips."""
    return [hybrid_to_json(strip) for strip in strips]


def hybrid_from_json(record: Any) -> HybridStrip:
    """Return the strip that a record stands for; members it does not know are kept in ``extra``.

    Raises:
        SequenceError: If it is no record of a strip, or a value makes no sense.
    """
    if not isinstance(record, dict) or "start" not in record:
        raise SequenceError("is not a record of a hybrid strip; it must be an object with parts and start")
    given = {name: record[name] for name in DEFAULTS if record.get(name) is not None}
    return HybridStrip(
        record.get("parts") or (),
        record["start"],
        record.get("end"),
        id=record["id"] if record.get("id") is not None else new_id(),
        extra={name: value for name, value in record.items() if name not in HYBRID_MEMBERS},
        **given,
    )
