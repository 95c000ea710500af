"""Dynamics of many states at once, the rows of arrays: the kernels and generated code on all processors.

Each row has the same bits as its state alone, in any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics import fastest, recursive, rows_kernel, symbolic
from core.dynamics.arrays import finite_array
from core.dynamics.packed import Packed
from core.dynamics.tree_memory import TreeMemory
from core.errors import DynamicsError
from core.kernels import is_ready, serving
from core.kernels.functions import is_compiled
from core.kernels.threads import share_rows

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

_WORTH_A_THREAD = 2000
"""Coordinates, those of all rows together, below which another thread costs more time than it saves."""

_DONE = -1

OneState = Callable[["TreeModel", Array, Array, Array, Array], Array]
"""Function ``(model, x, v, given, wrenches)`` of one state; ``given`` is tau or vdot."""


def holds_rows(value: Any, axes: int = 1) -> bool:
    """Return whether an argument holds rows: one axis more than the ``axes`` of one state's."""
    try:
        return np.ndim(value) > axes
    except ValueError:  # lists of unequal lengths
        return False


def as_rows(**arguments: tuple[Any, tuple[int, ...]]) -> tuple[int, list[Array]]:
    """Return how many rows there are, and the arguments as rows.

    Args:
        arguments: By name, (value, shape for one state); at least one holds rows.

    Returns:
        The number k of rows; and contiguous arrays of shape (k, ...), or (1, ...) of what is given for one state and
        stands for all.

    Raises:
        DynamicsError: If one has another shape, holds NaN or infinity, or they differ in how many rows they have;
            names it, and the row.
    """
    found: list[Array] = []
    counts: dict[str, int] = {}
    for name, (value, shape) in arguments.items():
        several = f"(k, {', '.join(map(str, shape))})"
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise DynamicsError(f"{name} is {shown(value)}; it must be numbers of shape {several}") from None
        if array.shape == shape:
            array = array[None]
        elif array.ndim == 1 + len(shape) and array.shape[1:] == shape:
            counts[name] = len(array)
        else:
            raise DynamicsError(
                f"{name} has shape {array.shape}; it must have shape {several}, or {shape} for all rows"
            )
        finite_array(array if name in counts else array[0], array.shape[name not in counts :], name)
        found.append(np.require(array, requirements=["C", "A", "W"]))
    first, count = next(iter(counts.items()))
    for name, other in counts.items():
        if other != count:
            raise DynamicsError(f"{first} has {count} rows and {name} has {other}; they must have the same number")
    return count, found


def one_by_one(model: TreeModel, one: OneState, count: int, arguments: list[Array]) -> Array:
    """Return what a function gives for each row, shape (count, nv); new."""
    out = np.empty((count, model.nv))
    for j in range(count):
        out[j] = _row(model, one, j, arguments)
    return out


def forward(model: TreeModel, formulation: str, one: OneState, count: int, arguments: list[Array]) -> Array:
    """Return the accelerations of many states by a formulation, shape (count, nv); new.

    Args:
        model: The tree.
        formulation: Its name.
        one: It.
        count: How many rows there are.
        arguments: x, v, tau and external wrenches, as ``as_rows`` returns them.

    Raises:
        DynamicsError: As ``one``; names the row.
    """
    if formulation == "fastest" and count:
        formulation, one = fastest.chosen(model, *(own[0] for own in arguments))
    if formulation == "recursive":
        return dynamics(model, "forward", one, count, arguments)
    if formulation == "symbolic":
        out = np.empty((count, model.nv))
        x, v, tau, wrenches = arguments
        closer = symbolic.forward_rows(model, x, v, tau, wrenches, out)
        if closer is not None:
            for j in closer:
                out[j] = _row(model, one, j, arguments)
            return out
    return one_by_one(model, one, count, arguments)


def dynamics(model: TreeModel, name: str, one: OneState, count: int, arguments: list[Array]) -> Array:
    """Return forward or inverse dynamics of many states by the kernels, shape (count, nv); new.

    Args:
        model: The tree.
        name: "forward" or "inverse".
        one: The same for one state.
        count: How many rows there are.
        arguments: x, v, tau or vdot, and external wrenches, as ``as_rows`` returns them.

    Raises:
        DynamicsError: As ``one``; names the row.
    """
    packed = recursive.packed_of(model)
    if not _is_free(packed):
        return one_by_one(model, one, count, arguments)
    kernel = getattr(serving(rows_kernel), f"{name}_rows")
    out, status = np.empty((count, model.nv)), np.empty(count, dtype=np.int64)

    def work(first: int, end: int) -> None:
        with _memory(packed) as memory:
            kernel(memory, *packed.functions, *arguments, out, status, first, end)

    _share(work, count, model.nv)
    for j in np.flatnonzero(status != _DONE).tolist():
        out[j] = _row(model, one, j, arguments)
    return out


def mass_matrices(model: TreeModel, x: Array) -> Array:
    """Return the mass matrices of many states, shape (k, nv, nv), of coordinates of shape (k, nq); new."""
    packed = recursive.packed_of(model)
    out = np.empty((len(x), model.nv, model.nv))
    if not _is_free(packed):
        for j, row in enumerate(x):
            out[j] = recursive.mass_matrix(model, row)
        return out
    kernel = serving(rows_kernel).mass_matrix_rows

    def work(first: int, end: int) -> None:
        with _memory(packed) as memory:
            kernel(memory, *packed.functions, x, packed.rest, out, first, end)

    _share(work, len(x), model.nv)
    return out


def _is_free(packed: Packed) -> bool:
    """Return whether nothing of a model is evaluated in Python, which one thread does at a time."""
    if not packed.general:
        return True
    slots = packed.functions[1]
    return is_ready(rows_kernel) and all(is_compiled(slot) for slot in slots.tolist())


def _row(model: TreeModel, one: OneState, j: int, arguments: list[Array]) -> Array:
    try:
        return one(model, *(own[min(j, len(own) - 1)] for own in arguments))
    except DynamicsError as error:
        raise DynamicsError(f"row {j}: {error}") from None


def _share(work: Callable[[int, int], None], count: int, nv: int) -> None:
    if is_ready(rows_kernel):
        share_rows(work, count, _WORTH_A_THREAD // max(nv, 1) + 1)
    else:  # the text holds the interpreter's lock
        work(0, count)


@contextmanager
def _memory(packed: Packed) -> Iterator[TreeMemory]:
    """Lend a tree memory that no other thread works in; ``list.pop`` and ``append`` are safe between threads."""
    try:
        memory = packed.spare.pop()
    except IndexError:
        memory = packed.memory.copy()
    try:
        yield memory
    finally:
        packed.spare.append(memory)
