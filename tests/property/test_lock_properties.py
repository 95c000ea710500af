"""What is true of any figure, pose and locks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.constraints import Lock, LockSolver, bind, solve_locks
from core.kinematics import forward_kinematics
from core.kinematics.goal import Goal
from core.skeleton import Skeleton
from tests.support.figures import random_figure, random_pose

SEEDS = st.integers(0, 10_000)
KINDS = ("position", "orientation", "pose", "plane", "line")


def task(seed: int, scale: float = 1.0) -> tuple[Skeleton, np.ndarray, list[Lock], Goal]:
    """A random figure, a pose, three locks that hold in another one, and a goal; all lengths times ``scale``."""
    rng = np.random.default_rng(seed)
    s = random_figure(seed, 10, slides=False)
    q, other = random_pose(s, rng, 0.5), random_pose(s, rng, 0.5)
    locks = []
    for _ in range(3):
        kind, joint, point = str(rng.choice(KINDS)), int(rng.integers(1, 10)), rng.normal(size=3) * 0.1
        locks.append((kind, joint, point))
    goal = int(rng.integers(10)), rng.normal(size=3) * 0.1
    if scale != 1.0:
        s = Skeleton("scaled", [replace(joint, offset=joint.offset * scale) for joint in s.joints])
        q, other = q.copy(), other.copy()
        q[:3] *= scale
        other[:3] *= scale
    made = [bind(Lock(joint, kind, point=point * scale), s, other) for kind, joint, point in locks]
    place = forward_kinematics(s, q)[goal[0], :3, 3] + goal[1] * scale
    return s, q, made, Goal(goal[0], position=place)


@settings(max_examples=12, deadline=None)
@given(SEEDS)
def test_limits_hold_and_the_same_question_has_the_same_answer(seed: int) -> None:
    s, q, locks, goal = task(seed)
    first = solve_locks(s, q, locks, goals=goal, start=q)
    assert (first.q[3:] >= s.limits[:, 0]).all() and (first.q[3:] <= s.limits[:, 1]).all()
    assert np.isfinite(first.q).all() and np.isfinite(first.residuals).all()
    solver = LockSolver(s, locks, goals=goal, q=q)
    solver.solve(random_pose(s, np.random.default_rng(seed), 0.3))
    again = solver.solve(q, start=q)
    assert again.q.tobytes() == first.q.tobytes() and again.errors.tobytes() == first.errors.tobytes()


@settings(max_examples=12, deadline=None)
@given(SEEDS)
def test_the_size_of_the_world_does_not_matter(seed: int) -> None:
    """At another scale that is a power of two the angles come out the same, bit by bit."""
    s, q, locks, goal = task(seed)
    big, wide, larger, far = task(seed, 64.0)
    one = solve_locks(s, q, locks, goals=goal, start=q, tolerance=1e-9)
    two = solve_locks(big, wide, larger, goals=far, start=wide, tolerance=64e-9)
    assert one.q[3:].tobytes() == two.q[3:].tobytes()


@settings(max_examples=12, deadline=None)
@given(SEEDS)
def test_what_is_held_stays(seed: int) -> None:
    s, q, locks, _ = task(seed)
    found = solve_locks(s, q, locks)
    if found.held:
        assert np.array_equal(solve_locks(s, found.q, locks).q, found.q)
    near = solve_locks(s, q, locks, max_iterations=0)
    assert np.array_equal(near.q, q)
