"""Friction and motor of a joint between its two bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.forces.base import Derivatives, Force, Load, coefficient
from core.dynamics.forces.joint_friction import ALL, add_friction, add_friction_terms, differentiate_friction
from core.errors import DynamicsError
from core.joints import Free, Free2D, FreeRotationFirst, Revolute

if TYPE_CHECKING:
    from core.dynamics.forces.implicit import ImplicitTerms
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State


@dataclass(frozen=True, eq=False)
class IntrinsicTorque(Force):
    """Viscous friction and a motor, ``e = -mu (omega - omega_parent) + beta axis`` on a body, ``-e`` on its parent.

    Both act on the relative angular velocity in the world whatever the joint's coordinates are, so that momenta stay
    and friction takes ``mu |omega - omega_parent|^2``. The parent of a root is the world, and its torque comes from
    outside then.

    Attributes:
        joint: The body that the joint carries, by index or name.
        friction: ``mu``, 0 or more, [N m s].
        motor: ``beta``, [N m], about the axis of a hinge; or a function of time [s] that returns it.
        hinges: Of the joint's coordinates those that friction is between, the first and that after the last, where
            several joints are one; None: all.

    Source: Hakenberg, Dynamic impact at hinges.
    """

    label: ClassVar[str] = "Friction and motor"
    description: ClassVar[str] = "Brakes two bodies against each other and turns them about their hinge."

    joint: int | str
    friction: float = 0.0
    motor: float | Callable[[float], float] = 0.0
    hinges: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", coefficient(self.friction, f"the friction in joint {self.joint!r}"))
        if not callable(self.motor):
            object.__setattr__(self, "motor", _torque(self.motor, f"the motor of joint {self.joint!r}"))

    def check(self, model: Multibody) -> None:
        joint = model.bodies[model.index(self.joint)].joint
        if isinstance(joint, (Free, Free2D, FreeRotationFirst)):
            raise DynamicsError(f"body {self.joint!r} floats freely; expected one with a joint that has friction")
        if self.hinges is not None and not 0 <= self.hinges[0] < self.hinges[1] <= joint.n:
            raise DynamicsError(
                f"the hinges {self.hinges!r} of joint {self.joint!r} are not among its coordinates, "
                f"of which it has {joint.n}"
            )
        motor = self._motor(0.0)
        if (callable(self.motor) or motor) and not isinstance(joint, Revolute):
            raise DynamicsError(
                f"the joint of body {self.joint!r} is {joint.type_name}; a motor turns about a revolute joint's axis"
            )

    def add(self, state: State, load: Load) -> None:
        body = state.model.index(self.joint)
        add_friction(state, body, self.friction, load.tau, self._hinges)
        motor = self._motor(state.t)
        if motor:
            load.tau[state.coordinates(body)] += motor  # of a hinge, whose axis turns it by its rate

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        differentiate_friction(state, state.model.index(self.joint), self.friction, derivatives, self._hinges)

    def implicit(self, terms: ImplicitTerms) -> bool:
        if callable(self.motor):
            return False
        body = terms.model.index(self.joint)
        add_friction_terms(terms, body, self.friction, self._hinges)
        if self.motor:
            terms.torque[int(terms.model.first[body])] += self.motor
        return True

    @property
    def _hinges(self) -> slice:
        return ALL if self.hinges is None else slice(*self.hinges)

    def _motor(self, t: float) -> float:
        if callable(self.motor):
            return _torque(self.motor(t), f"the motor of joint {self.joint!r} at {t:g} s")
        return self.motor


def _torque(value: float | Array, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise DynamicsError(f"{what} is {shown(value)}; it must be a finite number")
    return number
