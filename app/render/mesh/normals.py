"""Smooth normals with creases, and the vertices that they split."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.render.mesh.distinct import distinct
from app.render.mesh.surface import Surface

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

CREASE = math.radians(45.0)
SKIN_CREASE = math.radians(80.0)
_SLIVER = 0.1  # height over longest side: a thinner triangle says less about where the surface faces
_WHOLLY = 0.98  # weight of a carrier that is followed alone


@dataclass(frozen=True)
class Shaded:
    """A surface's vertices split along creases.

    Attributes:
        rows: The vertex of the surface each is made from, shape (k,).
        normals: Unit normals, smooth across every edge that is no crease, shape (k, 3).
        outward: Directions in which outlines swell, the same wherever a segment's place is the same, shape (k, 3).
        faces: Of the triangles that are drawn, numbers of these vertices, shape (m, 3).
        sites: Number of the segment's place, shape (k,); two segments that share a place have a site each.
        smooth: Normals of the sites, smooth over all skin there, of other segments too, shape (s, 3).
    """

    rows: Numbers
    normals: Array
    outward: Array
    faces: Numbers
    sites: Numbers
    smooth: Array


def corner_angles(corners: Array) -> Array:
    """Return the angle of each triangle at each corner, shape (m, 3), [rad].

    Args:
        corners: Shape (m, 3, 3).
    """
    edges = np.roll(corners, -1, axis=1) - corners
    unit = edges / np.maximum(np.linalg.norm(edges, axis=2), 1e-300)[:, :, None]
    return np.asarray(np.arccos(np.clip(-np.einsum("fci,fci->fc", unit, np.roll(unit, 1, axis=1)), -1.0, 1.0)))


def _unit(vectors: Array, otherwise: Array) -> Array:
    """Return vectors at unit length, or what stands for those without a direction."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(length > 1e-12, vectors / np.maximum(length, 1e-300), otherwise)


def _gathered(group: Numbers, vectors: Array, count: int) -> Array:
    """Return the sum of the vectors of each group, shape (count, 3)."""
    sums = [np.bincount(group, vectors[:, k], count) for k in range(3)]
    return np.column_stack(sums).astype(float, copy=False)  # of no vectors they are integers


def _creased(place: Numbers, faces: Array, weighted: Array, crease: Array) -> Array:
    """Return for each corner the sum over those at its place whose faces lie within its crease angle of its own.

    Args:
        place: Of each corner, shape (k,).
        faces: Normal of each corner's face, shape (k, 3).
        weighted: What it contributes, shape (k, 3).
        crease: Cosine of the angle, shape (k,).
    """
    count = len(place)
    order = np.argsort(place, kind="stable")
    counts = np.bincount(place)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    partners = counts[place]
    first = np.repeat(np.arange(count), partners)
    within = np.arange(len(first)) - np.repeat(np.cumsum(partners) - partners, partners)
    second = order[starts[place[first]] + within]
    near = np.einsum("pi,pi->p", faces[first], faces[second]) > crease[first]
    return _gathered(first[near], weighted[second[near]], count)


def _soundness(corners: Array, areas: Array) -> Array:
    """Return how well each triangle shows where the surface faces, 0 to 1, shape (m,); a sliver next to nothing.

    Args:
        corners: Shape (m, 3, 3).
        areas: Shape (m,).
    """
    longest = ((np.roll(corners, -1, axis=1) - corners) ** 2).sum(axis=2).max(axis=1)
    return np.asarray(np.clip(2.0 * areas / (_SLIVER * np.maximum(longest, 1e-300)), 1e-6, 1.0))


def shaded(surface: Surface, crease: float = CREASE) -> Shaded:
    """Return the vertices to draw, split along creases.

    A corner's normal is the sum of the normals of the faces at its place that lie within the crease angle of its own
    face, each weighted by its angle there; where the skin follows several joints, of all faces. Triangles inside count
    only for each other. Slivers count little.

    Args:
        surface: All triangles.
        crease: Largest angle between two faces that still look like one surface, [rad].
    """
    drawn = np.flatnonzero(~surface.hidden)
    faces, inner = surface.faces[drawn], np.repeat(surface.inner[drawn], 3)
    vertex = faces.ravel()
    joints = int(surface.owners.max(initial=0)) + 1
    n = int(surface.places.max(initial=0)) + 1
    normal = np.repeat(surface.normals[drawn], 3, axis=0)
    corners = surface.points[faces]
    weights = corner_angles(corners) * _soundness(corners, surface.areas[drawn])[:, None]
    weighted = normal * weights.reshape(-1, 1)

    # The sides of a cap and of the skin it closes are never one surface.
    level = surface.places[vertex] + n * inner
    place = distinct(level).which
    # What bends has no creases of its own: the fold of an armpit opens when the arm is raised. A segment of which some
    # bends is skin and has few: where an edge such as a sole's would be a crease here and none there, it looks jagged.
    follows = surface.weights[vertex, 0] < _WHOLLY
    skin = np.bincount(surface.owners[vertex], follows, joints)[surface.owners[vertex]] > 0.0
    limit = np.where(follows, -2.0, np.cos(np.where(skin, max(crease, SKIN_CREASE), crease)))
    normals = _unit(_creased(place, normal, weighted, limit), normal)

    site_key = level * joints + surface.owners[vertex]
    _, first, site = distinct(site_key)
    smooth = _unit(_gathered(place, weighted, int(place.max(initial=-1)) + 1), np.array([0.0, 1.0, 0.0]))[place[first]]
    outward = _outward(surface, drawn, site, weighted, len(first))

    # Shifted, as values of symmetric shapes would otherwise lie just where rounding parts them.
    quantised = np.round(normals * 1000.0 + 0.137).astype(np.int64) + 1024
    key = (site << 33) | (quantised[:, 0] << 22) | (quantised[:, 1] << 11) | quantised[:, 2]
    _, kept, inverse = distinct(key)
    return Shaded(
        vertex[kept], normals[kept], outward[site[kept]], inverse.reshape(-1, 3).astype(np.int64), site[kept], smooth
    )


def _outward(surface: Surface, drawn: Numbers, site: Numbers, weighted: Array, count: int) -> Array:
    """Return directions in which each site moves when its segment swells, shape (count, 3).

    Where the skin of a segment ends, at a ring it shares, it swells along the neighbour too: over an open edge as
    over a closed one.
    """
    total = _unit(_gathered(site, weighted, count), np.array([0.0, 1.0, 0.0]))
    ends = site.reshape(-1, 3)
    start, end = ends.ravel(), np.roll(ends, -1, axis=1).ravel()
    key = np.minimum(start, end) * count + np.maximum(start, end)
    edge = distinct(key).which
    open_edge = np.bincount(edge)[edge] == 1
    if not open_edge.any():
        return total
    points = surface.points[surface.faces[drawn]]
    along = (np.roll(points, -1, axis=1) - points).reshape(-1, 3)[open_edge]
    away = np.cross(along, np.repeat(surface.normals[drawn], 3, axis=0)[open_edge])
    beyond = _gathered(start[open_edge], away, count) + _gathered(end[open_edge], away, count)
    return _unit(total + _unit(beyond, np.zeros(3)), total)
