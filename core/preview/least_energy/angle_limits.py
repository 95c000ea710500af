"""Limits of balls: of their angles, and of how far rotation vectors go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Ints
from core.preview.least_energy.unknowns import Instants
from core.spatial import quaternion as quat
from core.spatial.three_axes import ThreeAxes

TURN = 3.5
"""Farthest that the rotation vector of a ball goes, [rad], unless it does as keyed: at a whole turn it is singular."""
_STEP = 1e-6
"""How far coordinates are moved for derivatives, [rad]."""
_BEND = 1e-4
"""The same for second ones."""
_PRICED = 1e-9


class Angles(NamedTuple):
    """Limits of the angles of a ball.

    Attributes:
        x: Its coordinates, shape (3,).
        axes: Its hinges.
        low: Least angles, shape (3,).
        high: Greatest angles, shape (3,).
        near: Angles on whose branch they are, at each node, shape (n + 1, 3).
    """

    x: Ints
    axes: ThreeAxes
    low: Array
    high: Array
    near: Array

    def branch(self, nodes: Array, times: Array) -> Array:
        """Return angles on whose branch they are at times, in the middle of limits if there are two, shape (m, 3)."""
        both = np.stack([np.interp(times, nodes, own) for own in self.near.T], axis=1)
        limited = np.isfinite(self.low) & np.isfinite(self.high)
        return np.where(limited, 0.5 * (_finite(self.low) + _finite(self.high)), both)

    def room(self, x: Array, near: Array) -> Array:
        """Return how far angles are above and below their limits, shape (2, m, 3).

        Of the two ways in which three angles make a rotation, and of whole turns, it is the one with most room. Near
        gimbal lock outer angles turn by as much as 1 over the sine between their axes, which would make steps as short
        as that, so that their room is weighted by it: what is within limits is the same.

        Args:
            x: Coordinates of all joints, shape (m, nv).
            near: As :meth:`branch` has them.
        """
        both = self.axes.both_angles(quat.exp(0.5 * x[:, self.x])[:, None], near[:, None])[:, :, 0]
        first, second, third = self.axes.axes[0]
        sines = np.array([first @ np.cross(second, third), first @ ((second @ third) * second - third)])
        apart = np.stack([np.cos(both[..., 1]), np.sin(both[..., 1])], axis=-1) @ (sines / np.linalg.norm(sines))
        weight = np.ones_like(both)
        weight[..., ::2] = np.abs(apart)[..., None]
        room = np.stack([weight * (both - self.low), weight * (self.high - both)], axis=1)  # (2, 2, m, 3)
        chosen = np.argmax(room.min(axis=(1, 3)), axis=0)
        return np.asarray(np.moveaxis(room[chosen, :, np.arange(len(x))], 0, 1))

    def room_slopes(self, x: Array, near: Array) -> Array:
        """Return the derivatives of :meth:`room` by the ball's coordinates, 0 where there is no limit, (2, m, 3, 3)."""
        found = np.zeros((2, len(x), 3, 3))
        for k in range(3):
            step = np.zeros(x.shape[1])
            step[self.x[k]] = _STEP
            ends = [_finite(self.room(x + sign * step, near)) for sign in (1.0, -1.0)]
            found[..., k] = (ends[0] - ends[1]) / (2.0 * _STEP)
        return found

    def room_bend(self, x: Array, near: Array, prices: Array) -> Array:
        """Return second derivatives of rooms times prices, (2, m, 3), by the coordinates of the ball, (m, 3, 3)."""

        def priced(move: Array) -> Array:
            state = x.copy()
            state[:, self.x] += _BEND * move
            return np.asarray((prices * _finite(self.room(state, near))).sum(axis=(0, 2)))

        unit, middle, H = np.eye(3), priced(np.zeros(3)), np.zeros((len(x), 3, 3))
        for i in range(3):
            H[:, i, i] = priced(unit[i]) + priced(-unit[i]) - 2.0 * middle
            for j in range(i):
                a, b = unit[i] + unit[j], unit[i] - unit[j]
                H[:, i, j] = H[:, j, i] = 0.25 * (priced(a) + priced(-a) - priced(b) - priced(-b))
        return H / (_BEND * _BEND)


class AngleLimits:
    """Limits of balls as bounds, at all instants.

    Args:
        instants: When they are looked at.
        nodes: Times of the nodes.
        angles: Limits of balls.
        turned: Coordinates of each ball whose rotation vector is bounded, shape (b, 3).
        keyed: Coordinates of the keyed motion at nodes, shape (n + 1, nv).
    """

    def __init__(self, instants: Instants, nodes: Array, angles: Sequence[Angles], turned: Ints, keyed: Array):
        self._instants, self._angles = instants, tuple(angles)
        self._near = [ball.branch(nodes, instants.times) for ball in angles]
        most = np.linalg.norm(keyed[:, turned], axis=2).max(axis=0, initial=0.0)
        self._turned = [(x, max(TURN, far + 0.1)) for x, far in zip(turned, most.tolist(), strict=True)]

    def _sides(self) -> Iterator[tuple[int, int, Ints]]:
        """Yield number, side and limited angles of all that is limited, in the order of the bounds."""
        for number, ball in enumerate(self._angles):
            for side, limits in enumerate((ball.low, ball.high)):
                yield number, side, np.flatnonzero(np.isfinite(limits))

    def values(self, q: Array, found: list[list[Array]]) -> None:
        """Append rooms to those of each interval; q are coordinates at the instants, shape (m, nv)."""
        rooms = [ball.room(q, near) for ball, near in zip(self._angles, self._near, strict=True)]
        squares = [(0.5 * most - 0.5 / most * (q[:, own] ** 2).sum(axis=1))[:, None] for own, most in self._turned]
        parts = [rooms[number][side][:, limited] for number, side, limited in self._sides()] + squares
        for time, k in enumerate(self._instants.pieces):
            found[k] += [part[time] for part in parts]

    def rows(self, q: Array, found: list[list[Array]]) -> None:
        """Append the derivatives of :meth:`values`."""
        slopes = [ball.room_slopes(q, near) for ball, near in zip(self._angles, self._near, strict=True)]
        spread = self._instants.spread
        for time, k in enumerate(self._instants.pieces):
            for number, side, limited in self._sides():
                found[k].append(spread(time, slopes[number][side, time, limited], self._angles[number].x))
            for own, most in self._turned:
                found[k].append(spread(time, -q[time, own][None] / most, own))

    def bend(self, q: Array, prices: list[Array], at: list[int], bent: dict[int, Array]) -> None:
        """Subtract the second derivatives of priced bounds, by coordinates, at the instants where they have a price.

        Args:
            q: Coordinates at the instants, shape (m, nv).
            prices: Of all bounds of each interval.
            at: Which is the next one in each interval; moved on.
            bent: By instant, shape (nv, nv) each.
        """
        nv, sides = q.shape[1], list(self._sides())
        paid = np.zeros((len(self._angles), 2, len(q), 3))
        for time, k in enumerate(self._instants.pieces):
            for number, side, limited in sides:
                paid[number, side, time, limited] = prices[k][at[k] : at[k] + len(limited)]
                at[k] += len(limited)
            for own, most in self._turned:
                if prices[k][at[k]] > _PRICED:
                    bent.setdefault(time, np.zeros((nv, nv)))[own, own] += prices[k][at[k]] / most
                at[k] += 1
        for ball, near, own in zip(self._angles, self._near, paid, strict=True):
            times = np.flatnonzero(own.max(axis=(0, 2)) > _PRICED)
            if len(times):
                found = ball.room_bend(q[times], near[times], own[:, times])
                for time, H in zip(times.tolist(), found, strict=True):
                    bent.setdefault(time, np.zeros((nv, nv)))[np.ix_(ball.x, ball.x)] -= H


def _finite(room: Array) -> Array:
    """Return numbers with 0 for those that are infinite: what has no limit."""
    return np.where(np.isfinite(room), room, 0.0)
