"""The bundled robot and spider: files come out of their scripts unchanged, slides slide, feet stand, hands reach."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.formats import bundled_folder, load
from core.ik import Goal, solve
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton
from core.skeleton.segment import segment_mesh
from skeletons.making import make_robot, make_spider
from skeletons.making.motion import make_robot_and_spider_motion

FIGURES = {"robot": make_robot, "spider": make_spider}
SEQUENCES = {"robot": "fetch", "spider": "crawl"}


@pytest.fixture(params=sorted(FIGURES))
def name(request) -> str:
    return request.param


@pytest.fixture
def figure(name):
    return load_skeleton(bundled_folder() / f"{name}.scr")


@pytest.fixture
def sequence(name):
    return load(bundled_folder() / "library" / "Creatures" / f"{SEQUENCES[name]}.seq").sequences[0]


def _written(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*.*"))}


def test_files_are_what_the_scripts_write(name, tmp_path):
    FIGURES[name].main([str(tmp_path)])
    made = _written(tmp_path)
    assert made
    for path, text in made.items():
        assert (bundled_folder() / path).read_text() == text, path
    kept = {path.name for path in (bundled_folder() / name).iterdir()}
    assert kept == {Path(path).name for path in made} - {f"{name}.scr"}


def test_motion_is_what_the_script_makes(sequence, name):
    again = getattr(make_robot_and_spider_motion, name)(sequence.skeleton)
    assert [key.frame for key in again.keys] == [key.frame for key in sequence.keys]
    np.testing.assert_allclose([key.q for key in again.keys], [key.q for key in sequence.keys], atol=2e-6)


def test_figure_is_sound(figure):
    assert not figure.warnings
    triangles = sum(len(segment_mesh(figure, i).triangles) for i in range(len(figure.joints)))
    assert 2000 <= triangles <= 8000
    assert len(figure.mirror_pairs) >= 10
    limits = figure.limits[3:]  # the body turns freely
    slides = [dof.kind == "slide" for dof in figure.all_dofs]
    wheels = [label == "Wheel roll" for label in figure.dof_labels]
    assert np.isfinite(limits[~np.array(wheels)[3:]]).all()
    assert any(slides) == (figure.name == "robot")


def test_stands_on_the_ground(figure):
    frames = forward_kinematics(figure, figure.rest_pose())
    lowest = min(
        (frames[i, :3, :3] @ segment_mesh(figure, i).vertices.T)[1].min() + frames[i, 1, 3]
        for i in range(len(figure.joints))
    )
    assert abs(lowest) < 0.003


def test_keys_and_frames_between_stay_inside_the_limits(sequence):
    low, high = sequence.skeleton.limits.T
    poses = sequence.poses_at_frames(np.arange(sequence.keys[-1].frame + 1))[:, 3:]
    slides = np.array([dof.kind == "slide" for dof in sequence.skeleton.all_dofs])
    slack = np.where(slides, 0.004, np.radians(3.0))
    assert (poses >= low - slack).all() and (poses <= high + slack).all()


def test_feet_of_the_spider_stand_while_they_stand():
    sequence = load(bundled_folder() / "library" / "Creatures" / "crawl.seq").sequences[0]
    figure = sequence.skeleton
    frames = forward_kinematics(figure, sequence.poses_at_frames(np.arange(49)))
    standing = 0
    for i, joint in enumerate(figure.joints):
        if "tarsus" in joint.name:
            tips = frames[:, i, :3, :3] @ joint.tips[0] + frames[:, i, :3, 3]
            down = tips[:, 1] < 0.001
            steady = down[1:] & down[:-1]
            standing += steady.sum()
            assert np.linalg.norm(np.diff(tips, axis=0), axis=1)[steady].max() < 0.0025
            assert tips[:, 1].min() > -0.004
    assert standing > 8 * 15


def test_wheels_roll_as_far_as_the_robot_drives():
    sequence = load(bundled_folder() / "library" / "Creatures" / "fetch.seq").sequences[0]
    rolls = [3 + k for k, label in enumerate(sequence.skeleton.dof_labels) if label == "Wheel roll"]
    for key in sequence.keys:
        np.testing.assert_allclose(key.q[rolls] * make_robot.WHEEL, key.q[2], atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_ends_of_limbs_reach_goals(figure, seed):
    rng = np.random.default_rng(seed)
    ends = {
        "robot": ("right palm", "left palm", "head"),
        "spider": ("right tarsus 1", "left tarsus 3", "right tarsus 4"),
    }
    for end in ends[figure.name]:
        joint = figure.joint_index(end)
        low, high = np.clip(figure.limits, -1.0, 1.0).T
        there = figure.rest_pose()
        there[6:] = (low + (high - low) * rng.uniform(0.25, 0.75, figure.n_dofs))[3:]
        goal = forward_kinematics(figure, there)[joint, :3, 3]
        result = solve(figure, figure.rest_pose(), [Goal(joint, position=goal)], tolerance=1e-4)
        assert result.converged, (end, result.error)
