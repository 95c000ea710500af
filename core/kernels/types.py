"""Annotations of kernels' arguments and results: what a reader and mypy see, and what numba compiles for.

``float``, ``int``, ``bool``, ``None``, tuples of these and ``NamedTuple`` classes of annotated fields stand for
themselves. Arrays are contiguous, in C order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ArrayOf:
    """Marks an annotation: a contiguous array of a dtype (named as numba and numpy do) with so many axes."""

    dtype: str
    axes: int


@dataclass(frozen=True)
class PointerTo:
    """Marks an annotation: an address of numbers of a dtype; elements are read and written, nothing else is known."""

    dtype: str


@dataclass(frozen=True, eq=False)
class RecordsOf:
    """Marks an annotation: a contiguous array of records, ``Annotated[Any, RecordsOf(dtype)]``, shape (n,).

    Fields are read and written by name, ``node[k].R[0]``; uncompiled, ``block.Records`` stand for them.
    """

    dtype: np.dtype[Any]


F1 = Annotated[NDArray[np.float64], ArrayOf("float64", 1)]
F2 = Annotated[NDArray[np.float64], ArrayOf("float64", 2)]
F3 = Annotated[NDArray[np.float64], ArrayOf("float64", 3)]
F4 = Annotated[NDArray[np.float64], ArrayOf("float64", 4)]
I1 = Annotated[NDArray[np.int64], ArrayOf("int64", 1)]
I2 = Annotated[NDArray[np.int64], ArrayOf("int64", 2)]
I8 = Annotated[NDArray[np.int8], ArrayOf("int8", 1)]
B1 = Annotated[NDArray[np.bool_], ArrayOf("boolean", 1)]
P1 = Annotated[NDArray[np.float64], PointerTo("float64")]
PAIR = tuple[float, float]
THREE = tuple[float, float, float]
FOUR = tuple[float, float, float, float]
SIX = tuple[float, float, float, float, float, float]
