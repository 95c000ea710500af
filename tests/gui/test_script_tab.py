"""The Script tab: what is typed becomes strips, what is done to strips is written, and Undo takes both."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.document.edits.joint_edits import renamed
from app.marks.target_path import TargetPath, has_path
from app.timeline.script.page import PAUSE, ScriptPage
from app.window.main_window import MainWindow
from core.constraints import Lock


@pytest.fixture
def page(window: MainWindow) -> Iterator[ScriptPage]:
    window.locks.show_script()
    yield window.timeline.script
    window.timeline.show_tab("keys")


def type_in(page: ScriptPage, text: str) -> None:
    QTest.keyClicks(page.editor, text)
    page.editor.completer.popup().hide()
    page.flush()


def test_typing_makes_a_lock_and_undo_takes_text_and_strip(window: MainWindow, page: ScriptPage) -> None:
    document, steps = window.document, window.document.stack.index()
    assert page.editor.hasFocus() and window.timeline.tracks is page.editor
    type_in(page, 'lock "left foot" po')
    assert document.locks.strips == () and "is no kind of lock" in page.status.text()
    assert page.editor.extraSelections() and "Line 1, column 18" in page.status.text()
    type_in(page, "se from 4 to 12")
    (strip,) = document.locks.strips
    assert (strip.lock.joint, strip.start, strip.end) == ("left foot", 4, 12)
    assert page.status.text() == "1 lock" and document.script.kept
    assert document.stack.index() == steps + 1  # one burst of typing is one step
    before = document.state_json()

    # Its end on the timeline, and the lock of another part made in a view.
    document.locks.edit(strip.id, end=18)
    assert page.editor.toPlainText() == 'lock "left foot" pose from 4 to 18'
    made = document.locks.add(Lock("head", "orientation"), start=2)
    assert page.editor.toPlainText().splitlines()[1] == "lock head orientation from 2"
    assert made is not None and document.locks.remove(made)
    assert page.editor.toPlainText() == 'lock "left foot" pose from 4 to 18\n'

    for _ in range(3):
        window.action_table["undo"].trigger()
    assert page.editor.toPlainText() == 'lock "left foot" pose from 4 to 12' and document.state_json() == before
    window.action_table["undo"].trigger()
    assert page.editor.toPlainText() == "" and document.locks.strips == () and not document.script.kept
    window.action_table["redo"].trigger()
    assert document.state_json() == before


def test_what_is_typed_is_kept_before_undo_and_when_the_tab_closes(window: MainWindow, page: ScriptPage) -> None:
    document = window.document
    QTest.keyClicks(page.editor, "lock head position")
    page.editor.completer.popup().hide()
    QTest.keyClick(page.editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert document.locks.strips == () and page.editor.toPlainText() == ""
    QTest.keyClicks(page.editor, "lock head position")
    window.timeline.show_tab("locks")
    assert [strip.lock.kind for strip in document.locks.strips] == ["position"]


@pytest.mark.verify
def test_names_are_completed(window: MainWindow, page: ScriptPage) -> None:
    QTest.keyClicks(page.editor, 'lock "left h')
    popup = page.editor.completer.popup()
    assert popup.isVisible() and popup.currentIndex().data() == '"left hand"'
    QTest.keyClick(page.editor, Qt.Key.Key_Return)
    assert page.editor.toPlainText() == 'lock "left hand"' and not popup.isVisible()
    QTest.keyClicks(page.editor, " pl")
    assert popup.currentIndex().data() == "plane"
    QTest.keyClick(page.editor, Qt.Key.Key_Escape)
    assert not popup.isVisible() and page.editor.toPlainText().endswith(" pl")
    QTest.keyClicks(page.editor, "ane height 0 ")
    page.editor.suggest(always=True)
    assert "from" in [popup.model().index(k, 0).data() for k in range(popup.model().rowCount())]
    popup.hide()


def test_a_strip_and_its_line_are_selected_together(window: MainWindow, page: ScriptPage) -> None:
    document = window.document
    document.script.set_text("# locks\nlock head position\nlock pelvis plane\n")
    head, pelvis = document.locks.strips
    page.editor.go_to(len("# locks\nlock head"))
    assert document.session.locks.selected == head.id
    document.session.locks.selected = pelvis.id
    (marked,) = page.editor.extraSelections()
    assert marked.cursor.blockNumber() == 2


def test_a_drag_of_a_strip_writes_its_numbers_as_it_goes(window: MainWindow, page: ScriptPage) -> None:
    document = window.document
    document.script.set_text('lock "left foot"  pose from 4 to 12  # stands\n')
    (strip,) = document.locks.strips
    gesture = window.timeline.board.gesture("Retime lock")
    from dataclasses import replace

    gesture.show([replace(strip, end=15)])
    assert page.editor.toPlainText() == 'lock "left foot"  pose from 4 to 15  # stands\n'
    gesture.cancel()
    assert page.editor.toPlainText() == 'lock "left foot"  pose from 4 to 12  # stands\n'
    gesture = window.timeline.board.gesture("Retime lock")
    gesture.show([replace(strip, start=6)])
    assert gesture.commit()
    assert page.editor.toPlainText() == 'lock "left foot"  pose from 6 to 12  # stands\n'
    window.action_table["undo"].trigger()
    assert document.locks.strips == (strip,)


def test_the_way_of_a_target_that_follows_the_time_is_drawn(window: MainWindow, page: ScriptPage) -> None:
    document = window.document
    text = 'lock "left hand" position at (0.3, 1.1 + 0.2*t, 0.2) from 0 to 20\nlock "left foot" position from 2\n'
    document.script.set_text(text)
    moving, still = document.locks.strips
    assert has_path(moving) and not has_path(still)
    way, keys = TargetPath().points(moving)
    assert keys.shape == (0, 3) and way[-1] - way[0] == pytest.approx((0.0, 0.2 * 20 / document.sequence.fps, 0.0))
    window.edits.set_tool("lock")
    document.session.locks.selected = moving.id
    assert not window.area.work_view.grab().isNull()
    window.edits.set_tool("select")
    # Dragged by hand it stays where it was put, and the text says so.
    document.locks.edit(moving.id, target=(0.3, 1.25, 0.2))
    assert document.locks.strips[0].formula is None
    assert page.editor.toPlainText() == text.replace("1.1 + 0.2*t", "1.25")


@pytest.mark.verify
def test_other_scripts_are_other_sequences_own(window: MainWindow, page: ScriptPage) -> None:
    document = window.document
    document.script.set_text("lock head position\n")
    text = document.script.text
    document.selection.set(["left foot"])
    names = dict(zip(("chest", "abdomen"), ("thorax", "abdomen"), strict=True))
    assert names and document.script.problems() == ()
    joint = document.skeleton.joint_index("head")
    assert joint and document.figures.edit(renamed("head", "skull"), "Rename")
    assert page.editor.toPlainText() == "lock skull position\n" != text
    window.action_table["undo"].trigger()
    assert page.editor.toPlainText() == text


@pytest.mark.verify
@pytest.mark.fresh_window
def test_a_text_that_is_only_coloured_anew_takes_no_lock_away(window: MainWindow) -> None:
    document = window.document
    made = document.locks.add(Lock("head", "orientation"), start=2)  # before the text was ever shown
    QTest.qWait(2 * PAUSE)
    assert [strip.id for strip in document.locks.strips] == [made]
    window.locks.show_script()
    window.timeline.show_tab("keys")
    document.locks.add(Lock("left foot", "pose"), start=2)  # the text that is hidden does not have it
    window.document.session.view.theme = "light"
    QTest.qWait(2 * PAUSE)
    assert len(document.locks.strips) == 2


@pytest.mark.verify
def test_what_is_typed_is_there_before_something_else_is_done(window: MainWindow, page: ScriptPage) -> None:
    QTest.keyClicks(page.editor, "lock head position")
    page.editor.completer.popup().hide()
    window.area.work_view.setFocus()
    assert [strip.lock.joint for strip in window.document.locks.strips] == ["head"]


@pytest.mark.verify
def test_return_and_tab_do_what_they_say_while_words_are_offered(window: MainWindow, page: ScriptPage) -> None:
    """Tab takes a word, also by way of the list's own window; Return after a whole word or name begins a line."""
    popup = page.editor.completer.popup()
    QTest.keyClicks(page.editor, 'lock "right he')
    QTest.keyClick(popup, Qt.Key.Key_Tab)
    assert page.editor.toPlainText() == 'lock "right heel"' and page.editor.hasFocus()
    for typed in (" position", ' from 1 to 8 name "heel"'):
        QTest.keyClicks(page.editor, typed)
        assert not popup.isVisible()
        QTest.keyClick(page.editor, Qt.Key.Key_Return)
        assert page.editor.toPlainText().endswith(typed + "\n")
        QTest.keyClick(page.editor, Qt.Key.Key_Backspace)
        popup.hide()
