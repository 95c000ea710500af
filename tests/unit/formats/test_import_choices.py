"""What a motion file does not say and may be chosen: upward axis, displacements, floor, front, height."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.errors import FormatError
from core.formats import Project, load, save
from core.formats.importing.bodies import with_bodies
from core.formats.importing.measures import UPS, find_up, upright
from core.formats.importing.placing import Stance, level_turn, turned, turned_figure
from core.formats.importing.units import UNITS, guess_unit
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Skeleton
from core.skeleton.anatomy import find_anatomy
from core.skeleton.frames import frames_at
from core.skeleton.named_parts import HEAD, SHANK, THIGH, UPPER_ARM

FOUND = {"up": "auto", "positions": "auto"}
Z_UP = ("z_up_zombie", "fair1_dab", "pybvh_mixed_orders", "mh_standing06", "mh_fight01_1frame")
Y_UP = ("cmu_01_01", "cmu_12_01_walk", "cmu_jumping_jacks", "louise_optitrack", "walk01", "test_simple")


def places(project: Project, count: int = 40) -> np.ndarray:
    """Where all joints are, shape (frames, joints, 3), [m]."""
    last = project.sequences[0].keys[-1].frame
    frames = np.unique(np.linspace(0, last, count).astype(int))
    return forward_kinematics(project.figures[0], project.sequences[0].poses_at_frames(frames))[..., :3, 3]


def poses(project: Project) -> np.ndarray:
    return np.array([key.q for key in project.sequences[0].keys])


def head_over_hips(project: Project) -> np.ndarray:
    """From the root to the head over the motion, unit vectors, shape (frames, 3)."""
    s = project.figures[0]
    head = find_anatomy(s, frames_at(s, np.zeros(s.n_dofs))).having(HEAD)[0]
    found = places(project)
    direction = found[:, head] - found[:, 0]
    return direction / np.linalg.norm(direction, axis=1)[:, None]


# -- upwards ----------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [*Z_UP, *Y_UP])
def test_the_upward_axis_of_every_file(name: str, data_folder: Path) -> None:
    found = load(data_folder / "bvh" / f"{name}.bvh", positions="auto").imported
    assert found is not None
    assert (found.found_up, found.up_sure, found.up) == ("z" if name in Z_UP else "y", True, "y")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", Z_UP)
def test_a_file_with_z_upwards_stands_when_it_is_turned(name: str, data_folder: Path) -> None:
    project = load(data_folder / "bvh" / f"{name}.bvh", **FOUND)
    assert project.imported is not None and project.imported.up == "z"
    assert head_over_hips(project)[:, 1].mean() > 0.6
    s = project.figures[0]
    rest = frames_at(s, np.zeros(s.n_dofs))[:, :3, 3]
    assert int(np.argmax(np.ptp(rest, axis=0))) == 1 or np.ptp(rest[:, 1]) > 1.0 * project.imported.unit
    assert find_anatomy(s, frames_at(s, np.zeros(s.n_dofs))).up == pytest.approx([0, 1, 0])


@pytest.mark.verify
def test_the_zombie_walks_on_the_floor(data_folder: Path) -> None:
    """It used to lie on its back, 114 units below."""
    path = data_folder / "bvh" / "z_up_zombie.bvh"
    lying, standing = places(load(path)), places(load(path, **FOUND))
    assert lying[:, :, 1].min() < -100.0
    assert -0.5 < standing[:, :, 1].min() < 1.5 and 40.0 < standing[:, :, 1].max() < 46.0
    # The same motion in other axes: x stays, the file's z is height, its y goes backwards.
    assert standing == pytest.approx(lying @ upright("z").T, abs=1e-9)


@pytest.mark.parametrize("up", UPS)
def test_any_axis_can_be_upwards(up: str, data_folder: Path) -> None:
    """A walk written in other axes is found, and turned to what it was."""
    walk = load(data_folder / "bvh" / "walk01.bvh")
    s, q = walk.figures[0], poses(walk)[::5]
    turn = upright(up).T  # from y upwards to that axis
    turned = Skeleton("turned", [*_turned_joints(s, turn)])
    moved = np.concatenate([q[:, :3] @ turn.T, q[:, 3:]], axis=1)
    assert find_up(turned, moved) == (up, True)
    assert find_up(turned, moved[:0]) == (up, True)


def _turned_joints(s: Skeleton, turn: np.ndarray) -> list:
    return [joint.as_given() for joint in turned_figure(s, turn).joints]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["z_up_zombie", "walk01"])
@pytest.mark.parametrize("up", UPS)
def test_an_axis_that_is_given_is_taken(name: str, up: str, data_folder: Path) -> None:
    path = data_folder / "bvh" / f"{name}.bvh"
    as_it_is, chosen = load(path, unit=0.01), load(path, unit=0.01, up=up)
    assert places(chosen, 5) == pytest.approx(places(as_it_is, 5) @ upright(up).T, abs=1e-9)
    assert chosen.imported is not None and chosen.imported.up == up


def test_who_lies_is_asked_about_and_left_as_it_is(data_folder: Path) -> None:
    """A person at rest along y who lies on the back all the time: the file may have z upwards, or somebody sleeps."""
    walk = load(data_folder / "bvh" / "walk01.bvh")
    s = walk.figures[0]
    q = np.zeros((30, s.nq))
    q[:, 3 + s.first_dof[0] + [int(np.argmax(dof.axis)) for dof in s.joints[0].dofs].index(0)] = np.radians(90.0)
    assert find_up(s, q) == ("y", False)


def test_an_animal_on_four_legs_is_not_put_on_its_tail() -> None:
    joints = [Joint("Hips", -1, [0, 0.6, 0]), Joint("Spine", 0, [0, 0, 0.3]), Joint("Neck", 1, [0, 0.05, 0.3])]
    joints.append(Joint("Head", 2, [0, 0.1, 0.15], tips=([0, 0, 0.15],)))
    for side, x in (("Left", 0.1), ("Right", -0.1)):
        for base, names in ((0, ("UpLeg", "Leg", "Foot")), (1, ("Arm", "ForeArm", "Hand"))):
            joints.append(Joint(f"{side}{names[0]}", base, [x, 0, 0.2 * base]))
            joints.append(Joint(f"{side}{names[1]}", len(joints) - 1, [0, -0.3, 0]))
            joints.append(Joint(f"{side}{names[2]}", len(joints) - 1, [0, -0.28, 0], tips=([0, 0, 0.1],)))
    assert find_up(Skeleton("dog", joints), np.zeros((0, 3))).axis == "y"


@pytest.mark.verify
def test_acclaim_files_are_turned_too(data_folder: Path) -> None:
    path = data_folder / "asfamc" / "02_03.amc"
    as_it_is = load(path)
    assert as_it_is.imported is not None and (as_it_is.imported.found_up, as_it_is.imported.up_sure) == ("y", True)
    turned = load(path, up="z")
    assert places(turned, 5) == pytest.approx(places(as_it_is, 5) @ upright("z").T, abs=1e-9)
    figure = load(path.with_name("02.asf"), up="z")
    again = load(path, skeleton=figure.figures[0])
    assert places(again, 5) == pytest.approx(places(turned, 5), abs=1e-9)


# -- displacements ----------------------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["mh_standing06", "mh_fight01_1frame"])
def test_displacements_give_a_person(name: str, data_folder: Path) -> None:
    path = data_folder / "bvh" / f"{name}.bvh"
    blob, person = load(path), load(path, **FOUND)
    assert blob.imported is not None and (blob.imported.found_positions, blob.imported.positions) == ("add", "replace")
    assert np.ptp(places(blob)[0], axis=0).max() < 0.3 * np.ptp(places(person)[0] / person.unit, axis=0).max()
    assert person.imported is not None and (person.imported.positions, person.unit) == ("add", 0.1)
    s = person.figures[0]
    assert person.warnings == () and len(s.joints) == 163
    # Every bone is as long as its OFFSET says, since nothing moves the joints.
    at = places(person)[0]
    for i, joint in enumerate(s.joints):
        if joint.parent >= 0:
            length = float(np.linalg.norm(at[i] - at[joint.parent]))
            assert length == pytest.approx(float(np.linalg.norm(joint.offset)), abs=1e-5)
    # Channels that never move are left out: three hinges a joint remain, and three places of the root.
    assert s.n_dofs == 3 * 163 and {dof.kind for dof in s.all_dofs} == {"hinge"}
    assert 60.0 < sum(joint.mass for joint in s.joints) < 80.0
    assert 1.6 < person.imported.height < 1.8


@pytest.mark.verify
def test_small_bones_are_light(data_folder: Path) -> None:
    s = load(data_folder / "bvh" / "mh_fight01_1frame.bvh", **FOUND).figures[0]
    mass = {joint.name: joint.mass for joint in s.joints}
    for name in ("jaw", "tongue03", "eye.L", "oris02", "levator02.R", "metacarpal2.L", "breast.L"):
        assert mass[name] == 0.0, name
    assert all(mass[f"finger{k}-{n}.{side}"] < 0.1 for k in range(1, 6) for n in (1, 2, 3) for side in "LR")
    assert all(mass[f"toe{k}-1.{side}"] < 0.1 for k in range(1, 6) for side in "LR")
    assert 2.0 < mass["head"] < 8.0 and 4.0 < mass["upperleg01.L"] + mass["upperleg02.L"] < 13.0


def six_channels(positions: str) -> str:
    """An arm whose second joint has positions; two frames."""
    return f"""HIERARCHY
ROOT base
{{
  OFFSET 0 0 0
  CHANNELS 3 Xposition Yposition Zposition
  JOINT arm
  {{
    OFFSET 0 1 0
    CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    End Site
    {{
      OFFSET 0 0.7 0
    }}
  }}
}}
MOTION
Frames: 2
Frame Time: 0.04
0 0 0 {positions} 0 0 0
0 0 0 {positions} 10 0 0
"""


@pytest.mark.parametrize(
    ("positions", "choice", "height"),
    [
        ("0 1 0", "auto", 1.0), ("0 0.95 0", "auto", 0.95), ("0 0 0", "auto", 1.0), ("0 0.05 0", "auto", 1.05),
        ("0 1 0", "add", 2.0), ("0 0 0", "replace", 0.0), ("0 0.05 0", None, 0.05),
    ],
)  # fmt: skip
def test_positions_keep_the_lengths_of_bones(tmp_path: Path, positions: str, choice: str | None, height: float) -> None:
    path = tmp_path / "arm.bvh"
    path.write_text(six_channels(positions))
    project = load(path, unit=1.0, positions=choice)
    assert places(project)[:, 1, 1] == pytest.approx(height)
    found = project.imported
    assert found is not None and found.found_positions == ("replace" if positions in ("0 1 0", "0 0.95 0") else "add")


def test_positions_that_fit_neither_way_are_doubtful(tmp_path: Path) -> None:
    path = tmp_path / "arm.bvh"
    path.write_text(six_channels("3 1 2"))
    found = load(path, unit=1.0, up="auto", positions="auto").imported
    assert found is not None and found.positions == "replace" and "positions" in found.doubts


# -- floor and front --------------------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["mh_fight01_1frame", "walk01", "z_up_zombie"])
def test_the_lowest_point_of_the_feet_comes_to_the_floor(name: str, data_folder: Path) -> None:
    path = data_folder / "bvh" / f"{name}.bvh"
    for floor, count in (("lowest", None), ("first", 1)):
        project = load(path, **FOUND, floor=floor)
        low = Stance(project.figures[0]).lowest(poses(project)[:count])
        assert float(low.min()) == pytest.approx(0.0, abs=1e-9 * project.imported.height)
        before = load(path, **FOUND)
        shift = places(project, 4) - places(before, 4)
        assert np.abs(shift[..., [0, 2]]).max() < 1e-12 and np.ptp(shift[..., 1]) < 1e-9 * project.imported.height


@pytest.mark.verify
def test_a_figure_that_sinks_is_doubtful(data_folder: Path) -> None:
    sunk = load(data_folder / "bvh" / "mh_fight01_1frame.bvh", **FOUND).imported
    assert sunk is not None and sunk.doubts == ("floor",) and sunk.first_lowest == pytest.approx(-0.88, abs=0.02)
    assert load(data_folder / "bvh" / "mh_fight01_1frame.bvh", **FOUND, floor="lowest").imported.doubts == ()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["z_up_zombie", "louise_optitrack", "cmu_01_01", "pybvh_mixed_orders"])
@pytest.mark.parametrize("when", ["first", "average"])
def test_a_figure_faces_the_front(name: str, when: str, data_folder: Path) -> None:
    path = data_folder / "bvh" / f"{name}.bvh"
    before, after = load(path, **FOUND), load(path, **FOUND, facing=when)
    assert Stance(after.figures[0]).facing(poses(after), when) == pytest.approx(0.0, abs=1e-6)
    there, here = places(before, 12), places(after, 12)
    # It turns about where it begins; heights and distances stay.
    assert here[0, 0] == pytest.approx(there[0, 0], abs=1e-6)
    assert here[..., 1] == pytest.approx(there[..., 1], abs=1e-6 * before.imported.height)
    lengths = [np.linalg.norm(one[:, None, :, :] - one[:, :, None, :], axis=-1) for one in (there, here)]
    assert lengths[0] == pytest.approx(lengths[1], abs=1e-6 * before.imported.height)
    angle = before.imported.facing if when == "first" else before.imported.facing_average
    if when == "first":
        assert Stance(before.figures[0]).facing(poses(before), when) == pytest.approx(angle)


@pytest.mark.verify
def test_figures_of_one_file_keep_their_places_beside_each_other(data_folder: Path, tmp_path: Path) -> None:
    walk = load(data_folder / "bvh" / "walk01.bvh")
    other = load(data_folder / "bvh" / "walk01.bvh", facing="first")
    other.sequences[0].set_keys([replace_pose(key, [1.0, 0.3, -0.5]) for key in other.sequences[0].keys])
    both = Project([*walk.figures, *other.figures], [*walk.sequences, *other.sequences], unit=0.01)
    save(both, tmp_path / "both.bvh")
    before = load(tmp_path / "both.bvh")
    after = load(tmp_path / "both.bvh", up="z", floor="lowest", facing="first", unit=0.01)

    def joints(project: Project) -> np.ndarray:
        rows = [
            forward_kinematics(sequence.skeleton, sequence.poses_at_frames(np.arange(0, 100, 20)))[..., :3, 3]
            for sequence in project.sequences
        ]
        return np.concatenate(rows, axis=1)

    def distances(places: np.ndarray) -> np.ndarray:
        return np.linalg.norm(places[:, None] - places[:, :, None], axis=-1)

    assert len(after.figures) == 2
    assert distances(joints(after)) == pytest.approx(distances(joints(before)), abs=1e-6)
    lows = [Stance(s.skeleton).lowest(np.array([key.q for key in s.keys])).min() for s in after.sequences]
    assert min(lows) == pytest.approx(0.0, abs=1e-9)


def replace_pose(key: Key, by: list[float]) -> Key:
    """The key with its figure moved, [m]."""
    q = key.q.copy()
    q[:3] += by
    return replace(key, q=q)


def test_a_root_without_three_hinges_is_turned_by_its_frame(data_folder: Path) -> None:
    walk = load(data_folder / "bvh" / "walk01.bvh")
    s = walk.figures[0]
    stiff = Skeleton(
        "stiff", [replace(s.joints[0].as_given(), dofs=(), dof_labels=()), *(j.as_given() for j in s.joints[1:])]
    )
    q = np.delete(poses(walk)[::20], [3, 4, 5], axis=1)
    figure, moved = turned(stiff, q, level_turn(0.7), np.array([0.1, 0.0, 0.2]))
    found = forward_kinematics(figure, moved)[..., :3, 3]
    pivot = np.array([0.1, 0.0, 0.2])
    expected = (forward_kinematics(stiff, q)[..., :3, 3] - pivot) @ level_turn(0.7).T + pivot
    assert found == pytest.approx(expected, abs=1e-9)


# -- size -------------------------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_a_height_sets_the_unit(data_folder: Path, tmp_path: Path) -> None:
    path = data_folder / "bvh" / "z_up_zombie.bvh"
    project = load(path, **FOUND, height=1.7)
    found = project.imported
    assert found is not None and found.height == pytest.approx(1.7) and found.doubts == ()
    assert found.unit == pytest.approx(1.7 / 46.33, rel=1e-3)
    assert 50.0 < sum(joint.mass for joint in project.figures[0].joints) < 80.0
    # It goes out in metres, in which it is known for a person.
    save(project, tmp_path / "out.bvh")
    again = load(tmp_path / "out.bvh", **FOUND)
    assert (again.unit, again.unit_guess) == (1.0, "sure") and again.imported.doubts == ()


def test_who_crouches_in_the_first_frame_is_measured_at_rest(data_folder: Path, tmp_path: Path) -> None:
    walk = load(data_folder / "bvh" / "walk01.bvh")
    s = walk.figures[0]
    anatomy = find_anatomy(s, frames_at(s, np.zeros(s.n_dofs)))
    q = s.rest_pose()
    for part, axis, degrees in ((THIGH, 0, -120.0), (SHANK, 0, 140.0), (UPPER_ARM, 2, -85.0)):
        for i in anatomy.having(part):
            hinge = [int(np.argmax(dof.axis)) for dof in s.joints[i].dofs].index(axis)
            side = anatomy.sides[i] if axis == 2 else 1
            q[3 + s.first_dof[i] + hinge] = np.radians(side * degrees)
    sequence = Sequence(s, 24)
    sequence.set_key(0, q)
    save(Project([s], [sequence], unit=0.01), tmp_path / "crouch.bvh")
    project = load(tmp_path / "crouch.bvh")
    assert (project.unit, project.unit_guess) == (0.01, "sure")
    assert guess_unit(places(project)[0] / project.unit) == (1.0, "doubtful")


def test_likely_units_are_more_than_are_guessed(tmp_path: Path, data_folder: Path) -> None:
    project = load(data_folder / "bvh" / "walk01.bvh")
    project.unit = 0.001
    save(project, tmp_path / "mm.bvh")
    found = load(tmp_path / "mm.bvh").imported
    assert found is not None and "size" in found.doubts and found.likely_unit == 0.001
    assert 0.001 not in dict(UNITS)


# -- which frames, and how fast ---------------------------------------------------------------------------------------


@pytest.mark.verify
def test_a_stretch_stands_on_the_floor_by_its_own_first_frame(data_folder: Path) -> None:
    path = data_folder / "asfamc" / "02_03.amc"
    whole = load(path, up="auto")
    part = load(path, up="auto", first=60, last=119, floor="first", facing="first")
    found, sequence = part.imported, part.sequences[0]
    assert found is not None and whole.imported is not None
    assert (sequence.fps, sequence.range, len(sequence.keys)) == (120, (0, 59), 60)
    stance = Stance(sequence.skeleton)
    assert float(stance.lowest(sequence.keys[0].q[None])[0]) == pytest.approx(0.0, abs=1e-9)
    assert stance.facing(sequence.keys[0].q[None], "first") == pytest.approx(0.0, abs=1e-6)
    raw = poses(whole)[60:120]
    assert found.first_lowest == pytest.approx(float(Stance(whole.figures[0]).lowest(raw[:1])[0]), abs=1e-9)
    lengths = [np.linalg.norm(np.diff(forward_kinematics(f, q)[:, :, :3, 3], axis=0), axis=2)
               for f, q in ((whole.figures[0], raw), (part.figures[0], poses(part)))]  # fmt: skip
    assert lengths[1] == pytest.approx(lengths[0], abs=1e-9), "turned and moved as a whole"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("rate", "fps", "count", "seconds"), [
    (None, 30, 44, 172 / 120), (60, None, 173, 172 / 60), (60, 30, 87, 172 / 60), (None, 240, 345, 172 / 120),
])  # fmt: skip
def test_the_rate_of_a_file_and_that_of_the_keys(
    data_folder: Path, rate: float | None, fps: float | None, count: int, seconds: float
) -> None:
    path = data_folder / "asfamc" / "02_03.amc"
    whole, made = load(path), load(path, rate=rate, fps=fps).sequences[0]
    assert made.fps == (fps or rate or 120) and len(made.keys) == count
    assert (len(made.keys) - 1) / made.fps == pytest.approx(seconds, abs=1.0 / made.fps)
    step = (rate or 120) / made.fps
    expected = whole.sequences[0].poses_at_frames(np.arange(count) * step)
    assert np.array([key.q for key in made.keys]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.verify
def test_frames_that_are_not_there_are_refused(data_folder: Path) -> None:
    with pytest.raises(FormatError, match="ends at frame 172; there is nothing from frame 500 on"):
        load(data_folder / "asfamc" / "02_03.amc", first=500)
    assert load(data_folder / "asfamc" / "02_03.amc", first=150, last=900).sequences[0].range == (0, 22)


# -- choices that make no sense ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"up": "w"}, "'w' makes no sense for up axis; expected one of \"x\""),
        ({"floor": "roof"}, "'roof' makes no sense for floor"), ({"facing": "z"}, "'z' makes no sense for facing"),
        ({"positions": 3}, "3 makes no sense for positions"), ({"height": -1.0}, "-1.0 is not a height"),
        ({"rate": 0.0}, "0.0 frames a second make no sense"), ({"fps": "24"}, "'24' frames a second make no sense"),
        ({"first": -1}, "-1 is not a frame"), ({"first": 9, "last": 3}, "run backwards; expected 3 to 9"),
        ({"height": float("nan")}, "nan is not a height"), ({"height": 1.0, "unit": 1.0}, "both a unit and a height"),
    ],
)  # fmt: skip
def test_choices_that_make_no_sense(data_folder: Path, choice: dict, message: str) -> None:
    for file in ("bvh/test_simple.bvh", "asfamc/01.asf", "asfamc/01_01.amc"):
        with pytest.raises(FormatError) as caught:
            load(data_folder / file, **choice)
        assert message in str(caught.value) and Path(file).name in str(caught.value)


# -- round trips ------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [*Z_UP, *Y_UP])
def test_what_is_written_is_read_again_without_a_question(name: str, data_folder: Path, tmp_path: Path) -> None:
    height = None if name not in ("z_up_zombie", "fair1_dab", "test_simple") else 1.75
    first = load(data_folder / "bvh" / f"{name}.bvh", **FOUND, height=height, floor="lowest", facing="first")
    save(first, tmp_path / "out.bvh")
    again = load(tmp_path / "out.bvh", **FOUND)
    found = again.imported
    assert found is not None and found.doubts == () and again.warnings == ()
    assert found.up == "y" and again.unit == pytest.approx(first.unit)
    assert places(again) == pytest.approx(places(first), abs=2e-6 * found.height)


def test_bodies_do_not_hang_on_the_axes(data_folder: Path) -> None:
    """The same shapes and masses whether they are made before or after a file is turned."""
    path = data_folder / "bvh" / "pybvh_mixed_orders.bvh"
    lying, standing = load(path).figures[0], load(path, up="z").figures[0]
    assert [j.mass for j in standing.joints] == pytest.approx([j.mass for j in lying.joints], rel=1e-6)
    assert with_bodies(standing) is standing
