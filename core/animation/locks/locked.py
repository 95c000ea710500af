"""The part of a sequence that has to do with locks: which there are, and which are in effect when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableSequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast, overload

import numpy as np
from numpy.typing import NDArray

from core.animation.curves.pacing import shown_frames
from core.animation.curves.tracks import snapped
from core.animation.locks.holding import Holding, Motion
from core.animation.locks.strip import LockStrip, checked_lock, checked_strips
from core.constraints.lock import Lock
from core.errors import SequenceError
from core.skeleton import Skeleton

if TYPE_CHECKING:
    from core.animation.locks.spans import LockSpan
    from core.animation.sequence import Sequence
    from core.constraints.solve_locks import LockResult

Array = NDArray[np.float64]


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


class LockList(MutableSequence[Lock]):
    """The locks of a sequence that hold at all times, checked as they come in."""

    def __init__(self, check: Callable[[object], Lock], changed: Callable[[], None], locks: Iterable[object] = ()):
        self._check, self._changed = check, changed
        self._locks = [check(lock) for lock in locks]

    @overload
    def __getitem__(self, index: int) -> Lock: ...
    @overload
    def __getitem__(self, index: slice) -> list[Lock]: ...
    def __getitem__(self, index: Any) -> Any:
        return self._locks[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._locks[index] = [self._check(lock) for lock in value] if isinstance(index, slice) else self._check(value)
        self._changed()

    def __delitem__(self, index: Any) -> None:
        del self._locks[index]
        self._changed()

    def __len__(self) -> int:
        return len(self._locks)

    def insert(self, index: int, value: Lock) -> None:
        self._locks.insert(index, self._check(value))
        self._changed()

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (list, tuple, LockList)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"LockList({self._locks!r})"


class LockedMotion:
    """What a sequence knows about locks; mixed into ``Sequence``.

    Attributes:
        skeleton: The figure that moves.
        name: Name of the sequence.
    """

    skeleton: Skeleton
    name: str

    def _no_locks(self) -> None:
        """Begin without locks; for the constructor."""
        self._strips: tuple[LockStrip, ...] = ()
        self._locks = LockList(self._checked_lock, self._locks_changed)
        self._holds = True
        self._companions: dict[str, Sequence] = {}
        self._holding: Holding | None = None

    def _checked_lock(self, lock: object) -> Lock:
        return checked_lock(lock, self.skeleton, f'sequence "{self.name}"')

    def _locks_changed(self) -> None:
        """Forget what was worked out with other locks or keys."""
        self._holding = None

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
        self._strips = checked_strips(strips, self.skeleton, f'sequence "{self.name}"')
        self._locks_changed()

    @property
    def locks(self) -> LockList:
        """Locks that hold at all times; a list to change or assign. Each must be bound."""
        return self._locks

    @locks.setter
    def locks(self, locks: Iterable[Lock]) -> None:
        self._locks = LockList(self._checked_lock, self._locks_changed, locks)
        self._locks_changed()

    @property
    def holds(self) -> bool:
        """Whether locks hold in in-betweens: at every time, not only while posing."""
        return self._holds

    @holds.setter
    def holds(self, value: bool) -> None:
        self._holds = bool(value)

    @property
    def companions(self) -> dict[str, Sequence]:
        """Sequences of other figures by the figure's name, for locks that name one; assign a dict to change them."""
        return self._companions

    @companions.setter
    def companions(self, sequences: dict[str, Sequence]) -> None:
        self._companions = dict(sequences)
        self._locks_changed()

    def strip(self, id: str) -> LockStrip:
        """Return the strip with an id.

        Raises:
            SequenceError: If there is none.
        """
        for strip in self._strips:
            if strip.id == id:
                return strip
        raise SequenceError(f'sequence "{self.name}" has no lock strip "{id}"')

    def active_locks(self, frame: float) -> list[ActiveLock]:
        """Return the locks in effect at a frame, whole or not, whether or not they hold in in-betweens.

        Locks without a strip come first, then those of strips in their order, each with its target at the frame.
        """
        always = [ActiveLock(None, lock, 1.0) for lock in self._locks]
        return always + [
            ActiveLock(strip, strip.lock_at(frame), strip.factor_at(frame))
            for strip in self._strips
            if strip.covers(frame)
        ]

    @property
    def held(self) -> bool:
        """Whether there are locks and they hold in in-betweens."""
        return self._holds and bool(self._strips or self._locks)

    # -- poses ---------------------------------------------------------------------------------------------------

    @property
    def holding(self) -> Holding:
        """What holds the locks; made anew when keys or locks have changed."""
        if self._holding is None:
            self._holding = Holding(self._motion(), tuple(self._locks), self._strips)
        return self._holding

    def _motion(self) -> Motion:
        sequence = cast("Sequence", self)
        figures = self._figures_at if self._companions else None
        return Motion(self.skeleton, self._keyed_frames, sequence.interpolated_at_frames, figures, sequence.fps)

    def _keyed_frames(self, joints: tuple[int, ...]) -> Array:
        """Return the frames at which keys of joints are shown, ascending."""
        sequence = cast("Sequence", self)
        frames = [
            shown_frames(sequence.channel_frames(name).astype(np.float64), sequence.timings, name)
            for name in sequence.channels.of_joints(joints)
        ]
        return np.unique(np.concatenate([np.empty(0), *frames]))

    def _figures_at(self, frame: float) -> dict[str, tuple[Skeleton, Array]]:
        time = frame / cast("Sequence", self).fps
        return {name: (other.skeleton, other.pose_for_others(time)) for name, other in self._companions.items()}

    def pose_for_others(self, time: float) -> Array:
        """Return the pose that another figure's locks see, shape (nq,): with its own locks, unless they see others.

        Two figures that hold on to each other would else ask each other for ever.
        """
        sequence = cast("Sequence", self)
        named = [lock.second for lock in (*self._locks, *(strip.lock for strip in self._strips))]
        sees = any(second is not None and second[0] is not None for second in named)
        return sequence.interpolated(time) if sees else sequence.pose_at(time)

    def _held_poses(self, frames: object, poses: Array) -> Array:
        """Return interpolated poses with the locks held."""
        numbers = snapped(np.asarray(frames, dtype=np.float64).reshape(-1))
        return self.holding.held(numbers, poses)

    def lock_report(self, frame: float) -> tuple[list[ActiveLock], LockResult]:
        """Return the locks in effect at a frame and what is left of them in the pose that ``pose_at`` gives there.

        Locks that are coming on count as they are then; one that has not begun to, and one that names a figure that
        is not there, is left out.
        """
        from core.constraints.solve_locks import lock_residuals

        holding = self.holding
        number = float(snapped(np.array([float(frame)]))[0])
        found = holding.locks_at(number)
        always = len(self._locks)
        active = [
            ActiveLock(None if n < always else self._strips[n - always], lock, holding.times.factor(n, number))
            for n, lock in found
        ]
        pose = cast("Sequence", self).poses_at_frames([frame])[0]
        locks = [lock for _, lock in found]
        return active, lock_residuals(self.skeleton, pose, locks, holding.figures(number))

    def lock_spans(
        self, cancelled: Callable[[], bool] = lambda: False, progress: Callable[[float], None] | None = None
    ) -> tuple[LockSpan, ...]:
        """Return the frames at which locks are not held, or make the motion jump; see ``spans.py``."""
        from core.animation.locks.spans import lock_spans

        return lock_spans(cast("Sequence", self), cancelled, progress)
