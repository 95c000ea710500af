"""Timing beside the path, and the root and targets of locks that travel by length."""

from __future__ import annotations

import numpy as np
import pytest

from core.animation import Key, LockStrip, Sequence, Shape, TargetKey
from core.animation.curves.pacing import root_travel, shown_frames
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.shape import EASES
from core.constraints.lock import Lock
from core.skeleton import Dof, Joint, Skeleton

FREE = (-np.inf, np.inf)


def figure() -> Skeleton:
    ball = tuple(Dof("hinge", axis, *FREE) for axis in np.eye(3))
    knee = (Dof("hinge", (1, 0, 0), *FREE),)
    return Skeleton(
        "f", [Joint("root", -1, mass=1.0), Joint("ball", 0, offset=(0, 1, 0), dofs=ball), Joint("knee", 1, dofs=knee)]
    )


def walk(seed: int, shapes: tuple[Shape, ...] = (Shape(),), n: int = 9) -> Sequence:
    rng = np.random.default_rng(seed)
    s = Sequence(figure())
    frames = np.cumsum(rng.integers(2, 20, n)) - 2
    q = rng.normal(scale=0.7, size=(n, 7))
    keys = [Key(f, q[i], shape=shapes[i % len(shapes)]) for i, f in enumerate(frames)]
    s.set_keys(keys)
    return s


TIMING = TimingCurve(((5, 5), (20, 30), (40, 45), (60, 60)))


def test_a_timing_curve_shows_another_moment_of_the_same_path():
    s, plain = walk(1), walk(1)
    frames = np.linspace(0, 70, 141)
    s.timing.curves = {"*": TIMING}
    assert np.array_equal(s.poses_at_frames(frames), plain.poses_at_frames(TIMING.at(frames)))
    own = TimingCurve(((0, 0), (10, 22), (50, 50)))
    s.timing.curves = {"*": TIMING, "ball": own, "": own}
    q, whole = s.poses_at_frames(frames), plain.poses_at_frames(TIMING.at(frames))
    mixed = plain.poses_at_frames(own.at(TIMING.at(frames)))
    assert np.array_equal(q[:, :6], mixed[:, :6]) and np.array_equal(q[:, 6:], whole[:, 6:])
    keys = np.array(s.keys.frames, dtype=float)
    assert np.allclose(own.at(TIMING.at(shown_frames(keys, s.timing.curves, "ball"))), keys, atol=1e-9)
    s.timing.curves = {}
    assert np.array_equal(s.poses_at_frames(frames), plain.poses_at_frames(frames))


SMOOTH = (Shape("spline"),)
MIXED = (
    Shape(),
    Shape("linear"),
    Shape("centripetal"),
    Shape("catmull_rom"),
    Shape("kochanek_bartels", continuity=-0.7),
    Shape("spline"),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shapes", [SMOOTH, MIXED])
def test_at_constant_speed_equal_times_give_equal_distances(seed, shapes):
    s = walk(seed, shapes)
    keys = list(s.keys)
    keys[4] = keys[4].changed(q=np.r_[keys[3].q[:3], keys[4].q[3:]])  # stands still for a while
    if shapes is MIXED:
        keys[6] = keys[6].changed(
            q=np.r_[keys[5].q[:3] - (keys[7].q[:3] - keys[5].q[:3]), keys[6].q[3:]]
        )  # back and forth
    s.set_keys(keys)
    first, last = s.keys.frames[0] + 1.5, s.keys.frames[-1] - 2.25
    plain = Sequence(s.skeleton, keys=keys)
    s.timing.root_speed = SpeedCurve(((first, 1.0), (last, 1.0)))
    travel, n, fine = root_travel(s.tracks, s.timing.root_speed), 10, 4000
    p = travel.places(np.linspace(0, 1, n * fine + 1))
    steps = np.linalg.norm(np.diff(p, axis=0), axis=1).reshape(n, fine).sum(axis=1)
    # A chord cuts a corner short by a part of its own length; there is none on a spline.
    assert np.abs(steps - travel.total / n).max() < (1e-6 if shapes is SMOOTH else 3 / (n * fine)) * travel.total
    inside = np.linspace(first, last, 50)[1:-1]
    assert np.array_equal(s.poses_at_frames(inside)[:, :3], travel.places(s.timing.root_speed.fraction(inside)))
    # The same path, and all else as it was; outside the curve the root too.
    frames = np.linspace(0, s.keys.frames[-1] + 5, 300)
    assert np.array_equal(s.poses_at_frames(frames)[:, 3:], plain.poses_at_frames(frames)[:, 3:])
    outside = frames[(frames <= first) | (frames >= last)]
    assert np.array_equal(s.poses_at_frames(outside), plain.poses_at_frames(outside))
    fine = plain.poses_at_frames(np.linspace(first, last, 4001))[:, :3]
    for p in s.poses_at_frames(np.linspace(first, last, 23))[:, :3]:
        assert np.linalg.norm(fine - p, axis=1).min() < 0.02


def test_a_sketched_speed_is_the_roots_speed():
    s = walk(2)
    first, last = float(s.keys.frames[0]), float(s.keys.frames[-1])
    curve = SpeedCurve(((first, 0.0), ((first + last) / 2, 2.0), (last, 0.5)))
    s.timing.root_speed = curve
    total = root_travel(s.tracks, curve).total
    e = 1e-4
    for frame in np.linspace(first + 1, last - 1, 30):
        p = s.poses_at_frames([frame - e, frame + e])[:, :3]
        share = np.diff(curve.fraction(np.array([frame - e, frame + e])))[0]
        assert np.linalg.norm(p[1] - p[0]) == pytest.approx(share * total, rel=1e-4)
    assert np.allclose(s.pose_at_frame(last), s.keys[-1].q) and np.allclose(s.pose_at_frame(first), s.keys[0].q)


def test_steps_have_no_length_and_a_root_that_stands_stays():
    keys = [
        Key(0, np.zeros(7)),
        Key(10, np.r_[1.0, np.zeros(6)], "stepped"),
        Key(20, np.r_[3.0, np.zeros(6)], "linear"),
        Key(30, np.r_[4.0, np.zeros(6)]),
    ]
    keys[0] = keys[0].changed(interp="linear")
    s = Sequence(figure(), keys=keys)
    s.timing.root_speed = SpeedCurve(((0, 1), (30, 1)))
    assert np.allclose(
        s.poses_at_frames([0, 7.5, 14.9, 15.1, 22.5, 30])[:, 0], [0, 0.5, 14.9 / 15, 3 + 0.1 / 15, 3.5, 4]
    )
    still = Sequence(figure(), keys=[Key(f, np.full(7, 0.5)) for f in (0, 10, 30)])
    still.timing.root_speed = SpeedCurve(((0, 1), (30, 1)))
    assert np.allclose(still.poses_at_frames([0, 3, 15, 30]), 0.5, atol=1e-15)


def test_the_root_travels_its_own_row_of_keys_and_edits_are_heard_of():
    rng = np.random.default_rng(9)
    s = Sequence(figure())
    for frame in range(0, 60, 5):
        s.set_key(frame, rng.normal(size=7), keyed=None if frame % 20 == 0 else ["ball", "knee"])
    s.timing.root_speed = SpeedCurve(((0, 1), (55, 3)))
    alone = Sequence(figure(), keys=[Key(f, s.keys.at(f).q) for f in (0, 20, 40)])
    alone.timing.root_speed = s.timing.root_speed
    frames = np.linspace(0, 60, 91)
    assert np.allclose(s.poses_at_frames(frames)[:, :3], alone.poses_at_frames(frames)[:, :3], atol=1e-12)
    for t in (s, alone):
        t.set_key(20, np.r_[9.0, 9.0, 9.0, t.keys.at(20).q[3:]], keyed=[""])
    assert np.allclose(s.poses_at_frames(frames)[:, :3], alone.poses_at_frames(frames)[:, :3], atol=1e-12)


@pytest.mark.parametrize("interp", ["spline", "linear", "catmull_rom", "centripetal"])
def test_targets_travel_their_path_at_the_curves_speed(interp):
    rng = np.random.default_rng(3)
    places = rng.normal(size=(5, 3))
    targets = tuple(TargetKey(f, p, interp) for f, p in zip((0, 4, 20, 25, 60), places, strict=True))
    lock = Lock("knee", "position", target=places[0])
    plain, paced = (LockStrip(lock, 0, 60, targets=targets, speed=v) for v in (None, SpeedCurve(((2, 1.0), (50, 1.0)))))
    steps = []
    for i in range(8):
        at = np.linspace(2 + 6 * i, 8 + 6 * i, 40)
        p = np.array([paced.target_at(f) for f in at])
        steps.append(np.linalg.norm(np.diff(p, axis=0), axis=1).sum())
    assert np.ptp(steps) < 5e-3 * np.sum(steps)
    for frame in (0, 1.5, 2, 50, 55.5, 60):
        assert np.array_equal(plain.target_at(frame), paced.target_at(frame))
    assert np.array_equal(paced.lock_at(13.0).target, paced.target_at(13.0))


def test_targets_step_and_follow_the_same_splines_as_poses():
    rng = np.random.default_rng(4)
    frames, places = (0, 3, 10, 30), rng.normal(size=(4, 3))
    lock = Lock("knee", "position", target=places[0])
    for interp in ("spline", "catmull_rom", "centripetal", "stepped"):
        strip = LockStrip(
            lock, 0, 30, targets=tuple(TargetKey(f, p, interp) for f, p in zip(frames, places, strict=True))
        )
        s = Sequence(
            figure(), keys=[Key(f, np.r_[p, np.zeros(4)], interp) for f, p in zip(frames, places, strict=True)]
        )
        for at in np.linspace(0, 30, 61):
            assert np.allclose(strip.target_at(at), s.pose_at_frame(at)[:3], atol=1e-12)


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("paced", ["", "timing", "speed", "both"])
@pytest.mark.parametrize("part", [False, True])
def test_places_of_the_root_alone_are_those_of_the_poses(loop, paced, part):
    s = walk(3, (*MIXED, Shape("auto", ease=EASES["both"])), n=12)
    keys = list(s.keys)
    keys[-1] = keys[-1].changed(q=np.r_[keys[-1].q[:3], keys[0].q[3:]])  # so that it closes
    if part:
        keys[5] = keys[5].changed(keyed=["ball"])
    s.set_keys(keys)
    s.loop = loop
    if paced in ("timing", "both"):
        s.timing.curves = {"*": TIMING, "": TimingCurve(((0, 0), (10, 22), (50, 50)))}
    if paced in ("speed", "both"):
        s.timing.root_speed = SpeedCurve(((8.0, 1.0), (40.0, 3.0)))
    frames = np.linspace(0, s.keys.frames[-1] + 3, 250)
    whole = Sequence(s.skeleton, keys=keys)
    assert np.array_equal(s.root_places(frames), s.poses_at_frames(frames)[:, :3])
    assert np.array_equal(whole.root_places(frames), whole.poses_at_frames(frames)[:, :3])
    s.locks.strips = [LockStrip(Lock("knee", "position", target=(0.2, 1.0, 0.1)), 10, 30)]
    assert np.array_equal(s.root_places(frames), s.poses_at_frames(frames)[:, :3])


def test_places_of_the_root_work_out_no_rotation(monkeypatch):
    """A recording of minutes is described by its path; the joints between its frames nobody asks for."""
    from core.animation.curves.compound_tracks import CompoundTracks

    s = walk(4, n=200)
    monkeypatch.setattr(CompoundTracks, "prepare", lambda *a, **k: pytest.fail("a compound was worked out"))
    assert np.isfinite(s.root_places(np.linspace(0, s.keys.frames[-1], 1001))).all()
    assert Sequence(s.skeleton).root_places([0.0, 1.0]).shape == (2, 3)
