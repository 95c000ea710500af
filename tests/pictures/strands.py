"""Hair on a walking figure, a marionette, a loop of four bars: made with the mouse in the window."""

from __future__ import annotations

import time

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.panels.physics.panel import PhysicsPanel
from app.panels.physics.world import StrandRow, WorldObstacles
from app.panels.skeleton.joint_form import TIES
from app.panels.skeleton.panel import SkeletonPanel
from app.physics import obstacle_edits
from app.window.main_window import MainWindow
from core.animation.hybrid_strips import HybridStrip
from core.formats.bundled import bundled_folder
from tests.pictures.driving import State, settle_here
from tests.pictures.physics import wait_for
from tests.support.attaching import attach, begin, drag, pixel_of

_MARKS = ("show_inertia", "show_hinges", "show_balls", "show_momentum", "show_contacts", "show_mass_center")


def world_rows(window: MainWindow) -> WorldObstacles:
    """Return the part of the Physics panel that lists what is in the world."""
    return next(each for each in window.panels if isinstance(each, PhysicsPanel)).world


def wait_for_strands(window: MainWindow) -> None:
    """Let all frames of the strands be worked out, at most a minute."""
    began = time.monotonic()
    settle_here(window, 0.2)
    while window.document.physics.strands.busy and time.monotonic() - began < 60.0:
        QApplication.processEvents()
        time.sleep(0.005)
    settle_here(window, 0.3)


def look(window: MainWindow, yaw: float, pitch: float, *parts: str) -> None:
    """Look from somewhere at some parts, at all of the figure without any."""
    document = window.document
    document.selection.set(parts)
    camera = window.area.host.cameras["perspective"]
    camera.yaw, camera.pitch = yaw, pitch
    settle_here(window, 0.3)
    window.action_table["frame_selected" if parts else "frame_all"].trigger()
    settle_here(window, 1.2)
    document.selection.set(())


def plain(window: MainWindow) -> None:
    """Draw the figure without the signs of physics."""
    for name in _MARKS:
        if window.action_table[name].isChecked():
            window.action_table[name].trigger()
    window.document.physics.overlays.opacity = 1.0


def tie_hair(window: MainWindow) -> None:
    """Drag a strand out of the back of the head of the walking figure, and make it longer and thicker."""
    window.action_table["mode_physics"].trigger()
    window.document.set_frame(0)
    look(window, np.radians(180.0), np.radians(5.0), "head", "neck", "chest")
    start = pixel_of(window, "head") + QPoint(0, -25)
    begin(window, "strand")
    drag(window, start, start + QPoint(0, 130))
    (row,) = [each for each in world_rows(window).rows if isinstance(each, StrandRow)]
    for name, value in (("length", 0.55), ("radius", 0.065), ("mass", 0.09), ("bend", 0.5), ("drag", 0.6)):
        row.numbers[name].edit_to(value)
    window.document.physics.unpick()
    QTest.mouseMove(window.area.work_view, QPoint(60, 200))
    wait_for_strands(window)


def hair(window: MainWindow) -> None:
    """A ponytail that swings on the walking figure, in Pose mode."""
    tie_hair(window)
    window.action_table["mode_pose"].trigger()
    window.document.session.view.overlays["ghosts"] = False
    window.document.set_frame(9)
    look(window, np.radians(-128.0), np.radians(7.0))
    wait_for_strands(window)


def hair_numbers(window: MainWindow) -> None:
    """The strand just made, and its numbers in the Physics panel."""
    tie_hair(window)
    plain(window)
    look(window, np.radians(-130.0), np.radians(6.0), "head", "neck", "chest")


def marionette(window: MainWindow) -> None:
    """A figure that hangs on five strings from a bar: posed, hung up and let go with the mouse, simulated a moment."""
    document = window.document
    document.files.open(bundled_folder() / "human.scr")
    document.session.view.overlays["ghosts"] = False
    look(window, 0.0, np.radians(4.0))
    for part, by in (
        ("left hand", (60, -190)), ("right hand", (-90, -120)), ("left foot", (18, -60)),
        ("right foot", (-10, -10)),
    ):  # fmt: skip
        start = pixel_of(window, part)
        drag(window, start, start + QPoint(*by))
        settle_here(window, 0.2)
    window.action_table["mode_physics"].trigger()
    obstacle_edits.add(document, "box")
    (box,) = world_rows(window).rows
    for field, values in ((box.size_field, (1.3, 0.05, 0.1)), (box.place, (0.0, 2.3, 0.0))):
        field.show_value(np.array(values))
        field.committed.emit()
    look(window, 0.0, np.radians(4.0))
    ends = {
        "head": (0.0, 2.3, 0.05), "left hand": (0.6, 2.3, 0.05), "right hand": (-0.6, 2.3, 0.05),
        "left shank": (0.3, 2.3, 0.05), "right shank": (-0.3, 2.3, 0.05),
    }  # fmt: skip
    for part, end in ends.items():
        attach(window, "string", pixel_of(window, part, 0.02), pixel_of(window, end))
    document.physics.unpick()
    plain(window)
    document.hybrid.set((HybridStrip((), 0, None),))
    document.physics.start()
    wait_for(1.2, window)
    document.physics.pause()
    look(window, np.radians(20.0), np.radians(6.0))


def four_bar(window: MainWindow) -> None:
    """Three bars on a frame: their loop opened and closed again in the Skeleton panel."""
    document = window.document
    document.files.open(bundled_folder() / "mechanisms" / "four bar.scr")
    window.action_table["mode_skeleton"].trigger()
    document.selection.set(["coupler"])
    settle_here(window, 0.3)
    form = next(each for each in window.panels if isinstance(each, SkeletonPanel)).form
    for title, header in form.sections.items():
        header.setChecked(title == TIES)
        header.show_body()
    form.ties.loops[0].remove.click()
    form.ties.add.picked.emit("rocker")
    settle_here(window, 0.3)
    look(window, 0.0, np.radians(8.0))
    document.selection.set(["coupler"])


def four_bar_turns(window: MainWindow) -> None:
    """The same, its crank dragged round: the loop stays closed."""
    four_bar(window)
    window.action_table["mode_pose"].trigger()
    window.document.session.view.overlays["ghosts"] = False
    look(window, 0.0, np.radians(8.0))
    start = pixel_of(window, "crank", 0.9)
    drag(window, start, start + QPoint(70, 40))


STATES: tuple[State, ...] = (
    ("strands_hair", hair, "dark", (1600, 1000)),
    ("strands_hair_light", hair, "light", (1280, 800)),
    ("strands_numbers", hair_numbers, "dark", (1600, 1000)),
    ("strands_numbers_light", hair_numbers, "light", (1280, 800)),
    ("strands_four_bar", four_bar, "dark", (1280, 800)),
    ("strands_four_bar_light", four_bar, "light", (1600, 1000)),
    ("strands_four_bar_turns", four_bar_turns, "dark", (1280, 800)),
    ("strands_marionette", marionette, "dark", (1600, 1000)),
    ("strands_marionette_light", marionette, "light", (1280, 800)),
)
