"""Figures joined to one: the same frames, masses and compound joints, poses that are put together by copying."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

from core.errors import JointError, PoseError, SkeletonError
from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Skeleton, load_skeleton
from core.skeleton.joined import WORLD, is_prop, joined

FIGURES = ("human", "woman", "spider", "formulas", "joints", "bird")


def box() -> Skeleton:
    turns = tuple(Dof("hinge", axis, -np.inf, np.inf) for axis in np.eye(3))
    return Skeleton("box", [Joint("box", -1, dofs=turns, mass=2.0, tips=(np.array([0.0, 0.3, 0.0]),))])


def bent(s: Skeleton, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    lo, hi = np.clip(s.limits, -1.0, 1.0).T
    q = s.rest_pose()
    q[:3] = rng.normal(size=3)
    q[3:] = np.clip(q[3:] + 0.3 * rng.uniform(lo, hi), *s.limits.T)
    return q


@pytest.fixture(scope="module")
def members(skeletons_folder: Path) -> tuple[Skeleton, ...]:
    return (*(load_skeleton(skeletons_folder / f"{name}.scr") for name in FIGURES), box())


def test_every_part_is_where_its_own_figure_has_it(members: tuple[Skeleton, ...]) -> None:
    J = joined(members)
    poses = [bent(member, k) for k, member in enumerate(members)]
    frames = forward_kinematics(J, J.join(poses))
    for k, (member, q) in enumerate(zip(members, poses, strict=True)):
        own = [J.joint(k, i) for i in range(len(member.joints))]
        assert np.array_equal(frames[own], forward_kinematics(member, q)), member.name
        first = J.columns[k].start
        there = tuple(tuple(first + d for d in run) for run in member.compounds)
        assert there == tuple(run for run in J.compounds if first <= run[0] < J.columns[k].stop), member.name


def test_masses_limits_and_sides_are_the_members(members: tuple[Skeleton, ...]) -> None:
    J = joined(members)
    for k, member in enumerate(members):
        assert np.array_equal(J.limits[J.columns[k].start : J.columns[k].stop - 3], member.limits)
        for i, joint in enumerate(member.joints):
            here = J.joints[J.joint(k, i)]
            for name in ("mass", "center", "inertia", "cone", "type", "weight", "resistance"):
                assert np.array_equal(getattr(here, name), getattr(joint, name)), (joint.name, name)
            assert J.member_of(J.joint(k, joint.name)) == (k, i)
            if joint.mirror in member.joint_names:
                assert here.mirror == J.joints[J.joint(k, joint.mirror)].name
            assert [loop.other for loop in here.loops] == [f"{k}/{loop.other}" for loop in joint.loops]
            for follow, own in zip(here.follows, joint.follows, strict=True):
                assert [each.joint for each in follow.leaders] == [f"{k}/{each.joint}" for each in own.leaders]
        assert J.member_of(J.place(k)) == (k, -1)
        assert list(J.joints_of(k)) == [J.place(k), *(J.joint(k, i) for i in range(len(member.joints)))]
    assert J.joints[0].name == WORLD and J.member_of(0) == (-1, -1)


def test_poses_go_together_and_apart_to_the_bit(members: tuple[Skeleton, ...]) -> None:
    J = joined(members)
    one = [bent(member, k) for k, member in enumerate(members)]
    many = [np.stack([bent(member, 10 * k + n) for n in range(4)]) for k, member in enumerate(members)]
    for poses in (one, many):
        whole = J.join(poses)
        assert whole.shape[-1] == J.nq and not whole[..., list(J.FIXED)].any()
        for pose, back in zip(poses, J.split(whole), strict=True):
            assert np.array_equal(pose, back) and back.base is whole
    for own, root, member in zip(J.columns, J.roots, members, strict=True):
        assert own.start == root.start and root.stop - root.start == 3 + len(member.joints[0].dofs)


def test_a_figure_may_be_there_twice_and_is_kept_as_long_as_anybody_has_it(skeletons_folder: Path) -> None:
    man = load_skeleton(skeletons_folder / "human.scr")
    twins = joined((man, man))
    assert joined([man, man]) is twins and joined((man,)) is not twins
    assert twins.joint(1, "head") - twins.joint(0, "head") == len(man.joints) + 1
    gone = weakref.ref(twins)
    del twins
    gc.collect()
    assert gone() is None


def test_nonsense_is_refused(skeletons_folder: Path) -> None:
    with pytest.raises(SkeletonError, match="no figures"):
        joined(())
    thing = box()
    J = joined((thing, thing))
    with pytest.raises(PoseError, match="1 poses for 2 figures"):
        J.join([thing.rest_pose()])
    with pytest.raises(PoseError, match="shape"):
        J.join([thing.rest_pose(), np.zeros(3)])
    with pytest.raises(PoseError, match="shape"):
        J.split(np.zeros(4))
    with pytest.raises(JointError, match="lid"):
        J.joint(0, "lid")


def test_what_is_a_prop(members: tuple[Skeleton, ...]) -> None:
    assert [member.name for member in members if is_prop(member)] == ["box"]


def test_a_part_called_place_does_not_get_in_the_way() -> None:
    s = Skeleton("odd", [Joint("place", -1, dofs=box().joints[0].dofs, mass=1.0)])
    J = joined((s, s))
    assert J.joints[J.joint(1, "place")].name == "1/place" and len(set(J.joint_names)) == 5
