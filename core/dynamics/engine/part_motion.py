"""Energy and momentum of some of the bodies that a stepper moves, as of one figure among others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.spatial.cross_products import cross_rows

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


class BodyMotion(NamedTuple):
    """What bodies do together.

    Attributes:
        kinetic: Kinetic energy, [J].
        potential: Potential energy of gravity, 0 at the world's origin, [J].
        momentum: ``[L; P]``: angular momentum about the centre of mass and linear momentum, world axes, shape (6,).
        center: Centre of mass in the world, shape (3,), [m].
    """

    kinetic: float
    potential: float
    momentum: Array
    center: Array


class Part:
    """Some bodies of a model.

    Args:
        model: The model.
        bodies: Which of its bodies.
    """

    def __init__(self, model: Multibody, bodies: slice):
        inertias = [body.inertia for body in model.bodies[bodies]]
        self.bodies = bodies
        self._masses = np.array([inertia.mass for inertia in inertias])
        self._centers = np.stack([inertia.center for inertia in inertias])
        self._inertias = np.stack([inertia.inertia for inertia in inertias])
        self._mass = float(self._masses.sum())

    def motion(self, rotations: Array, places: Array, twists: Array, gravity: Array) -> BodyMotion:
        """Return energy and momentum.

        Args:
            rotations: Of all bodies in the world, shape (nb, 3, 3).
            places: Of their origins, shape (nb, 3), [m].
            twists: ``[w; v]`` at these in the axes of the bodies, shape (nb, 6).
            gravity: Shape (3,), [m/s^2].
        """
        R, masses = rotations[self.bodies], self._masses
        w, v = twists[self.bodies, :3], twists[self.bodies, 3:]
        speeds = v + cross_rows(w, self._centers)
        spins = (self._inertias @ w[:, :, None])[:, :, 0]
        kinetic = 0.5 * (masses @ (speeds * speeds).sum(axis=1) + (w * spins).sum())
        centers = (R @ self._centers[:, :, None])[:, :, 0] + places[self.bodies]
        center = masses @ centers / self._mass
        pushes = masses[:, None] * (R @ speeds[:, :, None])[:, :, 0]
        turning = (R @ spins[:, :, None])[:, :, 0] + cross_rows(centers - center, pushes)
        momentum = np.concatenate([turning.sum(axis=0), pushes.sum(axis=0)])
        return BodyMotion(float(kinetic), -self._mass * float(center @ gravity), momentum, center)
