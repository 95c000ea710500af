"""Bodies on ground of triangles: rolling, sliding and sticking on slopes, rest in a bowl, in corners and over edges."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.dynamics import Body, Multibody
from core.dynamics.contact.contact_set import ContactSet
from core.dynamics.contact.scene import Contacts
from core.dynamics.contact.shapes import Box, Capsule, Geometry, Hull, Shape, Sphere
from core.dynamics.contact.touching import ContactFinder
from core.dynamics.contact.world import Floor, World
from core.joints import Free
from core.kernels import uncompiled
from core.spatial import so3
from core.terrain import Terrain, height_field, stairs
from tests.support.contact_scenes import GRAVITY, loose, on_floor, shapes_of, total
from tests.support.counts import few_of, is_quick

STEP = 1.0 / 240.0
FLAT = Box((0.2, 0.05, 0.1))


def slope(angle: float, heading: float) -> Terrain:
    """Return ground that rises evenly towards a heading, through the origin, of triangles 0.25 m wide."""
    x = 0.25 * (np.arange(60) - 30)
    X, Z = np.meshgrid(x, x, indexing="ij")
    return height_field(math.tan(angle) * (math.sin(heading) * X + math.cos(heading) * Z), 0.25, (x[0], x[0]))


def bowl(spacing: float) -> Terrain:
    """Return a bowl 4 m wide and 1 m deep, its bottom below the floor."""
    x = np.arange(-2.0, 2.0 + 0.5 * spacing, spacing)
    X, Z = np.meshgrid(x, x, indexing="ij")
    return height_field(0.25 * (X**2 + Z**2) - 1.0, spacing, (x[0], x[0]))


def rough(seed: int, side: int = 101) -> Terrain:
    """Return 2 (side - 1)^2 triangles of heights at random."""
    heights = np.random.default_rng(seed).uniform(0.0, 0.2, (side, side))
    return height_field(heights, 0.3, (-0.15 * (side - 1), -0.15 * (side - 1)))


@pytest.mark.parametrize("heading", [0.0, 0.4, 1.1])
def test_a_ball_rolls_down_a_slope_as_fast_as_the_equations_say(heading: float) -> None:
    angle, steps = 0.3, 240
    s = loose([(Sphere(0.1), 1.0)], friction=0.8, ground=slope(angle, heading), step=STEP)
    plane = Floor.tilted(angle, heading)
    start = on_floor(plane, 0.1)
    s.set_state(start, np.zeros(6))
    s.step(steps)
    x, v = s.state()
    down = -np.array([math.sin(heading) * math.cos(angle), math.sin(angle), math.cos(heading) * math.cos(angle)])
    pull = 5.0 / 7.0 * GRAVITY * math.sin(angle)
    travel = (x - start)[:3]
    assert float(travel @ down) == pytest.approx(0.5 * pull * STEP**2 * steps * (steps + 1), rel=2e-3)
    assert float(np.linalg.norm(travel - (travel @ down) * down)) < 1e-12
    assert float(v[:3] @ down) == pytest.approx(pull * steps * STEP, rel=2e-3)


def test_on_the_same_slope_ground_and_floor_do_the_same() -> None:
    angle, heading = 0.35, 0.7
    floor = Floor.tilted(angle, heading, friction=0.5)
    states = []
    for ground, below in ((slope(angle, heading), Floor(friction=0.5)), (None, floor)):
        s = loose([(FLAT, 3.0)], friction=0.5, floor=below, ground=ground, step=STEP)
        s.set_state(on_floor(floor, 0.3, 0.4), np.array([0.5, 0.0, 0.3, 1.0, 2.0, -1.0]))
        s.step(90)
        states.append(np.concatenate(s.state()))
    np.testing.assert_allclose(states[0], states[1], atol=1e-7)


@pytest.mark.parametrize("heading", [0.0, 0.7])
def test_a_box_sticks_just_below_the_angle_of_friction_and_slides_just_above(heading: float) -> None:
    mu, steps = 0.5, 480
    for share, slides in ((0.999, False), (1.001, True), (1.5, True)):
        angle = math.atan(share * mu)
        s = loose([(FLAT, 3.0)], friction=mu, ground=slope(angle, heading), step=STEP)
        start = on_floor(Floor.tilted(angle, heading), 0.05, 0.3)
        s.set_state(start, np.zeros(6))
        s.step(steps)
        change = s.state()[0] - start
        pull = GRAVITY * (math.sin(angle) - mu * math.cos(angle))
        wanted = 0.5 * pull * STEP**2 * steps * (steps + 1) if slides else 0.0
        assert abs(float(np.linalg.norm(change[:3])) - wanted) <= (1e-5 if slides else 1e-9)
        assert np.abs(change[3:]).max() <= 1e-9  # it does not turn


def test_a_ball_comes_to_rest_in_a_bowl_below_the_floor_and_gains_no_energy() -> None:
    s = loose([(Sphere(0.15), 1.0)], friction=0.5, ground=bowl(1.0), step=STEP)
    s.set_state(np.array([1.1, 0.4, 0.3, 0.0, 0.0, 0.0]), np.zeros(6))
    energy, rise = total(s), 0.0
    for _ in range(180):
        s.step(40)
        now = total(s)
        energy, rise = now, max(rise, now - energy)
    assert rise <= 1e-9
    x, v = s.state()
    assert x[:3] == pytest.approx([0.0, math.sqrt(1.0 + 0.25**2) * 0.15 - 1.0, 0.0], abs=2e-2)
    assert np.abs(v).max() <= 1e-5


def test_momentum_on_level_ground_is_that_on_the_floor_to_the_bit_of_rounding() -> None:
    results = []
    for ground in (None, height_field(np.zeros((9, 9)), 0.5, (-2.0, -2.0))):
        s = loose([(Box((0.1, 0.1, 0.1)), 2.0), (Capsule(0.05, 0.2), 1.0)], ground=ground, step=STEP)
        s.set_state(
            np.array([0.0, 0.5, 0.0, 0.3, 0.2, 0.1, 0.7, 0.6, 0.0, 0.4, 0.0, 0.9]),
            np.array([0.5, 0.0, 0.2, 1.0, 0.0, 2.0, 0.0, 0.0, 0.3, 0.0, 1.0, 0.0]),
        )
        s.step(120)
        results.append(np.concatenate(s.state()))
    np.testing.assert_allclose(results[1], results[0], atol=1e-8)


SHAPES: tuple[tuple[Shape, float], ...] = (
    (Sphere(0.1), 1.0), (Sphere(0.3), 3.0), (Box((0.1, 0.1, 0.1)), 2.0), (Box((0.3, 0.02, 0.2)), 2.0),
    (Capsule(0.05, 0.3), 1.0), (Capsule(0.02, 0.1), 0.2), (Sphere(0.03), 0.1),
    (Hull(np.random.default_rng(2).normal(size=(20, 3)) * 0.1), 1.0),
)  # fmt: skip


@pytest.mark.parametrize("seed", few_of(range(10), 1))
def test_nothing_falls_through_twenty_thousand_triangles(seed: int) -> None:
    ground = rough(seed)
    assert len(ground.triangles) == 20_000
    random = np.random.default_rng(seed)
    s = loose(SHAPES, ground=ground, step=STEP)
    x = np.zeros((len(SHAPES), 6))
    x[:, [0, 2]], x[:, 1] = random.uniform(-10.0, 10.0, (len(SHAPES), 2)), random.uniform(0.8, 8.0, len(SHAPES))
    x[:, 3:] = random.normal(size=(len(SHAPES), 3))
    s.set_state(x.ravel(), 3.0 * random.normal(size=6 * len(SHAPES)))
    start = energy = total(s)
    for _ in range(40 if is_quick() else 120):
        s.step(12)
        energy = total(s)
        places = s.readings.body_poses()[:, :3, 3]
        assert (places[:, 1] > ground.heights(places[:, [0, 2]]) - 0.02).all()
    assert energy < start


ROOF = height_field(np.repeat((0.5 - 0.3 * np.abs(np.linspace(-3, 3, 7)))[:, None], 7, axis=1), 1.0, (-3.0, -3.0))


@pytest.mark.parametrize(
    ("shape", "turn", "height"),
    [(Box((0.3, 0.05, 0.1)), (0, 0, 0), 0.05), (Capsule(0.04, 0.3), (0, math.pi / 2, 0), 0.04)],
)
def test_a_ridge_bears_what_lies_across_it(shape: Shape, turn: tuple[float, ...], height: float) -> None:
    s = loose([(shape, 1.0)], friction=0.8, ground=ROOF, step=STEP)
    s.set_state(np.array([0.0, 0.55 + height, 0.35, *turn]), np.zeros(6))
    s.step(480)
    x, v = s.state()
    assert x[:3] == pytest.approx([0.0, 0.5 + height, 0.35], abs=1e-9)
    assert np.abs(v).max() <= 1e-9


def test_on_stairs_a_box_lies_on_the_edge_of_a_tread_and_tips_over_it() -> None:
    ground = stairs(0.17, 0.3, 6, 2.0, 0.6)
    box, states = Box((0.1, 0.05, 0.15)), []
    for z in (0.62, 0.58):  # the edge is at 0.6: over the tread, then past it
        s = loose([(box, 2.0)], ground=ground, step=STEP)
        s.set_state(np.array([0.0, 0.17 + 0.05 + 1e-3, z, 0.0, 0.0, 0.0]), np.zeros(6))
        s.step(480)
        states.append(s.state()[0])
    assert states[0] == pytest.approx([0.0, 0.22, 0.62, 0.0, 0.0, 0.0], abs=1e-6)
    assert states[1][1] < 0.15 and abs(states[1][3]) > 0.3


def test_a_riser_stops_a_ball_and_a_box() -> None:
    ground = stairs(0.17, 0.3, 6, 2.0, 0.6)
    for shape in (Sphere(0.1), Box((0.1, 0.1, 0.1))):
        s = loose([(shape, 1.0)], friction=0.2, ground=ground, step=STEP)
        s.set_state(np.array([0.0, 0.1, 0.3, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.5, 0.0, 0.0, 0.0]))
        s.step(240)
        x, _ = s.state()
        assert 0.0 < x[2] < 0.501 and x[1] == pytest.approx(0.1, abs=2e-3)


def test_in_the_corner_of_a_valley_a_ball_touches_both_sides_and_a_point_of_a_box_too() -> None:
    valley = height_field(np.repeat(np.abs(np.linspace(-3, 3, 7))[:, None], 7, axis=1), 1.0, (-3.0, -3.0))
    model = Multibody([Body("one", -1, Free(), inertia=Sphere(0.1).inertia(1.0))])
    up = math.sqrt(2.0) * 0.1
    found = ContactSet(model, shapes_of([Sphere(0.1)]), World(ground=valley))
    pose = np.eye(4)
    pose[:3, 3] = 0.0, up, 0.3
    rows, numbers = found.find(pose[None], np.array([1e-3]))
    assert len(rows) == 2 and len(set(numbers.tolist())) == 2
    half = math.sqrt(0.5)
    assert sorted(rows[:, 3].tolist()) == pytest.approx([-half, half], abs=1e-12)
    assert rows[:, 6] == pytest.approx([0.0, 0.0], abs=1e-12)


def test_beside_the_ground_is_the_floor_and_over_it_is_none() -> None:
    ground = height_field(np.full((3, 3), -1.0), 1.0, (-1.0, -1.0))  # a pit
    model = Multibody([Body("one", -1, Free(), inertia=Sphere(0.1).inertia(1.0))])
    for world, x, gap in (
        (World(ground=ground), 3.0, -0.05), (World(ground=ground), 0.0, None),
        (World(floor=None, ground=ground), 3.0, None), (World(floor=Floor(-0.5), ground=ground), 3.0, 0.45),
    ):  # fmt: skip
        pose = np.eye(4)
        pose[:3, 3] = x, 0.05, 0.0
        rows, _ = ContactSet(model, shapes_of([Sphere(0.1)]), world).find(pose[None], np.array([0.5]))
        assert rows[:, 6].tolist() == ([] if gap is None else pytest.approx([gap]))


def test_the_text_of_the_kernel_finds_what_the_compiled_one_finds() -> None:
    random = np.random.default_rng(5)
    bodies = [Body(f"body {k}", -1, Free(), inertia=shape.inertia(1.0)) for k, (shape, _) in enumerate(SHAPES)]
    model, some = Multibody(bodies), 0
    contacts = ContactSet(model, shapes_of([shape for shape, _ in SHAPES]), World(ground=rough(1, 21)))
    for _ in range(4):
        poses = np.tile(np.eye(4), (len(SHAPES), 1, 1))
        poses[:, :3, :3] = so3.exp(random.normal(size=(len(SHAPES), 3)))
        poses[:, :3, 3] = random.uniform([-2.8, 0.0, -2.8], [2.8, 0.35, 2.8], (len(SHAPES), 3))
        reach = np.full(len(SHAPES), 0.02)
        rows, numbers = contacts.find(poses, reach)
        with uncompiled():
            plain, again = contacts.find(poses, reach)
        np.testing.assert_array_equal(numbers, again)
        np.testing.assert_allclose(rows, plain, atol=1e-12)
        some += len(rows)
    assert some > 40


def test_contacts_of_scenes_and_their_records_know_ground() -> None:
    ground = slope(0.2, 0.5)
    world = World(ground=ground)
    again = World.from_record(world.to_record())
    assert again.ground is not None and np.array_equal(again.ground.vertices, ground.vertices)
    model = Multibody([Body("ball", -1, Free(), inertia=Sphere(0.1).inertia(1.0))])
    finder = ContactFinder(model, Contacts((Geometry(Sphere(0.1), 0),), world))
    pose = np.eye(4)
    pose[:3, 3] = 0.1 * ground.normals(np.zeros((1, 2)))[0]
    touching = finder.find(pose[None], np.zeros((1, 6)), np.zeros((1, 6)), STEP)
    np.testing.assert_allclose(touching.normals, ground.normals(np.zeros((1, 2))), atol=1e-12)
    np.testing.assert_allclose(touching.gaps, 0.0, atol=1e-12)


def test_heights_over_a_world_are_those_of_ground_and_floor() -> None:
    world = World(floor=Floor(-0.2), ground=slope(0.3, 0.0))
    points = np.array([[0.0, 1.0, 1.0], [100.0, 1.0, 0.0]])
    over = (1.0 - math.tan(0.3)) * math.cos(0.3)
    assert world.above(points) == pytest.approx([over, 1.2])
    assert world.normals(points)[1].tolist() == [0.0, 1.0, 0.0]
    assert World(floor=None).above(points).tolist() == [math.inf] * 2
