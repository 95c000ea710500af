"""Second criteria on figures, poses and goals of all kinds."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.ik import CRITERIA, Goal, Posture, problem, solve
from core.ik.criteria import make_criterion
from core.kinematics import forward_kinematics
from core.spatial import so3
from tests.support.counts import examples
from tests.support.figures import random_figure, random_pose

PROFILE = settings(max_examples=examples(30), deadline=None, derandomize=True, database=None)
TOLERANCE = 1e-3


@PROFILE
@given(
    seed=st.integers(0, 10**6),
    scaled=st.booleans(),
    kind=st.integers(0, 2),
    name=st.sampled_from([kind.name for kind in CRITERIA]),
    solver=st.sampled_from(["pseudoinverse", "damped_least_squares"]),
    free=st.booleans(),
    near=st.booleans(),
)
def test_the_criterion_falls_and_nothing_else_gets_worse(
    seed: int, scaled: bool, kind: int, name: str, solver: str, free: bool, near: bool
) -> None:
    rng = np.random.default_rng(seed)
    s = random_figure(seed, joints=10, scaled=scaled)
    q, other = random_pose(s, rng, 2.0), random_pose(s, rng, 2.0)
    other[:3] = q[:3]
    joint = int(rng.integers(4, 10))
    point = rng.normal(size=3) * 0.2
    X = forward_kinematics(s, other)
    place = (X[joint] @ [*point, 1.0])[:3] if near else rng.normal(size=3) * 2.0
    rotation = so3.exp(rng.normal(size=3))
    goal = Goal(joint, point, None if kind == 1 else place, None if kind == 0 else rotation)
    base = "world" if free else None
    plain = solve(s, q, goal, solver, base=base, tolerance=TOLERANCE)
    spheres = [(X[k, :3, 3] + rng.normal(size=3) * 0.1, 0.1) for k in (2, 5, joint)]
    secondary = {"pose": ("pose", other), "obstacles": ("obstacles", spheres)}.get(name, name)
    result = solve(s, q, goal, solver, base=base, tolerance=TOLERANCE, secondary=secondary)

    assert result.converged >= plain.converged
    assert result.error <= max(TOLERANCE * (1.0 + 1e-9), plain.error) or (kind == 2 and result.converged)
    assert (result.q[3:] >= s.limits[:, 0]).all() and (result.q[3:] <= s.limits[:, 1]).all()
    assert free or np.array_equal(result.q[:3], q[:3])
    p = problem.build(s, q, (goal,), problem.WORLD if free else None, None)
    posture = Posture(s, q, p.structure.q_index, (goal,), p.structure.top, p.size)
    values = [make_criterion(s, secondary).evaluate(posture.at(pose))[0] for pose in (plain.q, result.q)]
    assert values[1] <= values[0] + 1e-9 * (1.0 + abs(values[0]))
    moved = np.flatnonzero(result.q != plain.q)
    assert set(moved) <= set(p.structure.q_index.tolist())
