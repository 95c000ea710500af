"""Which whole numbers occur in an array: ``numpy.unique``, faster where they lie close together or nearly in order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

_SPARSE = 8  # times as many numbers as there are values: up to there they are counted, beyond they are sorted


class Distinct(NamedTuple):
    """The distinct values of an array.

    Attributes:
        values: In ascending order, shape (n,).
        first: Where each comes first, shape (n,).
        which: Which of them each value of the array is, shape (k,).
    """

    values: Numbers
    first: Numbers
    which: Numbers


def distinct(keys: Numbers) -> Distinct:
    """Return the distinct values of an array.

    Args:
        keys: Of any shape with k values; taken in C order.
    """
    keys = keys.ravel()
    count = len(keys)
    low = int(keys.min()) if count else 0
    span = int(keys.max()) + 1 - low if count else 0
    if span <= _SPARSE * count:
        places = keys - low
        found = np.zeros(span, dtype=bool)
        found[places] = True
        values = np.flatnonzero(found) + low
        which = (np.cumsum(found) - 1)[places]
        first = np.empty(len(values), dtype=np.int64)
        first[which[::-1]] = np.arange(count - 1, -1, -1)
        return Distinct(values, first, which)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    new = np.ones(count, dtype=bool)
    new[1:] = ordered[1:] != ordered[:-1]
    which = np.empty(count, dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    return Distinct(ordered[new], order[new], which)
