"""Manipulators of joints with coordinates of their own: one each, with a letter and a colour."""

from __future__ import annotations

import numpy as np
import pytest

from app.marks.handle import handles
from app.words.dof_names import COORDINATE_LETTERS, COORDINATE_TOKENS
from core.joints import Composite, Screw
from core.kinematics import forward_kinematics
from core.skeleton import Joint, Skeleton
from core.skeleton.joint_type import type_dofs
from tests.support.joint_type_figures import arm_figure


@pytest.mark.parametrize("name", ["screw", "mirrored", "spline curve", "spline surface", "crane"])
def test_each_coordinate_has_a_mark(name: str) -> None:
    s = arm_figure(name)
    q = s.rest_pose()
    found = handles(s, q, forward_kinematics(s, q), 1)
    n = len(s.joints[1].dofs)
    assert [each.mark for each in found] == list("S" if n == 1 else "UVWPQR"[:n])
    assert all(each.token.startswith("coordinate_") and each.speed > 0.0 for each in found)


def test_there_are_marks_for_as_many_coordinates_as_a_joint_may_have() -> None:
    model = Composite(*(Screw(np.roll([1, 2, 3], k), 0.1 * k) for k in range(6)))
    s = Skeleton("s", [Joint("a", -1, dofs=type_dofs(model), type=model, mass=1.0)])
    q = s.rest_pose()
    found = handles(s, q, forward_kinematics(s, q), 0)
    assert len({each.mark for each in found}) == len(found) == 6
    assert len(COORDINATE_LETTERS) == len(COORDINATE_TOKENS) == 7
