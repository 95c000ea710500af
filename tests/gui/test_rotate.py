"""The rings of the rotate tool: where they are, what they turn, and where they stop."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.document.document import Document
from app.marks import manipulators
from app.words.hindrance import value_text
from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Skeleton
from tests.gui.viewport_support import human_document, shown_area

NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def area(qtbot, skeletons_folder):
    area = shown_area(qtbot, human_document(skeletons_folder))
    area.document.session.tools.tool = "rotate"
    return area


def select(area, name: str):
    skeleton = area.document.skeleton
    area.document.selection.set((skeleton.joint_index(name),))
    area.frame_selected()
    return area.host.toolbox.current


def ring_pixel(area, handle, angle: float) -> QPoint:
    x, y, _ = manipulators.ring_points(area.work_view, handle, angles=np.array([angle]))[0]
    return QPoint(round(x), round(y))


def free_spot(area, tool, index: int) -> float:
    """Return an angle at which ring ``index`` is the one a press there takes hold of."""
    view = area.work_view
    for angle in np.linspace(0, 2 * np.pi, 73):
        at = ring_pixel(area, tool.handles[index], angle)
        if view.rect().contains(at) and manipulators.hit(view, tool.handles, at.x(), at.y()) == index:
            return float(angle)
    raise AssertionError("the ring cannot be picked anywhere")


def test_every_axis_is_the_real_one(area):
    """Turning a DOF a little moves the joint's frame about the handle's axis through the handle's center."""
    document = area.document
    skeleton, q = document.skeleton, document.pose
    for joint in range(len(skeleton.joints)):
        for handle in manipulators.handles(skeleton, q, area.host.scene.poses, joint):
            turned = q.copy()
            step = 1e-6
            turned[3 + handle.dof] += step
            owner = skeleton.dof_joints[handle.dof]
            before, after = (forward_kinematics(skeleton, pose)[owner] for pose in (q, turned))
            if handle.kind == "hinge":
                spin = (after[:3, :3] @ before[:3, :3].T - np.eye(3)) / step
                w = 0.5 * np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]])
                assert np.allclose(w, handle.axis, atol=1e-5)
                assert np.allclose(after[:3, 3], before[:3, 3], atol=1e-12)
            assert np.allclose(before[:3, 3], handle.center)
            assert abs(handle.zero @ handle.axis) < 1e-12 and np.isclose(np.linalg.norm(handle.zero), 1.0)


def test_a_compound_joint_shows_all_its_rings(area):
    skeleton = area.document.skeleton
    for compound in skeleton.compounds:
        for dof in compound:
            assert set(compound) <= set(manipulators.compound_dofs(skeleton, skeleton.dof_joints[dof]))


def test_rings_keep_their_size_on_screen(area):
    tool = select(area, "right forearm")
    for factor in (1.0, 0.3, 4.0):
        area.host.cameras["perspective"].zoom(factor)
        points = manipulators.ring_points(area.work_view, tool.handles[0])
        center = area.work_view.project(tool.handles[0].center[None])[0, :2]
        widest = np.linalg.norm(points[:, :2] - center, axis=1).max()
        assert widest == pytest.approx(manipulators.RADIUS, rel=0.08)


def test_dragging_a_ring_turns_one_degree_of_freedom(area):
    document = area.document
    tool = select(area, "right forearm")
    handle = tool.handles[0]
    facing = abs(area.work_view.ray(400, 280)[1] @ handle.axis)
    assert facing > 0.2
    before, state, steps = document.pose.copy(), document.state_json(), document.stack.count()
    grip = free_spot(area, tool, 0)
    at, end = ring_pixel(area, handle, grip), ring_pixel(area, handle, grip + 0.3)
    QTest.mousePress(area.work_view, LEFT, NONE, at)
    assert document.state_json() == state
    for k in range(1, 6):
        QTest.mouseMove(area.work_view, at + (end - at) * (k / 5))
    expected = before[3 + handle.dof] + 0.3
    assert document.pose[3 + handle.dof] == pytest.approx(min(expected, handle.hi), abs=0.04)
    changed = np.flatnonzero(document.pose != before)
    assert list(changed) == [3 + handle.dof]
    assert area.status().startswith(handle.label)
    QTest.mouseRelease(area.work_view, LEFT, NONE, end)
    assert document.stack.count() == steps + 1
    document.history.undo()
    assert np.array_equal(document.pose, before)


def test_it_stops_at_the_limits_and_comes_back(area):
    document = area.document
    tool = select(area, "right forearm")
    handle = tool.handles[0]
    assert np.isfinite([handle.lo, handle.hi]).all()
    grip = free_spot(area, tool, 0)
    at = ring_pixel(area, handle, grip)
    before = document.pose.copy()
    QTest.mousePress(area.work_view, LEFT, NONE, at)
    angles = np.concatenate([np.arange(0, -4, -0.1), np.arange(-4, 0.05, 0.1)])
    lowest = np.inf
    for angle in angles:
        QTest.mouseMove(area.work_view, ring_pixel(area, handle, grip + angle))
        lowest = min(lowest, document.pose[3 + handle.dof])
        assert handle.lo <= document.pose[3 + handle.dof] <= handle.hi
    assert lowest == handle.lo
    assert document.pose[3 + handle.dof] == pytest.approx(before[3 + handle.dof], abs=0.05)
    QTest.mouseRelease(area.work_view, LEFT, NONE, at)


def test_escape_restores_bit_for_bit(area):
    document = area.document
    tool = select(area, "right forearm")
    state, steps = document.state_json(), document.stack.count()
    grip = free_spot(area, tool, 0)
    QTest.mousePress(area.work_view, LEFT, NONE, ring_pixel(area, tool.handles[0], grip))
    QTest.mouseMove(area.work_view, ring_pixel(area, tool.handles[0], grip + 0.4))
    assert document.state_json() != state
    QTest.keyClick(area.work_view, Qt.Key.Key_Escape)
    assert document.state_json() == state and document.stack.count() == steps


def test_shift_turns_to_whole_steps(area):
    document = area.document
    tool = select(area, "right forearm")
    handle = tool.handles[0]
    grip = free_spot(area, tool, 0)
    QTest.mousePress(area.work_view, LEFT, NONE, ring_pixel(area, handle, grip))
    seen = set()
    for turned in np.arange(0.0, 1.2, 0.1):
        place = QPointF(ring_pixel(area, handle, grip + turned))
        shift, none = Qt.KeyboardModifier.ShiftModifier, Qt.MouseButton.NoButton
        event = QMouseEvent(QEvent.Type.MouseMove, place, area.work_view.mapToGlobal(place), none, LEFT, shift)
        QApplication.sendEvent(area.work_view, event)
        seen.add(round(float(np.degrees(document.pose[3 + handle.dof])), 6))
    seen.discard(round(float(np.degrees(handle.value)), 6))  # the first move has not come far enough
    assert len(seen) >= 4 and all(abs(value / 15.0 - round(value / 15.0)) < 1e-6 for value in seen)
    QTest.keyClick(area.work_view, Qt.Key.Key_Escape)


def test_a_ring_seen_from_its_edge_turns_too(area):
    tool = select(area, "right forearm")
    handle = tool.handles[0]
    camera = area.host.cameras["perspective"]
    side = np.cross(handle.axis, [0.0, 1.0, 0.0])
    camera.yaw, camera.pitch = float(np.arctan2(side[0], side[2])), 0.0
    camera.target = tuple(handle.center)
    assert manipulators.angle_at(area.work_view, handle, 400, 280) is None
    before = area.document.pose[3 + handle.dof]
    grip = free_spot(area, tool, 0)
    rate = manipulators.tangent_rate(area.work_view, handle, *ring_pixel(area, handle, grip).toTuple())
    at = ring_pixel(area, handle, grip)
    QTest.mousePress(area.work_view, LEFT, NONE, at)
    QTest.mouseMove(area.work_view, at + QPoint(*(round(20 * v / np.linalg.norm(rate)) for v in rate)))
    assert area.document.pose[3 + handle.dof] == pytest.approx(before + 20 / manipulators.RADIUS, abs=0.03)


def test_a_slide_has_an_arrow_and_follows_the_pointer(qtbot, skeletons_folder):
    rail = Joint("rail", -1, mass=1.0)
    slide = Dof("slide", np.array([1.0, 0.0, 0.0]), -0.2, 0.4)
    cart = Joint("cart", 0, offset=np.array([0.0, 0.5, 0.0]), dofs=(slide,), mass=1.0)
    skeleton = Skeleton("rail", [rail, cart])
    q = skeleton.rest_pose()
    handle = manipulators.handles(skeleton, q, forward_kinematics(skeleton, q), 1)[0]
    assert handle.kind == "slide" and np.allclose(handle.axis, [1, 0, 0]) and np.allclose(handle.center, [0, 0.5, 0])
    area = shown_area(qtbot, Document())
    area.show_view("front")
    rate = manipulators.slide_rate(area.work_view, handle)
    assert rate == pytest.approx([area.work_view.pixel_size(handle.center), 0.0], abs=1e-9)
    area.show_view("side")
    assert manipulators.slide_rate(area.work_view, handle) == pytest.approx([0.0, 0.0])


def test_values_are_shown_with_units_and_a_true_minus():
    assert value_text("angle", np.radians(63.4)) == "63.4°"
    assert value_text("angle", -0.5) == "−28.6°"
    assert value_text("length", 0.123) == "12.3 cm"
