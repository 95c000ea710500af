"""The locks of a sequence: which there are, which are in effect when, and the poses that hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableSequence
from typing import Any, NamedTuple, overload

import numpy as np

from core.animation.curves.tracks import snapped
from core.animation.locks.holding import Holding
from core.animation.locks.strip import STRIP_MARK, LockStrip, checked_lock, checked_strips
from core.arrays import Array
from core.constraints.lock import Lock
from core.constraints.lock_result import LockResult
from core.constraints.solve_locks import lock_residuals
from core.errors import SequenceError
from core.skeleton import Skeleton


class ActiveLock(NamedTuple):
    """A lock in effect at a frame.

    Attributes:
        strip: The strip it comes from; None for a lock that holds at all times.
        lock: The lock as it is at the frame: its target, the strip's weight in its own.
        factor: How far it has come on, 0 to 1; see ``LockStrip``.
    """

    strip: LockStrip | None
    lock: Lock
    factor: float


class SequenceLocks(MutableSequence[Lock]):
    """Locks of a sequence: a list of those that hold at all times, and strips of those that hold for a while.

    All are checked as they come in, and must be bound.

    Args:
        skeleton: The figure.
        where: Gives what messages call the sequence.
        holding: Makes what holds the locks as they are.

    Attributes:
        shared: Whether locks of other figures may move this one.
        edition: Another number after each change of the locks or of what they hold on to.
        contents: Another number after each change of the locks.
    """

    __slots__ = (
        "_always",
        "_holding",
        "_holds",
        "_make",
        "_skeleton",
        "_strips",
        "_where",
        "contents",
        "edition",
        "shared",
    )

    def __init__(self, skeleton: Skeleton, where: Callable[[], str], holding: Callable[[], Holding]):
        self._skeleton, self._where, self._make = skeleton, where, holding
        self.shared, self.edition, self.contents = False, 0, 0
        self._always: list[Lock] = []
        self._strips: tuple[LockStrip, ...] = ()
        self._holds = True
        self._holding: Holding | None = None

    def forget(self) -> None:
        """Forget what was worked out with another motion."""
        self._holding = None
        self.edition += 1

    def _changed(self) -> None:
        """Forget what was worked out with other locks."""
        self.contents += 1
        self.forget()

    # -- locks that hold at all times ----------------------------------------------------------------------------

    def _checked(self, lock: object) -> Lock:
        return checked_lock(lock, self._skeleton, self._where())

    @overload
    def __getitem__(self, index: int) -> Lock: ...
    @overload
    def __getitem__(self, index: slice) -> list[Lock]: ...
    def __getitem__(self, index: Any) -> Any:
        return self._always[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        several = isinstance(index, slice)
        self._always[index] = [self._checked(lock) for lock in value] if several else self._checked(value)
        self._changed()

    def __delitem__(self, index: Any) -> None:
        del self._always[index]
        self._changed()

    def __len__(self) -> int:
        return len(self._always)

    def insert(self, index: int, value: Lock) -> None:
        self._always.insert(index, self._checked(value))
        self._changed()

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (list, tuple, SequenceLocks)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"SequenceLocks({self._always!r}, {len(self._strips)} strips)"

    # -- strips --------------------------------------------------------------------------------------------------

    @property
    def strips(self) -> tuple[LockStrip, ...]:
        """Lock strips, in the order of the lock list; assign other ones to change them.

        Raises:
            SequenceError: On assigning what is no strip, a lock without a target, a joint that is not there, or two
                strips with the same id.
        """
        return self._strips

    @strips.setter
    def strips(self, strips: Iterable[LockStrip]) -> None:
        self._strips = checked_strips(strips, self._skeleton, self._where())
        self._changed()

    def strip(self, id: str) -> LockStrip:
        """Return the strip with an id.

        Raises:
            SequenceError: If there is none.
        """
        for strip in self._strips:
            if strip.id == id:
                return strip
        raise SequenceError(f'{self._where()} has no lock strip "{id}"')

    @property
    def all(self) -> list[Lock]:
        """Locks that hold at all times, then those of strips, in their order: as residuals and factors count them."""
        return [*self._always, *(strip.lock for strip in self._strips)]

    @property
    def holds(self) -> bool:
        """Whether locks hold in in-betweens: at every time, not only while posing."""
        return self._holds

    @holds.setter
    def holds(self, value: bool) -> None:
        if bool(value) != self._holds:
            self._holds = bool(value)
            self._changed()

    @property
    def in_effect(self) -> bool:
        """Whether there are locks and they hold in in-betweens."""
        return self._holds and bool(self._strips or self._always)

    def active(self, frame: float) -> list[ActiveLock]:
        """Return the locks in effect at a frame, whole or not, whether or not they hold in in-betweens.

        Locks without a strip come first, then those of strips in their order, each with its target at the frame.
        """
        always = [ActiveLock(None, lock, 1.0) for lock in self._always]
        return always + [
            ActiveLock(strip, strip.lock_at(frame), strip.factor_at(frame))
            for strip in self._strips
            if strip.covers(frame)
        ]

    @property
    def made_by_rules(self) -> bool:
        """Whether all of them are strips that rules made together with the keys."""
        return not self._always and all(strip.id.startswith(STRIP_MARK) for strip in self._strips)

    @property
    def name_other_figures(self) -> bool:
        """Whether one of them holds on to another figure."""
        return any(lock.figures for lock in self.all)

    # -- poses ---------------------------------------------------------------------------------------------------

    @property
    def holding(self) -> Holding:
        """What holds the locks; made anew when the motion or the locks have changed."""
        if self._holding is None:
            self._holding = self._make()
        return self._holding

    def held(self, frames: object, poses: Array) -> Array:
        """Return poses with the locks held; the same if they do not hold in in-betweens.

        Args:
            frames: Frame numbers, whole or not, shape (m,).
            poses: The interpolated poses there, shape (m, nq), [m] and [rad].
        """
        if not (self.in_effect or self.shared):
            return poses
        return self.holding.held(snapped(np.asarray(frames, dtype=np.float64).reshape(-1)), poses)

    def report(self, frame: float) -> tuple[list[ActiveLock], LockResult]:
        """Return the locks in effect at a frame and what is left of them in the pose that the sequence has there.

        Locks that are coming on count as they are then; one that has not begun to, and one that names a figure that
        is not there, is left out.
        """
        holding = self.holding
        numbers = snapped(np.array([float(frame)]))
        number = float(numbers[0])
        found = holding.locks_at(number)
        always = len(self._always)
        active = [
            ActiveLock(None if n < always else self._strips[n - always], lock, holding.times.factor(n, number))
            for n, lock in found
        ]
        pose = self.held(numbers, holding.motion.poses(np.array([float(frame)])))[0]
        locks = [lock for _, lock in found]
        return active, lock_residuals(self._skeleton, pose, locks, holding.figures(number))
