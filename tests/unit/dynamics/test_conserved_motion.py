"""Integrators that keep momentum and energy: free bodies, loops, forces; the drift of those that do not."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dynamics import Body, Multibody, Scene, simulate
from core.dynamics.constraints import LoopClosure, PrescribedJoint, PrescribedSpeed, assemble
from core.dynamics.contact.world import World
from core.dynamics.drift import measure_drift, step_size_report
from core.dynamics.engine import Stepper
from core.dynamics.engine.conserving import ConservedTrees
from core.dynamics.engine.settings import StepSettings
from core.dynamics.forces import BodyDamping, DirectionalForce, JointDamping, JointSpring, JointTorque, PointForce
from core.dynamics.integrators import INTEGRATORS
from core.dynamics.trajectory import Trajectory
from core.errors import DynamicsError
from core.joints import Fixed, Free, Revolute, Spherical
from core.spatial import SpatialInertia, se3
from tests.oracles import rattle
from tests.support.linkages import four_bar
from tests.support.three_bodies import exact_centers, floating_loop, three_bodies

Array = NDArray[np.float64]

KEEPING = ("conserving", "variational")
ENERGY = {"conserving": 1e-12, "variational": 2e-4}
PAGE = Path(__file__).parents[3] / "docs/dynamics.md"
FOUND = re.findall(
    r"^\| `(\w+)` \| ([-\de.]+) \| ([-\de.]+) \| ([-\de.]+) \| ([-\de.]+) \| (?:[\d.]+|adaptive) \|$",
    PAGE.read_text(encoding="utf-8"),
    re.M,
)
ROWS = {name: tuple(float(number) for number in numbers) for name, *numbers in FOUND}
"""Of the table of the page: changes of linear and angular momentum and of energy in 5 s, error of places."""


def spin(model: Multibody, motion: Trajectory) -> Array:
    """Return the angular momentum about the centre of mass of all, shape (rows, 3)."""
    centers = np.stack([model.center_of_mass(x) for x in motion.x])
    return motion.momentum[:, :3] - np.cross(centers, motion.momentum[:, 3:])


@pytest.mark.parametrize(
    ("name", "duration"),
    [(name, 0.5) for name in KEEPING] + [pytest.param(name, 60.0, marks=pytest.mark.verify) for name in KEEPING],
)
def test_three_bodies_keep_momentum_and_energy(name: str, duration: float) -> None:
    drift = measure_drift(simulate(three_bodies(), duration, 1 / 240, name))
    assert drift.linear < 1e-12 and drift.angular < 1e-12
    assert drift.energy < ENERGY[name]


def test_drift_of_runge_kutta_falls_as_the_fourth_power_of_the_step() -> None:
    steps = (1 / 20, 1 / 40)
    report = step_size_report(three_bodies(), 0.5, steps, "rk4")
    for what in ("linear", "angular", "energy"):
        coarse, fine = (getattr(row.drift, what) for row in report)
        assert 3.5 < np.log2(coarse / fine) < 5.6, what  # that of the energy falls faster still


def test_every_integrator_has_a_row() -> None:
    assert list(ROWS) == [kind.name for kind in INTEGRATORS]
    for name in (*KEEPING, "hakenberg"):
        assert max(ROWS[name][:2]) < 1e-12, name


@pytest.fixture(scope="module")
def centers() -> Array:
    return exact_centers(three_bodies(), 5.0)


@pytest.mark.verify
@pytest.mark.parametrize("name", list(ROWS))
def test_the_table_of_the_page_is_true(name: str, centers: Array) -> None:
    """Drift, and places after 5 s against DOP853 with a tolerance of 1e-12."""
    (row,) = step_size_report(three_bodies(), 5.0, (1 / 240,), name, centers)
    for found, said in zip((*row.drift[:3], row.error), ROWS[name], strict=True):
        assert found == pytest.approx(said, rel=0.06, abs=1e-12)


def test_errors_fall_with_the_order() -> None:
    scene = three_bodies()
    centers = exact_centers(scene, 0.4)
    for name, order in (("conserving", 4), ("variational", 2)):
        coarse, fine = (row.error for row in step_size_report(scene, 0.4, (0.04, 0.02), name, centers))
        assert order - 0.4 < np.log2(coarse / fine) < order + 1.5, name


def test_runaways_have_no_drift() -> None:
    (row,) = step_size_report(three_bodies(), 40.0, (0.5,), "symplectic_euler")
    assert np.isnan(row.drift.energy) and np.isnan(row.error)


# -- the projection ----------------------------------------------------------------------------------------------------


def test_it_is_the_flight_of_the_engine() -> None:
    """Of velocities that err, both make the same."""
    scene = three_bodies((0.0, -9.81, 0.0))
    model = scene.model
    stepper = Stepper(model, world=World(floor=None), settings=StepSettings(step=1 / 240, sleep=False))
    stepper.set_state(scene.x, scene.v)
    stepper.step(48)
    motion = simulate(scene, 0.2, 1 / 240, "conserving")
    x, v = stepper.state(near=motion.x[-1])
    np.testing.assert_allclose(x, motion.x[-1], atol=2e-8)
    np.testing.assert_allclose(v, motion.v[-1], atol=2e-7)


def test_trees_in_any_order() -> None:
    """Bodies of two trees by turns, one on a base that stands still."""
    ball, rod = SpatialInertia.sphere(1.0, 0.1), SpatialInertia.box(1.0, (0.4, 0.1, 0.1), (0.2, 0, 0))
    model = Multibody(
        [
            Body("base", -1, Fixed(), inertia=ball),
            Body("free", -1, Free(), inertia=ball),
            Body("swing", "base", Revolute((0, 0, 1)), inertia=rod),
            Body("on the free one", "free", Spherical(), inertia=rod),
            Body("on the swing", "swing", Revolute((0, 0, 1)), se3.transform(None, (0.4, 0, 0)), inertia=rod),
        ]
    )
    trees = ConservedTrees(model)
    assert [part.bodies for part in trees.parts] == [(1, 3), (2, 4)]
    assert [part.free for part in trees.parts] == [True, False]
    np.testing.assert_allclose([part.mass for part in trees.parts], [2.0, 2.0])
    rng = np.random.default_rng(3)
    x, v = rng.uniform(-1, 1, model.nq), rng.normal(size=model.nv)
    found = trees.measure(x, v)
    assert found[:, 0].sum() == pytest.approx(sum(model.energy(x, v)), rel=1e-12)
    still = np.where(np.isin(np.arange(model.nv), trees.parts[0].coordinates), v, 0.0)
    np.testing.assert_allclose(found[0, 4:], model.momentum(x, still)[3:], atol=1e-12)
    wanted = found.copy()
    wanted[0, 1:] *= 1.02
    free = np.array([True, False])
    wanted[0, 0] = trees.measure(x, trees.conserve(x, v, wanted, free))[0, 0] + 1e-4  # little moves in its joint
    wanted[1, 0] += 1e-4
    again = trees.measure(x, trees.conserve(x, v, wanted, free))
    np.testing.assert_allclose(again[0], wanted[0], rtol=1e-12, atol=1e-12)
    assert again[1, 0] == pytest.approx(wanted[1, 0], rel=1e-12)
    motion = simulate(Scene(model, x, v), 0.2, 0.01, "conserving")
    np.testing.assert_allclose(motion.energy.sum(axis=1), motion.energy[0].sum(), rtol=1e-12)


# -- forces ------------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", KEEPING)
def test_internal_forces_keep_momentum(name: str) -> None:
    """Springs, dampers and motors in the joints; the energy is that of the start and their work."""
    free = three_bodies()
    forces = (
        JointSpring("second", 5.0, 0.2), JointDamping("third", 0.05), JointDamping("second", 0.1),
        JointTorque("third", lambda t: (0.2 * np.sin(9 * t), 0.1, 0.0)),
    )  # fmt: skip
    scene = Scene(free.model, free.x, free.v, forces)
    motion = simulate(scene, 0.4, 1 / 120, name)
    drift = measure_drift(motion)
    assert drift.linear < 1e-13 and drift.angular < 1e-13
    exact = simulate(scene, 0.4, 1 / 1000, "rk4")
    np.testing.assert_allclose(motion.x[-1], exact.x[-1], atol=1e-6 if name == "conserving" else 5e-4)


def test_springs_keep_the_energy_to_rounding_and_dampers_only_take_some() -> None:
    free = three_bodies()
    spring, damper = JointSpring("second", 20.0, 0.2), JointDamping("third", 0.1)
    energy = simulate(Scene(free.model, free.x, free.v, (spring,)), 0.5, 1 / 60, "conserving").energy.sum(axis=1)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-13)
    energy = simulate(Scene(free.model, free.x, free.v, (spring, damper)), 0.5, 1 / 60, "conserving").energy.sum(axis=1)
    assert (np.diff(energy) < 0.0).all()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", KEEPING)
def test_forces_from_outside_change_momentum_by_their_impulse(name: str) -> None:
    free = three_bodies((0.0, -9.81, 0.0))
    forces = (
        PointForce("third", (0.0, 0.1, 0.0), (1.0, 2.0, -0.5)),
        DirectionalForce("first", (0, 0, 0), (0, 3, 0)),
    )
    motion = simulate(Scene(free.model, free.x, free.v, forces), 0.4, 1 / 60, name)
    total = np.array([1.0, 5.0, -0.5]) + free.model.mass * np.array([0.0, -9.81, 0.0])
    expected = motion.momentum[0, 3:] + motion.times[:, None] * total
    np.testing.assert_allclose(motion.momentum[:, 3:], expected, atol=1e-11)
    centers = np.stack([free.model.center_of_mass(x) for x in motion.x])
    t, mass = motion.times[:, None], free.model.mass
    parabola = centers[0] + t * motion.momentum[0, 3:] / mass + 0.5 * t * t * total / mass
    np.testing.assert_allclose(centers, parabola, atol=1e-12)
    exact = simulate(Scene(free.model, free.x, free.v, forces), 0.4, 1 / 1000, "rk4")
    np.testing.assert_allclose(
        spin(free.model, motion)[-1], spin(free.model, exact)[-1], atol=1e-6 if name == "conserving" else 1e-4
    )


@pytest.mark.verify
def test_drag_takes_momentum_and_energy() -> None:
    free = three_bodies()
    scene = Scene(free.model, free.x, free.v, (BodyDamping("first", 0.8),))
    motion, exact = (simulate(scene, 0.4, dt, name) for dt, name in ((1 / 60, "conserving"), (1 / 1000, "rk4")))
    np.testing.assert_allclose(motion.momentum[-1], exact.momentum[-1], atol=1e-6)
    np.testing.assert_allclose(motion.energy[-1].sum(), exact.energy[-1].sum(), rtol=1e-6)


# -- loops -------------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", KEEPING)
def test_a_loop_that_floats(name: str) -> None:
    scene, loop = floating_loop()
    motion = simulate(scene, 0.15, 1 / 120, name)
    drift = measure_drift(motion)
    assert drift.linear < 1e-12 and drift.angular < 1e-12
    assert drift.energy < (1e-12 if name == "conserving" else 1e-3)
    for x, v in zip(motion.x, motion.v, strict=True):
        rows = loop.rows(scene.model, None, x, v)
        assert np.abs(rows.gap).max() < 1e-12 and np.abs(rows.G @ v).max() < 1e-12
    exact = simulate(scene, 0.15, 1 / 400, "rk4")
    np.testing.assert_allclose(motion.x[-1], exact.x[-1], atol=1e-6 if name == "conserving" else 1e-3)


@pytest.mark.parametrize("name", KEEPING)
@pytest.mark.parametrize("axis", ["hinge", None], ids=["two rows", "three rows, one redundant"])
def test_a_loop_on_the_ground_keeps_its_energy(name: str, axis: str | None) -> None:
    model, _ = four_bar()
    loop = LoopClosure("C", (2, 0, 0), "world", (2, 0, 0), axis=axis)
    x = assemble(model, (1.5, -1.8, -1.8), [loop], fixed=["A"])
    motion = simulate(Scene(model, x, np.zeros(3), constraints=(loop,)), 0.4, 0.02, name)
    gaps = [np.abs(loop.rows(model, None, x, v).gap).max() for x, v in zip(motion.x, motion.v, strict=True)]
    assert max(gaps) < 1e-12
    energy = motion.energy.sum(axis=1)
    swing = np.abs(energy - energy[0]).max() / motion.energy[:, 0].max()
    assert swing < (1e-12 if name == "conserving" else 2e-2)


def test_who_cannot_hold_a_constraint_says_who_can() -> None:
    scene = three_bodies()
    for name, constraint, who in (
        ("conserving", PrescribedJoint("second", lambda t: (t, 1.0, 0.0)), "rk45, variational, bdf1 and bdf2 do"),
        (
            "variational",
            PrescribedSpeed("second", lambda t: (1.0, 0.0)),
            "linearly_implicit, rk4, rk45, bdf1 and",
        ),
    ):
        with pytest.raises(DynamicsError, match=f"{name} does not take {type(constraint).__name__}; .*{who}"):
            simulate(Scene(scene.model, scene.x, scene.v, constraints=(constraint,)), 0.1, 0.01, name)


def test_variational_steps_follow_prescribed_joints() -> None:
    scene = three_bodies()
    x, v = np.array(scene.x), np.array(scene.v)
    x[6], v[6] = 0.0, 2.0
    driven = PrescribedJoint("second", lambda t: (np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)))
    motion = simulate(Scene(scene.model, x, v, constraints=(driven,)), 0.3, 0.01, "variational")
    np.testing.assert_allclose(motion.x[:, 6], np.sin(2 * motion.times), atol=1e-12)
    np.testing.assert_allclose(motion.v[:, 6], 2 * np.cos(2 * motion.times), atol=1e-12)
    assert measure_drift(motion).angular < 1e-12


# -- RATTLE ------------------------------------------------------------------------------------------------------------


def center_velocities(offsets: Array, poses: Array, twists: Array) -> Array:
    """Return the velocities of the centres of mass in the world, shape (nb, 3)."""
    return np.einsum("bij,bj->bi", poses[:, :3, :3], twists[:, 3:] + np.cross(twists[:, :3], offsets))


def test_a_step_is_that_of_rattle_with_all_multipliers() -> None:
    """Poses and momenta after some steps of the papers' scheme, every joint a constraint of free bodies."""
    scene, h, gravity = three_bodies((0.0, -9.81, 0.0)), 0.02, np.array([0.0, -9.81, 0.0])
    model = scene.model
    X, twists = model.body_poses(scene.x), model.body_twists(scene.x, scene.v)
    m = np.array([body.inertia.mass for body in model.bodies])
    J = np.stack([body.inertia.inertia for body in model.bodies])
    offsets = np.array([body.inertia.center for body in model.bodies])
    R, c, p = X[:, :3, :3], model.body_centers(scene.x), m[:, None] * center_velocities(offsets, X, twists)
    bodies = rattle.Bodies(m, J, c, R, p, np.einsum("bij,bj->bi", J, twists[:, :3]))
    hinge, ball = (model.X_PJ[i, :3, 3] - offsets[i - 1] for i in (1, 2))
    z, across = np.array([0.0, 0.0, 1.0]), (np.array([1.0, 0, 0]), np.array([0.0, 1, 0]))
    pins = [rattle.Pin(0, 1, hinge, -offsets[1], z, across), rattle.Pin(1, 2, ball, -offsets[2])]
    np.testing.assert_allclose(rattle.gaps(pins, c, R), 0.0, atol=1e-14)
    for _ in range(3):
        bodies = rattle.step(bodies, pins, h, gravity)
    motion = simulate(scene, 3 * h, h, "variational")
    poses, moves = model.body_poses(motion.x[-1]), model.body_twists(motion.x[-1], motion.v[-1])
    np.testing.assert_allclose(model.body_centers(motion.x[-1]), bodies.c, atol=1e-10)
    np.testing.assert_allclose(poses[:, :3, :3], bodies.R, atol=1e-10)
    np.testing.assert_allclose(np.einsum("bij,bj->bi", J, moves[:, :3]), bodies.pi, atol=1e-10)
    np.testing.assert_allclose(m[:, None] * center_velocities(offsets, poses, moves), bodies.p, atol=1e-10)


def test_variational_steps_go_back_where_they_came_from() -> None:
    scene = three_bodies((0.0, -9.81, 0.0))
    spring = JointSpring("second", 10.0, 0.2)
    there = simulate(Scene(scene.model, scene.x, scene.v, (spring,)), 0.4, 0.02, "variational")
    back = simulate(Scene(scene.model, there.x[-1], -there.v[-1], (spring,)), 0.4, 0.02, "variational")
    np.testing.assert_allclose(back.x[-1], scene.x, atol=1e-11)
    np.testing.assert_allclose(-back.v[-1], scene.v, atol=1e-10)


def test_steps_that_are_too_long_say_so() -> None:
    scene = three_bodies()
    with pytest.raises(DynamicsError, match=r"(no solution was|runs away at t = 3 s|matrix of a variational)"):
        simulate(Scene(scene.model, scene.x, 10.0 * np.asarray(scene.v)), 3.0, 3.0, "variational")
