"""glTF files of other programs: what they may hold, and what is refused with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.errors import FormatError
from core.formats import load
from core.kinematics import forward_kinematics
from core.skeleton.skin import skinned_vertices
from tests.support.gltf_making import Maker, waving


def place(project, joint: str, frame: float) -> np.ndarray:  # type: ignore[no-untyped-def]
    """Return the frame of a joint in the world, (4, 4)."""
    sequence = project.sequences[0]
    frames = forward_kinematics(sequence.skeleton, sequence.pose_at_frame(frame))
    return frames[sequence.skeleton.joint_index(joint)]


def test_nodes_that_move_become_joints(tmp_path: Path) -> None:
    project = load(waving().write(tmp_path / "pole.gltf"))
    s, sequence = project.figures[0], project.sequences[0]
    assert s.joint_names == ("base", "pole")
    assert (sequence.name, sequence.fps, sequence.keys[-1].frame) == ("move", 24, 24)
    assert place(project, "pole", 24)[:3, 3] == pytest.approx([2.0, 1.5, 0.0], abs=1e-6)
    # A quarter of the half turn, straight from key to key.
    turned = place(project, "pole", 6)[:3, :3] @ [1.0, 0.0, 0.0]
    assert turned == pytest.approx([2**-0.5, 2**-0.5, 0.0], abs=1e-6)
    assert s.joints[1].objects and not s.joints[0].objects


def test_data_may_lie_in_a_file_beside(tmp_path: Path) -> None:
    inside, beside = waving().write(tmp_path / "a.gltf"), waving().write(tmp_path / "b.gltf", beside=True)
    assert np.array_equal(place(load(inside), "pole", 9), place(load(beside), "pole", 9))


def test_steps_stay_until_the_next_key(tmp_path: Path) -> None:
    made = waving()
    made.document["animations"][0]["samplers"][1]["interpolation"] = "STEP"
    project = load(made.write(tmp_path / "pole.gltf"))
    assert place(project, "base", 23)[0, 3] == pytest.approx(0.0, abs=1e-9)
    assert place(project, "base", 24)[0, 3] == pytest.approx(2.0, abs=1e-6)


def test_cubic_splines_follow_their_tangents(tmp_path: Path) -> None:
    made = waving()
    made.document["animations"] = []
    made.document.pop("animations")
    start, end, leaving, arriving = np.array([0.0, 1.0, 0.0]), np.array([2.0, 1.0, 0.0]), 3.0, -1.0
    slope = np.array([1.0, 0.0, 0.0])
    rows = [0.0 * slope, start, leaving * slope, arriving * slope, end, 0.0 * slope]
    made.animate(0, "translation", [0.0, 2.0], rows, "CUBICSPLINE")
    half = 2**-0.5
    none = [0.0, 0.0, 0.0, 0.0]
    made.animate(1, "rotation", [0.0, 2.0], [none, [0, 0, 0, 1], none, none, [0, 0, half, half], none], "CUBICSPLINE")
    project = load(made.write(tmp_path / "pole.gltf"))
    u, frames = 0.25, project.sequences[0].keys[-1].frame
    # Hermite's form of the cubic, tangents a second, over 2 s.
    basis = np.array([2 * u**3 - 3 * u**2 + 1, u**3 - 2 * u**2 + u, -2 * u**3 + 3 * u**2, u**3 - u**2])
    expected = basis @ [0.0, 2.0 * leaving, 2.0, 2.0 * arriving]
    assert place(project, "base", u * frames)[0, 3] == pytest.approx(expected, abs=1e-6)
    mixed = basis[0] * np.array([0.0, 1.0]) + basis[2] * np.array([half, half])
    sine, cosine = mixed / np.linalg.norm(mixed)
    angle = np.arctan2(*place(project, "pole", u * frames)[1::-1, 0])
    assert angle == pytest.approx(2.0 * np.arctan2(sine, cosine), abs=1e-6)


def test_sizes_of_nodes_go_into_distances(tmp_path: Path) -> None:
    made = waving()
    made.document["nodes"].append({"name": "whole", "children": [0], "scale": [0.01, 0.01, 0.01]})
    made.document["scenes"] = [{"nodes": [2]}]
    project = load(made.write(tmp_path / "pole.gltf"))
    frame = place(project, "pole", 24)
    assert frame[:3, 3] == pytest.approx([0.02, 0.015, 0.0], abs=1e-8)
    assert np.linalg.det(frame[:3, :3]) == pytest.approx(1.0)
    mesh = project.figures[0].joints[1].objects[0].mesh
    assert mesh is not None and np.ptp(mesh.vertices[:, 0]) == pytest.approx(0.01)


def test_a_skin_bends_as_the_file_says(tmp_path: Path) -> None:
    made = Maker()
    made.document["nodes"] = [
        {"name": "lower", "children": [1]}, {"name": "upper", "translation": [0, 1, 0]}, {"mesh": 0, "skin": 0},
    ]  # fmt: skip
    made.document["scenes"] = [{"nodes": [0, 2]}]
    points = np.array([[0, 0, 0], [0.1, 1, 0], [0, 2, 0], [0.2, 1.1, 0.1], [0, 1.5, 0.2], [0.1, 2, 0]], dtype=float)
    shares = np.array([[1, 0], [0.5, 0.5], [0, 1], [0.25, 0.75], [0.1, 0.9], [0, 1]], dtype=float)
    primitive = {
        "attributes": {
            "POSITION": made.accessor(points),
            "JOINTS_0": made.accessor([[0, 1, 0, 0]] * 6, "B"),
            "WEIGHTS_0": made.accessor(np.column_stack([shares, np.zeros((6, 2))])),
        }
    }
    made.document["meshes"] = [{"primitives": [primitive]}]
    inverse = np.eye(4)
    inverse[1, 3] = -1.0
    ties = made.accessor([np.eye(4).T.reshape(-1), inverse.T.reshape(-1)])
    made.document["skins"] = [{"joints": [0, 1], "inverseBindMatrices": ties}]
    # The upper joint never stands as it was tied.
    made.animate(1, "rotation", [0.0, 1.0], [[2**-0.5, 0, 0, 2**-0.5], [1, 0, 0, 0]])
    project = load(made.write(tmp_path / "tube.gltf"))
    s, q = project.figures[0], project.sequences[0].pose_at_frame(0)
    worlds = forward_kinematics(s, q)
    drawn = np.concatenate([skinned_vertices(s, i, worlds) for i in range(len(s.joints))])
    turn = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], dtype=float)
    upper = (points - [0, 1, 0]) @ turn.T + [0, 1, 0]
    expected = shares[:, :1] * points + shares[:, 1:] * upper
    apart = np.linalg.norm(drawn[:, None] - expected[None], axis=2)
    assert apart.min(axis=0).max() < 1e-6 and apart.min(axis=1).max() < 1e-6


def test_colours_of_materials_are_kept(tmp_path: Path) -> None:
    made = waving()
    made.document["materials"] = [{"pbrMetallicRoughness": {"baseColorFactor": [1.0, 0.2140411, 0.0, 1.0]}}]
    made.document["meshes"][0]["primitives"][0]["material"] = 0
    color = load(made.write(tmp_path / "pole.gltf")).figures[0].joints[1].color
    assert color == pytest.approx((1.0, 0.5, 0.0), abs=1e-4)


def test_values_may_be_parts_of_one_and_sparse(tmp_path: Path) -> None:
    made = waving()
    sampler = made.document["animations"][0]["samplers"][0]
    half = round(32767 * 2**-0.5)
    turns = [[0, 0, 0, 32767], [0, 0, half, half], [0, 0, 32767, 0]]
    sampler["output"] = made.accessor(turns, "h", normalized=True)
    base = made.document["accessors"][made.document["animations"][0]["samplers"][1]["output"]]
    rows, values = made.accessor([1], "H"), made.accessor([[5.0, 1.0, 0.0]])
    view = [made.document["accessors"][k]["bufferView"] for k in (rows, values)]
    base["sparse"] = {
        "count": 1, "indices": {"bufferView": view[0], "componentType": 5123}, "values": {"bufferView": view[1]},
    }  # fmt: skip
    project = load(made.write(tmp_path / "pole.gltf"))
    assert place(project, "base", 24)[0, 3] == pytest.approx(5.0, abs=1e-6)
    assert place(project, "pole", 12)[:3, 0] == pytest.approx([0.0, 1.0, 0.0], abs=1e-3)


def test_a_scene_in_which_nothing_moves_is_one_thing(tmp_path: Path) -> None:
    made = waving()
    made.document.pop("animations")
    project = load(made.write(tmp_path / "pole.gltf"))
    assert len(project.figures) == 1 and not any(sequence.keys for sequence in project.sequences)
    assert np.ptp(project.figures[0].joints[0].objects[0].mesh.vertices[:, 0]) == pytest.approx(1.0)  # type: ignore[union-attr]


def test_what_the_person_chose_counts(tmp_path: Path) -> None:
    path = waving().write(tmp_path / "pole.gltf")
    assert place(load(path, unit=0.01), "pole", 24)[:3, 3] == pytest.approx([0.02, 0.015, 0.0], abs=1e-8)
    assert place(load(path, up="z"), "pole", 24)[:3, 3] == pytest.approx([2.0, 0.0, -1.5], abs=1e-6)


def at(keys: list[str | int], value: object) -> Callable[[dict], None]:  # type: ignore[type-arg]
    def change(document: dict) -> None:  # type: ignore[type-arg]
        inner = document
        for key in keys[:-1]:
            inner = inner[key]  # type: ignore[index]
        inner[keys[-1]] = value  # type: ignore[index]

    return change


WRONG = {
    "another version": (at(["asset", "version"], "1.0"), "asset.version"),
    "an extension that changes it": (at(["extensionsRequired"], ["KHR_draco_mesh_compression"]), "draco"),
    "a node in itself": (at(["nodes", 1, "children"], [0]), "nodes[0]"),
    "a node that is not there": (at(["nodes", 0, "children"], [7]), "nodes[0].children"),
    "no number": (at(["nodes", 1, "translation"], [0, "1", 0]), "nodes[1].translation"),
    "no rotation": (at(["nodes", 1, "rotation"], [0, 0, 0, 0]), "nodes[1].rotation"),
    "billions of values": (at(["accessors", 0, "count"], 2**40), "accessors[0].count"),
    "data that are not there": (at(["bufferViews", 0, "byteLength"], 10**6), "bufferViews[0]"),
    "a far away start": (at(["accessors", 0, "byteOffset"], 10**6), "accessors[0]"),
    "no list": (at(["accessors"], {"a": 1}), "accessors"),
    "times that go back": (at(["animations", 0, "samplers", 0, "input"], 3), "animations[0].samplers[0]"),
    "an unknown way": (at(["animations", 0, "samplers", 0, "interpolation"], "WILD"), "samplers[0].interpolation"),
    "a file elsewhere": (at(["buffers"], [{"byteLength": 4, "uri": "../x.bin"}]), "buffers[0].uri"),
    "a file in the net": (at(["buffers"], [{"byteLength": 4, "uri": "http://x/y.bin"}]), "buffers[0].uri"),
    "a program": (at(["buffers"], [{"byteLength": 4, "uri": "file:///etc/passwd"}]), "buffers[0].uri"),
    "bad base64": (at(["buffers"], [{"byteLength": 4, "uri": "data:;base64,?"}]), "buffers[0].uri"),
    "no buffer": (at(["buffers"], []), "bufferViews[0].buffer"),
}


@pytest.mark.parametrize(("change", "named"), WRONG.values(), ids=WRONG.keys())
def test_wrong_files_are_refused_with_the_place(change, named: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = waving().write(tmp_path / "wrong.gltf")
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(FormatError, match=r"wrong\.gltf") as caught:
        load(path)
    assert named in str(caught.value)


def test_a_motion_without_end_is_refused(tmp_path: Path) -> None:
    made = waving()
    made.animate(0, "scale", [0.0, 1e9], [[1, 1, 1], [1, 1, 1]])
    with pytest.raises(FormatError, match="lasts"):
        load(made.write(tmp_path / "long.gltf"))
