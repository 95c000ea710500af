"""Jacobians of the rotations and their rates: against definitions, differences and each other."""

from __future__ import annotations

import numpy as np
import pytest

from core.spatial import so3
from tests.support.joint_examples import difference

ANGLES = (0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-4, 9.9e-3, 1.01e-2, 0.5, 1.99, 2.01, 3.0, np.pi - 1e-9, np.pi, 4.0, 6.0)


def vectors(angle: float, count: int = 3) -> np.ndarray:
    v = np.random.default_rng(11).normal(size=(count, 3))
    return angle * v / np.linalg.norm(v, axis=1, keepdims=True)


@pytest.mark.parametrize("angle", ANGLES)
def test_jacobians_give_the_angular_velocity(angle: float) -> None:
    rate = np.array([0.3, -1.2, 0.7])
    for r in vectors(angle):
        R, R_rate = so3.exp(r), difference(lambda h, r=r: so3.exp(r + h * rate))
        assert np.abs(so3.right_jacobian(r) @ rate - so3.vee(R.T @ R_rate)).max() < 3e-12
        assert np.abs(so3.left_jacobian(r) @ rate - so3.vee(R_rate @ R.T)).max() < 3e-12


@pytest.mark.parametrize("angle", ANGLES)
def test_left_and_right_are_related(angle: float) -> None:
    r = vectors(angle)
    left, right = so3.left_jacobian(r), so3.right_jacobian(r)
    assert np.abs(right - np.swapaxes(left, -1, -2)).max() < 1e-15
    assert np.abs(so3.exp(r) @ right - left).max() < 2e-15
    assert np.abs(so3.inverse_right_jacobian(r) @ right - np.eye(3)).max() < 1e-13
    assert np.abs(so3.inverse_left_jacobian(r) @ left - np.eye(3)).max() < 1e-13


@pytest.mark.parametrize("angle", ANGLES)
def test_rates_are_derivatives(angle: float) -> None:
    rate = np.array([-0.4, 0.9, 1.3])
    for r in vectors(angle):
        left = difference(lambda h, r=r: so3.left_jacobian(r + h * rate))
        right = difference(lambda h, r=r: so3.right_jacobian(r + h * rate))
        assert np.abs(so3.left_jacobian_rate(r, rate) - left).max() < 3e-12
        assert np.abs(so3.right_jacobian_rate(r, rate) - right).max() < 3e-12


@pytest.mark.parametrize("angle", ANGLES)
def test_first_and_second_derivatives_of_batches(angle: float) -> None:
    r, (a, b) = vectors(angle), np.random.default_rng(2).normal(size=(2, 3))
    J, along_a, along_b, both = so3.jacobian_derivatives(r, a, b)
    assert np.abs(J - so3.left_jacobian(r)).max() < 1e-15
    for i, one in enumerate(r):
        assert np.abs(along_a[i] - so3.left_jacobian_rate(one, a)).max() < 2e-15
        assert np.abs(along_b[i] - so3.left_jacobian_rate(one, b)).max() < 2e-15
        expected = difference(lambda h, one=one: so3.left_jacobian_rate(one + h * b, a))
        assert np.abs(both[i] - expected).max() < 5e-12
    assert np.abs(both - so3.jacobian_derivatives(r, b, a)[3]).max() < 1e-15


def test_one_value_is_the_same_alone_and_in_a_batch() -> None:
    r = np.vstack([vectors(angle) for angle in ANGLES])
    rate = np.random.default_rng(5).normal(size=r.shape)
    for function in (so3.right_jacobian, so3.inverse_right_jacobian):
        assert np.abs(np.stack([function(one) for one in r]) - function(r)).max() < 1e-14
    for function in (so3.left_jacobian_rate, so3.right_jacobian_rate):
        alone = np.stack([function(one, d) for one, d in zip(r, rate, strict=True)])
        assert np.abs(alone - function(r, rate)).max() < 2e-15
    assert np.abs(np.array([so3.exp_rows(*one) for one in r.tolist()]) - so3.exp(r)).max() < 1e-15
