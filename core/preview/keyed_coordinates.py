"""Joints that keys move, as a constraint for the integrators that can follow it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.arrays import Array, Ints
from core.dynamics.constraints.base import CoordinateConstraint, body_name
from core.dynamics.constraints.rows import CoordinateRows
from core.dynamics.constraints.situation import Situation
from core.dynamics.integrators import Integrator
from core.dynamics.multibody import Multibody

Motion = Callable[[float], tuple[Array, Array, Array]]
"""Of a time [s]: coordinates of the whole model, their rates and accelerations, shape (nv,) each."""


@dataclass(frozen=True, eq=False)
class KeyedCoordinates(CoordinateConstraint):
    """Some coordinates of a joint follow keys.

    Attributes:
        body: Index of the body that the joint carries.
        places: Which of the joint's coordinates, shape (k,).
        part: Where all of them stand in the model.
        motion: The motion of the whole model.
    """

    driven = True

    body: int
    places: Ints
    part: slice
    motion: Motion

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"keys of {body_name(model, self.body)}"

    def coordinate_rows(self, at: Situation) -> CoordinateRows:
        """Return a row for each coordinate."""
        q, rate, acceleration = (each[self.part] for each in self.motion(at.t))
        joint, k = at.joint(self.body, q), self.places
        return CoordinateRows(((self.body, joint.A[k]),), joint.b[k], (joint.q - q)[k], rate[k], acceleration[k])


def keys_refused(integrator: Integrator | type[Integrator]) -> str:
    """Return what is said where an integrator cannot follow keys, in a line."""
    return (
        f"{integrator.label} takes no joints that keys move; make the whole figure dynamic, "
        "or choose another integrator"
    )
