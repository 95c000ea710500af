"""Equal expressions are one object, building simplifies, nothing leaks, and no depth is too deep."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import subprocess
import sys
import threading
import time

import pytest

from core.errors import ExpressionError
from core.symbolic.evaluation import evaluate
from core.symbolic.expression import (
    HALF,
    LARGEST_EXPONENT,
    ONE,
    OPERATIONS,
    TWO,
    ZERO,
    Expression,
    apply,
    constant,
    interned,
    power,
    reciprocal,
    select,
    symbol,
    symbols,
    topological,
    total,
    whole_power,
)

X, Y, Z = symbols("x y z")


def sin(a: Expression) -> Expression:
    return apply("sin", a)


def cos(a: Expression) -> Expression:
    return apply("cos", a)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (lambda: X * Y, lambda: Y * X),
        (lambda: (X + Y) * Z, lambda: Z * (Y + X)),
        (lambda: X - Y, lambda: X + (-Y)),
        (lambda: X / Y, lambda: X * (1 / Y)),
        (lambda: X - X, lambda: ZERO),
        (lambda: X - Y, lambda: -(Y - X)),
        (lambda: X - 3, lambda: -(3 - X)),
        (lambda: 5 - (X - 3), lambda: 8 - X),
        (lambda: Y - (X - 3), lambda: 3 + (Y - X)),
        (lambda: X + X, lambda: 2 * X),
        (lambda: 3 * X - X, lambda: 2 * X),
        (lambda: X * 0, lambda: ZERO),
        (lambda: 0 + X, lambda: X),
        (lambda: 1 * X, lambda: X),
        (lambda: -(0 - X), lambda: X),
        (lambda: -X * -Y, lambda: X * Y),
        (lambda: -X * Y, lambda: -(X * Y)),
        (lambda: -X - Y, lambda: -(X + Y)),
        (lambda: (2 * X) * (3 * Y), lambda: 6 * (X * Y)),
        (lambda: 2 + (X + 3), lambda: 5 + X),
        (lambda: (X + 2) + (Y + 3), lambda: (X + Y) + 5),
        (lambda: (X + Y) - X, lambda: Y),
        (lambda: X * X, lambda: X**2),
        (lambda: X**2 * X**3, lambda: X**5),
        (lambda: (X**2) ** 3, lambda: X**6),
        (lambda: X**3 / X, lambda: X**2),
        (lambda: X / X**3, lambda: 1 / X**2),
        (lambda: X**-2, lambda: 1 / X**2),
        (lambda: X**0, lambda: ONE),
        (lambda: (-X) ** 3, lambda: -(X**3)),
        (lambda: (-X) ** 2, lambda: X**2),
        (lambda: 1 / (1 / X), lambda: X),
        (lambda: X**0.5, lambda: apply("sqrt", X)),
        (lambda: X**1.5, lambda: X * apply("sqrt", X)),
        (lambda: X**-0.5, lambda: 1 / apply("sqrt", X)),
        (lambda: apply("sqrt", X) ** 2, lambda: X),
        (lambda: apply("sqrt", X**2), lambda: abs(X)),
        (lambda: X**Y, lambda: apply("exp", Y * apply("log", X))),
        (lambda: sin(-X), lambda: -sin(X)),
        (lambda: cos(-X), lambda: cos(X)),
        (lambda: sin(X) ** 2 + cos(X) ** 2, lambda: ONE),
        (lambda: 3 * sin(X) ** 2 + 3 * cos(X) ** 2, lambda: constant(3)),
        (lambda: apply("exp", apply("log", X)), lambda: X),
        (lambda: apply("log", apply("exp", X)), lambda: X),
        (lambda: sin(apply("asin", X)), lambda: X),
        (lambda: abs(-X), lambda: abs(X)),
        (lambda: apply("minimum", X, Y), lambda: apply("minimum", Y, X)),
        (lambda: apply("maximum", X, X), lambda: X),
        (lambda: select(constant(0), X, Y), lambda: X),
        (lambda: select(constant(-1), X, Y), lambda: Y),
        (lambda: select(X, Y, Y), lambda: Y),
        (lambda: select(X, Y, ZERO) * Z, lambda: select(X, Y * Z, ZERO)),
        (lambda: select(X, Y, ZERO) + select(X, ZERO, Z), lambda: select(X, Y, Z)),
        (lambda: constant(-0.0), lambda: ZERO),
        (lambda: apply("sin", 0.5), lambda: constant(math.sin(0.5))),
        (lambda: total([X, Y, -Z, X * Y]), lambda: total([X * Y, -Z, X, Y])),
    ],
)
def test_expressions_that_are_equal_are_one_object(left, right):
    assert left() is right()


def test_what_differs_is_not_one_object():
    nodes = [X, Y, X - Y, Y - X, X / Y, Y / X, apply("atan2", X, Y), apply("atan2", Y, X), X**2, X**3, sin(X), cos(X)]
    assert len(set(nodes)) == len(nodes)


@pytest.mark.parametrize("undefined", [lambda: ONE / ZERO, lambda: apply("log", 0), lambda: apply("sqrt", -1)])
def test_what_is_not_finite_is_not_folded_and_does_not_raise(undefined):
    node = undefined()
    assert node.operation not in ("constant", "symbol")
    assert not math.isfinite(evaluate([node], {})[0])


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan, "x", None, 10**400, 1j])
def test_constants_are_finite_numbers(number):
    with pytest.raises(ExpressionError, match="expected a finite real number"):
        constant(number)


def test_errors_say_what_would_be_right():
    with pytest.raises(ExpressionError, match=r'"sine" is not an operation; expected .*sin, cos'):
        apply("sine", X)
    with pytest.raises(ExpressionError, match="atan2 takes 2 operands, not 1"):
        apply("atan2", X)
    with pytest.raises(ExpressionError, match=f"at most {LARGEST_EXPONENT}"):
        power(X, LARGEST_EXPONENT + 1)
    with pytest.raises(ExpressionError, match="no name"):
        symbol("")


def test_a_node_never_changes():
    node = X + Y
    with pytest.raises(AttributeError, match="never changes"):
        node.operation = "multiply"
    with pytest.raises(AttributeError, match="never changes"):
        del node.operands
    with pytest.raises(AttributeError):
        node.note = 1
    with pytest.raises(TypeError):
        Expression()
    with pytest.raises(TypeError):
        pickle.dumps(node)
    assert copy.copy(node) is node and copy.deepcopy([node])[0] is node


def test_nodes_that_nobody_holds_are_freed():
    gc.collect()
    before = interned()
    nodes = [sin(X * i) + Y for i in range(2, 1002)]
    assert interned() >= before + 3000
    del nodes
    gc.collect()
    assert interned() == before


def test_many_threads_get_the_same_nodes_while_others_are_freed():
    found: list[list[Expression]] = []
    wrong: list[str] = []
    start = threading.Barrier(8)

    def build() -> None:
        start.wait()
        kept = []
        for k in range(60):
            node = X
            for i in range(2, 40):
                node = sin(node) + Y * i if i % 2 else node * Z
            if k % 10 == 0:
                kept.append(node * k)
            if sin(Y * k) * Z is not Z * sin(k * Y):
                wrong.append(f"{k} twice")
        found.append(kept)

    threads = [threading.Thread(target=build) for _ in range(8)]
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switch)
    assert not wrong and len(found) == 8
    assert all(node is first for kept in found for node, first in zip(kept, found[0], strict=True))


@pytest.mark.verify
def test_a_chain_of_100_000_nodes_is_built_walked_evaluated_and_freed():
    before = interned()
    node = X
    for i in range(50_000):
        node = sin(node) + (i % 7 + 1) * HALF if i % 2 else cos(node) * Y
    order = topological([node])
    assert len(order) > 100_000
    place = {each: i for i, each in enumerate(order)}
    assert all(place[operand] < place[each] for each in order for operand in each.operands)
    x, y = 0.3, 0.7
    value = x
    for i in range(50_000):
        value = math.sin(value) + (i % 7 + 1) * 0.5 if i % 2 else math.cos(value) * y
    assert evaluate([node], {X: x, Y: y}) == [value]
    del node, order, place
    gc.collect()
    assert interned() <= before + 10


@pytest.mark.verify
def test_selections_within_each_other_are_multiplied_however_deep():
    node = Y
    for i in range(20_000):
        node = select(X - i, node, ZERO) if i % 2 else select(X + i, ZERO, node)
    assert evaluate([node * Z], {X: 0.5, Y: 1.0, Z: 2.0}) == [0.0]


@pytest.mark.parametrize("terms", [1_000, 4_000])
def test_sums_of_many_terms_take_a_node_for_each(terms):
    node = ZERO
    for i in range(terms):
        node = node + X ** (i + 1) * Y
    # power, its exponent, product and sum
    assert len(topological([node])) <= 4 * terms + 2


@pytest.mark.verify
def test_building_takes_linear_time():
    def seconds(count: int) -> float:
        start = time.perf_counter()
        node = X
        for i in range(count):
            node = sin(node) + Y * i
        return time.perf_counter() - start

    seconds(1000)
    gc.disable()  # what the other tests have left would be searched again and again
    try:
        pairs = [(seconds(4_000), seconds(16_000)) for _ in range(6)]  # by turns: a busy machine slows both
    finally:
        gc.enable()
    assert min(large for _, large in pairs) <= 12 * min(small for small, _ in pairs)  # a square law would take 16 times


def test_fingerprints_and_order_are_the_same_in_every_process():
    code = (
        "from core.symbolic import symbols, topological, apply\n"
        "x, y, z = symbols('z y x')\n"
        "e = (x + y) * apply('sin', z * x - 2.5) / (y * z + x) + x * z\n"
        "print([(n.operation, n.fingerprint) for n in topological([e])])"
    )
    before = "from core.symbolic import symbols\nx, y = symbols('x y')\nkept = [y * x + i for i in range(99)]\n"
    runs = [
        subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for text, seed in ((code, "0"), (before + code, "1"))
    ]
    assert runs[0] == runs[1] and "sin" in runs[0]


@pytest.mark.parametrize("exponent", [1, 2, 3, 7, 10, 31, 1000])
def test_whole_powers_are_exact_where_floats_are(exponent):
    assert whole_power(2.0, exponent) == 2.0**exponent
    assert whole_power(-1.0, exponent) == (-1.0) ** exponent
    assert whole_power(3, exponent) == 3**exponent


def test_every_row_of_the_table_is_complete():
    words = [word for row in OPERATIONS.values() for word in row.words]
    assert len(words) == len(set(words))
    for name, row in OPERATIONS.items():
        operands = symbols("a b c")[: row.arity]
        if row.arity and name != "power":
            node = apply(name, *operands)
            assert node.operation == name
            assert len(row.partials(node)) == row.arity


def test_a_reciprocal_of_a_number_that_is_too_small_stays():
    assert reciprocal(constant(5e-324)).operation == "reciprocal"
    assert (TWO / constant(5e-324)).operation == "multiply"
