"""Shapes, materials, the floor and obstacles, and their records in files."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy

from core.dynamics.contact.materials import MATERIALS, friction_between
from core.dynamics.contact.obstacles import BallObstacle, BoxObstacle, Ramp, Stairs, obstacle_from_record
from core.dynamics.contact.shapes import MOST_POINTS, Box, Capsule, Geometry, Hull, Sphere
from core.dynamics.contact.world import Floor, World
from core.errors import DynamicsError
from core.spatial import SpatialInertia


def test_worlds_come_back_from_their_records() -> None:
    world = World(
        np.array([0.0, -1.6, 0.0]),
        Floor.tilted(0.2, 0.5, height=-0.3, friction=0.4),
        (
            BoxObstacle([1, 2, 3], position=[0, 1, 0], rotation=[0, 0.3, 0], name="crate", friction=0.1),
            BallObstacle(0.4),
            Ramp(2.0, 0.5, 1.0),
            Stairs(4, 0.2, 0.3, 1.5, position=[1, 0, 2]),
        ),
    )
    record = json.loads(json.dumps(world.to_record()))
    again = World.from_record(record)
    assert again.to_record() == record
    assert [geometry.name for geometry in again.geometries] == [geometry.name for geometry in world.geometries]
    for one, other in zip(world.geometries, again.geometries, strict=True):
        np.testing.assert_array_equal(one.X_BS, other.X_BS)
        np.testing.assert_array_equal(one.shape.polytope.points, other.shape.polytope.points)


def test_what_a_record_leaves_out_is_as_usual() -> None:
    world = World.from_record({})
    assert world.floor is not None and world.floor.height == 0.0 and not world.geometries
    np.testing.assert_array_equal(world.gravity, [0.0, -9.81, 0.0])
    assert World.from_record({"floor": None}).floor is None
    assert World.from_record({"gravity": 3.7}).gravity[1] == -3.7
    box = World.from_record({"obstacles": [{"kind": "box", "size": [1, 1, 1], "material": "ice"}]}).geometries[0]
    assert box.friction == MATERIALS["ice"]


BAD = [
    (3, "physics is 3; it must be a record with gravity, floor, obstacles"),
    ({"gravty": 9.81}, "physics has a member 'gravty'; it can have gravity, floor, obstacles"),
    ({"gravity": [0, "a", 0]}, "physics: gravity is [0, 'a', 0]; it must be numbers of shape (3,)"),
    ({"gravity": float("nan")}, "physics: gravity is nan; it must be a finite number"),
    (
        {"floor": {"normal": [0, -1, 0]}},
        "normal of the floor is [0.0, -1.0, 0.0]; it must point upwards, y more than 0",
    ),
    ({"floor": {"material": "moss"}}, "physics: floor: no material 'moss'; there are ice, polished, steel"),
    ({"floor": {"friction": -1}}, "physics: floor: friction -1 makes no sense; it must be from 0 to 10"),
    ({"obstacles": 4}, "physics: obstacles is 4; it must be a list"),
    ({"obstacles": [{"kind": "bx"}]}, "physics: obstacle 1: there is no kind 'bx'; there are box, ball, ramp, stairs"),
    ({"obstacles": [{"kind": "box"}]}, 'physics: obstacle 1: box without "size"; it needs one'),
    ({"obstacles": [{"kind": "ball", "radius": -1}]}, "radius -1 makes no sense; it must be between 0 and 1e+06"),
    ({"obstacles": [{"kind": "stairs", "steps": 2.5}]}, "steps is 2.5; it must be a whole number from 1 to 200"),
    (
        {"obstacles": [{"kind": "ramp", "length": 1, "height": 1, "width": 1, "name": 3}]},
        "name is 3; it must be a text",
    ),
]


@pytest.mark.parametrize(("record", "message"), BAD)
def test_what_makes_no_sense_is_reported_in_one_line(record: object, message: str) -> None:
    with pytest.raises(DynamicsError) as raised:
        World.from_record(record)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_floor_is_where_it_says() -> None:
    floor = Floor.tilted(0.3, 0.7, height=1.2)
    assert floor.height_at(0.0, 0.0) == pytest.approx(1.2)
    for x, z in ((1.0, 2.0), (-3.0, 0.5)):
        assert floor.normal @ [x, floor.height_at(x, z), z] == pytest.approx(floor.offset)
    rise = floor.height_at(np.sin(0.7), np.cos(0.7)) - 1.2
    assert rise == pytest.approx(np.tan(0.3))


def test_stairs_are_walkable_and_ramps_rise() -> None:
    stairs = Stairs(3, 0.2, 0.3, 1.0, position=[0.0, 0.1, 1.0])
    tops = [
        shape.X_BS[:3, 3] + [0.0, shape.shape.half_sizes[1], -shape.shape.half_sizes[2]] for shape in stairs.geometries
    ]
    np.testing.assert_allclose(tops, [[0, 0.3, 1.0], [0, 0.5, 1.3], [0, 0.7, 1.6]], atol=1e-12)
    wedge = Ramp(2.0, 0.5, 1.0).geometries[0].shape
    assert scipy.spatial.ConvexHull(wedge.points).volume == pytest.approx(0.5)
    slopes = wedge.polytope.normals
    assert np.abs(slopes - np.array([0.0, 2.0, -0.5]) / np.hypot(2.0, 0.5)).max(axis=1).min() < 1e-12


def test_hulls_keep_what_reaches_farthest_and_closed_faces() -> None:
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(2000, 3))
    hull = Hull(directions / np.linalg.norm(directions, axis=1)[:, None])
    top = hull.polytope
    assert len(top.points) <= MOST_POINTS
    assert scipy.spatial.ConvexHull(top.points).volume > 0.85 * 4.0 / 3.0 * np.pi
    assert len(top.points) - len(top.edges) + len(top.faces) == 2  # Euler
    for loop, normal in zip(top.faces, top.normals, strict=True):
        assert (top.points @ normal <= top.points[loop[0]] @ normal + 1e-12).all()
    cube = Hull(Box([1, 2, 3]).polytope.points)
    assert sorted(map(len, cube.polytope.faces)) == [4] * 6 and len(cube.polytope.edges) == 12
    assert len(Hull([[0, 0, 0], [1, 0, 0], [2, 0, 0]]).points) == 2
    assert len(Hull([[1, 2, 3], [1, 2, 3]]).points) == 1


def test_inertias_are_those_of_the_solids() -> None:
    box = Box([0.1, 0.2, 0.3]).inertia(2.0)
    np.testing.assert_allclose(box.inertia, SpatialInertia.box(2.0, (0.2, 0.4, 0.6)).inertia)
    np.testing.assert_allclose(Hull(Box([0.1, 0.2, 0.3]).polytope.points).inertia(2.0).inertia, box.inertia, atol=1e-12)
    np.testing.assert_allclose(Sphere(0.2).inertia(3.0).inertia, 0.4 * 3.0 * 0.04 * np.eye(3))
    np.testing.assert_allclose(Capsule(0.2, 0.0).inertia(3.0).inertia, Sphere(0.2).inertia(3.0).inertia, atol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sphere(-1.0), "radius of a sphere is -1 m; it must be from 0 to 1e+09 m"),
        (lambda: Capsule(0.1, float("nan")), "half length of a capsule is nan m"),
        (lambda: Box([1, 1]), "half sizes of a box has shape (2,); it must have shape (3,)"),
        (lambda: Hull(np.zeros((0, 3))), "points of a hull have shape (0, 3); it must be (n, 3) with n of 1 or more"),
        (lambda: Geometry(Sphere(1.0), -2), "a shape: body is -2; it must be a body's number, or -1 for the world"),
        (lambda: Geometry(Sphere(1.0), 0, friction=-1.0, name="ball"), 'shape "ball": friction -1 makes no sense'),
        (lambda: Box([0, 1, 1]).inertia(1.0), "a shape with a size of 0 has no volume; expected sizes more than 0"),
        (lambda: World(obstacles=(Geometry(Sphere(1.0), 2),)), "is on body 2; expected the world, -1"),
        (lambda: obstacle_from_record("box"), "obstacle is 'box'; it must be a record with kind, position and sizes"),
    ],
)
def test_shapes_that_cannot_be_are_refused(make: object, message: str) -> None:
    with pytest.raises(DynamicsError) as raised:
        make()  # type: ignore[operator]
    assert message in str(raised.value)


def test_friction_of_two_materials() -> None:
    assert friction_between(0.4, 0.4) == pytest.approx(0.4)
    assert friction_between(0.0, 1.0) == 0.0
    assert friction_between(0.2, 0.8) == friction_between(0.8, 0.2) == pytest.approx(0.4)
