"""``.armature`` files: what the add-on for Blender writes is read here, and the other way; bad ones are refused."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import FormatError
from core.formats import load, save
from core.formats.armature.layout import FORMAT, VERSION
from core.formats.fbx import find_blender
from core.kinematics import forward_kinematics
from core.skeleton.frames import frames_at
from core.spatial import so3
from core.spatial.quaternion import from_matrix
from resources.blender.sequence_editor_link import armature_file
from tests.blender.link_check import TOLERANCE, go_round
from tests.conformance.test_formats import project

BLENDER_PYTHON = Path(__file__).parents[3] / ".blender-env" / "bin" / "python"


def turn(axis: str, angle: float) -> list[float]:
    return [float(value) for value in from_matrix(so3.axis_rotation(axis, angle))]


def sent() -> armature_file.Armature:
    """Two bones with axes of their own, one of which slides, as the add-on sends them."""
    bones = [
        armature_file.Bone("hips", -1, [0.0, 1.0, 0.0, *turn("x", 0.5)], [0.0, 0.3, 0.0]),
        armature_file.Bone("Arm.L", 0, [0.2, 1.3, 0.0, *turn("z", -1.2)], [0.0, 0.5, 0.0]),
    ]
    frames = []
    for k in range(12):
        hips = [0.1 * k, 1.0, 0.02 * k, *turn("x", 0.5 + 0.05 * k)]
        frames.append([*hips, 0.2 + 0.1 * k, 1.3 + 0.01 * k, 0.02 * k, *turn("y", 0.1 * k)])
    points = [0.0, 0.9, 0.0, 0.1, 0.9, 0.0, 0.0, 1.0, 0.1]
    mesh = armature_file.Mesh("cloth", points, [0, 1, 2], [0, 1, 0, 0] * 3, [0.5, 0.5, 0.0, 0.0] * 3, [0.2, 0.4, 0.6])
    return armature_file.Armature("My rig", "wave", 30.0, 0, bones, frames, [mesh])


def test_what_the_add_on_sends_stands_and_moves_alike(tmp_path: Path) -> None:
    path = tmp_path / "from-blender.armature"
    armature_file.write(sent(), path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    read = load(path)
    s, sequence = read.figures[0], read.sequences[0]
    assert (s.name, s.joint_names, sequence.name, sequence.fps) == ("My rig", ("hips", "Arm.L"), "wave", 30)
    rest = np.array([bone.rest for bone in sent().bones])
    assert frames_at(s, np.zeros(s.n_dofs))[:, :3, 3] == pytest.approx(rest[:, :3], abs=1e-6)
    X = forward_kinematics(s, sequence.poses_at_frames(np.arange(12)))
    rows = np.array(sent().frames).reshape(12, 2, 7)
    assert X[..., :3, 3] == pytest.approx(rows[..., :3], abs=1e-6)
    assert np.abs((from_matrix(X[..., :3, :3]) * rows[..., 3:]).sum(axis=-1)) == pytest.approx(np.ones((12, 2)))
    assert any(joint.objects for joint in s.joints), "the mesh came with it"


def test_the_add_on_reads_what_is_written_here(tmp_path: Path) -> None:
    path = tmp_path / "to-blender.armature"
    written = project()
    written.sequences[0].range = (3, 20)
    save(written, path)
    came = armature_file.read(path)
    s, sequence = written.figures[0], written.sequences[0]
    assert (came.name, came.fps, came.first, len(came.frames)) == ("walker", 25.0, 3, 18)
    assert [bone.name for bone in came.bones] == list(s.joint_names)
    X = forward_kinematics(s, sequence.poses_at_frames(np.arange(3, 21)))
    assert np.array(came.frames).reshape(18, -1, 7)[..., :3] == pytest.approx(X[..., :3, 3], abs=1e-8)
    assert all(np.linalg.norm(bone.tail) > 0.01 for bone in came.bones)


def test_two_bones_without_a_parent_hang_on_the_armature(tmp_path: Path) -> None:
    made = sent()
    made.bones[1].parent = -1
    made.meshes = []
    armature_file.write(made, tmp_path / "x.armature")
    s = load(tmp_path / "x.armature").figures[0]
    assert s.joint_names == ("My rig", "hips", "Arm.L") and [joint.parent for joint in s.joints] == [-1, 0, 0]


def test_an_armature_without_a_motion_is_a_figure(tmp_path: Path) -> None:
    made = sent()
    made.frames, made.meshes = [], []
    armature_file.write(made, tmp_path / "x.armature")
    assert load(tmp_path / "x.armature").figures[0].joint_names == ("hips", "Arm.L")


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "another version": ({"version": 9}, "version 9"),
    "no bones": ({"bones": []}, "bones"),
    "a parent after its child": ({"bones": [{"name": "a", "parent": 0, "rest": [0, 0, 0, 1, 0, 0, 0]}]}, "bones[0]"),
    "a name twice": ({"bones": 2 * [{"name": "a", "parent": -1, "rest": [0, 0, 0, 1, 0, 0, 0]}]}, "bones[1]"),
    "a short frame": ({"frames": [[0.0] * 13]}, "frames[0]"),
    "a turn of no length": ({"frames": [[0.0] * 14]}, "frames"),
    "no rate": ({"fps": 0}, "fps"),
    "a place too far": ({"frames": [[1e9, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]]}, "frames[0][0]"),
    "a text for a number": ({"frames": [["x", 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]]}, "frames[0]"),
    "a bone that is not there": (
        {"meshes": [{"name": "m", "points": [0, 0, 0], "triangles": [], "bones": [7] * 4, "weights": [1, 0, 0, 0]}]},
        "meshes[0].bones[0]",
    ),
}


@pytest.mark.parametrize(("change", "place"), WRONG.values(), ids=WRONG.keys())
def test_nonsense_is_refused_with_its_place(change: dict[str, Any], place: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.armature"
    armature_file.write(sent(), path)
    data = json.loads(path.read_text())
    assert data["format"] == FORMAT and data["version"] == VERSION
    path.write_text(json.dumps({**data, **change}))
    with pytest.raises(FormatError) as caught:
        load(path)
    assert place in str(caught.value) and "bad.armature" in str(caught.value)
    if place.startswith("meshes") or "length" in str(caught.value) or "large" in str(caught.value):
        return  # the add-on leaves meshes alone, and its own figure says what looks odd
    with pytest.raises(armature_file.LinkError, match="bad"):
        armature_file.read(path)


def test_both_sides_say_in_the_same_words_what_a_file_is_not(tmp_path: Path) -> None:
    path = tmp_path / "bad.armature"
    armature_file.write(sent(), path)
    whole = path.read_text()
    for text, said in (
        (whole[:-40], "bad.armature is not an armature file, or is incomplete"),
        ("{}", "bad.armature is not an armature file"),
        (whole.replace(f'"version": {VERSION}', '"version": 9'), "save the add-on again and reinstall it"),
    ):
        path.write_text(text)
        with pytest.raises(armature_file.LinkError) as there:
            armature_file.read(path)
        assert str(there.value).endswith(said)
        with pytest.raises(FormatError) as here:
            load(path)
        assert said.removeprefix("bad.armature ").partition(",")[0].lower() in str(here.value).lower()


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.armature").mkdir()
    with pytest.raises(armature_file.LinkError, match="cannot be written"):
        armature_file.write(sent(), tmp_path / "x.armature")
    assert [each.name for each in tmp_path.iterdir()] == ["x.armature"]


def blender() -> list[str] | None:
    """Return how Blender's Python is started, if there is one: as FBX finds it, or that of ``make check-blender``."""
    words = find_blender()
    if words is not None and (words != [sys.executable] or importlib.util.find_spec("bpy") is not None):
        return words
    return [str(BLENDER_PYTHON)] if BLENDER_PYTHON.is_file() else None


def test_there_and_back_with_blender(tmp_path: Path) -> None:
    words = blender()
    if words is None:
        pytest.skip("Blender is not installed; make check-blender fetches its Python module")
    if len(words) == 1 and not os.access(words[0], os.X_OK):
        pytest.skip(f"{words[0]} cannot be started")
    for row in go_round(words, tmp_path):
        assert row.worst <= TOLERANCE, row
