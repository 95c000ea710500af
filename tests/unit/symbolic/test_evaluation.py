"""Floats, arrays, and what is not defined."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

from core.errors import ExpressionError
from core.symbolic.evaluation import Evaluator, evaluate
from core.symbolic.expression import ONE, OPERATIONS, ZERO, apply, constant, select, symbols

X, Y, Z = symbols("x y z")
INSIDE = {"asin": 0.4, "acos": -0.3, "log": 2.5, "sqrt": 1.7}


@pytest.mark.parametrize("name", [name for name, row in OPERATIONS.items() if row.arity and name != "power"])
def test_arrays_say_what_floats_say(name):
    row = OPERATIONS[name]
    node = apply(name, *(X, Y, Z)[: row.arity])
    centre = INSIDE.get(name, 0.3)
    values = centre + 0.2 * np.random.default_rng(3).uniform(-1.0, 1.0, (3, 50))
    arrays = Evaluator([node], (X, Y, Z)).arrays(values)[0]
    floats = [Evaluator([node], (X, Y, Z)).floats(column)[0] for column in values.T]
    np.testing.assert_allclose(arrays, floats, rtol=4e-15)


def test_shapes_broadcast_and_results_are_new():
    x, y = np.arange(3.0)[:, None], np.arange(4)[None]
    product, same, number = evaluate([X * Y, X, constant(2)], {X: x, Y: y})
    assert product.shape == same.shape == number.shape == (3, 4)
    np.testing.assert_array_equal(product, x * y)
    np.testing.assert_array_equal(number, np.full((3, 4), 2.0))
    same[:] = -1.0
    assert x[2, 0] == 2.0


def test_floats_stay_floats():
    results = evaluate([X * 2, X, constant(3), X**2], {X: 2})
    assert results == [4.0, 2.0, 3.0, 4.0]
    assert all(type(result) is float for result in results)


@pytest.mark.parametrize(
    ("node", "x", "wanted"),
    [
        (1 / X, 0.0, math.inf),
        (X**-2, 0.0, math.inf),
        (apply("sqrt", X), -1.0, math.nan),
        (apply("log", X), 0.0, -math.inf),
        (apply("log", X), -1.0, math.nan),
        (apply("exp", X), 1000.0, math.inf),
        (apply("sinh", X), -1000.0, -math.inf),
        (apply("asin", X), 1.5, math.nan),
        (apply("sin", X), math.inf, math.nan),
        (X * X, 1e200, math.inf),
        (apply("minimum", X, ONE), math.nan, math.nan),
        (apply("maximum", X, ONE), math.nan, math.nan),
        (apply("sign", X), math.nan, math.nan),
        (select(X, 1 / X, ZERO), -1.0, 0.0),
    ],
)
def test_what_is_not_defined_is_as_ieee_has_it_without_a_warning(node, x, wanted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_equal(evaluate([node], {X: x})[0], wanted)
        np.testing.assert_equal(evaluate([node], {X: np.array([x, 0.5])})[0][0], wanted)


def test_a_symbol_without_a_value_is_named():
    with pytest.raises(ExpressionError, match="no value for y, z; expected only x"):
        evaluate([X + Y * Z], {X: 1.0})
    with pytest.raises(ExpressionError, match="2 values for 1 symbols"):
        Evaluator([X], [X]).floats([1.0, 2.0])


def test_values_that_are_not_needed_any_more_are_let_go():
    node = X
    for i in range(300):
        node = apply("sin", node) + i
    import tracemalloc

    x = np.zeros(100_000)
    evaluator = Evaluator([node], [X])
    tracemalloc.start()
    evaluator.arrays([x])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * x.nbytes  # and not 600 times
