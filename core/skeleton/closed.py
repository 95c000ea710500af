"""Whether a mesh encloses a volume, and how much."""

from __future__ import annotations

import numpy as np

from core.skeleton.mesh import Mesh


def is_closed(mesh: Mesh) -> bool:
    """Return whether every edge has a triangle on either side, wound the same way round.

    Vertices at one place count as one. Where it holds, the triangles bound a volume, and sums over them are integrals
    over it; a box without its lid has a sum too, but it means nothing.
    """
    if not len(mesh.triangles):
        return False
    place = np.unique(mesh.vertices + 0.0, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    corners = place[mesh.triangles]
    start, end = corners.reshape(-1), np.roll(corners, -1, axis=1).reshape(-1)
    real = start != end
    count = int(place.max()) + 1
    there, back = start[real] * count + end[real], end[real] * count + start[real]
    there.sort()
    back.sort()
    return bool(np.array_equal(there, back))


def enclosed_volume(mesh: Mesh) -> float:
    """Return the volume that a closed mesh encloses, [m^3]; negative if it is inside out."""
    middle = mesh.vertices.mean(axis=0)
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] - middle for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6.0
