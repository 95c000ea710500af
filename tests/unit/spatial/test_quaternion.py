"""Quaternions against scipy's rotations, and at the places where they are awkward."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from core.spatial import quaternion as quat

RNG = np.random.default_rng(20)
Q = quat.normalize(RNG.normal(size=(200, 4)))
P = quat.normalize(RNG.normal(size=(200, 4)))


def scipy(q):
    return Rotation.from_quat(np.roll(q, -1, axis=-1))


def same_rotation(a, b, tolerance=1e-12):
    return bool(np.all(quat.angle_between(a, b) < tolerance))


def test_product_rotation_and_matrix_agree_with_scipy():
    v = RNG.normal(size=(200, 3))
    assert same_rotation(quat.multiply(Q, P), np.roll((scipy(Q) * scipy(P)).as_quat(), 1, axis=-1))
    assert np.allclose(quat.rotate(Q, v), scipy(Q).apply(v), atol=1e-13)
    assert np.allclose(quat.to_matrix(Q), scipy(Q).as_matrix(), atol=1e-14)
    assert np.allclose(2 * quat.log(quat.shortest(quat.IDENTITY, Q)), scipy(Q).as_rotvec(), atol=1e-13)


def test_functions_broadcast_over_leading_axes():
    a, b = Q[:12].reshape(3, 4, 4), P[:4]
    assert np.array_equal(quat.multiply(a, b)[1, 2], quat.multiply(a[1, 2], b[2]))
    assert quat.slerp(a, b, np.linspace(0, 1, 12).reshape(3, 4)).shape == (3, 4, 4)
    assert quat.exp(np.zeros((2, 0, 3))).shape == (2, 0, 4)
    assert quat.from_axis_angle([0, 0, 1], np.zeros(5)).shape == (5, 4)


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-160, 1e-16, 1e-9, 1e-6, 0.5, np.pi - 1e-9, np.pi, np.pi + 1e-9, 6.0])
def test_axis_angle_matrix_and_log_return_at_every_angle(angle):
    axis = np.array([0.48, -0.6, 0.64])
    q = quat.from_axis_angle(axis, angle)
    assert np.allclose(q, quat.exp(axis * angle / 2), atol=1e-16)
    assert np.allclose(2 * quat.log(q), axis * angle, rtol=1e-9, atol=0.0)
    assert same_rotation(quat.from_matrix(quat.to_matrix(q)), q)


def test_log_of_minus_one_is_a_whole_turn():
    assert np.allclose(quat.exp(quat.log([-1.0, 0, 0, 0])), [-1, 0, 0, 0])
    assert np.array_equal(quat.log([[1.0, 0, 0, 0], [-1.0, 0, 0, 0]]), [[0, 0, 0], [np.pi, 0, 0]])


def test_from_matrix_picks_the_right_part_for_every_half_turn():
    for axis in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0], [0, -0.6, 0.8], [-1, 0, 0]):
        q = quat.from_axis_angle(axis, np.pi)
        assert same_rotation(quat.from_matrix(quat.to_matrix(q)), q, 1e-9)
    assert same_rotation(quat.from_matrix(quat.to_matrix(Q)), Q, 1e-9)
    assert np.all(quat.from_matrix(quat.to_matrix(Q))[:, 0] >= 0)


def test_normalize_survives_zero_and_extremes():
    assert np.array_equal(quat.normalize(np.zeros(4)), quat.IDENTITY)
    assert np.allclose(quat.normalize([3e-200, 0, 4e-200, 0]), [0.6, 0, 0.8, 0])
    assert np.allclose(quat.normalize([3e200, 0, 4e200, 0]), [0.6, 0, 0.8, 0])


def test_slerp_agrees_with_scipy():
    for a, b in zip(Q[:40], P[:40], strict=True):
        u = np.linspace(0, 1, 9)
        expected = np.roll(Slerp([0, 1], scipy(np.array([a, b])))(u).as_quat(), 1, axis=-1)
        assert same_rotation(quat.slerp(a, b, u), expected, 1e-9)


def test_slerp_of_equal_and_of_opposite_quaternions_stays_put():
    u = np.linspace(0, 1, 5)
    assert same_rotation(quat.slerp(Q[0], Q[0], u), Q[0])
    assert same_rotation(quat.slerp(Q[0], -Q[0], u), Q[0])
    near = quat.normalize(Q[0] + 1e-13 * Q[1])
    assert same_rotation(quat.slerp(Q[0], near, u), Q[0])


def test_half_a_turn_goes_the_way_its_quaternion_says():
    for sign in (1, -1):
        b = quat.from_axis_angle([0, sign, 0], np.pi)
        assert same_rotation(quat.slerp(quat.IDENTITY, b, 0.5), quat.from_axis_angle([0, sign, 0], np.pi / 2))


def test_squad_controls_are_shoemakes_for_even_spacing():
    before, a, b, after = quat.normalize(np.array([1.0, 0, 0, 0]) + 0.3 * RNG.normal(size=(4, 4)))
    tangents = quat.squad_tangent(before, a, b, 1.0, 1.0), quat.squad_tangent(a, b, after, 1.0, 1.0)
    s_a, s_b = quat.squad_controls(a, b, *tangents)
    shoemake = quat.multiply(a, quat.exp(-(quat.arc(a, b) + quat.arc(a, before)) / 4))
    assert same_rotation(s_a, shoemake)
    shoemake = quat.multiply(b, quat.exp(-(quat.arc(b, after) + quat.arc(b, a)) / 4))
    assert same_rotation(s_b, shoemake)


def spline(keys, times):
    """Return a function of time: squad through keys (on one side each) at uneven times."""
    keys = list(keys)
    for i in range(1, len(keys)):
        keys[i] = quat.shortest(keys[i - 1], keys[i])
    last = len(keys) - 1
    h = np.diff(times)

    def tangent(i):
        return quat.squad_tangent(
            keys[max(i - 1, 0)], keys[i], keys[min(i + 1, last)], h[i - 1] if i > 0 else 0.0, h[i] if i < last else 0.0
        )

    def at(t):
        i = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, last - 1))
        s = quat.squad_controls(keys[i], keys[i + 1], tangent(i) * h[i], tangent(i + 1) * h[i])
        return quat.squad(keys[i], keys[i + 1], *s, (t - times[i]) / h[i])

    return at


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_squad_is_smooth_in_time_at_uneven_keys(seed):
    rng = np.random.default_rng(seed)
    keys = list(quat.normalize(rng.normal(loc=(2.5, 0, 0, 0), size=(4, 4))))
    times = np.cumsum(rng.uniform(0.3, 3.0, size=4))
    at = spline(keys, times)
    step = 1e-6
    for i in (1, 2):
        here = at(times[i])
        assert same_rotation(here, keys[i])
        left = 2 * quat.arc(at(times[i] - step), here) / step
        right = 2 * quat.arc(here, at(times[i] + step)) / step
        assert np.allclose(left, right, atol=2e-4 * (1 + np.linalg.norm(left)))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.floats(-1, 1), min_size=8, max_size=8), st.floats(0, 1))
def test_slerp_and_squad_always_give_unit_quaternions(values, u):
    a, b = quat.normalize(values[:4]), quat.normalize(values[4:])
    b = quat.shortest(a, b)
    q = quat.squad(a, b, *quat.squad_controls(a, b, quat.log(b), -quat.log(a)), u)
    assert np.isclose(np.linalg.norm(q), 1.0, atol=1e-12)
    assert np.isclose(np.linalg.norm(quat.slerp(a, b, u)), 1.0, atol=1e-12)
    assert same_rotation(quat.squad(a, b, *quat.squad_controls(a, b, quat.log(b), quat.log(a)), 0.0), a, 1e-9)


def test_matrices_to_quaternions_made_elsewhere(data_folder):
    data = np.load(data_folder / "golden" / "rotmat_to_quat.npz")
    assert np.abs(quat.from_matrix(data["rotmat"]) - data["quat_wxyz"]).max() < 1e-14
    assert np.abs(quat.to_matrix(data["quat_wxyz"]) - data["rotmat"]).max() < 1e-14
