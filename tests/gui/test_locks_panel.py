"""The locks panel: rows, how locks are held, menus, and ways out of conflicts found beside the window."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import app.work.conflict_search as lock_worker
from app.document.document import Document
from app.document.locks.lock_fixes import apply_fix
from app.look import style
from app.panels import LocksPanel
from app.panels.locks.lock_list import ELSEWHERE, HEIGHT
from app.panels.locks.menus import add_menu, panel_menu, row_menu
from app.panels.locks.panel import NO_FIGURE
from app.panels.locks.solving import METHODS
from app.widgets.fields.steps_scale import AS_NEEDED
from app.work.conflict_search import ConflictWorker
from core.constraints.support import balance_margin
from core.errors import Cancelled
from tests.gui.locks_panel_support import opened, put, shown, steps

NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def document(qapp: QApplication, skeletons_folder) -> Document:
    return opened(skeletons_folder, "stickman.scr")


@pytest.fixture
def panel(qtbot, document: Document) -> LocksPanel:
    return shown(qtbot, document)


# -- rows ------------------------------------------------------------------------------------------------------------


def test_without_locks_the_panel_says_what_to_do(panel, document):
    assert panel.empty.isVisible() and panel.empty.text == "Select a part and press L"
    assert not panel.heads.isVisible() and not panel.solving.solve.isEnabled()
    assert panel.note.text() == "at frame 0"
    document.set_frame(7)
    assert panel.note.text() == "at frame 7"


def test_without_a_figure_the_panel_says_so_and_offers_nothing(panel, document):
    document.files.new()
    assert panel.empty.text == NO_FIGURE and panel.empty.accessibleName() == NO_FIGURE
    assert not any(button.isEnabled() for button in panel.title_buttons())
    assert panel.solving.between.isChecked() and panel.solving.posing.isChecked()
    assert not panel.solving.between.isEnabled() and not panel.solving.posing.isEnabled()


def test_a_lock_that_eases_reports_how_far_it_has_come(panel, document):
    key = put(document, "left hand", start=4, end=20, ease_in=4.0, ease_out=4.0)
    document.set_frame(6)
    line = panel.list.rows[key].line
    assert (line.below, line.word) == ("easing in", "easing") and line.residual.endswith(" %")
    document.set_frame(18)
    assert panel.list.rows[key].line.below == "easing out"
    document.set_frame(12)
    assert panel.list.rows[key].line.below == "holds"


def test_a_row_says_what_a_lock_holds_and_how_well(panel, document):
    key = put(document, "right foot")
    row = panel.list.rows[key]
    line = row.line
    assert (line.part, line.detail) == ("Right foot", "Position · 3 joints help")  # pelvis, right leg, right foot
    assert (line.weight_text, line.residual, line.below, line.word) == ("1.00", "0.000 mm", "holds", "holds")
    assert row.accessibleName() == "Right foot, position lock, weight 1.00, holds, 0.0 mm, from frame 0 on"
    assert row.height() == 35 and panel.heads.isVisible() and not panel.empty.isVisible()


def test_position_and_orientation_are_weighed_and_distinguished(panel, document):
    key = put(document, "left hand", "pose", weight=(1.0, 0.5))
    line = panel.list.rows[key].line
    assert line.weights == (1.0, 0.5) and line.weight_text == "1.00 / 0.50"
    assert line.residual == "0.000 mm" and line.below == "0.00° · holds"


def test_what_is_off_is_reported_by_word_number_and_colour(panel, document):
    target = document.locks.strip(put(document, "left hand")).lock.target + np.array([0.0, 0.042, 0.0])
    key = document.locks.strips[0].id
    document.locks.edit(key, target=target)
    line = panel.list.rows[key].line
    assert (line.residual, line.word) == ("4.2 cm", "conflict")
    document.locks.edit(key, weight=0.5)
    line = panel.list.rows[key].line
    assert (line.residual, line.word) == ("4.2 cm", "yields")


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_residual_is_painted_in_the_colour_of_its_state(panel, document, theme):
    style.apply(QApplication.instance(), theme)
    try:
        key = put(document, "left hand")
        row = panel.list.rows[key]

        def closest(token: str) -> float:
            image = row.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
            ratio = image.devicePixelRatio()
            pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)[:, :, 2::-1]
            right = pixels[: round(18 * ratio), round((row.width() - 76) * ratio) :].astype(float)
            wanted = np.array(style.color(token).getRgb()[:3], float)
            return float(np.abs(right - wanted).sum(axis=2).min())

        assert closest("ok") < 40.0 < closest("conflict")
        document.locks.edit(key, target=np.array(document.locks.strip(key).lock.target) + 0.1)
        assert closest("conflict") < 40.0
    finally:
        style.apply(QApplication.instance(), "dark")


def test_locks_of_other_frames_are_dimmed_below_or_hidden(panel, document):
    away = put(document, "left hand", start=10, end=20)
    here = put(document, "right foot")
    rows, header = panel.list.rows, panel.list.elsewhere
    assert rows[away].line.word == "off" and rows[away].line.residual == "10–20"
    assert header.isVisible() and header.text() == ELSEWHERE and header.summary == "1"
    assert rows[here].y() < header.y() < rows[away].y()
    header.click()
    assert not rows[away].isVisible() and rows[here].isVisible()
    panel.flip_elsewhere()
    assert rows[away].isVisible()
    document.set_frame(15)
    assert rows[away].line.word != "off" and not header.isVisible()
    assert rows[away].y() < rows[here].y()  # in the order they were made


def test_the_balance_row_reports_the_margin(panel, document):
    put(document, "left foot")
    put(document, "right foot")
    key = put(document, "pelvis", "balance")
    line = panel.list.rows[key].line
    margin = balance_margin(document.skeleton, document.pose, ["left foot", "right foot"])
    sign = "+" if margin >= 0.0 else "−"
    assert (line.part, line.residual) == ("Whole figure", f"{sign}{abs(margin) * 100.0:.1f} cm")
    assert line.below == ("inside support" if margin >= 0.0 else "outside")
    pose = document.pose.copy()
    pose[3 + document.skeleton.first_dof[document.skeleton.joint_index("left arm")]] += 1.0
    document.session.locks.hold = False
    document.posing.set(pose)  # the feet stay, the centre of mass goes
    after = balance_margin(document.skeleton, document.pose, ["left foot", "right foot"])
    assert after != margin
    assert panel.list.rows[key].line.residual == f"{'+' if after >= 0 else '−'}{abs(after) * 100.0:.1f} cm"


def test_selection_goes_both_ways(panel, document):
    first, second = put(document, "left hand"), put(document, "right foot")
    QTest.mouseClick(panel.list.rows[second], LEFT, NONE, QPoint(60, 12))
    assert document.session.locks.selected == second and panel.list.rows[second].isChecked()
    document.session.locks.selected = first
    assert panel.list.rows[first].isChecked() and not panel.list.rows[second].isChecked()


def test_hover_goes_both_ways(panel, document):
    first, second = put(document, "left hand"), put(document, "right foot")
    panel.list.rows[first].hovered.emit(first, True)
    assert document.session.locks.hovered == first and panel.list.rows[first].lit
    panel.list.rows[first].hovered.emit(first, False)
    assert document.session.locks.hovered is None
    document.session.locks.hovered = second
    assert panel.list.rows[second].lit and not panel.list.rows[first].lit


# -- keyboard --------------------------------------------------------------------------------------------------------


def test_the_keyboard_goes_through_the_rows_opens_and_removes(panel, document):
    keys = [put(document, part) for part in ("left hand", "right hand", "right foot")]
    panel.setFocus(Qt.FocusReason.TabFocusReason)
    assert panel.focusWidget() is panel.list.rows[keys[0]]
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Down)
    assert document.session.locks.selected == keys[1] and panel.list.rows[keys[1]].hasFocus()
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_End)
    assert document.session.locks.selected == keys[2]
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Up)
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Return)
    assert panel.opened == keys[1] and panel.editor.isVisible()
    assert panel.editor.y() == panel.list.rows[keys[1]].geometry().bottom() + 1
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Return)
    assert not panel.opened and not panel.editor.isVisible()
    before = steps(document)
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Delete)
    assert steps(document) == before + 1 and [strip.id for strip in document.locks.strips] == [keys[0], keys[2]]
    assert panel.list.rows[keys[2]].hasFocus()  # the next one, so that Del can be pressed again
    document.history.undo()
    assert list(panel.list.rows)[:3] and keys[1] in panel.list.rows


def test_a_double_click_opens_and_the_editor_follows_the_selection(panel, document):
    first, second = put(document, "left hand"), put(document, "right foot", "orientation")
    QTest.mouseDClick(panel.list.rows[first], LEFT, NONE, QPoint(60, 12))
    assert panel.opened == first
    document.session.locks.selected = second
    assert panel.opened == second and panel.editor.kind.currentText() == "Orientation"
    document.locks.remove(second)
    assert not panel.opened and not panel.editor.isVisible()


def test_tab_reaches_one_row_only(panel, document):
    keys = [put(document, part) for part in ("left hand", "right hand", "right foot")]
    document.session.locks.selected = keys[1]
    strong = [key for key, row in panel.list.rows.items() if row.focusPolicy() & Qt.FocusPolicy.TabFocus]
    assert strong == [keys[1]]


# -- how locks are held ----------------------------------------------------------------------------------------------


def test_methods_firmness_iterations_and_comfort_are_the_session_s(panel, document):
    solving, session = panel.solving, document.session
    assert [row.text() for row in solving.methods.values()] == [name for _, name, _, _ in METHODS]
    assert solving.methods["hold"].isChecked() and solving.iterations.value == AS_NEEDED
    for key in ("lagrange", "ccd", "hold"):
        QTest.mouseClick(solving.methods[key], LEFT)
        assert session.locks.method == key
    for row in solving.methods.values():
        assert row.fontMetrics().horizontalAdvance(row.text() + row.character) + 43 < row.width(), row.text()
    solving.firmness.segment("putty").click()
    assert session.locks.hold_mode == "putty"
    solving.iterations.field.edit_to(3.0)
    assert session.locks.iterations == 3
    solving.iterations.field.edit_to(AS_NEEDED)
    assert session.locks.iterations is None
    solving.comfort.field.edit_to(40.0)
    assert session.locks.comfort == pytest.approx(0.4)
    session.locks.comfort = 0.1
    assert solving.comfort.value == pytest.approx(10.0)


def test_switches_while_posing_and_in_between(panel, document):
    solving, before = panel.solving, steps(document)
    solving.posing.click()
    assert not document.session.locks.hold and solving.header.summary == "off"
    assert not solving.methods["hold"].isEnabled()
    solving.posing.click()
    assert document.session.locks.hold and steps(document) == before  # no edit of the document
    assert not solving.between.isChecked()
    solving.between.click()
    assert document.sequence.locks.holds and steps(document) == before + 1  # of the figure, so it can be undone
    document.history.undo()
    assert not document.sequence.locks.holds and not solving.between.isChecked()


def test_in_little_room_the_list_comes_first(panel, document, qtbot):
    put(document, "left hand")
    assert panel.solving.body.isVisible()
    panel.frame.resize(296, 560)
    qtbot.waitUntil(lambda: not panel.solving.body.isVisible())
    assert panel.solving.solve.isVisible()
    panel.solving.header.click()
    assert panel.solving.body.isVisible()
    panel.frame.resize(296, 540)
    assert panel.solving.body.isVisible()  # opened by hand
    panel.frame.resize(296, 900)
    panel.frame.resize(296, 560)
    qtbot.waitUntil(lambda: not panel.solving.body.isVisible())


def test_solve_now_puts_a_part_back(panel, document):
    key = put(document, "left hand")
    document.session.locks.hold = False
    pose = document.pose.copy()
    pose[3 + document.skeleton.first_dof[document.skeleton.joint_index("left arm")]] += 0.3
    document.posing.set(pose)
    assert panel.list.rows[key].line.word == "conflict"
    before = steps(document)
    panel.solving.solve.click()
    assert panel.list.rows[key].line.word == "holds" and steps(document) == before + 1


# -- menus -----------------------------------------------------------------------------------------------------------


def test_the_plus_button_offers_kinds_for_what_is_selected(panel, document):
    def offered() -> dict[str, bool]:
        menu = add_menu(panel, document, panel.choose)
        return {action.text(): action.isEnabled() for action in menu.actions() if not action.isSeparator()}

    assert [text for text, on in offered().items() if on] == ["Balance"]
    document.selection.set(["left hand"])
    assert offered()["Position"] and not offered()["Distance (select two parts)"]
    document.selection.set(["left hand", "head"])
    assert offered()["Distance: left hand to head"]
    menu = add_menu(panel, document, panel.choose)
    next(action for action in menu.actions() if action.text().startswith("Distance")).trigger()
    assert (
        document.locks.strips[-1].lock.kind == "distance"
        and document.session.locks.selected == document.locks.strips[-1].id
    )
    next(action for action in menu.actions() if action.text() == "Plane").trigger()
    assert [strip.lock.kind for strip in document.locks.strips[-2:]] == ["plane", "plane"]


def test_the_menu_of_a_row(panel, document):
    key = put(document, "left hand")

    def do(text: str, which: str = key) -> None:
        before = steps(document)
        action = next(action for action in row_menu(panel, which).actions() if action.text().partition("\t")[0] == text)
        assert action.isEnabled(), text
        action.trigger()
        assert steps(document) == before + 1, text

    do("Soften")
    assert document.locks.strip(key).lock.weight == 0.5
    do("Hold exactly")
    assert document.locks.strip(key).lock.weight == 1.0
    do("Turn into plane")
    assert document.locks.strip(key).lock.kind == "plane"
    document.history.undo()
    do("Mirror")
    assert document.locks.strips[-1].lock.joint == "right hand"
    document.set_frame(12)
    do("Key target at frame 12")
    do("Delete target key at frame 12")
    do("Split at frame 12")
    assert document.locks.strip(key).end == 11
    do("Copy to frame 12")
    document.set_frame(5)
    do("End at frame 5")
    assert document.locks.strip(key).end == 5
    do("Remove lock of left hand")
    assert document.locks.strip(key) is None


def test_the_panel_s_menu_ends_and_clears(panel, document):
    put(document, "left hand"), put(document, "right hand")
    document.set_frame(9)
    actions = {action.text(): action for action in panel_menu(panel).actions()}
    actions["End all locks at this frame"].trigger()
    assert [strip.end for strip in document.locks.strips] == [9, 9]
    actions["Clear all locks"].trigger()
    assert not document.locks.strips and panel.empty.isVisible()


# -- conflicts -------------------------------------------------------------------------------------------------------


@pytest.fixture
def torn(qapp: QApplication, qtbot, skeletons_folder) -> Iterator[tuple[Document, ConflictWorker, LocksPanel, str]]:
    """An arm whose base is locked and whose hand is locked out of its reach."""
    document = opened(skeletons_folder, "arm7.scr")
    worker, panel = ConflictWorker(document), shown(qtbot, document)
    put(document, "base")
    key, calm = put(document, "hand"), put(document, "elbow", "orientation", weight=0.5)
    panel.calm = calm  # type: ignore[attr-defined]
    document.locks.edit(key, target=document.locks.strip(key).lock.target + np.array([0.5, 0.5, 0.0]))
    yield document, worker, panel, key
    worker.stop()


def test_a_conflict_is_found_beside_the_window_and_every_way_out_is_one_step(torn, qtbot):
    document, worker, panel, key = torn
    assert document.session.locks.conflict is None and worker.busy
    qtbot.waitUntil(lambda: document.session.locks.conflict is not None, timeout=60000)
    found, rows = document.session.locks.conflict, panel.conflict_rows
    assert key in found.keys and panel.calm not in found.keys
    assert rows.isVisible() and rows.texts[0] == found.text and "Hand" in found.text
    line = panel.list.rows[key].line
    assert line.residual in found.text and "while all of them yield" not in found.text  # one number for one thing
    assert replace(found, now="80.0 cm").text == f"{found.conflict.text}; now 80.0 cm while all of them yield"
    assert all(panel.list.rows[s.strip.id].line.word == s.word for s in document.locks.states())
    assert rows.y() > panel.list.rows[key].y()
    assert panel.list.rows[key].line.word == "conflict" and panel.list.rows[panel.calm].line.word != "conflict"
    kinds = {fix.kind for fix in found.fixes}
    assert {"soften", "drop"} <= kinds
    kept = document.state_json()
    fixes = {fix.title: fix for fix in found.fixes if fix.held or fix.kind != "drop"}
    assert [button.accessibleName() for button in rows.buttons] == list(fixes)
    before, offered = steps(document), rows.buttons[0].accessibleName()
    rows.buttons[0].click()
    assert steps(document) == before + 1 and document.stack.undoText() == offered.replace(" the ", " ")
    assert not rows.isVisible() and document.session.locks.conflict is None
    document.history.undo()
    assert document.state_json() == kept
    qtbot.waitUntil(lambda: document.session.locks.conflict is not None, timeout=60000)  # undo brings it back
    assert rows.isVisible()
    for title, fix in fixes.items():
        assert apply_fix(document, found.ids, fix)
        document.locks.solve_now()
        assert all(state.word != "conflict" for state in document.locks.states()), title
        while steps(document) > before:
            document.history.undo()
        assert document.state_json() == kept


def test_a_search_is_given_up_when_the_pose_changes(torn, qtbot, monkeypatch):
    document, worker, _, key = torn
    begun, ended = threading.Event(), []

    def endless(*_args, cancelled, **_more):
        begun.set()
        while not cancelled():
            pass
        ended.append(True)
        raise Cancelled

    monkeypatch.setattr(lock_worker, "find_conflict", endless)
    qtbot.waitUntil(begun.is_set, timeout=5000)
    document.locks.edit(key, weight=0.5)  # nothing is in conflict any more
    qtbot.waitUntil(lambda: bool(ended), timeout=5000)
    assert not worker.busy and document.session.locks.conflict is None


def test_a_target_on_its_way_is_not_looked_at_before_it_rests(torn, qtbot, monkeypatch):
    document, worker, _, key = torn
    asked = []
    monkeypatch.setattr(lock_worker, "find_conflict", lambda *args, **more: asked.append(args))
    for step in range(6):
        document.locks.edit(key, target=document.locks.strip(key).lock.target + np.array([0.0, 0.01 * step, 0.0]))
        qtbot.wait(20)
    assert not asked
    qtbot.waitUntil(lambda: not worker.busy, timeout=5000)
    assert len(asked) == 1


def test_a_long_search_for_a_conflict_is_reported(panel, document, qtbot, monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr(lock_worker, "find_conflict", lambda *args, **values: gate.wait(10.0) and None)
    worker = lock_worker.ConflictWorker(document)
    key = put(document, "left hand")
    document.locks.edit(key, target=np.asarray(document.locks.strip(key).lock.target) + 5.0)
    assert panel.looking.isHidden()
    qtbot.waitUntil(lambda: not panel.looking.isHidden(), timeout=3000)
    gate.set()
    qtbot.waitUntil(panel.looking.isHidden, timeout=3000)
    worker.stop()


def test_three_rows_can_be_seen_however_low_the_panel_is(panel, document, qtbot):
    for part in ("left foot", "right foot", "left hand", "right hand"):
        put(document, part)
    panel.frame.resize(296, 60)
    qtbot.waitUntil(lambda: panel.list.height() >= 3 * HEIGHT)
