"""Singular values, condition number, manipulability and its ellipsoid."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.errors import GoalError, JointError, PoseError
from core.kinematics import (
    condition_number,
    drag_chain,
    forward_kinematics,
    manipulability,
    manipulability_ellipsoid,
    point_jacobian,
    singular_values,
)
from core.skeleton import Joint, Skeleton
from tests.support.figures import arm7, chain, fork, hinge, random_figure, random_pose, slide

TIP = (0.0, 0.2, 0.0)


def two_link(a: float = 0.5, b: float = 0.3) -> Skeleton:
    """A planar arm of two hinges about z, segments along y."""
    joints = [Joint("upper", -1, dofs=(hinge("z"),)), Joint("lower", 0, offset=[0.0, a, 0.0], dofs=(hinge("z"),))]
    return Skeleton("two links", [*joints, Joint("tip", 1, offset=[0.0, b, 0.0])])


@pytest.mark.parametrize("seed", range(4))
def test_they_are_those_of_the_jacobian(seed: int) -> None:
    s = random_figure(seed, scaled=seed % 2 == 1, slides=False)
    q = random_pose(s, np.random.default_rng(seed), 2.0)
    for joint in range(1, len(s.joints)):
        J = point_jacobian(s, q, joint, TIP)[:, 3:]
        for part, rows in (("position", J[:3]), ("rotation", J[3:])):
            values = singular_values(s, q, joint, TIP, part=part)
            wanted = np.linalg.svd(rows, compute_uv=False)
            assert values.shape == (3,)
            assert values[: len(wanted)] == pytest.approx(wanted, abs=1e-12)
            gram = math.sqrt(max(float(np.linalg.det(rows @ rows.T)), 0.0))
            assert manipulability(s, q, joint, TIP, part=part) == pytest.approx(gram, abs=1e-7)
            if values[2] > 1e-6:
                assert condition_number(s, q, joint, TIP, part=part) == pytest.approx(wanted[0] / wanted[2])


def test_two_links_have_the_measure_of_the_book() -> None:
    """``a b |sin|`` of the elbow's angle (Yoshikawa's example), in the plane."""
    s = two_link()
    for elbow in (0.3, 1.0, math.pi / 2, 2.5):
        values = singular_values(s, [0, 0, 0, 0.4, elbow], "tip")
        assert values[0] * values[1] == pytest.approx(0.5 * 0.3 * math.sin(elbow), rel=1e-12)
        assert values[2] == 0.0
        assert manipulability(s, [0, 0, 0, 0.4, elbow], "tip") == 0.0
        assert condition_number(s, [0, 0, 0, 0.4, elbow], "tip") == math.inf


def test_the_ellipsoid_is_where_unit_speeds_lead() -> None:
    s = arm7()
    rng = np.random.default_rng(1)
    q = random_pose(s, rng, 1.5)
    J = point_jacobian(s, q, "j6", TIP)[:, 3:]
    for part, rows in (("position", J[:3]), ("rotation", J[3:])):
        axes, radii = manipulability_ellipsoid(s, q, "j6", TIP, part=part)
        assert np.abs(axes.T @ axes - np.eye(3)).max() < 1e-14 and np.linalg.det(axes) > 0.0
        assert radii[0] >= radii[1] >= radii[2] > 0.0
        speeds = rng.normal(size=(7, 4000))
        moved = axes.T @ rows @ (speeds / np.linalg.norm(speeds, axis=0)) / radii[:, None]
        assert np.linalg.norm(moved, axis=0).max() <= 1.0 + 1e-12
        # The joint speeds that lead farthest along an axis lead to its end.
        best = rows.T @ axes
        assert np.abs(rows @ (best / np.linalg.norm(best, axis=0)) - axes * radii).max() < 1e-12


@pytest.mark.parametrize("pose", [np.zeros(7), np.array([0.7, 0, 0.3, 0, -0.2, 0, 0.5])])
def test_a_straight_arm_cannot_move_along_itself(pose: np.ndarray) -> None:
    s = arm7()
    q = np.concatenate([[100.0, -20.0, 3.0], pose])
    axes, radii = manipulability_ellipsoid(s, q, "j6", TIP)
    assert radii[2] == 0.0 < radii[0] and (radii[1] == 0.0) == (not pose.any())
    hand = (forward_kinematics(s, q)[7] @ [*TIP, 1.0])[:3] - forward_kinematics(s, q)[1, :3, 3]
    assert np.abs(axes[:, radii > 0.0].T @ hand).max() < 1e-12
    assert condition_number(s, q, "j6", TIP) == math.inf and manipulability(s, q, "j6", TIP) == 0.0


def test_a_folded_arm() -> None:
    s = two_link(0.4, 0.4)
    axes, radii = manipulability_ellipsoid(s, [0, 0, 0, 0.3, math.pi], "tip")
    assert np.count_nonzero(radii) == 1 and radii[0] == pytest.approx(0.4)
    assert abs(axes[2, 0]) < 1e-12


def test_chains_with_fewer_and_with_more_degrees_of_freedom() -> None:
    s = chain(1)
    axes, radii = manipulability_ellipsoid(s, np.zeros(4), "j0", (0.0, 0.1, 0.0))
    assert radii == pytest.approx([0.1, 0.0, 0.0]) and abs(axes[0, 0]) == pytest.approx(1.0)
    long = chain(400, 0.01)
    q = np.concatenate([np.zeros(3), np.random.default_rng(0).normal(0, 0.1, 400)])
    assert manipulability(long, q, "j399") > 0.0
    assert manipulability(long, np.zeros(403), "j399") == 0.0
    assert singular_values(long, q, "j399", part="pose").shape == (6,)
    assert singular_values(long, q, "j399", part="pose")[-1] > 0.0


def test_a_figure_without_moving_joints() -> None:
    s = Skeleton("fixed", [Joint("a", -1), Joint("b", 0, offset=[0, 1, 0])])
    axes, radii = manipulability_ellipsoid(s, np.zeros(3), "b")
    assert not radii.any() and np.abs(axes.T @ axes - np.eye(3)).max() < 1e-15
    assert not singular_values(s, np.zeros(3), "b", part="pose").any()
    assert condition_number(s, np.zeros(3), "b") == math.inf
    assert manipulability(s, np.zeros(3), "b") == 0.0
    assert singular_values(s, np.zeros(3), "b", base="world") == pytest.approx([1.0, 1.0, 1.0])


def test_base_and_dofs_choose_the_same_chain() -> None:
    s = fork()
    q = random_pose(s, np.random.default_rng(2), 0.8)
    limb = drag_chain(s, "left hand", "limb")
    some = manipulability_ellipsoid(s, q, "left hand", (0.1, 0, 0), dofs=limb.dofs)
    same = manipulability_ellipsoid(s, q, "left hand", (0.1, 0, 0), base=limb.base)
    assert np.array_equal(some.radii, same.radii) and np.array_equal(some.axes, same.axes)
    every = manipulability_ellipsoid(s, q, "left hand", (0.1, 0, 0))
    free = manipulability_ellipsoid(s, q, "left hand", (0.1, 0, 0), base="world")
    assert (some.radii < every.radii).all() and (every.radii < free.radii).all()


def test_the_unit_of_length_only_scales_it() -> None:
    joints = [
        Joint("rail", -1, dofs=(slide("x", -1.0, 1.0),)),
        Joint("mast", 0, offset=[0, 0.5, 0], dofs=(slide("y", 0.0, 0.6), hinge("y"))),
        Joint("boom", 1, offset=[0, 0.2, 0], dofs=(hinge("z", -1.5, 1.5),)),
    ]
    large = [
        Joint("rail", -1, dofs=(slide("x", -1024.0, 1024.0),)),
        Joint("mast", 0, offset=[0, 512.0, 0], dofs=(slide("y", 0.0, 0.6 * 1024), hinge("y"))),
        Joint("boom", 1, offset=[0, 0.2 * 1024, 0], dofs=(hinge("z", -1.5, 1.5),)),
    ]
    q = np.array([0, 0, 0, 0.3, 0.2, 0.7, -0.4])
    one = manipulability_ellipsoid(Skeleton("crane", joints), q, "boom", (0.5, 0, 0))
    other = manipulability_ellipsoid(
        Skeleton("crane", large), q * [1, 1, 1, 1024, 1024, 1, 1], "boom", (512.0, 0, 0)
    )  # fmt: skip
    assert np.array_equal(one.radii * 1024, other.radii) and np.array_equal(one.axes, other.axes)


def test_what_makes_no_sense_is_refused() -> None:
    s = fork()
    q = np.zeros(s.nq)
    with pytest.raises(JointError, match="tail"):
        singular_values(s, q, "tail")
    with pytest.raises(GoalError, match="position, rotation, pose"):
        singular_values(s, q, "head", part="all")
    with pytest.raises(GoalError, match="ellipsoid"):
        manipulability_ellipsoid(s, q, "head", part="pose")
    with pytest.raises(GoalError, match="not above"):
        manipulability(s, q, "head", base="left hand")
    with pytest.raises(GoalError, match="world"):
        condition_number(s, q, "head", base="tail")
    with pytest.raises(GoalError, match="99"):
        singular_values(s, q, "head", dofs=(3, 99))
    with pytest.raises(PoseError):
        singular_values(s, np.full(s.nq, np.nan), "head")
