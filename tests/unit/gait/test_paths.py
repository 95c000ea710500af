"""Walks along paths on the ground."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import FormatError
from core.gait.error import GaitError
from core.gait.ground_path import GroundPath, path_of, read_path, read_points
from core.gait.manner import Manner, manner_from_json, manner_to_json
from core.gait.walk import make_walk
from core.preview.plausibility.find import find_violations
from core.skeleton import load_skeleton
from core.terrain import LEVEL
from tests.support.counts import few_of
from tests.support.grounds import footing, hills, walked

WINDING = ((0.0, 0.0), (1.0, 2.0), (3.0, 2.5), (4.0, 1.0), (3.0, -1.0))
HAIRPIN = ((0.0, 0.0), (0.0, 3.0), (1.0, 3.3), (1.0, 0.5))
CIRCLE = tuple((2.0 - 2.0 * np.cos(a), 2.0 * np.sin(a)) for a in np.linspace(0.0, 6.2, 20))


@pytest.fixture(scope="module")
def human(skeletons_folder):
    return load_skeleton(skeletons_folder / "human.scr")


@pytest.mark.parametrize(
    ("points", "hilly"),
    few_of([(HAIRPIN, False), (WINDING, False), (WINDING, True), (CIRCLE, False), (CIRCLE, True), (HAIRPIN, True)], 1),
)
def test_feet_stay_beside_the_path_and_end_where_it_does(human, points, hilly):
    ground = hills(3) if hilly else LEVEL
    walk, path = make_walk(human, Manner(path=points), ground), path_of(points)
    dense = path.places(np.linspace(0.0, path.length, 4000))
    places = walk.steps.places[:, [0, 2]]
    off = np.linalg.norm(places[:, None] - dense[None], axis=2).min(axis=1)
    apart = float(np.linalg.norm(places[1] - places[0]))
    assert off.max() <= 0.5 * apart + 2e-3
    assert np.linalg.norm(0.5 * (places[-1] + places[-2]) - dense[-1]) < 0.03
    found = footing(human, walk, ground)
    assert found.sunk <= 2e-3 and found.hover <= 2e-3 and found.drift <= 1e-6 and found.unheld <= 1e-6
    assert found.jump <= np.radians(20.0) and found.outside <= 1e-9 and walk.missed < 1e-6
    if not hilly:
        assert find_violations(walked(human, walk)) == ()


def test_steps_are_shorter_and_slower_where_a_path_bends(human):
    steps = make_walk(human, Manner(path=HAIRPIN)).steps
    middles = 0.5 * (steps.places[1:] + steps.places[:-1])
    long, time = np.linalg.norm(np.diff(middles, axis=0), axis=1)[2:-1], np.diff(steps.lands)[3:-1]
    tight = int(long.argmin())
    assert long[tight] < 0.6 * long[0] and time[tight] > 1.2 * time[0]
    headings = np.unwrap(np.arctan2(steps.frames[::2, 0, 2], steps.frames[::2, 2, 2]))
    assert np.degrees(abs(headings[-1] - headings[0])) == pytest.approx(180.0, abs=10.0)


def test_a_path_has_its_length_and_its_curvature_by_arc_length():
    path = GroundPath(CIRCLE)
    assert path.length == pytest.approx(2.0 * 6.2, rel=2e-3)
    s = np.linspace(1.0, path.length - 1.0, 50)
    assert path.curvatures(s) == pytest.approx(0.5, abs=0.06)
    assert np.linalg.norm(np.diff(path.places(s), axis=0), axis=1) == pytest.approx(s[1] - s[0], rel=5e-3)
    assert np.diff(path.headings(s)) == pytest.approx(0.5 * (s[1] - s[0]), rel=0.15)


def test_paths_are_read_from_words_and_files_and_kept_in_records(tmp_path):
    assert read_points("0,0 1, 2\n3 ,4 # the end") == ((0.0, 0.0), (1.0, 2.0), (3.0, 4.0))
    with pytest.raises(GaitError, match='"1;2" is no point'):
        read_points("0,0 1;2")
    bad = tmp_path / "path.txt"
    bad.write_text("0,0\n1,b\n")
    with pytest.raises(FormatError, match='"1,b" is no point'):
        read_path(bad)
    manner = Manner(path=WINDING)
    assert manner_from_json(manner_to_json(manner)) == manner
    for points in (((0.0, 0.0),), ((0.0, 0.0), (0.0, 0.1)), ((0.0, 0.0), (float("nan"), 1.0))):
        with pytest.raises(GaitError):
            Manner(path=points)
