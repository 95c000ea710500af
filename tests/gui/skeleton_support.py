"""What the tests of skeleton mode share: where joints are on the screen, and mouse and keyboard there."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.scene.pointing import view_point
from app.window.main_window import MainWindow
from core.skeleton.segment import rest_frames

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
Key = Qt.Key


def edited(window: MainWindow) -> MainWindow:
    """Edit the skeleton of the walk, seen from the front; return the window."""
    window.area.set_reduced_motion(True)
    window.area.show_view("front")
    window.skeleton.set_mode("skeleton")
    window.area.frame_all()
    return window


def at(window: MainWindow, point) -> QPoint:
    """Return the pixel of the work area nearest to a world point."""
    return view_point(window.area.work_view, np.asarray(point, dtype=np.float64)).toPoint()


def ball(window: MainWindow, joint: str) -> QPoint:
    """Return where a joint's ball is in the work area."""
    return at(window, window.area.host.scene.poses[window.document.skeleton.joint_index(joint), :3, 3])


def place(window: MainWindow, joint: str) -> np.ndarray:
    """Return where a joint of the document's figure is at rest, world, shape (3,), [m]."""
    skeleton = window.document.skeleton
    return rest_frames(skeleton)[skeleton.joint_index(joint), :3, 3]


def drag(
    window: MainWindow, start: QPoint, by: QPoint, held=NONE, keys: tuple[Key, ...] = (), drop: bool = True
) -> None:
    """Press at a place of the work area, move in steps, press keys half-way, and let go."""
    view = window.area.work_view
    QTest.mousePress(view, LEFT, held, start)
    for k in range(1, 9):
        move(window, start + by * k / 8, held)
        if k == 4:
            for key in keys:
                QTest.keyClick(view, key)
    if drop:
        QTest.mouseRelease(view, LEFT, held, start + by)


def move(window: MainWindow, to: QPoint, held=NONE) -> None:
    """Move the mouse with the left button and modifiers held."""
    view = window.area.work_view
    spot = QPointF(to)
    event = QMouseEvent(QEvent.Type.MouseMove, spot, view.mapToGlobal(spot), Qt.MouseButton.NoButton, LEFT, held)
    QApplication.sendEvent(view, event)


def click(window: MainWindow, place: QPoint, held=NONE) -> None:
    """Click at a place of the work area."""
    QTest.mouseClick(window.area.work_view, LEFT, held, place)


def press(window: MainWindow, key: Key, held=NONE) -> None:
    """Press a key in the work area."""
    QTest.keyClick(window.area.work_view, key, held)
