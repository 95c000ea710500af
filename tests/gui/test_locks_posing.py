"""Posing under locks with the mouse, sliders and keys: what is locked stays where it is."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.document.document import Document
from app.words.hindrance import lock_names, short_names
from core.constraints import Lock
from core.constraints.solve_locks import lock_residuals
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton
from core.skeleton.clamp import clamp_pose
from tests.gui.viewport_support import human_document, shown_area, spot_on

NONE, SHIFT, LEFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier, Qt.MouseButton.LeftButton
FEET = ("left foot", "right foot")


@pytest.fixture
def area(qtbot, skeletons_folder):
    area = shown_area(qtbot, human_document(skeletons_folder))
    area.show_view("front")
    return area


def lock_feet(document, kind: str = "pose") -> None:
    """Lock both feet in position and orientation, as one press of L does, or in another kind."""
    assert document.locks.cycle(FEET) if kind == "pose" else document.locks.lock_parts(FEET, kind)


def residual(document) -> float:
    """Return the worst residual of all locks on the pose shown, [m] and [rad]."""
    locks = [strip.lock for strip in document.locks.strips if strip.covers(document.frame)]
    return float(lock_residuals(document.skeleton, document.pose, locks).residuals.max())


def legal(document) -> bool:
    return np.array_equal(clamp_pose(document.skeleton, document.pose), document.pose)


def drag(area, joint: str, by: tuple[int, int], modifier=NONE, steps: int = 6, check=None) -> None:
    """Drag a part with the left button; ``check`` is called after each move."""
    view, at = area.work_view, spot_on(area.work_view, area, area.document.skeleton.joint_index(joint))
    QTest.mousePress(view, LEFT, NONE, at)
    for k in range(1, steps + 1):
        to = QPoint(at.x() + by[0] * k // steps, at.y() + by[1] * k // steps)
        _move(view, to, modifier)
        if check is not None:
            check()
    QTest.mouseRelease(view, LEFT, modifier, to)


def _move(view, to: QPoint, modifier) -> None:
    from PySide6.QtCore import QEvent, QPointF
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QApplication

    place = QPointF(to)
    event = QMouseEvent(QEvent.Type.MouseMove, place, view.mapToGlobal(place), NONE_BUTTON, LEFT, modifier)
    QApplication.sendEvent(view, event)


NONE_BUTTON = Qt.MouseButton.NoButton


def test_the_pelvis_goes_down_and_the_feet_stay(area):
    document = area.document
    lock_feet(document)
    before, pose = document.state_json(), document.pose.copy()
    worst: list[float] = []
    drag(area, "pelvis", (0, 60), check=lambda: worst.append(residual(document)))
    assert document.pose[1] < pose[1] - 0.05
    assert max(worst) < 1e-6
    assert legal(document)
    assert {state.word for state in document.locks.states()} == {"holds"}
    document.history.undo()
    assert document.state_json() == before
    assert np.array_equal(document.pose, pose)


def test_out_and_back_comes_home(area):
    document = area.document
    lock_feet(document)
    document.keys.set()
    pose, joint = document.pose.copy(), "pelvis"
    view, at = area.work_view, spot_on(area.work_view, area, document.skeleton.joint_index(joint))
    QTest.mousePress(view, LEFT, NONE, at)
    for k in (1, 3, 5, 7, 5, 3, 1, 0):
        _move(view, QPoint(at.x(), at.y() + 8 * k), NONE)
    # The grip has eased away over the first pixels: the way there and back ends where the drag's goal is the start.
    drag_tool = area.host.toolbox.current
    held = drag_tool._drag
    home = held.session.move_to(held.start, travel=1.0)
    while held.session.behind:
        home = held.session.again()
    QTest.mouseRelease(view, LEFT, NONE, at)
    assert np.degrees(np.abs(home[3:] - pose[3:]).max()) < 0.01


@pytest.mark.verify
def test_a_mouse_that_rests_adds_nothing_and_what_is_let_go_is_what_was_seen(qtbot, skeletons_folder):
    document = Document()
    assert document.files.load_figure(skeletons_folder / "spider.scr")
    document.locks.cycle([f"{side} tarsus {n}" for side in ("right", "left") for n in (1, 2, 3)])
    area = shown_area(qtbot, document)
    area.show_view("top")
    view, at = area.work_view, spot_on(area.work_view, area, document.skeleton.joint_index("body"))
    QTest.mousePress(view, LEFT, NONE, at)
    for k in range(1, 7):
        to = QPoint(at.x() + 18 * k, at.y() + 8 * k)
        _move(view, to, NONE)
    drag_tool = area.host.toolbox.current
    qtbot.waitUntil(lambda: not drag_tool._drag.waits)
    pose = document.pose.copy()
    for _ in range(3):  # what a window system sends for a tremble below a pixel, and before the button comes up
        _move(view, to, NONE)
    assert np.array_equal(document.pose, pose)
    QTest.mouseRelease(view, LEFT, NONE, to)
    assert np.array_equal(document.pose, pose)
    assert np.array_equal(document.sequence.pose_at_frame(0), pose)
    assert residual(document) < 1e-9


def test_a_drag_let_go_before_it_came_to_rest_stays_as_it_was_seen_if_locks_hold(area):
    document = area.document
    lock_feet(document)
    seen: list[np.ndarray] = []
    drag(area, "pelvis", (60, 90), steps=1, check=lambda: seen.append(document.pose.copy()))
    locks = [strip.lock for strip in document.locks.strips]
    assert lock_residuals(document.skeleton, seen[-1], locks).held
    assert np.array_equal(document.pose, seen[-1])


def test_shift_moves_the_figure_while_the_feet_stay(area):
    document = area.document
    lock_feet(document)
    height, worst = document.pose[1], []
    drag(area, "right hand", (0, 50), SHIFT, steps=6, check=lambda: worst.append(residual(document)))
    assert document.pose[1] < height - 0.03
    assert max(worst) < 1e-6


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mode", ["limb", "body"])
@pytest.mark.parametrize("solver", ["damped_least_squares", "ccd", "jacobian_transpose"])
def test_every_solver_and_mode_holds_the_feet(area, solver, mode):
    document = area.document
    lock_feet(document)
    document.session.solver.name, document.session.tools.drag_mode = solver, mode
    worst: list[float] = []
    drag(area, "right hand", (-40, -50), steps=6, check=lambda: worst.append(residual(document)))
    assert max(worst) < 1e-6
    assert legal(document)


def test_what_holds_a_part_back_is_said(area):
    document = area.document
    lock_feet(document)
    said: list[str] = []
    drag(area, "pelvis", (0, -200), check=lambda: said.append(area.host.toolbox.current.status()))
    assert "held back by the lock" in said[-1] and ("foot" in said[-1] or "feet" in said[-1])
    assert "cm to the goal" in said[-1]
    assert residual(document) < 1e-6


def test_a_slider_keeps_its_value_and_the_feet_stay(area):
    document = area.document
    lock_feet(document)
    place = 3 + document.skeleton.dof_index("left shank.x") if hasattr(document.skeleton, "dof_index") else None
    place = place or 3 + document.skeleton.dof_names.index(_knee(document.skeleton))
    start = document.pose.copy()
    with document.posing.begin_gesture("Knee") as gesture:
        for value in np.linspace(start[place], start[place] + 0.5, 6):
            q = start.copy()
            q[place] = value
            gesture.set_pose(q)
            assert abs(document.pose[place] - value) < 1e-12
            assert residual(document) < 1e-6
        gesture.set_pose(start)
    assert np.array_equal(document.pose, start)


def _knee(skeleton) -> str:
    shank = skeleton.joint_index("left shank")
    return skeleton.dof_names[skeleton.first_dof[shank]]


def test_an_edit_that_cannot_be_kept_gives_way_to_the_locks(area):
    document = area.document
    lock_feet(document)
    q = document.pose.copy()
    q[1] += 0.6  # further up than the legs are long
    assert document.posing.set(q)
    assert residual(document) < 1e-6 and document.pose[1] < q[1] - 0.1


def test_reset_and_pasted_keys_respect_locks(area):
    document = area.document
    document.keys.set()
    document.set_frame(10)
    lock_feet(document)
    assert document.posing.set(document.skeleton.rest_pose(), "Reset figure to rest")
    assert residual(document) < 1e-6
    clip = document.keys.copy(0, 0)
    assert document.keys.insert_clip(20, clip)
    document.set_frame(20)
    assert residual(document) < 1e-6
    assert residual_of_key(document, 20) < 1e-6


def residual_of_key(document, frame: int) -> float:
    locks = [strip.lock for strip in document.locks.strips if strip.covers(frame)]
    return float(lock_residuals(document.skeleton, document.sequence.keys.at(frame).q, locks).residuals.max())


def test_nudges_hold_locks_and_are_one_step(area):
    document = area.document
    lock_feet(document)
    steps = document.stack.count()
    document.selection.set((document.skeleton.joint_index("pelvis"),))
    height = document.pose[1]
    for _ in range(3):
        area.host.toolbox.nudge(area.work_view, 0, -1, fine=False)
    assert document.stack.count() == steps + 1
    assert document.pose[1] == pytest.approx(height - 0.03, abs=2e-3)
    assert residual(document) < 1e-6


def test_without_holding_a_pose_is_left_alone(area):
    document = area.document
    lock_feet(document)
    document.locks.set_holds(False)
    document.session.locks.hold = False
    q = document.pose.copy()
    q[1] -= 0.1
    assert document.posing.set(q)
    assert np.array_equal(document.pose, q)
    assert {state.word for state in document.locks.states()} == {"conflict"}


# -- how it feels: the figure as it stands, pulled by the pelvis -------------------------------------------------------


@pytest.fixture
def standing(qtbot, skeletons_folder):
    document = Document()
    assert document.files.load_figure(skeletons_folder / "human.scr")
    area = shown_area(qtbot, document)
    area.show_view("front")
    return area


def lean(document, press: np.ndarray) -> np.ndarray:
    """Return how far the root has tilted forward and sideways and turned since press, shape (3,), [degrees]."""
    skeleton = document.skeleton
    before, now = (forward_kinematics(skeleton, q)[0][:3, :3] for q in (press, document.pose))
    up, front = (now @ before.T)[:, 1], (now @ before.T)[:, 2]
    return np.degrees(
        [np.arctan2(up[2], up[1]), np.arctan2(up[0], up[1]), np.arctan2(front[0], front[2])],
    )


def unevenness(document, press: np.ndarray) -> float:
    """Return by how much joints of the left side have moved otherwise than those of the right, [degrees]."""
    names, moved, worst = list(document.skeleton.dof_names), (document.pose - press)[3:], 0.0
    for k, name in enumerate(names):
        if not name.startswith("left"):
            continue
        other = "right" + name[4:]
        if other in names:
            worst = max(worst, abs(moved[k] - moved[names.index(other)]))
        else:  # the axis is mirrored, and its name says so
            swapped = other.replace(".-", ".") if ".-" in other else other.replace(".", ".-")
            worst = max(worst, abs(moved[k] - moved[names.index(swapped)]))
    return float(np.degrees(worst))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("parts", [FEET, ("left toes", "right toes")])
@pytest.mark.parametrize("kind", ["position", "pose"])
@pytest.mark.parametrize("pixels", [20, 45, 65])
def test_the_pelvis_pulled_down_stays_upright_and_both_legs_bend_alike(standing, parts, kind, pixels):
    document = standing.document
    assert document.locks.lock_parts(parts, kind)
    press, checked = document.pose.copy(), []
    drag(standing, "pelvis", (0, pixels), check=lambda: checked.append(np.abs(lean(document, press)).max()))
    assert document.pose[1] < press[1] - 0.03
    assert max(checked) < 1.0
    assert unevenness(document, press) < 0.5
    assert residual(document) < 1e-6
    assert legal(document)


def test_the_limits_that_locks_press_against_are_named_and_lit(standing):
    document = standing.document
    lock_feet(document)
    said, lit = [], []

    def listen() -> None:
        said.append(standing.host.toolbox.current.status())
        hindrance = document.session.drag.goal.hindrance
        lit.append(tuple(stop.dof for stop in hindrance.stops))

    drag(standing, "pelvis", (0, 170), steps=30, check=listen)
    assert "stopped by left and right ankle flex at their upper limit of 45.0°, with both feet locked" in said[-1]
    names = [document.skeleton.dof_names[dof] for dof in lit[-1]]
    assert sorted(names) == ["left foot.-x", "right foot.-x"]
    reasons = {text.split(",")[1] for text in said if "stopped" in text}
    assert len(reasons) == 1  # from the first time on the same words in the same order


def test_a_goal_missed_by_a_hair_needs_no_words(standing):
    document = standing.document
    lock_feet(document, "position")
    said: list[str] = []
    drag(standing, "pelvis", (0, 50), steps=10, check=lambda: said.append(standing.host.toolbox.current.status()))
    assert said == ["Moving the whole figure"] * 10


def test_the_whole_body_bends_for_a_hand_without_leaning_back(standing):
    document = standing.document
    lock_feet(document)
    document.session.tools.drag_mode = "body"
    press = document.pose.copy()
    drag(standing, "right hand", (0, -110), steps=8)
    assert np.abs(lean(document, press)).max() < 10.0
    assert residual(document) < 1e-6


def test_locks_are_reported_in_the_order_of_the_figure(human):
    left, right, hand = (Lock(name, "position") for name in ("left foot", "right foot", "right hand"))
    assert lock_names(human, [right, left]) == lock_names(human, [left, right]) == "the locks of both feet"
    assert short_names(human, [left, right]) == "both feet"
    assert lock_names(human, [hand]) == "the lock of right hand"
    assert lock_names(human, [hand, left]) == "the locks of right hand and left foot"
    assert short_names(human, [hand, left, right]) == "3 locks"


@pytest.fixture
def human(skeletons_folder):
    return load_skeleton(skeletons_folder / "human.scr")
