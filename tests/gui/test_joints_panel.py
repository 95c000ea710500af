"""The joints panel and the solver panel on a real document: one drag is one undo step, and rows follow the pose."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QCursor, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.document.document import Document
from app.document.edits import joint_edits
from app.panels import PANELS, JointsPanel, SolverPanel
from app.widgets.behaviour.focus_chain import focus_chain
from app.widgets.joints.joint_groups import caption
from app.widgets.joints.joint_row import JointRow
from app.window.main_window import MainWindow
from core.ik import SOLVERS
from core.kinematics.chain import drag_chain
from tests.support.dock_frame import DockFrame

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

FIGURE = """
define skeleton "pair"
    joint "base"
    group "arm"
        joint "upper"
        joint "lower"
        joint "rail"
    end group
end skeleton
define joint "base"
    offset 0 1 0
    mass 1
end joint
define joint "upper"
    hinge x -60 180 "Shoulder flex"
    hinge z 0 90 "Shoulder out"
    mass 1
end joint
define joint "lower"
    offset 0 -0.3 0
    hinge x 10 150 "Elbow flex"
    mass 1
end joint
define joint "rail"
    offset 0 -0.3 0
    slide y
    mass 1
end joint
"""
FLEX, OUT, ELBOW, RAIL = 3, 4, 5, 6


@pytest.fixture
def document(qapp, tmp_path) -> Document:
    path = tmp_path / "pair.scr"
    path.write_text(FIGURE, encoding="utf-8")
    made = Document()
    assert made.files.load_figure(path) is not False
    made.stack.clear()
    return made


@pytest.fixture
def panel(qtbot, document) -> JointsPanel:
    made = JointsPanel(document)
    frame = DockFrame([made])
    qtbot.addWidget(frame)
    frame.resize(260, 400)
    with qtbot.waitExposed(frame):
        frame.show()
    made.frame = frame
    return made


def move(widget: QWidget, x: float) -> None:
    at = QPointF(x, 12)
    QApplication.sendEvent(
        widget, QMouseEvent(QEvent.Type.MouseMove, at, widget.mapToGlobal(at), Qt.MouseButton.NoButton, LEFT, NONE)
    )


def drag_slider(row: JointRow, *by: float, release: bool = True) -> None:
    slider = row.slider
    start = round(slider.position(slider.value))
    QTest.mousePress(slider, LEFT, NONE, QPoint(start, 12))
    for step in by:
        move(slider, start + step)
    if release:
        QTest.mouseRelease(slider, LEFT, NONE, QPoint(round(start + by[-1]), 12))


def test_a_slider_drag_is_one_undo_step(panel, document):
    before = np.array(document.pose)
    row = panel.row(FLEX)
    drag_slider(row, 3, 6, 9, 12)
    assert document.pose[FLEX] > before[FLEX]
    assert np.array_equal(np.delete(document.pose, FLEX), np.delete(before, FLEX))
    assert document.stack.count() == 1
    assert "Shoulder flex" in document.stack.text(0)
    assert row.field.value == pytest.approx(math.degrees(document.pose[FLEX]))
    after = np.array(document.pose)
    document.stack.undo()
    assert np.array_equal(document.pose, before)
    assert row.slider.value == pytest.approx(math.degrees(before[FLEX]))
    document.stack.redo()
    assert np.array_equal(document.pose, after)


def test_a_figure_with_the_same_rows_keeps_those_that_are_there(panel, document, tmp_path):
    first, drawn = panel.row(FLEX), document.skeleton
    pose = np.array(document.pose)
    pose[FLEX] = 0.5
    document.posing.set(pose)
    assert document.files.open(tmp_path / "pair.scr") and document.skeleton is not drawn
    assert panel.row(FLEX) is first and first.slider.value == pytest.approx(math.degrees(document.pose[FLEX]))
    drag_slider(first, 6)
    assert document.stack.count() == 1 and first.slider.value == pytest.approx(math.degrees(document.pose[FLEX]))
    narrower = joint_edits.with_limits("upper", 0, math.radians(-20.0), math.radians(90.0))
    document.figures.edit(narrower, "Set limit")
    assert panel.row(FLEX) is not first and panel.row(FLEX).hi == pytest.approx(math.radians(90.0))


def test_the_pose_follows_live_while_dragging(panel, document):
    row = panel.row(OUT)
    drag_slider(row, 10, release=False)
    first = document.pose[OUT]
    move(row.slider, row.slider.position(row.slider.value) + 10)
    assert document.pose[OUT] > first > 0.0
    assert document.stack.count() == 0
    QTest.mouseRelease(row.slider, LEFT)
    assert document.stack.count() == 1


def test_escape_restores_the_pose_and_leaves_no_step(panel, document):
    before = np.array(document.pose)
    row = panel.row(FLEX)
    drag_slider(row, 15, release=False)
    assert not np.array_equal(document.pose, before)
    QTest.keyClick(row.slider, Qt.Key.Key_Escape)
    assert np.array_equal(document.pose, before)
    QTest.mouseRelease(row.slider, LEFT)
    assert document.stack.count() == 0
    assert row.slider.value == pytest.approx(math.degrees(before[FLEX]))


def test_undo_during_a_drag_cancels_it_and_the_row_shows_the_pose(panel, document):
    before = np.array(document.pose)
    row = panel.row(FLEX)
    drag_slider(row, 15, release=False)
    document.history.undo()
    assert np.array_equal(document.pose, before)
    move(row.slider, 120)
    QTest.mouseRelease(row.slider, LEFT)
    assert np.array_equal(document.pose, before)
    assert row.slider.value == pytest.approx(math.degrees(before[FLEX]))
    assert document.stack.count() == 0


def test_limits_hold_to_the_last_bit(panel, document):
    row = panel.row(ELBOW)
    drag_slider(row, 400)
    assert document.pose[ELBOW] == document.skeleton.limits[ELBOW - 3, 1]
    assert row.slider.at_limit == 1
    QTest.keyClick(row.slider, Qt.Key.Key_Home)
    assert document.pose[ELBOW] == document.skeleton.limits[ELBOW - 3, 0]


def test_typing_is_one_step_in_degrees(panel, document):
    field = panel.row(FLEX).field
    field.open_editor()
    field._editor.setText("90/2")
    QTest.keyClick(field._editor, Qt.Key.Key_Return)
    assert document.pose[FLEX] == pytest.approx(math.radians(45.0), abs=1e-15)
    assert document.stack.count() == 1


def test_refused_input_is_reported_through_the_document(panel, document):
    reported: list[str] = []
    document.message.connect(lambda level, text, details: reported.append(text))
    field = panel.row(FLEX).field
    field.open_editor()
    field._editor.setText("900")
    QTest.keyClick(field._editor, Qt.Key.Key_Return)
    assert reported == ["Shoulder flex can be −60 to 180°"]


def test_the_root_is_shown_where_it_stands_in_the_world(panel, document):
    assert panel.header("Root").summary == "x 0.00 y 1.00 z 0.00 m"
    row = panel.row(1)
    assert row.field.value == pytest.approx(1.0)
    row.field.edit_to(1.25)
    assert document.pose[1] == pytest.approx(0.25)
    assert panel.header("Root").summary == "x 0.00 y 1.25 z 0.00 m"
    assert row.field.shown_text() == "1.250 m"


def test_rows_follow_the_document(panel, document):
    rows = {index: panel.row(index) for index in (FLEX, OUT, ELBOW, RAIL)}
    pose = np.array(document.pose)
    pose[[FLEX, OUT, ELBOW, RAIL]] = 0.5, 0.25, 1.0, 0.1
    document.posing.set(pose, "Pose")
    for index in (FLEX, OUT, ELBOW):
        assert rows[index].slider.value == pytest.approx(math.degrees(pose[index]))
    assert rows[RAIL].field.shown_text() == "0.100 m"


def test_rows_out_of_sight_catch_up_when_they_come_into_sight(panel, document, qtbot):
    row = panel.row(RAIL)
    panel.frame.resize(260, 90)
    qtbot.wait(10)
    pose = np.array(document.pose)
    pose[RAIL] = 0.4
    document.posing.set(pose, "Pose")
    assert row.field.value != pytest.approx(0.4)
    panel.view.verticalScrollBar().setValue(panel.view.verticalScrollBar().maximum())
    assert row.field.value == pytest.approx(0.4)


def test_the_drag_chain_is_tinted_and_named(panel, document):
    rows = [panel.row(index) for index in (FLEX, ELBOW)]
    document.session.drag.chain = drag_chain(document.skeleton, "lower", "part")
    assert [row.in_chain for row in rows] == [False, True]
    assert panel.header("Arm").summary == "in drag chain"
    document.session.drag.chain = None
    assert not any(row.in_chain for row in rows)
    assert panel.header("Arm").summary == "4 DOF"


def test_a_click_on_the_label_selects_the_joint(panel, document):
    row = panel.row(ELBOW)
    QTest.mouseClick(row, LEFT, NONE, QPoint(40, 12))
    assert document.selection.joints == (row.joint,)
    assert row.selected
    other = panel.row(FLEX)
    QTest.mouseClick(other, LEFT, Qt.KeyboardModifier.ShiftModifier, QPoint(40, 12))
    assert set(document.selection.joints) == {row.joint, other.joint}
    document.selection.set(())
    assert not row.selected


def test_hovering_lights_the_part(panel, document):
    row = panel.row(ELBOW)
    row.hovered.emit(row, True)
    assert document.session.view.hover == row.joint
    row.hovered.emit(row, False)
    assert document.session.view.hover is None


def test_menu_resets_one_or_the_whole_group_in_one_step(panel, document):
    pose = np.array(document.pose)
    rest = document.skeleton.rest_pose()
    pose[[FLEX, OUT, ELBOW]] = 0.5, 0.25, 1.0
    document.posing.set(pose, "Pose")
    count = document.stack.count()
    actions = {action.text(): action for action in panel.row_menu(panel.row(FLEX)).actions()}
    actions["Reset to rest"].trigger()
    assert document.pose[FLEX] == rest[FLEX]
    assert document.pose[OUT] == 0.25
    actions["Reset group “Arm”"].trigger()
    assert np.array_equal(document.pose, rest)
    assert document.stack.count() == count + 2
    actions["Select joint"].trigger()
    assert document.selection.joints == (panel.row(FLEX).joint,)


def test_groups_close_and_the_filter_finds(panel):
    header = panel.header("Arm")
    row = panel.row(ELBOW)
    assert row.isVisible()
    QTest.mouseClick(header, LEFT)
    assert not row.isVisible()
    panel.search.setText("elbow")
    assert row.isVisible()
    assert header.summary == "1 of 4 DOF"
    assert not panel.row(FLEX).isVisible()
    assert not panel.header("Root").isVisible()
    panel.search.setText("")
    assert not row.isVisible()
    assert header.summary == "4 DOF"


@pytest.mark.parametrize(
    ("label", "title", "wanted"),
    [
        ("Right arm swing", "Right Arm", "Swing"),
        ("Right hand bend", "Right arm", "Hand bend"),
        ("Neck bend", "Head and neck", "Neck bend"),
        ("Right arm", "Right arm", "Arm"),
        ("Elbow", "Elbow", "Elbow"),
        ("Left leg Z", "Left leg", "Leg Z"),
        ("Spine 1 Z", "Spine", "Spine 1 Z"),
        ("Left joint 1 y", "Left joint 1", "Joint 1 y"),
    ],
)
def test_captions_leave_out_what_the_group_says(label, title, wanted):
    assert caption(label, title) == wanted


def test_compound_icon_stands_once(panel):
    assert [panel.row(index).icon for index in (FLEX, OUT, ELBOW, RAIL)] == ["ball", "", "hinge", "slide"]


def test_names_for_assistive_tools(panel):
    row = panel.row(FLEX)
    assert row.slider.accessibleName() == row.field.accessibleName() == "Shoulder flex"
    assert row.slider.spoken_value() == "0 degrees, −60 to 180"
    assert panel.row(RAIL).slider.spoken_value() == "0 metres"


def test_empty_without_a_figure(qtbot, qapp):
    panel = JointsPanel(Document())
    qtbot.addWidget(panel)
    panel.show()
    assert panel.empty.isVisible()
    assert not panel.view.isVisible()


def test_a_new_figure_replaces_the_rows(panel, document, tmp_path):
    panel.row(FLEX)
    path = tmp_path / "one.scr"
    path.write_text(
        'define skeleton "one"\n joint "a"\nend skeleton\ndefine joint "a"\n hinge x 0 90 "Only"\n mass 1\nend joint\n',
        encoding="utf-8",
    )
    document.files.new()
    assert document.files.load_figure(path) is not False
    assert panel.row(3).label == "Only"
    with pytest.raises(KeyError):
        panel.header("Arm")


def test_solver_panel_lists_every_solver_and_follows(qtbot, document):
    panel = SolverPanel(document)
    qtbot.addWidget(panel)
    panel.resize(260, 120)
    panel.show()
    assert list(panel.rows) == [solver.name for solver in SOLVERS]
    assert panel.rows["ccd"].isChecked()
    QTest.mouseClick(panel.rows["damped_least_squares"], LEFT)
    assert document.session.solver.name == "damped_least_squares"
    document.session.solver.name = "jacobian_transpose"
    assert panel.rows["jacobian_transpose"].isChecked()
    assert not panel.rows["ccd"].isChecked()


def test_every_panel_says_what_it_is(document):
    for panel in PANELS:
        assert panel.title
        assert panel.icon
        assert panel.area in ("left", "right")


def test_scrolling_under_a_still_mouse_moves_the_hover_on(panel, document, qtbot):
    panel.frame.resize(260, 110)
    panel.frame.activateWindow()
    assert QTest.qWaitForWindowActive(panel.frame)
    bar = panel.view.verticalScrollBar()
    flex, elbow = panel.row(FLEX), panel.row(ELBOW)
    bar.setValue(50)
    QCursor.setPos(panel.view.viewport().mapToGlobal(QPoint(40, 20)))
    qtbot.waitUntil(lambda: document.session.view.hover == flex.joint, timeout=2000)
    assert flex.joint != elbow.joint
    bar.setValue(elbow.y() - 20)
    assert document.session.view.hover == elbow.joint
    assert elbow._over and not flex._over
    bar.setValue(0)
    assert document.session.view.hover is None
    assert not elbow._over


def test_scrolling_to_a_selection_keeps_what_a_view_hovers(panel, document, qtbot):
    panel.frame.resize(260, 110)
    QCursor.setPos(panel.frame.mapToGlobal(QPoint(600, 600)))
    qtbot.wait(20)
    document.session.view.hover = 1
    panel.view.verticalScrollBar().setValue(panel.row(RAIL).y())
    assert document.session.view.hover == 1


def test_escape_in_the_search_gives_the_keyboard_home(panel, document, qtbot):
    panel.frame.activateWindow()
    assert QTest.qWaitForWindowActive(panel.frame)
    panel.row(FLEX)
    home = QWidget(panel.frame)
    home.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    home.show()
    for wanted in (home, None):
        panel.home = wanted
        panel._search_button.setChecked(True)
        assert panel.search.hasFocus()
        QTest.keyClicks(panel.search, "elbow")
        QTest.keyClick(panel.search, Qt.Key.Key_Escape)
        assert QApplication.focusWidget() is wanted
        assert not panel.search.isVisible() and panel.search.text() == ""


def test_tab_goes_from_the_search_through_the_groups_in_order(panel):
    panel.header("Root").setChecked(True)
    rows = [panel.row(index) for index in range(7)]
    wanted = [panel.header("Root"), *(w for row in rows[:3] for w in (row.slider, row.field))]
    wanted += [panel.header("Arm"), *(w for row in rows[3:] for w in (row.slider, row.field))]
    assert [at for at in focus_chain(panel.search) if at in wanted] == wanted


def test_the_keyboard_reaches_the_first_control_in_sight(panel, qtbot, document):
    panel.frame.activateWindow()
    assert QTest.qWaitForWindowActive(panel.frame)
    panel.search.setFocus()
    panel.header("Root").clearFocus()
    panel.setFocus(Qt.FocusReason.TabFocusReason)
    assert panel.header("Root").hasFocus() and panel.header("Root").focus_ring
    panel.frame.resize(260, 100)
    panel.view.verticalScrollBar().setValue(panel.row(RAIL).y())
    panel.setFocus(Qt.FocusReason.TabFocusReason)
    focused = QApplication.focusWidget()
    assert not focused.visibleRegion().isEmpty() and focused.focus_ring
    solver = SolverPanel(document)
    qtbot.addWidget(solver)
    solver.show()
    solver.activateWindow()
    assert QTest.qWaitForWindowActive(solver)
    document.session.solver.name = "jacobian_transpose"
    solver.setFocus(Qt.FocusReason.TabFocusReason)
    assert solver.rows["jacobian_transpose"].hasFocus() and solver.rows["jacobian_transpose"].focus_ring


def test_the_range_is_said_after_the_edit_that_was_clamped(panel, document):
    reported: list[str] = []
    document.stack.indexChanged.connect(lambda _: reported.append("step"))
    document.message.connect(lambda level, text, details: reported.append(text))
    field = panel.row(FLEX).field
    for _ in range(2):  # the second time the value stays where it is
        field.open_editor()
        field._editor.setText("900")
        QTest.keyClick(field._editor, Qt.Key.Key_Return)
    assert reported == ["step", "Shoulder flex can be −60 to 180°", "Shoulder flex can be −60 to 180°"]


@pytest.mark.parametrize("how", ["escape", "same", "other"])
def test_the_complaint_about_typed_text_goes_away(panel, document, how):
    reported: list[str] = []
    document.message.connect(lambda level, text, details: reported.append(text))
    field = panel.row(FLEX).field
    field.open_editor()
    field._editor.setText("2 +")
    QTest.keyClick(field._editor, Qt.Key.Key_Return)
    assert len(reported) == 1 and reported[0].startswith("Shoulder flex:")
    if how != "escape":
        field._editor.setText("0.0" if how == "same" else "20")
    QTest.keyClick(field._editor, Qt.Key.Key_Escape if how == "escape" else Qt.Key.Key_Return)
    assert not field.typing and not field.warned
    assert reported[1:] == [""]


def test_tab_goes_through_one_dock_after_the_other(window: MainWindow) -> None:
    """Strip, panel, strip, panel: also for rows that were made after the docks."""
    places: list[int] = []
    shown = [dock for dock in window.workbench.docks if dock.isVisible()]
    parts = [part for dock in shown for part in (dock.titleBarWidget(), dock.widget())]
    for at in focus_chain(window):
        if at.isVisible():
            places += [k for k, part in enumerate(parts) if part.isAncestorOf(at)]
    assert set(places) == set(range(len(parts)))
    start = places.index(0) if places[0] == places[-1] or places[0] != 0 else 0
    turned = places[start:] + places[:start]
    assert turned == sorted(turned)


def test_escape_in_the_search_lets_space_play(window: MainWindow, qtbot) -> None:
    joints = window.panels[0]
    QTest.mouseClick(joints.title_buttons()[0], Qt.MouseButton.LeftButton)
    assert joints.search.hasFocus()
    QTest.keyClick(joints.search, Qt.Key.Key_Escape)
    assert window.focusWidget() is window.area.work_view
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Space)
    assert window.document.session.playback.playing


@pytest.mark.verify
def test_what_was_selected_in_skeleton_mode_is_in_sight_afterwards(window: MainWindow, qtbot, skeletons_folder) -> None:
    document, joints = window.document, window.panels[0]
    assert document.files.open(skeletons_folder / "joints.scr")
    row = joints.row(3 + document.skeleton.dof_names.index("loop.along"))
    assert row.visibleRegion().isEmpty()
    window.skeleton.set_mode("skeleton")
    document.selection.set(("loop",))
    window.skeleton.set_mode("pose")
    qtbot.waitUntil(lambda: row.visibleRegion().boundingRect().height() > 20, timeout=2000)


def test_another_figure_is_shown_from_its_top_and_an_edited_one_where_it_was(panel, document, skeletons_folder):
    bar = panel.view.verticalScrollBar()
    assert document.files.open(skeletons_folder / "robot.scr")
    panel.open_all(True)
    bar.setValue(150)
    name = document.skeleton.joint_names[4]
    document.figures.edit(joint_edits.with_values(name, mass=3.0), "Set mass")
    assert panel._skeleton is document.skeleton and bar.value() == 150
    assert document.files.open(skeletons_folder / "robot.scr") and bar.value() == 0, "the same name, opened anew"
    bar.setValue(150)
    assert document.files.open(skeletons_folder / "human.scr")
    panel.open_all(True)
    assert bar.value() == 0
    document.selection.set(["left foot"])
    assert bar.value() > 0, "a part that is selected comes into sight"
