"""What all constraints share: a function of one handle or several that is to be zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.network.block import Block
from core.constraints.network.handles.base import Handle
from core.constraints.network.jacobian import BlockJacobian, Ints, chained


class Constraint(Block):
    """``C = 0``, a block at the top of the network (Welman 1993, 5.3.3).

    A new kind of constraint writes ``_evaluate`` from ``values``, the handles' outputs, and ``local_jacobians``.

    Args:
        handles: What it is a function of.
        elements: Elements of the global state that may move to keep it; None is all its handles depend on.
        weight: 1 holds it exactly; less makes it a spring of that stiffness, whose force joins the applied ones.
        soft: Whether it is a spring whatever its weight.

    Attributes:
        angular: Whether its values are angles [rad] and not lengths [m].
    """

    angular = False

    def __init__(
        self, handles: Sequence[Handle], elements: Ints | None = None, weight: float = 1.0, soft: bool = False
    ):
        super().__init__()
        self.handles = tuple(handles)
        self.elements = elements
        self.weight = weight
        self.soft = soft or weight < 1.0
        for handle in self.handles:
            handle.users.append(self)

    @property
    def values(self) -> tuple[Any, ...]:
        """Outputs of its handles."""
        return tuple(handle.value for handle in self.handles)

    def local_jacobians(self) -> tuple[Array, ...]:
        """Return how it changes with each handle, shape (m, 3) each: by the velocity or angular velocity of it."""
        raise NotImplementedError

    @property
    def helping(self) -> Array:
        """The Jacobian's rows with zeros for elements that may not move to keep it, shape (m, k)."""
        columns, rows = self.jacobian
        return rows if self.elements is None else np.where(np.isin(columns, self.elements), rows, 0.0)

    def disconnect(self) -> None:
        """Take it off its handles."""
        for handle in self.handles:
            handle.users.remove(self)

    def _differentiate(self) -> BlockJacobian:
        return chained(self.local_jacobians(), [handle.jacobian for handle in self.handles])
