"""Joints with true cones between keys: a path that would swing out of its cone is bent inward over the whole span.

Limits of single values keep a swing in a box, and an arc or a spline between two poses inside a cone may leave it in
the box's corners. Both angles of such a swing are drawn in by a share that grows smoothly from none at either key
(where its rate is zero too, so that the motion passes the keys as before) to the most in the middle. What the share
does not reach, next to a key that stands on the rim and moves outward, slides along the rim.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.animation.channels import Channels
from core.arrays import Array, Ints
from core.skeleton import Skeleton
from core.skeleton.cones import Cones, cones_of

_SAMPLES = 0.5 - 0.5 * np.cos(np.pi * np.arange(1, 48) / 48.0)
# A span is drawn in by at most this much more than its farthest point needs: more would pull its middle far inside
# for the sake of points next to a key, where the share is small.
_MOST = 1.5
_SURPLUS = 1.002
# A span whose samples all stay this much above the least cosine does not leave the cone between them either.
_WELL_INSIDE = 0.03


def _share(u: Array) -> Array:
    """Return how much of a span's share acts at ``u``: 0 at both keys, with its rate, and 1 in the middle."""
    inner = 4.0 * u * (1.0 - u)
    return np.asarray(inner * inner)


class ConeTracks:
    """The cones of a figure in spans between keys.

    Args:
        cones: The cones; at least one.
        of_channel: Channel of each cone, shape (k,).
    """

    def __init__(self, cones: Cones, of_channel: Ints):
        self._cones, self._of_channel = cones, of_channel
        self.make_room(0)

    @classmethod
    def of(cls, skeleton: Skeleton, channels: Channels, columns: int | None) -> ConeTracks | None:
        """Return the cones of a figure, None if it has none.

        Args:
            skeleton: The figure.
            channels: Its channels.
            columns: Number of values at the beginning of a pose that are interpolated; None for all. Of some there
                are no cones.
        """
        cones = cones_of(skeleton)
        if columns is not None or not len(cones):
            return None
        return cls(cones, channels.of_value[cones.columns[:, 0]])

    def make_room(self, spans: int) -> None:
        """Make room for spans; what was there is lost."""
        k = len(self._cones)
        self._least, self._drawn_in = np.empty((spans, k)), np.empty((spans, k))
        self._near_rim = np.empty(spans, dtype=bool)

    @property
    def row_bytes(self) -> int:
        """Memory of one span, [bytes]."""
        return 2 * 8 * len(self._cones) + 1

    def prepare(self, rows: Ints, start: Array, end: Array, path: Callable[[Ints, Array], Array]) -> None:
        """Work out spans.

        Args:
            rows: Where they are kept, shape (n,).
            start: Poses at the keys that begin them, shape (n, nq). Keys may lie outside a cone, as an imported
                motion does: their span then gives way just far enough.
            end: Poses at those that end them.
            path: The poses without cones, shape (m, nq), in rows, shape (m,), at ``u``, shape (m, 1).
        """
        cones = self._cones
        ends = np.minimum(cones.swing_cosines(start), cones.swing_cosines(end))
        self._least[rows] = np.minimum(cones.cosines, ends)
        n, m = len(rows), len(_SAMPLES)
        poses = path(np.repeat(rows, m), np.tile(_SAMPLES, n)[:, None]).reshape(n, m, -1)
        least = self._least[rows][:, None]
        self._near_rim[rows] = (cones.swing_cosines(poses) < least + _WELL_INSIDE).any(axis=(1, 2))
        missing = 1.0 - cones.allowed(poses, least)
        wanted = _SURPLUS * (missing / _share(_SAMPLES)[:, None]).max(axis=1)
        self._drawn_in[rows] = np.minimum(np.minimum(wanted, _MOST * missing.max(axis=1)), 1.0)

    def evaluate(self, rows: Ints, u: Array, q: Array) -> None:
        """Bring poses in spans to their cones, shape (m, nq); in place. ``u`` is of shape (m, 1) or one a channel."""
        if not self._near_rim[rows].any():
            return
        drawn_in = self._drawn_in[rows]
        if not drawn_in.any():
            return self.hold(rows, q)
        part = 1.0 - drawn_in * _share(u if u.shape[1] == 1 else u[:, self._of_channel])
        columns = self._cones.columns
        q[:, columns] *= part[..., None]
        self.hold(rows, q)

    def hold(self, rows: Ints, q: Array) -> None:
        """Bring poses in spans that left their cones to the rim, shape (m, nq); in place."""
        self._cones.hold(q, self._least[rows])
