"""Terrain through real OpenGL: where it is in every kind of view, what it hides, and the shadow on it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from app.render.camera import Camera
from app.render.context import GraphicsError, acquire
from app.render.mesh.terrain_mesh import terrain_mesh
from app.render.picture import Picture
from app.render.renderer import Renderer
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.building import props
from core.terrain import Terrain, height_field, hills, stairs

WIDTH, HEIGHT = 240, 180
BLOCK = height_field(np.full((2, 2), 0.5), 2.0, (-1.0, -1.0))
"""A level square, 2 m wide, 0.5 m over the floor."""


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    try:
        made = Renderer(acquire())
    except GraphicsError as error:
        pytest.skip(f"no OpenGL here: {error}")
    yield made
    made.dispose()


BALL = props.ball(0.1)


def at(prop: Skeleton, x: float, y: float, z: float) -> np.ndarray:
    q = prop.rest_pose()
    q[:3] = x, y, z
    return forward_kinematics(prop, q)


def drawn(
    renderer: Renderer, camera: Camera, terrain: Terrain | None, theme: str = "dark", **more: object
) -> np.ndarray:
    renderer.set_figure(BALL)
    more.setdefault("poses", at(BALL, 50.0, 0.0, 0.0))
    picture = Picture(terrain=terrain, **more)  # type: ignore[arg-type]
    return renderer.render(camera, picture, WIDTH, HEIGHT, theme, 0).astype(int)


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("kind", ["perspective", "top", "front", "side"])
def test_it_is_drawn_where_it_is(renderer: Renderer, kind: str, theme: str) -> None:
    terrain = stairs(0.3, 0.4, 3, width=1.6, start=-0.6, landing=0.4)
    camera = Camera(kind=kind, target=(0.0, 0.4, 0.0), distance=6.0, half_height=2.0)
    apart = np.abs(drawn(renderer, camera, terrain, theme) - drawn(renderer, camera, None, theme)).max(axis=2) > 3
    corners = camera.project(terrain.vertices, WIDTH, HEIGHT)[:, :2]
    rows, columns = np.nonzero(apart)
    low, high = corners.min(axis=0), corners.max(axis=0)
    assert np.abs([columns.min() - low[0], columns.max() - high[0]]).max() <= 2.0
    assert np.abs([rows.min() - low[1], rows.max() - high[1]]).max() <= 2.0


def test_it_hides_what_is_behind_and_under_it(renderer: Renderer) -> None:
    camera = Camera(kind="perspective", target=(0.0, 0.5, 0.0), distance=5.0, pitch=0.7)
    gone = drawn(renderer, camera, BLOCK)
    under, above = (drawn(renderer, camera, BLOCK, poses=at(BALL, 0.0, y, 0.0), shadow=False) for y in (0.2, 0.7))
    assert (under != gone).any(axis=2).sum() == 0
    assert (above != gone).any(axis=2).sum() > 100


def test_the_shadow_lies_on_it_where_the_light_says(renderer: Renderer) -> None:
    camera = Camera(kind="top", target=(0.0, 0.0, 0.0), half_height=1.5)
    place = np.array([0.3, 1.2, -0.2])
    gone, there = (drawn(renderer, camera, BLOCK, poses=at(BALL, *each)) for each in ((50.0, 0.0, 0.0), place))
    darker = (gone - there)[..., :3].sum(axis=2) > 4
    light = Picture().lights.direction
    middle = place - light * ((place[1] - 0.5) / light[1])
    column, row = camera.project(middle[None], WIDTH, HEIGHT)[0, :2]
    rows, columns = np.nonzero(darker)
    assert len(rows) > 30
    assert abs(columns.mean() - column) < 6.0 and abs(rows.mean() - row) < 6.0


def test_normals_are_smooth_over_hills_and_sharp_at_steps() -> None:
    ground = hills(0.4, 3.0, 12.0)
    rows, triangles = terrain_mesh(ground)
    assert len(triangles) == len(ground.triangles) and len(rows) == len(ground.vertices)
    assert np.abs(np.linalg.norm(rows[:, 3:], axis=1) - 1.0).max() < 1e-6
    middle = ground.normals(rows[:, [0, 2]].astype(float))
    assert (rows[:, 3:] * middle).sum(axis=1).min() > 0.97
    rows, _ = terrain_mesh(stairs())
    assert set(np.abs(rows[:, 3:]).max(axis=1).tolist()) == {1.0}  # each along an axis
    assert terrain_mesh(ground) is terrain_mesh(ground)
