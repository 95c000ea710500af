"""Motion in time as cubic splines between nodes, and where their dynamics are asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from core.arrays import Array

POINTS = 5
"""In an interval the equations of motion are asked for at so many points of Gauss and Legendre.

Splines have one way to go for each interval: more points than that leave no room to swing between them. With three, the
minimum finds limbs that whirl round between the points: a twentieth of the effort that such a motion takes.
"""
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(POINTS)
SHARES: tuple[float, ...] = tuple((0.5 + 0.5 * _PLACES).tolist())
"""Where they are in it, 0 to 1."""


class Grid:
    """Cubic splines over nodes: coefficients say the motion, which has no jumps of acceleration but at *breaks*.

    A piece between two nodes depends on four coefficients of each coordinate. Its *local values* are the coordinates
    at its first node, the rates there times ``unit``, and the same at its last node.

    Args:
        times: Of the nodes, ascending, shape (n + 1,), [s].
        breaks: Nodes at which accelerations may jump, neither the first nor the last.

    Attributes:
        times: As given.
        breaks: As given.
        steps: Lengths of the intervals, shape (n,), [s].
        unit: By which rates are multiplied, so that they are of the size of coordinates, [s].
        points: Times of the points of Gauss, shape (p n,), [s].
        weights: By which sums over them are integrals, shape (p n,), [s].
        at_points: Takes local values to coordinates, rates and accelerations at a piece's p points, (n, p, 3, 4).
        at_middles: Takes local values to coordinates in the middles of the intervals, shape (n, 4).
        count: How many coefficients a coordinate has.
        nodes: Takes coefficients to coordinates and to rates times ``unit`` at nodes, shape (2, n + 1, count).
        first: Which is the first of the four coefficients that a piece depends on, shape (n,).
        local: Takes these four to local values, shape (n, 4, 4).
    """

    def __init__(self, times: Array, breaks: Sequence[int] = ()):
        self.times, self.breaks = times, tuple(breaks)
        self.steps = np.diff(times)
        self.unit = float(self.steps.mean())
        s = 0.5 + 0.5 * _PLACES
        self.points = (times[:-1, None] + self.steps[:, None] * s).ravel()
        self.weights = (0.5 * self.steps[:, None] * _WEIGHTS).ravel()
        self.at_points = np.moveaxis(np.array([self._basis(s, order) for order in range(3)]), 0, 2)
        self.at_middles = self._basis(np.array([0.5]), 0)[:, 0]
        inner = np.repeat(times[1:-1], [1 + (k in self.breaks) for k in range(1, len(times) - 1)])
        knots = np.concatenate([np.repeat(times[0], 4), inner, np.repeat(times[-1], 4)])
        self.count = len(knots) - 4
        spline = scipy.interpolate.BSpline(knots, np.eye(self.count), 3)
        self.nodes = np.array([spline(times), self.unit * spline(times, 1)])
        self.first = np.searchsorted(knots, times[:-1], side="right") - 4
        own = [self.nodes[:, k : k + 2, i : i + 4] for k, i in enumerate(self.first.tolist())]
        self.local = np.stack([np.swapaxes(each, 0, 1).reshape(4, 4) for each in own])

    def coefficients(self, x: Array, v: Array) -> Array:
        """Return coefficients of a motion near coordinates and rates at nodes, exactly so at both ends, (count, nv)."""
        left = np.concatenate([self.nodes[0], 0.1 * self.nodes[1]])
        right = np.concatenate([x, 0.1 * self.unit * v])
        ends = [0, 1, -2, -1]
        found = np.zeros((self.count, x.shape[1]))
        sides = [self.nodes[:, side][:, ends] for side in (0, -1)]
        values = [[x[side], self.unit * v[side]] for side in (0, -1)]
        found[ends] = np.linalg.solve(np.concatenate(sides), np.concatenate(values))
        inner = slice(2, -2)
        if self.count > 4:
            found[inner] = np.linalg.lstsq(left[:, inner], right - left[:, ends] @ found[ends], rcond=None)[0]
        return found

    def __len__(self) -> int:
        return len(self.steps)

    def _basis(self, s: Array, order: int) -> Array:
        """Return what takes local values to a derivative of the motion, shape (n, len(s), 4)."""
        one = np.ones_like(s)
        rows = (
            ((2 * s - 3) * s * s + 1, ((s - 2) * s + 1) * s, (3 - 2 * s) * s * s, (s - 1) * s * s),
            (6 * (s - 1) * s, (3 * s - 4) * s + 1, 6 * (1 - s) * s, (3 * s - 2) * s),
            (12 * s - 6, 6 * s - 4, 6 - 12 * s, 6 * s - 2),
        )[order]
        table = np.stack([row * one for row in rows], axis=-1)
        found = table / self.steps[:, None, None] ** order
        found[:, :, 1::2] *= (self.steps / self.unit)[:, None, None]
        return found

    def local_values(self, x: Array, v: Array) -> Array:
        """Return the local values of each piece, shape (n, 4, nv), of coordinates and rates at nodes, (n + 1, nv)."""
        scaled = self.unit * v
        return np.stack([x[:-1], scaled[:-1], x[1:], scaled[1:]], axis=1)

    def motion(self, x: Array, v: Array) -> Array:
        """Return coordinates, rates and accelerations at the points, shape (3, p n, nv)."""
        found = np.einsum("kpoc,kcj->okpj", self.at_points, self.local_values(x, v))
        return np.asarray(found.reshape(3, -1, x.shape[1]))

    def middles(self, x: Array, v: Array) -> Array:
        """Return coordinates in the middles of the intervals, shape (n, nv)."""
        return np.asarray(np.einsum("kc,kcj->kj", self.at_middles, self.local_values(x, v)))

    def at(self, x: Array, v: Array, times: Array) -> tuple[Array, Array]:
        """Return coordinates and rates at any times from the first node to the last, shape (m, nv) each."""
        k = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self) - 1)
        local = self.local_values(x, v)[k]
        share = (times - self.times[k]) / self.steps[k]
        out = []
        for order in range(2):
            basis = np.empty((len(times), 4))
            for i, (piece, s) in enumerate(zip(k.tolist(), share.tolist(), strict=True)):
                basis[i] = self._basis(np.array([s]), order)[piece, 0]
            out.append(np.einsum("mc,mcj->mj", basis, local))
        return out[0], out[1]
