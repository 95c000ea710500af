"""The memory of a step: a few blocks that cost little to hand to a kernel, and the arrays in them by name."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.dynamics.step import slots as at

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.int8]


class _Size(NamedTuple):
    """A length that is one of the sizes at the head of the integers."""

    place: int


_n, _bodies, _mass, _locks = _Size(at.NODE_COUNT), _Size(at.BODY_COUNT), _Size(at.MASS_COUNT), _Size(at.LOCK_ROOM)
_balls, _pulls, _contacts, _rows = _Size(at.BALL_COUNT), _Size(at.PULL_ROOM), _Size(at.CONTACT_ROOM), _Size(at.ROW_ROOM)
_Length = int | _Size

_SHAPES: dict[int, tuple[str, tuple[_Length, ...]]] = {
    at.NODES: ("nodes", (_n, at.NODE_WIDTH)),
    at.VECTORS: ("vectors", (at.VECTOR_COUNT, _n)),
    at.MASS: ("mass", (_mass,)),
    at.FULL_MASS: ("full_mass", (_mass,)),
    at.BODIES: ("bodies", (_bodies, at.BODY_WIDTH)),
    at.BODY_ROTATIONS: ("body_rotations", (_bodies, 3, 3)),
    at.BODY_PLACES: ("body_places", (_bodies, 3)),
    at.REACH: ("reach", (_bodies,)),
    at.LOCKS: ("locks", (_locks, at.LOCK_WIDTH)),
    at.BALLS: ("balls", (_balls, at.BALL_WIDTH)),
    at.PULLS: ("pulls", (_pulls, at.PULL_WIDTH)),
    at.CONTACT: ("contact", (_contacts, at.CONTACT_WIDTH)),
    at.CONTACT_STATE: ("contact_state", (_contacts, at.CONTACT_STATE_WIDTH)),
    at.SPEEDS: ("speeds", (_contacts, 4)),
    at.ROW_VALUES: ("row_values", (at.ROW_NUMBERS, _rows)),
    at.SOLVE: ("solve", (3, _n)),
    at.NUMBERS: ("numbers", (at.NUMBER_COUNT,)),
    at.FLIGHT: ("flight", (10, _n)),
    at.STILL: ("still", (_bodies, 12)),
    at.SUNK: ("sunk", (_contacts, at.CONTACT_WIDTH)),
    at.ROW: ("rows", (_rows, _n)),  # the last of the floats: what comes before is what a step goes on from
    at.PARENT: ("parent", (_n,)),
    at.KIND: ("kind", (_n,)),
    at.COUNT: ("count", (_n,)),
    at.REFERENCE: ("reference", (_n,)),
    at.DEPTH: ("depth", (_n,)),
    at.START: ("start", (_n,)),
    at.HELD: ("held", (_n,)),
    at.CHAIN: ("chain", (_mass,)),
    at.BODY_NODE: ("body_node", (_bodies,)),
    at.IDS: ("ids", (_contacts,)),
    at.REMEMBERED_IDS: ("remembered_ids", (_contacts,)),
    at.ROW_KIND: ("row_kind", (_rows,)),
    at.ROW_OF: ("row_of", (_rows,)),
    at.SUNK_IDS: ("sunk_ids", (_contacts,)),
    at.FLAGS: ("flags", (_rows,)),
    at.REMEMBERED_FLAGS: ("remembered_flags", (_contacts, 4)),
    at.LOCK_FLAGS: ("lock_flags", (_locks,)),
    at.LIMIT_FLAGS: ("limit_flags", (2, _n)),
    at.BALL_FLAGS: ("ball_flags", (_balls, 6)),
}
"""Name and shape of each array; how much the quadratic program works in is told from outside."""


class Memory:
    """Arrays of a step in three blocks.

    Attributes:
        floats, integers, flags: The blocks.
        head: The integers' own sizes and counters, a view.
        work, index_work: What the quadratic program works in.
        nodes, vectors, ...: The arrays of ``core.dynamics.step.slots``, views of the blocks.
    """

    nodes: Array
    vectors: Array
    mass: Array
    full_mass: Array
    bodies: Array
    body_rotations: Array
    body_places: Array
    reach: Array
    locks: Array
    balls: Array
    pulls: Array
    contact: Array
    contact_state: Array
    speeds: Array
    rows: Array
    row_values: Array
    solve: Array
    numbers: Array
    flight: Array
    still: Array
    sunk: Array
    work: Array
    parent: Integers
    kind: Integers
    count: Integers
    reference: Integers
    depth: Integers
    start: Integers
    held: Integers
    chain: Integers
    body_node: Integers
    ids: Integers
    remembered_ids: Integers
    row_kind: Integers
    row_of: Integers
    sunk_ids: Integers
    index_work: Integers
    flags_of_rows: Flags
    remembered_flags: Flags
    lock_flags: Flags
    limit_flags: Flags
    ball_flags: Flags

    def __init__(self, floats: Array, integers: Integers, flags: Flags):
        self.floats = floats
        self.integers = integers
        self.flags = flags
        self.head = integers[: at.HEAD]
        for place, (name, shape) in _SHAPES.items():
            lengths = _lengths(shape, integers)
            start = int(integers[place])
            block: NDArray[Any] = (
                floats if place < at.FIRST_OF_INTEGERS else integers if place < at.FIRST_OF_FLAGS else flags
            )
            view = block[start : start + math.prod(lengths)].reshape(lengths)
            setattr(self, "flags_of_rows" if place == at.FLAGS else name, view)
        self.work = floats[int(integers[at.WORK]) :]
        self.index_work = integers[int(integers[at.INDEX_WORK]) :]

    @staticmethod
    def names() -> list[str]:
        """Return the names of the arrays."""
        return ["flags_of_rows" if place == at.FLAGS else name for place, (name, _) in _SHAPES.items()]

    @classmethod
    def of(cls, sizes: dict[int, int], work: int, index_work: int) -> Memory:
        """Return new memory, all zero.

        Args:
            sizes: The sizes at the head of the integers, by their places there.
            work: How many floats the quadratic program needs.
            index_work: How many integers.
        """
        head = np.zeros(at.END, dtype=np.int64)
        for place, size in sizes.items():
            head[place] = size
        used = [0, at.END, 0]
        for place, (_, shape) in _SHAPES.items():
            which = 0 if place < at.FIRST_OF_INTEGERS else 1 if place < at.FIRST_OF_FLAGS else 2
            head[place] = used[which]
            used[which] += math.prod(_lengths(shape, head))
        head[at.WORK], head[at.INDEX_WORK] = used[0], used[1]
        integers = np.zeros(used[1] + index_work, dtype=np.int64)
        integers[: at.END] = head
        return cls(np.zeros(used[0] + work), integers, np.zeros(used[2], dtype=np.int8))


def _lengths(shape: tuple[_Length, ...], integers: Integers) -> tuple[int, ...]:
    return tuple(length if isinstance(length, int) else int(integers[length.place]) for length in shape)
