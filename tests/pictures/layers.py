"""Pictures of lanes above and under the tracks: layers, keys that are edited together, the shot's camera."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.document.content.key_selection import KeySelection
from app.timeline.layer_lanes import TRACK
from app.window.main_window import MainWindow
from tests.pictures.driving import LEFT, State, settle_here
from tests.support.mouse import move


def lanes(window: MainWindow) -> None:
    """Three layers, one muted, one weighed, the last active with a key; a camera with two keys."""
    document, actions = window.document, window.action_table
    for name, values in (("Head down", {"muted": True}), ("Right arm wider", {"weight": 0.6}), ("Hips lower", {})):
        made = document.layers.add(name)
        assert made is not None
        if values:
            document.layers.set(made, **values)
    document.set_frame(8)
    q = document.pose.copy()
    q[1] -= 0.05
    document.posing.set(q, "Lower")
    for frame in (0, 20):
        document.set_frame(frame)
        actions["key_camera"].trigger()
    document.set_frame(8)
    settle_here(window, 0.5)


def layer_keys(window: MainWindow) -> None:
    """Keys of two layers selected by a box that is still being drawn; names with lines of their own."""
    lanes(window)
    document, band = window.document, window.timeline.layers
    for layer in document.layers.all[1:]:
        document.layers.activate(layer.id)
        document.layers.set(layer.id, weight=0.6)
        for frame in (4, 14, 22, 30):
            document.layers.set_key(layer.id, frame)
    settle_here(window, 0.2)
    start = QPointF(band.track_x(11.0), band.part_rect(0, TRACK).top() + 3)
    end = QPointF(band.track_x(24.5), band.part_rect(1, TRACK).bottom() - 4)
    QTest.mousePress(band, LEFT, Qt.KeyboardModifier.NoModifier, start.toPoint())
    move(band, end)
    settle_here(window, 0.2)


def layer_curves(window: MainWindow) -> None:
    """Curves of the offsets of a layer, two keys of a handle selected."""
    layer_keys(window)
    band = window.timeline.layers
    QTest.keyClick(band, Qt.Key.Key_Escape)
    document = window.document
    layer = document.layers.add("Right arm wider in the second half")
    assert layer is not None
    document.selection.set(["right upper arm"])
    channels = document.sequence.channels
    for frame, by in ((0, 0.0), (12, 0.3), (24, -0.2), (32, 0.0)):
        document.set_frame(frame)
        q = document.pose.copy()
        q[channels.columns[channels.index("right upper arm")]] += (by, by / 2, -by)
        document.layers.set_key(layer, frame)
        if by:
            document.posing.set(q, "Wider")
    document.set_frame(18)
    window.timeline.show_tab("curves")
    settle_here(window, 0.2)
    model = window.timeline.curves.model
    model.select({model.editable[0].id: np.array([12, 24])})
    settle_here(window, 0.3)


def keys_together(window: MainWindow) -> None:
    """All keys selected, so that the next edit is made to all of them."""
    document = window.document
    frames = [key.frame for key in document.sequence.keys]
    document.session.keys.selected = KeySelection(dict.fromkeys(frames, None), document.sequence.channels.all)
    settle_here(window, 0.3)


def falloff(window: MainWindow) -> None:
    """Two keys selected, and how far those around them follow, on the ruler."""
    document = window.document
    frames = [key.frame for key in document.sequence.keys][3:5]
    document.session.keys.selected = KeySelection(dict.fromkeys(frames, None), document.sequence.channels.all)
    document.session.keys.falloff = 12
    document.set_frame(frames[0])
    settle_here(window, 0.3)


def reshape(window: MainWindow) -> None:
    """What can be done with the selected keys, over the button that says how many there are."""
    keys_together(window)
    settle_here(window, 0.2)
    window.timeline.transport.target.click()


STATES: tuple[State, ...] = (
    ("layers", lanes, "dark", (1600, 1000)),
    ("layers_light", lanes, "light", (1024, 680)),
    ("layer_keys", layer_keys, "dark", (1600, 1000)),
    ("layer_keys_light", layer_keys, "light", (1024, 680)),
    ("layer_curves", layer_curves, "dark", (1600, 1000)),
    ("layer_curves_light", layer_curves, "light", (1024, 680)),
    ("keys_together", keys_together, "light", (1600, 1000)),
    ("keys_together_dark", keys_together, "dark", (1024, 680)),
    ("falloff", falloff, "dark", (1600, 1000)),
    ("falloff_light", falloff, "light", (1024, 680)),
    ("reshape", reshape, "dark", (1600, 1000)),
    ("reshape_light", reshape, "light", (1024, 680)),
)
