"""A change of theme touches each widget a few times, and whatever was opened and closed leaves no widgets behind."""

from __future__ import annotations

import collections

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.look import style
from app.window.main_window import MainWindow

OPENING = (
    "about", "add_marker", "bake", "export_movie", "export_page", "export_picture", "import_settings",
    "insert_frames", "key_map", "key_numbers", "load_music", "manual", "motion_settings", "open",
    "open_figure", "pose_between", "rename_figure", "rename_joint", "save_as", "save_figure",
    "save_to_library", "show_history", "slide_keys", "stretch_keys", "walk",
)  # fmt: skip
"""Actions that open a dialog, a window, a popover or a field."""
MODES = ("mode_skeleton", "mode_physics", "mode_pose")
ROUNDS = 3


class _Counted(QObject):
    """Counts events of kinds that the whole application gets."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: collections.Counter[QEvent.Type] = collections.Counter()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(watched, QWidget):
            self.counts[event.type()] += 1
        return False


@pytest.mark.verify
def test_a_change_of_theme_styles_each_widget_a_few_times(qapp: QApplication, window: MainWindow) -> None:
    """Where one style sheet replaces another Qt styles each widget once for every widget around it, eight times."""
    number = len(qapp.allWidgets())
    counted = _Counted()
    qapp.installEventFilter(counted)
    try:
        style.apply(qapp, "light")
    finally:
        qapp.removeEventFilter(counted)
        style.apply(qapp, "dark")
    assert number > 300
    assert number / 2 < counted.counts[QEvent.Type.StyleChange] < 3 * number
    assert counted.counts[QEvent.Type.PaletteChange] < 3 * number


def _close_all(window: MainWindow) -> None:
    """Close whatever stands before the window, as with Escape, and let go of what is deleted late."""
    for front in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
        if front is not None:
            QTest.keyClick(front, Qt.Key.Key_Escape)
    for other in QApplication.topLevelWidgets():
        if other is not window and other.isVisible():
            other.close()


def _widgets(qapp: QApplication) -> collections.Counter[str]:
    for _ in range(3):
        qapp.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return collections.Counter(
        f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}" for widget in qapp.allWidgets()
    )


@pytest.mark.fresh_window
@pytest.mark.verify
def test_dialogs_windows_and_panels_that_were_closed_are_gone(qapp: QApplication, window: MainWindow) -> None:
    closing = QTimer(interval=40)
    closing.timeout.connect(lambda: _close_all(window))
    closing.start()
    opened = set()
    left: list[collections.Counter[str]] = []
    try:
        for _ in range(ROUNDS):
            for name in OPENING:
                before = {id(widget) for widget in qapp.topLevelWidgets() if widget.isVisible()}
                window.action_table[name].trigger()
                if any(id(each) not in before and each.isVisible() for each in qapp.topLevelWidgets()):
                    opened.add(name)
                QTest.qWait(50)
                _close_all(window)
            for name in MODES:
                window.action_table[name].trigger()
                qapp.processEvents()
            left.append(_widgets(qapp))
    finally:
        closing.stop()
    assert len(opened) >= 5, "some of them can be seen when the action returns; others ask, and are gone by then"
    assert not left[-1] - left[0], "what was made at first may stay, for the next time; no more may be added"
