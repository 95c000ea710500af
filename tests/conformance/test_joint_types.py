"""What every joint type must do; a new one in ``JOINT_TYPES`` is tested when it has examples in ``EXAMPLES``."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from core.joints import JOINT_TYPES, JointModel
from core.joints.base import HINGE
from core.joints.contact import ContactJoint
from core.spatial import se3, so3
from tests.support.joint_examples import ALL, EXAMPLES, Array, difference, name, places, twist_between

every_joint = pytest.mark.parametrize("joint", ALL, ids=name)


def size(*arrays: Array) -> float:
    return max(1.0, *(float(np.abs(array).max(initial=0.0)) for array in arrays))


def rates(joint: JointModel) -> Array:
    return np.random.default_rng(joint.n + 7).normal(size=joint.n)


def test_every_type_has_examples_and_a_name_of_its_own() -> None:
    assert set(EXAMPLES) == set(JOINT_TYPES)
    names = [joint_type.type_name for joint_type in JOINT_TYPES]
    assert len(set(names)) == len(names) and all(word.isalnum() for text in names for word in text.split())
    assert all(type(joint) is joint_type for joint_type, joints in EXAMPLES.items() for joint in joints)


@every_joint
def test_coordinates_are_named(joint: JointModel) -> None:
    assert len(joint.coordinate_names) == len(joint.rotary) == joint.n
    assert len(set(joint.coordinate_names)) == joint.n and all(joint.coordinate_names)
    assert len(joint.units) == joint.n and set(joint.units) <= {"angle", "length", "number"}
    assert tuple(unit == "angle" for unit in joint.units) == joint.rotary


@pytest.mark.sampled(10)
@every_joint
def test_transform_is_a_rigid_motion(joint: JointModel) -> None:
    for q in places(joint):
        X = joint.transform(q)
        assert X.shape == (4, 4) and X[3].tolist() == [0.0, 0.0, 0.0, 1.0]
        R = X[:3, :3]
        assert np.abs(R.T @ R - np.eye(3)).max() < 4e-15 and np.linalg.det(R) > 0.0


@every_joint
def test_subspace_is_the_derivative_of_transform(joint: JointModel) -> None:
    for q in places(joint):
        S, back = joint.subspace(q), se3.inverse(joint.transform(q))
        assert S.shape == (6, joint.n)
        for k, unit in enumerate(np.eye(joint.n)):
            column = se3.unhat(back @ difference(lambda h, q=q, u=unit: joint.transform(q + h * u)))
            assert np.abs(S[:, k] - column).max() < 2e-11 * size(S, joint.transform(q))


@every_joint
def test_subspace_rate_is_the_derivative_of_subspace(joint: JointModel) -> None:
    v = rates(joint)
    for q in places(joint):
        rate = joint.subspace_rate(q, v)
        assert rate.shape == (6, joint.n)
        expected = difference(lambda h, q=q: joint.subspace(q + h * v))
        assert np.abs(rate - expected).max(initial=0.0) < 2e-11 * size(rate, joint.subspace(q), v)


@every_joint
def test_gradient_is_what_the_rate_is_made_of(joint: JointModel) -> None:
    v = rates(joint)
    for q in places(joint):
        gradient = joint.subspace_gradient(q)
        assert gradient.shape == (6, joint.n, joint.n)
        for k, unit in enumerate(np.eye(joint.n)):
            expected = difference(lambda h, q=q, u=unit: joint.subspace(q + h * u))
            assert np.abs(gradient[:, :, k] - expected).max() < 2e-11 * size(gradient, joint.subspace(q))
        rate = joint.subspace_rate(q, v)
        assert np.abs(gradient @ v - rate).max(initial=0.0) < 1e-13 * size(gradient)


@pytest.mark.sampled(5)
@every_joint
def test_coordinates_give_the_pose_back(joint: JointModel) -> None:
    for q in places(joint):
        X = joint.transform(q)
        if abs(np.linalg.norm(q) - np.pi) > 0.1:  # there the other way round is as near
            assert twist_between(joint.transform(joint.coordinates(X)), X) < 1e-9 * size(X)
        back = joint.coordinates(X, near=q)
        assert twist_between(joint.transform(back), X) < 1e-10 * size(X)
        singular = np.linalg.svd(joint.subspace(q), compute_uv=False)
        if joint.n and singular[-1] > 0.1 * singular[0]:
            assert np.abs(back - q).max() < 1e-8


@pytest.mark.sampled(5)
@every_joint
def test_coordinates_of_a_pose_out_of_reach_are_those_of_one_nearby(joint: JointModel) -> None:
    rng = np.random.default_rng(5)
    for q in places(joint)[:8:2]:
        X = joint.transform(q)
        off = 1e-3 * rng.normal(size=6)
        found = joint.coordinates(X @ se3.exp(off), near=q)
        assert found.shape == (joint.n,)
        assert twist_between(joint.transform(found), X) < 8e-3 * size(X)
        assert twist_between(joint.transform(found), X @ se3.exp(off)) < 8e-3 * size(X)


@pytest.mark.sampled(10)
@every_joint
def test_rechart_keeps_pose_and_twist_and_leaves_the_singularity(joint: JointModel) -> None:
    for q in places(joint):
        v = rates(joint)
        result = joint.rechart(q, v)
        if result is None:
            continue
        chart, new, speed = result
        assert twist_between(chart.transform(new), joint.transform(q)) < 2e-15 * size(q) * joint.n
        before, after = joint.subspace(q), chart.subspace(new)
        assert np.abs(after @ speed - before @ v).max() < 4e-15 * size(v, speed) * joint.n
        least = np.linalg.svd(after, compute_uv=False)[-1]
        if joint.n <= 6:  # with more coordinates than freedoms S has a null space in any chart
            assert least > np.linalg.svd(before, compute_uv=False)[-1]
        assert chart.rechart(new, speed) is None


def test_every_joint_that_can_turn_freely_has_charts() -> None:
    for joint in ALL:
        if sum(joint.rotary) >= 3 and not isinstance(joint, ContactJoint):  # these end before they are singular
            assert any(joint.rechart(q, q) is not None for q in places(joint)), joint


@every_joint
def test_steps_make_the_same_transform(joint: JointModel) -> None:
    if joint.steps is None:
        return
    assert len(joint.steps) == joint.n
    assert joint.rotary == tuple(step.kind == HINGE for step in joint.steps)
    for q in places(joint):
        X = np.eye(4)
        for step, value in zip(joint.steps, q, strict=True):
            R = so3.axis_rotation(step.axis, value) if step.kind == HINGE else None
            X = X @ se3.transform(R, (0.0, 0.0, 0.0) if step.kind == HINGE else value * np.array(step.axis))
        assert np.abs(X - joint.transform(q)).max() < 4e-15 * size(X)


@every_joint
def test_equal_parameters_make_equal_joints(joint: JointModel) -> None:
    q = places(joint)[-1]
    joint.transform(q)
    twin = pickle.loads(pickle.dumps(joint))
    assert twin == joint and hash(twin) == hash(joint)
    assert np.array_equal(twin.transform(q), joint.transform(q))
    assert sum(joint == other for other in ALL) == 1
    with pytest.raises(AttributeError):
        joint.n = 9  # type: ignore[misc]


@every_joint
def test_nobody_can_spoil_a_joint_through_what_it_returned(joint: JointModel) -> None:
    q, v = places(joint)[-1], rates(joint)
    calls = (joint.transform, joint.subspace, lambda q: joint.subspace_rate(q, v), joint.subspace_gradient)
    for call in calls:
        returned = call(q)
        before = returned.copy()
        if returned.flags.writeable:
            returned[...] = 9.0
        assert np.array_equal(call(q), before)


@every_joint
def test_a_list_is_as_good_as_an_array(joint: JointModel) -> None:
    q, v = places(joint)[-1], rates(joint)
    assert np.array_equal(joint.transform(q.tolist()), joint.transform(q))
    assert np.array_equal(joint.subspace(q.tolist()), joint.subspace(q))
    assert np.array_equal(joint.subspace_rate(q.tolist(), v.tolist()), joint.subspace_rate(q, v))


@pytest.mark.sampled(5)
@every_joint
def test_numbers_that_are_none_stay_so(joint: JointModel) -> None:
    """A motion that has run away shows as NaN, not as an error from deep inside."""
    for value in (np.nan, np.inf, -np.inf, 1e200):
        q = np.full(joint.n, value)
        with np.errstate(all="ignore"):
            X, S = joint.transform(q), joint.subspace(q)
            assert S.shape == joint.subspace_rate(q, q).shape == (6, joint.n)
            assert joint.n == 0 or value == 1e200 or not np.isfinite(X).all()
            joint.rechart(q, q)
            assert joint.coordinates(np.full((4, 4), value), q).shape == (joint.n,)
            assert joint.coordinates(np.eye(4), q).shape == (joint.n,)
