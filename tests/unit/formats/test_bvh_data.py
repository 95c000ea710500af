"""BVH files from the world: against world positions worked out elsewhere, and round trips of every file."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from core.errors import Cancelled
from core.formats import Project, load, save
from core.kinematics import forward_kinematics
from core.skeleton.extent import figure_height
from tests.conftest import DATA
from tests.support.bvh_reference import Bvh

FILES = sorted((DATA / "bvh").glob("*.bvh"))
every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
MOST = 40  # frames that the plain reference works out; it is slow


@pytest.fixture(scope="module")
def walk() -> Project:
    path = DATA / "bvh" / "walk01.bvh"
    if not path.exists():
        pytest.skip("reference data not found; set SEQUENCE_EDITOR_DATA to its folder")
    return load(path)


def table(name: str) -> tuple[list[str], np.ndarray]:
    with open(DATA / "bvh" / name, newline="") as stream:
        header, *rows = csv.reader(stream)
    return header[1:], np.array([[float(x) for x in row] for row in rows])[:, 1:]


def world(project: Project, frames: np.ndarray) -> np.ndarray:
    """Where all joints are, shape (frames, joints, 3), [m]."""
    poses = project.sequences[0].poses_at_frames(frames)
    return forward_kinematics(project.figures[0], poses)[..., :3, 3]


# -- against numbers that others worked out ---------------------------------------------------------------------------


def test_world_positions_of_the_walk(walk: Project) -> None:
    header, numbers = table("walk01_pos.csv")
    s, sequence = walk.figures[0], walk.sequences[0]
    assert (walk.unit, walk.unit_guess, sequence.fps) == (0.01, "sure", 24)
    X = forward_kinematics(s, sequence.poses_at_frames(np.arange(len(numbers))))
    compared = 0
    for i, joint in enumerate(s.joints):
        found = {joint.name: X[:, i, :3, 3]}
        for tip in joint.tips:
            found[f"{joint.name}_End"] = X[:, i, :3, :3] @ tip + X[:, i, :3, 3]
        for name, places in found.items():
            column = header.index(f"{name}.x")
            assert np.abs(places / walk.unit - numbers[:, column : column + 3]).max() < 1e-4, name
            compared += 3
    assert compared == len(header) and len(sequence.keys) == len(numbers) == 101


def test_angles_of_the_walk(walk: Project) -> None:
    header, numbers = table("walk01_rot.csv")
    s = walk.figures[0]
    names = [name.removesuffix("_End") for name in header]
    own = [k for k, name in enumerate(names) if name in s.dof_names]
    assert len(own) == s.n_dofs
    q = np.array([key.q for key in walk.sequences[0].keys])
    for k in own:
        difference = np.degrees(q[:, 3 + s.dof_names.index(names[k])]) - numbers[:, k]
        assert np.abs(difference - 360 * np.round(difference / 360)).max() < 1e-4, names[k]


def test_hierarchy_of_the_walk(walk: Project) -> None:
    s = walk.figures[0]
    with open(DATA / "bvh" / "walk01_hierarchy.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        offset = [float(row[f"offset.{axis}"]) for axis in "xyz"]
        name = row["joint"]
        if name.endswith("_End"):
            found = s.joints[s.joint_index(row["parent"])].tips[0]
        else:
            joint = s.joints[s.joint_index(name)]
            assert (s.joints[joint.parent].name if joint.parent >= 0 else "") == row["parent"]
            found = joint.offset
        assert found / walk.unit == pytest.approx(offset, abs=1e-5), name


# -- every file -------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not FILES, reason="reference data not found; set SEQUENCE_EDITOR_DATA to its folder")
def test_there_are_files() -> None:
    assert len(FILES) >= 8


@pytest.mark.sampled(5)
@every_file
def test_every_file_against_the_plain_reference(path: Path) -> None:
    project, reference = load(path, unit=1.0), Bvh.load(path)
    s, sequence = project.figures[0], project.sequences[0]
    assert s.joint_names == tuple(joint[0] for joint in reference.joints)
    assert len(sequence.keys) == len(reference.rows)
    assert 1.0 / sequence.fps == pytest.approx(reference.frame_time, rel=2e-4)
    frames = np.unique(np.linspace(0, len(reference.rows) - 1, MOST if len(s.joints) < 50 else 3).astype(int))
    found = world(project, frames)
    for row, frame in zip(found, frames, strict=True):
        places = reference.places(int(frame))
        expected = np.array([places[name] for name in s.joint_names])
        assert np.abs(row - expected).max() < 1e-9 * max(1.0, np.abs(expected).max())


@pytest.mark.sampled(1)
@every_file
def test_every_file_to_seq_to_bvh_and_back(path: Path, tmp_path: Path) -> None:
    first = load(path)
    save(first, tmp_path / "a.seq")
    second = load(tmp_path / "a.seq")
    assert second.unit == first.unit
    save(second, tmp_path / "b.bvh")
    last = load(tmp_path / "b.bvh", unit=first.unit)
    s = first.figures[0]
    for project in (second, last):
        again = project.figures[0]
        assert again.joint_names == s.joint_names and again.dof_names == s.dof_names
        assert project.sequences[0].fps == first.sequences[0].fps
        assert len(project.sequences[0].keys) == len(first.sequences[0].keys)
        for here, there in zip(s.joints, again.joints, strict=True):
            assert np.reshape(here.tips, (-1, 3)) == pytest.approx(np.reshape(there.tips, (-1, 3)), abs=1e-6)
    frames = np.arange(len(first.sequences[0].keys))
    for start in range(0, len(frames), 512):
        part = frames[start : start + 512]
        before, after = world(first, part), world(last, part)
        assert np.abs(after - before).max() < 1e-4 * figure_height(s)


@pytest.mark.sampled(1)
@every_file
def test_what_is_written_is_what_was_read(path: Path, tmp_path: Path) -> None:
    """Same joints, offsets, channels and values as the source; angles up to whole turns."""
    save(load(path, unit=1.0), tmp_path / "out.bvh")
    before, after = Bvh.load(path), Bvh.load(tmp_path / "out.bvh")
    for old, new in zip(before.joints, after.joints, strict=True):
        assert old[:2] == new[:2] and old[3] == new[3]
        assert new[2] == pytest.approx(old[2], abs=1e-6)
        assert np.array(new[4]) == pytest.approx(np.array(old[4]), abs=1e-6)
    old, new = np.array(before.rows), np.array(after.rows)
    turns = np.array([not name.endswith("position") for joint in before.joints for name in joint[3]])
    difference = new - old
    difference[:, turns] -= 360.0 * np.round(difference[:, turns] / 360.0)
    assert np.abs(difference).max() < 2e-6


@pytest.mark.sampled(4)
@every_file
def test_names_are_read_and_bodies_made(path: Path) -> None:
    s = load(path).figures[0]
    assert all(label and label[0].isupper() for label in s.dof_labels)
    if len(s.joints) > 10:
        titles = [name for name, _ in s.groups]
        assert {"Left leg", "Right leg", "Left arm", "Right arm", "Spine"} <= set(titles)
        assert len(s.mirror_pairs) >= 7
        left, right = s.mirror_pairs[0]
        assert s.joints[left].color != s.joints[right].color
        assert sum(joint.has_body for joint in s.joints) >= 14


@pytest.mark.sampled(1)
@every_file
def test_between_two_frames_no_part_goes_the_long_way_round(path: Path) -> None:
    """Half-way between two frames every joint is near both, whatever the angles do."""
    project = load(path)
    last = min(len(project.sequences[0].keys) - 1, 200)
    frames = np.arange(2 * last + 1) / 2.0
    at = world(project, frames)
    size = figure_height(project.figures[0])
    step = np.linalg.norm(at[2::2] - at[:-2:2], axis=-1)
    aside = np.linalg.norm(at[1::2] - 0.5 * (at[2::2] + at[:-2:2]), axis=-1)
    assert (aside <= 0.51 * step + 0.02 * size).all()


@pytest.mark.verify
def test_a_long_read_and_a_long_write_can_be_stopped(tmp_path: Path) -> None:
    path = DATA / "bvh" / "cmu_01_01.bvh"
    if not path.exists():
        pytest.skip("reference data not found; set SEQUENCE_EDITOR_DATA to its folder")
    reported: list[float] = []
    project = load(path, progress=reported.append)
    assert reported == sorted(reported) and len(reported) > 10

    def stop(done: float) -> None:
        if done > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        load(path, progress=stop)
    with pytest.raises(Cancelled):
        save(project, tmp_path / "x.bvh", progress=stop)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.verify
def test_the_rates_of_the_files() -> None:
    if not FILES:
        pytest.skip("reference data not found; set SEQUENCE_EDITOR_DATA to its folder")
    rates = {path.stem: load(path).sequences[0].fps for path in FILES if path.stat().st_size < 500_000}
    assert rates == {
        "cmu_12_01_walk": 120,
        "cmu_jumping_jacks": 30,
        "fair1_dab": 30,
        "mh_standing06": 24,
        "pybvh_mixed_orders": 30,
        "test_simple": 30,
        "walk01": 24,
        "mh_fight01_1frame": 24,
    }
    assert all(math.isfinite(rate) for rate in rates.values())
