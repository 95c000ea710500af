"""What a map of coordinates is: joint coordinates as a function of fewer ones, with its Jacobian and the rate of it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from core.arrays import Array


class CoordinateMap(ABC):
    """``q_r = f(q_R)``, ``v_r = J v_R`` and ``vdot_r = J vdot_R + Jdot v_R``.

    Attributes:
        names: What the coordinates ``q_R`` are called, in their order.
        size: How many coordinates ``q_r`` there are.

    Source: Sueda 2.81, 2.82, for any function instead of one that is linear.
    """

    names: tuple[str, ...]
    size: int

    @abstractmethod
    def value(self, x: Array) -> Array:
        """Return ``f(x)``, shape (size,); new.

        Args:
            x: Coordinates ``q_R``, shape (n,).
        """

    @abstractmethod
    def jacobian(self, x: Array) -> Array:
        """Return ``J = df/dx``, shape (size, n); new."""

    @abstractmethod
    def jacobian_rate(self, x: Array, v: Array) -> Array:
        """Return the time derivative of ``J`` while ``x`` changes at the rates ``v``, shape (size, n); new."""
