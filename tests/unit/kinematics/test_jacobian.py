"""Point Jacobians against central differences, scaled figures too."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import JointError, PoseError
from core.kernels import load
from core.kinematics import forward_kinematics, jacobian_kernel, point_jacobian
from core.skeleton import Skeleton
from core.skeleton.tree import pack
from core.spatial import so3
from tests.support.figures import arm7, random_figure, random_pose

jacobian_compiled = load(jacobian_kernel)

H = 1e-6


def without_scales(skeleton: Skeleton) -> Skeleton:
    from dataclasses import replace

    return Skeleton("unscaled", [replace(joint, scale=np.ones(3)) for joint in skeleton.joints])


def by_differences(skeleton: Skeleton, q: np.ndarray, joint: int, point: np.ndarray) -> np.ndarray:
    J = np.empty((6, skeleton.nq))
    rotations = without_scales(skeleton)
    for k in range(skeleton.nq):
        d = np.zeros(skeleton.nq)
        d[k] = H
        ahead, behind = forward_kinematics(skeleton, q + d)[joint], forward_kinematics(skeleton, q - d)[joint]
        J[:3, k] = ((ahead - behind) @ [*point, 1.0])[:3] / (2 * H)
        R, S = (forward_kinematics(rotations, q + sign * d)[joint, :3, :3] for sign in (1.0, -1.0))
        J[3:, k] = so3.log(R @ S.T) / (2 * H)
    return J


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("angles", [1e-6, 1.0, 3.1])
def test_against_central_differences(seed: int, scaled: bool, angles: float) -> None:
    skeleton = random_figure(seed, scaled=scaled)
    rng = np.random.default_rng(seed)
    q, point = random_pose(skeleton, rng, angles), rng.normal(size=3)
    for joint in (0, 5, 11):
        J = point_jacobian(skeleton, q, joint, point)
        assert np.abs(J - by_differences(skeleton, q, joint, point)).max() < 2e-8


@pytest.mark.parametrize("seed", range(5))
def test_compiled_and_uncompiled_agree(seed: int) -> None:
    skeleton = random_figure(seed, scaled=seed % 2 == 1)
    rng = np.random.default_rng(seed)
    q, point = random_pose(skeleton, rng, 2.0), rng.normal(size=3)
    for joint in range(len(skeleton.joints)):
        outs = np.full((2, 6, skeleton.nq), np.nan)
        jacobian_compiled.jacobian(pack(skeleton), q, joint, point, outs[0])
        jacobian_kernel.jacobian(pack(skeleton), q, joint, point, outs[1])
        assert np.abs(outs[0] - outs[1]).max() < 1e-12


def test_root_translation_moves_every_point_alike() -> None:
    J = point_jacobian(arm7(), np.zeros(10), "j3", (1.0, 2.0, 3.0))
    assert np.array_equal(J[:, :3], np.eye(6)[:, :3])


def test_joints_past_the_point_have_no_column() -> None:
    J = point_jacobian(arm7(), np.full(10, 0.3), "j3", (0.1, 0.0, 0.0))
    assert not J[:, 7:].any()
    assert np.abs(J[:, 3:7]).max(axis=0).min() > 0.0


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(JointError, match="j6"):
        point_jacobian(arm7(), np.zeros(10), "elbow")
    with pytest.raises(PoseError, match="point"):
        point_jacobian(arm7(), np.zeros(10), 1, (np.nan, 0, 0))
