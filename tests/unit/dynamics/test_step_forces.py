"""Forces and constraints given as objects, in the compiled step: as ``simulate`` has them, and stable when stiff."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from core.dynamics import Body, Multibody, Scene, simulate
from core.dynamics.constraints import Constraint, LoopClosure, PlaneLimit, PrescribedSpeed, Rod, Rope
from core.dynamics.contact.shapes import Box, Geometry
from core.dynamics.contact.world import Floor, World
from core.dynamics.engine import Stepper, StepSettings
from core.dynamics.forces import (
    BodyDamping,
    Derivatives,
    DirectionalForce,
    Force,
    JointDamping,
    JointSpring,
    JointTorque,
    Load,
    PointForce,
)
from core.dynamics.state import State
from core.errors import DynamicsError
from core.joints import Free, JointModel, Prismatic, Revolute, Spherical
from core.kernels import uncompiled
from core.spatial import SpatialInertia, se3, so3

Array = NDArray[np.float64]

BOX = SpatialInertia.box(1.0, (0.2, 0.1, 0.3))


class Band(Force):
    """A spring and a damper between points of two bodies, or of one and the world: a force of this file's own.

    Attributes:
        ends: Body, by index or name, None for the world, and point in it, twice.
        stiffness: [N/m].
        damping: [N s/m].
        length: At rest, [m]; at 0 it pulls evenly in all directions.
    """

    label = "Band"
    description = "Pulls two points together."

    def __init__(
        self, a: int | str | None, at: ArrayLike, b: int | str | None, to: ArrayLike, stiffness: float,
        damping: float = 0.0, length: float = 0.0,
    ):  # fmt: skip
        self.ends = ((a, np.array(at, dtype=float)), (b, np.array(to, dtype=float)))
        self.stiffness, self.damping, self.length = stiffness, damping, length

    def check(self, model: Multibody) -> None:
        for body, _ in self.ends:
            if body is not None:
                model.index(body)

    def _points(self, state: State) -> tuple[list[tuple[int, Array]], Array, Array]:
        """Return bodies with the Jacobians of the difference of both points by their twists, it, and its rate."""
        sides, d, rate = [], np.zeros(3), np.zeros(3)
        for sign, (body, point) in zip((-1.0, 1.0), self.ends, strict=True):
            if body is None:
                d = d + sign * point
                continue
            i = state.model.index(body)
            R = state.poses[i, :3, :3]
            J = sign * np.hstack([-R @ so3.hat(point), R])
            d, rate = d + sign * (R @ point + state.poses[i, :3, 3]), rate + J @ state.twists[i]
            sides.append((i, J))
        return sides, d, rate

    def add(self, state: State, load: Load) -> None:
        sides, d, rate = self._points(state)
        far = np.linalg.norm(d)
        along = d / far if self.length else d
        stretch = (far - self.length) * along if self.length else d
        pull = self.stiffness * stretch + self.damping * (along * (along @ rate) if self.length else rate)
        for i, J in sides:
            load.wrenches[i] -= J.T @ pull

    def energy(self, state: State) -> float:
        return 0.5 * self.stiffness * float(np.linalg.norm(self._points(state)[1]) - self.length) ** 2

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        sides, d, _ = self._points(state)
        n = d / np.linalg.norm(d) if self.length else np.zeros(3)
        only = np.outer(n, n) if self.length else np.eye(3)  # what it pulls across counts little
        for i, own in sides:
            for j, J in sides:
                derivatives.stiffen(i, j, -self.stiffness * own.T @ only @ J)
                derivatives.damp(i, j, self.damping * own.T @ only @ J)


def stepper_of(
    model: Multibody, forces: Sequence[Force] = (), constraints: Sequence[Constraint] = (), step: float = 1 / 240,
    **more: object,
) -> Stepper:  # fmt: skip
    """Return a stepper of a model in its own gravity."""
    world = World(floor=None, gravity=np.asarray(model.gravity))
    return Stepper(
        model, world=world, settings=StepSettings(step=step, sleep=False), forces=forces, constraints=constraints,
        **more,  # type: ignore[arg-type]
    )  # fmt: skip


def tree() -> Multibody:
    """Return a ball joint with two branches."""
    link = SpatialInertia.box(1.0, (0.1, 0.3, 0.1), (0.0, -0.15, 0.0))
    down = se3.transform(None, (0.0, -0.3, 0.0))
    return Multibody([
        Body("upper", -1, Spherical(), inertia=link),
        Body("left", 0, Revolute((1, 0, 0)), down, inertia=link),
        Body("right", 0, Revolute((0, 0, 1)), down, inertia=link),
    ])  # fmt: skip


START = np.array([0.3, 0.1, -0.4, 0.5, -0.2]), np.array([1.0, -0.5, 0.3, 0.8, 0.1])
TIP = (0.0, -0.3, 0.0)

ON_THE_TREE: dict[str, list[Force]] = {
    "to the world": [Band("left", TIP, None, (0.2, -0.7, 0.1), 10.0, 0.5)],
    "along a chain": [Band("left", TIP, "upper", (0.2, -0.1, 0.1), 30.0, 0.5, 0.1)],
    "between branches": [Band("left", TIP, "right", TIP, 20.0, 0.5)],
    "in joints": [JointSpring("upper", 5.0, 0.2), JointDamping("upper", 0.2), JointSpring("left", 2.0, 0.3)],
    "outside": [
        BodyDamping("left", 1.0), DirectionalForce("left", TIP, (1, 0, 0), 1.0),
        PointForce("right", (0, 0, 0.1), lambda t: (np.sin(3 * t), 0, 1)), JointTorque("upper", (1.0, 0.2, 0.3)),
    ],
}  # fmt: skip


@pytest.mark.verify
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ON_THE_TREE)
def test_forces_move_bodies_as_they_do_in_simulate(name: str) -> None:
    """A second of it is off by as much as first order leaves, and by half of that with half the step."""
    model, forces = tree(), ON_THE_TREE[name]
    x, v = START
    exact = simulate(Scene(model, x, 0.3 * v, tuple(forces)), 1.0, 2e-3, "rk4").x[-1]
    off = []
    for step in (1 / 480, 1 / 960):
        stepper = stepper_of(model, forces, step=step)
        stepper.set_state(x, 0.3 * v)
        assert stepper.step(round(1 / step)).kkt < 1e-8
        assert stepper.time == pytest.approx(1.0)
        off.append(np.abs(stepper.state(near=exact)[0] - exact).max())
    assert off[0] < 0.04 and 1.6 < off[0] / off[1] < 2.6


@pytest.mark.parametrize("damping", [0.0, 20.0])
def test_a_stiff_spring_is_stable_and_hangs_where_it_must(damping: float) -> None:
    """1e5 N/m on 1 kg at 240 steps a second: explicit, it would blow up at once, h^2 k / m being 1.7."""
    model = Multibody([Body("box", -1, Free(), inertia=BOX)])
    stepper = stepper_of(model, [Band("box", (0, 0.05, 0), None, (0, 1.0, 0), 1e5, damping)])
    stepper.set_state([0.05, 0.9, 0, 0, 0, 0.2], np.zeros(6))
    most = 0.5 * 1e5 * (0.05**2 + 0.1**2)
    for _ in range(24):
        stepper.step(10)
        assert stepper.readings.energy()[0] < most
    point = stepper.readings.body_poses()[0] @ [0, 0.05, 0, 1]
    np.testing.assert_allclose(point[:3], (0, 1.0 - 9.81 / 1e5, 0), atol=2e-3)  # it still swings about the point


@pytest.mark.parametrize("pair", [("left", "right"), ("left", "upper")])
def test_stiff_springs_within_a_figure_hold_like_rods(pair: tuple[str, str]) -> None:
    model = tree()
    x, v = START
    poses = model.body_poses(x)
    points = [poses[model.index(name)] @ [*TIP, 1.0] for name in pair]
    length = float(np.linalg.norm(points[0] - points[1]))
    held = []
    for forces, constraints in (([Band(pair[0], TIP, pair[1], TIP, 1e5, 10.0, length)], []),
                                ([], [Rod(pair[0], TIP, pair[1], TIP, length)])):  # fmt: skip
        stepper = stepper_of(model, forces, constraints)
        stepper.set_state(x, v)
        stepper.step(120)
        ends = [stepper.readings.body_poses()[model.index(name)] @ [*TIP, 1.0] for name in pair]
        assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(length, abs=2e-3)
        held.append(stepper.readings.body_poses())
    np.testing.assert_allclose(held[0], held[1], atol=0.05)


def test_what_acts_between_bodies_keeps_their_momentum() -> None:
    """To rounding, the one about the common centre of mass too, though each of them is pushed from outside."""
    model = Multibody([
        Body("a", -1, Free(), inertia=BOX),
        Body("b", -1, Free(), inertia=SpatialInertia.box(2.0, (0.2, 0.3, 0.1))),
    ], gravity=(0, 0, 0))  # fmt: skip
    stepper = stepper_of(model, [Band("a", (0.1, 0.05, 0), "b", (-0.1, 0, 0.05), 20.0, 0.0, 0.7)])
    stepper.set_state([0, 0, 0, 0.1, 0.2, 0.3, 1, 0, 0, 0, 0, 0.4], [0.1, 0.2, 0, 0.3, -0.2, 0.1, 0, 0, 0.5, 0, 0, 0])
    before = stepper.readings.momentum()
    stepper.step(240)
    assert np.abs(stepper.readings.momentum() - before).max() < 1e-12
    assert not stepper.asleep


@pytest.mark.verify
def test_a_stiff_spring_and_contacts_hold_together() -> None:
    """A box on the floor is pulled sideways by less than its friction holds, then by more."""
    model = Multibody([Body("box", -1, Free(), inertia=SpatialInertia.box(1.0, (0.2, 0.2, 0.2)))])
    shape = Geometry(Box((0.1, 0.1, 0.1)), 0, np.eye(4), 0.5, "box")
    world = World(floor=Floor(friction=0.5))
    for pull, slides in ((4.5, False), (5.5, True)):
        band = Band("box", (0, -0.1, 0), None, (pull / 1e5, 0.0, 0.0), 1e5)
        stepper = Stepper(model, [shape], world, settings=StepSettings(sleep=False), forces=[band])
        stepper.set_state([0, 0.1, 0, 0, 0, 0], np.zeros(6))
        assert stepper.step(240).kkt < 1e-8
        x, v = stepper.state()
        assert abs(x[1] - 0.1) < 1e-6 and np.abs(v).max() < 1e-3
        assert (x[0] > 2e-6) == slides


def test_prescribed_joints_report_what_they_have_to_exert_against_forces() -> None:
    """All joints held at rest: their efforts are the generalized forces of gravity and of what pulls, turned round."""
    model = tree()
    x, _ = START
    band, torque = Band("left", TIP, "right", TIP, 1e4, 5.0), JointTorque("left", 0.7)
    for forces in ([band], [torque, Band("left", TIP, None, (0, 0, 0), 1e3, 1.0)]):
        stepper = stepper_of(model, forces)
        stepper.set_state(x, np.zeros(5))
        stepper.inputs.prescribe(np.ones(5, dtype=bool))
        stepper.step()
        load = Load(model)
        state = State(model, x, np.zeros(5))
        for force in forces:
            force.add(state, load)
        wanted = model.bias(x, np.zeros(5)) - load.generalized(model, x)
        wanted[:3] = so3.inverse_right_jacobian(x[:3]).T @ wanted[:3]  # about the ball's own axes
        np.testing.assert_allclose(stepper.readings.joint_torques(), wanted, rtol=1e-9, atol=1e-9)


def pair_of(joint: JointModel) -> Multibody:
    return Multibody([Body("box", -1, joint, inertia=BOX)])


@pytest.mark.verify
def test_a_rod_and_a_rope_hold() -> None:
    """A box on a rod swings as a pendulum does; one on a rope falls freely until it is tight, and then no farther."""
    model = pair_of(Free())
    rod = stepper_of(model, constraints=[Rod("box", (0, 0, 0), "world", (0, 1, 0), 1.0)], step=1 / 480)
    rod.set_state([1.0, 1.0, 0, 0, 0, 0], np.zeros(6))
    rope = stepper_of(model, constraints=[Rope("box", (0, 0, 0), "world", (0, 1, 0), 1.0)])
    rope.set_state([0.0, 1.0, 0, 0, 0, 0], np.zeros(6))
    fall = 0.0
    for k in range(1, 121):
        assert rod.step(2).kkt < 1e-8 and rope.step().kkt < 1e-8
        assert np.linalg.norm(rod.state()[0][:3] - (0, 1, 0)) == pytest.approx(1.0, abs=2e-3)
        fall = min(fall + 9.81 * k / 240**2, 1.0)
        assert 1.0 - rope.state()[0][1] == pytest.approx(fall, abs=1e-9 if fall < 1.0 else 1e-3)
    kinetic, potential = rod.readings.energy()
    assert kinetic + potential == pytest.approx(9.81, abs=0.1)


def test_bounds_and_prescribed_speeds_hold() -> None:
    slide = pair_of(Prismatic((0, 1, 0)))
    stepper = stepper_of(slide, constraints=[PlaneLimit("box", (0, -0.1, 0), (0, 1, 0))])
    stepper.set_state([0.5], [0.0])
    stepper.step(240)
    assert stepper.state()[0][0] == pytest.approx(0.1, abs=1e-4) and abs(stepper.state()[1][0]) < 1e-9
    model = tree()
    stepper = stepper_of(model, constraints=[PrescribedSpeed("left", lambda t: (0.4, 0.0))])
    stepper.set_state(*START)
    stepper.step(60)
    assert stepper.state()[1][3] == pytest.approx(0.4, abs=1e-9)


@pytest.mark.verify
def test_a_closed_loop_moves_as_it_does_in_simulate() -> None:
    """Through ``simulate`` with contacts as well, whose integrator takes any constraint."""
    link = SpatialInertia.box(1.0, (0.05, 0.3, 0.05), (0.0, -0.15, 0.0))
    model = Multibody([
        Body("first", -1, Revolute((0, 0, 1)), inertia=link),
        Body("middle", 0, Revolute((0, 0, 1)), se3.transform(None, (0, -0.3, 0)), inertia=link),
        Body("last", -1, Revolute((0, 0, 1)), se3.transform(None, (0.3, 0, 0)), inertia=link),
    ])  # fmt: skip
    loop = LoopClosure("middle", TIP, "last", TIP)
    x = np.array([0.3, np.pi / 2 - 0.3, 0.3])
    gap = [(model.body_poses(x)[model.index(name)] @ [*TIP, 1.0])[:3] for name in ("middle", "last")]
    np.testing.assert_allclose(*gap, atol=1e-12)
    scene = Scene(model, x, np.zeros(3), constraints=(loop,))
    exact = simulate(scene, 0.5, 1e-3, "rk4")
    off = [np.abs(simulate(scene, 0.5, dt, "contact").x[-1] - exact.x[-1]).max() for dt in (1 / 240, 1 / 480)]
    assert off[0] < 0.02 and off[1] < 0.7 * off[0]


@pytest.mark.verify
def test_the_same_again_to_the_bit_and_another_room_for_rows() -> None:
    model = tree()
    stepper = stepper_of(model, [Band("left", TIP, "right", TIP, 500.0, 1.0)], [Rope("left", TIP, "world", TIP, 0.5)])
    stepper.set_state(*START)
    start = stepper.snapshot()  # nothing is evaluated yet, so there is no room for rows
    stepper.step(30)
    middle = stepper.snapshot()
    stepper.step(30)
    end = stepper.state()
    for snapshot, steps in ((start, 60), (middle, 30)):
        stepper.restore(snapshot)
        stepper.step(steps)
        for again, first in zip(stepper.state(), end, strict=True):
            np.testing.assert_array_equal(again, first)


def test_the_text_of_the_kernels_does_what_they_do_compiled() -> None:
    forces = [own for name in ON_THE_TREE for own in ON_THE_TREE[name]]
    found = []
    for how in (nullcontext, uncompiled):
        with how():
            stepper = stepper_of(tree(), forces, [Rope("right", TIP, "world", TIP, 0.7)])
            stepper.set_state(*START)
            stepper.step(4)
            found.append((*stepper.state(), stepper.readings.joint_torques()))
    for compiled, text in zip(*found, strict=True):
        np.testing.assert_allclose(compiled, text, rtol=1e-10, atol=1e-12)


def test_forces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DynamicsError, match="there is no body"):
        stepper_of(tree(), [BodyDamping("tail", 1.0)])
    with pytest.raises(DynamicsError, match="there is no body"):
        stepper_of(tree(), constraints=[Rod("tail", TIP, "left", TIP, 1.0)])
