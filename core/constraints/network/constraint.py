"""A constraint of the network: a residual wired to handles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.network.block import Block
from core.constraints.network.handles.base import Handle
from core.constraints.network.jacobian import BlockJacobian, Ints, chained
from core.constraints.residuals import Residual


class Constraint(Block):
    """``C = 0``, a block at the top of the network (Welman 1993, 5.3.3).

    Of an inequality only what is violated counts: a row that holds is zero.

    Args:
        residual: The function that is to be zero.
        handles: Its arguments: points, orientations and the centre of mass, as ``Residual.of`` has them.
        elements: Elements of the global state that may move to keep it; None is all its handles depend on.
        weight: 1 holds it exactly; less makes it a spring of that stiffness, whose force joins the applied ones.
        soft: Whether it is a spring whatever its weight.
    """

    def __init__(
        self,
        residual: Residual,
        handles: Sequence[Handle],
        elements: Ints | None = None,
        weight: float = 1.0,
        soft: bool = False,
    ):
        super().__init__()
        self.residual = residual
        self.handles = tuple(handles)
        self.elements = elements
        self.weight = weight
        self.soft = soft or weight < 1.0
        for handle in self.handles:
            handle.users.append(self)

    @property
    def angular(self) -> bool:
        """Whether its values are angles [rad] and not lengths [m]."""
        return self.residual.angular

    @property
    def values(self) -> tuple[Any, ...]:
        """Outputs of its handles."""
        return tuple(handle.value for handle in self.handles)

    @property
    def helping(self) -> Array:
        """The Jacobian's rows with zeros for elements that may not move to keep it, shape (m, k)."""
        columns, rows = self.jacobian
        return rows if self.elements is None else np.where(np.isin(columns, self.elements), rows, 0.0)

    def disconnect(self) -> None:
        """Take it off its handles."""
        for handle in self.handles:
            handle.users.remove(self)

    def _evaluate(self) -> Array:
        C = self.residual.value(*self.values)
        return np.maximum(C, 0.0) if self.residual.inequality else C

    def _differentiate(self) -> BlockJacobian:
        local: Sequence[Array] = self.residual.jacobians(*self.values)
        if self.residual.inequality:
            local = [np.where(self.value[:, None] > 0.0, rows, 0.0) for rows in local]
        return chained(local, [handle.jacobian for handle in self.handles])
