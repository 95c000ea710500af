"""The part of a document that edits layers: each method is one undo step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from app.document.base import DocumentBase
from app.document.commands.base import Command
from app.document.content.key_selection import NOTHING
from app.document.edits import edits, layer_edits
from app.document.gestures.layer_gesture import LayerCurveGesture
from app.document.gestures.live_gesture import LiveGesture
from app.document.keys import clipboard
from core.animation import editing
from core.animation.clip import Clip
from core.animation.key_parts import Parts, held
from core.animation.layers.edits import TOLERANCE, free_name, new_layer, place_of
from core.animation.layers.layer import Layer, Layers
from core.animation.locks.strip import new_id
from core.errors import SequenceError

LayerKey = tuple[str, int]
"""A key of a layer: the layer's id, and its frame."""


def _frames(layer: Layer) -> set[int]:
    """Return where a layer has keys, of its weight too."""
    return {*layer.keys.frames, *(frame for frame, _ in layer.weights)}


class LayerGesture(LiveGesture):
    """A live edit of one layer's values. See ``LiveGesture``."""

    def __init__(self, document: DocumentBase, id: str, text: str):
        super().__init__(document, text)
        self._id = id

    def set(self, **values: Any) -> bool:
        """Show the layer with other values, by the names of its attributes; return whether that is possible."""

        def make() -> list[Command]:
            _, sequence = edits.need_figure(self.document.model)
            layer = sequence.layers[place_of(sequence.layers, self._id)]
            made = layer_edits.replaced(sequence.layers, layer_edits.with_values(layer, values))
            return layer_edits.layer_changes(self.document.model, made)

        return self._show(make)

    def move_keys(self, mapping: Mapping[int, int]) -> bool:
        """Show keys of the layer moved from old frames to new ones; return whether that is possible."""

        def make() -> list[Command]:
            _, sequence = edits.need_figure(self.document.model)
            layer = sequence.layers[place_of(sequence.layers, self._id)]
            made = _moved(layer, mapping)
            return layer_edits.layer_changes(self.document.model, layer_edits.replaced(sequence.layers, made))

        return self._show(make)


class LayerKeysGesture(LiveGesture):
    """A live edit of keys of layers. See ``LiveGesture``."""

    def move(self, which: Iterable[LayerKey], by: int) -> bool:
        """Show keys moved by a number of frames; return whether that is possible."""
        return self._show(lambda: _keys_moved(self.document, which, by))


class LayerEdits:
    """Edits of the layers of the sequence that is shown. Each returns whether it was possible.

    The active layer, ``Session.keys.layer``, is what edits of the pose go to; it is no part of the document.
    """

    def __init__(self, document: DocumentBase):
        self._document = document

    @property
    def all(self) -> Layers:
        """The layers, those that act first first; () without a figure."""
        sequence = self._document.model.sequence
        return () if sequence is None else sequence.layers

    @property
    def active(self) -> Layer | None:
        """The layer that edits of the pose go to; None for the keys."""
        return layer_edits.active_layer(self._document.model, self._document.session)

    def get(self, id: str) -> Layer | None:
        """Return the layer with an id, or None."""
        return next((layer for layer in self.all if layer.id == id), None)

    def activate(self, id: str | None) -> None:
        """Let edits of the pose go to a layer, or with None to the keys. Not an edit."""
        self._document.end_gesture()
        self._document.session.keys.layer = id

    def begin_gesture(self, id: str, text: str) -> LayerGesture:
        """Begin a live edit of a layer: ``set`` as often as it changes, then ``commit`` or ``cancel``."""
        return LayerGesture(self._document, id, text)

    def _do(self, text: str, make: Callable[[Layers], Iterable[Layer]], gesture: int | None = None) -> bool:
        def commands() -> list[Command]:
            _, sequence = edits.need_figure(self._document.model)
            return layer_edits.layer_changes(self._document.model, make(sequence.layers))

        return self._document.do(text, commands, gesture)

    def _change(self, id: str, text: str, make: Callable[[Layer], Layer], gesture: int | None = None) -> bool:
        def changed(layers: Layers) -> Layers:
            return layer_edits.replaced(layers, make(layers[place_of(layers, id)]))

        return self._do(text, changed, gesture)

    # -- layers ------------------------------------------------------------------------------------------------------

    def add(self, name: str | None = None) -> str | None:
        """Add a layer on top and make it active; return its id, or None if that is not possible."""
        skeleton = self._document.model.skeleton
        if skeleton is None:
            self._document.say("info", "Open a figure first, then add a layer")
            return None
        made = new_layer(skeleton, name or free_name(self.all))
        if not self._do("Add layer", lambda layers: (*layers, made)):
            return None
        self.activate(made.id)
        return made.id

    def remove(self, id: str) -> bool:
        """Take a layer away with its keys."""
        layer = self.get(id)
        name = "" if layer is None else f" {layer.name}"
        return self._do(f"Delete layer{name}", lambda layers: _without(layers, place_of(layers, id)))

    def rename(self, id: str, name: str) -> bool:
        """Give a layer another name."""
        return self.set(id, "Rename layer", name=name.strip())

    def set(self, id: str, text: str = "", gesture: int | None = None, **values: Any) -> bool:
        """Set values of a layer, by the names of its attributes.

        Args:
            id: Id of the layer.
            text: Name of the step.
            gesture: From ``gesture_id``: calls in a row with the same number are one step.
            values: The values.
        """
        return self._change(id, text or _text(values), lambda layer: layer_edits.with_values(layer, values), gesture)

    def duplicate(self, id: str) -> bool:
        """Put a copy of a layer above it."""

        def make(layers: Layers) -> Layers:
            place = place_of(layers, id)
            copy = replace(layers[place], id=new_id(), name=free_name(layers, layers[place].name))
            return (*layers[: place + 1], copy, *layers[place + 1 :])

        return self._do("Duplicate layer", make)

    def reorder(self, id: str, place: int) -> bool:
        """Move a layer to a place, 0 for the one right above the keys."""

        def make(layers: Layers) -> Layers:
            layer = layers[place_of(layers, id)]
            rest = [each for each in layers if each is not layer]
            rest.insert(min(max(place, 0), len(rest)), layer)
            return tuple(rest)

        return self._do("Reorder layers", make)

    def merge_down(self, id: str, dense: bool = False) -> bool:
        """Merge a layer into the one under it, the lowest into the keys.

        Args:
            id: Id of the layer.
            dense: Whether there is a key at every frame then; else only where they are needed.
        """
        layers = self._layers()
        at = next((k for k, each in enumerate(layers) if each.id == id), 0)
        before = self._key_frames(at - 1)
        own = frozenset(frame for each in layers[at : at + 1] for frame in _frames(each))
        done = self._document.do("Merge layer down", lambda: layer_edits.merged(self._document.model, id, dense))
        if done:
            self._say_added("Layer merged", self._key_frames(at - 1) - before, own, dense)
        return done

    def flatten(self, dense: bool = False) -> bool:
        """Merge all layers that act into the keys; those that are muted are gone as well."""
        own = frozenset(frame for each in self._layers() for frame in _frames(each))
        before = self._key_frames(-1)
        done = self._document.do("Flatten layers", lambda: layer_edits.flattened(self._document.model, dense))
        if done:
            self._say_added("Layers flattened", self._key_frames(-1) - before, own, dense)
        return done

    def _layers(self) -> tuple[Layer, ...]:
        sequence = self._document.model.sequence
        return () if sequence is None else sequence.layers

    def _key_frames(self, place: int) -> frozenset[int]:
        """Return the frames of keys of a layer, of the sequence itself for -1."""
        sequence = self._document.model.sequence
        if sequence is None:
            return frozenset()
        return frozenset((sequence.keys if place < 0 else sequence.layers[place].keys).frames)

    def _say_added(self, what: str, added: frozenset[int], own: frozenset[int], dense: bool) -> None:
        """Say how many keys merging has made, and what for."""
        more = len(added - own)
        text = f"{what}; no keys were needed between those that were there"
        if dense:
            text = f"{what}, a key at every frame: {len(added)} added"
        elif more:
            most = f"{np.degrees(TOLERANCE):.1f}° and {1e3 * TOLERANCE:.0f} mm"
            text = f"{what}; {more} key{'s' * (more != 1)} added between, to stay within {most} of what it was"
        self._document.say("info", text)

    # -- keys --------------------------------------------------------------------------------------------------------

    def set_key(
        self, id: str, frame: int | None = None, names: Iterable[str] | None = None, zero: bool = False
    ) -> bool:
        """Key a layer at a frame.

        Args:
            id: Id of the layer.
            frame: The frame; None for the current one.
            names: Channels that are keyed; None for all that it may move.
            zero: Whether it adds nothing there; else it is keyed as it is.
        """
        at = self._document.model.frame if frame is None else frame

        def make() -> list[Command]:
            _, sequence = edits.need_figure(self._document.model)
            layer = sequence.layers[place_of(sequence.layers, id)]
            return layer_edits.key_here(self._document.model, layer, at, names, zero)

        return self._document.do(f"Set {'zero ' if zero else ''}key of layer at frame {at}", make)

    def delete_keys(self, id: str, frames: Iterable[int]) -> bool:
        """Delete keys of a layer at frames."""
        gone = frozenset(frames)
        return self._change(id, f"Delete {_counted(len(gone))} of layer", lambda layer: _without_keys(layer, gone))

    def move_keys(self, id: str, mapping: Mapping[int, int]) -> bool:
        """Move keys of a layer from old frames to new ones; a collision is refused."""
        text = "Move key of layer" if len(mapping) == 1 else f"Move {len(mapping)} keys of layer"
        return self._change(id, text, lambda layer: _moved(layer, mapping))

    def edit_curves(self, id: str, text: str) -> LayerCurveGesture:
        """Begin an edit by hand of the keys of a layer, by what edits those of a sequence."""
        return LayerCurveGesture(self._document, id, text)

    # -- selected keys -----------------------------------------------------------------------------------------------

    @property
    def selected(self) -> frozenset[LayerKey]:
        """The keys of layers that are selected and there; none while keys of poses are selected."""
        session = self._document.session
        chosen = frozenset() if session.keys.selected else session.keys.layer_keys
        frames = {layer.id: layer.keys.frames for layer in self.all} if chosen else {}
        return frozenset((id, frame) for id, frame in chosen if frame in frames.get(id, ()))

    def select(self, which: Iterable[LayerKey]) -> None:
        """Select keys of layers, and with any no others. Not an edit."""
        chosen = frozenset(which)
        if chosen:
            self._document.session.keys.selected = NOTHING
        self._document.session.keys.layer_keys = chosen

    def begin_moving(self, which: Iterable[LayerKey]) -> LayerKeysGesture:
        """Begin to move keys of layers by hand: ``move`` as often as they do, then ``commit`` or ``cancel``."""
        return LayerKeysGesture(self._document, f"Move {_counted(len(frozenset(which)))} of layer")

    def shift(self, which: Iterable[LayerKey], by: int) -> bool:
        """Move keys of layers by a number of frames; a collision is refused."""
        chosen = frozenset(which)
        text = f"Move {_counted(len(chosen))} of layer"
        done = self._document.do(text, lambda: _keys_moved(self._document, chosen, by))
        if done:
            self.select((id, frame + by) for id, frame in chosen)
        return done

    def delete_selected(self, text: str = "Delete") -> bool:
        """Delete the selected keys of layers."""
        chosen = self.selected

        def make(layers: Layers) -> Layers:
            return tuple(_without_keys(layer, _frames_of(chosen, layer.id)) for layer in layers)

        return bool(chosen) and self._do(f"{text} {_counted(len(chosen))} of layer", make)

    def clip(self) -> Clip | None:
        """Return the selected keys, which are of one layer; None, and says why, if they are of several."""
        chosen, skeleton = self.selected, self._document.model.skeleton
        ids = {id for id, _ in chosen}
        if len(ids) != 1 or skeleton is None:
            if ids:
                self._document.say("info", "Keys of one layer are copied at a time; select those of one")
            return None
        layer = self.get(ids.pop())
        assert layer is not None
        frames = _frames_of(chosen, layer.id)
        clip = Clip.of(layer.keys, frames[0], frames[-1], skeleton, parts=dict.fromkeys(frames))
        return replace(clip, offsets=True)

    def copy(self) -> Clip | None:
        """Copy the selected keys to the clipboard and return them; not an edit."""
        clip, skeleton = self.clip(), self._document.model.skeleton
        if clip is not None and skeleton is not None:
            clipboard.put(clip, skeleton)
        return clip

    def cut(self) -> bool:
        """Copy the selected keys to the clipboard and delete them."""
        return self.copy() is not None and self.delete_selected("Cut")

    def paste(self, clip: Clip, frame: int | None = None, flipped: bool = False, make_room: bool = False) -> bool:
        """Put keys of a layer on the active layer and select them; those that are there make room or are replaced.

        Args:
            clip: The keys.
            frame: Where the first goes; None for the current frame.
            flipped: Whether left and right change sides.
            make_room: Whether keys there move on first, else those of the same channels are replaced.
        """
        at = self._document.model.frame if frame is None else frame
        active = self.active
        if active is None:
            self._document.say("info", "These are keys of a layer; click the name of the layer that is to have them")
            return False
        put: list[int] = []

        def make(layer: Layer) -> Layer:
            skeleton = layer.skeleton
            fitted = clip.fitted(skeleton)
            fitted = fitted.flipped(skeleton) if flipped else fitted
            fitted = layer_edits.within_mask(layer, fitted)
            keys, channels = layer.keys, layer.keys.channels
            if not make_room:
                met = ((keys.at(at + key.frame), key.keyed) for key in fitted.keys)
                gone = {key.frame: names for key, names in met if key is not None and held(key, channels, names)}
                keys = layer.keys.checked(editing.removed(keys, gone, channels))
            put[:] = [at + key.frame for key in fitted.keys]
            return layer.with_keys(editing.inserted(keys, at, fitted, channels, make_room))

        done = self._change(active.id, f"Paste {_counted(len(clip.keys))} on layer {active.name}", make)
        if done:
            self.select((active.id, frame) for frame in put)
        return done


def _counted(count: int) -> str:
    return "key" if count == 1 else f"{count} keys"


def _frames_of(which: Iterable[LayerKey], id: str) -> list[int]:
    return sorted(frame for own, frame in which if own == id)


def _without_keys(layer: Layer, frames: Iterable[int]) -> Layer:
    parts: Parts = dict.fromkeys(frames)
    return layer.with_keys(editing.removed(layer.keys, parts, layer.keys.channels)) if parts else layer


def _keys_moved(document: DocumentBase, which: Iterable[LayerKey], by: int) -> list[Command]:
    """Return what moves keys of layers by a number of frames."""
    _, sequence = edits.need_figure(document.model)
    chosen = frozenset(which)
    if any(frame + by < 0 for _, frame in chosen):
        raise SequenceError("keys cannot go before frame 0")
    made = []
    for layer in sequence.layers:
        mapping = {frame: frame + by for frame in _frames_of(chosen, layer.id)}
        made.append(_moved(layer, mapping) if mapping and by else layer)
    return layer_edits.layer_changes(document.model, made)


def _moved(layer: Layer, mapping: Mapping[int, int]) -> Layer:
    channels = layer.keys.channels
    return layer.with_keys(editing.moved(layer.keys, mapping, channels, dict.fromkeys(mapping), "moving"))


def _without(layers: Layers, place: int) -> Layers:
    return (*layers[:place], *layers[place + 1 :])


_TEXTS = {"weight": "Set weight of layer", "weights": "Key weight of layer", "mask": "Set parts of layer"}


def _text(values: Mapping[str, Any]) -> str:
    """Return what the history calls a change of a layer's values."""
    for name, on, off in (("muted", "Mute layer", "Let layer act"), ("solo", "Solo layer", "End solo of layer")):
        if name in values:
            return on if values[name] else off
    return next((_TEXTS[name] for name in values if name in _TEXTS), "Change layer")
