"""Texts that must not be taken for expressions, and what shows that nothing in them is run."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from core.errors import CoreError


def hostile() -> list[str]:
    """Return over 200 texts that must be refused."""
    code = [
        "__import__('os').system('true')",
        "__import__",
        "__builtins__",
        "eval('1')",
        "exec('import os')",
        "open('/etc/passwd')",
        "().__class__.__bases__[0].__subclasses__()",
        "u.__class__",
        "u.__class__.__mro__",
        "sin.__globals__",
        "lambda: 1",
        "[x for x in (1, 2)]",
        "{1: 2}",
        "f'{u}'",
        "u if u else v",
        "u and v",
        "not u",
        "u == v",
        "u < v",
        "u := 1",
        "u = 1",
        "u; v",
        "import os",
        "os.system('true')",
        "print(u)",
        "getattr(u, 'value')",
        "globals()",
        "breakpoint()",
        "exit()",
        "quit()",
        "raise SystemExit",
        "yield u",
        "await u",
        "assert u",
        "del u",
        "while 1: pass",
        "${u}",
        "`true`",
        "$(true)",
        "%s",
        "{{u}}",
        "<script>",
        "u[0]",
        "u // v",
        "u % v",
        "u << 2",
        "u >> 2",
        "u | v",
        "u & v",
        "~u",
        "!u",
        "u @ v",
        "u ? v : 1",
        "u\\v",
        "0x10",
        "0b1",
        "0o7",
        "1_000",
        "1j",
        "1.2.3",
        "1e",
        "1e+",
        "e",
        "inf",
        "nan",
        "infinity",
        "-inf",
        "None",
        "True",
        "'1'",
        '"1"',
        "#1",
        "1 # 2",
        "\\u0031",
    ]
    syntax = [
        *("", " ", "\n\t", "+", "-", "*", "/", "^", "**", "(", ")", "()", ",", ";", ".", "..", "()()", ")(", "u()"),
        *("1 2", "1 +", "1 + * 2", "1 * / 2", "u v", "2u v", "u(v)", "(u)(v)", "sin", "sin u", "sin()", "sin(,)"),
        *("sin(u,)", "sin(,u)", "atan2(u)", "atan2(u,v,1)", "(u, v)", "u, v", "sin(u", "sin u)", "((u)", "(u))"),
        *("u ^", "^ u", "u ** ** v", "u ^ * v", "u ***v", "select(u, v)", "max()", "min(1,2,3)", "pi(1)", "u sin(v)"),
    ]
    numbers = [
        *("1e999", "-1e999", "1e308*10", "1e308+1e308", "9^9^9", "9^9^9^9^9", "10^309", "u^1e9", "u^-1e9", "u^1e308"),
        *("(u+1)^9999999", "2^2^2^2^2^2", "exp(1000)", "exp(exp(exp(10)))", "sinh(1e4)", "(-8)^(1/3)", "0^-1", "0^v"),
        *("1/0", "0/0", "1/(1-1)", "1/u", "u/u", "v/u^2", "1/sin(u)", "1/(u-v)", "1/(cos(u)-1)", "u/(u*v)", "1/-u"),
        *("1/sqrt(u)", "log(u)", "log(0)", "log(-1)", "sqrt(-1)", "sqrt(u-1)", "asin(2)", "acos(-1.5+u)", "u^-1"),
        *("u^-0.5", "(u-1)^0.5", "(u-1)^1.5", "u^v", "log(u^2)", "1/log(1+u)", "1e-320^-1", "1/5e-324", "1/tan(u)"),
    ]
    unicode = [
        *("u + v\u202e", "\u200bu", "u\u0000v", "\ufeff1", "١٢٣", "１＋２", "½", "²", "u²", "√u", "π", "∞", "Ⅷ", "𝑢"),
        *("\ud800", "🦴", "u\u0301", "ѕin(u)", "sin（u）", "u，v", "1\u2044 2", "\x1b[31m", "\x7f", "µ", "‰", "1′"),
    ]
    large = [
        "(" * 10_000,
        "(" * 5_000 + ")" * 5_000,
        "(" * 300 + "u" + ")" * 300,
        "sin(" * 2_000 + "u" + ")" * 2_000,
        "-" * 10_000,
        "+" * 9_999,
        "-" * 9_998 + "(",
        "u^" * 5_000,
        "u^" * 4_999 + "1e9",
        "2^" * 4_999 + "2",
        "-2^" * 3_333,
        "u+" * 5_000,
        "u*" * 5_000,
        "1/" * 5_000,
        "u " * 5_000,
        "max(" * 200 + "u," * 200,
        "max(u," * 250 + "v",
        "select(u," * 250,
        "," * 10_000,
        "." * 10_000,
        "1" * 10_000,
        "1e" + "9" * 9_000,
        "0." + "1" * 9_000 + "e99999",
        "w" * 10_000,
        "_" * 10_000,
        "u" * 41 + "(",
        " " * 10_000,
        "1" * 10_001,
        "1+" * 5_001,
        " " * 10_000_000,
        "(" * 10_000_000,
        "1+" * 5_000_000 + "1",
        "u" * 10_000_000,
        "é" * 10_000_000,
        "x.y" * 3_333,
        "é" * 10_000,
        "\x00" * 10_000,
        "(u+1)^1000000^1000000",
    ]
    found = [*code, *syntax, *numbers, *unicode, *large]
    return list(dict.fromkeys(found))


_watching: list[str] | None = None
_hooked = False


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _watching is not None and event.startswith(("exec", "compile", "import", "open", "os.", "subprocess", "socket")):
        _watching.append(f"{event} {arguments}"[:200])


@contextmanager
def watched() -> Iterator[list[str]]:
    """Note what is run, imported or opened in a ``with`` block."""
    global _watching, _hooked
    if not _hooked:
        sys.addaudithook(_watch)  # stays for the process, and asleep
        _hooked = True
    ran = _watching = []
    try:
        yield ran
    finally:
        _watching = None


SOON = 1.0
"""Time in which any text is refused, [s]: ten times what the slowest takes on a usual machine."""


def refusal(read: Callable[[], object]) -> tuple[CoreError | None, float]:
    """Return what a call raises, and how long it takes, [s]: the best of six tries if the first is slow."""
    seconds, error = math.inf, None
    for _ in range(6):  # a first call may wait for a collection of garbage, or for memory, a busy machine be slow
        start, error = time.process_time(), None
        try:
            read()
        except CoreError as caught:
            error = caught
        seconds = min(seconds, time.process_time() - start)
        if seconds < SOON:
            break
    return error, seconds
