"""The closed-form step of a joint that turns about three axes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.ik import Goal, ccd_kernel, nodes_kernel, problem, solve, wahba_kernel
from core.kernels import load
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Skeleton
from core.spatial import so3
from tests.oracles.wahba import best_rotation
from tests.support.figures import hinge

ball_compiled = load(wahba_kernel)
ccd_compiled = load(ccd_kernel)
nodes_compiled = load(nodes_kernel)


def z(angle: float) -> np.ndarray:
    return so3.axis_rotation("z", angle)


def shoulder(limit: float = np.inf, cone: float | None = None, axes: str = "xzy") -> Skeleton:
    dofs = tuple(hinge(axis, -limit, limit) for axis in axes)
    joints = [Joint("root", -1), Joint("shoulder", 0, dofs=dofs, cone=cone)]
    return Skeleton("shoulder", [*joints, Joint("elbow", 1, offset=[0, 0.5, 0], dofs=(hinge("x", 0.0, 2.0),))])


def two_arms() -> Skeleton:
    joints = [Joint("trunk", -1, dofs=(hinge("x"), hinge("z"), hinge("y")))]
    for name, side in (("left", 1.0), ("right", -1.0)):
        joints.append(Joint(f"{name} arm", 0, offset=[0.2 * side, 0.5, 0], dofs=(hinge("z", -0.3, 0.3),)))
        joints.append(Joint(f"{name} hand", len(joints) - 1, offset=[0.3 * side, 0, 0], dofs=(hinge("y", -0.3, 0.3),)))
    return Skeleton("two arms", joints)


def test_the_best_rotation_two_ways() -> None:
    rng = np.random.default_rng(0)
    for i in range(200):
        current = rng.normal(size=(int(rng.integers(2, 5)), 3))
        desired = current @ so3.exp(rng.normal(size=3) * 1.5).T + rng.normal(size=current.shape) * (0.5, 1e-3)[i % 2]
        B = desired.T @ current
        found, R = best_rotation(B)
        for kernels in (wahba_kernel, ball_compiled):
            own = kernels.best_rotation(*B.ravel())
            assert found == bool(own[0]) and np.abs(R - so3.exp(np.array(own[1:]))).max() < 1e-11
        best = float(np.sum(R * B))
        for _ in range(5):
            assert np.sum(so3.exp(rng.normal(size=3) * 0.1) @ R * B) <= best + 1e-5 * np.abs(B).sum()


def test_the_shortest_arc() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        a, b = rng.normal(size=(2, 3))
        found, *vector = wahba_kernel.arc(*a, *b)
        vector = np.array(vector)
        assert found and so3.exp(vector) @ a / np.linalg.norm(a) == pytest.approx(b / np.linalg.norm(b))
        assert vector @ a == pytest.approx(0.0, abs=1e-12)
        assert ball_compiled.arc(*a, *b) == pytest.approx((1.0, *vector))
    for scale, unique in ((2.0, True), (-2.0, False)):
        assert bool(wahba_kernel.arc(*a, *(scale * a))[0]) == unique == bool(ball_compiled.arc(*a, *(scale * a))[0])


@pytest.mark.parametrize("oblique", [False, True])
def test_a_rotation_becomes_the_nearest_angles(oblique: bool) -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        fixed = np.zeros((3, 3, 4))
        for k in range(3):
            fixed[k, :, :3] = so3.exp(rng.normal(size=3)) if oblique else so3.axis_rotation("xy"[k % 2], math.pi / 2)
        F, near = fixed[:, :, :3], rng.normal(size=3) * 1.5
        if max(abs(F[1, 2, 2]), abs(F[2, 2, 2])) > 0.95:
            continue
        new = near + rng.normal(size=3) * 0.1
        D = z(new[0] - near[0]) @ F[1] @ z(new[1]) @ F[2] @ z(new[2])
        reached, *found = wahba_kernel.three_angles(fixed, 2, *D[:, 0], *D[:, 2], near[1], near[2])
        fast = ball_compiled.three_angles(fixed, 2, *D[:, 0], *D[:, 2], near[1], near[2])
        steps = np.array(found)
        assert reached == 1.0 and np.abs([1.0, *steps] - np.array(fast)).max() < 1e-9
        assert np.abs(z(steps[0]) @ F[1] @ z(near[1] + steps[1]) @ F[2] @ z(near[2] + steps[2]) - D).max() < 1e-9
        assert steps @ steps <= (new - near) @ (new - near) + 1e-9


def test_oblique_axes_do_not_reach_every_rotation() -> None:
    """With the second axis 45 degrees from the first, and the third from the second, z comes no farther than 90."""
    fixed = np.zeros((3, 3, 4))
    fixed[1:, :, :3] = so3.axis_rotation("x", math.pi / 4)
    for angle, reached in ((0.4 * math.pi, 1.0), (0.6 * math.pi, 0.0)):
        D = so3.axis_rotation("x", angle)
        for kernels in (wahba_kernel, ball_compiled):
            assert kernels.three_angles(fixed, 2, *D[:, 0], *D[:, 2], 0.0, 0.0)[0] == reached


@pytest.mark.parametrize("kernels", [ccd_kernel, ccd_compiled])
@pytest.mark.parametrize("weight", [1.0, 0.4])
def test_one_sweep_turns_a_ball_along_the_shortest_arc(kernels: object, weight: float) -> None:
    s = shoulder()
    q = np.array([0, 0, 0, 0.3, 0.2, -0.4, 0.0])
    start = forward_kinematics(s, q)[2, :3, 3]
    target = so3.exp([0.5, 0.2, 0.9]) @ start
    weights = np.array([1, 1, 1, weight, weight, weight, 0.0])
    p = problem.build(s, q, (Goal("elbow", position=target),), None, weights)
    assert p.nodes.ball.tolist() == [0, 0, 1, 0][: len(p.x)]
    kernels.run(*problem.packed_arguments(p), 0.0, 1)  # type: ignore[attr-defined]
    moved = forward_kinematics(s, problem.pose_of(p, q))[2, :3, 3]
    whole = np.array(wahba_kernel.arc(*start, *target)[1:])
    assert moved == pytest.approx(so3.exp(weight * whole) @ start, abs=1e-12)


@pytest.mark.parametrize("limits", [(0.3, None), (1.0, 0.5)])
def test_limits_and_cones_hold(limits: tuple[float, float | None]) -> None:
    s = shoulder(*limits)
    rng = np.random.default_rng(4)
    for _ in range(20):
        r = solve(s, s.rest_pose(), Goal("elbow", (0, 0.4, 0), rng.normal(size=3)), "ccd")
        assert (np.abs(r.q[3:6]) <= limits[0]).all()
        assert limits[1] is None or math.cos(r.q[3]) * math.cos(r.q[4]) >= math.cos(limits[1]) - 1e-9


def test_which_joints_are_balls() -> None:
    for axes, ball in (("xzy", 1), ("xyx", 1), ("xxy", 0), ("xy", 0)):
        s = shoulder(axes=axes)
        p = problem.build(s, s.rest_pose(), (Goal("elbow", position=(0, 0, 1)),), None, None)
        assert p.nodes.ball.sum() == ball


def test_a_trunk_weighs_the_goals_of_both_arms() -> None:
    s = two_arms()
    heights = []
    for weight in (0.05, 1.0, 20.0):
        goals = (Goal("left hand", position=(0.5, 1.0, 0.1), weight=weight),
                 Goal("right hand", position=(-0.5, 1.0, 0.2)))  # fmt: skip
        p = problem.build(s, s.rest_pose(), goals, None, None)
        merits = []
        for _ in range(15):
            nodes_compiled.frames(p.nodes, p.aims, p.x, p.work)
            nodes_compiled.errors(p.aims, p.work)
            merits.append(ccd_kernel.descended(p.aims, p.work))
            ccd_compiled.run(*problem.packed_arguments(p), 0.0, 1)
        assert (np.diff(merits) <= 1e-12).all() and merits[-1] < 0.9 * merits[0]
        q = problem.pose_of(p, s.rest_pose())
        left, right = (np.linalg.norm(forward_kinematics(s, q)[k, :3, 3] - goals[i].position)
                       for i, k in enumerate((2, 4)))  # fmt: skip
        heights.append((left, right))
    assert heights[0][0] > heights[1][0] > heights[2][0] and heights[0][1] < heights[2][1]
