"""The cone of a joint in the view, and rings that stop at its rim."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.document.document import Document
from app.marks.cone_marks import blocked_cones, cone_marks
from core.kinematics import forward_kinematics
from core.posing.hindrance import Stop
from core.skeleton import clamp_pose, write_scr
from tests.gui.test_rotate import free_spot, ring_pixel
from tests.gui.viewport_support import shown_area
from tests.support.coned import CLOSE, CONE, CONED, coned, swings

LEFT_ARM_Z, LEFT_ARM_X = 4, 5


@pytest.fixture
def area(qtbot, tmp_path):
    path = tmp_path / "coned.scr"
    path.write_text(write_scr(coned()), encoding="utf-8")
    document = Document()
    document.files.open(path)
    area = shown_area(qtbot, document)
    document.session.tools.tool = "rotate"
    return area


@pytest.mark.parametrize("seed", range(8))
def test_a_cone_stands_around_where_its_joint_rests(seed):
    rng, s = np.random.default_rng(seed), coned()
    q = clamp_pose(s, rng.normal(size=s.nq))
    X = forward_kinematics(s, q)
    names = [s.joint_names[joint] for joint in range(len(s.joints)) if s.joints[joint].name in CONED]
    marks = cone_marks(s, q, X, range(len(s.joints)))
    assert len(marks) == len(names) == len(CONED)
    for name, mark in zip(names, marks, strict=True):
        joint = s.joint_index(name)
        assert np.allclose(mark.center, X[joint, :3, 3])
        assert np.allclose(mark.axis, X[joint, :3, 1], atol=1e-12), "it points along the segment"
        assert np.allclose(mark.rest, X[s.joints[joint].parent, :3, 1], atol=1e-12)
        assert np.allclose(mark.rim() @ mark.rest, math.cos(CONE))
        assert np.allclose(np.linalg.norm(mark.rim(), axis=1), 1.0)
        swing = swings(s, q)[CONED.index(name)]
        assert mark.at_rim == (swing > CONE - math.radians(0.15))


def test_a_ring_stops_at_the_rim_and_the_cone_is_drawn(area):
    document, skeleton = area.document, area.document.skeleton
    pose = np.array(document.pose)
    pose[LEFT_ARM_X] = math.radians(30.0)
    document.posing.set(pose, "Pose")
    document.selection.set((skeleton.joint_index("left arm"),))
    area.frame_selected()
    tool, view = area.host.toolbox.current, area.work_view
    index = next(k for k, handle in enumerate(tool.handles) if handle.dof == LEFT_ARM_Z - 3)
    rim = math.acos(math.cos(CONE) / math.cos(math.radians(30.0)))
    assert tool.handles[index].hi == pytest.approx(rim, abs=1e-6)
    plain = view.grab().toImage()
    angle = free_spot(area, tool, index)
    start = ring_pixel(area, tool.handles[index], angle)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    for step in np.linspace(0.1, 1.4, 20):
        at = ring_pixel(area, tool.handles[index], angle + step)
        QTest.mouseMove(view, at)
    drawn = view.grab().toImage()
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    assert document.pose[LEFT_ARM_X] == pose[LEFT_ARM_X], "the other angle stays"
    assert CONE - 1e-6 < swings(skeleton, document.pose)[0] <= CONE + CLOSE
    assert drawn != plain
    document.history.undo()
    assert np.array_equal(document.pose, pose)


def test_the_cone_that_stops_a_drag_is_known(area):
    skeleton = area.document.skeleton
    found = blocked_cones(area.host.scene, [Stop(LEFT_ARM_Z - 3, 0, 0.5), Stop(0, 1, 0.5)])
    arm = skeleton.joint_index("left arm")
    assert len(found) == 1 and np.allclose(found[0].center, area.host.scene.poses[arm][:3, 3])
    assert blocked_cones(area.host.scene, [Stop(LEFT_ARM_Z - 3, 1, 0.5)]) == []
