"""Energy and momentum of a tree of bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics.motion import motion
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


def kinetic_energy(model: TreeModel, x: Array, v: Array) -> float:
    """Return ``sum V^T M V / 2`` over the bodies; arguments of shape (nv,)."""
    V = motion(model, x, v).V
    assert V is not None
    return 0.5 * float(np.einsum("ij,ijk,ik->", V, model.inertias, V))


def momentum(model: TreeModel, x: Array, v: Array) -> Array:
    """Return ``[L; P]``: angular momentum about the world's origin and linear, world axes, shape (6,); new.

    A momentum is dual to a twist: ``h_W = sum Ad(X_JW)^T M V``.
    """
    V = motion(model, x, v).V
    assert V is not None
    to_joints = se3.adjoint(se3.inverse(model.joint_poses(x)))
    return np.asarray(np.einsum("ijk,ijl,il->k", to_joints, model.inertias, V))
