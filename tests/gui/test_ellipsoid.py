"""The manipulability ellipsoid in the views."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.document.document import Document
from app.marks import ellipsoid_overlay
from app.marks.ellipsoid_overlay import HARD, TURN, circle_points, outline_points
from core.kinematics import point_jacobian
from core.skeleton.segment import end_effector
from tests.gui.viewport_support import effector, human_document, shown_area


@pytest.fixture
def area(qtbot, skeletons_folder):
    made = shown_area(qtbot, human_document(skeletons_folder))
    made.document.session.view.overlays["ellipsoid"] = True
    made.document.selection.set(["right hand"])
    return made


def test_it_shows_where_joints_of_equal_effort_take_the_part(area):
    skeleton, q = area.document.skeleton, area.document.pose
    hand = skeleton.joint_index("right hand")
    shape = area.host.ellipsoid.shape()
    chain = area.host.toolbox.tools["drag"].chain(hand)
    J = point_jacobian(skeleton, q, hand, end_effector(skeleton, hand))[:3, list(chain.dofs)]
    values = np.linalg.svd(J, compute_uv=False)
    assert np.allclose(shape.radii, TURN * values, rtol=1e-9)
    assert shape.condition == pytest.approx(values[0] / values[2])
    assert np.allclose(shape.center, effector(area, hand), atol=1e-12)
    steps = np.random.default_rng(2).normal(size=(200, len(chain.dofs)))
    moved = TURN * (steps / np.linalg.norm(steps, axis=1)[:, None]) @ J.T
    assert (((moved @ shape.axes) / shape.radii) ** 2).sum(axis=1).max() <= 1.0 + 1e-9


@pytest.mark.parametrize("kind", ["front", "perspective"])
def test_its_outline_is_where_lines_of_sight_touch_it(area, kind):
    area.show_view(kind)
    shape, camera = area.host.ellipsoid.shape(), area.work_view.camera
    points = outline_points(area.work_view, shape)
    local = (points - shape.center) @ shape.axes
    assert np.allclose(((local / shape.radii) ** 2).sum(axis=1), 1.0, atol=1e-9)
    normals = (local / shape.radii**2) @ shape.axes.T
    sight = camera.basis[2] if camera.orthographic else camera.eye - points
    touch = (normals * sight).sum(axis=1) / np.linalg.norm(normals, axis=1) / np.linalg.norm(sight, axis=-1)
    assert np.abs(touch).max() < 1e-9
    for circle, front in circle_points(area.work_view, shape):
        local = (circle - shape.center) @ shape.axes
        facing = ((local / shape.radii**2) @ shape.axes.T * (camera.eye - circle)).sum(axis=1)
        clear = np.abs(facing) > 1e-2 * np.abs(facing).max()
        assert np.array_equal(front[clear], facing[clear] > 0.0)


def test_it_is_worked_out_once_a_pose(area, monkeypatch):
    shape = area.host.ellipsoid.shape()
    count = []
    find = ellipsoid_overlay.manipulability_ellipsoid
    monkeypatch.setattr(ellipsoid_overlay, "manipulability_ellipsoid", lambda *a, **k: count.append(1) or find(*a, **k))
    for _ in range(3):
        area.work_view.repaint()
    assert area.host.ellipsoid.shape() is shape and not count
    q = area.document.pose.copy()
    q[-1] += 0.01
    area.document.posing.set(q)
    for _ in range(3):
        area.work_view.repaint()
    assert len(count) == 1
    area.document.session.view.overlays["ellipsoid"] = False
    q[-1] += 0.01
    area.document.posing.set(q)
    area.work_view.repaint()
    assert len(count) == 1, "nothing is worked out while it is hidden"
    area.document.selection.set(())
    assert area.host.ellipsoid.shape() is None
    area.document.selection.set((0,))
    assert area.host.ellipsoid.shape() is None, "the root moves the figure as a whole"


def test_a_straight_arm_is_singular(qtbot, skeletons_folder):
    document = Document()
    assert document.files.load_figure(skeletons_folder / "arm7.scr")
    area = shown_area(qtbot, document)
    document.selection.set(["hand"])
    q = np.zeros(document.skeleton.nq)
    document.posing.set(q)
    shape = area.host.ellipsoid.shape()
    assert shape.singular and shape.hard and shape.text == "cannot move along the short axis" and shape.rank == 3
    q[[4, 6, 8]] = 0.5, 0.9, 0.4
    document.posing.set(q)
    shape = area.host.ellipsoid.shape()
    assert shape.condition < HARD
    assert re.fullmatch(r"moves [\d.]+ times more easily along the long axis", shape.text)
    assert float(shape.text.split()[1]) == pytest.approx(shape.condition, abs=0.5)
    assert replace(shape, condition=1.2).text == "moves about equally easily in every direction"
    assert replace(shape, condition=1.0, rank=1).text == "moves along one line only"


def test_a_chain_in_a_plane_is_measured_in_it(qtbot, skeletons_folder):
    document = Document()
    assert document.files.load_figure(skeletons_folder / "chain20.scr")
    area = shown_area(qtbot, document)
    document.selection.set((len(document.skeleton.joints) - 1,))
    q = np.zeros(document.skeleton.nq)
    q[3:] = 0.1
    document.posing.set(q)
    shape = area.host.ellipsoid.shape()
    rank = int(np.count_nonzero(shape.radii > 1e-9))
    assert shape.rank == rank and shape.condition == pytest.approx(shape.radii[0] / shape.radii[rank - 1])
    area.document.session.view.overlays["ellipsoid"] = True
    area.work_view.repaint()


def test_menu_key_and_button_show_it(window):
    overlays = window.document.session.view.overlays
    assert not overlays["ellipsoid"]
    QTest.keyClick(window.area.work_view, Qt.Key.Key_J)
    assert overlays["ellipsoid"] and window.action_table["show_ellipsoid"].isChecked()
    assert window.action_table["show_ellipsoid"] in window.action_table.menu("View")
    window.document.selection.set(["right hand"])
    before = window.area.work_view.grab().toImage()
    window.action_table["show_ellipsoid"].trigger()
    assert not overlays["ellipsoid"]
    assert window.area.work_view.grab().toImage() != before
