"""Calls, within sweeps, of functions that are known by their slot alone (``core.kernels.functions``): joints' own.

What is in the slot is looked up at each call: it may become compiled code at any time.
"""

from __future__ import annotations

import threading
from functools import cache

from core.codegen import machine
from core.codegen.generated import GeneratedFunction, kept_code
from core.codegen.llvm_text import Dialect

_making = threading.Lock()


def slot_call(n: int, slot: int, Q: int, S: int, rate: int) -> GeneratedFunction:
    """Return the routine of a sweep that evaluates a joint and writes it to the joint's record.

    Args:
        n: Number of coordinates.
        slot: Place in the record of the slot, and behind it of the address of the constants, as floats.
        Q: Place of the rotation, nine numbers, and behind it of the origin.
        S: Place of the columns of the motion subspace, six numbers each.
        rate: Place of ``Sdot v``.
    """
    with _making:
        return _made(n, slot, Q, S, rate)


@cache
def _made(n: int, slot: int, Q: int, S: int, rate: int) -> GeneratedFunction:
    llvm = machine.machine()
    name = f"slot_call_{n}_{slot}_{Q}_{S}_{rate}"
    code = kept_code(_text(name, n, slot, Q, S, rate, llvm.dialect))
    # What calls it goes by its address alone.
    function = GeneratedFunction([("memory", 0)], [1], [(0, 0)])
    function.serve(llvm.load([code], name)[0])
    return function


def _text(name: str, n: int, slot: int, Q: int, S: int, rate: int, language: Dialect) -> str:
    number = language.pointer
    opaque = number == "ptr"
    integer = "ptr" if opaque else "i64*"
    form = "ptr" if opaque else f"void ({number}, {number}, {number}, i64)*"
    arguments = ", ".join(f"{number} %{each}" for each in ("own", "other", "x", "v", "u", "out"))
    lines = [f"define void @{name}({arguments}) nounwind {{", f"%made = alloca double, i64 {12 + 6 * n + 6 * n * n}"]
    count = 0

    def value(what: str) -> str:
        nonlocal count
        count += 1
        lines.append(f"%t{count} = {what}")
        return f"%t{count}"

    def load(pointer: str, place: int) -> str:
        return value(f"load double, {number} {value(f'getelementptr double, {number} {pointer}, i64 {place}')}")

    def store(number_: str, place: int) -> None:
        lines.append(f"store double {number_}, {number} {value(f'getelementptr double, {number} %own, i64 {place}')}")

    entry, constants = (value(f"fptosi double {load('%own', place)} to i64") for place in (slot, slot + 1))
    address = value(f"load i64, {integer} {value(f'inttoptr i64 {entry} to {integer}')}")
    function = value(f"inttoptr i64 {address} to {form}")
    given = value(f"inttoptr i64 {constants} to {number}")
    lines.append(f"call void {function}({number} %x, {number} {given}, {number} %made, i64 2)")
    for j in range(3):
        for k in range(3):
            store(load("%made", 4 * j + k), Q + 3 * j + k)
        store(load("%made", 4 * j + 3), Q + 9 + j)
    for k in range(6 * n):
        store(load("%made", 12 + k), S + k)
    rates = [load("%v", k) for k in range(n)]
    products = [value(f"fmul double {rates[k]}, {rates[m]}") for k in range(n) for m in range(n)]
    for j in range(6):
        total = "0.0"
        for k, product in enumerate(products):
            part = value(f"fmul double {load('%made', 12 + 6 * n + 6 * k + j)}, {product}")
            total = value(f"fadd double {total}, {part}")
        store(total, rate + j)
    return "\n".join([*lines, "ret void", "}"]) + "\n"
