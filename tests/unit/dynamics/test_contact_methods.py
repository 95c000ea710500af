"""Every method of ``CONTACT_METHODS`` in reduced and maximal coordinates: conditions, closed forms, loops."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from core.dynamics import Body, Multibody, Scene, simulate
from core.dynamics.constraints import JointLimits, LoopClosure
from core.dynamics.contact.methods import CONTACT_METHODS, FixedPoint, SingleQP, StaggeredProjections
from core.dynamics.contact.methods.extrapolation import Extrapolation
from core.dynamics.contact.methods.staggered import ContactProgram, FrictionProgram
from core.dynamics.contact.scene import Contacts
from core.dynamics.contact.shapes import Box, Geometry, Sphere
from core.dynamics.contact.world import Floor, World
from core.dynamics.forces import JointDamping, JointSpring, PointForce
from core.dynamics.simulation import Simulation
from core.errors import DynamicsError
from core.joints import Free, Revolute, Spherical
from core.spatial import SpatialInertia, se3
from tests.support.contact_programs import contact_program, staggered_conditions

CUBE = Box((0.1, 0.1, 0.1))
NAMES = [kind.name for kind in CONTACT_METHODS]
ROUGH = ["fixed_point", "staggered_projections"]
BOTH = ["redmax", "maximal"]
STEP = "linearly_implicit"


def cube(speed: float, mu: float = 0.5, slope: float = 0.0) -> Scene:
    """Return a cube of 2 kg that lies on a floor and slides along x."""
    model = Multibody([Body("cube", -1, Free(), inertia=CUBE.inertia(2.0))])
    floor = Floor.tilted(slope, math.pi / 2, friction=mu)
    # Coordinates of a free joint: a place, then a rotation vector; the floor rises along x.
    place = 0.1 * floor.normal
    contacts = Contacts((Geometry(CUBE, 0, np.eye(4), mu),), World(floor=floor))
    down = [-speed * math.cos(slope), -speed * math.sin(slope), 0.0]
    return Scene(model, [*place, 0.0, 0.0, slope], [*down, 0.0, 0.0, 0.0], contacts=contacts)


def test_names_are_those_that_are_promised() -> None:
    assert NAMES == ["frictionless", "single_qp", "fixed_point", "staggered_projections", "bisp"]
    assert all(kind.label and kind.description for kind in CONTACT_METHODS)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize(("name", "lift"), [("single_qp", 0.034), ("fixed_point", 0.0), ("staggered_projections", 0.0)])
def test_the_single_program_throws_a_sliding_box_and_the_others_do_not(name, lift, formulation) -> None:
    rows = simulate(cube(2.0), 0.5, 1 / 200, STEP, formulation, contact=name)
    assert abs((rows.x[:, 1] - 0.1).max() - lift) <= (5e-4 if lift else 1e-8)
    loss, travel, speed = 0.5 * 9.81 / 200, 0.0, 2.0  # what steps of this length make of v^2 / 2 mu g
    while speed > loss:
        speed -= loss
        travel += speed / 200
    assert abs(abs(rows.x[-1, 0]) - travel) <= 1e-3 and np.abs(rows.v[-1]).max() <= 1e-9


def test_without_friction_it_slides_on() -> None:
    rows = simulate(cube(2.0), 0.2, 1 / 200, STEP, contact="frictionless")
    np.testing.assert_allclose(rows.v[-1], rows.v[0], atol=1e-11)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("name", ROUGH)
@pytest.mark.parametrize(("share", "slides"), [(0.999, False), (1.001, True)])
def test_a_box_on_a_slope_sticks_and_slides_as_coulomb_says(name, share, slides, formulation) -> None:
    slope = math.atan(0.5 * share)
    scene = cube(0.0, 0.5, slope)
    rows = simulate(scene, 0.2, 1 / 200, STEP, formulation, contact=name)
    gone = float(np.linalg.norm(rows.x[-1, :3] - rows.x[0, :3]))
    n = 40
    pulled = 9.81 * (math.sin(slope) - 0.5 * math.cos(slope)) / 200**2 * n * (n + 1) / 2
    assert gone == pytest.approx(pulled, rel=1e-3) if slides else gone <= 1e-9


@pytest.mark.parametrize("formulation", BOTH)
def test_an_eight_cornered_foot_stands(formulation) -> None:
    """Eight corners are 24 rows of rank 6: forces are shared evenly, and nothing moves."""
    model = Multibody([
        Body("foot", -1, Free(), inertia=CUBE.inertia(1.0)),
        Body("leg", 0, Spherical(), se3.transform(None, (0.0, 0.1, 0.0)), inertia=SpatialInertia.box(3.0, (0.1,) * 3)),
    ])  # fmt: skip
    pads = [se3.transform(None, (x, 0.0, 0.0)) for x in (-0.1, 0.1)]
    boxes = tuple(Geometry(Box((0.01, 0.1, 0.05)), 0, pad, 0.8) for pad in pads)
    scene = Scene(
        model, np.array([0, 0.1, 0, 0, 0, 0, 0, 0, 0.0]), np.zeros(9), (JointSpring("leg", 5.0, 0.0),),
        contacts=Contacts(boxes, World()),
    )  # fmt: skip
    method = StaggeredProjections()
    rows = simulate(scene, 0.1, 1 / 200, STEP, formulation, contact=method)
    assert method.last is not None and method.last.converged and len(method.last.push) == 8
    np.testing.assert_allclose(rows.x[-1], rows.x[0], atol=1e-8)
    np.testing.assert_allclose(method.last.push, 4.0 * 9.81 / 200 / 8, rtol=1e-5)


@pytest.mark.parametrize("count", [16, pytest.param(64, marks=pytest.mark.verify)])
def test_what_has_converged_meets_the_conditions_of_friction(count: int) -> None:
    shares = [0, 0]
    for seed in range(count):
        given = contact_program(seed)
        found = StaggeredProjections().solve(given, np.zeros(len(given.tangent)))
        shares[0] += found.converged
        shares[1] += FixedPoint(passes=100).solve(given, np.zeros(len(given.tangent))).converged
        if found.converged:
            worst = staggered_conditions(given, found)
            assert max(worst) <= 1e-6, (seed, worst)
    assert shares[0] >= shares[1] >= 0.9 * count


def test_extrapolation_finds_what_turns_go_around_and_meets_the_conditions() -> None:
    """Plain turns between contacts and friction are still not done with this program after a thousand passes."""
    given = contact_program(21)
    contacts, friction = ContactProgram(given), FrictionProgram(given.tangent, given.slip)
    drag = np.zeros(len(given.tangent))
    changes = []
    for _ in range(200):
        push = contacts.solve(given.tangent.T @ drag)
        new = friction.solve(np.repeat(given.friction * push, 2), given.normal.T @ push)
        changes.append(float(np.abs(new - drag).max()))
        drag = new
    assert min(changes[100:]) > 1e-6
    found = StaggeredProjections().solve(given, np.zeros(len(given.tangent)))
    assert found.converged and max(staggered_conditions(given, found)) <= 1e-6


def test_impulses_that_grow_beyond_bounds_have_not_converged() -> None:
    """Contacts that jam: friction asks for more push, which allows more friction."""
    given = contact_program(43)
    found = StaggeredProjections().solve(given, np.zeros(len(given.tangent)))
    assert not found.converged and found.passes == 100


@pytest.mark.parametrize(("start", "count"), [(0, 0), (3, 1)])
def test_extrapolation_goes_straight_to_the_fixed_point_of_a_linear_map(start: int, count: int) -> None:
    rng = np.random.default_rng(start)
    A = rng.normal(size=(3, 3))
    A *= (1.5 if count else 0.9) / np.abs(np.linalg.eigvals(A)).max()  # grows, or goes round and round
    b, x, ahead = rng.normal(size=3), np.zeros(3), Extrapolation()
    for _ in range(6):
        ahead.note(x, A @ x + b)
        x = ahead.next()
    np.testing.assert_allclose(x, np.linalg.solve(np.eye(3) - A, b), atol=1e-8)


def test_friction_of_the_step_before_saves_passes() -> None:
    given = contact_program(0)
    cold = StaggeredProjections().solve(given, np.zeros(len(given.tangent)))
    warm = StaggeredProjections().solve(given, cold.drag)
    assert cold.converged and warm.converged and warm.passes < cold.passes
    np.testing.assert_allclose(warm.z, cold.z, atol=1e-6)


def arm(loop: bool = False) -> Scene:
    """Return a chain of links that falls on a floor, by its ends on the world if it is a loop."""
    link = SpatialInertia.box(1.0, (0.1, 0.3, 0.1), (0.0, -0.15, 0.0))
    down = se3.transform(None, (0.0, -0.3, 0.0))
    start = se3.transform(None, (0.0, 0.8, 0.0))
    model = Multibody([
        Body("upper", -1, Revolute((0, 0, 1)), start, inertia=link),
        Body("middle", 0, Revolute((0, 0, 1)), down, inertia=link),
        Body("lower", 1, Revolute((0, 0, 1)), down, inertia=link),
        Body("ball", -1, Free(), inertia=Sphere(0.1).inertia(1.0)),
    ])  # fmt: skip
    held = (LoopClosure("lower", (0, -0.3, 0), "world", (0.3, 0.8, 0), "hinge"),) if loop else ()
    x = [-math.pi / 2, math.pi / 2, 0.0, 1.0, 0.1, 0.0, 0, 0, 0] if not loop else [0.0, math.pi / 2, math.pi / 2]
    if loop:
        x = [*x, 0.15, 0.6, 0.0, 0, 0, 0]
    limits = (JointLimits("middle", -2.5, 2.5),)
    shapes = (
        *(Geometry(Box((0.05, 0.15, 0.05)), i, se3.transform(None, (0.0, -0.15, 0.0)), 0.6) for i in range(3)),
        Geometry(Sphere(0.1), 3, np.eye(4), 0.6),
    )
    forces = (JointDamping("middle", 0.2), PointForce("lower", (0.0, -0.3, 0.0), (1.0, 0.0, 0.0)))
    v = np.zeros(9)
    v[5] = 0.05 if loop else 0.0  # by itself the ball would leave the loop to either side, as rounding has it
    return Scene(model, x, v, forces, Contacts(shapes, World()), (*held, *limits))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_reduced_and_maximal_coordinates_agree_with_joints_loops_and_limits(name: str, loop: bool) -> None:
    runs = [simulate(arm(loop), 0.06, 1 / 200, STEP, kind, contact=name) for kind in BOTH]
    np.testing.assert_allclose(runs[0].x, runs[1].x, atol=2e-6)
    assert np.abs(runs[0].x[-1] - runs[0].x[0]).max() > 1e-3, "it moves"


def test_contacts_that_jam_have_a_small_answer() -> None:
    """Between two walls that keep their distance sliding cannot rise: the single program has no answer."""
    scene, method = replace(arm(loop=True), v=np.zeros(9)), SingleQP()
    run = Simulation(scene, 1 / 200, STEP, contact=method)
    met = []
    for _ in range(12):
        run.step()
        assert method.last is not None
        met.append(method.last.converged)
        assert np.abs(run.v[3:6]).max() < 2.0 and abs(run.x[5]) < 1e-9, "it stays in the plane of the chain"
    assert not all(met)


def test_a_ball_in_a_closed_chain_lies_on_it_and_the_loop_holds() -> None:
    scene = arm(loop=True)
    run = Simulation(scene, 1 / 200, STEP, contact="staggered_projections")
    for _ in range(60):
        run.step()
    end = scene.model.body_poses(run.x)[2] @ np.array([0.0, -0.3, 0.0, 1.0])
    assert np.abs(end[:2] - [0.3, 0.8]).max() < 5e-3
    assert scene.model.body_poses(run.x)[3, 1, 3] > 0.5, "it has not fallen through"


def test_friction_goes_by_the_materials_that_touch() -> None:
    ends = []
    for own, floor in ((0.8, 0.2), (0.4, 0.4), (0.0, 0.9)):
        model = Multibody([Body("cube", -1, Free(), inertia=CUBE.inertia(2.0))])
        contacts = Contacts((Geometry(CUBE, 0, np.eye(4), own),), World(floor=Floor(friction=floor)))
        scene = Scene(model, [0, 0.1, 0, 0, 0, 0], [1.0, 0, 0, 0, 0, 0], contacts=contacts)
        ends.append(simulate(scene, 0.1, 1 / 200, STEP, contact="staggered_projections").v[-1, 0])
    assert ends[0] == pytest.approx(1.0 - 0.4 * 9.81 * 0.1, abs=1e-7) == ends[1]
    assert ends[2] == pytest.approx(1.0, abs=1e-9)


def test_settings_and_wrong_names_are_refused() -> None:
    with pytest.raises(DynamicsError, match="no contact method 'glue'; there are frictionless"):
        simulate(cube(0.0), 0.1, 0.01, contact="glue")
    with pytest.raises(DynamicsError, match="rk4 does not take the contact method single_qp; symplectic_euler and"):
        simulate(cube(0.0), 0.1, 0.01, "rk4", contact="single_qp")
    for kind in (FixedPoint, StaggeredProjections):
        with pytest.raises(DynamicsError, match="expected 1 or more"):
            kind(passes=0)
    with pytest.raises(DynamicsError, match="expected one greater than 0, or None"):
        StaggeredProjections(regularizer=0.0)
