"""Joints written as expressions in the window: sliders, keys, curves, locks, drags along their ways, what is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.document.document import Document
from app.marks import spline_path
from app.timeline.curves.rows import groups_of_joints
from app.widgets.joints.joint_groups import joint_sections
from core.ik.solve import SOLVERS
from tests.gui.test_joint_types_drag import drag_each_and_undo, dragged, follow_path, off_ray
from tests.gui.viewport_support import shown_area, spot_on
from tests.support.counts import is_quick

LEFT = Qt.MouseButton.LeftButton
PARTS = ("bead", "slide", "wheel", "puck", "scapula", "coupler", "shin")
POSE = {
    "slide.down": 6.0,
    "puck.right": 0.05,
    "puck.front": -0.04,
    "scapula.out": 0.3,
    "coupler.crank": 0.7,
    "shin.bend": 0.8,
}


@pytest.fixture
def area(qtbot, skeletons_folder):
    document = Document()
    assert document.files.load_figure(skeletons_folder / "formulas.scr")
    q = document.pose.copy()
    for name, value in POSE.items():
        q[3 + document.skeleton.dof_names.index(name)] = value
    document.posing.set(q)
    made = shown_area(qtbot, document)
    made.show_view("perspective")
    return made


@pytest.mark.verify
def test_every_part_is_dragged_and_undone(area):
    drag_each_and_undo(area, PARTS, 0.01)


@pytest.mark.verify
def test_the_bead_and_the_crank_are_dragged_round_and_round(area):
    document = area.document
    for name in ("bead", "coupler"):
        document.selection.set((name,))
        area.frame_selected()
        start = float(document.pose[3 + document.skeleton.first_dof[document.skeleton.joint_index(name)]])
        there = start + np.linspace(0.0, 9.0, 60)[1:]
        off, values = follow_path(area, name, there)
        QTest.mouseRelease(area.work_view, LEFT)
        assert max(off[4:]) < 1.5, name
        assert np.ravel(values) == pytest.approx(there, abs=0.12), name
        document.history.undo()


def test_the_puck_stays_under_the_pointer_all_over_the_saddle(area):
    document = area.document
    area.show_view("top")
    document.selection.set(("puck",))
    area.frame_selected()
    turns = np.linspace(0.0, 2.0 * np.pi, 40)
    places = np.column_stack([0.09 * np.cos(turns), 0.09 * np.sin(turns)])
    off, values = follow_path(area, "puck", places)
    assert max(off[3:]) < 1.0 and np.abs(np.array(values)[3:] - places[3:]).max() < 0.005
    QTest.mouseRelease(area.work_view, LEFT)


def test_the_slide_ends_at_its_limits(area):
    document, view = area.document, area.work_view
    document.selection.set(("slide",))
    area.frame_selected()
    index = 3 + document.skeleton.dof_names.index("slide.down")
    follow_path(area, "slide", np.linspace(6.0, np.radians(900.0), 70))
    assert document.pose[index] == pytest.approx(np.radians(900.0), abs=0.1)
    QTest.mouseMove(view, QPoint(view.width() // 2, view.height() - 3))
    assert document.pose[index] <= np.radians(900.0)
    QTest.mouseRelease(view, LEFT)


@pytest.mark.verify
def test_they_are_dragged_with_every_solver_under_locks(area):
    document, view = area.document, area.work_view
    document.locks.lock_parts([document.skeleton.joint_index("table")], "position")  # without locks no solver is asked
    for solver in SOLVERS[:1] if is_quick() else SOLVERS:  # the others with full counts
        document.session.solver.name = solver.name
        for name in ("puck", "coupler"):
            joint = document.skeleton.joint_index(name)
            document.selection.set((name,))
            area.frame_selected()
            start, by = spot_on(view, area, joint), QPoint(18, 0)
            before, after, moved = dragged(area, name, by)
            now = off_ray(area, joint, start + by)
            document.history.undo()
            assert now < off_ray(area, joint, start + by), (solver.name, name)
            assert moved > 0.001 and not np.array_equal(before, after)


def test_sliders_have_the_units_and_names_of_the_file(area):
    document = area.document
    entries = {entry.index: entry for section in joint_sections(document.skeleton) for entry in section.entries}
    names = document.skeleton.dof_names
    down, right, bead, up = (
        entries[3 + names.index(name)].make(area) for name in ("slide.down", "puck.right", "bead.round", "scapula.up")
    )
    assert down.label == "Down the slide" and down.quantity.unit == "°"
    assert down.slider._track == (0.0, 900.0) and down.to_screen(np.pi) == pytest.approx(180.0)
    assert right.label == "Saddle right" and right.quantity.unit in ("m", "cm")
    assert right.toolTip().startswith("Saddle right: ") and "14" in right.toolTip()
    assert bead.slider._track == pytest.approx((0.0, 360.0)) and "one full turn" in bead.toolTip()
    assert up.toolTip().startswith("Scapula up: ") and "40" in up.toolTip()


def test_curves_have_their_units(area):
    skeleton = area.document.skeleton
    rows = {
        row.name: row
        for name in PARTS
        for group in groups_of_joints(skeleton, [skeleton.joint_index(name)])
        for row in group.rows
    }
    assert rows["Crank"].unit == "angle" and rows["Saddle front"].unit == "length"
    assert rows["Knee bend"].upper == pytest.approx(140.0) and rows["Saddle front"].upper == pytest.approx(14.0)


def test_they_are_keyed_and_played(area):
    document = area.document
    first, second = document.pose.copy(), document.pose.copy()
    for name, value in (("bead.round", 3.0), ("puck.right", -0.1), ("shin.bend", 2.0)):
        second[3 + document.skeleton.dof_names.index(name)] = value
    for frame, pose in ((0, first), (30, second)):
        document.set_frame(frame)
        document.posing.set(pose)
        assert document.keys.set()
    document.set_frame(15)
    between = document.pose
    assert ((between >= np.minimum(first, second) - 1e-9) & (between <= np.maximum(first, second) + 1e-9)).all()
    changed = np.flatnonzero(first != second)
    assert (np.abs(between - 0.5 * (first + second))[changed] < 0.3 * np.abs(second - first)[changed]).all()
    document.set_frame(30)
    assert np.array_equal(document.pose, second)


def test_a_lock_on_a_part_holds_while_the_whole_figure_is_dragged(area):
    document = area.document
    joint = document.skeleton.joint_index("puck")
    document.locks.lock_parts([joint], "position")
    before = document.pose.copy()
    dragged(area, "table", QPoint(6, 0))
    assert not np.array_equal(document.pose, before)
    assert {state.word for state in document.locks.states()} == {"holds"}
    changed = np.flatnonzero(document.pose != before)
    own = 3 + document.skeleton.first_dof[joint]
    assert set(changed) & {own, own + 1}, "the puck moves on the saddle, so that it stays in the world"


def test_ways_and_surfaces_are_drawn_where_the_part_is(area):
    document = area.document
    skeleton, poses = document.skeleton, area.host.scene.poses
    for name in ("bead", "slide", "wheel", "coupler", "shin"):
        joint = skeleton.joint_index(name)
        frame = spline_path.base_frame(skeleton, poses, joint)
        low, high = (0.0, 2.0 * np.pi) if skeleton.joints[joint].type.period else skeleton.joints[joint].dofs[0][2:]
        line = spline_path.path_points(skeleton.joints[joint].type, low, high) @ frame[:3, :3].T + frame[:3, 3]
        assert np.linalg.norm(line - poses[joint, :3, 3], axis=1).min() < 0.02, name
    without = area.work_view.grab().toImage()
    for name in ("bead", "puck"):
        document.selection.set((name,))
        assert area.work_view.grab().toImage() != without, name
