"""Spans that are worked out, as many as there is room for: what every moment between two keys is computed from.

Spans are worked out when they are first asked for and kept in a ring: the oldest give way. What is kept of a span
depends on its four keys alone, so that a later version of the row of keys goes on using it. Every span that is worked
out gets the next number, by which it is found again for as long as it is there.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from core.animation.channels import channels_of
from core.animation.curves import interpolation
from core.animation.curves.compound_joints import CompoundJoints
from core.animation.curves.compound_tracks import CompoundTracks, Slopes
from core.animation.curves.key_rows import KINDS
from core.animation.curves.span_ends import SpanEnds
from core.animation.shape import LINEAR
from core.arrays import Array, Ints
from core.skeleton import Skeleton

Numbers = NDArray[np.int64]

AT_ONCE = 1024
"""Most spans that may be asked for in one go."""

_FEWEST = 64
_MEMORY = 48_000_000


class SpanStore:
    """Room for spans of one figure.

    Args:
        skeleton: The figure.
        spans: Number of spans of the row of keys it is for.
        columns: Number of values at the beginning of a pose that are kept; None for all. Of some there are no
            compounds.

    Attributes:
        capacity: How many spans it holds.
        guard: Held while spans are put in or read: threads may ask at once.
    """

    def __init__(self, skeleton: Skeleton, spans: int, columns: int | None = None):
        channels = channels_of(skeleton)
        joints = CompoundJoints(skeleton, among=columns)
        of_channel = channels.of_value[joints.columns[:, 0]]
        nq = skeleton.nq if columns is None else columns
        most = CompoundTracks(joints, 0, of_channel).row_bytes + 6 * 8 * nq
        self.capacity = self.room(spans, most)
        self.skeleton = skeleton
        lo, hi = _pose_limits(skeleton)
        self.limits = lo[:nq], hi[:nq]
        self.guard = threading.Lock()
        self._row_bytes = most
        self._next = 0
        # Memory is taken by the rows that are used.
        self._cubics = np.empty((self.capacity, 4, nq))
        self._lo, self._hi = np.empty((self.capacity, nq)), np.empty((self.capacity, nq))
        self._compounds: CompoundTracks = CompoundTracks(joints, self.capacity, of_channel)

    @staticmethod
    def room(spans: int, row_bytes: int) -> int:
        """Return how many spans there should be room for."""
        most = max(2 * AT_ONCE, _MEMORY // row_bytes)
        wanted = _FEWEST
        while wanted < 4 * spans and wanted < most:
            wanted *= 2
        return min(wanted, most)

    def fits(self, spans: int) -> bool:
        """Return whether there is room enough for a row of keys."""
        return self.capacity >= self.room(spans, self._row_bytes)

    def there(self, numbers: Numbers) -> NDArray[np.bool_]:
        """Return which spans are still there."""
        found: NDArray[np.bool_] = (numbers >= 0) & (numbers >= self._next - self.capacity)
        return found

    def put(self, ends: SpanEnds) -> Numbers:
        """Work out spans and return their numbers, shape (n,)."""
        n = len(ends.poses[0])
        numbers = np.arange(self._next, self._next + n, dtype=np.int64)
        self._next += n
        with np.errstate(over="ignore", invalid="ignore"):
            self._prepare(numbers % self.capacity, ends)
        return numbers

    def _prepare(self, rows: Ints, ends: SpanEnds) -> None:
        lo, hi = limits = ends.limits(1, self.limits)
        slopes = ends.slopes(1, self.limits), ends.slopes(2, self.limits)
        cubics, by_u = span_cubics(ends, slopes)
        hulls = ends.hulls(by_u)
        hulls[:, self._compounds.joints.columns] = False  # an arc's angles go where they must
        if hulls.any():
            a, b = ends.poses[1], ends.poses[2]
            lo, hi = np.where(hulls, np.minimum(a, b), lo), np.where(hulls, np.maximum(a, b), hi)
        self._cubics[rows], self._lo[rows], self._hi[rows] = cubics, lo, hi
        if len(self._compounds.joints):
            self._compounds.prepare(rows, ends, slopes, limits, self._angles)

    def _angles(self, rows: Ints, u: Array, which: Ints | None) -> Array:
        """Return the angles by angle of one compound a row, shape (m, k, 3), or of all, shape (m, k, c, 3).

        Args:
            rows: Shape (m,).
            u: Where in the spans, shape (m, k).
            which: The compounds, shape (m,); None for all.
        """
        columns = self._compounds.joints.columns
        columns = columns.reshape(1, -1) if which is None else columns[which]
        at = rows[:, None]
        c = self._cubics[at, :, columns][:, None]
        v = u[..., None]
        found = ((c[..., 3] * v + c[..., 2]) * v + c[..., 1]) * v + c[..., 0]
        found = np.clip(found, self._lo[at, columns][:, None], self._hi[at, columns][:, None])
        return found if which is not None else found.reshape(*u.shape, -1, 3)

    def evaluate(self, numbers: Numbers, u: Array, of_value: Ints) -> Array:
        """Return the poses in spans, shape (m, nq).

        Args:
            numbers: Numbers of spans that are there, shape (m,).
            u: Where in them, 0 to 1, shape (m, w).
            of_value: Column of ``u`` for each value of a pose, shape (nq,).
        """
        rows = numbers % self.capacity
        lo, hi = self._lo[rows], self._hi[rows]
        q = interpolation.cubic(self._cubics[rows], u if u.shape[1] == 1 else u[:, of_value])
        np.clip(q, lo, hi, out=q)
        if len(self._compounds.joints):
            self._compounds.evaluate(rows, u, q)
            # The blend is as exact as its search; what is left over the limit is too little to see.
            np.clip(q, lo, hi, out=q)
        return q

    def bounds(self, numbers: Numbers) -> tuple[Array, Array]:
        """Return the lower and upper limits of poses in spans, each of shape (m, nq)."""
        rows = numbers % self.capacity
        return self._lo[rows], self._hi[rows]


def span_cubics(ends: SpanEnds, slopes: Slopes) -> tuple[Array, tuple[Array, Array]]:
    """Return the cubics of the values in spans and their slopes by ``u`` at both ends.

    Args:
        ends: The spans.
        slopes: From ``SpanEnds.slopes`` for both ends.

    Returns:
        Coefficients as from ``interpolation.hermite``, and the two slopes.
    """
    start, end = ends.poses[1:3]
    h = ends.wide(ends.lengths(1)[1])
    by_u = slopes[0][1] * h, slopes[1][0] * h
    cubics = interpolation.hermite(start, end, *by_u, ends.wide(ends.kinds == KINDS[LINEAR]))
    stepped = ends.stepped
    if stepped.any():
        still = np.broadcast_to(ends.wide(stepped), start.shape)
        cubics[:, 1:] = np.where(still[:, None], 0.0, cubics[:, 1:])
    return cubics, by_u


def _pose_limits(skeleton: Skeleton) -> tuple[Array, Array]:
    lo = np.full(skeleton.nq, -np.inf)
    hi = np.full(skeleton.nq, np.inf)
    lo[3:], hi[3:] = skeleton.limits[:, 0], skeleton.limits[:, 1]
    return lo, hi
