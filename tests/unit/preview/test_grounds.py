"""Ground in the settings of a scene: records, files, a missing mesh, what stands on it, and what checks go by."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from app.cli import main
from core.animation import Key, Sequence
from core.animation.hybrid_strips import MOTOR, HybridStrip
from core.arrays import Array
from core.dynamics.contact.world import World
from core.errors import CoreError, DynamicsError
from core.formats import Project, bundled_folder, load, save
from core.gait.manner import Manner
from core.gait.walk import make_walk
from core.kinematics import forward_kinematics
from core.posing.floor import parts_below_floor
from core.preview.grounds import GroundSource, HillsGround, MeshGround, StairsGround, TriangleGround, ground_from_record
from core.preview.plausibility.find import find_violations
from core.preview.plausibility.support import clearances
from core.preview.plausibility.violation import PARABOLA
from core.preview.preview import Preview
from core.preview.settings import PhysicsSettings
from core.skeleton import Skeleton, load_skeleton
from core.terrain import stairs
from tests.support.counts import is_quick
from tests.support.grounds import walked


@cache
def man() -> Skeleton:
    return load_skeleton(bundled_folder() / "human.scr")


def put_mesh(path: Path, height: float = 0.5) -> Path:
    """Write a square of that height as an object file."""
    corners = [(-2.0, height, -2.0), (-2.0, height, 2.0), (2.0, height, 2.0), (2.0, height, -2.0)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + ["f 1 2 3 4"]
    path.write_text("\n".join(lines) + "\n")
    return path


def placed(ground: GroundSource, x: float, z: float) -> Array:
    """Return the pose of rest with its soles on the ground at a place."""
    q = man().rest_pose()
    q[[0, 2]] += x, z
    q[1] += 5.0
    q[1] -= clearances(man(), forward_kinematics(man(), q[None]), World(floor=None, ground=ground.terrain)).min()
    return q


def stood(ground: GroundSource, q: Array, seconds: float) -> Preview:
    """Let the man be held in a pose by stiff motors, in Physics mode."""
    sequence = Sequence(man(), keys=[Key(0, q), Key(300, q)])
    sequence.hybrid_strips = [HybridStrip((), 0, None, MOTOR, gain=10.0)]
    preview = Preview(sequence, 0, PhysicsSettings(ground=ground, motor_gain=10.0))
    while preview.samples[-1].time < seconds:
        preview.advance()
    return preview


@pytest.mark.parametrize("ground", [HillsGround(0.5, 3.0, 10.0, 0.5, 4), StairsGround(number=3), MeshGround("a b.obj")])
def test_records_hold_every_kind(ground: GroundSource) -> None:
    settings = PhysicsSettings(ground=ground)
    again = PhysicsSettings.from_record(settings.to_record())
    assert again.ground == ground and again.to_record() == settings.to_record()
    assert PhysicsSettings.from_record(None).ground is None
    assert "ground" not in PhysicsSettings().to_record()


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (7, "it must be an object"), ({}, "there are mesh, hills, stairs"), ({"kind": "sea"}, "there is no kind"),
        ({"kind": ["mesh"]}, "there is no kind"), ({"kind": "mesh"}, "mesh needs file"),
        ({"kind": "mesh", "file": 3}, "path of a mesh"), ({"kind": "hills", "height": "x"}, "height of the hills"),
        ({"kind": "stairs", "number": 0}, "number of the stairs"), ({"kind": "hills", "depth": 1.0}, "has a member"),
    ],
)  # fmt: skip
def test_bad_records_get_one_clear_line(record: object, says: str) -> None:
    with pytest.raises(DynamicsError, match=says) as caught:
        PhysicsSettings.from_record({"ground": record})
    assert str(caught.value).startswith("physics: ground") and "\n" not in str(caught.value)


def test_a_missing_mesh_leaves_the_flat_floor_and_says_so(tmp_path: Path) -> None:
    settings = PhysicsSettings(ground=MeshGround(str(tmp_path / "gone.obj")))
    assert settings.terrain is None and settings.world.ground is None
    assert "gone.obj" in settings.ground_problem and "flat" in settings.ground_problem
    assert "\n" not in settings.ground_problem
    assert settings.to_record()["ground"]["kind"] == "mesh"  # it may be there again tomorrow


def test_a_mesh_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    ground = MeshGround(str(put_mesh(tmp_path / "one.obj", 0.5)))
    assert ground.terrain is ground.terrain
    assert ground.terrain.extent[1][1] == 0.5
    put_mesh(tmp_path / "one.obj", 0.25)
    assert ground.terrain.extent[1][1] == 0.25


def test_a_mesh_beside_a_file_goes_with_it(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    mesh = put_mesh(one / "ground.obj")
    project = Project([man()], [], physics=PhysicsSettings(ground=MeshGround(str(mesh))).to_record())
    save(project, one / "a.seq")
    assert '"ground.obj"' in (one / "a.seq").read_text()
    one.rename(other)
    settings = PhysicsSettings.from_record(load(other / "a.seq").physics)
    assert settings.terrain is not None and settings.terrain.extent[1][1] == 0.5


def test_on_stairs_the_man_stands_as_on_the_floor() -> None:
    ground = StairsGround(tread=0.5)
    q = placed(ground, 0.0, 0.6 + 0.5 + 0.25)
    preview = stood(ground, q, 1.5 if not is_quick() else 0.4)
    assert np.abs(preview.samples[-1].q[:3] - q[:3]).max() < 5e-3
    low = clearances(man(), forward_kinematics(man(), preview.samples[-1].q[None]), preview.settings.world)
    assert low.min() > -1e-3


def test_on_hills_the_man_stands_as_he_was_posed_there() -> None:
    ground = HillsGround(0.5, 4.0, 24.0, 0.0, 2)
    q = walked(man(), make_walk(man(), Manner(steps=2), ground.terrain)).poses_at_frames(np.zeros(1))[0]
    normal = ground.terrain.normals(q[None, [0, 2]])[0]
    assert normal[1] < np.cos(np.radians(2.0))
    preview = stood(ground, q, 1.5 if not is_quick() else 0.4)
    assert np.abs(preview.samples[-1].q[:3] - q[:3]).max() < 5e-3


def test_parts_are_below_the_ground_where_there_is_one() -> None:
    ground = StairsGround()
    q = placed(ground, 0.0, 1.25)
    assert parts_below_floor(man(), q, ground=ground.terrain) == ()
    q[1] -= 0.1
    sunk = parts_below_floor(man(), q, ground=ground.terrain)
    assert sunk and sunk[0].depth == pytest.approx(0.1, abs=5e-3)
    assert parts_below_floor(man(), q) == ()  # for the flat floor he is in the air


@pytest.mark.verify
def test_who_climbs_stairs_is_carried_by_them_and_on_the_flat_floor_would_be_in_the_air() -> None:
    ground = stairs()
    walk = make_walk(man(), Manner(steps=5), ground)
    poses = walked(man(), walk).poses_at_frames(np.arange(walk.last + 1.0))
    sequence = Sequence(man(), keys=[Key(k, q) for k, q in enumerate(poses)])  # without the locks that hold its feet
    assert PARABOLA not in {violation.kind for violation in find_violations(sequence, world=World(ground=ground))}
    assert PARABOLA in {violation.kind for violation in find_violations(sequence)}


@pytest.mark.verify
def test_simulate_takes_a_mesh_and_the_result_keeps_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    q = man().rest_pose()
    q[1] += 0.51
    project = Project([man()], [Sequence(man(), keys=[Key(0, q)])])
    save(project, tmp_path / "in.seq")
    mesh, out = put_mesh(tmp_path / "mesh.obj"), tmp_path / "out.seq"
    words = ["simulate", str(tmp_path / "in.seq"), "-o", str(out), "--duration", "0.4"]
    assert main([*words, "--ground", str(mesh)]) == 0
    done = load(out)
    assert PhysicsSettings.from_record(done.physics).ground == MeshGround(str(mesh))
    sequence = done.sequences[0]
    X = forward_kinematics(man(), sequence.poses_at_frames(np.array([sequence.range[1]])))
    assert abs(clearances(man(), X, World(floor=None, ground=MeshGround(str(mesh)).terrain)).min()) < 1e-2
    capsys.readouterr()
    assert main([*words, "--ground", str(tmp_path / "none.obj")]) != 0
    said = capsys.readouterr().err.strip()
    assert "none.obj" in said and "\n" not in said
    mesh.unlink()
    assert main(["simulate", str(out), "-o", str(tmp_path / "b.seq"), "--duration", "0.1"]) == 0
    assert "the floor is flat" in capsys.readouterr().err


def test_grounds_refuse_numbers_that_make_no_sense() -> None:
    with pytest.raises(CoreError):
        replace(HillsGround(), length=0.0)
    assert ground_from_record({"kind": "stairs"}) == StairsGround()


def test_ground_that_is_given_is_kept_with_its_triangles() -> None:
    given = stairs(number=2)
    again = PhysicsSettings.from_record(PhysicsSettings(ground=TriangleGround(given)).to_record())
    assert again.terrain is not None and np.array_equal(again.terrain.vertices, given.vertices)
    with pytest.raises(DynamicsError, match="rows of three"):
        ground_from_record({"kind": "triangles", "vertices": [[1.0, "x"]], "triangles": [[0, 1, 2]]})
