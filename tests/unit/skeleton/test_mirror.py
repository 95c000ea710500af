"""Reflection in x = 0: the mirrored joint with the same values takes the mirrored pose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.skeleton import Mesh, load_skeleton, read_scr
from core.skeleton.joint import Joint
from core.skeleton.mirroring.mirror import (
    counterpart_names,
    name_side,
    name_words,
    reflect_joint,
    reflect_mesh,
    swap_sides,
)
from core.skeleton.skeleton import Skeleton
from core.spatial.inertia import SpatialInertia

BUNDLED = Path(__file__).parents[3] / "skeletons"
M = np.diag([-1.0, 1.0, 1.0])


def rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def local(joint: Joint, values: np.ndarray) -> np.ndarray:
    """The joint's frame in its parent's, (4, 4), from the definition in the format's page."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = joint.rotation, joint.offset
    for dof, value in zip(joint.dofs, values, strict=True):
        step = np.eye(4)
        if dof.kind == "slide":
            step[:3, 3] = dof.axis * value
        else:
            step[:3, :3] = rotation(dof.axis, value)
        X = X @ step
    X[:3, :3] *= joint.scale
    return X


TEXT = """
define skeleton "s"
    joint "root"
    group "r"
        joint "right a"
        joint "right b"
    end group
    group "l"
        joint "left a"
        joint "left b"
    end group
end skeleton
define joint "right a"
    offset -0.3 0.5 0.1
    orientation 20 -35 70
    hinge 1 2 -3 -20 40 "right swing"
    slide 0.3 0.4 -0.5 -0.1 0.2
    ball 2 -1 0.4 50 -10 30
    scale 1.2 0.9 1.1
    mass 2
    center 0.02 0.03 -0.04
    inertia 0.5 0.6 0.7 0.03 -0.02 0.05
    mirror "left a"
end joint
define joint "right b"
    offset -0.1 -0.4 0.2
    orientation -50 15 5
    hinge z 0 120
    hinge y -30 60
    mirror "left b"
end joint
"""


def test_same_values_give_the_mirrored_pose() -> None:
    s = read_scr(TEXT)
    rng = np.random.default_rng(3)
    X4 = np.diag([-1.0, 1.0, 1.0, 1.0])
    for _ in range(50):
        for side in ("a", "b"):
            right, left = (s.joints[s.joint_index(f"{word} {side}")] for word in ("right", "left"))
            values = rng.uniform(-3, 3, len(right.dofs))
            assert np.abs(local(left, values) - X4 @ local(right, values) @ X4).max() < 1e-14


def test_limits_cone_labels_and_pairs() -> None:
    s = read_scr(TEXT)
    right, left = s.joints[1], s.joints[3]
    assert [(d.lo, d.hi) for d in left.dofs] == [(d.lo, d.hi) for d in right.dofs]
    assert left.cone == right.cone
    assert left.dof_labels[0] == "left swing"
    assert s.mirror_pairs == ((1, 3), (2, 4))
    assert left.mirror == "right a" and left.parent == 0 and s.joints[4].parent == 3


def test_center_and_inertia_are_those_of_the_mirrored_body() -> None:
    s = read_scr(TEXT)
    right, left = s.joints[1], s.joints[3]
    assert left.center is not None and right.center is not None
    assert left.center == pytest.approx(M @ right.center, abs=0)
    assert left.inertia == pytest.approx(M @ right.inertia @ M, abs=0)


def test_tips_are_reflected() -> None:
    joint = Joint("right", 0, tips=((0.1, 0.2, 0.3), (0.0, -1.0, 0.0)))
    assert np.array_equal(reflect_joint(joint, "left", 0).tips, [[-0.1, 0.2, 0.3], [0.0, -1.0, 0.0]])


def test_reflecting_twice_gives_the_joint_back() -> None:
    s = read_scr(TEXT)
    right = s.joints[1]
    again = reflect_joint(reflect_joint(right, "left a", 0), "right a", 0)
    values = np.linspace(-1, 1, len(right.dofs))
    assert np.array_equal(local(again, values), local(right, values))
    assert again.dof_labels == right.dof_labels


def test_no_negative_zeros() -> None:
    s = load_skeleton(BUNDLED / "stickman.scr")
    for joint in s.joints:
        arrays = [joint.offset, joint.orientation, *(dof.axis for dof in joint.dofs)]
        arrays += [part.mesh.vertices for part in joint.objects if part.mesh is not None]
        for array in arrays:
            assert not np.any(np.signbit(array) & (array == 0.0))


def test_a_mirrored_mesh_keeps_its_outside() -> None:
    s = load_skeleton(BUNDLED / "stickman.scr")
    for name in ("arm", "hand", "leg", "foot"):
        right, left = (s.joints[s.joint_index(f"{side} {name}")].objects[0].mesh for side in ("right", "left"))
        assert right is not None and left is not None
        a = SpatialInertia.mesh(right.vertices, right.triangles)
        b = SpatialInertia.mesh(left.vertices, left.triangles)  # raises if it is inside out
        assert b.mass == pytest.approx(a.mass, rel=1e-12)
        assert b.center == pytest.approx(M @ a.center, abs=1e-12)
        assert b.inertia == pytest.approx(M @ a.inertia @ M, rel=1e-9, abs=1e-15)


def test_mirrored_polygons_match_mirrored_triangles() -> None:
    mesh = Mesh(
        np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), np.array([[0, 1, 2], [0, 2, 3]]), ((0, 1, 2, 3),)
    )
    reflected = reflect_mesh(mesh)
    assert reflected.polygons == ((3, 2, 1, 0),)
    corners = reflected.vertices[reflected.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normals[:, 2] > 0).all()  # faced +z before, and +z is its own reflection


def test_swap_sides() -> None:
    assert swap_sides("Left arm to the right, RIGHT on; bright cleft") == "Right arm to the left, LEFT on; bright cleft"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("LeftUpLeg", "RightUpLeg"),
        ("left arm", "right arm"),
        ("LEFT_ARM", "RIGHT_ARM"),
        ("handLeft", "handRight"),
        ("leftarm", "rightarm"),
        ("mixamorig:LeftHandIndex1", "mixamorig:RightHandIndex1"),
        ("LHipJoint", "RHipJoint"),
        ("LThumb", "RThumb"),
        ("lThumb", "rThumb"),
        ("armL", "armR"),
        ("upperleg01.L", "upperleg01.R"),
        ("hand_l", "hand_r"),
        ("l_hand", "r_hand"),
        ("Bip01 L Thigh", "Bip01 R Thigh"),
        ("Lft_Arm", "Rgt_Arm"),
        ("L", "R"),
    ],
)
def test_names_of_the_two_sides(left: str, right: str) -> None:
    assert counterpart_names(left)[0] == right and counterpart_names(right)[0] == left
    assert (name_side(left), name_side(right)) == ("left", "right")


def test_a_first_letter_alone_is_only_a_guess() -> None:
    assert counterpart_names("lfemur") == ("rfemur",) and counterpart_names("rfemur") == ("lfemur",)
    assert counterpart_names("ns:lfemur") == ("ns:rfemur",)
    assert name_side("lfemur") == name_side("root") == ""
    for name in ("Spine1", "Head", "neck.001", "", "Hips", "\N{SNOWMAN}"):
        assert counterpart_names(name) == () and name_side(name) == ""


def test_words_of_a_name() -> None:
    assert name_words("LeftUpLeg") == ("Left", "Up", "Leg")
    assert name_words("upperleg01.R") == ("upperleg", "01", "R")
    assert name_words("LHipJoint_2 b") == ("L", "Hip", "Joint", "2", "b")


def test_a_definition_of_its_own_is_kept() -> None:
    text = TEXT + 'define joint "left b"\nmass 7\nend joint\n'
    s = read_scr(text)
    left = s.joints[s.joint_index("left b")]
    assert left.mass == 7 and left.dofs == () and left.mirror is None
    assert s.mirror_pairs == ((1, 3), (2, 4))
    assert isinstance(s, Skeleton)


def test_a_reflected_mesh_keeps_its_weights_under_the_same_names() -> None:
    weights = (("left arm", np.array([0.0, 0.5, 1.0])),)
    reflected = reflect_mesh(Mesh(np.eye(3), np.array([[0, 1, 2]]), (), weights))
    assert [(name, values.tolist()) for name, values in reflected.weights] == [("left arm", [0.0, 0.5, 1.0])]
    assert reflected.vertices[0].tolist() == [-1.0, 0.0, 0.0]
