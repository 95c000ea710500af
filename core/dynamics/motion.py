"""How the joint frames of a tree stand and move: what every algorithm on trees starts from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


class Motion(NamedTuple):
    """Relative poses and twists of the joint frames J; P is the parent's joint frame, the world for a root.

    Attributes:
        E: ``X_JP``, takes points from P to J, shape (nb, 4, 4).
        Ad: Adjoints of ``E``: take twists from P to J, shape (nb, 6, 6).
        S: Motion subspaces in J, shapes (6, n_i).
        Sdot: Their component-wise time derivatives in J; None without velocities.
        V: Twists ``[w; v]`` of J against the world, in J, shape (nb, 6); None without velocities.
        bias: ``eta = ad(V) S v + Sdot v``, what the velocities add to the twists' rates, shape (nb, 6); None without
            velocities.
    """

    E: Array
    Ad: Array
    S: tuple[Array, ...]
    Sdot: tuple[Array, ...] | None = None
    V: Array | None = None
    bias: Array | None = None


def motion(model: TreeModel, x: Array, v: Array | None = None) -> Motion:
    """Return how the joint frames of ``model`` stand, and move if velocities are given.

    ``V_j = Ad V_p + S v_j`` and ``eta_j = ad(V_j) S v_j + Sdot v_j``.

    Args:
        model: The tree.
        x: Coordinates, shape (nq,); not checked here.
        v: Their rates, shape (nv,), or None.

    Returns:
        Arrays of the motion, all new.

    Source: Sueda algorithm 9, lines 1 to 5.
    """
    first = model.first
    parts = [x[first[i] : first[i + 1]] for i in range(len(model.bodies))]
    joints = [body.joint for body in model.bodies]
    S = tuple(joint.subspace(q) for joint, q in zip(joints, parts, strict=True))
    E = se3.inverse(joint_steps(model, x))
    Ad = se3.adjoint(E)
    if v is None:
        return Motion(E, Ad, S)
    rates = [v[first[i] : first[i + 1]] for i in range(len(joints))]
    Sdot = tuple(joint.subspace_rate(q, qd) for joint, q, qd in zip(joints, parts, rates, strict=True))
    own = np.stack([s @ qd for s, qd in zip(S, rates, strict=True)])
    V = own.copy()
    for i, parent in enumerate(model.parents.tolist()):
        if parent >= 0:
            V[i] += Ad[i] @ V[parent]
    bias = np.einsum("ijk,ik->ij", se3.ad(V), own)
    bias += np.stack([s @ qd for s, qd in zip(Sdot, rates, strict=True)])
    return Motion(E, Ad, S, Sdot, V, bias)


def joint_steps(model: TreeModel, x: Array) -> Array:
    """Return ``X_PJ Q(x)`` of every body: the pose of its joint frame in its parent's, shape (nb, 4, 4); new."""
    first = model.first
    Q = np.stack([body.joint.transform(x[first[i] : first[i + 1]]) for i, body in enumerate(model.bodies)])
    return np.asarray(model.X_PJ @ Q)
