"""Making one side of a figure from the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.errors import SkeletonError
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Mesh, SegmentObject, Skeleton, SkeletonBuilder, load_skeleton, read_scr, write_scr
from tests.support.bodies import random_body, world
from tests.support.figures import box_mesh, hinge

MIRROR = np.array([-1.0, 1.0, 1.0])


def assert_mirrored(s: Skeleton, pairs: dict[str, str]) -> None:
    """With equal values on both sides, one side is the reflection of the other; the middle stays at zero."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        q = np.zeros(s.nq)
        for one, other in pairs.items():
            i, j = s.joint_index(one), s.joint_index(other)
            values = rng.uniform(-1, 1, len(s.joints[i].dofs))
            q[3 + s.first_dof[i] : 3 + s.first_dof[i + 1]] = values
            q[3 + s.first_dof[j] : 3 + s.first_dof[j + 1]] = values
        frames = forward_kinematics(s, q)
        for one, other in pairs.items():
            a, b = world(s, q, one, frames), world(s, q, other, frames)
            assert np.abs(a["center"] * MIRROR - b["center"]).max() < 1e-12, one
            assert np.abs(a["tips"] * MIRROR - b["tips"]).max(initial=0.0) < 1e-12
            turned = a["inertia"] * np.outer(MIRROR, MIRROR)
            assert np.abs(turned - b["inertia"]).max() < 1e-12
            origin, counterpart = (frames[s.joint_index(name), :3, 3] for name in (one, other))
            assert np.abs(origin * MIRROR - counterpart).max() < 1e-12
            found = b["vertices"][np.lexsort(np.round(b["vertices"], 9).T)]
            wanted = (a["vertices"] * MIRROR)[np.lexsort(np.round(a["vertices"] * MIRROR, 9).T)]
            assert found.shape == wanted.shape
            if s.joints[s.joint_index(one)].objects:
                assert np.abs(found - wanted).max(initial=0.0) < 1e-9


def without_left(s: Skeleton) -> SkeletonBuilder:
    builder = SkeletonBuilder(s)
    for name in s.joint_names:
        if name.startswith("left") and name in builder.joint_names:
            builder.remove(name)
    return builder


def test_the_human_from_his_right_side(skeletons_folder: Path) -> None:
    s = load_skeleton(skeletons_folder / "human.scr")
    builder = without_left(s)
    assert builder.mirror_side("right clavicle") == "left clavicle"
    assert builder.mirror_side("right thigh") == "left thigh"
    made = builder.build()
    assert write_scr(made) == write_scr(s)
    assert made.layout == s.layout


def test_a_side_that_is_there_is_replaced_and_keeps_its_values(skeletons_folder: Path) -> None:
    s = load_skeleton(skeletons_folder / "human.scr")
    builder = SkeletonBuilder(s)
    builder.place("right forearm", (-0.4, 1.1, 0.1), carry=True)
    builder.add("right horn", "right hand", offset=(0, -0.1, 0), mass=0.1)
    builder.add_dof("right hand", "hinge", "y")
    builder.mirror_side("right upper arm")
    made = builder.build()
    names = ["upper arm", "forearm", "hand", "horn"]
    assert_mirrored(made, {f"right {name}": f"left {name}" for name in names})
    poses = builder.pose_map()
    q = np.arange(3.0, 3.0 + s.nq)
    new = dict(zip(made.dof_names, poses.convert(q)[3:], strict=True))
    old = dict(zip(s.dof_names, q[3:], strict=True))
    kept = [name for name in old if name.startswith(("left upper arm", "left forearm"))]
    assert kept and all(new[name] == old[name] for name in kept)
    hand = [value for name, value in new.items() if name.startswith("left hand.")]
    assert hand == [0.0, 0.0, 0.0]  # another number of axes: they begin at rest


def test_the_other_way_round_and_again(skeletons_folder: Path) -> None:
    s = load_skeleton(skeletons_folder / "human.scr")
    builder = SkeletonBuilder(s)
    builder.mirror_side("left thigh")
    once = write_scr(builder.build())
    builder.mirror_side("right thigh")
    assert_mirrored(builder.build(), {"right thigh": "left thigh", "right foot": "left foot"})
    builder.mirror_side("left thigh")
    assert write_scr(builder.build()) == once


@pytest.mark.parametrize(
    ("name", "x", "other"),
    [
        ("LeftArm", 0.3, "RightArm"),
        ("arm_left", 0.3, "arm_right"),
        ("arm.R", -0.3, "arm.L"),
        ("L_arm", 0.3, "R_arm"),
        ("lhumerus", 0.3, "rhumerus"),
        ("rhand", -0.3, "lhand"),
        ("Bip01 R Hand", -0.3, "Bip01 L Hand"),
    ],
)
def test_names(name: str, x: float, other: str) -> None:
    s = Skeleton(
        "s", [Joint("hips", -1), Joint(name, 0, offset=(x, 0, 0), mass=1.0), Joint("tip", 1, offset=(x, 0, 0))]
    )
    builder = SkeletonBuilder(s)
    assert builder.mirror_side(name) == other
    made = builder.build()
    assert made.joints[made.joint_index(other)].offset[0] == -x
    assert builder.joint(name).mirror == other and builder.joint(other).mirror == name
    # A joint of the branch that names no side gets one.
    assert builder.joint("tip").mirror in ("right tip", "left tip")
    again = builder.mirror_side(other)
    assert again == name and len(builder.build().joints) == 5


def test_names_without_a_side_are_refused() -> None:
    for name in ("spine", "root", "leg"):
        s = Skeleton("s", [Joint("hips", -1), Joint(name, 0, offset=(0, 0.2, 0))])
        builder = SkeletonBuilder(s)
        with pytest.raises(SkeletonError, match="names no side"):
            builder.mirror_side(name)
    with pytest.raises(SkeletonError, match="is the root"):
        builder.mirror_side("hips")


def test_a_counterpart_that_is_in_the_way_is_reported() -> None:
    joints = [Joint("hips", -1), Joint("left arm", 0), Joint("left hand", 1), Joint("head", 0), Joint("right hand", 3)]
    with pytest.raises(SkeletonError, match='there is a joint "right hand" outside the branch of "right arm"'):
        SkeletonBuilder(Skeleton("s", joints)).mirror_side("left arm")
    joints = [Joint("hips", -1), Joint("left arm", 0), Joint("right arm", 1)]
    with pytest.raises(SkeletonError, match="part of the branch"):
        SkeletonBuilder(Skeleton("s", joints)).mirror_side("left arm")


def test_a_parent_that_stands_askew() -> None:
    """Frames of the middle may point anywhere: the reflection is that of the world."""
    rng = np.random.default_rng(4)
    joints = [
        Joint("hips", -1, orientation=rng.uniform(-90, 90, 3), dofs=(hinge("y"),)),
        Joint("chest", 0, orientation=rng.uniform(-90, 90, 3)),
        Joint(
            "left arm", 1, offset=rng.normal(size=3), orientation=rng.uniform(-90, 90, 3), dofs=(hinge("x"),), mass=1.0
        ),
        Joint("left hand", 2, offset=rng.normal(size=3), dofs=(hinge("z"), hinge("y")), mass=1.0, tips=((0.1, 0, 0),)),
    ]
    # The chest's origin in the plane of reflection, as far as the arms are concerned it need not be.
    builder = SkeletonBuilder(Skeleton("askew", joints))
    builder.mirror_side("left arm")
    assert_mirrored(builder.build(), {"left arm": "right arm", "left hand": "right hand"})


def test_the_branch_hangs_on_the_counterpart_of_its_parent(skeletons_folder: Path) -> None:
    s = load_skeleton(skeletons_folder / "human.scr")
    builder = SkeletonBuilder(s)
    builder.remove("left forearm")
    builder.mirror_side("right forearm")
    assert builder.build().joints[builder.build().joint_index("left forearm")].parent == s.joint_index("left upper arm")
    assert write_scr(builder.build()) == write_scr(s)


def test_skins_follow_the_counterparts() -> None:
    mesh = box_mesh((0, 0, 0), (0.3, 0.1, 0.1))
    skin = Mesh(mesh.vertices, mesh.triangles, (), (("chest", np.full(8, 0.2)), ("left hand", np.linspace(0, 0.5, 8))))
    joints = [
        Joint("chest", -1, dofs=(hinge("y"),)),
        Joint("left arm", 0, offset=(0.2, 0.1, 0), dofs=(hinge("z"),), objects=(SegmentObject("a.pol", skin),)),
        Joint("left hand", 1, offset=(0.3, 0, 0), dofs=(hinge("z"),), mass=1.0),
    ]
    builder = SkeletonBuilder(Skeleton("s", joints))
    builder.mirror_side("left arm")
    made = builder.build()
    (part,) = made.joints[made.joint_index("right arm")].objects
    assert part.file == "a.pol" and part.mirrored
    assert_mirrored(made, {"left arm": "right arm", "left hand": "right hand"})
    again = read_scr(write_scr(made), objects={"a.pol": skin})
    assert write_scr(again) == write_scr(made)
    # Moved by itself, the mirrored side gets a file of its own that names its own joints.
    builder.place("right arm", (-0.5, 0.2, 0), carry=False)
    (part,) = builder.joint("right arm").objects
    assert not part.mirrored and [name for name, _ in part.mesh.weights] == ["chest", "right hand"]


@pytest.mark.parametrize("seed", range(5))
def test_random_branches(seed: int) -> None:
    s = random_body(seed, scaled=seed % 2 == 1)
    first = s.children[0][0]
    name = s.joint_names[first]
    builder = SkeletonBuilder(s)
    builder.set("j0", orientation=(0, 0, 0), scale=(1, 1, 1))
    builder.rename(name, "left branch")
    branch = ["left branch"]
    for at in branch:
        branch += builder.children(at)
    builder.set("j0", dofs=())
    other = builder.mirror_side("left branch")
    assert other == "right branch"
    pairs = {at: builder.joint(at).mirror for at in branch}
    made = builder.build()
    assert len(made.joints) == len(s.joints) + len(branch)
    assert_mirrored(made, pairs)
