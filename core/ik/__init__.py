"""Inverse kinematics."""

from core.ik.goal import Goal, Result
from core.ik.solve import SOLVERS, find_solver, solve
from core.ik.solver import Solver

__all__ = ["SOLVERS", "Goal", "Result", "Solver", "find_solver", "solve"]
