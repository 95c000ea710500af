"""Procedural sequences: those whose keys and strips are made by rules that the sequence keeps.

What an animator adds stays when a rule is changed: layers, locks of their own, markers, music. Layers are added on top
of what is made, so joints that they key blend with the walk. Baking leaves keys and strips as they are, without rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from core.animation.sequence import Sequence
from core.gait.error import GaitError
from core.gait.manner import Manner, manner_from_json, manner_to_json
from core.gait.table import check_kind, make_gait
from core.gait.walk import Walk, put_walk
from core.terrain.ground import LEVEL, Ground
from core.terrain.triangles import Terrain

MOST_TRIANGLES = 2_000_000
_ground_records: WeakKeyDictionary[Terrain, dict[str, Any]] = WeakKeyDictionary()


class Rules(NamedTuple):
    """What a procedural sequence is made by.

    Attributes:
        manner: How the figure walks.
        ground: What it walks on.
    """

    manner: Manner
    ground: Ground


def rules_of(sequence: Sequence) -> Rules | None:
    """Return what a sequence is made by; None if it is key-framed.

    Raises:
        core.errors.CoreError: If its record makes no sense.
    """
    return None if sequence.gait is None else read_record(sequence.gait)


def record_of(rules: Rules) -> dict[str, Any]:
    """Return rules as a JSON value. Ground of triangles goes along, a level floor does not."""
    record: dict[str, Any] = {"manner": manner_to_json(rules.manner)}
    if isinstance(rules.ground, Terrain):
        record["ground"] = ground_record(rules.ground)
    return record


def ground_record(ground: Terrain) -> dict[str, Any]:
    """Return ground as a JSON value; the same one each time, since a walk is made anew on it many times."""
    found = _ground_records.get(ground)
    if found is None:
        found = _ground_records[ground] = {
            "vertices": ground.vertices.tolist(),
            "triangles": ground.triangles.tolist(),
        }
    return found


def read_record(record: Any) -> Rules:
    """Return the rules that a record stands for.

    Raises:
        core.errors.CoreError: If a value makes no sense.
    """
    if not isinstance(record, Mapping) or "manner" not in record:
        raise GaitError("the record of a walk must be an object with manner")
    manner = manner_from_json(record["manner"])
    check_kind(manner)
    found = record.get("ground")
    if found is None:
        return Rules(manner, LEVEL)
    if not isinstance(found, Mapping) or not {"vertices", "triangles"} <= set(found):
        raise GaitError("the ground of a walk must be an object with vertices and triangles")
    try:
        vertices = np.array(found["vertices"], dtype=np.float64)
        triangles = np.array(found["triangles"], dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        raise GaitError("vertices and triangles of the ground must be lists of three numbers each") from None
    for array, what in ((vertices, "vertices"), (triangles, "triangles")):
        if array.ndim != 2 or array.shape[1] != 3 or len(array) > MOST_TRIANGLES:
            raise GaitError(f"{what} of the ground have shape {array.shape}; each must be three numbers")
    return Rules(manner, Terrain(vertices, triangles))


def check_record(record: Any) -> None:
    """Check that a record stands for rules.

    Raises:
        core.errors.CoreError: If not; says why.
    """
    read_record(record)


def make(sequence: Sequence, rules: Rules) -> Walk:
    """Make a sequence by rules, in place of its keys; it keeps them. Returns what was made.

    A range that was set by hand stays.

    Raises:
        core.errors.CoreError: If its figure cannot move like that; the sequence is as it was then.
    """
    walk = make_gait(sequence.skeleton, rules.manner, rules.ground, sequence.fps)
    span = kept_range(sequence)
    put_walk(sequence, walk)
    if span is not None:
        sequence.set_range(*span)
    sequence.gait = record_of(rules)
    return walk


def kept_range(sequence: Sequence) -> tuple[int, int] | None:
    """Return the range of a procedural sequence if it was set by hand; None if it is that of its keys."""
    if sequence.gait is None or not sequence.keys:
        return None
    span = sequence.range[0], sequence.range[1]
    return None if span == (sequence.keys[0].frame, sequence.keys[-1].frame) else span


def bake(sequence: Sequence) -> None:
    """Make a procedural sequence a key-framed one, with the keys and strips that it has."""
    sequence.gait = None
