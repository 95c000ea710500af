"""How selected joints follow a drag, as it is set in the joints panel and in the skeleton mode's form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from app.document.document import Document
from app.document.edits.following import graded
from app.look import style
from app.panels import JointsPanel
from app.widgets.fields.slider import MARGIN
from app.window.main_window import MainWindow
from tests.support.dock_frame import DockFrame

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def document(qapp: QApplication, skeletons_folder) -> Document:
    made = Document()
    assert made.files.open(skeletons_folder / "human.scr")
    return made


@pytest.fixture
def panel(qtbot, document: Document) -> JointsPanel:
    made = JointsPanel(document)
    frame = DockFrame([made])
    qtbot.addWidget(frame)
    frame.resize(260, 700)
    frame.show()
    frame.activateWindow()
    assert QTest.qWaitForWindowActive(frame)
    made.frame = frame  # type: ignore[attr-defined]
    return made


def values(document: Document, *names: str) -> list[tuple[float, float]]:
    joints = document.skeleton.joints
    found = (joints[document.skeleton.joint_index(name)] for name in names)
    return [(joint.weight, joint.resistance) for joint in found]


def drag(slider, pixels: int, release: bool = True) -> None:
    start = round(slider.position(slider.value))
    QTest.mousePress(slider, LEFT, NONE, QPoint(start, 12))
    for step in (pixels // 3, 2 * pixels // 3, pixels):
        QTest.mouseMove(slider, QPoint(start + step, 12))
    if release:
        QTest.mouseRelease(slider, LEFT, NONE, QPoint(start + pixels, 12))


def test_it_shows_the_joint_selected_last(panel, document):
    section = panel.following
    assert section.header.summary == "select a part" and section.body.isHidden()
    document.selection.set(["right hand"])
    assert section.header.summary == "Right hand" and section.body.isVisible()
    assert section.responsiveness.value == pytest.approx(35.0) and section.stiffness.value == 1.0
    document.selection.set(["right hand", "right forearm"])
    assert section.header.summary == "2 joints" and section.responsiveness.value == 100.0
    section.header.click()
    assert section.body.isHidden()
    document.files.new()
    assert section.isHidden()


def test_a_drag_of_a_slider_is_one_step_and_nothing_else_changes(panel, document):
    document.selection.set(["right forearm"])
    pose, rows = np.array(document.pose), list(panel._rows)
    section = panel.following
    drag(section.responsiveness.slider, -20)
    assert document.stack.count() == 1 and "esponsiveness" in document.stack.text(0)
    ((weight, resistance),) = values(document, "right forearm")
    assert 0.0 < weight < 1.0 and resistance == 1.0
    assert section.responsiveness.value == pytest.approx(100.0 * weight)
    assert np.array_equal(document.pose, pose) and document.selection.joints == (
        document.skeleton.joint_index("right forearm"),
    )
    assert panel._rows == rows, "rows are not made anew for that"
    drag(section.stiffness.slider, 15)
    assert document.stack.count() == 2
    assert values(document, "right forearm")[0][1] > 1.0
    document.history.undo()
    document.history.undo()
    assert values(document, "right forearm") == [(1.0, 1.0)]
    assert section.responsiveness.value == 100.0 and section.stiffness.value == 1.0


def test_escape_gives_an_edit_up(panel, document):
    document.selection.set(["right forearm"])
    slider = panel.following.stiffness.slider
    drag(slider, 20, release=False)
    assert panel.following.stiffness.field.value > 1.0
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Escape)
    QTest.mouseRelease(slider, LEFT)
    assert document.stack.count() == 0 and panel.following.stiffness.value == 1.0
    assert panel.following.stiffness.field.value == 1.0


def test_several_joints_and_both_sides_are_edited_together(panel, document):
    document.selection.set(["right forearm", "right upper arm"])
    section = panel.following
    section.stiffness.field.edit_to(4.0)
    names = ("right forearm", "right upper arm", "left forearm", "left upper arm")
    assert [d for _, d in values(document, *names)] == [4.0, 4.0, 1.0, 1.0]
    section.mirror.click()
    section.stiffness.field.edit_to(0.5)
    assert [d for _, d in values(document, *names)] == [0.5] * 4
    assert document.stack.count() == 2
    section.reset.click()
    assert values(document, *names) == [(1.0, 1.0)] * 4
    assert document.stack.count() == 3 and not section.reset.isEnabled()
    document.history.undo()
    assert [d for _, d in values(document, *names)] == [0.5] * 4


def test_what_cannot_be_is_clamped_and_said(panel, document):
    document.selection.set(["right forearm"])
    reported = []
    document.message.connect(lambda level, text, details: reported.append(text))
    field = panel.following.stiffness.field
    QTest.mouseClick(field, LEFT)
    field._editor.setText("-3")
    QTest.keyClick(field._editor, Qt.Key.Key_Return)
    assert values(document, "right forearm") == [(1.0, 0.01)]
    assert any("Stiffness can be" in text for text in reported)


def test_the_dial_grades_the_limb_and_is_read_back(panel, document):
    document.selection.set(["right hand"])
    section = panel.following
    names = [document.skeleton.joint_names[joint] for joint in section.chain]
    assert names == ["right clavicle", "right upper arm", "right forearm", "right hand"]
    assert section.dial.is_open, "the figure's own values are no place of the dial"
    before = values(document, *names)
    section.dial.edit_to(-0.5)
    assert values(document, *names) == graded(4, -0.5)
    assert document.stack.count() == 1 and not section.dial.is_open
    assert section.dial.value == pytest.approx(-0.5)
    assert section.responsiveness.value == pytest.approx(100.0 * graded(4, -0.5)[-1][0])
    section.mirror.click()
    section.dial.edit_to(1.0)
    left = [name.replace("right", "left") for name in names]
    assert values(document, *names) == values(document, *left) == graded(4, 1.0)
    QTest.mouseDClick(section.dial, LEFT, pos=QPoint(10, 12))
    assert values(document, *names) == [(1.0, 1.0)] * 4
    for _ in range(3):
        document.history.undo()
    assert values(document, *names) == before and section.dial.is_open
    document.session.tools.drag_mode = "body"
    assert len(section.chain) > 4 and section.limb_label.text() == "Chain"


def test_while_the_dial_is_dragged_the_joints_values_are_shown(panel, document):
    document.selection.set(["right forearm"])
    section = panel.following
    drag(section.dial, -30, release=False)
    assert section.responsiveness.value < 100.0 and document.stack.count() == 0
    section.dial.setFocus()
    QTest.keyClick(section.dial, Qt.Key.Key_Escape)
    QTest.mouseRelease(section.dial, LEFT)
    assert section.responsiveness.value == 100.0 and document.stack.count() == 0


def test_the_middle_of_the_dial_is_exactly_as_usual(panel, document):
    document.selection.set(["right hand"])
    section = panel.following
    names = [document.skeleton.joint_names[joint] for joint in section.chain]
    firsts = [3 + document.skeleton.first_dof[joint] for joint in section.chain]
    dial = section.dial
    end = round(dial.position(-1.0)) - round(dial.position(0.0))
    for off in (-3, 3):
        drag(dial, 2 * end)
        assert dial.value == -1.0 and panel.row(firsts[-1]).mark == "3%"
        drag(dial, -end + off)
        assert dial.value == 0.0 and values(document, *names) == [(1.0, 1.0)] * len(names)
        assert [panel.row(first).mark for first in firsts] == [""] * len(names)
        assert not section.reset.isEnabled()
    for _ in range(7):
        QTest.keyClick(dial, Qt.Key.Key_Left)
    assert dial.value < -0.2
    for _ in range(7):
        QTest.keyClick(dial, Qt.Key.Key_Right)
    assert dial.value == 0.0 and values(document, *names) == [(1.0, 1.0)] * len(names)


def test_what_the_digits_do_not_show_has_no_mark(panel, document):
    first = 3 + document.skeleton.first_dof[document.skeleton.joint_index("right forearm")]
    document.figures.set_joint_values({"right forearm": {"weight": 0.998, "resistance": 1.001}}, "Set")
    assert panel.row(first).mark == ""
    document.figures.set_joint_values({"right forearm": {"weight": 0.98, "resistance": 12.5}}, "Set")
    assert panel.row(first).mark == "98% · 12.5×"


def test_a_setting_fills_from_nothing(panel, document):
    """Responsiveness is usual at its right end; what it has is what is filled, not what it lacks."""
    document.selection.set(["right forearm"])
    panel.following.responsiveness.field.edit_to(35.0)
    slider = panel.following.responsiveness.slider
    picture, ratio = slider.grab().toImage(), slider.devicePixelRatioF()
    x = slider.position(slider.value)

    def at(place: float) -> str:
        return picture.pixelColor(round(place * ratio), round(slider.height() / 2 * ratio)).name()

    right = slider.width() - MARGIN
    assert at((MARGIN + x - 8) / 2) == style.color("accent").name()
    assert at((right + x + 8) / 2) == style.color("line2").name()


def test_rows_of_changed_joints_are_marked(panel, document):
    skeleton = document.skeleton
    hand, forearm = (3 + skeleton.first_dof[skeleton.joint_index(name)] for name in ("right hand", "right forearm"))
    assert panel.row(hand).mark == "35%" and "Responsiveness 35%" in panel.row(hand).toolTip()
    assert panel.row(hand + 1).mark == "", "once a joint"
    assert panel.row(forearm).mark == ""
    document.figures.set_joint_values({"right forearm": {"weight": 0.5, "resistance": 3.0}}, "Set")
    assert panel.row(forearm).mark == "50% · 3×"
    document.history.undo()
    assert panel.row(forearm).mark == ""
    panel.following.reset_all()
    assert panel.row(hand).mark == "" and document.stack.count() == 1


def test_a_fixed_part_grades_the_chain_behind_it(panel, document, skeletons_folder):
    assert document.files.open(skeletons_folder / "robot.scr")
    skeleton, section = document.skeleton, panel.following
    document.selection.set(["right palm"])
    assert not skeleton.joints[skeleton.joint_index("right palm")].dofs
    assert section.header.summary == "Right palm" and "fixed" in section.header.toolTip()
    assert section.dial.isVisible() and section.dial.isEnabled() and not section.responsiveness.isVisible()
    names = [skeleton.joint_names[joint] for joint in section.chain]
    section.dial.edit_to(-1.0)
    assert values(document, *names) == graded(len(names), -1.0) and len(names) > 3
    section.mirror.click()
    section.reset.click()
    both = [*names, *(name.replace("right", "left") for name in names)]
    assert values(document, *both) == [(1.0, 1.0)] * len(both) and document.stack.count() == 2
    document.selection.set(["right forearm"])
    assert section.responsiveness.isVisible() and section.header.toolTip() == "Right forearm"


def test_a_part_that_nothing_moves_says_so(panel, document, tmp_path):
    file = tmp_path / "post.scr"
    file.write_text('define skeleton "post"\n    joint "post"\nend skeleton\ndefine joint "post"\nend joint\n')
    assert document.files.open(file)
    document.selection.set([0])
    assert panel.following.header.summary == "cannot move" and panel.following.body.isHidden()


def test_a_long_name_leaves_the_title_in_sight(panel, document):
    header = panel.following.header
    header.resize(252, header.height())
    header.set_summary("Terminal gripper with rotating camera mount")
    title, summary = header.shown_texts()
    assert title == "How it follows" and summary.startswith("Termin") and summary.endswith("…")
    header.set_summary("Hand")
    assert header.shown_texts() == ("How it follows", "Hand")
    header.resize(120, header.height())
    header.set_summary("Terminal gripper")
    title, summary = header.shown_texts()
    assert title.startswith("How") and summary.startswith("T")


def test_assistive_tools_hear_what_the_dial_says(panel, document):
    document.selection.set(["right hand"])
    dial = panel.following.dial
    dial.edit_to(0.4)
    assert dial.spoken_value().startswith("40 percent loose chain")
    dial.edit_to(-1.0)
    assert dial.spoken_value().startswith("100 percent stiff rod")
    assert panel.following.responsiveness.slider.spoken_value() == "3 percent, 0 to 100"


@pytest.mark.verify
def test_the_skeleton_form_has_the_same_two_values(window: MainWindow):
    document = window.document
    window.skeleton.set_mode("skeleton")
    document.selection.set(["right forearm"])
    form, joints = window.skeleton.panel.form, window.panels[0]
    assert form.weight.value == 100.0 and form.resistance.value == 1.0
    keys = document.sequence.keys
    form.weight.edit_to(40.0)
    form.resistance.edit_to(2.5)
    assert values(document, "right forearm") == [(0.4, 2.5)]
    assert document.stack.count() == 2 and document.sequence.keys == keys
    assert form.sections["How it follows"].summary == "40% · 2.5×"
    labels = {label.text(): label for label in form.findChildren(QLabel)}
    for word in (joints.following.responsiveness.label.text(), joints.following.stiffness.label.text()):
        assert labels[word].sizeHint().width() <= labels[word].width(), "the same words in both modes, and whole"
    document.history.undo()
    assert form.resistance.value == 1.0 and math.isclose(form.weight.value, 40.0)
    window.skeleton.set_mode("pose")
    document.selection.set(["right forearm"])
    assert joints.following.responsiveness.value == pytest.approx(40.0)
    assert joints.row(3 + document.skeleton.first_dof[document.skeleton.joint_index("right forearm")]).mark == "40%"


def test_the_words_under_the_dial_do_not_run_into_each_other(panel):
    dial = panel.following.dial
    assert dial.ends_within(200.0) == ("Stiff rod", "Loose chain")
    assert dial.ends_within(76.0) == ("Stiff", "Loose")
