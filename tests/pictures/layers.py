"""Pictures of lanes above and under the tracks: layers, keys that are edited together, the shot's camera."""

from __future__ import annotations

from app.document.content.key_selection import KeySelection
from app.window.main_window import MainWindow
from tests.pictures.driving import State, settle_here


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


def keys_together(window: MainWindow) -> None:
    """All keys selected, so that the next edit is made to all of them."""
    document = window.document
    frames = [key.frame for key in document.sequence.keys]
    document.session.keys.selected = KeySelection(dict.fromkeys(frames, None), document.sequence.channels.all)
    settle_here(window, 0.3)


def reshape(window: MainWindow) -> None:
    """What can be done with the selected keys, over the button that says how many there are."""
    keys_together(window)
    settle_here(window, 0.2)
    window.timeline.transport.target.click()


STATES: tuple[State, ...] = (
    ("layers", lanes, "dark", (1600, 1000)),
    ("layers_light", lanes, "light", (1024, 680)),
    ("keys_together", keys_together, "light", (1600, 1000)),
    ("keys_together_dark", keys_together, "dark", (1024, 680)),
    ("reshape", reshape, "dark", (1600, 1000)),
    ("reshape_light", reshape, "light", (1024, 680)),
)
