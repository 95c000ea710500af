"""The command palette: it has everything, finds it, does it, and says why it does not."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.actions.why_not import UNKNOWN, why_not
from app.dialogs.manual_window import ManualWindow
from app.look import style
from app.popovers.command_palette import ROW, ROWS_SHOWN, CommandPalette
from app.window.main_window import MainWindow
from app.window.menus import MENUS


@pytest.fixture
def palette(window) -> CommandPalette:
    QTest.keyClick(window.area.work_view, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    QApplication.processEvents()
    shown = window.palette_actions.palette
    assert shown.isVisible()
    return shown


def type_and_enter(palette: CommandPalette, text: str) -> None:
    QTest.keyClicks(palette.field, text)
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    QApplication.processEvents()


def texts(palette: CommandPalette) -> list[str]:
    rows = palette.rows
    return [rows.data(rows.index(k)) for k in range(rows.rowCount(QModelIndex()))]


def test_every_action_every_menu_every_panel_and_page_is_in_it(window):
    commands = window.palette_actions.commands()
    names = [command.name for command in commands]
    assert len(names) == len(set(names))
    assert set(window.action_table.names()) - {"cancel", "command_palette"} <= set(names)
    menus = {command.path.split(" > ")[0] for command in commands}
    assert set(MENUS) <= menus
    for panel in window.panels:
        assert f"panel {panel.title}" in names
    assert {"page locks.md", "tab curves", "gesture Orbit"} <= set(names)
    keys = {command.name: command.keys for command in commands}
    assert keys["set_key"] == ("S", "I") and keys["previous_key"] == ("Comma",)


@pytest.mark.verify
def test_enter_does_what_is_found_and_it_is_first_the_next_time(window, palette):
    type_and_enter(palette, "light theme")
    assert not palette.isVisible() and window.document.session.view.theme == "light"
    window.action_table["command_palette"].trigger()
    assert texts(palette)[0] == "Light theme"
    palette.close()
    window.document.session.view.theme = "dark"


def test_it_is_as_high_as_what_is_found(window, palette):
    full, top = palette.height(), palette.field.mapTo(palette, palette.field.rect().topLeft()).y()
    palette.field.setText("footprints of locked")
    QApplication.processEvents()
    few = len(texts(palette))
    assert 0 < few < 8 and palette.height() == full - (palette_rows(palette, "") - few) * ROW
    assert palette.field.mapTo(palette, palette.field.rect().topLeft()).y() == top
    palette.field.setText("")
    QApplication.processEvents()
    assert palette.height() == full


def palette_rows(palette: CommandPalette, text: str) -> int:
    """Return how many rows are in sight at once when a text is looked for."""
    palette.field.setText(text)
    return min(len(texts(palette)), ROWS_SHOWN)


def test_arrows_choose_round_about_and_the_mouse_does_too(window, palette):
    palette.field.setText("frame everything")
    assert palette.current.name == "frame_all"
    palette.field.setText("view")
    first = palette.current
    QTest.keyClick(palette.field, Qt.Key.Key_Up)
    assert palette.current.name == palette.rows.commands[-1].name
    QTest.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.current == first
    row = texts(palette).index("Reset window layout") if "Reset window layout" in texts(palette) else 1
    wanted = palette.rows.commands[row]
    place = palette.list.visualRect(palette.rows.index(row)).center()
    done: list[str] = []
    palette.chosen.connect(lambda command: done.append(command.name))
    QTest.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert done == [wanted.name] and not palette.isVisible()
    QApplication.processEvents()


def test_what_cannot_be_done_says_why_and_stays(window, palette):
    window.document.selection.set(())
    palette.close()
    window.action_table["command_palette"].trigger()
    type_and_enter(palette, "bake to keys")
    assert palette.isVisible() and "physics mode" in palette.note.text().lower()
    assert "not now" in palette.field.accessibleDescription()
    QTest.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_keys_typed_into_it_are_no_shortcuts_and_its_own_closes_it(window, palette):
    before = window.document.frame, window.document.session.tools.tool
    QTest.keyClicks(palette.field, "e,. s")
    assert palette.field.text() == "e,. s" and before == (window.document.frame, window.document.session.tools.tool)
    QTest.keyClick(palette.field, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    assert not palette.isVisible()


def test_a_page_of_the_manual_and_a_gesture_are_shown(window, palette):
    type_and_enter(palette, "keep feet hands in place")
    manual = window.findChild(ManualWindow)
    assert manual is not None and manual.shown == "locks.md"
    manual.close()
    QApplication.processEvents()


def test_keys_of_the_timeline_go_back_to_the_timeline(window):
    window.timeline.tracks.setFocus()
    window.action_table["command_palette"].trigger()
    type_and_enter(window.palette_actions.palette, "select all parts")
    assert window.document.session.keys.selected and not window.document.selection.joints


def _states(window: MainWindow):
    document = window.document
    for mode in ("pose", "physics", "skeleton"):
        document.session.mode = mode
        for joints in ((), (5,)):
            document.selection.set(joints)
            yield f"{mode} {joints}"
    document.session.mode = "pose"
    document.files.new()
    yield "empty"


@pytest.mark.verify
@pytest.mark.fresh_window
def test_every_greyed_action_says_why(window):
    for state in _states(window):
        for name in window.action_table.names():
            why = why_not(window, name)
            assert (why == "") == window.action_table[name].isEnabled(), (state, name)
            assert why != UNKNOWN, (state, name)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_rows_are_painted_whole_in_a_small_window(window, palette, theme):
    palette.close()
    window.document.session.view.theme = theme
    window.resize(1024, 680)
    window.action_table["command_palette"].trigger()
    QApplication.processEvents()
    assert window.frameGeometry().contains(palette.geometry())
    palette.field.setText("lock")
    box = palette.list.visualRect(palette.rows.index(0))
    row = palette.list.grab(box).toImage()
    inks = {row.pixelColor(x, y).name() for x in range(row.width()) for y in range(row.height())}
    assert {style.color("acc_bg").name(), style.color("text").name()} <= inks
    palette.close()
    window.document.session.view.theme = "dark"
