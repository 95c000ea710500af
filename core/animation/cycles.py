"""Cycles: what a motion does before its first key and after its last one.

A cycle is a map of time outside everything else: a frame beyond the keys is one between them, so many rounds away, and
the whole pose there is taken, locks and all; then the round is put where the last one ended. So a foot that is locked
between the keys stays where it stands in every round, and no target is copied.

With ``g(q)`` the place of a pose's root on the floor, a turn about y and a shift, ``a`` and ``b`` the first and the
last pose and ``a'``, ``b'`` their mirror images, the motion ``G_n`` that carries round ``n`` on is

    "offset":  G_n = (g(b) g(a)^-1)^n
    "mirror":  G_2k = (g(b) g(a')^-1 g(b') g(a)^-1)^k,   G_(2k+1) = G_2k g(b) g(a')^-1

which is all that ``G_n g(first of round n) = G_(n-1) g(last of round n - 1)`` allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np

from core.arrays import Array, Bools
from core.errors import SequenceError
from core.skeleton import Skeleton
from core.skeleton.mirroring.pose_mirror import pose_mirror
from core.skeleton.stance import stance

HOLD, REPEAT, OFFSET, MIRROR = "hold", "repeat", "offset", "mirror"
CYCLES: tuple[str, ...] = (HOLD, REPEAT, OFFSET, MIRROR)
"""What can be before and after the keys: the pose held, the motion again from where it began, the motion again from
where it ended, and that with left and right exchanged in every other round."""

Cycles = tuple[str, str]
NO_CYCLES: Cycles = (HOLD, HOLD)


def checked_cycles(value: object) -> Cycles:
    """Return what is before and after the keys.

    Raises:
        SequenceError: If it is not two of ``CYCLES``.
    """
    if not isinstance(value, tuple | list) or len(value) != 2 or any(each not in CYCLES for each in value):
        raise SequenceError(f"{value!r} are no cycles; two are needed, before and after, of {', '.join(CYCLES)}")
    return (value[0], value[1])


class GroundMotion(NamedTuple):
    """A motion over the floor: turned about y at the origin, then shifted.

    Attributes:
        angle: The turn, [rad].
        x: The shift, [m].
        z: The shift, [m].
    """

    angle: float = 0.0
    x: float = 0.0
    z: float = 0.0

    def then(self, other: GroundMotion) -> GroundMotion:
        """Return this motion after another one: the product with this one at the left."""
        c, s = math.cos(self.angle), math.sin(self.angle)
        x, z = c * other.x + s * other.z + self.x, -s * other.x + c * other.z + self.z
        return GroundMotion(self.angle + other.angle, x, z)

    def moved(self, places: Array) -> Array:
        """Return places moved by it, shape (..., 3), [m]."""
        c, s = math.cos(self.angle), math.sin(self.angle)
        x, y, z = np.moveaxis(places, -1, 0)
        return np.stack([c * x + s * z + self.x, y, -s * x + c * z + self.z], axis=-1)

    def inverse(self) -> GroundMotion:
        """Return the motion that takes it back."""
        c, s = math.cos(self.angle), math.sin(self.angle)
        return GroundMotion(-self.angle, -(c * self.x - s * self.z), -(s * self.x + c * self.z))

    def power(self, n: int) -> Self:
        """Return it so many times over, taken back where ``n`` is negative."""
        made, step = GroundMotion(), self if n >= 0 else self.inverse()
        for bit in bin(abs(n))[2:]:
            made = made.then(made)
            if bit == "1":
                made = made.then(step)
        return type(self)(*made)


class CycledMotion:
    """A motion with what is before and after its keys.

    Args:
        skeleton: The figure.
        cycles: What is before and after.
        first: Frame of the first key.
        last: Frame of the last key, after it.
        poses: Takes frames between them, shape (m,), and returns the poses there, shape (m, nq).
    """

    def __init__(self, skeleton: Skeleton, cycles: Cycles, first: int, last: int, poses: Callable[[Array], Array]):
        self._skeleton, self._cycles, self._poses = skeleton, cycles, poses
        self._first, self._last = first, last
        self._carries: tuple[GroundMotion, GroundMotion, GroundMotion] | None = None

    def beyond(self, frames: Array) -> Bools:
        """Return which frames a cycle is asked for, shape (m,)."""
        before, after = (kind != HOLD for kind in self._cycles)
        found: Bools = (before & (frames < self._first)) | (after & (frames > self._last))
        return found

    def inside(self, frames: Array) -> tuple[Array, Array]:
        """Return the frames between the keys that frames beyond them show, and their rounds, each of shape (m,)."""
        length = float(self._last - self._first)
        rounds = np.floor((frames - self._first) / length)
        there = frames - rounds * length
        return np.clip(there, self._first, self._last), rounds.astype(np.int64)

    def at(self, frames: Array) -> Array:
        """Return the poses at frames, shape (m, nq); those between the keys, and held ones, as they are."""
        beyond = self.beyond(frames)
        if not beyond.any():
            return self._poses(frames)
        there, rounds = self.inside(frames)
        rounds = np.where(beyond, rounds, 0)
        poses = np.array(self._poses(np.where(beyond, there, frames)))
        for n in np.unique(rounds[rounds != 0]).tolist():
            kind, at = self._cycles[n > 0], np.flatnonzero(rounds == n)
            if kind == MIRROR and n % 2:
                poses[at] = pose_mirror(self._skeleton).convert(poses[at])
            if kind != REPEAT:
                poses[at] = stance(self._skeleton).moved(poses[at], *self.carried(kind, n))
        return poses

    def carried(self, kind: str, n: int) -> GroundMotion:
        """Return the motion over the floor that a round is carried on by."""
        if self._carries is None:
            ends = self._poses(np.array([self._first, self._last], dtype=np.float64))
            mirrored = pose_mirror(self._skeleton).convert(ends)
            place = stance(self._skeleton).ground_place
            a, b, a2, b2 = (GroundMotion(*place(q)) for q in (*ends, *mirrored))
            half = b.then(a2.inverse())
            self._carries = b.then(a.inverse()), half, half.then(b2.then(a.inverse()))
        once, half, twice = self._carries
        if kind == OFFSET:
            return once.power(n)
        whole = twice.power(n // 2)
        return whole.then(half) if n % 2 else whole

    def jump(self, points: Callable[[Array], Array]) -> float:
        """Return how far any point of the figure is from where it was as a round begins, the worst of both ends, [m].

        Args:
            points: Takes poses, shape (m, nq), and returns places of points, shape (m, k, 3).
        """
        found, length = 0.0, self._last - self._first
        ends = self._poses(np.array([self._first, self._last], dtype=np.float64))
        for kind, n in zip(self._cycles, (-1, 1), strict=True):
            if kind == HOLD:
                continue
            # The other end of the next round, shown where this round ends.
            other, here = (ends[1:], ends[:1]) if n < 0 else (ends[:1], ends[1:])
            if kind == MIRROR:
                other = pose_mirror(self._skeleton).convert(other)
            if kind != REPEAT:
                other = stance(self._skeleton).moved(other, *self.carried(kind, n))
            away = points(np.concatenate((here, other)))
            found = max(found, float(np.linalg.norm(away[1] - away[0], axis=-1).max()))
        return found if length > 0 else 0.0
