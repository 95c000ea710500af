"""What kernels are written with. Nothing here imports numba.

A kernel is a function whose arguments and result are annotated with ``core.kernels.types``. It may call other kernels,
``view``, a ``Layout``, ``math`` and what of numpy numba knows; it allocates nothing and raises nothing. ``@kernel``
returns the function itself: called, it runs as it stands. ``compiling`` makes a compiled one from the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.kernels import functions
from core.kernels.types import RecordsOf as RecordsOf

F = TypeVar("F", bound=Callable[..., Any])

CONTRACT = frozenset({"contract"})
"""A product and a sum may be rounded once instead of twice: as exact, and the same at scales that are powers of two."""
EXACT: frozenset[str] = frozenset()
"""Each operation rounds as Python's does: the same bits as the uncompiled text, mostly."""
SUMS = frozenset({"contract", "reassoc", "nsz"})
"""For sums of products: several are added up at once, in an order that depends on their number alone."""


@dataclass(frozen=True)
class Options:
    """How a kernel is compiled, see ``kernel``."""

    python: bool
    inline: bool
    linked: bool
    fastmath: frozenset[str]
    nogil: bool
    pointers: bool


@overload
def kernel(function: F, /) -> F: ...
@overload
def kernel(
    *,
    python: bool | None = ...,
    internal: bool = ...,
    inline: bool = ...,
    linked: bool = ...,
    fastmath: frozenset[str] = ...,
    nogil: bool = ...,
    pointers: bool = ...,
) -> Callable[[F], F]: ...
def kernel(
    function: Any = None,
    /,
    *,
    python: bool | None = None,
    internal: bool = False,
    inline: bool = False,
    linked: bool = False,
    fastmath: frozenset[str] = CONTRACT,
    nogil: bool = False,
    pointers: bool = False,
) -> Any:
    """Declare a function to be a kernel; it stays as it is.

    Args:
        function: The function, where the decorator stands without brackets.
        python: Whether Python calls it compiled; else only other kernels do, and nothing is compiled to take Python's
            arguments in. By default it does unless one of the next three is set.
        internal: Only other kernels call it.
        inline: It becomes a part of those that call it: for what is called once a node, where handing arrays over costs
            more than the work itself.
        linked: It is compiled once and called through the linker. Otherwise numba puts all that a function calls,
            and all that this calls, into its machine code and optimizes it anew: for what is long and called from
            several places, or by something that is called itself. Takes no tuples.
        fastmath: Freedom to round otherwise: ``CONTRACT``, ``EXACT``, ``SUMS`` or LLVM's own names.
        nogil: Whether other threads of Python run meanwhile.
        pointers: It has the form of ``functions`` and is called through its slot alone; its arrays are ``P1``.
    """
    called = not (internal or inline or linked or pointers) if python is None else python
    options = Options(called, inline, linked, fastmath, nogil, pointers)

    def declare(own: Any) -> Any:
        own.__kernel__ = options
        return own

    return declare if function is None else declare(function)


def options_of(value: Any) -> Options | None:
    """Return how a function is compiled, None for what is no kernel."""
    found = getattr(value, "__kernel__", None)
    return found if isinstance(found, Options) else None


def view(block: NDArray[Any], start: int, shape: Sequence[int]) -> NDArray[Any]:
    """Return the array of a shape that lies in a contiguous block from element ``start`` on; it owns nothing."""
    size = 1
    for length in shape:
        size *= length
    return block[start : start + size].reshape(shape)


def local(length: int) -> Array:
    """Return memory of a kernel's own for so many numbers, a constant; it is gone when the kernel returns."""
    return np.empty(length)


def behind(pointer: Array, count: int) -> Array:
    """Return the address of what lies so many numbers behind an array's or a ``P1``'s first."""
    return pointer[count:]


def call_slot(slot: float, q: Array, constants: Array, out: Array, order: int) -> None:
    """Call the function of a slot, see ``functions``, with arrays or ``P1``."""
    functions.function_at(slot)(q, constants, out, order)
