"""Drag chains: the modes of Welman 6.2."""

from __future__ import annotations

import pytest

from core.errors import GoalError, JointError
from core.kinematics import drag_chain
from core.skeleton import Joint, Skeleton
from tests.support.figures import fork, hinge


def names(skeleton: Skeleton, joint: str, mode: str, base: str | None = None) -> list[str]:
    return [skeleton.joints[i].name for i in drag_chain(skeleton, joint, mode, base).joints]


def test_part_moves_only_the_part() -> None:
    assert names(fork(), "left hand", "part") == ["left hand"]
    assert names(fork(), "head", "part") == ["head"]


def test_part_takes_a_compound_joint_whole() -> None:
    assert names(fork(), "left arm", "part") == ["left shoulder", "left shoulder z", "left arm"]


def test_limb_stops_below_the_branch() -> None:
    assert names(fork(), "right hand", "limb") == [
        "right clavicle", "right shoulder", "right shoulder z", "right arm", "right hand",
    ]  # fmt: skip
    assert names(fork(), "head", "limb") == ["head"]


def test_fingers_do_not_end_an_arm_that_has_a_counterpart() -> None:
    def arm(side: str, other: str, mirrored: bool) -> list[Joint]:
        first = 1 if side == "left" else 5
        return [
            Joint(f"{side} arm", 0, dofs=(hinge("x"),), mass=1.0, mirror=f"{other} arm" if mirrored else None),
            Joint(f"{side} hand", first, dofs=(hinge("x"),), mass=1.0, mirror=f"{other} hand" if mirrored else None),
            Joint(f"{side} thumb", first + 1, dofs=(hinge("x"),), mirror=f"{other} thumb" if mirrored else None),
            Joint(f"{side} index", first + 1, dofs=(hinge("x"),), mirror=f"{other} index" if mirrored else None),
        ]

    for mirrored, wanted in ((True, ["left arm", "left hand", "left index"]), (False, ["left index"])):
        joints = [Joint("trunk", -1, mass=1.0), *arm("left", "right", mirrored), *arm("right", "left", mirrored)]
        assert names(Skeleton("person", joints), "left index", "limb") == wanted


def test_up_to_a_named_joint() -> None:
    assert names(fork(), "right hand", "up_to", "chest")[0] == "chest"
    assert names(fork(), "right hand", "up_to", "right hand") == ["right hand"]


def test_up_to_the_middle_of_a_compound_joint_takes_it_whole() -> None:
    assert names(fork(), "right hand", "up_to", "right arm")[0] == "right shoulder"


def test_body_goes_to_the_root_and_frees_its_rotations_only() -> None:
    skeleton = fork()
    chain = drag_chain(skeleton, "right hand", "body")
    assert chain.base == 0 and chain.tip == skeleton.joint_index("right hand")
    assert chain.dofs[:5] == (3, 4, 5, 6, 7)
    assert 0 not in chain.dofs


@pytest.mark.parametrize("mode", ["part", "limb", "body"])
def test_the_root_moves_its_own_degrees_of_freedom(mode: str) -> None:
    chain = drag_chain(fork(), "pelvis", mode)
    assert chain.joints == (0,) and chain.dofs == (3, 4, 5)


def test_a_fixed_part_is_dragged_as_a_piece_of_its_parent() -> None:
    joints = [Joint("trunk", -1, dofs=(hinge("y"),), mass=1.0)]
    joints.append(Joint("neck", 0, offset=[0, 1, 0], dofs=(hinge("x"),), mass=1.0))
    joints.append(Joint("mane", 1, mass=0.1))
    joints.append(Joint("head", 1, offset=[0, 1, 0], dofs=(hinge("x"),), mass=1.0))
    joints.append(Joint("eyes", 3, mass=0.1))
    joints.append(Joint("tail", 0, dofs=(hinge("x"),), mass=1.0))
    horse = Skeleton("horse", joints)
    assert names(horse, "eyes", "part") == ["head", "eyes"]
    assert names(horse, "eyes", "limb") == ["neck", "head", "eyes"]
    assert names(horse, "mane", "limb") == ["neck", "mane"]
    assert names(horse, "head", "limb") == ["neck", "head"], "the mane is no branch"


def test_a_figure_that_cannot_move_has_a_chain_up_to_its_root() -> None:
    still = Skeleton("still", [Joint("a", -1, mass=1.0), Joint("b", 0, offset=[0, 1, 0], mass=1.0)])
    chain = drag_chain(still, "b", "limb")
    assert chain.joints == (0, 1) and chain.dofs == ()


def test_dofs_are_pose_indices_base_first() -> None:
    skeleton = fork()
    chain = drag_chain(skeleton, "left hand", "limb")
    assert [skeleton.dof_names[k - 3] for k in chain.dofs] == [
        "left shoulder.x", "left shoulder z.z", "left arm.y", "left hand.y",
    ]  # fmt: skip


def test_wrong_modes_and_bases_are_named() -> None:
    with pytest.raises(GoalError, match="part, limb, up_to, body"):
        drag_chain(fork(), "head", "everything")
    with pytest.raises(GoalError, match="head, chest, pelvis"):
        drag_chain(fork(), "head", "up_to", "left hand")
    with pytest.raises(GoalError, match="base"):
        drag_chain(fork(), "head", "up_to")
    with pytest.raises(JointError):
        drag_chain(fork(), "tail")
