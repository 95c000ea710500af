"""Dry friction in the bearings of joints by bilateral staggered projections: closed forms, contacts and loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.dynamics import Body, Multibody, Scene, Trajectory, simulate
from core.dynamics.bearings import Bearing, fitted
from core.dynamics.constraints import LoopJoint
from core.dynamics.contact.methods import BilateralStaggeredProjections, StaggeredProjections
from core.dynamics.contact.scene import Contacts
from core.dynamics.contact.shapes import Box, Geometry
from core.dynamics.contact.world import World
from core.dynamics.simulation import Simulation
from core.errors import DynamicsError
from core.joints import Free, JointModel, Prismatic, Revolute, Spherical, Universal
from core.spatial import SpatialInertia, se3
from tests.support.explicit_bearings import RADIUS, chain, explicit_friction

G = 9.81
INERTIA = np.diag([0.02, 0.03, 0.04])
STEP = "linearly_implicit"


def run(joint: JointModel, bearing: Bearing, x=0.0, v=0.0, center=(0.0, 0.0, 0.0), time=0.25, h=1 / 240) -> Trajectory:
    """Return the motion of a part of 2 kg on a joint to the world."""
    model = Multibody([Body("part", -1, joint, inertia=SpatialInertia(2.0, center, INERTIA))])
    scene = Scene(model, np.atleast_1d(x), np.atleast_1d(v), bearings=(bearing,))
    return simulate(scene, time, h, STEP, contact="bisp")


def test_a_wheel_slows_down_by_its_weight_and_stays() -> None:
    slowing = 0.2 * 0.05 * 2.0 * G / INERTIA[1, 1]
    rows = run(Revolute((0, 1, 0)), Bearing("part", 0.2, 0.05, 0.1), v=4.0, time=0.8)
    np.testing.assert_allclose(rows.v[:, 0], np.maximum(4.0 - slowing * rows.times, 0.0), atol=1e-7)


@pytest.mark.parametrize(("degrees", "holds"), [(39.0, True), (40.0, False)])
def test_a_pendulum_is_held_as_far_as_all_contacts_around_its_pin_hold(degrees: float, holds: bool) -> None:
    # m g l sin(angle) = mu r (4 / pi) m g with many contacts around, mu r / l = 1/2: at 39.54 degrees
    bearing = Bearing(0, 0.5, 0.3, 0.1, points=200)
    rows = run(Revolute((1, 0, 0)), bearing, math.radians(degrees), center=(0.0, -0.3, 0.0), time=0.5)
    assert (abs(rows.x[-1, 0] - rows.x[0, 0]) <= 1e-8) == holds


@pytest.mark.parametrize("share", [0.999, 1.001])
def test_a_slide_on_a_slope_sticks_and_slides_as_coulomb_says(share: float) -> None:
    slope = math.atan(0.5 / share)
    # Four contacts around, two of them in the vertical plane of the slide: the weight across it is on these alone.
    along = np.array([math.cos(slope), -math.sin(slope), 0.0])
    rows = run(Prismatic(along), Bearing(0, 0.5 * share**2, 0.05, 0.1, points=4))
    wanted = max(G * (math.sin(slope) - 0.5 * share**2 * math.cos(slope)), 0.0) * 0.25
    assert rows.v[-1, 0] == pytest.approx(wanted, rel=1e-4, abs=1e-8)
    assert (wanted > 0.0) == (share < 1.0)


def test_a_bending_moment_presses_the_ends_of_a_bearing() -> None:
    limit = 0.2 * 0.05 * 2.0 * G * (2.0 * 0.5 / 0.1 + 1.0)
    slowing = limit / (INERTIA[1, 1] + 2.0 * 0.5**2)
    rows = run(Revolute((0, 1, 0)), Bearing(0, 0.2, 0.05, 0.1, 4), v=0.5, center=(0.5, 0, 0), time=0.01, h=1e-3)
    assert rows.v[-1, 0] == pytest.approx(0.5 - slowing * 0.01, rel=5e-3)


def test_a_ball_slows_down_about_its_own_axis() -> None:
    # Four directions through corners carry 3/7 of what they face, with an arm of sqrt(2/3) r.
    share = 4.0 * (3.0 / 7.0) / math.sqrt(3.0) * math.sqrt(2.0 / 3.0)
    rows = run(Spherical(), Bearing(0, 0.2, 0.05), np.zeros(3), np.array([0.0, 4.0, 0.0]))
    assert rows.v[-1, 1] == pytest.approx(4.0 - share * 0.2 * 0.05 * 2.0 * G / INERTIA[1, 1] * 0.25, abs=1e-5)
    assert np.abs(rows.v[-1, [0, 2]]).max() <= 1e-6


def test_contacts_of_a_bearing_carry_the_reaction_with_the_least_impulses() -> None:
    rng = np.random.default_rng(3)
    model = Multibody([Body("part", -1, Revolute((0, 0, 1)), inertia=SpatialInertia(2.0, (0, 0, 0), INERTIA))])
    found = fitted(Bearing(0, 0.3, 0.1, 0.2, 8), model)
    wrench = rng.normal(size=6)
    wrench[2] = 0.0  # it turns about that
    halves = [0.5 * wrench[3:5] + s * np.array([-wrench[1], wrench[0]]) / -0.2 for s in (1.0, -1.0)]
    impulses = found.share @ wrench
    assert sum(np.linalg.norm(half) ** 2 for half in halves) * 2 / 8 + wrench[5] ** 2 == pytest.approx(
        float(impulses @ impulses), rel=1e-6
    )


@pytest.mark.parametrize("held", ["floor", "loop"])
def test_outer_contacts_and_loops_do_not_count_as_what_a_joint_carries(held: str) -> None:
    """A wheel on a base: its bearing carries the wheel's weight, whatever carries the base."""
    shape = Box((0.2, 0.1, 0.2))
    model = Multibody([
        Body("base", -1, Free(), inertia=shape.inertia(5.0)),
        Body("wheel", 0, Revolute((0, 1, 0)), se3.transform(None, (0.0, 0.2, 0.0)),
             inertia=SpatialInertia(2.0, (0, 0, 0), INERTIA)),
    ])  # fmt: skip
    place = se3.transform(None, (0.0, 0.1, 0.0))
    scene = Scene(
        model, [0, 0.1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 4.0],
        contacts=Contacts((Geometry(shape, 0, np.eye(4), 0.8),), World()) if held == "floor" else None,
        constraints=(LoopJoint("base", "world", np.eye(4), place, "weld"),) if held == "loop" else (),
        bearings=(Bearing("wheel", 0.2, 0.05, 0.1),),
    )  # fmt: skip
    rows = simulate(scene, 0.1, 1 / 240, STEP, contact="bisp")
    assert rows.v[-1, 6] == pytest.approx(4.0 - 0.2 * 0.05 * 2.0 * G / INERTIA[1, 1] * 0.1, abs=1e-5)
    assert np.abs(rows.v[-1, :6]).max() <= 1e-6


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(DynamicsError, match="bearings fit hinges, slides and balls"):
        run(Universal(), Bearing(0, 0.1, 0.1), np.zeros(2), np.zeros(2))
    with pytest.raises(DynamicsError, match="sizes greater than 0"):
        Bearing(0, 0.1, 0.0)
    model = Multibody([Body("part", -1, Revolute((0, 0, 1)), inertia=SpatialInertia(2.0, (0, 0, 0), INERTIA))])
    scene = Scene(model, [0.0], [0.0], bearings=(Bearing(0, 0.1, 0.1),))
    with pytest.raises(DynamicsError, match="rk4 alone does not take bearings; the contact method bisp does"):
        simulate(scene, 0.1, 0.01, "rk4")
    with pytest.raises(DynamicsError, match="single_qp does not take bearings so; bisp does"):
        simulate(scene, 0.1, 0.01, contact="single_qp")


@pytest.mark.parametrize("count", [1, 3, 5, pytest.param(10, marks=pytest.mark.verify)])
def test_friction_is_that_of_explicit_contacts_by_staggered_projections(count: int) -> None:
    scene, h = chain(count), 1 / 240
    method = BilateralStaggeredProjections()
    Simulation(scene, h, STEP, contact=method).step()
    assert method.last is not None and method.last.converged
    own = RADIUS * method.last.grip
    wanted, converged = explicit_friction(scene, h, StaggeredProjections(300, 1e-6))
    assert converged and np.abs(own - wanted).max() <= 0.02 * np.abs(wanted).max()
