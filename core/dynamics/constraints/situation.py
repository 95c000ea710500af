"""A model at one moment as constraints see it: frames of bodies, and rows carried from bodies to joints and back."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics import charts, jacobian_products
from core.dynamics.body_names import WORLD
from core.dynamics.constraints.rows import BodyRows, CoordinateRows, Rows
from core.dynamics.motion import Motion
from core.dynamics.state import State
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


class Frame(NamedTuple):
    """A frame that moves: pose in the world and twist in its own axes.

    Attributes:
        R: Rotation ``R_WB``, shape (3, 3).
        p: Origin in the world, shape (3,).
        w: Angular velocity in B, shape (3,).
        v: Velocity of the origin in B, shape (3,).
    """

    R: Array
    p: Array
    w: Array
    v: Array


class JointState(NamedTuple):
    """A joint in the chart that a constraint means, and how its rates follow from the present ones.

    Attributes:
        q: Coordinates in that chart, shape (n,).
        rate: Their rates, shape (n,).
        A: ``rate = A v_i``, shape (n, n), with the present rates ``v_i``.
        b: ``d/dt rate = A vdot_i + b``, shape (n,).
    """

    q: Array
    rate: Array
    A: Array
    b: Array


_ROUNDING = 1e-13
"""Part of a row on bodies under which what it is of the joint rates is rounding."""
_STILL = Frame(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))


class Situation(State):
    """A model at ``x``, ``v`` and ``t``; works out once what all constraints ask for.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        v: Rates, shape (nv,).
        t: Time [s].
        home: The model in whose charts coordinates of joints are meant; ``model`` unless given.
        motion: ``motion(model, x, v)`` if it is known already, with velocities.
    """

    def __init__(
        self,
        model: Multibody,
        x: Array,
        v: Array,
        t: float = 0.0,
        home: Multibody | None = None,
        motion: Motion | None = None,
    ) -> None:
        super().__init__(model, x, v, t, home)
        if motion is not None and motion.V is not None:
            self.motion = motion

    @cached_property
    def drifts(self) -> Array:
        """``Jdot v``: rates of the bodies' twists, component-wise in B, while ``vdot = 0``, shape (nb, 6)."""
        return jacobian_products.jacobian_rate_product(self.model, self.motion, self.v)

    @cached_property
    def inverse_subspaces(self) -> tuple[Array, ...]:
        """Pseudoinverses of the motion subspaces, shapes (n_i, 6): the rates nearest to a twist of a joint."""
        return tuple(np.asarray(np.linalg.pinv(S), dtype=np.float64) for S in self.motion.S)

    def frame(self, body: int) -> Frame:
        """Return how a body's frame B stands and moves; the world's for ``WORLD``."""
        if body == WORLD:
            return _STILL
        pose, twist = self.poses[body], self.twists[body]
        return Frame(pose[:3, :3], pose[:3, 3], twist[:3], twist[3:])

    def joint(self, body: int, near: Array | None = None) -> JointState:
        """Return the joint of a body in the chart of ``home``.

        Args:
            body: Index.
            near: Coordinates in that chart, shape (n,), that choose among those with the same pose.
        """
        part = self.coordinates(body)
        q, rate = self.x[part], self.v[part]
        here, there = self.model.bodies[body].joint, self.home.bodies[body].joint
        if not here.has_charts and not there.has_charts:
            return JointState(q, rate, np.eye(len(q)), np.zeros(len(q)))
        there_q = charts.converted(here, q, there, near)
        A = charts.rates_matrix(here, q, there, there_q)
        there_rate = A @ rate
        change = here.subspace_rate(q, rate) @ rate - there.subspace_rate(there_q, there_rate) @ there_rate
        b = np.asarray(np.linalg.lstsq(there.subspace(there_q), change, rcond=None)[0], dtype=np.float64)
        return JointState(there_q, there_rate, A, b)

    # -- rows ------------------------------------------------------------------------------------------------------

    def reduced(self, rows: BodyRows) -> Rows:
        """Return rows on the bodies' twists as rows on the joint rates (Sueda 2.102).

        ``G_m J`` runs from each body up to the root, as algorithm 6 does, so it takes linear time; ``G_m Jdot v`` is
        algorithm 5's.
        """
        model, motion = self.model, self.motion
        G = np.zeros((len(rows.bias), model.nv))
        bias = rows.bias.copy()
        for body, block in rows.blocks:
            bias += block @ self.drifts[body]
            wrench = block @ model.Ad_BJ[body]
            i = body
            while i >= 0:
                G[:, self.coordinates(i)] += wrench @ motion.S[i]
                wrench = wrench @ motion.Ad[i]
                i = int(model.parents[i])
        # What the joints between two bodies cannot move must not look as if it moved by rounding.
        size = sum((np.abs(block).sum(axis=1) for _, block in rows.blocks), np.zeros(len(G)))
        G[np.abs(G).max(axis=1, initial=0.0) <= _ROUNDING * size] = 0.0
        return Rows(G, bias, rows.gap, rows.velocity, rows.acceleration)

    def spread(self, rows: CoordinateRows) -> Rows:
        """Return rows by joints as rows on all joint rates."""
        G = np.zeros((len(rows.bias), self.model.nv))
        for body, block in rows.blocks:
            G[:, self.coordinates(body)] += block
        return Rows(G, rows.bias, rows.gap, rows.velocity, rows.acceleration)

    def on_bodies(self, rows: CoordinateRows) -> BodyRows:
        """Return rows by joints as rows on the bodies' twists.

        The rates of a joint are ``S^+ (V_i - Ad V_p)``, their derivatives ``S^+ (Vdot_i - Ad Vdot_p - eta_i)``.
        """
        model, motion = self.model, self.motion
        assert motion.bias is not None
        blocks: list[tuple[int, Array]] = []
        bias = rows.bias.copy()
        for body, block in rows.blocks:
            wrench = block @ self.inverse_subspaces[body]
            bias -= wrench @ motion.bias[body]
            blocks.append((body, wrench @ se3.adjoint(model.X_JB[body])))
            parent = int(model.parents[body])
            if parent >= 0:
                blocks.append((parent, -wrench @ motion.Ad[body] @ se3.adjoint(model.X_JB[parent])))
        return BodyRows(tuple(blocks), bias, rows.gap, rows.velocity, rows.acceleration)
