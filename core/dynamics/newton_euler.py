"""Newton-Euler equations of the separate bodies, before anything joins them (Sueda 1.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


def body_inertias(model: TreeModel) -> Array:
    """Return each body's inertia about the origin of B in the axes of B, shape (nb, 6, 6); new."""
    return np.array([body.inertia.matrix() for body in model.bodies])


def forces(inertias: Array, twists: Array, rotations: Array, gravity: Array) -> Array:
    """Return what makes each body turn and fall by itself, ``ad(phi)^T M phi + M [0; R^T g]`` (Sueda 1.21, 1.22).

    Gravity acts through ``M``, so that the centre of mass need not lie at the frame's origin.

    Args:
        inertias: ``M`` about the origins of the bodies' frames, shape (nb, 6, 6).
        twists: ``phi = [w; v]`` in the same frames, shape (nb, 6), [rad/s] and [m/s].
        rotations: Of these frames in the world, shape (nb, 3, 3).
        gravity: In world axes, shape (3,), [m/s^2].

    Returns:
        Wrenches ``[t; f]`` in the same frames, shape (nb, 6), [N m] and [N]; new.
    """
    momenta = np.einsum("bij,bj->bi", inertias, twists)
    wrenches = np.einsum("bji,bj->bi", se3.ad(twists), momenta)
    wrenches += np.einsum("bij,bj->bi", inertias[:, :, 3:], np.einsum("bji,j->bi", rotations, gravity))
    return wrenches


def in_joint_frames(model: TreeModel, wrenches: Array | None) -> Array:
    """Return wrenches on the bodies, given at B's origins in B's axes, at J's origins in J's axes.

    Args:
        model: The bodies.
        wrenches: ``[t; f]``, shape (nb, 6); None is none.

    Returns:
        ``Ad(X_BJ)^T F``, shape (nb, 6); new.
    """
    if wrenches is None:
        return np.zeros((len(model.bodies), 6))
    return np.einsum("bji,bj->bi", model.Ad_BJ, np.asarray(wrenches, dtype=np.float64))
