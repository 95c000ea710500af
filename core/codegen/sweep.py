"""Sweeps: machine code that calls generated functions one after the other on records of one block of memory.

A table has a row for each call. The functions are found through their cells, so that a sweep runs optimized code as soon
as there is some; each has the signature ``void f(double *own, double *other, const double *x, const double *v,
const double *u, double *out)``.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.codegen import machine
from core.codegen.generated import CACHE, GeneratedFunction
from core.codegen.llvm_text import Dialect

Row = tuple[GeneratedFunction, int, int, int]
"""A function, where its own and the other record begin in the block [numbers], and its first coordinate."""

_NAME = "sequence_editor_sweep"


class Sweep:
    """A table of calls on one block of memory.

    With machine code, threads may share it: it holds the interpreter's lock from beginning to end.

    Args:
        rows: The calls, in order.
        block: The records, contiguous, shape (size,).
        n: Number of coordinates of ``x``, ``v``, ``u`` and ``out``.
    """

    def __init__(self, rows: Sequence[Row], block: Array, n: int):
        self.block, self.n = block, n
        self._rows = list(rows)
        self._table: NDArray[np.int64] | None = None
        if rows and machine.is_there():
            self._table = np.array(
                [(row[0].cell.ctypes.data, 8 * row[1], 8 * row[2], 8 * row[3]) for row in rows], dtype=np.int64
            )
            self._first = (self._table.ctypes.data, len(rows), block.ctypes.data)

    def run(self, x: Array, v: Array, u: Array, out: Array) -> int:
        """Make the calls for each state; return the first state with a number in ``out`` that is not finite, or -1.

        Args:
            x, v, u: Contiguous, shape (n,) or (k, n).
            out: The same shape.
        """
        count = out.size // self.n if self.n else 0
        if self._table is None:
            return self._in_python(*(array.reshape(count, self.n) for array in (x, v, u, out)))
        return int(
            _function()(*self._first, _pointer(x), _pointer(v), _pointer(u), _pointer(out), self.n, count)
        )

    def _in_python(self, x: Array, v: Array, u: Array, out: Array) -> int:
        bad = -1
        for k in range(len(x)):
            for function, own, other, first in self._rows:
                function.apply(
                    self.block[own:], self.block[other:], x[k, first:], v[k, first:], u[k, first:], out[k, first:]
                )
            if bad < 0 and not np.isfinite(out[k]).all():
                bad = k
        return bad


def _pointer(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


_making = threading.Lock()


def _function() -> Any:
    with _making:
        return _made()


@cache
def _made() -> Any:
    llvm = machine.machine()
    text = _text(llvm.dialect)
    key = CACHE.key([text, llvm.identity])
    kept = CACHE.load(key)
    code = kept["object"].tobytes() if kept is not None and "object" in kept else b""
    if not code:
        code = llvm.object_of(text, True)
        CACHE.save(key, {"object": np.frombuffer(code, dtype=np.uint8)})
    (address,) = llvm.load([code], _NAME)
    pointer, integer = ctypes.c_void_p, ctypes.c_int64
    kinds = [pointer, integer, pointer, pointer, pointer, pointer, pointer, integer, integer]
    # It keeps the interpreter's lock: nobody else touches the block meanwhile.
    return ctypes.PYFUNCTYPE(integer, *kinds)(address)


def _text(language: Dialect) -> str:
    number = language.pointer
    opaque = number == "ptr"
    integer = "ptr" if opaque else "i64*"
    kinds = ", ".join([number] * 6)
    call = "ptr" if opaque else f"void ({kinds})*"
    lines = [
        f"define i64 @{_NAME}({integer} %rows, i64 %count, {number} %block, {number} %x0, {number} %v0, {number} %u0, "
        f"{number} %out0, i64 %n, i64 %states) nounwind {{",
        "entry:",
        f"%base = ptrtoint {number} %block to i64",
        "%some = icmp sgt i64 %states, 0",
        "br i1 %some, label %state, label %none",
        "state:",
        "%k = phi i64 [0, %entry], [%knext, %known]",
        "%bad = phi i64 [-1, %entry], [%worse, %known]",
        "%shift = mul i64 %k, %n",
    ]
    for name in ("x", "v", "u", "out"):
        lines.append(f"%{name} = getelementptr double, {number} %{name}0, i64 %shift")
        lines.append(f"%{name}i = ptrtoint {number} %{name} to i64")
    lines += [
        "%any = icmp sgt i64 %count, 0",
        "br i1 %any, label %call, label %check",
        "call:",
        "%i = phi i64 [0, %state], [%inext, %call]",
        "%place = mul i64 %i, 4",
    ]
    for j, name in enumerate(("cell", "own", "other", "first")):
        lines.append(f"%{name}at = add i64 %place, {j}")
        lines.append(f"%{name}p = getelementptr i64, {integer} %rows, i64 %{name}at")
        lines.append(f"%{name} = load i64, {integer} %{name}p")
    lines += [
        f"%cellq = inttoptr i64 %cell to {integer}",
        f"%address = load i64, {integer} %cellq",
        f"%function = inttoptr i64 %address to {call}",
        "%ownat2 = add i64 %base, %own",
        "%otherat2 = add i64 %base, %other",
        f"%ownq = inttoptr i64 %ownat2 to {number}",
        f"%otherq = inttoptr i64 %otherat2 to {number}",
    ]
    for name in ("x", "v", "u", "out"):
        lines.append(f"%{name}a = add i64 %{name}i, %first")
        lines.append(f"%{name}q = inttoptr i64 %{name}a to {number}")
    arguments = ", ".join(f"{number} %{name}q" for name in ("own", "other", "x", "v", "u", "out"))
    lines += [
        f"call void %function({arguments})" if opaque else f"call void %function({arguments})",
        "%inext = add i64 %i, 1",
        "%more = icmp slt i64 %inext, %count",
        "br i1 %more, label %call, label %check",
        "check:",
        "%has = icmp sgt i64 %n, 0",
        "br i1 %has, label %sum, label %known",
        "sum:",
        "%j = phi i64 [0, %check], [%jnext, %sum]",
        "%total = phi double [0.0, %check], [%totalnext, %sum]",
        f"%op = getelementptr double, {number} %out, i64 %j",
        f"%o = load double, {number} %op",
        # Zero times what is not finite is no number.
        "%nothing = fmul double %o, 0.0",
        "%totalnext = fadd double %total, %nothing",
        "%jnext = add i64 %j, 1",
        "%onward = icmp slt i64 %jnext, %n",
        "br i1 %onward, label %sum, label %known",
        "known:",
        "%result = phi double [0.0, %check], [%totalnext, %sum]",
        "%good = fcmp ord double %result, 0.0",
        "%already = icmp sge i64 %bad, 0",
        "%keep = or i1 %good, %already",
        "%worse = select i1 %keep, i64 %bad, i64 %k",
        "%knext = add i64 %k, 1",
        "%again = icmp slt i64 %knext, %states",
        "br i1 %again, label %state, label %done",
        "done:",
        "ret i64 %worse",
        "none:",
        "ret i64 -1",
        "}",
    ]
    return "\n".join(lines) + "\n"
