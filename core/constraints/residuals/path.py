"""A point that stays on a smooth path through given points, free to go along it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.arrays import Array
from core.constraints.residuals.base import POINT, Residual

_SAMPLES = 16  # of each stretch, from which the nearest place is sought
_STEPS = 30
_FLAT = 1e-12


def natural_spline(points: Array) -> Array:
    """Return the coefficients of the natural cubic spline through points, one stretch of length 1 between two.

    Args:
        points: Shape (n, 3), n >= 2, [m].

    Returns:
        Shape (n - 1, 4, 3): of 1, t, t^2 and t^3 on each stretch, t from 0 to 1.
    """
    n = len(points)
    system = np.zeros((n, n))
    right = np.zeros((n, 3))
    system[0, 0] = system[-1, -1] = 1.0
    for k in range(1, n - 1):
        system[k, k - 1 : k + 2] = 1.0, 4.0, 1.0
        right[k] = 6.0 * (points[k + 1] - 2.0 * points[k] + points[k - 1])
    bend = np.linalg.solve(system, right)
    a, b = points[:-1], points[1:]
    slope = b - a - (2.0 * bend[:-1] + bend[1:]) / 6.0
    return np.stack([a, slope, bend[:-1] / 2.0, (bend[1:] - bend[:-1]) / 6.0], axis=1)


@dataclass(frozen=True, eq=False)
class PathResidual(Residual):
    """``p - c(u)``, three rows in world axes, [m], with ``c(u)`` the place of the path nearest to p.

    Where ``(p - c) . c' = 0`` and ``D = c' . c' - (p - c) . c''``, u changes by ``c' . p' / D`` and so C by
    ``p' - c' (c' . p') / D``. At an end of the path C is the way from that end.

    Attributes:
        points: What the path goes through, shape (n, 3), n >= 2, [m].
    """

    points: Array

    @cached_property
    def _coefficients(self) -> Array:
        return natural_spline(np.asarray(self.points, dtype=np.float64))

    @cached_property
    def _sampled(self) -> tuple[Array, Array]:
        u = np.linspace(0.0, len(self.points) - 1.0, _SAMPLES * (len(self.points) - 1) + 1)
        return u, np.array([self._at(each)[0] for each in u])

    def drawn(self) -> Array:
        """Return places along the path close enough to each other to draw it, shape (m, 3), [m]."""
        return self._sampled[1]

    def at(self, u: float) -> Array:
        """Return the place of the path so many stretches from its beginning, shape (3,), [m]."""
        return np.asarray(self._at(u)[0])

    @property
    def of(self) -> tuple[str, ...]:
        """The point."""
        return (POINT,)

    @property
    def size(self) -> int:
        """Number of rows."""
        return 3

    def _at(self, u: float) -> tuple[Array, Array, Array, Array]:
        """Return the place and its first three derivatives by u, shape (3,) each."""
        k = min(int(u), len(self._coefficients) - 1)
        t = u - k
        a, b, c, d = self._coefficients[k]
        return a + t * (b + t * (c + t * d)), b + t * (2.0 * c + 3.0 * t * d), 2.0 * c + 6.0 * t * d, 6.0 * d

    def nearest(self, p: Array) -> float:
        """Return where the path is nearest to a point, counted in stretches from its beginning."""
        u, places = self._sampled
        k = int(np.argmin(((places - p) ** 2).sum(axis=1)))
        lo, hi = float(u[max(k - 1, 0)]), float(u[min(k + 1, len(u) - 1)])
        now = float(u[k])
        for _ in range(_STEPS):
            c, c1, c2, _ = self._at(now)
            slope = -float((p - c) @ c1)
            curvature = float(c1 @ c1 - (p - c) @ c2)
            if slope > 0.0:
                hi = now
            else:
                lo = now
            then = now - slope / curvature if curvature > _FLAT else 0.5 * (lo + hi)
            then = then if lo <= then <= hi else 0.5 * (lo + hi)
            if abs(then - now) < 1e-15 * max(1.0, hi):
                break
            now = then
        return now

    def _inside(self, p: Array) -> tuple[float, tuple[Array, Array, Array, Array], float] | None:
        """Return where the path is nearest to a point, its derivatives there, and D; None at an end."""
        u = self.nearest(p)
        if u <= 1e-12 or u >= len(self.points) - 1.0 - 1e-12:
            return None
        there = self._at(u)
        return u, there, float(there[1] @ there[1] - (p - there[0]) @ there[2])

    def value(self, *h: Array) -> Array:
        return np.asarray(h[0] - self._at(self.nearest(h[0]))[0])

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        found = self._inside(h[0])
        if found is None or found[2] <= _FLAT:
            return (np.eye(3),)
        _, (_, c1, _, _), D = found
        return (np.eye(3) - np.outer(c1, c1) / D,)

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        found = self._inside(h[0])
        if found is None or found[2] <= _FLAT:
            return np.zeros(3)
        _, (c, c1, c2, c3), D = found
        v, r = u[0], h[0] - c
        speed = float(c1 @ v) / D
        D_rate = 2.0 * float(c1 @ c2) * speed - float((v - c1 * speed) @ c2) - float(r @ c3) * speed
        change = (float(v @ c2) * speed - D_rate * speed) / D
        return np.asarray(-(c2 * speed**2 + c1 * change))

    def missing(self, *h: Array) -> Array:
        return -self.value(*h)
