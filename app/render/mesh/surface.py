"""All segments of a figure as one surface in the bind pose: which vertices belong together, and what lies inside.

Segments of a rigid figure have nothing to do with each other. Where segments bend, vertices at the same place that
follow the same joints are one place of the surface, whichever segment they come from. A segment that ends at such a
ring of shared places is often closed there by a cap, which no one sees: it lies inside, behind the neighbour's skin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.render.mesh.distinct import distinct
from core.skeleton.segment import segment_mesh
from core.skeleton.skeleton import Skeleton
from core.skeleton.skin import bind_frames, segment_skin

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

_OWN = 1e-6  # of a segment's size: its vertices nearer than that are one place
_ACROSS = 1e-4  # of the segments' median size: vertices of two segments nearer than that may be one place
_FOLDED = -0.7  # cosine between two triangles back to back
_ALIKE = 0.98  # of their weights must be the same


@dataclass(frozen=True)
class Surface:
    """The triangles of all segments.

    Attributes:
        points: In the bind pose, in the world, shape (n, 3), [m].
        owners: The joint that carries each vertex, shape (n,).
        joints: Joints that each vertex follows, the carrier first, shape (n, 4).
        weights: How much, shape (n, 4).
        places: Number of the place each vertex is at; the same for vertices that stay together, shape (n,).
        faces: Vertex numbers, shape (m, 3); triangles without area are left out.
        normals: Unit normals of the triangles, shape (m, 3).
        areas: Of the triangles, shape (m,), [m^2].
        inner: Which triangles lie inside, behind a neighbour's skin, shape (m,).
        hidden: Which of those coincide with a neighbour's, so that they need not be drawn at all, shape (m,).
        rigid: Whether every vertex follows its carrier only.
    """

    points: Array
    owners: Numbers
    joints: Numbers
    weights: Array
    places: Numbers
    faces: Numbers
    normals: Array
    areas: Array
    inner: Flags
    hidden: Flags
    rigid: bool

    @property
    def face_owners(self) -> Numbers:
        """The joint that carries each triangle, shape (m,)."""
        return self.owners[self.faces[:, 0]]

    def is_solid(self, caps: bool = True) -> bool:
        """Return whether what is drawn is closed and faces outward, so that no one sees its back.

        Along every edge as many triangles run one way as the other, and every closed piece has a positive volume.

        Args:
            caps: Whether the triangles inside are drawn, too.
        """
        import scipy  # here, as a figure whose geometry is kept needs none of it

        drawn = self.faces[~(self.hidden if caps else self.inner)]
        corners = self.places[drawn]
        kept = (corners != np.roll(corners, 1, axis=1)).all(axis=1)
        corners = corners[kept]
        if not len(corners):
            return False
        n = int(self.places.max()) + 1
        start, end = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
        if not np.array_equal(np.sort(start * n + end), np.sort(end * n + start)):
            return False
        links = scipy.sparse.coo_array((np.ones(len(start)), (start, end)), shape=(n, n))
        piece = scipy.sparse.csgraph.connected_components(links, directed=False)[1][corners[:, 0]]
        a, b, c = (self.points[drawn[kept][:, k]] for k in range(3))
        volumes = np.bincount(piece, np.einsum("ti,ti->t", a, np.cross(b, c)))
        return bool((volumes[np.unique(piece)] > 0.0).all())


def figure_surface(skeleton: Skeleton) -> Surface:
    """Return the surface of a figure; of a figure without bodies it has no triangles."""
    bind = bind_frames(skeleton)
    points, owners, joints, weights, faces, places = [], [], [], [], [], []
    rigid, base, named = True, 0, 0
    sizes: dict[int, float] = {}
    for i in range(len(skeleton.joints)):
        mesh = segment_mesh(skeleton, i)
        if mesh is None or not len(mesh.triangles):
            continue
        count = len(mesh.vertices)
        placed = mesh.vertices @ bind[i, :3, :3].T + bind[i, :3, 3]
        skin = segment_skin(skeleton, i)
        if skin is None:
            follows, share = np.full((count, 4), i), np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
        else:
            follows, share, rigid = skin.joints, skin.weights, False
        own, size = _own_places(placed)
        sizes[i] = size
        points.append(placed)
        owners.append(np.full(count, i))
        joints.append(follows)
        weights.append(share)
        faces.append(mesh.triangles.astype(np.int64) + base)
        places.append(own + named)
        base, named = base + count, named + int(own.max()) + 1
    if not points:
        none, fours = np.zeros((0, 3)), np.zeros((0, 4))
        number, flags = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)
        triangles = np.zeros((0, 3), dtype=np.int64)
        follows = fours.astype(np.int64)
        return Surface(none, number, follows, fours, number, triangles, none, np.zeros(0), flags, flags, True)
    P, J, W = np.concatenate(points), np.concatenate(joints).astype(np.int64), np.concatenate(weights)
    owner, place, F = np.concatenate(owners), np.concatenate(places), np.concatenate(faces)
    corners = P[F]
    face = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(face, axis=1)
    scale = np.zeros(len(skeleton.joints))
    scale[list(sizes)] = list(sizes.values())
    good = length > 1e-14 * scale[owner[F[:, 0]]] ** 2
    F, normals, areas = F[good], face[good] / length[good, None], 0.5 * length[good]
    inner = hidden = np.zeros(len(F), dtype=bool)
    if not rigid and len(F):
        place = _joined(P, J, W, owner, place, _ACROSS * float(np.median(list(sizes.values()))))
        P, W = _alike(P, J, W, place)
        inner, hidden = _inside(P, owner, place, F, normals, areas)
    return Surface(P, owner, J, W, place, F, normals, areas, inner, hidden, rigid)


def _own_places(points: Array) -> tuple[Numbers, float]:
    """Return the number of the place of each of one segment's vertices, and the segment's size, [m]."""
    low = points.min(axis=0)
    size = max(float(np.ptp(points, axis=0).max()), 1e-12)
    cells = np.round((points - low) / (size * _OWN)).astype(np.int64)  # at most 10^6, 20 bits
    key = (cells[:, 0] << 42) | (cells[:, 1] << 21) | cells[:, 2]
    return distinct(key).which, size


def _joined(points: Array, joints: Numbers, weights: Array, owner: Numbers, place: Numbers, near: float) -> Numbers:
    """Return places after those of two segments that lie together and follow the same joints have become one."""
    import scipy  # here, as a figure whose geometry is kept needs none of it

    first = np.unique(place, return_index=True)[1]
    pairs = scipy.spatial.cKDTree(points[first]).query_pairs(near, output_type="ndarray")
    a, b = first[pairs[:, 0]], first[pairs[:, 1]]
    same = np.zeros(len(pairs))
    for j in range(4):
        for k in range(4):
            same += np.where(joints[a, j] == joints[b, k], np.minimum(weights[a, j], weights[b, k]), 0.0)
    keep = (owner[a] != owner[b]) & (same >= _ALIKE)
    links = scipy.sparse.coo_array(
        (np.ones(keep.sum()), (pairs[keep, 0], pairs[keep, 1])), shape=(len(first), len(first))
    )
    return np.asarray(scipy.sparse.csgraph.connected_components(links, directed=False)[1], dtype=np.int64)[place]


def _alike(points: Array, joints: Numbers, weights: Array, place: Numbers) -> tuple[Array, Array]:
    """Return vertices and weights that are the same wherever a place is the same.

    Files round what they say of a place in each segment's own frame: between two segments there would be pinholes.
    """
    count = int(place.max(initial=-1)) + 1
    each = np.maximum(np.bincount(place, minlength=count), 1)
    mean = np.column_stack([np.bincount(place, points[:, k], count) for k in range(3)]) / each[:, None]
    n = int(joints.max(initial=0)) + 1
    key, _, row = distinct(place[:, None] * n + joints)
    shares = (np.bincount(row, weights.ravel(), len(key))[row]).reshape(-1, 4)
    shares = np.where(weights > 0.0, shares / each[place][:, None], 0.0)
    return mean[place], shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-12)


def _back_to_back(corners: Numbers, owner: Numbers, n: int) -> Flags:
    """Return which triangles lie on one of another segment that faces the other way; three corners a row."""
    low = np.argmin(corners, axis=1)
    a, b, c = (np.take_along_axis(corners, ((low + k) % 3)[:, None], axis=1)[:, 0] for k in range(3))
    key = distinct(a * n + np.minimum(b, c)).which * n + np.maximum(b, c)
    order = np.argsort(key, kind="stable")
    first, second = order[:-1], order[1:]
    pair = (key[first] == key[second]) & (owner[first] != owner[second]) & ((b < c)[first] != (b < c)[second])
    found = np.zeros(len(corners), dtype=bool)
    found[first[pair]] = found[second[pair]] = True
    return found


@dataclass(frozen=True)
class _Edges:
    """The sides of all triangles that lie between places two segments share.

    Attributes:
        face: Triangle of each side, shape (k,).
        key: Number of the edge it lies along, sorted, shape (k,).
        forward: Whether it runs from the lower place to the higher, shape (k,).
    """

    face: Numbers
    key: Numbers
    forward: Flags


def _inside(
    points: Array, owner: Numbers, place: Numbers, faces: Numbers, normals: Array, areas: Array
) -> tuple[Flags, Flags]:
    """Return which triangles lie inside, and which of those can be left out."""
    import scipy  # here, as a figure whose geometry is kept needs none of it

    n = int(place.max()) + 1
    corners = place[faces]
    back = _back_to_back(corners, owner[faces[:, 0]], n)
    if back.any():  # most caps are that simple; what is left is looked at as a whole
        left = np.flatnonzero(~back)
        inner, hidden = back.copy(), back
        inner[left], hidden[left] = _inside(points, owner, place, faces[left], normals[left], areas[left])
        return inner, hidden
    start, end = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
    low, high = np.minimum(start, end), np.maximum(start, end)
    key, count = distinct(low * n + high).which, len(faces)
    whose = np.repeat(owner[faces[:, 0]], 3)
    face = np.arange(3 * count) // 3
    lowest, highest = np.full(key.max() + 1, 1 << 40), np.full(key.max() + 1, -1)
    np.minimum.at(lowest, key, whose)
    np.maximum.at(highest, key, whose)
    shared = (lowest != highest)[key]
    if not shared.any():
        none = np.zeros(count, dtype=bool)
        return none, none
    # A patch: triangles of one segment that hang together without crossing a shared edge.
    order = np.lexsort((whose[~shared], key[~shared]))
    f, k, w = face[~shared][order], key[~shared][order], whose[~shared][order]
    touch = (k[1:] == k[:-1]) & (w[1:] == w[:-1])
    links = scipy.sparse.coo_array((np.ones(touch.sum()), (f[:-1][touch], f[1:][touch])), shape=(count, count))
    patches, patch = scipy.sparse.csgraph.connected_components(links, directed=False)
    size = np.asarray(np.bincount(patch, areas, patches), dtype=np.float64)

    order = np.argsort(key[shared], kind="stable")
    edges = _Edges(face[shared][order], key[shared][order], (start < end)[shared][order])
    inner = _votes(edges, owner[faces[:, 0]], normals, patch, size)
    hidden = np.zeros(patches, dtype=bool)
    outlines: dict[bytes, list[int]] = {}
    for number in np.flatnonzero(inner).tolist():
        keys, times = np.unique(edges.key[patch[edges.face] == number], return_counts=True)
        outlines.setdefault(keys[times % 2 == 1].tobytes(), []).append(number)
    for alike in outlines.values():
        for a in alike:
            for b in alike:
                if a < b and _coincide(points, faces[patch == a], faces[patch == b], float(size[a]), float(size[b])):
                    hidden[[a, b]] = True
    return inner[patch], hidden[patch]


def _votes(edges: _Edges, owner: Numbers, normals: Array, patch: Numbers, size: Array) -> Flags:
    """Return which patches lie inside.

    Along a shared edge one side of each segment goes on smoothly in the other segment: that is the skin. What else a
    segment has there is a cap. Where a cap is as smooth, as a half ball is, the larger patch is the skin. Edges where
    all fold back on themselves, between the triangles of two caps, say nothing.
    """
    starts = np.flatnonzero(np.diff(edges.key, prepend=-1))
    counts = np.diff(np.append(starts, len(edges.key)))
    group = np.repeat(np.arange(len(starts)), counts)
    partners = counts[group]
    a = np.repeat(np.arange(len(edges.key)), partners)
    b = np.arange(len(a)) - np.repeat(np.cumsum(partners) - partners, partners) + starts[group[a]]
    whose = owner[edges.face]
    fits = (whose[a] != whose[b]) & (edges.forward[a] != edges.forward[b])
    dots = np.einsum("pi,pi->p", normals[edges.face[a[fits]]], normals[edges.face[b[fits]]])
    smooth = np.full(len(edges.key), -2.0)
    np.maximum.at(smooth, a[fits], dots)
    mine = size[patch[edges.face]]
    largest = np.zeros(len(starts))
    np.maximum.at(largest, group, mine)
    score = smooth + 0.1 * mine / largest[group]
    # The best side of each segment at each edge is skin.
    order = np.lexsort((-score, whose, edges.key))
    first = np.ones(len(order), dtype=bool)
    first[1:] = (edges.key[order][1:] != edges.key[order][:-1]) | (whose[order][1:] != whose[order][:-1])
    smoothest = np.full(len(starts), -2.0)
    np.maximum.at(smoothest, group, smooth)
    vote = np.zeros(len(order))
    vote[order] = np.where(first, 1.0, -1.0)
    vote[(smoothest < _FOLDED)[group]] = 0.0
    return np.bincount(patch[edges.face], vote, len(size)) < 0.0


def _coincide(points: Array, one: Numbers, other: Numbers, area: float, area_of_other: float) -> bool:
    """Whether two patches with the same outline, facing opposite ways, enclose next to nothing."""
    if abs(area - area_of_other) > 0.1 * max(area, area_of_other):
        return False
    a, b, c = (points[np.concatenate([one, other])[:, k]] - points[one[0, 0]] for k in range(3))
    volume = float(np.einsum("ti,ti->", a, np.cross(b, c))) / 6.0
    return abs(volume) < 0.02 * area**1.5
