"""Contact forces shared out evenly where the motion does not tell them apart.

Four corners of a box that rests may push in many ways that come to the same, some of them against each other sideways.
The quadratic program of a step gives any of these; what people look at are the least forces that do the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.dynamics.contact.qp import solve
from core.dynamics.contact.qp_layout import ACCEPT

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


def even_forces(points: Array, normals: Array, tangents: Array, forces: Array, friction: Array, pairs: Ints) -> Array:
    """Return the least forces inside the same friction pyramids with the same sum and moment on each pair of bodies.

    Args:
        points: Where contacts are, shape (k, 3), [m].
        normals: Unit normals, shape (k, 3).
        tangents: Two unit tangents each, along which the pyramids stand, shape (k, 2, 3).
        forces: Forces as they were found, shape (k, 3), [N].
        friction: Friction coefficients, shape (k,).
        pairs: The two bodies of each contact, shape (k, 2).

    Returns:
        Forces, shape (k, 3), [N]; new. Where nothing better is found they are those that were given.
    """
    result = np.array(forces, dtype=np.float64)
    if len(result) < 2:
        return result
    _, group = np.unique(pairs, axis=0, return_inverse=True)
    for which in range(int(group.max()) + 1):
        own = np.flatnonzero(group == which)
        size = float(np.abs(result[own]).max())
        if len(own) < 2 or size == 0.0:
            continue
        side = friction[own, None, None] * tangents[own]
        edges = np.concatenate([normals[own, None] + side, normals[own, None] - side], axis=1)  # (k, 4, 3)
        arms = points[own] - points[own].mean(axis=0)
        reach = max(float(np.abs(arms).max()), 1e-6)
        arms = arms / reach
        turning = np.cross(arms[:, None], edges)
        count = 4 * len(own)
        sums = np.concatenate([edges, turning], axis=2).reshape(count, 6).T
        wanted = np.concatenate([result[own].sum(axis=0), np.cross(arms, result[own]).sum(axis=0)]) / size
        found = solve(np.vstack([sums, np.eye(count)]), np.concatenate([wanted, np.zeros(count)]), 6)
        if found.residual <= ACCEPT and not (found.active < 0).any():
            shares = np.maximum(found.y, 0.0).reshape(-1, 4)
            result[own] = size * np.einsum("ij,ijk->ik", shares, edges)
    return result
