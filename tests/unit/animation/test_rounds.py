"""Sequences that play round and round: no jerk where the last key meets the first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.formats import load
from core.skeleton import Skeleton, load_skeleton

STEP = 1e-6  # [frames]


@pytest.fixture(scope="module")
def human(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


def round_of(skeleton: Skeleton, seed: int, frames: tuple[int, ...] = (3, 9, 20, 26, 40), **extra: object) -> list[Key]:
    """Keys that end in the pose they begin with, a stride further."""
    rng = np.random.default_rng(seed)
    lo, hi = np.clip(skeleton.limits, -2.0, 2.0).T
    keys = [
        Key(frame, np.concatenate([rng.normal(size=3), rng.uniform(lo, hi)]), **extra)  # type: ignore[arg-type]
        for frame in frames
    ]
    last = keys[0].q.copy()
    last[:3] += (0.3, 0.1, 1.4)
    return [*keys[:-1], Key(frames[-1], last)]


def unrolled(skeleton: Skeleton, keys: list[Key], rounds: int) -> Sequence:
    """The same round one after the other, each where the last one ended."""
    drift, length = keys[-1].q[:3] - keys[0].q[:3], keys[-1].frame - keys[0].frame
    many = Sequence(skeleton)
    for turn in range(rounds):
        for key in keys[:-1] if turn < rounds - 1 else keys:
            q = key.q.copy()
            q[:3] += turn * drift
            many.set_key(key.frame + turn * length, q, key.interp, turns=key.turns)
    return many


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("extra", [{}, {"turns": True}])
def test_a_round_moves_as_between_two_others(human: Skeleton, seed: int, extra: dict[str, object]) -> None:
    keys = round_of(human, seed, **extra)
    once = Sequence(human, loop=True, keys=keys)
    frames = np.linspace(3.0, 40.0, 149)
    many = unrolled(human, keys, 3).poses_at_frames(frames + 37)
    many[:, :3] -= (0.3, 0.1, 1.4)
    assert once.poses_at_frames(frames) == pytest.approx(many, abs=1e-9)
    for key in keys:
        assert np.array_equal(once.pose_at_frame(key.frame), key.q)


def test_speed_is_the_same_on_both_sides_of_the_seam(human: Skeleton) -> None:
    def speeds(loop: bool) -> tuple[np.ndarray, np.ndarray]:
        s = Sequence(human, loop=loop, keys=round_of(human, 11))
        out = s.pose_at_frame(3 + STEP) - s.pose_at_frame(3)
        return out / STEP, (s.pose_at_frame(40) - s.pose_at_frame(40 - STEP)) / STEP

    after, before = speeds(loop=True)
    assert after == pytest.approx(before, abs=2e-4)
    after, before = speeds(loop=False)
    assert np.abs(after - before).max() > 0.05


def test_only_a_row_that_closes_is_a_round(human: Skeleton) -> None:
    keys = round_of(human, 5)
    frames = np.linspace(0.0, 45.0, 91)
    open_ended = Sequence(human, keys=keys).poses_at_frames(frames)
    other = keys[-1].q.copy()
    other[3 + human.first_dof[human.joint_index("head")]] += 1e-3
    for row in ([*keys[:-1], Key(40, other)], keys[:1], [keys[0], keys[-1]], []):
        plain, looped = Sequence(human, keys=row), Sequence(human, keys=row, loop=True)
        assert np.array_equal(plain.poses_at_frames(frames), looped.poses_at_frames(frames))
    s = Sequence(human, keys=keys)
    assert np.array_equal(s.poses_at_frames(frames), open_ended)
    s.loop = True
    assert not np.array_equal(s.poses_at_frames(frames), open_ended)
    s.loop = False
    assert np.array_equal(s.poses_at_frames(frames), open_ended)


def test_edits_far_from_the_seam_are_heard_of_there(human: Skeleton) -> None:
    frames = np.linspace(3.0, 40.0, 149)
    s = Sequence(human, loop=True, keys=round_of(human, 7))
    rng = np.random.default_rng(8)
    for frame in (26, 9, 20, 26):
        s.poses_at_frames(frames)
        q = s.keys.at(frame).q.copy()  # type: ignore[union-attr]
        q[:3] += rng.normal(size=3)
        s.set_key(frame, q)
        fresh = Sequence(human, loop=True, keys=s.keys)
        assert np.array_equal(s.poses_at_frames(frames), fresh.poses_at_frames(frames))


def test_a_round_stays_inside_the_limits(human: Skeleton) -> None:
    lo, hi = human.limits.T
    for seed in range(4):
        s = Sequence(human, loop=True, keys=round_of(human, seed))
        q = s.poses_at_frames(np.linspace(3.0, 40.0, 400))[:, 3:]
        assert (q >= lo).all() and (q <= hi).all()


def test_the_walk_closes(skeletons_folder: Path) -> None:
    walk = load(skeletons_folder / "library" / "Walks and runs" / "walk.seq").sequences[0]
    first, last = walk.range
    assert walk.loop
    after = (walk.pose_at_frame(first + STEP) - walk.pose_at_frame(first)) / STEP
    before = (walk.pose_at_frame(last) - walk.pose_at_frame(last - STEP)) / STEP
    assert after == pytest.approx(before, abs=1e-4)


def test_a_round_closes_only_as_a_whole(human: Skeleton) -> None:
    s = Sequence(human, loop=True, keys=round_of(human, 3))
    assert s.closes  # from frame 0 on, where the first key's pose is held, to the last
    s.range = (3, None)
    assert s.closes
    s.range = (3, 39)
    assert not s.closes
    s.range = (3, 3)
    assert not s.closes
    s.range, s.loop = (3, 40), False
    assert not s.closes


def test_values_too_large_to_subtract_are_held(human: Skeleton) -> None:
    s = Sequence(human, loop=True)
    for frame, value in ((0, 1.7e308), (10, -1.7e308), (20, 1.7e308)):
        q = human.rest_pose()
        q[[0, 3]] = value
        s.set_key(frame, q)
    assert np.isfinite(s.poses_at_frames(np.linspace(0, 20, 41))).all()
