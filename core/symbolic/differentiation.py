"""Derivatives of expressions, to any order, by the way that takes the fewest operations.

The chain rule sums, over all paths from an output down to a symbol, the product of the partial derivatives along the
path. Three ways to share the work:

- ``forward``: a symbol at a time, from it upward; cheap where there are few symbols.
- ``reverse``: an output at a time, from it downward; cheap where there are few outputs.
- ``factored``: on the derivative graph, whose edges bear the partial derivatives. A node inside is taken out by
  joining each edge into it with each out of it, always the node that costs least. Where all paths meet again (at a
  dominator or postdominator) this contracts what lies between into one edge that all derivatives share, as D* does;
  where paths cross, the least fill-in decides.

Source: Guenter (2007), Efficient symbolic differentiation for graphics applications (D*); the order of elimination is
that of Markowitz, see Griewank & Reese (1991), On the calculation of Jacobian matrices by the Markowitz rule.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence

from core.errors import ExpressionError
from core.symbolic.collector import collector_paused
from core.symbolic.expression import (
    ONE,
    OPERATIONS,
    SYMBOL,
    ZERO,
    Expression,
    add,
    multiply,
    topological,
    total,
)

FEWEST = "fewest"


def derivative(
    outputs: Sequence[Expression], symbols: Sequence[Expression], method: str = FEWEST
) -> list[list[Expression]]:
    """Return the Jacobian: for each output the derivatives with respect to each symbol.

    Args:
        outputs: What is differentiated.
        symbols: With respect to what; no other node than symbols.
        method: A name in ``METHODS``, or ``fewest`` for the one of them with the fewest operations; those that by
            an estimate take several times as many are not tried.

    Raises:
        ExpressionError: If a symbol is none, or there is no such method.
    """
    if method != FEWEST and method not in METHODS:
        raise ExpressionError(f'"{method:.40}" is not a method; expected {", ".join((FEWEST, *METHODS))}')
    with collector_paused():
        graph = _Graph(outputs, symbols)
        if method != FEWEST:
            return METHODS[method](graph)
        tried = [METHODS[name](graph) for name in graph.promising()]
        if len(tried) == 1:
            return tried[0]
        return min(tried, key=lambda found: operation_count([entry for row in found for entry in row], outputs))


def higher_derivative(
    output: Expression, symbols: Sequence[Expression], order: int
) -> dict[tuple[int, ...], Expression]:
    """Return all derivatives of one order, by the indices of their symbols in rising order.

    Mixed derivatives do not depend on the order of their symbols, so ``(0, 1)`` stands for ``(1, 0)`` too.

    Args:
        output: What is differentiated.
        symbols: With respect to what.
        order: 0 gives the output itself, by ``()``.
    """
    found: dict[tuple[int, ...], Expression] = {(): output}
    for _ in range(order):
        rows = derivative(list(found.values()), symbols)
        found = {
            (*indices, j): row[j]
            for indices, row in zip(found, rows, strict=True)
            for j in range(indices[-1] if indices else 0, len(symbols))
        }
    return found


def operation_count(outputs: Iterable[Expression], given: Sequence[Expression] = ()) -> int:
    """Return how many operations the outputs take when ``given`` has been computed already.

    A negation counts nothing, for a sum subtracts as easily as it adds; a power counts its products.
    """
    known = set(topological(given))
    count = 0
    for node in topological(list(outputs)):
        if node in known or not node.operands or node.operation == "negate":
            continue
        exponent = int(node.operands[1].value) if node.operation == "power" else 2
        count += exponent.bit_length() - 2 + exponent.bit_count()
    return count


class _Graph:
    """What the outputs need and what depends on the symbols, with the partial derivatives.

    Attributes:
        outputs: What is differentiated.
        symbols: With respect to what.
        order: The nodes that depend on a symbol, operands first.
        place: Where each stands in ``order``.
        below: For each node in ``order``, its operands in it with the partial derivatives.
        above: For each, what works on it.
        symbols_below: For each, how many of the symbols it depends on.
        outputs_above: For each, how many of the outputs depend on it.
    """

    def __init__(self, outputs: Sequence[Expression], symbols: Sequence[Expression]):
        self.outputs, self.symbols = outputs, symbols
        for node in symbols:
            if node.operation != SYMBOL:
                raise ExpressionError(f"{node!r} is not a symbol; expected symbols to differentiate by")
        wanted = set(symbols)
        self.order: list[Expression] = []
        self.place: dict[Expression, int] = {}
        self.below: list[list[tuple[int, Expression]]] = []
        self.above: list[list[tuple[int, Expression]]] = []
        for node in topological(outputs):
            if node in wanted:
                self._append(node, [])
                continue
            places = [self.place.get(operand) for operand in node.operands]
            if places.count(None) == len(places):
                continue
            edges = [
                (place, partial)
                for place, partial in zip(places, OPERATIONS[node.operation].partials(node), strict=True)
                if place is not None and partial is not ZERO
            ]
            if edges:
                self._append(node, edges)

        reach = [1 << i for i in range(len(symbols))]
        masks = [0] * len(self.order)
        for variable, mask in zip(symbols, reach, strict=True):
            if variable in self.place:
                masks[self.place[variable]] = mask
        for here, edges in enumerate(self.below):
            for operand, _ in edges:
                masks[here] |= masks[operand]
        self.symbols_below = [mask.bit_count() for mask in masks]
        masks = [0] * len(self.order)
        for i, output in enumerate(outputs):
            if output in self.place:
                masks[self.place[output]] |= 1 << i
        for here in reversed(range(len(self.order))):
            for up, _ in self.above[here]:
                masks[here] |= masks[up]
        self.outputs_above = [mask.bit_count() for mask in masks]

    def promising(self) -> list[str]:
        """Return the methods that may take the fewest operations, by how often each edge is multiplied by."""
        edges = [sum(partial is not ONE for _, partial in below) for below in self.below]
        forward = sum(n * count for n, count in zip(edges, self.symbols_below, strict=True))
        reverse = sum(n * count for n, count in zip(edges, self.outputs_above, strict=True))
        names = []
        if 2 * forward <= 5 * reverse:  # what it multiplies by is often there already: it takes less than estimated
            names.append("forward")
        if reverse <= 2 * forward:
            names.append("reverse")
        # Factoring goes over each edge about once, but fills in others: it gains where the others pass often.
        if min(forward, reverse) > 3 * sum(edges):
            names.append("factored")
        return names

    def _append(self, node: Expression, edges: list[tuple[int, Expression]]) -> None:
        here = self.place[node] = len(self.order)
        self.order.append(node)
        self.below.append(edges)
        self.above.append([])
        for operand, partial in edges:
            self.above[operand].append((here, partial))


def _reached(start: int, edges: list[list[tuple[int, Expression]]]) -> list[int]:
    seen = {start}
    stack = [start]
    while stack:
        for to, _ in edges[stack.pop()]:
            if to not in seen:
                seen.add(to)
                stack.append(to)
    return sorted(seen)


def _combined(edges: list[tuple[int, Expression]], known: dict[int, Expression]) -> Expression:
    """Return the sum of what is known at the other ends, each times the partial derivative on its edge."""
    terms = [
        far if partial is ONE else multiply(partial, far)
        for far, partial in [(known.get(end), partial) for end, partial in edges]
        if far is not None
    ]
    return terms[0] if len(terms) == 1 else total(terms)


def _forward(graph: _Graph) -> list[list[Expression]]:
    columns = []
    for variable in graph.symbols:
        rates: dict[int, Expression] = {}
        if variable in graph.place:
            start = graph.place[variable]
            rates[start] = ONE
            for here in _reached(start, graph.above)[1:]:
                rates[here] = _combined(graph.below[here], rates)
        columns.append([rates.get(graph.place.get(output, -1), ZERO) for output in graph.outputs])
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in graph.outputs]


def _reverse(graph: _Graph) -> list[list[Expression]]:
    rows = []
    for output in graph.outputs:
        weights: dict[int, Expression] = {}
        if output in graph.place:
            start = graph.place[output]
            weights[start] = ONE
            for here in reversed(_reached(start, graph.below)[:-1]):
                weights[here] = _combined(graph.above[here], weights)
        rows.append([weights.get(graph.place.get(variable, -1), ZERO) for variable in graph.symbols])
    return rows


def _factored(graph: _Graph) -> list[list[Expression]]:
    size = len(graph.order)
    below: list[dict[int, Expression]] = [{} for _ in range(size)]
    above: list[dict[int, Expression]] = [{} for _ in range(size)]
    for here, edges in enumerate(graph.below):
        for operand, partial in edges:
            label = add(below[here].get(operand, ZERO), partial)
            below[here][operand] = above[operand][here] = label
    # An output may be an operand of another one: each has a node of its own above it, which stays.
    roots: dict[Expression, int] = {}
    for output in graph.outputs:
        if output in graph.place and output not in roots:
            root = roots[output] = len(below)
            below.append({graph.place[output]: ONE})
            above.append({})
            above[graph.place[output]][root] = ONE
    kept = {graph.place[variable] for variable in graph.symbols if variable in graph.place}

    def cost(here: int) -> float:
        # Edges made for each derivative that has a path through here; ties go from the symbols upward, since partial
        # derivatives near them are often there already.
        derivatives = graph.symbols_below[here] * graph.outputs_above[here]
        return len(below[here]) * len(above[here]) / max(derivatives, 1)

    queue = [(cost(here), here) for here in range(size) if here not in kept]
    heapq.heapify(queue)
    gone = bytearray(len(below))
    while queue:
        estimate, here = heapq.heappop(queue)
        if gone[here]:
            continue
        now = cost(here)
        if now > estimate:
            heapq.heappush(queue, (now, here))
            continue
        gone[here] = 1
        for up in above[here]:
            del below[up][here]
        for down in below[here]:
            del above[down][here]
        for up, outer in above[here].items():
            for down, inner in below[here].items():
                product = multiply(outer, inner)
                before = below[up].get(down)
                label = product if before is None else add(before, product)
                if label is ZERO:
                    if before is not None:
                        del below[up][down], above[down][up]
                    continue
                below[up][down] = above[down][up] = label
        for other in (*above[here], *below[here]):
            if other < size and other not in kept and not gone[other]:
                heapq.heappush(queue, (cost(other), other))
        below[here], above[here] = {}, {}
    return [
        [
            below[roots[output]].get(graph.place.get(variable, -1), ZERO) if output in roots else ZERO
            for variable in graph.symbols
        ]
        for output in graph.outputs
    ]


METHODS: dict[str, Callable[[_Graph], list[list[Expression]]]] = {
    "forward": _forward,
    "reverse": _reverse,
    "factored": _factored,
}
