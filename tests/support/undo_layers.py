"""Random edits of layers, and of many keys at once, for the test of undo and redo."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from app.document.content.key_selection import NOTHING
from app.document.edits.key_edits import shaped
from app.document.gestures.pose_gesture import Gesture
from core.animation.reshaping import columns_of, reshaped

if TYPE_CHECKING:
    import numpy as np

    from app.document import Document
    from app.document.content.key_selection import KeySelection


class LayerActions:
    """Actions on layers; what is not possible is tried too."""

    document: Document
    random: Random

    if TYPE_CHECKING:

        def frame(self) -> int: ...
        def frames(self) -> list[int]: ...
        def pose(self) -> np.ndarray: ...
        def channels(self) -> list[str]: ...
        def selected(self) -> KeySelection: ...
        def cancelled_or_not(self, gesture: object) -> None: ...

    def layer(self) -> str:
        """Id of a layer; one is made if there is none, and most times it is not muted."""
        layers = self.document.layers
        if not layers.all or (len(layers.all) < 4 and self.random.random() < 0.2):
            return layers.add() or ""
        return self.random.choice(layers.all).id

    def do_layer(self) -> None:
        layers, id = self.document.layers, self.layer()
        self.random.choice(
            [
                lambda: layers.remove(id),
                lambda: layers.rename(id, self.random.choice(["Limp", "Ünïcode „name“", ""])),
                lambda: layers.duplicate(id),
                lambda: layers.reorder(id, self.random.randint(0, 3)),
                lambda: layers.merge_down(id, self.random.random() < 0.3),
                lambda: layers.flatten(self.random.random() < 0.3),
            ]
        )()

    def do_layer_values(self) -> None:
        layers, id = self.document.layers, self.layer()
        values = self.random.choice(
            [
                {"weight": self.random.choice([0.0, -0.0, 1 / 3, 1.0, 7.0])},
                {"weights": tuple((self.frame(), self.random.random()) for _ in range(self.random.randint(0, 2)))},
                {"muted": self.random.random() < 0.3},
                {"solo": self.random.random() < 0.3},
                {"mask": self.random.choice([None, frozenset(self.channels()), frozenset({"tail"})])},
            ]
        )
        if self.random.random() < 0.5:
            layers.set(id, gesture=self.random.choice([None, self.document.gesture_id()]), **values)
            return
        gesture = layers.begin_gesture(id, "Set layer")
        for _ in range(2):
            gesture.set(**values)
        self.cancelled_or_not(gesture)

    def do_layer_keys(self) -> None:
        layers, id = self.document.layers, self.layer()
        layer = layers.get(id)
        frames = layer.keys.frames if layer is not None else ()
        self.random.choice(
            [
                lambda: layers.set_key(id, self.frame(), zero=self.random.random() < 0.5),
                lambda: layers.set_key(id, self.frame(), self.channels()),
                lambda: layers.delete_keys(id, self.random.sample(frames, min(len(frames), 1)) or [self.frame()]),
                lambda: layers.move_keys(id, {frame: self.frame() for frame in frames[:2]}),
            ]
        )()

    def do_selected_layer_keys(self) -> None:
        """Moves, copies, pastes and deletes keys of several layers that are selected together."""
        layers, random = self.document.layers, self.random
        self.layer()
        self.document.session.keys.selected = NOTHING
        every = [(layer.id, frame) for layer in layers.all for frame in layer.keys.frames]
        layers.select(random.sample(every, min(len(every), random.randint(0, 4))))
        layers.activate(random.choice([None, *(layer.id for layer in layers.all)]))
        what = random.randrange(4)
        if what == 0:
            layers.shift(layers.selected, random.randint(-9, 9))
        elif what == 1:
            gesture = layers.begin_moving(layers.selected)
            for _ in range(2):
                gesture.move(layers.selected, random.randint(-5, 9))
            self.cancelled_or_not(gesture)
        elif what == 2:
            layers.delete_selected()
        elif (clip := layers.clip()) is not None:
            layers.paste(clip, self.frame(), random.random() < 0.3, random.random() < 0.3)
        layers.activate(None)

    def do_layer_curves(self) -> None:
        """Edits keys of a layer as the curve editor does."""
        layer = self.document.layers.get(self.layer())
        if layer is None or not layer.keys:
            return
        parts = dict.fromkeys(self.random.sample(layer.keys.frames, 1))
        gesture = self.document.layers.edit_curves(layer.id, "Scale keys")
        gesture.set_values(lambda s: {"keys": shaped(s, parts, {"interp": "linear"})})
        amount = self.random.choice([0.0, 1.0, 2.5])
        gesture.set_values(
            lambda s: {"keys": reshaped(s, dict.fromkeys(s.keys.frames), columns_of(s, parts), "exaggerate", amount)}
        )
        self.cancelled_or_not(gesture)

    def do_pose_layer(self) -> None:
        """Poses on a layer, live or at once."""
        document, auto = self.document, self.document.session.keys.auto
        document.layers.activate(self.layer())
        document.session.keys.auto = True
        if self.random.random() < 0.5:
            document.posing.set(self.pose())
        else:
            gesture = Gesture(document, "Drag")
            for _ in range(2):
                gesture.set_pose(self.pose())
            self.cancelled_or_not(gesture)
        document.layers.activate(None)
        document.session.keys.auto = auto

    def do_many_keys(self) -> None:
        """Poses all selected keys at once."""
        document, keys = self.document, self.document.session.keys
        auto, keys.auto = keys.auto, True
        keys.selected, keys.falloff = self.selected(), self.random.choice([0, 0, 7])
        frames = [*keys.selected.frames, self.frame()]
        document.set_frame(self.random.choice(frames))
        if self.random.random() < 0.5:
            document.posing.set(self.pose())
        else:
            gesture = document.posing.begin_gesture("Drag")
            for _ in range(2):
                gesture.set_pose(self.pose())
            self.cancelled_or_not(gesture)
        keys.auto = auto
