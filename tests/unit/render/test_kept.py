"""What is kept from one picture to the next is right, and is dropped when what it stands for changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPixmap

from app.look import fonts
from app.look.theme import THEMES
from app.marks import overlays, paint, view_cube
from app.render.camera import Camera
from app.render.colors import srgb
from app.render.context import acquire
from app.render.gl import GL
from app.render.picture import Picture
from app.render.programs import Program
from app.render.renderer import Renderer
from core.formats.bundled import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton

SIZE = (160, 120)
FRONT = Camera(kind="front", target=(0.0, 0.9, 0.0), half_height=1.0)


@pytest.fixture(scope="module")
def human() -> Skeleton:
    return load_skeleton(bundled_folder() / "human.scr")


@pytest.fixture
def renderer(human) -> Iterator[Renderer]:  # type: ignore[no-untyped-def]
    made = Renderer(acquire())
    made.set_figure(human)
    yield made
    made.dispose()


def picture(renderer: Renderer, theme: str = "dark", **more) -> np.ndarray:  # type: ignore[no-untyped-def]
    figure = renderer.skeleton
    poses = forward_kinematics(figure, figure.rest_pose())
    return renderer.render(FRONT, Picture(more.pop("poses", poses), **more), *SIZE, theme).copy()


def bent(human: Skeleton, amount: float) -> np.ndarray:
    q = human.rest_pose()
    q[3 + human.dof_names.index(next(name for name in human.dof_names if "right forearm" in name))] += amount
    return forward_kinematics(human, q)


def test_each_picture_is_that_of_a_renderer_that_keeps_nothing(human, renderer) -> None:
    """Chain, theme, pose and ghosts come and go in one renderer; a fresh one draws the same."""
    rest, other = bent(human, 0.0), bent(human, 0.9)
    steps = [
        ("dark", {}),
        ("dark", {"chain": {5, 6}}),
        ("dark", {"chain": {6}}),
        ("light", {"chain": {6}}),
        ("light", {"poses": other, "ghosts": [(rest, "ghost_before", 1.0)]}),
        ("light", {"poses": rest, "ghosts": [(rest, "ghost_before", 0.5)]}),
        ("dark", {"poses": rest, "ghosts": [(other, "ghost_after", 0.5)], "selected": {3, 4}}),
        ("dark", {"poses": rest, "ghosts": [(other, "ghost_after", 0.5)], "selected": {4}}),
        ("dark", {}),
    ]
    kept = [picture(renderer, theme, **look) for theme, look in steps]
    assert len({image.tobytes() for image in kept[:-1]}) == len(steps) - 1, "they are all different"
    for image, (theme, look) in zip(kept, steps, strict=True):
        fresh = Renderer(acquire())
        fresh.set_figure(human)
        assert_array_equal(image, picture(fresh, theme, **look))
        fresh.dispose()


def test_a_palette_is_sent_once_for_all_views_and_again_when_it_changes(human, renderer, monkeypatch) -> None:
    picture(renderer)
    sent = []
    real = GL.glBufferData
    monkeypatch.setattr(GL, "glBufferData", lambda *words: (sent.append(words[0]), real(*words))[1])
    picture(renderer)
    assert sent == []
    picture(renderer, poses=bent(human, 0.3))
    assert sent == [GL.GL_TEXTURE_BUFFER]


def test_spheres_grow_where_frames_stretch(human, renderer) -> None:
    figure = renderer._figure
    assert figure is not None
    rigid = bent(human, 0.0)
    _, radii = figure.spheres(rigid)
    assert_allclose(radii, figure._radii)
    stretched = rigid.copy()
    stretched[4, :3, :3] = rigid[4, :3, :3] @ np.diag([1.0, 3.0, 0.5])
    _, wider = figure.spheres(stretched)
    assert_allclose(wider, np.where(figure._followed == 4, 3.0, 1.0) * radii)
    _, again = figure.spheres(rigid)
    assert_array_equal(again, radii)


def test_uniforms_are_sent_when_an_array_is_filled_anew(monkeypatch) -> None:
    with acquire().current():
        program = Program("screen.vert", "shadow_blur.frag")
        program.use()
        sent = []
        for name in ("glUniform2fv", "glUniform3fv"):
            monkeypatch.setattr(GL, name, lambda at, count, values: sent.append(values.copy()))
        along = np.array([1.0, 0.0])
        program.set(along=along)
        along[:] = 0.0, 1.0
        program.set(along=along)
        assert len(sent) == 2, "an array that can be written may hold something else the next time"
        fixed = np.array([0.5, 0.5])
        fixed.setflags(write=False)
        for values in (fixed, fixed, fixed.copy(), along, fixed):
            program.set(along=values)
        assert_allclose(sent, [[1, 0], [0, 1], [0.5, 0.5], [0, 1], [0.5, 0.5]])
        program.dispose()


def test_shared_colours_stay_as_they_are_whatever_is_painted(qapp) -> None:
    ground = QPixmap(200, 200)
    painter = QPainter(ground)
    for theme in THEMES.values():
        view_cube.draw(painter, theme, Camera(), QPointF(100.0, 100.0), None)
        overlays.draw_axis_balls(painter, theme, Camera(), QPointF(100.0, 100.0))
    painter.end()
    for theme in THEMES.values():
        for token in (field.name for field in fields(theme) if field.name != "name"):
            for alpha in (1.0, 0.85):
                expected = QColor(getattr(theme, token))
                expected.setAlphaF(alpha)
                assert paint.color(theme, token, alpha) == expected
        assert_allclose(srgb(theme, "accent"), theme.rgb("accent"), atol=1e-7)


def test_text_is_measured_anew_when_the_screen_has_another_density(qapp, monkeypatch) -> None:
    fonts._forget_density()
    before, wide = fonts.font().pointSizeF(), paint.text_width("12.3 cm")
    monkeypatch.setattr(type(qapp.primaryScreen()), "logicalDotsPerInch", lambda _: 2.0 * 96.0)
    assert fonts.font().pointSizeF() == before, "asked once"
    qapp.primaryScreen().logicalDotsPerInchChanged.emit(192.0)
    try:
        assert fonts.font().pointSizeF() != before
        assert paint.text_width("12.3 cm") != wide
    finally:
        monkeypatch.undo()
        fonts._forget_density()
    assert fonts.font().pointSizeF() == before


def test_of_many_ghosts_the_nearest_are_drawn_while_the_camera_moves_and_all_of_them_at_rest(human, renderer) -> None:
    rest = bent(human, 0.0)
    ghosts = []
    for k in range(6):
        poses = rest.copy()
        poses[:, 0, 3] += 0.15 * (k - 2.5)
        ghosts.append((poses, "ghost_after", 0.9**k))

    def drawn(camera: Camera, count: int, samples: int, with_: Renderer) -> np.ndarray:
        return with_.render(camera, Picture(rest, ghosts[:count]), *SIZE, "dark", samples).copy()

    moved = Camera(kind="front", target=(0.1, 0.9, 0.0), half_height=1.0)
    drawn(FRONT, 6, 0, renderer)
    moving, still = drawn(moved, 6, 0, renderer), drawn(moved, 6, 4, renderer)
    fresh = Renderer(acquire())
    fresh.set_figure(human)
    assert_array_equal(moving, drawn(moved, 4 if fresh.software else 6, 0, fresh))
    assert_array_equal(still, drawn(moved, 6, 4, fresh))
    fresh.dispose()


def test_ghosts_of_a_limb_show_nothing_else(human, renderer) -> None:
    there = bent(human, 0.0)
    there[:, 0, 3] += 0.6
    hand = frozenset({human.joint_index("right hand")})
    plain = picture(renderer).astype(int)
    whole = np.abs(picture(renderer, ghosts=[(there, "ghost_after", 1.0)]) - plain).max(axis=2) > 3
    limb = np.abs(picture(renderer, ghosts=[(there, "ghost_after", 1.0)], ghost_joints=hand) - plain).max(axis=2) > 3
    assert 0 < limb.sum() < 0.1 * whole.sum() and not (limb & ~whole).any()
