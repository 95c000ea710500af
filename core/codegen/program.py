"""Straight-line programs: what a set of expressions computes, as numbered values that each name earlier ones.

The expressions of ``core.symbolic`` are flattened, so that nothing that follows needs recursion; a node that several
expressions share is one value. All back ends start here: ``evaluation`` evaluates a program as it
stands, with numpy; ``lowering`` and ``llvm_text`` write it for LLVM.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import ExpressionError
from core.symbolic.expression import Expression

Instruction = tuple[Any, ...]
"""``("input", group, index)``, ``("constant", value)`` or an operation and the numbers of its operands."""


@dataclass(frozen=True)
class Program:
    """A program without branches but for its stages, which are computed in order and as far as is asked for.

    Attributes:
        groups: Name and length of each input array.
        code: The values, each after its operands, those of the first stage first.
        starts: Where the code of each stage begins.
        stages: For each stage the values that go to the output array, one stage's after the other's.
        places: For each output the group and the index that it is written to; empty if there is an output array.
    """

    groups: tuple[tuple[str, int], ...]
    code: tuple[Instruction, ...]
    starts: tuple[int, ...]
    stages: tuple[tuple[int, ...], ...]
    places: tuple[tuple[int, int], ...] = ()

    @property
    def size(self) -> int:
        """Length of the output array."""
        return sum(len(stage) for stage in self.stages)

    @property
    def operations(self) -> int:
        """Number of values that are computed: not inputs, not constants."""
        return sum(instruction[0] not in _LEAVES for instruction in self.code)

    def content(self) -> bytes:
        """Return all that the program is, for a digest: the same for the same expressions in every process."""
        # Version 2 of the format does not depend on which objects are shared.
        return marshal.dumps((self.groups, self.code, self.starts, self.stages, self.places), 2)


_LEAVES = ("input", "constant")


def program_of(
    inputs: Mapping[str, Sequence[Expression]],
    stages: Sequence[Sequence[Expression]],
    places: Sequence[tuple[int, int]] = (),
) -> Program:
    """Return the program that computes expressions of symbols.

    Args:
        inputs: Symbols by the input array that they stand in, in its order; no symbol twice.
        stages: Expressions in the order of the output array, cut into what can be asked for without the rest.
        places: For each expression the group and the index that it is written to, where it is read by nothing but the
            expression itself; an output array is written if left out.

    Raises:
        ExpressionError: If an expression holds a symbol that no group has, or a group something that is no symbol.
    """
    numbers: dict[Expression, int] = {}
    code: list[Instruction] = []
    inputs_at: dict[Expression, Instruction] = {}
    for group, (name, symbols) in enumerate(inputs.items()):
        for index, symbol in enumerate(symbols):
            if symbol.operation != "symbol":
                raise ExpressionError(f"element {index} of the input {name} is no symbol: {symbol!r}")
            if symbol in inputs_at:
                raise ExpressionError(f"the symbol {symbol.name} is among the inputs twice: again in {name}[{index}]")
            inputs_at[symbol] = ("input", group, index)
    made: list[tuple[int, ...]] = []
    starts: list[int] = []
    for stage in stages:
        starts.append(len(code))
        # As core.symbolic.expression.topological does, but without walking through earlier stages again.
        stack = [node for node in reversed(stage) if node not in numbers]
        while stack:
            node = stack[-1]
            if node in numbers:
                stack.pop()
                continue
            waiting = False
            for operand in node.operands:
                if operand not in numbers:
                    stack.append(operand)
                    waiting = True
            if waiting:
                continue
            stack.pop()
            numbers[node] = len(code)
            operation = node.operation
            if operation == "constant":
                code.append(("constant", node.value))
            elif operation != "symbol":
                code.append((operation, *[numbers[operand] for operand in node.operands]))
            elif node in inputs_at:
                code.append(inputs_at[node])
            else:
                raise ExpressionError(f"no input holds the symbol {node.name}")
        made.append(tuple(numbers[node] for node in stage))
    groups = tuple((name, len(symbols)) for name, symbols in inputs.items())
    return Program(groups, tuple(code), tuple(starts), tuple(made), tuple(places))
