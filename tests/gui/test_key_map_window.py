"""The key map's window: other keys by keyboard alone, and everything that names a key follows."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.dialogs.key_map_window import KeyMapWindow
from app.dialogs.manual_window import ManualWindow
from app.widgets.fields.key_capture import key_name
from app.window.main_window import MainWindow
from app.words.key_choice import KeyChoice

CTRL, SHIFT, PLAIN = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier(0)


@pytest.fixture
def keys(window):
    window.action_table["key_map"].trigger()
    shown = window.findChild(KeyMapWindow)
    assert shown is not None
    QApplication.processEvents()
    yield shown
    window.key_map.change(KeyChoice())
    shown.close()
    QApplication.processEvents()


def press(keys: KeyMapWindow, action: str, key: Qt.Key, held: Qt.KeyboardModifier = PLAIN) -> None:
    keys.choose(action)
    QTest.keyClick(keys.tree, Qt.Key.Key_Return)
    QTest.keyClick(keys.capture, key, held)
    QApplication.processEvents()


@pytest.mark.parametrize(
    ("key", "held", "name"),
    [
        (Qt.Key.Key_S, PLAIN, "S"),
        (Qt.Key.Key_S, SHIFT | CTRL, "Ctrl+Shift+S"),
        (Qt.Key.Key_Exclam, SHIFT, "!"),
        (Qt.Key.Key_Left, SHIFT, "Shift+Left"),
        (Qt.Key.Key_1, Qt.KeyboardModifier.KeypadModifier, "Num+1"),
        (Qt.Key.Key_Control, CTRL, ""),
    ],
)
def test_keys_are_spelled_as_the_key_map_spells_them(key, held, name):
    assert key_name(QKeyEvent(QEvent.Type.KeyPress, key, held)) == name


@pytest.mark.verify
def test_a_free_key_holds_at_once_and_everything_names_it(window, keys):
    press(keys, "set_key", Qt.Key.Key_F9)
    assert [each.toString() for each in window.action_table["set_key"].shortcuts()] == ["F9"]
    assert "(F9)" in window.action_table["set_key"].toolTip() and window.toolbar.set_key.key == "F9"
    press(keys, "mode_physics", Qt.Key.Key_F10)
    assert window.toolbar.mode.segment("physics").toolTip() == "Physics (F10)"
    press(keys, "lock_cycle", Qt.Key.Key_F11)
    locks = next(panel for panel in window.panels if panel.title == "Locks")
    assert locks.empty.text == "Select a part and press F11" == window.timeline.locks.picture.empty_text()
    press(keys, "play", Qt.Key.Key_F12)
    window.timeline.hints.changed.emit()
    assert ("F12", "play or pause") in _hints_of(window)
    assert keys.presets.currentText() == "Sequence Editor, changed"


def _hints_of(window: MainWindow):
    from app.timeline.hints import anywhere

    return anywhere(window.document.session)


def test_the_new_key_works_and_the_old_one_no_longer(window, keys, qtbot):
    press(keys, "show_grid", Qt.Key.Key_F9)
    overlays, view = window.document.session.view.overlays, window.area.work_view
    keys.hide()
    QApplication.processEvents()
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    before = overlays["grid"]
    QTest.keyClick(view, Qt.Key.Key_G)
    assert overlays["grid"] == before
    QTest.keyClick(view, Qt.Key.Key_F9)
    assert overlays["grid"] != before


@pytest.mark.verify
def test_a_key_that_means_something_else_is_named_and_can_be_taken(window, keys):
    press(keys, "set_key", Qt.Key.Key_G)
    assert "G is “Grid” (everywhere) now" in keys.note.text() and keys.choice.own == {}
    assert keys.take.isVisible() and keys.take.text() == "Take it from “Grid”" and keys.take.hasFocus()
    QTest.keyClick(keys.take, Qt.Key.Key_Space)
    QApplication.processEvents()
    assert keys.choice.own == {"set_key": ("G",), "show_grid": ()} and "Grid" in keys.note.text()
    assert not keys.take.isVisible() and keys.tree.hasFocus() and keys.action == "set_key"
    keys.reset.click()
    assert keys.choice.own == {"show_grid": ()}
    keys.reset_all.trigger()
    assert keys.choice.own == {} and window.action_table["show_grid"].shortcut().toString() == "G"


def test_what_cannot_be_changed_is_not_taken(keys):
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    press(keys, "copy_pose", Qt.Key.Key_Up, held)  # nudges finely, with the other arrows
    assert "cannot be changed" in keys.note.text() and not keys.take.isVisible() and keys.choice.own == {}
    QTest.keyClick(keys.capture, Qt.Key.Key_Escape)
    assert keys.tree.hasFocus() and keys.isVisible()


def test_a_second_key_and_none_at_all(window, keys):
    keys.choose("show_grid")
    QTest.keyClick(keys.tree, Qt.Key.Key_Return, SHIFT)
    QTest.keyClick(keys.capture, Qt.Key.Key_F9, CTRL)
    assert keys.choice.own == {"show_grid": ("G", "Ctrl+F9")}
    QTest.keyClick(keys.tree, Qt.Key.Key_Delete)
    assert keys.choice.own == {"show_grid": ()}
    assert window.action_table["show_grid"].toolTip() == "Grid"


@pytest.mark.verify
def test_presets_hold_at_once_and_lose_nothing(window, keys):
    press(keys, "set_key", Qt.Key.Key_F9)
    keys.presets.setCurrentIndex(1)
    keys.presets.activated.emit(1)
    assert window.action_table["tool_drag"].shortcut().toString() == "G"
    assert window.toolbar.set_key.key == "I"
    keys.presets.activated.emit(0)
    assert window.toolbar.set_key.key == "F9"


@pytest.mark.verify
def test_the_manual_names_the_keys_that_hold(window, keys):
    press(keys, "key_map", Qt.Key.Key_F9)
    window.action_table["manual"].trigger()
    manual = window.findChild(ManualWindow)
    assert "F9 lists them all" in manual.page.toPlainText().replace("\n", " ")
    window.key_map.change(KeyChoice())
    assert "F1 lists them all" in manual.page.toPlainText().replace("\n", " ")
    manual.close()
    QApplication.processEvents()


@pytest.mark.verify
def test_keys_are_written_and_read_again(window, keys, tmp_path):
    press(keys, "set_key", Qt.Key.Key_F9)
    assert window.key_map.export_to(tmp_path / "mine")
    assert json.loads((tmp_path / "mine.json").read_text())["changes"] == {"sequence_editor": {"set_key": ["F9"]}}
    keys.reset_all.trigger()
    (tmp_path / "bad.json").write_text('{"format": "sequence-editor keys", "version": 1, "preset": "vi"}')
    assert not window.key_map.import_from(tmp_path / "bad.json")
    assert 'preset "vi"' in keys.note.text() and window.toolbar.set_key.key == "S"
    assert window.key_map.import_from(tmp_path / "mine.json") and window.toolbar.set_key.key == "F9"
    window.errors.close_message()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("text", ["", "{}", "{oops"])
def test_a_window_opens_with_the_usual_keys_where_the_kept_ones_are_broken(qtbot, text):
    first = MainWindow()
    path = first.key_map.path
    assert path is not None
    first.key_map.change(KeyChoice("blender").with_key("set_key", ["F9"]))
    first.stop()
    second = MainWindow()
    assert second.key_map.choice.preset == "blender" and second.toolbar.set_key.key == "F9"
    second.stop()
    path.write_text(text)
    third = MainWindow()
    assert third.key_map.choice == KeyChoice() and "could not be read" in third.errors.text
    third.key_map.change(KeyChoice("maya"))
    assert path.with_suffix(".bad.json").read_text() == text and KeyChoice("maya").to_json() == json.loads(
        path.read_text()
    )
    third.key_map.change(KeyChoice())
    third.stop()
