"""Scalar expressions as a shared graph: built, simplified, differentiated, evaluated, and read from text."""

from core.symbolic.collector import collector_paused
from core.symbolic.differentiation import METHODS, derivative, higher_derivative, operation_count
from core.symbolic.evaluation import Evaluator, evaluate
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
from core.symbolic.parsing import parse, parse_several

__all__ = [
    "METHODS",
    "OPERATIONS",
    "Evaluator",
    "Expression",
    "Operation",
    "apply",
    "collector_paused",
    "constant",
    "derivative",
    "evaluate",
    "higher_derivative",
    "operation_count",
    "parse",
    "parse_several",
    "symbol",
    "symbols",
    "topological",
]
