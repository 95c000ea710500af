"""Random graphs of expressions, small ones from hypothesis and large ones that stay tame."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from core.symbolic import OPERATIONS, Expression, apply, constant, symbol

FUNCTIONS = sorted(name for name, row in OPERATIONS.items() if row.arity and name != "power")


@st.composite
def graphs(draw: Callable[[Any], Any], inputs: int = 4) -> tuple[list[Expression], list[Expression]]:
    """Symbols and expressions of them, with every operation of the table."""
    xs = [symbol(f"x{k}") for k in range(inputs)]
    nodes = [*xs, constant(draw(st.floats(-3.0, 3.0))), constant(draw(st.floats(-3.0, 3.0)))]
    for _ in range(draw(st.integers(1, 30))):
        name = draw(st.sampled_from([*FUNCTIONS, "power", "add", "multiply", "add", "multiply"]))
        pick = st.integers(0, len(nodes) - 1)
        if name == "power":
            node = nodes[draw(pick)] ** draw(st.integers(-5, 9))
        else:
            node = apply(name, *[nodes[draw(pick)] for _ in range(OPERATIONS[name].arity)])
        nodes.append(node)
    return xs, [nodes[draw(st.integers(0, len(nodes) - 1))] for _ in range(draw(st.integers(1, 5)))]


def large_graph(count: int, inputs: int = 20, angles: float = 0.01) -> tuple[list[Expression], list[Expression]]:
    """Symbols and 20 expressions of about ``count`` operations, whose values stay near 1.

    Args:
        count: Operations.
        inputs: Number of symbols.
        angles: Share of sines and cosines.
    """
    rnd = random.Random(count)
    xs = [symbol(f"x{k}") for k in range(inputs)]
    nodes: list[Expression] = list(xs)
    made = 0
    while made < count:
        a, b, c = rnd.choice(nodes[-60:]), rnd.choice(nodes[-60:]), rnd.choice(nodes[-200:])
        kind = rnd.random()
        if kind < angles:
            nodes += [apply("sin", a), apply("cos", a)]
            made += 2
        elif kind < 0.03 + angles:
            nodes.append((a * a + 1.0) ** -0.5)
            made += 4
        else:  # means of what is there, with weights that differ
            w = constant(rnd.uniform(0.2, 0.7))
            nodes.append(a * w + b * c * 0.25 if kind < 0.5 else a * w - b * 0.5 + c * 0.25)
            made += 4
    return xs, nodes[-20:]
