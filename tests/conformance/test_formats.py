"""What holds for every entry of ``core.formats.FORMATS``; a new format is tested by being in the tuple."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.animation import Sequence
from core.errors import FormatError
from core.formats import FORMATS, Format, Project, load, save
from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Skeleton

every_format = pytest.mark.parametrize("format", FORMATS, ids=lambda format: format.name)
GARBAGE = {
    "empty": b"",
    "zeros": bytes(64),
    "not text": bytes(range(256)),
    "prose": b"Dear file,\nthis is none.\n",
    "json": b'{"a": [1, 2',
    "brackets": b"[" * 100_000,
    "words": b"define " * 1000,
}


def figure() -> Skeleton:
    """A figure that any format can hold: hinges only, one freedom about each axis, no objects."""
    axes = np.eye(3)
    free = tuple(Dof("hinge", axes[k], -np.inf, np.inf) for k in (2, 0, 1))
    joints = [Joint("hips", -1, offset=np.array([0.0, 1.0, 0.0]), dofs=free, mass=1.0)]
    joints.append(Joint("leg", 0, offset=np.array([0.1, -0.1, 0.0]), dofs=free, mass=1.0))
    joints.append(Joint("foot", 1, offset=np.array([0.0, -0.8, 0.0]), dofs=free, mass=1.0))
    return Skeleton("walker", joints)


def project() -> Project:
    s = figure()
    sequence = Sequence(s, fps=25, name="walker")
    rng = np.random.default_rng(2)
    for frame in (0, 10, 30):
        sequence.set_key(frame, rng.uniform(-0.6, 0.6, s.nq))
    return Project([s], [sequence])


def _needs_writing(format: Format) -> None:
    """Skip a format that needs a program which is not installed."""
    if format.suffixes == (".fbx",):
        pytest.skip("FBX goes through Blender; make check-blender goes there and back with it")


def test_suffixes_are_distinguished() -> None:
    suffixes = [suffix for format in FORMATS for suffix in format.suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert {".scr", ".seq"} <= set(suffixes)
    for format in FORMATS:
        assert isinstance(format, Format) and format.name
        assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in format.suffixes)


@every_format
def test_what_is_written_is_read_back(format: Format, tmp_path: Path) -> None:
    _needs_writing(format)
    before = project()
    path = tmp_path / f"walker{format.suffixes[0]}"
    save(before, path)
    after = load(path)
    s, again = before.figures[0], after.figures[0]
    assert again.joint_names == s.joint_names and again.dof_names == s.dof_names
    assert [joint.parent for joint in again.joints] == [joint.parent for joint in s.joints]
    q = np.linspace(-0.5, 0.5, s.nq)
    assert forward_kinematics(again, q) == pytest.approx(forward_kinematics(s, q), abs=1e-6)
    assert all(any(sequence.skeleton is one for one in after.figures) for sequence in after.sequences)
    if after.sequences and after.sequences[0].keys:
        times = [key.frame / 25 for key in before.sequences[0].keys]
        assert after.sequences[0].poses(times) == pytest.approx(before.sequences[0].poses(times), abs=1e-6)


@every_format
def test_a_second_round_writes_the_same_bytes(format: Format, tmp_path: Path) -> None:
    _needs_writing(format)
    first, second = tmp_path / f"first{format.suffixes[0]}", tmp_path / f"second{format.suffixes[0]}"
    save(project(), first)
    save(load(first), second)
    third = tmp_path / f"third{format.suffixes[0]}"
    save(load(second), third)
    written = second.read_bytes().replace(b"second", b"first")
    assert third.read_bytes().replace(b"third", b"first").replace(b"second", b"first") == written


@every_format
def test_case_of_the_suffix_does_not_matter(format: Format, tmp_path: Path) -> None:
    _needs_writing(format)
    path = tmp_path / f"WALKER{format.suffixes[0].upper()}"
    save(project(), path)
    assert load(path).figures[0].joint_names == figure().joint_names


@every_format
@pytest.mark.parametrize("content", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage_is_refused_with_the_files_name(format: Format, content: bytes, tmp_path: Path) -> None:
    for suffix in format.suffixes:
        path = tmp_path / f"garbage{suffix}"
        path.write_bytes(content)
        with pytest.raises(FormatError) as caught:
            load(path)
        assert "garbage" in str(caught.value)
        assert len(str(caught.value).splitlines()) <= 21


@pytest.mark.sampled(3)
@every_format
def test_a_file_that_was_cut_off_never_loads_by_half(format: Format, tmp_path: Path) -> None:
    _needs_writing(format)
    path = tmp_path / f"cut{format.suffixes[0]}"
    save(project(), path)
    whole = path.read_bytes()
    names = figure().joint_names
    for part in np.linspace(0, len(whole) - 2, 23).astype(int).tolist():
        path.write_bytes(whole[:part])
        try:
            found = load(path)
        except FormatError:
            continue
        assert found.figures[0].joint_names == names  # the end was only blank, or of a later definition


@every_format
def test_what_is_not_there_and_what_cannot_be_written(format: Format, tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        load(tmp_path / f"nowhere{format.suffixes[0]}")
    with pytest.raises(FormatError):
        save(project(), tmp_path / "no such folder" / f"x{format.suffixes[0]}")
    (tmp_path / f"folder{format.suffixes[0]}").mkdir()
    with pytest.raises(FormatError):
        load(tmp_path / f"folder{format.suffixes[0]}")
