"""Ball joints: rotation vectors round and past a whole turn, Euler angles through gimbal lock."""

from __future__ import annotations

import numpy as np
import pytest

from core.joints import Composite, Free, FreeRotationFirst, JointModel, Spherical, SphericalEuler
from core.joints.spherical_euler import ORDERS, best_order, conditions
from core.spatial import se3, so3

X, Y, Z = np.eye(3)


def unit(seed: int) -> np.ndarray:
    v = np.random.default_rng(seed).normal(size=3)
    return v / np.linalg.norm(v)


# -- rotation vectors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [4.72, 5.0, 6.0, 6.2, 2 * np.pi - 1e-9, 2 * np.pi + 1e-9, 6.5, 7.8, 9.4, 13.0, 40.0])
def test_near_a_whole_turn_the_vector_is_replaced(angle: float) -> None:
    """The same rotation, the same angular velocity, and half a turn at most."""
    joint = Spherical()
    q, v = angle * unit(1), unit(2)
    result = joint.rechart(q, v)
    assert result is not None
    same, new, rate = result
    assert same is joint and np.linalg.norm(new) <= np.pi + 1e-15
    assert np.abs(so3.exp(new) - so3.exp(q)).max() < 1e-15 * angle
    before, after = so3.right_jacobian(q) @ v, so3.right_jacobian(new) @ rate
    assert np.abs(after - before).max() < 1e-15 * angle


def test_where_the_jacobian_has_no_inverse_the_velocity_still_goes_over() -> None:
    """At a whole turn exactly only the rate along the vector turns anything."""
    q = 2 * np.pi * np.array([2 / 3, 1 / 3, 2 / 3])
    v = np.array([0.3, -0.7, 1.1])
    _, new, rate = Spherical().rechart(q, v) or pytest.fail("not replaced")
    assert np.abs(new).max() < 1e-14
    assert np.abs(so3.right_jacobian(new) @ rate - so3.right_jacobian(q) @ v).max() < 1e-14


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1.0, np.pi, 4.7])
def test_elsewhere_it_stays(angle: float) -> None:
    assert Spherical().rechart(angle * unit(3), unit(4)) is None


@pytest.mark.parametrize("joint", [Spherical(), Free(), FreeRotationFirst(), Composite(Spherical())], ids=repr)
def test_early_it_is_replaced_from_half_a_turn_on(joint: JointModel) -> None:
    """Pose and twist stay, and what is replaced is not replaced again."""
    turned = slice(3, 6) if isinstance(joint, Free) else slice(0, 3)
    q, v = np.full(joint.n, 0.3), np.linspace(0.4, 1.1, joint.n)
    q[turned] = 3.1 * unit(7)
    assert joint.rechart(q, v, early=True) is None
    q[turned] = 3.2 * unit(7)
    assert joint.rechart(q, v) is None
    chart, new, rate = joint.rechart(q, v, early=True) or pytest.fail("not replaced")
    assert np.linalg.norm(new[turned]) == pytest.approx(2 * np.pi - 3.2)
    np.testing.assert_allclose(chart.transform(new), joint.transform(q), atol=1e-14)
    np.testing.assert_allclose(chart.subspace(new) @ rate, joint.subspace(q) @ v, atol=1e-13)
    assert chart.rechart(new, rate, early=True) is None


def test_a_steady_spin_goes_on_for_ever() -> None:
    """Twenty turns about a slanted axis in small steps: the same as the product of the steps."""
    joint, q = Spherical(), 0.1 * unit(5)
    omega, step = 9.0 * unit(6), 0.01
    R, changes = so3.exp(q), 0
    for _ in range(1400):
        R = R @ so3.exp(step * omega)
        q = joint.coordinates(se3.transform(R), near=q)
        changed = joint.rechart(q, np.linalg.solve(so3.right_jacobian(q), omega))
        if changed is not None:
            changes += 1
            q, v = changed[1:]
            assert np.abs(so3.right_jacobian(q) @ v - omega).max() < 1e-12
        assert np.linalg.norm(q) < 1.5 * np.pi + 0.2
    assert np.abs(so3.exp(q) - R).max() < 1e-12
    assert changes >= 15


@pytest.mark.parametrize(("joint", "first"), [(Free(), 3), (FreeRotationFirst(), 0)])
def test_free_joints_replace_the_rotation_alone(joint: JointModel, first: int) -> None:
    q, v = np.array([0.5, -2.0, 8.0, 0.5, -2.0, 8.0]), np.arange(1.0, 7.0)
    q[first : first + 3] = 5.5 * unit(7)
    _, new, rate = joint.rechart(q, v) or pytest.fail("not replaced")
    kept = [k for k in range(6) if not first <= k < first + 3]
    assert new[kept].tolist() == q[kept].tolist() and rate[kept].tolist() == v[kept].tolist()
    assert np.abs(joint.transform(new) - joint.transform(q)).max() < 1e-14
    assert np.abs(joint.subspace(new) @ rate - joint.subspace(q) @ v).max() < 2e-14


def test_the_branch_nearest_to_the_one_asked_for_is_taken() -> None:
    joint, axis = Spherical(), unit(8)
    for angle in (-5.0, -3.5, -1.0, 0.4, 3.0, 3.3, 5.9, 6.6, 12.0):
        q = angle * axis
        assert np.abs(joint.coordinates(joint.transform(q), near=q + 0.01) - q).max() < 1e-13
    assert np.abs(joint.coordinates(np.eye(4), near=6.3 * axis) - 2 * np.pi * axis).max() < 1e-15


def test_both_free_joints_reach_the_same_poses() -> None:
    pose = se3.exp(np.random.default_rng(9).normal(size=6))
    for joint in (Free(), FreeRotationFirst()):
        assert np.abs(joint.transform(joint.coordinates(pose)) - pose).max() < 1e-15
    assert Free().coordinates(pose)[:3].tolist() == pose[:3, 3].tolist()


# -- Euler angles ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
def test_angles_turn_about_the_axes_in_their_order(order: str) -> None:
    q = np.array([0.4, -1.1, 2.2])
    assert np.abs(SphericalEuler(order).transform(q)[:3, :3] - so3.from_euler(order, q)).max() < 1e-15
    assert SphericalEuler(order.lower()) == SphericalEuler(order)


def test_subspace_of_xzx_as_it_is_printed() -> None:
    """Sueda eqs. 2.34 and 2.35."""
    _, b, c = q = np.array([0.3, 0.8, -0.5])
    _, v2, v3 = v = np.array([1.0, -2.0, 0.7])
    c2, s2, c3, s3 = np.cos(b), np.sin(b), np.cos(c), np.sin(c)
    S = [[c2, 0, 1], [-c3 * s2, s3, 0], [s2 * s3, c3, 0]]
    rate = [[-s2 * v2, 0, 0], [s3 * s2 * v3 - c3 * c2 * v2, c3 * v3, 0], [c2 * s3 * v2 + s2 * c3 * v3, -s3 * v3, 0]]
    joint = SphericalEuler("XZX")
    assert np.abs(joint.subspace(q)[:3] - S).max() < 1e-15
    assert np.abs(joint.subspace_rate(q, v)[:3] - rate).max() < 1e-15


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-8, 1e-6, 1e-3, 0.3])
def test_near_gimbal_lock_another_order_takes_over(order: str, off: float) -> None:
    lock = 0.0 if order[0] == order[2] else np.pi / 2
    joint, q, v = SphericalEuler(order), np.array([0.7, lock + off, -1.9]), np.array([1.0, -0.4, 2.0])
    result = joint.rechart(q, v)
    assert result is not None
    chart, new, rate = result
    assert chart != joint and isinstance(chart, SphericalEuler)
    assert np.abs(chart.transform(new) - joint.transform(q)).max() < 2e-15
    omega = joint.subspace(q)[:3] @ v
    assert np.abs(chart.subspace(new)[:3] @ rate - omega).max() < 3e-15
    assert abs(np.linalg.det(chart.subspace(new)[:3])) > 0.9
    assert chart.rechart(new, rate) is None


@pytest.mark.parametrize("order", ORDERS)
def test_far_from_gimbal_lock_it_stays(order: str) -> None:
    free = np.pi / 2 if order[0] == order[2] else 0.0
    for off in (-1.0, 0.0, 1.0):
        assert SphericalEuler(order).rechart(np.array([3.0, free + off, 9.0]), np.ones(3)) is None


def test_condition_is_the_determinant_of_the_subspace() -> None:
    for rotation in so3.exp(2.0 * np.random.default_rng(12).normal(size=(20, 3))):
        found = conditions(rotation)
        for order, value in zip(ORDERS, found, strict=True):
            joint = SphericalEuler(order)
            S = joint.subspace(joint.coordinates(se3.transform(rotation)))[:3]
            assert value == pytest.approx(abs(np.linalg.det(S)), abs=1e-12)
        assert max(found) > 0.9 and conditions(rotation)[ORDERS.index(best_order(rotation))] == max(found)


def test_one_order_for_two_rotations_is_good_at_both() -> None:
    """Schemes that look back at an earlier step need one chart for both."""
    a, b = so3.from_euler("XYX", [0.3, 0.05, 0.2]), so3.from_euler("XYZ", [0.3, 1.5, 0.2])
    order = ORDERS.index(best_order(a, b))
    worst = [min(pair) for pair in zip(conditions(a), conditions(b), strict=True)]
    assert worst[order] == max(worst) > 0.5


@pytest.mark.parametrize("order", ORDERS)
def test_through_gimbal_lock_the_angles_follow_the_ones_before(order: str) -> None:
    """A path of angles through the lock, given as poses: the angles found stay on the pose and near the last ones."""
    lock = 0.0 if order[0] == order[2] else np.pi / 2
    joint = SphericalEuler(order)
    q = np.array([0.5, lock - 0.3, 0.2])
    for s in np.linspace(-0.3, 0.3, 61):
        pose = joint.transform(np.array([0.5, lock + s, 0.2]))
        found = joint.coordinates(pose, near=q)
        assert np.abs(joint.transform(found) - pose).max() < 2e-15
        assert np.abs(found - q).max() < 0.02
        q = found
