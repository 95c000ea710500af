"""A coarse copy of a figure, for small pictures and ghosts: places in one cell of a grid become one vertex."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.render.mesh.distinct import distinct
from app.render.mesh.normals import Shaded
from app.render.mesh.surface import Surface

if TYPE_CHECKING:
    import scipy

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

CELLS = 11.0
"""Cells along the diagonal of a segment's box."""
_WORTH = 0.7  # of the triangles: a copy with more is not worth its loss
_LEAST = 4  # triangles of a segment


@dataclass(frozen=True)
class Part:
    """Vertices of one segment, ready for the buffer.

    Attributes:
        joint: The joint that carries it.
        points: In the bind pose, in the world, shape (k, 3), [m].
        normals: Unit normals, shape (k, 3).
        outward: Directions in which outlines swell, shape (k, 3).
        joints: Joints each vertex follows, the carrier first, shape (k, 4).
        weights: How much, shape (k, 4).
        faces: Vertex numbers, shape (m, 3).
        places: Numbers that two parts have in common where their vertices are one, shape (k,).
        inner: Which triangles lie inside, behind a neighbour's skin, shape (m,).
    """

    joint: int
    points: Array
    normals: Array
    outward: Array
    joints: Numbers
    weights: Array
    faces: Numbers
    places: Numbers
    inner: NDArray[np.bool_]


def fine_parts(surface: Surface, shade: Shaded) -> list[Part]:
    """Return the segments as they are, joints in order."""
    owner = surface.owners[shade.rows]
    inner = surface.inner[~surface.hidden]
    parts = []
    for joint in np.unique(owner[shade.faces[:, 0]]).tolist():
        mine = np.flatnonzero(owner[shade.faces[:, 0]] == joint)
        # Triangles that follow one joint come first: where the processor draws, they pass quickly as a block.
        bends = (surface.weights[shade.rows, 0] < 1.0)[shade.faces[mine]].any(axis=1)
        mine = mine[np.argsort(bends, kind="stable")]
        faces = shade.faces[mine]
        used, _, inverse = distinct(faces)
        rows = shade.rows[used]
        parts.append(
            Part(
                joint, surface.points[rows], shade.normals[used], shade.outward[used], surface.joints[rows],
                surface.weights[rows], inverse.reshape(-1, 3), surface.places[rows], inner[mine],
            )
        )  # fmt: skip
    return parts


def coarse_parts(surface: Surface, shade: Shaded, fine: list[Part], cells: float = CELLS) -> list[Part]:
    """Return coarse copies of the segments; those that would not save much stay as they are.

    Each segment has its own grid. Places that segments share fall into a common one, so that no gap opens.

    Args:
        surface: All triangles.
        shade: Its vertices.
        fine: Its segments.
        cells: Cells along the diagonal of a segment's box.
    """
    import scipy  # here, as a figure whose geometry is kept needs none of it

    sites = int(shade.sites.max(initial=-1)) + 1
    first = distinct(shade.sites).first
    row = shade.rows[first]
    point, owner, place = surface.points[row], surface.owners[row], surface.places[row]
    pitch = np.ones(int(surface.owners.max(initial=0)) + 1)
    low = np.zeros((len(pitch), 3))
    for part in fine:
        diagonal = float(np.linalg.norm(np.ptp(part.points, axis=0)))
        pitch[part.joint], low[part.joint] = max(diagonal, 1e-9) / cells, part.points.min(axis=0)
    # The segments that meet at a place, as a sum of random numbers.
    token = np.random.default_rng(1).integers(1, 1 << 40, len(pitch))
    both = distinct(place * len(pitch) + owner).values
    meeting = np.zeros(int(place.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(meeting, both // len(pitch), token[both % len(pitch)])
    finest = np.full(len(meeting), np.inf)
    np.minimum.at(finest, place, pitch[owner])
    shared = meeting[place] != token[owner]
    size = np.where(shared, finest[place], pitch[owner])[:, None]
    origin = np.where(shared[:, None], 0.0, low[owner])
    # Facing is part of the key so that the two sides of a thin part stay apart.
    cluster = distinct(meeting[place]).which
    for column in (*np.floor((point - origin) / size).astype(np.int64).T, *(shade.smooth > 0.0).T.astype(np.int64)):
        more, _, which = distinct(column)
        cluster = distinct(cluster * len(more) + which).which
    count = int(cluster.max(initial=-1)) + 1
    share = scipy.sparse.csr_array(
        (1.0 / np.bincount(cluster, minlength=count)[cluster], (cluster, np.arange(sites))), shape=(count, sites)
    )
    points, normals = share @ point, share @ shade.smooth
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    follow = None
    if not surface.rigid:
        spread = scipy.sparse.csr_array(
            (surface.weights[row].ravel(), (np.repeat(np.arange(sites), 4), surface.joints[row].ravel())),
            shape=(sites, len(pitch) if len(pitch) > surface.joints.max() else int(surface.joints.max()) + 1),
        )
        follow = scipy.sparse.csr_array(_few(np.asarray((share @ spread).toarray()), cluster, owner))
    mapped = cluster[shade.sites]
    whose = surface.owners[shade.rows]
    inside = surface.inner[~surface.hidden]
    outward = shade.outward[first]

    parts = []
    for part in fine:
        chosen = np.flatnonzero(whose[shade.faces[:, 0]] == part.joint)
        faces = mapped[shade.faces[chosen]]
        whole = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
        faces, inner = faces[whole], inside[chosen[whole]]
        alone = not shared[owner == part.joint].any()
        if alone and (len(faces) > _WORTH * len(part.faces) or len(faces) < _LEAST):
            parts.append(part)
            continue
        used, _, inverse = distinct(faces)
        mine = owner == part.joint
        swell = np.column_stack([np.bincount(cluster[mine], outward[mine, k], count) for k in range(3)])[used]
        swell = swell / np.maximum(np.linalg.norm(swell, axis=1, keepdims=True), 1e-12)
        if follow is None:
            joints, weights = np.full((len(used), 4), part.joint), np.tile([1.0, 0.0, 0.0, 0.0], (len(used), 1))
        else:
            joints, weights = _strongest(follow[used], part.joint)
        parts.append(
            Part(
                part.joint, points[used], normals[used], swell, joints, weights, inverse.reshape(-1, 3), -1 - used,
                inner,
            )
        )  # fmt: skip
    return parts


def _few(follow: Array, cluster: Numbers, owner: Numbers) -> Array:
    """Return weights of at most four joints a row: of those whose segments meet there, and then of the strongest.

    They are the same whichever segment carries the vertex: else a gap would open where segments meet.

    Args:
        follow: Weights, shape (clusters, joints).
        cluster: Of each place, shape (k,).
        owner: Joint whose segment each place belongs to, shape (k,).
    """
    rank = follow.copy()
    rank[cluster, owner] += 2.0
    found = follow.copy()
    np.put_along_axis(found, np.argsort(-rank, axis=1, kind="stable")[:, 4:], 0.0, axis=1)
    return np.asarray(found / np.maximum(found.sum(axis=1, keepdims=True), 1e-12))


def _strongest(follow: scipy.sparse.csr_array, carrier: int) -> tuple[Numbers, Array]:
    """Return the carrier and the three other joints that count most for each row, and their weights."""
    count = follow.shape[0]
    row = np.repeat(np.arange(count), np.diff(follow.indptr))
    own = follow.indices == carrier
    joints = np.full((count, 4), carrier, dtype=np.int64)
    weights = np.zeros((count, 4))
    weights[row[own], 0] = follow.data[own]
    row, column, value = row[~own], follow.indices[~own], follow.data[~own]
    order = np.lexsort((column, -value, row))
    row, column, value = row[order], column[order], value[order]
    rank = np.arange(len(row)) - np.searchsorted(row, row) + 1
    some = (rank <= 3) & (value > 0.0)
    joints[row[some], rank[some]], weights[row[some], rank[some]] = column[some], value[some]
    return joints, weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
