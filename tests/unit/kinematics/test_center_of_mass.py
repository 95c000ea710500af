"""The centre of mass against the definition, its Jacobian against central differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.errors import PoseError, SkeletonError
from core.kinematics import center_of_mass, center_of_mass_jacobian, forward_kinematics
from core.skeleton import Joint, Skeleton
from tests.support.bodies import random_body
from tests.support.figures import random_pose

H = 1e-6


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scaled", [False, True])
def test_against_definition_and_differences(seed: int, scaled: bool) -> None:
    s = random_body(seed, scaled=scaled)
    rng = np.random.default_rng(seed)
    q = random_pose(s, rng, 1.5)
    F = forward_kinematics(s, q)
    masses = [float(joint.mass) for joint in s.joints]
    places = [F[i, :3, :3] @ joint.center + F[i, :3, 3] for i, joint in enumerate(s.joints)]
    expected = np.average(places, axis=0, weights=masses)
    assert np.abs(center_of_mass(s, q) - expected).max() < 1e-12
    J = center_of_mass_jacobian(s, q)
    for k in range(s.nq):
        d = np.zeros(s.nq)
        d[k] = H
        assert np.abs((center_of_mass(s, q + d) - center_of_mass(s, q - d)) / (2 * H) - J[:, k]).max() < 1e-8


def test_many_poses_at_once() -> None:
    s = random_body(1)
    rng = np.random.default_rng(0)
    poses = np.array([random_pose(s, rng, 1.0) for _ in range(3)])
    each = np.array([center_of_mass(s, q) for q in poses])
    assert np.abs(center_of_mass(s, poses) - each).max() < 1e-12


def test_refuses_what_weighs_nothing_and_bad_poses() -> None:
    s = Skeleton("ghost", [Joint("root", -1), Joint("tip", 0, offset=[0, 1, 0])])
    with pytest.raises(SkeletonError, match='"ghost" has no mass'):
        center_of_mass(s, np.zeros(3))
    heavy = Skeleton("stone", [replace(joint.as_given(), mass=1.0) for joint in s.joints])
    with pytest.raises(PoseError):
        center_of_mass_jacobian(heavy, np.zeros(4))
