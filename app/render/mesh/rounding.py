"""A finer copy of a figure, for what fills the screen: triangles split where a smooth surface bulges out of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.render.mesh.coarse import Part
from app.render.mesh.distinct import distinct

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_ENOUGH = 1.6e-4  # of the figure's size: an edge that the surface leaves by less stays
_ROUNDS = 2  # of splitting each edge in two
_CREASE = 0.5  # cosine between the normals of an edge's ends, and of a corner and its face: else it is not smooth there
_STEEP = 0.1  # of an edge: a surface that leaves it by more is rough, not round
_MOST = 80_000  # triangles of a figure, beyond which it is fine enough
# The sides of a triangle that are split, as bits, and the triangles it becomes: 0 to 2 its corners, 3 to 5 the middles
# of the sides that begin there. Where two are split the quad's diagonal starts at the lower numbered middle.
_CUTS = (
    ((0, 1, 2),),
    ((0, 3, 2), (3, 1, 2)),
    ((0, 1, 4), (0, 4, 2)),
    ((3, 1, 4), (0, 3, 2), (3, 4, 2)),
    ((0, 1, 5), (5, 1, 2)),
    ((0, 3, 5), (3, 1, 2), (3, 2, 5)),
    ((5, 4, 2), (0, 1, 4), (0, 4, 5)),
    ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
)


@dataclass
class _Mesh:
    """All parts as one, vertices and triangles in the order of the parts."""

    points: Array
    normals: Array
    outward: Array
    light: Array
    joints: Numbers
    weights: Array
    places: Numbers
    owners: Numbers
    faces: Numbers
    inner: Flags


def rounded_parts(parts: list[Part], light: Array, size: float) -> tuple[list[Part], Array, float] | None:
    """Return the segments with triangles split where the surface bulges, or None if it nowhere does.

    The surface along an edge is the cubic curve at right angles to the normals of its ends. Edges that two segments
    share are split alike, and so are those along a crease: no gap opens.

    Args:
        parts: The segments.
        light: The occlusion of their vertices, one after the other, shape (k,).
        size: Largest extent of the figure, [m].

    Returns:
        The segments; the occlusion of their vertices; how far the surface left the edges that are split, in nine cases
        of ten less than that, [m].

    Source: Vlachos, Peters, Boyd and Mitchell (2001), Curved PN triangles.
    """
    if not 0 < sum(len(part.faces) for part in parts) <= _MOST:
        return None
    starts = np.cumsum([0, *(len(part.points) for part in parts)])
    mesh = _Mesh(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.outward for part in parts]),
        light,
        np.concatenate([part.joints for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.places for part in parts]),
        np.concatenate([np.full(len(part.points), part.joint) for part in parts]),
        np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=False)]),
        np.concatenate([part.inner for part in parts]),
    )
    bulges = [_split(mesh, _ENOUGH * size) for _ in range(_ROUNDS)]
    if not len(bulges[0]):
        return None
    found, lights = [], []
    for part in parts:
        mine = np.flatnonzero(mesh.owners[mesh.faces[:, 0]] == part.joint)
        bends = (mesh.weights[:, 0] < 1.0)[mesh.faces[mine]].any(axis=1)
        mine = mine[np.argsort(bends, kind="stable")]
        used, _, inverse = distinct(mesh.faces[mine])
        found.append(
            Part(
                part.joint, mesh.points[used], mesh.normals[used], mesh.outward[used], mesh.joints[used],
                mesh.weights[used], inverse.reshape(-1, 3), mesh.places[used], mesh.inner[mine],
            )
        )  # fmt: skip
        lights.append(mesh.light[used])
    return found, np.concatenate(lights), float(np.quantile(bulges[0], 0.9))


def _distinct(low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """Return the distinct pairs of numbers not below 0, ascending, shape (n, 2), and which of them each pair is."""
    count = int(high.max(initial=0)) + 1
    pairs, _, which = distinct(low.astype(np.int64) * count + high)
    return np.stack(np.divmod(pairs, count), axis=1), which


def _split(mesh: _Mesh, enough: float) -> Array:
    """Split edges in two where the surface leaves them by more than enough; return by how much it left each, [m]."""
    starts, ends = mesh.faces.ravel(), np.roll(mesh.faces, -1, axis=1).ravel()
    low, high = np.minimum(starts, ends), np.maximum(starts, ends)
    # An edge of one segment with one pair of normals; and where it is, shared by all that have it.
    edges, edge = _distinct(low, high)
    a, b = edges.T
    where = np.sort(distinct(mesh.places).which[edges], axis=1)
    sites, site = _distinct(*where.T)
    along = mesh.points[b] - mesh.points[a]
    rise = np.einsum("ei,ei->e", along, mesh.normals[b])[:, None] * mesh.normals[b]
    rise -= np.einsum("ei,ei->e", along, mesh.normals[a])[:, None] * mesh.normals[a]
    smooth = np.einsum("ei,ei->e", mesh.normals[a], mesh.normals[b]) > _CREASE
    smooth &= np.linalg.norm(rise, axis=1) < 8.0 * _STEEP * np.linalg.norm(along, axis=1)
    skin = np.bincount(edge[np.repeat(~mesh.inner, 3)], minlength=len(edges)) > 0
    total = np.maximum(np.bincount(site, skin, len(sites)), 1.0)  # a cap inside does not bulge of its own
    sums = [np.bincount(site, skin * smooth * 0.125 * rise[:, k], len(sites)) for k in range(3)]
    mean = np.column_stack(sums) / total[:, None]
    bulge = np.linalg.norm(mean, axis=1)
    bulging = np.flatnonzero(bulge[site] > enough)
    joints, weights, fits = _between(mesh, a[bulging], b[bulging])
    corners = mesh.points[mesh.faces]
    across = _unit(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
    rough = (np.einsum("ti,tci->tc", across, mesh.normals[mesh.faces]) < _CREASE).any(axis=1) & ~mesh.inner
    fits &= np.bincount(edge, np.repeat(rough, 3), len(edges))[bulging] == 0.0
    chosen = bulge > enough
    chosen[site[bulging[~fits]]] = False
    split = chosen[site]
    joints, weights = joints[split[bulging]], weights[split[bulging]]
    number = np.full(len(edges), -1)
    number[split] = len(mesh.points) + np.arange(split.sum())
    a, b = a[split], b[split]
    # Normals in between are those that a pixel there had before: what is lit does not show which edges are split.
    normals = mesh.normals[a] + mesh.normals[b]
    outward = mesh.outward[a] + mesh.outward[b]
    middle = 0.5 * (mesh.points[a] + mesh.points[b]) + mean[site[split]]

    six = np.concatenate([mesh.faces, number[edge].reshape(-1, 3)], axis=1)
    cut = ((six[:, 3:] >= 0) * [1, 2, 4]).sum(axis=1)
    faces, inner = [], []
    for kind, triangles in enumerate(_CUTS):
        some = cut == kind
        for triangle in triangles:
            faces.append(six[some][:, triangle])
            inner.append(mesh.inner[some])
    mesh.points = np.concatenate([mesh.points, middle])
    mesh.normals = np.concatenate([mesh.normals, _unit(normals)])
    mesh.outward = np.concatenate([mesh.outward, _unit(outward)])
    mesh.light = np.concatenate([mesh.light, 0.5 * (mesh.light[a] + mesh.light[b])])
    mesh.joints = np.concatenate([mesh.joints, joints])
    mesh.weights = np.concatenate([mesh.weights, weights])
    mesh.places = np.concatenate([mesh.places, mesh.places.max() + 1 + site[split]])
    mesh.owners = np.concatenate([mesh.owners, mesh.owners[a]])
    mesh.faces, mesh.inner = np.concatenate(faces), np.concatenate(inner)
    return bulge[chosen]


def _between(mesh: _Mesh, a: Numbers, b: Numbers) -> tuple[Numbers, Array, Flags]:
    """Return what the middles of edges follow, and whether four joints with the carrier among them say all of it."""
    joints = np.concatenate([mesh.joints[a], mesh.joints[b]], axis=1)
    weights = 0.5 * np.concatenate([mesh.weights[a], mesh.weights[b]], axis=1)
    for k in range(1, 8):  # the same joint once
        for i in range(k):
            same = joints[:, k] == joints[:, i]
            weights[:, i] += np.where(same, weights[:, k], 0.0)
            weights[:, k] = np.where(same, 0.0, weights[:, k])
    order = np.argsort(-weights[:, 1:], axis=1, kind="stable")[:, :3] + 1
    order = np.concatenate([np.zeros((len(a), 1), dtype=np.int64), order], axis=1)
    fits = (weights > 0.0).sum(axis=1) <= 3 + (weights[:, 0] > 0.0)
    weights = np.take_along_axis(weights, order, axis=1)
    joints = np.where(weights > 0.0, np.take_along_axis(joints, order, axis=1), joints[:, :1])
    return joints, weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12), fits


def _unit(vectors: Array) -> Array:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
