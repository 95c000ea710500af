"""Every joint type of the workbench under the mouse: dragged, turned, posed by its sliders, edited."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app.document.document import Document
from app.document.posing.pose_clip import PoseClip
from app.look.theme import THEMES
from app.marks import manipulators, spline_path
from app.scene.pointing import Pointer, view_point
from app.timeline.curves.rows import groups_of_joints
from app.widgets.joints.joint_groups import joint_sections
from core.ik.solve import SOLVERS
from core.kinematics import closest_point_on_ray, forward_kinematics
from core.skeleton.dof import COORDINATE
from core.skeleton.segment import end_effector
from tests.gui.viewport_support import effector, shown_area, spot_on
from tests.support.counts import few_of

NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
MOVING = (
    "revolute", "prismatic", "planar", "translational", "universal", "spherical", "euler", "composite",
    "free in a plane", "free", "orbit", "loop", "wire", "dune", "coaster", "half-pipe", "nut", "left-hand nut",
)  # fmt: skip
SPLINES = ("loop", "wire", "dune")


def bench_document(skeletons_folder) -> Document:  # type: ignore[no-untyped-def]
    document = Document()
    assert document.files.load_figure(skeletons_folder / "joints.scr")
    q = document.pose.copy()
    for name, value in (
        ("wire.along", 1.7), ("dune.u", 0.9), ("dune.v", 1.1), ("composite.ty", 0.05), ("coaster.along", 1.5),
        ("half-pipe.along", 0.8), ("nut.angle", 6.0), ("left-hand nut.angle", 6.0),
    ):  # fmt: skip
        q[3 + document.skeleton.dof_names.index(name)] = value
    document.posing.set(q)
    return document


@pytest.fixture
def area(qtbot, skeletons_folder):
    made = shown_area(qtbot, bench_document(skeletons_folder))
    made.show_view("perspective")
    return made


def dragged(area, name: str, by: QPoint) -> tuple[np.ndarray, np.ndarray, float]:
    """Drag a part; return the poses before and after, and how far its grip moved on the screen's plane, [m]."""
    document, view = area.document, area.work_view
    joint = document.skeleton.joint_index(name)
    start, was = spot_on(view, area, joint), effector(area, joint)
    before = document.pose.copy()
    QTest.mousePress(view, LEFT, NONE, start)
    for step in range(1, 9):
        QTest.mouseMove(view, start + by * step / 8)
    QTest.mouseRelease(view, LEFT, NONE, start + by)
    return before, document.pose.copy(), float(np.linalg.norm(effector(area, joint) - was))


def off_ray(area, joint: int, at: QPoint) -> float:
    """Return how far a part's grip is from the pointer's ray, [m]."""
    point = effector(area, joint)
    return float(np.linalg.norm(closest_point_on_ray(*area.work_view.ray(at.x(), at.y()), point) - point))


def drag_each_and_undo(area, parts, least: float) -> None:
    """Drag parts aside and up: each moves by its own joint, so far at least in one of the two, [m], and is undone."""
    document = area.document
    skeleton, steps = document.skeleton, document.stack.count()
    for name in parts:
        joint, best = skeleton.joint_index(name), 0.0
        own = set(range(3 + skeleton.first_dof[joint], 3 + skeleton.first_dof[joint + 1]))
        for by in (QPoint(26, 0), QPoint(0, -26)):
            before, after, moved = dragged(area, name, by)
            best = max(best, moved)
            changed = np.flatnonzero(before != after)
            assert set(changed) <= own, f"only {name} moves"
            assert (after[3:] >= skeleton.limits[:, 0]).all() and (after[3:] <= skeleton.limits[:, 1]).all()
            if len(changed):
                document.history.undo()
            assert np.array_equal(document.pose, before) and document.stack.index() == steps
        assert best > least, name


@pytest.mark.verify
def test_every_type_is_dragged(area):
    drag_each_and_undo(area, few_of(MOVING), 0.008)


@pytest.mark.verify
def test_each_part_is_seen_where_the_bench_opens(area):
    document, view, scene = area.document, area.work_view, area.host.scene
    document.posing.set(document.skeleton.rest_pose())
    area.frame_all()
    for name in MOVING:
        joint = document.skeleton.joint_index(name)
        parts = [part.mesh.vertices for part in document.skeleton.joints[joint].objects]
        points = np.vstack(parts)[::7]
        seen = [
            scene.pick(*view.ray(x, y)) for x, y, _ in view.project(np.array([scene.world(joint, p) for p in points]))
        ]
        assert sum(hit is not None and hit.joint == joint for hit in seen) > 0.6 * len(points), name


@pytest.mark.verify
def test_parts_on_splines_follow_the_pointer_with_every_solver_under_locks(area):
    document, view = area.document, area.work_view
    document.locks.lock_parts([document.skeleton.joint_index("bench")], "position")  # without locks no solver is asked
    for solver in SOLVERS:
        document.session.solver.name = solver.name
        for name in SPLINES:
            joint = document.skeleton.joint_index(name)
            for by in (QPoint(22, 0), QPoint(-22, 0)):
                start = spot_on(view, area, joint)
                before, after, moved = dragged(area, name, by)
                now = off_ray(area, joint, start + by)
                document.history.undo()
                assert now < off_ray(area, joint, start + by), (solver.name, name, by)
                assert moved > 0.005 and not np.array_equal(before, after)


def seen_at(area, name: str, values) -> QPointF:  # type: ignore[no-untyped-def]
    """Return where a part's grip would be seen with other values of its joint."""
    document = area.document
    skeleton, q = document.skeleton, document.pose.copy()
    joint = skeleton.joint_index(name)
    q[3 + skeleton.first_dof[joint] : 3 + skeleton.first_dof[joint + 1]] = values
    X = forward_kinematics(skeleton, q)[joint]
    return view_point(area.work_view, X[:3, :3] @ end_effector(skeleton, joint) + X[:3, 3])


def follow_path(area, name: str, places) -> tuple[list[float], list[np.ndarray]]:  # type: ignore[no-untyped-def]
    """Drag a part by the pixels at which it is seen at some values; how far it stays off, [px], and its values."""
    document, view = area.document, area.work_view
    joint = document.skeleton.joint_index(name)
    own = slice(3 + document.skeleton.first_dof[joint], 3 + document.skeleton.first_dof[joint + 1])
    QTest.mousePress(view, LEFT, NONE, seen_at(area, name, document.pose[own]).toPoint())
    off, values = [], []
    for place in places:
        at = seen_at(area, name, place).toPoint()
        QTest.mouseMove(view, at)
        by = view_point(view, effector(area, joint)) - at
        off.append(float(np.hypot(by.x(), by.y())))
        values.append(document.pose[own].copy())
    return off, values


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["perspective", "front", "top"])
def test_a_part_on_a_closed_curve_is_dragged_round_and_round(area, kind):
    document = area.document
    area.show_view(kind)  # from the front the way there and the way back are seen at the same place
    document.selection.set(("loop",))
    area.frame_selected()
    steps, before = document.stack.index(), document.pose.copy()
    there = np.linspace(0.0, 17.0, 86)[1:]
    off, values = follow_path(area, "loop", there % 8.0)
    assert max(off[4:]) < 1.0  # the first ones keep some of the distance at the press
    assert np.ravel(values) == pytest.approx(there, abs=0.1)
    QTest.mouseRelease(area.work_view, LEFT)
    assert document.stack.index() == steps + 1
    document.history.undo()
    assert np.array_equal(document.pose, before)
    off, values = follow_path(area, "loop", -there[:20] % 8.0)
    assert np.ravel(values) == pytest.approx(-there[:20], abs=0.1)
    QTest.keyClick(area.work_view, Qt.Key.Key_Escape)
    assert np.array_equal(document.pose, before)


@pytest.mark.parametrize("kind", ["perspective", "top"])
def test_a_part_on_a_surface_stays_under_the_pointer(area, kind):
    document, view = area.document, area.work_view
    area.show_view(kind)
    document.selection.set(("dune",))
    area.frame_selected()
    turns = np.linspace(0.0, 2.0 * np.pi, 40)
    wide = 0.14 + 0.66 * np.minimum(turns, 1.0)
    places = np.column_stack([1.0 + wide * np.cos(turns + 2.4), 1.0 + wide * np.sin(turns + 2.4)])
    off, values = follow_path(area, "dune", places)
    assert max(off[8:]) < 1.5  # half of it is the pointer's whole pixels
    if kind == "top":  # elsewhere the dune hides some of itself, and two places are seen at one pixel
        assert np.abs(np.array(values)[8:] - places[8:]).max() < 0.05
    outside = QPoint(view.width() - 3, 60)
    QTest.mouseMove(view, outside)
    grid = [(u, v) for u in np.linspace(0.0, 2.0, 17) for v in np.linspace(0.0, 2.0, 17)]
    all_off = [seen_at(area, "dune", place) - outside for place in grid]
    by = view_point(view, effector(area, document.skeleton.joint_index("dune"))) - outside
    assert np.hypot(by.x(), by.y()) < min(np.hypot(p.x(), p.y()) for p in all_off) + 8.0  # the nearest that is seen
    QTest.mouseRelease(view, LEFT)


def test_a_way_has_its_ends_and_the_whole_figure_its_shift(area):
    document, view = area.document, area.work_view
    document.selection.set(("wire",))
    area.frame_selected()
    joint, index = document.skeleton.joint_index("wire"), 3 + document.skeleton.dof_names.index("wire.along")
    before = document.pose.copy()
    follow_path(area, "wire", np.linspace(1.7, 4.0, 12))
    beyond = seen_at(area, "wire", 4.0) + 6.0 * (seen_at(area, "wire", 4.0) - seen_at(area, "wire", 3.8))
    QTest.mouseMove(view, beyond.toPoint())
    hindrance = document.session.drag.goal.hindrance
    assert document.pose[index] == 4.0 and [stop.side for stop in hindrance.stops] == [1]
    QTest.mouseMove(view, seen_at(area, "wire", 3.0).toPoint())
    assert document.pose[index] == pytest.approx(3.0, abs=0.05) and not document.session.drag.goal.hindrance.stops
    QTest.mouseRelease(view, LEFT)
    document.history.undo()
    start = spot_on(view, area, joint)
    shift = Qt.KeyboardModifier.ShiftModifier
    QTest.mousePress(view, LEFT, shift, start)
    for step in range(1, 5):
        tool = area.host.toolbox.current
        tool.move(view, Pointer(start.x() + 10.0 * step, float(start.y()), shift=True))
    changed = np.flatnonzero(document.pose != before)
    assert len(changed) and set(changed) <= {0, 1, 2}
    tool.cancel()
    assert np.array_equal(document.pose, before)


def test_the_slider_of_a_closed_curve_shows_the_place_in_its_round(area, qtbot):
    document = area.document
    entries = {entry.index: entry for section in joint_sections(document.skeleton) for entry in section.entries}
    row = entries[3 + document.skeleton.dof_names.index("loop.along")].make(area)
    row.resize(260, 36)
    row.show()
    slider, changes = row.slider, []
    row.changed.connect(lambda _, value: changes.append(value))
    for value in (10.8, 20.5, -3.25, 8.0, 0.0):
        row.show_value(value)
        assert slider.position(value) == slider.position(value % 8.0 if value != 8.0 else 8.0)
        assert row.field.value == value
    row.show_value(20.5)
    at = QPoint(round(slider.position(20.5)), 12)
    one = 8.0 / (slider.width() - 14)
    QTest.mousePress(slider, LEFT, NONE, at)
    for right in (2, 4):
        QTest.mouseMove(slider, at + QPoint(right, 0))
    assert changes == pytest.approx([20.5 + 2 * one, 20.5 + 4 * one])
    QTest.mouseMove(slider, QPoint(slider.width() + 10, 12))
    assert changes[-1] > 24.0 and slider.position(changes[-1]) < slider.width() / 2
    QTest.mouseRelease(slider, LEFT, NONE, at)


def test_the_arrow_of_a_coordinate_moves_it_along(area):
    document, view = area.document, area.work_view
    document.session.tools.tool = "rotate"
    for name in SPLINES:
        joint = document.skeleton.joint_index(name)
        document.selection.set((joint,))
        area.frame_selected()
        tool = area.host.toolbox.current
        handles = tool.handles
        assert all(handle.kind == COORDINATE for handle in handles)
        for index, handle in enumerate(handles):
            step = np.zeros_like(document.pose)
            step[3 + handle.dof] = 1e-6
            ends = forward_kinematics(document.skeleton, np.array([document.pose + step, document.pose - step]))
            velocity = (ends[0] - ends[1])[joint, :3, 3] / 2e-6
            assert velocity == pytest.approx(handle.speed * handle.axis, abs=1e-6)
            a, b = manipulators.arrow_points(view, handle)
            middle = (0.4 * a + 0.6 * b).toPoint()
            if manipulators.hit(view, handles, middle.x(), middle.y()) != index:
                continue
            before = document.pose.copy()
            QTest.mousePress(view, LEFT, NONE, middle)
            shift_px = 0.5 * (b - a)
            for part in (0.5, 1.0):
                QTest.mouseMove(view, middle + (shift_px * part).toPoint())
            QTest.mouseRelease(view, LEFT, NONE, middle + shift_px.toPoint())
            assert document.pose[3 + handle.dof] > before[3 + handle.dof]
            assert (np.flatnonzero(document.pose != before) == [3 + handle.dof]).all()
            document.history.undo()
        assert "°" not in tool.status() or "steps" in tool.status()


@pytest.mark.verify
def test_a_letter_is_the_handle_it_names_and_lies_on_no_other(area):
    """At rest the axes of these joints cross where the part points to; a click on a letter leaves the part selected."""
    document, view = area.document, area.work_view
    document.posing.set(document.skeleton.rest_pose())
    document.session.tools.tool = "rotate"
    for name in ("universal", "spherical", "free", "orbit", "loop", "wire", "dune"):
        joint = document.skeleton.joint_index(name)
        document.selection.set((joint,))
        area.frame_selected()
        handles = area.host.toolbox.current.handles
        places = manipulators.letters(view, handles)
        apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 99.0 * np.eye(len(places))
        assert apart.min() >= 2.0 * manipulators.LETTER, name
        for handle, place in zip(handles, places, strict=True):
            at = QPointF(*place.tolist()).toPoint()
            QTest.mouseClick(view, LEFT, NONE, at)
            assert document.selection.joints == (joint,)
            before, changed = document.pose.copy(), set()
            for by in (QPoint(20, 0), QPoint(-20, 0), QPoint(0, 20), QPoint(0, -20)):
                QTest.mousePress(view, LEFT, NONE, at)
                QTest.mouseMove(view, at + by)
                changed |= set(np.flatnonzero(document.pose != before).tolist())
                QTest.keyClick(view, Qt.Key.Key_Escape)
                QTest.mouseRelease(view, LEFT, NONE, at + by)
            assert changed == {3 + handle.dof}, (name, handle.label)


def test_a_coordinate_has_one_letter_and_color_everywhere(area):
    skeleton = area.document.skeleton
    marks = {}
    for name in SPLINES:
        joint = skeleton.joint_index(name)
        listed = (row for group in groups_of_joints(skeleton, [joint]) for row in group.rows)
        rows = {row.id: row for row in listed if row.unit == "number"}
        for handle in manipulators.handles(skeleton, area.document.pose, area.host.scene.poses, joint):
            row = rows[3 + handle.dof]
            assert (row.letter, row.token) == (handle.mark, handle.token)
            marks[skeleton.dof_names[handle.dof]] = handle.mark
            for theme in THEMES.values():
                axes = {getattr(theme, token) for token in ("axis_x", "axis_y", "axis_z", "accent", "text")}
                assert getattr(theme, handle.token) not in axes
    assert marks == {"loop.along": "S", "wire.along": "S", "dune.u": "U", "dune.v": "V"}


def test_ways_are_drawn_where_the_part_is(area):
    document = area.document
    skeleton, poses = document.skeleton, area.host.scene.poses
    for name in ("loop", "wire"):
        joint = skeleton.joint_index(name)
        frame = spline_path.base_frame(skeleton, poses, joint)
        model = skeleton.joints[joint].type
        line = spline_path.path_points(model, 0.0, float(model.segments)) @ frame[:3, :3].T + frame[:3, 3]
        assert np.linalg.norm(line - poses[joint, :3, 3], axis=1).min() < 0.01
    joint = skeleton.joint_index("dune")
    frame = spline_path.base_frame(skeleton, poses, joint)
    lines = [points for points, _ in spline_path.sheet(skeleton.joints[joint].type, (0.0, 0.0), (2.0, 2.0))]
    sheet = np.vstack(lines) @ frame[:3, :3].T + frame[:3, 3]
    assert np.linalg.norm(sheet - poses[joint, :3, 3], axis=1).min() < 0.05
    without = area.work_view.grab().toImage()
    document.selection.set(SPLINES)
    assert area.work_view.grab().toImage() != without


def test_a_way_is_fainter_behind_its_part():
    cube = np.vstack([np.hstack([sign * np.eye(3), -np.ones((3, 1))]) for sign in (1.0, -1.0)])
    eyes = np.tile([0.0, 0.5, 5.0], (6, 1))
    points = np.array([[0, 0, -3], [0, 0.5, 0], [0, 0.5, 2], [3, 0, -3], [0, 0.5, 6], [1.01, 0.5, 1.01]], dtype=float)
    assert spline_path.hidden(cube, eyes, points).tolist() == [True, True, False, False, False, False]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["perspective", "top"])
def test_what_the_puck_hides_of_its_grid_is_what_a_ray_finds(area, kind):
    document, scene = area.document, area.host.scene
    area.show_view(kind)
    view, skeleton = area.work_view, document.skeleton
    joint = skeleton.joint_index("dune")
    own = skeleton.joints[joint]
    frame = spline_path.base_frame(skeleton, scene.poses, joint)
    points = np.vstack([line for line, _ in spline_path.sheet(own.type, (0.0, 0.0), (2.0, 2.0))])
    points = points @ frame[:3, :3].T + frame[:3, 3]
    pixels = view.project(points)
    covered = spline_path._Pen(None, view, own, scene.poses[joint])._covered(points, pixels)
    hits = [scene.pick(*view.ray(x, y)) for x, y, _ in pixels]
    found = np.array([hit is not None and hit.joint == joint for hit in hits])
    assert covered.any() and np.mean(covered != found) < 0.02


def test_sliders_show_coordinates_as_numbers(area, qtbot):
    document = area.document
    entries = {entry.index: entry for section in joint_sections(document.skeleton) for entry in section.entries}
    names = document.skeleton.dof_names
    loop, wire, turn = (entries[3 + names.index(name)] for name in ("loop.along", "wire.along", "revolute.y"))
    row = loop.make(area)
    assert row.slider._track == (0.0, 8.0) and "one full turn" in row.toolTip()
    assert row.quantity.text(1.25) == "1.250" and row.to_screen(1.25) == 1.25
    row = wire.make(area)
    assert row.slider._track == (0.0, 4.0) and row.toolTip().startswith("Along the wire: 0 to 4")
    assert turn.make(area).quantity.unit == "°"


def test_poses_of_splines_are_copied_and_pasted(area):
    document = area.document
    clip = PoseClip.from_text(PoseClip.of(document.skeleton, document.pose).to_text())
    assert not clip.missing(document.skeleton)
    pasted, _ = clip.pasted(document.skeleton, document.skeleton.rest_pose())
    assert np.array_equal(pasted, document.pose)


def test_an_angle_that_turns_its_part_has_a_ring(area):
    document, scene = area.document, area.host.scene
    skeleton = document.skeleton
    for name, sense in (("nut", 1.0), ("left-hand nut", -1.0)):
        joint, place = skeleton.joint_index(name), 3 + skeleton.dof_names.index(f"{name}.angle")
        found = []
        for value in (0.5, 0.5 + 0.5 * np.pi):
            pose = document.pose.copy()
            pose[place] = value
            document.posing.set(pose)
            (handle,) = manipulators.handles(skeleton, document.pose, scene.poses, joint)
            assert (handle.kind, handle.unit, handle.mark) == ("hinge", "angle", "S")
            assert handle.axis == pytest.approx([0.0, sense, 0.0], abs=1e-9) and handle.value == pytest.approx(value)
            found.append(handle.at(handle.value))
        assert found[1] == pytest.approx(np.cross([0.0, sense, 0.0], found[0]), abs=1e-9)  # a quarter on
    document.session.tools.tool = "rotate"
    document.selection.set(["nut"])
    tool = area.host.toolbox.current
    tool._hovered = 0
    assert tool.status().endswith("118.6°") and tool.status().startswith("Nut ")
