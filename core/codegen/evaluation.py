"""Evaluates a program with numpy, one operation after the other: for machines without LLVM, and to check others by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from core.arrays import Array
from core.codegen.program import Program
from core.symbolic.expression import OPERATIONS, whole_power


class Evaluator:
    """A program that numpy runs, for one set of inputs or for many at once.

    Args:
        program: The program.
    """

    def __init__(self, program: Program):
        self._program = program
        code = program.code
        last = list(range(len(code)))
        for number, instruction in enumerate(code):
            if instruction[0] not in ("input", "constant"):
                for operand in instruction[1:]:
                    last[operand] = number
        for stage in program.stages:
            for number in stage:
                last[number] = len(code)
        done: list[list[int]] = [[] for _ in range(len(code) + 1)]
        for number, end in enumerate(last):
            done[end].append(number)
        # Values take the place of what nothing needs any more: many rows of all of them would fill the memory.
        place = [0] * len(code)
        free: list[int] = []
        self._places = 0
        self._steps: list[tuple[Any, tuple[Any, ...], int]] = []
        for number, instruction in enumerate(code):
            operation = instruction[0]
            if free:
                place[number] = free.pop()
            else:
                place[number] = self._places
                self._places += 1
            if operation in ("input", "constant"):
                self._steps.append((operation, instruction[1:], place[number]))
            elif operation == "power":
                raised = partial(_raised, exponent=int(code[instruction[2]][1]))
                self._steps.append((raised, (place[instruction[1]],), place[number]))
            else:
                function = OPERATIONS[operation].array_function
                self._steps.append((function, tuple(place[operand] for operand in instruction[1:]), place[number]))
            # Not its own place as long as its operands are read: they are freed after it.
            free += [place[each] for each in done[number]]
        self._outputs = [[place[number] for number in stage] for stage in program.stages]

    def run(self, inputs: Sequence[Array], out: Array, order: int | None = None) -> None:
        """Compute the outputs.

        Args:
            inputs: One array a group, shape (..., length of the group).
            out: What the outputs are written to, shape (..., size).
            order: The last stage that is wanted, counted from 0; all by default.
        """
        starts = [*self._program.starts, len(self._steps)]
        values: list[Any] = [None] * self._places
        at = 0
        with np.errstate(all="ignore"):
            for stage, places in enumerate(self._outputs):
                if order is not None and stage > order:
                    return
                for function, operands, target in self._steps[starts[stage] : starts[stage + 1]]:
                    if function == "constant":
                        values[target] = np.float64(operands[0])
                    elif function == "input":
                        values[target] = inputs[operands[0]][..., operands[1]]
                    else:
                        values[target] = function(*[values[place] for place in operands])
                for place in places:
                    out[..., at] = values[place]
                    at += 1


def _raised(base: Any, exponent: int) -> Any:
    return whole_power(base, exponent)
