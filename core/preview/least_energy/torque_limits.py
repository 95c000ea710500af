"""Limits of torques by the strength of joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array, Ints

_PRICED = 1e-9


class Strong(NamedTuple):
    """How strong a joint is.

    Attributes:
        x: Its coordinates, shape (k,).
        axes: Takes its efforts to torques about axes of anatomy, shape (3, k).
        limits: Largest torques about them, forwards and backwards, shape (3, 2), [N m].
    """

    x: Ints
    axes: Array
    limits: Array

    def along(self, t: Array) -> tuple[Array, Array]:
        """Return torques about the axes at efforts, shape (m, nv), and the limits on their side, shape (m, 3) each."""
        found = t[:, self.x] @ self.axes.T
        return found, np.where(found >= 0.0, self.limits[:, 0], self.limits[:, 1])


class TorqueLimits:
    """Limits of torques as bounds: ``(1 - share^2) / 2`` is 0 or more, the share being that of three axes together.

    Args:
        strong: Joints whose torques have limits.
    """

    def __init__(self, strong: Sequence[Strong]):
        self.strong = tuple(strong)

    def __len__(self) -> int:
        return len(self.strong)

    def rooms(self, t: Array) -> Array:
        """Return how much room efforts leave, shape (m, s)."""
        found = [0.5 - 0.5 * np.square(np.divide(*each.along(t))).sum(axis=1) for each in self.strong]
        return np.stack([*found], axis=1) if found else np.zeros((len(t), 0))

    def slopes(self, t: Array, rows: Array) -> Array:
        """Return the derivatives of rooms from those of efforts, shape (m, nv, own) to (m s, own)."""
        found = []
        for each in self.strong:
            along, limits = each.along(t)
            found.append(-np.einsum("pa,ak,pkc->pc", along / limits**2, each.axes, rows[:, each.x], optimize=True))
        return np.stack(found, axis=1).reshape(-1, rows.shape[2]) if found else np.zeros((0, rows.shape[2]))

    def weigh(self, t: Array, prices: Array, weights: Array) -> None:
        """Add prices of rooms, shape (m, s), to the weights of efforts, shape (m, nv)."""
        for number, each in enumerate(self.strong):
            along, limits = each.along(t)
            weights[:, each.x] += prices[:, number, None] * ((along / limits**2) @ each.axes)

    def squares(self, t: Array, prices: Array, rows: Array) -> Array:
        """Return what the squares of torques bend besides, (own, own); arguments as for ``weigh`` and ``slopes``."""
        parts = []
        for number, each in enumerate(self.strong):
            _, limits = each.along(t)
            for j in np.flatnonzero(prices[:, number] > _PRICED):
                root = np.sqrt(prices[j, number]) / limits[j]
                parts.append(root[:, None] * (each.axes @ rows[j, each.x]))
        both = np.concatenate([*parts, np.zeros((0, rows.shape[2]))])
        return np.asarray(both.T @ both)
