"""The shadow that a figure's parts cast on each other, seen from near by, against rays and straight lines."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import trimesh

from app.look.theme import DARK
from app.render.camera import Camera
from app.render.context import GraphicsError, acquire
from app.render.mesh.surface import figure_surface
from app.render.passes.key_shadow import FINE, KEY_LIGHT, MIDDLE, SIZE, light_square, map_size
from app.render.picture import Picture
from app.render.renderer import Renderer
from core.formats.bundled import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Mesh, SegmentObject, Skeleton, load_skeleton
from core.skeleton.skin import skinned_vertices

WIDTH, HEIGHT = 500, 400
ACROSS = np.cross(KEY_LIGHT, [0.0, 1.0, 0.0]) / np.linalg.norm(np.cross(KEY_LIGHT, [0.0, 1.0, 0.0]))
ALONG = np.cross(ACROSS, KEY_LIGHT)  # with the light, three directions at right angles
DARKER = 12  # steps of brightness that make a shadow


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    try:
        made = Renderer(acquire())
    except GraphicsError as error:
        pytest.skip(f"no OpenGL here: {error}")
    yield made
    made.dispose()


def cast(renderer: Renderer, camera: Camera, poses: np.ndarray, other: int, samples: int) -> np.ndarray:
    """How much darker the shadows make each pixel: a part far away makes the map too coarse for any."""
    far = poses.copy()
    far[other, 0, 3] -= 400.0
    images = [renderer.render(camera, Picture(p, background=False), WIDTH, HEIGHT, DARK, samples) for p in (far, poses)]
    return images[0][..., 1].astype(int) - images[1][..., 1]


@pytest.mark.parametrize("grazing", [0.15, 0.8], ids=lambda value: f"n.l = {value}")
@pytest.mark.parametrize("samples", [0, 4])
def test_a_straight_bar_casts_a_straight_shadow(renderer: Renderer, samples: int, grazing: float) -> None:
    """On a slab at a grazing angle to the light, its edge has no teeth.

    Seen from the light it strays by less than 0.35 mm beside a figure of 2 m, or 0.65 in a quick picture.
    """
    n = grazing * KEY_LIGHT + np.sqrt(1.0 - grazing**2) * (0.8 * ACROSS + 0.6 * ALONG)
    u = np.cross(n, KEY_LIGHT)
    u /= np.linalg.norm(u)
    frame = np.column_stack([u, n, np.cross(u, n)])
    skew = frame @ [0.9, 0.0, np.sqrt(0.19)]  # the bar lies askew to the map's rows and columns
    bar_frame = np.column_stack([skew, n, np.cross(skew, n)])
    slab, bar = trimesh.creation.box((1.2, 0.1, 1.2)), trimesh.creation.box((0.5, 0.04, 0.04))
    joints = [
        Joint(name, min(k - 1, 0), objects=(SegmentObject("a.pol", Mesh(m.vertices, m.faces)),))
        for k, (name, m) in enumerate((("slab", slab), ("bar", bar), ("far", trimesh.creation.icosphere(2, 0.05))))
    ]
    renderer.set_figure(Skeleton("bar on a slab", joints))
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[0, :3, :3], poses[0, :3, 3] = frame, -0.05 * n
    poses[1, :3, :3], poses[1, :3, 3] = bar_frame, 0.08 * KEY_LIGHT
    poses[2, :3, 3] = -1.2 * n
    yaw, pitch = np.arctan2(n[0], n[2]), np.arcsin(n[1])
    camera = Camera(target=(0.0, 0.0, 0.0), distance=0.7, yaw=float(yaw), pitch=float(pitch))
    dark = cast(renderer, camera, poses, 2, samples).astype(float)
    # The far edge of the shadow, along lines across it.
    side = np.cross(skew, n)
    side *= np.sign(side @ -KEY_LIGHT)
    steps = np.linspace(0.0, 0.15, 300)
    edge = []
    for along in np.linspace(-0.1, 0.1, 100):
        line = along * skew + steps[:, None] * side
        pixels = camera.project(line, WIDTH, HEIGHT)[:, :2] - 0.5
        low = np.clip(np.floor(pixels).astype(int), 0, (WIDTH - 2, HEIGHT - 2))
        (fx, fy), (x, y) = (pixels - low).T, low.T
        value = (dark[y, x] * (1 - fx) + dark[y, x + 1] * fx) * (1 - fy)
        value += (dark[y + 1, x] * (1 - fx) + dark[y + 1, x + 1] * fx) * fy
        inside = value > 0.5 * np.quantile(value, 0.98)
        assert inside.any()
        edge.append((along, steps[np.flatnonzero(inside)[-1]]))
    along, reach = np.array(edge).T
    off = reach - np.polyval(np.polyfit(along, reach, 1), along)
    assert reach.std() < 0.02 and grazing * off.std() < (0.35e-3 if samples else 0.65e-3)


def blocked(points: np.ndarray, direction: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Which rays meet a triangle.

    Source: Moeller and Trumbore (1997), Fast, minimum storage ray-triangle intersection.
    """
    a, b, c = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    found = np.zeros(len(points), dtype=bool)
    for k, d in enumerate(np.broadcast_to(direction, points.shape)):
        h = np.cross(d, c)
        scale = np.einsum("ti,ti->t", b, h)
        scale = 1.0 / np.where(np.abs(scale) > 1e-14, scale, np.inf)
        s = points[k] - a
        u, across = np.einsum("ti,ti->t", s, h) * scale, np.cross(s, b)
        v, t = across @ d * scale, np.einsum("ti,ti->t", across, c) * scale
        found[k] = ((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > 0.0) & (scale != 0.0)).any()
    return found


@pytest.mark.verify
@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["human", "woman"])
def test_neck_and_chest_are_dark_where_the_light_does_not_reach(renderer: Renderer, name: str) -> None:
    """Against rays: points of the skin near the neck, with the head turned, but for those at a shadow's edge."""
    figure = load_skeleton(bundled_folder() / f"{name}.scr")
    renderer.set_figure(figure)
    names = [joint.name for joint in figure.joints]
    q = figure.rest_pose()
    for joint in ("neck", "head"):
        q[3 + figure.first_dof[names.index(joint)] + 2] = 0.25
    poses = forward_kinematics(figure, q)
    surface = figure_surface(figure)
    near = [names.index(part) for part in ("head", "neck", "chest", "left clavicle", "right clavicle")]
    faces = surface.faces[~surface.inner & np.isin(surface.face_owners, near)]
    skin = np.concatenate([skinned_vertices(figure, k, poses) for k in range(len(names))])[faces]
    normals = np.cross(skin[:, 1] - skin[:, 0], skin[:, 2] - skin[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    normals /= areas[:, None]
    target = poses[names.index("neck"), :3, 3] + [0.05, -0.02, 0.0]
    camera = Camera(target=tuple(target.tolist()), distance=0.75, yaw=0.1, pitch=0.15)
    middle = skin.mean(axis=1)
    some = np.linalg.norm(middle - target, axis=1) < 0.2
    some &= (normals @ KEY_LIGHT > 0.15) & (np.einsum("ti,ti->t", camera.eye - middle, normals) > 0.08)
    rng = np.random.default_rng(1)
    chosen = rng.choice(np.flatnonzero(some), 900, p=(areas * some)[some] / areas[some].sum())
    points = np.einsum("pk,pki->pi", rng.dirichlet([1.0, 1.0, 1.0], len(chosen)), skin[chosen])
    n = normals[chosen]
    seen = ~blocked(points + 1e-4 * n, camera.eye - points, skin)
    points, n = points[seen], n[seen]
    shaded = blocked(points + 1e-4 * n, KEY_LIGHT, skin)
    clear = np.ones(len(points), dtype=bool)
    for step in (ACROSS, -ACROSS, ALONG, -ALONG):
        clear &= blocked(points + 0.003 * n + 0.008 * step, KEY_LIGHT, skin) == shaded
    shaded, (x, y) = shaded[clear], camera.project(points[clear], WIDTH, HEIGHT)[:, :2].astype(int).T
    assert shaded.sum() > 40 and (~shaded).sum() > 40
    for samples in (0, 4):
        dark = cast(renderer, camera, poses, names.index("right toes"), samples)[y, x] > DARKER
        assert (dark & ~shaded).sum() <= 1 and (~dark & shaded).sum() <= 1


def test_the_map_is_finer_where_pixels_are_finer_than_its_texels() -> None:
    """A figure in a small or moving view has the small map; one seen from near by, and exported, the large one."""
    centers, radii = np.array([[0.0, y, 0.0] for y in (0.2, 1.0, 1.7)]), np.full(3, 0.25)
    texel = light_square(centers, radii)[1]
    assert 0.001 < texel < 0.006 and light_square(centers, radii, FINE)[1] == texel * SIZE / FINE
    assert map_size(centers, radii, 1.01 * texel) == map_size(centers, radii, np.inf) == SIZE
    assert map_size(centers, radii, 0.99 * texel) == map_size(centers, radii, texel / 2.9) == MIDDLE
    assert map_size(centers, radii, texel / 3.1) == map_size(centers, radii, np.inf, fine=True) == FINE
