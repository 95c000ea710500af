"""Every reader, by the tuple of formats and the list of object files: damaged files are read or refused, soon."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
import trimesh

from core.animation import Sequence
from core.formats import FORMATS, Project, load, save
from core.skeleton import Dof, Joint, Mesh, Skeleton
from core.skeleton.objects.loading import SUFFIXES, load_object
from tests.conftest import DATA
from tests.support.fuzzing import fuzz

QUICK, FULL = 240, 2000
LARGEST_SAMPLE = 60_000  # [bytes] of a reference file, so that damage hits more than rows of numbers
_SAME = (".usd", ".usdz", ".fbx")  # what others stand for, and what another program reads
FORMAT_SUFFIXES = [suffix for format in FORMATS for suffix in format.suffixes if suffix not in _SAME]
READERS = [*FORMAT_SUFFIXES, *(f"object {suffix}" for suffix in SUFFIXES)]


def project() -> Project:
    """A walker that any format can hold: hinges about each axis, mirrored legs, three keys."""
    axes = np.eye(3)
    free = tuple(Dof("hinge", axes[k], -2.0, 2.0) for k in (2, 0, 1))
    joints = [Joint("hips", -1, offset=np.array([0.0, 1.0, 0.0]), dofs=free, mass=1.0)]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        hip = len(joints)
        joints.append(Joint(f"{side} leg", 0, offset=np.array([0.1 * sign, -0.1, 0.0]), dofs=free, mass=1.0))
        joints.append(Joint(f"{side} foot", hip, offset=np.array([0.0, -0.8, 0.0]), dofs=free, mass=1.0))
    s = Skeleton("walker", joints)
    sequence = Sequence(s, fps=25, name="walker")
    rng = np.random.default_rng(2)
    for frame in (0, 4, 9):
        sequence.set_key(frame, rng.uniform(-0.6, 0.6, s.nq))
    return Project([s], [sequence])


def references(suffix: str) -> dict[str, bytes]:
    """Small reference files of a kind; none where there is no reference data."""
    found = sorted(path for path in DATA.rglob(f"*{suffix}") if path.stat().st_size <= LARGEST_SAMPLE)
    return {path.name: path.read_bytes() for path in found[:3]}


def format_samples(suffix: str, folder: Path) -> dict[str, bytes]:
    """Sound files of a format: one that the program wrote, with whatever it wrote beside it, and reference files."""
    path = folder / f"walker{suffix}"
    save(project(), path)
    found = references(suffix)
    if suffix == ".amc":
        for name in found:  # motion alone: any skeleton of its source will do
            (folder / name).with_suffix(".asf").write_bytes((DATA / "asfamc" / "01.asf").read_bytes())
    return {path.name: path.read_bytes(), **found}


def object_samples(suffix: str, _folder: Path) -> dict[str, bytes]:
    """Sound object files: a box, a ball and reference files."""
    if suffix == ".pol":
        from core.skeleton import write_pol

        box = trimesh.creation.box()
        return {"box.pol": write_pol(Mesh(box.vertices, box.faces)).encode()}
    samples = references(suffix)
    for name, mesh in (("box", trimesh.creation.box()), ("ball", trimesh.creation.icosphere(subdivisions=1))):
        data = mesh.export(file_type=suffix.removeprefix("."))
        samples[name + suffix] = data.encode() if isinstance(data, str) else data
    if suffix in (".stl", ".ply"):
        text = trimesh.creation.box().export(**{
            ".stl": {"file_type": "stl_ascii"},
            ".ply": {"file_type": "ply", "encoding": "ascii"},
        }[suffix])  # fmt: skip
        samples["text" + suffix] = text.encode() if isinstance(text, str) else text
    return samples


def attack(reader: str, count: int, folder: Path) -> None:
    kind, _, suffix = reader.rpartition(" ")
    read: Callable[[Path], object]
    samples: Mapping[str, bytes]
    if kind == "object":
        samples, read = object_samples(suffix, folder), lambda path: load_object(path, path.name)
    else:
        samples, read = format_samples(suffix, folder), load
    tally = fuzz(read, samples, count, folder)
    assert tally.refused > 0, "the damage is harmless"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("reader", READERS)
def test_damaged_files(reader: str, tmp_path: Path) -> None:
    attack(reader, QUICK // len(READERS), tmp_path)


@pytest.mark.verify
@pytest.mark.parametrize("reader", READERS)
def test_damaged_files_full(reader: str, tmp_path: Path) -> None:
    attack(reader, -(-FULL // len(READERS)), tmp_path)
