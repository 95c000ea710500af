"""The menus of the window: room for shortcuts, and the same at every opening."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QMenu

from app.widgets.frames.menu import SHORTCUT_GAP, space_shortcuts
from app.window.menus import MENUS
from core.animation.cycles import CYCLES


def test_a_menu_is_as_wide_at_every_opening(window):
    menu = window.menu._menus["Figure"]
    widths = set()
    for _ in range(3):
        menu.popup(window.mapToGlobal(menu.pos()))
        QApplication.processEvents()
        widths.add(menu.width())
        menu.hide()
        QApplication.processEvents()
    assert len(widths) == 1


def test_a_menu_follows_its_texts_both_ways(window):
    menu = QMenu(window)
    action = menu.addAction("Undo")
    action.setShortcut("Ctrl+Shift+Z")
    natural = menu.sizeHint().width()
    space_shortcuts(menu)
    assert menu.minimumWidth() == natural + SHORTCUT_GAP
    action.setText("Undo turning the right upper arm by far")
    space_shortcuts(menu)
    assert menu.minimumWidth() > natural + 2 * SHORTCUT_GAP
    action.setText("Undo")
    space_shortcuts(menu)
    assert menu.minimumWidth() == natural + SHORTCUT_GAP


def test_every_menu_is_lower_than_a_small_screen(window):
    for title in MENUS:
        menu = window.menu._menus[title]
        menu.aboutToShow.emit()
        assert menu.sizeHint().height() < 680, title


def test_menus_tick_what_is_chosen_and_grey_what_there_is_nothing_for(window):
    document, actions = window.document, window.action_table
    document.sequences.set_cycles("hold", "hold")
    for kind in ("repeat", "repeat", "offset"):
        actions[f"cycle_{kind}"].trigger()
        assert [each for each in CYCLES if actions[f"cycle_{each}"].isChecked()] == [kind]
    document.sequences.set_cycles(after="hold")
    assert not any(actions[f"cycle_{each}"].isChecked() for each in CYCLES)
    assert not actions["add_line_point"].isEnabled(), "there is no muscle"
    assert actions["through_camera"].text() == "Look through the camera\tKeypad 0"


def test_a_curve_that_is_shown_alone_is_seen_in_full(window):
    timeline, document = window.timeline, window.document
    timeline.show_tab("curves")
    document.selection.set([0])
    QApplication.processEvents()
    model, canvas = timeline.curves.model, timeline.curves.canvas
    row = next(row for row in model.editable if row.id == 1)
    canvas.fit(False)
    before = model.scale.span
    model.show_only(row.id)
    canvas.grab()
    after = model.scale.span
    assert after[1] - after[0] < 0.5 * (before[1] - before[0])
    model.show_only(row.id)
    timeline.show_tab("keys")
