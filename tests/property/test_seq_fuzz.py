"""Broken project files: whatever is done to one, it either reads or raises FormatError, and quickly."""

from __future__ import annotations

import json
from copy import deepcopy

import numpy as np
import pytest

from core.animation import Key, LockStrip, Sequence, TargetKey
from core.constraints import Lock
from core.errors import FormatError
from core.formats import Project, load, project_from_json, project_text
from core.formats.json_text import parse
from core.skeleton import Dof, Joint, Mesh, SegmentObject, Skeleton, write_pol

ODD = (
    None, True, False, 0, -1, 1, 2**31, 10**400, -0.0, 1e308, 5e-324, "", "x", "\0", "\ud800", [], [[]], {}, {"": None},
    float("nan"), float("inf"), [0] * 9, "skeletons:..", {"frame": 0}, [None],
)  # fmt: skip
PIECES = (b"{", b"}", b"[", b"]", b'"', b",", b":", b"NaN", b"1e999", b"\xff", b"\x00", b"-", b"\\", b"\\u", b"[" * 999)


def sample() -> Project:
    hinges = tuple(Dof("hinge", axis, -1.0, 1.0) for axis in np.eye(3))
    triangle = Mesh(np.eye(3), [[0, 1, 2]], (), (("hips", np.array([0.0, 0.5, 1.0])),))
    head = Joint("head", 0, offset=(0, 1, 0), mass=0.5, objects=(SegmentObject("man/head.pol", triangle),))
    skeleton = Skeleton("man", [Joint("hips", -1, dofs=hinges, mass=1.0), head])
    rng = np.random.default_rng(4)
    keys = [Key(frame, rng.uniform(-1, 1, 6), extra={"note": [1, {"a": 2}]}) for frame in (0, 10, 25)]
    nod = Sequence(skeleton, name="nod", keys=keys)
    held = Lock("head", "position", (0, 0.1, 0), target=(0.25, 1.0, 1 / 3), axes=(True, False, True), joints=("hips",))
    path = TargetKey(2, (0.1, 0.2, 0.3)), TargetKey(9, (0.3, 0.2, 0.1), "linear")
    nod.locks.strips = [
        LockStrip(held, 2, 12, 1.5, 2.0, 0.5, path, "a", "Nod", {"hue": 3}),
        LockStrip(Lock("head", "pose", target=np.eye(4), weight=(1.0, 0.5)), 3, id="b"),
    ]
    nod.locks = [Lock("head", "distance", other=("hips", (0, 0, 0)), target=1.0), Lock("head", "balance")]
    return Project([skeleton], [nod], view={"camera": {"yaw": 0.5}})


TEXT = project_text(sample())


def broken_text(rng: np.random.Generator) -> bytes:
    data = bytearray(TEXT.encode())
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(0, len(data) + 1))
        match int(rng.integers(0, 5)):
            case 0:
                data[at : at + int(rng.integers(1, 40))] = b""
            case 1:
                data[at:at] = PIECES[int(rng.integers(len(PIECES)))]
            case 2:
                data[at : at + 1] = bytes([int(rng.integers(256))])
            case 3:
                del data[at:]
            case _:
                start = int(rng.integers(0, len(data) + 1))
                data[at:at] = data[start : start + 60]
    return bytes(data)


def places(value, found):
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, child in children:
        found.append((value, name))
        places(child, found)
    return found


def broken_value(rng: np.random.Generator):
    data = json.loads(TEXT)
    for _ in range(int(rng.integers(1, 4))):
        found = places(data, [])
        parent, name = found[int(rng.integers(len(found)))]
        match int(rng.integers(0, 4)):
            case 0:
                del parent[name]
            case 1 if isinstance(parent, list):
                parent.append(deepcopy(parent[name]))
            case 2 if isinstance(parent[name], list):
                parent[name] = parent[name][::-1]
            case _:
                parent[name] = deepcopy(ODD[int(rng.integers(len(ODD)))])  # what is broken next may be in it
    return data


def attempt(seed: int, path) -> bool:
    """Return whether a broken file was refused; what is read must be whole."""
    rng = np.random.default_rng([7, seed])
    try:
        if seed % 2:
            path.write_bytes(broken_text(rng))
            made = load(path)
        else:
            made = project_from_json(broken_value(rng), path.name, path.parent)
    except FormatError as error:
        assert error.problems and all(problem.file.startswith(path.name) for problem in error.problems)
        return True
    again = project_from_json(parse(project_text(made), "again"), "again", path.parent)
    assert [sequence.keys for sequence in again.sequences] == [sequence.keys for sequence in made.sequences]
    assert [sequence.locks.strips for sequence in again.sequences] == [
        sequence.locks.strips for sequence in made.sequences
    ]
    assert [sequence.locks for sequence in again.sequences] == [sequence.locks for sequence in made.sequences]
    assert [figure_texts(figure) for figure in again.figures] == [figure_texts(figure) for figure in made.figures]
    return False


def figure_texts(skeleton: Skeleton) -> list[str]:
    return [write_pol(part.mesh) for joint in skeleton.joints for part in joint.objects if part.mesh is not None]


def test_broken_files(tmp_path):
    refused = sum(attempt(seed, tmp_path / "fuzz.seq") for seed in range(150))
    assert refused > 50


@pytest.mark.verify
def test_broken_files_full(tmp_path):
    refused = sum(attempt(seed, tmp_path / "fuzz.seq") for seed in range(2000))
    assert refused > 700
