"""A layer: keyed offsets that are added to a motion, with a weight, for some parts or all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from core.animation.channels import channels_of
from core.animation.key import Key, check_frame
from core.animation.key_records import key_from_json, key_to_json
from core.animation.sorted_keys import Keys
from core.arrays import Array, Bools
from core.errors import SequenceError
from core.keyed_curves.keyed_curve import curve_rows
from core.skeleton import Skeleton

MOST_WEIGHT = 2.0
"""Largest weight of a layer: its offsets twice."""

LAYER_MEMBERS = ("id", "name", "keys", "weight", "weights", "parts", "muted", "solo")
"""Members of a layer's record."""

WeightKeys = tuple[tuple[int, float], ...]


@dataclass(frozen=True, eq=False)
class Layer:
    """Offsets from what lies under it. Immutable; ``dataclasses.replace`` makes other ones.

    Attributes:
        id: What it is known by; another one for each layer of a sequence.
        name: What people call it.
        keys: Its keys; their poses are offsets, as ``core.animation.layers.offsets`` has them. Before the first and
            after the last key of a channel its offset is held; a channel without keys has none.
        weight: How much of it is added, 0 to ``MOST_WEIGHT``, where it has no keys of its weight.
        weights: Keys of its weight: frame and weight, frames ascending; smooth between them, held beyond them.
        mask: Names of the channels that it moves; None for all.
        muted: Whether it is left out.
        solo: Whether layers that are not solo are left out.
        extra: Members of the file's record that this version does not know; kept and written back.

    Raises:
        SequenceError: If a value is not valid.
    """

    id: str
    name: str
    keys: Keys
    weight: float = 1.0
    weights: WeightKeys = ()
    mask: frozenset[str] | None = None
    muted: bool = False
    solo: bool = False
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name in ("id", "name"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name).strip():
                raise SequenceError(f"the {name} of a layer is {getattr(self, name)!r}; it must be a text, not empty")
        where = f'layer "{self.name}"'
        put(self, "weight", checked_weight(self.weight, where))
        put(self, "weights", checked_weights(self.weights, where))
        if self.mask is not None:
            put(self, "mask", channels_of(self.keys.skeleton).checked(self.mask, where))
        put(self, "extra", MappingProxyType(dict(self.extra)))

    @property
    def skeleton(self) -> Skeleton:
        """The figure that it moves."""
        return self.keys.skeleton

    def on(self, skeleton: Skeleton) -> Layer:
        """Return the layer for a figure with the same channels, as a figure made anew has; itself for its own."""
        return self if skeleton is self.skeleton else replace(self, keys=Keys(skeleton, self.keys))

    def with_keys(self, keys: Iterable[Key]) -> Layer:
        """Return the layer with other keys.

        Raises:
            KeyCollision: If two have the same frame.
            CoreError: If one does not fit the figure.
        """
        return replace(self, keys=self.keys.checked(keys))

    def weights_at(self, frames: Array) -> Array:
        """Return how much of it is added at frames, shape (m,)."""
        if not self.weights:
            return np.full(len(frames), self.weight)
        x, y, slopes = self.weight_curve.T
        at = np.clip(np.searchsorted(x, frames, side="right") - 1, 0, max(len(x) - 2, 0))
        if len(x) == 1:
            return np.full(len(frames), y[0])
        h = x[at + 1] - x[at]
        u = np.clip((frames - x[at]) / h, 0.0, 1.0)
        rise, a, b = y[at + 1] - y[at], h * slopes[at], h * slopes[at + 1]
        found: Array = y[at] + u * (a + u * (3.0 * rise - 2.0 * a - b + u * (a + b - 2.0 * rise)))
        return np.where(u == 1.0, y[at + 1], found)

    @cached_property
    def weight_curve(self) -> Array:
        """The keys of its weight as ``core.keyed_curves`` takes them, shape (n, 3); one without keys has one."""
        return curve_rows(self.weights or ((0, self.weight),))

    def weight_at(self, frame: float) -> float:
        """Return how much of it is added at a frame."""
        return float(self.weights_at(np.array([float(frame)]))[0])

    @property
    def moves(self) -> Bools:
        """Which values of a pose it moves: those of its mask that have keys, shape (nq,)."""
        channels = channels_of(self.skeleton)
        keyed = np.asarray(self.keys.table.keyed.any(axis=0))[channels.of_value]
        return keyed if self.mask is None else keyed & channels.mask(self.mask)

    def takes(self, channel: str) -> bool:
        """Return whether a channel may be moved by it."""
        return self.mask is None or channel in self.mask

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Layer)
            and all(getattr(self, name) == getattr(other, name) for name in _VALUES)
            and (self.keys is other.keys or tuple(self.keys) == tuple(other.keys))
        )

    def __hash__(self) -> int:
        return hash((self.id, self.name))


_VALUES = ("id", "name", "weight", "weights", "mask", "muted", "solo", "extra")
Layers = tuple[Layer, ...]


def retimed_layers(layers: Layers, place: Callable[[int], int | None]) -> Layers:
    """Return layers whose keys go to the frames that ``place`` gives from their old ones; None drops one.

    Where two keys of a layer would share a frame the later one stays.
    """

    def moved(layer: Layer) -> Layer:
        frames = {*layer.keys.frames, *(frame for frame, _ in layer.weights)}
        if all(place(frame) == frame for frame in frames):
            return layer
        keys = {there: key.moved(there) for key in layer.keys if (there := place(key.frame)) is not None}
        weights = {there: value for frame, value in layer.weights if (there := place(frame)) is not None}
        weight = layer.weights[-1][1] if layer.weights and not weights else layer.weight
        rows = tuple(weights.items())
        own = Keys(layer.skeleton, [keys[frame] for frame in sorted(keys)])
        return replace(layer, keys=own, weights=rows, weight=weight)

    return tuple(moved(layer) for layer in layers)


def checked_weight(value: Any, where: str) -> float:
    """Return a weight as a float after checking it.

    Raises:
        SequenceError: If it is no number from 0 to ``MOST_WEIGHT``.
    """
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not (math.isfinite(value) and 0.0 <= value <= MOST_WEIGHT):
        raise SequenceError(f"the weight of {where} is {value!r}; it must be a number from 0 to {MOST_WEIGHT:g}")
    return float(value)


def checked_weights(keys: Any, where: str) -> WeightKeys:
    """Return keys of a weight, sorted by frame, after checking them.

    Raises:
        SequenceError: If they are no pairs of frame and weight, or two share a frame.
    """
    if not isinstance(keys, (list, tuple)) or any(not isinstance(k, (list, tuple)) or len(k) != 2 for k in keys):
        raise SequenceError(f"the keys of the weight of {where} must be pairs of a frame and a weight")
    made = {check_frame(frame): checked_weight(value, where) for frame, value in keys}
    if len(made) < len(keys):
        raise SequenceError(f"two keys of the weight of {where} share a frame; a frame holds one")
    return tuple(sorted(made.items()))


def checked_layers(layers: Iterable[object], skeleton: Skeleton, where: str) -> Layers:
    """Return the layers of a sequence after checking them.

    Raises:
        SequenceError: If one is no layer of the figure, or two have one id.
    """
    found: list[Layer] = []
    for layer in layers:
        if not isinstance(layer, Layer):
            raise SequenceError(f"{where}: {layer!r} is not a layer")
        if layer.skeleton is not skeleton:
            raise SequenceError(f'{where}: layer "{layer.name}" is of another figure')
        if any(layer.id == other.id for other in found):
            raise SequenceError(f'{where}: two layers have the id "{layer.id}"; each needs one of its own')
        found.append(layer)
    return tuple(found)


def layer_to_json(layer: Layer) -> dict[str, Any]:
    """Return the record of a layer; what is at its default is left out."""
    record: dict[str, Any] = {"id": layer.id, "name": layer.name, "weight": layer.weight}
    if layer.weights:
        record["weights"] = [list(key) for key in layer.weights]
    if layer.mask is not None:
        record["parts"] = sorted(layer.mask)
    record.update({name: True for name in ("muted", "solo") if getattr(layer, name)})
    record["keys"] = [key_to_json(key) for key in layer.keys]
    return {**record, **layer.extra}


def layer_from_json(record: Mapping[str, Any], skeleton: Skeleton) -> Layer:
    """Return the layer of a record.

    Raises:
        core.errors.CoreError: If a value is not valid for the figure.
    """
    return layer_of(record, Keys(skeleton).checked(key_from_json(key) for key in record.get("keys", ())))


def layer_of(record: Mapping[str, Any], keys: Keys) -> Layer:
    """Return the layer of a record whose keys are known.

    Raises:
        core.errors.CoreError: If a value is not valid for the figure.
    """
    mask = record.get("parts")
    return Layer(
        record["id"],
        record.get("name", record["id"]),
        keys,
        record.get("weight", 1.0),
        tuple(tuple(key) for key in record.get("weights", ())),
        None if mask is None else frozenset(mask),
        bool(record.get("muted", False)),
        bool(record.get("solo", False)),
        {name: value for name, value in record.items() if name not in LAYER_MEMBERS},
    )
