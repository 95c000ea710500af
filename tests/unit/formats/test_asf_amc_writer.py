"""Writing Acclaim files: a second reading of them finds every joint where our own kinematics has it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.errors import Cancelled, FormatError
from core.formats import Project, load, save
from core.formats.asf_amc.bones import plan
from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Skeleton, load_skeleton
from core.skeleton.extent import figure_height
from core.skeleton.frames import frames_at
from tests.support.asf_reference import bone_ends, read_motion, read_skeleton
from tests.support.bvh_reference import Bvh
from tests.support.figures import chain, random_figure, random_pose, slide


def poses_of(sequence: Sequence) -> np.ndarray:
    first, last = sequence.range
    return sequence.poses_at_frames(np.arange(first, last + 1))


def joint_places(path: Path, s: Skeleton) -> np.ndarray:
    """Where a second reading has the joints of a figure that was written, shape (m, n, 3).

    A joint stands its bone's vector before the end of its bone, turned as the joint is.
    """
    skeleton = path.with_suffix(".asf")
    bones, _, unit = read_skeleton(skeleton)
    ends = bone_ends(skeleton, path)
    found = forward_kinematics(s, _written[path])
    rest = frames_at(s, np.zeros(s.n_dofs))
    places = np.empty((len(found), len(s.joints), 3))
    planned = plan(s, path.name)
    for i, bone in enumerate(planned.last):
        name = planned.bones[bone].name
        vector = unit * np.linalg.inv(rest[i, :3, :3]) @ bones[name].vector
        places[:, i] = ends[name] - found[:, i, :3, :3] @ vector
    return places


_written: dict[Path, np.ndarray] = {}  # the poses that were saved


def written(s: Skeleton, path: Path, unit: float = 1.0, seed: int = 0, frames: int = 5) -> Project:
    """Save random poses of a figure, one a frame, and return the project."""
    rng = np.random.default_rng(seed)
    sequence = Sequence(s, fps=24, name="random")
    for frame in range(frames):
        sequence.set_key(frame, random_pose(s, rng))
    project = Project([s], [sequence], unit=unit)
    save(project, path)
    _written[path] = poses_of(sequence)
    return project


def far(s: Skeleton) -> float:
    return 1e-6 * max(figure_height(s), 1.0)


# -- there and back --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_any_figure_can_be_written(seed: int, tmp_path: Path) -> None:
    """Oblique axes, fixed turns, slides between hinges, several degrees of freedom a joint, forks everywhere."""
    s = random_figure(seed, joints=10)
    path = tmp_path / "x.amc"
    written(s, path, unit=(1.0, 0.01, 0.0254 / 0.45)[seed % 3], seed=seed)
    expected = forward_kinematics(s, _written[path])[..., :3, 3]
    assert np.abs(joint_places(path, s) - expected).max() < far(s)
    again = load(path)
    t, q = again.figures[0], poses_of(again.sequences[0])
    at = [t.joint_index(name) for name in s.joint_names]
    assert np.abs(forward_kinematics(t, q)[:, at][..., :3, 3] - expected).max() < far(s)
    assert again.sequences[0].fps == 24 and len(q) == 5
    assert again.warnings == ()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["human", "stickman", "arm7", "chain20"])
def test_the_figures_that_come_with_the_program(name: str, skeletons_folder: Path, tmp_path: Path) -> None:
    s = load_skeleton(skeletons_folder / f"{name}.scr")
    path = tmp_path / f"{name}.amc"
    written(s, path, seed=3)
    expected = forward_kinematics(s, _written[path])
    assert np.abs(joint_places(path, s) - expected[..., :3, 3]).max() < far(s)
    again = load(path)
    t = again.figures[0]
    assert t.name == s.name and set(s.joint_names) <= set(t.joint_names)
    assert len(t.joints) == len(s.joints), "each joint is one bone, and the bridges are taken away again"
    found = forward_kinematics(t, poses_of(again.sequences[0]))[:, [t.joint_index(n) for n in s.joint_names]]
    assert np.abs(found - expected).max() < far(s)
    assert [t.joints[t.joint_index(n)].mass for n in s.joint_names[1:]] == pytest.approx(
        [joint.mass for joint in s.joints[1:]], rel=1e-6
    )


def test_limits_are_written(skeletons_folder: Path, tmp_path: Path) -> None:
    s = load_skeleton(skeletons_folder / "human.scr")
    save(Project([s], []), tmp_path / "x.asf")
    t = load(tmp_path / "x.asf").figures[0]
    assert not (tmp_path / "x.amc").exists()
    for i, joint in enumerate(s.joints[1:], 1):
        other = t.joints[t.joint_index(joint.name)]
        for dof in joint.dofs:
            lo, hi = (dof.lo, dof.hi) if dof.axis.max() == 1.0 else (-dof.hi, -dof.lo)
            (same,) = [one for one in other.dofs if abs(one.axis @ dof.axis) > 0.5]
            assert (same.lo, same.hi) == pytest.approx((lo, hi), abs=1e-7), s.joints[i].name


def test_scales_that_are_alike_along_all_axes(tmp_path: Path) -> None:
    s = chain(5)
    joints = [*s.joints]
    joints[1] = Joint("j1", 0, offset=[0, 0.2, 0], dofs=s.joints[1].dofs, scale=[2, 2, 2])
    joints[3] = Joint("j3", 2, offset=[0.1, 0.2, 0], dofs=(slide("y"), *s.joints[3].dofs), scale=[0.5, 0.5, 0.5])
    s = Skeleton("grown", joints)
    path = tmp_path / "x.amc"
    written(s, path)
    expected = forward_kinematics(s, _written[path])[..., :3, 3]
    assert np.abs(joint_places(path, s) - expected).max() < far(s)
    joints[3] = Joint("j3", 2, offset=[0.1, 0.2, 0], scale=[1, 2, 1])
    with pytest.raises(FormatError, match=r'x\.amc: joint "j3" is scaled by 1 2 1; the format holds'):
        written(Skeleton("squeezed", joints), path)


def test_slides_of_the_root_are_part_of_its_place(tmp_path: Path) -> None:
    turned = np.array([0.0, 0.0, 90.0])
    free = (slide("x"), slide("z"), Dof("hinge", np.eye(3)[1], -np.inf, np.inf))
    s = Skeleton("cart", [Joint("cart", -1, offset=[0, 1, 0], orientation=turned, dofs=free), Joint("pole", 0)])
    path = tmp_path / "x.amc"
    written(s, path)
    values = np.array([frame["root"] for frame in read_motion(path)])
    q = _written[path]
    assert values[:, 1] == pytest.approx(1 + q[:, 1] + q[:, 3], abs=1e-6)  # its x points up
    assert np.abs(joint_places(path, s) - forward_kinematics(s, q)[..., :3, 3]).max() < 1e-6


def test_names_that_the_format_does_not_allow_come_back(tmp_path: Path) -> None:
    names = ["Root", "left leg", "left_leg", "LEFT LEG", "12", "root", "end", "Füße", "a:b#c(d)", "-"]
    s = Skeleton('a "figure"', [Joint(name, k - 1, offset=[0, 0.1, 0]) for k, name in enumerate(names)])
    path = tmp_path / "x.amc"
    written(s, path)
    bones, _, _ = read_skeleton(tmp_path / "x.asf")
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.+-]*", name) for name in bones)
    assert len({name.lower() for name in bones}) == len(bones)
    again = load(path).figures[0]
    assert again.joint_names == s.joint_names and again.name == s.name


@pytest.mark.verify
def test_a_bone_between_two_joints_has_the_length_between_them(skeletons_folder: Path, tmp_path: Path) -> None:
    s = load_skeleton(skeletons_folder / "human.scr")
    save(Project([s], [], unit=0.01), tmp_path / "x.asf")
    bones, pairs, unit = read_skeleton(tmp_path / "x.asf")
    assert unit == pytest.approx(0.01)
    assert np.linalg.norm(bones["left_thigh"].vector) == pytest.approx(42.22)
    assert np.linalg.norm(bones["left_thigh"].vector) * unit == pytest.approx(
        np.linalg.norm(s.joints[s.joint_index("left shank")].offset)
    )
    assert ("left_thigh", "left_shank") in pairs and ("root", "to_left_thigh") in pairs


# -- the reference motions -------------------------------------------------------------------------------------------


@pytest.mark.verify
@pytest.mark.parametrize("name", [pytest.param("01_01", marks=pytest.mark.verify), "02_03"])
def test_acclaim_by_way_of_a_project_file(name: str, data_folder: Path, tmp_path: Path) -> None:
    """.amc to .seq to .amc keeps every bone's end within 1e-4 of the height, in every frame, by a second reading."""
    source = data_folder / "asfamc" / f"{name}.amc"
    project = load(source)
    save(project, tmp_path / "a.seq")
    between = load(tmp_path / "a.seq")
    assert between.unit == project.unit
    save(between, tmp_path / "b.amc")
    ends = bone_ends(source.with_name(f"{name[:2]}.asf"), source)
    found = bone_ends(tmp_path / "b.asf", tmp_path / "b.amc")
    assert set(found) == set(ends)
    for bone, places in ends.items():
        assert np.abs(found[bone] - places).max() < 1e-4 * figure_height(project.figures[0]), bone
    assert load(tmp_path / "b.amc").sequences[0].fps == 120


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "step"), [("02_03", 1), ("01_01", 50)])
def test_acclaim_to_bvh(name: str, step: int, data_folder: Path, tmp_path: Path) -> None:
    """.amc to .bvh keeps every joint within 1e-4 of the height, both files read a second time."""
    _to_bvh(name, step, data_folder, tmp_path)


@pytest.mark.verify
def test_acclaim_to_bvh_every_frame(data_folder: Path, tmp_path: Path) -> None:
    _to_bvh("01_01", 1, data_folder, tmp_path)


def _to_bvh(name: str, step: int, data_folder: Path, folder: Path) -> None:
    source = data_folder / "asfamc" / f"{name}.amc"
    project = load(source)
    s = project.figures[0]
    save(project, folder / "a.bvh")
    other = Bvh.load(folder / "a.bvh")
    assert len(other.rows) == len(project.sequences[0].keys)
    skeleton = source.with_name(f"{name[:2]}.asf")
    ends = bone_ends(skeleton, source, step)
    _, pairs, unit = read_skeleton(skeleton)
    worst = 0.0
    for n, frame in enumerate(range(0, len(other.rows), step)):
        places = other.places(frame)
        for parent, child in pairs:
            worst = max(worst, float(np.abs(unit * np.array(places[child]) - ends[parent][n]).max()))
        for joint in s.joints:
            if joint.tips:
                tip = unit * np.array(places[f"{joint.name}_End"])
                worst = max(worst, float(np.abs(tip - ends[joint.name][n]).max()))
    assert worst < 1e-4 * figure_height(s)


# -- files -----------------------------------------------------------------------------------------------------------


def test_the_range_is_sampled_at_every_frame(tmp_path: Path) -> None:
    s = chain(3)
    sequence = Sequence(s, fps=29.97, first=2, last=7)
    sequence.set_key(0, random_pose(s, np.random.default_rng(1)))
    sequence.set_key(10, random_pose(s, np.random.default_rng(2)))
    save(Project([s], [sequence]), tmp_path / "x.amc")
    again = load(tmp_path / "x.amc").sequences[0]
    assert again.keys.frames == tuple(range(6)) and again.fps == 29.97
    assert again.poses_at_frames(range(6)) == pytest.approx(sequence.poses_at_frames(range(2, 8)), abs=1e-6)


def test_without_a_sequence_there_is_one_frame_at_rest(tmp_path: Path) -> None:
    s = chain(3)
    save(Project([s], []), tmp_path / "x.amc")
    assert len(read_motion(tmp_path / "x.amc")) == 1


def test_the_format_holds_one_figure(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"x\.amc: the format holds one figure, the project has 2"):
        save(Project([chain(2), chain(3)], []), tmp_path / "x.amc")
    with pytest.raises(FormatError, match=r"has 0"):
        save(Project(), tmp_path / "x.asf")


def test_numbers_that_could_not_be_read_again_are_not_written(tmp_path: Path) -> None:
    s = chain(2)
    away = Sequence(s, keys=[Key(0, np.zeros(s.nq), "stepped"), Key(3, np.full(s.nq, 1e12))])
    with pytest.raises(FormatError, match=r"x\.amc: frame 4 has .*; numbers that can be read again go to 1e\+09"):
        save(Project([s], [away]), tmp_path / "x.amc")
    assert not list(tmp_path.iterdir())


def test_another_programs_skeleton_is_not_written_over(data_folder: Path, tmp_path: Path) -> None:
    foreign = (data_folder / "asfamc" / "01.asf").read_bytes()
    (tmp_path / "01.asf").write_bytes(foreign)
    with pytest.raises(FormatError, match=r"01\.asf: is there already and holds another figure"):
        save(Project([chain(4)], []), tmp_path / "01.amc")
    assert (tmp_path / "01.asf").read_bytes() == foreign and not (tmp_path / "01.amc").exists()
    project = load(tmp_path / "01.asf")
    save(project, tmp_path / "01.amc")  # its own figure, though
    assert (tmp_path / "01.asf").read_bytes() != foreign
    save(Project([chain(4)], []), tmp_path / "01.amc")  # and one of ours


def test_writing_can_be_stopped(data_folder: Path, tmp_path: Path) -> None:
    project = load(data_folder / "asfamc" / "02_03.amc")
    path = tmp_path / "x.amc"
    path.write_text("before")
    reported: list[float] = []
    save(project, tmp_path / "y.amc", progress=reported.append)
    assert reported == sorted(reported) and reported[-1] == 1.0

    def stop(_done: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        save(project, path, progress=stop)
    assert path.read_text() == "before"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["x.amc", "y.amc", "y.asf"]


@pytest.mark.verify
def test_the_same_file_every_time(data_folder: Path, tmp_path: Path) -> None:
    """What is read and written again is the same from the first time on, direction and length of each bone too."""
    for folder in ("a", "b", "c"):
        (tmp_path / folder).mkdir()
    save(load(data_folder / "asfamc" / "02_03.amc"), tmp_path / "a" / "x.amc")
    save(load(tmp_path / "a" / "x.amc"), tmp_path / "b" / "x.amc")
    save(load(tmp_path / "b" / "x.amc"), tmp_path / "c" / "x.amc")
    for name in ("x.amc", "x.asf"):
        first, second, third = ((tmp_path / folder / name).read_bytes() for folder in "abc")
        assert second == third
        assert first.count(b"\n") == second.count(b"\n")
