"""Hyper-reduced coordinates: any function of fewer coordinates gives what the same function as a constraint gives."""

from __future__ import annotations

import numpy as np
import pytest

from core.dynamics import FORMULATIONS, Body, Multibody, Scene, Stabilization, simulate
from core.dynamics.constraints import ConeLimit, FollowingCoordinate, LoopClosure, constrained_dynamics
from core.dynamics.forces import DirectionalForce, JointDamping, JointSpring
from core.dynamics.hyper import CoordinateMap, ExpressionMap, HyperReduction, following
from core.dynamics.hyper.system import HyperSystem
from core.dynamics.integrators import INTEGRATORS
from core.errors import DynamicsError
from core.joints import Revolute, Spherical
from core.spatial import SpatialInertia, se3
from tests.support.formulations import ANY_JOINT
from tests.support.random_trees import random_state, random_tree

Array = np.ndarray
REDUCING = [kind.name for kind in INTEGRATORS if kind.reductions]


def vertebra(k: int) -> Body:
    """One of a column along x, whose axes differ a little."""
    inertia = SpatialInertia.box(1.0 + 0.1 * k, (0.1, 0.05, 0.08), center=(0.05, 0, 0))
    place = se3.transform(translation=(0.1 if k else 0.0, 0, 0))
    return Body(f"v{k}", k - 1, Revolute((0, 0.2 * k, 1)), X_PJ=place, inertia=inertia)


SPINE = Multibody([vertebra(k) for k in range(6)])
SHARED = {f"v{k}": "bend" for k in range(1, 6)}
CURVED = {"v1": "bend", "v2": "bend + 0.3*sin(2*bend)", "v3": "0.5*bend^2 - side", "v4": "bend*cos(side)"}


def leading(model: Multibody) -> HyperReduction:
    """Of the six, two lead: ``v1`` by its own angle, ``v5`` by its own, the others follow both."""
    texts = {"v2": "joint_1 + 0.3*sin(2*joint_1)", "v3": "0.5*joint_1^2 - joint_5", "v4": "joint_1*cos(joint_5)"}
    return HyperReduction(model, following(model, [], texts))


def as_constraints() -> list[FollowingCoordinate]:
    a, b = ("v1", 0), ("v5", 0)
    return [
        FollowingCoordinate(("v2", 0), "a + 0.3*sin(2*a)", {"a": a}),
        FollowingCoordinate(("v3", 0), "0.5*a^2 - b", {"a": a, "b": b}),
        FollowingCoordinate(("v4", 0), "a*cos(b)", {"a": a, "b": b}),
    ]


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_it_is_what_constraints_do(formulation: str, seed: int) -> None:
    rng = np.random.default_rng([seed, 26])
    spine = leading(SPINE)
    x, v = rng.normal(size=(2, spine.nv))
    tau, wrenches = rng.normal(size=SPINE.nv), rng.normal(size=(6, 6))
    vdot = spine.forward_dynamics(x, v, None, formulation, joint_tau=tau, wrenches=wrenches)
    J, Jdot = spine.coordinates.jacobian(x), spine.coordinates.jacobian_rate(x, v)
    q, qd = spine.joint_state(x, v)
    for by in ("maximal", "redmax", "recursive"):
        held = constrained_dynamics(SPINE, q, qd, tau, as_constraints(), formulation=by, wrenches=wrenches).vdot
        np.testing.assert_allclose(J @ vdot + Jdot @ v, held, rtol=1e-9, atol=1e-9 * np.abs(held).max())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(6))
def test_formulations_agree_on_trees_of_any_joints(seed: int) -> None:
    rng = np.random.default_rng([seed, 27])
    model = random_tree(rng, 6)
    q, _ = random_state(rng, model)
    # Around a place where all joints are well posed, each coordinate bends with two others.
    a, b = rng.normal(size=(2, model.nq)).tolist()
    texts = [f"{float(q[k])!r} + {a[k]!r}*sin(0.3*s) + {b[k]!r}*(s*t - t^2)" for k in range(model.nq)]
    reduced = HyperReduction(model, ExpressionMap(("s", "t"), texts))
    x, v, tau = 0.1 * rng.normal(size=(3, 2)) + 0.05
    wanted = reduced.forward_dynamics(x, v, tau)
    for formulation in ANY_JOINT:
        found = reduced.forward_dynamics(x, v, tau, formulation)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max())
    np.testing.assert_allclose(reduced.inverse_dynamics(x, v, wanted), tau, rtol=1e-9, atol=1e-9 * np.abs(tau).max())


def test_derivatives_are_those_of_differences() -> None:
    rng = np.random.default_rng(28)
    f = following(SPINE, ["bend", "side"], CURVED)
    x, v = rng.normal(size=(2, 4))
    h = 1e-6
    slope = (f.value(x + h * v) - f.value(x - h * v)) / (2.0 * h)
    change = (f.jacobian(x + h * v) - f.jacobian(x - h * v)) / (2.0 * h)
    np.testing.assert_allclose(f.jacobian(x) @ v, slope, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(f.jacobian_rate(x, v), change, rtol=1e-8, atol=1e-8)


def test_one_bend_of_a_spine_is_a_pendulum_of_its_inertia() -> None:
    """In the plane, a column that shares one bend: ``2 T / bend'^2`` is the sum of what each vertebra has."""
    flat = Multibody(
        [
            Body(f"v{k}", k - 1, Revolute((0, 0, 1)), X_PJ=se3.transform(translation=(0.1 if k else 0.0, 0, 0)),
                 inertia=SpatialInertia(2.0, (0.1, 0, 0), np.diag([0.005, 0.01, 0.01])))
            for k in range(4)
        ]
    )  # fmt: skip
    one = HyperReduction(flat, ExpressionMap(["bend"], ["bend"] * 4))
    bend = 0.3
    headings = bend * np.arange(1, 5)
    # The k-th vertebra turns k + 1 times as fast as the bend, and carries the tips of those before it.
    steps = 0.1 * np.arange(1, 5)[:, None] * np.stack([-np.sin(headings), np.cos(headings)], axis=1)
    expected = sum(2.0 * float(steps[: k + 1].sum(axis=0) @ steps[: k + 1].sum(axis=0)) for k in range(4))
    expected += sum(0.01 * (k + 1) ** 2 for k in range(4))
    np.testing.assert_allclose(one.mass_matrix([bend]), [[expected]], rtol=1e-12)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", REDUCING)
def test_every_integrator_that_takes_it_follows_the_constrained_motion(name: str) -> None:
    spine = leading(SPINE)
    x, v = np.array([0.2, 0.4, -0.1]), np.array([0.5, -1.0, 0.7])
    forces = (
        JointSpring("v3", 3.0, 0.1), JointDamping("v1", 0.02), DirectionalForce("v5", (0.1, 0, 0), (0.0, 1.0, 2.0)),
    )  # fmt: skip
    q, qd = spine.joint_state(x, v)
    reduced = simulate(Scene(SPINE, x, v, forces, reduction=spine), 0.1, 5e-4, name)
    exact = simulate(Scene(SPINE, q, qd, forces, constraints=tuple(as_constraints())), 0.1, 0.005, "rk45").x[-1]
    assert np.abs(spine.joint_coordinates(reduced.x[-1]) - exact).max() < (1e-5 if name in ("rk4", "rk45") else 4e-3)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "gap"), [(each, 1e-5 if each in ("rk4", "rk45") else 5e-3) for each in REDUCING])
def test_what_a_map_leaves_can_be_closed_to_a_loop(name: str, gap: float) -> None:
    spine = leading(SPINE)
    x = np.array([0.3, 0.4, -0.2])
    end = SPINE.body_poses(spine.joint_coordinates(x))[5] @ (0.1, 0.0, 0.0, 1.0)
    tied = LoopClosure("v5", (0.1, 0.0, 0.0), "world", end[:3], axis=(0, 0, 1))
    scene = Scene(SPINE, x, np.zeros(3), constraints=(tied,), reduction=spine)
    system = HyperSystem(scene, "recursive", Stabilization())
    moving = np.array([0.5, -1.0, 0.7])
    moving -= np.linalg.pinv(system.stack(system.state(0.0, x, moving)).rows.G) @ (
        system.stack(system.state(0.0, x, moving)).rows.G @ moving
    )
    q, qd = spine.joint_state(x, moving)
    held = constrained_dynamics(SPINE, q, qd, None, (*as_constraints(), tied), formulation="maximal").vdot
    J, Jdot = spine.coordinates.jacobian(x), spine.coordinates.jacobian_rate(x, moving)
    found = J @ system.acceleration(0.0, x, moving) + Jdot @ moving
    np.testing.assert_allclose(found, held, rtol=1e-9, atol=1e-9 * np.abs(held).max())
    motion = simulate(Scene(SPINE, x, moving, constraints=(tied,), reduction=spine), 0.1, 1e-3, name)
    gaps = [system.stack(system.state(0.0, row, moving)).rows.gap for row in motion.x]
    assert np.abs(gaps).max() < gap and np.abs(motion.x[-1] - x).max() > 0.02


@pytest.mark.verify
def test_energy_is_kept() -> None:
    spine = HyperReduction(SPINE, following(SPINE, ["bend", "side"], CURVED))
    x, v = np.array([0.4, 0.2, 0.1, -0.3]), np.array([0.5, -1.0, 0.7, 1.0])
    spring = JointSpring("v2", 2.0)
    motion = simulate(Scene(SPINE, x, v, (spring,), reduction=spine), 0.3, 0.0005, "rk4")
    total = motion.energy.sum(axis=1)
    assert np.ptp(total) < 1e-6 * np.ptp(motion.energy[:, 0])
    np.testing.assert_allclose(motion.energy[0, 0], spine.energy(x, v)[0], rtol=1e-12)
    np.testing.assert_allclose(motion.momentum[0], spine.momentum(x, v), rtol=1e-12)


def test_power_of_a_controller_is_by_the_own_rates() -> None:
    spine = HyperReduction(SPINE, following(SPINE, ["bend"], SHARED))
    motion = simulate(
        Scene(SPINE, [0.1, 0.0], [0.0, 0.0], controller=lambda t, x, v: [2.0, -1.0], reduction=spine), 0.2, 1e-3, "rk4"
    )
    gained = motion.energy.sum(axis=1)
    work = 2.0 * (motion.x[:, 0] - 0.1) - motion.x[:, 1]
    np.testing.assert_allclose(gained - gained[0], work, atol=1e-6)


class Ring(CoordinateMap):
    """Two hinges that together go round a curve: written by hand."""

    names, size = ("s",), 2

    def __init__(self, slip: float = 0.0):
        self.slip = slip

    def value(self, x: Array) -> Array:
        return np.array([np.sin(x[0]), np.cos(x[0])])

    def jacobian(self, x: Array) -> Array:
        return np.array([[np.cos(x[0]) + self.slip], [-np.sin(x[0])]])

    def jacobian_rate(self, x: Array, v: Array) -> Array:
        return np.array([[-np.sin(x[0]) * v[0]], [-np.cos(x[0]) * v[0]]])


def test_a_map_of_a_class_of_ones_own() -> None:
    model = Multibody([vertebra(k) for k in range(2)])
    own = HyperReduction(model, Ring())
    written = HyperReduction(model, ExpressionMap(["s"], ["sin(s)", "cos(s)"]))
    np.testing.assert_allclose(
        own.forward_dynamics([0.7], [2.0], [0.1]), written.forward_dynamics([0.7], [2.0], [0.1]), rtol=1e-12
    )
    with pytest.raises(DynamicsError, match="Jacobian of the map is off by"):
        HyperReduction(model, Ring(0.01))


def test_what_makes_no_sense_is_refused() -> None:
    bends = following(SPINE, ["bend"], SHARED)
    with pytest.raises(DynamicsError, match="gives 2 coordinates and the model has 6"):
        HyperReduction(SPINE, ExpressionMap(["s"], ["s", "s"]))
    with pytest.raises(DynamicsError, match='"sni" is not known'):
        following(SPINE, ["bend"], {"v1": "sni(bend)"})
    with pytest.raises(DynamicsError, match='"v1" has 1 coordinates and 2 expressions'):
        following(SPINE, ["bend"], {"v1": ["bend", "bend"]})
    with pytest.raises(DynamicsError, match='"bend" stands twice'):
        following(SPINE, ["bend", "bend"], {})
    with pytest.raises(DynamicsError, match='coordinate "side" moves no mass here'):
        idle = HyperReduction(SPINE, following(SPINE, ["bend", "side"], SHARED))
        idle.forward_dynamics(np.zeros(3), np.zeros(3))
    reduction = HyperReduction(SPINE, bends)
    with pytest.raises(DynamicsError, match="variational does not take hyper-reduced coordinates; symplectic_euler"):
        simulate(Scene(SPINE, [0, 0], [0, 0], reduction=reduction), 0.1, 0.01, "variational")
    for how in ({"integrator": "contact"}, {"integrator": "linearly_implicit", "contact": "bisp"}):
        with pytest.raises(DynamicsError, match=r"hyper-reduced coordinates.*FollowingCoordinate does the same"):
            simulate(Scene(SPINE, [0, 0], [0, 0], reduction=reduction), 0.1, 0.01, **how)
    with pytest.raises(DynamicsError, match="has a ConeLimit, whose bound is met within every step"):
        Scene(SPINE, [0, 0], [0, 0], constraints=(ConeLimit("v1", (1, 0, 0), 0.5),), reduction=reduction)
    with pytest.raises(DynamicsError, match="of another model"):
        Scene(Multibody([vertebra(0)]), [0, 0], [0, 0], reduction=reduction)
    with pytest.raises(DynamicsError, match=r"not finite|must give 6 finite numbers"):
        HyperReduction(SPINE, following(SPINE, ["bend"], {"v1": "log(bend)"})).mass_matrix([-1.0, *np.zeros(5)])


def test_a_motion_that_runs_away_names_the_coordinate() -> None:
    reduction = HyperReduction(SPINE, following(SPINE, ["bend"], SHARED))
    scene = Scene(SPINE, [0, 0], [1e9, 0], controller=lambda t, x, v: 1e12 * x, reduction=reduction)
    with pytest.raises(DynamicsError, match=r'runs away .* coordinate "bend"'):
        simulate(scene, 20.0, 1.0, "rk4")


def test_balls_are_taken_as_the_charts_have_them() -> None:
    ball = Body("ball", -1, Spherical(), inertia=SpatialInertia.box(1.0, (0.1, 0.2, 0.3), center=(0, -0.2, 0)))
    model = Multibody([ball])
    free = HyperReduction(model, ExpressionMap(("a", "b", "c"), ["a", "b", "c"]))
    x, v = np.array([0.3, 0.2, -0.4]), np.array([1.0, 2.0, 0.5])
    np.testing.assert_allclose(free.forward_dynamics(x, v), model.forward_dynamics(x, v), rtol=1e-12)
