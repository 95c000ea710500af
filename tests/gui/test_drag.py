"""Dragging parts by scripted mouse events, in all four views."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.document.changes import PoseChanged
from app.tools.drag import EASE_PIXELS
from app.tools.picking import pick_near, short_ends
from core.ik import Goal, solve
from core.kinematics import closest_point_on_ray
from core.kinematics.ray import closest_point_on_axis
from core.posing.pointer_ray import eased
from core.skeleton.extent import figure_height
from core.skeleton.segment import end_effector
from tests.gui.viewport_support import effector, human_document, shown_area, spot_on

KINDS = ("front", "side", "top", "perspective")
NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
STEPS = 12


@pytest.fixture
def area(qtbot, skeletons_folder):
    return shown_area(qtbot, human_document(skeletons_folder))


def hand(area) -> int:
    return area.document.skeleton.joint_index("right hand")


def grab(area, joint) -> QPoint:
    at = spot_on(area.work_view, area, joint)
    QTest.mousePress(area.work_view, LEFT, NONE, at)
    return at


def drag(area, start: QPoint, by: QPoint, steps: int = STEPS) -> QPoint:
    """Move the held mouse in equal steps; return where it ends."""
    end = start + by
    for k in range(1, steps + 1):
        QTest.mouseMove(area.work_view, QPoint(start.x() + by.x() * k // steps, start.y() + by.y() * k // steps))
    QTest.mouseMove(area.work_view, end)
    return end


def reachable(area, joint, end: QPoint) -> bool:
    """Whether some pose of the limb brings the hand within 2 mm of the ray: tried from several poses of the arm."""
    document = area.document
    local = end_effector(document.skeleton, joint)
    goal = closest_point_on_ray(*area.work_view.ray(end.x(), end.y()), effector(area, joint))
    chain = area.host.toolbox.current.chain(joint)
    result = solve(document.skeleton, document.pose, Goal(joint, point=local, position=goal), base=chain.base)
    return result.converged


def ends(area, joint, at: QPoint) -> list[QPoint]:
    """Return reachable ways to drag from ``at``: 70 px in eight directions, those that stay inside the view."""
    found = []
    for k in range(8):
        angle = 2.0 * np.pi * k / 8.0
        by = QPoint(round(70 * np.cos(angle)), round(70 * np.sin(angle)))
        if area.work_view.rect().contains(at + by) and reachable(area, joint, at + by):
            found.append(by)
    return found


def off_ray(area, joint, at: QPoint) -> float:
    """Return how far the end-effector is from the cursor's ray, [m]."""
    point = effector(area, joint)
    return float(np.linalg.norm(closest_point_on_ray(*area.work_view.ray(at.x(), at.y()), point) - point))


@pytest.mark.parametrize("kind", KINDS)
def test_hand_follows_the_cursor(area, kind):
    area.show_view(kind)
    joint = hand(area)
    pose = area.document.pose.copy()
    at = spot_on(area.work_view, area, joint)
    shifts = ends(area, joint, at)
    assert len(shifts) >= 3
    for by in shifts:
        QTest.mousePress(area.work_view, LEFT, NONE, at)
        end = drag(area, at, by)
        assert off_ray(area, joint, end) < 0.01 * figure_height(area.document.skeleton)
        QTest.mouseRelease(area.work_view, LEFT, NONE, end)
        area.document.history.undo()
        assert np.array_equal(area.document.pose, pose)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
def test_offset_at_press_eases_out(area, kind):
    """Half-way through the first 40 px the hand follows the ray shifted by what is left of the offset."""
    area.show_view(kind)
    joint = hand(area)
    start = effector(area, joint)
    at = spot_on(area.work_view, area, joint)
    by = next(shift for shift in ends(area, joint, at)) * (0.5 * EASE_PIXELS / 70.0)
    around = (QPoint(3, 0), QPoint(-3, 0), QPoint(0, 3), QPoint(0, -3))
    at = next(at + step for step in around if _on(area, joint, at + step))
    ray = area.work_view.ray(at.x(), at.y())
    offset = start - closest_point_on_ray(*ray, start)
    assert np.linalg.norm(offset) > 1e-4
    QTest.mousePress(area.work_view, LEFT, NONE, at)
    end = drag(area, at, by)
    origin, direction = area.work_view.ray(end.x(), end.y())
    left = eased(float(np.hypot(by.x(), by.y())) / EASE_PIXELS)
    assert 0.3 < left < 0.7
    point = effector(area, joint)
    distance = np.linalg.norm(closest_point_on_ray(origin + left * offset, direction, point) - point)
    assert distance < 0.01 * figure_height(area.document.skeleton)


def _on(area, joint, at: QPoint) -> bool:
    hit = area.host.scene.pick(*area.work_view.ray(at.x(), at.y()))
    return hit is not None and hit.joint == joint


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["front", "side", "top"])
def test_orthographic_goal_keeps_its_depth(area, kind):
    area.show_view(kind)
    joint = hand(area)
    start = effector(area, joint)
    at = grab(area, joint)
    direction = area.work_view.ray(at.x(), at.y())[1]
    goals = []
    session = area.document.session
    area.document.changed.connect(
        lambda change: goals.append(session.drag.goal) if isinstance(change, PoseChanged) else None
    )
    for by in (QPoint(60, 40), QPoint(-260, -180)):  # the second goes far out of reach, where the hand leaves its plane
        drag(area, at, by)
        goals.append(area.document.session.drag.goal)
    depths = [(goal.goal - start) @ direction for goal in goals if goal is not None]
    assert len(depths) > STEPS
    assert np.abs(depths).max() <= 1e-9


def test_perspective_goal_is_the_closest_point_of_the_ray(area):
    area.show_view("perspective")
    joint = hand(area)
    at = grab(area, joint)
    drag(area, at, QPoint(50, -30))  # beyond the first 40 px: the offset has eased out
    before = effector(area, joint)
    end = at + QPoint(64, -52)
    QTest.mouseMove(area.work_view, end)
    origin, direction = area.work_view.ray(end.x(), end.y())
    along = (before - origin) @ direction
    assert np.allclose(area.document.session.drag.goal.goal, origin + along * direction, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_press_changes_no_pose_and_a_click_makes_no_step(area, kind):
    area.show_view(kind)
    document = area.document
    before, steps = document.state_json(), document.stack.count()
    at = grab(area, hand(area))
    assert document.state_json() == before
    QTest.mouseRelease(area.work_view, LEFT, NONE, at)
    assert document.state_json() == before
    assert document.stack.count() == steps
    assert document.selection.joints == (hand(area),)


@pytest.mark.parametrize("auto_key", [True, False])
def test_escape_restores_bit_for_bit(area, auto_key):
    document = area.document
    document.session.keys.auto = auto_key
    before, steps = document.state_json(), document.stack.count()
    at = grab(area, hand(area))
    end = drag(area, at, QPoint(80, -60))
    assert document.state_json() != before
    QTest.keyClick(area.work_view, Qt.Key.Key_Escape)
    assert document.state_json() == before
    QTest.mouseMove(area.work_view, end + QPoint(20, 20))
    QTest.mouseRelease(area.work_view, LEFT, NONE, end)
    assert document.state_json() == before
    assert document.stack.count() == steps
    assert document.session.drag.goal is None and document.session.drag.chain is None


def test_a_drag_is_one_step(area):
    document = area.document
    before, steps = document.state_json(), document.stack.count()
    at = grab(area, hand(area))
    end = drag(area, at, QPoint(60, -50), steps=30)
    QTest.mouseRelease(area.work_view, LEFT, NONE, end)
    after = document.state_json()
    assert document.stack.count() == steps + 1
    document.history.undo()
    assert document.state_json() == before
    document.history.redo()
    assert document.state_json() == after


def test_limb_mode_moves_the_arm_only(area):
    document = area.document
    chain = area.host.toolbox.current.chain(hand(area))
    before = document.pose.copy()
    at = grab(area, hand(area))
    drag(area, at, QPoint(70, -60))
    moved = set(np.flatnonzero(document.pose != before))
    assert moved and moved <= set(chain.dofs)
    assert document.session.drag.chain == chain


def test_shift_moves_the_root_in_the_view_plane(area):
    area.show_view("front")
    document = area.document
    before = document.pose.copy()
    start = effector(area, hand(area))
    at = grab(area, hand(area))
    for k in range(1, 9):
        _move_with(area, at + QPoint(10 * k, -5 * k), Qt.KeyboardModifier.ShiftModifier)
    assert np.array_equal(document.pose[3:], before[3:])
    shift = document.pose[:3] - before[:3]
    assert np.linalg.norm(shift) > 0.1
    assert abs(shift[2]) < 1e-12  # the front view looks along z
    assert np.allclose(effector(area, hand(area)) - start, shift, atol=1e-12)
    assert off_ray(area, hand(area), at + QPoint(80, -40)) < 1e-9


def _move_with(area, at: QPoint, held) -> None:
    from PySide6.QtCore import QEvent, QPointF
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QApplication

    view = area.work_view
    event = QMouseEvent(
        QEvent.Type.MouseMove, QPointF(at), QPointF(view.mapToGlobal(at)), Qt.MouseButton.NoButton, LEFT, held
    )
    QApplication.sendEvent(view, event)


def test_control_moves_a_tenth(area):
    area.show_view("front")
    joint = hand(area)
    at = grab(area, joint)
    drag(area, at, QPoint(60, 0))
    goal = area.document.session.drag.goal.goal
    _move_with(area, at + QPoint(60, -30), Qt.KeyboardModifier.ControlModifier)
    moved = area.document.session.drag.goal.goal - goal
    assert np.allclose(moved, [0.0, 3.0 * area.work_view.pixel_size(goal), 0.0], atol=1e-9)


def test_axis_key_holds_the_drag_to_a_line(area):
    area.show_view("perspective")
    start = effector(area, hand(area))
    at = grab(area, hand(area))
    QTest.keyClick(area.work_view, Qt.Key.Key_Y)
    drag(area, at, QPoint(15, -50))
    goal = area.document.session.drag.goal.goal
    assert np.allclose((goal - start)[[0, 2]], 0.0, atol=1e-12)
    assert goal[1] > start[1]


@pytest.mark.verify
def test_going_out_of_reach_and_back_finds_the_cursor_again(area):
    area.show_view("side")
    joint = hand(area)
    at = spot_on(area.work_view, area, joint)
    by = ends(area, joint, at)[0]
    QTest.mousePress(area.work_view, LEFT, NONE, at)
    drag(area, at, by)
    far = drag(area, at + by, QPoint(400, 60), steps=30)
    assert area.document.session.drag.goal.hindrance.beyond > 0.0
    drag(area, far, at + by - far, steps=30)
    assert area.document.session.drag.goal.hindrance.beyond == 0.0
    assert off_ray(area, joint, at + by) < 0.01 * figure_height(area.document.skeleton)


def test_undo_during_a_drag_ends_it(area):
    document = area.document
    before = document.state_json()
    at = grab(area, hand(area))
    end = drag(area, at, QPoint(60, -50))
    document.history.undo()
    assert document.state_json() == before
    QTest.mouseMove(area.work_view, end + QPoint(9, 9))
    QTest.mouseRelease(area.work_view, LEFT, NONE, end)
    assert document.state_json() == before
    assert document.session.drag.chain is None


def test_up_to_a_joint_that_is_not_above_falls_back_to_the_limb(area):
    session, skeleton = area.document.session, area.document.skeleton
    tool = area.host.toolbox.tools["drag"]
    limb = tool.chain(hand(area))
    session.tools.drag_mode = "up_to"
    session.tools.chain_base = skeleton.joint_index("left hand")
    assert tool.chain(hand(area)) == limb
    session.tools.chain_base = 0
    assert tool.chain(hand(area)).base == 0


def test_closest_point_on_axis_is_the_nearest_of_many():
    generator = np.random.default_rng(5)
    for _ in range(20):
        point, origin = generator.normal(size=(2, 3))
        axis, direction = (v / np.linalg.norm(v) for v in generator.normal(size=(2, 3)))
        found = closest_point_on_axis(point, axis, origin, direction)

        def to_line(p, origin=origin, direction=direction):
            return np.linalg.norm((p - origin) - ((p - origin) @ direction) * direction)

        others = point + np.linspace(-5, 5, 401)[:, None] * axis
        assert to_line(found) <= min(to_line(p) for p in others) + 1e-12
    assert closest_point_on_axis(np.zeros(3), np.eye(3)[0], np.ones(3), np.eye(3)[0]) is None


def test_ease_goes_from_one_to_zero_without_a_jump():
    values = [eased(0.1 * k / EASE_PIXELS) for k in range(501)]
    assert values[0] == 1.0 and eased(1.0) == 0.0 and values[-1] == 0.0
    assert all(a >= b for a, b in pairwise(values))
    assert max(abs(a - b) for a, b in pairwise(values)) < 0.01


@pytest.mark.verify
def test_alt_arrows_nudge_by_a_centimetre_in_one_step(area):
    area.show_view("front")
    document, joint = area.document, hand(area)
    document.selection.set((joint,))
    start, state, steps = effector(area, joint), document.state_json(), document.stack.count()
    alt = Qt.KeyboardModifier.AltModifier
    for _ in range(3):
        QTest.keyClick(area.work_view, Qt.Key.Key_Up, alt)
    assert np.allclose(effector(area, joint) - start, [0.0, 0.03, 0.0], atol=3e-4)
    QTest.keyClick(area.work_view, Qt.Key.Key_Left, alt | Qt.KeyboardModifier.ControlModifier)
    assert np.allclose(effector(area, joint) - start, [-0.001, 0.03, 0.0], atol=4e-4)
    assert document.stack.count() == steps + 1
    document.history.undo()
    assert document.state_json() == state


def test_a_lost_release_ends_the_drag_at_the_next_move(area):
    document = area.document
    steps = document.stack.count()
    at = grab(area, hand(area))
    drag(area, at, QPoint(50, -40))
    from PySide6.QtCore import QEvent, QPointF
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QApplication

    view, none = area.work_view, Qt.MouseButton.NoButton
    place = QPointF(at)
    QApplication.sendEvent(
        view, QMouseEvent(QEvent.Type.MouseMove, place, QPointF(view.mapToGlobal(at)), none, none, NONE)
    )
    assert not area.host.toolbox.active
    assert document.stack.count() == steps + 1
    assert document.session.drag.goal is None


def test_the_trail_is_right_when_the_drag_ends(area):
    from core.kinematics import forward_kinematics

    document, joint = area.document, hand(area)
    document.set_frame(20)
    document.keys.set()
    document.set_frame(10)
    at = grab(area, joint)
    end = drag(area, at, QPoint(60, -50))
    QTest.mouseRelease(area.work_view, LEFT, NONE, end)
    trail = area.host.scene.trails.trail(joint)
    assert trail.keys == (0, 10, 20)
    frames, path = trail.frames, trail.path
    local = np.append(end_effector(document.skeleton, joint), 1.0)
    poses = document.sequence.poses(frames / document.sequence.fps)
    expected = [(forward_kinematics(document.skeleton, q)[joint] @ local)[:3] for q in poses]
    assert np.allclose(path, expected, atol=1e-12)
    assert np.allclose(path[list(frames).index(10)], effector(area, joint), atol=1e-12)


def point_at(area, at: QPoint, held: Qt.MouseButton = Qt.MouseButton.NoButton) -> None:
    """Move the mouse, sent straight to the view: QTest would warp the real pointer, which may leave again."""
    view = area.work_view
    kind, none = QEvent.Type.MouseMove, Qt.MouseButton.NoButton
    QApplication.sendEvent(view, QMouseEvent(kind, QPointF(at), QPointF(view.mapToGlobal(at)), none, held, NONE))


def under_cursor(area) -> int | None:
    """Return the part a press at the pointer would take."""
    at = area.work_view.hovering.cursor
    hit = pick_near(area.host.scene, area.work_view, at.x(), at.y())
    return None if hit is None else hit.joint


def test_escape_mid_drag_forgets_a_part_that_is_no_longer_under_the_cursor(area, qtbot):
    session = area.document.session
    at = spot_on(area.work_view, area, hand(area))
    point_at(area, at)
    assert session.view.hover == hand(area)
    QTest.mousePress(area.work_view, LEFT, NONE, at)
    end = drag(area, at, QPoint(-150, -60))
    QTest.keyClick(area.work_view, Qt.Key.Key_Escape)
    assert under_cursor(area) != hand(area)
    qtbot.waitUntil(lambda: session.view.hover == under_cursor(area), timeout=1000)
    point_at(area, at, LEFT)  # the button is still down, but nothing is held any more
    assert session.view.hover == hand(area)
    QTest.mouseRelease(area.work_view, LEFT, NONE, end)


def test_undo_forgets_a_part_that_is_no_longer_under_the_cursor(area, qtbot):
    session = area.document.session
    at = grab(area, hand(area))
    end = drag(area, at, QPoint(70, -50))
    QTest.mouseRelease(area.work_view, LEFT, NONE, end)
    qtbot.waitUntil(lambda: session.view.hover == under_cursor(area), timeout=1000)
    area.document.selection.set(())
    area.document.history.undo()
    assert under_cursor(area) != hand(area)
    qtbot.waitUntil(lambda: session.view.hover == under_cursor(area), timeout=1000)


def test_a_limb_that_stops_short_of_the_cursor_is_not_named_there(area, qtbot):
    session = area.document.session
    at = spot_on(area.work_view, area, hand(area))
    point_at(area, at)
    QTest.mousePress(area.work_view, LEFT, NONE, at)
    end = drag(area, at, QPoint(4 - at.x(), 4 - at.y()))
    QTest.mouseRelease(area.work_view, LEFT, NONE, end)
    assert under_cursor(area) is None
    qtbot.waitUntil(lambda: session.view.hover is None, timeout=1000)


def test_dragging_costs_no_looks_for_what_is_under_the_cursor(area, monkeypatch, qtbot):
    at = grab(area, hand(area))
    picks = []
    monkeypatch.setattr(area.host.scene, "pick", lambda *ray: picks.append(ray))
    drag(area, at, QPoint(60, -50), steps=30)
    qtbot.wait(80)
    assert picks == []
    monkeypatch.undo()
    QTest.mouseRelease(area.work_view, LEFT, NONE, at + QPoint(60, -50))


def test_the_chain_chip_says_when_the_base_is_not_above(area):
    session, skeleton = area.document.session, area.document.skeleton
    tool = area.host.toolbox.tools["drag"]
    session.view.hover = hand(area)
    session.tools.drag_mode = "up_to"
    session.tools.chain_base = skeleton.joint_index("left hand")
    dofs = len(tool.chain(hand(area)).dofs)
    assert tool.chip() == f"Limb (Left hand is not above) · right hand · {dofs} DOF"
    session.tools.chain_base = skeleton.joint_index("chest")
    dofs = len(tool.chain(hand(area)).dofs)
    assert tool.chip() == f"Up to chest · right hand · {dofs} DOF"


@pytest.mark.verify
@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
def test_a_press_a_few_pixels_beside_a_part_takes_it(area, kind):
    area.show_view(kind)
    view, scene, session = area.work_view, area.host.scene, area.document.session
    joints, ends = scene.skeleton.joints, short_ends(scene.skeleton)

    def or_parents(hits):
        """Joints of hits; where it is a short end, drawn small, its parent too, which may be meant."""
        found = {hit.joint for hit in hits if hit is not None}
        return found | {joints[end].parent for end in found & ends}

    taken = 0
    for x in range(2, view.width() - 150, 19):
        for y in range(60, view.height() - 70, 17):
            exact, near = scene.pick(*view.ray(x, y)), pick_near(scene, view, x, y)
            if exact is not None:
                assert near.joint in or_parents(scene.pick_all(*view.ray(x, y)))
                continue
            if near is not None:
                ring = [
                    scene.pick(*view.ray(x + r * np.cos(a), y + r * np.sin(a)))
                    for r in np.linspace(1.0, 6.0, 6)
                    for a in np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
                ]
                assert near.joint in or_parents(ring)
                spot = (x, y, near.joint)
                taken += 1
    assert taken > 8
    x, y, joint = spot
    point_at(area, QPoint(x, y))
    assert session.view.hover == joint
    QTest.mousePress(view, LEFT, NONE, QPoint(x, y))
    assert area.document.selection.joints == (joint,)
    QTest.mouseRelease(view, LEFT, NONE, QPoint(x, y))


def test_far_from_every_part_nothing_is_taken(area):
    view, scene = area.work_view, area.host.scene
    joint = hand(area)
    middle = spot_on(view, area, joint)
    edge = max(x for x in range(view.width()) if scene.pick(*view.ray(x, middle.y())) is not None)
    assert pick_near(scene, view, edge + 4, middle.y()) is not None
    assert pick_near(scene, view, edge + 14, middle.y()) is None
