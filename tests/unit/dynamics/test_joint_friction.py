"""Viscous friction is ``-mu (omega_i - omega_j)`` in every joint: as a force, in the engine, from a file."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dynamics import Multibody
from core.dynamics.engine import Stepper, StepSettings
from core.dynamics.engine.figure_forces import as_forces, figure_forces
from core.dynamics.forces import Derivatives, IntrinsicTorque, JointDamping, Load
from core.dynamics.forces.implicit import ImplicitTerms
from core.dynamics.forces.joint_friction import single_dampers
from core.dynamics.state import State
from core.errors import DynamicsError
from core.joints import Composite, JointModel, Prismatic, Revolute, Screw, Spherical, SphericalEuler, Universal
from core.skeleton import Dof, Joint, Skeleton
from tests.support.figures import hinge, slide
from tests.support.free_figures import NOTHING, SLANTED, in_a_row

Array = NDArray[np.float64]

X, SLANT = np.array([1.0, 0.0, 0.0]), np.array([0.6, 0.8, 0.0])
ROOT = hinge("y"), hinge("x"), hinge("z")
BALL = hinge("x"), hinge("y"), hinge("z")

JOINTS: dict[str, JointModel] = {
    "hinge": Revolute((0, 0.6, 0.8)), "ball": Spherical(), "angles": SphericalEuler("XYZ"),
    "slanted": SLANTED, "two slanted": Composite(Revolute((1, 0, 0)), Revolute((0.6, 0.8, 0))),
    "universal": Universal(),
    "screw": Screw((0, 0.6, 0.8), 0.1), "slide and hinges": Composite(Prismatic((0, 0, 1)), SLANTED),
}  # fmt: skip


def moving(model: Multibody, seed: int = 2) -> State:
    rng = np.random.default_rng(seed)
    return State(model, rng.uniform(-0.6, 0.6, model.nq), rng.normal(size=model.nv))


@pytest.mark.parametrize("name", [name for name in JOINTS if name != "slide and hinges"])
def test_the_torque_is_that_of_relative_angular_velocity(name: str) -> None:
    """By the coordinates it does the work of -mu omega on every motion that they can make."""
    model = in_a_row(JOINTS[name])
    state, mu = moving(model), 0.7
    load = Load(model)
    JointDamping("1", mu).add(state, load)
    assert not load.wrenches.any() and not load.tau[:6].any()
    spins = np.zeros((model.nv + 1, 3))
    for k in range(model.nv + 1):
        v = state.v if k == model.nv else np.eye(model.nv)[k]
        twists, poses = model.body_twists(state.x, v), model.body_poses(state.x)
        spins[k] = poses[1, :3, :3] @ twists[1, :3] - poses[0, :3, :3] @ twists[0, :3]
    np.testing.assert_allclose(load.tau, -mu * spins[:-1] @ spins[-1], atol=1e-12)


@pytest.mark.parametrize("name", JOINTS)
def test_the_engine_takes_it_at_the_end_of_the_step(name: str) -> None:
    """``(M + h D) (v1 - v) = -h bias - h D v`` with the D of the force, in a step so short that nothing turns."""
    model, h = in_a_row(JOINTS[name]), 1e-6
    force, state = JointDamping("1", 500.0), moving(model)
    steppers = [
        Stepper(model, world=NOTHING, settings=StepSettings(step=h, sleep=False, keep_energy=False), forces=forces)
        for forces in ([force], [])
    ]
    rates = []
    for stepper in steppers:
        stepper.set_state(state.x, state.v)
        stepper.step()
        rates.append(stepper.state(near=state.x)[1])
    derivatives = Derivatives(model)
    force.differentiate(state, derivatives)
    M, D = model.mass_matrix(state.x), derivatives.joint_damping.dense()
    freely = rates[1] - state.v
    change = np.linalg.solve(M + h * D, M @ freely - h * D @ state.v) - freely
    scale = np.abs(change).max()
    assert scale > 1e-3
    np.testing.assert_allclose(rates[0] - rates[1], change, atol=1e-4 * scale)


def solid(name: str, parent: int, *dofs: Dof, **values: object) -> Joint:
    """Return a joint with a body, at a place of its own and turned."""
    body = {"mass": 1.3, "center": (0.1, 0.2, -0.1), "inertia": np.diag([0.11, 0.13, 0.17])}
    given = {"offset": (0.0, 1.0, 0.2), "orientation": (20.0, -30.0, 40.0), **body, **values}
    return Joint(name, parent, dofs=dofs, **given)  # type: ignore[arg-type]


def model_of(*joints: Joint, fixed_base: bool = False) -> Multibody:
    return Multibody.from_skeleton(Skeleton("figure", joints), fixed_base=fixed_base)


def test_of_a_figure_roots_and_slides_have_none_and_balls_one_mu() -> None:
    model = model_of(
        solid("root", -1, *ROOT, viscous=0.9),
        solid("arm", 0, hinge("x"), slide("y"), viscous=0.1, damping=0.25),
        solid("hand", 1, *BALL, viscous=0.3),
    )
    forces = figure_forces(model.nv, [(model, 0)])
    assert forces.damping.tolist() == [0, 0, 0, 0, 0, 0, 0.25, 0.25, 0, 0, 0]
    viscous, others = single_dampers(model, forces.frictions)
    assert viscous.tolist() == [0, 0, 0, 0, 0, 0, 0.1, 0, 0.3, 0.3, 0.3] and others == []


def test_a_fixed_base_rubs_against_the_world() -> None:
    model = model_of(
        solid("root", -1, hinge("y"), viscous=0.9), solid("arm", 0, hinge("x"), viscous=0.1), fixed_base=True
    )
    assert single_dampers(model, figure_forces(model.nv, [(model, 0)]).frictions)[0].tolist() == [0.9, 0.1]


def test_balls_merged_of_joints_take_the_mean_of_their_hinges() -> None:
    one = solid("arm", 0, *BALL, viscous=0.2)
    spread = (
        Joint("a", 0, offset=np.array([0.0, 1.0, 0.2]), dofs=(hinge("x"),), viscous=0.2),
        Joint("b", 1, dofs=(hinge("y"),), viscous=0.2),
        solid("c", 2, hinge("z"), offset=(0, 0, 0), orientation=(0, 0, 0), viscous=0.2),
    )
    for joints in ((one,), spread):
        model = model_of(solid("root", -1, *ROOT), *joints)
        assert model.figure is not None and len(model.figure.balls) == 2 and model.nv == 9
        damping, _ = single_dampers(model, figure_forces(model.nv, [(model, 0)]).frictions)
        np.testing.assert_allclose(damping, [0, 0, 0, 0, 0, 0, 0.2, 0.2, 0.2], rtol=1e-15)


def test_slanted_hinges_of_a_figure_rub_as_one() -> None:
    """The friction of the kernels is that of the force, from other functions."""
    model = model_of(solid("root", -1, *ROOT), solid("arm", 0, hinge(X), hinge(SLANT), viscous=0.4))
    own = figure_forces(model.nv, [(model, 0)])
    assert not own.damping.any() and own.frictions == ((6, 8, 0.4),)
    state = moving(model)
    stepper = Stepper(model, world=NOTHING, settings=StepSettings(step=1e-6, sleep=False))
    stepper.set_state(state.x, state.v)
    load = Load(model)
    JointDamping("arm", 0.4).add(state, load)
    free = Stepper(model, world=NOTHING, settings=StepSettings(step=1e-6, sleep=False))
    free.inputs.set_friction([])
    free.set_state(state.x, state.v)
    change = np.linalg.solve(model.mass_matrix(state.x), 1e-6 * load.tau)
    for each in (stepper, free):
        each.step()
    found = stepper.state(near=state.x)[1] - free.state(near=state.x)[1]
    np.testing.assert_allclose(found, change, atol=1e-4 * np.abs(change).max())


def test_the_friction_of_a_joint_is_hakenbergs() -> None:
    """One number of damping, and friction as an intrinsic torque, are the same in every joint that only turns."""
    for name in ("hinge", "ball", "angles", "two slanted"):
        model = in_a_row(JOINTS[name])
        state, loads = moving(model), [Load(model), Load(model)]
        changes = [Derivatives(model), Derivatives(model)]
        for load, change, force in zip(loads, changes, (JointDamping(1, 0.3), IntrinsicTorque(1, 0.3)), strict=True):
            force.add(state, load)
            force.differentiate(state, change)
        np.testing.assert_array_equal(loads[0].tau, loads[1].tau)
        np.testing.assert_array_equal(changes[0].joint_damping, changes[1].joint_damping)
        np.testing.assert_array_equal(changes[0].joint_stiffness, changes[1].joint_stiffness)


def test_hinges_of_one_joint_rub_by_themselves() -> None:
    """Friction between some of a joint's coordinates, and its derivatives."""
    model = in_a_row(Composite(Revolute((1, 0, 0)), Revolute((0.6, 0.8, 0)), Revolute((0, 0.6, 0.8))))
    force, state = IntrinsicTorque("1", 0.8, hinges=(1, 3)), moving(model)
    derivatives = Derivatives(model)
    force.check(model)
    force.differentiate(state, derivatives)

    def tau(x: Array, v: Array) -> Array:
        load = Load(model)
        force.add(State(model, x, v), load)
        return load.tau

    own = tau(state.x, state.v)
    assert not own[:7].any() and own[7:].all()
    first = Composite(Revolute((1, 0, 0)), Revolute((0.6, 0.8, 0)), Revolute((0, 0.6, 0.8)))
    S = first.subspace(state.x[6:])[:3, 1:]
    np.testing.assert_allclose(own[7:], -0.8 * S.T @ S @ state.v[7:], rtol=1e-12)
    h = 1e-6
    by_x = np.stack([tau(state.x + h * e, state.v) - tau(state.x - h * e, state.v) for e in np.eye(model.nv)], axis=1)
    by_v = np.stack([tau(state.x, state.v + h * e) - tau(state.x, state.v - h * e) for e in np.eye(model.nv)], axis=1)
    np.testing.assert_allclose(derivatives.joint_stiffness, by_x / (2.0 * h), atol=1e-8)
    np.testing.assert_allclose(derivatives.joint_damping, -by_v / (2.0 * h), atol=1e-8)


@pytest.mark.parametrize("hinges", [(0, 0), (1, 4), (-1, 2)])
def test_hinges_that_are_not_there_are_refused(hinges: tuple[int, int]) -> None:
    with pytest.raises(DynamicsError, match="of joint '1' are not among its coordinates, of which it has 3"):
        IntrinsicTorque("1", 0.1, hinges=hinges).check(in_a_row(SLANTED))


def test_as_objects_a_figures_forces_do_the_same() -> None:
    """What other integrators get acts as what the engine has in its kernels."""
    model = model_of(
        solid("root", -1, *ROOT, damping=0.4),
        solid("arm", 0, hinge(X), hinge(SLANT), viscous=0.4, damping=0.2),
        solid("hand", 1, *BALL, viscous=0.3, damping=0.1),
        solid("tip", 2, hinge("x"), slide("y"), viscous=0.1, damping=0.25),
    )
    own, state = figure_forces(model.nv, [(model, 0)]), moving(model)
    load = Load(model)
    for force in as_forces(model, own):
        force.check(model)
        force.add(state, load)
    steppers = [Stepper(model, world=NOTHING, settings=StepSettings(step=1e-7, sleep=False)) for _ in range(2)]
    steppers[1].inputs.set_joint_forces(damping=np.zeros(model.nv))
    steppers[1].inputs.set_friction([])
    rates = []
    for each in steppers:
        each.set_state(state.x, state.v)
        each.step()
        rates.append(each.state(near=state.x)[1])
    change = np.linalg.solve(model.mass_matrix(state.x), 1e-7 * load.tau)
    np.testing.assert_allclose(rates[0] - rates[1], change, atol=1e-3 * np.abs(change).max())


@pytest.mark.parametrize("name", ["hinge", "ball", "slanted", "slide and hinges"])
def test_dampers_that_are_set_leave_friction_as_it_is(name: str) -> None:
    """Viscous friction of any joint acts besides the dampers of single coordinates, whenever these are set."""
    model = in_a_row(JOINTS[name])
    state, rng = moving(model), np.random.default_rng(4)
    damping = np.where(np.arange(model.nv) < 6, 0.0, rng.uniform(0.1, 0.4, model.nv))
    rubbing = IntrinsicTorque("1", 0.3)
    steppers = [Stepper(model, world=NOTHING, settings=StepSettings(step=1e-3, sleep=False), forces=forces)
                for forces in ([rubbing], [rubbing], [])]  # fmt: skip
    steppers[0].inputs.set_joint_forces(damping=damping)
    steppers[1].inputs.set_joint_forces(damping=2.0 * damping)
    steppers[1].inputs.set_joint_forces(damping=damping)
    terms = ImplicitTerms(model)
    assert rubbing.implicit(terms)
    steppers[2].inputs.set_friction(terms.frictions)
    steppers[2].inputs.set_joint_forces(damping=damping)
    for each in steppers:
        each.set_state(state.x, state.v)
        each.step(10)
    np.testing.assert_array_equal(steppers[0].state(), steppers[1].state())
    np.testing.assert_array_equal(steppers[0].state(), steppers[2].state())
    steppers[2].inputs.set_friction([])
    steppers[2].set_state(state.x, state.v)
    steppers[2].step(10)
    assert np.abs(steppers[2].state()[1] - steppers[0].state()[1]).max() > 1e-4
