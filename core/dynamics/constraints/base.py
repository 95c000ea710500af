"""What a constraint is: rows ``G`` with ``G v`` and ``G vdot`` wanted, and a gap that should be zero or not negative.

The force of a constraint is ``G^T lambda`` here: the multiplier of a limit that holds is positive, the torque of a
prescribed joint is ``G^T lambda``. (Sueda writes ``M vdot + G^T lambda = f`` in 2.98 to 2.106, where it is
``-G^T lambda``, and ``f_con = G^T lambda`` in 2.124, which is ours.)
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.body_names import WORLD, body_index
from core.dynamics.constraints.rows import BodyRows, CoordinateRows, Rows
from core.dynamics.constraints.situation import Situation
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.motion import Motion
    from core.dynamics.multibody import Multibody

Vector = tuple[float, float, float]


class Constraint(ABC):
    """A condition on how the bodies of a model stand and move; frozen dataclasses below.

    Attributes:
        equality: Whether the rows hold as equations; else they are lower bounds.
        positional: Whether there is a gap to be closed; else only a velocity is wanted.
        strict: Whether a bound that a step has passed is met again at once, not by and by: one that curves is passed by
            every step along it.
        driven: Whether it leads along a motion over time, which may begin elsewhere than the model.
        failure: What messages say of one that cannot hold.
    """

    equality: ClassVar[bool] = True
    positional: ClassVar[bool] = True
    strict: ClassVar[bool] = False
    driven: ClassVar[bool] = False
    failure: ClassVar[str] = "cannot be met"

    @abstractmethod
    def describe(self, model: Multibody) -> str:
        """Return what messages call it, with the bodies' names.

        Raises:
            DynamicsError: If the model lacks one of the bodies.
        """

    @abstractmethod
    def evaluate(self, at: Situation) -> Rows:
        """Return the rows on the joint rates.

        Raises:
            DynamicsError: If the constraint does not fit the model.
        """

    @abstractmethod
    def body_rows(self, at: Situation) -> BodyRows:
        """Return the rows on the bodies' twists, for maximal coordinates.

        Raises:
            DynamicsError: If the constraint does not fit the model.
        """

    def rows(
        self, model: Multibody, motion: Motion | None, x: Array, v: Array, t: float = 0.0, home: Multibody | None = None
    ) -> Rows:
        """Return the rows on the joint rates.

        Args:
            model: The bodies.
            motion: ``motion(model, x, v)`` if it is known already, with velocities.
            x: Coordinates, shape (nq,).
            v: Rates, shape (nv,).
            t: Time [s].
            home: The model in whose charts coordinates of joints are meant; ``model`` unless given.

        Raises:
            DynamicsError: If the constraint does not fit the model.
        """
        return self.evaluate(Situation(model, x, v, t, home, motion))


class BodyConstraint(Constraint):
    """A constraint that is stated by the bodies' twists: ``G = G_m J``, ``bias = (Gdot_m J + G_m Jdot) v`` (2.102)."""

    def evaluate(self, at: Situation) -> Rows:
        """Return the rows on the joint rates."""
        return at.reduced(self.body_rows(at))


class CoordinateConstraint(Constraint):
    """A constraint that is stated by joint coordinates, in the charts of ``home``."""

    maximal: bool = False
    """Whether the joint rates are taken from the bodies' twists, so that the rows come by way of ``G_m`` or ``C_m``."""

    @abstractmethod
    def coordinate_rows(self, at: Situation) -> CoordinateRows:
        """Return the rows by the joints that they take."""

    def evaluate(self, at: Situation) -> Rows:
        """Return the rows on the joint rates."""
        return at.reduced(self.body_rows(at)) if self.maximal else at.spread(self.coordinate_rows(at))

    def body_rows(self, at: Situation) -> BodyRows:
        """Return the rows on the bodies' twists: a joint's rates are what is left of them in its subspace."""
        return at.on_bodies(self.coordinate_rows(at))


# -- what constraints are given ---------------------------------------------------------------------------------------


def body_name(model: Multibody, body: int | str) -> str:
    """Return what messages call a body: its name in quotes, or the world.

    Raises:
        DynamicsError: If there is no such body.
    """
    index = body_index(model, body)
    return "the world" if index == WORLD else f'"{model.names[index]}"'


def vector(value: ArrayLike, what: str) -> Vector:
    """Return three finite numbers as a tuple.

    Raises:
        DynamicsError: If they are not; names ``what``.
    """
    x, y, z = finite_array(value, (3,), what).tolist()
    return x, y, z


def direction(value: ArrayLike, what: str) -> Vector:
    """Return a unit vector as a tuple.

    Raises:
        DynamicsError: If the vector is not finite or has no length; names ``what``.
    """
    x, y, z = vector(value, what)
    length = math.sqrt(x * x + y * y + z * z)
    if not length > 0.0:
        raise DynamicsError(f"{what} is {[x, y, z]}; it must have a length")
    return x / length, y / length, z / length
