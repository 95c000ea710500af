"""Every kind of constraint: its rows are the derivatives of its gap, whatever joints are below it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from core.dynamics import Multibody
from core.dynamics.constraints import (
    CONSTRAINTS,
    ConeLimit,
    Constrained,
    Constraint,
    Coupling,
    FollowingCoordinate,
    JointLimits,
    LinearEquality,
    LoopClosure,
    LoopJoint,
    PlaneLimit,
    PrescribedBody,
    PrescribedJoint,
    PrescribedPose,
    PrescribedSpeed,
    Rod,
    Rope,
    Rows,
    Situation,
    constrained_dynamics,
)
from core.dynamics.constraints.loop_joint import KINDS
from core.dynamics.motion import motion
from core.dynamics.redmax import jacobian, jacobian_rate
from core.errors import DynamicsError
from core.spatial import se3
from tests.support.random_trees import random_pose, random_state, random_tree

Rng = np.random.Generator


def two_bodies(rng: Rng, model: Multibody) -> tuple[int, int]:
    a, b = rng.choice(len(model.bodies), 2, replace=False)
    return int(a), int(b)


def moving_pose(rng: Rng) -> Callable[[float], tuple]:
    """A frame that screws through the world, faster and faster."""
    start, axis = random_pose(rng), rng.normal(size=6)
    return lambda t: (start @ se3.exp((0.3 * t + t * t) * axis), (0.3 + 2.0 * t) * axis, 2.0 * axis)


def joint_motion(rng: Rng, n: int) -> Callable[[float], tuple]:
    a, b = rng.normal(size=(2, n))
    return lambda t: (0.3 * np.sin(a * t + b), 0.3 * a * np.cos(a * t + b), -0.3 * a * a * np.sin(a * t + b))


def with_coordinates(rng: Rng, model: Multibody) -> int:
    return int(rng.choice([i for i, body in enumerate(model.bodies) if body.joint.n]))


def gear(rng: Rng, model: Multibody) -> Coupling:
    pairs = [
        (i, k)
        for i, first in enumerate(model.bodies)
        for k, second in enumerate(model.bodies)
        if i != k and first.joint.n == second.joint.n > 0
    ]
    i, k = pairs[rng.integers(len(pairs))]
    return Coupling(i, k, -1.5, 0.2)


def sum_of_two(rng: Rng, model: Multibody) -> LinearEquality:
    i, k = with_coordinates(rng, model), with_coordinates(rng, model)
    return LinearEquality(((i, 0, 2.0), (k, model.bodies[k].joint.n - 1, -0.7)), 0.3)


def follower(rng: Rng, model: Multibody) -> FollowingCoordinate:
    chosen = rng.permutation([i for i, body in enumerate(model.bodies) if body.joint.n])[:3].tolist()
    places = [(i, model.bodies[i].joint.n - 1) for i in chosen]
    names = dict(zip(("a", "b"), places[1:], strict=False))
    return FollowingCoordinate(places[0], "0.7*a + sin(a)*b + 0.3*b^2" if len(names) == 2 else "sin(a)", names)


def prescribed(rng: Rng, model: Multibody) -> PrescribedJoint:
    i = with_coordinates(rng, model)
    return PrescribedJoint(i, joint_motion(rng, model.bodies[i].joint.n))


def driven(rng: Rng, model: Multibody) -> PrescribedSpeed:
    i = with_coordinates(rng, model)
    motion_of = joint_motion(rng, model.bodies[i].joint.n)
    return PrescribedSpeed(i, lambda t: motion_of(t)[1:])


def limits(rng: Rng, model: Multibody) -> JointLimits:
    i = with_coordinates(rng, model)
    return JointLimits(i, -0.3, rng.uniform(-0.2, 1.0, model.bodies[i].joint.n))


def body_motion(rng: Rng) -> Callable[[float], tuple]:
    a, b = rng.normal(size=(2, 6))
    return lambda t: (np.sin(a * t + b), a * np.cos(a * t + b))


MAKERS: dict[type[Constraint], list[Callable[[Rng, Multibody], Constraint]]] = {
    LoopClosure: [
        lambda rng, m: LoopClosure(two_bodies(rng, m)[0], rng.normal(size=3), -1, rng.normal(size=3)),
        lambda rng, m: LoopClosure(*_ends(rng, m), axis=rng.normal(size=3)),
        lambda rng, m: LoopClosure("world", rng.normal(size=3), 1, rng.normal(size=3), axis=(0, 1, 0)),
    ],
    LoopJoint: [
        lambda rng, m, kind=kind: LoopJoint(*two_bodies(rng, m), random_pose(rng), random_pose(rng), kind)
        for kind in KINDS
    ],
    Rod: [lambda rng, m: Rod(*_ends(rng, m), 0.7)],
    Coupling: [gear],
    LinearEquality: [sum_of_two],
    FollowingCoordinate: [follower],
    PrescribedJoint: [prescribed],
    PrescribedSpeed: [driven],
    PrescribedBody: [
        lambda rng, m: PrescribedBody(two_bodies(rng, m)[0], (1, 3, 5), body_motion(rng)),
        lambda rng, m: PrescribedBody(two_bodies(rng, m)[0], (0, 1, 2, 3, 4, 5), body_motion(rng), "world"),
    ],
    PrescribedPose: [
        lambda rng, m: PrescribedPose(two_bodies(rng, m)[0], moving_pose(rng), random_pose(rng)),
        lambda rng, m: PrescribedPose(two_bodies(rng, m)[0], moving_pose(rng), random_pose(rng), "plane"),
    ],
    JointLimits: [limits],
    ConeLimit: [lambda rng, m: ConeLimit(two_bodies(rng, m)[0], rng.normal(size=3), 0.7)],
    PlaneLimit: [lambda rng, m: PlaneLimit(two_bodies(rng, m)[0], rng.normal(size=3), rng.normal(size=3), 0.4)],
    Rope: [lambda rng, m: Rope(*_ends(rng, m), 0.7)],
}


def _ends(rng: Rng, model: Multibody) -> tuple:
    a, b = two_bodies(rng, model)
    return a, rng.normal(size=3), b, rng.normal(size=3)


CASES = [
    pytest.param(make, id=f"{kind.__name__} {i}") for kind, makers in MAKERS.items() for i, make in enumerate(makers)
]


def test_every_kind_is_here() -> None:
    assert set(MAKERS) == set(CONSTRAINTS)


def rows_at(constraint: Constraint, model: Multibody, x: np.ndarray, v: np.ndarray, t: float) -> Rows:
    return constraint.rows(model, motion(model, x, v), x, v, t)


@pytest.mark.parametrize("make", CASES)
@pytest.mark.parametrize("seed", range(3))
def test_rows_are_the_derivatives_of_the_gap(make: Callable[[Rng, Multibody], Constraint], seed: int) -> None:
    rng = np.random.default_rng([seed, 801])
    model = random_tree(rng, 7)
    x, v = random_state(rng, model)
    vdot, t, h = rng.normal(size=model.nv), 0.4, 1e-5
    constraint = make(rng, model)
    rows = rows_at(constraint, model, x, v, t)
    m = len(rows.gap)
    assert rows.G.shape == (m, model.nv) and all(part.shape == (m,) for part in rows[1:]) and m > 0

    def along(s: float) -> Rows:
        return rows_at(constraint, model, x + s * v + 0.5 * s * s * vdot, v + s * vdot, t + s)

    before, after = along(-h), along(h)
    if constraint.positional:
        rate = (after.gap - before.gap) / (2.0 * h)
        np.testing.assert_allclose(rows.G @ v - rows.velocity, rate, rtol=1e-7, atol=1e-7)
    speed = [part.G @ (v + s * vdot) - part.velocity for part, s in ((before, -h), (after, h))]
    np.testing.assert_allclose(
        rows.G @ vdot + rows.bias - rows.acceleration, (speed[1] - speed[0]) / (2.0 * h), rtol=1e-6, atol=1e-6
    )


@pytest.mark.parametrize("make", CASES)
def test_rows_on_bodies_say_the_same(make: Callable[[Rng, Multibody], Constraint]) -> None:
    rng = np.random.default_rng(802)
    model = random_tree(rng, 8)
    x, v = random_state(rng, model)
    constraint = make(rng, model)
    rows = rows_at(constraint, model, x, v, 0.4)
    at = Situation(model, x, v, 0.4)
    on_bodies = constraint.body_rows(at)
    G_m = np.zeros((len(rows.gap), 6 * len(model.bodies)))
    for body, block in on_bodies.blocks:
        G_m[:, 6 * body : 6 * body + 6] += block
    m = motion(model, x, v)
    np.testing.assert_allclose(G_m @ jacobian(model, m), rows.G, atol=1e-11)
    np.testing.assert_allclose(on_bodies.bias + G_m @ (jacobian_rate(model, m) @ v), rows.bias, atol=1e-10)


def agreement(seed: int) -> None:
    """Assert that the formulations agree on random constraints, or refuse them alike."""
    rng = np.random.default_rng([seed, 803])
    model = random_tree(rng, int(rng.integers(6, 25)))
    x, v = random_state(rng, model)
    makers = [make for kind in MAKERS.values() for make in kind]
    chosen = rng.choice(len(makers), int(rng.integers(1, 6)), replace=False)
    constraints = [makers[k](rng, model) for k in chosen]
    tau = 3.0 * rng.normal(size=model.nv)
    results: list[Constrained] = []
    refused: list[str] = []
    for formulation in ("recursive", "redmax", "maximal"):
        try:
            # All bounds count as touched.
            found = constrained_dynamics(model, x, v, tau, constraints, 0.3, formulation=formulation, touching=1e9)
            results.append(found)
        except DynamicsError as error:
            refused.append(str(error))
    assert not (results and refused), (seed, refused)
    for result in results[1:]:
        assert np.abs(result.vdot - results[0].vdot).max() < 1e-9 * np.abs(results[0].vdot).max(), seed


@pytest.mark.verify
def test_formulations_agree_on_constraints_of_all_kinds() -> None:
    for seed in range(10):
        agreement(seed)


@pytest.mark.verify
def test_formulations_agree_on_many_constraints_of_all_kinds() -> None:
    for seed in range(500):
        agreement(seed)
