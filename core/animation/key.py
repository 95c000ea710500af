"""A key: one pose at one frame, and how the figure leaves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import PoseError, SequenceError

Array = NDArray[np.float64]

LINEAR, SPLINE = "linear", "spline"
INTERPOLATIONS: tuple[str, ...] = (SPLINE, LINEAR)

MAX_FRAME = 2**31 - 1
"""The largest frame number a key may have."""


def check_frame(frame: object) -> int:
    """Return ``frame`` as an int after checking that it is a whole number from 0 to ``MAX_FRAME``.

    Raises:
        SequenceError: If it is not.
    """
    if isinstance(frame, bool) or not isinstance(frame, (int, float, np.integer, np.floating)):
        raise SequenceError(f"frame {frame!r} is not a number; a frame is a whole number from 0 on")
    if not 0 <= frame <= MAX_FRAME or int(frame) != frame:
        raise SequenceError(f"frame {frame} cannot hold a key; a frame is a whole number from 0 to {MAX_FRAME}")
    return int(frame)


_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False, slots=True)
class Key:
    """A pose at a frame. Immutable; ``moved`` and ``dataclasses.replace`` make new ones.

    Attributes:
        frame: Whole number from 0 on.
        q: Pose, shape (nq,), [m] and [rad]; a read-only copy, or what was given if that was read-only already.
        interp: How the span that begins here is filled: ``"spline"`` or ``"linear"``.
        turns: Whether compound joints follow their angles through the span that begins here, so that a full
            turn is a turn, instead of taking the shortest arc.
        part: Name of the part of the figure the key was made for, or None for all of it.
        extra: Members of the file's record that this version does not know; kept and written back.
    """

    frame: int
    q: Array
    interp: str = SPLINE
    turns: bool = False
    part: str | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", check_frame(self.frame))
        q = self.q
        # Recordings have a key at every frame: they share one array.
        if not (isinstance(q, np.ndarray) and q.dtype == np.float64 and not q.flags.writeable):
            q = np.array(q, dtype=np.float64)
        if q.ndim != 1 or not np.isfinite(q).all():
            raise PoseError(f"the pose of the key at frame {self.frame} must be a row of finite numbers")
        q.setflags(write=False)
        object.__setattr__(self, "q", q)
        if self.interp not in INTERPOLATIONS:
            raise SequenceError(
                f'interpolation "{self.interp}" of the key at frame {self.frame} is unknown; '
                f"valid are {', '.join(INTERPOLATIONS)}"
            )
        object.__setattr__(self, "turns", bool(self.turns))
        object.__setattr__(self, "extra", MappingProxyType(dict(self.extra)) if self.extra else _NOTHING)

    def moved(self, frame: int) -> Key:
        """Return the same key at another frame."""
        return self if frame == self.frame else replace(self, frame=frame)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Key):
            return NotImplemented
        return (
            (self.frame, self.interp, self.turns, self.part) == (other.frame, other.interp, other.turns, other.part)
            and np.array_equal(self.q, other.q)
            and dict(self.extra) == dict(other.extra)
        )

    def __hash__(self) -> int:
        return hash((self.frame, self.interp, self.turns, self.part))
