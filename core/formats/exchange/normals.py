"""Normals for programs that draw no shape smooth by themselves: smooth over gentle bends, sharp at edges."""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.formats.exchange.scene import Ints

CREASE = math.radians(40.0)
"""Where two triangles meet at more than this, there is an edge."""
_SAME = 1e-6  # of the mesh's size: points nearer than this are one place
_MOST = 64  # corners at one place that are compared with each other


def with_normals(points: Array, triangles: Ints) -> tuple[Ints, Array]:
    """Return points with normals: which old point each new one is, and its normal.

    A corner's normal is the mean, by area, of the triangles at its place that lie within ``CREASE`` of its own; corners
    of one point with one normal stay one.

    Args:
        points: Shape (k, 3).
        triangles: Shape (m, 3).

    Returns:
        For every corner, triangle by triangle, its old point (3 m,), and its unit normal (3 m, 3).
    """
    corners = triangles.reshape(-1)
    if not len(corners):
        return corners, np.zeros((0, 3))
    a, b, c = (points[triangles[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a)
    lengths = np.linalg.norm(areas, axis=1)
    unit = areas / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    step = _SAME * max(float(np.ptp(points, axis=0).max()), 1e-12)
    _, place = np.unique(np.round(points / step).astype(np.int64), axis=0, return_inverse=True)
    at = place.reshape(-1)[corners]
    face = np.repeat(np.arange(len(triangles)), 3)
    order = np.argsort(at, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(at[order]) > 0]))
    counts = np.diff(np.concatenate([starts, [len(order)]]))
    normals = unit[face].copy()
    close = math.cos(CREASE)
    # Places with as many corners are done together, each corner against each other one.
    for count in np.unique(counts).tolist():
        if count < 2 or count > _MOST:
            continue
        rows = order[starts[counts == count][:, None] + np.arange(count)]
        own = unit[face[rows]]
        near = np.einsum("gik,gjk->gij", own, own) >= close
        total = np.einsum("gij,gjk->gik", near, areas[face[rows]])
        size = np.linalg.norm(total, axis=2, keepdims=True)
        normals[rows] = np.where(size > 0.0, total / np.where(size > 0.0, size, 1.0), own)
    flat = np.linalg.norm(normals, axis=1) < 0.5
    normals[flat] = (0.0, 1.0, 0.0)
    return corners, normals


def unshared(points: Array, triangles: Ints, corners: Ints, normals: Array) -> tuple[Ints, Ints, Array]:
    """Return points that differ in place or normal: of which old point each is, the triangles of them, their normals.

    Args:
        points: Shape (k, 3).
        triangles: Shape (m, 3).
        corners: As from :func:`with_normals`.
        normals: Likewise.
    """
    keys = np.column_stack([corners, np.round(normals * 1e4).astype(np.int64)])
    _, first, inverse = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return corners[first], inverse.reshape(-1, 3), normals[first]
