"""Files from the world through glTF and USD and back; robots and men of other programs against a second reading."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.formats import Project, load, save
from core.formats.exchange import reading
from core.kinematics import forward_kinematics
from core.skeleton.extent import figure_height
from tests.conftest import DATA
from tests.support.gltf_reference import Reference

MOTIONS = sorted([*(DATA / "bvh").glob("*.bvh"), *(DATA / "asfamc").glob("??_??.amc"), *(DATA / "gltf").glob("*.glb")])
SUFFIXES = (".glb", ".usdc", ".bvh", ".amc")
TOLERANCE = 1e-4  # of the figure's height
TIMES = 20

pytestmark = pytest.mark.skipif(not MOTIONS, reason="reference data not found; set SEQUENCE_EDITOR_DATA to its folder")


def places(project: Project, frames: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """Where joints are, shape (m, n, 3), [m]."""
    s, sequence = project.figures[0], project.sequences[0]
    at = [s.joint_names.index(name) for name in names]
    return forward_kinematics(s, sequence.poses_at_frames(frames))[:, at, :3, 3]


def round_trip(path: Path, suffix: str, folder: Path) -> float:
    """Return how far a joint is off after a round trip, of the figure's height."""
    choices = {} if path.suffix == ".glb" else {"up": "auto", "positions": "auto"}
    before = load(path, **choices)
    s, sequence = before.figures[0], before.sequences[0]
    first, last = sequence.range
    save(before, folder / f"again{suffix}")
    # A BVH file states no unit, and the one of the CMU library is guessed to three digits.
    after = load(folder / f"again{suffix}", unit=before.unit if suffix == ".bvh" else None)
    frames = np.unique(np.linspace(first, last, TIMES).round())
    names = s.joint_names
    found = {"_".join(name.split()): name for name in after.figures[0].joint_names}
    theirs = tuple(found["_".join(name.split())] for name in names)
    return float(np.abs(places(before, frames, names) - places(after, frames - first, theirs)).max() / figure_height(s))


@pytest.mark.parametrize("suffix", SUFFIXES[:2])
def test_a_walk_goes_there_and_back(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # By its nodes alone, as if another program had written it.
    monkeypatch.setattr(reading, "restored", lambda *_, **__: None)
    assert round_trip(DATA / "bvh" / "walk01.bvh", suffix, tmp_path) < TOLERANCE


@pytest.mark.verify
@pytest.mark.parametrize("alone", [False, True], ids=["with its record", "by its nodes alone"])
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("path", MOTIONS, ids=lambda path: path.stem)
def test_every_motion_goes_there_and_back(
    path: Path, suffix: str, alone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if alone:
        if suffix in (".bvh", ".amc"):
            pytest.skip("the file holds no record")
        monkeypatch.setattr(reading, "restored", lambda *_, **__: None)
    assert round_trip(path, suffix, tmp_path) < TOLERANCE


@pytest.mark.parametrize("name", ["RiggedSimple.glb", "RiggedSimple_embedded.gltf"])
def test_joints_of_another_program_move_as_its_file_says(name: str) -> None:
    assert _apart(DATA / "gltf" / name, 5) < 1e-5


@pytest.mark.verify
@pytest.mark.parametrize("name", ["CesiumMan.glb", "quaternius_robot.glb"])
def test_a_man_and_a_robot_move_as_their_files_say(name: str) -> None:
    assert _apart(DATA / "gltf" / name, TIMES) < 1e-5


def _apart(path: Path, times: int) -> float:
    """Return how far a joint is from where a second reading has it, over all clips, [units]."""
    project, other = load(path), Reference(path)
    worst = 0.0
    for clip, sequence in enumerate(project.sequences):
        s = sequence.skeleton
        node = {f"node {k}" if not each.name else each.name: k for k, each in reversed([*enumerate(other.gltf.nodes)])}
        known = [(i, node[name]) for i, name in enumerate(s.joint_names) if name in node]
        assert len(known) >= len(s.joints) - sum(not joint.dofs for joint in s.joints)
        for frame in np.linspace(0, sequence.range[1], times).round():
            X = forward_kinematics(s, sequence.pose_at_frame(frame))
            worlds = other.worlds(clip, frame / sequence.fps)
            worst = max(worst, *(float(np.abs(X[i, :3, 3] - worlds[k, :3, 3]).max()) for i, k in known))
    return worst
