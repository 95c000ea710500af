"""What is drawn of a terrain: its triangles, each corner with a normal that is smooth where the ground is."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from app.render.mesh.distinct import distinct
from core.terrain import Terrain


class TerrainMesh(NamedTuple):
    """Triangles to draw; both arrays are read-only.

    Attributes:
        corners: Position and unit normal of each corner, shape (k, 6), float32, [m].
        triangles: Numbers of three corners each, shape (t, 3), uint32.
    """

    corners: NDArray[np.float32]
    triangles: NDArray[np.uint32]


_CREASE = np.cos(np.radians(32.0))  # faces that meet at less look like one surface
_kept: WeakKeyDictionary[Terrain, TerrainMesh] = WeakKeyDictionary()


def terrain_mesh(terrain: Terrain) -> TerrainMesh:
    """Return what to draw; normals point up, those of upright walls to whichever side. Worked out once for a terrain.

    Args:
        terrain: What is drawn.
    """
    found = _kept.get(terrain)
    if found is None:
        found = _kept[terrain] = _built(terrain)
    return found


def _built(terrain: Terrain) -> TerrainMesh:
    corners = terrain.vertices[terrain.triangles]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    cross *= np.where(cross[:, 1] < 0.0, -1.0, 1.0)[:, None]
    area = np.linalg.norm(cross, axis=1)
    seen = area > 0.0
    corners, cross, area = corners[seen], cross[seen], area[seen]
    face = np.repeat(cross / area[:, None], 3, axis=0)
    weighted = np.repeat(cross, 3, axis=0)
    points = corners.reshape(-1, 3)
    size = max(float(np.ptp(points, axis=0).max()), 1e-9)
    whole = np.round(points / (1e-6 * size)).astype(np.int64)
    whole -= whole.min(axis=0)
    place = distinct((whole[:, 0] << 42) | (whole[:, 1] << 21) | whole[:, 2]).which
    # Each corner with each at its place, as far as their faces lie within the crease of each other.
    order = np.argsort(place, kind="stable")
    counts = np.bincount(place)
    starts = np.cumsum(counts) - counts
    partners = counts[place]
    first = np.repeat(np.arange(len(points)), partners)
    second = order[starts[place[first]] + np.arange(len(first)) - np.repeat(np.cumsum(partners) - partners, partners)]
    near = np.einsum("pi,pi->p", face[first], face[second]) > _CREASE
    first, second = first[near], second[near]
    normals: NDArray[np.float64] = np.stack(
        [np.bincount(first, weighted[second, k], len(points)) for k in range(3)], axis=1
    )
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    facing = np.round(normals * 1000.0 + 0.137).astype(np.int64) + 1024
    same = distinct((place << 33) | (facing[:, 0] << 22) | (facing[:, 1] << 11) | facing[:, 2])
    rows = np.concatenate([points, normals], axis=1)[same.first].astype(np.float32)
    triangles = same.which.reshape(-1, 3).astype(np.uint32)
    for array in (rows, triangles):
        array.setflags(write=False)
    return TerrainMesh(rows, triangles)
