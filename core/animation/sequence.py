"""A sequence: key poses of one figure over time, and the motion between them (Welman 1993, section 6.1.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.animation import editing
from core.animation.curves.pacing import paced_places, paced_poses
from core.animation.curves.timed import TimedMotion
from core.animation.curves.tracks import Tracks, same_pose, snapped
from core.animation.hybrid.hybrid_motion import HybridMotion
from core.animation.key import Key, check_frame
from core.animation.keyed import KeyedMotion
from core.animation.locks.locked import LockedMotion
from core.errors import SequenceError
from core.skeleton import Skeleton

Array = NDArray[np.float64]


class Sequence(KeyedMotion, TimedMotion, LockedMotion, HybridMotion):
    """Keys at whole frames, and a pose at every time.

    Compound joints with three independent axes interpolate as one rotation, everything else value by value;
    see ``core.animation.curves.tracks``. Every edit checks first and then happens whole, or raises and changes nothing.

    Args:
        skeleton: The figure that moves.
        fps: Frames a second.
        name: What the library and the title bar call it.
        first: First frame of the range that plays.
        last: Last frame of it; None for the last key's.
        menu: Name of the library's menu it is kept in, or None.
        loop: Whether it plays round and round.
        keys: Keys to begin with, in any order.

    Attributes:
        skeleton: The figure that moves.
        name: Name of the sequence.
        menu: Name of its menu, or None.
        script: Script, as the file's record.
        audio: Music, as the file's record: ``{"file": ..., "offset": [s], "beats": [[s], ...]}``, or None.
        extra: Members of the file's record that this version does not know; kept and written back.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        fps: float = 30,
        name: str = "Untitled",
        first: int = 0,
        last: int | None = None,
        menu: str | None = None,
        loop: bool = False,
        keys: Iterable[Key] = (),
    ):
        self.skeleton = skeleton
        self.name = name
        self._no_locks()
        self._no_hybrids()
        self._no_timings()
        self._no_keys()
        self.menu = menu
        self.script: Any = None
        self.audio: Any = None
        self.extra: dict[str, Any] = {}
        self._tracks: Tracks | None = None
        self._stale: Tracks | None = None
        self._loop = bool(loop)
        self.fps = fps
        self.set_range(first, last)
        self.set_keys(keys)

    # -- time ----------------------------------------------------------------------------------------------------

    @property
    def fps(self) -> float:
        """Frames a second; setting it keeps every key on its frame."""
        return self._fps

    @fps.setter
    def fps(self, value: float) -> None:
        number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if not number or not (math.isfinite(value) and value > 0.0):
            raise SequenceError(f"{value!r} frames per second make no sense; it must be a positive number")
        self._fps: float = value if isinstance(value, (int, float)) else value.item()
        self._locks_changed()  # how fast is too fast counts in seconds

    @property
    def range(self) -> tuple[int, int]:
        """First and last frame of the range that plays.

        Without an end of its own it ends at the last key, or where the last lock strip ends or moves its target for
        the last time, or the last hybrid strip ends: locks alone can make a motion, and so can forces.
        """
        if self._last is not None:
            return self._first, self._last
        ends = [strip.end for strip in self._strips if strip.end is not None]
        ends += [strip.targets[-1].frame for strip in self._strips if strip.targets]
        ends += [strip.end for strip in self._hybrids if strip.end is not None]
        return self._first, max(self._first, self._keys[-1].frame if self._keys else 0, *ends)

    @range.setter
    def range(self, value: tuple[int, int | None]) -> None:
        self.set_range(*value)

    @property
    def ends_with_last_key(self) -> bool:
        """Whether the range has no end of its own."""
        return self._last is None

    def set_range(self, first: int, last: int | None = None) -> None:
        """Set the range that plays; ``last`` None lets it end at the last key, wherever that is.

        Raises:
            SequenceError: If an end is no frame or the range runs backwards.
        """
        if last is None:
            self._first, self._last = check_frame(first), None
        else:
            self._first, self._last = editing.checked_range(first, last)

    @property
    def loop(self) -> bool:
        """Whether it plays round and round: then, if it ends in the pose it begins with, it does so without a jerk."""
        return self._loop

    @loop.setter
    def loop(self, value: bool) -> None:
        if bool(value) != self._loop:
            self._loop = bool(value)
            self._replace(self._keys)

    @property
    def closes(self) -> bool:
        """Whether it plays round and round and the range ends in the pose it begins with, wherever the root stands.

        Then the last frame of a round is the first of the next.
        """
        first, last = self.range
        return self._loop and first < last and same_pose(*self.poses_at_frames([first, last]))

    @property
    def duration(self) -> float:
        """Length of the range that plays, [s]."""
        first, last = self.range
        return (last - first) / self._fps

    def _replace(self, keys: tuple[Key, ...]) -> None:
        self._keys, self._frames = keys, None
        if self._tracks is not None:
            self._stale, self._tracks = self._tracks, None
        self._locks_changed()

    def _timings_changed(self) -> None:
        self._replace(self._keys)

    # -- poses ---------------------------------------------------------------------------------------------------

    def pose_at(self, time: float) -> Array:
        """Return the pose at a time, locks applied; held before the first and after the last key.

        Args:
            time: [s]; ``frame / fps``.

        Returns:
            Shape (nq,); a new array. At a key that holds its locks it is the key's pose, bit for bit. Without keys,
            the rest pose.

        Raises:
            SequenceError: If the time is not finite.
        """
        return self.poses([time])[0]

    def interpolated(self, time: float) -> Array:
        """Return the pose at a time without locks, shape (nq,); see ``pose_at``."""
        return self.interpolated_at_frames(np.asarray([time], dtype=np.float64) * self._fps)[0]

    def poses(self, times: object) -> Array:
        """Return the poses at many times, shape (m, nq); see ``pose_at``.

        Args:
            times: Shape (m,), [s].

        Raises:
            SequenceError: If a time is not finite.
        """
        return self.poses_at_frames(np.asarray(times, dtype=np.float64) * self._fps)

    def pose_at_frame(self, frame: float) -> Array:
        """Return the pose at a frame number, whole or not, shape (nq,); see ``pose_at``."""
        return self.poses_at_frames([frame])[0]

    def poses_at_frames(self, frames: object) -> Array:
        """Return the poses at many frame numbers, whole or not, shape (m, nq); see ``pose_at``."""
        poses = self.interpolated_at_frames(frames)
        return self._held_poses(frames, poses) if self.held else poses

    def interpolated_at_frames(self, frames: object) -> Array:
        """Return the poses at many frame numbers without locks, shape (m, nq); see ``pose_at``."""
        numbers = self._numbers(frames)
        if not self._keys:
            return np.tile(self.skeleton.rest_pose(), (len(numbers), 1))
        return paced_poses(self.tracks, numbers, self._timings, self._root_speed)

    def root_places(self, frames: object) -> Array:
        """Return the root's three translations at many frame numbers, ``poses_at_frames(frames)[:, :3]``, [m].

        Whole poses are worked out only where locks are in effect: for dense keys a hundred times as quick.
        """
        numbers = self._numbers(frames)
        if not self._keys:
            return np.zeros((len(numbers), 3)) + self.skeleton.rest_pose()[:3]
        places = paced_places(self.tracks, numbers, self._timings, self._root_speed)
        if self.held:
            held = self.holding.times.states(snapped(numbers)).any(axis=1)
            if held.any():
                places[held] = self.poses_at_frames(numbers[held])[:, :3]
        return places

    def path_poses(self, frames: object) -> Array:
        """Return the poses at many frames of the path, shape (m, nq): timings, the root's speed, locks do not count."""
        numbers = self._numbers(frames)
        return self.tracks.poses_at(numbers) if self._keys else np.tile(self.skeleton.rest_pose(), (len(numbers), 1))

    @staticmethod
    def _numbers(frames: object) -> Array:
        numbers = np.asarray(frames, dtype=np.float64).reshape(-1)
        if not np.isfinite(numbers).all():
            raise SequenceError("a time that is not finite has no pose")
        return numbers

    @property
    def tracks(self) -> Tracks:
        """The curves through the keys, of which there must be one; made anew when keys have changed."""
        if self._tracks is None:
            self._tracks, self._stale = Tracks(self.skeleton, self._keys, self._stale, self._loop), None
        return self._tracks

    def __repr__(self) -> str:
        return f"Sequence({self.name!r}, {len(self._keys)} keys, {self._fps:g} fps, figure {self.skeleton.name!r})"
