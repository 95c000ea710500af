"""Shots: the right frames, and cameras that never cut the figure off."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.export import ExportError, Shot
from app.export.cameras import MARGIN, fit_points, fit_round
from app.export.plan import planned_shot
from app.export.shot import MOST_PICTURES, frame_numbers
from app.render.camera import KINDS, Camera
from app.scene.ghost_keys import neighbor_keys
from core.animation import Sequence
from core.animation.figure_way import smooth_path
from core.formats import load
from core.skeleton import Skeleton, load_skeleton

SIZE = (160, 96)
MP4, GIF, PNG = Path("a.mp4"), Path("a.gif"), Path("a.png")


@pytest.fixture(scope="module")
def walk(skeletons_folder: Path) -> Sequence:
    return load(skeletons_folder / "library" / "Walks and runs" / "walk.seq").sequences[0]


@pytest.fixture(scope="module")
def stickman(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "stickman.scr")


@pytest.fixture(scope="module")
def far(stickman: Skeleton) -> Sequence:
    """Twelve metres forward and one up, with a turn."""
    sequence = Sequence(stickman, fps=30, name="far")
    for frame, (z, y, turn) in ((0, (0, 0, 0)), (40, (6, 1, 1.5)), (90, (12, 0, 3))):
        q = stickman.rest_pose()
        q[1], q[2], q[3] = q[1] + y, z, turn
        sequence.set_key(frame, q)
    return sequence


# -- which frames -----------------------------------------------------------------------------------------------------


def test_frames_keep_the_speed() -> None:
    assert frame_numbers(0, 30, 30, 30, False).tolist() == list(range(31))
    assert frame_numbers(10, 20, 30, 60, False).tolist() == [10 + k / 2 for k in range(21)]
    assert frame_numbers(0, 120, 120, 30, False).tolist() == [4 * k for k in range(31)]
    assert frame_numbers(5, 5, 30, 30, False).tolist() == [5]
    numbers = frame_numbers(0, 32, 30, 24, False)
    assert np.diff(numbers) == pytest.approx(30 / 24) and 32 - 30 / 24 < numbers[-1] <= 32


def test_a_round_leaves_its_last_frame_out_and_is_even() -> None:
    assert frame_numbers(0, 32, 30, 30, True).tolist() == list(range(32))
    numbers = frame_numbers(0, 32, 30, 25, True)
    steps = np.diff([*numbers, 32])
    assert steps == pytest.approx(steps[0]) and steps[0] == pytest.approx(30 / 25, rel=0.03)


def test_far_too_many_pictures_are_refused() -> None:
    with pytest.raises(ExportError, match=str(MOST_PICTURES)):
        frame_numbers(0, 2**31 - 1, 30, 30, False)


# -- cameras ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("aspect", [16 / 9, 1.0, 0.5])
def test_fitted_points_fill_the_picture_and_stay_inside(kind: str, aspect: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        spread = rng.uniform(0.1, 8.0, 3)
        points = rng.uniform(-1, 1, (40, 3)) * spread + rng.uniform(-5, 5, 3)
        camera = Camera(kind=kind, yaw=rng.uniform(-3, 3), pitch=rng.uniform(-0.5, 1.2))
        fit_points(camera, points, aspect)
        seen = camera.project(points, 1000 * aspect, 1000)
        assert (seen[:, 2] > 0).all()
        room = 0.5 * (1 - 1 / MARGIN) * 1000
        x, y = seen[:, 0] / aspect, seen[:, 1]
        # Nothing leaves the inner box; something touches it, so that the figure is as large as can be.
        for values in (x, y):
            assert values.min() >= room - 1 and values.max() <= 1000 - room + 1
        touch = min(x.min(), 1000 - x.max(), y.min(), 1000 - y.max())
        assert touch == pytest.approx(room, abs=3)
        assert abs(x.min() + x.max() - 1000) < 12 and abs(y.min() + y.max() - 1000) < 12  # in the middle


def test_a_camera_that_goes_round_sees_everything_from_everywhere() -> None:
    rng = np.random.default_rng(4)
    for aspect in (16 / 9, 0.6):
        points = rng.uniform(-1, 1, (60, 3)) * (0.9, 1.0, 0.3) + (3.0, 0.9, -2.0)
        camera = Camera(pitch=0.15)
        fit_round(camera, points, aspect)
        for yaw in np.linspace(0, 2 * np.pi, 50):
            camera.yaw = float(yaw)
            seen = camera.project(points, 100 * aspect, 100)
            assert (seen[:, 0] > 0).all() and (seen[:, 0] < 100 * aspect).all()
            assert (seen[:, 1] > 0).all() and (seen[:, 1] < 100).all() and (seen[:, 2] > 0).all()


def test_a_single_point_can_be_framed() -> None:
    for kind in KINDS:
        camera = Camera(kind=kind)
        fit_points(camera, np.array([[1.0, 2.0, 3.0]]), 1.5)
        assert camera.project([1.0, 2.0, 3.0], 150, 100)[0, :2] == pytest.approx([75, 50], abs=0.1)


def test_the_way_along_is_calm_and_keeps_up() -> None:
    t = np.linspace(0, 4, 121)
    sway = np.column_stack([0.03 * np.sin(12 * t), 1 + 0.02 * np.cos(20 * t), 1.3 * t + 0.02 * np.sin(20 * t)])
    path = smooth_path(sway, 30, False)
    assert (path[:, 1] == 0).all()
    assert np.abs(path[:, 2] - 1.3 * t).max() < 0.03 and np.abs(path[:, 0]).max() < 0.02
    assert np.abs(np.diff(path, 2, axis=0)).max() < 0.2 * np.abs(np.diff(sway, 2, axis=0)).max()


def test_the_way_along_a_round_closes() -> None:
    t = np.arange(32) / 32
    roots = np.column_stack([0.04 * np.sin(2 * np.pi * t), 0 * t, 1.32 * t + 0.02 * np.sin(4 * np.pi * t)])
    path = smooth_path(roots, 30, True)
    again = path + np.array([0, 0, 1.32])
    steps = np.diff(np.concatenate([path, again[:2]]), axis=0)
    assert np.abs(np.diff(steps, axis=0)).max() < 0.004  # the step over the seam is like any other


# -- pictures ---------------------------------------------------------------------------------------------------------


def figure_pixels(shot: Shot) -> list[np.ndarray]:
    """Where each picture shows the figure: it is pale and without colour, the axes are coloured, the ground is dark."""
    shown = [picture[:, :, :3].astype(int) for picture in shot.pictures()]
    return [(picture.min(axis=2) > 110) & (np.ptp(picture, axis=2) < 40) for picture in shown]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("view", KINDS)
@pytest.mark.parametrize("follow", [False, True])
@pytest.mark.parametrize("size", [(160, 96), (96, 160)])
def test_a_figure_that_goes_far_is_never_cut_off(far: Sequence, view: str, follow: bool, size: tuple[int, int]) -> None:
    shot = planned_shot(far.skeleton, far, MP4, fps=4, size=size, view=view, follow=follow)
    whole = planned_shot(far.skeleton, far, PNG, frame=0, size=size, view=view)
    heights = []
    for shown in figure_pixels(shot):
        assert shown.any()
        assert not (shown[:2].any() or shown[-2:].any() or shown[:, :2].any() or shown[:, -2:].any())
        heights.append(np.ptp(np.flatnonzero(shown.any(axis=1))))
    if follow and view in ("front", "perspective"):
        (alone,) = figure_pixels(whole)
        assert min(heights) > 0.4 * np.ptp(np.flatnonzero(alone.any(axis=1)))


def test_a_turntable_comes_back_to_where_it_began(stickman: Skeleton) -> None:
    shot = planned_shot(stickman, None, GIF, turntable=1.0, size=SIZE)
    assert len(shot) == 25
    shown = [picture[:, :, :3].astype(float) for picture in shot.pictures()]
    steps = [np.abs(a - b).mean() for a, b in zip(shown, [*shown[1:], shown[0]], strict=True)]
    assert steps[-1] < 1.5 * max(steps[:-1]) and min(steps) > 0  # the seam is a step like the others
    for picture in figure_pixels(shot):
        assert not (picture[:2].any() or picture[:, :2].any() or picture[:, -2:].any())


@pytest.mark.verify
def test_a_turntable_repeats_the_motion_and_closes_with_it(walk: Sequence) -> None:
    shot = planned_shot(walk.skeleton, walk, MP4, turntable=3.0, fps=10, size=SIZE)
    assert shot.repeats == 3 and len(shot) == 33 and shot.follow  # the walk lasts 1.07 s: 11 pictures
    shown = [picture[:, :, :3].astype(float) for picture in shot.pictures()]
    steps = [np.abs(a - b).mean() for a, b in zip(shown, [*shown[1:], shown[0]], strict=True)]
    assert steps[-1] < 1.3 * max(steps[:-1])


def test_a_recorded_motion_is_thinned(stickman: Skeleton) -> None:
    sequence = Sequence(stickman, fps=120)
    for frame in range(0, 241):
        sequence.set_key(frame, stickman.rest_pose())
    assert planned_shot(stickman, sequence, MP4).rate == 60
    assert len(planned_shot(stickman, sequence, GIF)) == 51
    assert len(planned_shot(stickman, sequence, PNG, frames=(0, 10))) == 11


def test_ghosts_are_drawn_and_framed(far: Sequence) -> None:
    plain = planned_shot(far.skeleton, far, PNG, frame=40, size=SIZE)
    ghosts = planned_shot(far.skeleton, far, PNG, frame=40, size=SIZE, ghosts=True)
    (alone,), (among,) = figure_pixels(plain), figure_pixels(ghosts)
    assert among.sum() < 0.5 * alone.sum()  # the camera stands back for them
    a, b = next(plain.pictures()).astype(int), next(ghosts.pictures()).astype(int)
    assert np.abs(a - b).mean() > 1


def test_which_keys_are_ghosts(far: Sequence, stickman: Skeleton) -> None:
    assert neighbor_keys(far, 40) == [(0, "ghost_before"), (90, "ghost_after")]
    assert neighbor_keys(far, 41) == [(40, "ghost_before"), (90, "ghost_after")]
    assert neighbor_keys(far, 0) == [(40, "ghost_after")]
    recorded = Sequence(stickman, fps=40)
    for frame in range(41):
        recorded.set_key(frame, stickman.rest_pose())
    assert neighbor_keys(recorded, 20) == [(10, "ghost_before"), (30, "ghost_after")]
    assert neighbor_keys(Sequence(stickman), 3) == []


# -- what contradicts itself ------------------------------------------------------------------------------------------


def test_wishes_that_cannot_be(far: Sequence, stickman: Skeleton) -> None:
    for message, path, wishes in (
        ("stand still", MP4, {"frame": 3}),
        ("turn|perspective", MP4, {"turntable": 2.0, "view": "front"}),
        ("do not go together", PNG, {"frame": 3, "frames": (0, 4)}),
        ("backwards", PNG, {"frames": (95, None)}),
        ("pictures", MP4, {"frames": (0, 2**31 - 1)}),
        ("pictures", GIF, {"turntable": 1e9}),
    ):
        with pytest.raises(ExportError, match=message):
            planned_shot(stickman, far, path, **wishes)
    for sequence in (None, Sequence(stickman)):
        with pytest.raises(ExportError, match="nothing in it moves"):
            planned_shot(stickman, sequence, MP4)
        assert len(planned_shot(stickman, sequence, PNG)) == 1


def test_sizes_suit_the_kind(far: Sequence) -> None:
    assert planned_shot(far.skeleton, far, MP4).size == (1280, 720)
    assert planned_shot(far.skeleton, far, GIF).size == (640, 360)
    assert planned_shot(far.skeleton, far, MP4, size=(401, 300)).size == (402, 300)
    assert planned_shot(far.skeleton, far, GIF, size=(401, 301)).size == (401, 301)


def test_a_figure_without_a_body_can_be_drawn() -> None:
    from core.skeleton import Joint

    bare = Skeleton("bare", [Joint("a", -1), Joint("b", 0, offset=[0, 1, 0])])
    assert next(planned_shot(bare, None, PNG, size=SIZE).pictures()).shape == (96, 160, 4)


# -- other figures ----------------------------------------------------------------------------------------------------


def beside(stickman: Skeleton, x: float, fps: float = 30.0) -> tuple[Skeleton, Sequence]:
    """Another figure that goes from x one metre along x within a second."""
    other = Skeleton(f"other at {x:g}", stickman.joints)
    sequence = Sequence(other, fps=fps)
    for second in (0, 1):
        q = other.rest_pose()
        q[0] = x + second
        sequence.set_key(round(second * fps), q, "linear")
    return other, sequence


def test_others_are_seen_at_the_same_time_whatever_their_rate(stickman: Skeleton, far: Sequence) -> None:
    shot = Shot(stickman, np.array([15.0]), 30.0, SIZE, far, others=(beside(stickman, 2.0, 60.0),))
    assert shot._pose_beside(0, 15.0)[0] == pytest.approx(2.5)


def test_the_camera_sees_others_too_unless_they_are_hidden(stickman: Skeleton) -> None:
    widths = []
    for hidden in (frozenset[str](), frozenset({"other at 4"})):
        shot = Shot(stickman, np.array([0.0]), 30.0, SIZE, others=(beside(stickman, 4.0),), hidden=hidden)
        pictures = [np.array(picture) for picture in shot.pictures()]
        alone = next(iter(Shot(stickman, np.array([0.0]), 30.0, SIZE).pictures()))
        widths.append((pictures[0] != alone).any())
        assert len(list(shot._beside(0.0))) == (not hidden)
    assert widths == [True, False]
