"""The figure's light against its formula, the shadow its parts cast on each other, and baked occlusion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import trimesh

from app.look.theme import DARK, LIGHT, Theme
from app.render.camera import Camera
from app.render.colors import linear, srgb
from app.render.context import GraphicsError, acquire
from app.render.mesh.geometry import build_geometry
from app.render.passes.key_shadow import KEY_LIGHT, SIZE, light_square
from app.render.picture import Picture
from app.render.renderer import Renderer
from core.skeleton import Joint, Mesh, SegmentObject, Skeleton

WIDTH, HEIGHT = 300, 300


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    try:
        made = Renderer(acquire())
    except GraphicsError as error:
        pytest.skip(f"no OpenGL here: {error}")
    yield made
    made.dispose()


def mesh_of(shape: trimesh.Trimesh) -> Mesh:
    return Mesh(shape.vertices, shape.faces)


def figure(*meshes: Mesh) -> Skeleton:
    """Every mesh a joint of its own, each the child of the first."""
    joints = [Joint(f"j{k}", -1 if k == 0 else 0, objects=(SegmentObject("a.pol", m),)) for k, m in enumerate(meshes)]
    return Skeleton("figure", joints)


def at(*places: tuple[float, float, float] | np.ndarray) -> np.ndarray:
    frames = np.tile(np.eye(4), (len(places), 1, 1))
    frames[:, :3, 3] = places
    return frames


def recipe(n: np.ndarray, camera: Camera, theme: Theme) -> np.ndarray:
    """The picture's colours, 0 to 255, for normals (k, 3) in a parallel view: the design's formula, to the letter."""
    right, up, v = camera.basis
    fill, rim = 0.85 * right + 0.15 * up + 0.55 * v, 0.55 * right + 0.55 * up - 0.85 * v
    fill, rim = fill / np.linalg.norm(fill), rim / np.linalg.norm(rim)
    half = (KEY_LIGHT + v) / np.linalg.norm(KEY_LIGHT + v)
    t = 0.5 + 0.5 * n[:, 1:2]
    c = (1 - t) * [0.105, 0.098, 0.092] + t * np.array([0.235, 0.262, 0.305])
    lit = np.maximum((n @ KEY_LIGHT + 0.15) / 1.15, 0.0)
    c += lit[:, None] ** 1.15 * [0.86, 0.81, 0.74]
    c += 0.21 * np.maximum(n @ fill, 0.0)[:, None] * [0.52, 0.60, 0.72]
    c += (0.47 * np.maximum(n @ rim, 0.0) * (1 - n @ v) ** 2.2)[:, None] * [0.85, 0.93, 1.0]
    c *= linear(srgb(theme, "body"))
    c += (0.12 * np.maximum(n @ half, 0.0) ** 34 * np.minimum(4 * lit, 1.0))[:, None]
    c = np.minimum(c / (1 + 0.55 * np.maximum(c - 0.8, 0.0)), 1.0)
    return 255.0 * np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
@pytest.mark.parametrize("detail", [3, 6], ids=["a pixel at a time", "at the corners"])
@pytest.mark.parametrize("kind", ["front", "side", "top"])
def test_a_ball_is_lit_as_the_recipe_says(renderer: Renderer, kind: str, detail: int, theme: Theme) -> None:
    ball = mesh_of(trimesh.creation.icosphere(detail, 0.5))
    renderer.set_figure(figure(ball))
    camera = Camera(kind=kind, target=(0.0, 1.0, 0.0), half_height=0.55)
    image = renderer.render(camera, Picture(at((0.0, 1.0, 0.0)), background=False), WIDTH, HEIGHT, theme, 4)
    right, up, back = camera.basis
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
    size = camera.pixel_size(HEIGHT) / 0.5
    x, y = (columns + 0.5 - WIDTH / 2) * size, (HEIGHT / 2 - rows - 0.5) * size
    inside = x * x + y * y < 0.93**2
    x, y = x[inside], y[inside]
    n = x[:, None] * right + y[:, None] * up + np.sqrt(1 - x * x - y * y)[:, None] * back
    off = np.abs(image[inside][:, :3] - recipe(n, camera, theme))
    assert off.mean() < 1.2 and np.quantile(off, 0.995) < 5.0
    assert image[inside][:, :3].max() > 225, "the lit side is bright"
    assert kind == "top" or 60 < np.quantile(image[inside][:, 0], 0.03) < 150, "and the shaded one is not black"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("cuts", [0, 6], ids=["a pixel at a time", "at the corners"])
@pytest.mark.parametrize("samples", [0, 4])
def test_a_part_casts_a_shadow_on_another(renderer: Renderer, samples: int, cuts: int) -> None:
    slab = trimesh.creation.box((1.0, 0.1, 1.0))
    for _ in range(cuts):
        slab = slab.subdivide()
    s = figure(mesh_of(slab), mesh_of(trimesh.creation.icosphere(4, 0.1)))
    renderer.set_figure(s)
    camera = Camera(kind="top", target=(0.0, 0.0, 0.0), half_height=0.8)
    above = 0.05 + 0.4 * KEY_LIGHT  # 0.4 m toward the light from the middle of the slab's top
    shaded = renderer.render(camera, Picture(at((0, 0, 0), above)), WIDTH, HEIGHT, DARK, samples).astype(int)
    bare = renderer.render(camera, Picture(at((0, 0, 0), (0.0, 0.0, 5.0))), WIDTH, HEIGHT, DARK, samples).astype(int)

    def pixel(image: np.ndarray, x: float, z: float) -> int:
        column, row, _ = camera.project([[x, 0.05, z]], WIDTH, HEIGHT)[0]
        return int(image[int(row), int(column), 1])

    foot = above - KEY_LIGHT * (above[1] - 0.05) / KEY_LIGHT[1]
    assert pixel(bare, foot[0], foot[2]) > 190
    assert pixel(shaded, foot[0], foot[2]) < pixel(bare, foot[0], foot[2]) - 50
    assert 90 < pixel(shaded, foot[0], foot[2]), "the other lights still reach it"
    for x, z in ((-0.4, -0.4), (0.4, 0.4), (0.42, -0.3), (foot[0] + 0.2, foot[2])):
        assert abs(pixel(shaded, x, z) - pixel(bare, x, z)) <= 2
    # From the shadow outwards it gets lighter steadily: no speckles, and a rim some centimetres wide.
    profile = [pixel(shaded, foot[0] + r, foot[2]) for r in np.linspace(0.0, 0.2, 60)]
    assert min(np.diff(profile)) >= -3
    rim = [v for v in profile if profile[0] + 6 < v < profile[-1] - 6]
    assert len(rim) >= 3


def test_nothing_is_in_its_own_shadow(renderer: Renderer) -> None:
    """A capsule at any angle to the light looks as without the map, but for the rounding of its triangles."""
    capsule = mesh_of(trimesh.creation.capsule(0.5, 0.1, [32, 32]))
    far = mesh_of(trimesh.creation.icosphere(2, 0.05))
    renderer.set_figure(figure(capsule, far))
    for seed in range(6):
        turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
        turn *= np.sign(np.linalg.det(turn))
        poses = at((0, 0, 0), (0.0, -1.0, 0.0))
        poses[0, :3, :3] = turn
        poses[0, :3, 3] = -turn @ [0.0, 0.0, 0.25]
        camera = Camera(kind="front", target=(0.0, 0.0, 0.0), half_height=0.45)
        picture = Picture(poses, background=False)
        image = renderer.render(camera, picture, WIDTH, HEIGHT, DARK, 4).astype(int)
        moved = poses.copy()
        moved[1, :3, 3] = 40.0, 0.0, 0.0  # so large a map sees the capsule as a few texels, too coarse for shadows
        coarse = renderer.render(camera, Picture(moved, background=False), WIDTH, HEIGHT, DARK, 4).astype(int)
        whole = (image[..., 3] == 255) & (coarse[..., 3] == 255)
        assert whole.sum() > 3000
        assert np.abs(image - coarse)[whole].max() <= 4


def test_the_map_holds_the_figure_and_does_not_swim() -> None:
    rng = np.random.default_rng(4)
    centers, radii = rng.normal(size=(20, 3)), rng.uniform(0.05, 0.3, 20)
    into, texel = light_square(centers, radii)
    directions = rng.normal(size=(300, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    points = (centers[:, None] + radii[:, None, None] * directions).reshape(-1, 3)
    seen = points @ into[:3, :3].T + into[:3, 3]
    assert (seen > -1e-9).all() and (seen < 1 + 1e-9).all()
    assert np.ptp(seen, axis=0)[:2].max() > 0.7, "most of it is used"
    towards = (points + 0.1 * KEY_LIGHT) @ into[:3, :3].T + into[:3, 3]
    assert np.allclose(towards[:, :2], seen[:, :2]) and (towards[:, 2] < seen[:, 2]).all()
    fixed = np.array([0.1, 0.2, 0.3])
    for shift in rng.uniform(-0.02, 0.02, (10, 3)):
        other, size = light_square(centers + shift, radii)
        assert size == texel
        moved = SIZE * ((other - into)[:3, :3] @ fixed + (other - into)[:3, 3])
        assert np.allclose(moved[:2], np.round(moved[:2]), atol=1e-6), "by whole texels"


def occlusion(s: Skeleton) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions, normals and light of the fine vertices."""
    geometry = build_geometry(s)
    first, end = geometry.extent(0)
    rows = np.unique(geometry.indices[first:end])
    return tuple(geometry.vertices[name][rows].astype(float) for name in ("position", "normal", "occlusion"))  # type: ignore[return-value]


@pytest.mark.verify
def test_hollows_are_darker_than_what_bulges() -> None:
    _, _, light = occlusion(figure(mesh_of(trimesh.creation.icosphere(4, 0.5))))
    assert light.min() > 0.97, "nothing of a ball faces another part of it"
    cup = trimesh.creation.annulus(0.03, 0.06, 0.3, sections=48).subdivide().subdivide()
    far = trimesh.creation.icosphere(2, 0.05)
    far.apply_translation([0.0, 1.5, 0.0])  # makes the figure as large as a person
    points, _, light = occlusion(figure(mesh_of(cup), mesh_of(far)))
    radius = np.hypot(points[:, 0], points[:, 1])
    middle = np.abs(points[:, 2]) < 0.08
    inwards = (np.abs(radius - 0.03) < 0.002) & middle
    outwards = (np.abs(radius - 0.06) < 0.002) & middle
    assert light[outwards].min() > 0.97 and light[inwards].max() < 0.6


def test_only_neighbours_shield_each_other() -> None:
    ball = trimesh.creation.icosphere(4, 0.2)
    near, far = ball.copy(), ball.copy()
    near.apply_translation([0.0, 0.36, 0.0])
    far.apply_translation([0.0, 0.72, 0.0])
    meshes = [mesh_of(shape) for shape in (ball, near, far)]
    joints = []
    for k, mesh in enumerate(meshes):
        place = [0.0, 0.18 if k == 1 else 0.0, 0.0]
        joints.append(Joint(f"j{k}", min(k - 1, 0), offset=np.array(place), objects=(SegmentObject("a.pol", mesh),)))
    # The joint of the second lies where the first two meet; the third hangs at the root, far from where it is drawn.
    moved = Mesh(meshes[1].vertices - [0.0, 0.18, 0.0], meshes[1].triangles)
    joints[1] = Joint("j1", 0, offset=np.array([0.0, 0.18, 0.0]), objects=(SegmentObject("a.pol", moved),))
    points, _, light = occlusion(Skeleton("snowman", joints))
    ring = np.abs(points[:, 1] - 0.17) < 0.012
    crease = ring & (np.hypot(points[:, 0], points[:, 2]) > 0.085)
    assert crease.sum() > 10 and light[crease].mean() < 0.88
    upper = (np.abs(points[:, 1] - 0.55) < 0.012) & (np.hypot(points[:, 0], points[:, 2]) > 0.085)
    assert upper.sum() > 10 and light[upper].min() > 0.95, "these two are not neighbours"
