"""Velocities at the end of a step with the constraints that are to hold there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from core.arrays import Array

if TYPE_CHECKING:
    from core.dynamics.state import State
    from core.dynamics.step_solves.base import Inverse
    from core.dynamics.system import System


def constrained_velocities(
    system: System, state: State, A: Array | Inverse, rhs: Array, h: float, approach: Literal["touching", "ahead"]
) -> Array:
    """Return the velocities ``v1`` with ``A v1 = rhs + G^T lambda`` that meet the constraints of the scene.

    Equations hold as ``G v1 = velocity - gamma gap``, limits as ``>=`` where they are met; so do contacts, with the
    friction that the system's contact method finds.

    Args:
        system: What is simulated.
        state: Where and when the constraints are taken.
        A: Symmetric positive definite matrix of the step, shape (nv, nv), or what multiplies columns by its inverse.
        rhs: Shape (nv,).
        h: Step [s].
        approach: What limits do that are not touched yet, as in ``velocity_step``.

    Returns:
        Shape (nv,); new.

    Source: Sueda 2.99 to 2.107.
    """
    from core.dynamics.constraints import Situation, velocity_step

    if system.contact is not None:
        assert not callable(A)
        at = Situation(system.model, state.x, state.v, state.t, state.home)
        return system.contact.velocities(at, A, rhs, system.load(state), h, approach)
    return velocity_step(A, rhs, system.stack(state), h, system.stabilization.step, approach=approach)[0]
