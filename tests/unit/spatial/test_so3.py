"""Rotations against their definitions, finite differences and numbers made elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from core.spatial import so3

ANGLES = (0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-4, 9.9e-3, 1.01e-2, 0.5, 2.0, 3.0, np.pi - 1e-3, np.pi - 1e-6, np.pi - 1e-9)


def directions(count: int = 20) -> np.ndarray:
    rng = np.random.default_rng(1)
    v = np.vstack([np.eye(3), -np.eye(3), rng.normal(size=(count, 3))])
    return v / np.linalg.norm(v, axis=1, keepdims=True)


@pytest.mark.parametrize("angle", ANGLES)
def test_log_undoes_exp(angle: float) -> None:
    vectors = angle * directions()
    assert np.abs(so3.log(so3.exp(vectors)) - vectors).max() <= 4e-15 + 1e-15 * angle


@pytest.mark.parametrize("angle", ANGLES)
def test_log_keeps_small_angles_relatively(angle: float) -> None:
    vectors = angle * directions()
    if 0.0 < angle < 1.0:
        assert np.abs(so3.log(so3.exp(vectors)) - vectors).max() <= 1e-14 * angle + 1e-16 * angle


def test_log_at_exactly_pi() -> None:
    for axis in directions():
        rotation = 2.0 * np.outer(axis, axis) - np.eye(3)
        vector = so3.log(rotation)
        assert np.linalg.norm(vector) == pytest.approx(np.pi, abs=1e-12)
        assert np.abs(so3.exp(vector) - rotation).max() < 1e-14


def test_nearest_turns_go_on_beyond_whole_turns() -> None:
    for angle in (0.3, 2.0, 3.1, 4.0, 7.0, -11.0):
        long = angle * directions()
        assert np.abs(so3.nearest_turns(so3.log(so3.exp(long)), 1.02 * long) - long).max() < 1e-13
    still = np.zeros(3)
    assert np.array_equal(so3.nearest_turns(still, np.array([6.0, 0.0, 0.0])), still)


@pytest.mark.parametrize("angle", ANGLES)
def test_exp_is_orthonormal(angle: float) -> None:
    R = so3.exp(angle * directions())
    assert np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max() < 1e-14
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)


def test_one_value_is_the_same_alone_and_in_a_batch() -> None:
    vectors = np.vstack([angle * directions() for angle in (*ANGLES, np.pi, 7.0)])
    rotations = so3.exp(vectors)
    assert np.abs(np.stack([so3.exp(v) for v in vectors]) - rotations).max() < 1e-15
    rough = rotations[::7] + np.random.default_rng(3).normal(size=(len(rotations[::7]), 3, 3))  # no rotations at all
    odd = [np.zeros((3, 3)), -np.eye(3), *(np.diag(np.roll([1.0, -1.0, -1.0], k)) for k in range(3))]
    for many in (rotations, rough, np.array(odd)):
        assert np.abs(np.stack([so3.log(m) for m in many]) - so3.log(many)).max() < 1e-15
        assert np.abs(np.stack([so3.angle(m) for m in many]) - so3.angle(many)).max() < 1e-15
    assert np.isnan(so3.log(np.full((3, 3), np.nan))).all() and np.isnan(so3.angle(np.full((3, 3), np.nan)))


def test_hat_is_the_cross_product_and_vee_undoes_it() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 10, 3))
    assert np.allclose(np.einsum("nij,nj->ni", so3.hat(a), b), np.cross(a, b), atol=1e-15)
    assert np.array_equal(so3.vee(so3.hat(a)), a)


@pytest.mark.parametrize("angle", ANGLES)
def test_left_jacobian_against_central_differences(angle: float) -> None:
    h = 1e-6
    for direction in directions(4):
        r = angle * direction
        J = so3.left_jacobian(r)
        for k in range(3):
            d = np.zeros(3)
            d[k] = h
            rate = so3.log(so3.exp(r + d) @ so3.exp(r - d).T) / (2 * h)
            assert np.abs(J[:, k] - rate).max() < 1e-9


@pytest.mark.parametrize("angle", [*ANGLES, 4.0, 6.0])
def test_inverse_left_jacobian_is_the_inverse(angle: float) -> None:
    r = angle * directions()
    assert np.abs(so3.left_jacobian(r) @ so3.inverse_left_jacobian(r) - np.eye(3)).max() < 1e-12


def test_angle_between_is_exact_next_to_zero_and_pi() -> None:
    for angle in (1e-10, 1e-5, 1.0, np.pi - 1e-7):
        R = so3.axis_rotation(directions()[8], angle)
        S = so3.exp([0.3, -1.0, 0.4])
        assert so3.angle_between(S, S @ R) == pytest.approx(angle, rel=1e-5, abs=1e-15)


@pytest.mark.parametrize("order", ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"])
def test_euler_round_trip_with_gimbal_lock(order: str) -> None:
    rng = np.random.default_rng(3)
    angles = rng.uniform(-np.pi, np.pi, (200, 3))
    angles[:, 1] = rng.uniform(-np.pi / 2, np.pi / 2, 200)
    assert np.abs(so3.to_euler(order, so3.from_euler(order, angles)) - angles).max() < 1e-9
    for middle in (np.pi / 2, -np.pi / 2):
        R = so3.from_euler(order, [0.7, middle, -0.4])
        assert np.abs(so3.from_euler(order, so3.to_euler(order, R)) - R).max() < 1e-12


def test_against_reference_numbers(data_folder) -> None:  # type: ignore[no-untyped-def]
    golden = data_folder / "golden"
    euler = np.load(golden / "euler_zyx_to_rotmat.npz")
    assert np.abs(so3.from_euler("zyx", euler["euler"]) - euler["rotmat"]).max() < 1e-12
    vectors = np.load(golden / "rotmat_to_axisangle.npz")
    assert np.abs(so3.exp(so3.log(vectors["rotmat"])) - vectors["rotmat"]).max() < 1e-12
    away_from_pi = np.linalg.norm(vectors["rotvec"], axis=1) < np.pi - 1e-6
    assert np.abs(so3.log(vectors["rotmat"]) - vectors["rotvec"])[away_from_pi].max() < 1e-9
    geodesic = np.load(golden / "rotation_geodesic.npz")
    assert np.abs(so3.angle_between(geodesic["rotmat_a"], geodesic["rotmat_b"]) - geodesic["angle"]).max() < 1e-7
