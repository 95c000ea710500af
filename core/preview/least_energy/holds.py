"""Parts that are held while a motion goes on, and the forces that hold them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from core.arrays import Array
from core.spatial.cross_products import cross

_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Hold:
    """A body that is held to the world for a time.

    Attributes:
        body: Index of the body.
        pose: Pose of the body frame in the world where it is held, shape (4, 4).
        start: When that begins, [s].
        end: When it ends, [s].
        turns: Whether its orientation is held too; else only its point is.
        point: What is held, in B, shape (3,), [m].
        soles: Where it stands on the ground, in B, shape (k, 3), [m]; empty where it does not stand. Forces then push
            upwards only and stay within the cones of friction; without them they are whatever holds it.
        friction: Friction coefficient of the ground.
        normal: Where the ground pushes, unit, shape (3,).
    """

    body: int
    pose: Array
    start: float
    end: float
    turns: bool = True
    point: Array = field(default_factory=lambda: np.zeros(3))
    soles: Array = field(default_factory=lambda: np.zeros((0, 3)))
    friction: float = 0.8
    normal: Array = field(default_factory=lambda: _UP)

    @property
    def stands(self) -> bool:
        """Whether the ground holds it."""
        return len(self.soles) > 0

    @property
    def rows(self) -> int:
        """How many equations hold it."""
        return 6 if self.turns else 3

    @property
    def count(self) -> int:
        """How many numbers say the forces."""
        return 4 * len(self.soles) if self.stands else self.rows

    def wrench(self, R: Array) -> tuple[Array, Array]:
        """Return the wrenches of the numbers that say the forces.

        Of a sole these are shares of four edges of the cone of friction, ``n +- mu t_1`` and ``n +- mu t_2``: with
        none below 0 the force is in the pyramid that the cone has inside it.

        Args:
            R: Turns of the body, shape (m, 3, 3).

        Returns:
            Wrenches at B in B of each, shape (m, 6, count), and what acts as a force that does not turn with the body,
            in B, shape (m, 3, count).
        """
        m = len(R)
        if not self.stands:
            force = np.eye(3)
            columns = np.concatenate([np.cross(self.point, force), force], axis=1).T
            if self.turns:
                columns = np.concatenate([columns, np.concatenate([np.eye(3), np.zeros((3, 3))])], axis=1)
            return np.tile(columns, (m, 1, 1)), np.zeros((m, 3, self.count))
        n = self.normal
        first = cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
        first /= np.linalg.norm(first)
        sides = self.friction * np.stack([first, -first, cross(n, first), -cross(n, first)])
        pushes = np.einsum("mji,ej->mei", R, n + sides)  # in B
        pushes = np.tile(pushes, (1, len(self.soles), 1))
        arms = np.repeat(self.soles, 4, axis=0)
        wrenches = np.concatenate([np.cross(arms, pushes), pushes], axis=2)
        return np.swapaxes(wrenches, 1, 2), np.swapaxes(pushes, 1, 2)

    @property
    def arms(self) -> Array:
        """Where the forces act, in B, shape (count, 3)."""
        return np.repeat(self.soles, 4, axis=0) if self.stands else np.tile(self.point, (self.count, 1))
