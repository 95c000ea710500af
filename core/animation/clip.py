"""A clip: keys taken from a sequence, to be put in elsewhere."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass

from core.animation.key import Key


@dataclass(frozen=True)
class Clip:
    """Keys copied from a range of frames.

    Attributes:
        keys: Keys sorted by frame; their frames count from the first frame of the range.
        length: Number of frames from the first to the last frame of the range.
        joint_names: Joints of the figure the keys belong to; a clip fits figures with the same ones.
    """

    keys: tuple[Key, ...]
    length: int
    joint_names: tuple[str, ...] = ()

    @classmethod
    def of(cls, keys: Seq[Key], first: int, last: int, joint_names: Seq[str] = ()) -> Clip:
        """Return the clip of all ``keys`` with frames in ``first..last``, both included."""
        chosen = tuple(key.moved(key.frame - first) for key in keys if first <= key.frame <= last)
        return cls(chosen, last - first, tuple(joint_names))
