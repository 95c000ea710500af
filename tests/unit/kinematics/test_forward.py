"""Forward kinematics: the definition, batches, and both kernels."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import PoseError
from core.kernels import load
from core.kinematics import forward_kernel, forward_kinematics
from core.skeleton import Joint, Skeleton
from core.skeleton.tree import pack
from core.spatial import so3
from tests.support.figures import chain, hinge, random_figure, random_pose, slide

forward_compiled = load(forward_kernel)


def by_definition(skeleton: Skeleton, q: np.ndarray) -> np.ndarray:
    """``X_parent T(offset) R D_1 .. D_n S`` with 4 x 4 matrices, one factor at a time."""
    frames: list[np.ndarray] = []
    for i, joint in enumerate(skeleton.joints):
        X = np.eye(4)
        X[:3, 3] = joint.offset + (q[:3] if joint.parent < 0 else 0.0)
        R = np.eye(4)
        x, y, z = np.radians(joint.orientation)
        R[:3, :3] = so3.from_euler("zyx", [z, y, x])
        X = X @ R
        for k, dof in enumerate(joint.dofs):
            D = np.eye(4)
            value = q[3 + skeleton.first_dof[i] + k]
            if dof.kind == "hinge":
                D[:3, :3] = so3.exp(dof.axis * value)
            else:
                D[:3, 3] = dof.axis * value
            X = X @ D
        X = X @ np.diag([*joint.scale, 1.0])
        frames.append(X if joint.parent < 0 else frames[joint.parent] @ X)
    return np.array(frames)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("scaled", [False, True])
def test_is_the_product_of_the_definition(seed: int, scaled: bool) -> None:
    skeleton = random_figure(seed, scaled=scaled)
    q = random_pose(skeleton, np.random.default_rng(seed), 3.0)
    assert np.abs(forward_kinematics(skeleton, q) - by_definition(skeleton, q)).max() < 1e-13


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("scaled", [False, True])
def test_compiled_and_uncompiled_agree(seed: int, scaled: bool) -> None:
    skeleton = random_figure(seed, joints=25, scaled=scaled)
    rng = np.random.default_rng(seed)
    q = np.array([random_pose(skeleton, rng, 3.0) for _ in range(7)])
    outs = [np.full((7, 25, 4, 4), np.nan) for _ in range(2)]
    for module, out in zip((forward_compiled, forward_kernel), outs, strict=True):
        module.forward(pack(skeleton), q, out)
    assert np.abs(outs[0] - outs[1]).max() < 1e-12


def test_many_poses_equal_one_at_a_time_bit_by_bit() -> None:
    skeleton = random_figure(3, joints=30)
    rng = np.random.default_rng(0)
    q = np.array([random_pose(skeleton, rng) for _ in range(50)])
    together = forward_kinematics(skeleton, q)
    assert together.shape == (50, 30, 4, 4)
    assert all(np.array_equal(together[i], forward_kinematics(skeleton, q[i])) for i in range(50))
    assert forward_kinematics(skeleton, q[:0]).shape == (0, 30, 4, 4)


def test_a_read_only_pose_and_a_list_will_do() -> None:
    skeleton = chain(3)
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    expected = forward_kinematics(skeleton, q)
    q.setflags(write=False)
    assert np.array_equal(forward_kinematics(skeleton, q), expected)
    assert np.array_equal(forward_kinematics(skeleton, q.tolist()), expected)


def test_a_fixed_figure_has_frames_too() -> None:
    skeleton = Skeleton("fixed", [Joint("a", -1, offset=[0, 1, 0]), Joint("b", 0, offset=[1, 0, 0])])
    assert forward_kinematics(skeleton, [0.5, 0.0, 0.0])[1, :3, 3] == pytest.approx([1.5, 1.0, 0.0])


def test_slide_moves_along_the_axis_left_by_the_hinge_before_it() -> None:
    skeleton = Skeleton("s", [Joint("a", -1, dofs=(hinge("z"), slide("x")))])
    assert forward_kinematics(skeleton, [0, 0, 0, np.pi / 2, 2.0])[0, :3, 3] == pytest.approx([0.0, 2.0, 0.0])


@pytest.mark.parametrize("q", [[0.0] * 4, [[[0.0] * 5]], [0, 0, 0, 0, np.nan], [0, 0, np.inf, 0, 0], "pose"])
def test_bad_poses_are_refused(q: object) -> None:
    with pytest.raises(PoseError):
        forward_kinematics(chain(2), q)
