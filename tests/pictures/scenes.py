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


def by_hakenberg(window: MainWindow) -> None:
    """Three bodies by the method of their paper, chosen in the Physics panel."""
    from app.panels.physics.panel import PhysicsPanel

    document = window.document
    assert document.files.open(bundled_folder() / "scenes" / "three bodies.seq")
    document.session.mode = "physics"
    panel = next(each for each in window.panels if isinstance(each, PhysicsPanel))
    panel.method.method.picked.emit("hakenberg")
    panel.method.integrator.picked.emit("hakenberg")
    document.set_frame(0)
    document.physics.start()
    wait_for(1.5, window)
    document.physics.pause()


STATES: tuple[State, ...] = (
    ("scene_ragdoll", scene("ragdoll", 0.8), "dark", (1600, 1000)),
    ("scene_marionette", scene("marionette", 1.2), "light", (1600, 1000)),
    ("scene_swing", scene("swing", 0.9), "dark", (1600, 1000)),
    ("scene_three_bodies", scene("three bodies", 1.0), "dark", (1600, 1000)),
    ("scene_three_bodies_light", scene("three bodies", 1.0), "light", (1600, 1000)),
    ("scene_three_bodies_hakenberg", by_hakenberg, "dark", (1600, 1000)),
    ("scene_three_bodies_hakenberg_light", by_hakenberg, "light", (1600, 1000)),
    ("scene_stairs", scene("stairs", 1.3), "light", (1600, 1000)),
    ("scene_chain", scene("chain", 3.4), "dark", (1024, 680)),
)
