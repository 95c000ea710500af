"""What only this program knows is worked out frame by frame in glTF and USD: splines, locks, layers, physics, props."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.animation import LockStrip, Sequence
from core.animation.hybrid_strips import HybridStrip
from core.constraints import Lock, bind
from core.formats import Project, load, save
from core.formats.exchange import reading
from core.formats.exporting import ExportChoices, chosen
from core.kinematics import forward_kinematics
from core.preview import PhysicsSettings, Preview
from core.preview.rigid_bodies import RigidBody
from core.skeleton import load_skeleton
from core.skeleton.building.props import box
from tests.support.layered import random_layers

LAST = 24
FALLS = 16
WALKS = ("splines", "locks", "layers", "physics")


def sequence_of(what: str, figure) -> Sequence:
    """A motion of an arm; ``what`` else there is in it."""
    sequence = Sequence(figure, 30, name=what)
    for frame, share in ((0, 0.5), (9, 0.8), (14, 0.3), (LAST, 0.55)):
        q = figure.rest_pose()
        q[:3] += [0.0, 1.0, 0.02 * frame]
        q[3:] = share * np.array([1, 0.8, 0.6, -0.9, 0.5, 0.7, 0.3])
        sequence.set_key(frame, q)
    if what == "locks":
        lock = bind(Lock(len(figure.joints) - 1, "position"), figure, sequence.keys[0].q)
        sequence.locks.strips = [LockStrip(lock, 0, LAST)]
    if what == "layers":
        sequence.layers = random_layers(sequence, 2, 4, seed=3, size=0.3)
    if what == "physics":
        sequence.hybrid_strips = (HybridStrip((), FALLS),)
    return sequence


def places_of(sequence: Sequence, poses: np.ndarray) -> np.ndarray:
    return forward_kinematics(sequence.skeleton, poses)[..., :3, 3]


@pytest.fixture(scope="module")
def figure(skeletons_folder: Path):
    return load_skeleton(skeletons_folder / "arm7.scr")


@pytest.mark.parametrize("suffix", [".glb", ".usdc"])
@pytest.mark.parametrize("what", WALKS)
def test_it_is_the_same_at_every_frame(
    what: str, suffix: str, figure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pygltflib" if suffix == ".glb" else "pxr", reason="the format's package is not installed")
    sequence, path = sequence_of(what, figure), tmp_path / f"baked{suffix}"
    save(Project([figure], [sequence]), path)
    frames = np.arange(LAST + 1.0)
    poses = sequence.poses_at_frames(frames)
    plain = sequence_of("splines", figure).poses_at_frames(frames)
    if what == "physics":
        preview = Preview(sequence, FALLS, PhysicsSettings())
        while preview.frame < LAST - 1e-6:
            preview.advance()
        whole = [sample.q for sample in preview.samples if abs(sample.frame - round(sample.frame)) < 1e-6]
        poses[FALLS:] = whole
    if what != "splines":
        assert np.abs(places_of(sequence, poses) - places_of(sequence, plain)).max() > 0.02, "it does something"
    monkeypatch.setattr(reading, "restored", lambda *_, **__: None)
    back = load(path).sequences[0]
    order = [back.skeleton.joint_names.index(name) for name in figure.joint_names]
    found = places_of(back, back.poses_at_frames(frames))[:, order]
    assert np.abs(found - places_of(sequence, poses)).max() < 2e-6


def test_animations_go_straight_and_have_one_value_a_frame(figure, tmp_path: Path) -> None:
    pygltflib = pytest.importorskip("pygltflib", reason="the package pygltflib is not installed")
    path = tmp_path / "all.glb"
    save(Project([figure], [sequence_of(what, figure) for what in WALKS]), path)
    file = pygltflib.GLTF2().load(str(path))
    assert [each.name for each in file.animations] == list(WALKS)
    for animation, what in zip(file.animations, WALKS, strict=True):
        count = sequence_of(what, figure).range[1] + 1
        assert {each.interpolation for each in animation.samplers} == {"LINEAR"}
        for sampler in animation.samplers:
            assert file.accessors[sampler.input].count == file.accessors[sampler.output].count == count >= LAST + 1


@pytest.mark.parametrize("suffix", [".glb", ".usdc"])
def test_a_prop_that_is_carried_and_a_crate_that_falls_go_along(suffix: str, figure, tmp_path: Path) -> None:
    pytest.importorskip("pygltflib" if suffix == ".glb" else "pxr", reason="the format's package is not installed")
    prop = box((0.2, 0.2, 0.2), "parcel")
    carried = Sequence(prop, 30, name="carried")
    for frame in (0, LAST):
        q = prop.rest_pose()
        q[:3] += [0.1 * frame, 1.0, 0.0]
        carried.set_key(frame, q)
    crate = RigidBody("box", (0.3, 0.3, 0.3), 2.0, np.array([3.0, 2.0, 0.0]), name="crate")
    physics = PhysicsSettings(rigid_bodies=(crate,)).to_record()
    path = tmp_path / f"scene{suffix}"
    save(Project([figure, prop], [sequence_of("physics", figure), carried], physics=physics), path)
    again = load(path)
    assert [each.name for each in again.figures] == [figure.name, prop.name] and again.physics == physics
    if suffix == ".glb":
        from core.formats.gltf.reader import read_scene

        scene = read_scene(path)
    else:
        from core.formats.usd.reader import read_scene as read_usd

        scene = read_usd(path)[0]
    tracks = scene.clips[0].tracks
    moving = {node.name: k for k, node in enumerate(scene.nodes) if k in tracks}
    way = tracks[moving["crate"]].translation
    assert way is not None and len(way) == LAST + 1
    assert way[: FALLS + 1] == pytest.approx(np.tile([3.0, 2.0, 0.0], (FALLS + 1, 1)), abs=1e-6)
    time = (LAST - FALLS) / 30
    assert way[-1, 1] == pytest.approx(2.0 - 0.5 * 9.81 * time**2, abs=0.03)
    along = tracks[moving[prop.joints[0].name]].translation
    assert np.ptp(along[:, 0]) == pytest.approx(0.1 * LAST, abs=1e-5)


# -- what is chosen ---------------------------------------------------------------------------------------------------


def test_a_motion_is_put_on_the_floor_and_turned_as_a_whole(tmp_path: Path, skeletons_folder: Path) -> None:
    project = load(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    sequence = project.sequences[0]
    path = tmp_path / "placed.bvh"
    made = chosen(project, path, ExportChoices(first=4, last=12, floor="lowest", facing="first"))
    frames = np.arange(4.0, 13.0)
    before = places_of(sequence, sequence.poses_at_frames(frames))
    after = places_of(made.sequences[0], made.sequences[0].poses_at_frames(frames - 4))
    assert np.abs(after - before).max() > 1e-3
    apart = [np.linalg.norm(each[:, :, None] - each[:, None], axis=-1) for each in (before, after)]
    assert apart[1] == pytest.approx(apart[0], abs=1e-9) and project.sequences[0] is sequence
    assert len(sequence.keys) == 11, "what is given stays"


@pytest.mark.parametrize(
    ("name", "choices", "message"),
    [
        ("a.glb", ExportChoices(up="z"), "a .glb file is in metres with y up; its upward axis cannot be chosen"),
        ("a.fbx", ExportChoices(unit=0.1), "its unit cannot be chosen"),
        ("a.bvh", ExportChoices(up="x"), 'expected "y" or "z"'), ("a.bvh", ExportChoices(unit=-1.0), "is not a unit"),
        ("a.bvh", ExportChoices(first=9, last=3), "run backwards; expected 3 to 9"),
        ("a.bvh", ExportChoices(first=99), "ends at frame 24; there is nothing from frame 99 on"),
        ("a.bvh", ExportChoices(fps=0.0), "make no sense"), ("a.bvh", ExportChoices(floor="roof"), "roof"),
        ("a.bvh", ExportChoices(left_out=frozenset({0})), "every figure is left out"),
    ],
)  # fmt: skip
def test_choices_that_make_no_sense(name: str, choices: ExportChoices, message: str, figure, tmp_path: Path) -> None:
    from core.errors import FormatError

    with pytest.raises(FormatError) as caught:
        chosen(Project([figure], [sequence_of("splines", figure)]), tmp_path / name, choices)
    assert message in str(caught.value) and name in str(caught.value)
