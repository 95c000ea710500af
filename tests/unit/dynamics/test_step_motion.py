"""The nodes of a step against the models they are made of, a step against dense matrices, and free flight."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dynamics import Body, Multibody
from core.dynamics.contact.shapes import Box, Capsule, Geometry, Sphere
from core.dynamics.contact.world import Floor, World
from core.dynamics.engine import OrientationLock, PairLock, PointLock, Stepper, StepSettings, String, motion_kernel
from core.joints import Composite, Free, JointModel, Revolute, Spherical, SphericalEuler
from core.kernels import uncompiled
from core.spatial import SpatialInertia, se3
from tests.oracles.engine_step import check_optimality, least_change, rates, rows
from tests.oracles.tree_dynamics import dense
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
    m = stepper._built.memory
    u = m.u.copy()
    m.u_middle[:] = u
    motion_kernel.mass_at(m)
    M, bias = np.zeros((model.nv, model.nv)), m.bias.copy()
    for k in range(model.nv):
        at, depth = m.start[k], m.depth[k]
        M[k, m.chain[at : at + depth + 1]] = M[m.chain[at : at + depth + 1], k] = m.mass[at : at + depth + 1]
    # u = A v, whatever v is
    A = np.empty((model.nv, model.nv))
    for k, unit in enumerate(np.eye(model.nv)):
        stepper.set_state(x, unit)
        A[:, k] = m.u
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
    assert sum(stepper.readings.energy()) == pytest.approx(sum(model.energy(x, v)), rel=1e-12)
    np.testing.assert_allclose(stepper.readings.body_poses(), model.body_poses(x), atol=1e-13)
    np.testing.assert_allclose(stepper.readings.body_twists(), model.body_twists(x, v), atol=1e-11)
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


def held_doll() -> Stepper:
    """The doll with springs, dampers, motors, locks, a string, a pull and a hinge that moves as it is prescribed."""
    model, shapes = doll()
    limits = np.tile([-np.inf, np.inf], (model.nq, 1))
    limits[[9, 10]] = [-0.3, 0.4]
    stepper = Stepper(model, shapes, World(floor=Floor(-0.6)), limits=limits)
    x = np.zeros(model.nq)
    x[11:14] = 1.3, -0.2, 0.1
    stepper.set_state(x, np.random.default_rng(3).normal(size=model.nv))
    damping, stiffness, kp = np.zeros((3, model.nv))
    damping[6:11], stiffness[9], kp[6:9] = 0.2, 3.0, 5.0
    stepper.inputs.set_joint_forces(stiffness=stiffness, damping=damping, rest=0.1 * np.ones(model.nq))
    stepper.inputs.set_motors(kp, 0.1 * kp, 0.2 * np.ones(model.nq))
    stepper.inputs.set_locks(
        [
            PointLock("hand", (0, -0.4, 0), (0.2, -0.6, 0.1), axes=[[0, 0, 1]]),
            OrientationLock("box", np.eye(3), axes=[[0, 1, 0]]),
            PairLock("trunk", (0, 0.1, 0), "box", (-1.0, 0, 0), axes=[[1, 0, 0]]),
        ]
    )
    stepper.inputs.set_strings([String("leg", (0, -0.4, 0), -1, (0, 0.5, 0), 1.2)])
    stepper.inputs.set_pull("trunk", (0, 0.2, 0), (0.1, 0.4, 0.0), 60.0, 4.0)
    mask = np.zeros(model.nv, dtype=bool)
    mask[10] = True
    stepper.inputs.prescribe(mask)
    return stepper


def test_a_step_is_the_least_change_with_everything_that_acts() -> None:
    stepper = held_doll()
    for k in range(8):
        goal = np.full(stepper.model.nq, 0.2 * np.sin(0.1 * k))
        stepper.inputs.target(goal)
        assert stepper.step().kkt < 1e-9
        check_optimality(stepper._built.memory)
    assert stepper.state()[0][10] == goal[10]


def test_a_step_with_springs_motors_a_pull_and_a_lock_is_that_of_dense_matrices() -> None:
    """Where all rotations are 0 the step's velocities are the model's rates, before the root makes momentum up."""
    model, _ = doll()
    world, h = World(floor=None), StepSettings().step
    stepper = Stepper(model, world=world)
    x, v = np.zeros(model.nq), np.random.default_rng(4).normal(size=model.nv)
    stepper.set_state(x, v)
    damping, stiffness, kp = np.random.default_rng(5).uniform(1.0, 9.0, size=(3, model.nv))
    rest, goal = np.random.default_rng(6).uniform(-0.1, 0.1, size=(2, model.nv))
    rate = np.where(np.isin(np.arange(model.nv), [9, 10]), 0.3, 0.0)  # of hinges: those of rotations are in a chart
    stepper.inputs.set_joint_forces(stiffness=stiffness, damping=damping, rest=rest)
    stepper.inputs.set_motors(kp, 0.1 * kp, goal, rate)
    point, place = np.array([0.0, 0.2, 0.0]), np.array([0.1, 0.4, 0.0])
    stepper.inputs.set_pull("trunk", point, place, 60.0, 4.0)
    locked = np.array([0.0, -0.4, 0.0])
    start = (model.body_poses(x)[2] @ [*locked, 1.0])[:3]
    stepper.inputs.set_locks([PointLock("hand", locked, start + np.array([0.0, 0.0, 0.002]))])
    stepper.step()
    M, bias, *_ = dense(Multibody(model.bodies, world.gravity), x, v)
    u, R = v, lambda q: (model.body_poses(q)[0] @ [*point, 1.0])[:3]
    J = rates(R, x)
    K, D = stiffness + kp, damping + 0.1 * kp
    implicit = np.diag(h * D + h * h * K) + h * (60.0 * h + 4.0) * J.T @ J
    force = stiffness * rest + kp * goal + 0.1 * kp * rate - bias + 60.0 * J.T @ (place - R(x))
    free = u + np.linalg.solve(M + implicit, h * force - implicit @ u)
    C = rates(lambda q: (model.body_poses(q)[2] @ [*locked, 1.0])[:3], x)
    bound = np.array([0.0, 0.0, 0.002]) * stepper.settings.lock_pull / h
    ought = least_change(M + implicit, free, C, bound, 3)
    np.testing.assert_allclose(stepper._built.memory.u_new, ought, atol=1e-7 * np.abs(ought).max())


def test_rows_of_contacts_are_the_rates_of_their_gaps() -> None:
    model, shapes = doll()
    stepper = Stepper(model, shapes, World(floor=Floor(-0.7995)), settings=StepSettings(sleep=False))
    x = np.zeros(model.nq)
    x[11:14] = 1.3, -0.7, 0.1
    stepper.set_state(x, np.zeros(model.nv))
    assert stepper.step().substeps == 1
    m = stepper._built.memory
    C, found = rows(m), 0
    for contact, state in zip(m.contacts.array[: m.state.contact_count], m.contact_states.array, strict=False):
        body, at = int(contact["body_a"]), [*contact["point"], 1.0]
        fixed = np.linalg.inv(model.body_poses(x)[body]) @ at
        J = rates(lambda q, body=body, fixed=fixed: (model.body_poses(q)[body] @ fixed)[:3], x)
        assert contact["body_b"] < 0.0
        first, mu = int(state["row"]), float(contact["friction"])
        for j, direction in enumerate((state["first_tangent"], -state["first_tangent"])):
            ought = (contact["normal"] + mu * direction) @ J
            np.testing.assert_allclose(C[first + j], ought, atol=1e-8)
        for j, direction in enumerate((state["second_tangent"], -state["second_tangent"])):
            np.testing.assert_allclose(C[first + 2 + j], (contact["normal"] + mu * direction) @ J, atol=1e-8)
        found += 1
    assert found >= 4


def test_the_text_alone_flies_and_is_struck_alike() -> None:
    model, _ = doll()
    pair = [Stepper(model, world=World(floor=None)) for _ in range(2)]
    for stepper in pair:
        stepper.set_state(np.zeros(model.nq), np.random.default_rng(5).normal(size=model.nv))
    strike = (0.1, 0.2, 0.3, 1.0, 2.0, 3.0)
    pair[0].step(6)
    pair[0].inputs.push("hand", strike)
    with uncompiled():
        pair[1].step(6)
        pair[1].inputs.push("hand", strike)
    np.testing.assert_allclose(*(stepper._built.memory.u for stepper in pair), atol=1e-11)


def test_a_blow_changes_momentum_by_its_impulse() -> None:
    model, _ = doll()
    stepper = Stepper(model, world=NOTHING)
    stepper.set_state(np.zeros(model.nq), np.zeros(model.nv))
    stepper.inputs.push("hand", (0.1, 0.2, 0.3, 1.0, 2.0, 3.0))
    arm = stepper.readings.body_poses()[2][:3, 3] - stepper.readings.center_of_mass()
    linear = np.array([1.0, 2.0, 3.0])
    ought = [*(np.cross(arm, linear) + np.array([0.1, 0.2, 0.3])), *linear]
    np.testing.assert_allclose(stepper.readings.momentum(), ought, atol=1e-12)


def test_free_flight_keeps_momentum_and_energy() -> None:
    model, _ = doll()
    stepper = Stepper(model, world=NOTHING)
    stepper.set_state(np.zeros(model.nq), 2.0 * np.random.default_rng(1).normal(size=model.nv))
    before, energy = stepper.readings.momentum(), sum(stepper.readings.energy())
    report = stepper.step(480)
    assert report.flights == report.substeps
    np.testing.assert_allclose(stepper.readings.momentum(), before, atol=1e-12 * np.abs(before).max())
    assert sum(stepper.readings.energy()) == pytest.approx(energy, rel=1e-12)


def test_a_pendulum_on_a_held_body_swings_as_it_must() -> None:
    bar = SpatialInertia.box(1.0, (0.02, 1.0, 0.02), center=(0, -0.5, 0))
    model = Multibody([Body("base", -1, Free(), inertia=bar), Body("bob", "base", Revolute((0, 0, 1)), inertia=bar)])
    stepper = Stepper(model, world=World(floor=None))
    x = np.zeros(7)
    x[6] = 1.0
    stepper.set_state(x, np.zeros(7))
    stepper.inputs.prescribe(np.arange(7) < 6)
    _, potential = stepper.readings.energy()
    for _ in range(240):
        stepper.inputs.target(x)
        stepper.step()
    assert sum(stepper.readings.energy()) == pytest.approx(potential, abs=1e-9)
    assert stepper.state()[0][6] != pytest.approx(1.0)
    # Up there the base holds all of the weight and what turns the bob.
    assert stepper.readings.joint_torques()[1] == pytest.approx(
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
