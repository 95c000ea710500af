"""A drag without a window: where the part goes, what it keeps, what it says, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from core.constraints import Lock, bind, lock_residuals
from core.errors import GoalError, JointError, LockError, PoseError
from core.ik import SOLVERS
from core.kinematics import forward_kinematics
from core.posing import DragSession, HeldLocks, Sight
from core.posing.pacing import PER_CENTIMETRE, allowed_turns, joint_turns
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.mirroring.pose_mirror import pose_mirror
from core.skeleton.segment import end_effector

UP, FORWARD = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
FEET = [Lock("left foot", "pose"), Lock("right foot", "pose")]


@pytest.fixture(scope="module")
def human(skeletons_folder) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


@pytest.fixture
def bent(human) -> np.ndarray:
    """The figure with elbows and knees bent, so that every joint can give way."""
    q = human.rest_pose()
    for joint in ("right forearm", "left forearm", "right shank", "left shank"):
        first = human.first_dof[human.joint_index(joint)]
        low, high = human.limits[first]
        q[3 + first] = 0.5 if high > -low else -0.5
    return q


def dragged(drag: DragSession, by: np.ndarray, events: int = 40) -> list[np.ndarray]:
    """Drag the part straight to a place and return the pose of each event."""
    start = drag.effector
    return [drag.move_to(start + by * k / events) for k in range(1, events + 1)]


def rest(drag: DragSession, most: int = 500) -> None:
    for _ in range(most):
        if not drag.behind:
            return
        drag.again()
    raise AssertionError("it never comes to rest")


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
def test_a_part_gets_where_it_is_dragged(human, bent, solver):
    drag = DragSession(human, bent, "right hand", solver=solver)
    start = drag.effector
    dragged(drag, 0.15 * UP + 0.1 * FORWARD)
    rest(drag)
    assert np.linalg.norm(drag.effector - start - 0.15 * UP - 0.1 * FORWARD) < 2e-3
    assert drag.result.converged and not drag.hindrance.reason and drag.distance < 2e-3
    still = np.setdiff1d(np.arange(human.nq), drag.chain.dofs)
    assert np.array_equal(drag.q[still], bent[still])


def test_a_point_of_the_part_may_be_named(human, bent):
    tip = 2.0 * end_effector(human, "right hand")
    drag = DragSession(human, bent, "right hand", tip)
    X = forward_kinematics(human, bent)[human.joint_index("right hand")]
    assert np.allclose(drag.effector, X[:3, :3] @ tip + X[:3, 3], atol=1e-12)


@pytest.mark.parametrize("solver", ["ccd", "damped_least_squares"])
@pytest.mark.parametrize("locks", [(), FEET])
def test_no_joint_goes_further_than_the_travel_accounts_for(human, bent, solver, locks):
    drag = DragSession(human, bent, "right hand", mode="body" if locks else "limb", locks=locks, solver=solver)
    start, before = drag.effector, bent
    rng = np.random.default_rng(4)
    place = start.copy()
    for _ in range(60):
        step = 0.03 * rng.normal(size=3)
        place = place + step
        q = drag.move_to(place)
        most = allowed_turns(human, before, float(np.linalg.norm(step)))
        assert (joint_turns(human, before, q) <= most + 1e-9).all()
        before = q
    assert PER_CENTIMETRE == pytest.approx(np.radians(5.0))


def test_the_same_events_have_the_same_bits(human, bent):
    first, second = (dragged(DragSession(human, bent, "right hand"), 0.4 * UP) for _ in range(2))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(first, second, strict=True))


def test_the_press_moves_nothing_and_cancel_puts_everything_back(human, bent):
    drag = DragSession(human, bent, "right hand")
    assert np.array_equal(drag.q, bent) and drag.goal is None and drag.result is None and not drag.behind
    q = dragged(drag, 0.3 * FORWARD)[-1]
    assert not np.array_equal(q, bent)
    with pytest.raises(ValueError, match="read-only"):
        q[0] = 1.0
    assert drag.cancel().tobytes() == bent.tobytes() and drag.result is None and drag.goal is None


def test_locks_hold_in_every_event(human, bent):
    bound = [bind(lock, human, bent) for lock in FEET]
    for locks in (FEET, HeldLocks(FEET, firm=False), HeldLocks(bound, iterations=12)):
        drag = DragSession(human, bent, "pelvis", locks=locks)
        assert drag.locked and drag.moves_root
        for q in dragged(drag, -0.1 * UP, 20):
            assert lock_residuals(human, q, bound).residuals.max() < 1e-6
        rest(drag)
        assert lock_residuals(human, drag.settle(), bound).held
        assert np.linalg.norm(drag.effector - drag.goal) < 3e-3


def test_locks_that_hold_a_part_back_are_named(human, bent):
    drag = DragSession(human, bent, "pelvis", locks=[Lock("left foot", "pose")])
    dragged(drag, 0.6 * UP, 60)
    rest(drag)
    assert drag.hindrance.reason in ("locks", "limits")
    assert [lock.joint for lock in drag.hindrance.locks] == ["left foot"]
    assert drag.hindrance.distance == pytest.approx(drag.distance, rel=0.2)


def test_what_is_out_of_reach_is_said(human, bent):
    drag = DragSession(human, bent, "right hand")
    dragged(drag, 1.5 * UP, 60)
    rest(drag)
    why = drag.hindrance
    assert why.reason == "out_of_reach" and why.beyond > 0.1 and not why.inside
    assert np.linalg.norm(drag.goal - why.center) == pytest.approx(why.radius + why.beyond)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_an_axis_holds_the_drag(human, bent, axis):
    drag = DragSession(human, bent, "right hand", axis=axis)
    start = drag.effector
    drag.move_to(start + np.array([0.03, 0.05, 0.04]))
    expected = start + np.array([0.03, 0.05, 0.04]) * np.eye(3)[axis]
    assert np.array_equal(drag.goal, expected)
    drag.hold_to(None)
    assert np.array_equal(drag.goal, start + np.array([0.03, 0.05, 0.04]))


def test_mirror_moves_both_sides(human, bent):
    drag = DragSession(human, bent, "right hand", mirror=True)
    dragged(drag, 0.2 * FORWARD)
    assert np.allclose(pose_mirror(human).convert(drag.q)[3:], drag.q[3:], atol=1e-12)
    assert not np.array_equal(drag.q, bent)


def test_the_whole_figure_moves_as_one(human, bent):
    drag = DragSession(human, bent, "right hand", whole=True)
    drag.move_to(drag.effector + np.array([0.3, 0.0, 0.2]))
    assert np.allclose(drag.q[:3] - bent[:3], [0.3, 0.0, 0.2]) and np.array_equal(drag.q[3:], bent[3:])
    drag.whole = False
    drag.move_to(drag.effector + np.array([0.0, 0.05, 0.0]))
    assert not np.array_equal(drag.q[3:], bent[3:])


def test_a_jump_needs_no_pace(human, bent):
    for how in ({}, {"locks": FEET, "mode": "body"}, {"whole": True}):
        drag = DragSession(human, bent, "right hand", **how)
        place = drag.effector + np.array([0.05, 0.2, 0.1])
        drag.jump_to(place)
        assert np.linalg.norm(drag.effector - place) < 3e-3 and drag.distance < 3e-3 and not drag.behind


def test_a_ray_takes_the_part_along_and_keeps_its_depth(human, bent):
    drag = DragSession(human, bent, "right hand")
    start = drag.effector
    ray = start + np.array([0.01, -0.02, 5.0]), -FORWARD  # pressed beside the middle of the part
    drag = DragSession(human, bent, "right hand", ray=ray, sight=Sight(FORWARD, parallel=True))
    drag.move_along(*ray)
    assert np.abs(drag.q - bent).max() < 1e-3, "the press is where it was"
    for k in range(1, 21):
        drag.move_along(ray[0] + 0.005 * k * UP, ray[1])
    rest(drag)
    assert np.allclose(drag.goal, start + 0.1 * UP, atol=1e-12) and drag.distance < 2e-3
    drag.move_along(ray[0] + 0.1 * UP, ray[1], kept=0.0)
    assert np.allclose(drag.goal, start + np.array([0.01, 0.08, 0.0]), atol=1e-12)


def test_a_ray_from_an_eye_needs_no_more_said(human, bent):
    drag = DragSession(human, bent, "right hand")
    eye, start = np.array([0.5, 1.5, 4.0]), drag.effector
    for k in range(1, 21):
        place = start + 0.005 * k * UP
        drag.move_along(eye, (place - eye) / np.linalg.norm(place - eye))
    rest(drag)
    away = drag.effector - eye
    direction = (place - eye) / np.linalg.norm(place - eye)
    assert np.linalg.norm(away - (away @ direction) * direction) < 2e-3


def test_what_cannot_be_is_refused(human, bent):
    with pytest.raises(JointError):
        DragSession(human, bent, "third hand")
    with pytest.raises(GoalError, match="is not above"):
        DragSession(human, bent, "right hand", mode="left foot")
    with pytest.raises(JointError):
        DragSession(human, bent, "right hand", mode="elsewhere")
    with pytest.raises(PoseError):
        DragSession(human, bent[:-1], "right hand")
    with pytest.raises((LockError, JointError)):
        DragSession(human, bent, "right hand", locks=[Lock("third hand", "pose")])
    with pytest.raises(GoalError, match="no solver"):
        DragSession(human, bent, "right hand", solver="magic").move_to([0.0, 1.0, 0.0])


def test_a_joint_may_be_where_the_chain_begins(human, bent):
    by_name = DragSession(human, bent, "right hand", mode="right forearm").chain
    assert by_name == DragSession(human, bent, "right hand", mode=human.joint_index("right forearm")).chain
    assert human.joints[by_name.base].name == "right forearm"


def test_a_figure_that_kept_to_its_pace_catches_up_under_locks_too(human, bent):
    drag = DragSession(human, bent, "right hand", mode="body", locks=FEET)
    drag.move_to(drag.effector + 0.15 * FORWARD, travel=0.01)
    assert drag.pace.lags and drag.behind and drag.distance > 0.02
    rest(drag)
    assert not drag.pace.lags and drag.distance < 3e-3


REACHES = [0.15 * UP, 0.2 * FORWARD + 0.1 * UP, np.array([-0.2, 0.1, 0.05]), np.array([0.1, 0.15, 0.2])]


def angle_of(human: Skeleton, label: str, part: str) -> int:
    """Return which degree of freedom of a part has that label."""
    joint = human.joint_index(part)
    return human.first_dof[joint] + human.joints[joint].dof_labels.index(label)


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
@pytest.mark.parametrize("by", REACHES)
def test_a_dragged_hand_bends_shoulder_and_elbow_and_twists_little(human, bent, solver, by):
    drag = DragSession(human, bent, "right hand", solver=solver)
    dragged(drag, by)
    rest(drag)
    assert drag.result.converged and drag.distance < 2e-4
    change = np.degrees(np.abs(drag.q - bent))[3:]
    assert change[angle_of(human, "Forearm turn", "right forearm")] < 12.0
    assert max(change[angle_of(human, label, "right hand")] for label in ("Wrist flex", "Wrist side")) < 15.0
    low, high = human.limits.T
    new = (np.minimum(drag.q[3:] - low, high - drag.q[3:]) < 1e-3) & (change > 1.0)
    assert not new.any(), [human.dof_labels[k] for k in np.flatnonzero(new)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
def test_a_hand_that_is_dragged_back_has_its_pose_back(human, bent, solver):
    drag = DragSession(human, bent, "right hand", solver=solver)
    start = drag.effector
    angles = np.linspace(0.0, 2.0 * np.pi, 60)
    for a in angles:  # once round, not the way it came
        drag.move_to(start + 0.15 * (np.sin(a) * UP + (1.0 - np.cos(a)) * FORWARD))
    rest(drag)
    assert np.degrees(np.abs(drag.q - bent)).max() < 0.5


def test_an_arm_out_of_reach_keeps_its_twist(human, bent):
    drag = DragSession(human, bent, "right hand", solver="ccd")
    dragged(drag, np.array([-0.9, 0.3, 0.2]), 60)
    rest(drag)
    assert drag.hindrance.reason == "out_of_reach"
    turn = angle_of(human, "Forearm turn", "right forearm")
    assert abs(np.degrees(drag.q[3 + turn] - bent[3 + turn])) < 10.0


def test_a_second_criterion_has_the_freedom_to_itself(human, bent):
    plain, ranged = (
        DragSession(human, bent, "right hand", solver="damped_least_squares", secondary=secondary)
        for secondary in (None, "range")
    )
    a, b = dragged(plain, 0.2 * UP)[-1], dragged(ranged, 0.2 * UP)[-1]
    assert np.degrees(np.abs(a - b)).max() > 5.0
