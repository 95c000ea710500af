"""Lagrangian dynamics of trees of bodies, and conversions between Cartesian and generalized coordinates.

Where the text of the paper that we have is not followed, because it cannot be meant:

- (25) starts with ``r_i``, (23) and (37) with ``(I_c w)`` and ``(R I_0 R^T)``, (39) to (41) with ``(J)_j``, (46) with
  ``M_c (J q')`` and (49) with ``(R_p R_k)``: all of these are time derivatives whose dot is missing. C is so short
  because the linear part of (39) to (41) is zero, and that is true of the derivatives only.
- (66) goes on with ``J_vk^+ v_k`` for slides: true where nothing turns. ``generalized_velocities_by_joint`` takes the
  relative velocity of the joint's frames instead.
- (67) has its prime on ``f`` and not on ``J_vk``, which must be the Jacobian of the point where the force acts.
- (70) has ``J'_v``, where its text assumes the centres of mass, for which (48) has ``J_v``.

Source: Liu & Jain, A Quick Tutorial on Multibody Dynamics (GIT-GVU-15-01-1).
"""

from core.dynamics.lagrangian.control import control_wrenches, generalized_state, velocities_of_state
from core.dynamics.lagrangian.equations import (
    coriolis,
    coriolis_by_tensor,
    forward_dynamics,
    kinetic_energy,
    mass_matrix,
    mass_matrix_gradient,
)
from core.dynamics.lagrangian.forces import (
    Forces,
    body_torques,
    cartesian_forces,
    forces_and_joint_torques,
    generalized_forces,
    generalized_forces_of_joint_torques,
    joint_torques,
    wrenches_on_bodies,
)
from core.dynamics.lagrangian.jacobians import Jacobians, Links, jacobian_rates, jacobians, links
from core.dynamics.lagrangian.velocities import (
    Velocities,
    cartesian_velocities,
    connectivity,
    generalized_velocities,
    generalized_velocities_by_joint,
    relative_velocities,
)

__all__ = [
    "Forces",
    "Jacobians",
    "Links",
    "Velocities",
    "body_torques",
    "cartesian_forces",
    "cartesian_velocities",
    "connectivity",
    "control_wrenches",
    "coriolis",
    "coriolis_by_tensor",
    "forces_and_joint_torques",
    "forward_dynamics",
    "generalized_forces",
    "generalized_forces_of_joint_torques",
    "generalized_state",
    "generalized_velocities",
    "generalized_velocities_by_joint",
    "jacobian_rates",
    "jacobians",
    "joint_torques",
    "kinetic_energy",
    "links",
    "mass_matrix",
    "mass_matrix_gradient",
    "relative_velocities",
    "velocities_of_state",
    "wrenches_on_bodies",
]
