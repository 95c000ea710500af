"""What is implicit of forces, as sums of ``weight g g^T`` over nodes: in the mass matrix, or in rows that give way.

The first takes nodes that hang on each other; rows (see ``applied_kernel``) take any.
"""

from __future__ import annotations

from core.dynamics.engine.memory import Memory
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F1, I1, kernel


@kernel(internal=True, fastmath=FAST)
def add_square(memory: Memory, nodes: I1, column: F1, first: int, weight: float) -> None:
    """Add ``weight column column^T`` over nodes that hang on each other, outermost first, to the mass matrix."""
    mass, start, depth = memory.applied_mass, memory.start, memory.depth
    for p in range(len(nodes)):
        at, w = start[nodes[p]], weight * column[first + p]
        for q in range(p + 1):
            mass[at + depth[nodes[q]]] += w * column[first + q]


@kernel(internal=True, fastmath=FAST)
def put_row(memory: Memory, r: int) -> None:
    """Begin row r of those that give way, still of zeros: ``sqrt(weight) column u1 + s = sqrt(weight) column u``."""
    row = memory.applied_columns[r]
    for i in range(len(row)):
        row[i] = 0.0
    own = memory.applied_rows[r]
    own.equality, own.slack, own.gap, own.velocity, own.bound = 1, r, 0.0, 0.0, 0.0


@kernel(internal=True, fastmath=FAST)
def fill_row(memory: Memory, r: int, nodes: I1, column: F1, first: int, root: float) -> None:
    """Add entries of some nodes to a row, and what they are by the velocities at the beginning to its bound."""
    row, u = memory.applied_columns[r], memory.u
    total = 0.0
    for j in range(len(nodes)):
        value = root * column[first + j]
        row[nodes[j]] = value
        total += value * u[nodes[j]]
    memory.applied_rows[r].bound += total
