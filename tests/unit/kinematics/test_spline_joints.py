"""Coordinates of splines in kinematics: against the joint types themselves, finite differences, compiled and not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from core.constraints.places import rotations
from core.kinematics import forward_kinematics, point_jacobian
from core.kinematics.center_of_mass import center_of_mass, center_of_mass_jacobian
from core.skeleton.frames import frames_at
from core.skeleton.tree import KIND_GENERAL, pack
from tests.support.joint_type_figures import SPLINES, TYPES, arm_figure, motion, random_pose
from tests.support.kernels import MODES, kernels_in_use

POINT = (0.1, 0.2, 0.3)


@pytest.fixture(params=MODES)
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    with kernels_in_use(request.param):
        yield


def chain(s, q):
    frames = []
    for i, joint in enumerate(s.joints):
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = joint.rotation, joint.offset
        X = X @ motion(joint, q[3 + s.first_dof[i] : 3 + s.first_dof[i + 1]])
        X[:3, :3] = X[:3, :3] * joint.scale
        X[:3, 3] += q[:3] if joint.parent < 0 else 0.0
        frames.append(X if joint.parent < 0 else frames[joint.parent] @ X)
    return np.array(frames)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", TYPES)
def test_frames_are_those_of_the_joint_types(name, kernels):
    rng = np.random.default_rng(5)
    for options in ({}, {"scale": "scale 1 2 0.5", "above": "hinge y"}):
        s = arm_figure(name, **options)
        for spread in (1.5, 20.0, 0.0):
            # Past the limits too: the kernels go on where the types do.
            q = random_pose(s, rng, spread) + (rng.normal(size=s.nq) * 3.0 if spread > 10.0 else 0.0)
            F = forward_kinematics(s, np.array([q, 2.0 * q]))
            assert np.abs(F[0] - chain(s, q)).max() < 1e-12 * (1.0 + np.abs(F[0]).max())
            q[:3] = 0.0
            assert np.abs(frames_at(s, q[3:]) - chain(s, q)).max() < 1e-12 * (1.0 + np.abs(F[0]).max())


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", TYPES)
def test_jacobians_are_finite_differences(name, kernels):
    rng = np.random.default_rng(6)
    for options in ({}, {"scale": "scale 1 2 0.5", "above": "hinge y"}):
        s = arm_figure(name, **options)
        q, h = random_pose(s, rng), 1e-6
        J, C = point_jacobian(s, q, "hand", POINT), center_of_mass_jacobian(s, q)
        R = rotations(s, q)[-1]
        for k in range(s.nq):
            step = np.zeros(s.nq)
            step[k] = h
            ends = forward_kinematics(s, np.array([q + step, q - step]))[:, -1] @ [*POINT, 1.0]
            turn = (rotations(s, q + step)[-1] - rotations(s, q - step)[-1]) @ R.T / (2 * h)
            assert np.abs(J[:3, k] - (ends[0] - ends[1])[:3] / (2 * h)).max() < 1e-7
            assert np.abs(J[3:, k] - [turn[2, 1], turn[0, 2], turn[1, 0]]).max() < 1e-7
            moved = center_of_mass(s, np.array([q + step, q - step]))
            assert np.abs(C[:, k] - (moved[0] - moved[1]) / (2 * h)).max() < 1e-7


@pytest.mark.parametrize("name", SPLINES)
def test_coordinates_far_off_are_places_too(name, kernels):
    s = arm_figure(name)
    for value in (0.0, -1e-20, 1e9, -1e15, 1e300):
        q = np.zeros(s.nq)
        q[3] = value
        found = forward_kinematics(s, q)[1]
        expected = np.eye(4)
        expected[:3, :3], expected[:3, 3] = s.joints[1].rotation, s.joints[1].offset
        expected = expected @ s.joints[1].type.transform(q[3 : 3 + len(s.joints[1].dofs)])
        assert np.isfinite(found).all() and np.allclose(found, expected, rtol=1e-8, atol=1e-8)
        assert np.isfinite(point_jacobian(s, q, "hand")).all()


def test_size_and_units_do_not_depend_on_how_a_curve_is_cut():
    s = arm_figure("spline curve")
    tree = pack(s)
    assert tree.size > 1.0 and tree.kind[0] == KIND_GENERAL and tree.unit[1:].tolist() == [1.0] * (s.n_dofs - 1)
    # A unit of the coordinate moves the cart by some tenths of the figure's size.
    q = s.rest_pose()
    speed = np.linalg.norm(point_jacobian(s, q, "cart")[:3, 3]) * tree.unit[0] / tree.size
    assert 0.1 < speed < 2.0
