"""Everything between the keys: which span a time falls in, the spans worked out so far, and the pose there.

Spans are worked out when they are first asked for and kept in a ring: the oldest give way. What is kept of a span
depends on its four keys alone, so that a later version of the row of keys goes on using it. Every span that is worked
out gets the next number, by which it is found again for as long as it is there.

Every channel has its own row of keys (``core.animation.curves.key_rows``). From one key of the figure to the next all
channels stay in one span each; those are worked out together, when they are first asked for
(``core.animation.curves.tracks``), from the two keys at either end and one key either side of them.

A row that plays round and round and ends in the pose it begins with, but for where the root stands, has no ends: the
key before the first one is the last but one, a round's way back, so that the motion goes through the seam as it goes
through every other key.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from core.animation.channels import channels_of
from core.animation.curves import tangents
from core.animation.curves.compound_joints import CompoundJoints
from core.animation.curves.compound_tracks import CompoundTracks, Slopes
from core.animation.curves.cone_tracks import ConeTracks
from core.animation.curves.key_rows import KINDS, NONE, KeyRows
from core.animation.curves.span_ends import SpanEnds
from core.animation.curves.timing_curves import eased
from core.animation.key import Key
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
        arcs: Whether joints with two axes take arcs in some of the spans.
        bounded: Whether spans stay inside the limits and cones of the figure.

    Attributes:
        arcs: The same.
        capacity: How many spans it holds.
        guard: Held while spans are put in or read: threads may ask at once.
    """

    def __init__(
        self, skeleton: Skeleton, spans: int, columns: int | None = None, arcs: bool = False, bounded: bool = True
    ):
        channels = channels_of(skeleton)
        self.arcs = arcs
        joints = CompoundJoints(skeleton, among=columns, pairs=arcs)
        of_channel = channels.of_value[joints.columns[:, 0]]
        nq = skeleton.nq if columns is None else columns
        cones = ConeTracks.of(skeleton, channels, columns) if bounded else None
        most = CompoundTracks(joints, 0, of_channel).row_bytes + 6 * 8 * nq + (cones.row_bytes if cones else 0)
        self.capacity = self.room(spans, most)
        self.skeleton = skeleton
        lo, hi = _pose_limits(skeleton) if bounded else (np.full(skeleton.nq, -np.inf), np.full(skeleton.nq, np.inf))
        self.limits = lo[:nq], hi[:nq]
        self.guard = threading.Lock()
        self._row_bytes = most
        self._next = 0
        # Memory is taken by the rows that are used.
        self._cubics = np.empty((self.capacity, 4, nq))
        self._lo, self._hi = np.empty((self.capacity, nq)), np.empty((self.capacity, nq))
        self._compounds: CompoundTracks = CompoundTracks(joints, self.capacity, of_channel)
        self._cones = cones
        if cones is not None:
            cones.make_room(self.capacity)

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
        self._compounds.release(ends, hulls)
        if hulls.any():
            a, b = ends.poses[1], ends.poses[2]
            lo, hi = np.where(hulls, np.minimum(a, b), lo), np.where(hulls, np.maximum(a, b), hi)
        self._cubics[rows], self._lo[rows], self._hi[rows] = cubics, lo, hi
        if len(self._compounds.joints):
            self._compounds.prepare(rows, ends, slopes, limits, self._angles)
        if self._cones is not None:
            self._cones.prepare(rows, ends.poses[1], ends.poses[2], lambda some, u: self._poses(some, u, u))

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
        found = found if which is not None else found.reshape(*u.shape, -1, 3)
        self._compounds.joints.clear_thirds(found, which)
        return found

    def evaluate(self, numbers: Numbers, u: Array, of_value: Ints) -> Array:
        """Return the poses in spans, shape (m, nq).

        Args:
            numbers: Numbers of spans that are there, shape (m,).
            u: Where in them, 0 to 1, shape (m, w).
            of_value: Column of ``u`` for each value of a pose, shape (nq,).
        """
        rows = numbers % self.capacity
        q = self._poses(rows, u, u if u.shape[1] == 1 else u[:, of_value])
        if self._cones is not None:
            self._cones.evaluate(rows, u, q)
        return q

    def _poses(self, rows: Ints, u: Array, wide: Array) -> Array:
        """Return the poses in spans before cones are looked at; ``wide`` is ``u`` for each value or for all."""
        lo, hi = self._lo[rows], self._hi[rows]
        q = tangents.cubic(self._cubics[rows], wide)
        np.clip(q, lo, hi, out=q)
        if len(self._compounds.joints):
            self._compounds.evaluate(rows, u, q)
            # The blend is as exact as its search; what is left over the limit is too little to see.
            np.clip(q, lo, hi, out=q)
        return q

    def packed(self, rows: Ints, compounds: Ints) -> tuple[tuple[Array, Array], Array, Array, Array]:
        """Return bounds, cubics, arcs and which of these follow angles, of rows, for kernels; see ``Tracks.packed``."""
        return ((self._lo[rows], self._hi[rows]), self._cubics[rows], *self._compounds.packed(rows, compounds))

    def first_columns(self, compounds: Ints) -> Ints:
        """Return where the first angles of compounds stand in a pose, shape (t,)."""
        found: Ints = self._compounds.joints.columns[compounds, 0]
        return found

    def hold(self, numbers: Numbers, q: Array) -> None:
        """Bring poses inside the limits and cones of the spans they are in, shape (m, nq); in place."""
        rows = numbers % self.capacity
        np.clip(q, self._lo[rows], self._hi[rows], out=q)
        if self._cones is not None:
            self._cones.hold(rows, q)


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
    cubics = tangents.hermite(start, end, *by_u, ends.wide(ends.kinds == KINDS[LINEAR]))
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


# A time this close to a key, in frames and relative to the frame's number, is at the key: frame / fps * fps is
# not always the frame again.
_SNAP = 1e-9
_CHUNK = 256

_PLACE = 3  # values of the root's place, which come first in a pose


class Tracks:
    """The curves through the keys of one figure.

    Args:
        skeleton: The figure.
        keys: Keys sorted by frame, at least one.
        before: An earlier version; spans with the same keys around are taken over from it.
        loop: Whether it plays round and round.
        bounded: Whether poses between keys stay inside the limits and cones of the figure, as ``before`` has it; else
            they are offsets, and those of joints with two axes take no arcs.

    Attributes:
        rows: The keys, channel by channel.
    """

    rows: KeyRows
    _store: SpanStore
    _columns: int | None = None  # how many values of a pose are worked out; None for all

    def __init__(
        self,
        skeleton: Skeleton,
        keys: tuple[Key, ...],
        before: Tracks | None = None,
        loop: bool = False,
        bounded: bool = True,
    ):
        if before is not None and before.rows.skeleton is not skeleton:
            before = None
        self.rows = KeyRows(skeleton, keys, before.rows if before is not None else None, loop)
        self.frames = self.rows.frames
        self._numbers = np.full(len(keys), -1, dtype=np.int64)
        arcs = bounded and bool(self.rows.looks.shapes.arcs.any())
        if before is not None and before._store.fits(len(keys)) and before._store.arcs == arcs:
            self._store = before._store
            self._take_over(before)
        else:
            self._store = SpanStore(skeleton, len(keys), arcs=arcs, bounded=bounded)
        self._place: Tracks | None = None

    @property
    def _of_value(self) -> Ints:
        return self.rows.of_value[: self._columns]

    def _take_over(self, before: Tracks) -> None:
        """Take over the spans whose four keys are the same ones."""
        rows, old = self.rows, before.rows
        first, last = rows.kept
        n, m = len(rows.keys), len(old.keys)
        ready = np.flatnonzero(self._store.there(before._numbers))
        # A span lies between two keys that both stand to the left of what has changed, or both to the right.
        ready = ready[(ready + 1 < first) | (ready >= m - last)]
        if not len(ready):
            return
        mine = np.where(ready + 1 < first, ready, ready + n - m)
        same = np.ones(len(ready), dtype=bool)
        for new, was in zip(rows.four(mine), old.four(ready), strict=True):
            # Numbers of the new row as they were in the old one, and other ones for keys that were not there.
            back = np.where(new < first, new, np.where(new >= n - last, new + m - n, -2))
            same &= (back == was).all(axis=1)
        if rows.periodic or old.periodic:
            ends = (first > 0 and last > 0) or first == n == m
            _, start, end, _ = around = rows.four(mine)
            seam = ((around[0] > start) | ((around[3] < end) & (around[3] != NONE))).any(axis=1)
            same &= ~seam | (ends and rows.periodic == old.periodic)
        self._numbers[mine[same]] = before._numbers[ready[same]]

    # -- asking --------------------------------------------------------------------------------------------------

    def pose(self, frame: float) -> Array:
        """Return the pose at a frame number, shape (nq,); a new array."""
        return self.poses_at(np.array([frame]))[0]

    def poses_at(self, frames: Array) -> Array:
        """Return the poses at frame numbers, whole or not, held before the first and after the last key.

        Args:
            frames: Shape (m,).

        Returns:
            Shape (m, nq); a new array. At a key the values that it keys are the key's, bit for bit.
        """
        frames = snapped(frames)
        if len(frames) <= AT_ONCE:
            return self._poses(frames)
        return np.concatenate([self._poses(frames[i : i + AT_ONCE]) for i in range(0, len(frames), AT_ONCE)])

    def places_at(self, frames: Array) -> Array:
        """Return where the root is at frame numbers, ``poses_at(frames)[:, :3]`` without working out the rest.

        Args:
            frames: Shape (m,).

        Returns:
            Shape (m, 3), [m]; a new array.
        """
        if self._place is None:
            self._place = _PlaceTracks(self)
        return self._place.poses_at(frames)

    def packed(self, compounds: Ints) -> tuple[Array, Array, Array, Array, Array]:
        """Return the motion from each key of the figure to the next, and after the last one, for kernels.

        Eases are left out.

        Args:
            compounds: Numbers of the compounds that are wanted, shape (t,).

        Returns:
            Frames at which the motion begins, shape (n,); of the span of each value the frame at which it begins, one
            over its length, 0 where it stands still, and what it stays between, shape (n, 4, nq); its cubic, shape
            (n, 4, nq); the arcs of the compounds, shape (n, t, 14), as ``CompoundTracks.packed`` has them; and
            whether these follow their angles, shape (n, t).
        """
        n = len(self.frames)
        at = np.arange(n)
        start, end = self.rows.spans(at)
        begin, length = self.frames[start], self.frames[end] - self.frames[start]
        wide = self.rows.of_value
        moving = ((length > 0.0) & (self.frames[at][:, None] >= begin))[:, wide]
        spans = np.zeros((n, 4, len(wide)))
        spans[:, 0] = begin[:, wide]
        spans[:, 1] = np.where(moving, 1.0 / np.where(moving, length[:, wide], 1.0), 0.0)
        with np.errstate(over="ignore", invalid="ignore"), self._store.guard:
            rows = self._ready(at) % self._store.capacity
            bounds, cubics, arcs, by_angle = self._store.packed(rows, compounds)
        cubics[:, 0] = np.where(moving, cubics[:, 0], self.rows.poses(start))
        cubics[:, 1:] *= moving[:, None]
        spans[:, 2] = np.where(moving, bounds[0], -np.inf)
        spans[:, 3] = np.where(moving, bounds[1], np.inf)
        still = ~moving[:, self._store.first_columns(compounds)]
        return self.frames, spans, cubics, arcs, np.where(still, 1.0, by_angle)

    @property
    def eased(self) -> bool:
        """Whether a span between two keys has an ease."""
        return bool(self.rows.looks.shapes.eased.any())

    def keys_around(self, first: float, last: float) -> list[Key]:
        """Return the keys that the motion from one frame to another depends on, in order."""
        a, b = self._at(np.array([first, last])).tolist()
        found = np.unique(np.concatenate([index.reshape(-1) for index in self.rows.four(np.arange(a, b + 1))]))
        return [self.rows.keys[i] for i in found.tolist() if i != NONE]

    def _at(self, frames: Array) -> Ints:
        """Return the numbers of the last keys of the figure up to frames, 0 before the first, shape (m,)."""
        at: Ints = np.searchsorted(self.frames, frames, side="right") - 1
        np.clip(at, 0, None, out=at)
        return at

    def _poses(self, frames: Array) -> Array:
        if not len(frames):
            return np.empty((0, len(self._of_value)))
        at = self._at(frames)
        start, end = self.rows.spans(at)
        begin = self.frames[start]
        moving = (start != end) & (frames[:, None] > begin)
        if self.rows.width == 1:
            between = np.flatnonzero(moving[:, 0])
            if len(between) == len(frames):
                return self._between(at, frames, start, end)
            result = self.rows.poses(start, self._columns)
            if len(between):
                result[between] = self._between(at[between], frames[between], start[between], end[between])
            return result
        result = self.rows.poses(start, self._columns)
        between = np.flatnonzero(moving.any(axis=1))
        if len(between):
            found = self._between(at[between], frames[between], start[between], end[between])
            moves = moving[between][:, self._of_value]
            result[between] = np.where(moves, found, result[between])
        return result

    def _between(self, at: Ints, frames: Array, start: Ints, end: Ints) -> Array:
        """Return poses between keys, shape (m, nq); where a channel stands, whatever value."""
        u = self._parts(frames, start, end)
        shapes = self.rows.looks.shapes
        if shapes.eased.any():
            number = self.rows.shape(start)
            some = shapes.eased[number]
            if some.any():
                u = np.where(some, eased(u, shapes.eases[number]), u)
        early, late = u < 0.0, u > 1.0
        beyond = early.any() or late.any()
        parameter = np.where(early, np.minimum(-u, 1.0), np.where(late, np.maximum(2.0 - u, 0.0), u)) if beyond else u
        of_value, columns = self._of_value, self._columns
        with np.errstate(over="ignore", invalid="ignore"), self._store.guard:
            numbers = self._ready(at)
            q = self._store.evaluate(numbers, parameter, of_value)
            if beyond:
                # An ease that steps back, or past the end: the path goes on as its own reflection in the key.
                q = np.where(early[:, of_value], 2.0 * self.rows.poses(start, columns) - q, q)
                q = np.where(late[:, of_value], 2.0 * self.rows.poses(end, columns) - q, q)
                self._store.hold(numbers, q)
        lost = ~np.isfinite(q)
        if lost.any():  # keys near the largest number there is: their differences are none
            q[lost] = self.rows.poses(start, columns)[lost]
        return q

    def _parts(self, frames: Array, start: Ints, end: Ints) -> Array:
        """Return where in the channels' spans frames are, 0 to 1, shape (m, w)."""
        begin = self.frames[start]
        h = self.frames[end] - begin
        if self.rows.width == 1:
            return np.asarray((frames[:, None] - begin) / h)
        still = (h <= 0.0) | (frames[:, None] < begin)
        return np.where(still, 0.0, (frames[:, None] - begin) / np.where(still, 1.0, h))

    def _ready(self, at: Ints) -> NDArray[np.int64]:
        """Return the numbers in the store of the spans after keys, worked out if they were not, shape (m,)."""
        while True:
            numbers = self._numbers[at]
            there = self._store.there(numbers)
            if there.all():
                return numbers
            missing = np.unique(at[~there])
            for first in range(0, len(missing), _CHUNK):
                some = missing[first : first + _CHUNK]
                self._numbers[some] = self._store.put(SpanEnds.of(self.rows, some, self._columns))


class _PlaceTracks(Tracks):
    """The curves of the root's place alone."""

    _columns = _PLACE

    def __init__(self, whole: Tracks):
        self.rows, self.frames = whole.rows, whole.frames
        self._numbers = np.full(len(self.frames), -1, dtype=np.int64)
        self._store = SpanStore(self.rows.skeleton, len(self.frames), _PLACE)


def snapped(frames: Array) -> Array:
    """Return frame numbers with those that are whole but for rounding made whole; shape (m,)."""
    nearest = np.rint(frames)
    return np.where(np.abs(frames - nearest) <= _SNAP * np.maximum(1.0, np.abs(nearest)), nearest, frames)
