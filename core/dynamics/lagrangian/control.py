"""Controllers in generalized coordinates that drive bodies in maximal coordinates.

A simulator of separate bodies knows their poses and velocities and takes forces on them; a controller of a figure knows
its joints. Each step the state goes one way (eq. 66) and the torques go the other (eqs. 70, 71 with 68).

Source: Liu & Jain section 6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.lagrangian.forces import body_torques, cartesian_forces, joint_torques, wrenches_on_bodies
from core.dynamics.lagrangian.velocities import Velocities, generalized_velocities_by_joint
from core.dynamics.maximal import MaximalState

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

Controller = Callable[[float, Array, Array], ArrayLike]
"""``(t, x, v) -> tau``: generalized forces, shape (nv,), of time, coordinates and rates."""


def generalized_state(model: TreeModel, state: MaximalState) -> tuple[Array, Array]:
    """Return coordinates and rates of bodies given by poses and twists, the rates joint by joint (eq. 66).

    Where the joints have come apart, those of the nearest place that they allow.

    Args:
        model: The bodies.
        state: Where they are and how they move.

    Returns:
        ``x``, shape (nq,), and ``v``, shape (nv,); new.
    """
    x, _ = state.to_reduced(model)
    return x, generalized_velocities_by_joint(model, x, velocities_of_state(model, state))


def velocities_of_state(model: TreeModel, state: MaximalState) -> Velocities:
    """Return the velocities of the centres of mass and the angular velocities, in world axes.

    Args:
        model: The bodies.
        state: Where they are and how they move.
    """
    R = state.poses[:, :3, :3]
    centers = np.array([body.inertia.center for body in model.bodies])
    at_centers = state.twists[:, 3:] + np.cross(state.twists[:, :3], centers)
    return Velocities(np.einsum("bij,bj->bi", R, at_centers), np.einsum("bij,bj->bi", R, state.twists[:, :3]))


def control_wrenches(
    model: TreeModel, state: MaximalState, controller: Controller, t: float = 0.0, *, general: bool = False
) -> Array:
    """Return what a controller in generalized coordinates puts on bodies in maximal coordinates.

    Args:
        model: The bodies.
        state: Where they are and how they move.
        controller: ``(t, x, v) -> tau``.
        t: Time, [s].
        general: Whether forces at the centres of mass are allowed, by which slides and a floating root are driven too
            (eq. 70). Without, every joint gets a torque and its parent the opposite one (eq. 71).

    Returns:
        Wrenches ``[t; f]`` on the bodies at B's origin in B's axes, shape (nb, 6), as ``maximal.accelerations`` and
        ``maximal.euler_step`` take them; new.

    Raises:
        DynamicsError: If what the controller returns is of the wrong shape or not finite, or, without ``general``, a
            joint's generalized forces are no torque; names the body.
    """
    x, v = generalized_state(model, state)
    tau = finite_array(controller(t, x, v), (model.nv,), f"what the controller returns at t = {t:g} s")
    if general:
        return wrenches_on_bodies(model, x, *cartesian_forces(model, x, tau))
    torques = body_torques(model, x, joint_torques(model, x, tau))
    return wrenches_on_bodies(model, x, np.zeros_like(torques), torques)
