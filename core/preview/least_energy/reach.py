"""How bodies move as coordinates do: their Jacobians, and how what is asked of them bends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Array, Ints
from core.dynamics.multibody import Multibody
from core.preview.least_energy.efforts import Efforts
from core.preview.least_energy.holds import Hold
from core.preview.least_energy.links import Links
from core.preview.least_energy.places import off
from core.spatial import so3

_STEP = 1e-5
"""How far rotation vectors of balls are moved for derivatives of their Jacobian, [rad]."""


class Reach:
    """Bodies that are held, by the efforts of outer forces on a figure without mass: minus their powers.

    Args:
        model: The bodies.
        efforts: Which bodies are asked for, and which coordinates are balls.
        holds: What is held.
    """

    def __init__(self, model: Multibody, efforts: Efforts, holds: Sequence[Hold]):
        self._efforts, self._holds, self._nv = efforts, tuple(holds), model.nv
        pushes: list[tuple[int, bool, Array]] = []
        unit, none = np.eye(3), np.zeros(3)
        for body in efforts.bodies.tolist():
            pushes += [(body, True, np.stack([none, none, axis])) for axis in unit]
            pushes += [(body, True, np.stack([none, axis, none])) for axis in unit]
        self._unit = len(pushes)
        self._first = []
        for hold in holds:  # what its place is priced with, then what heights are
            self._first.append(len(pushes))
            pushes += [(hold.body, True, np.stack([none, none, axis])) for axis in unit]
            pushes += [(hold.body, False, np.stack([hold.point, axis, none])) for axis in unit]
            pushes += [(hold.body, False, np.stack([sole, hold.normal, none])) for sole in hold.soles]
        links = Links.of(model, efforts.balls, pushes)
        self._links = None if links is None else links.without_mass()

    def jacobians(self, q: Array) -> Array:
        """Return the Jacobians of the bodies by the rates of coordinates, at B in B, shape (m, 6 b, nv)."""
        if self._links is None or not len(q) or not self._unit:
            return self._efforts.rate_jacobians(q)
        still, acting = np.zeros_like(q), np.tile(np.arange(self._unit), (len(q), 1))
        D = self._links.jacobians(q, still, still, acting, np.zeros(acting.shape))
        J = -np.swapaxes(D[:, :, 3 * self._nv :], 1, 2)
        balls = self._efforts.balls
        if len(balls):
            J[:, :, balls] = np.einsum("mkbi,mbij->mkbj", J[:, :, balls], so3.right_jacobian(q[:, balls]))
        return np.asarray(J)

    def poses_priced(self, i: int, X: Array, prices: Array) -> tuple[Ints, Array]:
        """Return which forces act, and how large they are, where what a hold misses is priced; X is the body's pose."""
        hold = self._holds[i]
        first = self._first[i]
        force = hold.pose[:3, :3] @ prices[-3:]
        if not hold.turns:
            return first + np.arange(3, 6), force
        turn = so3.inverse_right_jacobian(off(hold, X)[:3]).T @ prices[:3]
        return first + np.arange(6), np.concatenate([turn, force])

    def heights_priced(self, i: int, prices: Array) -> tuple[Ints, Array]:
        """Return which forces act, and how large they are, where the heights of what it stands on are priced."""
        return self._first[i] + 6 + np.arange(len(prices)), prices

    def bends(self, q: Array, acting: Sequence[Ints], sizes: Sequence[Array]) -> Array:
        """Return second derivatives by coordinates of what forces pull at, shape (m, nv, nv).

        Exact for places; for turns where these are as held, as they are nearly when prices say anything.

        Args:
            q: Coordinates, shape (m, nv).
            acting: Which forces act at each.
            sizes: How large they are.
        """
        assert self._links is not None
        most = max(len(own) for own in acting)
        which = np.full((len(q), most), -1, dtype=np.int64)
        large, still = np.zeros((len(q), most)), np.zeros_like(q)
        for j, (own, size) in enumerate(zip(acting, sizes, strict=True)):
            which[j, : len(own)], large[j, : len(own)] = own, size
        H = -self._links.jacobians(q, still, still, which, large)[:, :, : self._nv]
        balls = self._efforts.balls
        if len(balls):
            pull = -self._links.efforts(q, still, still, which, large)[:, balls]  # (m, b, 3)
            x = q[:, balls]
            H[:, balls] = np.einsum("mbik,mbin->mbkn", so3.right_jacobian(x), H[:, balls])
            for j in range(3):
                step = _STEP * np.eye(3)[j]
                by = (so3.right_jacobian(x + step) - so3.right_jacobian(x - step)) / (2.0 * _STEP)
                more = np.einsum("mbi,mbik->mbk", pull, by)
                for number, ball in enumerate(balls):
                    H[:, ball, ball[j]] += more[:, number]
        return np.asarray(0.5 * (H + np.swapaxes(H, 1, 2)))
