"""Which triangle is on top over places, and how high it is there: for ``core.terrain.triangles``."""

from __future__ import annotations

import math

from core.kernels import EXACT, F1, F2, I1, kernel

INSIDE = -1e-9
"""Barycentric coordinates from here on: places on an edge belong to both triangles."""


@kernel(fastmath=EXACT)
def tops(
    places: F2, low: F1, cell: float, number: I1, starts: I1, members: I1, planes: F2, heights: F1, found: I1
) -> None:
    """Write heights over places and the triangles there: of several as high the first; 0 and -1 beside all of them.

    Args:
        places: x and z, shape (m, 2).
        low: Corner of the cells, shape (2,).
        cell: Their size.
        number: How many there are along x and z, shape (2,).
        starts: Where the members of each begin, one more than there are cells.
        members: Triangles of the cells, one cell's after the other's.
        planes: A row a triangle, shape (t, 9): its first corner, what x and z from there make of the second and the
            third barycentric coordinate, and how much higher the second and the third corner are.
        heights: Written, shape (m,).
        found: Written, shape (m,).
    """
    for m in range(len(places)):
        heights[m], found[m] = 0.0, -1
        x, z = places[m, 0], places[m, 1]
        if not (math.isfinite(x) and math.isfinite(z)):
            continue
        i = int(min(max(math.floor((x - low[0]) / cell), 0.0), float(number[0] - 1)))
        k = int(min(max(math.floor((z - low[1]) / cell), 0.0), float(number[1] - 1)))
        at = i * number[1] + k
        best, top = -1, 0.0
        for n in range(starts[at], starts[at + 1]):
            row = planes[members[n]]
            dx, dz = x - row[0], z - row[2]
            u = dx * row[3] + dz * row[4]
            v = dx * row[5] + dz * row[6]
            if u < INSIDE or v < INSIDE or u + v > 1.0 - INSIDE:
                continue
            height = row[1] + u * row[7] + v * row[8]
            if best < 0 or height > top:
                best, top = members[n], height
        heights[m], found[m] = top, best
