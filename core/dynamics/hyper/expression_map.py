"""A map of coordinates that is written down as expressions; its derivatives are worked out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.hyper.coordinate_map import CoordinateMap
from core.errors import DynamicsError, ExpressionError
from core.symbolic import Evaluator, Expression, constant, derivative, parse, symbol
from core.symbolic.expression import total


class ExpressionMap(CoordinateMap):
    """Each joint coordinate is an expression of the coordinates ``q_R``.

    Args:
        names: What the coordinates are called, each a word, as expressions have them.
        outputs: An expression for each joint coordinate: a text such as ``"0.5*bend"``, a number, or an
            ``Expression`` of the symbols of these names. [m] and [rad].

    Raises:
        DynamicsError: If a name is no word or stands twice, or an expression cannot be read; says which and where.
    """

    def __init__(self, names: Sequence[str], outputs: Sequence[str | float | Expression]):
        if isinstance(names, str):
            names = (names,)
        self.names = tuple(names)
        twice = [name for k, name in enumerate(self.names) if name in self.names[:k]]
        if twice:
            raise DynamicsError(f'the coordinate "{twice[0]}" stands twice; expected names that differ')
        try:
            self._x = tuple(symbol(name) for name in self.names)
            known = dict(zip(self.names, self._x, strict=True))
        except (ExpressionError, TypeError) as error:
            raise DynamicsError(f"the coordinates are {shown(names)}: {error}; expected words") from None
        self._f = tuple(_read(output, known, k) for k, output in enumerate(outputs))
        self.size = len(self._f)
        # Symbols that no text can name stand for the rates.
        rates = tuple(symbol(f"rate_of_{name}__") for name in self.names)
        try:
            J = derivative(self._f, self._x)
            moving = [total(d * v for d, v in zip(row, rates, strict=True)) for row in J]
            Jdot = derivative(moving, self._x)
            self._value = Evaluator(self._f, self._x)
            self._jacobian = Evaluator([d for row in J for d in row], self._x)
            self._rate = Evaluator([d for row in Jdot for d in row], (*self._x, *rates))
        except ExpressionError as error:
            raise DynamicsError(f"coordinates of joints as expressions of {', '.join(self.names)}: {error}") from None

    def value(self, x: Array) -> Array:
        return np.array(self._value.floats(x.tolist()))

    def jacobian(self, x: Array) -> Array:
        return np.array(self._jacobian.floats(x.tolist())).reshape(self.size, len(self.names))

    def jacobian_rate(self, x: Array, v: Array) -> Array:
        return np.array(self._rate.floats([*x.tolist(), *v.tolist()])).reshape(self.size, len(self.names))


def _read(output: str | float | Expression, known: dict[str, Expression], number: int) -> Expression:
    if isinstance(output, Expression):
        return output
    try:
        return parse(output, known) if isinstance(output, str) else constant(output)
    except (ExpressionError, TypeError, ValueError) as error:
        raise DynamicsError(f"expression {number}, {shown(output)}: {error}") from None
