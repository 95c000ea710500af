"""The stretch of a sequence that is cleaned: its samples, frame by frame, and its keys with what was made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.animation.channels import channels_of
from core.animation.cleaning.signals import Signal, signals_of, with_signal
from core.animation.editing import checked_range
from core.animation.key import Key
from core.animation.key_parts import bent, held
from core.animation.layers.offsets import kept_inside
from core.animation.sequence import Sequence
from core.arrays import Array, Bools
from core.errors import SequenceError

FEWEST = 5
"""So many frames a stretch must have: fewer say nothing about what is usual."""
MOST = 1_000_000
"""So many frames a stretch may have."""

_ROUNDING = 1e-12  # what a signal that rests comes back with from a filter


def checked_stretch(sequence: Sequence, first: int, last: int) -> tuple[int, int]:
    """Return the frames of a stretch that can be cleaned.

    Raises:
        SequenceError: If an end is no frame, the range runs backwards, is too short or too long, or there are no keys.
    """
    first, last = checked_range(first, last)
    frames = last - first + 1
    if not sequence.keys:
        raise SequenceError(f'sequence "{sequence.name}" has no keys; there is nothing to clean')
    if frames < FEWEST:
        raise SequenceError(f"frames {first} to {last} are {frames}; at least {FEWEST} are needed")
    if frames > MOST:
        raise SequenceError(f"frames {first} to {last} are {frames}; {MOST} are the most")
    return first, last


@dataclass(frozen=True, eq=False)
class Samples:
    """What the keys of a sequence say at every frame of a stretch, without layers and locks.

    Attributes:
        sequence: The sequence.
        first: First frame.
        poses: Shape (m, nq).
        signals: Its signals, those of the channels that are looked at.
    """

    sequence: Sequence
    first: int
    poses: Array
    signals: list[Signal]

    @classmethod
    def of(cls, sequence: Sequence, first: int, last: int, channels: frozenset[str] | None = None) -> Samples:
        """Sample a stretch.

        Args:
            sequence: The sequence; it does not change.
            first: First frame.
            last: Last frame.
            channels: Names of the channels that are looked at; None for all.

        Raises:
            SequenceError: If an end is no frame, the range runs backwards, is too short or too long, or there are no
                keys.
            JointError: If the figure has no such channel.
        """
        first, last = checked_stretch(sequence, first, last)
        names = None if channels is None else channels_of(sequence.skeleton).checked(channels)
        poses = sequence.base_at_frames(np.arange(first, last + 1))
        return cls(sequence, first, poses, signals_of(sequence.skeleton, poses, names))

    @property
    def last(self) -> int:
        """Last frame."""
        return self.first + len(self.poses) - 1

    def changed(self, change: Callable[[Signal], Array], bounds: Array | None = None) -> Array:
        """Return the poses with other signals, inside limits, or as far outside as they were, shape (m, nq).

        Args:
            change: From a signal to its new values, shape (m, k).
            bounds: Poses that say how far outside values may be instead, shape (m, nq).
        """
        skeleton, made = self.sequence.skeleton, self.poses
        for signal in self.signals:
            values = change(signal)
            same: Bools = np.all(np.abs(values - signal.values) <= _ROUNDING, axis=1)
            if not same.all():
                there = with_signal(skeleton, made, signal, values)
                made = np.where(same[:, None], made, there)
        if made is self.poses:
            return made
        held = kept_inside(skeleton, made, self.poses if bounds is None else bounds)
        return np.where(made == self.poses, self.poses, held)

    def keys(self, poses: Array) -> tuple[Key, ...]:
        """Return the sequence's keys with other poses at the frames of the stretch.

        Keys stay where they are, hold what they held, and keep their shapes but for slopes set by hand where their
        values change: these were those of the old motion.

        Args:
            poses: Shape (m, nq); bit for bit those of ``poses`` where nothing changes.
        """
        channels, moved = channels_of(self.sequence.skeleton), poses != self.poses
        found = []
        for key in self.sequence.keys:
            row = key.frame - self.first
            if not 0 <= row < len(poses) or not moved[row].any():
                found.append(key)
                continue
            own = channels.mask(held(key, channels)) & moved[row]
            found.append(bent(key, np.where(own, poses[row], key.q), own, channels) if own.any() else key)
        return tuple(found)
