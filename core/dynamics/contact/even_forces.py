"""Contact forces shared out evenly where the motion does not distinguish them.

Four corners of a box that rests may push in many ways that come to the same, some of them against each other sideways.
The quadratic program of a step gives any of these; what people look at are the least forces that do the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.contact.qp import solve
from core.dynamics.contact.qp_layout import ACCEPT
from core.spatial.cross_products import cross_rows

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
    groups: dict[tuple[int, int], list[int]] = {}
    for k, (a, b) in enumerate(pairs.tolist()):
        groups.setdefault((a, b), []).append(k)
    for members in groups.values():
        own = np.array(members)
        given = result[own]
        size = float(np.abs(given).max())
        if len(own) < 2 or size == 0.0:
            continue
        side, normal = friction[own, None, None] * tangents[own], normals[own, None]
        edges = np.concatenate([normal + side, normal - side], axis=1)  # (k, 4, 3)
        arms = points[own] - points[own].mean(axis=0)
        reach = max(float(np.abs(arms).max()), 1e-6)
        arms = arms / reach
        count = 4 * len(own)
        rows, right = np.zeros((6 + count, count)), np.zeros(6 + count)
        rows[:3] = edges.reshape(count, 3).T
        rows[3:6] = cross_rows(arms[:, None], edges).reshape(count, 3).T
        rows[6:] = np.eye(count)
        right[:3], right[3:6] = given.sum(axis=0) / size, cross_rows(arms, given).sum(axis=0) / size
        found = solve(rows, right, 6)
        if found.residual <= ACCEPT and not (found.active < 0).any():
            shares = np.maximum(found.y, 0.0).reshape(-1, 4)
            result[own] = size * np.einsum("ij,ijk->ik", shares, edges)
    return result
