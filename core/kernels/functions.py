"""Functions that kernels call without knowing them: by a number, which a table turns into an address.

Such a function has one form in C, ``void f(const double *q, const double *constants, double *out, int64 order)``, and
the same in Python, with arrays. It is entered here once a process and never removed; kernels are handed a *slot*, the
address of the entry, which never changes, while the entry itself may: a function serves through a callback into Python
until compiled code is there. No address is ever a constant of a kernel, which the cache on the disk would keep for a
process in which it means nothing.

What a function raises is kept, since it cannot pass through compiled code: whoever called the kernel asks for it with
``raise_kept``.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import KernelError

MOST = 4096
"""Functions that a process may enter."""
_REACH = 1 << 32
"""Numbers that are in reach of a callback through each of its pointers; how many there are only the function knows."""

Function = Callable[[Array, Array, Array, int], None]

_ENTRY = ctypes.CFUNCTYPE(
    None, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double),
    ctypes.c_int64,
)  # fmt: skip
_CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_compiled: dict[Any, Any] = {}
_addresses = np.zeros(MOST, dtype=np.int64)  # its memory is what kernels read: it is never replaced
_START = int(_addresses.ctypes.data)
_functions: list[Function] = []
_numbers: dict[Any, int] = {}
_kept_alive: list[Any] = []
_lock = threading.RLock()
_local = threading.local()


def slot_of(function: Function) -> float:
    """Return the slot of a function, which is entered if it was not; exact as a float, so that arrays may hold it.

    Args:
        function: A kernel declared with ``pointers=True``, or any other function of this form.

    Raises:
        KernelError: If the table is full.
    """
    with _lock:
        number = _numbers.get(function)
        if number is None:
            number = len(_functions)
            if number >= MOST:
                raise KernelError(f"a process may enter {MOST} functions that kernels call; it has entered all of them")
            entry = _ENTRY(_called_from_c(function))
            _kept_alive.append(entry)
            _addresses[number] = ctypes.cast(entry, ctypes.c_void_p).value or 0
            _functions.append(function)
            _numbers[function] = number
    return float(_START + 8 * number)


def compiled(function: Function, address: int, owner: Any) -> None:
    """Have compiled code serve a function from now on.

    Args:
        function: It.
        address: Where its code is.
        owner: What keeps the code in memory; kept for ever, since a kernel may be about to call it.
    """
    with _lock:
        slot_of(function)
        _kept_alive.append(owner)
        _addresses[_numbers[function]] = address
        _compiled[function] = _CALL(address)


def call(function: Function, q: Array, constants: Array, out: Array, order: int) -> None:
    """Call a function from Python: its compiled code where that is there, else itself."""
    entry = _compiled.get(function)
    if entry is None:
        function(q, constants, out, order)
    else:
        entry(q.ctypes.data, constants.ctypes.data, out.ctypes.data, order)


def function_at(slot: float) -> Function:
    """Return the function of a slot as Python calls it."""
    return _functions[(int(slot) - _START) // 8]


def is_compiled(slot: float) -> bool:
    """Return whether compiled code serves a slot, which threads may call at the same time."""
    return function_at(slot) in _compiled


def _called_from_c(function: Function) -> Callable[[Any, Any, Any, int], None]:
    def entry(q: Any, constants: Any, out: Any, order: int) -> None:
        try:
            x, fixed, made = (np.ctypeslib.as_array(pointer, shape=(_REACH,)) for pointer in (q, constants, out))
            function(x, fixed, made, order)
        except BaseException as error:  # it cannot pass through what is compiled
            keep(error)

    return entry


def keep(error: BaseException) -> None:
    """Keep what was raised where it cannot pass, the first of several."""
    if getattr(_local, "error", None) is None:
        _local.error = error


def raise_kept() -> None:
    """Raise what a function raised while a kernel called it on this thread, if anything."""
    error = getattr(_local, "error", None)
    if error is not None:
        _local.error = None
        raise error
