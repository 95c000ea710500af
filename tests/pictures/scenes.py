"""The scenes of physics that come with the program, some way into what happens."""

from __future__ import annotations

from collections.abc import Callable

from app.window.main_window import MainWindow
from core.formats.bundled import bundled_folder
from tests.pictures.driving import State
from tests.pictures.physics import wait_for


def scene(name: str, seconds: float) -> Callable[[MainWindow], None]:
    """Return what opens a scene and lets so much of it happen."""

    def shown(window: MainWindow) -> None:
        document = window.document
        assert document.files.open(bundled_folder() / "scenes" / f"{name}.seq")
        document.session.mode = "physics"
        document.set_frame(0)
        document.physics.start()
        wait_for(seconds, window)
        document.physics.pause()

    return shown


STATES: tuple[State, ...] = (
    ("scene_ragdoll", scene("ragdoll", 0.8), "dark", (1600, 1000)),
    ("scene_marionette", scene("marionette", 1.2), "light", (1600, 1000)),
    ("scene_swing", scene("swing", 0.9), "dark", (1600, 1000)),
    ("scene_tumbling", scene("tumbling", 1.5), "dark", (1600, 1000)),
    ("scene_stairs", scene("stairs", 1.3), "light", (1600, 1000)),
    ("scene_chain", scene("chain", 3.4), "dark", (1024, 680)),
)
