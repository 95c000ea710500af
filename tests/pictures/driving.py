"""What the states share: the window in a state, where a part is on the screen, a moment to work, a panel's dock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDockWidget

from app.scene.pointing import view_point
from app.window.editor import finish_thumbnails, make_application, make_window, settle
from app.window.main_window import MainWindow
from core.formats.bundled import bundled_folder
from core.skeleton.segment import end_effector

LEFT = Qt.MouseButton.LeftButton
State = tuple[str, Callable[[MainWindow], None], str, tuple[int, int]]
"""Name of the picture, what is done before it is taken, theme, and size of the window, [px]."""


@contextmanager
def shown(act: Callable[[MainWindow], None], theme: str, size: tuple[int, int], folder: Path) -> Iterator[MainWindow]:
    """Give the window with the walk open and something done in it; close it afterwards.

    Args:
        act: What is done.
        theme: ``"dark"`` or ``"light"``.
        size: Of the window, [px].
        folder: Where files may go that the state needs.
    """
    application = make_application(theme)
    window = make_window(theme, remember=False)
    window.setProperty("folder", str(folder))
    window.resize(*size)
    window.show()
    window.document.files.open(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    settle(application, 0.3)
    finish_thumbnails(application, window)
    act(window)
    settle(application, 0.5)
    finish_thumbnails(application, window)
    yield window
    window.area.cancel()
    window.stop()
    window.close()


def grab(window: MainWindow) -> QPixmap:
    """Return the picture of a window with the popup that is open over it, which is closed."""
    picture, popup = window.grab(), QApplication.activePopupWidget()
    if popup is not None:
        painter = QPainter(picture)
        painter.drawPixmap(window.mapFromGlobal(popup.pos()), popup.grab())
        painter.end()
        popup.close()
    return picture


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


def show_posed(window: MainWindow, file: Path, values: Mapping[str, float], *parts: str) -> None:
    """Open a figure, set some of its coordinates, which no key takes, show all of it, and select some parts."""
    window.document.files.open(file)
    settle_here(window, 0.3)
    document, pose = window.document, window.document.pose.copy()
    for name, value in values.items():
        pose[3 + document.skeleton.dof_names.index(name)] = value  # type: ignore[union-attr]
    document.session.keys.auto = False
    document.posing.set(pose)
    window.area.frame_all()
    if parts:
        window.document.selection.set(list(parts))
        settle_here(window, 0.2)
