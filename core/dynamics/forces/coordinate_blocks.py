"""A matrix by pairs of coordinates of which only blocks of joints are there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array


class CoordinateBlocks:
    """A square matrix, the sum of blocks: ``blocks[rows, columns] += block`` adds one, shapes as those of the slices.

    A block is kept under its own slices, and what overlaps adds up, so that memory grows with the blocks alone. Read
    it as a whole: ``dense()``, which ``numpy.asarray`` takes too, ``entries()`` or a product.

    Args:
        n: How many rows and columns it has.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._blocks: dict[tuple[int, int, int, int], Array] = {}

    def __getitem__(self, place: tuple[slice, slice]) -> Array:
        """Return what has been added under these very slices so far; new."""
        key = self._key(place)
        found = self._blocks.get(key)
        return np.zeros((key[1] - key[0], key[3] - key[2])) if found is None else found.copy()

    def __setitem__(self, place: tuple[slice, slice], block: Array) -> None:
        key = self._key(place)
        self._blocks[key] = np.broadcast_to(block, (key[1] - key[0], key[3] - key[2]))

    def __matmul__(self, other: Array) -> Array:
        """Return the product with a vector or a matrix, shape of it; new."""
        product = np.zeros((self.n, *other.shape[1:]))
        for (first, end, start, stop), block in self._blocks.items():
            product[first:end] += block @ other[start:stop]
        return product

    def __array__(self, dtype: type | None = None, copy: bool | None = None) -> NDArray[np.float64]:
        return self.dense()

    def dense(self) -> Array:
        """Return the whole matrix, shape (n, n); new."""
        whole = np.zeros((self.n, self.n))
        for (first, end, start, stop), block in self._blocks.items():
            whole[first:end, start:stop] += block
        return whole

    def entries(self) -> tuple[NDArray[np.int64], Array]:
        """Return row and column of each number of all blocks, shape (k, 2), and these, shape (k,); places may recur."""
        places = [np.zeros((0, 2), dtype=np.int64)]
        for first, end, start, stop in self._blocks:
            rows, columns = np.mgrid[first:end, start:stop]
            places.append(np.stack([rows.ravel(), columns.ravel()], axis=1))
        numbers = [np.zeros(0), *(block.ravel() for block in self._blocks.values())]
        return np.concatenate(places), np.concatenate(numbers)

    def _key(self, place: tuple[slice, slice]) -> tuple[int, int, int, int]:
        rows, columns = place
        return (*self._range(rows), *self._range(columns))

    def _range(self, part: slice) -> tuple[int, int]:
        if not isinstance(part, slice):
            raise TypeError(f"blocks are written to by slices of coordinates; got {part!r}")
        first, end, step = part.indices(self.n)
        if step != 1:
            raise TypeError(f"blocks are of coordinates that follow each other; got {part!r}")
        return first, end
