"""Random expressions: what they mean, and their derivatives to the second order by every method."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import ExpressionError
from core.symbolic.differentiation import METHODS, derivative, higher_derivative
from core.symbolic.evaluation import Evaluator
from core.symbolic.expression import apply, constant, symbols, topological
from core.symbolic.parsing import parse

NAMES = ("x", "y", "z")
VARIABLES = symbols("x y z")
SMOOTH = ("sin", "cos", "atan", "tanh", "exp", "sinh")

LEAVES = st.one_of(
    st.sampled_from(NAMES),
    st.integers(0, 4).map(str),
    st.floats(0.1, 3.0).map(lambda number: repr(round(number, 3))),
)


def _larger(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(parts, st.sampled_from("+-*"), parts).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(parts, parts).map(lambda t: f"({t[0]}) / (2 + sin({t[1]}))"),
        st.tuples(parts, st.integers(1, 3)).map(lambda t: f"tanh({t[0]}) ^ {t[1]}"),
        st.tuples(st.sampled_from(SMOOTH), parts).map(lambda t: f"{t[0]}(sin({t[1]}))"),
        parts.map(lambda text: f"-({text})"),
        parts.map(lambda text: f"sqrt(1 + ({text})^2)"),
        st.tuples(parts, parts).map(lambda t: f"atan2({t[0]}, 3 + cos({t[1]}))"),
    )


TEXTS = st.recursive(LEAVES, _larger, max_leaves=14)
POINTS = st.tuples(*[st.floats(-1.5, 1.5)] * 3)
SPACE = {name: getattr(np, name) for name in (*SMOOTH, "sqrt")} | {"atan": np.arctan, "atan2": np.arctan2}


@settings(max_examples=300, deadline=None, derandomize=True)
@given(TEXTS, POINTS)
def test_a_text_means_what_python_would_make_of_it(text, point):
    """The oracle runs texts that this test has written itself, and no others."""
    node = parse(text, NAMES)
    floats = Evaluator([node], VARIABLES).floats(point)[0]
    with np.errstate(all="ignore"):
        space = SPACE | dict(zip(NAMES, point, strict=True))
        wanted = float(eval(text.replace("^", "**"), {"__builtins__": {}}, space))
    if math.isfinite(wanted) and abs(wanted) < 1e12:
        assert floats == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@pytest.mark.verify
@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(TEXTS, min_size=1, max_size=4), POINTS)
def test_every_method_gives_the_same_jacobian_and_finite_differences_agree(texts, point):
    outputs = [parse(text, NAMES) for text in texts]
    evaluator = Evaluator(outputs, VARIABLES)
    jacobians = []
    for method in (*METHODS, "fewest"):
        rows = derivative(outputs, VARIABLES, method)
        flat = [entry for row in rows for entry in row]
        jacobians.append(np.reshape(Evaluator(flat, VARIABLES).floats(point), (len(outputs), 3)))
    size = np.maximum(1.0, np.abs(jacobians[0]))
    if not np.isfinite(size).all() or size.max() > 1e6:
        return
    for other in jacobians[1:]:
        assert np.abs(other - jacobians[0]).max() <= 1e-9 * size.max()
    for j in range(3):
        moved = [np.array(point), np.array(point), np.array(point), np.array(point)]
        for values, step in zip(moved, (1e-3, -1e-3, 2e-3, -2e-3), strict=True):
            values[j] += step
        up, down, far_up, far_down = (np.array(evaluator.floats(values)) for values in moved)
        one, two = (up - down) / 2e-3, (far_up - far_down) / 4e-3
        error = np.abs(one - two) / 3.0  # of the first, by Richardson
        wanted = one + (one - two) / 3.0
        smooth = error < 1e-4 * size[:, j]
        assert (np.abs(jacobians[0][:, j] - wanted) <= 1e-5 * size[:, j])[smooth].all()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(TEXTS, POINTS)
def test_second_derivatives_do_not_depend_on_the_order(text, point):
    node = parse(text, NAMES)
    second = higher_derivative(node, VARIABLES, 2)
    for (i, j), entry in second.items():
        turned = derivative(derivative([node], [VARIABLES[j]])[0], [VARIABLES[i]])[0][0]
        values = Evaluator([entry, turned], VARIABLES).floats(point)
        if all(abs(value) < 1e6 for value in values):
            assert values[0] == pytest.approx(values[1], rel=1e-7, abs=1e-7)


@pytest.mark.verify
@settings(max_examples=200, deadline=None, derandomize=True)
@given(TEXTS)
def test_the_same_text_gives_the_same_object_and_each_node_once(text):
    node = parse(text, NAMES)
    assert parse(text, NAMES) is node
    order = topological([node, node])
    assert len(order) == len(set(order)) and order[-1] is node
    rebuilt = {}
    for each in order:
        parts = [rebuilt[operand] for operand in each.operands]
        rebuilt[each] = apply(each.operation, *parts) if parts else each
    assert rebuilt[node] is node  # what has been simplified is not simplified further


@pytest.mark.verify
@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.text(alphabet="0123456789.,;+-*/^() uvesincoatxpqrtlgmb_=\u00b0\u2212\u00d7'\x00\ud800", max_size=40))
def test_no_text_gets_more_than_an_expression_or_a_reason(text):
    try:
        node = parse(text, ("u", "v"), {"°": 1.0, "cm": 0.01}, {"u": 0.0, "v": 0.0})
    except ExpressionError as error:
        assert error.position is not None and 0 <= error.position <= len(text)
        assert "expected" in error.reason
    else:
        values = Evaluator([node], symbols("u v")).floats((0.0, 0.0))
        assert math.isfinite(values[0])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_as_itself(number):
    assert parse(repr(number)) is constant(number)
