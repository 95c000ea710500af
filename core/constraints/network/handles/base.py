"""What all handles share: a geometric quantity of one figure, a function of some elements of its pose."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.network.block import Block
from core.constraints.network.jacobian import BlockJacobian, Ints
from core.constraints.network.state import FigureState
from core.skeleton.dof import SLIDE
from core.skeleton.skeleton import Skeleton


class Handle(Block):
    """A quantity that constraints are put on and forces are applied to (Welman 1993, 5.3.2).

    A new kind of handle says in ``__init__`` which elements of the pose it depends on, and writes ``_evaluate`` and
    ``local_jacobian``.

    Args:
        figure: The figure it belongs to.
        elements: Numbers of the pose's elements it depends on, ascending.
    """

    def __init__(self, figure: FigureState, elements: Ints):
        super().__init__()
        self.figure = figure
        self.elements = elements
        self.connected = True
        figure.connect(self, elements)

    @property
    def key(self) -> tuple[Any, ...]:
        """What distinguishes it from other handles: two of one key are the same."""
        raise NotImplementedError

    @property
    def skeleton(self) -> Skeleton:
        """Its figure's skeleton."""
        return self.figure.skeleton

    def local_jacobian(self) -> Array:
        """Return how it moves with the figure's whole pose, shape (3, nq): a velocity or an angular velocity."""
        raise NotImplementedError

    def disconnect(self) -> None:
        """Take it off the state."""
        self.figure.disconnect(self)
        self.connected = False

    def _differentiate(self) -> BlockJacobian:
        return BlockJacobian(self.elements + self.figure.first, self.local_jacobian()[:, self.elements])


def elements_above(skeleton: Skeleton, joint: int) -> Ints:
    """Return the elements of a pose that move a joint: root translation, its own values and those above it."""
    found = [0, 1, 2]
    while joint >= 0:
        found += range(3 + skeleton.first_dof[joint], 3 + skeleton.first_dof[joint + 1])
        joint = skeleton.joints[joint].parent
    return np.array(sorted(found), dtype=np.int64)


def turning_elements(skeleton: Skeleton, joint: int) -> Ints:
    """Return the elements of a pose that turn a joint: all among ``elements_above`` but slides."""
    above = elements_above(skeleton, joint)[3:]
    dofs = skeleton.all_dofs
    return np.array([k for k in above if dofs[k - 3].kind != SLIDE], dtype=np.int64)
