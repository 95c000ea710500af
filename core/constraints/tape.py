"""Expressions as a tape: operations on numbered cells that one kernel runs, so that a new text compiles nothing.

A tape is ready at once where machine code would take its time, and as quick for the few operations that texts have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.constraints import tape_kernel
from core.errors import ExpressionError
from core.kernels import serving
from core.symbolic.expression import CONSTANT, OPERATIONS, SYMBOL, Expression, topological

Ints = NDArray[np.int64]

NUMBERS = {name: int(getattr(tape_kernel, name.upper())) for name in OPERATIONS if name not in (CONSTANT, SYMBOL)}
"""The number of each operation on a tape."""


class Tape(NamedTuple):
    """Expressions, the symbols in the first cells.

    Attributes:
        code: See ``tape_kernel.run``, shape (n, 5).
        cells: The constants where they belong, zeros elsewhere.
        outputs: The cell of each expression.
        middle: How many operations the first expressions take, see ``make_tape``.
    """

    code: Ints
    cells: Array
    outputs: Ints
    middle: int

    def values(self, symbols: Sequence[float]) -> Array:
        """Return the expressions for a number a symbol; NaN and infinity as IEEE 754 has them."""
        cells = self.cells.copy()
        cells[: len(symbols)] = symbols
        serving(tape_kernel).run(self.code, cells, 0, len(self.code))
        return np.asarray(cells[self.outputs])


def make_tape(first: Sequence[Expression], rest: Sequence[Expression], symbols: Sequence[Expression]) -> Tape:
    """Return the tape of some expressions.

    Args:
        first: Expressions; what they need comes first.
        rest: More of them.
        symbols: The variables, in the order of their cells.

    Raises:
        ExpressionError: If there is a symbol that is not among ``symbols``.
    """
    place = {variable: i for i, variable in enumerate(symbols)}
    cells = [0.0] * len(symbols)
    code: list[tuple[int, int, int, int, int]] = []
    early, middle = set(topological(first)), 0
    for node in topological([*first, *rest]):
        if node.operation == SYMBOL:
            if node not in place:
                raise ExpressionError(f"no value for {node.name}")
            continue
        place[node] = len(cells)
        cells.append(node.value if node.operation == CONSTANT else 0.0)
        if node.operation == CONSTANT:
            continue
        a, b, c = (*(place[operand] for operand in node.operands), 0, 0)[:3]
        if node.operation == "power":
            b = int(node.operands[1].value)
        code.append((NUMBERS[node.operation], place[node], a, b, c))
        middle += node in early
    outputs = [place[expression] for expression in (*first, *rest)]
    made = np.array(code, dtype=np.int64).reshape(len(code), 5)
    return Tape(made, np.array(cells), np.array(outputs, dtype=np.int64), middle)
