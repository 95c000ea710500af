"""Maximal coordinates: every body moves by itself, and rows for the joints tie them together (Sueda 1.6 to 1.12)."""

from core.dynamics.maximal.forward import Accelerations, accelerations, forward_dynamics, joint_accelerations
from core.dynamics.maximal.state import MaximalState
from core.dynamics.maximal.stepping import euler_step, gap, stabilized

__all__ = [
    "Accelerations",
    "MaximalState",
    "accelerations",
    "euler_step",
    "forward_dynamics",
    "gap",
    "joint_accelerations",
    "stabilized",
]
