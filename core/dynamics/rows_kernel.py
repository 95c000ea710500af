"""The recursive formulation for many states, the rows of arrays, while other threads of Python run.

Each thread has a tree memory of its own and does the rows from ``first`` to before ``end``. An array that is only read
may have a single row, which stands for all. ``joints``, ``slots`` and ``constants`` are those of
``joints_kernel.evaluate``, for joints that compiled functions evaluate.
"""

from __future__ import annotations

from core.dynamics.joints_kernel import evaluate
from core.dynamics.recursive_kernel import forward, inverse, mass_matrix
from core.dynamics.tree_memory import TreeMemory
from core.kernels import F1, F2, F3, I1, I2, kernel


@kernel(nogil=True)
def forward_rows(
    tree: TreeMemory, joints: I2, slots: F1, constants: F1, x: F2, v: F2, tau: F2, wrenches: F3, vdot: F2, status: I1,
    first: int, end: int,
) -> None:  # fmt: skip
    """Write accelerations from forces, and what ``forward`` returned for each row."""
    for j in range(first, end):
        place, rate = x[min(j, len(x) - 1)], v[min(j, len(v) - 1)]
        evaluate(tree, joints, slots, constants, place, rate)
        status[j] = forward(tree, place, rate, tau[min(j, len(tau) - 1)], wrenches[min(j, len(wrenches) - 1)], vdot[j])


@kernel(nogil=True)
def inverse_rows(
    tree: TreeMemory, joints: I2, slots: F1, constants: F1, x: F2, v: F2, vdot: F2, wrenches: F3, tau: F2, status: I1,
    first: int, end: int,
) -> None:  # fmt: skip
    """Write the generalized forces of given accelerations, and what ``inverse`` returned for each row."""
    for j in range(first, end):
        place, rate = x[min(j, len(x) - 1)], v[min(j, len(v) - 1)]
        evaluate(tree, joints, slots, constants, place, rate)
        status[j] = inverse(tree, place, rate, vdot[min(j, len(vdot) - 1)], wrenches[min(j, len(wrenches) - 1)], tau[j])


@kernel(nogil=True)
def mass_matrix_rows(
    tree: TreeMemory, joints: I2, slots: F1, constants: F1, x: F2, rest: F1, M: F3, first: int, end: int
) -> None:
    """Write the mass matrices."""
    for j in range(first, end):
        evaluate(tree, joints, slots, constants, x[j], rest)
        mass_matrix(tree, x[j], rest, M[j])
