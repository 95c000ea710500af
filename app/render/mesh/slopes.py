"""How fast weights change along a skin: what a bent surface's normals need besides the turns of its joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.render.mesh.distinct import distinct

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


def weight_slopes(
    points: Array, nodes: Numbers, faces: Numbers, joints: Numbers, weights: Array, chains: Sequence[Numbers] = ()
) -> Array:
    """Return the gradient along the surface of each weight of each vertex, shape (k, 4, 3), [1/m].

    On a triangle weights are linear; a vertex has the mean over its triangles, by their areas. A skinned point ``x``
    goes to ``sum w_i(x) M_i x``, so a small step ``d`` along the surface goes to ``sum (w_i A_i + (M_i x) g_i^T) d``:
    these are the ``g_i``.

    Args:
        points: Vertices of all segments in the bind pose, shape (k, 3), [m].
        nodes: Number of the place of each, the same where segments are one skin, shape (k,).
        faces: Triangles of the skin, as vertex numbers, shape (m, 3).
        joints: Joints each vertex follows, shape (k, 4).
        weights: How much, shape (k, 4).
        chains: Joints, each with its helpers and its parent, in order, see ``core.skeleton.helper_joints``: along one a
            vertex follows two neighbours, and those near by follow others.
    """
    import scipy  # here, as a figure whose geometry is kept needs none of it

    slopes = np.zeros((len(points), 4, 3))
    bends = np.flatnonzero((weights[:, 1:] != 0.0).any(axis=1))
    if not len(bends):
        return slopes
    count, n = int(nodes.max()) + 1, int(joints.max()) + 1
    wanted = np.zeros(count, dtype=bool)
    wanted[nodes[bends]] = True
    corners, faces = points[faces], nodes[faces]
    some = wanted[faces].any(axis=1)  # elsewhere no weight changes
    corners, faces = corners[some], faces[some]
    twice = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(twice, axis=1)
    good = area > 1e-12 * max(float(area.max(initial=0.0)), 1e-300)
    corners, faces, normal, area = corners[good], faces[good], twice[good] / area[good, None], area[good]
    # Area times the gradient of each corner's own linear function, 1 there and 0 at the others.
    own = np.cross(normal[:, None], np.roll(corners, 1, axis=1) - np.roll(corners, -1, axis=1))
    total = np.maximum(np.bincount(faces.ravel(), np.repeat(area, 3), count), 1e-300)
    spread = np.zeros((count, n))
    known, first, _ = distinct(nodes)
    for k in range(4):
        spread[known, joints[first, k]] += weights[first, k]
    triples = 3 * np.arange(len(faces) + 1)
    shape = (len(faces), count)
    gradients = [
        scipy.sparse.csr_array((np.ascontiguousarray(own[:, :, axis]).ravel(), faces.ravel(), triples), shape) @ spread
        for axis in range(3)
    ]
    around = scipy.sparse.csc_array((np.ones(faces.size), faces.ravel(), triples), shape[::-1])
    change = around @ np.concatenate(gradients, axis=1)
    node = nodes[bends][:, None, None]
    slopes[bends] = change[node, joints[bends][:, :, None] + n * np.arange(3)] / total[node]
    slopes[weights == 0.0] = 0.0
    for chain in chains:
        chain = chain[chain < n]
        place = np.full(n, -1)
        place[chain] = np.arange(len(chain))
        at = np.where(weights > 0.0, place[joints], -1)
        low, high = np.where(at < 0, len(chain), at).min(axis=1), at.max(axis=1)
        on = np.flatnonzero(low < high)
        columns = chain[:, None] + n * np.arange(3)
        around_each = change[nodes[on]][:, columns] / total[nodes[on]][:, None, None]
        # How fast all of the chain's weight changes, and how fast its place along the chain; two joints say both.
        whole = around_each.sum(axis=1)
        moment = np.einsum("kci,c->ki", around_each, np.arange(len(chain), dtype=np.float64))
        rise = (moment - low[on, None] * whole) / (high - low)[on, None]
        own = slopes[on]
        own[(at[on] >= 0)] = 0.0
        rows = np.arange(len(on))
        own[rows, np.argmax(at[on] == high[on, None], axis=1)] = rise
        own[rows, np.argmax(at[on] == low[on, None], axis=1)] = whole - rise
        slopes[on] = own
    slopes[:, 0] = -slopes[:, 1:].sum(axis=1)
    return slopes
