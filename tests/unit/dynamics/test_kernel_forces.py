"""Forces that the step has in its kernels, at points, drag, in balls: stable when strong, and true to momentum."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dynamics import Body, Multibody, Scene, simulate
from core.dynamics.contact.figure_shapes import figure_geometries
from core.dynamics.contact.world import World
from core.dynamics.engine import Stepper, StepSettings
from core.dynamics.forces import (
    BodyDamping,
    DirectionalForce,
    Force,
    JointDamping,
    JointSpring,
    JointTorque,
    Load,
    Muscle,
    PointForce,
    StiffeningSpring,
)
from core.dynamics.state import State
from core.formats.bundled import bundled_folder
from core.joints import Composite, Free, FreeRotationFirst, Prismatic, Revolute, Screw, Spherical, Universal
from core.skeleton import load_skeleton
from core.spatial import SpatialInertia, se3, so3
from tests.support.human_muscles import WAYS, muscles

Array = NDArray[np.float64]

LINK = SpatialInertia.box(1.0, (0.05, 0.3, 0.05), (0.0, -0.15, 0.0))
BOX = SpatialInertia.box(1.0, (0.3, 0.4, 0.2), (0.02, -0.15, 0.03))
DOWN = se3.transform(None, (0.0, -0.3, 0.0))
TIP = (0.0, -0.3, 0.0)


def stepper_of(model: Multibody, forces: Sequence[Force], step: float = 1 / 240) -> Stepper:
    world = World(floor=None, gravity=np.asarray(model.gravity))
    return Stepper(model, world=world, settings=StepSettings(step=step, sleep=False), forces=forces)


def chain(count: int, gravity: Sequence[float] = (0.0, 0.0, 0.0)) -> Multibody:
    """Return a chain of balls that hangs on the world."""
    return Multibody(
        [Body(f"link {k}", k - 1, Spherical(), DOWN if k else np.eye(4), inertia=LINK) for k in range(count)],
        gravity=gravity,
    )


def tree(root: object = None) -> Multibody:
    """Return two branches that hang on a body that floats."""
    return Multibody([
        Body("upper", -1, Free() if root is None else root, inertia=LINK),  # type: ignore[arg-type]
        Body("left", 0, Spherical(), DOWN, inertia=LINK),
        Body("right", 0, Revolute((0, 0, 1)), DOWN, inertia=LINK),
        Body("alone", -1, Free(), inertia=LINK),
    ], gravity=(0, 0, 0))  # fmt: skip


def start(model: Multibody, seed: int = 3) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return 0.4 * rng.normal(size=model.nq), 0.5 * rng.normal(size=model.nv)


@pytest.mark.parametrize("kind", [DirectionalForce, PointForce])
def test_a_strong_pull_at_the_end_of_a_chain_swings_without_gaining_energy(kind: type[Force]) -> None:
    """20 kN on ten links of 1 kg at 240 steps a second, which is more than explicit steps can follow."""
    model = chain(10)
    x, _ = start(model)
    pull = np.array([0.0, -2e4, 0.0])
    force = kind("link 9", TIP, pull)  # type: ignore[call-arg]
    measure = DirectionalForce("link 9", TIP, pull)
    stepper = stepper_of(model, [force])
    stepper.set_state(0.05 * x, np.zeros(model.nv))
    lowest = measure.energy(State(model, np.zeros(model.nq), np.zeros(model.nv)))
    begin = measure.energy(State(model, 0.05 * x, np.zeros(model.nv))) - lowest
    for _ in range(48):
        stepper.step(10)
        now = sum(stepper.readings.energy()) + measure.energy(State(model, *stepper.state())) - lowest
        assert now < 2.0 * begin


def test_a_mild_pull_keeps_its_energy() -> None:
    """A pendulum under a steady force swings on and on, as under gravity."""
    model = chain(1)
    force = DirectionalForce("link 0", TIP, (0.0, -20.0, 0.0))
    stepper = stepper_of(model, [force], 1 / 480)
    stepper.set_state([1.0, 0.2, 0.0], np.zeros(3))

    def energy() -> float:
        return stepper.readings.energy()[0] + force.energy(State(model, *stepper.state()))

    first, found = energy(), []
    for _ in range(480):
        stepper.step(5)
        found.append(energy())
    assert abs(np.mean(found[-96:]) - first) < 0.02 * 6.0  # of what it swings through


@pytest.mark.parametrize(("body", "other"), [("left", "right"), ("upper", "right"), ("left", "alone")])
def test_drag_between_bodies_keeps_momentum_and_stops_them_beside_each_other(body: str, other: str) -> None:
    model = tree()
    stepper = stepper_of(model, [BodyDamping(body, 1e5, other)])
    stepper.set_state(*start(model))
    before = stepper.readings.momentum()
    stepper.step(240)
    assert np.abs(stepper.readings.momentum() - before).max() < 1e-9
    state = State(model, *stepper.state())
    a, b = (se3.adjoint(state.poses[model.index(name)]) @ state.twists[model.index(name)] for name in (body, other))
    np.testing.assert_allclose(a, b, atol=0.01)  # of what a step turns


def test_springs_inside_a_figure_keep_momentum() -> None:
    model = tree()
    forces = [StiffeningSpring("left", 20.0, 200.0, 0.3), JointSpring("left", (5.0, 1.0, 2.0)),
              JointDamping("left", (0.1, 0.2, 0.3)), JointTorque("left", (1.0, -2.0, 0.5))]  # fmt: skip
    stepper = stepper_of(model, forces)
    stepper.set_state(*start(model))
    before = stepper.readings.momentum()
    stepper.step(240)
    assert np.abs(stepper.readings.momentum() - before).max() < 1e-9


def test_a_stiff_spring_in_a_ball_is_stable() -> None:
    """1e6 N m/rad on 0.03 kg m^2, with twice that in hardening, in steps of 1/60 s."""
    model = chain(1, (0.0, -9.81, 0.0))
    spring = StiffeningSpring("link 0", 1e6, 2e6, (0.2, 0.0, -0.1))
    stepper = stepper_of(model, [spring, JointDamping("link 0", (1e3, 1e3, 1e3))], 1 / 60)
    stepper.set_state([0.6, -0.5, 0.3], [3.0, 0.0, -2.0])
    stepper.step(120)
    np.testing.assert_allclose(stepper.state()[0], (0.2, 0.0, -0.1), atol=1e-4)


def test_drag_and_pull_settle_where_they_balance() -> None:
    """A box is as fast as a force is over the damping, at once where both are large."""
    model = Multibody([Body("box", -1, Free(), inertia=LINK)], gravity=(0, 0, 0))
    stepper = stepper_of(model, [BodyDamping("box", 1e6), PointForce("box", (0, 0, 0), (3e6, 0, 1e6))])
    stepper.set_state(np.zeros(6), np.zeros(6))
    stepper.step(2)
    np.testing.assert_allclose(stepper.state()[1], (3.0, 0, 1.0, 0, 0, 0), atol=1e-3)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "joint", [Universal(), Screw((0, 0, 1), 0.1), Composite(Prismatic((1, 0, 0)), Spherical()), FreeRotationFirst()],
    ids=lambda joint: joint.type_name,
)  # fmt: skip
def test_springs_of_other_joints_are_in_the_kernels_too(joint: object) -> None:
    """Those whose coordinates are what the step has, and rotation vectors among others."""
    model = Multibody([
        Body("body", -1, joint, inertia=BOX), Body("tail", 0, Spherical(), DOWN, inertia=BOX),  # type: ignore[arg-type]
    ])  # fmt: skip
    forces = (
        StiffeningSpring("body", 0.5, 1.0, 0.2),
        JointDamping("body", 0.3 + 0.1 * np.arange(model.bodies[0].joint.n)),
    )
    x, v = start(model)
    exact = simulate(Scene(model, x, v, forces), 0.2, 1e-3, "rk4").x[-1]
    off = []
    for step in (1 / 960, 1 / 1920):
        stepper = stepper_of(model, forces, step)
        assert not stepper._applied.evaluated
        stepper.set_state(x, v)
        stepper.step(round(0.2 / step))
        off.append(np.abs(stepper.state(near=exact)[0] - exact).max())
    assert off[0] < 0.02 and 1.8 < off[0] / off[1] < 2.2


def test_joints_that_are_held_report_what_they_have_to_exert_against_these_forces() -> None:
    model = chain(2, (0.0, -9.81, 0.0))
    x, _ = start(model)
    forces = [StiffeningSpring("link 1", 2.0, 30.0, 0.3), JointTorque("link 0", (0.7, 0.1, -0.2)),
              DirectionalForce("link 1", TIP, (1.0, 2.0, 3.0))]  # fmt: skip
    stepper = stepper_of(model, forces)
    stepper.set_state(x, np.zeros(6))
    stepper.inputs.prescribe(np.ones(6, dtype=bool))
    stepper.step()
    load, state = Load(model), State(model, x, np.zeros(6))
    for force in forces:
        force.add(state, load)
    wanted = model.bias(x, np.zeros(6)) - load.generalized(model, x)
    for first in (0, 3):  # about the balls' own axes
        part = slice(first, first + 3)
        wanted[part] = so3.inverse_right_jacobian(x[part]).T @ wanted[part]
    np.testing.assert_allclose(stepper.readings.joint_torques(), wanted, rtol=1e-9, atol=1e-9)


def test_an_activation_is_that_of_the_end_of_each_part_of_a_step() -> None:
    """A step of 1/60 s that is taken in four parts, since something else turns fast, is four steps of 1/240 s."""
    model = Multibody([
        Body("weight", -1, Prismatic((0, 1, 0)), inertia=LINK), Body("top", -1, Revolute((0, 1, 0)), inertia=LINK),
    ], gravity=(0, 0, 0))  # fmt: skip
    muscle = Muscle(("weight", "world"), ((0, 0, 0), (0, 0.3, 0)), 50.0, 0.3, [(0.0, 0.0), (1 / 60, 1.0)])
    brake = JointDamping("weight", 0.1)  # of something that takes energy the step is not one of free flight
    found = []
    for step, count, turn in ((1 / 60, 1, 0.03), (1 / 240, 4, 1.0)):
        settings = StepSettings(step=step, sleep=False, largest_turn=turn)
        stepper = Stepper(
            model, world=World(floor=None, gravity=np.zeros(3)), settings=settings, forces=[muscle, brake]
        )
        stepper.set_state(np.zeros(2), [0.0, 3.6 * 0.03 * 60])
        report = stepper.step(count)
        assert report.substeps == 4 and stepper.time == pytest.approx(1 / 60, rel=1e-15)
        found.append(np.concatenate(stepper.state()))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-12)
    assert found[0][2] > 0.05


def test_the_number_of_a_turn_beyond_a_half_counts_from_where_a_spring_rests() -> None:
    """A ball at rest at 4 rad about z holds there, though as a rotation it is nearer to 0 the other way round."""
    model = chain(1)
    stepper = stepper_of(model, [JointSpring("link 0", 50.0, (0.0, 0.0, 4.0))])
    stepper.set_state([0.0, 0.0, 4.0 - 2.0 * math.pi], np.zeros(3))
    stepper.step(60)
    np.testing.assert_allclose(stepper.state(near=(0, 0, 4.0))[0], (0, 0, 4.0), atol=1e-9)


@pytest.mark.verify
def test_figures_that_come_to_rest_under_muscles_need_hardly_any_iterations() -> None:
    """Passes that find the sliding speeds do not take turns for ever; what they found is where the next step begins."""
    skeleton = load_skeleton(bundled_folder() / "human.scr")
    model = Multibody.from_skeleton(skeleton)
    shapes = figure_geometries(skeleton, model)
    for force in (1.0, 3000.0):
        settings = StepSettings(sleep=False, keep_energy=False)
        stepper = Stepper(model, shapes, World(), settings=settings, forces=muscles(model, force, WAYS))
        rng, iterations = np.random.default_rng(3), 0
        for _ in range(12):
            x = np.zeros(model.nq)
            x[1], x[3:6] = 1.3, rng.normal(size=3)
            stepper.set_state(x, np.zeros(model.nv))
            stepper.step(480)
            report = stepper.step(480)
            assert report.kkt < 1e-8
            iterations += report.iterations
        assert iterations < 2 * 12 * 480
