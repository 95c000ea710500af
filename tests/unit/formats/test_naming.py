"""What importers read out of joint names: pairs, limbs, readable names; and that geometry has its say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.formats.importing.bodies import with_bodies
from core.formats.importing.naming import dressed, limb_layout, mirror_pairs, readable_names
from core.skeleton import Dof, Group, Joint, Skeleton, read_scr, write_scr
from core.skeleton.scr.writer import derived_layout

# Name, parent, offset; the sides by name are to be filled in.
PERSON = [
    ("Hips", -1, (0, 1, 0)),
    ("{L}UpLeg", 0, (0.1, 0, 0)),
    ("{L}Leg", 1, (0, -0.45, 0)),
    ("{L}Foot", 2, (0, -0.45, 0)),
    ("{R}UpLeg", 0, (-0.1, 0, 0)),
    ("{R}Leg", 4, (0, -0.44, 0)),
    ("{R}Foot", 5, (0, -0.46, 0)),
    ("Spine", 0, (0, 0.1, 0)),
    ("Spine1", 7, (0, 0.3, 0)),
    ("{L}Shoulder", 8, (0.05, 0.1, 0)),
    ("{L}Arm", 9, (0.15, 0, 0)),
    ("{L}ForeArm", 10, (0.3, 0, 0)),
    ("{L}Hand", 11, (0.28, 0, 0)),
    ("{R}Shoulder", 8, (-0.05, 0.1, 0)),
    ("{R}Arm", 13, (-0.15, 0, 0)),
    ("{R}ForeArm", 14, (-0.3, 0, 0)),
    ("{R}Hand", 15, (-0.28, 0, 0)),
    ("Neck", 8, (0, 0.15, 0)),
    ("Head", 17, (0, 0.1, 0)),
]
PAIRS = ((1, 4), (2, 5), (3, 6), (9, 13), (10, 14), (11, 15), (12, 16))
FREE = tuple(Dof("hinge", axis, -np.inf, np.inf) for axis in np.eye(3))


def person(left: str = "Left", right: str = "Right", order: tuple[int, ...] = (0, 1, 2)) -> Skeleton:
    joints = [
        Joint(name.format(L=left, R=right), parent, offset=np.array(offset)[list(order)], dofs=FREE)
        for name, parent, offset in PERSON
    ]
    return Skeleton("person", joints)


def test_pairs_are_found_left_first() -> None:
    assert mirror_pairs(person()) == PAIRS
    swapped = person("Right", "Left")
    assert mirror_pairs(swapped) == tuple(sorted((j, i) for i, j in PAIRS))


@pytest.mark.parametrize(
    ("left", "right"), [("L", "R"), ("l_", "r_"), ("left ", "right "), ("b.L.", "b.R."), ("l", "r")]
)
def test_pairs_of_every_naming(left: str, right: str) -> None:
    assert mirror_pairs(person(left, right)) == PAIRS


def test_the_plane_may_be_across_any_axis() -> None:
    for order in ((1, 2, 0), (2, 0, 1)):
        assert mirror_pairs(person(order=order)) == PAIRS


def test_lamps_and_ramps_are_no_pair() -> None:
    joints = [Joint("base", -1), Joint("lamp", 0, offset=(0.5, 0, 0)), Joint("ramp", 0, offset=(0.5, 0.9, 0))]
    assert mirror_pairs(Skeleton("x", joints)) == ()
    joints = [Joint("root", -1), Joint("loot", 0, offset=(0, 1, 0)), Joint("left", 1), Joint("right", 2)]
    assert mirror_pairs(Skeleton("x", joints)) == ()


def test_bones_of_different_length_are_no_pair() -> None:
    joints = [Joint("hips", -1), Joint("left arm", 0, offset=(0.5, 0, 0)), Joint("right arm", 0, offset=(-1.0, 0, 0))]
    assert mirror_pairs(Skeleton("x", joints)) == ()


def test_what_hangs_on_joints_that_are_no_pair_is_none_either() -> None:
    joints = [Joint("hips", -1), Joint("a", 0, offset=(1, 0, 0)), Joint("b", 0, offset=(-1, 0, 0))]
    joints += [Joint("left x", 1, offset=(0, 1, 0)), Joint("right x", 2, offset=(0, 1, 0))]
    assert mirror_pairs(Skeleton("x", joints)) == ()


def test_a_rest_pose_that_is_reflected_nowhere_does_not_unmake_plain_names() -> None:
    def twisted(left: str, right: str) -> Skeleton:
        rng = np.random.default_rng(1)
        joints = []
        for joint in person(left, right).joints:
            direction = rng.normal(size=3)
            length = float(np.linalg.norm(joint.offset))
            offset = direction * (length / float(np.linalg.norm(direction)))
            joints.append(replace(joint, name=joint.name if left == "Left" else joint.name.lower(), offset=offset))
        return Skeleton("x", joints)

    assert mirror_pairs(twisted("Left", "Right")) == PAIRS
    assert mirror_pairs(twisted("l", "r")) == ()  # a guess is not excused


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("LeftUpLeg", "RightUpLeg"), ("Left up leg", "Right up leg")),
        (("lfemur", "rfemur"), ("Left femur", "Right femur")),
        (("upperleg01.L", "upperleg01.R"), ("Left upperleg 01", "Right upperleg 01")),
        (("leftarm", "rightarm"), ("Left arm", "Right arm")),
        (("armleft", "armright"), ("Left arm", "Right arm")),
        (("mixamorig:LeftHand", "mixamorig:RightHand"), ("Left hand", "Right hand")),
        (("Lft_Arm", "Rgt_Arm"), ("Left arm", "Right arm")),
        (("L", "R"), ("Left", "Right")),
        (("left", "right"), ("Left", "Right")),
    ],
)
def test_readable_names(names: tuple[str, str], expected: tuple[str, str]) -> None:
    root = "mixamorig:Hips" if ":" in names[0] else "Hips"
    s = Skeleton("x", [Joint(root, -1), *(Joint(n, 0, offset=(x, 0, 0)) for n, x in zip(names, (1, -1), strict=True))])
    assert readable_names(s, mirror_pairs(s)) == ("Hips", *expected)


def test_readable_names_leave_out_what_all_begin_with() -> None:
    s = Skeleton("x", [Joint("Bip01", -1), Joint("Bip01 Spine1", 0), Joint("Bip01_L_UpArm", 0), Joint("Bip01 ☃", 0)])
    assert readable_names(s) == ("Bip 01", "Bip 01 spine 1", "Bip 01 l up arm", "Bip 01")
    s = Skeleton("x", s.joints[:3])
    assert readable_names(s) == ("Bip 01", "Spine 1", "L up arm")
    s = Skeleton("x", [Joint("rope1", -1), Joint("rope2", 0)])
    assert readable_names(s) == ("Rope 1", "Rope 2")
    assert readable_names(Skeleton("x", [Joint("a1", -1)])) == ("A 1",)
    assert readable_names(Skeleton("x", [Joint("___", -1)])) == ("___",)


def groups(layout: tuple[int | Group, ...], s: Skeleton) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for item in layout:
        if isinstance(item, Group):
            found[item.name] = [s.joints[i].name for i in item.items if isinstance(i, int)]
            found |= groups(item.items, s)
    return found


def test_limbs_become_groups() -> None:
    s = dressed(person())
    assert s.layout is not None and s.layout[0] == 0
    assert groups(s.layout, s) == {
        "Left leg": ["LeftUpLeg", "LeftLeg", "LeftFoot"],
        "Right leg": ["RightUpLeg", "RightLeg", "RightFoot"],
        "Spine": ["Spine", "Spine1"],
        "Left arm": ["LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"],
        "Right arm": ["RightShoulder", "RightArm", "RightForeArm", "RightHand"],
        "Head and neck": ["Neck", "Head"],
    }


def test_what_is_no_person_has_groups_by_its_own_names() -> None:
    joints = [Joint("rock", -1), Joint("tail1", 0, offset=(0, 0, -1)), Joint("tail2", 1, offset=(0, 0, -1))]
    joints += [Joint("horn1", 0, offset=(0, 1, 0)), Joint("horn2", 0, offset=(0, 1, 1))]
    s = dressed(Skeleton("beast", joints))
    assert s.layout is not None
    assert groups(s.layout, s) == {"Tail": ["tail1", "tail2"], "Horn 1": ["horn1"], "Horn 2": ["horn2"]}


@pytest.mark.parametrize("seed", range(20))
def test_a_layout_says_the_same_tree(seed: int) -> None:
    """Written as a .scr file and read back, random trees keep their joints, parents and groups."""
    rng = np.random.default_rng(seed)
    words = ["Left", "Right", "L", "r", "arm", "Leg", "head", "1", "2", "tail", "spine", "finger", "_", "."]
    n = int(rng.integers(1, 30))
    joints = []
    stack = [0]
    for i in range(n):
        while i and rng.random() < 0.4 and len(stack) > 1:
            stack.pop()
        name = "".join(rng.choice(words, 3)) + f" {i}"
        joints.append(Joint(name, stack[-1] if i else -1, offset=rng.normal(size=3), dofs=FREE))
        if i:
            stack.append(i)
    s = dressed(Skeleton("random", joints))
    again = read_scr(write_scr(s))
    assert again.joint_names == s.joint_names and again.layout == s.layout
    assert [joint.parent for joint in again.joints] == [joint.parent for joint in s.joints]
    assert again.mirror_pairs == s.mirror_pairs and again.dof_labels == s.dof_labels


def test_dressing_changes_no_name_place_or_freedom() -> None:
    bare = person()
    s = dressed(bare)
    assert s.joint_names == bare.joint_names and s.dof_names == bare.dof_names
    assert all(np.array_equal(a.offset, b.offset) for a, b in zip(s.joints, bare.joints, strict=True))
    assert s.mirror_pairs == PAIRS
    assert s.dof_labels[s.first_dof[1]] == "Left up leg X"
    assert s.joints[1].color != s.joints[4].color and s.joints[0].color is None


@pytest.mark.sampled(6)
@pytest.mark.parametrize("lost", range(len(PERSON)))
@pytest.mark.parametrize("name", ["x", "head", "RightHand2", "LeftFoot 2"])
def test_a_name_that_is_damaged_harms_nothing(lost: int, name: str) -> None:
    joints = [replace(joint, name=name if i == lost else joint.name) for i, joint in enumerate(person().joints)]
    s = with_bodies(dressed(Skeleton("x", joints)))
    assert [joint.parent for joint in s.joints] == [parent for _, parent, _ in PERSON]
    assert s.layout is not None and read_scr(write_scr(s)).layout == s.layout


def test_dressing_keeps_what_is_there() -> None:
    joints = list(person().joints)
    joints[1] = replace(joints[1], color=(1.0, 0.0, 0.0), mirror="Head", dof_labels=("Kick", "", ""))
    s = dressed(Skeleton("x", joints, derived_layout(person())))
    assert s.joints[1].color == (1.0, 0.0, 0.0) and s.joints[1].mirror == "Head"
    assert s.dof_labels[s.first_dof[1] : s.first_dof[2]] == ("Kick", "Left up leg Y", "Left up leg Z")
    assert s.layout == derived_layout(person())


def test_slides_are_labelled_as_moving() -> None:
    slide = Dof("slide", np.array([0.0, -1.0, 0.0]), -1, 1)
    turn = Dof("hinge", np.array([0.0, 0.6, 0.8]), -1, 1)
    s = dressed(Skeleton("x", [Joint("liftPlate", -1, dofs=(slide, turn))]))
    assert s.dof_labels == ("Lift plate move Y", "Lift plate 2")


def test_long_chains_take_no_time() -> None:
    chain = [Joint("root", -1), *(Joint(f"Left{k}", k, offset=(0.1, 0, 0)) for k in range(400))]
    chain += [Joint("Right0", 0, offset=(-0.1, 0, 0))]
    chain += [Joint(f"Right{k}", 400 + k, offset=(-0.1, 0, 0)) for k in range(1, 400)]
    s = Skeleton("x", chain)
    assert len(mirror_pairs(s)) == 400 and len(limb_layout(s, mirror_pairs(s), readable_names(s))) == 3
