"""What texts mean, and what is said of those that mean nothing."""

from __future__ import annotations

import math
import sys
import time

import pytest

from core.errors import ExpressionError
from core.symbolic.evaluation import evaluate
from core.symbolic.expression import ONE, OPERATIONS, ZERO, apply, symbols
from core.symbolic.parsing import DEEPEST, FUNCTIONS, LONGEST, check_name, parse, parse_several

U, V = symbols("u v")
UNITS = {"cm": 1.0, "mm": 0.1, "turn": 360.0, "°": 1.0, "%": 0.01, "m/s²": 1.0}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("2 - 3 - 4", -5.0),
        ("12 / 3 / 2", 2.0),
        ("49 / 49", 1.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^-1", 0.5),
        ("2^3^2", 512.0),
        ("2**3**2", 512.0),
        ("2^-1^2", 0.5),
        ("2 * -3 ^ 2 + 1", -17.0),
        ("--3", 3.0),
        ("+-+2", -2.0),
        ("2 × 3 ÷ 4 − 1", 0.5),
        (".5 + 5. + 1e-3 + 2E+1", 25.501),
        ("pi", math.pi),
        ("tau/2", math.pi),
        ("8^(1/3)", 2.0),
        ("4^0.5", 2.0),
        ("sin(pi/6)", 0.5),
        ("atan2(1, 1)", math.pi / 4),
        ("atan2(1; 1)", math.pi / 4),
        ("max(min(3, 2), -1)", 2.0),
        ("select(-1, 2, 3) + select(0, 2, 3)", 5.0),
        ("abs(-3) * sign(-2)", -3.0),
        ("  \t( ( 7 ) )\n", 7.0),
        ("3 cm + 2 mm", 3.2),
        ("1/4 turn", 90.0),
        ("2 * (3 cm + 2 mm)", 6.4),
        ("-5 cm", -5.0),
        ("30 cm / 2", 15.0),
        ("2^2 cm", 4.0),
        ("50%", 0.5),
        ("9.81 m/s²", 9.81),
        ("max(3 cm, 20 mm)", 3.0),
    ],
)
def test_numbers(text, wanted):
    assert parse(text, units=UNITS).value == pytest.approx(wanted, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("u + v", U + V),
        ("-u^2", -(U**2)),
        ("2*u/v", 2 * U / V),
        ("sin(u)^2 + cos(u)^2", ONE),
        ("u**0.5", apply("sqrt", U)),
        ("u^v", U**V),
        ("atan2(u, v)", apply("atan2", U, V)),
        ("u - u", ZERO),
        ("u/4 turn", 90 * U),
    ],
)
def test_expressions(text, wanted):
    assert parse(text, ["u", "v"], UNITS) is wanted


def test_every_function_of_the_table_is_known():
    assert {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "log", "abs"} <= set(FUNCTIONS)
    for word, operation in FUNCTIONS.items():
        arguments = ["u", "v", "u*v"][: OPERATIONS[operation].arity]
        assert parse(f"{word}({', '.join(arguments)})", ["u", "v"]).operation == operation


def test_names_may_stand_for_expressions():
    assert parse("radius * u", {"radius": ONE * 3, "u": U}) is 3 * U


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("1,5", 1.5), ("1,5 + ,5", 2.0), ("5,", 5.0), ("7,+7", 14.0), ("max(1,5, 2)", 2.0), ("max(1,5; 2,5)", 2.5)],
)
def test_a_decimal_comma(text, wanted):
    assert parse(text, decimal_comma=True).value == wanted


def test_several_on_a_line():
    assert parse_several("u*2  0 atan2(u, v)", 3, ["u", "v"]) == [2 * U, ZERO, apply("atan2", U, V)]
    assert parse_several("u - 1, 0, -v", 3, ["u", "v"]) == [U - 1, ZERO, -V]
    with pytest.raises(ExpressionError, match="2 expressions; expected 3") as caught:
        parse_several("u v", 3, ["u", "v"])
    assert caught.value.position == 3
    with pytest.raises(ExpressionError, match='character 5: "w" is not known here'):
        parse_several("u 0 w", 3, ["u", "v"])
    with pytest.raises(ExpressionError, match="character 3: nothing is written"):
        parse_several("u,,0", 3, ["u"])


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "nothing is written; expected a number, a name or ("),
        ("1 +", 3, "the text ends; expected a number"),
        ("* 2", 0, '"*" stands where a value should'),
        ("2 u", 2, '"u" follows a value; expected an operator'),
        ("2 (3)", 2, '"(" follows a value'),
        ("1 2", 2, '"2" follows a value'),
        ("u.real", 1, '".real" is not understood'),
        ("sni(u)", 0, '"sni" is not known here; expected "sin"'),
        ("w + 1", 0, '"w" is not known here; expected'),
        ("sin u", 4, '"u" stands after sin; expected "(", as in sin(1)'),
        ("sin", 3, "the text ends after sin"),
        ("sin()", 4, '")" stands where a value should'),
        ("sin(1, 2)", 8, "sin has 2; expected 1 value"),
        ("atan2(1)", 7, "atan2 has 1; expected 2 values"),
        ("((1)", 4, 'the "(" of character 1 is open; expected ")"'),
        ("1)", 1, '")" has no "(" before it'),
        ("1, 2", 1, '"," stands outside a function'),
        ("5 parsec", 2, 'unknown unit "parsec"; expected cm, mm'),
        ("cm", 0, '"cm" is a unit; expected a number before it'),
        ("2 cm * 3 mm", 9, '"cm" times "mm" is not a unit; expected one unit per product'),
        ("2 cm ^ 2", 5, "a unit has no power"),
        ("1/0", 1, "division by zero; expected a divisor"),
        ("1 + 2/u", 5, "division by zero at rest"),
        ("u/u", 1, "division by zero at rest"),
        ("sqrt(u - 1)", 0, "sqrt(-1) at rest is not a finite number"),
        ("log(0)", 0, "log(0) is not a finite number"),
        ("u^v", 1, "0 ^ 0 at rest is not a finite number"),
        ("9^9^9", 1, "is not a finite number"),
        ("u^1e9", 1, "the power 1000000000 is too large; expected at most"),
        ("1 + 1e999", 4, '"1e999" is too large a number; expected at most'),
        ("1e308*10", 5, "1e+308 * 10 is not a finite number"),
        ("a\x07b", 0, '"a" is not known here'),
        ("1 \x07", 2, '"U+0007" is not understood'),
        ("(" * (DEEPEST + 1) + "1", DEEPEST, f"more than {DEEPEST} parentheses"),
        ("1" * (LONGEST + 1), LONGEST, f"expected at most {LONGEST}"),
    ],
)
def test_errors_say_where_what_stands_there_and_what_would_be_right(text, position, message):
    with pytest.raises(ExpressionError) as caught:
        parse(text, ["u", "v"], {} if "u" in text.split()[-1:] else UNITS, {"u": 0.0, "v": 0.0})
    assert message in str(caught.value) and "; expected " in str(caught.value)
    assert caught.value.position == position
    assert str(caught.value).startswith(f"character {position + 1}: ")


@pytest.mark.parametrize("name", ["u", "theta_2", "ß", "cm"])
def test_names_that_will_do(name):
    check_name(name)


@pytest.mark.parametrize("name", ["", "pi", "sin", "2u", "_u", "u v", "u.v", "u-v", "°"])
def test_names_that_will_not_do(name):
    with pytest.raises(ExpressionError, match="expected"):
        check_name(name)


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


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _watching is not None and event.startswith(("exec", "compile", "import", "open", "os.", "subprocess", "socket")):
        _watching.append(f"{event} {arguments}"[:200])


def test_hostile_texts_are_refused_with_place_and_reason_and_nothing_is_run():
    global _watching
    texts = hostile()
    assert len(texts) >= 200
    sys.addaudithook(_watch)  # stays for the process, and asleep
    results = []
    ran = _watching = []
    try:
        for text in texts:
            seconds = math.inf
            for _ in range(3):  # a first call may wait for a collection of garbage, or for memory
                start, error = time.process_time(), None
                try:
                    parse(text, {"u": U, "v": V}, None, {"u": 0.0, "v": 0.0})
                except ExpressionError as caught:
                    error = caught
                seconds = min(seconds, time.process_time() - start)
                if seconds < 0.1:
                    break
            results.append((text[:40], error, seconds))
    finally:
        _watching = None
    assert ran == []
    assert [text for text, error, _ in results if error is None] == []
    for text, error, seconds in results:
        message = str(error)
        assert error.position is not None and "; expected " in message, text
        assert len(message) < 400 and message.isprintable(), text
        assert seconds < 0.1, (text, seconds)


def test_long_texts_that_are_right_are_read_quickly():
    names = ["u", "v"]
    for text in ("u*v+" * 2_400 + "1", "-" * 9_999 + "u", "(" * 256 + "u" + ")" * 256, "sin(" * 200 + "v" + ")" * 200):
        start = time.process_time()
        node = parse(text, names)
        assert time.process_time() - start < 1.0
        assert math.isfinite(evaluate([node], {U: 0.3, V: 0.2})[0])
