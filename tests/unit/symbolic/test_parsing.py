"""What texts mean, and what is said of those that mean nothing."""

from __future__ import annotations

import math
import time

import pytest

from core.errors import ExpressionError
from core.symbolic.evaluation import evaluate
from core.symbolic.expression import ONE, OPERATIONS, ZERO, apply, symbols
from core.symbolic.parsing import DEEPEST, FUNCTIONS, LONGEST, check_name, parse, parse_several
from tests.support.hostile_expressions import SOON, hostile, refusal, watched

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


def test_hostile_texts_are_refused_with_place_and_reason_and_nothing_is_run():
    texts = hostile()
    assert len(texts) >= 200
    parse("u + 1", {"u": U})
    with watched() as ran:
        results = [
            (text[:40], *refusal(lambda text=text: parse(text, {"u": U, "v": V}, None, {"u": 0.0, "v": 0.0})))
            for text in texts
        ]
    assert ran == []
    assert [text for text, error, _ in results if error is None] == []
    for text, error, seconds in results:
        message = str(error)
        assert error.position is not None and "; expected " in message, text
        assert len(message) < 400 and message.isprintable(), text
        assert seconds < SOON, (text, seconds)


def test_long_texts_that_are_right_are_read_quickly():
    names = ["u", "v"]
    for text in ("u*v+" * 2_400 + "1", "-" * 9_999 + "u", "(" * 256 + "u" + ")" * 256, "sin(" * 200 + "v" + ")" * 200):
        start = time.process_time()
        node = parse(text, names)
        assert time.process_time() - start < 5.0  # a blow-up takes far longer
        assert math.isfinite(evaluate([node], {U: 0.3, V: 0.2})[0])
