"""Hands that are locked to each other, dragged by mouse: they keep place and orientation, and the pose its symmetry."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.document.document import Document
from app.scene.pointing import view_point
from core.constraints import Lock, solve_locks
from core.kinematics import forward_kinematics
from core.skeleton.stance import flipped
from core.spatial import so3
from tests.gui.viewport_support import shown_area

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def area(qtbot, skeletons_folder):
    """A figure with its palms before its chest, the same on both sides, the left hand carried by the right."""
    document = Document()
    assert document.files.load_figure(skeletons_folder / "human.scr")
    skeleton = document.skeleton
    q = skeleton.rest_pose()
    places = {"left": (0.09, 1.1, 0.32), "right": (-0.09, 1.1, 0.32)}
    locks = [Lock(f"{side} hand", "position", target=place) for side, place in places.items()]
    q = solve_locks(skeleton, q, locks).q
    q = 0.5 * (q + flipped(skeleton, q))
    document.posing.set(q)
    assert np.abs(document.pose - flipped(skeleton, document.pose)).max() < 1e-9
    area = shown_area(qtbot, document)
    hands = [skeleton.joint_index(f"{side} hand") for side in ("left", "right")]
    assert document.locks.lock_pair("carry", *hands) is not None
    return area


def between(area) -> np.ndarray:
    """The left hand's frame in the right one's, shape (4, 4)."""
    skeleton = area.document.skeleton
    X = forward_kinematics(skeleton, area.document.pose)
    return np.linalg.inv(X[skeleton.joint_index("right hand")]) @ X[skeleton.joint_index("left hand")]


def drag(area, by: tuple[int, int], steps: int = 5) -> list[np.ndarray]:
    """Drag the left hand; return where the left hand was in the right one's frame at each event."""
    view, joint = area.work_view, area.document.skeleton.joint_index("left hand")
    at = view_point(view, area.host.scene.world(joint, np.array([0.0, -0.08, 0.0]))).toPoint()
    seen = []
    area.document.selection.set((joint,))
    QTest.mousePress(view, LEFT, NONE, at)
    for k in range(1, steps + 1):
        QTest.mouseMove(view, at + QPoint(by[0] * k // steps, by[1] * k // steps))
        seen.append(between(area))
    QTest.mouseRelease(view, LEFT, NONE, at + QPoint(*by))
    return seen


@pytest.mark.parametrize("mirrored", [False, True], ids=["one side", "mirror editing"])
def test_hands_keep_place_orientation_and_symmetry(area, mirrored: bool) -> None:
    document = area.document
    document.session.tools.mirror_editing = mirrored
    held, moved = between(area), 0.0
    for by in ((0, -40), (-25, 30), (35, 20), (-20, -30)):
        before, steps = document.pose.copy(), document.stack.count()
        for now in drag(area, by):
            assert np.linalg.norm(now[:3, 3] - held[:3, 3]) <= 1e-6
            assert so3.angle_between(now[:3, :3], held[:3, :3]) <= 1e-6
        if mirrored:
            assert np.abs(document.pose - flipped(document.skeleton, document.pose)).max() <= 1e-6
        assert document.stack.count() <= steps + 1
        moved = max(moved, float(np.abs(document.pose - before).max()))
    assert moved > 0.05, "the drags moved something"
