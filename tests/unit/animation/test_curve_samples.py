"""Samples for curves: slopes, speeds and angles against closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core.animation import Key, Sequence, Shape
from core.animation.curves.samples import channel_slopes, channel_speeds, channel_values, turned_from_key
from core.animation.curves.timing_curves import TimingCurve
from core.skeleton import Dof, Joint, Skeleton

X, Y, Z = np.eye(3)
FREE = (-np.inf, np.inf)


def figure() -> Skeleton:
    ball = tuple(Dof("hinge", axis, *FREE) for axis in (X, Y, Z))
    knee = (Dof("hinge", X, *FREE),)
    return Skeleton(
        "f", [Joint("root", -1, mass=1.0), Joint("ball", 0, offset=(0, 1, 0), dofs=ball), Joint("knee", 1, dofs=knee)]
    )


def moving(frames, poses, fps=25, **shape) -> Sequence:
    keys = [Key(f, q, shape=Shape(**shape)) for f, q in zip(frames, poses, strict=True)]
    return Sequence(figure(), fps=fps, keys=keys)


def test_speeds_of_steady_motions():
    q = np.array([0.3, 0.4, 0.0, 0.5, 0, 0, 0.7])
    s = moving([0, 10], [0 * q, q], interp="linear")
    for channel, speed in (("", 0.5), ("ball", 0.5), ("knee", 0.7)):
        assert np.allclose(channel_speeds(s, channel, np.linspace(0, 9.9, 7)), speed * 2.5, atol=1e-8)
        assert np.allclose(channel_speeds(s, channel, [10, 20]), 0)
    s.timing.curves = {"*": TimingCurve(((0, 0), (2, 1), (10, 10)))}
    assert channel_speeds(s, "knee", [3.0])[0] == pytest.approx(0.7 * 2.5 * s.timing.curves["*"].paces(3.0), rel=1e-5)


def test_slopes_on_both_sides_of_a_corner_and_a_step():
    s = Sequence(figure())
    for frame, value, interp in ((0, 0.0, "linear"), (10, 1.0, "linear"), (15, -1.0, "stepped"), (20, 0.5, "linear")):
        s.set_key(frame, np.r_[value, np.zeros(5), 2 * value], interp)
    for channel, size in (("", 1.0), ("knee", 2.0)):
        coming, leaving = channel_slopes(s, channel, [0, 10, 15, 20])
        assert np.allclose(coming[:, 0], np.array([0, 0.1, -0.4, 0]) * size, atol=1e-9)
        assert np.allclose(leaving[:, 0], np.array([0.1, -0.4, 0, 0]) * size, atol=1e-9)


def test_slopes_are_those_that_a_free_key_has():
    own = {
        "knee": Shape("free", slopes_in=(0.25,), slopes_out=(-0.5,)),
        "ball": Shape("free", slopes_out=(0.1, -0.2, 0.05)),
    }
    keys = [Key(0, np.zeros(7)), Key(8, np.full(7, 0.3), shapes=own), Key(20, np.zeros(7))]
    s = Sequence(figure(), keys=keys)
    coming, leaving = channel_slopes(s, "knee", [8])
    assert np.allclose([coming, leaving], [[[0.25]], [[-0.5]]], atol=1e-6)
    assert np.allclose(channel_slopes(s, "ball", [8]).leaving, [[0.1, -0.2, 0.05]], atol=1e-5)


def test_angles_go_on_without_flips_and_stay_the_same_rotation(skeletons_folder: Path):
    rng = np.random.default_rng(4)
    flips = 0
    for _ in range(10):
        q = np.zeros((6, 7))
        q[:, 3:6] = rng.uniform(-3, 3, (6, 3))
        s = moving(range(0, 60, 10), q)
        frames = np.linspace(0, 50, 2001)
        raw, smooth = channel_values(s, "ball", frames, continuous=False), channel_values(s, "ball", frames)
        assert np.array_equal(raw[::400], q[:, 3:6])
        a, b = (Rotation.from_euler("XYZ", v) for v in (raw, smooth))
        assert (a.inv() * b).magnitude().max() < 1e-6
        # A step is never larger than that of any other triple for the same rotation.
        flips += np.abs(np.diff(raw, axis=0)).max() > 2.0
        other = np.stack([smooth[1:, 0] + np.pi, np.pi - smooth[1:, 1], smooth[1:, 2] + np.pi], axis=-1)
        away = other - smooth[:-1]
        away -= 2 * np.pi * np.rint(away / (2 * np.pi))
        assert ((np.diff(smooth, axis=0) ** 2).sum(-1) <= (away**2).sum(-1) + 1e-9).all()
        assert (np.abs(np.diff(smooth, axis=0)) <= np.pi + 1e-9).all()
    assert flips >= 3, "without flips in the poses this test shows nothing"


def test_the_way_from_the_key_before():
    q = np.zeros((3, 7))
    q[1, 3:6], q[2, 3:6] = (0.0, 4 * np.pi, 0.0), (1.0, 4 * np.pi, 0.0)
    s = moving([0, 10, 20], q, interp="linear")
    vectors, angles = turned_from_key(s, "ball", np.linspace(0, 9.99, 300))
    assert np.allclose(vectors[:, 1], np.linspace(0, 0.999 * 4 * np.pi, 300), atol=1e-6)
    assert np.allclose(angles, np.abs(vectors[:, 1]))
    assert np.allclose(turned_from_key(s, "ball", [10.0, 15.0, 20.0]).angles, [0, 0.5, 0], atol=1e-6)
    assert np.allclose(turned_from_key(s, "knee", [3.0, 14.0]).angles, 0)
