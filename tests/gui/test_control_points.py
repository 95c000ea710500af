"""Control points under the mouse: picked before the figure, and each moves it in its own way, as one undo step."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.document.document import Document
from app.scene.control_points import TOGETHER
from app.scene.pointing import Pointer, view_point
from core.kinematics import forward_kinematics
from core.skeleton.control_points import BEND, control_points
from core.spatial import so3
from tests.gui.viewport_support import human_document, shown_area
from tests.support.counts import few_of

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CLICKS = 200
"""A figure."""


def posed_document(skeletons_folder, figure: str, seed: int) -> Document:
    """A document with a bundled figure in a random pose within its limits."""
    document = Document()
    assert document.files.load_figure(skeletons_folder / f"{figure}.scr")
    skeleton, rng = document.skeleton, np.random.default_rng(seed)
    q = skeleton.rest_pose()
    span = np.clip(skeleton.limits, -0.6, 0.6)
    q[3:] = np.clip(q[3:] + 0.4 * rng.uniform(span[:, 0], span[:, 1]), skeleton.limits[:, 0], skeleton.limits[:, 1])
    document.posing.set(q)
    return document


@pytest.fixture
def area(qtbot, skeletons_folder):
    return shown_area(qtbot, human_document(skeletons_folder), controls=True)


def named(area, name: str):
    return next(p for p in control_points(area.document.skeleton) if p.name == name)


def place(area, point) -> np.ndarray:
    X = forward_kinematics(area.document.skeleton, area.document.pose)[point.joint]
    return X[:3, :3] @ point.point + X[:3, 3]


def spot(area, name: str) -> QPoint:
    """Where a point is drawn; it is the one that is picked there."""
    at = view_point(area.work_view, place(area, named(area, name))).toPoint()
    found = area.host.scene.controls.at(area.work_view, at.x(), at.y())
    assert found is not None and found.name == name
    return at


def drag(area, name: str, by: tuple[int, int], modifier=NONE, steps: int = 8) -> None:
    start, view = spot(area, name), area.work_view
    QTest.mousePress(view, LEFT, modifier, start)
    for k in range(1, steps + 1):
        QTest.mouseMove(view, start + QPoint(by[0] * k // steps, by[1] * k // steps))
    QTest.mouseRelease(view, LEFT, modifier, start + QPoint(*by))


# -- picking -------------------------------------------------------------------------------------------------------


def clicks(area, seed: int) -> list[bool]:
    """Whether presses where points are drawn, seen from seeded sides, take the right ones.

    Where another one is drawn within ``TOGETHER`` pixels of it the one in front is taken. The pixel is the place
    rounded, as the mouse gives it.
    """
    view, scene, rng = area.work_view, area.host.scene, np.random.default_rng(90 + seed)
    points, right = scene.controls.points, []
    assert points == control_points(area.document.skeleton)
    for _ in few_of(range(CLICKS), 8):
        view.camera.yaw, view.camera.pitch = rng.uniform(-np.pi, np.pi), rng.uniform(-0.9, 0.9)
        area.frame_all()
        seen = view.project(np.array([place(area, point) for point in points]))
        i = int(rng.integers(len(points)))
        at = np.round(seen[i, :2])
        area.host.toolbox.hover(view, Pointer(float(at[0]), float(at[1])))
        picked = area.document.session.view.hovered_control
        away = np.hypot(*(seen[:, :2] - at).T)
        near = np.flatnonzero(away <= away.min() + TOGETHER)
        wanted = points[int(near[np.argmin(seen[near, 2])])].name
        assert wanted == points[i].name or np.hypot(*(seen[:, :2] - seen[i, :2]).T)[near].max() <= TOGETHER + 1.5
        right.append(picked == wanted)
    return right


@pytest.mark.sampled(1)
@pytest.mark.parametrize("figure", ["human", "woman", "horse", "spider", "bird"])
def test_a_click_on_a_point_picks_it(qtbot, skeletons_folder, figure: str) -> None:
    seed = ("human", "woman", "horse", "spider", "bird").index(figure)
    right = clicks(shown_area(qtbot, posed_document(skeletons_folder, figure, seed), controls=True), seed)
    assert all(right) and len(right) >= 8


@pytest.mark.verify
def test_a_click_on_a_point_of_an_imported_figure_picks_it(qtbot, data_folder) -> None:
    document = Document()
    assert document.files.open(data_folder / "bvh" / "cmu_01_01.bvh")
    area = shown_area(qtbot, document, controls=True)
    document.set_frame(document.sequence.keys[-1].frame // 2)
    right = clicks(area, 5)
    assert all(right) and len(right) >= 8


def test_they_are_hidden_where_they_do_not_belong(area) -> None:
    """None while playing, in other modes, with another tool, or when they are switched off."""
    scene, session = area.host.scene, area.document.session
    assert scene.controls.points
    at = spot(area, "left hand")
    session.view.overlays["control_points"] = False
    assert not scene.controls.points
    session.view.overlays["control_points"] = True
    session.mode = "physics"
    assert not scene.controls.points
    session.mode = "pose"
    session.tools.tool = "rotate"
    area.host.toolbox.hover(area.work_view, Pointer(at.x(), at.y()))
    assert session.view.hovered_control is None, "the rings have the mouse"


def test_hover_says_what_a_drag_does(area) -> None:
    at = spot(area, "left elbow")
    area.host.toolbox.hover(area.work_view, Pointer(at.x() + 3, at.y()))
    assert area.host.toolbox.current.status() == "Left elbow: drag to swing; the end of the limb stays"
    assert area.document.session.view.hover == named(area, "left elbow").joint
    area.host.toolbox.leave()
    assert area.document.session.view.hovered_control is None


# -- drags ---------------------------------------------------------------------------------------------------------


def test_an_end_takes_its_limb_along(area) -> None:
    before = area.document.pose.copy()
    was, steps = place(area, named(area, "left hand")), area.document.stack.count()
    drag(area, "left hand", (30, -30))
    now = place(area, named(area, "left hand"))
    assert np.linalg.norm(now - was) > 0.03
    assert area.document.stack.count() == steps + 1
    assert area.document.selection.joints == (named(area, "left hand").joint,)
    skeleton = area.document.skeleton
    trunk = slice(0, 3 + skeleton.first_dof[skeleton.joint_index("right clavicle")])
    assert np.array_equal(area.document.pose[trunk], before[trunk]), "the trunk stays"
    area.document.history.undo()
    assert np.array_equal(area.document.pose, before)


@pytest.mark.parametrize(("bend", "end"), [("left elbow", "left hand"), ("right knee", "right foot")])
def test_a_bend_swings_and_the_end_stays(area, bend: str, end: str) -> None:
    document = area.document
    q = document.pose.copy()
    shank = document.skeleton.joint_index("right shank")
    q[3 + document.skeleton.first_dof[shank]] = np.radians(40.0)  # a straight leg has no side to swing to
    document.posing.set(q)
    was, held = place(area, named(area, bend)), place(area, named(area, end))
    steps = document.stack.count()
    moved = []
    for by in ((40, 0), (-60, 0), (0, -40)):
        drag(area, bend, by)
        moved.append(np.linalg.norm(place(area, named(area, bend)) - was))
        assert np.linalg.norm(place(area, named(area, end)) - held) <= 1e-6
    assert max(moved) > 0.01 and document.stack.count() <= steps + 3


def test_esc_puts_a_swing_back(area) -> None:
    before, start = area.document.pose.copy(), spot(area, "left elbow")
    QTest.mousePress(area.work_view, LEFT, NONE, start)
    QTest.mouseMove(area.work_view, start + QPoint(30, 0))
    QTest.mouseMove(area.work_view, start + QPoint(60, 10))
    assert not np.array_equal(area.document.pose, before)
    QTest.keyClick(area.work_view, Qt.Key.Key_Escape)
    assert np.array_equal(area.document.pose, before)
    QTest.mouseRelease(area.work_view, LEFT, NONE, start)
    assert np.array_equal(area.document.pose, before)


def test_the_head_turns_in_its_place(area) -> None:
    head = named(area, "head")
    frames = forward_kinematics(area.document.skeleton, area.document.pose)
    was = place(area, head)
    drag(area, "head", (40, 0))
    now = forward_kinematics(area.document.skeleton, area.document.pose)
    turned = so3.angle_between(frames[head.joint, :3, :3], now[head.joint, :3, :3])
    assert turned > np.radians(8.0) and np.linalg.norm(place(area, head) - was) < 5e-3


def test_the_pelvis_moves_the_figure_over_held_feet(area) -> None:
    """A double click holds a foot; with both held the pelvis goes down and the knees bend."""
    document = area.document
    for foot in ("left foot", "right foot"):
        at = spot(area, foot)
        QTest.mouseDClick(area.work_view, LEFT, NONE, at)
        QTest.mouseRelease(area.work_view, LEFT, NONE, at)
    assert {strip.lock.kind for strip in document.locks.strips} == {"pose"} and len(document.locks.strips) == 2
    was = [place(area, named(area, foot)) for foot in ("left foot", "right foot")]
    pelvis = place(area, named(area, "pelvis"))
    drag(area, "pelvis", (0, 12))
    assert place(area, named(area, "pelvis"))[1] < pelvis[1] - 0.01
    for foot, at in zip(("left foot", "right foot"), was, strict=True):
        assert np.linalg.norm(place(area, named(area, foot)) - at) <= 1e-6


def test_l_holds_and_lets_go(area) -> None:
    """L over a bend holds its place; again lets it go. The held state reaches the marks."""
    document, point = area.document, named(area, "left elbow")
    tool = area.host.toolbox.controls
    assert tool.toggle(point)
    assert [strip.lock.kind for strip in document.locks.strips] == ["position"]
    assert area.host.scene.controls.held_joints() == {point.joint}
    assert tool.toggle(point) and not document.locks.strips and not area.host.scene.controls.held_joints()


def test_the_chest_bends_the_trunk(area) -> None:
    pelvis, was = place(area, named(area, "pelvis")), place(area, named(area, "chest"))
    drag(area, "chest", (25, 0))
    assert np.linalg.norm(place(area, named(area, "chest")) - was) > 0.01
    assert np.linalg.norm(forward_kinematics(area.document.skeleton, area.document.pose)[0, :3, 3] - pelvis) < 0.2
    assert BEND not in {named(area, "chest").role}
