"""Scalar expressions as a shared graph: built, simplified, differentiated, evaluated, and read from text."""

from core.symbolic.expression import (
    OPERATIONS,
    Expression,
    Operation,
    apply,
    constant,
    symbol,
    symbols,
    topological,
)

__all__ = ["OPERATIONS", "Expression", "Operation", "apply", "constant", "symbol", "symbols", "topological"]
