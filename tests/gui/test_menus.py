"""The menus of the window: room for shortcuts, and the same at every opening."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QMenu

from app.widgets.frames.menu import SHORTCUT_GAP, space_shortcuts
from app.window.menus import MENUS, SEPARATED
from app.work.background import BUSY
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


def _menus_in(menu: QMenu) -> list[QMenu]:
    return [menu, *(each for action in menu.actions() if action.menu() for each in _menus_in(action.menu()))]


def test_lines_stand_between_entries_and_quit_is_the_last(window):
    """No menu begins or ends with a line or has two in a row, and every action that asks for one has it."""
    lined = set()
    for title in MENUS:
        for menu in _menus_in(window.menu._menus[title]):
            entries = menu.actions()
            for before, after in zip([None, *entries], [*entries, None], strict=True):
                ends = [each for each in (before, after) if each is None or each.isSeparator()]
                assert len(ends) < 2 or not entries, (title, menu.title())
                if before is not None and before.isSeparator() and after is not None:
                    inner = after.menu().actions()[0] if after.menu() and after.menu().actions() else after
                    lined |= {after.objectName(), inner.objectName()}
    assert window.menu._menus["File"].actions()[-1].objectName() == "quit"
    assert set(SEPARATED) - lined == {"put_down"}, "the menu of what can be held stands between"


def test_select_all_takes_what_has_the_keyboard(window):
    document, timeline, select_all = window.document, window.timeline, window.action_table["select_all"]
    window.activateWindow()
    window.area.work_view.setFocus()
    select_all.trigger()
    assert len(document.selection.joints) > 5
    timeline.sheet.setFocus()
    select_all.trigger()
    assert len(timeline.model.selected.frames) == len(timeline.model.frames)
    document.hybrid.add(["head"], 2, 6)
    document.hybrid.add(["left hand"], 4, 8)
    timeline.show_tab("dynamics")
    timeline.dynamics.setFocus()
    select_all.trigger()
    assert len(timeline.dynamics.board.selection) == 2
    timeline.show_tab("keys")


def test_actions_on_rows_bring_the_rows_up(window):
    """With curves or the script in their place they would do nothing that is seen."""
    timeline, actions = window.timeline, window.action_table
    for tab in ("curves", "script"):
        for name in ("open_rows", "close_rows", "rows_with_keys", "rows_with_keys", "next_row"):
            timeline.show_tab(tab)
            actions[name].trigger()
            assert timeline.transport.tabs.current == "keys" and timeline.sheet.isVisible(), (tab, name)


def test_other_work_is_told_once_and_in_the_same_words(window, monkeypatch):
    told = []
    monkeypatch.setattr(window, "show_message", lambda level, text, *_: told.append((level, text)))
    monkeypatch.setattr(type(window.background), "busy", property(lambda _self: True))
    begun = window.retarget.run_beside("Reading", lambda _progress: None, lambda _none: None, lambda _error: None)
    assert not begun and told == [("warning", BUSY)]
    window.action_table["export_picture"].trigger()
    window.action_table["export_motion"].trigger()
    assert told == 3 * [("warning", BUSY)]


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
