"""Lagrange's equations of motion of a tree, ``M(q) q'' + C(q, q') = Q``.

``Q`` here are all generalized forces: those of the joints, gravity's, and those of wrenches from outside.

Source: Liu & Jain sections 2, 4 and 5.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics.lagrangian.jacobians import Links, jacobian_rates, jacobians, links, velocity_accelerations
from core.dynamics.lagrangian.local_jacobians import Values
from core.dynamics.reduced_inertia import accelerations, congruence

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

COMPLEX_STEP = 1e-30
"""Imaginary part by which derivatives are taken; its square is nothing beside 1, so that they are right to rounding."""


def kinetic_energy(model: TreeModel, x: Array, v: Array) -> float:
    """Return ``T``, the sum of ``m v.v / 2 + w.I_c w / 2`` over the links (eqs. 26, 27).

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,), [m] and [rad].
        v: Rates, shape (nv,).
    """
    at = links(model, x)
    J = jacobians(at)
    speed, omega = J.linear @ v, J.angular @ v
    return 0.5 * float(at.masses @ (speed * speed).sum(axis=1) + np.einsum("bi,bij,bj->", omega, at.inertias, omega))


def mass_matrix(model: TreeModel, x: Values) -> Values:
    """Return ``M = sum J_k^T M_ck J_k``, shape (nv, nv); new (eqs. 48, 59).

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,), real or complex.
    """
    at = links(model, x)
    return congruence(jacobians(at).stacked(), inertia_blocks(at))


def mass_matrix_gradient(model: TreeModel, x: Array) -> Array:
    """Return the tensor ``dM/dq`` of eq. 17 by complex steps, shape (nv, nv, nv): ``dM/dq_j`` stands at [j]; new.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
    """
    gradient = np.empty((model.nv, model.nv, model.nv))
    for j in range(model.nv):
        stepped = x.astype(np.complex128)
        stepped[j] += 1j * COMPLEX_STEP
        gradient[j] = mass_matrix(model, stepped).imag / COMPLEX_STEP
    return gradient


def coriolis_by_tensor(model: TreeModel, x: Array, v: Array) -> Array:
    """Return ``C = M' q' - (dM/dq q')^T q' / 2`` from the tensor of the mass matrix, shape (nv,); new (eq. 17).

    Column j of ``dM/dq q'`` is ``dM/dq_j q'``. It takes one complex mass matrix a coordinate: for checks, not for
    simulation.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        v: Rates, shape (nv,).
    """
    gradient = mass_matrix_gradient(model, x)
    rate = np.einsum("j,jkl->kl", v, gradient)
    return np.asarray(rate @ v - 0.5 * np.einsum("jkl,k,l->j", gradient, v, v))


def coriolis(model: TreeModel, x: Array, v: Array) -> Array:
    """Return ``C = sum (J_k^T M_ck Jdot_k + J_k^T [w~_k] M_ck J_k) q'``, shape (nv,); new (eq. 59).

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        v: Rates, shape (nv,).
    """
    at = links(model, x)
    J, rates = jacobians(at), jacobian_rates(model, at, x, v)
    linear, angular = newton_euler(at, J.angular @ v, rates.linear @ v, rates.angular @ v)
    return np.einsum("bij,bi->j", J.linear, linear) + np.einsum("bij,bi->j", J.angular, angular)


def forward_dynamics(model: TreeModel, x: Array, v: Array, tau: Array | None, wrenches: Array | None) -> Array:
    """Return ``q''`` from ``M q'' = Q - C`` (eq. 59), shape (nv,); new.

    ``Jdot q'`` comes link by link, the matrix ``M`` is dense: the time grows with the cube of ``nv``.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,), [m] and [rad].
        v: Rates, shape (nv,).
        tau: Generalized forces of the joints, shape (nv,); None is zero.
        wrenches: External ``[t; f]`` on each body at B's origin in B's axes, shape (nb, 6); None is none.

    Raises:
        DynamicsError: If a joint has a direction that moves no inertia; names its body.
    """
    at = links(model, x)
    pull, turn = newton_euler(at, *velocity_accelerations(model, at, x, v))
    F = np.concatenate([at.masses[:, None] * model.gravity - pull, -turn], axis=1)
    if wrenches is not None:
        R_WB = at.rotations @ model.X_JB[:, :3, :3]
        centers = np.array([body.inertia.center for body in model.bodies])
        F[:, :3] += np.einsum("bij,bj->bi", R_WB, wrenches[:, 3:])
        F[:, 3:] += np.einsum("bij,bj->bi", R_WB, wrenches[:, :3] - np.cross(centers, wrenches[:, 3:]))
    return accelerations(model, jacobians(at).stacked(), inertia_blocks(at), F.ravel(), tau)


def inertia_blocks(at: Links) -> Values:
    """Return ``M_ck = blkdiag(m 1, I_c)`` of each link (eq. 27), shape (nb, 6, 6); new."""
    blocks = np.zeros((len(at.masses), 6, 6), at.inertias.dtype)
    blocks[:, :3, :3] = at.masses[:, None, None] * np.eye(3)
    blocks[:, 3:, 3:] = at.inertias
    return blocks


def newton_euler(at: Links, omega: Array, linear: Array, angular: Array) -> tuple[Array, Array]:
    """Return the force at the centre of mass and the torque that move each link so, shape (nb, 3) each (eq. 24).

    Args:
        at: Where the links are.
        omega: Angular velocities, shape (nb, 3), [rad/s].
        linear: Accelerations of the centres of mass, shape (nb, 3), [m/s^2].
        angular: Angular accelerations, shape (nb, 3), [rad/s^2].
    """
    momenta = np.einsum("bij,bj->bi", at.inertias, omega)
    return at.masses[:, None] * linear, np.einsum("bij,bj->bi", at.inertias, angular) + np.cross(omega, momenta)
