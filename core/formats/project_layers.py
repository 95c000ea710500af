"""Layers of a ``.seq`` file, checked member by member."""

from __future__ import annotations

from typing import Any

from core.animation.channels import channels_of
from core.animation.layers.layer import LAYER_MEMBERS, MOST_WEIGHT, Layer, Layers, checked_weights
from core.animation.locks.strip import new_id
from core.animation.sorted_keys import Keys
from core.errors import CoreError
from core.formats import json_text
from core.formats.project_members import read_keys
from core.formats.record_reader import RecordReader, unknown_members
from core.skeleton import Skeleton

Record = dict[str, Any]


def read_layers(reader: RecordReader, data: Record, place: str, skeleton: Skeleton | None) -> Layers:
    """Return the layers of a sequence's record; what is wrong is noted with its place."""
    layers: list[Layer] = []
    if data.get("layers") is None:
        return ()
    known: dict[str, str] = {}
    for record, here in reader.records(data, place, "layers"):
        layer = _layer(reader, record, here, skeleton)
        if layer is None:
            continue
        if layer.id in known:
            there = known[layer.id]
            reader.problem(f"{here}.id", f"{json_text.show(layer.id)} is also the id of {there}; each has its own")
        known[layer.id] = here
        layers.append(layer)
    return tuple(layers)


def _layer(reader: RecordReader, record: Record, here: str, skeleton: Skeleton | None) -> Layer | None:
    before = len(reader.problems)
    name, id = reader.name_and_id(record, here)
    keys = read_keys(reader, record, here, skeleton) if "keys" in record else []
    weight = reader.number_up_to(record, here, "weight", MOST_WEIGHT, 1.0)
    muted, solo = (reader.member(record, here, what, "true or false", False) for what in ("muted", "solo"))
    weights = reader.member(record, here, "weights", "a list", [])
    parts = reader.member(record, here, "parts", "a list or null", None)
    try:
        pairs = checked_weights(weights, "the layer")
    except CoreError as error:
        reader.problem(f"{here}.weights", str(error))
        pairs = ()
    if len(reader.problems) > before or skeleton is None:
        return None
    try:
        mask = None if parts is None else channels_of(skeleton).checked(parts, "parts")
        made = Keys(skeleton).checked(keys)
        extra = unknown_members(record, LAYER_MEMBERS)
        return Layer(id or new_id(), name or "Layer", made, weight, pairs, mask, bool(muted), bool(solo), extra)
    except (CoreError, TypeError) as error:
        reader.problem(f"{here}.parts" if parts is not None else here, str(error))
        return None
