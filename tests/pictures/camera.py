"""Pictures of the shot's camera."""

from __future__ import annotations

from app.window.main_window import MainWindow
from tests.pictures.driving import settle_here


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
