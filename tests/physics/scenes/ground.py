"""A box on a floor that pushes back (RedMax matlab-diff 11)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Multibody, Scene
from core.dynamics.forces import Derivatives, Force, Load
from core.dynamics.state import State
from core.joints import Free2D
from tests.physics.scenes.building import box, model, start

Array = NDArray[np.float64]

EDGES = (3.0, 1.0, 1.0)
CORNERS = np.array(list(product((-0.5, 0.5), repeat=3))) * EDGES


@dataclass(frozen=True, eq=False)
class PushingFloor(Force):
    """The plane y = 0 pushes the corners of a box back.

    At a depth d a corner feels ``stiffness d`` less ``damping`` times its speed upwards, which may also pull, and
    ``holding`` times its speed along the floor; where that is more than ``friction stiffness d``, just this.

    Attributes:
        body: The box.
        slips: Whether what slides is pushed on by its friction instead of braked, as in the program.
        stiffness, holding, damping, friction: As above.
    """

    label: ClassVar[str] = "Pushing floor"
    description: ClassVar[str] = "Pushes the corners of a box back."
    conservative: ClassVar[bool] = False

    body: str
    slips: bool = True
    stiffness: float = 1e5
    holding: float = 1e2
    damping: float = 30.0
    friction: float = 0.5

    def check(self, model: Multibody) -> None:
        model.index(self.body)

    def _corners(self, state: State) -> tuple[Array, Array, Array]:
        """Return the corners that are in the floor: where in the box, how deep, and how fast, in the world."""
        i = state.model.index(self.body)
        X, twist = state.poses[i], state.twists[i]
        height = CORNERS @ X[1, :3] + X[1, 3]
        inside = CORNERS[height <= 0.0]
        return inside, -height[height <= 0.0], (twist[3:] + np.cross(twist[:3], inside)) @ X[:3, :3].T

    def add(self, state: State, load: Load) -> None:
        i = state.model.index(self.body)
        points, deep, speed = self._corners(state)
        along = speed * (1.0, 0.0, 1.0)
        fast = np.linalg.norm(along, axis=1)
        most = self.friction * self.stiffness * deep
        sliding = most <= self.holding * fast
        braking = np.where(sliding, (-1.0 if self.slips else 1.0) * most, self.holding * fast)
        force = -np.divide(braking, fast, out=np.zeros_like(fast), where=fast > 0.0)[:, None] * along
        force[:, 1] = self.stiffness * deep - self.damping * speed[:, 1]
        own = force @ state.poses[i, :3, :3]
        load.wrenches[i] += np.concatenate([np.cross(points, own), own], axis=1).sum(axis=0)

    def energy(self, state: State) -> float:
        return 0.5 * self.stiffness * float((self._corners(state)[1] ** 2).sum())

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        """Leave all derivatives out: linearly implicit steps take the force of their start."""


def on_the_floor(slips: bool = True) -> Scene:
    m = model([box("1", -1, EDGES, Free2D())], (0.0, -980.0, 0.0))
    return Scene(m, *start(m, q1=(-1, 2, 0), v1=(5, 70, 2)), (PushingFloor("1", slips),))
