"""Dragging and twisting what a lock holds, with the real mouse: the figure follows, one undo step, Esc restores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app.marks import lock_grip_marks, lock_marks, manipulators
from app.scene.pointing import Pointer, view_point
from app.tools.lock_tool import LockTool
from core.animation.locks.target_keys import TargetKey
from core.spatial import so3
from tests.gui.lock_support import LEFT, NONE, glyph, lock_part, mark_of, mouse_drag, pixels
from tests.gui.viewport_support import effector, human_document, shown_area, spot_on

EXACT = 1e-6


@pytest.fixture
def area(qtbot, skeletons_folder):
    return shown_area(qtbot, human_document(skeletons_folder))


def strip_of(area, name):
    return next(strip for strip in area.document.locks.strips if strip.id == name)


def joint_of(area, part):
    return area.document.skeleton.joint_index(part)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("tool", ["drag", "lock"])
def test_a_foot_follows_its_lock_that_is_dragged_up(area, tool):
    document = area.document
    area.show_view("side")
    document.session.tools.tool = tool
    foot = lock_part(document, "right foot", "position")
    before, pose, steps = document.state_json(), document.pose.tobytes(), document.stack.index()
    start = effector(area, joint_of(area, "right foot"))
    if tool == "drag":
        mouse_drag(area, glyph(area, foot), pixels(area, start, np.array([0.0, 0.05, 0.0])))
    else:
        document.session.locks.selected = foot
        mouse_drag(area, view_point(area.work_view, start).toPoint(), pixels(area, start, np.array([0.0, 0.05, 0.0])))
    target = np.array(strip_of(area, foot).lock.target)
    assert np.linalg.norm(target - start - [0.0, 0.05, 0.0]) < 0.5 * area.work_view.pixel_size(start) + 1e-9
    assert np.linalg.norm(effector(area, joint_of(area, "right foot")) - target) < EXACT
    assert document.session.locks.selected == foot
    assert document.stack.index() == steps + 1 and document.stack.undoText() == "Move lock target of right foot"
    document.history.undo()
    assert document.state_json() == before and document.pose.tobytes() == pose
    document.history.redo()
    assert np.array_equal(strip_of(area, foot).lock.target, target)
    assert np.linalg.norm(effector(area, joint_of(area, "right foot")) - target) < EXACT


def test_escape_puts_everything_back(area):
    document, view = area.document, area.work_view
    area.show_view("front")
    foot = lock_part(document, "left foot", "position")
    document.posing.set(document.pose, "Pose")
    before, pose, steps = document.state_json(), document.pose.tobytes(), document.stack.index()
    mouse_drag(area, glyph(area, foot), QPointF(20.0, -30.0), release=False)
    assert document.state_json() != before and area.host.toolbox.active
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert not area.host.toolbox.active
    assert document.state_json() == before and document.pose.tobytes() == pose
    assert document.stack.index() == steps and document.gesture is None
    QTest.mouseRelease(view, LEFT)
    assert document.state_json() == before


def test_undo_in_the_middle_of_a_drag_gives_it_up(area):
    document = area.document
    foot = lock_part(document, "left foot", "position")
    before = document.state_json()
    mouse_drag(area, glyph(area, foot), QPointF(20.0, -30.0), release=False)
    document.history.undo()
    QTest.mouseMove(area.work_view, QPoint(300, 300))
    QTest.mouseRelease(area.work_view, LEFT)
    assert document.state_json() == before and not area.host.toolbox.active


def test_a_click_on_a_glyph_selects_and_changes_nothing(area):
    document = area.document
    foot = lock_part(document, "left foot", "position")
    before, steps = document.state_json(), document.stack.index()
    QTest.mouseClick(area.work_view, LEFT, NONE, glyph(area, foot))
    assert document.session.locks.selected == foot
    assert document.selection.joints == (joint_of(area, "left foot"),)
    assert document.state_json() == before and document.stack.index() == steps
    document.session.tools.tool = "lock"
    view = area.work_view
    QTest.mouseClick(view, LEFT, NONE, QPoint(view.width() - 20, view.height() // 2))
    assert document.session.locks.selected is None and document.selection.joints == ()


@pytest.mark.parametrize("key, axis", [(Qt.Key.Key_X, 0), (Qt.Key.Key_Y, 1), (Qt.Key.Key_Z, 2)])
def test_letters_hold_a_target_to_an_axis(area, key, axis):
    document = area.document
    area.show_view("perspective")
    hand = lock_part(document, "right hand", "position")
    start = np.array(strip_of(area, hand).lock.target)
    mouse_drag(area, glyph(area, hand), QPointF(14.0, -16.0), release=False)
    QTest.keyClick(area.work_view, key)
    QTest.mouseMove(area.work_view, glyph(area, hand) + QPoint(3, -3))
    moved = np.array(strip_of(area, hand).lock.target) - start
    assert np.abs(np.delete(moved, axis)).max() < 1e-12 and abs(moved[axis]) > 1e-3
    assert f"along {'XYZ'[axis]}" in area.status()
    QTest.mouseRelease(area.work_view, LEFT)
    assert np.linalg.norm(effector(area, joint_of(area, "right hand")) - start - moved) < EXACT


def test_arrows_move_a_target_along_one_axis(area):
    document, view = area.document, area.work_view
    area.show_view("perspective")
    hand = lock_part(document, "left hand", "position")
    document.session.tools.tool, document.session.locks.selected = "lock", hand
    start = np.array(strip_of(area, hand).lock.target)
    tool = area.host.toolbox.current
    assert isinstance(tool, LockTool)
    arrows = [each for each in tool._grips(mark_of(area, hand)) if each.kind == "slide"]
    assert len(arrows) == 3
    for each in arrows[:1]:
        a, b = manipulators.arrow_points(view, each)
        at = QPoint(round(0.3 * a.x() + 0.7 * b.x()), round(0.3 * a.y() + 0.7 * b.y()))
        mouse_drag(area, at, QPointF(0.3 * (b.x() - a.x()), 0.3 * (b.y() - a.y())))
        moved = np.array(strip_of(area, hand).lock.target) - start
        assert np.linalg.norm(moved - (moved @ each.axis) * each.axis) < 1e-12 and moved @ each.axis > 1e-3
    assert np.linalg.norm(effector(area, joint_of(area, "left hand")) - start - moved) < EXACT


def test_the_letters_of_a_target_are_its_arrows_and_rings(area):
    document, view = area.document, area.work_view
    area.show_view("perspective")
    hand = lock_part(document, "left hand", "pose")
    document.session.tools.tool, document.session.locks.selected = "lock", hand
    tool = area.host.toolbox.current
    shown = [lock_grip_marks.toward(view, each) for each in tool._grips(mark_of(area, hand))]
    places = manipulators.letters(view, shown)
    assert len(shown) == 6 and not np.isnan(places).any()
    for index, place in enumerate(places):
        assert tool._grip_at(view, Pointer(*np.rint(place))) == index


def test_a_ring_twists_an_orientation(area):
    document, view = area.document, area.work_view
    area.show_view("perspective")
    hand = lock_part(document, "right hand", "orientation")
    document.session.tools.tool, document.session.locks.selected = "lock", hand
    start = np.array(strip_of(area, hand).lock.target)
    before, pose = document.state_json(), document.pose.tobytes()
    tool = area.host.toolbox.current
    rings = tool._grips(mark_of(area, hand))
    index = max(range(3), key=lambda k: abs(float(rings[k].axis @ view.camera.basis[2])))
    for first in np.linspace(0.0, 2.0 * np.pi, 60):
        path = first + np.radians(np.linspace(0.0, 12.0, 13))
        points = [QPoint(round(x), round(y)) for x, y, _ in manipulators.ring_points(view, rings[index], angles=path)]
        if manipulators.hit(view, rings, points[0].x(), points[0].y()) == index:
            break
    QTest.mousePress(view, LEFT, NONE, points[0])
    for point in points[1:]:
        QTest.mouseMove(view, point)
    assert "Twisting the target of right hand" in area.status()
    QTest.mouseRelease(view, LEFT, NONE, points[-1])
    turned = np.array(strip_of(area, hand).lock.target)
    turn = so3.log(turned @ start.T)
    assert np.degrees(np.linalg.norm(turn)) == pytest.approx(12.0, abs=1.5)
    assert abs(turn @ rings[index].axis) == pytest.approx(np.linalg.norm(turn), abs=1e-9)
    assert np.allclose(turned @ turned.T, np.eye(3), atol=1e-12)
    now = area.host.scene.poses[joint_of(area, "right hand")][:3, :3]
    assert so3.angle_between(now, turned) < 1e-6
    document.history.undo()
    assert document.state_json() == before and document.pose.tobytes() == pose


def test_the_glyph_of_an_orientation_twists_freely(area):
    document = area.document
    area.show_view("front")
    hand = lock_part(document, "left hand", "orientation")
    start = np.array(strip_of(area, hand).lock.target)
    mouse_drag(area, glyph(area, hand), QPointF(0.0, -10.0))
    turned = np.array(strip_of(area, hand).lock.target)
    turn = so3.log(turned @ start.T)
    right = area.work_view.camera.basis[0]
    assert abs(turn @ right) == pytest.approx(10.0 / manipulators.RADIUS, rel=1e-6)
    assert so3.angle_between(area.host.scene.poses[joint_of(area, "left hand")][:3, :3], turned) < 1e-6


def test_a_pose_moves_and_keeps_its_orientation(area):
    document = area.document
    area.show_view("side")
    foot = lock_part(document, "right foot", "pose")
    start = np.array(strip_of(area, foot).lock.target)
    mouse_drag(area, glyph(area, foot), QPointF(6.0, -12.0))
    target = np.array(strip_of(area, foot).lock.target)
    assert np.array_equal(target[:3, :3], start[:3, :3]) and np.linalg.norm(target[:3, 3] - start[:3, 3]) > 0.01
    assert np.linalg.norm(effector(area, joint_of(area, "right foot")) - target[:3, 3]) < EXACT


def test_a_plane_moves_along_its_normal_only(area):
    document = area.document
    area.show_view("side")
    foot = lock_part(document, "left foot", "plane")
    before = np.array(strip_of(area, foot).lock.target)
    mouse_drag(area, glyph(area, foot), QPointF(18.0, -14.0))
    after = np.array(strip_of(area, foot).lock.target)
    assert np.array_equal(after[:3], before[:3]) and after[3] - before[3] > 0.005
    assert abs(after[:3] @ effector(area, joint_of(area, "left foot")) - after[3]) < EXACT


def test_a_distance_grows_along_the_link(area):
    document = area.document
    area.show_view("front")
    other = ("chest", (0.0, 0.0, 0.0))
    hand = lock_part(document, "right hand", "distance", other=other)
    mark = mark_of(area, hand)
    before = strip_of(area, hand).lock.target
    axis = (mark.here - mark.other) / np.linalg.norm(mark.here - mark.other)
    mouse_drag(area, glyph(area, hand), pixels(area, mark.here, 0.02 * axis))
    after = strip_of(area, hand).lock.target
    assert after - before == pytest.approx(0.02, abs=0.006)
    mark = mark_of(area, hand)
    assert np.linalg.norm(mark.here - mark.other) == pytest.approx(after, abs=EXACT)


def test_what_cannot_be_moved_is_only_selected(area):
    document = area.document
    head = lock_part(document, "head", "aim", other=("right hand", (0.0, 0.0, 0.0)))
    before = document.state_json()
    mouse_drag(area, glyph(area, head), QPointF(20.0, 10.0))
    assert document.state_json() == before and document.session.locks.selected == head


@pytest.mark.parametrize("tool", ["drag", "lock"])
def test_the_glyph_of_a_pair_drags_the_part_and_the_pair_holds(area, tool):
    document = area.document
    area.show_view("front")
    document.session.tools.tool = tool
    pair = document.locks.lock_pair("point_pair", "right hand", "left hand")
    lock, start = strip_of(area, pair).lock, effector(area, joint_of(area, "right hand"))
    by = pixels(area, start, np.array([0.0, 0.04, 0.0]))
    mouse_drag(area, glyph(area, pair), by)
    same = strip_of(area, pair).lock
    assert same.target is lock.target or np.array_equal(same.target, lock.target), "its offset is left alone"
    moved = effector(area, joint_of(area, "right hand")) - start
    assert moved[1] == pytest.approx(0.04, abs=0.01) and document.session.locks.selected == pair
    assert all(state.word == "holds" for state in document.locks.states())
    assert document.stack.undoText() == "Drag right hand"
    mark = mark_of(area, pair)
    assert np.allclose(lock_marks.link(mark)[1], mark.place) and np.allclose(*lock_marks.link(mark), atol=EXACT)


def test_a_part_goes_before_the_glyph_on_it_but_for_the_middle(area, qtbot):
    document, view = area.document, area.work_view
    area.show_view("front")
    document.session.tools.tool = "drag"
    hand = lock_part(document, "left hand", "position")
    middle, joint = glyph(area, hand), joint_of(area, "left hand")
    beside = next(
        QPoint(middle.x() + x, middle.y() + y)
        for x, y in ((0, 8), (0, -8), (5, 7), (-5, 7), (8, 0), (-8, 0))
        if (found := area.host.scene.pick(*view.ray(middle.x() + x, middle.y() + y))) is not None
        and found.joint == joint
    )
    QTest.mouseMove(view, beside)
    qtbot.waitUntil(lambda: document.session.view.hover == joint)
    assert document.session.locks.hovered is None
    target = np.array(strip_of(area, hand).lock.target)
    mouse_drag(area, beside, QPointF(15.0, -15.0))
    assert np.array_equal(strip_of(area, hand).lock.target, target)
    QTest.mouseMove(view, middle)
    assert document.session.locks.hovered == hand and ("Shift", "add its part") in area.hints()
    document.session.tools.tool = "lock"
    QTest.mouseMove(view, beside + QPoint(1, 0))
    assert document.session.locks.hovered == hand, "with the tool for locks glyphs go first"


def test_shift_click_on_a_glyph_adds_its_part(area):
    document = area.document
    for tool in ("drag", "select", "lock"):
        document.session.tools.tool = tool
        foot = lock_part(document, "left foot", "position")
        document.selection.set([joint_of(area, "head")])
        shift = Qt.KeyboardModifier.ShiftModifier
        QTest.mouseClick(area.work_view, LEFT, shift, glyph(area, foot))
        assert document.selection.joints == (joint_of(area, "head"), joint_of(area, "left foot"))
        document.history.undo()


def test_shift_goes_by_centimetres_and_control_finely(area):
    document, view = area.document, area.work_view
    area.show_view("front")
    hand = lock_part(document, "right hand", "position")
    start = np.array(strip_of(area, hand).lock.target)
    tool, spot = area.host.toolbox, glyph(area, hand)
    QTest.mousePress(view, LEFT, NONE, spot)
    tool.move(view, Pointer(spot.x() + 9.3, spot.y() - 7.7, shift=True))
    moved = np.array(strip_of(area, hand).lock.target) - start
    assert np.allclose(moved, 0.01 * np.round(moved / 0.01), atol=1e-12) and np.abs(moved).max() >= 0.01
    tool.cancel()
    tool.press(view, Pointer(spot.x(), spot.y()))
    tool.move(view, Pointer(spot.x() + 20.0, spot.y(), ctrl=True))
    fine = np.linalg.norm(np.array(strip_of(area, hand).lock.target) - start)
    assert fine == pytest.approx(2.0 * view.pixel_size(start), rel=0.05)
    tool.cancel()
    assert np.array_equal(strip_of(area, hand).lock.target, start)


def test_a_target_out_of_reach_is_reported(area):
    document = area.document
    area.show_view("front")
    lock_part(document, "left foot", "pose")
    lock_part(document, "right foot", "pose")
    hand = lock_part(document, "right hand", "position")
    mouse_drag(area, glyph(area, hand), QPointF(-380.0, -200.0), release=False)
    tool = area.host.toolbox.current
    assert tool.troubled and area.status().endswith(" off")
    assert np.isfinite(document.pose).all()
    assert area.work_view.grab().width() > 0
    QTest.keyClick(area.work_view, Qt.Key.Key_Escape)
    assert all(state.word == "holds" for state in document.locks.states())


# -- keyed targets ---------------------------------------------------------------------------------------------------


@pytest.fixture
def keyed(area):
    """The right hand on a path of three target keys."""
    document = area.document
    area.show_view("front")
    document.sequences.set_range(0, 20)
    name = lock_part(document, "right hand", "position")
    start = np.array(strip_of(area, name).lock.target)
    offsets = {0: (0.0, 0.0, 0.0), 10: (-0.05, 0.08, 0.0), 20: (0.03, 0.12, 0.0)}
    keys = [TargetKey(frame, start + by) for frame, by in offsets.items()]
    assert document.locks.edit(name, targets=tuple(keys))
    document.session.locks.selected = name
    return name


def test_a_key_of_a_path_is_dragged_at_its_own_frame(area, keyed):
    document, view = area.document, area.work_view
    before = strip_of(area, keyed)
    json = document.state_json()
    place = np.array(before.targets[1].target)
    spot = view_point(view, place).toPoint()
    QTest.mouseMove(view, spot)
    area.host.toolbox.hover(view, Pointer(spot.x(), spot.y()))
    assert area.status() == "Key of the target at frame 10"
    mouse_drag(area, spot, QPointF(12.0, 9.0))
    after = strip_of(area, keyed)
    assert [key.frame for key in after.targets] == [0, 10, 20] and document.frame == 0
    assert np.array_equal(after.targets[0].target, before.targets[0].target)
    assert np.array_equal(after.targets[2].target, before.targets[2].target)
    moved = after.targets[1].target - place
    assert np.linalg.norm(moved) == pytest.approx(15.0 * view.pixel_size(place), rel=0.02)
    document.set_frame(10)
    assert np.linalg.norm(effector(area, joint_of(area, "right hand")) - after.targets[1].target) < EXACT
    document.set_frame(0)
    document.history.undo()
    assert document.state_json() == json


def test_a_click_on_a_key_goes_to_its_frame(area, keyed):
    spot = view_point(area.work_view, strip_of(area, keyed).targets[2].target).toPoint()
    QTest.mouseClick(area.work_view, LEFT, NONE, spot)
    assert area.document.frame == 20


def test_the_glyph_of_a_keyed_target_keys_the_frame(area, keyed):
    document = area.document
    document.set_frame(5)
    mark = mark_of(area, keyed)
    mouse_drag(area, glyph(area, keyed), QPointF(-8.0, 6.0))
    keys = strip_of(area, keyed).targets
    assert [key.frame for key in keys] == [0, 5, 10, 20]
    assert np.linalg.norm(keys[1].target - mark.place) > 1e-3
    assert np.linalg.norm(effector(area, joint_of(area, "right hand")) - keys[1].target) < EXACT


def test_a_strip_that_does_not_act_now_still_shows_its_path(area, keyed):
    document = area.document
    document.locks.set(tuple(replace(strip, start=8) for strip in document.locks.strips))
    document.set_frame(2)
    assert not area.host.scene.locks.marks
    place = np.array(strip_of(area, keyed).targets[1].target)
    mouse_drag(area, view_point(area.work_view, place).toPoint(), QPointF(0.0, -10.0))
    assert np.linalg.norm(strip_of(area, keyed).targets[1].target - place) > 1e-3


def test_an_unkeyed_pose_follows_too(area):
    document = area.document
    area.show_view("side")
    foot = lock_part(document, "right foot", "position")
    document.session.keys.auto = False
    q = document.pose.copy()
    q[3 + 20] += 0.05
    document.posing.set(q)
    assert document.pending
    before, pose = document.state_json(), document.pose.tobytes()
    mouse_drag(area, glyph(area, foot), QPointF(0.0, -12.0))
    target = np.array(strip_of(area, foot).lock.target)
    assert document.pending
    assert np.linalg.norm(effector(area, joint_of(area, "right foot")) - target) < EXACT
    document.history.undo()
    assert document.state_json() == before and document.pose.tobytes() == pose


def test_parts_can_still_be_picked_beside_the_glyphs(area):
    document = area.document
    area.show_view("front")
    lock_part(document, "right foot", "position")
    spot = spot_on(area.work_view, area, joint_of(area, "left forearm"))
    assert lock_marks.hit(area.work_view, area.host.scene.locks.marks, spot.x(), spot.y()) is None
    QTest.mouseMove(area.work_view, spot)
    QTest.mouseClick(area.work_view, LEFT, NONE, spot)
    assert document.selection.joints == (joint_of(area, "left forearm"),)


def test_arrow_keys_nudge_the_target_of_the_selected_lock(area):
    document, view = area.document, area.work_view
    area.show_view("front")
    hand = lock_part(document, "left hand", "position")
    before, start = document.state_json(), np.array(strip_of(area, hand).lock.target)
    document.session.tools.tool = "lock"
    QTest.mouseClick(view, LEFT, NONE, glyph(area, hand))
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    QTest.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ControlModifier)
    target = np.array(strip_of(area, hand).lock.target)
    assert np.allclose(target - start, 0.031 * view.camera.basis[1], atol=1e-12)
    assert np.linalg.norm(effector(area, joint_of(area, "left hand")) - target) < EXACT
    document.history.undo()
    assert document.state_json() == before


def test_delete_removes_the_selected_lock_only_with_the_tool_for_locks(area):
    document, view = area.document, area.work_view
    hand = lock_part(document, "left hand", "position")
    QTest.mouseClick(view, LEFT, NONE, glyph(area, hand))
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert [strip.id for strip in document.locks.strips] == [hand]
    document.session.tools.tool = "lock"
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert document.locks.strips == ()
    view.grab()
    document.history.undo()
    assert [strip.id for strip in document.locks.strips] == [hand]
