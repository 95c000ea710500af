"""Rows of several constraints on top of each other, and what messages say of those that cannot hold together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.constraints.base import Constraint
from core.dynamics.constraints.rows import Rows
from core.dynamics.constraints.situation import Situation

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Flags = NDArray[np.bool_]


class Stack(NamedTuple):
    """Rows of all constraints, in their order (Sueda 2.102, 2.104).

    Attributes:
        rows: Shapes (m, nv) and (m,).
        equality: Whether a row is an equation, shape (m,); else a lower bound.
        positional: Whether a row has a gap, shape (m,); else it wants a velocity only.
        owner: Number of the constraint that a row belongs to, shape (m,).
        places: Number of each row among all rows of the constraints, shape (m,).
        constraints: The constraints.
        model: The bodies.
    """

    rows: Rows
    equality: Flags
    positional: Flags
    owner: NDArray[np.intp]
    places: NDArray[np.intp]
    constraints: tuple[Constraint, ...]
    model: Multibody

    def forces(self, multipliers: Array) -> Array:
        """Return the generalized force of each constraint, ``G^T lambda`` of its own rows, shape (constraints, nv).

        Args:
            multipliers: Shape (m,): of accelerations, or impulses of a step, which give ``h`` times the force.
        """
        forces = np.zeros((len(self.constraints), self.rows.G.shape[1]))
        np.add.at(forces, self.owner, self.rows.G * multipliers[:, None])
        return forces

    def names(self, chosen: Flags) -> str:
        """Return the names of the constraints that some rows belong to, for messages."""
        owners = dict.fromkeys(self.owner[chosen].tolist())
        return ", ".join(self.constraints[k].describe(self.model) for k in owners)


def stacked(constraints: Iterable[Constraint], at: Situation) -> Stack:
    """Return the rows of all constraints in a situation.

    Raises:
        DynamicsError: If a constraint does not fit the model.
    """
    chosen = tuple(constraints)
    parts = [constraint.evaluate(at) for constraint in chosen]
    counts = [len(part.gap) for part in parts]

    def repeated(flags: Sequence[bool]) -> Flags:
        return np.repeat(np.array(flags, dtype=bool), counts)

    empty = Rows(np.zeros((0, at.model.nv)), *(np.zeros(0) for _ in range(4)))
    return Stack(
        Rows(*(np.concatenate(column) for column in zip(empty, *parts, strict=True))),
        repeated([constraint.equality for constraint in chosen]),
        repeated([constraint.positional for constraint in chosen]),
        np.repeat(np.arange(len(chosen)), counts),
        np.arange(sum(counts)),
        chosen,
        at.model,
    )


def chosen_rows(stack: Stack, chosen: Flags) -> Stack:
    """Return the stack with some of its rows only.

    Args:
        stack: The rows.
        chosen: Shape (m,).
    """
    return Stack(
        Rows(*(part[chosen] for part in stack.rows)),
        stack.equality[chosen],
        stack.positional[chosen],
        stack.owner[chosen],
        stack.places[chosen],
        stack.constraints,
        stack.model,
    )
