"""Poses of all joints, Jacobians, drag chains and picking."""

from core.kinematics.chain import CHAIN_MODES, Chain, drag_chain
from core.kinematics.forward import forward_kinematics
from core.kinematics.jacobian import point_jacobian
from core.kinematics.ray import closest_point_on_ray

__all__ = [
    "CHAIN_MODES",
    "Chain",
    "closest_point_on_ray",
    "drag_chain",
    "forward_kinematics",
    "point_jacobian",
]
