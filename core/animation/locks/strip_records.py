"""Lock strips as records of a file: joints by name, numbers to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.animation.curves.timing_curves import SpeedCurve
from core.animation.key import SPLINE
from core.animation.key_records import curve_points, curve_to_json
from core.animation.locks.strip import LockStrip, new_id
from core.animation.locks.target_keys import TargetKey
from core.constraints.records import lock_from_json, lock_to_json
from core.errors import SequenceError
from core.skeleton import Skeleton

STRIP_MEMBERS = ("lock", "start", "end", "ease_in", "ease_out", "weight", "targets", "id", "name", "speed")
"""Members of a strip's record."""

Record = dict[str, Any]

__all__ = ["STRIP_MEMBERS", "strip_from_json", "strip_to_json", "target_to_json"]


def strip_to_json(strip: LockStrip, s: Skeleton) -> Record:
    """Return a strip as a JSON value. What is left at its default is left out; unknown members stand beside it.

    Raises:
        core.errors.LockError: If the figure has no such joint.
    """
    record: Record = {"id": strip.id, "lock": lock_to_json(strip.lock, s), "start": strip.start, "end": strip.end}
    for name, default in (("ease_in", 0.0), ("ease_out", 0.0), ("weight", 1.0), ("name", None)):
        value = getattr(strip, name)
        if value != default:
            record[name] = value
    if strip.targets:
        record["targets"] = [target_to_json(key) for key in strip.targets]
    if strip.speed is not None:
        record["speed"] = curve_to_json(strip.speed)
    return {**record, **strip.extra}


def target_to_json(key: TargetKey) -> Record:
    """Return a key of a target as a JSON value."""
    target = key.target.tolist() if isinstance(key.target, np.ndarray) else key.target
    record: Record = {"frame": key.frame, "target": target}
    return record if key.interp == SPLINE else {**record, "interp": key.interp}


def strip_from_json(record: Any, s: Skeleton) -> LockStrip:
    """Return the strip that a record stands for; members it does not know are kept in ``extra``.

    Raises:
        core.errors.CoreError: If it is no record of a strip, or a value makes no sense for the figure.
    """
    if not isinstance(record, dict) or "lock" not in record or "start" not in record:
        raise SequenceError("is not a record of a lock strip; it must be an object with lock and start")
    targets = record.get("targets") or ()
    if not isinstance(targets, (list, tuple)) or not all(
        isinstance(key, dict) and "frame" in key and key.get("target") is not None for key in targets
    ):
        raise SequenceError("targets must be a list of objects with frame and target")
    given = {name: record[name] for name in ("ease_in", "ease_out", "weight", "name") if record.get(name) is not None}
    return LockStrip(
        lock_from_json(record["lock"], s),
        record["start"],
        record.get("end"),
        targets=tuple(TargetKey(key["frame"], key["target"], key.get("interp", SPLINE)) for key in targets),
        id=record["id"] if record.get("id") is not None else new_id(),
        speed=None if record.get("speed") is None else SpeedCurve(curve_points(record["speed"])),
        extra={name: value for name, value in record.items() if name not in STRIP_MEMBERS},
        **given,
    )
