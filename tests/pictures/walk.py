"""Walks by rules: their settings, the ground, and footprints."""

from __future__ import annotations

from app.window.main_window import MainWindow
from tests.pictures.driving import State, settle_here


def settings(window: MainWindow) -> None:
    """The settings of a walk that was made."""
    window.action_table["walk"].trigger()
    assert window.walk.popover is not None
    window.walk.popover.make_button.click()
    window.area.frame_all()
    window.document.set_frame(40)
    settle_here(window, 0.5)


def before(window: MainWindow) -> None:
    """The settings over a sequence with keys, which is no walk yet."""
    window.action_table["walk"].trigger()
    settle_here(window, 0.3)


STATES: tuple[State, ...] = (
    ("walk_settings", settings, "dark", (1600, 1000)),
    ("walk_before_light_small", before, "light", (1024, 680)),
)
