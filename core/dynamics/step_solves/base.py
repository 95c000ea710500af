"""What a way to solve a linearly implicit step is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from core.arrays import Array

if TYPE_CHECKING:
    from core.dynamics.state import State
    from core.dynamics.system import System

Inverse = Callable[[Array], Array]
"""Multiplies columns, shape (nv, k), by the inverse of a matrix."""


class StepEquations(NamedTuple):
    """A linearly implicit step, ``left v1 = right``: ``(M + h D - h^2 K) v1 = M v0 + h (force + D v0)``.

    Attributes:
        left: The matrix, shape (nv, nv), or what multiplies by its inverse: what ``velocity_step`` takes.
        right: Shape (nv,).
        solve: Returns ``v1`` where no constraints hold, shape (nv,).
    """

    left: Array | Inverse
    right: Array
    solve: Callable[[], Array]


StepSolve = Callable[["System", "State", Array, Array, Array, float], StepEquations]
"""Takes a system, its state at the time that forces are asked for, coordinates and rates at the start of the step, the
rates of which centrifugal and Coriolis forces are taken, and the step [s]."""
