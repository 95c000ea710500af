"""What a motion takes of joints: torques by inverse dynamics, with their derivatives."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array, Ints
from core.dynamics.multibody import Multibody
from core.spatial import so3

_STEP = 1e-6
"""How far coordinates are moved for derivatives, [rad] and [m]: what is left out is of its square."""


class Derivatives(NamedTuple):
    """Derivatives of efforts at some states, shape (m, nv, nv) each and (m, nv, 6 b) of wrenches."""

    x: Array
    v: Array
    a: Array
    wrenches: Array


class Efforts:
    """Efforts of coordinates: torques of hinges, forces of slides, and of balls the torque in the axes of their body.

    A ball's three efforts do not depend on which coordinates it has: ``t = J_r(x)^-T tau`` of its rotation vector x,
    ``J_r`` the right Jacobian of rotations.

    Args:
        model: The bodies.
        bodies: Those that wrenches from outside act on.
    """

    def __init__(self, model: Multibody, bodies: Ints):
        self.model, self.bodies = model, bodies
        figure = model.figure
        balls = [] if figure is None else [ball.x for ball in figure.balls]
        self.balls: Ints = np.array(balls, dtype=np.intp).reshape(-1, 3)

    def at(self, x: Array, v: Array, a: Array, wrenches: Array) -> Array:
        """Return the efforts of motions, shape (m, nv).

        Args:
            x: Coordinates, shape (m, nv).
            v: Rates, shape (m, nv).
            a: Accelerations, shape (m, nv).
            wrenches: On the bodies, at B in B, shape (m, b, 6).
        """
        outside = np.zeros((len(x), len(self.model.bodies), 6))
        outside[:, self.bodies] = wrenches
        tau = self.model.inverse_dynamics(x, v, a, wrenches=outside)
        if len(self.balls):
            back = so3.inverse_right_jacobian(x[:, self.balls])
            tau[:, self.balls] = np.einsum("mbij,mbi->mbj", back, tau[:, self.balls])
        return tau

    def derivatives(self, x: Array, v: Array, a: Array, wrenches: Array) -> Derivatives:
        """Return the derivatives of :meth:`at`.

        Efforts are quadratic in rates, and linear in accelerations and wrenches, so that these differences are exact.
        """
        ways = np.eye(x.shape[1])
        plain = self.at(x, v, a, wrenches)
        by_x = self._moved(x, v, a, wrenches, _STEP * ways, 0 * ways, 0 * ways)
        by_x -= self._moved(x, v, a, wrenches, -_STEP * ways, 0 * ways, 0 * ways)
        by_v = self._moved(x, v, a, wrenches, 0 * ways, ways, 0 * ways)
        by_v -= self._moved(x, v, a, wrenches, 0 * ways, -ways, 0 * ways)
        by_a = self._moved(x, v, a, wrenches, 0 * ways, 0 * ways, ways) - plain[:, None]
        x_way, v_way, a_way, w_way = (
            np.swapaxes(each, 1, 2) for each in (by_x / (2.0 * _STEP), 0.5 * by_v, by_a, -self.jacobians(x))
        )
        return Derivatives(x_way, v_way, a_way, w_way)

    def jacobians(self, x: Array) -> Array:
        """Return the Jacobians of the bodies by rates as efforts have them, at B in B, shape (m, 6 b, nv)."""
        m, n = x.shape
        count = 6 * len(self.bodies)
        if not count:
            return np.zeros((m, 0, n))
        still = np.zeros((1, n))
        pushes = np.eye(count).reshape(count, -1, 6)
        rows = np.repeat(x, count + 1, axis=0)
        all_pushes = np.tile(np.concatenate([np.zeros((1, *pushes.shape[1:])), pushes]), (m, 1, 1))
        found = self.at(rows, np.repeat(still, len(rows), axis=0), np.zeros_like(rows), all_pushes)
        found = found.reshape(m, count + 1, n)
        return np.asarray(found[:, :1] - found[:, 1:])

    def rate_jacobians(self, x: Array) -> Array:
        """Return the Jacobians of the bodies by the rates of coordinates, at B in B, shape (m, 6 b, nv)."""
        J = self.jacobians(x)
        if len(self.balls) and J.size:
            forth = so3.right_jacobian(x[:, self.balls])
            J[:, :, self.balls] = np.einsum("mkbi,mbij->mkbj", J[:, :, self.balls], forth)
        return J

    def _moved(self, x: Array, v: Array, a: Array, wrenches: Array, dx: Array, dv: Array, da: Array) -> Array:
        """Return the efforts of each state moved each way, shape (m, k, nv)."""
        k, n = dx.shape
        moved = [(each[:, None] + way).reshape(-1, n) for each, way in ((x, dx), (v, dv), (a, da))]
        found = self.at(moved[0], moved[1], moved[2], np.repeat(wrenches, k, axis=0))
        return found.reshape(len(x), k, n)
