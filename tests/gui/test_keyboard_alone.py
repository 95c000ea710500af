"""One sitting without a mouse: a figure is opened, posed, locked, keyed, played, saved and exported by keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QWidget

from app.actions.export import ExportActions
from app.dialogs.export_dialog import ExportDialog

ALT, CTRL, PLAIN = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier(0)
SHIFT = Qt.KeyboardModifier.ShiftModifier
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


def go_to(window, region: QWidget) -> None:
    """Press F6 until the keyboard is in a region of the window."""
    for _ in window.regions():
        focus = QApplication.focusWidget()
        if focus is region or (focus is not None and region.isAncestorOf(focus)):
            return
        press(K.Key_F6)
    raise AssertionError(f"F6 does not lead to {region}")


def once_there(kind: type[QWidget], do: Callable[[QWidget], object], window: QWidget) -> None:
    """Do something as soon as a dialog is shown: it keeps the test waiting."""
    found = [each for each in window.findChildren(kind) if each.isVisible()]
    if found:
        do(found[0])
    else:
        QTimer.singleShot(20, window, lambda: once_there(kind, do, window))


def selected(window) -> list[str]:
    """Return the names of the selected parts."""
    return [window.document.skeleton.joints[joint].name for joint in window.document.selection.joints]


@pytest.mark.fresh_window
def test_one_sitting_by_keyboard_alone(window, tmp_path: Path, monkeypatch, qtbot, request):
    document = window.document
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / names.pop(0)), ""))
    names = ["sitting.seq", "sitting.png"]

    # -- open a figure
    press(K.Key_N, CTRL)  # nothing is open: the gallery has the keyboard
    assert document.skeleton is None
    command("human start from")
    qtbot.waitUntil(lambda: document.skeleton is not None)
    go_to(window, window.area.work_view)

    # -- pose a hand: the control points lead to it, arrows move and actions turn it
    for _ in range(20):
        press(K.Key_PageDown)
        if any("hand" in name for name in selected(window)):
            break
    assert len(selected(window)) == 1 and "hand" in selected(window)[0]
    before = document.pose.copy()
    press(K.Key_Up, ALT, times=6)
    assert abs(document.pose - before).max() > 1e-3, "the hand was nudged"
    turned = document.pose.copy()
    command("increase first angle")
    assert abs(document.pose - turned).max() > 0.05, "the hand was turned"

    # -- lock a foot, key it
    for _ in range(20):
        press(K.Key_PageDown)
        if any("foot" in name for name in selected(window)):
            break
    assert "foot" in selected(window)[0]
    press(K.Key_L)
    assert document.sequence is not None and len(document.sequence.locks.strips) == 1
    press(K.Key_S)

    # -- on to frame 12, another pose: the foot stays
    press(K.Key_J, CTRL)
    QTest.keyClicks(_with_keyboard(), "12")
    press(K.Key_Return)
    assert document.frame == 12
    go_to(window, window.area.work_view)
    foot = selected(window)[0]
    place = window.area.host.scene.poses[document.skeleton.joint_index(foot)][:3, 3].copy()
    command("whole figure up")  # the hips follow, as far as the locked foot lets them
    press(K.Key_M, CTRL | ALT)  # the other side
    assert selected(window) != [foot]
    press(K.Key_Up, ALT, times=4)
    held = window.area.host.scene.poses[document.skeleton.joint_index(foot)][:3, 3]
    assert abs(held - place).max() < 2e-3, "the locked foot stays"
    press(K.Key_S)
    assert [key.frame for key in document.sequence.keys] == [0, 12]

    # -- play
    press(K.Key_Space)
    assert document.session.playback.playing
    press(K.Key_Space)
    assert not document.session.playback.playing

    # -- edit in the dope sheet: the last key is moved, stretched, and typed; a row is opened
    go_to(window, window.timeline)
    press(K.Key_End)
    command("select the key here")
    press(K.Key_Right, CTRL, times=3)
    assert [key.frame for key in document.sequence.keys] == [0, 15]
    press(K.Key_A, CTRL)
    press(K.Key_Right, CTRL | SHIFT)
    assert [key.frame for key in document.sequence.keys] == [0, 16]
    command("frame length factor")
    press(K.Key_Escape, times=2)
    rows = len(window.timeline.model.rows)
    press(K.Key_Down, times=2)
    press(K.Key_Down, CTRL)
    assert len(window.timeline.model.rows) > rows
    command("ease in and out")
    assert document.sequence.keys[0].shape_of(document.sequence.channels.names[0]).ease is not None

    # -- the lock's strip ends earlier, and weighs less
    command("next strip")
    command("lower weight")
    assert document.locks.strips[0].lock.weight == pytest.approx(0.9)
    press(K.Key_Z, CTRL)

    # -- name: a marker and the figure
    press(K.Key_K, CTRL)
    QTest.keyClicks(_with_keyboard(), "Reach")
    press(K.Key_Return)
    assert [marker.name for marker in document.sequence.markers] == ["Reach"]

    def type_name(dialog: QWidget) -> None:
        QTest.keyClick(dialog.focusWidget() or dialog, K.Key_A, CTRL)
        QTest.keyClicks(dialog.focusWidget() or dialog, "Ada")
        QTest.keyClick(dialog.focusWidget() or dialog, K.Key_Return)

    QTimer.singleShot(20, window, lambda: once_there(QInputDialog, type_name, window))
    command("rename figure")
    qtbot.waitUntil(lambda: document.skeleton.name == "Ada")

    # -- save and export
    press(K.Key_S, CTRL)
    qtbot.waitUntil(lambda: (tmp_path / "sitting.seq").exists() and not document.modified)
    written: list[Path] = []
    if not request.config.getoption("--verify"):
        # The picture itself is drawn by a process of its own, which tests of the export look at.
        monkeypatch.setattr(ExportActions, "begin", lambda _self, _sequence, target, *_: written.append(target))
    QTimer.singleShot(
        20, window, lambda: once_there(ExportDialog, lambda dialog: QTest.keyClick(dialog, K.Key_Return), window)
    )
    press(K.Key_E, CTRL | SHIFT)
    if request.config.getoption("--verify"):
        qtbot.waitUntil(lambda: (tmp_path / "sitting.png").exists(), timeout=60_000)
    else:
        assert written == [tmp_path / "sitting.png"]

    # -- what was saved is what was made
    assert document.files.open(tmp_path / "sitting.seq")
    assert document.skeleton.name == "Ada" and [key.frame for key in document.sequence.keys] == [0, 16]
    assert len(document.locks.strips) == 1 and document.sequence.markers[0].name == "Reach"
