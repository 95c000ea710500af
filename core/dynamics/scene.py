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
from core.dynamics.hyper.reduction import HyperReduction
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
        bearings: Dry friction in joints, for the contact method ``bisp`` or the integrator ``contact``.
        constraints: What must hold: closed loops, gears, prescribed motion, limits.
        controller: Torques as a function ``(t, x, v) -> tau``, or None.
        reduction: The model in hyper-reduced coordinates: then ``x``, ``v`` and what the controller gives are those of
            its map. None for coordinates of all joints.

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
    reduction: HyperReduction | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.model, Multibody):
            raise DynamicsError(f"the model of a scene is {self.model!r}; it must be a Multibody")
        self._check_reduction()
        object.__setattr__(self, "x", _state(self.x, self.nq, "x"))
        object.__setattr__(self, "v", _state(self.v, self.nq, "v"))
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
            if self.reduction is not None:
                self._refuse_strict()
        if self.controller is not None and not callable(self.controller):
            raise DynamicsError(
                f"the controller is {self.controller!r}; it must be a function (t, x, v) -> tau, or None"
            )

    @property
    def nq(self) -> int:
        """How many coordinates, and rates, ``x`` and ``v`` have."""
        return self.model.nq if self.reduction is None else self.reduction.nq

    def _check_reduction(self) -> None:
        if self.reduction is None:
            return
        if not isinstance(self.reduction, HyperReduction):
            raise DynamicsError(
                f"the reduction of a scene is {shown(self.reduction)}; it must be a HyperReduction, or None"
            )
        if self.reduction.model is not self.model:
            raise DynamicsError("the reduction of a scene is of another model; expected one of the scene's model")

    def _refuse_strict(self) -> None:
        for constraint in self.constraints:
            if constraint.strict:
                raise DynamicsError(
                    f"a scene in hyper-reduced coordinates has a {type(constraint).__name__}, whose bound is met "
                    "within every step; expected other constraints, or no reduction"
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
