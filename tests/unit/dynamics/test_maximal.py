"""Maximal coordinates: bodies that drift, joints that hold them, steps on SE(3)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.dynamics import Body, Multibody, maximal
from core.dynamics.maximal import MaximalState
from core.dynamics.maximal.dense_system import DenseSystem
from core.dynamics.maximal.joints import locked, of_state
from core.dynamics.maximal.tree_system import TreeSystem
from core.joints import JOINT_TYPES, Fixed, Free, Revolute, Spherical, SphericalEuler
from core.spatial import SpatialInertia, se3
from tests.support.random_trees import random_inertia, random_pose, random_state, random_tree, wild_state


def largest(value: np.ndarray) -> float:
    return float(np.abs(value).max(initial=0.0))


def two_hinges() -> tuple[Multibody, MaximalState]:
    """Two boxes of 10 by 1 by 1 on hinges across each other, swinging; cm, g, s."""
    box = SpatialInertia.box(10.0, (10.0, 1.0, 1.0))
    half = se3.transform(None, (5.0, 0.0, 0.0))
    bodies = [
        Body("upper", -1, Revolute((0, 1, 0)), X_JB=half, inertia=box),
        Body("lower", 0, Revolute((0, 0, 1)), se3.transform(None, (10.0, 0.0, 0.0)), half, box),
    ]
    model = Multibody(bodies, gravity=(0.0, 0.0, -980.0))
    return model, MaximalState.from_reduced(model, np.zeros(2), np.array([8.0, 8.0]))


def test_hinges_come_apart_unless_something_holds_them() -> None:
    h = 1e-2
    widest = {}
    for held in ("by nothing", "by Baumgarte", "by corrections"):
        model, state = two_hinges()
        widest[held] = 0.0
        for _ in range(100):
            state = maximal.euler_step(model, state, h, gamma=1.0 / h if held == "by Baumgarte" else 0.0)
            if held == "by corrections":
                state = maximal.stabilized(model, state)
            widest[held] = max(widest[held], maximal.gap(model, state))
    assert widest["by nothing"] > 0.1
    assert widest["by Baumgarte"] < 0.03
    assert widest["by corrections"] <= 1e-10


@pytest.mark.verify
def test_euler_step_is_that_of_reduced_coordinates_to_first_order() -> None:
    """Both are of first order, so that half the step halves the difference after the same time."""
    model, start = two_hinges()
    apart = []
    for n in (40, 80):
        h, state = 0.1 / n, start
        x, v = np.zeros(2), np.array([8.0, 8.0])
        for _ in range(n):
            state = maximal.stabilized(model, maximal.euler_step(model, state, h))
            v = v + h * model.forward_dynamics(x, v)
            x = x + h * v
        apart.append(largest(state.to_reduced(model)[0] - x))
    assert 1e-6 < apart[1] < 0.6 * apart[0] < 6e-2


def test_implicit_terms_brake_as_a_step_of_each_body_would() -> None:
    box = SpatialInertia.box(2.0, (0.1, 0.2, 0.3))
    model = Multibody([Body("box", -1, Free(), X_JB=se3.transform(None, (0.3, 0.1, 0.0)), inertia=box)], (0, 0, 0))
    x, v = np.zeros(6), np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    state = MaximalState.from_reduced(model, x, v)
    braked = maximal.euler_step(model, state, 0.1, added=0.1 * 5.0 * np.eye(6)[None])
    assert braked.twists[0] == pytest.approx(state.twists[0] * 2.0 / (2.0 + 0.1 * 5.0), abs=1e-14)


@pytest.mark.verify
def test_baumgarte_closes_a_gap_critically_damped() -> None:
    model, state = two_hinges()
    model = Multibody(model.bodies, gravity=(0.0, 0.0, 0.0))
    rate, h, n = 10.0, 1e-3, 300
    shifted = state.poses.copy()
    shifted[1, 2, 3] += 0.01
    state = MaximalState(shifted, np.zeros((2, 6)), np.zeros(2))
    before = maximal.gap(model, state)
    for _ in range(n):
        found = maximal.accelerations(model, state, baumgarte=(rate, rate))
        twists = state.twists + h * found.twist_rates
        state = MaximalState(state.moved(h * twists), twists, state.near)
    t = n * h
    assert before == pytest.approx(0.01, rel=1e-9)
    assert maximal.gap(model, state) == pytest.approx(before * (1.0 + rate * t) * math.exp(-rate * t), rel=0.03)


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_states_go_there_and_back(kind: type) -> None:
    rng = np.random.default_rng(3)
    model = random_tree(rng, 4, types=(kind,), chain=True)
    x, v = random_state(rng, model)
    state = MaximalState.from_reduced(model, x, v)
    x_back, v_back = state.to_reduced(model)
    assert largest(x_back - x) <= 1e-9 and largest(v_back - v) <= 1e-9 * max(1.0, largest(v))
    tau, wrenches = rng.normal(size=model.nv), rng.normal(size=(4, 6))
    expected = maximal.joint_accelerations(model, x, v, tau, wrenches)
    found = maximal.accelerations(model, state, tau, wrenches)
    for part in ("vdot", "twist_rates", "joint_wrenches"):
        wanted = getattr(expected, part)
        assert largest(getattr(found, part) - wanted) <= 1e-8 * max(1.0, largest(wanted)), part


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", [kind for kind in JOINT_TYPES if kind is not Free])
def test_bodies_thrown_about_are_put_together(kind: type) -> None:
    """A step that no row knew of opens the joints; the corrections close them and leave no motion that they forbid."""
    rng = np.random.default_rng(4)
    model = random_tree(rng, 3, types=(kind,), chain=True)
    state = MaximalState.from_reduced(model, *random_state(rng, model))
    apart = MaximalState(state.moved(0.02 * rng.normal(size=(3, 6))), rng.normal(size=(3, 6)), state.near)
    together = maximal.stabilized(model, apart)
    assert maximal.gap(model, together) <= 1e-10
    joints = of_state(model, together)
    assert max((largest(part) for part in locked(joints, joints.relative)), default=0.0) <= 1e-9
    assert largest(together.poses - apart.poses) < 0.5


@pytest.mark.parametrize(
    ("joint", "q"),
    [(Spherical(), [2.0 * math.pi - 1e-9, 0.0, 0.0]), (SphericalEuler("XYZ"), [0.3, 0.5 * math.pi - 1e-9, 0.2])],
    ids=["near a whole turn", "near gimbal lock"],
)
def test_rows_do_not_mind_the_chart(joint: Spherical | SphericalEuler, q: list[float]) -> None:
    rng = np.random.default_rng(5)
    parts = random_inertia(rng), random_inertia(rng), random_pose(rng), random_pose(rng)
    elbow = Body("fore", 0, Revolute((1, 0, 0)), parts[2], parts[3], parts[1])

    def arm(shoulder: Spherical | SphericalEuler) -> Multibody:
        return Multibody([Body("upper", -1, shoulder, parts[3], parts[2], parts[0]), elbow])

    twist = rng.normal(size=3)
    models = arm(joint), arm(Spherical())
    near = Spherical().coordinates(joint.transform(q))
    x = np.array([*near, 0.4])
    v = np.array([*np.linalg.solve(Spherical().subspace(near)[:3], twist), 0.7])
    state = MaximalState.from_reduced(models[1], x, v)
    expected = maximal.euler_step(models[1], state, 1e-3)
    found = maximal.euler_step(models[0], state._replace(near=np.array([*q, 0.4])), 1e-3)
    assert largest(found.twists - expected.twists) <= 1e-9
    assert largest(found.poses - expected.poses) <= 1e-12


def test_tree_and_dense_systems_solve_several_right_sides() -> None:
    rng = np.random.default_rng(8)
    for n in (1, 5, 12):
        model = random_tree(rng, n)
        joints = of_state(model, MaximalState.from_reduced(model, *wild_state(rng, model)))
        b = rng.normal(size=(n, 6, 3))
        c = tuple(rng.normal(size=(row.normal.shape[1], 3)) for row in joints.rows)
        tree = TreeSystem(model.inertias, joints.rows, model.names)
        V, multipliers = tree.solve(b, c)
        expected, others = DenseSystem(model.inertias, joints.rows).solve(b, c)
        assert largest(V - expected) <= 1e-9 * largest(expected)
        scale = max(largest(part) for part in (*others, np.ones(1)))
        assert all(largest(a - b) <= 1e-9 * scale for a, b in zip(multipliers, others, strict=True))
        first, _ = tree.solve(b[:, :, 0], tuple(part[:, 0] for part in c))
        assert largest(first - V[:, :, 0]) <= 1e-12 * largest(V)


def test_fixed_bodies_stay() -> None:
    post = SpatialInertia.box(1.0, (0.1, 1.0, 0.1))
    model = Multibody([Body("post", -1, Fixed(), inertia=post), Body("sign", 0, Fixed(), inertia=post)])
    state = MaximalState.from_reduced(model, np.zeros(0), np.zeros(0))
    after = maximal.euler_step(model, state, 0.01)
    assert largest(after.poses - state.poses) <= 1e-15
    weight = maximal.joint_accelerations(model, np.zeros(0), np.zeros(0)).joint_wrenches
    assert weight[:, 4] == pytest.approx([2 * 9.81, 9.81])
