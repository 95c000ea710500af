"""glTF files written here: what other programs find in them, and what comes back."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from core.animation import Sequence
from core.animation.shot_camera import CameraKey, ShotCamera
from core.constraints import Lock
from core.errors import FormatError
from core.formats import Project, extras, load, save
from core.formats.exchange.cameras import camera_frame
from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Mesh, SegmentObject, Skeleton
from core.skeleton.building.props import box
from core.skeleton.skin import skinned_vertices
from tests.support.gltf_reference import Reference


def arm() -> Skeleton:
    """A tube of two joints that bends; the upper one turns far, so that its skin follows helper joints."""
    z = np.array([0.0, 0.0, 1.0])
    rings = np.array([[0.1 * math.cos(a), y, 0.1 * math.sin(a)] for y in np.linspace(0, 2, 9) for a in np.arange(6)])
    weights = np.clip(rings[:, 1] - 0.5, 0.0, 1.0)
    triangles = [(6 * r + k, 6 * r + 6 + k, 6 * r + (k + 1) % 6) for r in range(8) for k in range(6)]
    mesh = Mesh(rings, np.array(triangles, dtype=np.int32), weights=(("upper", weights),))
    lower = Joint(
        "lower", -1, offset=np.array([0.3, 0.2, 0.0]), orientation=np.array([20.0, 0.0, 0.0]), mass=2.0,
        dofs=(Dof("hinge", z, -2.0, 2.0), Dof("slide", z[[1, 2, 0]], -0.1, 0.1)),
        objects=(SegmentObject("tube.pol", mesh),), color=(0.2, 0.4, 0.6),
    )  # fmt: skip
    upper = Joint(
        "upper", 0, offset=np.array([0.0, 1.0, 0.0]), mass=1.0, stiffness=(3.0, 0.1), damping=0.2,
        dofs=(Dof("hinge", z, -3.0, 3.0),),
    )  # fmt: skip
    return Skeleton("arm", [lower, upper])


def scene() -> Project:
    """An arm that bends far, a box that is carried about, a camera, a lock, all at a rate of its own."""
    one, other = arm(), box((0.2, 0.2, 0.2), "crate")
    bending = Sequence(one, fps=25, name="bend")
    rng = np.random.default_rng(4)
    for frame in (3, 11, 20):
        bending.set_key(frame, np.concatenate([rng.uniform(-0.5, 0.5, 3), rng.uniform(-1, 1, 1), [0.05, 2.7]]))
    bending.set_range(3, 20)
    bending.locks.append(Lock("lower", "position", target=(0.5, 0.5, 0.0)))
    keys = (CameraKey(3, (0, 1, 0), 4.0, 0.3, 0.2, 0.7), CameraKey(18, (0, 1, 0.5), 3.0, 1.3, -0.1, 0.9))
    bending.camera = ShotCamera(keys)
    carried = Sequence(other, fps=50, name="carry")
    for frame in (0, 30):
        carried.set_key(frame, rng.uniform(-1.0, 1.0, other.nq))
    return Project([one, other], [bending, carried])


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Path]:
    path = tmp_path_factory.mktemp("gltf") / "scene.glb"
    project = scene()
    save(project, path)
    return project, path


def test_joints_stand_where_they_do_here(written: tuple[Project, Path]) -> None:
    project, path = written
    other = Reference(path)
    for time in (0.0, 0.12, 0.4, 0.68):
        worlds = other.worlds(0, time)
        for s, sequence in zip(project.figures, project.sequences, strict=True):
            X = forward_kinematics(s, sequence.pose_at(time))
            for i, name in enumerate(s.joint_names):
                node = [k for k, each in enumerate(other.gltf.nodes) if each.name == name and each.mesh is None][-1]
                assert worlds[node] == pytest.approx(X[i], abs=2e-6)


def test_a_skin_bends_as_it_does_here_through_helper_joints(written: tuple[Project, Path]) -> None:
    project, path = written
    other = Reference(path)
    assert any("twist" in node.name for node in other.gltf.nodes)
    s, box_there = project.figures
    for time in (0.0, 0.4):
        X, Y = (forward_kinematics(q.skeleton, q.pose_at(time)) for q in project.sequences)
        here = np.concatenate([skinned_vertices(s, i, X) for i in range(2)] + [skinned_vertices(box_there, 0, Y)])
        there = other.vertices(other.worlds(0, time))
        apart = np.linalg.norm(here[:, None] - there[None], axis=2)
        assert apart.min(axis=0).max() < 1e-5 and apart.min(axis=1).max() < 1e-5


def test_the_file_keeps_the_rules_of_the_format(written: tuple[Project, Path]) -> None:
    other = Reference(written[1])
    for animation in other.gltf.animations:
        for sampler in animation.samplers:
            times, accessor = other.values(sampler.input), other.gltf.accessors[sampler.input]
            assert sampler.interpolation == "LINEAR"
            assert times[0] == 0.0 and (np.diff(times) > 0.0).all()
            assert accessor.min == pytest.approx([times.min()]) and accessor.max == pytest.approx([times.max()])
        for channel in animation.channels:
            node = other.gltf.nodes[channel.target.node]
            assert node.matrix is None and node.translation is not None and node.rotation is not None
            values = other.values(animation.samplers[channel.sampler].output)
            if channel.target.path == "rotation":
                assert np.linalg.norm(values, axis=1) == pytest.approx(1.0, abs=1e-6)
                assert ((values[1:] * values[:-1]).sum(axis=1) >= 0.0).all()
    for mesh in other.gltf.meshes:
        for primitive in mesh.primitives:
            points, accessor = other.values(primitive.attributes.POSITION), other.gltf.accessors
            assert accessor[primitive.attributes.POSITION].min == pytest.approx(points.min(axis=0).tolist())
            assert np.linalg.norm(other.values(primitive.attributes.NORMAL), axis=1) == pytest.approx(1.0, abs=1e-5)
    for view in other.gltf.bufferViews:
        assert view.byteOffset % 4 == 0


def test_the_camera_goes_its_way(written: tuple[Project, Path]) -> None:
    project, path = written
    other = Reference(path)
    node = next(k for k, each in enumerate(other.gltf.nodes) if each.camera is not None)
    for frame, key in ((3, 0), (18, 1)):
        world = other.worlds(0, frame / 25)[node]
        eye, axes = camera_frame(project.sequences[0].camera.keys[key])
        assert world[:3, 3] == pytest.approx(eye, abs=1e-5)
        assert world[:3, :3] == pytest.approx(axes, abs=1e-5)
        looked_at = eye - project.sequences[0].camera.keys[key].distance * axes[:, 2]
        assert looked_at == pytest.approx(project.sequences[0].camera.keys[key].target)
    assert other.gltf.cameras[0].perspective.yfov == pytest.approx(0.7)


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_nothing_is_lost_on_the_way_back(written: tuple[Project, Path], suffix: str, tmp_path: Path) -> None:
    project, path = written
    if suffix != path.suffix:
        path = tmp_path / f"scene{suffix}"
        save(project, path)
    again = load(path)
    assert again.imported is None and not again.warnings
    for s, t in zip(project.figures, again.figures, strict=True):
        assert t.joint_names == s.joint_names and t.limits == pytest.approx(s.limits)
        for one, other in zip(s.joints, t.joints, strict=True):
            assert (other.mass, other.stiffness, other.damping, other.color) == (
                one.mass, one.stiffness, one.damping, one.color,
            )  # fmt: skip
            assert [part.mesh.weights[0][0] for part in other.objects if part.mesh and part.mesh.weights] == [
                part.mesh.weights[0][0] for part in one.objects if part.mesh and part.mesh.weights
            ]
    here, there = project.sequences[0], again.sequences[0]
    assert (there.name, there.fps, there.range) == ("bend", 25, (0, 20))
    frames = np.arange(21.0)
    assert np.array_equal(there.poses_at_frames(frames), here.poses_at_frames(frames))
    assert [key.frame for key in there.camera.keys] == [3, 18]
    assert again.sequences[1].fps == 25  # one clock for what plays together


def test_a_file_that_another_program_has_changed_is_read_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "scene.gltf"
    save(scene(), path)
    document = json.loads(path.read_text())
    node = next(each for each in document["nodes"] if each["name"] == "upper")
    node["translation"][1] += 0.5
    path.write_text(json.dumps(document))
    changed = load(path)
    assert any("changed by another program" in warning.message for warning in changed.warnings)
    assert np.isinf(changed.figures[0].limits).all()


def test_a_missing_package_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(extras.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FormatError, match=r"pygltflib.*sequence-editor\[export\]"):
        save(scene(), tmp_path / "scene.glb")
    assert not (tmp_path / "scene.glb").exists()
