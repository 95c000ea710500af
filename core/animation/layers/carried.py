"""Layers of one figure for what became of it: their channels go by the names of joints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from core.animation.carried_keys import ChannelMap
from core.animation.channels import channels_of
from core.animation.layers.layer import Layer, Layers
from core.animation.sorted_keys import Keys
from core.skeleton import Skeleton


def carried_layers(layers: Iterable[Layer], old: Skeleton, new: Skeleton, names: Mapping[str, str]) -> Layers:
    """Return the layers of a figure for what became of the figure.

    A joint that is gone, or has another number of degrees of freedom, loses its offsets; a layer that only moved such
    joints is gone.

    Args:
        layers: The layers.
        old: The figure before.
        new: The figure then.
        names: New names of joints by old ones; others stay.
    """
    if old is new:
        return tuple(layers)
    if old.dof_names == new.dof_names and old.compounds == new.compounds:
        return tuple(replace(layer, keys=Keys(new, layer.keys)) for layer in layers)
    there = _channel_map(old, new, names)
    return tuple(made for layer in layers if (made := _carried(layer, there, new)) is not None)


def _channel_map(old: Skeleton, new: Skeleton, names: Mapping[str, str]) -> ChannelMap:
    columns = [0, 1, 2] + [-1] * (new.nq - 3)
    for joint, name in enumerate(old.joint_names):
        name = names.get(name, name)
        if name not in new.joint_names:
            continue
        other = new.joint_index(name)
        own = range(old.first_dof[joint], old.first_dof[joint + 1])
        its = range(new.first_dof[other], new.first_dof[other + 1])
        if len(own) == len(its):
            for a, b in zip(own, its, strict=True):
                columns[3 + b] = 3 + a
    return ChannelMap.of(channels_of(old), channels_of(new), columns)


def _carried(layer: Layer, there: ChannelMap, new: Skeleton) -> Layer | None:
    mask = layer.mask
    if mask is not None:
        rows = zip(there.new.names, there.sources, strict=True)
        mask = frozenset(name for name, sources in rows if mask.intersection(sources))
        if not mask:
            return None
    return replace(layer, keys=Keys(new, there.keys(layer.keys)), mask=mask)
