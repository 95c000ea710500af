"""Pictures of the shot's camera."""

from __future__ import annotations

from app.window.main_window import MainWindow
from tests.pictures.driving import State, settle_here


def through(window: MainWindow) -> None:
    """Look through a camera with two keys, with the safe frame."""
    actions, document = window.action_table, window.document
    window.area.show_view("perspective")
    document.set_frame(0)
    actions["key_camera"].trigger()
    window.area.host.cameras["perspective"].orbit(90.0, 20.0)
    document.set_frame(20)
    actions["key_camera"].trigger()
    document.set_frame(0)
    actions["through_camera"].trigger()
    actions["show_safe_frame"].trigger()
    document.set_frame(11)
    settle_here(window, 1.0)


def lights(window: MainWindow) -> None:
    """The board of the main light, which comes from the side and low."""
    window.area.show_view("perspective")
    window.action_table["lights_side"].trigger()
    window.action_table["show_studio"].trigger()
    window.document.session.view.key_light = (60.0, 25.0, 1.4)
    settle_here(window, 0.6)
    window.action_table["light_settings"].trigger()


STATES: tuple[State, ...] = (
    ("lights", lights, "dark", (1600, 1000)),
    ("lights_light", lights, "light", (1024, 680)),
)
