"""Velocities at the end of a step with the constraints that are to hold there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from core.arrays import Array

if TYPE_CHECKING:
    from core.dynamics.forces import Load
    from core.dynamics.state import State
    from core.dynamics.system import System


def constrained_velocities(
    system: System, state: State, A: Array, rhs: Array, h: float, approach: Literal["touching", "ahead"], load: Load
) -> Array:
    """Return the velocities ``v1`` with ``A v1 = rhs + G^T lambda`` that meet the constraints of the scene.

    Equations hold as ``G v1 = velocity - gamma gap``, limits as ``>=`` where they are met; so do contacts, with the
    friction that the system's contact method finds.

    Args:
        system: What is simulated.
        state: Where and when the constraints are taken.
        A: Symmetric positive definite matrix of the step, shape (nv, nv).
        rhs: Shape (nv,).
        h: Step [s].
        approach: What limits do that are not touched yet, as in ``velocity_step``.
        load: What acts in the state, for maximal coordinates.

    Returns:
        Shape (nv,); new.

    Source: Sueda 2.99 to 2.107.
    """
    from core.dynamics.constraints import Situation, stacked, velocity_step

    at = Situation(system.model, state.x, state.v, state.t, state.home)
    if system.contact is not None:
        return system.contact.velocities(at, A, rhs, load, h, approach)
    stack = stacked(system.scene.constraints, at)
    return velocity_step(A, rhs, stack, h, system.stabilization.step, approach=approach)[0]
