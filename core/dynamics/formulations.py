"""The formulations of the equations of motion: each turns forces into accelerations, and all agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.arrays import Array
from core.dynamics import fastest, hakenberg, lagrangian, maximal, recursive, redmax, symbolic
from core.dynamics.symbolic import mixed
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

Formulation = Callable[["TreeModel", Array, Array, Array, Array], Array]

FORMULATIONS: dict[str, Formulation] = {
    "recursive": recursive.forward,
    "redmax": redmax.forward_dynamics,
    "maximal": maximal.forward_dynamics,
    "lagrangian": lagrangian.forward_dynamics,
    "symbolic": symbolic.forward_dynamics,
    "mixed": mixed.forward_dynamics,
    "fastest": fastest.forward_dynamics,
    "hakenberg": hakenberg.forward_dynamics,
}
"""Functions ``(model, x, v, tau, wrenches) -> vdot`` by name; arguments are checked before."""


def formulation(name: str) -> Formulation:
    """Return a formulation by name.

    Raises:
        DynamicsError: If there is none of that name; lists those there are.
    """
    if not isinstance(name, str) or name not in FORMULATIONS:
        raise DynamicsError(f'there is no formulation "{name}"; there are {", ".join(FORMULATIONS)}')
    return FORMULATIONS[name]
