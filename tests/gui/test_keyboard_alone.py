"""One sitting without a mouse: a figure is opened, posed, locked, keyed, played, saved and exported by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from app.actions.export import ExportActions
from app.dialogs.export_dialog import ExportDialog

ALT, CTRL, PLAIN = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier(0)
K = Qt.Key


def _with_keyboard() -> QWidget:
    """Return what would get a key that is pressed now."""
    popup = QApplication.activePopupWidget()
    focus = QApplication.focusWidget() if popup is None else popup.focusWidget() or popup
    assert focus is not None, "the keyboard is nowhere"
    return focus


def press(key: Qt.Key, held: Qt.KeyboardModifier = PLAIN, times: int = 1) -> None:
    """Press a key wherever the keyboard is."""
    for _ in range(times):
        QTest.keyClick(_with_keyboard(), key, held)
        QApplication.processEvents()


def command(words: str) -> None:
    """Find a command by words and have it done."""
    press(K.Key_P, CTRL)
    QTest.keyClicks(_with_keyboard(), words)
    press(K.Key_Return)
    QApplication.processEvents()


@pytest.mark.fresh_window
def test_one_sitting_by_keyboard_alone(window, tmp_path: Path, monkeypatch, qtbot):
    document = window.document
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / names.pop(0)), ""))
    names = ["sitting.seq", "sitting.png"]

    press(K.Key_N, CTRL)  # nothing is open: the gallery has the keyboard
    assert document.skeleton is None
    command("stickman start from")
    qtbot.waitUntil(lambda: document.skeleton is not None)
    for _ in window.regions():
        if not window.area.work_view.hasFocus():
            press(K.Key_F6)
    assert window.area.work_view.hasFocus()

    press(K.Key_Down, times=4)  # the root, then from part to part down the first limb
    assert len(document.selection.joints) == 1
    before = document.pose.copy()
    press(K.Key_Up, ALT, times=4)
    assert abs(document.pose - before).max() > 1e-3, "the part was nudged"
    press(K.Key_L)
    assert document.sequence is not None and len(document.sequence.locks.strips) == 1
    press(K.Key_S)

    press(K.Key_Right, times=6)
    chosen = document.selection.joints
    press(K.Key_M, CTRL | ALT)  # the other side
    assert document.frame == 6 and document.selection.joints != chosen
    press(K.Key_Up, ALT, times=4)
    press(K.Key_S)
    assert len(document.sequence.keys) == 2

    press(K.Key_Space)
    assert document.session.playback.playing
    press(K.Key_Space)
    assert not document.session.playback.playing

    press(K.Key_S, CTRL)
    qtbot.waitUntil(lambda: (tmp_path / "sitting.seq").exists() and not document.modified)

    written: list[Path] = []

    def answer() -> None:
        dialog = window.findChild(ExportDialog)
        if dialog is None or not dialog.isVisible():
            QTimer.singleShot(20, answer)
        else:
            QTest.keyClick(dialog, K.Key_Return)

    # The picture itself is drawn by a process of its own, which tests of the export look at.
    monkeypatch.setattr(ExportActions, "begin", lambda _self, _sequence, target, *_: written.append(target))
    QTimer.singleShot(20, answer)
    press(K.Key_E, CTRL | Qt.KeyboardModifier.ShiftModifier)
    assert written == [tmp_path / "sitting.png"]
