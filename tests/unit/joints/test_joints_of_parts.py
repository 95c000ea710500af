"""Composite joints, universal joints and the joints of the plane against the joints they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from core.joints import (
    Composite,
    Fixed,
    Free,
    Free2D,
    FreeRotationFirst,
    JointModel,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    SphericalEuler,
    Translational,
    Universal,
)
from core.joints.base import HINGE, SLIDE, Step
from core.spatial import se3, so3

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)

SAME = [
    (Universal(), Composite(Revolute(X), Revolute(Y))),
    (Planar(), Composite(Prismatic(X), Prismatic(Y))),
    (Translational(), Composite(Prismatic(X), Prismatic(Y), Prismatic(Z))),
    (Free2D(), Composite(Planar(), Revolute(Z))),
    (SphericalEuler("ZXZ"), Composite(Revolute(Z), Revolute(X), Revolute(Z))),
    (Free(), Composite(Translational(), Spherical())),
    (FreeRotationFirst(), Composite(Spherical(), Translational())),
    (
        Composite(Universal(), Composite(Revolute(Z), Planar())),
        Composite(Revolute(X), Revolute(Y), Revolute(Z), Planar()),
    ),
    (Composite(Revolute(Z), Fixed()), Revolute(Z)),
]


@pytest.mark.parametrize(("joint", "parts"), SAME, ids=lambda joint: repr(joint)[:40])
def test_the_whole_is_its_parts(joint: JointModel, parts: JointModel) -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, v = rng.normal(size=(2, joint.n))
        assert np.abs(joint.transform(q) - parts.transform(q)).max() < 3e-15
        assert np.abs(joint.subspace(q) - parts.subspace(q)).max() < 3e-15
        assert np.abs(joint.subspace_rate(q, v) - parts.subspace_rate(q, v)).max() < 1e-14
    assert joint.rotary == parts.rotary and (joint.steps is None) == (parts.steps is None)


def test_steps_of_a_composite_are_those_of_its_parts() -> None:
    joint = Composite(Revolute((0, 0, 2)), Fixed(), Prismatic(X))
    assert joint.steps == (Step(HINGE, (0.0, 0.0, 1.0)), Step(SLIDE, (1.0, 0.0, 0.0)))
    assert joint.coordinate_names == ("angle", "distance")
    assert Composite(Revolute(X), Spherical()).steps is None
    assert Composite(Revolute(X), Revolute(Y)).coordinate_names == ("angle 1", "angle 2")


def test_a_composite_changes_the_charts_of_its_parts() -> None:
    joint = Composite(Prismatic(X), SphericalEuler("XYZ"), Spherical())
    q = np.array([3.0, 0.4, np.pi / 2 - 0.1, 0.2, *(5.5 * np.array([0.6, 0.0, 0.8]))])
    v = np.arange(1.0, 8.0)
    chart, new, rate = joint.rechart(q, v) or pytest.fail("nothing changed")
    assert isinstance(chart, Composite) and chart.joints[0] is joint.joints[0] and chart.joints[1] != joint.joints[1]
    assert np.abs(chart.transform(new) - joint.transform(q)).max() < 1e-14
    assert np.abs(chart.subspace(new) @ rate - joint.subspace(q) @ v).max() < 1e-13
    only_numbers = Composite(Revolute(X), Spherical())
    assert only_numbers.rechart(np.array([0.1, 6.0, 0, 0]), np.ones(4))[0] is only_numbers  # type: ignore[index]


def test_a_screw_of_two_parts_is_found_from_anywhere() -> None:
    """An arm of three hinges and a slide: every pose it makes is found, from zero too."""
    arm = Composite(Revolute(Z), Prismatic(X), Revolute(Y), Revolute(Z))
    rng = np.random.default_rng(3)
    for _ in range(40):
        pose = arm.transform(rng.uniform(-3, 3, size=4))
        assert np.abs(arm.transform(arm.coordinates(pose)) - pose).max() < 1e-9


def test_of_hinges_the_nearest_turn_is_found() -> None:
    arm = Composite(Revolute(Z), Prismatic(Z))
    q = np.array([20.0, 1.0])
    assert np.abs(arm.coordinates(arm.transform(q), near=[19.0, 0.0]) - q).max() < 1e-12
    assert Revolute(Y).coordinates(so3_pose("y", 0.5), near=[-12.0])[0] == pytest.approx(0.5 - 4 * np.pi)
    assert Free2D().coordinates(so3_pose("z", 3.0), near=[0, 0, -3.0])[2] == pytest.approx(3.0 - 2 * np.pi)


def so3_pose(axis: str, angle: float) -> np.ndarray:
    return se3.transform(so3.axis_rotation(axis, angle))


def test_a_hinge_takes_the_nearest_rotation() -> None:
    """Whatever the rotation, no other angle comes nearer to it."""
    rng = np.random.default_rng(4)
    angles = np.linspace(-np.pi, np.pi, 721)
    for _ in range(20):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        R = so3.exp(2 * rng.normal(size=3))
        best = so3.angle_between(R, so3.axis_rotation(axis, angles)).min()
        found = Revolute(axis).coordinates(se3.transform(R))[0]
        assert so3.angle_between(R, so3.axis_rotation(axis, found)) <= best + 1e-12


def test_a_universal_joint_takes_the_nearest_rotation() -> None:
    rng = np.random.default_rng(5)
    grid = np.linspace(-np.pi, np.pi, 181)
    a, b = np.meshgrid(grid, grid, indexing="ij")
    every = so3.from_euler("xy", np.stack([a, b], axis=-1))
    for _ in range(5):
        R = so3.exp(2 * rng.normal(size=3))
        found = Universal().transform(Universal().coordinates(se3.transform(R)))[:3, :3]
        assert so3.angle_between(R, found) <= so3.angle_between(R, every).min() + 1e-12
