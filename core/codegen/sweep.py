"""Sweeps: machine code that calls generated functions one after the other on records of one block of memory.

A table has a row for each call. The functions are found through their cells, so that a sweep runs optimized code as
soon as there is some; each has the signature ``void f(double *own, double *other, const double *x, const double *v,
const double *u, double *out)``. Of many states each thread does some, in a block of its own.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.codegen import machine
from core.codegen.generated import GeneratedFunction, kept_code
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
from core.errors import KernelError
from core.kernels.threads import share_rows

Row = tuple[GeneratedFunction, int, int, int]
"""A function, where its own and the other record begin in the block [numbers], and its first coordinate."""


class Spread(NamedTuple):
    """Numbers of each state that are written to the block before all calls: ``w`` of ``Sweep.run``.

    Attributes:
        place: Where the first piece goes [numbers].
        gap: From the start of a piece to that of the next in the block.
        size: Of a piece.
        pieces: How many.
    """

    place: int = 0
    gap: int = 0
    size: int = 0
    pieces: int = 0


NOTHING = Spread()
_NAME = "sequence_editor_sweep"
_WORTH_A_THREAD = 20_000
"""Calls, those for all states together, below which another thread costs more time than it saves."""


class Sweep:
    """A table of calls on one block of memory.

    With machine code, threads may share it: ``run`` and ``quick`` hold the interpreter's lock from beginning to end,
    and ``run_rows`` works in other blocks.

    Args:
        rows: The calls, in order.
        block: The records, contiguous, shape (size,).
        n: Number of coordinates of ``x``, ``v``, ``u`` and ``out``.
        turns: Coordinates that are angles and where their records begin. Before all calls the cosine and sine of each
            are written to the first two places of its record, of the angle and what the record has at ``offset``.
        offset: A place in records.
        spread: Where ``w`` goes.
    """

    def __init__(
        self, rows: Sequence[Row], block: Array, n: int, turns: Sequence[tuple[int, int]] = (), offset: int = 0,
        spread: Spread = NOTHING,
    ):  # fmt: skip
        self.block, self.n = block, n
        self._rows = list(rows)
        for function, *_ in rows:
            function.want()
        self._coordinates, self._places = ([pair[k] for pair in turns] for k in (0, 1))
        self._offset, self._spread = offset, spread
        self._spare: list[Array] = []
        # Four at a time; the last stands for those that are lacking.
        full = [*turns, *[turns[-1]] * (-len(turns) % 4)] if turns else []
        self._turns = np.array([(8 * first, 8 * place) for first, place in full], dtype=np.int64)
        self._plan: NDArray[np.int64] | None = None
        self._quick: Callable[..., int] | None = None
        if rows and machine.is_there():
            self._table = np.array(
                [(row[0].cell_address, 8 * row[1], 8 * row[2], 8 * row[3]) for row in rows], dtype=np.int64
            )
            turning, calling = (self._turns.ctypes.data, len(full), 8 * offset), (self._table.ctypes.data, len(rows))
            self._plan = np.array([*turning, *calling, n, *spread, block.ctypes.data], dtype=np.int64)
            if machine.arrays_are_as_expected() and not spread.pieces:
                self._quick = partial(_functions().of_arrays, self._plan.ctypes.data)

    @property
    def is_machine_code(self) -> bool:
        """Whether machine code makes the calls, so that threads can share the states."""
        return self._plan is not None

    @property
    def is_optimized(self) -> bool:
        """Whether all functions are."""
        return all(row[0].is_optimized for row in self._rows)

    def wait(self) -> None:
        """Wait until they are."""
        for row in self._rows:
            row[0].wait()

    def run(self, x: Array, v: Array, u: Array, out: Array, w: Array | None = None) -> int:
        """Make the calls for each state; return the first state with a number that is not finite, or -1.

        Args:
            x, v, u: Contiguous, shape (n,) or (k, n).
            out: The same shape.
            w: What is spread, contiguous, shape (pieces * size,) or (k, pieces * size) in any axes; None if nothing is.
        """
        if not self.n:  # nothing moves, whatever pushes
            return -1
        count = out.size // self.n
        if self._plan is None:
            rows = None if w is None else w.reshape(count, -1)
            shape = count, self.n
            return self._in_python(x.reshape(shape), v.reshape(shape), u.reshape(shape), out.reshape(shape), rows)
        size = self._spread.pieces * self._spread.size
        inputs = [_pointer(x), _pointer(v), _pointer(u), 0 if w is None else _pointer(w), _pointer(out)]
        # It keeps the interpreter's lock: nobody else touches the block meanwhile.
        call = _functions().held
        return int(call(self._plan.ctypes.data, _pointer(self.block), *inputs, self.n, self.n, self.n, size, count))

    def run_rows(self, x: Array, v: Array, u: Array, out: Array, w: Array | None = None) -> list[int]:
        """Make the calls for many states, on all processors; return the states with a number that is not finite.

        Each state has the bits that ``run`` gives it alone.

        Args:
            x, v, u: Contiguous, shape (k, n), or (1, n) for all states.
            out: Contiguous, shape (k, n).
            w: What is spread, contiguous, shape (k, ...) or (1, ...), pieces * size numbers a state; None if nothing.

        Raises:
            KernelError: If numpy makes the calls.
        """
        if self._plan is None:
            raise KernelError("states are shared among threads by machine code, and there is none")
        if not len(out):
            return []
        given = (x, v, u) if w is None else (x, v, u, w)
        starts = [*map(_pointer, given), *[0] * (4 - len(given))]
        steps = [*(array[0].size * (len(array) > 1) for array in given), *[0] * (4 - len(given))]
        to, plan, call = _pointer(out), self._plan.ctypes.data, _functions().free
        found: list[int] = []

        def work(first: int, end: int) -> None:
            try:  # ``list.pop`` and ``append`` are safe between threads
                block = self._spare.pop()
            except IndexError:
                block = self.block.copy()
            try:
                moved = [start + 8 * first * step for start, step in zip(starts, steps, strict=True)]
                bad = call(plan, _pointer(block), *moved, to + 8 * first * self.n, *steps, end - first)
                if bad >= 0:
                    found.append(first + bad)
            finally:
                self._spare.append(block)

        share_rows(work, len(out), _WORTH_A_THREAD // len(self._rows) + 1)
        if not found:
            return []
        return [int(k) for k in np.flatnonzero(~np.isfinite(out + x * v).all(axis=1))]

    def quick(self, x: Any, v: Any, u: Any, out: Array) -> bool:
        """Make the calls for one state in as little time as can be; nothing is spread.

        Return whether that was done and all results are finite; else nothing is known: an object may be no contiguous
        float64 array of shape (n,).
        """
        return self._quick is not None and self._quick(x, v, u, out) == -1

    def _in_python(self, x: Array, v: Array, u: Array, out: Array, w: Array | None) -> int:
        bad = -1
        places = np.array(self._places, dtype=np.int64)
        place, gap, size, pieces = self._spread
        for k in range(len(x)):
            angles = x[k, self._coordinates] + self.block[places + self._offset] if len(places) else np.zeros(0)
            self.block[places], self.block[places + 1] = np.cos(angles), np.sin(angles)
            if w is not None:
                for j in range(pieces):
                    self.block[place + j * gap : place + j * gap + size] = w[k, j * size : j * size + size]
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


class _Functions(NamedTuple):
    """The same function with the interpreter's lock held and without it, and that of numpy's arrays."""

    held: Any
    free: Any
    of_arrays: Any


_making = threading.Lock()


def _functions() -> _Functions:
    with _making:
        return _made()


@cache
def _made() -> _Functions:
    llvm = machine.machine()
    address, of_arrays = llvm.load([kept_code(_text(llvm.dialect))], _NAME, f"{_NAME}_of_arrays")
    kinds = [ctypes.c_void_p] * 7 + [ctypes.c_int64] * 5
    quick = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *[ctypes.py_object] * 4)(of_arrays)
    held, free = (form(ctypes.c_int64, *kinds)(address) for form in (ctypes.PYFUNCTYPE, ctypes.CFUNCTYPE))
    return _Functions(held, free, quick)


_PLAN = ("turns", "angles", "offset", "rows", "count", "n", "place", "gap", "size", "pieces", "block")
"""What stands in a sweep's plan: addresses, and numbers of bytes or of numbers."""


def _planned(lines: list[str], integer: str) -> None:
    """Read the plan."""
    for k, name in enumerate(_PLAN[:-1]):
        lines.append(f"%{name}at = getelementptr i64, {integer} %plan, i64 {k}")
        lines.append(f"%{name} = load i64, {integer} %{name}at")
    for name in ("turns", "rows"):
        lines.append(f"%{name}q = inttoptr i64 %{name} to {integer}")


def _text(language: Dialect) -> str:
    """Return the text of the function that makes the calls, and of those that it needs."""
    # In one piece: the text of a single function, from its first line to its last.
    number = language.pointer
    opaque = number == "ptr"
    integer = "ptr" if opaque else "i64*"
    kinds = ", ".join([number] * 6)
    call = "ptr" if opaque else f"void ({kinds})*"
    arrays = ("x", "v", "u", "w", "out")
    lines = [
        f"define i64 @{_NAME}({integer} %plan, {number} %block, "
        + ", ".join(f"{number} %{name}0" for name in arrays)
        + ", i64 %xs, i64 %vs, i64 %us, i64 %ws, i64 %states) nounwind {",
        "entry:",
    ]
    _planned(lines, integer)
    lines += [
        f"%base = ptrtoint {number} %block to i64",
        "%some = icmp sgt i64 %states, 0",
        "br i1 %some, label %state, label %none",
        "state:",
        "%k = phi i64 [0, %entry], [%knext, %known]",
        "%bad = phi i64 [-1, %entry], [%worse, %known]",
    ]
    for name, step in zip(arrays, ("%xs", "%vs", "%us", "%ws", "%n"), strict=True):
        lines.append(f"%{name}shift = mul i64 %k, {step}")
        lines.append(f"%{name} = getelementptr double, {number} %{name}0, i64 %{name}shift")
        lines.append(f"%{name}i = ptrtoint {number} %{name} to i64")
    lines += [
        "%spreads = icmp sgt i64 %pieces, 0",
        "br i1 %spreads, label %piece, label %turn",
        "piece:",
        "%p = phi i64 [0, %state], [%pnext, %piecedone]",
        "%ppart = mul i64 %p, %gap",
        "%pto = add i64 %ppart, %place",
        "%pfrom = mul i64 %p, %size",
        "br label %copy",
        "copy:",
        "%c = phi i64 [0, %piece], [%cnext, %copy]",
        "%cfrom = add i64 %pfrom, %c",
        "%cto = add i64 %pto, %c",
        f"%cfromp = getelementptr double, {number} %w, i64 %cfrom",
        f"%ctop = getelementptr double, {number} %block, i64 %cto",
        f"%cvalue = load double, {number} %cfromp",
        f"store double %cvalue, {number} %ctop",
        "%cnext = add i64 %c, 1",
        "%cmore = icmp slt i64 %cnext, %size",
        "br i1 %cmore, label %copy, label %piecedone",
        "piecedone:",
        "%pnext = add i64 %p, 1",
        "%pmore = icmp slt i64 %pnext, %pieces",
        "br i1 %pmore, label %piece, label %turn",
        "turn:",
    ]
    lines += [
        f"call void @{_NAME}_turns({integer} %turnsq, i64 %angles, i64 %offset, i64 %base, i64 %xi)",
        "%any = icmp sgt i64 %count, 0",
        "br i1 %any, label %call, label %check",
        "call:",
        "%i = phi i64 [0, %turn], [%inext, %call]",
        "%rowat = mul i64 %i, 4",
    ]
    for j, name in enumerate(("cell", "own", "other", "first")):
        lines.append(f"%{name}at = add i64 %rowat, {j}")
        lines.append(f"%{name}p = getelementptr i64, {integer} %rowsq, i64 %{name}at")
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
    for name in ("n", "block"):
        lines.append(f"%{name}at = getelementptr i64, {integer} %plan, i64 {_PLAN.index(name)}")
        lines.append(f"%{name} = load i64, {integer} %{name}at")
    lines.append(f"%blockq = inttoptr i64 %block to {language.pointer}")
    arrays = [f"{language.pointer} {array_numbers(lines, f'%a{k}', f'{k}', '%n', k == 3, language)}" for k in range(4)]
    arrays.insert(3, f"{language.pointer} %blockq")  # nothing is spread
    lines += [
        f"%found = call i64 @{_NAME}({integer} %plan, {language.pointer} %blockq, {', '.join(arrays)}, "
        "i64 0, i64 0, i64 0, i64 0, i64 1)",
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
