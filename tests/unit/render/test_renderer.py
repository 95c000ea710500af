"""The renderer through real OpenGL: what is where, in which colour, and that nothing is left behind."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from app.look.theme import DARK, LIGHT, Theme
from app.render.camera import Camera
from app.render.context import GraphicsError, acquire
from app.render.gl import GL
from app.render.mesh.bare_bones import BareBones
from app.render.mesh.rods import with_rods
from app.render.offscreen import still
from app.render.picture import Picture
from app.render.renderer import Renderer
from app.render.thumbnail import thumbnail
from core.errors import PoseError
from core.kinematics import forward_kinematics
from core.skeleton.dof import Dof
from core.skeleton.joint import Joint
from core.skeleton.skeleton import Skeleton

WIDTH, HEIGHT = 320, 240


@pytest.fixture(scope="module")
def skeleton() -> Skeleton:
    """A column of two links, drawn as capsules: 0.5 m upright, then 0.5 m that bends about x."""
    hinge = Dof("hinge", np.array([1.0, 0.0, 0.0]), -2.0, 2.0)
    return Skeleton(
        "column",
        [
            Joint("base", -1, offset=np.array([0.0, 0.1, 0.0]), mass=4.0, center=np.array([0.0, 0.25, 0.0])),
            Joint("upper", 0, np.array([0.0, 0.5, 0.0]), dofs=(hinge,), mass=2.0, center=np.array([0.0, 0.25, 0.0])),
        ],
    )


@pytest.fixture(scope="module")
def renderer(skeleton: Skeleton) -> Iterator[Renderer]:
    try:
        made = Renderer(acquire())
    except GraphicsError as error:
        pytest.skip(f"no OpenGL here: {error}")
    made.set_figure(skeleton)
    yield made
    made.dispose()


@pytest.fixture(scope="module")
def poses(skeleton: Skeleton) -> np.ndarray:
    return forward_kinematics(skeleton, skeleton.rest_pose())


def moved(poses: np.ndarray, x: float) -> np.ndarray:
    result = poses.copy()
    result[:, 0, 3] += x
    return result


def changed(a: np.ndarray, b: np.ndarray, by: int = 12) -> np.ndarray:
    """Return where two pictures differ visibly, shape (height, width)."""
    return (np.abs(a.astype(int) - b.astype(int)).max(axis=2)) > by


def rgb(theme: Theme, token: str) -> np.ndarray:
    return 255.0 * np.array(theme.rgb(token))


@pytest.mark.parametrize("kind", ["perspective", "front", "side", "top"])
@pytest.mark.parametrize("samples", [0, 4])
def test_the_figure_is_where_projection_says(renderer, poses, kind: str, samples: int) -> None:
    camera = Camera(kind=kind, target=(0.1, 0.5, 0.2), distance=3.0, half_height=1.0)
    picture = Picture(poses=poses, background=False)
    image = renderer.render(camera, picture, WIDTH, HEIGHT, DARK, samples)
    drawn = image[..., 3] > 127
    lo, hi = renderer.bounds(poses)
    corners = np.array([[(lo, hi)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
    box = camera.project(corners, WIDTH, HEIGHT)[:, :2]
    rows, columns = np.nonzero(drawn)
    assert box[:, 0].min() - 2 <= columns.min() and columns.max() <= box[:, 0].max() + 2
    assert box[:, 1].min() - 2 <= rows.min() and rows.max() <= box[:, 1].max() + 2
    for joint in (0, 1):  # points inside of the links
        x, y, _ = camera.project(poses[joint, :3, 3] + [0.0, 0.2, 0.0], WIDTH, HEIGHT)[0]
        assert drawn[int(y), int(x)]


def test_a_ray_through_a_drawn_pixel_hits_and_through_an_empty_one_misses(renderer, skeleton, poses) -> None:
    from core.kinematics.picking import Picker

    camera = Camera(target=(0.0, 0.5, 0.0), distance=3.0)
    drawn = renderer.render(camera, Picture(poses=poses, background=False), WIDTH, HEIGHT, DARK)[..., 3] > 0
    picker = Picker(skeleton)
    inside = drawn & np.roll(drawn, 1, 0) & np.roll(drawn, -1, 0) & np.roll(drawn, 1, 1) & np.roll(drawn, -1, 1)
    rows, columns = np.nonzero(inside)
    assert len(rows) > 500
    for k in range(0, len(rows), len(rows) // 40):
        assert picker.pick(poses, *camera.ray(columns[k] + 0.5, rows[k] + 0.5, WIDTH, HEIGHT)) is not None
    grown = drawn | np.roll(drawn, 2, 0) | np.roll(drawn, -2, 0) | np.roll(drawn, 2, 1) | np.roll(drawn, -2, 1)
    rows, columns = np.nonzero(~grown)
    for k in range(0, len(rows), len(rows) // 40):
        assert picker.pick(poses, *camera.ray(columns[k] + 0.5, rows[k] + 0.5, WIDTH, HEIGHT)) is None


@pytest.mark.parametrize("samples", [0, 4])
def test_hover_changes_only_a_rim_around_the_segment(renderer, poses, samples: int) -> None:
    camera = Camera(kind="front", target=(0.0, 0.6, 0.0), half_height=0.8)
    plain = renderer.render(camera, Picture(poses=poses), WIDTH, HEIGHT, DARK, samples)
    hover = renderer.render(camera, Picture(poses=poses, hover={1}), WIDTH, HEIGHT, DARK, samples)
    rows, columns = np.nonzero(changed(plain, hover))
    assert len(rows) > 50
    only = renderer.render(camera, Picture(poses=poses, background=False), WIDTH, HEIGHT, DARK, samples)[..., 3] > 127
    x, y, _ = camera.project(poses[1, :3, 3], WIDTH, HEIGHT)[0]
    size = camera.pixel_size(HEIGHT)
    assert rows.max() < y + 0.15 / size, "the lower link keeps its look"
    figure_rows, figure_columns = np.nonzero(only)
    assert columns.min() >= figure_columns.min() - 4 and columns.max() <= figure_columns.max() + 4
    assert rows.min() >= figure_rows.min() - 4
    line = hover[rows, columns, :3].astype(int)
    near_text = np.abs(line - rgb(DARK, "text")).max(axis=1) < 60
    near_halo = np.abs(line - rgb(DARK, "halo")).max(axis=1) < 60
    assert near_text.sum() > 20 and near_halo.sum() > 20, "a light line for a dark ground, a dark rim for a pale figure"
    assert (near_text | near_halo).mean() > 0.5
    inside = only[int(y - 0.2 / size), int(x)]
    assert inside and not changed(plain, hover)[int(y - 0.2 / size), int(x)]


def test_selection_and_drag_chain_use_the_accent(renderer, poses) -> None:
    camera = Camera(kind="front", target=(0.0, 0.6, 0.0), half_height=0.8)
    plain = renderer.render(camera, Picture(poses=poses), WIDTH, HEIGHT, DARK)
    selected = renderer.render(camera, Picture(poses=poses, selected={1}), WIDTH, HEIGHT, DARK)
    accent = rgb(DARK, "accent")
    line = selected[changed(plain, selected, 40)][:, :3]
    assert len(line) > 50
    assert np.abs(np.median(line, axis=0) - accent).max() < 30
    chain = renderer.render(camera, Picture(poses=poses, chain={1}), WIDTH, HEIGHT, DARK)
    x, y, _ = camera.project(poses[1, :3, 3] + [0.0, 0.15, 0.0], WIDTH, HEIGHT)[0]
    before, after = plain[int(y), int(x), :3].astype(int), chain[int(y), int(x), :3].astype(int)
    assert after[0] < before[0] - 30 and after[1] > after[0] + 30, "tinted toward the accent"
    x, y, _ = camera.project(poses[0, :3, 3] + [0.0, 0.2, 0.0], WIDTH, HEIGHT)[0]
    assert np.array_equal(plain[int(y), int(x)], chain[int(y), int(x)])


def test_an_outline_is_hidden_where_its_segment_is(renderer, poses) -> None:
    camera = Camera(kind="top", target=(0.0, 0.0, 0.0), half_height=0.4)  # the upper link covers the lower
    plain = renderer.render(camera, Picture(poses=poses), WIDTH, HEIGHT, DARK)
    hover = renderer.render(camera, Picture(poses=poses, hover={1}), WIDTH, HEIGHT, DARK)
    covered = renderer.render(camera, Picture(poses=poses, hover={0}), WIDTH, HEIGHT, DARK)
    middle = np.s_[HEIGHT // 2 - 5 : HEIGHT // 2 + 5, WIDTH // 2 - 5 : WIDTH // 2 + 5]
    assert changed(plain, hover).any()
    assert not changed(plain, covered)[middle].any()


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
@pytest.mark.parametrize("token", ["ghost_before", "ghost_after"])
def test_ghosts_are_tinted_and_lie_behind_the_figure(renderer, poses, theme: Theme, token: str) -> None:
    camera = Camera(kind="front", target=(0.0, 0.6, 0.0), half_height=0.8)
    plain = renderer.render(camera, Picture(poses=poses), WIDTH, HEIGHT, theme, 4)
    ghost = renderer.render(
        camera, Picture(poses=poses, ghosts=[(moved(poses, 0.5), token, 1.0)]), WIDTH, HEIGHT, theme, 4
    )
    half = renderer.render(
        camera, Picture(poses=poses, ghosts=[(moved(poses, 0.5), token, 0.5)]), WIDTH, HEIGHT, theme, 4
    )
    different = changed(plain, ghost, 3)
    left, right = (camera.project([x, 0.0, 0.0], WIDTH, HEIGHT)[0, 0] for x in (0.25, 0.75))
    columns = np.nonzero(different)[1]
    assert len(columns) > 200 and left < columns.min() and columns.max() < right
    tint = rgb(theme, token)
    toward = (
        np.abs(ghost[different][:, :3] - tint).sum(axis=1) < np.abs(plain[different][:, :3] - tint).sum(axis=1)
    ).mean()
    assert toward > 0.5
    strength = [np.abs(image.astype(int) - plain).sum() for image in (half, ghost)]
    assert 0 < strength[0] < strength[1]
    over = renderer.render(camera, Picture(poses=poses, ghosts=[(poses, token, 1.0)]), WIDTH, HEIGHT, theme)
    solid = renderer.render(camera, Picture(poses=poses), WIDTH, HEIGHT, theme)
    assert not changed(over, solid).any(), "a ghost in the same place is covered by the figure"


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_backgrounds_are_the_themes(renderer, theme: Theme) -> None:
    empty = Picture(grid=False)
    front = renderer.render(Camera(kind="front", target=(0, 0, 0), half_height=4.0), empty, 100, 400, theme)
    assert np.abs(front[5, 50, :3] - rgb(theme, "sky_top")).max() <= 2
    assert np.abs(front[196, 50, :3] - rgb(theme, "sky_horizon")).max() <= 4
    assert np.abs(front[395, 50, :3] - rgb(theme, "ground_near")).max() <= 2
    assert (front[..., 3] == 255).all()
    up = renderer.render(Camera(target=(0, 3, 0), pitch=-0.6), empty, 40, 30, theme)
    assert np.abs(up[0, 20, :3] - rgb(theme, "sky_top")).max() <= 2
    down = renderer.render(Camera(pitch=1.0), empty, 40, 30, theme)
    assert np.abs(down[29, 20, :3] - rgb(theme, "ground_near")).max() <= 2
    grid = renderer.render(Camera(pitch=1.0), Picture(), 400, 300, theme)
    assert changed(grid, renderer.render(Camera(pitch=1.0), empty, 400, 300, theme)).sum() > 500


def test_world_lines_lie_on_the_axes(renderer) -> None:
    camera = Camera(kind="top", target=(0.5, 0.0, 0.3), half_height=1.0)
    image = renderer.render(camera, Picture(), 400, 400, DARK)
    x, y, _ = camera.project([0.9, 0.0, 0.0], 400, 400)[0]
    assert image[int(y), int(x), 0] > image[int(y), int(x), 2] + 60, "x is red"
    x, y, _ = camera.project([0.0, 0.0, 0.9], 400, 400)[0]
    assert image[int(y), int(x), 2] > image[int(y), int(x), 0] + 60, "z is blue"


def test_the_shadow_darkens_the_ground_and_is_softer_from_higher_up(renderer, poses) -> None:
    camera = Camera(kind="perspective", yaw=0.6, pitch=0.8, target=(0.3, 0.2, -0.3), distance=4.0)
    bare = renderer.render(camera, Picture(grid=False), WIDTH, HEIGHT, LIGHT)
    low = renderer.render(camera, Picture(poses=poses, grid=False), WIDTH, HEIGHT, LIGHT)
    x, y, _ = camera.project([0.13, 0.0, -0.11], WIDTH, HEIGHT)[0]
    assert low[int(y), int(x), :3].mean() < bare[int(y), int(x), :3].mean() - 15
    raised = poses.copy()
    raised[:, 1, 3] += 1.5
    high = renderer.render(camera, Picture(poses=raised, grid=False), WIDTH, HEIGHT, LIGHT)
    on_ground = np.ones((HEIGHT, WIDTH), dtype=bool)
    for image_poses in (poses, raised):
        on_ground &= (
            renderer.render(camera, Picture(poses=image_poses, background=False), WIDTH, HEIGHT, LIGHT)[..., 3] == 0
        )
    darkest = [(bare[..., :3].astype(int) - image[..., :3])[on_ground].max() for image in (high, low)]
    assert 2 < darkest[0] < darkest[1]


def test_silhouette_is_one_flat_colour(renderer, poses) -> None:
    image = renderer.render(Camera(), Picture(poses=poses, background=False, silhouette=True), WIDTH, HEIGHT, DARK)
    colours = np.unique(image[image[..., 3] == 255], axis=0)
    assert len(colours) == 1
    assert np.abs(colours[0, :3] - rgb(DARK, "body")).max() <= 1


def test_same_input_same_bits_whatever_was_drawn_before(renderer, skeleton, poses) -> None:
    camera = Camera(target=(0.0, 0.5, 0.0), distance=3.0)
    ghosts = [(moved(poses, 0.4), "ghost_after", 1.0)]
    picture = Picture(poses=poses, ghosts=ghosts, hover={0}, selected={1})
    first = renderer.render(camera, picture, WIDTH, HEIGHT, DARK)
    renderer.render(Camera(kind="top"), Picture(poses=moved(poses, 1.0), chain={0, 1}), WIDTH, HEIGHT, LIGHT, 4)
    for k in range(25):  # more cameras than layers are kept
        renderer.render(Camera(yaw=0.1 * k), picture, WIDTH, HEIGHT, DARK)
    assert np.array_equal(first, renderer.render(camera, picture, WIDTH, HEIGHT, DARK))
    other = Renderer(acquire())
    try:
        other.set_figure(skeleton)
        assert np.array_equal(first, other.render(camera, picture, WIDTH, HEIGHT, DARK))
    finally:
        other.dispose()


def test_reading_into_an_array_and_in_the_order_of_qimage(renderer, poses) -> None:
    camera, picture = Camera(), Picture(poses=poses)
    rgba = renderer.render(camera, picture, 64, 48, DARK)
    out = np.zeros((48, 64, 4), dtype=np.uint8)
    assert renderer.render(camera, picture, 64, 48, DARK, out=out, bgra=True) is out
    assert np.array_equal(out[..., [2, 1, 0, 3]], rgba)
    with pytest.raises(ValueError, match="out must be"):
        renderer.render(camera, picture, 64, 48, DARK, out=np.zeros((64, 48, 4), dtype=np.uint8))


def test_poses_of_another_skeleton_are_refused(renderer) -> None:
    with pytest.raises(PoseError, match=r"\(5, 4, 4\).*column"):
        renderer.render(Camera(), Picture(poses=np.zeros((5, 4, 4))), 32, 32, DARK)
    with pytest.raises(PoseError, match="not finite"):
        renderer.render(Camera(), Picture(poses=np.full((2, 4, 4), np.nan)), 32, 32, DARK)


@pytest.mark.verify
def test_dispose_frees_everything(skeleton, poses) -> None:
    try:
        made = Renderer(acquire())
    except GraphicsError as error:
        pytest.skip(f"no OpenGL here: {error}")
    kinds = ("Framebuffer", "Texture", "Buffer", "Program", "VertexArray")

    def there() -> dict[str, set[int]]:
        """Names of all objects; names grow with all that was ever made, by other tests, too."""
        last = {kind: int(getattr(GL, f"glGen{kind}s")(1)) for kind in kinds if kind != "Program"}
        for kind, n in last.items():
            getattr(GL, f"glDelete{kind}s")(1, [n])
        last["Program"] = program = int(GL.glCreateProgram())
        GL.glDeleteProgram(program)
        return {kind: {n for n in range(1, last[kind] + 200) if getattr(GL, f"glIs{kind}")(n)} for kind in kinds}

    with made.context.current():
        before = there()
    made.set_figure(skeleton)
    picture = Picture(poses=poses, ghosts=[(moved(poses, 0.3), "ghost_before", 1.0)], hover={0}, chain={1})
    for samples in (0, 4):
        made.render(Camera(), picture, 64, 48, DARK, samples)
    with made.context.current():
        made_now = {kind: found - before[kind] for kind, found in there().items()}
        assert all(made_now[kind] for kind in ("Framebuffer", "Texture", "Buffer", "VertexArray"))
        made.dispose()
        made.dispose()
        for kind, found in made_now.items():
            assert not [n for n in found if getattr(GL, f"glIs{kind}")(n)], kind
        assert GL.glGetError() == GL.GL_NO_ERROR


def test_thumbnail_is_transparent_and_shows_the_whole_figure(renderer, skeleton) -> None:
    q = skeleton.rest_pose()
    q[:3] = 3.0, 1.0, -2.0
    q[3] = 1.5
    image = thumbnail(skeleton, q, (60, 80), "light", renderer=renderer)
    assert image.shape == (80, 60, 4)
    drawn = image[..., 3] > 0
    assert 0.03 < drawn.mean() < 0.6
    assert not drawn[[0, -1]].any() and not drawn[:, [0, -1]].any()
    assert (image[..., :3] <= image[..., 3:]).all(), "premultiplied"


def test_still_needs_no_window(renderer, skeleton) -> None:
    image = still(skeleton, skeleton.rest_pose(), 200, 120, "dark")
    assert image.shape == (120, 200, 4) and (image[..., 3] == 255).all()
    assert image[..., :3].max() > 180, "the figure is the brightest thing"
    with pytest.raises(ValueError, match="cannot be drawn"):
        still(skeleton, skeleton.rest_pose(), 0, 120)


def test_a_figure_without_shapes_is_seen_by_its_bones(renderer):
    joints = [
        Joint("root", -1),
        Joint("a", 0, offset=np.array([0.0, 0.5, 0.0]), scale=np.array([2.0, 2.0, 2.0])),
        Joint("b", 1, offset=np.array([0.3, 0.0, 0.0]), tips=(np.array([0.0, 0.2, 0.0]),)),
    ]
    bare = Skeleton("bare", joints)
    image = thumbnail(bare, bare.rest_pose(), (60, 80), "dark", renderer=renderer)
    assert image.any()
    shown = with_rods(bare)
    renderer.set_figure(shown)
    poses = forward_kinematics(bare, bare.rest_pose())
    low, high = renderer.bounds(poses)
    ends = np.concatenate(BareBones(bare, 1.0).ends(poses))
    assert low == pytest.approx(ends.min(axis=0), abs=0.03) and high == pytest.approx(ends.max(axis=0), abs=0.03)
    assert with_rods(bare) is shown and shown.dof_names == bare.dof_names


def test_a_figure_with_shapes_gets_no_rods(skeleton) -> None:
    assert with_rods(skeleton) is skeleton
