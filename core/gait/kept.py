"""What was made last, kept by all that it was made from: a footprint that is dragged changes little of a walk.

What is kept are results of pure functions, so that nothing but the time it takes tells whether it was made anew.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

import numpy as np

from core.arrays import Array, Ints

T = TypeVar("T")


class Kept(Generic[T]):
    """The results of one function, those used last.

    Args:
        most: So many are kept.
    """

    def __init__(self, most: int):
        self._most = most
        self._found: OrderedDict[tuple[object, ...], tuple[tuple[object, ...], T]] = OrderedDict()
        self._lock = threading.Lock()  # walks are made beside the window, too

    def has(self, owners: tuple[object, ...], values: tuple[object, ...]) -> bool:
        """Return whether something made of these is kept; see ``get``."""
        with self._lock:
            return _key_of(owners, values) in self._found

    def get(self, owners: tuple[object, ...], values: tuple[object, ...], make: Callable[[], T]) -> T:
        """Return what was made of the same before, or make it.

        Args:
            owners: Objects that never change, told apart by which they are.
            values: Arrays, told apart by their bits, and what can be a key of a dictionary.
            make: Makes it; what comes back is shared, and read-only by contract.
        """
        key = _key_of(owners, values)
        with self._lock:
            entry = self._found.get(key)
            if entry is not None:
                self._found.move_to_end(key)
                return entry[1]
        made = make()
        with self._lock:
            self._found[key] = owners, made  # with their owners, so that no others can come to have their ids
            while len(self._found) > self._most:
                self._found.popitem(last=False)
        return made


def _key_of(owners: tuple[object, ...], values: tuple[object, ...]) -> tuple[object, ...]:
    return (*map(id, owners), *(v.tobytes() if isinstance(v, np.ndarray) else v for v in values))


class KeptRows:
    """The rows that a function made last, each of which hangs on its own row of what it was made from alone.

    Rows that are as they were, counted from the first or from the last one, are not made again.

    Args:
        most: For so many makers the last call is kept.
    """

    def __init__(self, most: int):
        self._calls: Kept[list[tuple[Array, Array]]] = Kept(most)

    def get(
        self, owners: tuple[object, ...], values: tuple[object, ...], given: tuple[Array, ...],
        make: Callable[[Ints], Array],
    ) -> Array:  # fmt: skip
        """Return a row for each row of what is given, new, shape (m, n).

        Args:
            owners: See ``Kept.get``.
            values: Likewise; the same for all rows.
            given: What rows are made from, each of shape (m, ...).
            make: Returns the rows of some numbers, shape (k, n).
        """
        count = len(given[0])
        flat = np.concatenate([each.reshape(count, -1) for each in given], axis=1)
        last = self._calls.get(owners, values, list)
        old, made = last[0] if last else (flat[:0], np.zeros((0, 0)))
        few = min(count, len(old)) if old.shape[1] == flat.shape[1] else 0
        a, b = flat.view(np.int64), old.view(np.int64)
        front = np.flatnonzero((a[:few] == b[:few]).all(axis=1))
        back = np.flatnonzero((a[count - few :] == b[len(old) - few :]).all(axis=1))
        wanted = np.ones(count, dtype=bool)
        wanted[front] = wanted[count - few + back] = False
        rows = np.flatnonzero(wanted)
        fresh = make(rows) if len(rows) or not len(made) else made[:0]
        found = np.empty((count, fresh.shape[1]))
        found[count - few + back] = made[len(old) - few + back] if len(back) else found[:0]
        found[front] = made[front] if len(front) else found[:0]
        found[rows] = fresh
        last[:] = [(flat, found)]
        return found.copy()
