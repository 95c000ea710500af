"""Every force of ``FORCES``: what it stores is what it does, and what it says of its derivatives is so.

And it moves bodies alike in ``simulate`` and in the step of the editor, compiled or not.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dynamics import Multibody, Scene, charts, simulate
from core.dynamics.contact.world import World
from core.dynamics.engine import Stepper, StepSettings
from core.dynamics.engine.applied import Applied
from core.dynamics.forces import (
    FORCES,
    BodyDamping,
    Derivatives,
    DirectionalForce,
    ElasticRope,
    Force,
    IntrinsicTorque,
    JointDamping,
    JointSpring,
    JointTorque,
    Load,
    Muscle,
    PathForce,
    PointForce,
    PointToPoint,
    SpringDamper,
    StiffeningSpring,
)
from core.dynamics.state import State
from core.errors import DynamicsError
from core.joints import Free, Revolute, Spherical, SphericalEuler
from core.kernels import uncompiled
from core.spatial import se3, so3
from tests.support.random_trees import random_tree

Array = NDArray[np.float64]

BETWEEN = ((0.2, -0.1, 0.3), (-0.3, 0.4, 0.1), (0.1, 0.5, -0.2), (0.4, 0.1, 0.2))
EXAMPLES: dict[type[Force], Callable[[], list[Force]]] = {
    JointSpring: lambda: [JointSpring(1, 3.0, 0.4), JointSpring(2, (1.0, 2.0, 3.0), (0.1, -0.2, 0.3))],
    JointDamping: lambda: [JointDamping(1, 0.7), JointDamping(2, (1.0, 2.0, 3.0))],
    JointTorque: lambda: [JointTorque(1, lambda t: np.sin(t)), JointTorque(2, (1.0, -2.0, 0.5))],
    IntrinsicTorque: lambda: [
        IntrinsicTorque(1, 0.7),
        IntrinsicTorque(2, 1.3),
        IntrinsicTorque(3, 0.4, lambda t: np.cos(t)),
    ],
    BodyDamping: lambda: [BodyDamping(3, 0.6), BodyDamping(1, 0.4, 3)],
    PointForce: lambda: [
        PointForce(3, (0.1, 0.2, 0.3), (1.0, 2.0, -3.0)),
        PointForce(0, (0, 0, 1), lambda t: (t, 0, 1)),
    ],
    DirectionalForce: lambda: [DirectionalForce(3, (0.3, -0.1, 0.2), (0.0, 0.6, 0.8), 2.5)],
    StiffeningSpring: lambda: [
        StiffeningSpring(1, 2.0, 5.0, 0.4),
        StiffeningSpring(2, (1.0, 2.0, 3.0), 4.0, (0.1, -0.2, 0.3)),
    ],
    PointToPoint: lambda: [
        PointToPoint((1, 3), BETWEEN[:2], 2.0),
        PointToPoint(("world", 2), BETWEEN[:2], 1.5),
    ],
    SpringDamper: lambda: [
        SpringDamper((1, 3), BETWEEN[:2], 2.0, 0.3, 0.4),
        SpringDamper((2, -1), BETWEEN[:2], 2.0, 9.0, 0.4),
        SpringDamper((0, 1, 1, 3), BETWEEN, 2.0, 0.5),
    ],
    ElasticRope: lambda: [ElasticRope((0, 2, 3), BETWEEN[:3], 2.0, 0.2, 0.1)],
    Muscle: lambda: [
        Muscle((1, 3), BETWEEN[:2], 3.0, 0.9, tendon_length=0.1),
        Muscle((1, 3), BETWEEN[:2], 3.0, 1.6, 0.7, 0.1, 2.0),
        Muscle((0, 1, 2, 3), BETWEEN, 2.0, 2.6, [(0.0, 0.2), (0.5, 0.9)], 0.1, 3.0),
    ],
}
FORCE_LIST = [
    pytest.param(force, id=f"{kind.__name__}{k}") for kind in FORCES for k, force in enumerate(EXAMPLES[kind]())
]
KEEPS = (JointSpring, StiffeningSpring, DirectionalForce, PointToPoint)
BRAKES = (JointDamping, BodyDamping)


def keeps(force: Force) -> bool:
    """Return whether a force keeps energy: the kind does, or this one has no damping and is not active."""
    if isinstance(force, Muscle):
        return force.activation == 0.0
    return isinstance(force, KEEPS) or (isinstance(force, SpringDamper) and force.damping == 0.0)


@pytest.fixture(scope="module")
def state() -> State:
    rng = np.random.default_rng(5)
    base = random_tree(rng, 4, types=[Revolute, Spherical, Free], root=Free, chain=True)
    bodies = list(base.bodies)
    bodies = [
        replace(b, joint=j)
        for b, j in zip(bodies, (Free(), Revolute((0, 0.6, 0.8)), Spherical(), Revolute((1, 0, 0))), strict=True)
    ]
    model = Multibody(bodies)
    return State(model, rng.uniform(-0.7, 0.7, model.nq), rng.normal(size=model.nv), 0.3)


def loads(force: Force, state: State) -> Load:
    load = Load(state.model)
    force.add(state, load)
    return load


def moved(state: State, dx: Array | float = 0.0, dv: Array | float = 0.0) -> State:
    return State(state.model, state.x + dx, state.v + dv, state.t, state.home)


def test_there_is_an_example_of_every_force() -> None:
    assert set(EXAMPLES) == set(FORCES)
    assert all(kind.label and kind.description for kind in FORCES)
    assert {kind for kind in FORCES if kind.conservative} == set(KEEPS)


@pytest.mark.parametrize("force", FORCE_LIST)
def test_it_does_the_same_where_its_world_is_turned_and_moved(force: Force, state: State) -> None:
    away = se3.transform(so3.exp([0.0, 0.7, 0.0]), [0.3, -0.2, 1.1])
    first, *others = state.model.bodies
    model = Multibody([replace(first, X_PJ=away @ first.X_PJ), *others])
    there, here = State(model, state.x, state.v, state.t), loads(force, state)
    assert there.poses == pytest.approx(away @ state.poses, abs=1e-12)
    found = loads(force.moved(away), there)
    assert np.allclose(found.tau, here.tau, rtol=0.0, atol=1e-12)
    assert np.allclose(found.wrenches, here.wrenches, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("force", FORCE_LIST)
def test_energy_and_power(force: Force, state: State) -> None:
    """What keeps energy has a load that is minus its gradient; dampers only take; the rest stores nothing."""
    load = loads(force, state)
    tau = load.generalized(state.model, state.x)
    assert np.abs(tau).max() > 0.1
    assert force.power(state) == pytest.approx(tau @ state.v, rel=1e-12)
    h = 1e-6
    slope = np.array(
        [
            (force.energy(moved(state, h * e)) - force.energy(moved(state, -h * e))) / (2 * h)
            for e in np.eye(state.model.nv)
        ]
    )
    if keeps(force):
        np.testing.assert_allclose(-slope, tau, rtol=1e-7, atol=1e-8)
    elif isinstance(force, PathForce):
        brakes = force.power(state) + slope @ state.v  # besides what is stored
        assert brakes < 0.0 or isinstance(force, Muscle)
    else:
        assert not slope.any()
        assert force.energy(state) == 0.0
    if isinstance(force, BRAKES) or (isinstance(force, IntrinsicTorque) and not force.motor):
        assert force.power(state) < 0.0


@pytest.mark.parametrize("force", FORCE_LIST)
def test_derivatives(force: Force, state: State) -> None:
    """``K`` is the derivative of the loads by coordinates and by displacements of bodies, ``D`` minus that by rates.

    A force from outside (``PointForce``, a torque) tells none.
    """
    derivatives = Derivatives(state.model)
    force.differentiate(state, derivatives)
    n, h = state.model.nv, 1e-6
    tau_x = np.stack(
        [(loads(force, moved(state, h * e)).tau - loads(force, moved(state, -h * e)).tau) / (2 * h) for e in np.eye(n)],
        axis=1,
    )
    tau_v = np.stack(
        [
            (loads(force, moved(state, dv=h * e)).tau - loads(force, moved(state, dv=-h * e)).tau) / (2 * h)
            for e in np.eye(n)
        ],
        axis=1,
    )
    np.testing.assert_allclose(derivatives.joint_damping, -tau_v, atol=1e-8)
    np.testing.assert_allclose(derivatives.joint_stiffness, tau_x, atol=1e-8)
    bodies, none = range(len(state.model.bodies)), np.zeros((6, 6))
    for j in bodies:
        D, K = (
            np.stack(
                [loads(force, at(h * e)).wrenches - loads(force, at(-h * e)).wrenches for e in np.eye(6)], axis=2
            ) / (2 * h)
            for at in (lambda change, j=j: _with_twist(state, j, change), lambda to, j=j: _displaced(state, j, to))
        )  # fmt: skip
        for i in bodies:
            np.testing.assert_allclose(derivatives.body_damping.get((i, j), none), -D[i], atol=2e-8)
            if not isinstance(force, PointForce):
                np.testing.assert_allclose(derivatives.body_stiffness.get((i, j), none), K[i], atol=2e-8)


def _with_twist(state: State, body: int, change: Array) -> State:
    other = moved(state)
    other.twists = state.twists.copy()
    other.twists[body] += change
    return other


def _displaced(state: State, body: int, displacement: Array) -> State:
    other = moved(state)
    other.poses = state.poses.copy()
    other.poses[body] = state.poses[body] @ se3.exp(displacement)
    return other


@pytest.mark.parametrize("force", FORCE_LIST)
def test_charts_do_not_matter(force: Force, state: State) -> None:
    """In another chart of a joint the load does the same work, and the energy is the same."""
    home = Multibody(
        [replace(b, joint=SphericalEuler("XYZ")) if i == 2 else b for i, b in enumerate(state.model.bodies)]
    )
    other = Multibody(
        [replace(b, joint=SphericalEuler("ZXZ")) if i == 2 else b for i, b in enumerate(state.model.bodies)]
    )
    x, v = charts.converted_state(home, state.x, state.v, other)
    here, there = State(home, state.x, state.v, 0.3), State(other, x, v, 0.3, home)
    assert force.energy(there) == pytest.approx(force.energy(here), rel=1e-10, abs=1e-12)
    assert force.power(there) == pytest.approx(force.power(here), rel=1e-10, abs=1e-12)
    rest = np.zeros(home.nv)
    a = home.forward_dynamics(state.x, state.v, loads(force, here).tau, wrenches=loads(force, here).wrenches)
    a0 = home.forward_dynamics(state.x, state.v, rest)
    b = other.forward_dynamics(x, v, loads(force, there).tau, wrenches=loads(force, there).wrenches)
    b0 = other.forward_dynamics(x, v, rest)
    J, K = here.jacobian, there.jacobian
    np.testing.assert_allclose(K @ (b - b0), J @ (a - a0), atol=1e-9 * max(1.0, np.abs(J @ (a - a0)).max()))


def stepper_of(model: Multibody, force: Force, step: float) -> Stepper:
    world = World(floor=None, gravity=np.asarray(model.gravity))
    return Stepper(model, world=world, settings=StepSettings(step=step, sleep=False), forces=[force])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("force", FORCE_LIST)
def test_the_step_moves_bodies_as_simulate_does(force: Force, state: State) -> None:
    """A fifth of a second of it is off by as much as first order leaves, and by half of that with half the step."""
    model, x, v = state.model, state.x, 0.3 * state.v
    exact = simulate(Scene(model, x, v, (force,)), 0.2, 1e-3, "rk4").x[-1]
    alone = simulate(Scene(model, x, v), 0.2, 1e-3, "rk4").x[-1]
    off = []
    for step in (1 / 960, 1 / 1920):
        stepper = stepper_of(model, force, step)
        stepper.set_state(x, v)
        assert stepper.step(round(0.2 / step)).kkt < 1e-8
        off.append(np.abs(stepper.state(near=exact)[0] - exact).max())
    assert off[0] < 0.06 * np.abs(exact - alone).max()
    assert 1.9 < off[0] / off[1] < 2.1


@pytest.mark.parametrize("force", FORCE_LIST)
def test_the_step_has_forces_in_its_kernels_whose_text_does_the_same(force: Force, state: State) -> None:
    """All but what is a function of time given as one."""
    given = (getattr(force, name, None) for name in ("force", "torque", "motor"))
    assert Applied(state.model, [force]).evaluated == any(map(callable, given))
    found = []
    for how in (nullcontext, uncompiled):
        with how():
            stepper = stepper_of(state.model, force, 1 / 240)
            stepper.set_state(state.x, state.v)
            stepper.step(2)
            found.append(np.concatenate(stepper.state()))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("make", [lambda: JointSpring(2, 3.0, 0.2), lambda: StiffeningSpring(2, 1.0, 4.0, 0.2)])
def test_springs_do_what_they_store_where_a_ball_has_turned_far(make: Callable[[], Force], state: State) -> None:
    """The rotation vector next to where they rest is not that of the state, and about another axis than the rest."""
    x = state.x.copy()
    x[state.coordinates(2)] = 1.2 * np.pi * np.array([0.6, -0.64, 0.48])
    far, force = State(state.model, x, state.v), make()
    h, n = 1e-6, state.model.nv
    slope = [(force.energy(moved(far, h * e)) - force.energy(moved(far, -h * e))) / (2 * h) for e in np.eye(n)]
    np.testing.assert_allclose(loads(force, far).tau, -np.array(slope), rtol=1e-6, atol=1e-7)
    exact = simulate(Scene(state.model, x, np.zeros(n), (force,)), 0.1, 1e-3, "rk4").x[-1]
    off = []
    for step in (1 / 960, 1 / 1920):
        stepper = stepper_of(state.model, force, step)
        stepper.set_state(x, np.zeros(n))
        stepper.step(round(0.1 / step))
        off.append(np.abs(stepper.state(near=exact)[0] - exact).max())
    assert off[0] < 0.02 and 1.9 < off[0] / off[1] < 2.1


def test_a_spring_in_a_ball_joint_pulls_the_short_way_home(state: State) -> None:
    spring = JointSpring(2, 1.0)
    x = state.x.copy()
    part = state.coordinates(2)
    x[part] = (0.0, 0.0, 1.25 * np.pi)
    far = State(state.model, x, state.v)
    assert spring.energy(far) == pytest.approx(0.5 * (0.75 * np.pi) ** 2)
    assert loads(spring, far).tau[part] == pytest.approx((0.0, 0.0, 0.75 * np.pi))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: JointSpring(9, 1.0), "there is no body 9"),
        (lambda: JointSpring(2, -1.0), "stiffness .* 0 or more"),
        (lambda: JointSpring(2, (1.0, 2.0)), "stiffness .* or 3"),
        (lambda: JointSpring(2, 1.0, float("nan")), "rest .* nan"),
        (lambda: JointDamping(1, -0.1), "damping .* 0 or more"),
        (lambda: JointTorque(2, lambda t: (1.0, 2.0)), "torque .* or 3"),
        (lambda: IntrinsicTorque(0, 0.1), "body 0 floats freely"),
        (lambda: IntrinsicTorque(2, 0.1, 1.0), "body 2 is spherical; a motor turns .* revolute"),
        (lambda: IntrinsicTorque(1, -0.1), "friction in joint 1 is -0.1"),
        (lambda: IntrinsicTorque(1, 0.1, lambda t: float("nan")), "motor of joint 1 at 0 s is nan"),
        (lambda: BodyDamping(0, float("inf")), "damping on body 0 is inf"),
        (lambda: PointForce("nobody", (0, 0, 0), (0, 0, 1)), "there is no body 'nobody'"),
        (lambda: PointForce(0, (0, 0), (0, 0, 1)), "point .* three finite numbers"),
        (lambda: PointForce(0, (0, 0, 0), lambda t: (0, 0)), "force on body 0 .* three finite numbers"),
        (lambda: DirectionalForce(0, (0, 0, 0), (0, 0, float("nan"))), "direction .* three finite numbers"),
        (lambda: DirectionalForce(0, (0, 0, 0), (0, 0, 1), -1.0), "stiffness .* 0 or more"),
        (lambda: BodyDamping(1, 1.0, 1), "body 1 is against the body itself"),
        (lambda: StiffeningSpring(1, 1.0, -2.0), "hardening .* 0 or more"),
        (lambda: SpringDamper((1,), ((0, 0, 0),), 1.0, 0.1), "has 1 points; it must have two or more"),
        (lambda: SpringDamper((1, 2), ((0, 0, 0),), 1.0, 0.1), "has 1 points"),
        (lambda: SpringDamper("hand", ((0, 0, 0),), 1.0, 0.1), "must be a list of bodies"),
        (lambda: SpringDamper((1, 2), ((0, 0, 0), (0, 0)), 1.0, 0.1), "point 1 of .* three finite numbers"),
        (lambda: SpringDamper((1, 2), BETWEEN[:2], 1.0, -0.1), "rest length .* 0 or more"),
        (lambda: ElasticRope(("world", -1), BETWEEN[:2], 1.0, 0.1), "all its points on the world"),
        (lambda: ElasticRope((1, "nobody"), BETWEEN[:2], 1.0, 0.1), "there is no body 'nobody'"),
        (lambda: PointToPoint((1, 2, 3), BETWEEN[:3], 1.0), "has 3 points; it must have two"),
        (lambda: Muscle((1, 2), BETWEEN[:2], 1.0, 0.0), "optimal length .* more than 0"),
        (lambda: Muscle((1, 2), BETWEEN[:2], 1.0, 1.0, 1.5), "activation .* 0..1"),
        (lambda: Muscle((1, 2), BETWEEN[:2], 1.0, 1.0, [(0.0, 0.5), (0.0, 0.7)]), "times must ascend"),
        (lambda: Muscle((1, 2), BETWEEN[:2], 1.0, 1.0, [0.0, 0.5]), "number from 0 to 1, or pairs"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(make: Callable[[], Force], message: str, state: State) -> None:
    with pytest.raises(DynamicsError, match=message):
        make().check(state.model)
