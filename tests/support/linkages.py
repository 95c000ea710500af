"""Rods on hinges, and the linkages that tests of closed loops are made of."""

from __future__ import annotations

import numpy as np

from core.dynamics import Body, Multibody
from core.dynamics.constraints import LoopClosure
from core.joints import Revolute
from core.spatial import SpatialInertia, se3


def rod(mass: float, length: float) -> SpatialInertia:
    return SpatialInertia(mass, (0, 0, 0), np.diag([1e-3, 1.0, 1.0]) * mass * length**2 / 12.0)


def link(
    name: str, parent: int | str, length: float, offset: float, axis: tuple = (0, 1, 0), mass: float = 20.0
) -> Body:
    """A rod along x, its hinge ``offset`` along the x of its parent."""
    return Body(
        name, parent, Revolute(axis), se3.transform(None, (offset, 0, 0)), se3.transform(None, (length / 2, 0, 0)),
        rod(mass, length),
    )  # fmt: skip


def four_bar() -> tuple[Multibody, LoopClosure]:
    """The four-bar of Drake: ground 2 m, links 4 m and 20 kg, hinges about y, x to the right, z up."""
    model = Multibody([link("A", -1, 4, 0), link("B", "A", 4, 4), link("C", "B", 4, 4)], gravity=(0, 0, -9.8))
    return model, LoopClosure("C", (2, 0, 0), "world", (2, 0, 0), axis="hinge")
