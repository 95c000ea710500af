"""Cameras of other programs: read from glTF and USD as the camera of a shot, and written again."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from core.animation.shot_camera import CameraKey, CameraPath, ShotCamera
from core.formats import load, save
from core.formats.exchange import reading
from core.formats.exchange.cameras import camera_frame, shot_of
from core.formats.exchange.scene import Node, Scene, SceneCamera, SceneClip, Track
from core.formats.exporting import ExportChoices, chosen
from core.spatial.quaternion import from_matrix
from tests.unit.formats.test_gltf_writer import scene


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read every file by its nodes, as if another program had written it."""
    monkeypatch.setattr(reading, "restored", lambda *_, **__: None)


def seen(camera: ShotCamera, frame: float) -> tuple[np.ndarray, np.ndarray, float]:
    key = CameraPath(camera).at(frame)
    return *camera_frame(key), key.fov


@pytest.mark.parametrize(
    ("suffix", "choices"),
    [(".glb", ExportChoices()), (".usdc", ExportChoices()), (".usda", ExportChoices(unit=0.01, up="z"))],
)
@pytest.mark.usefixtures("foreign")
def test_a_camera_comes_back_on_its_way(suffix: str, choices: ExportChoices, tmp_path: Path) -> None:
    if suffix != ".glb":
        pytest.importorskip("pxr", reason="the package usd-core is not installed")
    project, path = scene(), tmp_path / f"scene{suffix}"
    save(chosen(project, path, choices), path)
    again = load(path)
    before, after = project.sequences[0].camera, again.sequences[0].camera
    assert len(after.keys) > 2, "keys where its way bends"
    for frame in range(21):
        (eye, axes, fov), (eye_2, axes_2, fov_2) = seen(before, frame), seen(after, frame)
        assert eye_2 == pytest.approx(eye, abs=2e-3) and axes_2 == pytest.approx(axes, abs=2e-3)
        if suffix != ".glb":
            assert fov_2 == pytest.approx(fov, abs=1e-3), "USD knows lenses that change"
    assert after.keys[0].fov == pytest.approx(0.7, abs=1e-4)
    assert not any("camera" in each.message for each in again.warnings)
    for each in again.sequences[1:]:
        assert each.camera.keys, "every figure has it"


@pytest.mark.usefixtures("foreign")
def test_a_camera_goes_along_where_the_motion_is_placed(tmp_path: Path) -> None:
    project, path = scene(), tmp_path / "scene.glb"
    save(project, path)
    plain, placed = load(path), load(path, floor="lowest")
    part = load(path, floor="first", first=4, last=12)
    down = plain.imported.lowest
    a, b = plain.sequences[0].camera.keys[0], placed.sequences[0].camera.keys[0]
    assert abs(down) > 1e-3 and np.subtract(b.target, a.target) == pytest.approx([0.0, -down, 0.0], abs=1e-9)
    shift = part.imported.first_lowest
    there = [key for key in part.sequences[0].camera.keys if key.frame < 8]
    for key in there:
        eye, axes, _ = seen(plain.sequences[0].camera, key.frame + 4)
        assert camera_frame(key)[0] == pytest.approx(eye - [0.0, shift, 0.0], abs=2e-3)
        assert camera_frame(key)[1] == pytest.approx(axes, abs=2e-3)


def level(yaw: float, pitch: float, roll: float = 0.0) -> np.ndarray:
    key = CameraKey(0, (0.0, 0.0, 0.0), 1.0, yaw, pitch, 0.7)
    c, s = math.cos(roll), math.sin(roll)
    return camera_frame(key)[1] @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def made(frames: list[np.ndarray], places: np.ndarray) -> tuple[ShotCamera, str]:
    turns = from_matrix(np.array(frames))
    file = Scene([Node("rig"), Node("Lens", 0, camera=0)], cameras=[SceneCamera("Lens", 0.9)])
    clip = SceneClip("shot", 24, len(frames), {1: Track(places, turns)})
    return shot_of(file, clip, np.eye(4), np.zeros(3))


def test_a_still_camera_has_one_key_and_a_straight_way_two() -> None:
    still, note = made([level(0.3, 0.1)] * 9, np.tile([2.0, 1.0, 4.0], (9, 1)))
    assert len(still.keys) == 1 and note == "" and still.keys[0].fov == 0.9
    assert camera_frame(still.keys[0])[0] == pytest.approx([2.0, 1.0, 4.0])
    straight, _ = made([level(0.3, 0.1)] * 9, np.linspace([2.0, 1.0, 4.0], [0.0, 1.0, 4.0], 9))
    assert [key.frame for key in straight.keys] == [0, 8]
    eye, _, _ = seen(straight, 3)
    assert eye == pytest.approx([1.25, 1.0, 4.0], abs=1e-9)


def test_a_turn_of_more_than_once_is_not_shortened() -> None:
    yaws = np.linspace(0.0, 4.0 * math.pi, 97)
    round_, _ = made([level(yaw, 0.0) for yaw in yaws], 3.0 * np.column_stack([np.sin(yaws), 0 * yaws, np.cos(yaws)]))
    assert round_.keys[-1].yaw - round_.keys[0].yaw == pytest.approx(4.0 * math.pi, abs=1e-9)
    assert len(round_.keys) == 2, "it goes round what it looks at, the figure"


def test_what_is_aslant_is_set_upright_and_said() -> None:
    found, note = made([level(0.3, 0.1, 0.4)] * 3, np.zeros((3, 3)))
    assert 'camera "Lens" is aslant by up to 23°' in note
    assert camera_frame(found.keys[0])[1] == pytest.approx(level(0.3, 0.1), abs=1e-9)


def test_a_camera_that_looks_straight_down_keeps_its_heading() -> None:
    found, note = made([level(0.8, 1.57)] * 2, np.tile([0.0, 5.0, 0.0], (2, 1)))
    assert note == "" and found.keys[0].yaw == pytest.approx(0.8, abs=1e-6)


def test_a_file_of_blender_with_a_tilted_node_above_its_camera(tmp_path: Path) -> None:
    """As its exporter writes them: the camera hangs on a node that carries its place."""
    path = tmp_path / "scene.gltf"
    save(scene(), path)
    document = json.loads(path.read_text())
    document.pop("extras", None)
    number = next(k for k, node in enumerate(document["nodes"]) if "camera" in node)
    lens, half = document["nodes"][number].pop("camera"), math.sqrt(0.5)
    inner = {"name": "Lens", "camera": lens, "rotation": [-half, 0, 0, half]}
    document["nodes"].append(inner)
    document["nodes"][number]["children"] = [len(document["nodes"]) - 1]
    path.write_text(json.dumps(document))
    turned = load(path).sequences[0].camera
    straight = scene().sequences[0].camera
    eye, axes, _ = seen(turned, 0)
    eye_2, axes_2, _ = seen(straight, 3)
    assert eye == pytest.approx(eye_2, abs=2e-3)
    assert axes[:, 2] == pytest.approx(axes_2[:, 1], abs=2e-3)
