"""Poses moved inside the limits, cones included."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.errors import PoseError
from core.ik import SOLVERS, Goal, solve
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, clamp_pose, read_scr

CONE = math.radians(40.0)


def figure(*lines: str) -> Skeleton:
    inner = "\n".join(lines)
    return read_scr(
        f'define skeleton "s"\njoint "base"\njoint "arm"\njoint "tip"\nend skeleton\n'
        f'define joint "arm"\n{inner}\nend joint\ndefine joint "tip"\noffset 0 1 0\nhinge z -20 20\nend joint\n'
    )


def lean(s: Skeleton, q: np.ndarray, start: float = 0.0) -> float:
    """Angle between the arm and where the ball's axis is at rest."""
    up = np.array([0.0, math.cos(start), math.sin(start)])
    return math.acos(np.clip(forward_kinematics(s, q)[1][:3, 1] @ up, -1.0, 1.0))


def test_inside_stays_as_it_is() -> None:
    s = figure("ball y 40 -10 10")
    q = np.array([9.0, 0.0, -3.0, 0.3, -0.3, 0.1, 0.2])
    assert clamp_pose(s, q).tolist() == q.tolist() and clamp_pose(s, q) is not q


@pytest.mark.parametrize("seed", range(20))
def test_outside_comes_to_the_cones_rim(seed: int) -> None:
    s = figure("ball y 40 -10 10")
    q = np.zeros(7)
    q[3:] = np.random.default_rng(seed).uniform(-2.0, 2.0, 4)
    clamped = clamp_pose(s, q)
    assert (clamped[3:] >= s.limits[:, 0]).all() and (clamped[3:] <= s.limits[:, 1]).all()
    assert lean(s, clamped) <= CONE + 1e-9
    swings = np.clip(q[3:5], -CONE, CONE)
    if math.cos(swings[0]) * math.cos(swings[1]) < math.cos(CONE):
        assert lean(s, clamped) == pytest.approx(CONE, abs=1e-9)
        assert clamped[3] * swings[1] == pytest.approx(clamped[4] * swings[0])


def test_a_ball_behind_a_hinge() -> None:
    s = figure("hinge x -170 170", "ball y 40")
    clamped = clamp_pose(s, np.array([0, 0, 0, 1.5, 0.69, 0.69, 0.0, 0.0]))
    assert clamped[3] == 1.5
    assert lean(s, clamped, start=1.5) == pytest.approx(CONE, abs=1e-9)


def test_a_cone_wider_than_all_binds_nothing() -> None:
    s = figure("ball y 180")
    q = np.array([0.0, 0.0, 0.0, 3.0, 3.0, 5.0, 0.0])
    assert clamp_pose(s, q).tolist() == q.tolist()


@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
def test_inverse_kinematics_clamps_joints_it_does_not_move(solver: str) -> None:
    s = figure("ball y 40")
    q = np.array([0.0, 0.0, 0.0, 0.69, 0.69, 0.0, 0.0])
    result = solve(s, q, Goal("tip", (0, 1, 0), (0, 2, 0)), solver, base="tip")
    assert lean(s, result.q) == pytest.approx(CONE, abs=1e-9)


def test_what_is_no_pose_is_refused() -> None:
    with pytest.raises(PoseError):
        clamp_pose(figure("ball y"), np.zeros(3))
