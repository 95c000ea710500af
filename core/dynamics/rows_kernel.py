"""The recursive formulation for many states, the rows of arrays, while other threads of Python run.

Each thread has a tree memory of its own and does the rows from ``first`` to before ``end``. An array that is only read
may have a single row, which stands for all.
"""

from __future__ import annotations

from core.dynamics.recursive_kernel import forward, inverse, mass_matrix
from core.dynamics.tree_memory import TreeMemory
from core.kernels import F1, F2, F3, I1, kernel


@kernel(nogil=True)
def forward_rows(
    tree: TreeMemory, x: F2, v: F2, tau: F2, wrenches: F3, vdot: F2, status: I1, first: int, end: int
) -> None:
    """Write accelerations from forces, and what ``forward`` returned for each row."""
    for j in range(first, end):
        status[j] = forward(
            tree, x[min(j, len(x) - 1)], v[min(j, len(v) - 1)], tau[min(j, len(tau) - 1)],
            wrenches[min(j, len(wrenches) - 1)], vdot[j],
        )  # fmt: skip


@kernel(nogil=True)
def inverse_rows(
    tree: TreeMemory, x: F2, v: F2, vdot: F2, wrenches: F3, tau: F2, status: I1, first: int, end: int
) -> None:
    """Write the generalized forces of given accelerations, and what ``inverse`` returned for each row."""
    for j in range(first, end):
        status[j] = inverse(
            tree, x[min(j, len(x) - 1)], v[min(j, len(v) - 1)], vdot[min(j, len(vdot) - 1)],
            wrenches[min(j, len(wrenches) - 1)], tau[j],
        )  # fmt: skip


@kernel(nogil=True)
def mass_matrix_rows(tree: TreeMemory, x: F2, rest: F1, M: F3, first: int, end: int) -> None:
    """Write the mass matrices."""
    for j in range(first, end):
        mass_matrix(tree, x[j], rest, M[j])
