"""Coordinates of one joint as springs and torques on it see them: always in the charts of the scene's own model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics import charts
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.forces.coordinate_blocks import CoordinateBlocks
    from core.dynamics.state import State
    from core.dynamics.tree_model import TreeModel

SAME = 1e-6
"""Coordinates of one pose that are nearer to each other than this, [rad] or [m], are the same but for rounding."""


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


class Stretch(NamedTuple):
    """How far the coordinates of a joint are from where they rest.

    Attributes:
        by: In home charts, shape (n,).
        A: What makes rates of the state those of the coordinates meant, shape (n, n); None stands for the identity.
    """

    by: Array
    A: Array | None


def stretch_of(state: State, body: int, rest: Array) -> Stretch:
    """Return how far the coordinates of a body's joint, those next to where they rest, are from there."""
    q, A = state.home_coordinates(body), state.home_rates_matrix(body)
    home = state.home.bodies[body].joint
    if home.has_charts:
        near = charts.converted(home, q, home, near=rest)
        if np.abs(near - q).max(initial=0.0) > SAME:
            to_near = charts.rates_matrix(home, q, home, near)
            A = to_near if A is None else to_near @ A
        q = near
    return Stretch(np.asarray(q - rest), A)


def add_torque(state: State, body: int, A: Array | None, torque: Array, tau: Array) -> None:
    """Add ``torque``, shape (n,), dual to the rates that A makes of those of the state, to ``tau``, shape (nv,)."""
    tau[state.coordinates(body)] += torque if A is None else A.T @ torque


def add_matrix(state: State, body: int, A: Array | None, diagonal: Array, matrix: CoordinateBlocks) -> None:
    """Add the derivative of a torque that is diagonal by the rates that A makes of those of the state to ``matrix``."""
    part = state.coordinates(body)
    matrix[part, part] += np.diag(diagonal) if A is None else A.T @ (diagonal[:, None] * A)


def home_rates(state: State, body: int) -> Array:
    """Return the rates of a body's joint in the home chart, shape (n,)."""
    v = state.v[state.coordinates(body)]
    A = state.home_rates_matrix(body)
    return v if A is None else A @ v
