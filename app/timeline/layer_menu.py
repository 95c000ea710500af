"""What the menu of a layer's lane offers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from app.document.document import Document
from app.widgets.frames.menu import Item
from core.animation.layers.layer import Layer


def menu_items(
    document: Document, layer: Layer | None, frame: int | None, rename: Callable[[str], object], actions: list[Item]
) -> list[Item]:
    """Return what the menu of a lane offers.

    Args:
        document: The document.
        layer: The layer; None for the lane of the keys.
        frame: Frame of the key under the mouse, or None.
        rename: Lets the person type another name of a layer, by its id.
        actions: What is offered for selected keys.
    """
    layers = document.layers
    whole: list[Item] = [
        ("Add layer", layers.add, "plus"),
        ("Flatten all layers", layers.flatten, ""),
        ("Flatten, a key at every frame", partial(layers.flatten, True), ""),
    ]
    if layer is None:
        return whole

    def setting(**values: Any) -> Callable[[], object]:
        return partial(layers.set, layer.id, **values)

    here = document.frame
    place = layers.all.index(layer)
    selected = selected_channels(document)
    keyed = tuple(sorted({**dict(layer.weights), here: layer.weight_at(here)}.items()))
    own: list[Item] = [*actions, None] if actions else []
    own += [
        ("Rename", partial(rename, layer.id), "pencil"),
        ("Duplicate", partial(layers.duplicate, layer.id), "copy"),
    ]
    if place + 1 < len(layers.all):
        own.append(("Move up", partial(layers.reorder, layer.id, place + 1), ""))
    if place:
        own.append(("Move down", partial(layers.reorder, layer.id, place - 1), ""))
    own += [
        None,
        (f"Set key at frame {here}", partial(layers.set_key, layer.id), "key"),
        (f"Set zero key at frame {here}", partial(layers.set_key, layer.id, zero=True), ""),
    ]
    if frame is not None and not actions:
        own.append((f"Delete key at frame {frame}", partial(layers.delete_keys, layer.id, [frame]), "trash"))
    own.append((f"Key weight at frame {here}", setting(weights=keyed), ""))
    if layer.weights:
        own.append(("Weight without keys", setting(weights=(), weight=layer.weight_at(here)), ""))
    own.append(None)
    if selected:
        own.append(("Move only the selected parts", setting(mask=selected), ""))
    if layer.mask is not None:
        own.append(("Move all parts", setting(mask=None), ""))
    own += [
        ("Merge down", partial(layers.merge_down, layer.id), ""),
        ("Merge down, a key at every frame", partial(layers.merge_down, layer.id, True), ""),
        ("Delete layer", partial(layers.remove, layer.id), "trash"),
        None,
    ]
    return own + whole


def selected_channels(document: Document) -> frozenset[str]:
    """Return the channels of the selected parts."""
    joints = document.selection.joints
    if document.sequence is None or not joints:
        return frozenset()
    return frozenset(document.sequence.channels.of_joints(joints, place=True))
