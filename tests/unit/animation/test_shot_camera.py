"""The camera of a shot: its way through its keys, what it follows, and how it is kept."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.animation.figure_way import FigureWay
from core.animation.shot_camera import (
    CUT,
    EVEN,
    CameraKey,
    CameraPath,
    ShotCamera,
    angle_of,
    camera_from_json,
    camera_to_json,
    lens_of,
)
from core.errors import FormatError, SequenceError
from core.formats import load, save

A = CameraKey(0, (0.0, 0.9, 0.0), 4.0, -1.0, 0.1, 0.5)
B = CameraKey(20, (1.0, 1.2, 0.0), 2.0, 1.0, 0.3, 0.3)
C = CameraKey(30, (1.0, 1.2, 0.0), 2.0, 1.0, 0.3, 0.3)
D = CameraKey(50, (3.0, 0.5, 2.0), 6.0, 3.0, -0.2, 0.6)


def row(key: CameraKey) -> np.ndarray:
    return np.array([*key.target, math.log(key.distance), key.yaw, key.pitch, key.fov])


def test_it_passes_its_keys_eases_and_never_goes_farther_than_they_do() -> None:
    path = CameraPath(ShotCamera((D, B, A, C)))
    rows = np.array([row(path.at(frame)) for frame in np.arange(-50, 551) / 10])
    for key in (A, B, C, D):
        assert np.allclose(row(path.at(key.frame)), row(key), atol=1e-14)
    assert np.ptp(rows[550:], axis=0).max() < 1e-12  # after the last key it stands
    between = rows[50:251]
    assert (between >= np.minimum(row(A), row(B)) - 1e-12).all() and (
        between <= np.maximum(row(A), row(B)) + 1e-12
    ).all()
    assert np.ptp(rows[250:351], axis=0).max() < 1e-12  # equal keys: it stands
    speed = np.abs(np.diff(rows, axis=0)).max(axis=1)
    assert np.abs(np.diff(speed)).max() < 0.1 * speed.max()  # no jerk anywhere, at the first and the last key neither


def test_a_cut_holds_until_the_next_key_and_an_even_move_has_one_speed() -> None:
    path = CameraPath(ShotCamera((replace(A, move=CUT), replace(B, move=EVEN), D)))
    assert np.array_equal(row(path.at(19.999)), row(A)) and np.allclose(row(path.at(20)), row(B))
    steps = np.diff([row(path.at(frame)) for frame in np.linspace(20, 50, 31)], axis=0)
    assert np.allclose(steps, steps[0])


def test_it_turns_the_shorter_way() -> None:
    path = CameraPath(ShotCamera((replace(A, yaw=3.0), replace(B, yaw=-3.0))))
    yaws = [path.at(frame).yaw for frame in range(21)]
    assert np.ptp(yaws) == pytest.approx(2.0 * math.pi - 6.0)


@pytest.fixture(scope="module")
def walk(skeletons_folder: Path):
    return load(skeletons_folder / "library" / "Walks and runs" / "walk.seq")


def test_it_follows_without_shaking_or_lagging(walk) -> None:
    """One key: the figure keeps its place in the picture, but for the sway of its steps."""
    t = np.arange(0, 301) / 30.0  # ten seconds: 1.3 m/s along z, with bob at 2 Hz and sway at 1 Hz
    roots = np.tile(np.eye(4), (len(t), 1, 1))
    roots[:, 0, 3] = 0.03 * np.sin(2 * np.pi * t)
    roots[:, 1, 3] = 0.9 + 0.02 * np.sin(4 * np.pi * t)
    roots[:, 2, 3] = 1.3 * t + 0.02 * np.sin(4 * np.pi * t)
    way = FigureWay(np.arange(301), roots, 30.0)
    path = CameraPath(ShotCamera((A,), follow=1.0), way)
    places = np.array([path.at(frame).target for frame in range(301)])
    assert np.abs(places[:, 2] - 1.3 * t - (places[0, 2])).max() < 0.03  # neither behind nor ahead
    inner = places[45:-45]
    assert np.ptp(inner[:, 0]) < 0.006 and np.ptp(places[:, 1]) == 0.0  # a tenth of the sway is left
    assert np.abs(np.diff(inner[:, 2], 2)).max() * 30**2 < 0.02  # [m/s^2]; the root's own are 3.2
    half = CameraPath(ShotCamera((A,), follow=0.5), way)
    assert half.at(300).target[2] == pytest.approx(0.5 * (path.at(300).target[2]), abs=1e-9)


def test_following_leaves_the_pictures_at_the_keys(walk) -> None:
    sequence = walk.sequences[0]
    for turn in (False, True):
        shot = ShotCamera((A, B), follow=0.7, turn=turn)
        path = CameraPath(shot, FigureWay.of(sequence, shot.calm))
        for key in (A, B):
            assert np.allclose(row(path.at(key.frame)), row(key), atol=1e-12)


def test_a_figure_that_walks_a_circle_is_seen_from_the_same_side() -> None:
    angle = np.linspace(0, 2 * np.pi, 121)
    roots = np.tile(np.eye(4), (121, 1, 1))
    roots[:, 0, 0] = roots[:, 2, 2] = np.cos(angle)
    roots[:, 0, 2], roots[:, 2, 0] = np.sin(angle), -np.sin(angle)
    roots[:, 0, 3], roots[:, 2, 3] = -2.0 * np.cos(angle), 2.0 * np.sin(angle)
    path = CameraPath(
        ShotCamera((A,), follow=1.0, turn=True, calm=0.0), FigureWay(np.arange(121), roots, 30.0, calm=0.0)
    )
    for k in (0, 37, 80):
        seen = path.at(k)
        assert math.remainder(seen.yaw - A.yaw - angle[k], 2 * math.pi) == pytest.approx(0.0, abs=1e-9)
    away = [np.array(path.at(k).target)[[0, 2]] - roots[k][[0, 2], 3] for k in range(121)]
    assert np.ptp(np.linalg.norm(away, axis=1)) < 1e-9


def test_it_is_kept_in_files_and_moves_with_the_frames(walk, tmp_path: Path) -> None:
    sequence = walk.sequences[0]
    shot = ShotCamera((A, replace(B, move=CUT)), follow=0.25, turn=True, calm=0.5)
    assert camera_from_json(camera_to_json(shot)) == shot
    sequence.camera = shot
    save(walk, tmp_path / "a.seq")
    assert load(tmp_path / "a.seq").sequences[0].camera == shot
    assert [key.frame for key in shot.moved(lambda frame: frame // 40).keys] == [0, 1]
    sequence.camera = ShotCamera()
    save(walk, tmp_path / "b.seq")
    assert '"camera"' not in (tmp_path / "b.seq").read_text()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"distance": 0.0}, "distance"),
        ({"fov": math.nan}, "fov"),
        ({"target": (1.0, 2.0)}, "three numbers"),
        ({"move": "fly"}, "smooth, even, cut"),
        ({"frame": -1}, "frame"),
    ],
)
def test_what_cannot_be_is_refused_by_name(change: dict, words: str) -> None:
    with pytest.raises(SequenceError, match=words):
        replace(A, **change)


def test_a_damaged_camera_of_a_file_is_named(walk, tmp_path: Path) -> None:
    save(walk, tmp_path / "a.seq")
    text = (tmp_path / "a.seq").read_text()
    (tmp_path / "a.seq").write_text(text.replace('"script"', '"camera": {"keys": [{"frame": 3}]}, "script"', 1))
    with pytest.raises(FormatError, match=r"sequences\[0\].camera.*keys\[0\].*target"):
        load(tmp_path / "a.seq")


def test_two_keys_at_a_frame_and_a_path_without_keys_are_refused() -> None:
    with pytest.raises(SequenceError, match="frame 0"):
        ShotCamera((A, A))
    with pytest.raises(SequenceError, match="no keys"):
        CameraPath(ShotCamera())


def test_lenses_are_named_for_35_mm_film() -> None:
    assert lens_of(angle_of(50.0)) == pytest.approx(50.0)
    assert math.degrees(angle_of(50.0)) == pytest.approx(26.99, abs=0.01)
