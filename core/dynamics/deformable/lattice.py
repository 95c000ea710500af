"""A lattice: nodes in rows, columns and layers, as of a cloth, a cushion, a block of rubber."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from core.dynamics.arrays import finite_array
from core.dynamics.deformable.body import Attachment, Deformable
from core.errors import DynamicsError


def lattice(
    name: str,
    corner: ArrayLike,
    edges: ArrayLike,
    counts: tuple[int, ...],
    *,
    mass: float,
    stiffness: float,
    shear: float | None = None,
    damping: float = 0.0,
    attached: Mapping[int, Attachment] | None = None,
    radius: float = 0.01,
) -> Deformable:
    """Return a lattice with springs along its edges and across its cells.

    Node ``(a, b, c)`` has the number ``(a * counts[1] + b) * counts[2] + c``.

    Args:
        name: What it is called.
        corner: Place of the first node, shape (3,), [m].
        edges: Its edges from there, shape (k, 3), one to three of them, [m].
        counts: How many nodes there are along each edge, 2 or more.
        mass: Of all of it, [kg], the same for each node.
        stiffness: Force at a strain of 1 of the springs along edges, [N].
        shear: The same of those across faces and cells; None for half of ``stiffness``.
        damping: Each spring brakes with its stiffness, force by length, times this, [s].
        attached: By the number of a node what it is attached to.
        radius: How thick its nodes are, [m].

    Raises:
        DynamicsError: If a number makes no sense.
    """
    ways = finite_array(edges, np.shape(edges), f'edges of lattice "{name}"')
    sizes = tuple(int(count) for count in counts)
    if ways.ndim != 2 or ways.shape[1] != 3 or not 1 <= len(ways) <= 3 or len(sizes) != len(ways) or min(sizes) < 2:
        raise DynamicsError(
            f'lattice "{name}" has edges of shape {ways.shape} and counts {sizes}; '
            "expected one to three edges, shape (k, 3), with 2 nodes or more along each"
        )
    origin = finite_array(corner, (3,), f'corner of lattice "{name}"')
    grid = np.stack(np.meshgrid(*(np.arange(count) for count in sizes), indexing="ij"), axis=-1).reshape(-1, len(sizes))
    points = origin + (grid / (np.array(sizes) - 1.0)) @ ways
    across = 0.5 * stiffness if shear is None else shear
    pairs, modulus = [], []
    for step in itertools.product((-1, 0, 1), repeat=len(sizes)):
        if step <= (0,) * len(sizes):
            continue  # each spring once: from either end the other one is ahead
        other = grid + step
        inside = ((other >= 0) & (other < sizes)).all(axis=1)
        own = np.flatnonzero(inside)
        pairs.append(np.stack([own, np.ravel_multi_index(tuple(other[own].T), sizes)], axis=1))
        modulus.append(np.full(len(own), stiffness if np.count_nonzero(step) == 1 else across))
    joined, moduli = np.concatenate(pairs), np.concatenate(modulus)
    kept = moduli > 0.0
    joined, moduli = joined[kept], moduli[kept]
    lengths = np.linalg.norm(points[joined[:, 1]] - points[joined[:, 0]], axis=1)
    return Deformable(
        name, points, np.full(len(points), mass / len(points)), joined, moduli * lengths,
        damping=damping * moduli / lengths, attached=attached or {}, radius=radius,
    )  # fmt: skip
