"""Memory with names: one block of bytes that holds a state and arrays of records, the same for kernels and for Python.

A layout lists what there is: the fields of the state, a record that there is once, and arrays of numbers or records,
whose lengths are numbers or fields of the state. Kernels are handed a block as one pointer and read
``memory.nodes[i].R[0]`` or ``memory.state.step``; the same text runs uncompiled, and Python reads all values of a field
as ``memory.nodes["R"]``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

Bytes = NDArray[np.uint8]
_ALIGNED = 16
"""Every array begins at a multiple of so many bytes."""
MOST_DIMENSIONS = 3
_MOST_PLANS = 256
TABLE_WIDTH = 1 + MOST_DIMENSIONS
"""Numbers an array has in the table at the head of a block: where it begins, [bytes], and its lengths."""


class Field(NamedTuple):
    """An array of a block.

    Attributes:
        name: Its name.
        dtype: Of its elements; a structured one makes it an array of records.
        shape: Its lengths: numbers, or names of fields of the state.
        where: The array in whose place it lies, if any.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int | str, ...]
    where: str | None


class Plan(NamedTuple):
    """What lies where in a block of some sizes.

    Attributes:
        length: Of the block, [bytes].
        table: What stands at its head.
        places: Where each array begins, [bytes], and its lengths.
    """

    length: int
    table: Bytes
    places: list[tuple[int, tuple[int, ...]]]


@dataclass(frozen=True, eq=False)
class RecordOf:
    """Marks an annotation: one record of an array of records, ``Annotated[Any, RecordOf(dtype)]``."""

    dtype: np.dtype[Any]


def record(*fields: tuple[Any, ...], same: Mapping[str, tuple[Any, ...]] | None = None) -> np.dtype[Any]:
    """Return the type of a record, laid out as a compiler would.

    Args:
        fields: (name, type) or (name, type, length) of each field.
        same: Name, and (field, element, type) or (field, element, type, length): further fields that lie in the places
            of others, from an element of theirs on.
    """
    own = np.dtype(list(fields), align=True)
    if same is None:
        return own
    found = dict(own.fields or {})
    kinds = {name: (kind, at) for name, (kind, at, *_) in found.items()}
    for name, (field, element, kind, *length) in same.items():
        whole, at = kinds[field]
        kinds[name] = np.dtype((kind, *length)) if length else kind, at + element * whole.base.itemsize
    return np.dtype({
        "names": list(kinds), "formats": [kind for kind, _ in kinds.values()],
        "offsets": [at for _, at in kinds.values()], "itemsize": own.itemsize, "aligned": True,
    })  # fmt: skip


class Layout:
    """What lies where in a block.

    Args:
        state: Type of the state; each field is a number or a short array.
        arrays: Name, type and shape of each array, in the order in which they lie.
        same: Name, and name, type and shape: further arrays that lie in the places of others.

    Attributes:
        state: Type of the state.
        fields: The arrays.
        state_at: Where the state begins, [bytes].
    """

    def __init__(
        self,
        state: np.dtype[Any],
        arrays: Sequence[tuple[str, DTypeLike, tuple[int | str, ...]]],
        same: Mapping[str, tuple[str, DTypeLike, tuple[int | str, ...]]] | None = None,
    ):
        self.state = state
        others = [Field(name, np.dtype(kind), shape, where) for name, (where, kind, shape) in (same or {}).items()]
        self.fields = (*(Field(name, np.dtype(kind), shape, None) for name, kind, shape in arrays), *others)
        self.state_at = _aligned(8 * TABLE_WIDTH * len(self.fields))
        self._plans: dict[tuple[tuple[str, int], ...], Plan] = {}

    def lengths(self, field: Field, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Return the lengths of an array in a block of these sizes."""
        return tuple(each if isinstance(each, int) else int(sizes[each]) for each in field.shape)

    def plan(self, sizes: Mapping[str, int]) -> Plan:
        """Return what lies where in a block of these sizes; kept, for many blocks have the same sizes."""
        key = tuple(sizes.items())
        found = self._plans.get(key)
        if found is None:
            found = self._planned(sizes)
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            self._plans[key] = found
        return found

    def _planned(self, sizes: Mapping[str, int]) -> Plan:
        places: dict[str, tuple[int, tuple[int, ...]]] = {}
        end = _aligned(self.state_at + self.state.itemsize)
        for field in self.fields:
            lengths = self.lengths(field, sizes)
            if field.where is not None:
                places[field.name] = (places[field.where][0], lengths)
                continue
            places[field.name] = (end, lengths)
            end = _aligned(end + field.dtype.itemsize * math.prod(lengths))
        table = np.zeros((len(places), TABLE_WIDTH), dtype=np.int64)
        for row, (at, lengths) in zip(table, places.values(), strict=True):
            row[: 1 + len(lengths)] = at, *lengths
        return Plan(end, table.view(np.uint8).ravel(), list(places.values()))


class Block:
    """A block of memory; the arrays of its layout, and ``state``, are attributes.

    Args:
        sizes: The fields of the state that are lengths of arrays.

    Attributes:
        layout: What lies where.
        bytes: The block.
        address: Where it lies, for compiled kernels.
        state: The state; its fields are attributes, to be read and written.
    """

    layout: ClassVar[Layout]
    bytes: Bytes
    address: int
    state: Any

    def __init__(self, sizes: Mapping[str, int]):
        layout = self.layout
        end, table, places = layout.plan(sizes)
        room = np.zeros(end + _ALIGNED, dtype=np.uint8)
        start = -room.ctypes.data % _ALIGNED
        self.bytes = room[start : start + end]
        self.address = self.bytes.ctypes.data
        self.bytes[: len(table)] = table
        for field, (at, lengths) in zip(layout.fields, places, strict=True):
            own = np.ndarray(lengths, field.dtype, self.bytes, at)
            self.__dict__[field.name] = own if field.dtype.names is None else Records(own)
        at = layout.state_at
        self.state = Records(self.bytes[at : at + layout.state.itemsize].view(layout.state))[0]
        for name, size in sizes.items():
            setattr(self.state, name, size)

    def __setattr__(self, name: str, value: Any) -> None:
        # Kernels would not see another array.
        if name in self.__dict__:
            raise AttributeError(f"{name} lies in a block; write into it: {name}[:] = ...")
        super().__setattr__(name, value)

    def copy(self) -> Self:
        """Return another block with the same content."""
        own: Self = _with_bytes(*self.__reduce__()[1])
        return own

    def __reduce__(self) -> tuple[Any, ...]:
        lengths = {each for field in self.layout.fields for each in field.shape if isinstance(each, str)}
        sizes = {name: int(getattr(self.state, name)) for name in sorted(lengths)}
        return _with_bytes, (type(self), sizes, self.bytes)

    def place_of(self, name: str) -> int:
        """Return where an array begins, [bytes]."""
        index = [field.name for field in self.layout.fields].index(name)
        return int(self.bytes[: self.layout.state_at].view(np.int64)[TABLE_WIDTH * index])

    def arrays(self) -> Iterator[tuple[str, NDArray[Any]]]:
        """Yield the names of the arrays and the arrays, structured where they hold records; each place once."""
        for field in self.layout.fields:
            if field.where is not None:
                continue
            own = getattr(self, field.name)
            yield field.name, own.array if isinstance(own, Records) else own


def _with_bytes(kind: type[Any], sizes: Mapping[str, int], content: Bytes) -> Any:
    """Return a block with the bytes of another of the same sizes: a copy of it."""
    block = kind(sizes)
    block.bytes[:] = content
    return block


class Records:
    """An array of records: ``records[i]`` is a record with its fields as attributes, ``records["x"]`` all of a field.

    Args:
        array: A structured array of one dimension.
    """

    __slots__ = ("_rows", "array")

    def __init__(self, array: NDArray[Any]):
        self.array = array
        self._rows: list[Any] | None = None

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.array[key]
        if self._rows is None:
            kind = _row_class(self.array.dtype)
            self._rows = [kind(self.array, i) for i in range(len(self.array))]
        return self._rows[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.array[key] = value


@cache
def _row_class(kind: np.dtype[Any]) -> Any:
    """Return the class of the records of a type: fields that are arrays are views, numbers are looked up."""
    names = kind.names or ()
    nested = [name for name in names if kind[name].shape]
    single = [name for name in names if not kind[name].shape]

    def fill(self: Any, array: NDArray[Any], i: int) -> None:
        for name in nested:
            setattr(self, name, array[name][i])
        for name in single:
            setattr(self, f"_{name}", array[name][i : i + 1])

    def number(name: str) -> property:
        own = f"_{name}"

        def get(self: Any) -> Any:
            return getattr(self, own)[0]

        def put(self: Any, value: Any) -> None:
            getattr(self, own)[0] = value

        return property(get, put)

    members: dict[str, Any] = {name: number(name) for name in single}
    members |= {"__slots__": [*nested, *(f"_{name}" for name in single)], "__init__": fill}
    return type("Record", (), members)


def _aligned(count: int) -> int:
    return -(-count // _ALIGNED) * _ALIGNED
