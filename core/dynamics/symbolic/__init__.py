"""The symbolic formulation: the six recursions of forward dynamics as generated machine code, for any joint.

Source: Si & Guenter (2011), Linear-Time Dynamics for Multibody Systems with General Joint Models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.arrays import Array
from core.dynamics import recursive
from core.dynamics.symbolic.tree import known_tree, tree_of

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


def forward_dynamics(model: TreeModel, x: Array, v: Array, tau: Array, wrenches: Array) -> Array:
    """Return the accelerations, shape (nv,); new. Arguments and errors as of ``recursive.forward``.

    Where a pivot may be nothing but rounding, or something is not finite, the recursive formulation looks closer.
    """
    vdot = np.empty(model.nv)
    x, v, tau = (np.ascontiguousarray(array) for array in (x, v, tau))
    if not tree_of(model).forward(x, v, tau, wrenches, vdot):
        return recursive.forward(model, x, v, tau, wrenches)
    return vdot


def forward_rows(model: TreeModel, x: Array, v: Array, tau: Array, wrenches: Array, vdot: Array) -> list[int] | None:
    """Write the accelerations of many states, on all processors, each with the bits of ``forward_dynamics``.

    Return the states that need a closer look; None if each does.

    Args:
        model: The tree.
        x, v, tau: Contiguous, shape (k, nv), or (1, nv) for all states.
        wrenches: External wrenches at B in B, contiguous, shape (k, nb, 6) or (1, nb, 6).
        vdot: Contiguous, shape (k, nv).
    """
    return tree_of(model).rows(x, v, tau, wrenches, vdot)


def quick(model: TreeModel, x: Any, v: Any, tau: Any) -> Array | None:
    """Return :func:`forward_dynamics` without external wrenches in little more than the code's time; new.

    None where anything needs a closer look: then nothing is said of it here.
    """
    tree = known_tree(model)
    if tree is None:
        return None
    vdot = np.empty(model.nv)
    return vdot if tree.quick(x, v, tau, vdot) else None


def inverse_dynamics(model: TreeModel, x: Array, v: Array, vdot: Array, wrenches: Array) -> Array:
    """Return the generalized forces of accelerations, shape (nv,); new. Si & Guenter eqs. 8, 11, 14, 15."""
    tau = np.empty(model.nv)
    x, v, vdot = (np.ascontiguousarray(array) for array in (x, v, vdot))
    if not tree_of(model).inverse(x, v, vdot, wrenches, tau):
        return recursive.inverse(model, x, v, vdot, wrenches)
    return tau


def prepare(model: TreeModel) -> None:
    """Make the code of a model's forward dynamics, or read it from the disk."""
    tree_of(model).sweep("outward", "inward", "onward")


def is_optimized(model: TreeModel) -> bool:
    """Return whether nothing better will come than the code of a model's forward dynamics that there is."""
    return tree_of(model).sweep("outward", "inward", "onward").is_optimized
