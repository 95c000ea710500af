"""Joints asked for by index or name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import JointError, PoseError
from core.kinematics import point_jacobian
from core.skeleton import Skeleton, load_skeleton


@pytest.fixture(scope="module")
def stickman(skeletons_folder: Path) -> Skeleton:
    return load_skeleton(skeletons_folder / "stickman.scr")


@pytest.mark.parametrize("joint", [6, np.int64(6), np.uint8(6), "head", np.str_("head")])
def test_index_and_name_lead_to_the_same_joint(stickman: Skeleton, joint: Any) -> None:
    assert stickman.joint_index(joint) == 6


@pytest.mark.parametrize("joint", [-1, 11, 1.7, 2.0, True, None, [1], float("nan"), "Head", ""])
def test_what_names_no_joint_is_refused(stickman: Skeleton, joint: Any) -> None:
    with pytest.raises(JointError, match="no joint"):
        stickman.joint_index(joint)


@pytest.mark.parametrize("point", ["here", (1.0, 2.0), (0.0, np.nan, 0.0), None])
def test_what_is_no_point_is_refused(stickman: Skeleton, point: Any) -> None:
    with pytest.raises(PoseError, match="three finite numbers"):
        point_jacobian(stickman, stickman.rest_pose(), "head", point)
