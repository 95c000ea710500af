"""Where the numbers of a ground lie, which the kernels of ``core.dynamics.contact`` read: a grid of its triangles.

The block of integers: a header, then for each cell of the grid where its triangles begin, their numbers cell by cell,
the first cell of each triangle; the same of edges; and where each level of heights begins.

The block of floats: a header; the triangles; the edges; then how high the ground is at most, of each cell, of each two
by two cells, and so on until one number is left.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.terrain import Terrain

Ints = NDArray[np.int64]

NX, NZ, SINGLE, EDGE_COUNT = range(4)
"""Header: cells along x and z; 1 if nothing but one triangle is over any place; how many edges there are."""
STARTS, MEMBERS, FIRST, EDGE_STARTS, EDGE_MEMBERS, EDGE_FIRST, LEVEL_STARTS, TRIANGLES, EDGES, INT_HEADER = range(4, 14)
"""More of the header: where parts begin in the integers, then in the floats; and the header's own length."""
LOW_X, LOW_Z, DENSITY, STEEPEST, FLOAT_HEADER = range(5)
"""Header of the floats: the grid's corner, [m]; how many cells there are to a metre; cosine of the steepest slope."""

NORMAL, BOX, TRIANGLE_FLOATS = 9, 12, 18
"""Floats of a triangle: three corners; unit normal (3), up unless the triangle is upright; least x, y, z, and most."""
UP, EDGE_FLOATS = 6, 9
"""Floats of an edge that juts out: its ends (6); which way is up there (3)."""

_PER_CELL = 1.0  # triangles to a cell, about
_MOST_CELLS = 1 << 20
UPRIGHT = 1e-6
"""Sine of the angle to upright below which a triangle is none to stand on."""
_JUTS = np.sin(np.radians(5.0))  # of the angle by which the ground falls away at an edge that juts out
_ONCE = 1e-9  # of the area of a rectangle, by which that of triangles that fill it may differ
_SAME = 1e-6  # of the size: corners as near as this are one

_packed: WeakKeyDictionary[Terrain, tuple[Ints, Array]] = WeakKeyDictionary()


def packed_ground(terrain: Terrain) -> tuple[Ints, Array]:
    """Return a ground's integers and floats, worked out once for each; read-only."""
    found = _packed.get(terrain)
    if found is None:
        found = _packed[terrain] = _pack(terrain)
        for block in found:
            block.setflags(write=False)
    return found


def _pack(terrain: Terrain) -> tuple[Ints, Array]:
    corners = terrain.vertices[terrain.triangles]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(cross, axis=1)
    size = max(float(np.ptp(terrain.vertices, axis=0).max()), 1e-9)
    solid = length > (1e-9 * size) ** 2
    corners, numbers = corners[solid], terrain.triangles[solid]
    normals = cross[solid] / length[solid, None]
    upright = np.abs(normals[:, 1]) <= UPRIGHT
    normals *= np.where(normals[:, 1] < 0.0, -1.0, 1.0)[:, None]
    edges = _edges_that_jut(_joined(terrain.vertices, size)[numbers], corners, normals, upright)

    plans = corners[:, :, [0, 2]]
    low = plans.reshape(-1, 2).min(axis=0)
    extent = np.maximum(plans.reshape(-1, 2).max(axis=0) - low, 1e-9)
    wanted = min(max(len(plans) / _PER_CELL, 1.0), _MOST_CELLS)
    cell = float(max(np.sqrt(extent[0] * extent[1] / wanted), extent.max() / 4096))
    density = 1.0 / cell
    shape: Ints = np.maximum(np.ceil(extent * density), 1).astype(np.int64)
    starts, members, first, _ = _sorted(plans.min(axis=1), plans.max(axis=1), low, density, shape)
    ends = edges[:, [0, 2, 3, 5]].reshape(-1, 2, 2)
    edge_starts, edge_members, edge_first, _ = _sorted(ends.min(axis=1), ends.max(axis=1), low, density, shape)

    heights = np.full(tuple(shape), -np.inf)
    tops = corners[:, :, 1].max(axis=1)
    each = np.repeat(np.arange(int(shape[0] * shape[1])), np.diff(starts))
    np.maximum.at(heights.reshape(-1), each, tops[members])
    levels = [heights]
    while levels[-1].size > 1:
        finer = levels[-1]
        padded = np.full((2 * ((finer.shape[0] + 1) // 2), 2 * ((finer.shape[1] + 1) // 2)), -np.inf)
        padded[: finer.shape[0], : finer.shape[1]] = finer
        levels.append(padded.reshape(padded.shape[0] // 2, 2, -1, 2).max(axis=(1, 3)))

    rows = np.concatenate([corners.reshape(-1, 9), normals, corners.min(axis=1), corners.max(axis=1)], axis=1)
    floats = [
        np.array([*low, density, normals[:, 1].min()]),
        rows.ravel(),
        edges.ravel(),
        *(level.ravel() for level in levels),
    ]
    float_starts = np.cumsum([0, *(len(part) for part in floats)])
    parts = [starts, members, first.ravel(), edge_starts, edge_members, edge_first.ravel(), float_starts[3:-1]]
    begins = INT_HEADER + np.cumsum([0, *(len(part) for part in parts)])
    header = [*shape, int(_is_single(cross[solid], upright, extent)), len(edges), *begins[:-1], *float_starts[1:3]]
    return np.concatenate([np.array(header), *parts]).astype(np.int64), np.concatenate(floats)


def _is_single(cross: Array, upright: NDArray[np.bool_], extent: Array) -> bool:
    """Return whether triangles fill the rectangle around them in plan once, as those of height fields do."""
    area, whole = 0.5 * float(np.abs(cross[:, 1]).sum()), float(extent[0] * extent[1])
    return not upright.any() and abs(area - whole) <= _ONCE * whole


def _sorted(low: Array, high: Array, corner: Array, density: float, shape: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return where each cell's things begin, the things cell by cell, and the first and last cell of each thing."""
    first, last = (
        np.clip(np.floor((places - corner) * density), 0, shape - 1).astype(np.int64).reshape(-1, 2)
        for places in (low, high)
    )
    span = last - first + 1
    count = span[:, 0] * span[:, 1]
    which = np.repeat(np.arange(len(first)), count)
    step = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    x, z = first[which, 0] + step // span[which, 1], first[which, 1] + step % span[which, 1]
    at = x * shape[1] + z
    order = np.argsort(at, kind="stable")
    starts = np.searchsorted(at[order], np.arange(int(shape[0] * shape[1]) + 1))
    return starts.astype(np.int64), which[order].astype(np.int64), first, last


def _joined(vertices: Array, size: float) -> Ints:
    """Return a number for each vertex, the same for those at one place."""
    whole = np.round((vertices - vertices.min(axis=0)) / (_SAME * size)).astype(np.int64)
    key = (whole[:, 0] << 42) | (whole[:, 1] << 21) | whole[:, 2]
    return np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _edges_that_jut(numbers: Ints, corners: Array, normals: Array, upright: NDArray[np.bool_]) -> Array:
    """Return the edges at which the ground falls away, shape (k, 9), as at ``EDGE_FLOATS``.

    An edge juts out if all triangles that share it lie below the planes of those of them that can be stood on; also one
    of a triangle that has no neighbour there.
    """
    count = len(numbers)
    start, end = numbers.ravel(), np.roll(numbers, -1, axis=1).ravel()
    across = np.tile([2, 0, 1], count)  # the corner that is not on it
    owner = np.repeat(np.arange(count), 3)
    side = np.tile([0, 1, 2], count)
    low, high = np.minimum(start, end), np.maximum(start, end)
    key = low * (int(numbers.max()) + 1) + high
    order = np.argsort(key, kind="stable")
    same = key[order][1:] == key[order][:-1]
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(np.concatenate([[True], ~same])) - 1
    sizes = np.bincount(group)
    begin = np.cumsum(sizes) - sizes
    # Each side of a triangle with each that shares its edge.
    partners = sizes[group]
    one = np.repeat(np.arange(3 * count), partners)
    other = order[begin[group[one]] + np.arange(len(one)) - np.repeat(np.cumsum(partners) - partners, partners)]
    arm = corners[owner[other], across[other]] - corners[owner[one], side[one]]
    edge = corners[owner[one], (side[one] + 1) % 3] - corners[owner[one], side[one]]
    along = edge / np.maximum(np.linalg.norm(edge, axis=1), 1e-300)[:, None]
    arm = arm - np.einsum("ki,ki->k", arm, along)[:, None] * along
    rise = np.einsum("ki,ki->k", arm, normals[owner[one]])
    falls = rise < -_JUTS * np.linalg.norm(arm, axis=1)
    fails = ~falls & (owner[one] != owner[other]) & ~upright[owner[one]]
    bad = np.bincount(group[one], fails, len(sizes)) > 0.0
    level = np.bincount(group, ~upright[owner], len(sizes)) > 0.0
    ups = np.stack([np.bincount(group, normals[owner, k] * ~upright[owner], len(sizes)) for k in range(3)], axis=1)
    found = np.flatnonzero(~bad & level & (low[order[begin]] != high[order[begin]]))
    at = order[begin[found]]
    up = ups[found] / np.maximum(np.linalg.norm(ups[found], axis=1), 1e-300)[:, None]
    return np.concatenate([corners[owner[at], side[at]], corners[owner[at], (side[at] + 1) % 3], up], axis=1)
