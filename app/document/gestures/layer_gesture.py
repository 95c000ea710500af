"""Edits by hand of the keys of a layer, by what edits the keys of a sequence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from app.document.commands.base import Command
from app.document.edits import edits, layer_edits
from app.document.gestures.live_gesture import KeyGesture
from core.animation.layers.as_sequence import layer_sequence
from core.animation.layers.edits import place_of
from core.animation.sequence import Sequence

if TYPE_CHECKING:
    from app.document.base import DocumentBase


class LayerCurveGesture(KeyGesture):
    """A live edit of the keys of a layer; what makes others is given the layer's keys as a sequence of their own.

    See ``KeyGesture``, and ``core.animation.layers.as_sequence``. Of the values that are made only keys count.

    Args:
        document: The document, which has a figure.
        id: Id of the layer.
        text: What the undo step is called.

    Raises:
        SequenceError: If there is no such layer.
    """

    def __init__(self, document: DocumentBase, id: str, text: str):
        _, sequence = edits.need_figure(document.model)
        place = place_of(sequence.layers, id)
        super().__init__(document, f"{text} of layer {sequence.layers[place].name}")
        self._id = id
        self.before = sequence.layers[place].keys

    def set_values(self, make: Callable[[Sequence], Mapping[str, Any]]) -> bool:
        def commands() -> list[Command]:
            _, sequence = edits.need_figure(self.document.model)
            layer = sequence.layers[place_of(sequence.layers, self._id)]
            values = make(layer_sequence(layer, sequence.fps))
            if "keys" not in values:
                return []
            made = layer_edits.with_values(layer, {"keys": layer.keys.checked(values["keys"])})
            return layer_edits.layer_changes(self.document.model, layer_edits.replaced(sequence.layers, made))

        return self._show(commands)
