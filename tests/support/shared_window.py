"""One window for the tests of a module, put back to how it was at first before each of them."""

from __future__ import annotations

import gc
from functools import cache
from pathlib import Path

from PySide6.QtCore import QEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea
from shiboken6 import isValid

from app.document.changes import (
    Change,
    FileChanged,
    FrameChanged,
    HybridChanged,
    KeysChanged,
    LocksChanged,
    MessageShown,
    PendingChanged,
    PoseChanged,
    SelectionChanged,
    SessionChanged,
)
from app.document.document import Document
from app.process import crash_guard
from app.window.main_window import MainWindow
from core.kernels import load_all
from tests.support.shown_window import SCREEN, shown_window

_UNDOABLE = (KeysChanged, LocksChanged, HybridChanged, PendingChanged, FrameChanged, PoseChanged, SelectionChanged)
_FEW = 6  # to open the file again is quicker than more steps


class SharedWindow:
    """Making a window takes longer than most tests that need one, and putting it back hardly anything.

    What the window remembers of its use while it is open (the size of the curves, what was copied, where dialogs
    began) is left as it is; tests that this would mislead ask for a fresh one.
    """

    def __init__(self) -> None:
        self._window: MainWindow | None = None
        self._file: Path | None = None
        self._changed = False

    def get(self) -> MainWindow:
        """Return the active window, 1600 x 1000, dark, nothing chosen; another one if the last is closed."""
        window = self._window
        if window is None or not isValid(window) or not window.isVisible():
            self.close()
            window = self._window = _active_window()
            session = window.document.session
            self._views, self._overlays = window.area.view_state(), dict(session.view.overlays)
            self._values = {name: session.get(name) for name in session.names}
            self._file = None
            window.document.changed.connect(self._note)
        else:
            self._put_back(window)
        return window

    def open(self, path: Path) -> MainWindow:
        """Return the window with a file open; it is opened again unless what has changed since can be undone.

        What each view showed then, it shows again, and no joint is selected.
        """
        window = self.get()
        if self._file == path and (not self._changed or self._undone(window.document)):
            window.area.restore_view_state(self._opened_views)
            QApplication.processEvents()
        else:
            assert window.document.files.open(path)
            QTest.qWait(50)
            self._opened_views, self._file = window.area.view_state(), path
            self._state, self._frame = window.document.state_json(), window.document.frame
        self._changed = False
        return window

    def _note(self, change: Change) -> None:
        if isinstance(change, _UNDOABLE) or (isinstance(change, FileChanged) and change.name == "modified"):
            self._changed = True
        elif not isinstance(change, (SessionChanged, MessageShown)):
            self._file = None  # nobody knows what the last test has left of it

    def _undone(self, document: Document) -> bool:
        """Undo what the last test did, and return whether the document is as it was when it was opened."""
        document.end_gesture()
        if document.stack.cleanIndex() != 0 or document.stack.index() > _FEW:
            return False
        while document.stack.canUndo():
            document.history.undo()
        document.set_frame(self._frame)
        document.selection.set(())
        if document.stack.index() or document.state_json() != self._state:
            return False
        document.stack.clear()
        return True

    def _put_back(self, window: MainWindow) -> None:
        window._uninstall()
        window._uninstall = crash_guard.install(window.show_message)  # each test has had a hook of its own since
        while (popup := QApplication.activePopupWidget() or QApplication.activeModalWidget()) is not None:
            popup.close()
        window.player.pause()
        for name, value in self._values.items():
            window.document.session.set(name, value)
        window.document.session.view.overlays.update(self._overlays)
        window.resize(*SCREEN)
        window.reset_layout()
        window.timeline.show_tab("keys")
        window.timeline.model.fit()
        window.errors.close_message()
        window.status.drop_message()
        window.area.restore_view_state(self._views)
        for part in (*window.area.views(), window.timeline, *window.timeline.bands):  # tests take no mouse out of them
            QApplication.sendEvent(part, QEvent(QEvent.Type.Leave))
        for area in window.findChildren(QScrollArea):
            area.verticalScrollBar().setValue(0)
        window.area.work_view.setFocus()
        if not window.isActiveWindow():
            window.activateWindow()
            assert QTest.qWaitForWindowActive(window)

    def close(self) -> None:
        """End the window, if there is one."""
        window, self._window, self._file = self._window, None, None
        if window is not None and isValid(window):
            window.stop()
            window.close()
            window.deleteLater()


@cache
def _load_kernels() -> None:
    """Load the kernels and keep them out of the collector's sight, as the editor does."""
    load_all()
    gc.freeze()


def _active_window() -> MainWindow:
    _load_kernels()
    _, window = shown_window()
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    return window
