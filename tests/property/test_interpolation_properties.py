"""What holds for every sequence: exact at keys, inside limits, no jumps in what is seen, rigid edits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.animation import Sequence
from core.animation.curves.compound_joints import CompoundJoints
from core.skeleton import Dof, Joint, Skeleton
from core.spatial import quaternion as quat
from tests.support.counts import examples

SEEDS = st.integers(0, 2**32 - 1)
SETTINGS = {"deadline": None, "derandomize": True}


def random_figure(rng: np.random.Generator) -> Skeleton:
    """A figure with compounds about axes of all kinds, hinges and slides, within random limits."""
    joints = [Joint("root", -1, mass=1.0)]
    for i in range(3):
        axes = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)[:, None]
        if rng.random() < 0.3:
            axes = axes + rng.normal(scale=0.2, size=(3, 3))
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        limits = np.sort(rng.uniform(-3.1, 3.1, (3, 2)), axis=1)
        dofs = tuple(Dof("hinge", axis, lo, hi) for axis, (lo, hi) in zip(axes, limits, strict=True))
        joints.append(Joint(f"ball {i}", 0, offset=(0, 1, 0), orientation=rng.uniform(-90, 90, 3), dofs=dofs, mass=1.0))
    lo, hi = np.sort(rng.uniform(-2, 2, 2))
    joints.append(Joint("knee", 0, offset=(1, 0, 0), dofs=(Dof("hinge", (1, 0, 0), lo, hi),), mass=1.0))
    joints.append(Joint("rod", 0, offset=(1, 0, 0), dofs=(Dof("slide", (0, 1, 0), lo, hi),), mass=1.0))
    return Skeleton("random", joints)


def random_sequence(rng: np.random.Generator, keys: int = 6) -> Sequence:
    skeleton = random_figure(rng)
    sequence = Sequence(skeleton, fps=float(rng.choice([24, 25, 29.97, 30, 60])))
    lo, hi = skeleton.limits.T
    frames = np.cumsum(rng.integers(1, 30, keys)) - 1
    for frame in frames:
        # Often at a limit exactly: there an arc leaves at once.
        inside = np.clip(lo + (hi - lo) * rng.uniform(-0.2, 1.2, len(lo)), lo, hi)
        q = np.r_[rng.normal(size=3), inside]
        sequence.set_key(int(frame), q, str(rng.choice(["linear", "spline", "auto"])), turns=bool(rng.random() < 0.2))
    return sequence


def check_limits_and_keys(seed: int) -> None:
    sequence = random_sequence(np.random.default_rng(seed))
    lo, hi = sequence.skeleton.limits.T
    frames = np.array(sequence.keys.frames)
    poses = sequence.poses_at_frames(np.linspace(-1, frames[-1] + 1, 700))
    assert np.isfinite(poses).all()
    assert np.all(poses[:, 3:] >= lo) and np.all(poses[:, 3:] <= hi)
    assert np.array_equal(sequence.poses(frames / sequence.fps), [key.q for key in sequence.keys])


@settings(max_examples=examples(60), **SETTINGS)
@given(SEEDS)
def test_keys_inside_the_limits_never_give_a_pose_outside(seed):
    check_limits_and_keys(seed)


@pytest.mark.verify
@settings(max_examples=2000, **SETTINGS)
@given(SEEDS)
def test_keys_inside_the_limits_never_give_a_pose_outside_full(seed):
    check_limits_and_keys(seed)


@pytest.mark.verify
@settings(max_examples=examples(60), **SETTINGS)
@given(SEEDS)
def test_what_is_seen_moves_without_a_jump(seed):
    """The rotation of each compound, whatever branch its angles are on: a step shrinks with the time step."""
    sequence = random_sequence(np.random.default_rng(seed))
    joints = CompoundJoints(sequence.skeleton)
    assert len(joints) == 3
    frames = sequence.keys.frames

    def biggest(around: float, width: float) -> tuple[float, float]:
        asked = np.linspace(around - width, around + width, 401)
        rotations = joints.rotations(sequence.poses_at_frames(asked)[:, joints.columns])
        steps = quat.angle_between(rotations[1:], rotations[:-1]).max(axis=1)
        return float(steps.max()), float(asked[steps.argmax()])

    middle, width = frames[-1] / 2, frames[-1] / 2 + 1.0
    for _ in range(4):
        step, middle = biggest(middle, width)
        width /= 40.0
    assert step < 0.02


@pytest.mark.verify
@settings(max_examples=examples(40), **SETTINGS)
@given(SEEDS)
def test_moving_all_keys_moves_the_motion(seed):
    rng = np.random.default_rng(seed)
    sequence = random_sequence(rng)
    asked = np.linspace(0, sequence.keys.frames[-1], 50)
    before = sequence.poses_at_frames(asked)
    by = int(rng.integers(1, 64)) * 2
    sequence.slide(0, sequence.keys.frames[-1], by)
    assert np.allclose(sequence.poses_at_frames(asked + by), before, atol=1e-6)


@settings(max_examples=examples(40), **SETTINGS)
@given(SEEDS)
def test_deleting_and_pasting_back_restores_the_keys(seed):
    rng = np.random.default_rng(seed)
    sequence = random_sequence(rng)
    keys = sequence.keys
    first, last = np.sort(rng.integers(0, sequence.keys.frames[-1] + 1, 2)).tolist()
    clip = sequence.copy(first, last)
    sequence.delete([frame for frame in sequence.keys.frames if first <= frame <= last])
    sequence.insert(first, clip)
    assert sequence.keys == keys
