"""How fast weights change along a skin: what a bent surface's normals need besides the turns of its joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


def weight_slopes(points: Array, nodes: Numbers, faces: Numbers, joints: Numbers, weights: Array) -> Array:
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
    """
    import scipy  # here, as a figure whose geometry is kept needs none of it

    count = int(nodes.max(initial=-1)) + 1
    corners = points[faces]
    twice = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(twice, axis=1)
    good = area > 1e-12 * max(float(area.max(initial=0.0)), 1e-300)
    corners, faces, normal, area = corners[good], nodes[faces[good]], twice[good] / area[good, None], area[good]
    # Area times the gradient of each corner's own linear function, 1 there and 0 at the others.
    opposite = np.roll(corners, 1, axis=1) - np.roll(corners, -1, axis=1)
    own = np.cross(normal[:, None], opposite)
    total = np.maximum(np.bincount(faces.ravel(), np.repeat(area, 3), count), 1e-300)
    rows = np.repeat(faces, 3, axis=1).ravel()
    columns = np.tile(faces, (1, 3)).ravel()
    first = np.unique(nodes, return_index=True)[1]
    n = int(joints.max(initial=0)) + 1
    spread = scipy.sparse.csr_array(
        (weights[first].ravel(), (np.repeat(np.arange(len(first)), 4), joints[first].ravel())), shape=(len(first), n)
    )
    slopes = np.zeros((len(points), 4, 3))
    known = np.unique(nodes)
    place = np.searchsorted(known, nodes)
    for axis in range(3):
        values = np.tile(own[:, :, axis], (1, 3)).ravel() / total[rows]
        change = scipy.sparse.csr_array((values, (rows, columns)), shape=(count, count))[known][:, known] @ spread
        slopes[:, :, axis] = np.asarray(change[place[:, None], joints].todense()).reshape(-1, 4)
    slopes[weights == 0.0] = 0.0
    slopes[:, 0] = -slopes[:, 1:].sum(axis=1)
    return slopes
