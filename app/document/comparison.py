"""Another motion of the active figure beside its own: before something is done to it, or after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.arrays import Array


@dataclass(frozen=True, eq=False)
class Comparison:
    """A motion to compare with.

    Attributes:
        name: What it is, for a person.
        pose: Takes a frame of the sequence and returns the other motion's pose there, shape (nq,), [m] and [rad]; None
            where it has none.
    """

    name: str
    pose: Callable[[int], Array | None]
