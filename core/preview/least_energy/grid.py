"""Motion in time as splines between nodes, and where their dynamics are asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from core.arrays import Array, Ints

POINTS = 5
"""In an interval the equations of motion are asked for at so many points of Gauss and Legendre.

Cubic splines have one way to go for each interval: more points than that leave no room to swing between them. With
three, the minimum finds limbs that whirl round between the points: a twentieth of the effort that such a motion takes.
"""
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(POINTS)
SHARES: tuple[float, ...] = tuple((0.5 + 0.5 * _PLACES).tolist())
"""Where they are in it, 0 to 1."""


class Splines:
    """Polynomials between nodes that are smooth there: coefficients say the motion.

    The first coefficient is the place at the first node, and with the second one the rate there; so at the last node.

    Args:
        times: Of the nodes, ascending, shape (n + 1,), [s].
        degree: Of the polynomials.
        smooth: Which derivatives have no jumps: all up to this one.
        breaks: Nodes at which the last of these may jump.

    Attributes:
        degree: As given.
        count: How many coefficients a coordinate has.
        first: Which is the first of the ``degree + 1`` coefficients that a piece depends on, shape (n,).
    """

    def __init__(self, times: Array, degree: int, smooth: int, breaks: Sequence[int] = ()):
        self.degree, self._times = degree, times
        repeated = [degree - smooth + (k in breaks) for k in range(1, len(times) - 1)]
        inner = np.repeat(times[1:-1], repeated)
        knots = np.concatenate([np.repeat(times[0], degree + 1), inner, np.repeat(times[-1], degree + 1)])
        self.count = len(knots) - degree - 1
        self._spline = scipy.interpolate.BSpline(knots, np.eye(self.count), degree)
        self.first: Ints = np.searchsorted(knots, times[:-1], side="right") - degree - 1

    def all_rows(self, times: Array, order: int = 0) -> Array:
        """Return what takes all coefficients to a derivative of the motion at times, shape (m, count)."""
        return np.asarray(self._spline(times, order))

    def rows(self, times: Array, pieces: Ints, order: int = 0) -> Array:
        """Return the same of the coefficients that pieces depend on, shape (m, degree + 1)."""
        own = self.first[pieces][:, None] + np.arange(self.degree + 1)
        return np.take_along_axis(self.all_rows(times, order), own, axis=1)

    def fitted(self, times: Array, x: Array, v: Array) -> Array:
        """Return coefficients of a motion near coordinates and rates at times, exactly so at both ends, (count, k)."""
        unit = 0.1 * float(np.diff(self._times).mean())
        left = np.concatenate([self.all_rows(times), unit * self.all_rows(times, 1)])
        right = np.concatenate([x, unit * v])
        m, ends = len(times), [0, 1, -2, -1]
        found = np.zeros((self.count, x.shape[1]))
        sides = [0, m, m - 1, 2 * m - 1]
        found[ends] = np.linalg.solve(left[sides][:, ends], right[sides])
        if self.count > 4:
            inner = left[:, 2:-2]
            found[2:-2] = np.linalg.lstsq(inner, right - left[:, ends] @ found[ends], rcond=None)[0]
        return found


class Grid:
    """Times of a motion.

    Args:
        times: Of the nodes, ascending, shape (n + 1,), [s].
        breaks: Nodes at which accelerations may jump, neither the first nor the last.
        degree: Of the splines of joints that neither carry nor are held. Cubic ones have one way to go in an interval,
            those of degree five three: more than even nodes can do with, as they swing between the points there.

    Attributes:
        times: As given.
        breaks: As given.
        steps: Lengths of the intervals, shape (n,), [s].
        points: Times of the points of Gauss, shape (p n,), [s].
        weights: By which sums over them are integrals, shape (p n,), [s].
        pieces: The interval of each point, shape (p n,).
        plain: Splines of that degree without jumps of acceleration but at the breaks.
        rich: Splines with as many ways to go in an interval as it has points: equations of motion hold at each, and
            what is held stays as often.
    """

    def __init__(self, times: Array, breaks: Sequence[int] = (), degree: int = 3):
        self.times, self.breaks = times, tuple(breaks)
        self.steps = np.diff(times)
        self.points = (times[:-1, None] + self.steps[:, None] * np.array(SHARES)).ravel()
        self.weights = (0.5 * self.steps[:, None] * _WEIGHTS).ravel()
        self.pieces: Ints = np.repeat(np.arange(len(self.steps)), POINTS)
        self.plain = Splines(times, degree, 2, self.breaks)
        self.rich = Splines(times, POINTS + 1, 1)

    def __len__(self) -> int:
        return len(self.steps)

    def piece(self, times: Array) -> Ints:
        """Return the interval that each time is in, shape (m,)."""
        return np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self) - 1)
