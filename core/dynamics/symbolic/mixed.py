"""Method II: recursions 1 to 3 as generated code, 4 to 6 with matrices.

Source: Si & Guenter eqs. 27-35, as they stand there but for (30), which needs Ad*, and (31), which needs tau-bar.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from core.arrays import Array
from core.dynamics import recursive
from core.dynamics.symbolic.tree import SymbolicTree
from core.spatial.so3 import hat

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


def forward_dynamics(model: TreeModel, x: Array, v: Array, tau: Array, wrenches: Array) -> Array:
    """Return the accelerations, shape (nv,); new. Arguments and errors as of ``recursive.forward``."""
    tree = _tree_of(model)
    bar = np.empty(model.nv)
    x, v, tau = (np.ascontiguousarray(array) for array in (x, v, tau))
    with tree.lock:
        good = tree.efforts(x, v, tau, wrenches, bar)
        vdot = _accelerations(tree, x, bar) if good else None
    if vdot is None or not np.isfinite(vdot).all():
        return recursive.forward(model, x, v, tau, wrenches)
    return vdot


_trees: WeakKeyDictionary[TreeModel, SymbolicTree] = WeakKeyDictionary()


def _tree_of(model: TreeModel) -> SymbolicTree:
    """Return records of a model that nobody else writes to between code and matrices."""
    found = _trees.get(model)
    if found is None:
        found = _trees.setdefault(model, SymbolicTree(model))
    return found


def _accelerations(tree: SymbolicTree, x: Array, bar: Array) -> Array | None:
    """Return ``M^-1 bar`` by recursions 4 to 6; None if a pivot may be nothing but rounding."""
    parents, first = tree.parents, tree.first
    R, r, subspaces = tree.joints(x)
    J, least = tree.inertias(), tree.least()
    count = len(parents)
    # Ad of the inverse transform: twists of the parent's frame in the node's.
    Ad = np.zeros((count, 6, 6))
    turned = R.transpose(0, 2, 1)
    Ad[:, :3, :3] = Ad[:, 3:, 3:] = turned
    Ad[:, 3:, :3] = -turned @ hat(r)
    eye = np.eye(6)
    Y, Pi = np.zeros((count, 6, 6)), [np.zeros((6, 0))] * count
    inverses = [np.zeros((0, 0))] * count
    for k in range(count - 1, 0, -1):
        S = subspaces[k]
        U = J[k] @ S
        omega = S.T @ U
        floor = least[k, 0] * (S[:3] * S[:3]).sum(axis=0) + least[k, 1] * (S[3:] * S[3:]).sum(axis=0)
        try:
            factor = np.linalg.cholesky(omega)
        except np.linalg.LinAlgError:
            return None
        if not (np.diagonal(factor) ** 2 > floor).all():
            return None
        inverses[k] = inverse = np.linalg.inv(omega)
        gain = U @ inverse
        Y[k] = Ad[k].T @ (eye - gain @ S.T)
        Pi[k] = Ad[k].T @ gain
        if parents[k]:
            J[parents[k]] += Ad[k].T @ (J[k] - gain @ U.T) @ Ad[k]
    z, eta = np.zeros((count, 6)), np.zeros((count, 6))
    c_bar = [np.zeros(0)] * count
    for k in range(count - 1, 0, -1):
        own = bar[first[k] : first[k] + subspaces[k].shape[1]]
        c_bar[k] = inverses[k] @ (own - subspaces[k].T @ z[k])
        z[parents[k]] += Y[k] @ z[k] + Pi[k] @ own
    out = np.empty(len(bar))
    for k in range(1, count):
        parent = eta[parents[k]]
        eta[k] = Y[k].T @ parent + subspaces[k] @ c_bar[k]
        out[first[k] : first[k] + subspaces[k].shape[1]] = c_bar[k] - Pi[k].T @ parent
    return out
