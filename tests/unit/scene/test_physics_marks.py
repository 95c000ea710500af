"""Marks of physics are what they stand for, and drawn where they should be."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from app.look.theme import THEMES
from app.marks.ellipsoid_overlay import Shape, outline_points
from app.render.camera import Camera
from app.render.colors import srgb
from app.render.context import acquire
from app.render.ground import Ground
from app.render.physics_picture import CYLINDER, ELLIPSOID, Pen
from app.render.physics_world import obstacle_solid
from app.render.picture import Picture
from app.render.renderer import Renderer
from app.scene import physics_forces
from app.scene.physics_figure import equivalent_ellipsoid, figure_marks, placed
from app.scene.physics_scene import torque_tints
from core.dynamics.contact.obstacles import BoxObstacle
from core.dynamics.contact.world import Floor
from core.formats.bundled import bundled_folder
from core.kinematics import forward_kinematics
from core.preview.sample import ContactForces
from core.skeleton import Skeleton, load_skeleton
from core.spatial import so3
from core.spatial.inertia import SpatialInertia

DARK = THEMES["dark"]
SIZE = (320, 240)
FRONT = Camera(kind="front", target=(0.0, 1.0, 0.0), half_height=1.0)
SKEW = Camera(target=(0.0, 1.0, 0.0), distance=4.0, yaw=0.6, pitch=0.3)


@pytest.fixture(scope="module")
def human() -> Skeleton:
    return load_skeleton(bundled_folder() / "human.scr")


@pytest.fixture
def renderer() -> Iterator[Renderer]:
    made = Renderer(acquire())
    yield made
    made.dispose()


def drawn(renderer: Renderer, pen: Pen | None, camera: Camera = FRONT, **more) -> np.ndarray:  # type: ignore[no-untyped-def]
    picture = Picture(physics=None if pen is None else pen.picture(), grid=False, **more)
    return renderer.render(camera, picture, *SIZE, "dark", 4).astype(int)


def pixels(camera: Camera, points: np.ndarray) -> np.ndarray:
    """Return column and row of the pixels that points of the world lie in."""
    return np.floor(camera.project(points, *SIZE)[:, :2]).astype(int)


def near(image: np.ndarray, camera: Camera, points: np.ndarray, token: str, reach: int = 1) -> np.ndarray:
    """Return how near to a colour the pixels at points are, the best within some pixels, 0 to 255."""
    ink, found = np.round(255.0 * srgb(DARK, token)), []
    for x, y in pixels(camera, points):
        part = image[max(y - reach, 0) : y + reach + 1, max(x - reach, 0) : x + reach + 1, :3]
        found.append(np.abs(part - ink).max(axis=2).min())
    return np.array(found)


@pytest.mark.parametrize("seed", range(4))
def test_an_ellipsoid_has_the_inertia_of_its_body(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turned = [so3.exp(rng.normal(size=3)) for _ in range(3)]
    body = SpatialInertia.combine(
        SpatialInertia.box(rng.uniform(0.5, 3.0), rng.uniform(0.05, 0.4, 3)).moved(R, rng.normal(size=3))
        for R in turned
    )
    X, radii = equivalent_ellipsoid(body)
    same = SpatialInertia.ellipsoid(body.mass, radii).moved(X[:3, :3], X[:3, 3])
    assert_allclose(same.center, body.center, atol=1e-14)
    assert_allclose(same.inertia, body.inertia, rtol=1e-12, atol=1e-14)


def test_the_marks_of_the_human(human: Skeleton) -> None:
    marks = figure_marks(human)
    names = human.joint_names
    assert marks.mass == pytest.approx(sum(joint.mass for joint in human.joints)) and marks.scale == 1.0
    assert {names[i] for i in marks.hinges} == {"right shank", "left shank", "right toes", "left toes"}
    assert {"right upper arm", "head", "left foot"} <= {names[i] for i in marks.balls} and 0 not in marks.balls
    poses = forward_kinematics(human, human.rest_pose())
    knee = placed(poses, marks.hinges, marks.cylinders)[[names[i] for i in marks.hinges].index("right shank")]
    assert_allclose(np.linalg.norm(knee[:, :3], axis=0), (0.030, 0.030, 0.062))
    dof = human.all_dofs[human.first_dof[human.joint_index("right shank")]]
    axis = poses[human.joint_index("right shank"), :3, :3] @ dof.axis
    assert_allclose(np.abs(knee[:, 2] @ axis), 0.062, err_msg="it lies along the hinge")


@pytest.mark.parametrize("camera", [FRONT, SKEW])
def test_an_ellipsoid_is_drawn_where_it_is(renderer: Renderer, camera: Camera) -> None:
    axes, radii, center = so3.exp([0.4, -0.7, 0.3]), np.array([0.4, 0.2, 0.1]), np.array([0.1, 1.1, 0.2])
    pen = Pen(DARK)
    pen.shapes(ELLIPSOID, np.column_stack([axes * radii, center])[None], ("dyn",), 0, 2.0, 0.5)
    image, empty = drawn(renderer, pen, camera), drawn(renderer, None, camera)
    outline = outline_points(SimpleNamespace(camera=camera), Shape(center, axes, radii, 3, 1.0))
    assert near(image, camera, outline, "dyn").max() < 40
    seen, middle = camera.project(outline, *SIZE)[:, :2], camera.project(center, *SIZE)[0, :2]
    for share, differs in ((0.8, True), (1.25, False)):
        x, y = np.floor(middle + share * (seen - middle)).astype(int).T
        assert (np.abs(image[y, x] - empty[y, x]).max(axis=1) > 5).all() == differs


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.3, 0.5, 0.8)])
def test_a_cylinder_is_drawn_where_it_is(renderer: Renderer, axis: tuple[float, float, float]) -> None:
    z = np.array(axis) / np.linalg.norm(axis)
    x = np.cross(z, [0.0, 1.0, 0.0])
    x /= np.linalg.norm(x)
    center, radius, half = np.array([0.0, 1.0, 0.0]), 0.2, 0.5
    pen = Pen(DARK)
    pen.shapes(
        CYLINDER, np.column_stack([radius * x, radius * np.cross(z, x), half * z, center])[None], ("accent",), 0, 2.0
    )
    image = drawn(renderer, pen)
    turn = np.linspace(0.0, 2.0 * np.pi, 60)[:, None]
    ring = radius * (np.cos(turn) * x + np.sin(turn) * np.cross(z, x))
    solid = np.concatenate([center + half * z + ring, center - half * z + ring])
    seen = FRONT.project(solid, *SIZE)[:, :2]
    ink = np.round(255.0 * srgb(DARK, "accent"))
    rows, columns = np.nonzero(np.abs(image[..., :3] - ink).max(axis=2) < 40)
    assert_allclose([columns.min(), columns.max() + 1], [seen[:, 0].min(), seen[:, 0].max()], atol=2.0)
    assert_allclose([rows.min(), rows.max() + 1], [seen[:, 1].min(), seen[:, 1].max()], atol=2.0)


def contacts(points: object, forces: object, joints: object, friction: float = 0.8) -> ContactForces:
    points = np.array(points, dtype=float)
    count = len(points)
    up = np.tile([0.0, 1.0, 0.0], (count, 1))
    return ContactForces(
        points, up, np.array(forces, dtype=float), np.full(count, friction), np.array(joints), np.full(count, -2)
    )


def test_forces_of_a_part_act_together() -> None:
    found = physics_forces.resultants(
        contacts(
            [[0, 0, 0], [1, 0, 0], [5, 0, 0], [9, 0, 0]],
            [[0, 300, 0], [0, 100, 0], [0, 2, 0], [0, 7, 0]],
            [4, 4, 2, -1],
        ),
        least=5.0,
    )
    assert found.joints.tolist() == [4], "the force on joint 2 is too small, and a thing has no joint"
    assert_allclose(found.forces, [[0.0, 400.0, 0.0]])
    assert_allclose(found.points, [[0.25, 0.0, 0.0]])
    assert_allclose(physics_forces.arrow_ends(found, 1.0), [[0.25, 0.4, 0.0]], err_msg="1 m a kN")
    assert_allclose(physics_forces.arrow_ends(found, 1.0, 0.3), [[0.25, 0.3, 0.0]], err_msg="no longer than that")
    pens = [Pen(DARK) for _ in range(2)]
    for pen, most in zip(pens, (0.5, 0.3), strict=True):
        physics_forces.draw_forces(pen, found, 1.0, most)
    whole, cut = (pen.picture(None).lines for pen in pens)
    assert len(cut) == 2 * len(whole), "an arrow that is cut has a second head"


@pytest.mark.parametrize("joints", [[], [-1], [-1, -1]])
def test_things_may_touch_while_the_figure_does_not(joints: list[int]) -> None:
    count = len(joints)
    found = physics_forces.resultants(contacts(np.zeros((count, 3)), np.full((count, 3), 9.0), joints), least=5.0)
    assert not len(found.joints)
    assert {found.points.shape, found.forces.shape, found.normals.shape} == {(0, 3)}
    pen = Pen(DARK)
    physics_forces.draw_forces(pen, found, 1.0)
    physics_forces.draw_cones(pen, found, 1.0)


def test_an_arrow_is_as_long_as_its_force_and_a_cone_as_wide_as_its_friction(renderer: Renderer) -> None:
    mu = 0.5
    found = physics_forces.resultants(contacts([[-0.5, 0.4, 0.0]], [[0.0, 900.0, 0.0]], [0], mu), 1.0)
    pen = Pen(DARK)
    physics_forces.draw_forces(pen, found, 1.0)
    image = drawn(renderer, pen)
    shaft = found.points + np.linspace(0.05, 0.95, 10)[:, None] * [[0.0, 0.9, 0.0]]
    assert near(image, FRONT, shaft, "force").max() < 30
    assert near(image, FRONT, found.points + np.array([0.0, 0.93, 0.0]), "force").min() > 60, "nothing beyond its tip"
    found = physics_forces.resultants(contacts([[0.0, 0.4, 0.0]], [[0.0, 9.0, 0.0]], [0], mu), 1.0)
    pen = Pen(DARK)
    physics_forces.draw_cones(pen, found, 1.0)
    image = drawn(renderer, pen)
    for side in (-1.0, 1.0):
        edge = found.points + np.linspace(0.02, 0.98, 80)[:, None] * [[side * mu, 1.0, 0.0]]
        lit = near(image, FRONT, edge, "force") < 60
        assert 0.45 < lit.mean() < 0.9, "dashed along its edge"
        assert (near(image, FRONT, edge + np.array([side * 0.06, 0.0, 0.0]), "force") > 60).mean() > 0.95


def test_the_centre_of_mass_drops_onto_a_tilted_floor() -> None:
    floor = Floor.tilted(0.3, 0.7, height=-0.2)
    ground = Ground(floor.normal, floor.offset)
    place = ground.below(np.array([0.4, 1.3, -0.6]))
    assert_allclose(place, [0.4, floor.height_at(0.4, -0.6), -0.6])
    corners = physics_forces.support_corners(
        np.array([[0, 0, 0], [1, 0, 0], [1, 0.2, 1], [0, 0, 1], [0.5, 0, 0.4]], float)
    )
    assert sorted(corners.tolist()) == [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0.2, 1]]
    assert physics_forces.support_corners(np.zeros((0, 3))).shape == (0, 3)


def test_the_ring_runs_the_way_the_figure_turns() -> None:
    spin = np.array([0.3, -2.0, 0.5])
    center = np.array([0.0, 1.0, 0.0])
    ring = physics_forces.ring_points(center, np.concatenate([spin, np.zeros(3)]), 70.0, 1.75, 1.0)
    arms = ring - center
    assert_allclose(np.linalg.norm(arms, axis=1), physics_forces.RING_RADIUS)
    assert_allclose(arms @ spin, 0.0, atol=1e-12)
    assert (np.cross(arms[:-1], arms[1:]) @ spin > 0.0).all()
    assert physics_forces.ring_points(center, np.zeros(6), 70.0, 1.75, 1.0) is None


def test_torques_redden_segments(human: Skeleton) -> None:
    marks, knee = figure_marks(human), human.joint_index("left shank")
    torques = np.zeros(human.n_dofs)
    torques[human.first_dof[knee]] = -100.0
    tints = torque_tints(marks, torques, 100.0, DARK)
    assert tints[knee, 3] == pytest.approx(0.88) and not np.delete(tints[:, 3], knee).any()
    assert torque_tints(marks, 0.25 * torques, 100.0, DARK)[knee, 3] == pytest.approx(0.44)


def test_obstacles_and_raised_floors_are_seen(renderer: Renderer) -> None:
    box = BoxObstacle(np.array([0.4, 0.4, 0.4]), position=np.array([0.5, 1.2, 0.0]))
    there = drawn(renderer, None, solids=(obstacle_solid(box.geometries),))
    empty = drawn(renderer, None)
    changed = np.abs(there - empty).max(axis=2) > 8
    rows, columns = np.nonzero(changed)
    (left, top), (right, bottom) = FRONT.project([[0.3, 1.4, 0.2], [0.7, 1.0, 0.2]], *SIZE)[:, :2]
    assert_allclose(
        [columns.min(), columns.max() + 1, rows.min(), rows.max() + 1], [left, right, top, bottom], atol=1.0
    )
    raised, level = drawn(renderer, None, ground=Ground(level=0.5)), int(FRONT.project([[0.0, 0.5, 0.0]], *SIZE)[0, 1])
    low = Camera(kind="front", target=(0.0, 0.5, 0.0), half_height=1.0)
    assert_allclose(raised, drawn(renderer, None, low), atol=1, err_msg="as the usual floor seen from as much lower")
    assert np.abs(raised[level + 10] - empty[level + 10]).max() > 4
