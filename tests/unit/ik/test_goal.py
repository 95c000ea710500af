"""What is refused, and how the refusal reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.errors import GoalError, PoseError
from core.ik import SOLVERS, Goal, solve
from core.kinematics import forward_kinematics
from core.spatial import so3
from tests.support.figures import arm7, fork

TIP = (0.0, 0.2, 0.0)
REST = np.zeros(10)


def goal(**changes: Any) -> Goal:
    return Goal(**{"joint": "j6", "point": TIP, "position": (0.3, 0.9, 0.1), **changes})


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300, 10**400])
def test_goals_refuse_numbers_that_make_no_sense(bad: float | int) -> None:
    for name, value in (
        ("position", (0, bad, 0)),
        ("point", (bad, 0, 0)),
        ("weight", bad),
        ("rotation", [[bad] * 3] * 3),
    ):
        with pytest.raises(GoalError, match="j6"):
            goal(**{name: value})


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_solve_refuses_numbers_that_make_no_sense(bad: float) -> None:
    q = REST.copy()
    q[5] = bad
    with pytest.raises(GoalError, match="pose"):
        solve(arm7(), q, goal())
    with pytest.raises(GoalError, match="tolerance"):
        solve(arm7(), REST, goal(), tolerance=bad)
    with pytest.raises(GoalError, match="weights"):
        solve(arm7(), REST, goal(), weights=np.full(10, bad))


def test_goals_of_the_wrong_shape_are_refused() -> None:
    for changes in (
        {"position": (1, 2)},
        {"point": 3.0},
        {"rotation": np.zeros((3, 3))},
        {"rotation": -np.eye(3)},
        {"rotation": np.diag([1.0, 1.0, 1.001])},
        {"weight": -1.0},
        {"weight": (1.0, -1.0)},
        {"weight": (1.0,)},
        {"weight": ((1.0,), 2.0)},
        {"weight": (1.0, np.nan)},
        {"position": None},
        {"position": "there"},
    ):
        with pytest.raises(GoalError):
            goal(**changes)


def test_position_and_rotation_may_be_weighed_apart() -> None:
    wanted = so3.exp([0.4, -0.8, 0.3])
    both = goal(rotation=wanted, weight=(4.0, 0.25))
    assert both.weight == both.weights == (4.0, 0.25) and goal(weight=3).weights == (3.0, 3.0)
    q = np.full(10, 0.2)
    result = solve(arm7(), q, both, max_iterations=0)
    X = forward_kinematics(arm7(), q)[7]
    away, turned = np.linalg.norm(X[:3] @ [*TIP, 1.0] - both.position), so3.angle_between(X[:3, :3], wanted)
    assert result.error == pytest.approx(np.sqrt(4.0 * away**2 + 0.25 * (1.6 * turned) ** 2))
    # A part without weight is free: it neither counts nor keeps from converging.
    only = solve(arm7(), q, goal(rotation=wanted, weight=(1.0, 0.0)))
    assert np.array_equal(only.q, solve(arm7(), q, goal()).q) and only.converged


def test_unknown_names_are_answered_with_the_valid_ones() -> None:
    with pytest.raises(GoalError, match=", ".join(solver.name for solver in SOLVERS)):
        solve(arm7(), REST, goal(), solver="magic")
    with pytest.raises(GoalError, match="j0, j1"):
        solve(arm7(), REST, goal(joint="tail"))
    with pytest.raises(GoalError, match="world"):
        solve(arm7(), REST, goal(), base="tail")
    with pytest.raises(GoalError, match="left hand"):
        solve(fork(), np.zeros(fork().nq), Goal("head", position=(0, 1, 0)), base="left hand")


def test_other_arguments_are_checked() -> None:
    for arguments in (
        {"goals": ()},
        {"goals": [(0, 0, 0)]},
        {"locks": [object()]},
        {"secondary": "comfort"},
        {"secondary": "range", "solver": "ccd"},
        {"tolerance": 0.0},
        {"weights": np.full(10, 1.5)},
        {"weights": np.ones(9)},
        {"max_iterations": -1},
        {"max_iterations": 2.5},
    ):
        with pytest.raises(GoalError):
            solve(arm7(), REST, **{"goals": goal(), **arguments})
    with pytest.raises(PoseError):
        solve(arm7(), REST[:-1], goal())


def test_solvers_have_distinct_names_and_labels() -> None:
    assert len({solver.name for solver in SOLVERS}) == len({solver.label for solver in SOLVERS}) == len(SOLVERS)
