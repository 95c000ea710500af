"""Coordinates of one joint as springs and torques on it see them: always in the charts of the scene's own model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.forces.coordinate_blocks import CoordinateBlocks
    from core.dynamics.state import State
    from core.dynamics.tree_model import TreeModel


def per_coordinate(model: TreeModel, joint: int | str, value: ArrayLike, what: str) -> Array:
    """Return one number a coordinate of a body's joint, shape (n,); a single number stands for all.

    Raises:
        DynamicsError: If the body is not there, the count is wrong or a number is not finite; names the body.
    """
    i = model.index(joint)
    n = model.bodies[i].joint.n
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.full(1, np.nan)
    if array.shape not in ((), (n,)) or not np.isfinite(array).all():
        raise DynamicsError(
            f'{what} on the joint of "{model.names[i]}" is {shown(value)}; it must be a finite number, or {n}'
        )
    return np.broadcast_to(array, (n,))


def add_torque(state: State, body: int, torque: Array, tau: Array) -> None:
    """Add ``torque``, shape (n,), dual to the rates in the home chart, to ``tau``, shape (nv,)."""
    A = state.home_rates_matrix(body)
    tau[state.coordinates(body)] += torque if A is None else A.T @ torque


def add_matrix(state: State, body: int, diagonal: Array, matrix: CoordinateBlocks) -> None:
    """Add the derivative of a torque that is diagonal in the home chart to ``matrix``."""
    part = state.coordinates(body)
    A = state.home_rates_matrix(body)
    matrix[part, part] += np.diag(diagonal) if A is None else A.T @ (diagonal[:, None] * A)


def home_rates(state: State, body: int) -> Array:
    """Return the rates of a body's joint in the home chart, shape (n,)."""
    v = state.v[state.coordinates(body)]
    A = state.home_rates_matrix(body)
    return v if A is None else A @ v
