"""Products with the Jacobian from velocities to body twists, linear in the number of bodies, without forming it.

Row block i of ``J`` gives the twist of body i against the world at B's origin in B: ``twists = J v``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics.motion import Motion
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


def jacobian_product(model: TreeModel, m: Motion, v: Array) -> Array:
    """Return ``J v``, shape (nb, 6); new.

    Args:
        model: The tree.
        m: How it stands; velocities in it are not used.
        v: Any vector, shape (nv,).

    Source: Sueda algorithm 5.
    """
    return np.einsum("ijk,ik->ij", model.Ad_BJ, _joint_twists(model, m, v))


def jacobian_rate_product(model: TreeModel, m: Motion, v: Array) -> Array:
    """Return ``Jdot v``, shape (nb, 6); new.

    ``z_j = Ad z_p + (dAd/dt) y_p + Sdot v_j`` with ``dAd/dt = -ad(S qdot_j) Ad``, everything in joint frames.

    Args:
        model: The tree.
        m: How it stands and moves, with velocities: they make ``Jdot``.
        v: Any vector, shape (nv,).

    Raises:
        ValueError: If ``m`` has no velocities.

    Source: Sueda algorithm 5.
    """
    if m.V is None or m.Sdot is None:
        raise ValueError("the motion has no velocities; the rate of the Jacobian needs them")
    y = _joint_twists(model, m, v)
    z = np.empty_like(y)
    for i, parent in enumerate(model.parents.tolist()):
        z[i] = m.Sdot[i] @ v[model.first[i] : model.first[i + 1]]
        if parent >= 0:
            carried = m.Ad[i] @ y[parent]
            z[i] += m.Ad[i] @ z[parent] - se3.ad(m.V[i] - m.Ad[i] @ m.V[parent]) @ carried
    return np.einsum("ijk,ik->ij", model.Ad_BJ, z)


def jacobian_transpose_product(model: TreeModel, m: Motion, wrenches: Array) -> Array:
    """Return ``J^T wrenches``, the generalized forces of wrenches on the bodies, shape (nv,); new.

    Args:
        model: The tree.
        m: How it stands.
        wrenches: ``[t; f]`` at B's origin in B, shape (nb, 6).

    Source: Sueda algorithm 6.
    """
    F = np.einsum("ijk,ij->ik", model.Ad_BJ, wrenches)
    tau = np.empty(model.nv)
    for i in range(len(F) - 1, -1, -1):
        tau[model.first[i] : model.first[i + 1]] = m.S[i].T @ F[i]
        if (parent := model.parents[i]) >= 0:
            F[parent] += m.Ad[i].T @ F[i]
    return tau


def _joint_twists(model: TreeModel, m: Motion, v: Array) -> Array:
    """Return the twists of the joint frames, ``Ad y_p + S v_j``, shape (nb, 6)."""
    first = model.first
    twists = np.stack([S @ v[first[i] : first[i + 1]] for i, S in enumerate(m.S)])
    for i, parent in enumerate(model.parents.tolist()):
        if parent >= 0:
            twists[i] += m.Ad[i] @ twists[parent]
    return twists
