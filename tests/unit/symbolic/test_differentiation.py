"""Derivatives against finite differences and the complex step, whichever way they are accumulated."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.errors import ExpressionError
from core.symbolic.differentiation import METHODS, derivative, higher_derivative, operation_count
from core.symbolic.evaluation import Evaluator, evaluate
from core.symbolic.expression import ONE, OPERATIONS, ZERO, Expression, apply, select, symbols, topological
from tests.support.counts import examples

X, Y, Z = symbols("x y z")
AT = {"asin": 0.4, "acos": -0.3, "log": 2.5, "sqrt": 1.7}
ANALYTIC = "add multiply negate reciprocal sqrt sin cos tan asin acos atan sinh cosh tanh exp log".split()


def rotation_chain(joints: int) -> tuple[list[Expression], tuple[Expression, ...]]:
    """Return the end point of a chain of hinges about z and x by turns, and its angles."""
    angles = symbols(" ".join(f"q{i}" for i in range(joints)))
    point = [ONE, ZERO, ZERO]
    for i in reversed(range(joints)):
        c, s = apply("cos", angles[i]), apply("sin", angles[i])
        a, b = (0, 1) if i % 2 else (1, 2)
        point[a], point[b] = c * point[a] - s * point[b], s * point[a] + c * point[b]
        point[0] = point[0] + 0.3
    return point, angles


@pytest.mark.parametrize("name", [name for name, row in OPERATIONS.items() if row.arity and name != "power"])
def test_every_row_has_the_slope_of_its_function(name):
    arity = OPERATIONS[name].arity
    variables = (X, Y, Z)[:arity]
    rows = derivative([apply(name, *variables)], variables)
    at = [AT.get(name, 0.3), 0.8, -0.4][:arity]
    found = Evaluator(rows[0], variables).floats(at)
    function = OPERATIONS[name].function
    for i, slope in enumerate(found):
        step = 1e-6
        up, down = list(at), list(at)
        up[i] += step
        down[i] -= step
        assert slope == pytest.approx((function(*up) - function(*down)) / (2 * step), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("name", ANALYTIC)
def test_slopes_to_the_last_digits_by_the_complex_step(name):
    arity = OPERATIONS[name].arity
    variables = (X, Y)[:arity]
    node = apply(name, *variables)
    at = [AT.get(name, 0.3), 0.8][:arity]
    found = Evaluator(derivative([node], variables)[0], variables).floats(at)
    for i, slope in enumerate(found):
        moved = [complex(a, 1e-200 if j == i else 0.0) for j, a in enumerate(at)]
        assert slope == pytest.approx(Evaluator([node], variables).arrays(moved)[0].imag / 1e-200, rel=4e-15)


@pytest.mark.parametrize("exponent", [-3, -1, 2, 5, 40])
def test_powers(exponent):
    (row,) = derivative([X**exponent], [X])
    assert evaluate(row, {X: 1.1}) == [pytest.approx(exponent * 1.1 ** (exponent - 1))]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("joints", [1, 2, 7, 30])
def test_every_method_gives_the_jacobian_of_a_chain(method, joints):
    point, angles = rotation_chain(joints)
    at = np.random.default_rng(5).uniform(-3.0, 3.0, joints)
    rows = derivative(point, angles, method)
    found = np.reshape(Evaluator([entry for row in rows for entry in row], angles).floats(at), (3, joints))
    evaluator = Evaluator(point, angles)
    for j in range(joints):
        moved = at.astype(complex)
        moved[j] += 1e-200j
        wanted = [value.imag / 1e-200 for value in evaluator.arrays(moved)]
        np.testing.assert_allclose(found[:, j], wanted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_outputs_may_be_operands_repeat_and_not_depend_on_a_symbol(method):
    inner = X * Y
    outputs = [inner, apply("sin", inner), inner, Z, ONE, X, apply("sin", inner) * inner]
    rows = derivative(outputs, [X, Y, Z], method)
    assert rows[0] == rows[2] == [Y, X, ZERO]
    assert rows[3] == [ZERO, ZERO, ONE] and rows[4] == [ZERO] * 3 and rows[5] == [ONE, ZERO, ZERO]
    assert derivative([], [X], method) == [] and derivative([X], [], method) == [[]]
    x, y = 0.3, 0.7
    value = evaluate(rows[6], {X: x, Y: y, Z: 0.0})
    slope = math.cos(x * y) * x * y + math.sin(x * y)
    assert value == pytest.approx([slope * y, slope * x, 0.0])


def test_shared_paths_are_factored():
    many = symbols(" ".join(f"h{i}" for i in range(20)))
    waist = sum((apply("sin", variable) * (i + 1.5) for i, variable in enumerate(many)), ZERO)
    for _ in range(10):
        waist = apply("exp", apply("sin", waist) * 0.3) + waist * waist
    outputs = [apply("cos", waist * k) for k in range(1, 20)]
    counts = {
        method: operation_count([entry for row in derivative(outputs, many, method) for entry in row], outputs)
        for method in (*METHODS, "fewest")
    }
    assert counts["factored"] < 0.5 * min(counts["forward"], counts["reverse"])
    assert counts["fewest"] == counts["factored"]


@pytest.mark.parametrize("joints", [3, 12, 40])
def test_the_fewest_operations_are_chosen(joints):
    point, angles = rotation_chain(joints)

    def count(method: str) -> int:
        return operation_count([entry for row in derivative(point, angles, method) for entry in row], point)

    assert count("fewest") == min(count(method) for method in METHODS)


def test_a_chain_of_400_joints_has_a_jacobian_of_linear_size():
    counts = {}
    for joints in (100, 400):
        point, angles = rotation_chain(joints)
        rows = derivative(point, angles)
        counts[joints] = operation_count([entry for row in rows for entry in row])
    assert counts[400] <= 4.1 * counts[100]
    assert counts[400] <= 70 * 400


@pytest.mark.verify
def test_depth_is_no_limit():
    node, depth = X, examples(20_000)
    for i in range(depth):
        node = apply("sin", node) + Y if i % 2 else node * 1.001
    rows = derivative([node], [X, Y])
    step = 1e-7
    up, down = (evaluate([node], {X: 0.3, Y: 0.2 + h})[0] for h in (step, -step))
    assert evaluate(rows[0], {X: 0.3, Y: 0.2})[1] == pytest.approx((up - down) / (2 * step), rel=1e-5)
    for method in ("reverse", "factored"):
        assert len(topological(derivative([node], [X, Y], method)[0])) > depth


def test_mixed_derivatives_to_the_third_order():
    node = apply("exp", X * Y) * apply("sin", Y * Z) + X / (2.0 + Z**2) + apply("atan2", X + 2.0, Y)
    variables = (X, Y, Z)
    at = [0.3, 0.7, -0.4]
    third = higher_derivative(node, variables, 3)
    assert sorted(third) == [(i, j, k) for i in range(3) for j in range(i, 3) for k in range(j, 3)]
    for (i, j, k), entry in third.items():
        for path in ((i, j, k), (k, j, i), (j, k, i)):
            other = node
            for index in path:
                other = derivative([other], [variables[index]])[0][0]
            values = Evaluator([entry, other], variables).floats(at)
            assert values[0] == pytest.approx(values[1], rel=1e-12, abs=1e-13)
    second = higher_derivative(node, variables, 2)
    for (i, j), entry in second.items():
        up, down = list(at), list(at)
        up[2] += 1e-5
        down[2] -= 1e-5
        evaluator = Evaluator([entry], variables)
        wanted = (evaluator.floats(up)[0] - evaluator.floats(down)[0]) / 2e-5
        found = Evaluator([third[tuple(sorted((i, j, 2)))]], variables).floats(at)[0]
        assert found == pytest.approx(wanted, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_a_branch_that_is_not_taken_does_not_spoil_the_derivative(method):
    node = select(X, apply("sqrt", X), -X) * Y
    rows = derivative([node], [X, Y], method)
    assert evaluate(rows[0], {X: -2.0, Y: 3.0}) == [-3.0, 2.0]
    assert evaluate(rows[0], {X: 4.0, Y: 3.0}) == [0.75, 2.0]


def test_what_cannot_be_differentiated_by_is_refused():
    with pytest.raises(ExpressionError, match="is not a symbol"):
        derivative([X], [X * Y])
    with pytest.raises(ExpressionError, match='"symbolic" is not a method; expected fewest, forward'):
        derivative([X], [X], "symbolic")
