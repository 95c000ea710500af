"""Scripts of three lines or fewer: what they come to holds, and the same script gives the same bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.animation.ensemble import link
from core.animation.script.script import Script, apply_script
from core.animation.script.written import script_of
from core.animation.sequence import Sequence
from core.constraints.equations import EquationResidual
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from tests.support.counts import few_of

EXAMPLES: dict[str, str] = {
    "a heel stays": 'lock "left heel" position from 6 to 18 ease 3',
    "a stance foot": 'lock "left heel" position from 2 to 8\nlock "left foot" pose from 6 to 14\n'
    'lock "left ball" position from 12 to 20',
    "a hand on the hip": 'lock "left hand" to pelvis point (0.15, 0.05, 0) from 4 to 20 ease 4',
    "hands clasped": 'lock "left hand" to "right hand" from 6 ease 5',
    "a hand circles the head": 'lock "left hand" to head offset (0.3*cos(2*pi*t), 0.1, 0.3*sin(2*pi*t)) from 4 ease 4',
    "a hand circles the partner's head": 'lock "left hand" to partner.head '
    "offset (0.2*cos(2*pi*t), 0.1, 0.2*sin(2*pi*t))",
    "the gaze follows a hand": 'lock head aim at "left hand" from 2 to 20',
    "the gaze follows the partner": 'lock head look at "partner.right hand"',
    "a hand along an arc": 'path "arc" (0.2, 1, 0.3) (0.3, 1.3, 0.3) (0.4, 1, 0.3)\n'
    'lock "left hand" along path "arc" from 4 to 20 ease 4',
    "a hand on a table": 'lock "left hand" plane normal (0, 1, 0) height 95 cm from 6 to 18 ease 4',
    "a hand on a rung": 'lock "right hand" line through (-0.4, 1.1, 0.3) along (0, 1, 0) from 6 ease 5',
    "arms as far apart as now": 'lock "left hand" distance to "right hand"',
    "a box at arm's length": 'lock "left hand" distance to "right hand" apart 0.4 from 4 ease 4',
    "level head": "lock head orientation turned (0, 0, 0) ease 3",
    "balanced": "lock balance margin 8 cm from 4",
    "the spine bends evenly": "lock 0.5 * abdomen.bend = chest.bend from 2 to 20",
    "knees alike": 'lock "left shank".flex = "right shank".flex from 2 ease 4',
    "a hand mirrors the other": 'lock "left hand" position at (-x("right hand"), y("right hand"), z("right hand"))',
    "a nod": "lock head.bend = 8 * sin(2*pi*t) from 4 to 20 ease 4",
    "a hand beside the partner's": 'lock "left hand" position at '
    '(x("partner.right hand") + 5 cm, 1.1, z("partner.right hand"))',
    "as bent as the partner": "lock chest.bend = partner.chest.bend + 2*sin(t) from 3 to 20 ease 4",
    "both give way": 'lock y("left hand") = y("partner.left hand") + 10 cm from 2 mutual',
    "a soft hand rises": 'lock "left hand" position at (0.3, 0.9 + 0.2*t, 0.2) weight 0.5 from 2 to 22',
}


@pytest.fixture(scope="module")
def human(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


def moving(human: Skeleton, name: str = "human") -> Sequence:
    """A motion of a second: she sways, bends and lifts her arms."""
    made = Sequence(human, fps=24, name=name)
    rng = np.random.default_rng(7)
    lo, hi = np.clip(human.limits, -1.0, 1.0).T
    for frame in (0, 12, 24):
        q = human.rest_pose()
        q[3:] += 0.12 * rng.uniform(0.2, 1.0, human.n_dofs) * (lo + hi) / 2.0 + 0.04 * rng.uniform(-1, 1, human.n_dofs)
        q[3:] = np.clip(q[3:], *human.limits.T)
        q[:3] += (0.03 * frame / 24, -0.05, 0.1 * frame / 24)
        made.set_key(frame, q)
    return made


def scripted(human: Skeleton, text: str) -> Sequence:
    """The motion with a script, a partner in front of her."""
    motion, partner = moving(human), moving(human, "partner")
    for key in list(partner.keys):
        q = np.array(key.q)
        q[2] += 0.45
        partner.set_key(key.frame, q)
    link({"human": motion, "partner": partner})
    found = apply_script(motion, text, Script(), ids=[f"strip{k}" for k in range(3)])
    assert found.made.problems == ()
    motion.locks.strips, motion.script = found.strips, found.script.to_json()
    return motion


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_same_script_gives_the_same_bits(name: str, human: Skeleton) -> None:
    text = EXAMPLES[name]
    assert len(text.splitlines()) <= 3
    frames = few_of(np.arange(0.0, 24.5, 0.5), 9)
    first = scripted(human, text)
    poses = first.poses_at_frames(frames)
    again = scripted(human, text)
    backwards = np.array([again.pose_at_frame(frame) for frame in frames[::-1]])[::-1]
    assert poses.tobytes() == backwards.tobytes()
    assert not np.array_equal(poses, first.interpolated_at_frames(frames))
    assert script_of(first) == Script(text, tuple(strip.id for strip in first.locks.strips))


def place(motion: Sequence, frame: float, part: str, point: object) -> np.ndarray:
    i = motion.skeleton.joint_index(part)
    frame_of = forward_kinematics(motion.skeleton, motion.pose_at_frame(frame))[i]
    return np.asarray(frame_of[:3, :3] @ np.asarray(point) + frame_of[:3, 3])


def test_three_points_of_a_foot_stay_one_after_the_other(human: Skeleton) -> None:
    motion = scripted(human, EXAMPLES["a stance foot"])
    heel, _, ball = motion.locks.strips
    assert heel.lock.joint == ball.lock.joint == "left foot"
    assert abs(heel.lock.point[2] - ball.lock.point[2]) > 0.1
    for strip, frames in ((heel, (2, 5, 8)), (ball, (12, 16, 20))):
        there = [place(motion, frame, "left foot", strip.lock.point) for frame in frames]
        assert np.ptp(there, axis=0).max() < 1e-8


def test_a_target_follows_the_time_exactly(human: Skeleton) -> None:
    motion = scripted(human, 'lock "left hand" position at (0.35 + 5 cm*sin(2*pi*t), 1.1, 0.25) from 6 to 20')
    (strip,) = motion.locks.strips
    for frame in (6, 9.5, 17, 20):
        t = (frame - 6) / 24
        wanted = 0.35 + 0.05 * np.sin(2 * np.pi * t), 1.1, 0.25
        assert place(motion, frame, "left hand", strip.lock.point) == pytest.approx(wanted, abs=1e-8)


def test_equations_hold_in_between(human: Skeleton) -> None:
    motion = scripted(human, EXAMPLES["the spine bends evenly"])
    abdomen, chest = (3 + human.first_dof[human.joint_index(name)] for name in ("abdomen", "chest"))
    for frame in (2, 7.25, 16, 20):
        q = motion.pose_at_frame(frame)
        assert 0.5 * q[abdomen] == pytest.approx(q[chest], abs=1e-8)
    assert np.degrees(EquationResidual('"chest".x = 10 * "abdomen".x / 20', human).value(q)[0]) == pytest.approx(
        0, abs=1e-6
    )


def test_a_hand_mirrors_the_other(human: Skeleton) -> None:
    motion = scripted(human, EXAMPLES["a hand mirrors the other"])
    point = motion.locks.strips[0].lock.target
    assert '"right hand"' in point
    i, j = human.joint_index("left hand"), human.joint_index("right hand")
    from core.skeleton.segment import end_effector

    for frame in (0, 5.5, 20):
        a, b = (place(motion, frame, human.joints[k].name, end_effector(human, k)) for k in (i, j))
        assert a == pytest.approx(b * (-1, 1, 1), abs=1e-7)
