"""What the states share: where a part is on the screen, a moment to work, a panel's dock."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QDockWidget

from app.scene.pointing import view_point
from app.window.editor import settle
from app.window.main_window import MainWindow
from core.skeleton.segment import end_effector

LEFT = Qt.MouseButton.LeftButton
State = tuple[str, Callable[[MainWindow], None], str, tuple[int, int]]
"""Name of the picture, what is done before it is taken, theme, and size of the window, [px]."""


def hand(window: MainWindow, name: str = "right hand") -> QPointF:
    """Return where the middle of a part is on the work area, logical px."""
    skeleton = window.document.skeleton
    assert skeleton is not None
    joint = skeleton.joint_index(name)
    return view_point(window.area.work_view, window.area.host.scene.world(joint, end_effector(skeleton, joint)))


def panel_dock(window: MainWindow, title: str) -> QDockWidget:
    """Return the dock of a panel."""
    return next(dock for dock in window.workbench.docks if dock.windowTitle() == title)


def settle_here(window: MainWindow, seconds: float) -> None:
    """Let the window work."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    settle(application, seconds)
