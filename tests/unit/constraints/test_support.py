"""Soles and support polygons against boxes whose outlines are known, and of bundled figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from core.constraints.soles import hull, sole_outline
from core.constraints.support import (
    balance_margin,
    lowest_parts,
    margin_of,
    simplified,
    standing_parts,
    support_polygon,
)
from core.errors import JointError
from core.kinematics import center_of_mass, forward_kinematics
from core.skeleton import Joint, SegmentObject, Skeleton, load_skeleton
from tests.support.figures import box_mesh, hinge

FEET = ["left foot", "right foot"]


def box_figure(half: float = 0.05, length: float = 0.25, apart: float = 0.2) -> Skeleton:
    """A trunk over two feet that are boxes with toes; nothing but the trunk weighs."""

    def part(low: tuple[float, float, float], high: tuple[float, float, float]) -> tuple[SegmentObject, ...]:
        return (SegmentObject("part.pol", box_mesh(low, high)),)

    turn = (hinge("x"), hinge("y"), hinge("z"))
    joints = [
        Joint("trunk", -1, offset=[0, 1, 0], dofs=turn, objects=part((-0.2, 0, -0.1), (0.2, 0.6, 0.1)), mass=50.0)
    ]
    for side, x in (("left", apart), ("right", -apart)):
        at = len(joints)
        foot = part((-half, -0.1, -0.05), (half, 0.02, length - 0.05))
        toes = part((-half, -0.02, 0.0), (half, 0.02, 0.08))
        joints.append(Joint(f"{side} foot", 0, offset=[x, -0.9, 0], dofs=turn, objects=foot, mass=0.0))
        joints.append(
            Joint(f"{side} toes", at, offset=[0, -0.08, length - 0.05], dofs=(hinge("x"),), objects=toes, mass=0.0)
        )
    return Skeleton("boxes", joints)


def test_outline_of_a_box_is_its_underside() -> None:
    outline = sole_outline(box_figure(), "left foot")
    assert sorted(map(tuple, outline.round(12).tolist())) == [
        (-0.05, -0.1, -0.05), (-0.05, -0.1, 0.2), (0.05, -0.1, -0.05), (0.05, -0.1, 0.2)
    ]  # fmt: skip
    x, z = outline[:, 0], outline[:, 2]
    assert float((z * np.roll(x, -1) - np.roll(z, -1) * x).sum()) > 0.0  # counter-clockwise seen from above
    assert not outline.flags.writeable
    with pytest.raises(JointError):
        sole_outline(box_figure(), "wing")


def test_margin_of_boxes_is_exact() -> None:
    """Two feet with toes span 0.5 m by 0.33 m; the weight is moved about by moving the trunk's root and turning it."""
    s = box_figure()
    rng = np.random.default_rng(3)
    for _ in range(50):
        q = s.rest_pose()
        q[:3] = rng.normal(size=3)
        turn = rng.uniform(-np.pi, np.pi)
        q[4] = turn  # about y: feet and weight turn together
        polygon = support_polygon(s, q, FEET)
        assert np.linalg.norm(polygon.max(0) - polygon.min(0)) > 0.3
        assert balance_margin(s, q, FEET) == pytest.approx(0.05, abs=1e-12)  # 5 cm behind the weight are the heels
    for lean in np.radians([-30, -10, 5, 20, 30]):
        q = s.rest_pose()
        q[3] = lean
        # The feet stay level, where they were before the trunk leaned.
        q[[6, 10]] = -lean
        feet = forward_kinematics(s, q)[s.joint_index("left foot"), :3, 3]
        weight = center_of_mass(s, q)[2]
        expected = min(weight - (feet[2] - 0.05), feet[2] + 0.28 - weight)
        assert abs(balance_margin(s, q, FEET) - expected) < 1e-3


def test_one_foot_and_none() -> None:
    s = box_figure()
    q = s.rest_pose()
    assert balance_margin(s, q, ["left foot"]) == pytest.approx(-0.15, abs=1e-12)
    assert balance_margin(s, q, []) == -np.inf
    assert support_polygon(s, q, []).shape == (0, 2)
    with pytest.raises(JointError):
        support_polygon(s, q, ["wing"])


def test_toes_that_are_bent_up_and_heels_that_are_lifted_do_not_bear() -> None:
    s = box_figure()
    q = s.rest_pose()
    assert support_polygon(s, q, FEET)[:, 1].max() == pytest.approx(0.28)
    q[9] = q[13] = -1.0
    assert support_polygon(s, q, FEET)[:, 1].max() < 0.22  # the hind edge of the toes
    tiptoe = s.rest_pose()
    tiptoe[[6, 10]] = 0.5
    tiptoe[[9, 13]] = -0.5
    polygon = support_polygon(s, tiptoe, FEET)
    ball = forward_kinematics(s, tiptoe)[2, 2, 3]
    # Of the foot only what lies at its front edge, and the toes.
    assert polygon[:, 1].min() > ball - 0.07
    assert polygon[:, 1].max() == pytest.approx(ball + 0.08, abs=1e-3)


def test_a_hand_on_a_rail_bears_nothing_and_a_foot_on_a_stair_does(skeletons_folder: Path) -> None:
    s = load_skeleton(skeletons_folder / "human.scr")
    q = s.rest_pose()
    frames = forward_kinematics(s, q)
    names = [s.joint_names[i] for i in standing_parts(s, frames, ["left foot", "right foot", "right hand"])]
    assert names == ["right foot", "right toes", "left foot", "left toes"]
    q[3 + s.dof_names.index("right thigh.-x")] = 0.9
    q[3 + s.dof_names.index("right shank.x")] = 0.9
    frames = forward_kinematics(s, q)
    lift = frames[s.joint_index("right foot"), 1, 3] - 0.068
    assert 0.1 < lift < 0.25
    assert s.joint_index("right foot") in standing_parts(s, frames, FEET)


@pytest.mark.parametrize("name", ["human", "woman", "stickman", "spider", "horse", "bird"])
def test_bundled_figures_stand_balanced(name: str, skeletons_folder: Path) -> None:
    s = load_skeleton(skeletons_folder / f"{name}.scr")
    q = s.rest_pose()
    parts = lowest_parts(s, forward_kinematics(s, q))
    assert len(parts) >= 2
    polygon = support_polygon(s, q, parts)
    assert np.array_equal(polygon, support_polygon(s, q, parts))
    assert balance_margin(s, q, parts) == margin_of(polygon, center_of_mass(s, q)[[0, 2]])
    if name != "bird":
        assert balance_margin(s, q, parts) > 0.01


def test_capsule_feet_bear_from_heel_to_toe() -> None:
    """A figure without meshes, whose feet slope from the ankle to the toes as in motion files."""
    joints = [Joint("hips", -1, offset=[0, 1, 0], dofs=(hinge("x"),), mass=10.0)]
    for side, x in (("left", 0.1), ("right", -0.1)):
        joints.append(
            Joint(f"{side} foot", 0, offset=[x, -0.92, 0], dofs=(hinge("x"),), tips=([0, -0.05, 0.2],), mass=1.0)
        )
    s = Skeleton("motion file", joints)
    polygon = support_polygon(s, s.rest_pose(), FEET)
    assert np.ptp(polygon[:, 1]) > 0.12
    assert 0.2 < np.ptp(polygon[:, 0]) < 0.3


@pytest.mark.parametrize("seed", range(20))
def test_hull_against_qhull(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(3, 60)), 2))
    points = np.concatenate([points, points[:2], points[:1] * 0.5 + points[1:2] * 0.5])
    corners = hull(points)
    assert set(map(tuple, points[corners])) == set(map(tuple, points[ConvexHull(points).vertices]))
    edge = np.roll(points[corners], -1, axis=0) - points[corners]
    assert (edge[:, 0] * np.roll(edge, -1, axis=0)[:, 1] - edge[:, 1] * np.roll(edge, -1, axis=0)[:, 0] > 0).all()


def test_hull_of_few_points() -> None:
    assert hull(np.zeros((0, 2))) == []
    assert hull(np.zeros((3, 2))) == [0]
    line = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]])
    assert sorted(hull(line)) == [0, 1]
    assert margin_of(line[hull(line)], np.array([0.5, 0.5])) == pytest.approx(0.0, abs=1e-12)
    assert margin_of(line[hull(line)], np.array([0.0, 1.0])) == pytest.approx(-np.sqrt(0.5))


def test_fewer_corners_change_the_margin_by_less_than_a_millimetre() -> None:
    angle = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    circle = 0.1 * np.column_stack([np.cos(angle), np.sin(angle)])
    fewer = simplified(circle)
    assert len(fewer) < 60
    rng = np.random.default_rng(1)
    for point in rng.uniform(-0.15, 0.15, (200, 2)):
        assert abs(margin_of(fewer, point) - (0.1 - np.linalg.norm(point))) < 2e-3
        assert abs(margin_of(fewer, point) - margin_of(circle, point)) < 1e-3
