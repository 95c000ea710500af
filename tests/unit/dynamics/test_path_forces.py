"""Springs, ropes and muscles along paths: the curves of a muscle, and what they do in ``simulate`` and in the step."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dynamics import Body, Multibody, Scene, simulate
from core.dynamics.contact.world import World
from core.dynamics.engine import Stepper, StepSettings
from core.dynamics.forces import (
    FORCES,
    ElasticRope,
    Force,
    JointTorque,
    Load,
    Muscle,
    PathForce,
    PointToPoint,
    SpringDamper,
    StiffeningSpring,
    muscle_kernel,
)
from core.dynamics.forces.muscle_curves import ACTIVE, PASSIVE, SPEED
from core.dynamics.forces.records import force_from_record, record_of
from core.dynamics.state import State
from core.errors import DynamicsError
from core.joints import Free, JointModel, Prismatic, Revolute, Spherical
from core.kernels import uncompiled
from core.spatial import SpatialInertia, se3, so3

Array = NDArray[np.float64]

LINK = SpatialInertia.box(1.0, (0.1, 0.3, 0.1), (0.0, -0.15, 0.0))
BOX = SpatialInertia.box(1.0, (0.2, 0.1, 0.3))
TIP, SIDE, BACK = (0.0, -0.3, 0.0), (0.2, -0.1, 0.1), (-0.1, -0.1, 0.1)


def tree(root: JointModel | None = None, gravity: Sequence[float] = (0.0, -9.81, 0.0)) -> Multibody:
    """Return two branches that hang on a body, by a ball unless a root is given."""
    down = se3.transform(None, (0.0, -0.3, 0.0))
    return Multibody([
        Body("upper", -1, Spherical() if root is None else root, inertia=LINK),
        Body("left", 0, Revolute((1, 0, 0)), down, inertia=LINK),
        Body("right", 0, Revolute((0, 0, 1)), down, inertia=LINK),
    ], gravity=gravity)  # fmt: skip


def stepper_of(model: Multibody, forces: Sequence[Force], step: float = 1 / 240) -> Stepper:
    world = World(floor=None, gravity=np.asarray(model.gravity))
    return Stepper(model, world=world, settings=StepSettings(step=step, sleep=False), forces=forces)


START = np.array([0.3, 0.1, -0.4, 0.5, -0.2]), 0.3 * np.array([1.0, -0.5, 0.3, 0.8, 0.1])
FREE_START = np.array([0, 0, 0, 0.3, 0.1, -0.4, 0.5, -0.2]), np.array([0.1, 0.2, -0.1, 0.3, -0.2, 0.1, 0.8, 0.1])

ON_THE_TREE: dict[str, list[Force]] = {
    "to the world": [SpringDamper(("left", "world"), (TIP, (0.2, -0.7, 0.1)), 10.0, 0.1, 0.5)],
    "along a chain": [SpringDamper(("left", "upper"), (TIP, SIDE), 30.0, 0.1, 0.5)],
    "between branches": [SpringDamper(("left", "right"), (TIP, TIP), 20.0, 0.1, 0.5)],
    "from branch to branch": [
        Muscle(("left", "upper", "upper", "right"), (TIP, SIDE, BACK, TIP), 5.0, 0.8, [(0.0, 0.2), (1.0, 0.9)]),
    ],
    "short of it": [PointToPoint(("left", "upper"), (TIP, SIDE), 10.0), ElasticRope((1, 0), (TIP, BACK), 9.0, 0.1, 1)],
    "in joints": [StiffeningSpring("left", 2.0, 30.0, 0.3), StiffeningSpring("upper", 1.0, 2.0)],
}  # fmt: skip


# -- curves of muscles ------------------------------------------------------------------------------------------------


def test_the_curves_have_the_coefficients_that_are_printed() -> None:
    """Sueda 1.42, 1.44, 1.46, of which no number is used."""
    printed = (
        ((2.55305620081729, -7.02386028610914, 6.38855196976641, -1.91774788447456),
         (-2.76122280853939, 14.6587935048229, -23.0429533092186, 11.3749950550874)),
        ((-39.881247949014, 68.3443204612586, -35.5324573534802, 5.83029153632759),
         (-0.322674853252855, -1.71744046959073, 4.40290549894003, -1.36279017609645),
         (4.85118460831817, -20.9908796589089, 28.3080866793169, -11.2356843095252)),
        ((0.915253473864379, 2.74576042159314, 2.74576042159314, 0.915253473864378),
         (-453.333333333333, -8.78048780487805, 5.0, 1.0),
         (0.266648649866, -0.799945949598001, 0.799945949598001, 1.133351350134)),
    )  # fmt: skip
    for found, wanted in zip((PASSIVE, ACTIVE, SPEED), printed, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-11)


def test_the_curves_go_through_their_conditions_without_jump_or_kink() -> None:
    passive, active, speed = muscle_kernel.passive_force, muscle_kernel.active_force, muscle_kernel.speed_factor
    for curve, points in (
        (passive, {1.0: (0.0, 0.0), 1.3: (0.126110265892917, 1.07051016402631), 1.7: (1.0, 2.85714285714286)}),
        (active, {0.4: (0.0, 0.0), 0.7: (0.767020368396388, None), 1.0: (1.0, 0.0), 1.2: (0.89, None), 1.81: (0, 0)}),
        (speed, {-1.0: (0.0, 0.0), 0.0: (1.0, 5.0), 1.0: (1.4, 0.0)}),
    ):
        for x, (value, slope) in points.items():
            for side in (x - 1e-9, x, x + 1e-9):
                found = curve(side)
                assert found[0] == pytest.approx(value, abs=1e-7)
                assert slope is None or found[1] == pytest.approx(slope, abs=1e-6)
        x = np.linspace(-1.5, 2.5, 4001) + 1e-5
        values, slopes = np.array([curve(each) for each in x]).T
        assert values.min() > -1e-6
        steps = np.diff(values) - 1e-3 * 0.5 * (slopes[1:] + slopes[:-1])
        assert np.abs(steps).max() < 2e-4  # no jumps; 3 a^2 h^3 at most
        assert np.abs(np.diff(slopes)).max() < 0.16  # no kinks; the steepest of the cubics bends by 153
    energy = np.array([muscle_kernel.passive_energy(each) for each in x])
    force = np.array([passive(each)[0] for each in x])
    np.testing.assert_allclose(np.diff(energy), 5e-4 * (force[1:] + force[:-1]), atol=1e-8)
    assert np.diff([speed(each)[0] for each in x]).min() >= 0.0  # so that it always brakes


# -- in the step ------------------------------------------------------------------------------------------------------


@pytest.mark.verify
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", ON_THE_TREE)
def test_forces_move_bodies_as_they_do_in_simulate(name: str, floating: bool) -> None:
    """Half a second of it is off by as much as first order leaves, and by about half of that with half the step."""
    model, (x, v) = (tree(Free()), FREE_START) if floating else (tree(), START)
    forces = ON_THE_TREE[name][: 1 if floating else None]
    exact = simulate(Scene(model, x, v, tuple(forces)), 0.5, 1e-3, "rk4").x[-1]
    off = []
    for step in (1 / 960, 1 / 1920):
        stepper = stepper_of(model, forces, step)
        stepper.set_state(x, v)
        assert stepper.step(round(0.5 / step)).kkt < 1e-8
        off.append(np.abs(stepper.state(near=exact)[0] - exact).max())
    assert off[0] < 0.02 and 1.5 < off[0] / off[1] < 2.6


@pytest.mark.parametrize("name", ["along a chain", "from branch to branch"])
def test_maximal_and_reduced_coordinates_agree(name: str) -> None:
    model, forces = tree(), ON_THE_TREE[name]
    found = []
    for formulation in ("recursive", "redmax", "maximal"):
        scene = Scene(model, *START, tuple(forces))
        found.append(simulate(scene, 0.3, 1e-3, "linearly_implicit", formulation=formulation).x[-1])
    np.testing.assert_allclose(found[1], found[0], atol=1e-9)
    np.testing.assert_allclose(found[2], found[0], atol=1e-9)


def pair() -> Multibody:
    return Multibody([
        Body("a", -1, Free(), inertia=BOX),
        Body("b", -1, Free(), inertia=SpatialInertia.box(2.0, (0.2, 0.3, 0.1))),
    ], gravity=(0, 0, 0))  # fmt: skip


PAIR_START = (
    [0, 0, 0, 0.1, 0.2, 0.3, 1, 0, 0, 0, 0, 0.4], [0.1, 0.2, 0, 0.3, -0.2, 0.1, 0, 0, 0.5, 0, 0, 0],
)  # fmt: skip
ENDS = ((0.1, 0.05, 0.0), (-0.1, 0.0, 0.05))


def test_what_acts_inside_keeps_momentum() -> None:
    """To rounding: between two free bodies, very stiff and taut as well, and within a figure that floats."""
    for force in (
        SpringDamper(("a", "b"), ENDS, 1e5, 0.7, 50.0),
        ElasticRope(("a", "b"), ENDS, 3e3, 0.2, 1.0),
        Muscle(("a", "b"), ENDS, 100.0, 0.6, 0.8),
    ):
        for step in (1 / 240, 1 / 60):  # in the longer ones a taut segment has inertia across it
            stepper = stepper_of(pair(), [force], step)
            stepper.set_state(*PAIR_START)
            before = stepper.readings.momentum()
            stepper.step(240)
            assert np.abs(stepper.readings.momentum() - before).max() < 1e-9
    for forces in list(ON_THE_TREE.values())[1:]:
        stepper = stepper_of(tree(Free(), (0, 0, 0)), [own for own in forces if getattr(own, "joint", "") != "upper"])
        stepper.set_state(*FREE_START)
        before = stepper.readings.momentum()
        stepper.step(240)
        assert np.abs(stepper.readings.momentum() - before).max() < 1e-9


@pytest.mark.parametrize("damping", [0.0, 100.0])
def test_a_stiff_spring_between_bodies_is_stable_at_sixty_steps_a_second(damping: float) -> None:
    """1e6 N/m between 1 kg and 2 kg: h^2 k / m is 400 where 4 would blow up. The pair goes on and turns."""
    stepper = stepper_of(pair(), [SpringDamper(("a", "b"), ENDS, 1e6, 0.5, damping)], 1 / 60)
    x, v = (np.array(own, dtype=float) for own in PAIR_START)
    x[6] = 0.75
    stepper.set_state(x, v)
    points = [(stepper.readings.body_poses()[k] @ [*ENDS[k], 1.0])[:3] for k in (0, 1)]
    most = stepper.readings.energy()[0] + 0.5e6 * (np.linalg.norm(points[0] - points[1]) - 0.5) ** 2
    for _ in range(60):
        stepper.step(5)
        assert stepper.readings.energy()[0] < most
    poses = stepper.readings.body_poses()
    assert np.linalg.norm(poses[0] @ [*ENDS[0], 1] - poses[1] @ [*ENDS[1], 1]) == pytest.approx(0.5, abs=5e-3)


def test_a_short_cord_under_a_heavy_load_does_not_shake() -> None:
    """Across, 2 cm of cord under 2000 N swing at 316 rad/s, of which steps of 1/60 s see nothing."""
    model = Multibody([Body("box", -1, Free(), inertia=SpatialInertia.box(1.0, (0.2, 0.2, 0.2)))])
    forces = [
        SpringDamper(("box", "world"), ((0, 0.1, 0), (0, 0.12, 0)), 1e5, 0.0, 100.0),
        SpringDamper(("box", "world"), ((0, -0.1, 0), (0, -0.12, 0)), 1e5, 0.0, 100.0),
    ]
    stepper = stepper_of(model, forces, 1 / 60)
    stepper.set_state([0.001, 0, 0, 0, 0, 0.002], np.zeros(6))
    stepper.step(300)
    assert np.abs(stepper.state()[0]).max() < 0.003


def test_a_rope_is_slack_until_it_is_tight() -> None:
    model = Multibody([Body("box", -1, Free(), inertia=BOX)])
    rope = ElasticRope(("box", "world"), ((0, 0, 0), (0, 0, 0)), 5e3, 1.0, 200.0)
    stepper = stepper_of(model, [rope])
    stepper.set_state([0, -0.5, 0, 0, 0, 0], np.zeros(6))
    stepper.step(60)
    assert stepper.state()[0][1] == pytest.approx(-0.5 - 0.5 * 9.81 * 0.25**2, abs=0.01)  # it falls freely
    stepper.step(2000)
    assert stepper.state()[0][1] == pytest.approx(-1.0 - 9.81 / 5e3, abs=1e-4)
    state = State(model, *stepper.state())
    path = rope.path(state)
    assert path.tension == pytest.approx(9.81, rel=1e-3) and path.length == pytest.approx(1.00196, abs=1e-4)
    np.testing.assert_allclose(path.points[1], 0.0)


@pytest.mark.verify
def test_a_muscle_lifts_a_weight() -> None:
    """Its work is the energy that the weight gains; a damper beside it takes the rest."""
    model = Multibody([Body("weight", -1, Prismatic((0, 1, 0)), inertia=SpatialInertia.box(5.0, (0.1, 0.1, 0.1)))])
    muscle = Muscle(
        ("weight", "world"), ((0, 0, 0), (0, 0, 0)), 200.0, 0.3, [(0.0, 0.0), (0.2, 0.6), (1.0, 0.4)], 0.2, 4.0
    )
    damper = SpringDamper(("weight", "world"), ((0, 0, 0), (0, 0, 0)), 0.0, 0.0, 20.0)
    for integrator in ("rk4", "contact"):
        found = simulate(Scene(model, np.array([-0.55]), np.zeros(1), (muscle, damper)), 1.0, 2e-4, integrator)
        states = [State(model, x, v, t) for x, v, t in zip(found.x, found.v, found.times, strict=True)]
        work, taken = (
            np.trapezoid([force.power(state) for state in states], found.times) for force in (muscle, damper)
        )
        gained = sum(states[-1].energy()) - sum(states[0].energy())
        assert found.x[-1, 0] > found.x[0, 0] + 0.05 and taken < -0.05
        assert work == pytest.approx(gained - taken, rel=0.005)


def test_an_activation_follows_its_keys() -> None:
    muscle = Muscle(("box", "world"), ((0, 0, 0), (0, 0.3, 0)), 10.0, 0.3, [(0.0, 0.0), (1.0, 1.0)])
    model = Multibody([Body("box", -1, Free(), inertia=BOX)], gravity=(0, 0, 0))
    for t, value in ((-1.0, 0.0), (0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (3.0, 1.0)):
        assert muscle.path(State(model, np.zeros(6), np.zeros(6), t)).tension == pytest.approx(10.0 * value)


def test_joints_that_are_held_report_what_they_have_to_exert_against_forces() -> None:
    model, (x, _) = tree(), START
    for forces in (
        [SpringDamper(("left", "right"), (TIP, TIP), 1e4, 0.1, 5.0)],
        [SpringDamper(("left", "world"), (TIP, SIDE), 1e3, 0.1, 5.0), JointTorque("left", 0.7)],
        [Muscle(("left", "upper"), (TIP, SIDE), 1e3, 0.3, 0.5), StiffeningSpring("right", 2.0, 30.0, 0.3)],
    ):
        stepper = stepper_of(model, forces)
        stepper.set_state(x, np.zeros(5))
        stepper.inputs.prescribe(np.ones(5, dtype=bool))
        stepper.step()
        load, state = Load(model), State(model, x, np.zeros(5))
        for force in forces:
            force.add(state, load)
        wanted = model.bias(x, np.zeros(5)) - load.generalized(model, x)
        wanted[:3] = so3.inverse_right_jacobian(x[:3]).T @ wanted[:3]  # about the ball's own axes
        np.testing.assert_allclose(stepper.readings.joint_torques(), wanted, rtol=1e-9, atol=1e-9)


def test_the_text_of_the_kernels_does_what_they_do_compiled() -> None:
    forces = [own for name in ON_THE_TREE for own in ON_THE_TREE[name]]
    found = []
    for how in (nullcontext, uncompiled):
        with how():
            stepper = stepper_of(tree(), forces)
            stepper.set_state(*START)
            stepper.step(4)
            pairs = stepper_of(pair(), [SpringDamper(("a", "b"), ENDS, 1e5, 0.1, 50.0)])
            pairs.set_state(*PAIR_START)
            pairs.step(4)
            found.append((*stepper.state(), *pairs.state()))
    for compiled, text in zip(*found, strict=True):
        np.testing.assert_allclose(compiled, text, rtol=1e-9, atol=1e-11)


def test_the_same_again_to_the_bit_beside_what_is_evaluated_in_python() -> None:
    forces = [*ON_THE_TREE["between branches"], *ON_THE_TREE["from branch to branch"], JointTorque("left", 0.1)]
    stepper = stepper_of(tree(), forces)
    stepper.set_state(*START)
    start = stepper.snapshot()
    stepper.step(30)
    end = stepper.state()
    stepper.restore(start)
    stepper.step(30)
    for again, first in zip(stepper.state(), end, strict=True):
        np.testing.assert_array_equal(again, first)


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("force", [own for forces in ON_THE_TREE.values() for own in forces], ids=lambda own: own.label)
def test_forces_come_back_from_records(force: Force) -> None:
    import json

    record = json.loads(json.dumps(record_of(force)))
    again = force_from_record(record)
    assert type(again) is type(force) and record_of(again) == record_of(force)
    state = State(tree(), *START, 0.4)
    loads = [Load(state.model) for _ in range(2)]
    for own, load in zip((force, again), loads, strict=True):
        own.add(state, load)
    np.testing.assert_array_equal(loads[0].wrenches, loads[1].wrenches)
    np.testing.assert_array_equal(loads[0].tau, loads[1].tau)


def test_malformed_records_are_refused() -> None:
    good = record_of(ON_THE_TREE["to the world"][0])
    assert good is not None
    for change, message in (
        ({"bodies": ["left"]}, "each with its body"),
        ({"points": [[0, 0, 0], [0, 0, None]]}, "points is"),
        ({"stiffness": -1.0}, "stiffness .* 0 or more"),
        ({"stiffness": [1.0]}, "stiffness"),
        ({"color": 1}, "color"),
    ):
        with pytest.raises(DynamicsError, match=message):
            force_from_record({**good, **change})
    assert sum(issubclass(kind, PathForce) for kind in FORCES) == 4
