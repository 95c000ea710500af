"""The finer copy for what is seen from near by: rounder, without gaps, lit as before, and only where it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
import trimesh

from app.look.theme import DARK
from app.render import renderer as drawing
from app.render.camera import Camera
from app.render.context import GraphicsError, acquire
from app.render.mesh.coarse import Part, fine_parts
from app.render.mesh.geometry import build_geometry
from app.render.mesh.normals import shaded
from app.render.mesh.rounding import rounded_parts
from app.render.mesh.surface import figure_surface
from app.render.picture import Picture
from app.render.renderer import Renderer
from core.formats.bundled import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Mesh, SegmentObject, Skeleton, load_skeleton

WIDTH, HEIGHT = 500, 400


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    try:
        made = Renderer(acquire())
    except GraphicsError as error:
        pytest.skip(f"no OpenGL here: {error}")
    yield made
    made.dispose()


def figure(shape: trimesh.Trimesh) -> Skeleton:
    return Skeleton("one", [Joint("a", -1, objects=(SegmentObject("a.pol", Mesh(shape.vertices, shape.faces)),))])


def rounded(skeleton: Skeleton) -> tuple[list[Part], list[Part] | None]:
    surface = figure_surface(skeleton)
    fine = fine_parts(surface, shaded(surface))
    points = np.concatenate([part.points for part in fine])
    found = rounded_parts(fine, np.ones(len(points)), float(np.ptp(points, axis=0).max()))
    return fine, None if found is None else found[0]


def open_edges(parts: list[Part]) -> int:
    """How many edges do not run as often one way as the other, by the places that parts share."""
    edges: Counter[tuple[int, int]] = Counter()
    for part in parts:
        corners = part.places[part.faces]
        for a, b in zip(corners.ravel().tolist(), np.roll(corners, -1, axis=1).ravel().tolist(), strict=True):
            edges[a, b] += 1
    return sum(count != edges[b, a] for (a, b), count in edges.items())


def test_a_ball_becomes_rounder() -> None:
    fine, near = rounded(figure(trimesh.creation.icosphere(2, 0.5)))
    assert near is not None and open_edges(near) == 0
    (before,), (after,) = fine, near
    assert len(after.faces) == 16 * len(before.faces), "every edge is split twice"
    chords = [0.5 - np.linalg.norm(part.points[part.faces].mean(axis=1), axis=1).min() for part in (before, after)]
    assert chords[0] > 5e-3 and chords[1] < 0.15 * chords[0]
    assert np.abs(np.linalg.norm(after.points, axis=1) - 0.5).max() < 1e-3
    assert np.linalg.norm(after.normals, axis=1) == pytest.approx(1.0)
    a, b, c = (after.points[after.faces[:, k]] for k in range(3))
    assert (np.einsum("ti,ti->t", np.cross(b - a, c - a), a) > 0.0).all(), "all face outwards"


def test_what_is_flat_or_creased_stays() -> None:
    assert rounded(figure(trimesh.creation.box((0.3, 0.2, 0.1)).subdivide()))[1] is None
    assert rounded(figure(trimesh.creation.cylinder(0.1, 0.3, sections=6)))[1] is None
    _, near = rounded(figure(trimesh.creation.cylinder(0.1, 0.3, sections=24)))
    assert near is not None and open_edges(near) == 0
    (part,) = near
    assert np.ptp(part.points[:, 2]) == pytest.approx(0.3, abs=1e-9), "its ends stay flat"
    side = np.abs(part.normals[:, 2]) < 0.5
    assert np.abs(np.linalg.norm(part.points[side, :2], axis=1) - 0.1).max() < 5e-4


@pytest.mark.verify
@pytest.mark.parametrize("name", ["human", "horse"])
def test_a_skin_stays_whole(name: str) -> None:
    skeleton = load_skeleton(bundled_folder() / f"{name}.scr")
    fine, near = rounded(skeleton)
    assert near is not None and [part.joint for part in near] == [part.joint for part in fine]
    assert open_edges(fine) == open_edges(near) == 0
    follow: dict[int, list[tuple[float, ...]]] = {}
    most = 1 + max(int(part.joints.max()) for part in near)
    for part in near:
        assert part.weights.sum(axis=1) == pytest.approx(1.0) and (part.joints[:, 0] == part.joint).all()
        table = np.zeros((len(part.points), most))
        for k in range(4):
            np.add.at(table, (np.arange(len(table)), part.joints[:, k]), part.weights[:, k])
        for place, row in zip(part.places.tolist(), np.round(table, 3), strict=True):
            follow.setdefault(place, []).append(tuple(row))
    off = [np.abs(np.array(rows) - rows[0]).max() for rows in follow.values()]
    assert max(off) < 0.021, "what stays together follows the same joints"


def test_the_outline_of_a_ball_is_round_from_near_by(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    renderer.set_figure(figure(trimesh.creation.icosphere(3, 0.5)))
    camera = Camera(kind="front", target=(0.0, 0.0, 0.0), half_height=0.55)

    def drawn() -> np.ndarray:
        return renderer.render(camera, Picture(np.eye(4)[None], background=False), 1000, 1000, DARK, 4).astype(int)

    def radii(image: np.ndarray) -> np.ndarray:
        """Of sectors of two degrees, from their areas, in pixels."""
        rows, columns = np.mgrid[0:1000, 0:1000] - 499.5
        sector = (np.arctan2(rows, columns) % (2.0 * np.pi) / (np.pi / 90.0)).astype(int)
        return np.asarray(np.sqrt(2.0 * np.bincount(sector.ravel(), image[..., 3].ravel() / 255.0) / (np.pi / 90.0)))

    near = drawn()
    monkeypatch.setattr(drawing, "_ROUNDED", 0.0)
    plain = drawn()
    ideal = 0.5 / camera.pixel_size(1000)
    assert np.abs(radii(plain) - ideal).mean() > 1.0 and np.abs(radii(near) - ideal).mean() < 0.3
    inside = (near[..., 3] == 255) & (plain[..., 3] == 255)
    assert np.abs(near - plain)[inside].max() <= 6, "and it is lit as before"


@pytest.mark.verify
def test_it_is_drawn_only_from_near_by_and_at_rest(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    human = load_skeleton(bundled_folder() / "human.scr")
    renderer.set_figure(human)
    poses = forward_kinematics(human, np.zeros(human.nq))
    levels: list[int] = []
    last: list[int] = []
    shown = renderer._figure
    assert shown is not None and 0.3e-3 < shown.bulge < 3e-3
    draw = shown.buffer.draw_skin
    monkeypatch.setattr(shown.buffer, "draw_skin", lambda level: (levels.append(level), draw(level)))
    for distance, samples in ((0.6, 4), (0.6, 0), (3.0, 4)):
        camera = Camera(target=(0.0, 1.6, 0.0), distance=distance)
        renderer.render(camera, Picture(poses), WIDTH, HEIGHT, DARK, samples)
        last.append(levels[-1])
    assert last[:2] == [2, 0 if renderer.software else 2] and last[2] < 2


def test_the_geometry_has_the_same_level_twice_where_nothing_is_round() -> None:
    box, ball = (build_geometry(figure(s)) for s in (trimesh.creation.box((1, 1, 1)), trimesh.creation.icosphere(2)))
    assert box.bulge == 0.0 and box.extent(2) == box.extent(0)
    assert ball.bulge > 0.0 and np.ptp(ball.extent(2)) == 16 * np.ptp(ball.extent(0))
