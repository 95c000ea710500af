"""What an inverse-kinematics solver is: a name and a function of a problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from core.ik.problem import Problem


class Solver(NamedTuple):
    """A solver as menus and ``solve`` see it.

    Attributes:
        name: What ``solve(solver=...)`` takes.
        label: What the editor calls it.
        description: One sentence on how it feels.
        run: ``run(problem, tolerance, max_iterations) -> iterations``; tolerance in units of W; changes ``problem.x``.
        max_iterations: What ``None`` stands for.
        secondary: Whether it takes a second criterion.
        character: A word or two on it, for where there is little room.
    """

    name: str
    label: str
    description: str
    run: Callable[[Problem, float, int], int]
    max_iterations: int
    secondary: bool = False
    character: str = ""
