"""Which locks of a sequence are in effect when, how far they have come on, and where they want their parts.

How far a part is off is measured in coordinates in which half the way is half the number; see ``away``. A kind of lock
that is not listed here eases by its place and rotation as ``Kind.deviation`` has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.animation.locks.strip import LockStrip
from core.arrays import Array, Ints
from core.constraints.lock import Lock
from core.constraints.places import Places
from core.spatial import so3

_SHORTEST = 1e-9  # a distance of nothing is no distance


def away(lock: Lock, places: Places) -> Array:
    """Return how far a part is from where a bound lock wants it, shape (6,), world: way [m] and rotation vector [rad].

    Of an aim it is the rotation from the wanted axis to the one that points at the other part, in the part's frame.
    """
    deviation = lock.rule.deviation(lock, places)
    offset = np.zeros(6)
    if deviation.position is not None:
        offset[:3] = deviation.position
    if deviation.rotation is not None:
        offset[3:] = deviation.rotation
    if lock.kind == "aim":
        # The deviation turns the line of sight to the axis; the target is the axis, expressed in the part's frame.
        offset[3:] = -(places.rotation(lock.joint).T @ offset[3:])
    elif lock.kind == "distance":
        now = float(lock.rule.target_at(lock, places))
        offset[:3] = now - lock.target, 0.0, 0.0
    return offset


def eased(lock: Lock, deviation: Array) -> Any:
    """Return the target that lies a part of the way off what a bound lock wants: ``away`` times 1 less the factor.

    Args:
        lock: The lock.
        deviation: As from ``away``, made shorter, shape (6,).
    """
    target, place, turn = lock.target, deviation[:3], deviation[3:]
    if lock.kind in ("position", "point_pair"):
        return (np.zeros(3) if target is None else target) + place
    if lock.kind == "orientation":
        return so3.exp(turn) @ target
    if lock.kind == "pose":
        pose = target.copy()
        pose[:3, :3] = so3.exp(turn) @ target[:3, :3]
        pose[:3, 3] += place
        return pose
    if lock.kind == "plane":
        return np.append(target[:3], target[3] + target[:3] @ place)
    if lock.kind == "line":
        return np.stack((target[0] + place, target[1]))
    if lock.kind == "distance":
        return max(float(target + place[0]), _SHORTEST)
    if lock.kind == "aim":
        return so3.exp(turn) @ target
    motion = np.eye(4)
    motion[:3, :3], motion[:3, 3] = so3.exp(turn), place
    return lock.rule.moved_target(target, motion)


OFF, EASED, FULL = 0, 1, 2
"""A lock that is off, one that is coming on or going off, and one that is kept in full."""


class LockTimes:
    """The locks of a sequence over time, by number: first those that hold at all times, then those of strips.

    Args:
        locks: Locks that hold at all times.
        strips: Lock strips.
        figures: Whether other figures are there for locks to name; else such locks are off.

    Attributes:
        strips: The strips.
        always: How many locks hold at all times.
        locks: All locks, the strip's weight in each.
        elsewhere: Which name another figure, shape (k,).
        start: First frames of the strips, shape (number of strips,).
        end: Their last moments.
    """

    def __init__(self, locks: tuple[Lock, ...], strips: tuple[LockStrip, ...], figures: bool):
        self.strips = strips
        self.always = len(locks)
        self.locks = (*locks, *(strip.weighted(strip.lock) for strip in strips))
        given = [lock.second is not None and lock.second[0] is not None for lock in self.locks]
        self.elsewhere = np.array(given, dtype=bool)
        nothing = np.array([max(lock.weights) <= 0.0 for lock in self.locks], dtype=bool)
        self._silent = (self.elsewhere & (not figures)) | nothing
        self.start = np.array([strip.start for strip in strips], dtype=np.float64)
        self.end = np.array([_last_moment(strip, strips) for strip in strips], dtype=np.float64)
        eases = np.array([strip.eases for strip in strips]).reshape(-1, 2)
        self._full = self.start + eases[:, 0], self.end - eases[:, 1]

    def states(self, frames: Array) -> NDArray[np.int8]:
        """Return for each frame and lock whether it is off, eased or full, shape (m, number of locks)."""
        at = frames[:, None]
        found = np.full((len(frames), len(self.locks)), FULL, dtype=np.int8)
        strips = found[:, self.always :]
        strips[(at < self._full[0]) | (at > self._full[1])] = EASED
        # With an ease nothing of the lock is on at its very ends.
        started = (at > self.start) | ((at == self.start) & (self._full[0] == self.start))
        ended = (at > self.end) | ((at == self.end) & (self._full[1] < self.end))
        strips[~started | ended] = OFF
        found[:, self._silent] = OFF
        return found

    def target(self, number: int, frame: float) -> Any:
        """Return the target of a lock at a frame."""
        if number < self.always:
            return self.locks[number].target
        return self.strips[number - self.always].target_at(frame)

    def keyed(self, number: int) -> bool:
        """Return whether a lock has a target that moves."""
        return number >= self.always and len(self.strips[number - self.always].targets) > 1

    def lock(self, number: int, frame: float) -> Lock:
        """Return a lock with its target at a frame."""
        lock = self.locks[number]
        target = self.target(number, frame)
        return lock if target is lock.target else replace(lock, target=target)

    def factor(self, number: int, frame: float) -> float:
        """Return how far a lock has come on at a frame."""
        return 1.0 if number < self.always else self.strips[number - self.always].factor_at(frame)


def _last_moment(strip: LockStrip, strips: tuple[LockStrip, ...]) -> float:
    """Return the last moment a strip is on: its end, or just before one of the same lock goes on a frame later.

    So the halves of a strip that was split hold between the frames of the cut, too.
    """
    if strip.end is None:
        return float("inf")
    for other in strips:
        same = other.lock.joint == strip.lock.joint and other.lock.kind == strip.lock.kind
        if same and other.start == strip.end + 1 and other.eases[0] == 0.0 and strip.eases[1] == 0.0:
            return float(np.nextafter(other.start, -np.inf))
    return float(strip.end)


def groups(states: NDArray[np.int8]) -> Iterator[tuple[NDArray[np.int8], Ints]]:
    """Return each row of states that occurs with where it does, leaving out where all are off."""
    if len(states) == 1:
        yield states[0], np.zeros(1, dtype=np.intp)
        return
    kinds, which = np.unique(states, axis=0, return_inverse=True)
    for k, state in enumerate(kinds):
        if state.any():
            yield state, np.flatnonzero(which.reshape(-1) == k)
