"""Figures beside the one that is drawn: each in its own pose, as many as there are, hovered ones tinted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from app.render.camera import Camera
from app.render.context import GraphicsError, acquire
from app.render.physics_world import FIGURE, Solid
from app.render.picture import Picture
from app.render.renderer import Renderer
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.building import props

WIDTH, HEIGHT = 320, 200
MANY = 14


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    try:
        made = Renderer(acquire())
    except GraphicsError as error:
        pytest.skip(f"no OpenGL here: {error}")
    yield made
    made.dispose()


def at(prop: Skeleton, x: float) -> np.ndarray:
    q = prop.rest_pose()
    q[0] = x
    return forward_kinematics(prop, q)


def columns(renderer: Renderer, solids: list[Solid]) -> np.ndarray:
    """Return which columns of a picture from the front show something else than the empty scene, shape (WIDTH,)."""
    camera = Camera(kind="front")
    camera.target, camera.half_height = (0.0, 0.1, 0.0), 1.0
    figure = props.ball(0.01, "speck")
    renderer.set_figure(figure)
    pictures = []
    for some in ([], solids):
        picture = Picture(poses=at(figure, 90.0), background=False, solids=some)
        pictures.append(renderer.render(camera, picture, WIDTH, HEIGHT, "dark").copy())
    return (pictures[0] != pictures[1]).any(axis=(0, 2))


def runs(seen: np.ndarray) -> int:
    """Return how many pieces are seen beside each other."""
    return int((np.diff(np.concatenate([[False], seen]).astype(int)) == 1).sum())


def test_two_solids_of_one_skeleton_are_each_where_they_are(renderer: Renderer) -> None:
    ball = props.ball(0.1)
    assert runs(columns(renderer, [Solid(ball, at(ball, x), FIGURE) for x in (-0.8, 0.8)])) == 2


def test_more_figures_than_are_kept_are_all_drawn_and_uploaded_once(
    renderer: Renderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    balls = [props.ball(0.05, f"ball {k}") for k in range(MANY)]
    solids = [Solid(ball, at(ball, 0.2 * (k - 0.5 * MANY)), FIGURE) for k, ball in enumerate(balls)]
    assert runs(columns(renderer, solids)) == MANY
    made = []
    from app.render import renderer as module

    monkeypatch.setattr(module, "DrawnFigure", lambda skeleton: made.append(skeleton))
    camera, figure = Camera(kind="front"), renderer.skeleton
    assert figure is not None
    for _ in range(3):
        renderer.render(camera, Picture(poses=at(figure, 0.0), solids=solids), WIDTH, HEIGHT, "dark")
    assert not made


def test_a_figure_that_moves_is_drawn_where_it_is_now(renderer: Renderer) -> None:
    ball = props.ball(0.1)
    left = columns(renderer, [Solid(ball, at(ball, -0.8), FIGURE)])
    right = columns(renderer, [Solid(ball, at(ball, 0.8), FIGURE)])
    assert left[: WIDTH // 2].any() and not left[WIDTH // 2 :].any()
    assert right[WIDTH // 2 :].any() and not right[: WIDTH // 2].any()


def test_a_hovered_figure_is_tinted(renderer: Renderer) -> None:
    box, camera = props.box((0.6, 0.6, 0.6)), Camera(kind="front")
    speck = props.ball(0.01, "speck")
    renderer.set_figure(speck)
    pictures = [
        renderer.render(
            camera, Picture(poses=at(speck, 90.0), solids=[Solid(box, at(box, 0.0), FIGURE, on)]), WIDTH, HEIGHT, "dark"
        ).astype(int)
        for on in (False, True)
    ]
    change = (pictures[1] - pictures[0]).reshape(-1, 4)
    change = change[np.abs(change).sum(axis=1).argmax()]
    assert change[0] < 0 and change[2] > 0  # towards the accent, which is turquoise


def test_ghosts_lie_behind_other_figures(renderer: Renderer) -> None:
    """A ghost right where another figure stands is not drawn over it."""
    box, camera = props.box((0.6, 0.6, 0.6)), Camera(kind="front")
    ghosted = props.box((0.5, 0.5, 0.5), "ghosted")
    renderer.set_figure(ghosted)
    solids = [Solid(box, at(box, 0.0), FIGURE)]
    plain, with_ghost = (
        renderer.render(
            camera, Picture(poses=at(ghosted, 90.0), solids=solids, ghosts=some), WIDTH, HEIGHT, "dark"
        ).copy()
        for some in ([], [(at(ghosted, 0.0), "ghost_before", 1.0)])
    )
    assert (plain[HEIGHT // 2, WIDTH // 2] == with_ghost[HEIGHT // 2, WIDTH // 2]).all()
