"""Inverse kinematics."""

from core.ik.criteria import CRITERIA, Criterion, Posture
from core.ik.goal import Goal, Result
from core.ik.solve import SOLVERS, find_solver, solve
from core.ik.solver import Solver

__all__ = ["CRITERIA", "SOLVERS", "Criterion", "Goal", "Posture", "Result", "Solver", "find_solver", "solve"]
