"""The editor of a lock: kind, target, axes, weight, frames, joints that help."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.document.document import Document
from app.document.step import Step
from app.panels import LocksPanel
from app.panels.locks.helpers import joints_up_to, limb_joints
from app.panels.locks.lock_list import fitted
from app.panels.locks.row_texts import ALWAYS, lines_of
from core.constraints import Lock
from core.kinematics import forward_kinematics
from core.skeleton.building import props
from tests.gui.locks_panel_support import opened, put, shown, steps

NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def document(qapp: QApplication, skeletons_folder) -> Document:
    return opened(skeletons_folder, "stickman.scr")


@pytest.fixture
def panel(qtbot, document: Document) -> LocksPanel:
    return shown(qtbot, document)


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
    document.locks.lock_pair("point_pair", "left hand", "right hand")
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
    editor.target.direction.fields[0].edit_to(0.5)
    assert editor.look.currentText() == "Custom"
    editor.kind.picked.emit("position")
    assert not editor.look_row.isVisible()


def test_select_all_in_a_number_field_is_about_its_text(editor, document):
    document.selection.set(())
    field = editor.ease_in
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert field.typing and field._editor.selectedText() == field._editor.text() != ""
    assert not editor.ease_out.isEnabled() and "last frame" in editor.ease_out.toolTip()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "kind", ["position", "orientation", "pose", "plane", "line", "look_at", "point_pair", "distance", "aim"]
)
def test_every_kind_shows_a_target_that_it_gives_back(editor, document, kind):
    editor.kind.picked.emit(kind)
    lock = lock_of(editor)
    assert lock.kind == kind
    target = editor.target
    fields = [*target.place.fields, *target.turn.fields, *target.direction.fields, target.length]
    first = next(field for field in fields if field.isVisible())
    field = target.direction.fields[2] if target.direction.isVisible() else first
    before, kept = steps(document), document.state_json()
    field.edit_to(field.value + 1.0)
    assert steps(document) == before + 1 and lock_of(editor) != lock
    document.history.undo()
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
    assert editor.end.shown_text() == "no end" and not editor.ease_out.isEnabled()
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
    editor.target.direction.fields[0].edit_to(1.0)
    state = next(state for state in document.locks.states() if state.strip.id == editor.key)
    assert lock_of(editor).target[0] == pytest.approx(np.sqrt(0.5))
    assert state.position_residual == pytest.approx(0.0, abs=1e-12)


def test_a_lock_that_holds_at_all_times_becomes_a_strip_when_it_is_edited(panel, document):
    put(document, "right foot")
    document.sequence.locks = [document.locks.strips[0].lock]
    document.model.forget_poses()
    document.locks.clear()
    before = document.state_json()
    key = next(iter(panel.list.rows))
    assert key.startswith(ALWAYS)
    panel.flip_editor(key)
    strip = document.locks.strips[0]
    assert (strip.start, strip.end, strip.lock.joint) == (0, None, "right foot") and not document.sequence.locks
    assert panel.opened == strip.id and panel.editor.key == strip.id
    after = document.state_json()
    document.history.undo()
    assert document.state_json() == before and len(document.sequence.locks) == 1
    document.history.redo()
    assert document.state_json() == after
    document.history.undo()
    panel.remove(key)
    assert not document.sequence.locks and not document.locks.strips
    document.history.undo()
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


def test_a_switch_says_who_gives_way_to_a_lock_between_figures(panel, document):
    document.figures.add(props.box((0.2, 0.2, 0.2)), "Add box", beside=True)
    assert document.figures.show(0)
    document.selection.set((document.skeleton.joint_index("left hand"),))
    assert document.grips.hold(1)
    grip = document.locks.strips[-1]
    panel.open_editor(grip.id)
    editor = panel.editor
    assert editor.mutual_row.isVisible() and editor.mutual.isChecked()
    before = steps(document)
    QTest.mouseClick(editor.mutual, LEFT, NONE, editor.mutual.rect().center())
    assert not lock_of(editor).mutual and steps(document) == before + 1 and not editor.mutual.isChecked()
    document.history.undo()
    assert lock_of(editor).mutual and editor.mutual.isChecked()
    editor.kind.picked.emit("position")  # which has no second part
    assert lock_of(editor).kind == "position" and not lock_of(editor).mutual and not editor.mutual_row.isVisible()
    document.history.undo()


def test_a_lock_of_one_figure_has_no_such_switch(editor):
    editor.kind.picked.emit("distance")
    assert editor.other_row.isVisible() and not editor.mutual_row.isVisible()
