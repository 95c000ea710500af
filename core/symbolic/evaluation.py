"""Values of expressions: plain floats one at a time, or arrays of any shape at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.errors import ExpressionError
from core.symbolic.expression import CONSTANT, OPERATIONS, SYMBOL, Expression, topological


class Evaluator:
    """Expressions laid out as steps, to be evaluated many times.

    Floats go through the functions of the C library, in the order of the steps; arrays through numpy, whose functions
    may differ from those in the last digit. Where an operation is not defined the result is NaN or infinity, as IEEE
    754 has it; nothing is raised or warned of.

    Args:
        outputs: What is evaluated.
        symbols: The variables, in the order of the values.

    Raises:
        ExpressionError: If the outputs hold a symbol that is not among ``symbols``.
    """

    def __init__(self, outputs: Sequence[Expression], symbols: Sequence[Expression]):
        place = {variable: i for i, variable in enumerate(symbols)}
        self._inputs = len(symbols)
        self._start: list[Any] = [None] * len(symbols)
        steps: list[tuple[Expression, int]] = []
        missing: list[str] = []
        for node in topological(outputs):
            if node.operation == SYMBOL:
                if node not in place:
                    missing.append(node.name)
                continue
            place[node] = len(self._start)
            self._start.append(node.value if node.operation == CONSTANT else None)
            if node.operation != CONSTANT:
                steps.append((node, place[node]))
        if missing:
            known = ", ".join(variable.name for variable in symbols) or "none"
            raise ExpressionError(f"no value for {', '.join(missing[:20])}; expected only {known}")
        self._outputs = [place[output] for output in outputs]
        last: dict[int, int] = {}
        for i, (node, _) in enumerate(steps):
            for operand in node.operands:
                last[place[operand]] = i
        kept = set(self._outputs) | set(range(self._inputs))
        free: list[list[int]] = [[] for _ in steps]
        for where, i in last.items():
            if where not in kept:
                free[i].append(where)
        self._steps = [
            (OPERATIONS[node.operation], to, [place[operand] for operand in node.operands], free[i])
            for i, (node, to) in enumerate(steps)
        ]

    def floats(self, values: Sequence[float]) -> list[float]:
        """Return the outputs for one float a symbol."""
        self._check(len(values))
        cells = [*map(float, values), *self._start[self._inputs :]]
        for row, to, operands, _ in self._steps:
            cells[to] = row.function(*[cells[i] for i in operands])
        return [cells[i] for i in self._outputs]

    def arrays(self, values: Sequence[Any]) -> list[Any]:
        """Return the outputs, each a new array of the shape that all values broadcast to."""
        self._check(len(values))
        given = [np.asarray(value) for value in values]
        given = [value.astype(float) if value.dtype.kind in "iub" else value for value in given]
        shape = np.broadcast_shapes(*[value.shape for value in given])
        cells: list[Any] = [*given, *self._start[self._inputs :]]
        with np.errstate(all="ignore"):
            for row, to, operands, free in self._steps:
                cells[to] = row.array_function(*[cells[i] for i in operands])
                for i in free:
                    cells[i] = None
        return [np.array(np.broadcast_to(cells[i], shape)) for i in self._outputs]

    def _check(self, count: int) -> None:
        if count != self._inputs:
            raise ExpressionError(f"{count} values for {self._inputs} symbols; expected one each")


def evaluate(outputs: Sequence[Expression], values: Mapping[Expression, Any]) -> list[Any]:
    """Return the values of expressions: floats if all values are numbers, otherwise arrays.

    Args:
        outputs: What is evaluated.
        values: A number or an array for each symbol; the arrays broadcast.

    Raises:
        ExpressionError: If a symbol has no value.
    """
    evaluator = Evaluator(outputs, list(values))
    given = list(values.values())
    if all(isinstance(value, int | float) for value in given):
        return list(evaluator.floats(given))
    return evaluator.arrays(given)
