"""Re-rooted figures: every segment stays where it is, in every pose, there and back."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import JointError, PoseError, SkeletonError
from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Skeleton, load_skeleton, read_scr, write_scr
from core.skeleton.clamp import clamp_pose
from core.skeleton.cones import cone_hinges
from core.skeleton.frames import local_frame
from core.skeleton.skeleton import find_compounds
from core.spatial import so3
from tests.support.bodies import random_body, world
from tests.support.counts import few_of
from tests.support.figures import arm7, chain, fork, hinge, random_pose, slide
from tests.support.joint_type_figures import TYPES, arm_figure, arm_on

BUNDLED = ("human.scr", "stickman.scr", "arm7.scr", "chain20.scr", "joints.scr")


def assert_same_world(s: Skeleton, q: np.ndarray, r: Skeleton, p: np.ndarray, tolerance: float = 1e-12) -> None:
    before, after = forward_kinematics(s, q), forward_kinematics(r, p)
    for name in s.joint_names:
        old, new = world(s, q, name, before), world(r, p, name, after)
        for what in old:
            wanted = old[what]
            if what == "tips" and len(new[what]) > len(wanted):
                continue  # the old root's origin has become the end of its segment
            assert new[what].shape == wanted.shape, (name, what)
            assert np.abs(new[what] - wanted).max(initial=0.0) < tolerance, (name, what)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("file", BUNDLED)
def test_bundled_figures_at_every_joint(skeletons_folder: Path, file: str) -> None:
    s = load_skeleton(skeletons_folder / file)
    rng = np.random.default_rng(1)
    for name in few_of(s.joint_names, 8):
        r = s.rerooted(name)
        assert r.joint_names[0] == name and sorted(r.joint_names) == sorted(s.joint_names)
        q = np.array([random_pose(s, rng, 3.0) for _ in range(3)])
        p = r.convert(q)
        before, after = forward_kinematics(s, q), forward_kinematics(r, p)
        for i, joint in enumerate(r.joint_names):
            assert np.abs(after[:, i] @ r.frames[i] - before[:, s.joint_index(joint)]).max() < 1e-12
        for one, other in zip(q, p, strict=True):
            assert_same_world(s, one, r, other)
        assert np.abs(forward_kinematics(s, r.revert(p)) - before).max() < 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_random_bodies(seed: int) -> None:
    s = random_body(seed, scaled=seed % 2 == 1, ordered=seed % 3 != 0)
    rng = np.random.default_rng(seed)
    r = s.rerooted(int(rng.integers(1, len(s.joints))))
    for _ in range(3):
        q = random_pose(s, rng, 2.0)
        assert_same_world(s, q, r, r.convert(q), 1e-12 * 2.0**4)


def test_the_example_of_the_docs() -> None:
    s = read_scr(
        """
define skeleton "leg"
    joint "pelvis"
    joint "thigh"
    joint "shank"
end skeleton
define joint "pelvis"
    offset 0 0.9 0
    hinge y "Turn"
    hinge x "Bend"
    hinge -z "Side"
    mass 8
end joint
define joint "thigh"
    offset 0.1 0 0
    hinge -x -30 120 "Hip flex"
    hinge z -30 45 "Hip out"
    mass 7
    weight 0.7
    color 1 0 0
end joint
define joint "shank"
    offset 0 -0.4 0
    hinge x 0 135 "Knee flex"
    mass 3
    stiffness 5 rest 10
end joint
"""
    )
    r = s.rerooted("shank")
    shank, thigh, pelvis = r.joints
    assert r.joint_names == ("shank", "thigh", "pelvis") and [joint.parent for joint in r.joints] == [-1, 0, 1]
    assert np.array_equal(shank.offset, (0.1, 0.5, 0)) and shank.dof_labels == ("Turn", "Bend", "Side")
    assert np.array_equal(thigh.offset, (0, 0, 0)) and np.array_equal(pelvis.offset, (0, 0.4, 0))
    # The thigh moves by the knee now, the pelvis by the hip, last axis first; limits and labels as they were.
    assert thigh.dof_labels == ("Knee flex",) and pelvis.dof_labels == ("Hip out", "Hip flex")
    assert np.array_equal([dof.axis for dof in pelvis.dofs], [(0, 0, -1), (1, 0, 0)])
    assert [(dof.lo, dof.hi) for dof in pelvis.dofs] == [(d.lo, d.hi) for d in reversed(s.joints[1].dofs)]
    # What belongs to the motion goes along, what belongs to the segment stays.
    assert pelvis.weight == 0.7 and thigh.weight == 1.0 and shank.weight == 1.0
    assert thigh.stiffness == s.joints[2].stiffness and shank.stiffness is None
    assert thigh.color == (1, 0, 0) and pelvis.color is None and thigh.mass == 7
    q = np.zeros(s.nq)
    q[3:] = (0.3, -0.2, 0.1, 0.5, 0.2, 1.0)
    assert r.convert(q)[6:].tolist() == [1.0, 0.2, 0.5]


@pytest.mark.verify
def test_a_pose_is_a_pose_of_zeros_before_and_after() -> None:
    for seed in range(10):
        s = random_body(seed, root=3)
        r = s.rerooted(7)
        p = r.convert(np.zeros(s.nq))
        moved = forward_kinematics(r, p) - forward_kinematics(r, np.zeros(r.nq))
        assert np.abs(moved).max() < 1e-12


@pytest.mark.sampled(4)
@pytest.mark.parametrize("count", range(7))
@pytest.mark.parametrize("seed", range(6))
def test_roots_of_any_kind_come_back(seed: int, count: int) -> None:
    """Poses that the old root can take are met, with hinges and slides of any number and at any angles."""
    s = random_body(100 * count + seed, root=count)
    rng = np.random.default_rng(seed)
    r = s.rerooted(int(rng.integers(1, len(s.joints))))
    hinges = [dof for dof in r.joints[0].dofs if dof.kind == "hinge"]
    assert len(hinges) >= 3 and all(dof.lo == -math.inf and dof.hi == math.inf for dof in hinges)
    q = np.array([random_pose(s, rng, 3.0) for _ in range(4)])
    p = r.convert(q)
    back = r.revert(p)
    assert np.abs(forward_kinematics(s, back) - forward_kinematics(s, q)).max() < 1e-11
    own = len(s.joints[0].dofs)
    assert np.abs(back[:, 3 + own :] - q[:, 3 + own :]).max(initial=0.0) < 1e-12
    # Any pose of the new figure is met as well by one that turns every way.
    free = Skeleton("free", [replace(s.joints[0], dofs=fork().joints[0].dofs, dof_labels=()), *s.joints[1:]])
    again = free.rerooted(r.joint_names[0])
    p = rng.uniform(-2, 2, again.nq)
    frames = forward_kinematics(again, again.convert(again.revert(p)))
    assert np.abs(frames - forward_kinematics(again, p)).max() < 1e-11


def test_values_come_back_up_to_the_branch() -> None:
    s = fork()
    rng = np.random.default_rng(2)
    r = s.rerooted("left hand")
    for _ in range(20):
        q = random_pose(s, rng, 1.4)
        assert np.abs(r.revert(r.convert(q)) - q).max() < 1e-12


def test_slides_that_place_the_figure_go_on_placing_it() -> None:
    """Imported figures are moved by slides of the root: those of the new root say where that is."""
    s = fork()
    dofs = (slide("x", -1, 1), slide("z"), slide("y"), *s.joints[0].dofs)
    s = Skeleton("imported", [replace(s.joints[0], dofs=dofs, dof_labels=()), *s.joints[1:]])
    r = s.rerooted("left hand")
    assert r.nq == s.nq and [dof.kind for dof in r.joints[0].dofs] == ["slide"] * 3 + ["hinge"] * 3
    assert (r.joints[0].dofs[0].lo, r.joints[0].dofs[0].hi) == (-math.inf, math.inf)
    rng = np.random.default_rng(5)
    q = np.array([random_pose(s, rng, 1.4) for _ in range(5)])
    p = r.convert(q)
    assert np.array_equal(p[:, :3], q[:, :3])
    hands = forward_kinematics(s, q)[:, s.joint_index("left hand"), :3, 3]
    assert np.abs(hands - q[:, :3] - r.joints[0].offset - p[:, [3, 5, 4]]).max() < 1e-12
    for one in q:
        assert np.abs(r.revert(r.convert(one)) - one).max() < 1e-12


def test_a_motion_keeps_its_turns() -> None:
    """Angles do not jump from pose to pose, and a pirouette stays one."""
    s = fork()
    r = s.rerooted("right hand")
    rng = np.random.default_rng(3)
    start = random_pose(s, rng, 0.5)
    q = np.tile(start, (40, 1))
    q[:, 5] = np.linspace(0.0, 4.0 * math.pi, 40)  # the root's y comes last
    p = r.convert(q)
    assert np.abs(np.diff(p[:, 3:6], axis=0)).max() < 2.0
    turned = np.sum(np.abs(p[-1, 3:6] - p[0, 3:6]))
    assert turned == pytest.approx(4.0 * math.pi, abs=1e-9)
    leap = r.convert(q[[0, -1]])
    assert np.sum(np.abs(leap[1, 3:6] - leap[0, 3:6])) == pytest.approx(4.0 * math.pi, abs=1e-9)
    assert np.abs(r.revert(p) - q).max() < 1e-9


def test_there_and_back_is_the_same_figure(skeletons_folder: Path) -> None:
    for file, joint in (("human.scr", "left foot"), ("human.scr", "left toes"), ("stickman.scr", "left hand")):
        s = load_skeleton(skeletons_folder / file)
        back = s.rerooted(joint).rerooted(s.joint_names[0])
        assert sorted(back.joint_names) == sorted(s.joint_names)
        assert back.nq == s.nq
        for joint in s.joints:
            other = back.joints[back.joint_index(joint.name)]
            for field in ("offset", "orientation", "scale", "center", "inertia"):
                assert np.abs(getattr(other, field) - getattr(joint, field)).max() < 1e-12, (joint.name, field)
            assert other.pivot is None or np.abs(other.pivot).max() < 1e-12
            assert other.dof_labels == joint.dof_labels and len(other.tips) == len(joint.tips)
            assert all(np.abs(a.axis - b.axis).max() < 1e-12 for a, b in zip(other.dofs, joint.dofs, strict=True))
            assert [dof[2:] for dof in other.dofs] == [dof[2:] for dof in joint.dofs]


@pytest.mark.verify
def test_going_round_does_not_make_the_figure_grow() -> None:
    for s in (chain(8), arm7(), random_body(4), random_body(5, scaled=True)):
        rng = np.random.default_rng(0)
        at, sizes, texts = s, [], []
        for _ in range(6):
            at = at.rerooted(int(rng.integers(1, len(s.joints)))).rerooted(s.joint_names[0])
            sizes.append((at.nq, len(at.joints), sum(len(joint.objects) for joint in at.joints)))
            texts.append(len(write_scr(at)))
        assert len({size[:2] for size in sizes}) == 1
        assert sizes[-1][2] == sizes[0][2]
        assert texts[-1] < 1.3 * texts[0]


def test_capsules_come_back_as_capsules() -> None:
    s = Skeleton("chain", [replace(joint.as_given(), mass=1.0) for joint in chain(5).joints])
    r = s.rerooted(4)
    assert any(joint.objects for joint in r.joints)  # seen from the other end a capsule has its seam elsewhere
    assert not any(joint.objects for joint in r.rerooted("j0").joints)


def test_no_change_at_the_root_itself() -> None:
    s = random_body(3, root=1)
    r = s.rerooted(0)
    q = random_pose(s, np.random.default_rng(0))
    assert np.array_equal(r.convert(q), q) and np.array_equal(r.revert(q), q)
    assert write_scr(r) == write_scr(s)
    assert np.array_equal(r.frames, np.tile(np.eye(4), (len(s.joints), 1, 1)))


@pytest.mark.verify
def test_written_and_read_again_it_is_the_same(skeletons_folder: Path) -> None:
    s = load_skeleton(skeletons_folder / "human.scr")
    r = s.rerooted("right hand")
    objects = {part.file: part.mesh for joint in r.joints for part in joint.objects if not part.mirrored}
    again = read_scr(write_scr(r), folder=skeletons_folder, objects=objects)
    q = r.convert(random_pose(s, np.random.default_rng(0), 2.0))
    assert np.abs(forward_kinematics(again, q) - forward_kinematics(r, q)).max() < 1e-12
    assert write_scr(again) == write_scr(r)


# -- groups ----------------------------------------------------------------------------------------------------------


def test_groups_go_along(skeletons_folder: Path) -> None:
    s = load_skeleton(skeletons_folder / "human.scr")
    r = s.rerooted("left foot")
    groups = {name: [r.joint_names[i] for i in joints] for name, joints in r.groups}
    assert groups["Left leg"] == ["left shank", "left thigh"]
    assert groups["pelvis"] == ["pelvis"]
    assert groups["Left arm"] == ["left clavicle", "left upper arm", "left forearm", "left hand"]
    back = r.rerooted("pelvis")
    names = {name: sorted(back.joint_names[i] for i in joints) for name, joints in back.groups}
    assert names == {name: sorted(s.joint_names[i] for i in joints) for name, joints in s.groups}


# -- compounds, cones, counterparts ----------------------------------------------------------------------------------


def test_compounds_stay_together() -> None:
    s = fork()
    r = s.rerooted("left hand")
    labels = [set(compound) for compound in find_compounds(s)]
    assert len(labels) == 4  # root, chest and two shoulders
    joints = [{r.joints[r.dof_joints[k]].name for k in compound} for compound in r.compounds]
    # The left shoulder's three hinges are at the clavicle and the two joints between, seen from the arm.
    assert {"left shoulder", "left shoulder z", "left clavicle"} in joints
    assert {"right shoulder", "right shoulder z", "right arm"} in joints
    assert {"left hand"} in joints and {"pelvis"} in joints


def ball(cone: float, lo: float, hi: float) -> Skeleton:
    text = f"""
define skeleton "ball"
    joint "a"
    joint "b"
    joint "c"
end skeleton
define joint "a"
    mass 1
end joint
define joint "b"
    offset 0 1 0
    ball y {cone} {lo} {hi}
    mass 1
end joint
define joint "c"
    offset 0 1 0
    hinge x -90 90
    mass 1
end joint
"""
    return read_scr(text)


@pytest.mark.parametrize(("lo", "hi"), [(-30, 80), (-50, 50)])
def test_a_cone_binds_the_same_hinges(lo: float, hi: float) -> None:
    """Also where the twist has the very limits of the cone."""
    s = ball(50, lo, hi)
    r = s.rerooted("c")
    turned = r.joints[r.joint_index("a")]
    assert turned.cone == s.joints[1].cone
    assert cone_hinges(s.joints[1]) == (0, 1) and cone_hinges(turned) == (1, 2)
    rng = np.random.default_rng(0)
    for _ in range(30):
        q = rng.uniform(-1.5, 1.5, s.nq)
        assert np.abs(r.convert(clamp_pose(s, q))[6:] - clamp_pose(r, r.convert(q))[6:]).max() < 1e-10
    back = r.rerooted("a").joints[1]
    assert cone_hinges(back) == (0, 1) and back.cone == turned.cone
    limits = [[dof[2:] for dof in figure.dofs] for figure in (back, s.joints[1])]
    assert np.abs(np.subtract(*limits)).max() < 1e-10
    again = read_scr(write_scr(r))
    assert cone_hinges(again.joints[again.joint_index("a")]) == (1, 2)


def test_a_cone_that_cannot_be_written_goes() -> None:
    """A cone of the first two hinges, of limits of their own, would bind others when read backwards."""
    dofs = (hinge("x", -1, 2), hinge("z", -1, 1), hinge("y", -1, 1))
    s = Skeleton("s", [Joint("a", -1), Joint("b", 0, offset=(0, 1, 0), dofs=dofs, cone=0.5), Joint("c", 1)])
    assert s.rerooted("c").joints[2].cone is None
    assert s.rerooted("c").joints[0].cone is None


def test_counterparts_stay_pairs(skeletons_folder: Path) -> None:
    s = load_skeleton(skeletons_folder / "human.scr")
    r = s.rerooted("left hand")
    pairs = {frozenset((r.joint_names[i], r.joint_names[j])) for i, j in r.mirror_pairs}
    assert pairs == {frozenset((s.joint_names[i], s.joint_names[j])) for i, j in s.mirror_pairs}
    # A mirrored object that has to change is reported plainly, in a file of its own.
    files = {part.file: part.mirrored for joint in r.joints for part in joint.objects}
    assert files["human/left_forearm.pol"] is False and files["human/right_forearm.pol"] is False


# -- scales ----------------------------------------------------------------------------------------------------------


def test_even_scales_are_exact() -> None:
    """A slide beside a scale is in other lengths from the other end; its values and limits follow."""
    joints = [
        Joint("a", -1, dofs=(hinge("y"),), scale=np.full(3, 2.0), mass=1.0),
        Joint("b", 0, offset=(0, 0.5, 0), dofs=(slide("y", -0.1, 0.3), hinge("x", -1, 1)), scale=np.full(3, 0.5)),
        Joint("c", 1, offset=(0.1, 0.5, 0), dofs=(hinge("z"),), scale=np.full(3, 3.0), mass=1.0),
        Joint("d", 2, offset=(0, 0.2, 0), dofs=(slide("x", 0, 1),), mass=1.0),
    ]
    s = Skeleton("scaled", joints)
    r = s.rerooted("c")
    a = r.joints[r.joint_index("a")]
    assert [dof.kind for dof in a.dofs] == ["hinge", "slide"] and (a.dofs[1].lo, a.dofs[1].hi) == (-0.2, 0.6)
    rng = np.random.default_rng(1)
    for _ in range(10):
        q = random_pose(s, rng)
        p = r.convert(q)
        assert p[3 + r.first_dof[r.joint_index("a")] + 1] == pytest.approx(2.0 * q[4])
        assert_same_world(s, q, r, p)
        assert np.abs(forward_kinematics(s, r.revert(p)) - forward_kinematics(s, q)).max() < 1e-12


def test_uneven_scales_on_the_way_are_refused() -> None:
    joints = [Joint("a", -1), Joint("b", 0, scale=np.array([1.0, 2.0, 1.0])), Joint("c", 1), Joint("d", 0)]
    s = Skeleton("s", joints)
    with pytest.raises(SkeletonError, match=r'"c": joint "b" on the way has scale 1 2 1; expected one'):
        s.rerooted("c")
    assert s.rerooted("d").joint_names == ("d", "a", "b", "c")  # beside the way they do no harm


# -- errors ----------------------------------------------------------------------------------------------------------


def test_errors() -> None:
    s = fork()
    with pytest.raises(JointError, match="no joint"):
        s.rerooted("tail")
    with pytest.raises(JointError, match="no joint"):
        s.rerooted(99)
    r = s.rerooted("head")
    with pytest.raises(PoseError, match="shape"):
        r.convert(np.zeros(s.nq + 1))
    with pytest.raises(PoseError, match="finite"):
        r.revert(np.full(r.nq, np.nan))
    assert r.convert(np.zeros((0, s.nq))).shape == (0, r.nq)
    assert r.original is s


def test_the_angles_of_the_root_next_to_gimbal_lock() -> None:
    s = fork()
    r = s.rerooted("left hand")
    for offset in (0.0, 1e-12, 1e-9, 1e-6, 1e-3):
        p = np.zeros(r.nq)
        p[3:6] = (0.4, math.pi / 2 - offset, 0.2)
        q = r.revert(p)
        assert np.abs(forward_kinematics(r, r.convert(q)) - forward_kinematics(r, p)).max() < 1e-12


def test_axes_that_say_the_same_as_rotations() -> None:
    """The reversed chain is the inverse rotation, by a second formulation: plain matrices."""
    s = fork()
    r = s.rerooted("left hand")
    q = random_pose(s, np.random.default_rng(8))
    before = forward_kinematics(s, q)
    after = forward_kinematics(r, r.convert(q))
    a, b = s.joint_index("left arm"), s.joint_index("left hand")
    i, j = r.joint_index("left arm"), r.joint_index("left hand")
    there = before[a, :3, :3].T @ before[b, :3, :3]
    here = after[j, :3, :3].T @ after[i, :3, :3]
    assert so3.angle(there @ here) < 1e-12
    assert isinstance(s.joints[b].dofs[0], Dof)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", TYPES)
def test_joints_of_every_type_are_turned_round(name: str) -> None:
    s = arm_figure(name)
    r = s.rerooted("hand")
    rng = np.random.default_rng(7)
    old_names = {joint: i for i, joint in enumerate(s.joint_names)}
    q = np.array([clamp_pose(s, rng.normal(size=s.nq)) for _ in range(6)])
    there = r.convert(q)
    for before, after in zip(q, there, strict=True):
        F, G = forward_kinematics(s, before), forward_kinematics(r, after)
        for i, joint in enumerate(r.joint_names):
            assert G[i] @ r.frames[i] == pytest.approx(F[old_names[joint]], abs=1e-9), joint
    assert r.revert(there) == pytest.approx(q, abs=1e-9)
    turned = r.joints[r.joint_index("rail")]
    model = s.joints[1].curved
    assert (turned.curved is None) == (model is None)
    assert sorted(label for label in turned.dof_labels if label) == sorted(
        label for label in s.joints[1].dof_labels if label
    )
    text = write_scr(r)
    again = read_scr(text)
    assert write_scr(again) == text and len(again.joints) == 4
    # And back: the same joint, though it may go by another name.
    back = r.rerooted("rail")
    cart = back.joints[back.joint_index("cart")]
    values = q[2, 3 : 3 + len(s.joints[1].dofs)]
    assert local_frame(cart, values) == pytest.approx(local_frame(s.joints[1], values), abs=1e-9)
    if model is not None:
        assert cart.type == model or name == "reversed crane"
        for dof, other in zip(cart.dofs, s.joints[1].dofs, strict=True):
            assert dof[2:] == pytest.approx(other[2:])
        assert (cart.controls is None) == (s.joints[1].controls is None)
        assert cart.controls is None or (cart.controls == s.joints[1].controls).all()


def test_what_cannot_be_turned_round_says_so() -> None:
    text = arm_on(TYPES["screw"])
    scaled = read_scr(text.replace("joint type screw", "scale 2 2 2\njoint type screw"))
    with pytest.raises(SkeletonError, match='"cart" on the way is a screw joint with the scale 2, by which'):
        scaled.rerooted("hand")
    assert scaled.rerooted("rail").joint_names == scaled.joint_names
    root = read_scr(text.replace('define joint "rail"\n', 'define joint "rail"\njoint type screw y 0.1\n'))
    with pytest.raises(SkeletonError, match="the root is a screw joint, which says how it alone moves in the world"):
        root.rerooted("hand")
