"""Articulated bodies where the kernels of ``recursive_kernel`` doubt a pivot, or bodies have terms of their own.

A joint's columns are eliminated all at once, by their Cholesky factor, and a pivot counts as nothing where it is
rounding beside the inertia of the rigid subtree. Everything is in joint frames: poses E and adjoints Ad from the
parent's joint frame to the body's, subspaces S, twists V and wrenches F. Outputs are written into the last arguments.
Where a function returns an index, it is that of the first body met whose joint has a direction that moves no inertia,
and the outputs mean nothing; -1 says that all went well.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.motion import Motion, motion
from core.spatial import se3

# A pivot of the joint's inertia below this much of what the rigid subtree would have is rounding: it stands for zero.
_SINGULAR = 64.0 * np.finfo(np.float64).eps


def forward(model: Any, x: Array, v: Array, tau: Array, wrenches: Array, vdot: Array) -> int:
    """Compute accelerations from forces, Sueda algorithm 9 with no joint prescribed.

    Args:
        model: The tree.
        x: Coordinates, shape (nv,).
        v: Velocities, shape (nv,).
        tau: Generalized forces, shape (nv,).
        wrenches: External wrenches at B in B, shape (nb, 6).
        vdot: Accelerations, shape (nv,); written.

    Returns:
        -1, or the index of a body whose joint moves no inertia.
    """
    none = np.zeros(len(model.bodies), dtype=np.bool_)
    return hybrid(model, x, v, tau, vdot, none, wrenches, vdot, np.empty_like(vdot))


def hybrid(
    model: Any,
    x: Array,
    v: Array,
    tau: Array,
    vdot: Array,
    prescribed: NDArray[np.bool_],
    wrenches: Array,
    vdot_out: Array,
    tau_out: Array,
) -> int:
    """Compute the accelerations of the free joints and the torques of the prescribed ones, Sueda algorithm 9.

    Args:
        model: The tree.
        x: Coordinates, shape (nv,).
        v: Velocities, shape (nv,).
        tau: Generalized forces, shape (nv,); those of free joints are read.
        vdot: Accelerations, shape (nv,); those of prescribed joints are read.
        prescribed: Whether the acceleration of a body's joint is given, shape (nb,).
        wrenches: External wrenches at B in B, shape (nb, 6).
        vdot_out: All accelerations, shape (nv,); written, may be ``vdot``.
        tau_out: All generalized forces, shape (nv,); written, may be ``tau``.

    Returns:
        -1, or the index of a body whose joint is free and moves no inertia.
    """
    m = motion(model, x, v)
    assert m.V is not None and m.bias is not None
    tree = _articulated(model, m, model.inertias, np.zeros(model.nv), prescribed)
    if tree.singular >= 0:
        return tree.singular
    first = model.first.tolist()
    # The wrench each body would need if its joint frame kept its twist's components (the algorithm's B-hat).
    B = _bias_wrenches(model, m, _outside(model, m, wrenches))
    for i in range(len(B) - 1, -1, -1):
        here = slice(first[i], first[i + 1])
        M, S = tree.M[i], m.S[i]
        beta = B[i] + M @ m.bias[i]
        if prescribed[i]:
            beta += M @ (S @ vdot[here])
        else:
            beta += M @ (S @ _solve(tree.roots[i], tau[here] - S.T @ beta))
        if (parent := model.parents[i]) >= 0:
            B[parent] += m.Ad[i].T @ beta
    Vdot = np.zeros_like(B)
    for i, parent in enumerate(model.parents.tolist()):
        here = slice(first[i], first[i + 1])
        M, S = tree.M[i], m.S[i]
        Vdot[i] = m.bias[i]
        if parent >= 0:
            Vdot[i] += m.Ad[i] @ Vdot[parent]
        if prescribed[i]:
            vdot_out[here] = vdot[here]
            Vdot[i] += S @ vdot[here]
            tau_out[here] = S.T @ (M @ Vdot[i] + B[i])
        else:
            tau_out[here] = tau[here]
            vdot_out[here] = _solve(tree.roots[i], tau[here] - S.T @ (M @ Vdot[i] + B[i]))
            Vdot[i] += S @ vdot_out[here]
    return -1


def inverse_product(model: Any, x: Array, added: Array, rhs: Array, out: Array) -> int:
    """Compute ``(M + diag(added))^-1 rhs`` for each row of ``rhs``, Sueda algorithm 10.

    Args:
        model: The tree.
        x: Coordinates, shape (nv,).
        added: Joint terms such as ``h D - h^2 K`` of a preconditioner, shape (nv,).
        rhs: Right-hand sides, shape (k, nv).
        out: Shape (k, nv); written.

    Returns:
        -1, or the index of a body whose joint moves no inertia.
    """
    return _inverse_product(model, x, model.inertias, added, rhs, out)


def damped_inverse_product(model: Any, x: Array, added: Array, blocks: Array, rhs: Array, out: Array) -> int:
    """Compute ``(M + J^T blkdiag(blocks) J + diag(added))^-1 rhs``: algorithm 10 with terms on bodies too.

    Args:
        model: The tree.
        x: Coordinates, shape (nv,).
        added: Joint terms, shape (nv,).
        blocks: Terms at B in B, such as ``h D_m - h^2 K_m``, shape (nb, 6, 6).
        rhs: Right-hand sides, shape (k, nv).
        out: Shape (k, nv); written.

    Returns:
        -1, or the index of a body whose joint moves no inertia.
    """
    Ad = model.Ad_BJ
    inertias = model.inertias + Ad.transpose(0, 2, 1) @ blocks @ Ad
    return _inverse_product(model, x, inertias, added, rhs, out)


def _inverse_product(model: Any, x: Array, inertias: Array, added: Array, rhs: Array, out: Array) -> int:
    m = motion(model, x)
    tree = _articulated(model, m, inertias, added, np.zeros(len(model.bodies), dtype=np.bool_))
    if tree.singular >= 0:
        return tree.singular
    first = model.first.tolist()
    B = np.zeros((len(model.bodies), 6, len(rhs)))
    for i in range(len(B) - 1, -1, -1):
        if (parent := model.parents[i]) < 0:
            continue
        S = m.S[i]
        y = _solve(tree.roots[i], rhs[:, first[i] : first[i + 1]].T - S.T @ B[i])
        B[parent] += m.Ad[i].T @ (B[i] + tree.M[i] @ (S @ y))
    Vdot = np.zeros_like(B)
    for i, parent in enumerate(model.parents.tolist()):
        here = slice(first[i], first[i + 1])
        S = m.S[i]
        if parent >= 0:
            Vdot[i] = m.Ad[i] @ Vdot[parent]
        y = _solve(tree.roots[i], rhs[:, here].T - S.T @ (tree.M[i] @ Vdot[i] + B[i]))
        Vdot[i] += S @ y
        out[:, here] = y.T
    return -1


# -- parts -----------------------------------------------------------------------------------------------------------


class _Articulated(NamedTuple):
    """Articulated inertias ``M`` (the algorithm's M-hat), and roots ``K^T K = (S^T M S)^-1`` (its Psi)."""

    M: Array
    roots: list[Array]
    singular: int


def _articulated(model: Any, m: Motion, inertias: Array, added: Array, prescribed: NDArray[np.bool_]) -> _Articulated:
    """Return articulated inertias, and what solves for the joints that are not prescribed."""
    M = np.array(inertias)
    rigid = _composite(model, m, inertias)
    roots: list[Array] = [np.zeros((0, 0))] * len(M)
    for i in range(len(M) - 1, -1, -1):
        S, passed = m.S[i], M[i]
        if S.shape[1] and not prescribed[i]:
            U = M[i] @ S
            D = S.T @ U
            own = added[model.first[i] : model.first[i + 1]]
            D[np.diag_indices_from(D)] += own
            largest = np.einsum("ij,ij->j", S, rigid[i] @ S) + np.abs(own)
            root = _inverse_root(D)
            if root is None or not np.all(np.diagonal(root) ** 2 * (_SINGULAR * largest) < 1.0):
                return _Articulated(M, roots, i)
            roots[i] = root
            # M - M S Psi S^T M, as a product: where little gets through a joint, the difference would be rounding.
            gain = _solve(root, U.T)
            P = np.eye(6) - S @ gain
            passed = P.T @ M[i] @ P + (gain.T * own) @ gain
        if (parent := model.parents[i]) >= 0:
            M[parent] += m.Ad[i].T @ passed @ m.Ad[i]
    return _Articulated(M, roots, -1)


def _composite(model: Any, m: Motion, inertias: Array) -> Array:
    """Return the inertia of each body with all after it, welded together, in its joint frame, shape (nb, 6, 6)."""
    composite = np.array(inertias)
    for i in range(len(composite) - 1, -1, -1):
        if (parent := model.parents[i]) >= 0:
            composite[parent] += m.Ad[i].T @ composite[i] @ m.Ad[i]
    return composite


def _bias_wrenches(model: Any, m: Motion, outside: Array) -> Array:
    """Return ``-ad(V)^T M V - F_ext`` of each body, in its joint frame, shape (nb, 6)."""
    assert m.V is not None
    momenta = np.einsum("ijk,ik->ij", model.inertias, m.V)
    return np.asarray(-np.einsum("ijk,ij->ik", se3.ad(m.V), momenta) - outside)


def _outside(model: Any, m: Motion, wrenches: Array) -> Array:
    """Return the wrenches from outside in the joint frames, gravity's ``M [0; R^T g]`` included, shape (nb, 6)."""
    F = np.einsum("ijk,ij->ik", model.Ad_BJ, wrenches)
    fall = np.zeros((len(F), 6))
    for i, parent in enumerate(model.parents.tolist()):
        fall[i, 3:] = m.E[i, :3, :3] @ (fall[parent, 3:] if parent >= 0 else model.gravity)
    return np.asarray(F + np.einsum("ijk,ik->ij", model.inertias, fall))


def _inverse_root(D: Array) -> Array | None:
    """Return the lower triangular ``K`` with ``K^T K = D^-1``; None if ``D`` is not positive definite."""
    if len(D) == 1:
        d = float(D[0, 0])
        return np.array([[1.0 / math.sqrt(d)]]) if d > 0.0 else None
    try:
        return np.asarray(np.linalg.inv(np.linalg.cholesky(D)))
    except np.linalg.LinAlgError:
        return None


def _solve(root: Array, b: Array) -> Array:
    """Return ``K^T K b``."""
    return np.asarray(root.T @ (root @ b))
