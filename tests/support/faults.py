"""Breaks one handler after another of the real window; run as a program, so that it may die: ``faults.py FILE EVERY``.

Prints one line per kind of widget and handler with how often it reported, and ends with ``alive`` if it gets there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import cycle
from pathlib import Path
from unittest import mock

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, QTimer
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from app.document.commands.sequence_commands import SetPose
from app.document.content.model import Pending
from app.document.document import Document
from app.document.step import Step
from app.process import crash_guard
from app.window.editor import make_application, make_window
from tests.support.qt_overrides import overrides


def _by_c_code() -> None:
    1 / 0  # noqa: B018 - a bare text for the exception, up to Python 3.11


def _of_nothing() -> None:
    next(iter([]))  # nothing at all for the exception


def _by_python() -> None:
    raise RuntimeError("broken")


FAULTS = cycle((_by_c_code, _of_nothing, _by_python))


def _inner(widget: QWidget) -> QWidget:
    return widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget


def _mouse(kind: QEvent.Type) -> Callable[[QWidget], object]:
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    at = QPointF(2.0, 2.0)
    return lambda w: QApplication.sendEvent(_inner(w), QMouseEvent(kind, at, w.mapToGlobal(at), left, left, none))


def _key(kind: QEvent.Type) -> Callable[[QWidget], object]:
    return lambda w: QApplication.sendEvent(w, QKeyEvent(kind, Qt.Key.Key_F24, Qt.KeyboardModifier.NoModifier))


DRIVEN: dict[str, Callable[[QWidget], object]] = {
    "event": QWidget.grab,
    "paintEvent": QWidget.grab,
    "mousePressEvent": _mouse(QEvent.Type.MouseButtonPress),
    "mouseMoveEvent": _mouse(QEvent.Type.MouseMove),
    "mouseReleaseEvent": _mouse(QEvent.Type.MouseButtonRelease),
    "mouseDoubleClickEvent": _mouse(QEvent.Type.MouseButtonDblClick),
    "keyPressEvent": _key(QEvent.Type.KeyPress),
    "keyReleaseEvent": _key(QEvent.Type.KeyRelease),
    "focusInEvent": lambda w: QApplication.sendEvent(w, QFocusEvent(QEvent.Type.FocusIn)),
    "leaveEvent": lambda w: QApplication.sendEvent(w, QEvent(QEvent.Type.Leave)),
}


def _broken(kind: type, name: str) -> AbstractContextManager[object]:
    """Return what breaks a handler of a kind of widget for a while, inside of its guard."""
    owner = next(owner for owner, found in overrides(kind) if found == name)
    fail = next(FAULTS)
    return mock.patch.object(vars(owner)[name], "__wrapped__", lambda *_: fail())


def check(good: bool, words: str) -> None:
    """End the program if something is not as it must be; an exception would end as one line in the window."""
    if not good:
        print(words, flush=True)
        os._exit(1)


def _push_a_broken_step(document: Document) -> None:
    pose = document.pose + 0.1
    fails = SetPose(None, None)
    fails.apply = lambda _model: _of_nothing()
    steps = document.stack.count()
    try:
        document.stack.push(Step(document, [SetPose(None, Pending(document.frame, pose)), fails], "Fail"))
    except StopIteration:
        check(document.stack.count() == steps, "a step that failed can be undone")
    else:
        check(False, "who pushes a step does not hear that it failed")


def main(file: Path, every: int) -> None:
    """Open ``file`` in the window, and break the handlers of one kind of widget in so many."""
    application = make_application()
    window = make_window(remember=False)
    window.show()
    QTest.qWaitForWindowExposed(window)
    window.document.files.open(file)
    application.processEvents()
    before = window.document.state_json()
    kinds = {type(widget): widget for widget in window.findChildren(QWidget)}
    for kind, widget in sorted(kinds.items(), key=lambda item: item[0].__name__)[::every]:
        for name in sorted({name for _, name in overrides(kind)} & set(DRIVEN)):
            reported: list[str] = []
            restore = crash_guard.install(lambda _level, line, _details, reported=reported: reported.append(line))
            print(kind.__name__, name, end=" ", flush=True)
            widget.grab()  # lays it out, which may leave nothing of it in a page that was never shown
            with _broken(kind, name):
                widget.resize(widget.size().expandedTo(QSize(8, 8)))
                DRIVEN[name](widget)
            print(len(reported), flush=True)
            restore()
    view = window.area.work_view
    with _broken(type(view), "paintEvent"):
        QTimer.singleShot(0, view.repaint)  # now Qt calls it, not Python
        QTimer.singleShot(100, lambda: application.exit(0))
        application.exec()
    check(window.errors.isVisible() and "unharmed" in window.errors.text, "no line in the window")
    check(window.document.state_json() == before, "the document changed")
    _push_a_broken_step(window.document)
    check(window.document.state_json() == before, "a step was done by half")
    print("alive", flush=True)
    window.stop()
    window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
