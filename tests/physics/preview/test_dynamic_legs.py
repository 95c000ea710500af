"""Legs and pelvis moved by forces for frames 40 to 70, feet locked: what is promised of that, measured."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.animation.hybrid_strips import HybridStrip
from core.animation.locks.strip import LockStrip
from core.constraints import Lock, bind
from core.formats import bundled_folder, load
from core.kinematics import forward_kinematics
from core.preview.preview import Preview
from core.preview.sample import KEYED, Sample
from core.skeleton import load_skeleton
from core.spatial import so3

LEGS = ("pelvis", "right thigh", "right shank", "right foot", "right toes",
        "left thigh", "left shank", "left foot", "left toes")  # fmt: skip
FIRST, LAST, EASE = 40, 70, 12


def bundled(name: str) -> Sequence:
    (path,) = bundled_folder().glob(f"library/*/{name}.seq")
    return load(path).sequences[0]


def strolling() -> Sequence:
    """Return the bundled stroll, each foot locked where it stands."""
    sequence = bundled("stroll")
    figure, frames = sequence.skeleton, np.arange(FIRST - 2, LAST + 3)
    X = forward_kinematics(figure, sequence.interpolated_at_frames(frames))
    for foot in ("right foot", "left foot"):
        place = X[:, figure.joint_index(foot), :3, 3]
        stands = np.linalg.norm(np.gradient(place, axis=0), axis=1) * sequence.fps < 0.35
        edges = np.flatnonzero(np.diff(np.concatenate([[0], stands.astype(int), [0]])))
        for start, stop in edges.reshape(-1, 2):
            if stop - start > 3:
                middle = sequence.interpolated_at_frames([frames[(start + stop - 1) // 2]])[0]
                lock = bind(Lock(foot, "pose"), figure, middle)
                strip = LockStrip(lock, int(frames[start]), int(frames[stop - 1]), ease_in=3, ease_out=3)
                sequence.locks.strips = (*sequence.locks.strips, strip)
    assert len(sequence.locks.strips) >= 2
    return sequence


def stickman() -> Sequence:
    """Return the stick figure that shifts its weight and swings its arms, its feet locked."""
    figure = load_skeleton(bundled_folder() / "stickman.scr")
    rest, rng = figure.rest_pose(), np.random.default_rng(4)
    limits = figure.limits
    sequence = Sequence(figure)
    for frame in range(0, 91, 15):
        q = rest + np.concatenate([[0.03 * np.sin(frame), -0.02, 0.0], rng.normal(0.0, 0.15, figure.n_dofs)])
        q[3:] = np.clip(q[3:], limits[:, 0] + 0.05, limits[:, 1] - 0.05)
        sequence.set_key(frame, q, "spline")  # under limited tangents this one's locks leap beside the seam
    feet = [bind(Lock(foot, "pose"), figure, rest) for foot in ("left foot", "right foot")]
    sequence.locks.strips = [LockStrip(lock, 0) for lock in feet]
    return sequence


def run(sequence: Sequence, mode: str = "dynamic", **values) -> list[Sample]:
    parts = tuple(name for name in (*LEGS, "right leg", "left leg") if name in sequence.skeleton.joint_names)
    sequence.hybrid_strips = [HybridStrip(parts, FIRST, LAST, mode, ease_out=EASE, **values)]
    return Preview(sequence, FIRST - 2).run(LAST + 2)


def turning(sequence: Sequence, samples: list[Sample]) -> np.ndarray:
    """Return the angular velocity of each joint against its parent between samples, shape (m - 1, n, 3), [rad/s]."""
    R = forward_kinematics(sequence.skeleton, np.array([sample.q for sample in samples]))[:, :, :3, :3]
    parents = [joint.parent for joint in sequence.skeleton.joints]
    above = np.stack([R[:, p] if p >= 0 else np.broadcast_to(np.eye(3), R[:, 0].shape) for p in parents], axis=1)
    own = np.swapaxes(above, -1, -2) @ R
    return so3.log(np.swapaxes(own[:-1], -1, -2) @ own[1:]) / (samples[1].time - samples[0].time)


def check(sequence: Sequence, samples: list[Sample]) -> None:
    figure = sequence.skeleton
    keyed = np.array([sequence.pose_at_frame(sample.frame) for sample in samples])
    poses = np.array([sample.q for sample in samples])
    values = np.concatenate([np.zeros(3, dtype=int), figure.dof_joints])
    by_keys = np.array([sample.dynamic == KEYED for sample in samples])[:, values]
    assert np.abs(poses - keyed)[by_keys].max() < 1e-12
    assert np.abs(poses - keyed).max() > 0.3
    acting = [residual for sample in samples for residual in sample.lock_residuals if residual.acts]
    assert acting and max(residual.position for residual in acting) <= 5e-3
    assert max(sample.kkt for sample in samples) <= 1e-8
    at = {sample.frame: place for place, sample in enumerate(samples)}
    np.testing.assert_allclose(poses[at[LAST]], keyed[at[LAST]], atol=1e-12)
    w = turning(sequence, samples)
    root = np.diff(poses[:, :3], axis=0)[:, None] / (samples[1].time - samples[0].time)
    for rates in (w, root):
        peak = np.linalg.norm(rates[at[FIRST] : at[LAST]], axis=-1).max()
        for frame in (FIRST, LAST):
            # Half a sample to the seam from both sides. What bends most right beside it is not the seam's.
            k = at[frame]
            before, after = 1.5 * rates[k - 1] - 0.5 * rates[k - 2], 1.5 * rates[k] - 0.5 * rates[k + 1]
            jump = np.minimum(np.linalg.norm(before - after, axis=-1), np.linalg.norm(rates[k] - rates[k - 1], axis=-1))
            assert jump.max() <= 0.05 * peak, (frame, figure.joint_names[int(jump.argmax())], jump.max(), peak)


def test_the_man_who_sits_down():
    sequence = bundled("sit")
    check(sequence, run(sequence))


@pytest.mark.verify
def test_the_stick_figure():
    sequence = stickman()
    check(sequence, run(sequence))


@pytest.mark.verify
def test_the_stroll(monkeypatch):
    # At frame 40 the right heel comes down: a blow, which is no fault of the seam. In the middle of the swing is none.
    monkeypatch.setattr(sys.modules[__name__], "FIRST", 38)
    sequence = strolling()
    check(sequence, run(sequence))


@pytest.mark.verify
@pytest.mark.parametrize("mode", ["dynamic", "motor"])
def test_locks_at_rest(mode):
    sequence = bundled("sit")
    sequence.set_keys([Key(0, sequence.pose_at_frame(30))])
    sequence.hybrid_strips = [HybridStrip((), 0, None, mode, gain=2.0)]
    preview = Preview(sequence, 0)
    last = preview.run(300)[-1]
    assert max(residual.position for sample in preview.samples for residual in sample.lock_residuals) <= 5e-3
    assert np.abs(last.rates).max() < 0.02  # motors swing out slowly, a body that lies does not
    assert max(residual.position for residual in last.lock_residuals) <= 1e-6


@pytest.mark.verify
@pytest.mark.parametrize("mode", ["dynamic", "motor"])
@pytest.mark.parametrize("path", sorted(bundled_folder().glob("library/*/*.seq")), ids=lambda path: path.stem)
def test_every_bundled_motion_is_given_back_to_its_keys(path, mode):
    sequence = load(path).sequences[0]
    first, last = sequence.range
    length = last - first
    start, end = first + length // 4, first + 3 * length // 4
    sequence.hybrid_strips = [HybridStrip((), start, end, mode, ease_out=min(12, length // 4))]
    preview = Preview(sequence, start)
    samples = preview.run(end)
    assert preview.finished and all(np.isfinite(sample.q).all() for sample in samples)
    assert max(sample.kkt for sample in samples) <= 1e-8
    np.testing.assert_allclose(samples[-1].q, sequence.pose_at_frame(end), atol=1e-12)
    w = np.linalg.norm(turning(sequence, samples), axis=-1)
    keyed = Preview(sequence, end - 1, strips=[HybridStrip((sequence.skeleton.joints[-1].name,), end + 9)]).run(end)
    own = np.linalg.norm(turning(sequence, keyed), axis=-1)[-1]
    assert (w[-1] - own).max() <= max(0.1 * w.max(), 3.0)  # the last sample before the key is nearly there
