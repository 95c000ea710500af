"""Things that hold for every figure, pose and goal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.ik import SOLVERS, Goal, ccd_kernel, nodes_kernel, problem, solve
from core.ik.problem import Problem
from core.kernels import load
from core.kinematics import forward_kinematics
from core.spatial import so3
from tests.support.counts import examples
from tests.support.figures import random_figure, random_pose

ccd_kernels = load(ccd_kernel)
nodes_kernels = load(nodes_kernel)

NAMES = [solver.name for solver in SOLVERS]
PROFILE = settings(max_examples=examples(60), deadline=None, derandomize=True, database=None)


def merit(p: Problem) -> float:
    """``sum w L^2 (w_p/2 |P_d - P_c|^2 + sum_j (1 - u_jd . u_jc))``, ``w_p = 2 / L^2``: what the descent lowers."""
    total = 0.0
    for g, (at_position, at_rotation, reach) in enumerate(p.aims.weight):
        if at_position > 0.0:
            total += at_position * float(np.sum((p.aims.target[g] - p.work.P[g]) ** 2))
        if at_rotation > 0.0:
            total += at_rotation * reach**2 * (3.0 - float(np.sum(p.aims.wanted[g] * p.work.O[g])))
    return total


@PROFILE
@given(seed=st.integers(0, 10**6), scaled=st.booleans(), kind=st.integers(0, 2), goals=st.integers(1, 3))
@example(seed=146, scaled=False, kind=0, goals=2)  # a ball joint with oblique axes, which do not reach what is best
def test_descent_never_raises_the_merit(seed: int, scaled: bool, kind: int, goals: int) -> None:
    rng = np.random.default_rng(seed)
    skeleton = random_figure(seed, joints=10, scaled=scaled)
    q = random_pose(skeleton, rng, 2.0)
    wanted = tuple(
        Goal(
            int(rng.integers(10)),
            rng.normal(size=3) * 0.2,
            None if kind == 1 else rng.normal(size=3),
            None if kind == 0 else so3.exp(rng.normal(size=3) * 2.0),
            float(rng.uniform(0.1, 3.0)),
        )
        for _ in range(goals)
    )
    p = problem.build(skeleton, q, wanted, None, None)
    nodes_kernels.clamp(p.nodes, p.x)
    nodes_kernels.frames(p.nodes, p.aims, p.x, p.work)
    before = merit(p)
    for _ in range(12):
        ccd_kernels.run(*problem.packed_arguments(p), 0.0, 1)
        after = merit(p)
        assert after <= before + 1e-12 * (1.0 + before)
        before = after


@pytest.mark.sampled(2)
@pytest.mark.parametrize("solver", NAMES)
@PROFILE
@given(seed=st.integers(0, 10**6), scaled=st.booleans(), far=st.floats(0.0, 100.0))
def test_results_are_inside_the_limits_and_never_worse(solver: str, seed: int, scaled: bool, far: float) -> None:
    rng = np.random.default_rng(seed)
    skeleton = random_figure(seed, joints=10, scaled=scaled)
    q = random_pose(skeleton, rng, 4.0)
    joint = int(rng.integers(10))
    goal = Goal(joint, rng.normal(size=3) * 0.2, rng.normal(size=3) * far)
    result = solve(skeleton, q, goal, solver, max_iterations=40)
    assert np.isfinite(result.q).all() and np.array_equal(result.q[:3], q[:3])
    assert (result.q[3:] >= skeleton.limits[:, 0]).all() and (result.q[3:] <= skeleton.limits[:, 1]).all()
    start, end = (
        float(np.linalg.norm((forward_kinematics(skeleton, pose)[joint] @ [*goal.point, 1.0])[:3] - goal.position))
        for pose in (q, result.q)
    )
    assert end == pytest.approx(result.error, rel=1e-9, abs=1e-9)
    assert end <= start * (1.0 + 1e-9) + 1e-9


@pytest.mark.sampled(1)
@pytest.mark.parametrize("solver", NAMES)
@PROFILE
@given(seed=st.integers(0, 10**6), turn=st.floats(-3.0, 3.0), shift=st.floats(-5.0, 5.0))
def test_the_world_may_be_moved_along(solver: str, seed: int, turn: float, shift: float) -> None:
    """Carrying figure and goal to another place and heading changes the angles by rounding only."""
    from dataclasses import replace

    from core.skeleton import Skeleton

    rng = np.random.default_rng(seed)
    skeleton = random_figure(seed, joints=8, slides=False)
    root = replace(skeleton.joints[0], orientation=np.zeros(3), offset=np.zeros(3), dofs=(), dof_labels=())
    here = Skeleton("here", [root, *skeleton.joints[1:]])
    there = Skeleton("there", [replace(root, orientation=np.array([0.0, np.degrees(turn), 0.0])), *skeleton.joints[1:]])
    q = random_pose(here, rng)
    q[:3] = 0.0
    moved = q.copy()
    moved[0] = shift
    target = rng.normal(size=3) * 0.5
    one = solve(here, q, Goal(7, position=target), solver, max_iterations=3)
    other = Goal(7, position=so3.axis_rotation("y", turn) @ target + [shift, 0.0, 0.0])
    two = solve(there, moved, other, solver, max_iterations=3)
    assert np.abs(one.q[3:] - two.q[3:]).max(initial=0.0) < 1e-6
