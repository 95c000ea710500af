"""Poses flipped in place, and one side carried over to the other."""

import numpy as np
import pytest

from core.formats.bundled import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Skeleton, load_skeleton
from core.skeleton.mirroring.pose_mirror import (
    mirrored_over,
    on_side,
    other_columns,
    pose_mirror,
    side_of,
    with_counterparts,
)
from core.skeleton.stance import flipped, stance
from tests.support.figures import hinge, slide


def human():
    return load_skeleton(bundled_folder() / "human.scr")


def bvh_like() -> Skeleton:
    """A root with slides and hinges in the order z, x, y, and two arms."""
    moves = tuple(slide(axis) for axis in "xyz") + tuple(hinge(axis) for axis in "zxy")
    joints = [Joint("hips", -1, dofs=moves)]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        joints.append(
            Joint(
                f"{side} arm", 0, offset=[0.3 * sign, 0.2, 0.0], dofs=(hinge("x"), hinge("y")),
                mirror=f"{'right' if side == 'left' else 'left'} arm",
            )
        )  # fmt: skip
    return Skeleton("bvh", joints)


@pytest.mark.parametrize(("figure", "exact"), [(human(), True), (bvh_like(), False)])
def test_a_pose_flipped_in_place_stays_there_faces_the_same_way_and_twice_is_itself(figure, exact):
    random = np.random.default_rng(5)
    for q in random.normal(0.0, 0.5, (8, figure.nq)):
        made = flipped(figure, q)
        before, after = forward_kinematics(figure, q), forward_kinematics(figure, made)
        assert np.allclose(after[0][:3, 3], before[0][:3, 3], atol=1e-12)
        # Seen from the root's own upright plane each part is the reflection of its counterpart.
        angle = q[3] if exact else stance(figure).heading(q)
        across = np.array([np.cos(angle), 0.0, -np.sin(angle)])
        reflect = np.eye(3) - 2.0 * np.outer(across, across)
        for joint, other in enumerate(pose_mirror(figure).counterparts):
            offset = before[joint][:3, 3] - before[0][:3, 3]
            assert np.allclose(after[other][:3, 3] - after[0][:3, 3], reflect @ offset, atol=1e-9)
        twice = flipped(figure, made)
        assert twice.tobytes() == q.tobytes() if exact else np.allclose(twice, q, atol=1e-12)
    assert flipped(figure, q, in_place=False).tobytes() == pose_mirror(figure).convert(q).tobytes()


def test_one_side_is_carried_over_and_the_middle_stays():
    figure = human()
    q = np.random.default_rng(2).normal(0.0, 0.3, figure.nq)
    arm = [figure.joint_index(name) for name in ("right upper arm", "right forearm", "chest")]
    columns = [c for j in arm for c in range(3 + figure.first_dof[j], 3 + figure.first_dof[j + 1])]
    made = mirrored_over(figure, q, columns)
    changed = set(np.flatnonzero(made != q))
    left = [figure.joint_index(name) for name in ("left upper arm", "left forearm")]
    assert changed == {c for j in left for c in range(3 + figure.first_dof[j], 3 + figure.first_dof[j + 1])}
    assert changed == set(other_columns(figure, columns))
    mirror = pose_mirror(figure)
    assert np.array_equal(made[list(changed)], (q[mirror.columns] * mirror.factors)[list(changed)])


def test_sides_come_from_names_else_from_places():
    figure = human()
    assert {side_of(figure, i) for i in on_side(figure, "left")} == {"left"}
    assert all("left" in figure.joints[i].name for i in on_side(figure, "left"))
    assert len(on_side(figure, "left")) == len(on_side(figure, "right"))
    hand = figure.joint_index("left hand")
    assert with_counterparts(figure, [hand]) == (hand, figure.joint_index("right hand"))
    plain = Skeleton("pair", [
        Joint("middle", -1),
        Joint("one", 0, offset=[-0.2, 0.0, 0.0], dofs=(hinge("x"),), mirror="two"),
        Joint("two", 0, offset=[0.2, 0.0, 0.0], dofs=(hinge("x"),), mirror="one"),
    ])  # fmt: skip
    assert [side_of(plain, i) for i in range(3)] == ["", "right", "left"]
