"""Whether a mesh encloses a volume, and how much."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.skeleton.mesh import Mesh


def places(vertices: NDArray[Any]) -> tuple[NDArray[np.int32], int]:
    """Return for each vertex the number of its place, the same for all at one place, and how many places there are.

    Args:
        vertices: Shape (n, 3).
    """
    order = np.lexsort(vertices.T)
    new = np.zeros(len(vertices), dtype=bool)
    new[:1] = True
    for column in vertices.T:
        sorted_column = column[order]
        new[1:] |= sorted_column[1:] != sorted_column[:-1]
    numbers = np.empty(len(vertices), dtype=np.int32)
    numbers[order] = np.cumsum(new, dtype=np.int32) - 1
    return numbers, int(new.sum())


def edges_match(triangles: NDArray[Any], count: int) -> bool:
    """Return whether each edge, between ``count`` places, is walked as often one way as the other."""
    if not len(triangles):
        return False
    start, end = triangles.reshape(-1), np.roll(triangles, -1, axis=1).reshape(-1)
    real = start != end
    there = start[real].astype(np.int64) * count + end[real]
    back = end[real].astype(np.int64) * count + start[real]
    there.sort()
    back.sort()
    return bool(np.array_equal(there, back))


def is_closed(mesh: Mesh) -> bool:
    """Return whether every edge has a triangle on either side, wound the same way round.

    Vertices at one place count as one. Where it holds, the triangles bound a volume, and sums over them are integrals
    over it; a box without its lid has a sum too, but it means nothing.
    """
    numbers, count = places(mesh.vertices)
    return edges_match(numbers[mesh.triangles], count)
