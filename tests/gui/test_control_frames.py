"""Control frames of splines and parameters of joint types, edited in the views and in the skeleton panel."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest

from app.document.edits import spline_edits
from app.marks.control_frame_marks import control_frames
from app.window.main_window import MainWindow
from core.errors import JointError
from core.joints import Composite, Revolute, Screw, forget_joint_type, register_joint_type
from core.joints.parameters import parameters_of
from core.skeleton import read_scr, write_scr
from core.skeleton.control_frames import curve_from_controls
from tests.conformance.test_unknown_joint_type import Torus
from tests.gui.skeleton_support import LEFT, NONE, Key, at, click, drag, press


@pytest.fixture
def bench(window: MainWindow, skeletons_folder: Path) -> MainWindow:
    window.document.files.open(skeletons_folder / "joints.scr")
    window.area.set_reduced_motion(True)
    window.area.show_view("front")
    window.skeleton.set_mode("skeleton")
    window.area.frame_all()
    return window


def joint(window: MainWindow, name: str):
    skeleton = window.document.skeleton
    return skeleton.joints[skeleton.joint_index(name)]


def select(window: MainWindow, name: str):
    window.document.selection.set([name])
    window.area.frame_selected()
    return window.skeleton.panel.form.type


def dot(window: MainWindow, number: int) -> QPoint:
    found = control_frames(window.area.host.scene)
    assert found is not None
    return at(window, found.places[number])


def test_a_control_frame_is_dragged_in_the_plane_of_the_view(bench: MainWindow) -> None:
    document = bench.document
    kind = select(bench, "wire")
    before, steps, rows = document.state_json(), document.stack.count(), spline_edits.rows_of(joint(bench, "wire"))
    start = control_frames(bench.area.host.scene).places[2]
    drag(bench, dot(bench, 2), QPoint(30, -24), drop=False)
    assert document.state_json() == before and document.session.preview is not None
    assert document.session.tools.control_frame == 2 and kind.frame.shown_text() == "3 of 7"
    QTest.mouseRelease(bench.area.work_view, LEFT, NONE, QPoint(5, 5))
    assert document.stack.count() == steps + 1 and document.stack.undoText() == "Move control frame 3 of wire"
    pixel = bench.area.work_view.pixel_size(start)
    moved = control_frames(bench.area.host.scene).places[2] - start
    assert moved == pytest.approx((30 * pixel, 24 * pixel, 0.0), abs=2e-6)
    now = spline_edits.rows_of(joint(bench, "wire"))
    assert (np.delete(now, 2, 0) == np.delete(rows, 2, 0)).all() and (now[2, 3:] == rows[2, 3:]).all()
    assert kind.place.value == pytest.approx(now[2, :3]) and kind.turned.value == pytest.approx(now[2, 3:])
    again = read_scr(write_scr(document.skeleton))
    assert again.joints[again.joint_index("wire")].controls == pytest.approx(now)
    document.history.undo()
    assert document.state_json() == before


@pytest.mark.verify
def test_escape_puts_a_control_frame_back_and_axes_hold_it(bench: MainWindow) -> None:
    document = bench.document
    select(bench, "loop")
    before, start = document.state_json(), control_frames(bench.area.host.scene).places[0]
    drag(bench, dot(bench, 0), QPoint(40, 30), drop=False)
    press(bench, Key.Key_Escape)
    QTest.mouseRelease(bench.area.work_view, LEFT, NONE, QPoint(5, 5))
    assert document.state_json() == before and document.session.preview is None
    drag(bench, dot(bench, 0), QPoint(40, -30), keys=(Key.Key_Y,))
    moved = control_frames(bench.area.host.scene).places[0] - start
    assert moved[0] == moved[2] == pytest.approx(0.0, abs=1e-6) and moved[1] > 0.005


@pytest.mark.verify
def test_values_are_typed_beside_the_view_and_frames_chosen_by_a_click(bench: MainWindow) -> None:
    document = bench.document
    kind = select(bench, "dune")
    click(bench, dot(bench, 7))
    assert document.session.tools.control_frame == 7 and kind.frame.shown_text() == "8 of 25"
    kind.frame.edit_to(13.0)
    assert document.session.tools.control_frame == 12
    kind.place.fields[1].edit_to(0.2)
    kind.turned.fields[2].edit_to(-12.5)
    rows = spline_edits.rows_of(joint(bench, "dune"))
    assert rows[12, 1] == 0.2 and rows[12, 5] == -12.5
    assert joint(bench, "dune").type.values[5, 2, 2] == math.radians(-12.5)
    document.history.undo()
    document.history.undo()
    assert spline_edits.rows_of(joint(bench, "dune"))[12].tolist() == [0.0, 0.15, 0.0, 0.0, 0.0, 0.0]


@pytest.mark.verify
def test_what_makes_no_spline_is_refused_and_stays_as_it_was(bench: MainWindow) -> None:
    document, said = bench.document, []
    document.message.connect(lambda *line: said.append(line[:2]))
    kind = select(bench, "wire")
    before = document.state_json()
    kind.turned.fields[2].edit_to(150.0)  # half a turn and more from its neighbour's
    kind.turned.fields[2].edit_to(128.9)
    assert document.state_json() != before or said
    while document.state_json() != before:
        document.history.undo()
    kind.remove_frame.click()
    kind.remove_frame.click()
    kind.remove_frame.click()
    assert kind.frame.shown_text() == "1 of 4"
    kind.remove_frame.click()
    assert kind.frame.shown_text() == "1 of 4" and said[-1][0] == "warning" and "expected 4 or more" in said[-1][1]


@pytest.mark.verify
def test_frames_come_and_go_and_bases_and_ends_change(bench: MainWindow) -> None:
    document = bench.document
    kind = select(bench, "loop")
    kind.frame.edit_to(2.0)
    kind.add_frame.click()
    assert kind.frame.shown_text() == "3 of 9" and joint(bench, "loop").type.segments == 9
    kind.remove_frame.click()
    assert kind.frame.shown_text() == "3 of 8"
    kind.basis.picked.emit("bezier")
    assert joint(bench, "loop").type.basis == "bezier" and kind.frame.shown_text() == "3 of 24"
    kind.ends.picked.emit(False)
    model = joint(bench, "loop").type
    assert not model.closed and len(model.frames) == 25 and kind.ends.chosen is False
    for _ in range(4):
        document.history.undo()
    assert kind.ends.chosen is True and kind.basis.chosen == "b-spline" and kind.frame.shown_text() == "3 of 8"


@pytest.mark.verify
def test_the_spline_of_a_composite_joint_is_edited_where_the_parts_before_it_put_it(bench: MainWindow) -> None:
    document, form = bench.document, bench.skeleton.panel.form
    rows = spline_edits.rows_of(joint(bench, "wire"))
    model = Composite(Revolute((0.0, 1.0, 0.0)), curve_from_controls(rows, False), Screw((0.0, 0.0, 1.0), 0.05))
    document.figures.set_joint_type("wire", model, rows)
    select(bench, "wire")
    assert [row.kind.isEnabled() for row in form.dofs.rows] == [False] * 3
    units = [(row.low.quantity.unit, row.low.value) for row in form.dofs.rows]
    assert units == [("°", -math.inf), ("", 0.0), ("°", -math.inf)]
    places = control_frames(bench.area.host.scene).places.copy()
    form.type.fields[0].committed.emit("z")  # what turns does so about another axis: nothing moves at rest
    assert joint(bench, "wire").type.joints[0].axis == (0.0, 0.0, 1.0)
    assert control_frames(bench.area.host.scene).places == pytest.approx(places)
    drag(bench, dot(bench, 4), QPoint(0, -30))
    moved = control_frames(bench.area.host.scene).places - places
    assert moved[4, 1] > 0.005 and np.abs(np.delete(moved, 4, 0)).max() < 1e-9


def test_parameters_of_a_screw_are_edited_live(bench: MainWindow) -> None:
    document, form = bench.document, bench.skeleton.panel.form
    select(bench, "revolute")
    form.type.type.picked.emit("screw")
    assert joint(bench, "revolute").type == Screw((0.0, 1.0, 0.0)) and len(form.type.fields) == 2
    axis, pitch = form.type.fields
    axis.committed.emit("0 3 4")
    assert joint(bench, "revolute").type.axis == pytest.approx((0.0, 0.6, 0.8))
    axis.committed.emit("0 0 0")
    assert joint(bench, "revolute").type.axis == pytest.approx((0.0, 0.6, 0.8)) and axis.text() == "0 0.6 0.8"
    steps = document.stack.count()
    pitch.edit_to(-0.25)
    assert joint(bench, "revolute").type.pitch == -0.25 and document.stack.count() == steps + 1
    row = form.dofs.rows[0]
    row.began.emit(0)
    row.low.set_value(-720.0)
    row.high.set_value(360.0)
    row._report_limits()
    row.committed.emit(0)
    assert joint(bench, "revolute").dofs[0][2:] == (-4.0 * math.pi, 2.0 * math.pi)
    document.history.undo()
    document.history.undo()
    assert pitch.value == pytest.approx(0.1)


def test_types_that_somebody_registered_are_offered(bench: MainWindow) -> None:
    register_joint_type(Torus)
    try:
        kind = select(bench, "prismatic")
        kind.type.picked.emit("torus")
        made = joint(bench, "prismatic").type
        assert isinstance(made, Torus) and made.ring == made.tube > 0.0
        assert [each.attribute for each in parameters_of(made)] == ["ring", "tube"]
        kind.fields[1].edit_to(0.02)
        assert joint(bench, "prismatic").type.tube == 0.02
    finally:
        forget_joint_type(Torus)


@pytest.mark.verify
def test_a_cone_is_set_widened_and_taken_away(bench: MainWindow) -> None:
    document, form = bench.document, bench.skeleton.panel.form
    select(bench, "spherical")
    assert form.type.cone_row.isVisibleTo(form) and not math.isfinite(form.type.cone.value)
    form.type.cone.edit_to(40.0)
    assert joint(bench, "spherical").cone == pytest.approx(math.radians(40.0))
    limits = [dof[2:] for dof in joint(bench, "spherical").dofs]
    form.type.cone.edit_to(50.0)
    assert [dof[2:] for dof in joint(bench, "spherical").dofs] == limits  # they were no cone's
    form.type.cone.edit_to(math.inf)
    assert joint(bench, "spherical").cone is None
    select(bench, "revolute")
    assert not form.type.cone_row.isVisibleTo(form)
    document.history.undo()


def test_edits_of_what_is_not_there_say_so() -> None:
    with pytest.raises(JointError, match="no control frame 4"):
        spline_edits.part_of(Screw(), 3)
