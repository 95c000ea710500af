"""Inverse kinematics with locks: the projection holds whatever a solver proposes; Welman's penalty method drifts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.constraints import Lock, bind, lock_residuals, solve_locks
from core.constraints.places import Places
from core.errors import GoalError, LockError
from core.ik import SOLVERS, Goal, solve
from core.ik.locked import lock_goals
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from core.spatial import so3
from tests.support.figures import bent

every_solver = pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])


@pytest.fixture(scope="module")
def human(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


def feet(s: Skeleton, q: np.ndarray) -> list[Lock]:
    return [bind(Lock(joint, "pose"), s, q) for joint in ("left foot", "right foot")]


def place(s: Skeleton, q: np.ndarray, joint: str) -> np.ndarray:
    return forward_kinematics(s, q)[s.joint_index(joint), :3, 3]


def inside(s: Skeleton, q: np.ndarray) -> bool:
    return bool((q[3:] >= s.limits[:, 0]).all() and (q[3:] <= s.limits[:, 1]).all())


@every_solver
def test_every_solver_holds_locks_and_meets_the_goal(solver: str, human: Skeleton) -> None:
    q = bent(human)
    locks = feet(human, q)
    for joint, offset in (("pelvis", (0.02, -0.08, 0.05)), ("right hand", (0.1, 0.2, 0.2))):
        goal = Goal(joint, position=place(human, q, joint) + np.array(offset))
        result = solve(human, q, goal, solver, locks=locks)
        assert result.held and result.residuals.shape == (2,) and result.residuals.max() <= 1e-9
        assert lock_residuals(human, result.q, locks).held and inside(human, result.q)
        assert result.converged and result.reason == "reached"
        assert np.linalg.norm(place(human, result.q, joint) - goal.position) <= 1e-4


def test_solvers_keep_their_character(human: Skeleton) -> None:
    """The pose that is held is nearer to what the solver proposed than to what others did."""
    q = bent(human)
    locks = [bind(Lock("left hand", "position"), human, q)]
    goal = Goal("right hand", position=place(human, q, "right hand") + np.array([0.05, 0.3, 0.25]))
    held, proposed = {}, {}
    for name in ("ccd", "jacobian_transpose"):
        held[name] = solve(human, q, goal, name, locks=locks).q[3:]
        proposed[name] = solve(human, q, goal, name, base="world").q[3:]
    for mine, other in (("ccd", "jacobian_transpose"), ("jacobian_transpose", "ccd")):
        assert np.linalg.norm(held[mine] - proposed[mine]) < np.linalg.norm(held[mine] - proposed[other])


@every_solver
def test_locks_win_over_a_goal_out_of_reach(solver: str, human: Skeleton) -> None:
    q = bent(human)
    locks = feet(human, q)
    goal = Goal("right hand", position=place(human, q, "right hand") + np.array([0.0, 3.0, 0.0]))
    result = solve(human, q, goal, solver, locks=locks)
    assert result.held and not result.converged and result.reason == "locks" and result.error > 0.3
    assert len(result.errors) == 2 and result.errors[1] <= result.errors[0]


def test_unbound_locks_hold_where_the_part_stands(human: Skeleton) -> None:
    q = bent(human)
    goal = Goal("pelvis", position=place(human, q, "pelvis") - np.array([0, 0.05, 0]))
    result = solve(human, q, goal, locks=[Lock("left foot", "pose"), Lock("right foot", "position")])
    assert result.held
    for joint in ("left foot", "right foot"):
        assert place(human, result.q, joint) == pytest.approx(place(human, q, joint), abs=1e-9)


def test_base_and_weights_still_count(human: Skeleton) -> None:
    q = bent(human)
    locks = feet(human, q)
    goal = Goal("right hand", position=place(human, q, "right hand") + np.array([0.05, 0.1, 0.1]))
    result = solve(human, q, goal, base="right upper arm", locks=locks)
    moved = {human.dof_joints[k] for k in np.flatnonzero(np.abs(result.q - q)[3:] > 1e-12)}
    assert result.converged and moved <= {
        human.joint_index(f"right {part}") for part in ("upper arm", "forearm", "hand")
    }
    weights = np.ones(human.nq)
    spine = human.joint_index("chest")
    weights[3 + human.first_dof[spine] : 3 + human.first_dof[spine + 1]] = 0.0
    result = solve(human, q, goal, weights=weights, locks=locks)
    assert result.held and result.q[weights == 0.0].tolist() == q[weights == 0.0].tolist()


def test_what_locks_are_is_checked(human: Skeleton) -> None:
    goal = Goal("right hand", position=(0, 1, 0))
    with pytest.raises(GoalError, match="must be Lock"):
        solve(human, human.rest_pose(), goal, locks=[object()])
    with pytest.raises(LockError, match='no joint "tail"'):
        solve(human, human.rest_pose(), goal, locks=[Lock("tail", "position")])


def test_without_locks_nothing_is_held(human: Skeleton) -> None:
    result = solve(human, human.rest_pose(), Goal("right hand", position=(-0.3, 1.2, 0.3)))
    assert result.held and result.residuals.shape == (0,)


# -- the penalty method ----------------------------------------------------------------------------------------------


def test_more_sweeps_leave_less_drift(human: Skeleton) -> None:
    q = bent(human)
    locks = feet(human, q)
    goal = Goal("pelvis", position=place(human, q, "pelvis") + np.array([0.0, -0.03, 0.0]))
    drift = []
    for sweeps in (1, 5, 20, 100):
        found = solve_locks(human, q, locks, goals=goal, method="ccd", max_iterations=sweeps)
        assert found.iterations <= 2 * sweeps and inside(human, found.q)
        assert found.goal_error <= 1e-9  # the edit comes first and stays, as in section 6.3
        drift.append(float(found.residuals.max()))
    assert drift[0] > drift[1] > drift[2] > drift[3] and drift[0] > 1e-3 and drift[3] < 1e-4


def test_no_sweeps_change_nothing(human: Skeleton) -> None:
    q = bent(human)
    found = solve_locks(human, q, feet(human, q), method="ccd", max_iterations=0)
    assert found.q.tolist() == q.tolist() and found.iterations == 0


def test_what_is_fixed_stays(human: Skeleton) -> None:
    q = bent(human)
    other = q.copy()
    other[1] -= 0.02
    found = solve_locks(human, other, feet(human, q), method="ccd", fixed=(0, 1, 2), max_iterations=200)
    assert found.q[:3].tolist() == other[:3].tolist() and found.residuals.max() < 1e-3


def test_goals_stand_at_the_nearest_allowed_place(human: Skeleton) -> None:
    q = bent(human)
    other = q.copy()
    other[3:] += 0.03
    hand = ("right hand", (0.0, 0.0, 0.0))
    places = Places(human, other)
    for kind in ("position", "orientation", "pose", "plane", "line", "point_pair", "distance", "aim"):
        second = hand if kind in ("point_pair", "distance", "aim") else None
        lock = bind(Lock("left hand", kind, other=second), human, q)
        goals, moving = lock_goals([lock], places)
        assert moving == (kind not in ("position", "orientation", "pose"))
        assert len(goals) == (2 if kind in ("point_pair", "distance") else 1)
        goal = goals[-1]
        if kind in ("orientation", "pose"):
            assert so3.angle_between(goal.rotation, lock.target[:3, :3]) < 1e-7
        if kind == "point_pair":
            assert goals[0].position == pytest.approx(goals[1].position, abs=1e-12)
        if kind == "distance":
            assert np.linalg.norm(goals[0].position - goals[1].position) == pytest.approx(lock.target, abs=1e-12)
    balance = bind(Lock(0, "balance"), human, q)
    assert lock_goals([balance, Lock("left hand", "position", target=(0, 0, 0), weight=0.0)], places) == ([], False)


@pytest.mark.parametrize("figure", ["human", "woman"])
def test_a_squat_step_by_step_neither_turns_the_pelvis_nor_leaps(skeletons_folder: Path, figure: str) -> None:
    s = load_skeleton(skeletons_folder / f"{figure}.scr")
    q = s.rest_pose()
    locks, start, largest = feet(s, q), forward_kinematics(s, q)[0], 0.0
    for k in range(1, 101):
        result = solve(s, q, Goal(0, position=start[:3, 3] - [0.0, 0.002 * k, 0.0]), locks=locks)
        assert result.held and result.converged
        largest, q = max(largest, float(np.abs(result.q - q)[3:].max())), result.q
    assert np.degrees(so3.angle_between(forward_kinematics(s, q)[0, :3, :3], start[:3, :3])) < 0.01
    assert np.degrees(largest) < 8.5  # the first 2 mm of a straight leg


def test_where_ankles_end_the_pelvis_stops_and_does_not_turn(human: Skeleton) -> None:
    q = human.rest_pose()
    locks, start = feet(human, q), forward_kinematics(human, q)[0]
    for k in range(1, 61):
        q = solve(human, q, Goal(0, position=start[:3, 3] - [0.0, 0.01 * k, 0.0]), locks=locks).q
        X = forward_kinematics(human, q)[0]
        assert np.degrees(so3.angle_between(X[:3, :3], start[:3, :3])) < 6.0
    assert lock_residuals(human, q, locks).held
