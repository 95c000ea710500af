"""A model at one moment: what forces and constraints ask for is worked out when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics import charts
from core.dynamics.motion import Motion
from core.dynamics.motion import motion as motion_of
from core.spatial import se3, so3

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


class State:
    """A model at coordinates ``x``, rates ``v`` and time ``t``.

    The charts of joints may change while a motion goes on; springs and torques are given in the charts of the scene's
    own model, ``home``.

    Attributes:
        model: The model in its present charts.
        x: Coordinates, shape (nq,).
        v: Rates, shape (nv,).
        t: Time [s].
        home: The model in whose charts the forces were given; ``model`` itself unless given.
    """

    def __init__(self, model: Multibody, x: Array, v: Array, t: float = 0.0, home: Multibody | None = None) -> None:
        self.model = model
        self.x = x
        self.v = v
        self.t = t
        self.home = model if home is None else home

    @cached_property
    def motion(self) -> Motion:
        """How the joint frames stand and move."""
        return motion_of(self.model, self.x, self.v)

    @cached_property
    def joint_poses(self) -> Array:
        """Poses ``X_WJ`` of all joint frames, shape (nb, 4, 4)."""
        poses = se3.inverse(self.motion.E)
        for i, parent in enumerate(self.model.parents.tolist()):
            if parent >= 0:
                poses[i] = poses[parent] @ poses[i]
        return poses

    @cached_property
    def poses(self) -> Array:
        """Poses ``X_WB`` of all bodies, shape (nb, 4, 4)."""
        return np.asarray(self.joint_poses @ self.model.X_JB)

    @cached_property
    def twists(self) -> Array:
        """Twists of all bodies in their own frames B, shape (nb, 6)."""
        assert self.motion.V is not None
        return np.einsum("ijk,ik->ij", self.model.Ad_BJ, self.motion.V)

    @cached_property
    def jacobian(self) -> Array:
        """``J`` with body twists = ``J @ v``, shape (6 nb, nv), rows in the bodies' frames B."""
        from core.dynamics import redmax

        return redmax.jacobian(self.model, self.motion)

    def energy(self) -> tuple[float, float]:
        """Return kinetic energy, and the potential one of gravity; as ``Multibody.energy``."""
        V, M, X = self.motion.V, self.model.inertias, self.joint_poses
        assert V is not None
        centers = so3.vee(M[:, :3, 3:])  # times the masses
        weights = np.einsum("ijk,ik->ij", X[:, :3, :3], centers) + M[:, 3, 3, None] * X[:, :3, 3]
        kinetic = 0.5 * float(np.einsum("ij,ijk,ik->", V, M, V))
        return kinetic, -float(weights.sum(axis=0) @ self.model.gravity)

    def momentum(self) -> Array:
        """Return ``[L; P]`` about the world's origin, shape (6,); new; as ``Multibody.momentum``."""
        V, X = self.motion.V, self.joint_poses
        assert V is not None
        own = np.einsum("ijk,ik->ij", self.model.inertias, V)
        linear = np.einsum("ijk,ik->ij", X[:, :3, :3], own[:, 3:])
        angular = np.einsum("ijk,ik->ij", X[:, :3, :3], own[:, :3]) + np.cross(X[:, :3, 3], linear)
        return np.concatenate([angular.sum(axis=0), linear.sum(axis=0)])

    def coordinates(self, body: int) -> slice:
        """Return which entries of ``x`` and ``v`` belong to the joint of a body."""
        return slice(int(self.model.first[body]), int(self.model.first[body + 1]))

    def home_coordinates(self, body: int) -> Array:
        """Return the coordinates of a body's joint in the charts of ``home``, shape (n,)."""
        q = self.x[self.coordinates(body)]
        here, there = self.model.bodies[body].joint, self.home.bodies[body].joint
        return q if here is there else charts.converted(here, q, there)

    def home_rates_matrix(self, body: int) -> Array | None:
        """Return A, shape (n, n), with rates in ``home`` = A rates here; None stands for the identity."""
        here, there = self.model.bodies[body].joint, self.home.bodies[body].joint
        if here is there:
            return None
        q = self.x[self.coordinates(body)]
        return charts.rates_matrix(here, q, there, charts.converted(here, q, there))
