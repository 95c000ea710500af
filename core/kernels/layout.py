"""Named arrays that lie one behind the other in two blocks of memory, one of whole and one of floating-point numbers.

A compiled function that is handed some forty arrays spends longer on taking them in than on its work; it is handed two
blocks instead and finds the arrays in them. Where they lie is written once: as annotations of ``NamedTuple`` classes,

    class Work(NamedTuple):
        X: Annotated[F3, "K", 3, 4]
        J: Annotated[F2, "6*G", "K"]
        trace: F1

whose fields with a shape lie in the blocks, in this order, and those without are handed in. The first numbers of the
whole ones are a header, which holds what K and G are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from core.kernels.types import ArrayOf


@dataclass(frozen=True)
class At:
    """Marks a field, ``Annotated[I1, At(2), 1]``: it is a part of the header, from this element on."""

    start: int


class Field(NamedTuple):
    """One array of a layout.

    Attributes:
        whole: Whether it lies among the whole numbers.
        shape: Its lengths, each a product of a number and sizes by name.
        start: Where in the header it begins; None for what lies behind the header or among the others.
    """

    whole: bool
    shape: tuple[tuple[int, tuple[str, ...]], ...]
    start: int | None


def _length(written: int | str) -> tuple[int, tuple[str, ...]]:
    """Return a number and names whose product a length is."""
    number, names = 1, []
    for factor in str(written).split("*"):
        if factor.strip().isdigit():
            number *= int(factor)
        else:
            names.append(factor.strip())
    return number, tuple(names)


def _field(name: str, annotation: Any) -> Field | None:
    _, *marks = get_args(annotation)
    array = next(mark for mark in marks if isinstance(mark, ArrayOf))
    shape = tuple(_length(mark) for mark in marks if isinstance(mark, int | str))
    if not shape:
        return None
    if len(shape) != array.axes:
        raise TypeError(f"{name} has {array.axes} axes and {len(shape)} lengths")
    start = next((mark.start for mark in marks if isinstance(mark, At)), None)
    return Field(array.dtype == "int64", shape, start)


_Key = tuple[int, str]
"""Number of a class and name of its field."""
_Place = tuple[bool, int, tuple[int, ...]]


class Layout:
    """Where the arrays of some ``NamedTuple`` classes lie in two blocks.

    Called in a kernel with the two blocks and, in the order of the fields, what is handed in, it returns a tuple of the
    classes, or one alone if there is no other.

    Args:
        classes: The classes.
        sizes: In which element of the header each size stands.
        header: Length of the header.
    """

    def __init__(self, classes: Sequence[type[Any]], sizes: Mapping[str, int], header: int):
        self.classes, self.sizes, self.header = tuple(classes), dict(sizes), header
        self.fields: dict[_Key, Field | None] = {}
        for number, cls in enumerate(self.classes):
            hints = get_type_hints(cls, include_extras=True)
            for name in cls._fields:
                self.fields[number, name] = _field(name, hints[name])
        self.given = tuple(key for key, field in self.fields.items() if field is None)
        """Fields that are handed in."""

    def allocate(self, header: Sequence[int] | NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return blocks for arrays of the sizes in a header, which is copied in; everything else is 0."""
        ends = self._lay(header)[1]
        ints, floats = np.zeros(ends[True], dtype=np.int64), np.zeros(ends[False])
        ints[: self.header] = header
        return ints, floats

    def _lay(self, header: Sequence[int] | NDArray[np.int64]) -> tuple[dict[_Key, _Place], dict[bool, int]]:
        """Return block, first element and shape of each array, and the lengths of the blocks."""
        sizes = {name: int(header[at]) for name, at in self.sizes.items()}
        places: dict[_Key, _Place] = {}
        ends = {True: self.header, False: 0}
        for key, field in self.fields.items():
            if field is None:
                continue
            shape = tuple(number * math.prod(sizes[each] for each in names) for number, names in field.shape)
            places[key] = (field.whole, ends[field.whole] if field.start is None else field.start, shape)
            if field.start is None:
                ends[field.whole] += math.prod(shape)
        return places, ends

    def __call__(self, ints: NDArray[np.int64], floats: NDArray[np.float64], *given: Any) -> Any:
        """Return the arrays that lie in two blocks, in their classes."""
        found = dict(zip(self.given, given, strict=True))
        for key, (whole, start, shape) in self._lay(ints)[0].items():
            found[key] = (ints if whole else floats)[start : start + math.prod(shape)].reshape(shape)
        made = tuple(cls(*(found[number, name] for name in cls._fields)) for number, cls in enumerate(self.classes))
        return made if len(made) > 1 else made[0]
