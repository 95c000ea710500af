"""Exports put on the floor and turned to the front take the whole world along, and each motion has its own bodies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.animation import Sequence
from core.animation.hybrid_strips import HybridStrip
from core.animation.shot_camera import CameraKey, ShotCamera
from core.dynamics.contact.obstacles import BoxObstacle
from core.dynamics.contact.world import Floor
from core.dynamics.forces import DirectionalForce, PointToPoint
from core.formats import FigureRecord, Project, load, save
from core.formats.exchange.baking import scene_of
from core.formats.exchange.recording import Recording
from core.formats.exchange.scene import Scene, trs_frames
from core.formats.exporting import ExportChoices, chosen
from core.formats.importing.placing import turned, turned_rates
from core.preview import PhysicsSettings
from core.preview.grounds import StairsGround
from core.preview.rigid_bodies import PhysicsString, RigidBody
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.building.props import box
from core.spatial import se3, so3

TURN = so3.exp([0.0, 0.7, 0.0])
AWAY = se3.transform(TURN, [0.3, -0.2, 1.1])
LAST = 8


def crate(name: str = "crate") -> RigidBody:
    place = np.array([1.0, 2.0, 0.5])
    return RigidBody(
        "box", (0.3, 0.2, 0.4), 2.0, place, np.array([0.1, 0.4, 0.2]), np.array([0.5, 0.0, 0.1]), name=name
    )


def worlds(scene: Scene, frame: int) -> np.ndarray:
    """Return where the nodes of a scene are at a frame of its first clip, shape (n, 4, 4)."""
    found: list[np.ndarray] = []
    for number, node in enumerate(scene.nodes):
        local = scene.local_frames(number, scene.clips[0], slice(frame, frame + 1))[0]
        found.append(local if node.parent < 0 else found[node.parent] @ local)
    return np.array(found)


@pytest.fixture(scope="module")
def man(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


@pytest.fixture
def project(man: Skeleton) -> Project:
    """A man who turns away, floats and goes on, a still table, ground, an obstacle, a crate that falls, a camera."""
    motion = Sequence(man, 30, "walks off")
    rest = man.rest_pose()[None]
    for frame in (0, 4, LAST):
        figure, q = turned(man, rest, so3.exp([0.0, 0.8 + 0.05 * frame, 0.0]), np.zeros(3))
        assert figure is man
        q[0, :3] += [0.4, -0.3 + 0.01 * frame, 0.02 * frame]
        motion.set_key(frame, q[0])
    motion.camera = ShotCamera((CameraKey(0, (0.0, 1.0, 0.0), 3.0, 0.3, 0.1, 0.7),))
    motion.hybrid_strips = (HybridStrip((), 2, LAST),)
    table = box((0.5, 0.4, 0.6), "table")
    settings = PhysicsSettings(
        floor=Floor.tilted(0.05, 0.4, 0.1), ground=StairsGround(number=2),
        obstacles=(BoxObstacle((0.4, 0.5, 0.6), position=(2.0, 0.25, 1.0), rotation=(0.0, 0.3, 0.0)),),
        rigid_bodies=(crate(),), start_rates=tuple(0.1 * np.ones(man.nq)),
    )  # fmt: skip
    return Project([man, table], [motion], physics=settings.to_record())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("choices", [ExportChoices(floor="lowest"), ExportChoices(floor="first", facing="first")])
def test_the_whole_world_is_moved_alike(project: Project, choices: ExportChoices, tmp_path: Path) -> None:
    path = tmp_path / "a.glb"
    before = scene_of(chosen(project, path, ExportChoices(first=0)), path.name)
    made = chosen(project, path, choices)
    after = scene_of(made, path.name)
    assert [node.name for node in after.nodes] == [node.name for node in before.nodes]
    for frame in (0, 3, LAST):
        old, new = worlds(before, frame), worlds(after, frame)
        pelvis = [node.name for node in before.nodes].index("pelvis")
        done = new[pelvis] @ np.linalg.inv(old[pelvis])
        assert np.abs(done - np.eye(4)).max() > 0.1, "it is moved"
        for number, node in enumerate(before.nodes):
            if (
                number not in (*before.figures, *before.ground) and node.skin is None
            ):  # these stay, with what moves in them
                assert new[number] == pytest.approx(done @ old[number], abs=2e-7), node.name
    points = [scene.meshes[scene.nodes[scene.ground[0]].mesh].parts[0].points for scene in (before, after)]
    node = [
        trs_frames(s.nodes[s.ground[0]].translation, s.nodes[s.ground[0]].rotation, np.ones(3)) for s in (before, after)
    ]
    there = [rows @ X[:3, :3].T + X[:3, 3] for rows, X in zip(points, node, strict=True)]
    assert there[1] == pytest.approx(there[0] @ done[:3, :3].T + done[:3, 3], abs=1e-9), "the stairs"
    settings, usual = (PhysicsSettings.from_record(each.physics) for each in (made, project))
    assert settings.floor is not None and usual.floor is not None
    spot = done[:3, :3] @ [1.0, usual.floor.height_at(1.0, 2.0), 2.0] + done[:3, 3]
    assert settings.floor.height_at(spot[0], spot[2]) == pytest.approx(spot[1], abs=1e-9)
    assert np.linalg.norm(settings.start_rates[:3]) == pytest.approx(0.1 * np.sqrt(3.0))


@pytest.mark.verify
def test_what_was_moved_is_read_again_as_it_was_written(project: Project, tmp_path: Path) -> None:
    """Also where the root's frame is turned, not its angles, and its figure has a text that is kept."""
    pytest.importorskip("pygltflib", reason="the package pygltflib is not installed")
    table = project.figures[1]
    motion = Sequence(table, 30, "stands")
    motion.set_key(0, table.rest_pose())
    project.sequences.append(motion)
    project.figure_records = [FigureRecord.of(figure) for figure in project.figures]
    made = chosen(project, tmp_path / "a.glb", ExportChoices(floor="lowest", facing="first"))
    save(made, tmp_path / "a.glb")
    back = load(tmp_path / "a.glb")
    assert back.warnings == () and back.imported is None, "it was not taken for changed by another program"
    assert back.figures[0].joint_names == project.figures[0].joint_names
    assert PhysicsSettings.from_record(back.physics).to_record() == made.physics


def test_a_floor_on_which_nothing_else_stands_stays(man: Skeleton, tmp_path: Path) -> None:
    sequence = Sequence(man, 30)
    q = man.rest_pose()
    q[1] += 0.5
    sequence.set_key(0, q)
    project = Project([man], [sequence], physics={"gravity": 1.6})
    made = chosen(project, tmp_path / "a.glb", ExportChoices(floor="lowest"))
    assert made.physics == {"gravity": 1.6} and made.sequences[0].keys[0].q[1] < q[1] - 0.4


@pytest.mark.parametrize("suffix", [".glb", ".usdc"])
def test_what_was_simulated_moves_bodies_in_its_own_motion_alone(man: Skeleton, suffix: str, tmp_path: Path) -> None:
    motions = []
    for name in ("falls", "stands"):
        sequence = Sequence(man, 30, name)
        for frame in (0, LAST):
            sequence.set_key(frame, man.rest_pose())
        motions.append(sequence)
    body, frames = crate(), np.arange(LAST + 1.0)
    placed = tuple(se3.transform(np.eye(3), [1.0, 2.0 - 0.1 * k, 0.0])[None] for k in range(LAST + 1))
    recording = Recording(frames, np.tile(man.rest_pose(), (LAST + 1, 1)), (), (body,), ((0,),) * (LAST + 1), placed)
    physics = PhysicsSettings(rigid_bodies=(body,)).to_record()
    project = Project([man], motions, physics=physics, recordings=(recording,))
    scene = scene_of(project, f"a{suffix}")
    crates = [node for node, each in enumerate(scene.nodes) if each.name == "crate"]
    assert len(crates) == 1
    assert [crates[0] in clip.tracks for clip in scene.clips] == [True, False]
    assert scene.clips[0].tracks[crates[0]].translation[-1] == pytest.approx([1.0, 2.0 - 0.1 * LAST, 0.0])


def test_bodies_go_straight_between_samples_as_figures_do(man: Skeleton) -> None:
    """Of a simulation with 30 samples a second that is written at 60, and a body that is there in its middle alone."""
    sequence = Sequence(man, 60)
    for frame in (0, 2 * LAST):
        sequence.set_key(frame, man.rest_pose())
    body, count = crate(), LAST + 1
    turns = [so3.exp([0.0, 0.2 * k, 0.0]) for k in range(count)]
    placed = [se3.transform(turns[k], [1.0, 2.0 - 0.1 * k, 0.0])[None] for k in range(count)]
    shown = [(0,) if 2 <= k <= 6 else () for k in range(count)]
    placed = [rows if there else rows[:0] for rows, there in zip(placed, shown, strict=True)]
    poses = np.tile(man.rest_pose(), (count, 1))
    recording = Recording(2.0 * np.arange(count), poses, (), (body,), tuple(shown), tuple(placed))
    physics = PhysicsSettings(rigid_bodies=(body,)).to_record()
    scene = scene_of(Project([man], [sequence], physics=physics, recordings=(recording,)), "a.glb")
    track = scene.clips[0].tracks[[node.name for node in scene.nodes].index("crate")]
    inside = np.clip(0.5 * np.arange(2 * LAST + 1), 2.0, 6.0)
    assert track.translation[:, 1] == pytest.approx(2.0 - 0.1 * inside)
    for rotation, k in zip(track.rotation, inside, strict=True):
        assert trs_frames(np.zeros(3), rotation, np.ones(3))[:3, :3] == pytest.approx(so3.exp([0.0, 0.2 * k, 0.0]))


def test_two_bodies_that_begin_alike_are_two(man: Skeleton) -> None:
    settings = PhysicsSettings(rigid_bodies=(crate(), crate()))
    scene = scene_of(Project([man], [], physics=settings.to_record()), "a.glb")
    assert [node.name for node in scene.nodes].count("crate") == 2


def test_settings_move_with_their_world() -> None:
    ball = replace(crate(), spin=np.array([0.1, 0.2, 0.3]))
    strings = (
        PhysicsString("hand", np.array([1.0, 2.0, 3.0]), 1.0),
        PhysicsString("hand", np.ones(3), 1.0, other="ball"),
    )
    forces = (
        DirectionalForce("hand", (0, 0, 0), (1.0, 0.0, 0.0)),
        PointToPoint(("hand", "world"), np.ones((2, 3)), 2.0),
    )
    settings = PhysicsSettings(rigid_bodies=(ball,), strings=strings, forces=forces)
    there = settings.moved(AWAY)
    assert there.rigid_bodies[0].X_WB == pytest.approx(AWAY @ ball.X_WB, abs=1e-12)
    for name in ("velocity", "spin"):
        assert getattr(there.rigid_bodies[0], name) == pytest.approx(TURN @ getattr(ball, name))
    assert there.strings[0].anchor == pytest.approx(TURN @ [1.0, 2.0, 3.0] + AWAY[:3, 3])
    assert there.strings[1] is strings[1]
    assert there.forces[0].direction == pytest.approx(TURN @ [1.0, 0.0, 0.0])
    assert there.forces[1].points[0] == pytest.approx(np.ones(3))
    assert there.forces[1].points[1] == pytest.approx(TURN @ np.ones(3) + AWAY[:3, 3])
    assert there.floor.height == pytest.approx(-0.2), "a world with a crate takes its floor along"
    back = there.moved(np.linalg.inv(AWAY))
    assert back.rigid_bodies[0].X_WB == pytest.approx(ball.X_WB, abs=1e-12)
    assert back.floor.height == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("angle", [1e-7, 0.4, np.pi - 1e-9, np.pi])
@pytest.mark.parametrize("middle", [0.0, 0.9, 1.5])
def test_rates_turn_as_poses_do(man: Skeleton, angle: float, middle: float) -> None:
    """The rates are those of poses that were turned one by one, by central differences."""
    rng = np.random.default_rng(3)
    q, rates, step = man.rest_pose(), rng.normal(size=man.nq), 1e-6
    q[3:6] = [0.3, middle, -0.8]
    turn = so3.exp([0.0, angle, 0.0])
    rows = turned(man, q + step * np.array([[0.0], [-1.0], [1.0]]) * rates, turn, np.zeros(3))[1]
    found = turned_rates(man, q, rows[0], rates, turn)
    assert found == pytest.approx((rows[2] - rows[1]) / (2.0 * step), abs=1e-5)
