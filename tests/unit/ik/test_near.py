"""What goals leave free goes near a pose: the goals stay met, limits hold, and nothing nearer is left."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import GoalError
from core.ik import SOLVERS, Goal, solve
from core.kinematics import forward_kinematics, point_jacobian
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.segment import end_effector
from core.skeleton.tree import pack

NAMES = [solver.name for solver in SOLVERS]


@pytest.fixture(scope="module")
def human(skeletons_folder) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


def reachable(human: Skeleton, seed: int) -> tuple[np.ndarray, Goal, list[int]]:
    """Return a pose, a goal that another pose meets, and the places in the pose of the arm that may move."""
    rng = np.random.default_rng(seed)
    low, high = np.clip(human.limits, -np.pi, np.pi).T
    q, other = human.rest_pose(), human.rest_pose()
    first = human.first_dof[human.joint_index("right upper arm")]
    last = human.first_dof[human.joint_index("right hand")] + 2
    arm = list(range(3 + first, 3 + last))
    for pose in (q, other):
        share = rng.uniform(0.3, 0.7, human.n_dofs)
        pose[arm] = (low + share * (high - low))[np.array(arm) - 3]
    joint = human.joint_index("right hand")
    point = end_effector(human, joint)
    X = forward_kinematics(human, 0.5 * (q + other))[joint]
    return q, Goal(joint, point=point, position=X[:3, :3] @ point + X[:3, 3]), arm


@pytest.mark.parametrize("solver", NAMES)
@pytest.mark.parametrize("seed", range(8))
def test_nothing_nearer_meets_the_goal(human, solver, seed):
    q, goal, arm = reachable(human, seed)
    plain = solve(human, q, goal, solver, "right upper arm")
    result = solve(human, q, goal, solver, "right upper arm", near=q)
    assert plain.converged and result.converged and result.error <= 1e-4
    tree = pack(human)
    root = np.sqrt(tree.weight / tree.resistance)[np.array(arm) - 3]
    assert np.linalg.norm((result.q - q)[arm] / root) <= np.linalg.norm((plain.q - q)[arm] / root) + 1e-9
    low, high = human.limits.T
    assert (result.q[3:] >= low).all() and (result.q[3:] <= high).all()
    # What is left of the way back has no part along the goal's tangent plane, but where limits hold it.
    J = point_jacobian(human, result.q, goal.joint, goal.point)[:3, arm] * root
    free = np.array([low[k - 3] + 1e-9 < result.q[k] < high[k - 3] - 1e-9 for k in arm])
    back = (q - result.q)[arm] / root
    J, back = J[:, free], back[free]
    along = back - J.T @ np.linalg.lstsq(J.T, back, rcond=None)[0]
    assert np.linalg.norm(along) < 0.03, np.linalg.norm(along)


def test_a_pose_that_meets_the_goal_is_what_is_near_to_itself(human):
    for seed in range(8):
        q, goal, _ = reachable(human, seed)
        X = forward_kinematics(human, q)[goal.joint]
        here = Goal(goal.joint, point=goal.point, position=X[:3, :3] @ goal.point + X[:3, 3])
        away = solve(human, q, goal, "ccd", "right upper arm").q
        back = solve(human, away, here, "ccd", "right upper arm", tolerance=1e-6, near=q)
        assert np.abs(back.q - q).max() < 1e-3, seed


@pytest.mark.parametrize("solver", NAMES)
def test_a_goal_out_of_reach_is_hardly_further_away(human, solver):
    q, goal, _ = reachable(human, 3)
    far = Goal(goal.joint, point=goal.point, position=goal.position + np.array([-1.0, 0.4, 0.3]))
    plain = solve(human, q, far, solver, "right upper arm")
    result = solve(human, q, far, solver, "right upper arm", near=q)
    assert result.reason == plain.reason == "out_of_reach"
    assert result.error <= plain.error * (1.0 + 2e-3)


def test_bounds_and_weights_hold(human):
    q, goal, arm = reachable(human, 5)
    weights = np.ones(human.nq)
    weights[arm[3]] = 0.0
    room = np.full(human.nq, 0.2)
    result = solve(human, q, goal, "ccd", "right upper arm", weights=weights, bounds=(q - room, q + room), near=q + 0.5)
    assert result.q[arm[3]] == q[arm[3]] and (np.abs(result.q - q) <= 0.2 + 1e-12).all()


def test_what_fits_no_figure_is_refused(human):
    q, goal, _ = reachable(human, 0)
    with pytest.raises(GoalError, match="near"):
        solve(human, q, goal, near=q[:-1])
    with pytest.raises(GoalError, match="near"):
        solve(human, q, goal, near=np.full(human.nq, np.nan))
