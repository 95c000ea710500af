"""Control points: at rest over a figure, one under the pointer with feet held, in both themes and a small window."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.scene.pointing import Pointer, view_point
from app.window.main_window import MainWindow
from core.skeleton.control_points import control_points
from tests.pictures.driving import State, settle_here


def points(window: MainWindow) -> None:
    """The walk with a held foot, the pointer over an elbow, nothing else over the figure."""
    document = window.document
    for name in ("ghosts", "trail"):
        document.session.view.overlays[name] = False
    document.set_frame(10)
    found = {point.name: point for point in control_points(document.skeleton)}
    foot = found["left foot"]
    document.locks.toggle_hold(foot.joint, foot.point, "pose", foot.name)
    document.selection.set((found["right hand"].joint,))
    window.area.frame_all()
    settle_here(window, 0.5)
    window.area.turn(60.0, 0.0)
    settle_here(window, 0.5)
    view, elbow = window.area.work_view, found["right elbow"]
    x, y, _ = view.project(np.asarray(window.area.host.scene.world(elbow.joint, elbow.point))[None])[0]
    view.hovering.cursor = view.rect().center().toPointF()
    view.hovering.cursor.setX(float(x))
    view.hovering.cursor.setY(float(y))
    window.area.host.toolbox.hover(view, Pointer(float(x), float(y)))
    view.refresh_status()


def _walk(window: MainWindow, part: str, placing: str) -> int:
    """The walk from aside, a part selected and the mouse ready to give it something."""
    document = window.document
    for name in ("ghosts", "trail"):
        document.session.view.overlays[name] = False
    document.set_frame(10)
    joint = document.skeleton.joint_index(part)
    document.selection.set((joint,))
    window.area.frame_all()
    settle_here(window, 0.5)
    window.area.turn(40.0, 0.0)
    settle_here(window, 0.5)
    document.session.tools.placing = placing
    return joint


def look(window: MainWindow) -> None:
    """The head is about to look at a place."""
    joint = _walk(window, "head", "look")
    view, X = window.area.work_view, window.area.host.scene.poses[joint]
    at = view_point(view, X[:3, 3] + X[:3, :3] @ np.array([0.4, 0.1, 0.9]))
    window.area.host.toolbox.hover(view, Pointer(at.x(), at.y()))
    view.refresh_status()


def looked(window: MainWindow) -> None:
    """The head looks at a place; its lock is open in the panel."""
    joint = _walk(window, "head", "look")
    view, X = window.area.work_view, window.area.host.scene.poses[joint]
    at = view_point(view, X[:3, 3] + X[:3, :3] @ np.array([0.4, 0.1, 0.9])).toPoint()
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    window.locks.open(window.document.locks.strips[-1].id)
    settle_here(window, 0.5)


def drawing(window: MainWindow) -> None:
    """A path of points is being drawn for a hand."""
    joint = _walk(window, "right hand", "path")
    view, tool = window.area.work_view, window.area.host.toolbox.current
    at = view_point(view, window.area.host.scene.world(joint, (0.0, -0.1, 0.0))).toPoint()
    for by in ((0, 0), (60, -70), (150, -40)):
        pointer = Pointer(float(at.x() + by[0]), float(at.y() + by[1]))
        tool.press(view, pointer)
        tool.release(view, pointer)
    window.area.host.toolbox.hover(view, Pointer(at.x() + 170.0, at.y() + 50.0))
    view.refresh_status()


def drawn(window: MainWindow) -> None:
    """A path is there; the pointer is over one of its points."""
    drawing(window)
    window.area.host.toolbox.current.key(int(Qt.Key.Key_Return))
    settle_here(window, 0.5)
    view, strip = window.area.work_view, window.document.locks.strips[-1]
    at = view_point(view, strip.lock.target[1])
    window.area.host.toolbox.hover(view, Pointer(at.x(), at.y()))
    view.refresh_status()


STATES: tuple[State, ...] = (
    ("control-points-dark", points, "dark", (1600, 1000)),
    ("control-points-light", points, "light", (1024, 680)),
    ("look-dark", look, "dark", (1600, 1000)),
    ("looked-light", looked, "light", (1600, 1000)),
    ("path-drawing-light", drawing, "light", (1024, 680)),
    ("path-drawn-dark", drawn, "dark", (1024, 680)),
)
