"""Poses of all joints, Jacobians and their singular values, drag chains and picking."""

from core.kinematics.center_of_mass import center_of_mass, center_of_mass_jacobian
from core.kinematics.chain import CHAIN_MODES, Chain, drag_chain
from core.kinematics.forward import forward_kinematics
from core.kinematics.jacobian import point_jacobian
from core.kinematics.ray import closest_point_on_ray
from core.kinematics.singular_values import (
    Ellipsoid,
    condition_number,
    manipulability,
    manipulability_ellipsoid,
    singular_values,
)

__all__ = [
    "CHAIN_MODES",
    "Chain",
    "Ellipsoid",
    "center_of_mass",
    "center_of_mass_jacobian",
    "closest_point_on_ray",
    "condition_number",
    "drag_chain",
    "forward_kinematics",
    "manipulability",
    "manipulability_ellipsoid",
    "point_jacobian",
    "singular_values",
]
