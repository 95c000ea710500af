"""Sweeps: machine code that calls generated functions one after the other on records of one block of memory.

A table has a row for each call. The functions are found through their cells, so that a sweep runs optimized code as
soon as there is some; each has the signature ``void f(double *own, double *other, const double *x, const double *v,
const double *u, double *out)``.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.codegen import machine
from core.codegen.generated import CACHE, GeneratedFunction
from core.codegen.llvm_text import (
    COSINE,
    HALF_PI,
    LARGEST_ANGLE,
    PREFIX,
    SINE,
    Dialect,
    array_numbers,
    array_types,
    number_text,
)

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
        turns: Coordinates that are angles and where their records begin. Before all calls the cosine and sine of each
            are written to the first two places of its record, of the angle and what the record has at ``offset``.
        offset: A place in records.
    """

    def __init__(
        self, rows: Sequence[Row], block: Array, n: int, turns: Sequence[tuple[int, int]] = (), offset: int = 0
    ):
        self.block, self.n = block, n
        self._rows = list(rows)
        self._coordinates, self._places = ([pair[k] for pair in turns] for k in (0, 1))
        self._offset = offset
        # Four at a time; the last stands for those that are lacking.
        full = [*turns, *[turns[-1]] * (-len(turns) % 4)] if turns else []
        self._turns = np.array([(8 * first, 8 * place) for first, place in full], dtype=np.int64)
        self._table: NDArray[np.int64] | None = None
        self._quick: Callable[..., int] | None = None
        if rows and machine.is_there():
            self._table = np.array(
                [(row[0].cell.ctypes.data, 8 * row[1], 8 * row[2], 8 * row[3]) for row in rows], dtype=np.int64
            )
            first = (self._table.ctypes.data, len(rows), block.ctypes.data)
            self._first = (self._turns.ctypes.data, len(full), 8 * offset, *first)
            self._plan = np.array([*self._first, n], dtype=np.int64)
            if machine.arrays_are_as_expected():
                self._quick = partial(_functions()[1], self._plan.ctypes.data)

    @property
    def is_optimized(self) -> bool:
        """Whether all functions are."""
        return all(row[0].is_optimized for row in self._rows)

    def wait(self) -> None:
        """Wait until they are."""
        for row in self._rows:
            row[0].wait()

    def run(self, x: Array, v: Array, u: Array, out: Array) -> int:
        """Make the calls for each state; return the first state with a number that is not finite, or -1.

        Args:
            x, v, u: Contiguous, shape (n,) or (k, n).
            out: The same shape.
        """
        count = out.size // self.n if self.n else 0
        if self._table is None:
            return self._in_python(*(array.reshape(count, self.n) for array in (x, v, u, out)))
        return int(_functions()[0](*self._first, _pointer(x), _pointer(v), _pointer(u), _pointer(out), self.n, count))

    def quick(self, x: Any, v: Any, u: Any, out: Array) -> bool:
        """Make the calls for one state in as little time as can be.

        Return whether that was done and all results are finite; else nothing is known: an object may be no contiguous
        float64 array of shape (n,).
        """
        return self._quick is not None and self._quick(x, v, u, out) == -1

    def _in_python(self, x: Array, v: Array, u: Array, out: Array) -> int:
        bad = -1
        places = np.array(self._places, dtype=np.int64)
        for k in range(len(x)):
            angles = x[k, self._coordinates] + self.block[places + self._offset] if len(places) else np.zeros(0)
            self.block[places], self.block[places + 1] = np.cos(angles), np.sin(angles)
            for function, own, other, first in self._rows:
                function.apply(
                    self.block[own:], self.block[other:], x[k, first:], v[k, first:], u[k, first:], out[k, first:]
                )
            if bad < 0 and not np.isfinite([out[k], x[k] * v[k]]).all():
                bad = k
        return bad


def _pointer(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address


_making = threading.Lock()


def _functions() -> tuple[Any, Any]:
    with _making:
        return _made()


@cache
def _made() -> tuple[Any, Any]:
    llvm = machine.machine()
    text = _text(llvm.dialect)
    key = CACHE.key([text, llvm.identity])
    kept = CACHE.load(key)
    code = kept["object"].tobytes() if kept is not None and "object" in kept else b""
    if not code:
        code = llvm.object_of(text, True)
        CACHE.save(key, {"object": np.frombuffer(code, dtype=np.uint8)})
    address, of_arrays = llvm.load([code], _NAME, f"{_NAME}_of_arrays")
    pointer, integer = ctypes.c_void_p, ctypes.c_int64
    kinds = [pointer, integer, integer, pointer, integer, pointer, pointer, pointer, pointer, pointer, integer, integer]
    # It keeps the interpreter's lock: nobody else touches the block meanwhile.
    objects = [ctypes.py_object] * 4
    quick = ctypes.PYFUNCTYPE(integer, pointer, *objects)(of_arrays)
    return ctypes.PYFUNCTYPE(integer, *kinds)(address), quick


def _text(language: Dialect) -> str:
    """Return the text of the function that makes the calls, and of those that it needs."""
    # In one piece: the text of a single function, from its first line to its last.
    number = language.pointer
    opaque = number == "ptr"
    integer = "ptr" if opaque else "i64*"
    kinds = ", ".join([number] * 6)
    call = "ptr" if opaque else f"void ({kinds})*"
    lines = [
        f"define i64 @{_NAME}({integer} %turns, i64 %angles, i64 %offset, {integer} %rows, i64 %count, "
        f"{number} %block, {number} %x0, {number} %v0, {number} %u0, {number} %out0, i64 %n, i64 %states) nounwind {{",
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
        f"call void @{_NAME}_turns({integer} %turns, i64 %angles, i64 %offset, i64 %base, i64 %xi)",
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
        f"call void %function({arguments})",
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
        # A rate may have no part in any result: one that is not finite shows in its product with the coordinate.
        f"%xp = getelementptr double, {number} %x, i64 %j",
        f"%xj = load double, {number} %xp",
        f"%vp = getelementptr double, {number} %v, i64 %j",
        f"%vj = load double, {number} %vp",
        "%both = fmul double %xj, %vj",
        "%all = fadd double %o, %both",
        "%nothing = fmul double %all, 0.0",
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
    return _turns_text(language) + "\n".join(lines) + "\n" + _entry_text(language)


def _entry_text(language: Dialect) -> str:
    """Return the function that takes numpy's arrays, and all else from one block; -2 if one is of another kind."""
    opaque = language.pointer == "ptr"
    integer = "ptr" if opaque else "i64*"
    lines = [
        *array_types(),
        f"define i64 @{_NAME}_of_arrays({integer} %plan, i64 %a0, i64 %a1, i64 %a2, i64 %a3) nounwind {{",
    ]
    kinds = [integer, "i64", "i64", integer, "i64", language.pointer, "i64"]
    given = []
    for k, kind in enumerate(kinds):
        lines.append(f"%at{k} = getelementptr i64, {integer} %plan, i64 {k}")
        lines.append(f"%plan{k} = load i64, {integer} %at{k}")
        if kind != "i64":
            lines.append(f"%given{k} = inttoptr i64 %plan{k} to {kind}")
        given.append(f"{kind} %{'plan' if kind == 'i64' else 'given'}{k}")
    arrays = [
        f"{language.pointer} {array_numbers(lines, f'%a{k}', f'{k}', '%plan6', k == 3, language)}" for k in range(4)
    ]
    lines += [
        f"%found = call i64 @{_NAME}({', '.join([*given[:6], *arrays, given[6], 'i64 1'])})",
        "ret i64 %found",
        "refused:",
        "ret i64 -2",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _turns_text(language: Dialect) -> str:
    """Return the function that writes cosines and sines, four at a time: angles less multiples of pi/2, polynomials."""
    # In one piece: the text of a single function, from its first line to its last.
    opaque = language.pointer == "ptr"
    number, integer = ("ptr", "ptr") if opaque else ("double*", "i64*")
    four = "<4 x double>"
    lines = [
        *(f"declare double @{PREFIX}{name}(double) nounwind" for name in ("sin", "cos")),
        *(
            f"declare {four} @llvm.{name}.v4f64({', '.join([four] * count)})"
            for name, count in (("fma", 3), ("fabs", 1), ("rint", 1))
        ),
        f"define internal void @{_NAME}_turns({integer} %turns, i64 %angles, i64 %offset, i64 %base, i64 %x) nounwind "
        "noinline {",
        "entry:",
        "%any = icmp sgt i64 %angles, 0",
        "br i1 %any, label %next, label %end",
        "next:",
        "%i = phi i64 [0, %entry], [%inext, %store]",
        "%at = mul i64 %i, 2",
    ]

    def line(name: str, what: str) -> str:
        lines.append(f"%{name} = {what}")
        return f"%{name}"

    def all_four(value: float) -> str:
        return "<" + ", ".join([f"double {number_text(value)}"] * 4) + ">"

    def fma(name: str, a: str, b: str, c: str) -> str:
        return line(name, f"call {four} @llvm.fma.v4f64({four} {a}, {four} {b}, {four} {c})")

    angle, whole = "undef", [f"i64 {value}" for value in (1, 1, 1, 1)]
    for k in range(4):
        for j, name in enumerate(("first", "record")):
            line(f"{name}at{k}", f"add i64 %at, {2 * k + j}")
            line(f"{name}p{k}", f"getelementptr i64, {integer} %turns, i64 %{name}at{k}")
            line(f"{name}{k}", f"load i64, {integer} %{name}p{k}")
        line(f"xa{k}", f"add i64 %x, %first{k}")
        line(f"ra{k}", f"add i64 %base, %record{k}")
        line(f"oa{k}", f"add i64 %ra{k}, %offset")
        for name in ("x", "r", "o"):
            line(f"{name}p{k}", f"inttoptr i64 %{name}a{k} to {number}")
        line(f"xv{k}", f"load double, {number} %xp{k}")
        line(f"ov{k}", f"load double, {number} %op{k}")
        line(f"a{k}", f"fadd double %xv{k}, %ov{k}")
        angle = line(f"angle{k}", f"insertelement {four} {angle}, double %a{k}, i32 {k}")
    if language.fused:
        size = line("size", f"call {four} @llvm.fabs.v4f64({four} {angle})")
        line("near", f"fcmp ole {four} {size}, {all_four(LARGEST_ANGLE)}")
        line("lanes", "bitcast <4 x i1> %near to i4")
        line("all", "icmp eq i4 %lanes, -1")
        lines.append("br i1 %all, label %quick, label %far")
        lines.append("quick:")
        turns = line("turned", f"fmul {four} {angle}, {all_four(0.6366197723675814)}")
        nearest = line("nearest", f"call {four} @llvm.rint.v4f64({four} {turns})")
        back = line("back", f"fneg {four} {nearest}")
        r = angle
        for k, part in enumerate(HALF_PI):
            r = fma(f"r{k}", back, all_four(part), r)
        # The whole number stands in the last bits once 1.5 * 2^52 has been added.
        line("shifted", f"fadd {four} {nearest}, {all_four(1.5 * 2.0**52)}")
        line("quarter", f"bitcast {four} %shifted to <4 x i64>")
        z = line("z", f"fmul {four} {r}, {r}")
        cube = line("cube", f"fmul {four} {r}, {z}")
        values = {}
        for name, coefficients in (("s", SINE), ("c", COSINE)):
            value = all_four(coefficients[0])
            for k, part in enumerate(coefficients[1:]):
                value = fma(f"{name}{k}", z, value, all_four(part))
            values[name] = value
        sine = fma("sine", cube, values["s"], r)
        half = line("half", f"fmul {four} {z}, {all_four(0.5)}")
        main = line("main", f"fsub {four} {all_four(1.0)}, {half}")
        lost = line("lost", f"fsub {four} {all_four(1.0)}, {main}")
        rest = line("rest", f"fsub {four} {lost}, {half}")
        square = line("square", f"fmul {four} {z}, {z}")
        tail = fma("tail", square, values["c"], rest)
        cosine = line("cosine", f"fadd {four} {main}, {tail}")
        lines.append(f"%bit = and <4 x i64> %quarter, <{', '.join(whole)}>")
        line("odd", f"icmp ne <4 x i64> %bit, <{', '.join(['i64 0'] * 4)}>")
        twos = ", ".join(["i64 2"] * 4)
        lines.append(f"%later = add <4 x i64> %quarter, <{', '.join(whole)}>")
        for name, odd, even, quarter in (("sin", cosine, sine, "%quarter"), ("cos", sine, cosine, "%later")):
            line(f"{name}picked", f"select <4 x i1> %odd, {four} {odd}, {four} {even}")
            line(f"{name}bits", f"bitcast {four} %{name}picked to <4 x i64>")
            line(f"{name}second", f"and <4 x i64> {quarter}, <{twos}>")
            line(f"{name}sign", f"shl <4 x i64> %{name}second, <{', '.join(['i64 62'] * 4)}>")
            line(f"{name}signed", f"xor <4 x i64> %{name}bits, %{name}sign")
            line(f"{name}quick", f"bitcast <4 x i64> %{name}signed to {four}")
        lines.append("br label %store")
        lines.append("far:")
    else:
        lines.append("br label %far")
        lines.append("far:")
    for name in ("sin", "cos"):
        value = "undef"
        for k in range(4):
            line(f"{name}far{k}", f"call double @{PREFIX}{name}(double %a{k})")
            value = line(f"{name}lib{k}", f"insertelement {four} {value}, double %{name}far{k}, i32 {k}")
    lines.append("br label %store")
    lines.append("store:")
    for name in ("cos", "sin"):
        quick = f"[%{name}quick, %quick], " if language.fused else ""
        line(f"{name}all", f"phi {four} {quick}[%{name}lib3, %far]")
    for k in range(4):
        for j, name in enumerate(("cos", "sin")):
            line(f"{name}out{k}", f"extractelement {four} %{name}all, i32 {k}")
            line(f"{name}to{k}", f"getelementptr double, {number} %rp{k}, i64 {j}")
            lines.append(f"store double %{name}out{k}, {number} %{name}to{k}")
    lines += [
        "%inext = add i64 %i, 4",
        "%more = icmp slt i64 %inext, %angles",
        "br i1 %more, label %next, label %end",
        "end:",
        "ret void",
        "}",
    ]
    return "\n".join(lines) + "\n"
