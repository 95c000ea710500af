"""Everything between the keys: which span a time falls in, and the pose there.

The data of a span depend on the two keys at its ends and on one key either side; they are worked out when the span
is first asked for, all wanted spans in one go, and carried over to the next version of the row of keys where those
four keys are the same objects.

A row that plays round and round and ends in the pose it begins with, but for where the root stands, has no ends: the
key before the first one is the last but one, a round's way back, so that the motion goes through the seam as it goes
through every other key.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.animation import interpolation
from core.animation.compound_joints import CompoundJoints
from core.animation.compound_tracks import CompoundTracks
from core.animation.key import LINEAR, Key
from core.skeleton import Skeleton

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

# A time this close to a key, in frames and relative to the frame's number, is at the key: frame / fps * fps is
# not always the frame again.
_SNAP = 1e-9
_CHUNK = 256
# Values this close, [rad] or [m], are the same pose at either end of a round.
_SAME = 1e-9


class Tracks:
    """The curves through one row of keys of one skeleton.

    Args:
        skeleton: The figure.
        keys: Keys sorted by frame, at least one.
        before: An earlier version; spans with the same four keys are taken over from it.
        loop: Whether it plays round and round.
    """

    def __init__(self, skeleton: Skeleton, keys: tuple[Key, ...], before: Tracks | None = None, loop: bool = False):
        self.skeleton = skeleton
        self.keys = keys
        n, spans = len(keys), max(len(keys) - 1, 0)
        self.frames = np.array([key.frame for key in keys], dtype=np.float64)
        self.poses = np.array([key.q for key in keys]).reshape(n, skeleton.nq)
        self.linear = np.array([key.interp == LINEAR for key in keys])
        self.turns = np.array([key.turns for key in keys])
        with np.errstate(over="ignore"):
            self.periodic = loop and n > 2 and same_pose(self.poses[0], self.poses[-1])
            self._near_frames, self._near_poses = self._with_neighbours()
        self._limits = _pose_limits(skeleton)
        self._ready = np.zeros(spans, dtype=bool)
        self._cubics = np.empty((spans, 4, skeleton.nq))
        self._lo = np.empty((spans, skeleton.nq))
        self._hi = np.empty((spans, skeleton.nq))
        joints: CompoundJoints = before._compounds.joints if before is not None else CompoundJoints(skeleton)
        self._compounds: CompoundTracks = CompoundTracks(joints, spans)
        if before is not None:
            self._take_over(before)

    def _with_neighbours(self) -> tuple[Array, Array]:
        """Return frames and poses with one more before the first and after the last: what the ends look like."""
        frames, poses = np.pad(self.frames, 1, mode="edge"), np.pad(self.poses, ((1, 1), (0, 0)), mode="edge")
        if self.periodic:
            length, way = frames[-1] - frames[0], self.poses[-1, :3] - self.poses[0, :3]
            frames[0], frames[-1] = self.frames[-2] - length, self.frames[1] + length
            poses[0], poses[-1] = self.poses[-2], self.poses[1]
            poses[0, :3] -= way
            poses[-1, :3] += way
        return frames, poses

    def _take_over(self, before: Tracks) -> None:
        old = {before._neighbours(i): i for i in np.flatnonzero(before._ready).tolist()}
        if not old:
            return
        pairs = [(i, old[names]) for i in range(len(self._ready)) if (names := self._neighbours(i)) in old]
        if pairs:
            new, kept = np.array(pairs).T
            for mine, theirs in zip(self._arrays(), before._arrays(), strict=True):
                mine[new] = theirs[kept]
            self._ready[new] = True

    def _arrays(self) -> tuple[Array, ...]:
        return self._cubics, self._lo, self._hi, *self._compounds.arrays()

    def _neighbours(self, span: int) -> tuple[int, ...]:
        # Both rows of keys are alive while this is used, so that an id names one key.
        keys = self.keys
        first = id(keys[span - 1]) if span > 0 else 0
        last = id(keys[span + 2]) if span + 2 < len(keys) else 0
        seam = (keys[0], keys[1], keys[-2], keys[-1]) if self.periodic and not (first and last) else ()
        return first, id(keys[span]), id(keys[span + 1]), last, *map(id, seam)

    # -- asking --------------------------------------------------------------------------------------------------

    def pose(self, frame: float) -> Array:
        """Return the pose at a frame number, shape (nq,); a new array."""
        return self.poses_at(np.array([frame]))[0]

    def poses_at(self, frames: Array) -> Array:
        """Return the poses at frame numbers, whole or not, held before the first and after the last key.

        Args:
            frames: Shape (m,).

        Returns:
            Shape (m, nq); a new array. At a key it is the key's pose, bit for bit.
        """
        frames = snapped(frames)
        at = np.searchsorted(self.frames, frames, side="right") - 1
        np.clip(at, 0, None, out=at)
        result = self.poses[at]
        between = np.flatnonzero((frames > self.frames[at]) & (at < len(self.keys) - 1))
        if len(between):
            spans = at[between]
            self._ensure(spans)
            h = self.frames[spans + 1] - self.frames[spans]
            with np.errstate(over="ignore", invalid="ignore"):
                result[between] = self._evaluate(spans, (frames[between] - self.frames[spans]) / h)
        return result

    def _evaluate(self, spans: Ints, u: Array) -> Array:
        q = self._by_angle(spans, u)
        if len(self._compounds.joints):
            self._compounds.evaluate(spans, u, q)
            # The blend is as exact as its search; what is left over the limit is too little to see.
            np.clip(q, self._lo[spans], self._hi[spans], out=q)
        lost = ~np.isfinite(q)
        if lost.any():  # keys near the largest number there is: their differences are none
            q[lost] = self.poses[spans][lost]
        return q

    def _by_angle(self, spans: Ints, u: Array) -> Array:
        q = interpolation.cubic(self._cubics[spans], u[:, None])
        return np.clip(q, self._lo[spans], self._hi[spans])

    # -- preparing -----------------------------------------------------------------------------------------------

    def _ensure(self, spans: Ints) -> None:
        missing = spans[~self._ready[spans]]
        if len(missing):
            missing = np.unique(missing)
            with np.errstate(over="ignore", invalid="ignore"):
                for start in range(0, len(missing), _CHUNK):
                    self._prepare(missing[start : start + _CHUNK])

    def _prepare(self, spans: Ints) -> None:
        start, end = self.poses[spans], self.poses[spans + 1]
        limits = self._span_limits(spans)
        self._lo[spans], self._hi[spans] = limits
        h = (self.frames[spans + 1] - self.frames[spans])[:, None]
        linear = self.linear[spans]
        slopes = self._slopes(spans), self._slopes(spans + 1)
        self._cubics[spans] = interpolation.hermite(start, end, slopes[0] * h, slopes[1] * h, linear)
        if len(self._compounds.joints):
            tangents = (
                self._tangents(spans, slopes[0]) * h[..., None],
                self._tangents(spans + 1, slopes[1]) * h[..., None],
            )
            angled = self._compounds.by_angle(start, end, self.turns[spans])
            self._compounds.prepare(spans, start, end, tangents, linear, angled, limits, self._by_angle)
        self._ready[spans] = True

    def _span_limits(self, spans: Ints) -> tuple[Array, Array]:
        # Keys may lie outside the limits (an imported motion does); their span then gives way just far enough.
        start, end = self.poses[spans], self.poses[spans + 1]
        return np.minimum(self._limits[0], np.minimum(start, end)), np.maximum(self._limits[1], np.maximum(start, end))

    def _around(self, at: Ints) -> tuple[tuple[Array, Array, Array], Array, Array]:
        """Return the poses before, at and after the keys at ``at``, and the lengths of the spans either side."""
        poses = self._near_poses[at], self.poses[at], self._near_poses[at + 2]
        return poses, self.frames[at] - self._near_frames[at], self._near_frames[at + 2] - self.frames[at]

    def _spans_at(self, at: Ints) -> tuple[Ints, Ints]:
        """Return the spans that end and begin at keys; where there is none, some other span."""
        spans = max(len(self.keys) - 1, 1)
        return (at - 1) % spans, at % spans

    def _slopes(self, at: Ints) -> Array:
        """Return the slopes per frame of all columns at keys, kept gentle enough for the limits, shape (n, nq)."""
        poses, h_in, h_out = self._around(at)
        slopes = interpolation.key_slopes(*poses, h_in, h_out)
        ending, beginning = self._spans_at(at)
        lo_in, hi_in = self._span_limits(ending)
        lo_out, hi_out = self._span_limits(beginning)
        return interpolation.bounded_slopes(slopes, self.poses[at], h_in, h_out, lo_in, hi_in, lo_out, hi_out)

    def _tangents(self, at: Ints, slopes: Array) -> Array:
        """Return the half angular velocities of the compounds at keys, per frame, shape (n, c, 3)."""
        poses, h_in, h_out = self._around(at)
        ending, beginning = self._spans_at(at)
        angled = self._compounds.by_angle(poses[0], poses[1], self.turns[ending] & (h_in > 0.0))
        angled |= self._compounds.by_angle(poses[1], poses[2], self.turns[beginning] & (h_out > 0.0))
        return self._compounds.tangents(poses, h_in, h_out, slopes, angled)


def snapped(frames: Array) -> Array:
    """Return frame numbers with those that are whole but for rounding made whole; shape (m,)."""
    nearest = np.rint(frames)
    return np.where(np.abs(frames - nearest) <= _SNAP * np.maximum(1.0, np.abs(nearest)), nearest, frames)


def same_pose(a: Array, b: Array) -> bool:
    """Return whether two poses are the same but for where the root stands."""
    return bool((np.abs(a - b)[3:] <= _SAME).all())


def _pose_limits(skeleton: Skeleton) -> tuple[Array, Array]:
    lo = np.full(skeleton.nq, -np.inf)
    hi = np.full(skeleton.nq, np.inf)
    lo[3:], hi[3:] = skeleton.limits[:, 0], skeleton.limits[:, 1]
    return lo, hi
