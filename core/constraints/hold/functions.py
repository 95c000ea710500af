"""Problems of locks some of whose rows are functions of the whole pose.

The solver is that of all others: its text calls the functions here, which write those rows and leave the rest to the
kernels. Steps, where the time goes, are the kernels' own.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np

from core.arrays import Array
from core.constraints.hold import pose_steps_kernel, rows_kernel, solver_kernel
from core.constraints.hold.packed import Hold
from core.constraints.hold.row_values import arguments, residual_of, row_values
from core.constraints.hold.rows import Rows
from core.constraints.places import Places
from core.kernels import serving
from core.kernels.text import text_with
from core.skeleton.skeleton import Skeleton


class FunctionHold(Hold):
    """A problem with functions; what any of them depends on is among its nodes.

    Attributes:
        skeleton: The figure.
        functions: Rows of functions and the first row of each.
    """

    skeleton: Skeleton

    functions: tuple[tuple[Rows, int], ...] = ()


def places_at(h: FunctionHold, pose: int) -> Places:
    """Return where the parts of the figure are in a pose of the problem."""
    q = np.zeros(h.limits.shape[1])
    q[h.q_index] = h.x[pose] * h.unit
    return Places(h.skeleton, q)


def evaluate(h: FunctionHold, pose: int) -> tuple[float, float]:
    """As the kernel of this name."""
    places = places_at(h, pose)
    for rows, first in h.functions:
        span = slice(first, first + rows.size)
        h.C[pose, span] = residual_of(rows).value(*arguments(rows, places)) / h.scale[span]
    found: tuple[float, float] = serving(rows_kernel).evaluate(h, pose)
    return found


def columns(h: FunctionHold, pose: int) -> None:
    """As the kernel of this name."""
    places = places_at(h, pose)
    for rows, first in h.functions:
        span = slice(first, first + rows.size)
        J = row_values([rows], places)[1]
        h.J[span] = J[:, h.q_index] * h.unit / h.scale[span, None]
    serving(rows_kernel).columns(h, pose)


def step_to(h: FunctionHold, pose: int, to: int, rows: int, factor: float) -> None:
    """As the kernel of this name."""
    serving(pose_steps_kernel).step_to(h, pose, to, rows, factor)


@cache
def _solver() -> SimpleNamespace:
    others = {rows_kernel.evaluate: evaluate, rows_kernel.columns: columns, pose_steps_kernel.step_to: step_to}
    return text_with(solver_kernel, others)


def hold(
    h: FunctionHold, q: Array, start: Array, out: Array, tolerance: float, most: int, most_drag: int, mode: int
) -> None:
    """As the kernel of this name."""
    _solver().hold(h, q, start, out, tolerance, most, most_drag, mode)
