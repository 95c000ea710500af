"""Forces and torques on the links to generalized forces, and back.

Generalized forces are met by many forces on the links. Each function here gives the least of its kind.

Source: Liu & Jain section 6.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.lagrangian.jacobians import Links, jacobians, links
from core.dynamics.lagrangian.velocities import parent_rotations
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

_MISSED = 1e-9
"""Part of generalized forces that may be missing before they count as out of reach."""


class Forces(NamedTuple):
    """Forces and torques, one of each for every body.

    Attributes:
        forces: In world axes, shape (nb, 3), [N].
        torques: Of bodies in world axes, of joints in the axes of the parent's joint frame, shape (nb, 3), [N m].
    """

    forces: Array
    torques: Array


def generalized_forces(
    model: TreeModel, x: ArrayLike, forces: ArrayLike, torques: ArrayLike, points: ArrayLike | None = None
) -> Array:
    """Return ``Q = sum J'_vk^T f_k + J_wk^T tau'_k``, shape (nv,); new (eq. 67; 48 without ``points``).

    ``J'_vk`` is the Jacobian of the point where the force acts. (The paper prints ``J_vk`` and ``f'``.)

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,), [m] and [rad].
        forces: On the bodies, in world axes, shape (nb, 3), [N].
        torques: On the bodies, in world axes, shape (nb, 3), [N m], those that the forces make by their place not among
            them.
        points: Where the forces act, in the world, shape (nb, 3), [m]; None for the centres of mass.

    Raises:
        DynamicsError: If an argument is of the wrong shape or not finite.
    """
    at = links(model, finite_array(x, (model.nq,), "x"))
    f, t = _checked(model, forces, "forces"), _checked(model, torques, "torques")
    J = jacobians(at)
    about = t + _moments(model, at, f, points)
    return np.einsum("bij,bi->j", J.linear, f) + np.einsum("bij,bi->j", J.angular, about)


def body_torques(model: TreeModel, x: ArrayLike, torques: ArrayLike) -> Array:
    """Return the torques on the bodies, in world axes, that torques in joints are: ``tau' = D^T R tau^`` (eq. 68).

    Each joint's torque acts on its own body, and its opposite on the parent.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        torques: ``tau^``, in the axes of the parents' joint frames, shape (nb, 3), [N m].

    Returns:
        Shape (nb, 3), [N m]; new.

    Raises:
        DynamicsError: If an argument is of the wrong shape or not finite.
    """
    at = links(model, finite_array(x, (model.nq,), "x"))
    return _on_bodies(model, at, _checked(model, torques, "torques"))


def generalized_forces_of_joint_torques(
    model: TreeModel,
    x: ArrayLike,
    torques: ArrayLike,
    forces: ArrayLike | None = None,
    points: ArrayLike | None = None,
) -> Array:
    """Return ``Q = J'_v^T f + J^_w^T tau^``, shape (nv,); new (eq. 69).

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        torques: Of the joints, in the axes of the parents' joint frames, shape (nb, 3), [N m].
        forces: On the bodies, in world axes, shape (nb, 3), [N]; None for none.
        points: Where these act, in the world, shape (nb, 3), [m]; None for the centres of mass.

    Raises:
        DynamicsError: If an argument is of the wrong shape or not finite.
    """
    at = links(model, finite_array(x, (model.nq,), "x"))
    t = _checked(model, torques, "torques")
    Q = np.concatenate([np.zeros(0), *(local.angular.T @ each for local, each in zip(at.local, t, strict=True))])
    return Q if forces is None else Q + generalized_forces(model, x, forces, np.zeros_like(t), points)


def cartesian_forces(model: TreeModel, x: ArrayLike, tau: ArrayLike) -> Forces:
    """Return forces at the centres of mass and torques on the bodies that generalized forces are (eq. 70).

    ``(f, tau) = (J_v^T J_w^T)^+ Q``: any generalized forces, those along slides and of a root that floats as well. They
    do to the tree what ``Q`` does, so that of a floating tree without generalized forces in the root they have no sum
    and no moment. (The paper prints ``J'_v`` there; its text says the centres of mass.)

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        tau: Generalized forces ``Q``, shape (nv,).

    Returns:
        In world axes, the least of all such forces (squares of [N] and [N m] added); new.

    Raises:
        DynamicsError: If an argument is of the wrong shape or not finite, or two coordinates move everything in the
            same way, so that nothing makes ``Q``.
    """
    J = jacobians(links(model, finite_array(x, (model.nq,), "x"))).stacked()
    Q = finite_array(tau, (model.nv,), "tau")
    found = _least_norm(J.T, Q)
    if _misses(J.T @ found, Q):
        raise DynamicsError(
            "no forces on the bodies make these generalized forces: coordinates move them the same way here; "
            "expected charts away from their singularities"
        )
    each = found.reshape(-1, 6)
    return Forces(each[:, :3].copy(), each[:, 3:].copy())


def forces_and_joint_torques(
    model: TreeModel, x: ArrayLike, tau: ArrayLike, points: Mapping[int | str, ArrayLike]
) -> Forces:
    """Return forces at known points and torques of joints that generalized forces are, the least (eq. 69 inverted).

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        tau: Generalized forces ``Q``, shape (nv,).
        points: Where a force may act, by body: a point in the world, shape (3,), [m].

    Returns:
        Forces in world axes, zero of bodies that are not in ``points``; torques of the joints in the axes of the
        parents' joint frames; new.

    Raises:
        DynamicsError: If an argument is of the wrong shape or not finite, there is no such body, or no forces at these
            points and torques make ``Q``.
    """
    at = links(model, finite_array(x, (model.nq,), "x"))
    Q = finite_array(tau, (model.nv,), "tau")
    J = jacobians(at)
    places = {model.index(body): finite_array(point, (3,), f"the point of {body!r}") for body, point in points.items()}
    centers, nb = at.centers, len(model.bodies)
    columns = np.zeros((model.nv, 3 * (len(places) + nb)))
    for k, (i, point) in enumerate(places.items()):
        columns[:, 3 * k : 3 * k + 3] = J.linear[i].T + np.cross(J.angular[i].T, point - centers[i])
    for i, local in enumerate(at.local):
        column = 3 * (len(places) + i)
        columns[model.first[i] : model.first[i + 1], column : column + 3] = local.angular.T
    found = _least_norm(columns, Q)
    if _misses(columns @ found, Q):
        raise DynamicsError(
            f"no forces on {len(places)} of the bodies and no torques in joints make these generalized forces; "
            "expected points where forces move every slide"
        )
    forces, parts = np.zeros((nb, 3)), found.reshape(-1, 3)
    forces[list(places)] = parts[: len(places)]
    return Forces(forces, parts[len(places) :].copy())


def joint_torques(model: TreeModel, x: ArrayLike, tau: ArrayLike) -> Array:
    """Return the torques of joints that generalized forces are, without forces: ``tau^_k = (J^_wk^T)^+ Q_k`` (eq. 71).

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        tau: Generalized forces ``Q``, shape (nv,).

    Returns:
        The least of each joint, in the axes of the parent's joint frame, shape (nb, 3), [N m]; new.

    Raises:
        DynamicsError: If an argument is of the wrong shape or not finite, or a joint's generalized forces are no
            torque, as along a slide or in gimbal lock; names the body.
    """
    at = links(model, finite_array(x, (model.nq,), "x"))
    Q = finite_array(tau, (model.nv,), "tau")
    found = np.zeros((len(model.bodies), 3))
    for i, local in enumerate(at.local):
        own = Q[model.first[i] : model.first[i + 1]]
        found[i] = _least_norm(local.angular.T, own)
        if _misses(local.angular.T @ found[i], own):
            raise DynamicsError(
                f'body "{model.names[i]}": no torque makes the generalized forces of its joint; '
                "expected none along slides and no gimbal lock; cartesian_forces gives forces too"
            )
    return found


def wrenches_on_bodies(
    model: TreeModel, x: ArrayLike, forces: ArrayLike, torques: ArrayLike, points: ArrayLike | None = None
) -> Array:
    """Return forces and torques as ``wrenches=`` of every formulation has them: ``[t; f]`` at B's origin in B's axes.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        forces: On the bodies, in world axes, shape (nb, 3), [N].
        torques: On the bodies, in world axes, shape (nb, 3), [N m], those that the forces make by their place not among
            them.
        points: Where the forces act, in the world, shape (nb, 3), [m]; None for the centres of mass.

    Returns:
        Shape (nb, 6); new.

    Raises:
        DynamicsError: If an argument is of the wrong shape or not finite.
    """
    at = links(model, finite_array(x, (model.nq,), "x"))
    f, t = _checked(model, forces, "forces"), _checked(model, torques, "torques")
    R_WB = at.rotations @ model.X_JB[:, :3, :3]
    centers = R_WB @ np.array([body.inertia.center for body in model.bodies])[:, :, None]
    about = t + _moments(model, at, f, points) + np.cross(centers[:, :, 0], f)
    return np.concatenate([np.einsum("bji,bj->bi", R_WB, part) for part in (about, f)], axis=1)


def _moments(model: TreeModel, at: Links, forces: Array, points: ArrayLike | None) -> Array:
    """Return ``[r_k - x_k] f_k``, which ``tau`` of eq. 48 holds and ``tau'`` of 67 does not, shape (nb, 3)."""
    if points is None:
        return np.zeros_like(forces)
    return np.cross(_checked(model, points, "points") - at.centers, forces)


def _on_bodies(model: TreeModel, at: Links, torques: Array) -> Array:
    own = np.einsum("bij,bj->bi", parent_rotations(model, at), torques)
    total = own.copy()
    held = model.parents >= 0
    np.subtract.at(total, model.parents[held], own[held])
    return total


def _checked(model: TreeModel, value: ArrayLike, what: str) -> Array:
    return finite_array(value, (len(model.bodies), 3), what)


def _least_norm(A: Array, b: Array) -> Array:
    return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], dtype=np.float64)


def _misses(found: Array, wanted: Array) -> bool:
    return bool(np.linalg.norm(found - wanted) > _MISSED * np.linalg.norm(wanted))
