"""By mouse: a part is told what to look at, and a path is drawn for one, whose points can be dragged afterwards."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.scene.pointing import Pointer, view_point
from core.constraints.residuals import PathResidual
from core.formats import load
from tests.gui.viewport_support import effector, human_document, shown_area, spot_on

LEFT, NONE, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def area(qtbot, skeletons_folder):
    document = human_document(skeletons_folder)
    return shown_area(qtbot, document)


def start(area, part: str, what: str) -> int:
    document = area.document
    joint = document.skeleton.joint_index(part)
    document.selection.set((joint,))
    document.session.tools.placing = what
    return joint


def sight_off(area, joint: int, place: np.ndarray) -> float:
    """The angle between where a part faces and a place, [rad]."""
    lock = next(strip.lock for strip in area.document.locks.strips)
    X = area.host.scene.poses[joint]
    axis = X[:3, :3] @ lock.rule.pointed(lock.target)
    way = place - X[:3, 3]
    return math.acos(min(1.0, float(axis @ way) / float(np.linalg.norm(way))))


def free_pixel(area, place: np.ndarray) -> QPoint:
    return view_point(area.work_view, place).toPoint()


def test_a_click_says_what_the_head_looks_at(area) -> None:
    document, view = area.document, area.work_view
    head = start(area, "head", "look")
    tool = area.host.toolbox.current
    assert tool.name == "look" and "Click" in dict(tool.hints())
    before, steps = document.pose.copy(), document.stack.count()
    axis = area.host.scene.poses[head]
    wanted = axis[:3, 3] + 1.0 * (axis[:3, :3] @ np.array([0.35, 0.05, 0.9]))
    pixel = free_pixel(area, wanted)
    QTest.mouseMove(view, pixel)
    assert "looks at a place" in tool.status()
    QTest.mouseClick(view, LEFT, NONE, pixel)
    (strip,) = document.locks.strips
    assert strip.lock.kind == "look_at" and document.session.tools.placing is None
    assert document.stack.count() == steps + 1 and document.session.locks.selected == strip.id
    place = strip.lock.target[0]
    at = view_point(view, place)
    assert math.hypot(at.x() - pixel.x(), at.y() - pixel.y()) < 1.0
    assert sight_off(area, head, place) < 1e-6
    # its glyph is dragged, and the head follows
    mark = area.host.scene.locks.mark(strip.id)
    start_at = view_point(view, mark.anchor).toPoint()
    QTest.mousePress(view, LEFT, NONE, start_at)
    for k in range(1, 6):
        QTest.mouseMove(view, start_at + QPoint(6 * k, 3 * k))
    QTest.mouseRelease(view, LEFT, NONE, start_at + QPoint(30, 15))
    (moved,) = document.locks.strips
    assert np.linalg.norm(moved.lock.target[0] - place) > 0.02
    assert sight_off(area, head, moved.lock.target[0]) < 1e-6
    document.history.undo(), document.history.undo()
    assert not document.locks.strips and np.array_equal(document.pose, before)


def test_the_head_looks_at_a_hand_and_then_elsewhere(area) -> None:
    """A second click replaces the look; one on the looking part itself means what is behind it."""
    document, view = area.document, area.work_view
    head, hand = start(area, "head", "look"), document.skeleton.joint_index("left hand")
    QTest.mouseClick(view, LEFT, NONE, spot_on(view, area, hand))
    (strip,) = document.locks.strips
    assert strip.lock.kind == "aim" and strip.lock.second[1] == "left hand"
    start(area, "head", "look")
    X = area.host.scene.poses[head]
    QTest.mouseClick(view, LEFT, NONE, free_pixel(area, X[:3, 3] + X[:3, :3] @ np.array([0.3, 0.2, 1.0])))
    (strip,) = document.locks.strips
    assert strip.lock.kind == "look_at"


def test_the_head_looks_at_another_figure(area, skeletons_folder) -> None:
    document, view = area.document, area.work_view
    assert document.figures.add(load(skeletons_folder / "human.scr").figures[0], beside=True)
    document.figures.show(0)
    other = next(each for each in area.host.scene.others.here)
    head = start(area, "head", "look")
    area.frame_all()
    joint = other.skeleton.joint_index("chest")
    pixel = free_pixel(area, other.poses[joint][:3, 3])
    QTest.mouseClick(view, LEFT, NONE, pixel)
    (strip,) = document.locks.strips
    figure, part, point = strip.lock.second
    assert strip.lock.kind == "aim" and figure == other.skeleton.name
    X = other.poses[other.skeleton.joint_index(part)]
    place = X[:3, :3] @ point + X[:3, 3]
    at = view_point(view, place)
    assert math.hypot(at.x() - pixel.x(), at.y() - pixel.y()) < 1.0
    state = document.locks.states()[0]
    assert sight_off(area, head, place) == pytest.approx(state.angle_residual, abs=1e-6)


def test_the_menu_of_locks_lets_a_part_look_on_where_it_does(area) -> None:
    document = area.document
    before = document.pose.copy()
    assert document.locks.lock_parts(["head"], "look_at")
    (strip,) = document.locks.strips
    assert "head" in strip.lock.joints and "left forearm" not in strip.lock.joints
    assert sight_off(area, document.skeleton.joint_index("head"), strip.lock.target[0]) < 1e-9
    assert np.allclose(document.pose, before, atol=1e-12)


def test_escape_puts_the_tool_away(area) -> None:
    for what in ("look", "path"):
        start(area, "head", what)
        area.work_view.setFocus()
        QTest.keyClick(area.work_view, Qt.Key.Key_Escape)
        assert area.document.session.tools.placing is None and not area.document.locks.strips


def stroke(area, places: list[QPoint]) -> None:
    QTest.mousePress(area.work_view, LEFT, NONE, places[0])
    for place in places[1:]:
        QTest.mouseMove(area.work_view, place)
    QTest.mouseRelease(area.work_view, LEFT, NONE, places[-1])


def test_a_path_is_drawn_in_one_stroke_and_its_points_dragged(area) -> None:
    document, view = area.document, area.work_view
    hand = start(area, "left hand", "path")
    before, steps, here = document.pose.copy(), document.stack.count(), effector(area, hand)
    begin = view_point(view, here)
    turn = np.linspace(0.0, 1.5 * np.pi, 60)
    drawn = [QPoint(round(begin.x() + 60 * (1 - math.cos(t))), round(begin.y() - 50 * math.sin(t))) for t in turn]
    stroke(area, drawn)
    (strip,) = document.locks.strips
    lock = strip.lock
    assert lock.kind == "path" and document.stack.count() == steps + 1 and document.session.tools.placing is None
    assert 4 <= len(lock.target) <= 24 and np.linalg.norm(lock.target[0] - here) < 1e-12
    seen = view.project(PathResidual(lock.target).drawn())[:, :2]
    away = [np.hypot(seen[:, 0] - p.x(), seen[:, 1] - p.y()).min() for p in drawn]
    assert max(away) < 3.5, "the curve goes where the mouse went"
    assert np.allclose(document.pose, before, atol=1e-6), "it began at the hand"
    # a point is dragged
    k = 2
    at = view_point(view, lock.target[k]).toPoint()
    stroke(area, [at, at + QPoint(6, 6), at + QPoint(14, 18), at + QPoint(20, 24)])
    (moved,) = document.locks.strips
    changed = np.flatnonzero(np.abs(moved.lock.target - lock.target).max(axis=1) > 1e-9)
    assert changed.tolist() == [k] and document.stack.count() == steps + 2
    seen = view_point(view, moved.lock.target[k])
    assert math.hypot(seen.x() - at.x() - 20, seen.y() - at.y() - 24) < 1.5
    # one more beside it, and away with it
    at = view_point(view, moved.lock.target[k]).toPoint()
    QTest.mouseDClick(view, LEFT, NONE, at)
    QTest.mouseRelease(view, LEFT, NONE, at)
    assert len(document.locks.strips[0].lock.target) == len(lock.target) + 1
    QTest.mouseMove(view, at + QPoint(1, 0))
    area.host.toolbox.hover(view, Pointer(at.x(), at.y()))
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert len(document.locks.strips[0].lock.target) == len(lock.target)
    for _ in range(4):
        document.history.undo()
    assert not document.locks.strips and np.array_equal(document.pose, before)


def test_a_path_of_clicks_ends_with_enter_and_holds_the_foot_on_the_floor(area) -> None:
    """With Shift the points are on the floor; the foot goes to the path, and a drag along keeps it there."""
    document, view = area.document, area.work_view
    foot = start(area, "right foot", "path")
    here = effector(area, foot)
    for by in ((0.0, 0.1), (0.12, 0.2), (0.05, 0.35)):
        pixel = free_pixel(area, np.array([here[0] + by[0], 0.0, here[2] + by[1]]))
        QTest.mouseClick(view, LEFT, SHIFT, pixel)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Return)
    (strip,) = document.locks.strips
    assert strip.lock.target.shape == (3, 3) and np.abs(strip.lock.target[:, 1]).max() < 1e-9
    assert np.linalg.norm(PathResidual(strip.lock.target).value(effector(area, foot))) < 1e-6
    document.set_frame(document.frame + 3)
    assert np.linalg.norm(PathResidual(strip.lock.target).value(effector(area, foot))) < 1e-6
