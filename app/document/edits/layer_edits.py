"""From what a person wants with layers to the commands that do it; everything is checked here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.document.commands.base import Command
from app.document.commands.layer_commands import SetLayers
from app.document.edits.edits import key_changes, need_figure
from core.animation.key_parts import part_of
from core.animation.layers import edits as layer_edits
from core.animation.layers.layer import Layer, Layers, checked_layers
from core.animation.layers.motion import acting
from core.errors import SequenceError

if TYPE_CHECKING:
    from app.document.base import DocumentBase
    from app.document.content.model import Model
    from app.document.session import Session
    from core.animation.clip import Clip
    from core.arrays import Array

EDITS = "Edits"
"""Name of the layer that edits of what rules make go to."""

_NO_WEIGHT = 1e-3


def layer_changes(model: Model, layers: Iterable[Layer]) -> list[Command]:
    """Return the command that makes ``layers`` the active sequence's; none if they are so already.

    Raises:
        SequenceError: If one is not of the figure, or two have one id.
    """
    skeleton, sequence = need_figure(model)
    before, after = sequence.layers, checked_layers(layers, skeleton, f'sequence "{sequence.name}"')
    if len(before) == len(after) and all(a is b for a, b in zip(before, after, strict=True)):
        return []
    return [SetLayers(model.sequence_index, before, after)]


def active_layer(model: Model, session: Session) -> Layer | None:
    """Return the layer that edits of the pose go to; None for the keys."""
    sequence, id = model.sequence, session.keys.layer
    if sequence is None or id is None:
        return None
    return next((layer for layer in sequence.layers if layer.id == id), None)


def pose_layer(model: Model, session: Session) -> Layer | None:
    """Return the layer that an edit of the pose goes to; None for the keys.

    What rules make would take an edit of its keys away when it is made anew: without an active layer such an edit goes
    to the topmost layer that is seen, or to a new one, which is not among the sequence's before something is on it.
    """
    chosen, sequence = active_layer(model, session), model.sequence
    if chosen is not None or sequence is None or sequence.gait is None:
        return chosen
    seen = acting(sequence.layers) or tuple(layer for layer in sequence.layers if not layer.muted)
    return seen[-1] if seen else layer_edits.new_layer(sequence.skeleton, layer_edits.free_name(sequence.layers, EDITS))


def show_taken(document: DocumentBase, layer: Layer) -> None:
    """Make a layer that has taken an edit of the pose the active one if it is not, and say so."""
    if document.session.keys.layer != layer.id:
        document.session.keys.layer = layer.id
        document.say("info", f'On layer "{layer.name}", so that it stays when the walk is made anew')


def replaced(layers: Layers, layer: Layer) -> Layers:
    """Return layers with another one in the place of the one with its id; a new one comes on top."""
    if all(each.id != layer.id for each in layers):
        return (*layers, layer)
    return tuple(layer if each.id == layer.id else each for each in layers)


def posed(model: Model, layer: Layer, frame: int, start: Array, pose: Array) -> list[Command]:
    """Return what gives a layer the difference between a pose and what is there without it.

    Args:
        model: The document's content, as it was before the edit.
        layer: The layer.
        frame: The frame.
        start: The pose that is seen there, shape (nq,).
        pose: The pose that is to be seen.

    Raises:
        SequenceError: If the layer is not seen there, or does not move what has changed.
    """
    _, sequence = need_figure(model)
    channels = sequence.channels
    changed = frozenset(channels.names[i] for i in np.unique(channels.of_value[start != pose]).tolist())
    if not changed:
        return []
    _check_seen(sequence.layers, layer, frame)
    below = sequence.base_at_frames([frame])[0]
    offset = sequence.layered.offset_for(layer, frame, below, pose)
    own = sequence.layered.offset_of(layer, frame)
    made = layer_edits.keyed(layer, frame, np.where(channels.mask(changed), offset, own), changed)
    return layer_changes(model, replaced(sequence.layers, made))


def _check_seen(layers: Layers, layer: Layer, frame: int) -> None:
    """Raise ``SequenceError`` if what is done to a layer could not be seen."""
    if layer.muted:
        raise SequenceError(f'layer "{layer.name}" is muted; let it act before you pose on it')
    if not layer.solo and any(each.solo and not each.muted for each in layers):
        raise SequenceError(f'another layer than "{layer.name}" is solo; end that before you pose on it')
    if layer.weight_at(frame) < _NO_WEIGHT:
        raise SequenceError(f'layer "{layer.name}" has no weight at frame {frame}; give it some before you pose on it')


def key_here(model: Model, layer: Layer, frame: int, names: Iterable[str] | None, zero: bool) -> list[Command]:
    """Return what keys a layer at a frame: the offset that it has there, or none.

    Args:
        model: The document's content.
        layer: The layer.
        frame: The frame.
        names: Channels that are keyed; None for all that it may move.
        zero: Whether the offset is zero.
    """
    skeleton, sequence = need_figure(model)
    chosen = (layer.mask or sequence.channels.all) if names is None else names
    offset = np.zeros(skeleton.nq) if zero else sequence.layered.offset_of(layer, frame)
    return layer_changes(model, replaced(sequence.layers, layer_edits.keyed(layer, frame, offset, chosen)))


def merged(model: Model, id: str, dense: bool) -> list[Command]:
    """Return what merges a layer into what is under it."""
    _, sequence = need_figure(model)
    keys, layers = layer_edits.merged_down(sequence, id, dense=dense)
    return [*layer_changes(model, layers), *key_changes(model, keys)]


def flattened(model: Model, dense: bool) -> list[Command]:
    """Return what merges all layers that act into the keys, and takes all layers away."""
    _, sequence = need_figure(model)
    keys = layer_edits.flattened(sequence, dense=dense) if acting(sequence.layers) else sequence.keys
    return [*layer_changes(model, ()), *key_changes(model, keys)]


def within_mask(layer: Layer, clip: Clip) -> Clip:
    """Return copied keys of a layer without what another layer does not move.

    Raises:
        SequenceError: If nothing of them is left.
    """
    if layer.mask is None:
        return clip
    channels = layer.keys.channels
    keys = tuple(made for key in clip.keys if (made := part_of(key, channels, layer.mask)) is not None)
    if not keys:
        raise SequenceError(f'layer "{layer.name}" moves none of the parts of these keys')
    return replace(clip, keys=keys)


def with_values(layer: Layer, values: Mapping[str, Any]) -> Layer:
    """Return a layer with other values, by the names of its attributes; itself if nothing changes.

    Raises:
        SequenceError: If one is not valid.
    """
    made = replace(layer, **values)
    return layer if made == layer else made
