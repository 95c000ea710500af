"""Where a held body is beside the place it is held at, how high it is above the ground, and the derivatives of both."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.preview.least_energy.holds import Hold
from core.spatial import se3, so3


def off(hold: Hold, X: Array) -> Array:
    """Return by how much a body is not where it is held, in the axes of its place there."""
    back = se3.inverse(hold.pose) @ X
    at = back[:3, :3] @ hold.point + back[:3, 3] - hold.point
    return np.concatenate([so3.log(back[:3, :3]), at]) if hold.turns else at


def off_rows(hold: Hold, X: Array, J: Array) -> Array:
    """Return the derivative of :func:`off`, from the Jacobian of the body at B in B, shape (6, nv)."""
    back = hold.pose[:3, :3].T @ X[:3, :3]
    at = back @ (J[3:] - so3.hat(hold.point) @ J[:3])
    if not hold.turns:
        return np.asarray(at)
    return np.concatenate([so3.inverse_right_jacobian(so3.log(back)) @ J[:3], at])


def heights(hold: Hold, X: Array) -> Array:
    """Return how high the points are that a body stands on, shape (k,)."""
    return np.asarray((hold.soles @ X[:3, :3].T + X[:3, 3]) @ hold.normal)


def height_rows(hold: Hold, X: Array, J: Array) -> Array:
    """Return the derivatives of :func:`heights`, from the Jacobian of the body at B in B, shape (k, nv)."""
    return np.stack([hold.normal @ X[:3, :3] @ (J[3:] - so3.hat(sole) @ J[:3]) for sole in hold.soles])
