"""A scene: a model in a state, and all that acts on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.arrays import finite_array
from core.dynamics.bearings import Bearing
from core.dynamics.forces import Force
from core.dynamics.multibody import Multibody
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.constraints import Constraint
    from core.dynamics.contact.scene import Contacts

Controller = Callable[[float, Array, Array], ArrayLike]
"""``controller(t, x, v) -> tau``, shape (nv,), in the charts of the scene's model; asked for whenever forces are."""


@dataclass(frozen=True, eq=False)
class Scene:
    """What ``simulate`` starts from. Units are the caller's.

    Attributes:
        model: The bodies and their joints.
        x: Coordinates at the start, shape (nq,).
        v: Rates at the start, shape (nv,).
        forces: What pushes, pulls and brakes, besides gravity, which the model knows.
        contacts: What touches, for the integrator ``contact`` or a contact method; None for nothing.
        bearings: Dry friction in joints, for the contact method ``bisp``.
        constraints: What must hold: closed loops, gears, prescribed motion, limits.
        controller: Torques as a function ``(t, x, v) -> tau``, or None.

    Raises:
        DynamicsError: If a number is not finite, a shape is wrong, or something names a body that is not there.
    """

    model: Multibody
    x: ArrayLike
    v: ArrayLike
    forces: tuple[Force, ...] = ()
    contacts: Contacts | None = None
    constraints: tuple[Constraint, ...] = ()
    controller: Controller | None = None
    bearings: tuple[Bearing, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.model, Multibody):
            raise DynamicsError(f"the model of a scene is {self.model!r}; it must be a Multibody")
        object.__setattr__(self, "x", _state(self.x, self.model.nq, "x"))
        object.__setattr__(self, "v", _state(self.v, self.model.nv, "v"))
        object.__setattr__(self, "forces", _all(self.forces, Force, "forces"))
        for force in self.forces:
            force.check(self.model)
        object.__setattr__(self, "bearings", _all(self.bearings, Bearing, "bearings"))
        if self.contacts is not None:
            from core.dynamics.contact.scene import Contacts

            if not isinstance(self.contacts, Contacts):
                raise DynamicsError(
                    f"the contacts of a scene are {shown(self.contacts)}; they must be Contacts, or None"
                )
            for geometry in self.contacts.geometries:
                self.model.index(geometry.body)
        if self.constraints:
            from core.dynamics.constraints import Constraint

            object.__setattr__(self, "constraints", _all(self.constraints, Constraint, "constraints"))
        if self.controller is not None and not callable(self.controller):
            raise DynamicsError(
                f"the controller is {self.controller!r}; it must be a function (t, x, v) -> tau, or None"
            )


def _state(value: ArrayLike, count: int, what: str) -> Array:
    array = np.array(finite_array(value, (count,), what))
    array.setflags(write=False)
    return array


def _all(items: Iterable[object], kind: type, what: str) -> tuple[object, ...]:
    try:
        items = tuple(items)
    except TypeError:
        raise DynamicsError(
            f"the {what} of a scene are {items!r}; they must be a tuple, (one,) for a single one"
        ) from None
    for item in items:
        if not isinstance(item, kind):
            raise DynamicsError(f"among the {what} of a scene is {item!r}; each must be a {kind.__name__}")
    return items
