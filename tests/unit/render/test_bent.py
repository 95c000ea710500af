"""Figures that bend, through real OpenGL: what is drawn is what ``skinned_vertices`` says, in every kind of picture."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image, ImageDraw

from app.look.theme import DARK
from app.render.camera import Camera
from app.render.context import GraphicsError, acquire
from app.render.mesh import geometry
from app.render.mesh.surface import figure_surface
from app.render.picture import Picture
from app.render.renderer import Renderer
from core.kinematics import forward_kinematics
from core.kinematics.picking import Picker
from core.skeleton import Joint, Mesh, SegmentObject, Skeleton
from core.skeleton.segment import segment_mesh
from core.skeleton.skin import skinned_vertices
from tests.support.tubes import tube

WIDTH, HEIGHT = 400, 400
FRONT = {"target": (0.0, 0.5, 0.0), "half_height": 0.9}


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    try:
        made = Renderer(acquire())
    except GraphicsError as error:
        pytest.skip(f"no OpenGL here: {error}")
    yield made
    made.dispose()


def bent_poses(s: Skeleton, seed: int) -> np.ndarray:
    q = np.zeros(s.nq)
    q[:3] = 0.1, -0.05, 0.02
    q[3:] = np.random.default_rng(seed).uniform(0.8, 1.7, s.n_dofs) * [0.2, -0.2, 1.0, 0.5, -1.0, 0.5]
    return forward_kinematics(s, q)


def expected(s: Skeleton, poses: np.ndarray, camera: Camera, joints: range | set[int]) -> np.ndarray:
    """The silhouette of some segments by numpy and a painter of polygons, shape (height, width)."""
    image = Image.new("1", (4 * WIDTH, 4 * HEIGHT))
    draw = ImageDraw.Draw(image)
    for joint in joints:
        mesh = segment_mesh(s, joint)
        assert mesh is not None
        pixels = 4.0 * camera.project(skinned_vertices(s, joint, poses), WIDTH, HEIGHT)[:, :2]
        for triangle in mesh.triangles:
            draw.polygon([tuple(p) for p in pixels[triangle].tolist()], fill=1)
    return np.asarray(image.resize((WIDTH, HEIGHT), Image.Resampling.BOX).convert("L")) > 127


def exact(a: np.ndarray, b: np.ndarray) -> float:
    """Share of the figure's pixels that differ."""
    return float((a != b).sum() / b.sum())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (1.3, 0.9, 0.7)], ids=["plain", "scaled"])
@pytest.mark.parametrize("kind", ["front", "side", "perspective"])
def test_the_picture_is_the_skin(renderer: Renderer, kind: str, scale: tuple[float, float, float]) -> None:
    s = tube(24, 13, scale, radius=0.12)
    renderer.set_figure(s)
    camera = Camera(kind=kind, distance=3.0, **FRONT)
    for seed in range(3):
        poses = bent_poses(s, seed)
        drawn = renderer.render(camera, Picture(poses, background=False), WIDTH, HEIGHT, DARK, 4)[..., 3] > 127
        wanted = expected(s, poses, camera, range(3))
        assert wanted.sum() > 3000
        assert exact(drawn, wanted) < 0.011


def test_a_bent_figure_is_not_drawn_as_a_rigid_one(renderer: Renderer) -> None:
    """The comparison above would tell: the same meshes without weights differ by much more."""
    s = tube(24, 13, radius=0.12)
    joints = []
    for joint in s.joints:
        mesh = joint.objects[0].mesh
        assert mesh is not None
        made = (SegmentObject("a.pol", Mesh(mesh.vertices, mesh.triangles)),)
        joints.append(Joint(joint.name, joint.parent, offset=joint.offset, dofs=joint.dofs, objects=made))
    stiff = Skeleton("stiff", joints)
    camera = Camera(kind="front", **FRONT)
    poses = bent_poses(s, 0)
    renderer.set_figure(stiff)
    drawn = renderer.render(camera, Picture(poses, background=False), WIDTH, HEIGHT, DARK, 4)[..., 3] > 127
    assert exact(drawn, expected(stiff, poses, camera, range(3))) < 0.011
    assert exact(drawn, expected(s, poses, camera, range(3))) > 0.022


@pytest.mark.verify
def test_small_pictures_are_drawn_coarsely_and_still_bent(renderer: Renderer) -> None:
    s = tube(64, 65, radius=0.12)
    renderer.set_figure(s)
    poses = bent_poses(s, 1)
    camera = Camera(kind="front", **FRONT)
    drawn = renderer.render(camera, Picture(poses, background=False), WIDTH, HEIGHT, DARK, 4)[..., 3] > 127
    if renderer.software:
        figure = renderer._figure
        assert figure is not None and figure.triangle_areas[0] / camera.pixel_size(HEIGHT) ** 2 < 10.0
    assert exact(drawn, expected(s, poses, camera, range(3))) < 0.03


@pytest.mark.verify
def test_a_ghost_is_bent_as_its_own_pose_is(renderer: Renderer) -> None:
    s = tube(24, 13, radius=0.12)
    renderer.set_figure(s)
    camera = Camera(kind="front", **FRONT)
    away = np.tile(np.eye(4), (3, 1, 1))
    away[:, 0, 3] = 50.0  # the figure itself is out of the picture
    poses = bent_poses(s, 2)
    picture = Picture(away, [(poses, "ghost_before", 1.0)], background=False)
    drawn = renderer.render(camera, picture, WIDTH, HEIGHT, DARK, 4)[..., 3] > 60
    assert exact(drawn, expected(s, poses, camera, range(3))) < 0.012


@pytest.mark.verify
def test_an_outline_runs_round_the_bent_segment(renderer: Renderer) -> None:
    s = tube(24, 13, radius=0.12)
    renderer.set_figure(s)
    camera = Camera(kind="front", **FRONT)
    q = np.zeros(s.nq)
    q[5] = 1.0
    poses = forward_kinematics(s, q)
    plain = renderer.render(camera, Picture(poses), WIDTH, HEIGHT, DARK).astype(int)
    line = np.abs(renderer.render(camera, Picture(poses, selected={1}), WIDTH, HEIGHT, DARK) - plain).max(axis=2) > 40
    middle = expected(s, poses, camera, {1})
    inside = middle & np.all([np.roll(middle, k, axis) for axis in (0, 1) for k in (-1, 1)], axis=0)
    assert line.sum() > 100 and not (line & inside).any()
    rows, columns = np.nonzero(line)
    near = np.zeros_like(middle)
    for dx in range(-4, 5):
        for dy in range(-4, 5):
            near |= np.roll(middle, (dy, dx), (0, 1))
    assert near[rows, columns].all(), "nowhere far from the segment"
    others = expected(s, poses, camera, {0, 2}) & ~middle
    assert (line & others).sum() > 20, "also where it meets its neighbours"


def test_a_click_takes_what_is_drawn(renderer: Renderer) -> None:
    s = tube(24, 13, radius=0.12)
    renderer.set_figure(s)
    picker = Picker(s)
    camera = Camera(target=(0.0, 0.5, 0.0), distance=3.0)
    for seed in range(3):
        poses = bent_poses(s, seed)
        drawn = renderer.render(camera, Picture(poses, background=False), WIDTH, HEIGHT, DARK)[..., 3] > 0
        sides = [np.roll(drawn, k, axis) for axis in (0, 1) for k in (-2, 2)]
        for inside, hit in ((drawn & np.all(sides, axis=0), True), (~drawn & ~np.any(sides, axis=0), False)):
            rows, columns = np.nonzero(inside)
            for k in range(0, len(rows), len(rows) // 40):
                ray = camera.ray(columns[k] + 0.5, rows[k] + 0.5, WIDTH, HEIGHT)
                assert (picker.pick(poses, *ray) is not None) == hit


@pytest.mark.verify
def test_bounds_and_shadow_follow_the_bend(renderer: Renderer) -> None:
    s = tube(24, 13, radius=0.12)
    renderer.set_figure(s)
    q = np.zeros(s.nq)
    q[5] = 1.4
    poses = forward_kinematics(s, q)
    points = np.concatenate([skinned_vertices(s, k, poses) for k in range(3)])
    low, high = renderer.bounds(poses)
    assert low == pytest.approx(points.min(axis=0), abs=0.02) and high == pytest.approx(points.max(axis=0), abs=0.02)
    figure = renderer._figure
    assert figure is not None
    centers, radii = figure.spheres(poses)
    directions = np.random.default_rng(1).normal(size=(200, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    reach = (centers @ directions.T + radii[:, None]).max(axis=0)
    assert (reach >= (points @ directions.T).max(axis=0) - 1e-6).all(), "the spheres' hull holds the figure"
    camera = Camera(kind="top", target=(0.0, 0.0, 0.0), half_height=2.0)
    bare = renderer.render(camera, Picture(grid=False), WIDTH, HEIGHT, "light").astype(int)
    straight, bent = (
        (bare - renderer.render(camera, Picture(p, grid=False), WIDTH, HEIGHT, "light")).max(axis=2)
        for p in (forward_kinematics(s, np.zeros(s.nq)), poses)
    )
    # Folded to the side, the end is lower, so its shadow is nearer to the foot.
    assert (straight > 8).sum() > 200 and (bent > 8).sum() > 200
    assert np.abs(straight - bent).max() > 20


def test_the_light_does_not_show_where_segments_meet(renderer: Renderer) -> None:
    """Along the tube, straight or bent, brightness changes without steps at the shared rings."""
    s = tube(48, 13)
    renderer.set_figure(s)
    camera = Camera(kind="front", target=(0.0, 0.6, 0.0), half_height=0.65)
    image = renderer.render(
        camera, Picture(forward_kinematics(s, np.zeros(s.nq)), background=False), WIDTH, HEIGHT, DARK, 4
    )
    column = image[:, WIDTH // 2, 1].astype(int)
    rows = [int(camera.project([[0.0, y, 0.06]], WIDTH, HEIGHT)[0, 1]) for y in (1.1, 0.1)]
    along = column[rows[0] : rows[1]]
    assert along.min() > 100 and np.abs(np.diff(along)).max() <= 2 and np.ptp(along) <= 6


def frozen(s: Skeleton, poses: np.ndarray) -> Skeleton:
    """The bent skin as one rigid mesh, without the caps inside."""
    surface = figure_surface(s)
    first = {joint: int(np.argmax(surface.owners == joint)) for joint in range(len(s.joints))}
    points = np.concatenate([skinned_vertices(s, joint, poses) for joint in range(len(s.joints))])
    assert list(first.values()) == sorted(first.values())
    mesh = Mesh(points, surface.faces[~surface.inner])
    return Skeleton("frozen", [Joint("all", -1, objects=(SegmentObject("a.pol", mesh),))])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_a_bent_skin_is_lit_as_the_shape_it_has(renderer: Renderer, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a rigid mesh of the same shape, whose normals come from its own triangles."""
    camera = Camera(kind="front", **FRONT)
    s = tube(32, 31, radius=0.12)
    poses = bent_poses(s, seed)

    def picture(figure: Skeleton, frames: np.ndarray) -> np.ndarray:
        renderer.set_figure(figure)
        return renderer.render(camera, Picture(frames, background=False), WIDTH, HEIGHT, DARK, 4).astype(int)

    monkeypatch.setattr(geometry, "baked_occlusion", lambda points, *rest: np.ones(len(points)))
    wanted = picture(frozen(s, poses), np.eye(4)[None])
    whole = wanted[..., 3] == 255
    whole &= np.all([np.roll(whole, k, axis) for axis in (0, 1) for k in (-1, 1)], axis=0)

    def off(image: np.ndarray) -> float:
        return float(np.abs(image - wanted)[whole][:, :3].mean())

    right = off(picture(s, poses))
    monkeypatch.setattr(geometry, "weight_slopes", lambda points, *rest: np.zeros((len(points), 4, 3)))
    plain = off(picture(tube(32, 31, radius=0.12), poses))
    assert right < 0.8 and right < 0.5 * plain
