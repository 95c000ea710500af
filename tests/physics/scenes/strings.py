"""Rows of mass points with springs between them, tied to bodies (RedMax matlab 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.dynamics import Scene
from core.dynamics.constraints import LoopClosure
from core.dynamics.deformable import Deformable, NodeSprings, with_deformables
from tests.physics.scenes.building import chain, model, start

if TYPE_CHECKING:
    from core.dynamics.forces import Derivatives
    from core.dynamics.state import State

HERE = (0.0, 0.0, 0.0)
WORLD = -1
STIFFNESS, MASS = 1e5, 1.0
"""``K`` of each spring between two nodes, energy ``K/2 e^2`` [erg]; mass of a whole row [g]."""


class ExplicitSprings(NodeSprings):
    """Springs whose force is that of the start of a step: the program's steps have no stiffness of them."""

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        """Leave all derivatives out."""


def threads() -> tuple[Deformable, Deformable]:
    """Return the rows of nodes where they start, all nodes free."""
    made = []
    for name, points in (("a", np.linspace((30, 0, 10), (20, 0, 0), 3)), ("b", np.linspace((5, 0, 0), (15, 0, 0), 2))):
        numbers = np.arange(len(points))
        pairs = np.stack([numbers[:-1], numbers[1:]], axis=1)
        made.append(Deformable(name, points, np.full(len(points), MASS / len(points)), pairs, np.array(STIFFNESS)))
    return made[0], made[1]


def tied() -> Scene:
    """Two boxes with two rows of nodes; all nodes are free, and those at the ends are held by constraints."""
    boxes = model(chain(2))
    x, v = start(boxes)
    made = with_deformables(boxes, x, threads(), v)
    forces = tuple(ExplicitSprings(force.body, force.first) for force in made.forces)
    ties = (
        LoopClosure("a 0", HERE, WORLD, (30, 0, 10)),
        LoopClosure("a 2", HERE, "2", (5, 0, 0)),
        LoopClosure("b 0", HERE, "1", HERE),
        LoopClosure("b 1", HERE, "2", HERE),
    )
    return Scene(made.model, made.x, made.v, forces, constraints=ties)
