"""The nodes of a step against the models they are made of, the compiled step against its twin, and free flight."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dynamics import Body, Multibody
from core.dynamics.contact.shapes import Box, Capsule, Geometry, Sphere
from core.dynamics.contact.world import Floor, World
from core.dynamics.step import (
    OrientationLock,
    PairLock,
    PointLock,
    Stepper,
    StepSettings,
    String,
    general,
    motion_plain,
    step_plain,
)
from core.dynamics.step import slots as at
from core.joints import Composite, Free, JointModel, Revolute, Spherical, SphericalEuler
from core.spatial import SpatialInertia, se3
from tests.support.random_trees import random_state, random_tree

Array = NDArray[np.float64]
NOTHING = World(gravity=np.zeros(3), floor=None)


def turning_rates(joint: JointModel, q: Array, v: Array) -> Array:
    """Return what changing axes add to the rates of the step's velocities for the rates ``v``."""
    if isinstance(joint, Composite):
        parts, k = [], 0
        for part in joint.joints:
            parts.append(turning_rates(part, q[k : k + part.n], v[k : k + part.n]))
            k += part.n
        return np.concatenate(parts)
    out = np.zeros(joint.n)
    if isinstance(joint, (Spherical, SphericalEuler)):
        out = joint.subspace_rate(q, v)[:3] @ v
    elif type(joint).__name__ == "Free":
        out[3:] = (joint.subspace_rate(q, v) @ v)[:3]
    elif type(joint).__name__ == "FreeRotationFirst":
        out[:3] = (joint.subspace_rate(q, v) @ v)[:3]
    return out


@pytest.mark.parametrize("seed", range(4))
def test_mass_matrix_and_bias_are_those_of_the_model(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_tree(rng, 9)
    x, v = random_state(rng, model)
    stepper = Stepper(model, world=World(gravity=model.gravity, floor=None))
    stepper.set_state(x, v)
    built, m = stepper._built, stepper._built.memory
    u = m.vectors[at.U].copy()
    general.evaluate(built, u)
    motion_plain.place(m)
    M, bias = motion_plain.mass_matrix(m), motion_plain.bias(m, u)
    # u = A v, whatever v is
    A = np.empty((model.nv, model.nv))
    for k, unit in enumerate(np.eye(model.nv)):
        stepper.set_state(x, unit)
        A[:, k] = m.vectors[at.U]
    own = model.mass_matrix(x)
    np.testing.assert_allclose(A.T @ M @ A, own, atol=1e-13 * np.abs(own).max())
    first = model.first
    turned = np.concatenate(
        [
            turning_rates(body.joint, x[first[i] : first[i + 1]], v[first[i] : first[i + 1]])
            for i, body in enumerate(model.bodies)
        ]
    )
    whole = model.bias(x, v)
    np.testing.assert_allclose(A.T @ (bias + M @ turned), whole, atol=1e-12 * np.abs(whole).max())
    stepper.set_state(x, v)
    assert sum(stepper.energy()) == pytest.approx(sum(model.energy(x, v)), rel=1e-12)
    np.testing.assert_allclose(stepper.body_poses(), model.body_poses(x), atol=1e-13)
    np.testing.assert_allclose(stepper.body_twists(), model.body_twists(x, v), atol=1e-11)
    back, rates = stepper.state(near=x)
    np.testing.assert_allclose(back, x, atol=1e-9)
    np.testing.assert_allclose(rates, v, atol=1e-8)


def doll() -> tuple[Multibody, list[Geometry]]:
    """A trunk with a ball-jointed arm of two parts and a leg on a hinge, and a box beside it."""

    def part(name: str, parent: int | str, joint: JointModel, place: tuple[float, float, float], mass: float) -> Body:
        inertia = SpatialInertia.box(mass, (0.1, 0.4, 0.1), center=(0, -0.2, 0))
        return Body(name, parent, joint, X_PJ=se3.transform(translation=place), inertia=inertia)

    bodies = [
        part("trunk", -1, Free(), (0, 0, 0), 5.0),
        part("arm", "trunk", Spherical(), (0.15, 0, 0), 1.0),
        part("hand", "arm", Revolute((0, 0, 1)), (0, -0.4, 0), 0.5),
        part("leg", "trunk", Revolute((1, 0, 0)), (0, -0.4, 0), 2.0),
        Body("box", -1, Free(), inertia=SpatialInertia.box(2.0, (0.2, 0.2, 0.2))),
    ]
    lying = se3.transform(np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]), (0, -0.2, 0))
    shapes = [Geometry(Capsule(0.05, 0.15), i, lying, name=bodies[i].name) for i in range(4)]
    return Multibody(bodies), [*shapes, Geometry(Box(np.full(3, 0.1)), 4, name="box"), Geometry(Sphere(0.06), 3)]


def steps_of_both(stepper: Stepper, twin: Stepper, count: int) -> float:
    """Take steps with the kernels and with the plain twin; return the largest difference of velocities on the way."""
    worst = 0.0
    twin._note_kinds()
    for _ in range(count):
        stepper.step()
        m, shapes = twin._built.memory, twin._built.contacts
        step_plain.advance(m.floats, m.integers, m.flags, shapes.ints, shapes.floats, 1, 1)
        for rows in (at.U, at.EFFORT):
            worst = max(worst, float(np.abs(stepper._built.memory.vectors[rows] - m.vectors[rows]).max()))
    return worst


def test_twins_agree_with_everything_that_acts() -> None:
    model, shapes = doll()
    limits = np.tile([-np.inf, np.inf], (model.nq, 1))
    limits[[9, 10]] = [-0.3, 0.4]
    pair = []
    for _ in range(2):
        stepper = Stepper(model, shapes, World(floor=Floor(-0.6)), limits=limits)
        x = np.zeros(model.nq)
        x[11:14] = 1.3, -0.2, 0.1
        v = np.random.default_rng(3).normal(size=model.nv)
        stepper.set_state(x, v)
        damping, stiffness, kp = np.zeros((3, model.nv))
        damping[6:11], stiffness[9], kp[6:9] = 0.2, 3.0, 5.0
        stepper.set_joint_forces(stiffness=stiffness, damping=damping, rest=0.1 * np.ones(model.nq))
        stepper.set_motors(kp, 0.1 * kp, 0.2 * np.ones(model.nq))
        stepper.set_locks(
            [
                PointLock("hand", (0, -0.4, 0), (0.2, -0.6, 0.1), axes=[[0, 0, 1]]),
                OrientationLock("box", np.eye(3), axes=[[0, 1, 0]]),
                PairLock("trunk", (0, 0.1, 0), "box", (-1.0, 0, 0), axes=[[1, 0, 0]]),
            ]
        )
        stepper.set_strings([String("leg", (0, -0.4, 0), -1, (0, 0.5, 0), 1.2)])
        stepper.set_pull("trunk", (0, 0.2, 0), (0.1, 0.4, 0.0), 60.0, 4.0)
        mask = np.zeros(model.nv, dtype=bool)
        mask[10] = True
        stepper.prescribe(mask)
        pair.append(stepper)
    worst = 0.0
    for k in range(8):
        goal = np.full(model.nq, 0.2 * np.sin(0.1 * k))
        for stepper in pair:
            stepper.target(goal)
        worst = max(worst, steps_of_both(*pair, 1))
    assert worst < 1e-7  # of forces that reach 100 N
    assert pair[0].state()[0][10] == goal[10]


def test_twins_agree_in_flight_and_when_struck() -> None:
    model, _ = doll()
    pair = [Stepper(model, world=World(floor=None)) for _ in range(2)]
    for stepper in pair:
        stepper.set_state(np.zeros(model.nq), np.random.default_rng(5).normal(size=model.nv))
    assert steps_of_both(*pair, 12) < 1e-11
    pair[0].push("hand", (0.1, 0.2, 0.3, 1.0, 2.0, 3.0))
    m = pair[1]._built.memory
    step_plain.strike(m.floats, m.integers, m.flags, 2, np.array([0.1, 0.2, 0.3, 1.0, 2.0, 3.0]))
    np.testing.assert_allclose(pair[0]._built.memory.vectors[at.U], m.vectors[at.U], atol=1e-12)


def test_free_flight_keeps_momentum_and_energy() -> None:
    model, _ = doll()
    stepper = Stepper(model, world=NOTHING)
    stepper.set_state(np.zeros(model.nq), 2.0 * np.random.default_rng(1).normal(size=model.nv))
    before, energy = stepper.momentum(), sum(stepper.energy())
    report = stepper.step(480)
    assert report.flights == report.substeps
    np.testing.assert_allclose(stepper.momentum(), before, atol=1e-12 * np.abs(before).max())
    assert sum(stepper.energy()) == pytest.approx(energy, rel=1e-12)


def test_a_pendulum_on_a_held_body_swings_as_it_must() -> None:
    bar = SpatialInertia.box(1.0, (0.02, 1.0, 0.02), center=(0, -0.5, 0))
    model = Multibody([Body("base", -1, Free(), inertia=bar), Body("bob", "base", Revolute((0, 0, 1)), inertia=bar)])
    stepper = Stepper(model, world=World(floor=None))
    x = np.zeros(7)
    x[6] = 1.0
    stepper.set_state(x, np.zeros(7))
    stepper.prescribe(np.arange(7) < 6)
    _, potential = stepper.energy()
    for _ in range(240):
        stepper.target(x)
        stepper.step()
    assert sum(stepper.energy()) == pytest.approx(potential, abs=1e-9)
    assert stepper.state()[0][6] != pytest.approx(1.0)
    # Up there the base holds all of the weight and what turns the bob.
    assert stepper.joint_torques()[1] == pytest.approx(
        19.62 + 0.5 * float(stepper.state()[1][6] ** 2 * np.cos(stepper.state()[0][6]))
        + 0.5 * np.sin(stepper.state()[0][6]) * _swing(model, stepper),
        rel=1e-2,
    )  # fmt: skip


def _swing(model: Multibody, stepper: Stepper) -> float:
    """Return the angular acceleration of the bob of a pendulum whose base rests."""
    x, _ = stepper.state()
    inertia = float(model.mass_matrix(x)[6, 6])
    return -9.81 * 0.5 * float(np.sin(x[6])) / inertia


def test_the_same_steps_give_the_same_bits() -> None:
    model, shapes = doll()
    stepper = Stepper(model, shapes, World(floor=Floor(-0.9)), settings=StepSettings(sleep=False))
    stepper.set_state(np.zeros(model.nq), np.random.default_rng(2).normal(size=model.nv))
    stepper.step(60)
    kept = stepper.snapshot()
    stepper.step(60)
    once = stepper.state()
    stepper.restore(kept)
    for _ in range(6):
        stepper.step(10)
    for a, b in zip(once, stepper.state(), strict=True):
        assert a.tobytes() == b.tobytes()
