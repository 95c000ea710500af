"""Damaged BVH files: refused with their place, or read as a sound project that can be posed, saved and read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.formats import Project, load, save
from core.kinematics import forward_kinematics
from tests.conftest import DATA
from tests.support.fuzzing import Tally, fuzz

WORDS = (
    "HIERARCHY ROOT JOINT End Site OFFSET CHANNELS MOTION Frames: Frame Time: { } 0 3 6 1e9 -1e9 1e-300 nan .0083333 "
    "Xposition Yposition Zposition Xrotation Yrotation Zrotation Xscale 1000000000 Frames:99999999"
)
TOKENS = (
    *WORDS.encode().split(),
    b"CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation",
    b"CHANNELS 0\n",
    b"JOINT Left Hand\n{\nOFFSET 0 1 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n}\n",
    b"End Site\n{\nOFFSET 1 2 3\n}\n",
    b"ROOT second\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n",
    b"{\nOFFSET 0 0 0\n" * 50,
)
WHOLE = b"""HIERARCHY
ROOT Hips
{
  OFFSET 0 0.95 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT LeftLeg
  {
    OFFSET 0.1 -0.1 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftFoot
    {
      OFFSET 0 -0.85 0
      CHANNELS 6 Zposition Yposition Xposition Yrotation Xrotation Zrotation
      End Site
      {
        OFFSET 0 0 0.2
      }
    }
  }
  JOINT RightLeg
  {
    OFFSET -0.1 -0.1 0
    CHANNELS 1 Xrotation
    End Site
    {
      OFFSET 0 -0.85 0
    }
  }
}
ROOT Ball
{
  OFFSET 0 0 0
  CHANNELS 4 Xposition Zposition Xrotation Yrotation
}
MOTION
Frames: 3
Frame Time: 0.0333333
"""
ROWS = "\n".join(" ".join(f"{x:.4f}" for x in row) for row in np.random.default_rng(3).uniform(-90, 90, (3, 20)))


def sources() -> dict[str, bytes]:
    found = {"whole.bvh": WHOLE + ROWS.encode() + b"\n"}
    for name in ("test_simple", "walk01", "mh_standing06", "pybvh_mixed_orders"):
        path = DATA / "bvh" / f"{name}.bvh"
        if path.exists():
            found[path.name] = path.read_bytes()
    return found


def use(made: object, folder: Path) -> None:
    """Whatever was read can be posed, saved as a project and as BVH, and read back."""
    assert isinstance(made, Project) and made.figures
    for sequence in made.sequences:
        assert np.isfinite(forward_kinematics(sequence.skeleton, sequence.poses_at_frames([0, 0.5, 1e6]))).all()
    save(made, folder / "used.seq")
    again = load(folder / "used.seq")
    for before, after in zip(made.sequences, again.sequences, strict=True):
        assert after.fps == before.fps and after.keys == before.keys
    save(made, folder / "used out.bvh")
    back = load(folder / "used out.bvh", unit=made.unit)
    assert [len(s.joints) for s in back.figures] == [len(s.joints) for s in made.figures]


def attack(count: int, folder: Path, seed: int = 0) -> Tally:
    (folder / "in").mkdir()
    return fuzz(load, sources(), count, folder / "in", seed=seed, tokens=TOKENS, use=lambda made: use(made, folder))


def test_damaged_files(tmp_path: Path) -> None:
    tally = attack(30, tmp_path)
    assert tally.refused > 5 and tally.accepted > 1


@pytest.mark.verify
def test_damaged_files_full(tmp_path: Path) -> None:
    tally = attack(1500, tmp_path, seed=1)
    assert tally.refused > 300 and tally.accepted > 150
