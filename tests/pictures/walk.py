"""Walks by rules: their settings, the ground, and footprints."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.scene.pointing import view_point
from app.window.main_window import MainWindow
from core.terrain import Terrain
from tests.pictures.driving import LEFT, State, settle_here
from tests.support.grounds import hills, stairs
from tests.support.mouse import hover, move


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


def _walking(window: MainWindow, ground: Terrain, steps: int, frame: int, back: float) -> None:
    window.action_table["walk"].trigger()
    popover = window.walk.popover
    assert popover is not None
    popover.set_ground(ground)
    popover.make_button.click()
    while not popover.progress.isHidden():  # long ones are made beside the window
        settle_here(window, 0.1)
    rules = window.document.walks.rules
    assert rules is not None
    window.document.walks.set(rules._replace(manner=replace(rules.manner, steps=steps)))
    popover.hide()
    window.document.set_frame(frame)
    window.document.session.view.overlays["ghosts"] = False
    camera = window.area.work_view.camera
    camera.target = (0.0, 0.9, 2.2)
    camera.distance = back
    settle_here(window, 0.5)


def on_stairs(window: MainWindow) -> None:
    """Up a flight of stairs."""
    _walking(window, stairs(number=8), 12, 120, 7.0)


def on_hills(window: MainWindow) -> None:
    """Over hills."""
    _walking(window, hills(3), 12, 120, 7.0)


def footprint(window: MainWindow) -> None:
    """A footprint that is being dragged."""
    settings(window)
    assert window.walk.popover is not None
    window.walk.popover.hide()
    window.document.session.view.overlays["ghosts"] = False
    camera = window.area.work_view.camera
    camera.target, camera.distance, camera.pitch = (0.0, 0.6, 1.9), 6.6, 0.4
    window.area.work_view.invalidate()
    settle_here(window, 0.3)
    view, prints = window.area.work_view, window.area.host.scene.walk_prints
    start = view_point(view, prints.all[6].middle)
    hover(view, start)
    QTest.mousePress(view, LEFT, Qt.KeyboardModifier.NoModifier, start.toPoint())
    for k in range(1, 5):
        move(view, start + QPointF(3.0 * k, 12.0 * k))
    settle_here(window, 0.3)


def footprints_light(window: MainWindow) -> None:
    """Footprints on hills, in a small window."""
    on_hills(window)


def way(window: MainWindow) -> None:
    """A walk along a way that was drawn over hills."""
    _walking(window, hills(3), 12, 0, 9.0)
    document = window.document
    rules = document.walks.rules
    assert rules is not None
    path = ((0.0, 0.0), (0.8, 1.4), (0.2, 2.8), (-1.0, 3.6), (-1.4, 5.0))
    document.walks.set(rules._replace(manner=replace(rules.manner, path=path)))
    document.set_frame(90)
    camera = window.area.work_view.camera
    camera.target, camera.distance, camera.pitch = (0.0, 0.6, 2.4), 8.0, 0.5
    window.area.work_view.invalidate()
    settle_here(window, 0.4)


STATES: tuple[State, ...] = (
    ("walk_settings", settings, "dark", (1600, 1000)),
    ("walk_before_light_small", before, "light", (1024, 680)),
    ("walk_footprint", footprint, "dark", (1600, 1000)),
    ("walk_footprints_light_small", footprints_light, "light", (1024, 680)),
    ("walk_way", way, "dark", (1600, 1000)),
    ("walk_stairs", on_stairs, "dark", (1600, 1000)),
    ("walk_hills_light", on_hills, "light", (1600, 1000)),
)
