"""Bounds on top of a packed problem's limits, for one solve."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from core.arrays import Array
from core.constraints.hold.packing import Packed

Bounds = tuple[Array, Array]
"""Least and largest value of each pose value, shape (nq,) each."""


@contextmanager
def between(problem: Packed | None, bounds: Bounds | None) -> Iterator[None]:
    """Keep a problem's values between bounds as long as the context lasts; without either nothing is done."""
    if problem is None or bounds is None:
        yield
        return
    h = problem.hold
    kept = h.lower.copy(), h.upper.copy()
    lower, upper = (end[h.q_index] / h.unit for end in bounds)
    h.lower[:], h.upper[:] = np.maximum(kept[0], lower), np.minimum(kept[1], upper)
    try:
        yield
    finally:
        h.lower[:], h.upper[:] = kept
