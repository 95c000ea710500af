"""What all residuals share: a function of points and orientations that is to be zero, and its derivatives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from core.arrays import Array

POINT, ORIENTATION = "point", "orientation"
"""Places of a residual's arguments: a point of the constrained part, shape (3,), [m], and its rotation, (3, 3)."""
OTHER_POINT, OTHER_ORIENTATION = "other point", "other orientation"
"""The same of the second part."""
CENTER, POSE = "center", "pose"
"""The figure's centre of mass, shape (3,), [m], and its whole pose, shape (nq,), whose Jacobian has nq columns."""


class Residual(ABC):
    """``C(h)``, shape (m,), of the arguments ``h`` that ``of`` names, all in world axes.

    The rate of a point is its velocity, that of an orientation its angular velocity in world axes, and so for
    accelerations, shape (3,) each.

    Attributes:
        angular: Whether C is in radians and not in metres.
        inequality: Whether ``C <= 0`` is wanted and not ``C = 0``.
    """

    angular: ClassVar[bool] = False
    inequality: ClassVar[bool] = False

    @property
    @abstractmethod
    def of(self) -> tuple[str, ...]:
        """What it is a function of: ``POINT``, ``ORIENTATION`` and so on, in the order of the arguments."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of rows m."""

    @abstractmethod
    def value(self, *h: Array) -> Array:
        """Return ``C``, shape (m,), [m] or [rad]."""

    @abstractmethod
    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        """Return ``J_i``, how it changes with the rate of each argument, shape (m, 3) each."""

    @abstractmethod
    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        """Return ``sum_i J_i' u_i``: its second derivative while the arguments have no accelerations, shape (m,).

        Args:
            h: Values of the arguments.
            u: Their rates, shape (3,) each.
        """

    @property
    def joints(self) -> tuple[int, ...] | None:
        """Indices of the joints that decide a function of the pose, with all above them; None if any may."""
        return None

    @property
    def moved(self) -> str:
        """Which argument is moved to make it zero where one has to be chosen: the first point or orientation."""
        return ORIENTATION if self.angular else self.of[0]

    def missing(self, *h: Array) -> Array:
        """Return the shortest way of ``moved`` that makes it zero to first order, shape (3,), [m] or [rad]."""
        own = self.jacobians(*h)[self.of.index(self.moved)] if self.moved in self.of else np.zeros((self.size, 3))
        return np.asarray(-np.linalg.pinv(own) @ self.value(*h))


def rate(residual: Residual, h: Sequence[Array], u: Sequence[Array]) -> Array:
    """Return ``C' = sum_i J_i u_i``, shape (m,); arguments as of ``Residual.drift``."""
    return np.asarray(sum(J @ speed for J, speed in zip(residual.jacobians(*h), u, strict=True)))
