"""Dry friction in the bearings of joints by bilateral staggered projections: closed forms, contacts and loops."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.dynamics import Body, Multibody, Scene, Trajectory, simulate
from core.dynamics.bearings import Bearing, fitted
from core.dynamics.constraints import LoopJoint
from core.dynamics.contact.scene import Contacts
from core.dynamics.contact.shapes import Box, Geometry
from core.dynamics.contact.world import World
from core.errors import DynamicsError
from core.joints import Composite, Free, JointModel, Prismatic, Revolute, Spherical, Universal
from core.spatial import SpatialInertia, se3
from tests.support.explicit_bearings import both_methods, chain, explicit_friction, own_friction

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


@pytest.mark.sampled(1)
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
    ((seat, X),) = [own.place(np.eye(6)[:, 2:3]) for own in fitted(Bearing(0, 0.3, 0.1, 0.2, 8), model)]
    wrench = rng.normal(size=6)
    wrench[2] = 0.0  # it turns about that
    halves = [0.5 * wrench[3:5] + s * np.array([-wrench[1], wrench[0]]) / -0.2 for s in (1.0, -1.0)]
    impulses = seat.share @ (se3.adjoint(X).T @ wrench)
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
    with pytest.raises(DynamicsError, match="it carries nothing that could rub"):
        run(Free(), Bearing(0, 0.1, 0.1), np.zeros(6), np.zeros(6))
    with pytest.raises(DynamicsError, match="whose joint has 1"):
        run(Revolute((0, 0, 1)), Bearing(0, 0.1, 0.1, coordinates=(1,)))
    with pytest.raises(DynamicsError, match="sizes greater than 0"):
        Bearing(0, 0.1, 0.0)
    model = Multibody([Body("part", -1, Revolute((0, 0, 1)), inertia=SpatialInertia(2.0, (0, 0, 0), INERTIA))])
    scene = Scene(model, [0.0], [0.0], bearings=(Bearing(0, 0.1, 0.1),))
    with pytest.raises(DynamicsError, match="rk4 alone does not take bearings; contact and the contact method bisp do"):
        simulate(scene, 0.1, 0.01, "rk4")
    with pytest.raises(DynamicsError, match="single_qp does not take bearings so; bisp does"):
        simulate(scene, 0.1, 0.01, contact="single_qp")


@pytest.mark.parametrize(("kind", "count"), [
    ("hinge", 1), ("hinge", 3), ("hinge", 5), pytest.param("hinge", 10, marks=pytest.mark.verify), ("slide", 1),
    ("slide", 2), ("slide", 5), ("ball", 1), ("ball", 2), ("ball", 3),
])  # fmt: skip
def test_friction_is_that_of_explicit_contacts_by_staggered_projections(kind: str, count: int) -> None:
    scene, h = chain(count, kind), 1 / 240
    bisp, explicit = both_methods(kind)
    own = own_friction(scene, h, bisp, kind)
    wanted, converged = explicit_friction(scene, h, explicit, kind)
    assert converged and np.abs(own - wanted).max() <= 0.02 * np.abs(wanted).max()


# -- loops, composite joints, the step of contacts ---------------------------------------------------------------------


def four_bar(friction: float, which: str) -> Scene:
    """Return a parallelogram whose coupler goes round; its last hinge closes the loop, or is one of the tree."""
    bar = SpatialInertia.box(1.0, (0.1, 0.5, 0.1), (0.0, -0.25, 0.0))
    coupler = SpatialInertia.box(2.0, (0.8, 0.1, 0.1), (0.4, 0.0, 0.0))
    z, right = (0.0, 0.0, 1.0), se3.transform(None, (0.8, 0.0, 0.0))
    model = Multibody([
        Body("left", -1, Revolute(z), inertia=bar),
        Body("coupler", 0, Revolute(z), se3.transform(None, (0.0, -0.5, 0.0)), inertia=coupler),
        Body("right", -1 if which == "tree" else 1, Revolute(z), right, inertia=bar if which == "tree" else
             SpatialInertia.box(1.0, (0.1, 0.5, 0.1), (0.0, 0.25, 0.0))),
    ])  # fmt: skip
    if which == "tree":  # the right bar hangs on the world; the loop closes where the coupler holds it
        end = se3.transform(None, (0.0, -0.5, 0.0))
        loop = LoopJoint("right", "coupler", end, right, "hinge")
        bearings = (Bearing("right", friction, 0.05, 0.2),)
        x, v = [0.3, -0.3, 0.3], [2.0, -2.0, 2.0]
    else:  # the right bar hangs on the coupler; the loop closes on the world
        loop = LoopJoint("world", "right", right, se3.transform(None, (0.0, 0.5, 0.0)), "hinge")
        bearings = (Bearing(loop, friction, 0.05, 0.2),)
        x, v = [0.3, -0.3, 0.3], [2.0, -2.0, 2.0]
    return Scene(model, x, v, constraints=(loop,), bearings=bearings)


@pytest.mark.verify
def test_a_bearing_that_closes_a_loop_rubs_as_the_same_one_in_the_tree() -> None:
    ends = {
        (which, mu): simulate(four_bar(mu, which), 0.2, 1 / 240, STEP, contact="bisp")
        for which in ("tree", "loop") for mu in (0.0, 0.4)
    }  # fmt: skip
    for mu in (0.0, 0.4):
        np.testing.assert_allclose(ends["loop", mu].x[:, 0], ends["tree", mu].x[:, 0], atol=2e-4)
    assert abs(ends["tree", 0.4].v[-1, 0] - ends["tree", 0.0].v[-1, 0]) > 0.1, "it brakes"


@pytest.mark.verify
def test_a_slide_and_a_ball_that_close_loops_rub() -> None:
    """A body that floats, on a loop joint to the world, as on a joint of the tree."""
    inertia = SpatialInertia(2.0, (0, 0, 0), INERTIA)
    for kind, joint, rates in (("slide", Prismatic((0, 0, 1)), [1.0]), ("ball", Spherical(), [0.0, 4.0, 0.0])):
        tree = Multibody([Body("part", -1, joint, inertia=inertia)])
        bearing = Bearing("part", 0.2, 0.05, 0.1)
        own = simulate(
            Scene(tree, np.zeros(joint.n), rates, bearings=(bearing,)), 0.1, 1 / 240, STEP, contact="bisp"
        ).v[-1]  # fmt: skip
        free = Multibody([Body("part", -1, Free(), inertia=inertia)])
        loop = LoopJoint("world", "part", np.eye(4), np.eye(4), kind)
        v = np.zeros(6)
        v[2 if kind == "slide" else 4] = rates[0 if kind == "slide" else 1]
        scene = Scene(free, np.zeros(6), v, constraints=(loop,), bearings=(Bearing(loop, 0.2, 0.05, 0.1),))
        found = simulate(scene, 0.1, 1 / 240, STEP, contact="bisp").v[-1]
        moving = found[2] if kind == "slide" else found[4]
        assert moving == pytest.approx(own[0 if kind == "slide" else 1], abs=1e-5)
        assert abs(moving) < 0.95 * max(np.abs(rates))


def test_joints_that_are_several_in_a_row_rub_in_each() -> None:
    """A cross whose first axis is fast, with the weight along the second: each bearing carries it in its own way."""
    gravity = np.array([0.0, -9.81, 0.0])
    model = Multibody([Body("part", -1, Universal(), inertia=SpatialInertia(2.0, (0, 0, 0), INERTIA))], gravity)
    bearing = Bearing("part", 0.2, 0.05, 0.1)
    assert [own.local.tolist() for own in fitted(bearing, model)] == [[0], [1]]
    rows = simulate(Scene(model, [0.0, 0.0], [0.0, 4.0], bearings=(bearing,)), 0.1, 1 / 240, STEP, contact="bisp")
    slowing = 0.2 * 0.05 * 2.0 * G / INERTIA[1, 1]  # about y the weight is on the collar
    assert rows.v[-1, 1] == pytest.approx(4.0 - slowing * 0.1, abs=1e-3)
    rows = simulate(Scene(model, [0.0, 0.0], [4.0, 0.0], bearings=(bearing,)), 0.05, 1 / 240, STEP, contact="bisp")
    around = 0.5 * (1.0 + math.sqrt(2.0)), 0.5 * (math.cos(math.pi / 8) + math.sin(math.pi / 8)) * 2.0
    slowed = (4.0 - rows.v[-1, 0]) / 0.05 * INERTIA[0, 0] / (0.2 * 0.05 * 2.0 * G)  # about x it is on the pin
    assert around[0] - 0.01 <= slowed <= around[1] + 0.01
    only = fitted(Bearing("part", 0.2, 0.05, 0.1, coordinates=(1,)), model)
    assert [own.local.tolist() for own in only] == [[1]]


def test_a_ball_behind_a_slide_is_fitted_as_both() -> None:
    joint = Composite(Prismatic((1, 0, 0)), Spherical())
    model = Multibody([Body("part", -1, joint, inertia=SpatialInertia(2.0, (0, 0, 0), INERTIA))])
    slide, ball = fitted(Bearing("part", 0.2, 0.05, 0.1), model)
    assert (slide.local.tolist(), slide.ball, ball.local.tolist(), ball.ball) == ([0], False, [1, 2, 3], True)
    q = np.array([0.3, 0.2, -0.4, 0.5])
    S = joint.subspace(q)
    axis = slide.place(S[:, slide.local])[1][:3, 2]
    np.testing.assert_allclose(axis, S[3:, 0], atol=1e-12)


@pytest.mark.parametrize("contact", [None, "bisp"])
@pytest.mark.parametrize("kind", ["hinge", "slide", "ball"])
def test_the_step_of_contacts_brakes_as_bisp_does(kind: str, contact: str | None) -> None:
    joint: JointModel = {"hinge": Revolute((0, 1, 0)), "slide": Prismatic((0, 0, 1)), "ball": Spherical()}[kind]
    rates = {"hinge": [4.0], "slide": [1.0], "ball": [0.0, 4.0, 0.0]}[kind]
    model = Multibody([Body("part", -1, joint, inertia=SpatialInertia(2.0, (0, 0, 0), INERTIA))])
    scene = Scene(model, np.zeros(joint.n), rates, bearings=(Bearing("part", 0.2, 0.05, 0.1),))
    rows = simulate(scene, 0.1, 1 / 480, "contact" if contact is None else STEP, contact=contact)
    moving = rows.v[:, 1 if kind == "ball" else 0]
    share = {"hinge": 1.0, "slide": 1.0, "ball": 4.0 * (3.0 / 7.0) / math.sqrt(3.0) * math.sqrt(2.0 / 3.0)}[kind]
    slowing = share * 0.2 * 0.05 * 2.0 * G / INERTIA[1, 1]
    if kind == "slide":
        slowing = 0.2 * 0.5 * (1.0 + math.sqrt(2.0)) * G
    assert moving[-1] == pytest.approx(rates[1 if kind == "ball" else 0] - slowing * 0.1, abs=0.03)


@pytest.mark.verify
def test_the_step_of_contacts_counts_what_loops_carry() -> None:
    """The hinge of the right bar carries what the coupler puts on it by the loop, as by bisp."""
    ends = [simulate(four_bar(mu, "tree"), 0.2, 1 / 480, "contact").x[-1, 0] for mu in (0.0, 0.4)]
    wanted = simulate(four_bar(0.4, "tree"), 0.2, 1 / 480, STEP, contact="bisp").x[-1, 0]
    assert ends[1] == pytest.approx(wanted, abs=0.1 * abs(ends[1] - ends[0]))


def test_the_step_of_contacts_brakes_a_wheel_on_what_a_loop_holds() -> None:
    model = Multibody([
        Body("base", -1, Free(), inertia=Box((0.2, 0.1, 0.2)).inertia(5.0)),
        Body("wheel", 0, Revolute((0, 1, 0)), se3.transform(None, (0.0, 0.2, 0.0)),
             inertia=SpatialInertia(2.0, (0, 0, 0), INERTIA)),
    ])  # fmt: skip
    loop = LoopJoint("base", "world", np.eye(4), se3.transform(None, (0.0, 0.1, 0.0)), "weld")
    scene = Scene(
        model, [0, 0.1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 4.0], constraints=(loop,),
        bearings=(Bearing("wheel", 0.2, 0.05, 0.1),),
    )  # fmt: skip
    rows = simulate(scene, 0.1, 1 / 240, "contact")
    assert rows.v[-1, 6] == pytest.approx(4.0 - 0.2 * 0.05 * 2.0 * G / INERTIA[1, 1] * 0.1, abs=0.06)
    with pytest.raises(DynamicsError, match="contact does not take bearings in loops; the contact method bisp does"):
        simulate(Scene(model, np.zeros(7), np.zeros(7), constraints=(loop,), bearings=(Bearing(loop, 0.1, 0.1),)),
                 0.1, 0.01, "contact", open_start=True)  # fmt: skip


def test_loops_that_bearings_do_not_fit_are_refused() -> None:
    model = Multibody([Body("part", -1, Free(), inertia=SpatialInertia(2.0, (0, 0, 0), INERTIA))])
    weld = LoopJoint("part", "world", kind="weld")
    with pytest.raises(DynamicsError, match='weld between "part" and the world: bearings fit hinges, slides and balls'):
        simulate(Scene(model, np.zeros(6), np.zeros(6), constraints=(weld,), bearings=(Bearing(weld, 0.1, 0.1),)),
                 0.1, 0.01, contact="bisp")  # fmt: skip
    with pytest.raises(DynamicsError, match="which is not a constraint of the scene"):
        simulate(Scene(model, np.zeros(6), np.zeros(6), bearings=(Bearing(weld, 0.1, 0.1),)), 0.1, 0.01, contact="bisp")
