"""The locks panel: rows, editor, how locks are held, and ways out of conflicts found beside the window."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import app.locks.worker as lock_worker
from app import style
from app.document.document import Document
from app.document.lock_fixes import apply_fix
from app.document.step import Step
from app.locks.worker import ConflictWorker
from app.panels import LocksPanel
from app.panels.lock_helpers import joints_up_to, limb_joints
from app.panels.lock_lines import ALWAYS, lines_of
from app.panels.lock_list import ELSEWHERE
from app.panels.lock_menus import add_menu, panel_menu, row_menu
from app.panels.lock_row import fitted
from app.panels.lock_solving import METHODS
from app.panels.locks import EMPTY, NO_FIGURE
from app.widgets.dock import DockFrame
from app.widgets.steps_scale import AS_NEEDED
from core.constraints import Lock
from core.constraints.support import balance_margin
from core.errors import Cancelled
from core.kinematics import forward_kinematics

NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


def opened(folder, name: str) -> Document:
    made = Document()
    assert made.open(folder / name)
    made.set_holds(False)  # the pose on screen is what is looked at here
    return made


@pytest.fixture
def document(qapp: QApplication, skeletons_folder) -> Document:
    return opened(skeletons_folder, "stickman.scr")


def shown(qtbot, document: Document) -> LocksPanel:
    made = LocksPanel(document)
    frame = DockFrame([made])
    qtbot.addWidget(frame)
    frame.resize(296, 900)
    frame.show()
    frame.activateWindow()
    assert QTest.qWaitForWindowActive(frame)
    made.frame = frame  # type: ignore[attr-defined]
    return made


@pytest.fixture
def panel(qtbot, document: Document) -> LocksPanel:
    return shown(qtbot, document)


def put(document: Document, part: str, kind: str = "position", **values) -> str:
    strip = {name: values.pop(name) for name in ("start", "end", "ease_in", "ease_out") if name in values}
    key = document.add_lock(Lock(part, kind, **values), **strip)
    assert key is not None
    return key


def steps(document: Document) -> int:
    return document.stack.index()


# -- rows ------------------------------------------------------------------------------------------------------------


def test_without_locks_the_panel_says_what_to_do(panel, document):
    assert panel.empty.isVisible() and panel.empty.text == EMPTY == "Select a part and press L"
    assert not panel.heads.isVisible() and not panel.solving.solve.isEnabled()
    assert panel.note.text() == "at frame 0"
    document.set_frame(7)
    assert panel.note.text() == "at frame 7"


def test_without_a_figure_the_panel_says_so_and_offers_nothing(panel, document):
    document.new()
    assert panel.empty.text == NO_FIGURE and panel.empty.accessibleName() == NO_FIGURE
    assert not any(button.isEnabled() for button in panel.title_buttons())
    assert panel.solving.between.isChecked() and panel.solving.posing.isChecked()
    assert not panel.solving.between.isEnabled() and not panel.solving.posing.isEnabled()


def test_a_lock_that_eases_tells_how_far_it_has_come(panel, document):
    key = put(document, "left hand", start=4, end=20, ease_in=4.0, ease_out=4.0)
    document.set_frame(6)
    line = panel.list.rows[key].line
    assert (line.below, line.word) == ("coming on", "easing") and line.residual.endswith(" %")
    document.set_frame(18)
    assert panel.list.rows[key].line.below == "going off"
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


def test_position_and_orientation_are_weighed_and_told_apart(panel, document):
    key = put(document, "left hand", "pose", weight=(1.0, 0.5))
    line = panel.list.rows[key].line
    assert line.weights == (1.0, 0.5) and line.weight_text == "1.00 / 0.50"
    assert line.residual == "0.000 mm" and line.below == "0.00° · holds"


def test_what_is_off_is_told_by_word_number_and_colour(panel, document):
    target = document.strip(put(document, "left hand")).lock.target + np.array([0.0, 0.042, 0.0])
    key = document.strips[0].id
    document.edit_lock(key, target=target)
    line = panel.list.rows[key].line
    assert (line.residual, line.word) == ("4.2 cm", "conflict")
    document.edit_lock(key, weight=0.5)
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
        document.edit_lock(key, target=np.array(document.strip(key).lock.target) + 0.1)
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


def test_the_balance_row_tells_the_margin(panel, document):
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
    document.session.hold_locks = False
    document.set_pose(pose)  # the feet stay, the centre of mass goes
    after = balance_margin(document.skeleton, document.pose, ["left foot", "right foot"])
    assert after != margin
    assert panel.list.rows[key].line.residual == f"{'+' if after >= 0 else '−'}{abs(after) * 100.0:.1f} cm"


def test_selection_goes_both_ways(panel, document):
    first, second = put(document, "left hand"), put(document, "right foot")
    QTest.mouseClick(panel.list.rows[second], LEFT, NONE, QPoint(60, 12))
    assert document.session.selected_lock == second and panel.list.rows[second].isChecked()
    document.session.selected_lock = first
    assert panel.list.rows[first].isChecked() and not panel.list.rows[second].isChecked()


def test_hover_goes_both_ways(panel, document):
    first, second = put(document, "left hand"), put(document, "right foot")
    panel.list.rows[first].hovered.emit(first, True)
    assert document.session.hovered_lock == first and panel.list.rows[first].lit
    panel.list.rows[first].hovered.emit(first, False)
    assert document.session.hovered_lock is None
    document.session.hovered_lock = second
    assert panel.list.rows[second].lit and not panel.list.rows[first].lit


# -- keyboard --------------------------------------------------------------------------------------------------------


def test_the_keyboard_goes_through_the_rows_opens_and_removes(panel, document):
    keys = [put(document, part) for part in ("left hand", "right hand", "right foot")]
    panel.setFocus(Qt.FocusReason.TabFocusReason)
    assert panel.focusWidget() is panel.list.rows[keys[0]]
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Down)
    assert document.session.selected_lock == keys[1] and panel.list.rows[keys[1]].hasFocus()
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_End)
    assert document.session.selected_lock == keys[2]
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Up)
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Return)
    assert panel.opened == keys[1] and panel.editor.isVisible()
    assert panel.editor.y() == panel.list.rows[keys[1]].geometry().bottom() + 1
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Return)
    assert not panel.opened and not panel.editor.isVisible()
    before = steps(document)
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Delete)
    assert steps(document) == before + 1 and [strip.id for strip in document.strips] == [keys[0], keys[2]]
    assert panel.list.rows[keys[2]].hasFocus()  # the next one, so that Del can be pressed again
    document.undo()
    assert list(panel.list.rows)[:3] and keys[1] in panel.list.rows


def test_a_double_click_opens_and_the_editor_follows_the_selection(panel, document):
    first, second = put(document, "left hand"), put(document, "right foot", "orientation")
    QTest.mouseDClick(panel.list.rows[first], LEFT, NONE, QPoint(60, 12))
    assert panel.opened == first
    document.session.selected_lock = second
    assert panel.opened == second and panel.editor.kind.currentText() == "Orientation"
    document.remove_lock(second)
    assert not panel.opened and not panel.editor.isVisible()


def test_tab_reaches_one_row_only(panel, document):
    keys = [put(document, part) for part in ("left hand", "right hand", "right foot")]
    document.session.selected_lock = keys[1]
    strong = [key for key, row in panel.list.rows.items() if row.focusPolicy() & Qt.FocusPolicy.TabFocus]
    assert strong == [keys[1]]


# -- the editor ------------------------------------------------------------------------------------------------------


@pytest.fixture
def editor(panel, document) -> Iterator[object]:
    key = put(document, "left hand")
    panel.open_editor(key)
    yield panel.editor


def lock_of(editor) -> Lock:
    strip = editor.edits.strip
    assert strip is not None
    return strip.lock


def test_the_kind_is_changed_where_the_part_is(editor, document):
    before = steps(document)
    editor.kind.picked.emit("pose")
    assert lock_of(editor).kind == "pose" and steps(document) == before + 1
    assert editor.turn_weight.isVisible() and editor.target.turn.isVisible() and editor.axes_row.isVisible()
    frame = forward_kinematics(document.skeleton, document.pose)[document.skeleton.joint_index("left hand")]
    np.testing.assert_allclose(lock_of(editor).target[:3, :3], frame[:3, :3], atol=1e-12)
    editor.kind.picked.emit("distance")
    assert lock_of(editor).kind == "distance" and lock_of(editor).second[1] == "right hand"
    assert editor.other_row.isVisible() and not editor.axes_row.isVisible() and editor.target.length.isVisible()
    editor.other.picked.emit((None, "head"))
    assert lock_of(editor).second[1] == "head"
    frames = forward_kinematics(document.skeleton, document.pose)
    hand, head = (frames[document.skeleton.joint_index(name)] for name in ("left hand", "head"))
    wanted = np.linalg.norm(hand[:3, :3] @ lock_of(editor).point + hand[:3, 3] - head[:3, 3])
    assert lock_of(editor).target == pytest.approx(wanted, abs=1e-12)
    editor.kind.picked.emit("position")
    assert lock_of(editor).second is None


def test_a_narrow_row_keeps_the_number_of_helpers(panel, document):
    document.lock_pair("point_pair", "left hand", "right hand")
    line = lines_of(document)[-1]
    metrics = QFontMetricsF(QFont())
    count = line.brief.rpartition(" · ")[2].removesuffix(" help")
    for cut in (20.0, 60.0):
        width = metrics.horizontalAdvance(line.brief) - cut
        text = fitted(line, metrics, width)
        assert text.endswith(count) and metrics.horizontalAdvance(text) <= width + 1.0
    assert fitted(line, metrics, 1e4) == line.detail


def test_the_axis_that_aims_is_chosen_by_a_word(editor, document):
    editor.kind.picked.emit("aim")
    assert editor.look_row.isVisible() and editor.look.currentText() == "Along the part", "a hand points"
    editor.look.picked.emit("up")
    frame = forward_kinematics(document.skeleton, document.skeleton.rest_pose())
    rest = frame[document.skeleton.joint_index("left hand"), :3, :3]
    np.testing.assert_allclose(rest @ lock_of(editor).target, [0.0, 1.0, 0.0], atol=1e-12)
    assert editor.look.currentText() == "Up"
    editor.target.way.fields[0].edit_to(0.5)
    assert editor.look.currentText() == "Own numbers"
    editor.kind.picked.emit("position")
    assert not editor.look_row.isVisible()


def test_select_all_in_a_number_field_is_about_its_text(editor, document):
    document.set_selection(())
    field = editor.ease_in
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert field.typing and field._editor.selectedText() == field._editor.text() != ""
    assert not editor.ease_out.isEnabled() and "last frame" in editor.ease_out.toolTip()


@pytest.mark.parametrize("kind", ["position", "orientation", "pose", "plane", "line", "point_pair", "distance", "aim"])
def test_every_kind_shows_a_target_that_it_gives_back(editor, document, kind):
    editor.kind.picked.emit(kind)
    lock = lock_of(editor)
    assert lock.kind == kind
    target = editor.target
    fields = [*target.place.fields, *target.turn.fields, *target.way.fields, target.length]
    field = target.way.fields[2] if target.way.isVisible() else next(field for field in fields if field.isVisible())
    before, kept = steps(document), document.state_json()
    field.edit_to(field.value + 1.0)
    assert steps(document) == before + 1 and lock_of(editor) != lock
    document.undo()
    assert document.state_json() == kept


def test_axes_are_chosen_but_never_none(editor, document):
    x, y, z = editor.axes
    x.click()
    assert lock_of(editor).axes == (False, True, True)
    y.click()
    said = []
    document.message.connect(lambda *words: said.append(words))
    z.click()
    assert lock_of(editor).axes == (False, False, True) and z.isChecked() and "at least one" in said[-1][1]
    x.click(), y.click()
    assert lock_of(editor).axes is None


def test_a_weight_is_dragged_as_one_step_and_escape_gives_it_up(editor, document):
    slider, before = editor.weight.slider, steps(document)
    middle = slider.rect().center()
    QTest.mousePress(slider, LEFT, NONE, QPoint(round(slider.position(slider.value)), middle.y()))
    QTest.mouseMove(slider, QPoint(middle.x() + 10, middle.y()))
    assert lock_of(editor).weights[0] < 1.0 and steps(document) == before  # live, and not on the stack yet
    QTest.mouseMove(slider, QPoint(middle.x(), middle.y()))
    QTest.mouseRelease(slider, LEFT, NONE, QPoint(middle.x(), middle.y()))
    assert steps(document) == before + 1 and lock_of(editor).weights[0] == pytest.approx(0.5, abs=0.05)
    kept = document.state_json()
    editor.weight.field.begin()
    editor.weight.field.move_to(0.1)
    assert lock_of(editor).weights[0] == pytest.approx(0.1)
    editor.weight.field.cancel()
    assert document.state_json() == kept and steps(document) == before + 1
    assert editor.weight.value == pytest.approx(lock_of(editor).weights[0])


def test_frames_eases_and_the_strip_s_weight(editor, document):
    assert editor.end.shown_text() == "for ever" and not editor.ease_out.isEnabled()
    editor.end.edit_to(40.0)
    editor.start.edit_to(4.0)
    editor.ease_in.edit_to(3.0)
    editor.ease_out.edit_to(5.0)
    editor.strip_weight.field.edit_to(0.25)
    strip = editor.edits.strip
    assert (strip.start, strip.end, strip.ease_in, strip.ease_out, strip.weight) == (4, 40, 3.0, 5.0, 0.25)
    editor.start.edit_to(90.0)  # not behind the end
    assert editor.edits.strip.start == 40
    editor.end.open_editor("")
    QTest.keyClick(editor.end._editor, Qt.Key.Key_Return)
    assert editor.edits.strip.end is None


def test_joints_that_may_help_by_preset_and_one_by_one(editor, document):
    skeleton, helpers = document.skeleton, editor.helpers
    assert helpers.presets.current == "all" and not helpers.tree.isVisible()
    helpers._preset("limb")
    limb = limb_joints(lock_of(editor), skeleton)
    assert lock_of(editor).joints == tuple(skeleton.joints[i].name for i in limb)
    assert helpers.presets.current == "limb" and helpers.count.text() == f"{len(limb)} joints help"
    helpers._preset("up_to")
    names = [action.text() for action in helpers.menu.actions()]
    assert names == ["Torso", "Pelvis"] or names[-1] == "Pelvis"
    helpers.menu.actions()[-1].trigger()
    helpers.menu.close()
    pelvis = skeleton.joint_index("pelvis")
    up = {skeleton.joints[i].name for i in joints_up_to(lock_of(editor), skeleton, pelvis)}
    assert set(lock_of(editor).joints) == up and "pelvis" in up
    helpers._preset("chosen")
    assert helpers.tree.isVisible()
    before = set(lock_of(editor).joints)
    helpers.tree.flip(skeleton.joint_index("left hand"))
    assert set(lock_of(editor).joints) == before ^ {"left hand"}
    helpers._preset("all")
    assert lock_of(editor).joints is None and not helpers.tree.isVisible()


def test_the_target_in_numbers_keeps_what_is_not_edited(editor, document):
    before = np.array(lock_of(editor).target)
    x, y, _ = editor.target.place.fields
    assert x.value == pytest.approx(100.0 * before[0])
    y.edit_to(120.0)
    after = lock_of(editor).target
    assert after[1] == 1.2 and after[0].tobytes() == before[0].tobytes() and after[2].tobytes() == before[2].tobytes()
    editor.here.click()
    frame = forward_kinematics(document.skeleton, document.pose)[document.skeleton.joint_index("left hand")]
    np.testing.assert_allclose(lock_of(editor).target, frame[:3, :3] @ lock_of(editor).point + frame[:3, 3], atol=1e-12)


def test_a_keyed_target_is_edited_at_the_frame(editor, document):
    editor.key_button.click()
    document.set_frame(10)
    assert not editor.key_button.isChecked()
    editor.target.place.fields[1].edit_to(50.0)
    strip = editor.edits.strip
    assert [key.frame for key in strip.targets] == [0, 10] and strip.targets[1].target[1] == 0.5
    assert editor.key_button.isChecked() and "2 keys" in editor.target_title.text()
    document.set_frame(0)
    assert editor.target.place.fields[1].value == pytest.approx(100.0 * strip.targets[0].target[1])
    document.set_frame(10)
    editor.key_button.click()
    assert [key.frame for key in editor.edits.strip.targets] == [0]


def test_tilting_a_plane_leaves_its_part_on_it(editor, document):
    editor.kind.picked.emit("plane")
    editor.target.way.fields[0].edit_to(1.0)
    state = next(state for state in document.lock_states() if state.strip.id == editor.key)
    assert lock_of(editor).target[0] == pytest.approx(np.sqrt(0.5))
    assert state.position_residual == pytest.approx(0.0, abs=1e-12)


# -- how locks are held ----------------------------------------------------------------------------------------------


def test_methods_firmness_iterations_and_comfort_are_the_session_s(panel, document):
    solving, session = panel.solving, document.session
    assert [row.text() for row in solving.methods.values()] == [name for _, name, _, _ in METHODS]
    assert solving.methods["hold"].isChecked() and solving.iterations.value == AS_NEEDED
    for key in ("lagrange", "ccd", "hold"):
        QTest.mouseClick(solving.methods[key], LEFT)
        assert session.lock_method == key
    for row in solving.methods.values():
        assert row.fontMetrics().horizontalAdvance(row.text() + row.character) + 43 < row.width(), row.text()
    solving.firmness.segment("putty").click()
    assert session.hold_mode == "putty"
    solving.iterations.field.edit_to(3.0)
    assert session.lock_iterations == 3
    solving.iterations.field.edit_to(AS_NEEDED)
    assert session.lock_iterations is None
    solving.comfort.field.edit_to(40.0)
    assert session.comfort == pytest.approx(0.4)
    session.comfort = 0.1
    assert solving.comfort.value == pytest.approx(10.0)


def test_switches_while_posing_and_in_between(panel, document):
    solving, before = panel.solving, steps(document)
    solving.posing.click()
    assert not document.session.hold_locks and solving.header.summary == "off"
    assert not solving.methods["hold"].isEnabled()
    solving.posing.click()
    assert document.session.hold_locks and steps(document) == before  # no edit of the document
    assert not solving.between.isChecked()
    solving.between.click()
    assert document.sequence.holds and steps(document) == before + 1  # of the figure, so it can be undone
    document.undo()
    assert not document.sequence.holds and not solving.between.isChecked()


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
    document.session.hold_locks = False
    pose = document.pose.copy()
    pose[3 + document.skeleton.first_dof[document.skeleton.joint_index("left arm")]] += 0.3
    document.set_pose(pose)
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
    document.set_selection(["left hand"])
    assert offered()["Position"] and not offered()["Distance (select two parts)"]
    document.set_selection(["left hand", "head"])
    assert offered()["Distance: left hand to head"]
    menu = add_menu(panel, document, panel.choose)
    next(action for action in menu.actions() if action.text().startswith("Distance")).trigger()
    assert document.strips[-1].lock.kind == "distance" and document.session.selected_lock == document.strips[-1].id
    next(action for action in menu.actions() if action.text() == "Plane").trigger()
    assert [strip.lock.kind for strip in document.strips[-2:]] == ["plane", "plane"]


def test_the_menu_of_a_row(panel, document):
    key = put(document, "left hand")

    def do(text: str, which: str = key) -> None:
        before = steps(document)
        action = next(action for action in row_menu(panel, which).actions() if action.text() == text)
        assert action.isEnabled(), text
        action.trigger()
        assert steps(document) == before + 1, text

    do("Soften")
    assert document.strip(key).lock.weight == 0.5
    do("Hold exactly")
    assert document.strip(key).lock.weight == 1.0
    do("Turn into plane")
    assert document.strip(key).lock.kind == "plane"
    document.undo()
    do("Mirror")
    assert document.strips[-1].lock.joint == "right hand"
    document.set_frame(12)
    do("Key target at frame 12")
    do("Delete target key at frame 12")
    do("Split at frame 12")
    assert document.strip(key).end == 11
    do("Copy to frame 12")
    document.set_frame(5)
    do("End at frame 5")
    assert document.strip(key).end == 5
    do("Remove lock of left hand")
    assert document.strip(key) is None


def test_the_panel_s_menu_ends_and_clears(panel, document):
    put(document, "left hand"), put(document, "right hand")
    document.set_frame(9)
    actions = {action.text(): action for action in panel_menu(panel).actions()}
    actions["End all locks at this frame"].trigger()
    assert [strip.end for strip in document.strips] == [9, 9]
    actions["Clear all locks"].trigger()
    assert not document.strips and panel.empty.isVisible()


# -- conflicts -------------------------------------------------------------------------------------------------------


@pytest.fixture
def torn(qapp: QApplication, qtbot, skeletons_folder) -> Iterator[tuple[Document, ConflictWorker, LocksPanel, str]]:
    """An arm whose base is locked and whose hand is locked out of its reach."""
    document = opened(skeletons_folder, "arm7.scr")
    worker, panel = ConflictWorker(document), shown(qtbot, document)
    put(document, "base")
    key, calm = put(document, "hand"), put(document, "elbow", "orientation", weight=0.5)
    panel.calm = calm  # type: ignore[attr-defined]
    document.edit_lock(key, target=document.strip(key).lock.target + np.array([0.5, 0.5, 0.0]))
    yield document, worker, panel, key
    worker.stop()


def test_a_conflict_is_found_beside_the_window_and_every_way_out_is_one_step(torn, qtbot):
    document, worker, panel, key = torn
    assert document.session.conflict is None and worker.busy
    qtbot.waitUntil(lambda: document.session.conflict is not None, timeout=60000)
    found, rows = document.session.conflict, panel.conflict_rows
    assert key in found.keys and panel.calm not in found.keys
    assert rows.isVisible() and rows.texts[0] == found.text and "Hand" in found.text
    line = panel.list.rows[key].line
    assert line.residual in found.text and "as all give way" not in found.text  # one number for one thing
    assert replace(found, now="80.0 cm").text == f"{found.conflict.text}; now 80.0 cm, as all give way"
    assert all(panel.list.rows[s.strip.id].line.word == s.word for s in document.lock_states())
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
    assert not rows.isVisible() and document.session.conflict is None
    document.undo()
    assert document.state_json() == kept
    qtbot.waitUntil(lambda: document.session.conflict is not None, timeout=60000)  # undo brings it back
    assert rows.isVisible()
    for title, fix in fixes.items():
        assert apply_fix(document, found.ids, fix)
        document.solve_locks_now()
        assert all(state.word != "conflict" for state in document.lock_states()), title
        while steps(document) > before:
            document.undo()
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
    document.edit_lock(key, weight=0.5)  # nothing is in conflict any more
    qtbot.waitUntil(lambda: bool(ended), timeout=5000)
    assert not worker.busy and document.session.conflict is None


def test_a_target_on_its_way_is_not_looked_at_before_it_rests(torn, qtbot, monkeypatch):
    document, worker, _, key = torn
    asked = []
    monkeypatch.setattr(lock_worker, "find_conflict", lambda *args, **more: asked.append(args))
    for step in range(6):
        document.edit_lock(key, target=document.strip(key).lock.target + np.array([0.0, 0.01 * step, 0.0]))
        qtbot.wait(20)
    assert not asked
    qtbot.waitUntil(lambda: not worker.busy, timeout=5000)
    assert len(asked) == 1


def test_a_long_search_for_a_conflict_is_told(panel, document, qtbot, monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr(lock_worker, "find_conflict", lambda *args, **values: gate.wait(10.0) and None)
    worker = lock_worker.ConflictWorker(document)
    key = put(document, "left hand")
    document.edit_lock(key, target=np.asarray(document.strip(key).lock.target) + 5.0)
    assert panel.looking.isHidden()
    qtbot.waitUntil(lambda: not panel.looking.isHidden(), timeout=3000)
    gate.set()
    qtbot.waitUntil(panel.looking.isHidden, timeout=3000)
    worker.stop()


def test_a_lock_that_holds_at_all_times_becomes_a_strip_when_it_is_edited(panel, document):
    put(document, "right foot")
    document.sequence.locks = [document.strips[0].lock]
    document.model.forget_poses()
    document.clear_locks()
    before = document.state_json()
    key = next(iter(panel.list.rows))
    assert key.startswith(ALWAYS)
    panel.flip_editor(key)
    strip = document.strips[0]
    assert (strip.start, strip.end, strip.lock.joint) == (0, None, "right foot") and not document.sequence.locks
    assert panel.opened == strip.id and panel.editor.key == strip.id
    after = document.state_json()
    document.undo()
    assert document.state_json() == before and len(document.sequence.locks) == 1
    document.redo()
    assert document.state_json() == after
    document.undo()
    panel.remove(key)
    assert not document.sequence.locks and not document.strips
    document.undo()
    assert document.state_json() == before
    step = Step.from_json(document, json.loads(json.dumps(document.stack.command(document.stack.index()).to_json())))
    assert step.to_json() == document.stack.command(document.stack.index()).to_json()


def test_an_editor_that_opens_is_scrolled_into_sight_with_its_joints(qtbot, panel, document):
    for part in ("left hand", "right hand", "left foot", "right foot", "head"):
        put(document, part)
    panel.frame.resize(300, 480)
    key = list(panel.list.rows)[-1]
    panel.open_editor(key)
    row, editor = panel.list.rows[key], panel.editor
    qtbot.waitUntil(lambda: editor.height() > 250 and editor.visibleRegion().boundingRect() == editor.rect())
    assert row.visibleRegion().boundingRect() == row.rect()
    helpers = editor.helpers
    helpers.presets.segment("chosen").click()
    qtbot.waitUntil(lambda: helpers.presets.visibleRegion().boundingRect() == helpers.presets.rect())
    bar = helpers.tree.verticalScrollBar()
    assert helpers.tree.isVisible() and bar.maximum() == 0, "the panel scrolls, not the list in it"
    before = helpers.tree.height()
    helpers.tree.item(0).setExpanded(False)
    assert helpers.tree.height() < before
