"""Equations of locks as the kernels take them: what they name, and the operations on it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.constraints.equations import EquationResidual
from core.constraints.hold.packed import EQUATION, Hold
from core.constraints.hold.rows import Rows
from core.constraints.tape_kernel import POWER
from core.kinematics.chain_nodes import ChainNodes


def equation_sizes(order: Sequence[Rows]) -> dict[str, int]:
    """Return how much room the equations among the entries of a problem take, by the names of its state."""
    tapes = [equations_of(rows).compiled for rows in order if rows.form == EQUATION]
    return {
        "reference_count": sum(len(each.references) for each in tapes),
        "cell_count": sum(len(each.tape.cells) for each in tapes),
        "operation_count": sum(len(each.tape.code) for each in tapes),
        "output_count": sum(len(each.tape.outputs) for each in tapes),
    }


def equations_of(rows: Rows) -> EquationResidual:
    """Return the equations of an entry of that form."""
    assert isinstance(rows.residual, EquationResidual)
    return rows.residual


def same_equations(a: Rows, b: Rows) -> bool:
    """Return whether two entries differ in the numbers of their equations alone."""
    return equations_of(a).compiled is equations_of(b).compiled


def write_equations(h: Hold, chain: ChainNodes, order: Sequence[Rows], size: float) -> None:
    """Write the equations among the entries; numbers in them are still open, see ``put_numbers``.

    Args:
        h: The problem.
        chain: Its nodes.
        order: The entries behind those of cones.
        size: W, [m].
    """
    reference = cell = operation = output = 0
    for e, rows in enumerate(order, len(h.entries) - len(order)):
        if rows.form != EQUATION:
            continue
        made = equations_of(rows).compiled
        tape, count = made.tape, len(made.references)
        h.target[e, 0] = math.radians(1.0) if made.angular else 1.0 / size
        middle, stop = operation + tape.middle, operation + len(tape.code)
        h.spans[e] = reference, reference + count, operation, middle, stop, output
        code = h.tape[operation:stop]
        code[:] = tape.code
        code[:, 1:] += cell
        powers = tape.code[:, 0] == POWER
        code[powers, 3] = tape.code[powers, 3]  # an exponent is no cell
        h.cells[cell : cell + len(tape.cells)] = tape.cells
        h.outputs[output : output + len(tape.outputs)] = tape.outputs + cell
        for j, each in enumerate(made.references, reference):
            if each.dof >= 0:
                node = int(np.flatnonzero(chain.q_index == each.dof)[0])
                h.references[j] = node, -1, cell + j - reference
                h.lever[j] = 0.0, 0.0, 0.0, each.factor * h.unit[node]
            else:
                node, linear, origin, _ = chain.after[each.joint]
                h.references[j] = node, each.axis, cell + j - reference
                h.lever[j, :3], h.lever[j, 3] = linear @ (each.point / size) + origin, size
        reference, cell, operation, output = reference + count, cell + len(tape.cells), stop, output + len(tape.outputs)


def put_numbers(h: Hold, e: int, rows: Rows) -> None:
    """Write what equations name of other figures and the numbers that stand in them, into the cells of entry ``e``."""
    residual = equations_of(rows)
    numbers = (*residual.outside, *residual.numbers)
    if numbers:
        first = int(h.references[h.spans[e, 0], 2]) + len(residual.compiled.references)
        h.cells[first : first + len(numbers)] = numbers
