"""How far swings in cones go, and keys of files that lie outside."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.formats import load, save
from core.formats.project import Project
from core.skeleton import clamp_pose
from core.skeleton.clamp import clamp_cones
from core.skeleton.cones import cones_of
from tests.support.coned import CLOSE, CONE, CONED, coned, swings

S = coned()
Z, X = 4, 5  # of the left arm


def test_swings_are_those_of_the_figure() -> None:
    poses = np.random.default_rng(1).normal(0.0, 0.6, (50, S.nq))
    cones = cones_of(S)
    assert [S.joint_names[joint] for joint in cones.joints] == sorted(CONED, key=S.joint_names.index)
    order = [CONED.index(S.joint_names[joint]) for joint in cones.joints]
    assert np.allclose(cones.swings(poses), swings(S, poses)[:, order], atol=1e-7)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("cone", [20.0, 40.0, 90.0, 130.0])
def test_an_angle_reaches_the_rim_and_no_farther(cone: float) -> None:
    s, rng = coned(cone), np.random.default_rng(int(cone))
    cones, half = cones_of(s), math.radians(cone)
    for _ in range(200):
        q = np.zeros(s.nq)
        q[3:] = rng.uniform(-half, half, s.n_dofs)
        reaches = cones.reaches(q)
        for k, columns in enumerate(cones.columns):
            for side in (0, 1):
                reach = reaches[k, side]
                if not math.isfinite(reach):
                    continue
                at = q.copy()
                at[columns[side]] = reach
                assert cones.allowed(at)[k] == 1.0
                at[columns[side]] = reach + 1e-6
                assert cones.allowed(at)[k] < 1.0 or reach == 0.0


def test_inside_stays_bit_for_bit() -> None:
    q = clamp_pose(S, np.random.default_rng(0).normal(size=S.nq))
    assert clamp_cones(S, q) is q


def test_of_one_angle_that_changed_the_other_stays() -> None:
    before = S.rest_pose()
    before[[Z, X]] = np.radians([0.0, 30.0])
    q = before.copy()
    q[Z] = math.radians(39.0)
    held = clamp_cones(S, q, before)
    assert held[X] == before[X] and swings(S, held)[0] == pytest.approx(CONE, abs=1e-6)
    both = clamp_cones(S, q)
    assert both[X] < before[X], "of a pose from nowhere both angles go back on their way from zero"


def test_what_was_outside_gets_no_farther_out() -> None:
    before = S.rest_pose()
    before[[Z, X]] = np.radians([30.0, 35.0])
    out = swings(S, before)[0]
    assert out > CONE
    q = before.copy()
    q[Z] += 0.2
    assert swings(S, clamp_cones(S, q, before))[0] == pytest.approx(out, abs=1e-6)
    q[Z] = before[Z] - 0.05
    assert clamp_cones(S, q, before) is q


def keyed(*arms: tuple[float, float]) -> Sequence:
    poses = np.tile(S.rest_pose(), (len(arms), 1))
    poses[:, [Z, X]] = np.radians(arms)
    return Sequence(S, keys=[Key(10 * i, pose) for i, pose in enumerate(poses)])


def test_a_file_says_which_keys_lie_outside_and_keeps_them(tmp_path) -> None:
    sequence = keyed((0.0, 30.0), (39.0, 39.0), (5.0, 41.0))
    save(Project([S], [sequence]), tmp_path / "out.seq")
    project = load(tmp_path / "out.seq")
    (found,) = [problem for problem in project.warnings if "cone" in str(problem)]
    assert 'joint "left arm" swings out of its cone in 2 of 3 keys, farthest at frame 10, by 12.8 deg' in str(found)
    assert [key.q.tolist() for key in project.sequences[0].keys] == [key.q.tolist() for key in sequence.keys]
    save(Project([S], [keyed((0.0, 30.0), (28.0, 28.0))]), tmp_path / "in.seq")
    assert not [problem for problem in load(tmp_path / "in.seq").warnings if "cone" in str(problem)]


def test_beside_a_key_outside_the_motion_goes_out_just_as_far() -> None:
    sequence = keyed((0.0, 30.0), (35.0, 35.0), (5.0, 5.0))
    out = swings(S, sequence.keys[1].q)[0]
    found = swings(S, sequence.poses_at_frames(np.linspace(0.0, 20.0, 201)))[:, 0]
    assert found.max() == pytest.approx(out, abs=1e-9) and out > CONE + CLOSE
