"""Writing BVH: any figure of ours, sampled at every frame; read back by a second, plain reading of the format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.animation import Key, Sequence
from core.animation.key import MAX_FRAME
from core.errors import Cancelled, FormatError
from core.formats import Project, bundled_folder, load, save
from core.formats.bvh import writer
from core.formats.bvh.writer import plan
from core.formats.importing.recording import continuous_euler
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Skeleton, load_skeleton
from core.skeleton.extent import figure_height
from core.skeleton.scr.writer import depth_first_order
from core.skeleton.segment import segment_tip
from core.spatial import so3
from tests.support.bvh_reference import Bvh
from tests.support.figures import chain, hinge, random_figure, random_pose, slide

FREE = (hinge("z"), hinge("x"), hinge("y"))


def moving(s: Skeleton, frames: int = 12, seed: int = 1, spread: float = 1.0, fps: float = 25) -> Project:
    rng = np.random.default_rng(seed)
    keys = [Key(4 * k, random_pose(s, rng, spread)) for k in range(frames // 4 + 1)]
    return Project([s], [Sequence(s, fps, "moving", keys=keys)])


def written(project: Project, folder: Path) -> Bvh:
    save(project, folder / "out.bvh")
    return Bvh.load(folder / "out.bvh")


def worst(project: Project, bvh: Bvh, figure: int = 0, skip: int = 0) -> float:
    """Largest distance of a joint from where it should be over all frames, of the figure's height.

    Args:
        skip: Joints of earlier figures in the file.
    """
    s, sequence = project.figures[figure], project.sequences[figure]
    first, last = sequence.range
    X = forward_kinematics(s, sequence.poses_at_frames(np.arange(first, last + 1)))[..., :3, 3]
    names = [joint[0] for joint in bvh.joints][skip : skip + len(s.joints)]
    places = [bvh.places(k) for k in range(len(bvh.rows))]
    found = np.array([[place[name] for name in names] for place in places]) * project.unit
    return float(np.abs(found - X[:, depth_first_order(s)]).max()) / figure_height(s)


# -- any figure -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_figures_of_every_kind(seed: int, tmp_path: Path) -> None:
    """Oblique axes, fixed rotations, slides between hinges, uneven scales under each other."""
    project = moving(random_figure(seed, joints=10, scaled=seed % 2 == 0), seed=seed)
    assert worst(project, written(project, tmp_path)) < 1e-6


def test_long_chains_keep_their_ends(tmp_path: Path) -> None:
    s = chain(120)
    assert worst(moving(s, 8), written(moving(s, 8), tmp_path)) < 1e-5
    oblique = Skeleton("oblique", [replace(joint.as_given(), orientation=(7.0, 11.0, 13.0)) for joint in s.joints])
    assert worst(moving(oblique, 8), written(moving(oblique, 8), tmp_path)) < 1e-5


@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_tiny_and_huge_figures(scale: float, tmp_path: Path) -> None:
    project = moving(chain(12, scale=scale), 4, spread=0.3 * scale)
    assert worst(project, written(project, tmp_path)) < 1e-6


def test_joints_that_are_not_listed_depth_first(tmp_path: Path) -> None:
    joints = [Joint("hips", -1, dofs=FREE)]
    joints += [Joint(f"leg {k}", 0, offset=(k, 0.5, 0), dofs=FREE) for k in range(2)]
    joints += [Joint(f"foot {k}", 1 + k, offset=(0, -1, 0.1), dofs=FREE) for k in range(2)]
    project = moving(Skeleton("breadth first", joints))
    bvh = written(project, tmp_path)
    assert [joint[0] for joint in bvh.joints] == ["hips", "leg_0", "foot_0", "leg_1", "foot_1"]
    assert worst(project, bvh) < 1e-6


SAMPLES = ["human.scr", "stickman.scr", "arm7.scr", "chain20.scr"]
SAMPLES += [
    f"library/{name}.seq" for name in ("Walks and runs/walk", "Gestures/wave", "Gestures/reach", "Gestures/bow")
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", SAMPLES)
def test_bundled_figures_and_samples(name: str, tmp_path: Path) -> None:
    project = load(bundled_folder() / name)
    bvh = written(project, tmp_path)
    assert worst(project, bvh) < 1e-6
    back = load(tmp_path / "out.bvh")
    s, sequence = project.figures[0], project.sequences[0]
    if figure_height(s) > 1.4 and s.name != "arm7":
        assert (back.unit, back.unit_guess) == (1.0, "sure")
    first, last = sequence.range
    before = forward_kinematics(s, sequence.poses_at_frames(np.arange(first, last + 1)))[..., :3, 3]
    after = forward_kinematics(back.figures[0], back.sequences[0].poses_at_frames(np.arange(last - first + 1)))
    assert np.abs(after[..., :3, 3] - before).max() < 1e-6 * figure_height(s)
    assert back.sequences[0].fps == sequence.fps


# -- channels ---------------------------------------------------------------------------------------------------------


def channels(bvh: Bvh) -> dict[str, str]:
    return {joint[0]: " ".join(name[0] + name[1] for name in joint[3]) for joint in bvh.joints}


def test_channels_are_those_of_the_figure_where_bvh_has_them(tmp_path: Path) -> None:
    along = tuple(slide(axis) for axis in "yxz")
    joints = [
        Joint("root", -1, dofs=(hinge("y"), hinge("z"), hinge("x"))),
        Joint("six", 0, offset=(0, 1, 0), dofs=(*along, *FREE)),
        Joint("part", 1, offset=(0, 1, 0), dofs=(slide("z"), hinge("x"))),
        Joint("same", 2, offset=(0, 1, 0), dofs=(hinge("z"), hinge("x"), hinge("z"))),
        Joint("fixed", 3, offset=(0, 1, 0)),
        Joint("backwards", 4, offset=(0, 1, 0), dofs=(hinge(np.array([-1.0, 0, 0])),)),
        Joint("limited", 5, offset=(0, 1, 0), dofs=(hinge("y", -1, 1),)),
        Joint("oblique", 6, offset=(0, 1, 0), dofs=(hinge(np.array([1.0, 1, 0])),)),
        Joint("turned", 7, offset=(0, 1, 0), orientation=(0, 90, 0), dofs=(hinge("x", -1, 1), hinge("y", -1, 1))),
        Joint("mixed", 8, offset=(0, 1, 0), dofs=(hinge("x"), slide("y"))),
    ]
    project = moving(Skeleton("all kinds", joints))
    bvh = written(project, tmp_path)
    assert channels(bvh) == {
        "root": "Xp Yp Zp Yr Zr Xr",
        "six": "Yp Xp Zp Zr Xr Yr",
        "part": "Zp Xr",
        "same": "Zr Xr Zr",
        "fixed": "",
        "backwards": "Xr",
        "limited": "Yr Zr Xr",
        "oblique": "Zr Xr Yr",
        "turned": "Zr Yr Xr",  # about x of a frame turned by 90 degrees about y is about -z
        "mixed": "Xp Yp Zp Zr",
    }
    assert worst(project, bvh) < 1e-6


def test_angles_of_such_joints_are_written_as_they_are(tmp_path: Path) -> None:
    s = Skeleton("x", [Joint("root", -1, dofs=FREE), Joint("arm", 0, offset=(0, 1, 0), dofs=(hinge(-np.eye(3)[0]),))])
    angles = np.radians([350.0, -725.25, 91.5, 123.456789])
    save(Project([s], [Sequence(s, keys=[Key(0, [0.1, 0.2, 0.3, *angles])])]), tmp_path / "out.bvh")
    assert Bvh.load(tmp_path / "out.bvh").rows == [[0.1, 0.2, 0.3, 350.0, -725.25, 91.5, -123.456789]]


def test_what_came_from_a_bvh_file_goes_back_as_it_came(tmp_path: Path) -> None:
    text = """HIERARCHY
ROOT Base
{
\tOFFSET 0.500000 1.000000 0.000000
\tCHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation
\tJOINT Left Arm
\t{
\t\tOFFSET 0.000000 0.500000 0.000000
\t\tCHANNELS 6 Zposition Yposition Xposition Xrotation Yrotation Zrotation
\t\tJOINT Hand
\t\t{
\t\t\tOFFSET 0.000000 0.250000 0.000000
\t\t\tCHANNELS 2 Yposition Zrotation
\t\t\tEnd Site
\t\t\t{
\t\t\t\tOFFSET 0.000000 0.125000 0.000000
\t\t\t}
\t\t}
\t}
}
MOTION
Frames: 2
Frame Time: 0.0083333
1.5 2.25 -3.125 10 -20 30 0.25 0.5 -0.75 40 50 -60 0.375 70
1.5 2.5 -3.5 11 -21 31 0.5 0.75 -0.25 41 51 -61 0.5 71
"""
    (tmp_path / "in.bvh").write_text(text)
    save(load(tmp_path / "in.bvh", unit=0.01), tmp_path / "out.bvh")
    before, after = Bvh(text.replace("Left Arm", "Left_Arm")), Bvh.load(tmp_path / "out.bvh")
    assert before.joints == after.joints
    assert np.array(after.rows) == pytest.approx(np.array(before.rows), abs=1e-9)


# -- angles -----------------------------------------------------------------------------------------------------------


def test_euler_angles_go_on_without_jumps(tmp_path: Path) -> None:
    """A tilted joint that turns three times round, in rows of many chunks."""
    joints = [Joint("root", -1, dofs=FREE), Joint("arm", 0, offset=(0, 1, 0), orientation=(20, 30, 40), dofs=FREE)]
    s = Skeleton("x", joints)
    keys = [Key(0, np.zeros(9), turns=True), Key(700, [0, 0, 0, 0, 0, 0, 6 * np.pi, 2.5, -1], "linear", True)]
    project = Project([s], [Sequence(s, 100, "turns", keys=keys)])
    bvh = written(project, tmp_path)
    assert worst(project, bvh) < 1e-6
    steps = np.abs(np.diff(np.array(bvh.rows)[:, 6:], axis=0))
    assert steps.max() < 15.0 and np.ptp(np.array(bvh.rows)[:, 6:], axis=0).max() > 500.0


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_euler_angles_give_the_rotation_at_gimbal_lock_too(order: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(sum(order))
    angles = rng.uniform(-4, 4, (600, 3))
    angles[::5, 1] = np.pi / 2
    angles[1::5, 1] = -np.pi / 2 + 10.0 ** rng.uniform(-13, -2, 120)
    letters = "".join("xyz"[k] for k in order)
    R = so3.from_euler(letters, angles)
    found = continuous_euler(order, R)
    assert so3.from_euler(letters, found) == pytest.approx(R, abs=2e-9)
    # Each triple is the nearer of the two, whole turns not counted.
    other = np.stack((found[:, 0] + np.pi, np.pi - found[:, 1], found[:, 2] + np.pi), axis=-1)
    here = np.abs(np.diff(found, axis=0)).sum(axis=1)
    there = other[1:] - found[:-1]
    there = np.abs(there - 2 * np.pi * np.round(there / (2 * np.pi))).sum(axis=1)
    loose = np.abs(np.abs(np.cos(found[:, 1])) < 1e-8)  # at gimbal lock there are more than two
    assert (here <= there + 1e-9)[~(loose[1:] | loose[:-1])].all() and (np.abs(np.diff(found, axis=0)) < 3.2).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.floats(-10, 10)] * 3), min_size=1, max_size=30), st.integers(0, 30))
def test_euler_angles_may_be_taken_in_pieces(angles: list[tuple[float, float, float]], cut: int) -> None:
    R = so3.from_euler("zxy", np.array(angles))
    whole = continuous_euler((2, 0, 1), R)
    first = continuous_euler((2, 0, 1), R[:cut])
    second = continuous_euler((2, 0, 1), R[cut:], first[-1] if len(first) else None)
    assert so3.from_euler("zxy", np.concatenate((first, second))) == pytest.approx(R, abs=2e-9)
    assert np.concatenate((first, second)) == pytest.approx(whole, abs=1e-6)


# -- names, ends, numbers ---------------------------------------------------------------------------------------------


def test_names_have_no_blanks_and_differ(tmp_path: Path) -> None:
    names = ["left arm", "left_arm", "left  arm", "a{b}", "Ärmel", "left arm 2"]
    joints = [Joint(name, k - 1, offset=(0, 1, 0), dofs=FREE) for k, name in enumerate(names)]
    bvh = written(moving(Skeleton("x", joints)), tmp_path)
    assert [joint[0] for joint in bvh.joints] == [
        "left_arm",
        "left_arm_2",
        "left_arm_3",
        "a_b_",
        "Ärmel",
        "left_arm_2_2",
    ]


def test_tips_become_end_sites(tmp_path: Path) -> None:
    tips = ((0.0, 0.2, 0.0), (0.1, 0.2, 0.3))
    joints = [
        Joint("root", -1, dofs=FREE),
        Joint("arm", 0, offset=(0, 1, 0), orientation=(0, 0, 90), dofs=FREE, tips=tips),
    ]
    joints.append(Joint("leg", 0, offset=(0, -1, 0), dofs=FREE, mass=1.0))
    s = Skeleton("x", joints)
    bvh = written(moving(s), tmp_path)
    ends = {joint[0]: np.array(joint[4]) for joint in bvh.joints}
    assert ends["arm"] == pytest.approx(np.array([[-0.2, 0, 0], [-0.2, 0.1, 0.3]]))  # seen along the world's axes
    assert len(ends["root"]) == 0 and ends["leg"] == pytest.approx(segment_tip(s, "leg")[None])
    back = load(tmp_path / "out.bvh", unit=1.0).figures[0]
    assert np.array(back.joints[1].tips) == pytest.approx(ends["arm"])


def test_numbers_are_as_fine_as_the_figure_needs(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    project = moving(chain(3))
    project.unit = 0.01
    save(project, tmp_path / "x.bvh")
    text = (tmp_path / "x.bvh").read_text()
    assert "OFFSET 0.0000000 10.0000000 0.0000000" in text and "-0.0000" not in text.replace("-0.00000001", "")
    assert "Frame Time: 0.04000000000\n" in text


@pytest.mark.parametrize("fps", [24, 25, 30, 24000 / 1001, 59.94, 60, 120, 1000, 0.5, 29.123456])
def test_the_frame_rate_comes_back(fps: float, tmp_path: Path) -> None:
    save(moving(chain(2), fps=fps), tmp_path / "x.bvh")
    assert load(tmp_path / "x.bvh", unit=1.0).sequences[0].fps == pytest.approx(fps, rel=1.1e-5)
    words = (tmp_path / "x.bvh").read_text().split("Frame Time:")[1].split()[0]
    assert len(words.partition(".")[2]) >= 7


# -- time and figures -------------------------------------------------------------------------------------------------


def test_the_range_is_what_is_written(tmp_path: Path) -> None:
    project = moving(chain(2))
    project.sequences[0].set_range(3, 9)
    bvh = written(project, tmp_path)
    assert len(bvh.rows) == 7 and worst(project, bvh) < 1e-6


def test_a_figure_without_motion_stands_in_its_rest_pose(tmp_path: Path) -> None:
    s = load_skeleton(bundled_folder() / "human.scr")
    for sequences in ([], [Sequence(s)]):
        bvh = written(Project([s], sequences), tmp_path)
        rest = forward_kinematics(s, s.rest_pose())[:, :3, 3]
        places = bvh.places(0)
        found = [places[name.replace(" ", "_")] for name in s.joint_names]
        assert len(bvh.rows) == 1 and np.array(found) == pytest.approx(rest, abs=1e-6)


def test_several_figures_share_one_clock(tmp_path: Path) -> None:
    one, two = moving(chain(3), 8, fps=20), moving(random_figure(3, 4), 8, seed=2, fps=40)
    two.sequences[0].set_range(4, 8)
    project = Project([*one.figures, *two.figures], [*one.sequences, *two.sequences])
    bvh = written(project, tmp_path)
    assert len([joint for joint in bvh.joints if joint[1] is None]) == 2
    assert len({joint[0] for joint in bvh.joints}) == len(bvh.joints) == 7
    # The first runs from 0 to 0.4 s at 20 a second, the other from 0.1 to 0.2 s.
    assert len(bvh.rows) == 9 and bvh.frame_time == pytest.approx(0.05)
    places = bvh.places(3)
    q = two.sequences[0].pose_at(0.15)
    X = forward_kinematics(two.figures[0], q)
    order = depth_first_order(two.figures[0])
    names = [joint[0] for joint in bvh.joints][3:]
    assert np.array([places[name] for name in names]) == pytest.approx(X[list(order), :3, 3], abs=1e-6)
    back = load(tmp_path / "out.bvh", unit=1.0)
    assert [len(s.joints) for s in back.figures] == [3, 4]


def test_of_several_sequences_of_a_figure_the_first_is_written(tmp_path: Path) -> None:
    project = moving(chain(2), 4)
    project.sequences.append(Sequence(project.figures[0], keys=[Key(0, np.ones(5)), Key(100, np.ones(5))]))
    assert len(written(project, tmp_path).rows) == 5


def test_what_cannot_be_written_is_refused_and_leaves_the_old_file(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "x.bvh"
    path.write_text("before")
    s = chain(2)
    endless = Sequence(s, keys=[Key(0, np.zeros(5)), Key(MAX_FRAME, np.ones(5))])
    with pytest.raises(FormatError, match=r"x\.bvh: the motion has 2147483648 frames"):
        save(Project([s], [endless]), path)
    away = Sequence(s, keys=[Key(0, np.zeros(5), "stepped"), Key(3, np.full(5, 6e9))])
    with pytest.raises(FormatError, match=r"x\.bvh: frame 3 has 6e\+09; numbers that can be read again go to 1e\+09"):
        save(Project([s], [away]), path)
    with pytest.raises(FormatError, match="the project has none"):
        save(Project(), path)
    with pytest.raises(FormatError, match="nan is not a unit"):
        save(Project([s], [], float("nan")), path)

    def stop(done: float) -> None:
        if done > 0.5:
            raise Cancelled

    monkeypatch.setattr(writer, "_CHUNK", 2)
    with pytest.raises(Cancelled):
        save(moving(s), path, progress=stop)
    assert path.read_text() == "before" and [item.name for item in tmp_path.iterdir()] == ["x.bvh"]


def test_a_plan_has_each_joint_once() -> None:
    s = random_figure(5, 20)
    assert sorted(part.joint for part in plan(s)) == list(range(20))
