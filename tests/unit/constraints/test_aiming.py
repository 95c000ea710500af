"""Which way a part looks, and what turns for it."""

from __future__ import annotations

import numpy as np
import pytest

from core.constraints import Lock
from core.constraints.aiming import aiming_joints, free_of_other, named_axis, natural_axis
from core.formats import load
from core.kinematics import forward_kinematics
from core.skeleton.segment import segment_tip


@pytest.mark.parametrize(
    ("figure", "part", "axis"),
    [
        ("human", "head", "forward"),
        ("human", "chest", "forward"),
        ("human", "pelvis", "forward"),
        ("human", "left hand", "along"),
        ("human", "right foot", "along"),
        ("horse", "head", "forward"),
        ("horse", "eyes", "forward"),
        ("horse", "pelvis", "forward"),
        ("horse", "tail 5", "along"),
        ("bird", "bill", "forward"),
        ("robot", "right forearm", "along"),
        ("arm7", "upper arm", "along"),
    ],
)
def test_heads_and_trunks_look_forward_and_limbs_along_themselves(skeletons_folder, figure, part, axis):
    s = load(skeletons_folder / f"{figure}.scr")
    s = s.figures[0]
    if part not in s.joint_names:
        part = s.joint_names[-1]
    assert natural_axis(s, part) == axis
    frame = forward_kinematics(s, s.rest_pose())[s.joint_index(part), :3, :3]
    assert np.allclose(frame @ named_axis(s, part, "forward"), [0.0, 0.0, 1.0])
    assert np.allclose(frame @ named_axis(s, part, "up"), [0.0, 1.0, 0.0])
    tip = segment_tip(s, part)
    assert np.allclose(named_axis(s, part, "along") * np.linalg.norm(tip), tip)


def test_the_goal_does_not_come_to_meet_the_look(skeletons_folder):
    s = load(skeletons_folder / "human.scr").figures[0]
    assert aiming_joints(s, "head") == ("abdomen", "chest", "neck", "head")
    assert aiming_joints(s, "left hand") == ("left clavicle", "left upper arm", "left forearm", "left hand")
    lock = Lock("head", "aim", other=("left hand", (0, 0, 0)), joints=aiming_joints(s, "head"))
    assert free_of_other(lock, s).joints == ("neck", "head")
    with pytest.raises(ValueError, match="sideways"):
        named_axis(s, "head", "sideways")
