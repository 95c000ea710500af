"""What is worked out once for a figure and kept as long as the figure lives."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from core.skeleton.structure import Structure

S = TypeVar("S", bound=Structure)
T = TypeVar("T")


def per_skeleton(make: Callable[[S], T]) -> Callable[[S], T]:
    """Decorate what is made of a figure alone: each figure's is made at the first call and kept with the figure.

    Figures never change, so that it stays true; what comes back is shared and read-only by contract. A call that
    raises keeps nothing.

    Args:
        make: Makes it; never None. It must not hold the figure, which would then never be let go.
    """
    kept: WeakKeyDictionary[S, T] = WeakKeyDictionary()

    @wraps(make)
    def kept_or_made(skeleton: S) -> T:
        found = kept.get(skeleton)
        if found is None:
            found = kept[skeleton] = make(skeleton)
        return found

    return kept_or_made
