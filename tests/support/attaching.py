"""Attach strings, springs, ropes and muscles as a person does: with the mouse, in the view."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.scene.pointing import view_point
from app.window.main_window import MainWindow
from tests.support import mouse

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def pixel_of(window: MainWindow, place: str | Sequence[float], along: float = 0.5) -> QPoint:
    """Return where a part is seen, or a place in the world, [m].

    Args:
        window: The window.
        place: Name of a joint, or three numbers.
        along: Where on the way from its joint to its child's, 0 to 1; of one without a child its middle.
    """
    view, scene, skeleton = window.area.work_view, window.area.host.scene, window.document.skeleton
    assert skeleton is not None
    if not isinstance(place, str):
        return view_point(view, np.array(place, dtype=np.float64)).toPoint()
    joint = skeleton.joint_index(place)
    below = skeleton.children[joint]
    if below:
        start, end = scene.poses[joint, :3, 3], scene.poses[below[0], :3, 3]
        return view_point(view, start + along * (end - start)).toPoint()
    low, high = scene.bounds((joint,))
    return view_point(view, 0.5 * (low + high)).toPoint()


def begin(window: MainWindow, kind: str) -> None:
    """Choose what to attach, in the Physics menu."""
    window.action_table[f"attach_{kind}"].trigger()
    QApplication.processEvents()


def click(window: MainWindow, at: QPoint) -> None:
    """Click in the work area."""
    view = window.area.work_view
    mouse.hover(view, at)
    QTest.mouseClick(view, LEFT, NONE, at)


def attach(window: MainWindow, kind: str, *places: QPoint) -> None:
    """Attach something through points of the view, a click for each; Enter ends a muscle."""
    begin(window, kind)
    for at in places:
        click(window, at)
    if window.document.physics.attaching is not None:
        QTest.keyClick(window.area.work_view, Qt.Key.Key_Return)


def drag(window: MainWindow, start: QPoint, end: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
    """Drag in the work area, from press to release."""
    mouse.drag(window.area.work_view, start, end, modifiers)
