"""Holding locks through the public door: what holds, what is refused, what stays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.constraints import Lock, LockSolver, bind, lock_residuals, solve_locks
from core.constraints.kinds.base import Kind
from core.constraints.residuals import POSE, Residual
from core.errors import GoalError, LockError, PoseError
from core.formats import bundled_folder
from core.kernels import uncompiled
from core.kinematics import forward_kinematics
from core.kinematics.goal import Goal
from core.skeleton import Joint, Skeleton, load_skeleton
from core.skeleton.clamp import clamp_pose
from tests.support.figures import chain, hinge, random_figure, random_pose
from tests.support.lock_figures import person60, standing, three_locks

EXACT = 1e-9


@pytest.fixture(scope="module")
def human() -> Skeleton:
    return load_skeleton(bundled_folder() / "human.scr")


def at(s: Skeleton, q: np.ndarray, joint: str | int) -> np.ndarray:
    return forward_kinematics(s, q)[s.joint_index(joint), :3, 3]


def inside(s: Skeleton, q: np.ndarray) -> bool:
    return bool((q[3:] >= s.limits[:, 0]).all() and (q[3:] <= s.limits[:, 1]).all())


def bent(s: Skeleton, degrees: float = 25.0) -> np.ndarray:
    """Standing with bent knees, feet flat."""
    q = s.rest_pose()
    for side in ("left", "right"):
        for name, part in (("shank.x", 1.0), ("thigh.-x", 0.5), ("foot.-x", 0.5)):
            q[3 + s.dof_names.index(f"{side} {name}")] = math.radians(degrees) * part
    return q


EVERY = [
    Lock("left hand", "position"),
    Lock("left hand", "orientation"),
    Lock("left foot", "pose"),
    Lock("left hand", "plane", target=(0.0, 1.0, 0.0, 0.9)),
    Lock("left hand", "line", target=((0.2, 0.9, 0.1), (0.0, 0.0, 1.0))),
    Lock("left hand", "point_pair", other=("right hand", (0.0, 0.0, 0.0))),
    Lock("left hand", "distance", target=0.3, other=("head", (0.0, 0.0, 0.0))),
    Lock("head", "aim", target=(0.0, 0.0, 1.0), other=("left hand", (0.0, 0.0, 0.0))),
    Lock("left foot", "orientation", axes=(False, True, False)),
    Lock("left hand", "position", axes=(True, False, True)),
]


@pytest.mark.parametrize("lock", EVERY, ids=lambda lock: f"{lock.kind}{'' if lock.axes is None else ' axes'}")
def test_every_kind_holds(human: Skeleton, lock: Lock) -> None:
    q = bent(human)
    bound = bind(lock, human, q)
    rng = np.random.default_rng(3)
    for _ in range(3):
        start = q + np.concatenate([rng.normal(size=3) * 0.05, rng.normal(size=human.n_dofs) * 0.15])
        result = solve_locks(human, start, [bound])
        assert result.held and result.residuals[0] <= EXACT and inside(human, result.q)
        assert lock_residuals(human, result.q, [bound]).residuals[0] <= 2.0 * EXACT


def test_compiled_and_uncompiled_locks_agree(human: Skeleton) -> None:
    q = bent(human)
    locks = [bind(lock, human, q) for lock in (EVERY[0], EVERY[2], Lock("right foot", "pose", weight=(1.0, 0.5)))]
    goal = Goal("pelvis", position=at(human, q, "pelvis") + np.array([0.02, -0.05, 0.03]))
    found = solve_locks(human, q, locks, goals=goal, start=q)
    with uncompiled():
        plain = solve_locks(human, q, locks, goals=goal, start=q)
    assert plain.q == pytest.approx(found.q, abs=1e-9)
    assert plain.errors == pytest.approx(found.errors, abs=1e-9)


def alike(s: Skeleton) -> tuple[Residual, int, int]:
    """A function of the pose: two knees bend alike; and the pose values of the knees."""
    a, b = (3 + s.dof_names.index(f"{side} shank.x") for side in ("left", "right"))

    class Alike(Residual):
        angular, of, size = True, (POSE,), 1

        def value(self, *h: np.ndarray) -> np.ndarray:
            return np.array([h[0][a] - h[0][b]])

        def jacobians(self, *h: np.ndarray) -> tuple[np.ndarray, ...]:
            J = np.zeros((1, s.nq))
            J[0, a], J[0, b] = 1.0, -1.0
            return (J,)

        def drift(self, h: Sequence[np.ndarray], u: Sequence[np.ndarray]) -> np.ndarray:
            return np.zeros(1)

    return Alike(), a, b


@pytest.mark.parametrize("compiled", [True, False])
def test_a_row_that_is_a_function(human: Skeleton, monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    """Any function of the pose holds, alone, with other locks, and in a drag; what is left is said in its unit."""
    row, a, b = alike(human)
    pair = Lock("left shank", "orientation", target=np.eye(3))
    of_kind = type(pair.rule).residuals_at

    def residuals_at(rule: Kind, lock: Lock, *others: Any) -> Any:
        return [row] if lock.joint == "left shank" else of_kind(rule, lock, *others)

    monkeypatch.setattr(type(pair.rule), "residuals_at", residuals_at)
    q = bent(human)
    q[a] += 0.2
    foot = bind(Lock("left foot", "position"), human, q)
    head = bind(Lock("head", "orientation"), human, q)
    goal = Goal("pelvis", position=at(human, q, "pelvis") + np.array([0.02, -0.05, 0.03]))
    with nullcontext() if compiled else uncompiled():
        assert lock_residuals(human, q, [pair]).angle_residuals[0] == pytest.approx(q[a] - q[b])
        result = solve_locks(human, q, [pair])
        assert result.held and abs(result.q[a] - result.q[b]) <= EXACT
        assert result.q[a] == pytest.approx(q[a] - 0.1, abs=0.02)
        result = solve_locks(human, q, [foot, pair, head])
        assert result.held and abs(result.q[a] - result.q[b]) <= EXACT
        assert at(human, result.q, "left foot") == pytest.approx(at(human, q, "left foot"), abs=1e-8)
        dragged = solve_locks(human, result.q, [foot, replace(pair, joints=("right shank",)), head], goals=goal)
        assert dragged.held and abs(dragged.q[a] - dragged.q[b]) <= EXACT and dragged.goal_error < 0.03
        assert np.abs(dragged.q - result.q).max() > 0.01


# -- poses that must not move ----------------------------------------------------------------------------------------


def test_a_pose_that_holds_stays_bit_for_bit(human: Skeleton) -> None:
    q = bent(human)
    locks = [bind(lock, human, q) for lock in EVERY[:3]]
    result = solve_locks(human, q, locks)
    assert np.array_equal(result.q, q) and result.iterations == 0 and result.held


def test_no_locks_and_locks_without_weight_move_nothing(human: Skeleton) -> None:
    q = bent(human)
    assert np.array_equal(solve_locks(human, q, []).q, q)
    off = solve_locks(human, q, [Lock("left hand", "position", target=(9.0, 9.0, 9.0), weight=0.0)])
    assert np.array_equal(off.q, q) and off.held and off.residuals.tolist() == [0.0]
    assert solve_locks(human, q, []).residuals.shape == (0,)


def test_fixed_values_stay(human: Skeleton) -> None:
    q = bent(human)
    locks = [bind(Lock(f"{side} foot", "pose"), human, q) for side in ("left", "right")]
    edited = q.copy()
    knee = 3 + human.dof_names.index("left shank.x")
    edited[knee] += 0.3
    result = solve_locks(human, edited, locks, fixed=[knee])
    assert result.held and result.q[knee] == edited[knee]


def test_only_the_joints_that_may_help_move_for_a_lock(human: Skeleton) -> None:
    q = bent(human)
    arm = ("left clavicle", "left upper arm", "left forearm", "left hand")
    lock = Lock("left hand", "position", target=at(human, q, "left hand") + np.array([0.05, 0.1, 0.1]), joints=arm)
    feet = [bind(Lock(f"{side} foot", "pose"), human, q) for side in ("left", "right")]
    result = solve_locks(human, q, [lock, *feet])
    assert result.held
    own = {3 + k for k, joint in enumerate(human.dof_joints) if human.joints[joint].name in arm}
    moved = set(np.flatnonzero(np.abs(result.q - q) > 1e-6).tolist())
    assert moved <= own
    # A dragged pelvis goes only as far as that arm keeps the hand where it is.
    q[3 + human.dof_names.index("left forearm.-x")] = 0.8
    goal = Goal("pelvis", position=at(human, q, "pelvis") + np.array([0.0, -0.05, 0.02]))
    held = [bind(Lock("left hand", "position", joints=arm), human, q), *feet]
    dragged = solve_locks(human, q, held, goals=goal, start=q)
    assert dragged.held and dragged.goal_error < 0.03


def test_a_drag_moves_only_its_chain_and_what_the_locks_need(human: Skeleton) -> None:
    q = bent(human)
    feet = [bind(Lock(f"{side} foot", "pose"), human, q) for side in ("left", "right")]
    arm = [3 + k for k, joint in enumerate(human.dof_joints) if human.joints[joint].name.startswith("left upper arm")]
    goal = Goal("left forearm", position=at(human, q, "left forearm") + np.array([0.05, 0.1, 0.05]))
    result = solve_locks(human, q, feet, goals=goal, goal_dofs=arm, start=q)
    assert result.held
    moved = np.flatnonzero(np.abs(result.q - q) > 1e-7)
    assert len(moved) and set(moved.tolist()) <= set(arm)


# -- locks that cannot be held ---------------------------------------------------------------------------------------


def test_an_unreachable_lock_ends_in_a_sane_compromise(human: Skeleton) -> None:
    """Without accepting and refusing, the projection wandered off by metres."""
    q = bent(human)
    feet = [bind(Lock(f"{side} foot", "pose"), human, q) for side in ("left", "right")]
    far = Lock("left hand", "position", target=(0.3, 3.0, 0.2))
    result = solve_locks(human, q, [*feet, far])
    assert not result.held and inside(human, result.q) and result.blocked
    assert np.isfinite(result.q).all() and np.abs(result.q[:3]).max() < 1.5
    assert 0.3 < result.residuals.max() < 2.0
    again = solve_locks(human, result.q, [*feet, far])
    assert again.residuals.max() == pytest.approx(result.residuals.max(), abs=0.02)


def test_two_places_for_one_hand_share_the_error(human: Skeleton) -> None:
    q = bent(human)
    place = at(human, q, "left hand")
    locks = [Lock("left hand", "position", target=place + np.array([x, 0.0, 0.0])) for x in (-0.05, 0.05)]
    result = solve_locks(human, q, locks)
    assert not result.held and result.residuals == pytest.approx([0.05, 0.05], abs=1e-4)
    assert result.errors[0, :3] == pytest.approx([-0.05, 0.0, 0.0], abs=1e-4)


def test_the_same_lock_three_times_is_held(human: Skeleton) -> None:
    q = bent(human)
    lock = Lock("left hand", "position", target=at(human, q, "left hand") + np.array([0.1, 0.1, 0.1]))
    result = solve_locks(human, q, [lock] * 3)
    assert result.held


def test_a_single_hand_lock_is_held_from_everywhere(human: Skeleton) -> None:
    """With a softness for each row the steps lessened another norm than the merit, and were refused for ever."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        q = random_pose(human, rng, 0.5)
        target = at(human, q, "left hand") + rng.normal(size=3) * 0.3
        result = solve_locks(human, q, [Lock("left hand", "position", target=target)])
        assert result.held and inside(human, result.q)


def test_nothing_can_move_a_lock(human: Skeleton) -> None:
    alone = Skeleton("stone", [Joint("stone", -1, mass=1.0), Joint("top", 0, offset=[0.0, 1.0, 0.0], mass=1.0)])
    q = alone.rest_pose()
    lifted = solve_locks(alone, q, [Lock("top", "position", target=(0.0, 2.0, 0.0))])
    assert lifted.held and lifted.q == pytest.approx([0.0, 1.0, 0.0])
    turned = solve_locks(alone, q, [Lock("top", "orientation", target=np.diag([1.0, -1.0, -1.0]))])
    assert not turned.held and turned.angle_residuals[0] == pytest.approx(math.pi)
    fixed = solve_locks(human, bent(human), [Lock("head", "position", target=(1, 1, 1))], fixed=range(human.nq))
    assert not fixed.held and np.array_equal(fixed.q, bent(human))


def test_soft_locks_yield_by_their_weight(human: Skeleton) -> None:
    q = bent(human)
    place = at(human, q, "left hand")
    left = []
    for weight in (0.2, 0.5, 0.9):
        locks = [
            Lock("left hand", "position", target=place + np.array([0.1, 0.0, 0.0])),
            Lock("left hand", "position", target=place - [0.1, 0.0, 0.0], weight=weight),
        ]
        result = solve_locks(human, q, locks)
        assert result.held and result.residuals[0] <= EXACT and result.residuals[1] == pytest.approx(0.2, abs=1e-6)
        goal = Goal("left hand", position=place - [0.1, 0.0, 0.0])
        soft = Lock("left hand", "position", target=place + np.array([0.1, 0.0, 0.0]), weight=weight)
        left.append(float(solve_locks(human, q, [soft], goals=goal, start=q).residuals[0]))
    assert left[0] > left[1] > left[2]


# -- drags -----------------------------------------------------------------------------------------------------------


def test_out_and_back_comes_home(human: Skeleton) -> None:
    q = bent(human)
    solver = LockSolver(
        human, [Lock("left foot", "pose"), Lock("right foot", "pose"), Lock("left hand", "position")],
        goals=Goal("pelvis", position=(0, 0, 0)), q=q, tolerance=1e-6,
    )  # fmt: skip
    place, pose = at(human, q, "pelvis"), q
    for k in [*range(1, 61), *range(60, -1, -1)]:
        offset = np.array([0.2 * math.sin(k / 40.0), -0.2 * k / 60.0, 0.1 * k / 60.0])
        result = solver.solve(pose, goal_positions=[place + offset], start=q)
        assert result.held and inside(human, result.q)
        assert np.degrees(np.abs(result.q - pose)[3:].max()) < 20.0
        pose = result.q
    assert np.degrees(np.abs(pose - q)[3:].max()) < 0.01


def test_straight_legs_squat(human: Skeleton) -> None:
    q = human.rest_pose()
    solver = LockSolver(
        human, [Lock("left foot", "pose"), Lock("right foot", "pose")], goals=Goal("pelvis", position=(0, 0, 0)), q=q,
        tolerance=1e-6,
    )  # fmt: skip
    place, pose = at(human, q, "pelvis"), q
    for k in range(1, 101):
        # Down and back, as far as ankles let a flat foot.
        result = solver.solve(pose, goal_positions=[place - [0.0, 0.25 * k / 100, 0.23 * k / 100]], start=q)
        assert result.held
        assert np.degrees(np.abs(result.q - pose)[3:].max()) < 20.0
        pose = result.q
    assert result.goal_error <= 1e-3
    assert pose[3 + human.dof_names.index("left shank.x")] > 0.5  # the way knees bend


@pytest.mark.parametrize(("part", "drop"), [("toes", 0.1), ("toes", 0.4), ("foot", 0.02), ("foot", 0.4)])
@pytest.mark.parametrize("method", ["hold", "lagrange"])
def test_straight_legs_bend_when_the_pelvis_is_put_down(part: str, drop: float, method: str, human: Skeleton) -> None:
    q = human.rest_pose()
    locks = [bind(Lock(f"{side} {part}", "position"), human, q) for side in ("left", "right")]
    down = q.copy()
    down[1] -= drop
    found = solve_locks(human, down, locks, method=method, fixed=(0, 1, 2))
    assert found.held and inside(human, found.q) and np.array_equal(found.q[:3], down[:3])
    knees = [3 + human.dof_names.index(f"{side} shank.x") for side in ("left", "right")]
    assert (found.q[knees] > -1e-9).all()
    elbows = [3 + human.dof_names.index(f"{side} forearm.-x") for side in ("left", "right")]
    assert np.array_equal(found.q[elbows], down[elbows])
    locked = [replace(lock, joints=(f"{side} thigh",)) for lock, side in zip(locks, ("left", "right"), strict=True)]
    kept = solve_locks(human, down, locked, method=method, fixed=(0, 1, 2))
    assert not kept.held and np.array_equal(kept.q[knees], down[knees])  # knees may not help


def test_putty_stays_where_it_was_led(human: Skeleton) -> None:
    q = bent(human)
    feet = [bind(Lock(f"{side} foot", "pose"), human, q) for side in ("left", "right")]
    goal = Goal("left hand", position=at(human, q, "left hand") + np.array([0.1, 0.3, 0.2]))
    first = solve_locks(human, q, feet, goals=goal)
    assert first.goal_error < 1e-4
    again = solve_locks(human, first.q, feet, goals=goal)
    assert np.abs(again.q - first.q).max() < 1e-3


# -- figures of other kinds ------------------------------------------------------------------------------------------


def test_a_chain_of_400_joints() -> None:
    s = chain(400, 0.01)
    q = s.rest_pose()
    q[3:] = 0.01 * np.sin(np.arange(s.n_dofs))
    locks = [bind(Lock(joint, "position"), s, q) for joint in (100, 200, 300)]
    goal = Goal(399, position=at(s, q, 399) + np.array([0.1, -0.1, 0.2]))
    result = solve_locks(s, q, locks, goals=goal, start=q)
    assert result.held and np.isfinite(result.q).all()


def test_a_lock_on_the_root(human: Skeleton) -> None:
    q = bent(human)
    result = solve_locks(human, q, [Lock("pelvis", "pose", target=np.eye(4))])
    assert result.held
    frame = forward_kinematics(human, result.q)[0]
    assert frame == pytest.approx(np.eye(4), abs=1e-8)
    assert result.q[6:] == pytest.approx(q[6:])


@pytest.mark.parametrize("seed", range(4))
def test_scaled_figures_with_slides(seed: int) -> None:
    rng = np.random.default_rng(seed)
    s = random_figure(seed, 12, scaled=True)
    q = random_pose(s, rng, 0.5)
    joint = len(s.joints) - 1
    lock = bind(Lock(joint, "pose", point=(0.1, 0.05, 0.0)), s, random_pose(s, rng, 0.5))
    result = solve_locks(s, q, [lock])
    if result.held:
        assert lock_residuals(s, result.q, [lock]).residuals.max() <= 2e-9
    assert inside(s, result.q)


def test_another_figure_is_held_on_to(human: Skeleton) -> None:
    q = bent(human)
    partner = q.copy()
    partner[:3] += [0.4, 0.0, 0.3]
    lock = Lock("left hand", "point_pair", target=(0.0, 0.0, 0.0), other=("partner", "right hand", (0.0, 0.0, 0.0)))
    result = solve_locks(human, q, [lock], figures={"partner": (human, partner)})
    assert result.held
    assert at(human, result.q, "left hand") == pytest.approx(at(human, partner, "right hand"), abs=1e-8)


def test_cones_are_never_left() -> None:
    cone = math.radians(40.0)
    ball = (hinge("x", -cone, cone), hinge("z", -cone, cone), hinge("y", -1.0, 1.0))
    parts = [Joint("base", -1, mass=1.0)]
    parts += [Joint(f"part {i}", i, offset=[0.0, 0.3, 0.0], dofs=ball, cone=cone, mass=1.0) for i in range(4)]
    s = Skeleton("balls", parts)
    base = bind(Lock("base", "position"), s, s.rest_pose())
    rng = np.random.default_rng(0)
    pressed = 0
    for _ in range(20):
        q = random_pose(s, rng, 0.5)
        offset = rng.normal(size=3)
        tip = Lock(4, "position", point=(0.0, 0.3, 0.0), target=1.1 * offset / np.linalg.norm(offset))
        result = solve_locks(s, q, [base, tip])
        assert clamp_pose(s, result.q) == pytest.approx(result.q, abs=1e-12)
        for i in range(4):
            a, b = result.q[3 + 3 * i : 5 + 3 * i]
            assert math.cos(a) * math.cos(b) >= math.cos(cone) - 1e-12
            pressed += math.cos(a) * math.cos(b) <= math.cos(cone) + 1e-6
    assert pressed


# -- the door --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e300])
def test_absurd_numbers_are_refused(human: Skeleton, bad: float) -> None:
    q = bent(human)
    broken = q.copy()
    broken[7] = bad
    lock = Lock("left hand", "position")
    with pytest.raises(PoseError):
        solve_locks(human, broken, [lock])
    with pytest.raises(PoseError):
        solve_locks(human, q, [lock], start=broken)
    with pytest.raises(LockError):
        Lock("left hand", "position", target=(bad, 0.0, 0.0))
    with pytest.raises(GoalError):
        LockSolver(human, [lock], goals=Goal(0, position=(0, 0, 0)), q=q).solve(q, goal_positions=[(bad, 0.0, 0.0)])
    for name in ("tolerance", "root_weight", "comfort"):
        with pytest.raises(GoalError):
            solve_locks(human, q, [lock], **{name: bad})


def test_arguments_that_make_no_sense(human: Skeleton) -> None:
    q, lock = bent(human), Lock("left hand", "position")
    for wrong in ({"tolerance": 0.0}, {"root_weight": 0.0}, {"comfort": 1.5}, {"method": "magic"}, {"fixed": [999]},
                  {"goal_dofs": [-1]}, {"max_iterations": -1}, {"goals": ["hand"]}):  # fmt: skip
        with pytest.raises(GoalError):
            solve_locks(human, q, [lock], **wrong)
    with pytest.raises(LockError):
        solve_locks(human, q, ["left hand"])
    with pytest.raises(LockError):
        solve_locks(human, q, [Lock("third hand", "position")])
    with pytest.raises(GoalError):
        solve_locks(human, q, [lock], goals=Goal("third hand", position=(0, 0, 0)))
    with pytest.raises(PoseError):
        solve_locks(human, q[:-1], [lock])


def test_targets_are_moved_between_solves() -> None:
    s = person60()
    q = standing(s, 20.0)
    solver = LockSolver(s, three_locks(s, q), q=q)
    place = at(s, q, "left hand")
    for k in range(3):
        solver.set_target(2, place + np.array([0.0, 0.05 * k, 0.0]))
        result = solver.solve(q)
        assert result.held and at(s, result.q, "left hand") == pytest.approx(
            place + np.array([0.0, 0.05 * k, 0.0]), abs=1e-8
        )
    with pytest.raises(LockError):
        solver.set_target(2, (0.0, math.nan, 0.0))


def test_the_pose_that_is_given_is_not_changed(human: Skeleton) -> None:
    q = bent(human)
    before = q.copy()
    result = solve_locks(human, q, [Lock("left hand", "position", target=(0.3, 1.2, 0.3))], start=q)
    assert np.array_equal(q, before) and not np.shares_memory(result.q, q)
