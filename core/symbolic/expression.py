"""Scalar expressions as a graph in which equal parts are one node.

An expression is a node with an operation and operands. Nodes are interned: building ``x * y`` twice, or ``x * y`` and
``y * x``, gives the same object, so that common subexpressions exist once and ``is`` compares expressions. Building
simplifies as it goes: numbers are folded, neutral elements vanish, signs move outward (``y - x`` is ``-(x - y)``, so
that both are made from one node), powers of one base merge. A subtraction is the sum with a negation, a division the
product with a reciprocal.

Nodes never change and may be shared among threads. Nothing here recurses over a graph, whatever its depth.
"""

from __future__ import annotations

import math
import struct
import threading
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Union
from weakref import ref

import numpy as np

from core.errors import ExpressionError

CONSTANT = "constant"
SYMBOL = "symbol"
LARGEST_EXPONENT = 1_000_000
"""Largest whole exponent; more is no polynomial that anybody means."""

Operand = Union["Expression", float, int]
Partials = Callable[["Expression"], tuple["Expression", ...]]


class Expression:
    """A node of the graph; made by operators, ``symbol``, ``constant`` and the functions of this module only.

    Attributes:
        operation: Name in ``OPERATIONS``.
        operands: What it works on, in canonical order where the operation commutes.
        value: The number of a constant; 0 for others.
        name: The name of a symbol; empty for others.
        fingerprint: A hash of the structure, the same in every process; orders the operands of sums and products.
    """

    __slots__ = ("__weakref__", "fingerprint", "name", "operands", "operation", "value")

    operation: str
    operands: tuple[Expression, ...]
    value: float
    name: str
    fingerprint: int

    def __new__(cls) -> Expression:
        raise TypeError("expressions are made by operators, symbol() and constant()")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an expression never changes; {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an expression never changes; {name} cannot be deleted")

    def __copy__(self) -> Expression:
        return self

    def __deepcopy__(self, memo: object) -> Expression:
        return self

    def __reduce__(self) -> Any:
        raise TypeError("an expression is a part of a graph and is not pickled; write its text")

    def __add__(self, other: Operand) -> Expression:
        return add(self, other if type(other) is Expression else constant(other))

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Expression:
        return add(self, negate(other if type(other) is Expression else constant(other)))

    def __rsub__(self, other: Operand) -> Expression:
        return add(constant(other), negate(self))

    def __mul__(self, other: Operand) -> Expression:
        return multiply(self, other if type(other) is Expression else constant(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Expression:
        return divide(self, other if type(other) is Expression else constant(other))

    def __rtruediv__(self, other: Operand) -> Expression:
        return divide(constant(other), self)

    def __pow__(self, exponent: Operand) -> Expression:
        return raise_to(self, exponent if type(exponent) is Expression else constant(exponent))

    def __rpow__(self, base: Operand) -> Expression:
        return raise_to(constant(base), self)

    def __neg__(self) -> Expression:
        return negate(self)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return apply("absolute", self)

    def __repr__(self) -> str:
        if self.operation == CONSTANT:
            return f"Expression({self.value!r})"
        if self.operation == SYMBOL:
            return f"Expression({self.name})"
        return f"Expression({self.operation} of {len(self.operands)})"


# The slots' own setters; everybody else is refused.
_set_operation = Expression.__dict__["operation"].__set__
_set_operands = Expression.__dict__["operands"].__set__
_set_value = Expression.__dict__["value"].__set__
_set_name = Expression.__dict__["name"].__set__
_set_fingerprint = Expression.__dict__["fingerprint"].__set__


class _Entry(ref[Expression]):
    """A weak reference that knows its place in the table."""

    __slots__ = ("fingerprint",)

    fingerprint: int


_table: dict[int, _Entry] = {}
_lock = threading.RLock()  # reentrant, for a node may be freed (which runs ``_forget``) while one is being made

_SMALL = (1 << 60) - 1
_LARGE = 1 << 60


def _forget(entry: Any) -> None:
    place = entry.fingerprint
    with _lock:
        if _table.get(place) is entry:
            del _table[place]


def _interned(
    fingerprint: int, operation: str, operands: tuple[Expression, ...], value: float = 0.0, name: str = ""
) -> Expression:
    """Return the node with these parts; a new one if there is none."""
    found = _table.get(fingerprint)
    node = found() if found else None
    if (
        node is not None
        and node.operands == operands
        and node.operation == operation
        and node.value == value
        and node.name == name
    ):
        return node
    with _lock:
        while found := _table.get(fingerprint):
            node = found()
            if node is None:
                break
            if node.operands == operands and node.operation == operation and node.value == value and node.name == name:
                return node
            fingerprint = hash((fingerprint, 1)) & _SMALL | fingerprint & _LARGE
        node = object.__new__(Expression)
        _set_operation(node, operation)
        _set_operands(node, operands)
        _set_value(node, value)
        _set_name(node, name)
        _set_fingerprint(node, fingerprint)
        entry = _Entry(node, _forget)
        entry.fingerprint = fingerprint
        _table[fingerprint] = entry
        return node


def interned() -> int:
    """Return how many nodes are alive in this process."""
    return len(_table)


def constant(value: Operand) -> Expression:
    """Return the number as an expression.

    Raises:
        ExpressionError: If it is not a finite real number.
    """
    if isinstance(value, Expression):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ExpressionError(f"{value!r:.40} is not a number; expected a finite real number") from None
    if not math.isfinite(number):
        raise ExpressionError(f"{number} is not a finite number; expected a finite real number")
    number += 0.0  # no negative zero: it would be equal to the other one and yet differ
    (bits,) = struct.unpack("<q", struct.pack("<d", number))
    return _interned(hash((_CONSTANT_CODE, bits & 0xFFFFFFFF, bits >> 32 & 0xFFFFFFFF)) & _SMALL, CONSTANT, (), number)


def symbol(name: str) -> Expression:
    """Return the variable of this name; two of one name are the same.

    Raises:
        ExpressionError: If the name is empty.
    """
    if not name:
        raise ExpressionError("a symbol has no name; expected one")
    text = name.encode("utf-8", "surrogatepass")
    code = hash((_SYMBOL_CODE, zlib.crc32(text), zlib.adler32(text), len(text)))
    return _interned(code & _SMALL | _LARGE, SYMBOL, (), 0.0, name)


def symbols(names: str) -> tuple[Expression, ...]:
    """Return one variable for each word."""
    return tuple(symbol(name) for name in names.split())


def _code(operation: str) -> int:
    return zlib.crc32(operation.encode())


_CONSTANT_CODE, _SYMBOL_CODE, _ADD_CODE, _MULTIPLY_CODE = (_code(n) for n in (CONSTANT, SYMBOL, "add", "multiply"))
_NEGATE_CODE = _code("negate")


def _one(code: int, operation: str, a: Expression) -> Expression:
    return _interned(hash((code, a.fingerprint)) & _SMALL | _LARGE, operation, (a,))


def _two(code: int, operation: str, a: Expression, b: Expression) -> Expression:
    if a.fingerprint > b.fingerprint:
        a, b = b, a
    return _interned(hash((code, a.fingerprint, b.fingerprint)) & _SMALL | _LARGE, operation, (a, b))


def _plain(operation: str, operands: tuple[Expression, ...]) -> Expression:
    """Return the node without simplifying it; the operands are in canonical order already."""
    code = hash((_code(operation), *[operand.fingerprint for operand in operands]))
    return _interned(code & _SMALL | _LARGE, operation, operands)


ZERO = constant(0.0)
ONE = constant(1.0)
TWO = constant(2.0)
HALF = constant(0.5)


def negate(a: Expression) -> Expression:
    """Return ``-a``."""
    operation = a.operation
    if operation == "negate":
        return a.operands[0]
    if operation == CONSTANT:
        return constant(-a.value)
    return _one(_NEGATE_CODE, "negate", a)


def _coefficient(a: Expression) -> tuple[float, Expression]:
    """Return ``a`` as a number times the rest."""
    sign = 1.0
    if a.operation == "negate":
        sign, a = -1.0, a.operands[0]
    if a.operation == "multiply" and a.operands[0].operation == CONSTANT:
        return sign * a.operands[0].value, a.operands[1]
    return sign, a


def _is_square_of(a: Expression, function: str) -> Expression | None:
    """Return x if ``a`` is ``function(x)²``, otherwise None."""
    if a.operation == "power" and a.operands[1] is TWO and a.operands[0].operation == function:
        return a.operands[0].operands[0]
    return None


def add(a: Expression, b: Expression) -> Expression:
    """Return ``a + b``."""
    if a is ZERO:
        return b
    if b is ZERO:
        return a
    if a.fingerprint > b.fingerprint:
        a, b = b, a
    kind_a, kind_b = a.operation, b.operation
    if kind_a == CONSTANT:  # constants come first, so b is one only if a is
        if kind_b == CONSTANT:
            total = a.value + b.value
            return constant(total) if math.isfinite(total) else _two(_ADD_CODE, "add", a, b)
        if kind_b == "add" and b.operands[0].operation == CONSTANT:
            total = a.value + b.operands[0].value
            if math.isfinite(total):
                return add(constant(total), b.operands[1])
        if kind_b == "negate" and b.operands[0].operation == "add" and b.operands[0].operands[0].operation == CONSTANT:
            total = a.value - b.operands[0].operands[0].value
            if math.isfinite(total):
                return add(constant(total), negate(b.operands[0].operands[1]))
        if a.value < 0.0:
            return negate(add(constant(-a.value), negate(b)))
        return _two(_ADD_CODE, "add", a, b)
    if a is b:
        return multiply(TWO, a)
    if kind_a == "add" and a.operands[0].operation == CONSTANT:
        return add(a.operands[0], add(a.operands[1], b))
    if kind_b == "add" and b.operands[0].operation == CONSTANT:
        return add(b.operands[0], add(a, b.operands[1]))
    if kind_a == "negate" and kind_b == "negate":
        return negate(add(a.operands[0], b.operands[0]))
    if kind_a == "negate" and a.operands[0].operation == "add" and a.operands[0].operands[0].operation == CONSTANT:
        return add(negate(a.operands[0].operands[0]), add(negate(a.operands[0].operands[1]), b))
    if kind_b == "negate" and b.operands[0].operation == "add" and b.operands[0].operands[0].operation == CONSTANT:
        return add(negate(b.operands[0].operands[0]), add(a, negate(b.operands[0].operands[1])))
    ca, ta = _coefficient(a)
    cb, tb = _coefficient(b)
    if ta is tb and math.isfinite(ca + cb):
        return multiply(constant(ca + cb), ta)
    if kind_a == "select" and kind_b == "select" and a.operands[0] is b.operands[0]:
        _, above, below = a.operands
        _, other_above, other_below = b.operands
        if (above is ZERO or other_above is ZERO) and (below is ZERO or other_below is ZERO):
            return select(a.operands[0], add(above, other_above), add(below, other_below))
    if ca == cb:
        angle = _is_square_of(ta, "sin")
        if angle is not None and angle is _is_square_of(tb, "cos"):
            return constant(ca)
        angle = _is_square_of(ta, "cos")
        if angle is not None and angle is _is_square_of(tb, "sin"):
            return constant(ca)
    positive, negative = (b, a.operands[0]) if kind_a == "negate" else (a, b.operands[0] if kind_b == "negate" else a)
    if negative is not a and positive.operation == "add" and negative in positive.operands:
        # (p + q) - p
        return positive.operands[1] if positive.operands[0] is negative else positive.operands[0]
    if negative is not a and positive.fingerprint > negative.fingerprint:
        # Of x - y and y - x only one is made, so that both share it; the sign goes on outward.
        return negate(add(negative, negate(positive)))
    return _two(_ADD_CODE, "add", a, b)


def multiply(a: Expression, b: Expression) -> Expression:
    """Return ``a * b``."""
    if a is ZERO or b is ZERO:
        return ZERO
    if a is ONE:
        return b
    if b is ONE:
        return a
    if a.fingerprint > b.fingerprint:
        a, b = b, a
    kind_a, kind_b = a.operation, b.operation
    if kind_a == CONSTANT:
        value = a.value
        if kind_b == CONSTANT:
            product = value * b.value
            return constant(product) if math.isfinite(product) else _two(_MULTIPLY_CODE, "multiply", a, b)
        if value < 0.0:
            return negate(multiply(constant(-value), b))
        if kind_b == "negate":
            return negate(multiply(a, b.operands[0]))
        if kind_b == "multiply" and b.operands[0].operation == CONSTANT:
            product = value * b.operands[0].value
            if math.isfinite(product):
                return multiply(constant(product), b.operands[1])
        return _two(_MULTIPLY_CODE, "multiply", a, b)
    if kind_a == "negate":
        if kind_b == "negate":
            return multiply(a.operands[0], b.operands[0])
        return negate(multiply(a.operands[0], b))
    if kind_b == "negate":
        return negate(multiply(a, b.operands[0]))
    # A product with a branch that is zero stays zero there, even where the other factor is not finite.
    if kind_a == "select" and (a.operands[1] is ZERO or a.operands[2] is ZERO):
        return _masked_product(a, b)
    if kind_b == "select" and (b.operands[1] is ZERO or b.operands[2] is ZERO):
        return _masked_product(b, a)
    if kind_a == "multiply" and a.operands[0].operation == CONSTANT:
        return multiply(a.operands[0], multiply(a.operands[1], b))
    if kind_b == "multiply" and b.operands[0].operation == CONSTANT:
        return multiply(b.operands[0], multiply(a, b.operands[1]))
    if a is b:
        return power(a, 2)
    base_a, exponent_a = _base(a)
    base_b, exponent_b = _base(b)
    if base_a is base_b:
        return power(base_a, exponent_a + exponent_b)
    return _two(_MULTIPLY_CODE, "multiply", a, b)


def _masked_product(mask: Expression, factor: Expression) -> Expression:
    """Return the product of a selection that is zero on one side, the factor within; however deep they are nested."""
    around: list[tuple[Expression, bool]] = []
    while mask.operation == "select" and (mask.operands[1] is ZERO or mask.operands[2] is ZERO):
        condition, above, below = mask.operands
        around.append((condition, above is ZERO))
        mask = below if above is ZERO else above
    product = multiply(mask, factor)
    for condition, zero_above in reversed(around):
        product = select(condition, ZERO, product) if zero_above else select(condition, product, ZERO)
    return product


def _base(a: Expression) -> tuple[Expression, int]:
    """Return ``a`` as a whole power of something."""
    sign = 1
    if a.operation == "reciprocal":
        sign, a = -1, a.operands[0]
    if a.operation == "power":
        return a.operands[0], sign * int(a.operands[1].value)
    return a, sign


def reciprocal(a: Expression) -> Expression:
    """Return ``1 / a``."""
    operation = a.operation
    if operation == CONSTANT and a is not ZERO and math.isfinite(1.0 / a.value):
        return constant(1.0 / a.value)
    if operation == "negate":
        return negate(reciprocal(a.operands[0]))
    if operation == "reciprocal":
        return a.operands[0]
    if operation == "multiply" and a.operands[0].operation == CONSTANT and math.isfinite(1.0 / a.operands[0].value):
        return multiply(constant(1.0 / a.operands[0].value), reciprocal(a.operands[1]))
    return _plain("reciprocal", (a,))


def divide(a: Expression, b: Expression) -> Expression:
    """Return ``a / b``; numbers are divided with one rounding."""
    if a.operation == CONSTANT and b.operation == CONSTANT and b is not ZERO:
        quotient = a.value / b.value
        if math.isfinite(quotient):
            return constant(quotient)
    return multiply(a, reciprocal(b))


def power(a: Expression, exponent: int) -> Expression:
    """Return ``a`` to a whole power; a negative one is a reciprocal.

    Raises:
        ExpressionError: If the exponent is beyond ``LARGEST_EXPONENT``.
    """
    if abs(exponent) > LARGEST_EXPONENT:
        raise ExpressionError(f"the power {exponent} is too large; expected at most {LARGEST_EXPONENT}")
    if exponent == 0:
        return ONE
    if exponent == 1:
        return a
    if exponent < 0:
        return reciprocal(power(a, -exponent))
    operation = a.operation
    if operation == CONSTANT:
        value = whole_power(a.value, exponent)
        if math.isfinite(value):
            return constant(value)
    elif operation == "negate":
        result = power(a.operands[0], exponent)
        return negate(result) if exponent % 2 else result
    elif operation == "power" and a.operands[1].value * exponent <= LARGEST_EXPONENT:
        return power(a.operands[0], int(a.operands[1].value) * exponent)
    elif operation == "reciprocal":
        return reciprocal(power(a.operands[0], exponent))
    elif operation == "sqrt":
        whole = power(a.operands[0], exponent // 2)
        return multiply(whole, a) if exponent % 2 else whole
    elif operation == "absolute" and exponent % 2 == 0:
        return power(a.operands[0], exponent)
    elif operation == "multiply" and a.operands[0].operation == CONSTANT:
        value = whole_power(a.operands[0].value, exponent)
        if math.isfinite(value) and value != 0.0:
            return multiply(constant(value), power(a.operands[1], exponent))
    return _plain("power", (a, constant(exponent)))


def raise_to(a: Expression, exponent: Expression) -> Expression:
    """Return ``a ** exponent``: whole powers, halves by the root, everything else as ``exp(exponent * log(a))``."""
    if exponent.operation == CONSTANT:
        value = exponent.value
        if value == int(value):
            return power(a, int(value))
        if a.operation == CONSTANT:
            try:
                return constant(math.pow(a.value, value))
            except (ValueError, OverflowError, ExpressionError):
                pass  # stays as it is and gives NaN or infinity
        if 2.0 * value == int(2.0 * value) and abs(value) <= LARGEST_EXPONENT:
            # a^(n + 1/2), the whole part rounded toward zero so that a^-0.5 is one reciprocal of one root
            root = apply("sqrt", a)
            positive = multiply(power(a, int(abs(value))), root)
            return positive if value > 0.0 else reciprocal(positive)
    return apply("exp", multiply(exponent, apply("log", a)))


def select(condition: Expression, above: Expression, below: Expression) -> Expression:
    """Return ``above`` where ``condition >= 0``, otherwise ``below``."""
    if condition.operation == CONSTANT:
        return above if condition.value >= 0.0 else below
    return above if above is below else _plain("select", (condition, above, below))


def apply(operation: str, *operands: Operand) -> Expression:
    """Return an operation of the table, simplified: ``apply("sin", x)``.

    Args:
        operation: A name in ``OPERATIONS``.
        operands: As many as its row says; numbers become constants.

    Raises:
        ExpressionError: If there is no such operation, or it takes another number of operands.
    """
    row = OPERATIONS.get(operation)
    if row is None or not row.arity:
        raise ExpressionError(f'"{operation:.40}" is not an operation; expected {", ".join(OPERATIONS)}')
    if len(operands) != row.arity:
        raise ExpressionError(f"{operation} takes {row.arity} operands, not {len(operands)}")
    nodes = tuple(o if type(o) is Expression else constant(o) for o in operands)
    if row.build is not None:
        return row.build(*nodes)
    if all(node.operation == CONSTANT for node in nodes):
        value = row.function(*[node.value for node in nodes])
        if math.isfinite(value):
            return constant(value)
    if row.simplified is not None and (simple := row.simplified(*nodes)) is not None:
        return simple
    if row.commutes and nodes[0].fingerprint > nodes[1].fingerprint:
        nodes = nodes[::-1]
    return _plain(operation, nodes)


def _unsigned(term: Expression) -> int:
    return (term.operands[0] if term.operation == "negate" else term).fingerprint


def total(terms: Iterable[Expression]) -> Expression:
    """Return the sum, added in pairs, so that it is no deeper than needed.

    The terms are put in canonical order, signs aside: the same terms give the same node, in whatever order they come.
    """
    left = sorted(terms, key=_unsigned)
    while len(left) > 1:
        left = [add(*left[i : i + 2]) if i + 1 < len(left) else left[i] for i in range(0, len(left), 2)]
    return left[0] if left else ZERO


def topological(outputs: Sequence[Expression]) -> list[Expression]:
    """Return every node that the outputs need, once, operands before what works on them."""
    order: list[Expression] = []
    done: set[Expression] = set()
    for output in outputs:
        if output in done:
            continue
        stack = [output]
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
                continue
            waiting = [operand for operand in node.operands if operand not in done]
            if waiting:
                stack.extend(reversed(waiting))
            else:
                stack.pop()
                done.add(node)
                order.append(node)
    return order


def whole_power(base: Any, exponent: int) -> Any:
    """Return ``base ** exponent`` for a positive whole exponent, by squaring from the highest bit down.

    The order of the products is part of the definition: floats, arrays and generated code give the same bits.
    """
    result = base
    for bit in bin(exponent)[3:]:
        result = result * result
        if bit == "1":
            result = result * base
    return result


def _careful(function: Callable[..., float], array_function: Callable[..., Any]) -> Callable[..., float]:
    """Return the function with infinities and NaN where Python would raise."""

    def careful(*numbers: float) -> float:
        try:
            return function(*numbers)
        except (ValueError, OverflowError, ZeroDivisionError):
            with np.errstate(all="ignore"):
                return float(array_function(*numbers))

    return careful


@dataclass(frozen=True, slots=True)
class Operation:
    """A row of the table.

    Attributes:
        arity: How many operands it takes.
        function: The operation on floats; NaN or infinity where it is not defined, never an exception.
        array_function: The same on arrays.
        partials: From a node, the derivative with respect to each operand.
        words: Names of the function in texts; none for what has no name there.
        commutes: Whether the order of the operands does not matter.
        simplified: From the operands, a simpler expression or None.
        build: Replaces simplifying where an operation has a function of its own.
    """

    arity: int
    function: Callable[..., float]
    array_function: Callable[..., Any]
    partials: Partials
    words: tuple[str, ...] = ()
    commutes: bool = False
    simplified: Callable[..., Expression | None] | None = None
    build: Callable[..., Expression] | None = None


def _function(
    name: str,
    array_function: Callable[..., Any],
    slope: Callable[[Expression, Expression], Expression],
    simplified: Callable[[Expression], Expression | None] | None = None,
) -> Operation:
    """Return the row of a function of one operand; ``slope`` has the operand and the node itself."""
    return Operation(
        1,
        _careful(getattr(math, name), array_function),
        array_function,
        lambda node: (slope(node.operands[0], node),),
        (name,),
        simplified=simplified,
    )


def _odd(name: str, inverse: str = "") -> Callable[[Expression], Expression | None]:
    """Return the rule ``f(-x) = -f(x)``, and ``f(g(x)) = x`` for the inverse g."""

    def rule(a: Expression) -> Expression | None:
        if a.operation == "negate":
            return negate(apply(name, a.operands[0]))
        return a.operands[0] if inverse and a.operation == inverse else None

    return rule


def _inverse(name: str) -> Callable[[Expression], Expression | None]:
    return lambda a: a.operands[0] if a.operation == name else None


def _even(name: str) -> Callable[[Expression], Expression | None]:
    return lambda a: apply(name, a.operands[0]) if a.operation == "negate" else None


def _root_of(a: Expression) -> Expression | None:
    if a.operation == "power" and int(a.operands[1].value) % 2 == 0:
        return apply("absolute", power(a.operands[0], int(a.operands[1].value) // 2))
    return None


def _sign_of(value: float) -> float:
    return value if math.isnan(value) else math.copysign(1.0, value) if value else 0.0


def _absolute_of(a: Expression) -> Expression | None:
    if a.operation == "negate":
        return apply("absolute", a.operands[0])
    if a.operation in ("absolute", "sqrt", "exp", "cosh") or (
        a.operation == "power" and int(a.operands[1].value) % 2 == 0
    ):
        return a
    return None


def _power_slope(node: Expression) -> tuple[Expression, ...]:
    base, exponent = node.operands
    return multiply(exponent, power(base, int(exponent.value) - 1)), ZERO


def _minimum(a: float, b: float) -> float:
    return a if a <= b or math.isnan(a) else b


def _maximum(a: float, b: float) -> float:
    return a if a >= b or math.isnan(a) else b


def _same(a: Expression, b: Expression) -> Expression | None:
    return a if a is b else None


def _power_of(a: Expression, exponent: Expression) -> Expression:
    return raise_to(a, exponent)


def _unit(node: Expression) -> tuple[Expression, ...]:
    return ()


def _first(condition: Expression) -> tuple[Expression, Expression]:
    return select(condition, ONE, ZERO), select(condition, ZERO, ONE)


OPERATIONS: dict[str, Operation] = {
    CONSTANT: Operation(0, float, float, _unit),
    SYMBOL: Operation(0, float, float, _unit),
    "add": Operation(2, lambda a, b: a + b, np.add, lambda n: (ONE, ONE), commutes=True, build=add),
    "multiply": Operation(
        2, lambda a, b: a * b, np.multiply, lambda n: (n.operands[1], n.operands[0]), commutes=True, build=multiply
    ),
    "negate": Operation(1, lambda a: -a, np.negative, lambda n: (negate(ONE),), build=negate),
    "reciprocal": Operation(
        1,
        _careful(lambda a: 1.0 / a, lambda a: np.divide(1.0, a)),
        lambda a: np.divide(1.0, a),
        lambda n: (negate(power(n, 2)),),
        build=reciprocal,
    ),
    "power": Operation(
        2,
        lambda a, n: float(whole_power(a, int(n))),
        lambda a, n: whole_power(a, int(n)),
        _power_slope,
        build=_power_of,
    ),
    "sqrt": _function("sqrt", np.sqrt, lambda x, n: multiply(HALF, reciprocal(n)), _root_of),
    "sin": _function("sin", np.sin, lambda x, n: apply("cos", x), _odd("sin", "asin")),
    "cos": _function("cos", np.cos, lambda x, n: negate(apply("sin", x)), _even("cos")),
    "tan": _function("tan", np.tan, lambda x, n: add(ONE, power(n, 2)), _odd("tan", "atan")),
    "asin": _function("asin", np.arcsin, lambda x, n: reciprocal(apply("sqrt", 1.0 - x * x)), _odd("asin")),
    "acos": _function("acos", np.arccos, lambda x, n: negate(reciprocal(apply("sqrt", 1.0 - x * x)))),
    "atan": _function("atan", np.arctan, lambda x, n: reciprocal(add(ONE, power(x, 2))), _odd("atan")),
    "atan2": Operation(
        2,
        _careful(math.atan2, np.arctan2),
        np.arctan2,
        lambda n: (
            divide(n.operands[1], add(power(n.operands[0], 2), power(n.operands[1], 2))),
            negate(divide(n.operands[0], add(power(n.operands[0], 2), power(n.operands[1], 2)))),
        ),
        ("atan2",),
    ),
    "sinh": _function("sinh", np.sinh, lambda x, n: apply("cosh", x), _odd("sinh")),
    "cosh": _function("cosh", np.cosh, lambda x, n: apply("sinh", x), _even("cosh")),
    "tanh": _function("tanh", np.tanh, lambda x, n: 1.0 - power(n, 2), _odd("tanh")),
    "exp": _function("exp", np.exp, lambda x, n: n, _inverse("log")),
    "log": _function("log", np.log, lambda x, n: reciprocal(x), _inverse("exp")),
    "absolute": Operation(1, abs, np.abs, lambda n: (apply("sign", n.operands[0]),), ("abs",), simplified=_absolute_of),
    "sign": Operation(1, _sign_of, np.sign, lambda n: (ZERO,), ("sign",), simplified=_odd("sign")),
    "minimum": Operation(
        2,
        _minimum,
        np.minimum,
        lambda n: _first(n.operands[1] - n.operands[0]),
        ("min",),
        commutes=True,
        simplified=_same,
    ),
    "maximum": Operation(
        2,
        _maximum,
        np.maximum,
        lambda n: _first(n.operands[0] - n.operands[1]),
        ("max",),
        commutes=True,
        simplified=_same,
    ),
    "select": Operation(
        3,
        lambda c, a, b: a if c >= 0.0 else b,
        lambda c, a, b: np.where(np.greater_equal(c, 0.0), a, b),
        lambda n: (ZERO, *_first(n.operands[0])),
        ("select",),
        build=select,
    ),
}
"""Every operation by its name. A new function is one row here: texts, evaluation and derivatives read the table."""
