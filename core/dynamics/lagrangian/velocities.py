"""Velocities of the links in the world to rates of the joints, and back.

Source: Liu & Jain section 6.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.lagrangian.jacobians import Links, jacobians, links

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


class Velocities(NamedTuple):
    """Velocities of all bodies: ``V`` of eq. 60.

    Attributes:
        linear: Of the centres of mass, shape (nb, 3), [m/s].
        angular: Shape (nb, 3), [rad/s].
    """

    linear: Array
    angular: Array


def cartesian_velocities(model: TreeModel, x: ArrayLike, v: ArrayLike) -> Velocities:
    """Return ``V = J q'``, in world axes (eqs. 58, 60).

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,), [m] and [rad].
        v: Their rates, shape (nv,).

    Raises:
        DynamicsError: If an argument is of the wrong shape or not finite.
    """
    J = jacobians(links(model, finite_array(x, (model.nq,), "x")))
    rates = finite_array(v, (model.nv,), "v")
    return Velocities(J.linear @ rates, J.angular @ rates)


def generalized_velocities(model: TreeModel, x: ArrayLike, velocities: Velocities) -> Array:
    """Return ``q' = J^+ V``, the rates whose velocities are nearest by least squares, shape (nv,); new (eq. 61).

    Velocities that the joints forbid are not met: ``cartesian_velocities`` of the result are others then.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        velocities: In world axes.

    Raises:
        DynamicsError: If an argument is of the wrong shape or not finite.
    """
    J = jacobians(links(model, finite_array(x, (model.nq,), "x")))
    given = _checked(model, velocities)
    return _least_squares(J.stacked(), np.concatenate(given, axis=1).ravel())


def connectivity(model: TreeModel) -> Array:
    """Return ``D``, which takes the angular velocities of all links to those against the parents (eq. 64).

    Returns:
        Shape (3 nb, 3 nb), blocks 1, 0 and -1; new.
    """
    D = np.eye(len(model.bodies))
    for i, parent in enumerate(model.parents.tolist()):
        if parent >= 0:
            D[i, parent] = -1.0
    return np.asarray(np.kron(D, np.eye(3)), dtype=np.float64)


def parent_rotations(model: TreeModel, at: Links) -> Array:
    """Return ``R_p(k)^0``, the rotations of the parents' joint frames in the world, shape (nb, 3, 3); new."""
    rotations = at.rotations
    return np.where(model.parents[:, None, None] < 0, np.eye(3), rotations[model.parents])


def relative_velocities(model: TreeModel, x: ArrayLike, velocities: Velocities) -> Velocities:
    """Return how each joint's frame moves against the parent, in the axes of the parent's joint frame.

    ``w^ = R^T D w`` (eqs. 62, 65), and of the origin of J ``v^ = R_p^T (v_k - v_p - w_p x (p_k - p_p))``, what eq. 75
    says of a link whose joint slides as well (82).

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        velocities: In world axes.

    Returns:
        Of the origins and orientations of the joint frames, new.

    Raises:
        DynamicsError: If an argument is of the wrong shape or not finite.
    """
    at = links(model, finite_array(x, (model.nq,), "x"))
    return _relative(model, at, _checked(model, velocities))


def generalized_velocities_by_joint(model: TreeModel, x: ArrayLike, velocities: Velocities) -> Array:
    """Return the same rates as ``generalized_velocities`` where the joints allow the velocities, joint by joint.

    Joints that only turn take ``q'_k = J^_wk^+ w^_k`` of the angular velocities alone (eq. 66); others solve for their
    relative velocity as a whole. The paper has ``J_vk^+ v_k`` for slides: that holds only where nothing turns; what
    rotations make of the velocity is taken off here.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        velocities: In world axes.

    Returns:
        Shape (nv,); new.

    Raises:
        DynamicsError: If an argument is of the wrong shape or not finite.
    """
    at = links(model, finite_array(x, (model.nq,), "x"))
    relative = _relative(model, at, _checked(model, velocities))
    rates = np.empty(model.nv)
    for i, local in enumerate(at.local):
        part = slice(model.first[i], model.first[i + 1])
        if local.linear.any():
            J, wanted = np.concatenate(local[2:]), np.concatenate([relative.linear[i], relative.angular[i]])
            rates[part] = _least_squares(J, wanted)
        else:
            rates[part] = _least_squares(local.angular, relative.angular[i])
    return rates


def _relative(model: TreeModel, at: Links, velocities: Velocities) -> Velocities:
    linear, angular = velocities
    origins = np.stack([frame.origin for frame in at.world])
    linear = linear - np.cross(angular, at.arms)
    rooted = model.parents < 0
    before = [np.where(rooted[:, None], 0.0, each[model.parents]) for each in (linear, angular, origins)]
    R = parent_rotations(model, at)
    apart = linear - before[0] - np.cross(before[1], origins - before[2])
    return Velocities(np.einsum("bji,bj->bi", R, apart), np.einsum("bji,bj->bi", R, angular - before[1]))


def _checked(model: TreeModel, velocities: Velocities) -> Velocities:
    shape = (len(model.bodies), 3)
    linear, angular = velocities
    return Velocities(finite_array(linear, shape, "linear"), finite_array(angular, shape, "angular"))


def _least_squares(A: Array, b: Array) -> Array:
    return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], dtype=np.float64)
