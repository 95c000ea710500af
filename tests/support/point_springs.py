"""A spring and a damper between points of two bodies, for tests of what does not depend on which springs there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Multibody
from core.dynamics.forces import Derivatives, Force, Load
from core.dynamics.forces.point_force import wrench_at
from core.dynamics.state import State
from core.spatial import so3

Array = NDArray[np.float64]
_NONE = np.zeros((3, 3))


@dataclass(frozen=True, eq=False)
class PointSpring(Force):
    """Pulls two points together with ``k (l - L) + d dl/dt``; how its rate changes with the pose is left out.

    Attributes:
        first, second: Bodies by index; -1 is the world.
        first_point, second_point: In the bodies' frames, shape (3,).
        stiffness, rest, damping: ``k``, ``L`` and ``d``; where the points may meet the last two are 0.
    """

    label: ClassVar[str] = "Spring between points"
    description: ClassVar[str] = "Keeps two points of bodies as far apart as it is long."

    first: int
    first_point: Array
    second: int
    second_point: Array
    stiffness: float
    rest: float
    damping: float = 0.0

    def check(self, model: Multibody) -> None:
        assert max(self.first, self.second) < len(model.bodies)

    def _ends(self, state: State) -> tuple[list[tuple[int, Array]], Array, float]:
        """Return body and Jacobian of the length of each end that is on a body, its direction, and the length."""
        pairs = ((self.first, self.first_point), (self.second, self.second_point))
        a, b = (p if i < 0 else state.poses[i, :3, :3] @ p + state.poses[i, :3, 3] for i, p in pairs)
        length = float(np.linalg.norm(b - a))
        e = (b - a) / length if length > 0.0 else np.array([1.0, 0.0, 0.0])
        rows = [
            (i, wrench_at(p, sign * (state.poses[i, :3, :3].T @ e)))
            for (i, p), sign in zip(pairs, (-1.0, 1.0), strict=True)
            if i >= 0
        ]
        return rows, e, length

    def add(self, state: State, load: Load) -> None:
        rows, _, length = self._ends(state)
        rate = sum(float(row @ state.twists[i]) for i, row in rows)
        for i, row in rows:
            load.wrenches[i] -= (self.stiffness * (length - self.rest) + self.damping * rate) * row

    def energy(self, state: State) -> float:
        return 0.5 * self.stiffness * (self._ends(state)[2] - self.rest) ** 2

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        rows, e, length = self._ends(state)
        rate = sum(float(row @ state.twists[i]) for i, row in rows)
        tension = self.stiffness * (length - self.rest) + self.damping * rate
        stretched = tension / length if self.rest or self.damping else self.stiffness
        across = stretched * (np.eye(3) - np.outer(e, e))
        for i, row in rows:
            for j, other in rows:
                K = -self.stiffness * np.outer(row, other)
                K -= (1.0 if i == j else -1.0) * self._point(state, i).T @ across @ self._point(state, j)
                derivatives.stiffen(i, j, K)
                derivatives.damp(i, j, self.damping * np.outer(row, other))
            # The force stays in the world while the body turns (1.34).
            turned = so3.hat(-tension * row[3:])
            p = self.first_point if i == self.first else self.second_point
            derivatives.stiffen(i, i, np.block([[so3.hat(p) @ turned, _NONE], [turned, _NONE]]))

    def _point(self, state: State, body: int) -> Array:
        """Return the Jacobian of the point on a body, world axes, shape (3, 6)."""
        p = self.first_point if body == self.first else self.second_point
        return np.asarray(state.poses[body, :3, :3] @ np.hstack([-so3.hat(p), np.eye(3)]))
