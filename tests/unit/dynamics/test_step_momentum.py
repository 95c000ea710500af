"""Momentum in steps that dissipate, drive, or stop at limits: only impulses from outside change it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from core.dynamics import Body, Multibody
from core.dynamics.contact.shapes import Box, Geometry
from core.dynamics.contact.world import Floor, World
from core.dynamics.engine import PointLock, Stepper, StepSettings, String
from core.dynamics.forces import JointDamping
from core.joints import Free, Revolute, Spherical
from core.spatial import SpatialInertia
from tests.support.free_figures import (
    ACTING,
    NOTHING,
    STEP,
    about_origin,
    impulse,
    in_a_row,
    of_contacts,
    of_forces,
    stepper_of,
)

Array = NDArray[np.float64]


def drift(stepper: Stepper, steps: int) -> float:
    """Return by how much of their size L about the centre of mass and P change."""
    before = stepper.readings.momentum()
    sizes = np.repeat([np.linalg.norm(before[:3]), np.linalg.norm(before[3:])], 3)
    off = 0.0
    for _ in range(steps):
        stepper.step()
        off = max(off, float((np.abs(stepper.readings.momentum() - before) / sizes).max()))
    return off


@pytest.mark.parametrize("name", ACTING)
def test_what_acts_inside_keeps_momentum(name: str) -> None:
    stepper = ACTING[name]()
    assert drift(stepper, 60) < 1e-10


def test_the_centre_of_mass_flies_a_parabola_whatever_rubs() -> None:
    model = in_a_row(Spherical(), Revolute((1, 0, 0)))
    gravity = np.array([0.0, -9.81, 0.0])
    stepper = stepper_of(model, world=World(gravity=gravity, floor=None), forces=[JointDamping("1", 0.3)])
    center, speed = stepper.readings.center_of_mass(), stepper.readings.momentum()[3:] / model.mass
    report = stepper.step(60)
    assert report.flights == 0
    t = 60 * STEP
    np.testing.assert_allclose(
        stepper.readings.center_of_mass(), center + t * speed + 0.5 * t * t * gravity, atol=1e-11
    )


def test_friction_only_takes_energy() -> None:
    stepper = stepper_of(in_a_row(Spherical(), Revolute((1, 0, 0))), forces=[JointDamping(k, 0.05) for k in (1, 2)])
    energy = [sum(stepper.readings.energy())]
    for _ in range(120):
        stepper.step()
        energy.append(sum(stepper.readings.energy()))
    assert np.diff(energy).max() <= 1e-13 * energy[0]
    assert energy[-1] < 0.98 * energy[0]  # most of it is that of the rigid whole, which stays


def test_two_bodies_rub_until_they_turn_as_one() -> None:
    """All that is left is the energy of the rigid whole, which momentum tells."""
    stepper = stepper_of(in_a_row(Spherical()), forces=[JointDamping("1", 5.0)])
    before = stepper.readings.momentum()
    stepper.step(720)
    twists, poses = stepper.readings.body_twists(), stepper.readings.body_poses()
    spins = np.einsum("kij,kj->ki", poses[:, :3, :3], twists[:, :3])
    assert np.abs(spins[0] - spins[1]).max() < 0.05 * np.abs(spins[0]).max()
    np.testing.assert_allclose(stepper.readings.momentum(), before, atol=1e-12 * np.abs(before).max())


def on_the_floor() -> Stepper:
    model = in_a_row(Spherical(), Revolute((1, 0, 0)))
    shapes = [Geometry(Box(np.array([0.15, 0.1, 0.25])), 0), Geometry(Box(np.array([0.05, 0.2, 0.07])), 1)]
    settings = StepSettings(step=STEP, sleep=False, largest_turn=10.0)
    stepper = stepper_of(model, geometries=shapes, world=World(floor=Floor(-0.35)), settings=settings)
    damping = np.where(np.arange(model.nv) < 6, 0.0, 0.05)
    stepper.inputs.set_joint_forces(damping=damping)
    return stepper


def test_contacts_change_momentum_by_their_impulses_alone() -> None:
    stepper = on_the_floor()
    pushed = taken = 0
    for _ in range(200):
        before = about_origin(stepper)
        gravity = impulse(stepper)
        report = stepper.step()
        if report.substeps != 1 or report.contacts == 0:
            continue
        taken += 1
        pushes = of_contacts(stepper)
        pushed += bool(pushes.any())
        outside = gravity + pushes
        np.testing.assert_allclose(about_origin(stepper) - before, outside, rtol=0, atol=1e-9)
    assert taken > 100 and pushed > 50


def test_a_lock_and_a_string_change_momentum_by_their_impulses_alone() -> None:
    model = in_a_row(Spherical(), Revolute((1, 0, 0)))
    settings = StepSettings(step=STEP, sleep=False, largest_turn=10.0)
    stepper = stepper_of(model, world=World(floor=None), settings=settings, forces=[JointDamping("1", 0.1)])
    hand, tip = np.array([0.0, 0.0, 0.25, 1.0]), np.array([0.0, -0.3, 0.0, 1.0])
    place = (stepper.readings.body_poses()[0] @ hand)[:3]
    stepper.inputs.set_locks([PointLock("0", hand[:3], place)])
    anchor = (stepper.readings.body_poses()[2] @ tip)[:3] + np.array([0.1, 0.05, 0.0])
    stepper.inputs.set_strings([String("2", tip[:3], -1, anchor, 0.15)])
    tight = 0
    for _ in range(120):
        before, poses = about_origin(stepper), stepper.readings.body_poses()
        gravity = impulse(stepper)
        assert stepper.step().substeps == 1
        points = np.array([(poses[0] @ hand)[:3], (poses[2] @ tip)[:3]])
        along = anchor - points[1]
        tension = float(stepper.readings.string_tensions()[0])
        tight += abs(tension) > 1e-9
        pull = abs(tension) * along / np.linalg.norm(along)
        forces = np.array([stepper.readings.lock_forces()[0], pull])
        outside = gravity + of_forces(points, forces)
        np.testing.assert_allclose(about_origin(stepper) - before, outside, rtol=0, atol=1e-9)
    assert tight > 20


@pytest.mark.parametrize(("stiffness", "damping"), [(60.0, 4.0), (5e3, 400.0)])
def test_pulls_change_momentum_by_their_impulses_alone(stiffness: float, damping: float) -> None:
    settings = StepSettings(step=STEP, sleep=False, largest_turn=10.0, most_parts=1)
    stepper = stepper_of(in_a_row(Spherical()), forces=[JointDamping("1", 0.1)], settings=settings)
    grips = np.array([[0.1, 0.0, 0.2, 1.0], [0.0, -0.3, 0.0, 1.0]])
    pulls = [("0", grips[0, :3], (0.5, 0.4, 0.0), stiffness, damping), ("1", grips[1, :3], (-0.2, 0.1, 0.3), 30.0, 0.0)]
    stepper.inputs.set_pulls(pulls)
    assert not stepper.readings.pull_forces().any(), "there was no step so far"
    for _ in range(60):
        before, poses = about_origin(stepper), stepper.readings.body_poses()
        assert stepper.step().substeps == 1
        points = np.einsum("kij,kj->ki", poses, grips)[:, :3]
        forces = stepper.readings.pull_forces()
        assert (np.abs(forces).max(axis=1) > 1e-3).all()
        size = max(1.0, STEP * np.abs(forces).max())
        np.testing.assert_allclose(about_origin(stepper) - before, of_forces(points, forces), rtol=0, atol=1e-9 * size)
    stepper.inputs.set_pull(None)
    stepper.step()
    assert stepper.readings.pull_forces().shape == (0, 3)


def test_what_drives_a_joint_does_not_count_what_a_pull_does() -> None:
    """The torque on a prescribed hinge, of which a part is pulled, is that of inverse dynamics less the pull's."""
    model = in_a_row(Revolute((1, 0, 0)))
    stepper = stepper_of(model, settings=StepSettings(step=1e-6, sleep=False, keep_energy=False))
    x, v = stepper.state()
    stepper.inputs.prescribe(np.arange(model.nv) == 6)
    stepper.inputs.target(x + 1e-6 * v, v)
    grip = np.array([0.1, -0.2, 0.2])
    stepper.inputs.set_pull("1", grip, (0.5, 0.4, 0.0), 50.0, 1.0)
    pose = stepper.readings.body_poses()[1]
    stepper.step()
    (force,) = stepper.readings.pull_forces()
    wrenches = np.zeros((2, 6))
    wrenches[1, 3:] = pose[:3, :3].T @ force
    wrenches[1, :3] = np.cross(grip, wrenches[1, 3:])
    vdot = (stepper.state()[1] - v) / 1e-6
    tau = Multibody(model.bodies, gravity=np.zeros(3)).inverse_dynamics(x, v, vdot, wrenches=wrenches)
    assert abs(float(wrenches[1, :3] @ [1, 0, 0])) > 1.0
    np.testing.assert_allclose(stepper.readings.joint_torques()[6], tau[6], rtol=1e-3)


def test_looking_changes_no_bit() -> None:
    alone, watched = (ACTING["spring and motor"]() for _ in range(2))
    alone.step(12)
    for _ in range(12):
        watched.step()
        watched.readings.energy()
        watched.readings.body_poses()
    np.testing.assert_array_equal(alone.state(), watched.state())


def test_a_single_body_that_slides_keeps_its_spin() -> None:
    """Without friction a floor pushes through the point it touches: what turns about the vertical goes on."""
    model = Multibody([Body("box", -1, Free(), inertia=SpatialInertia.box(1.0, (0.2, 0.1, 0.3)))])
    shape = Geometry(Box(np.array([0.1, 0.05, 0.15])), 0, friction=0.0)
    stepper = Stepper(model, [shape], World(floor=Floor()), settings=StepSettings(step=STEP, sleep=False))
    stepper.set_state([0.0, 0.05, 0.0, 0.0, 0.0, 0.0], [0.4, 0.0, 0.1, 0.0, 3.0, 0.0])
    before = stepper.readings.momentum()
    stepper.step(60)
    after = stepper.readings.momentum()
    np.testing.assert_allclose(after[[1, 3, 5]], before[[1, 3, 5]], rtol=1e-12)


def test_what_nothing_acts_on_still_flies_by_the_step_of_free_flight() -> None:
    stepper = stepper_of(in_a_row(Spherical()), world=NOTHING)
    assert stepper.step(24).flights > 0
