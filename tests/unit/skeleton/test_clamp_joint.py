"""One joint clamped into its limits and its cone leaves the rest of the pose alone."""

from __future__ import annotations

import numpy as np

from core.skeleton import read_scr
from core.skeleton.clamp import clamp_joint

TEXT = """define skeleton "one arm"
    joint "trunk"
    joint "arm"
end skeleton
define joint "trunk"
    hinge x -10 10
end joint
define joint "arm"
    offset 0 1 0
    ball y 40 -90 90
end joint
"""


def test_the_cone_holds_and_the_rest_stays() -> None:
    s = read_scr(TEXT, "one.scr")
    q = s.rest_pose()
    q[3] = np.radians(25.0)  # outside the trunk's limits, and none of the arm's business
    arm = slice(3 + s.first_dof[1], 3 + s.first_dof[2])
    q[arm] = np.radians(39.0)
    clamped = clamp_joint(s, q, 1)
    assert clamped[3] == q[3]
    a, b, _ = clamped[arm]
    assert np.cos(a) * np.cos(b) >= np.cos(np.radians(40.0)) - 1e-12
    assert np.isclose(np.cos(a) * np.cos(b), np.cos(np.radians(40.0)), atol=1e-9)  # on the cone, not well inside
    inside = np.array(q)
    inside[arm] = np.radians([10.0, -5.0, 30.0])
    assert (clamp_joint(s, inside, 1) == inside).all()
