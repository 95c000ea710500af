"""Forces and constraints given as objects, from what :mod:`core.dynamics.engine.applied` leaves in the memory.

With ``f`` as at the beginning of a substep, ``K = -df/dx`` and ``D = -df/dv``, the velocities at its end are those of
``(M + h D + h^2 K) (u1 - u) = h (f - h K u - bias)`` (Sueda 2.77). Where that couples coordinates that hang on each
other, it is added to the sparse mass matrix. Any other coupling is a sum of ``g g^T`` and becomes rows that give way:
``g u1 + s = g u`` with an unknown ``s`` of its own, as heavy as the multiplier.
"""

from __future__ import annotations

from core.dynamics.engine.memory import APPLIED_ROW, Memory
from core.dynamics.engine.motion_kernel import solve_transposed
from core.dynamics.engine.rows_kernel import begin_row
from core.dynamics.node_motion_kernel import FAST
from core.kernels import kernel


@kernel(linked=True, fastmath=FAST)
def apply_forces(memory: Memory) -> None:
    """Write what forces do, and what is implicit of them, ``applied`` and ``applied_mass``."""
    state = memory.state
    n = state.node_count
    nodes, parent = memory.nodes, memory.parent
    depth, start, chain = memory.depth, memory.start, memory.chain
    wrench, applied, own = memory.applied_wrench, memory.applied, memory.applied_mass
    for i in range(n):
        for k in range(6):
            nodes[i].F[k] = wrench[i, k]
    for i in range(n - 1, -1, -1):
        W = nodes[i]
        applied[i] = memory.applied_effort[i]
        for k in range(6):
            applied[i] += W.S[k] * W.F[k]
        if parent[i] >= 0:
            for k in range(6):
                nodes[parent[i]].F[k] += W.F[k]
    for k in range(len(own)):
        own[k] = memory.applied_joint_mass[k]
    for c in range(state.coupling_count):
        coupling = memory.couplings[c]
        a, b, C = coupling.a, coupling.b, coupling.matrix
        for p in range(depth[a] + 1):
            i = chain[start[a] + p]
            A = nodes[i]
            f0 = f1 = f2 = f3 = f4 = f5 = 0.0
            for r in range(6):
                s = A.S[r]
                f0, f1, f2 = f0 + s * C[6 * r], f1 + s * C[6 * r + 1], f2 + s * C[6 * r + 2]
                f3, f4, f5 = f3 + s * C[6 * r + 3], f4 + s * C[6 * r + 4], f5 + s * C[6 * r + 5]
            for q in range(depth[b] + 1):
                j = chain[start[b] + q]
                B = nodes[j]
                term = f0 * B.S[0] + f1 * B.S[1] + f2 * B.S[2] + f3 * B.S[3] + f4 * B.S[4] + f5 * B.S[5]
                if a == b:
                    if j <= i:
                        own[start[i] + q] += term
                elif i == j:
                    own[start[i] + q] += 2.0 * term
                elif j < i:
                    own[start[i] + q] += term
                else:
                    own[start[j] + p] += term


@kernel(linked=True, fastmath=FAST)
def apply_none(memory: Memory) -> None:
    """Write that forces given as objects do nothing."""
    applied, own = memory.applied, memory.applied_mass
    for i in range(len(applied)):
        applied[i] = 0.0
    for k in range(len(own)):
        own[k] = 0.0


@kernel(linked=True, fastmath=FAST)
def add_applied(memory: Memory, h: float) -> None:
    """Add what forces do to the right side, and what is implicit of them to the mass matrix."""
    for i in range(memory.state.node_count):
        memory.right_side[i] += h * memory.applied[i]
    for k in range(len(memory.applied_mass)):
        memory.mass[k] += memory.applied_mass[k]


@kernel(linked=True, fastmath=FAST)
def apply_rows(memory: Memory, h: float, equalities: bool) -> None:
    """Add the rows that are equations, or those of bounds that are, or will be, reached."""
    state = memory.state
    n = state.node_count
    held, root, free = memory.held, memory.root, memory.u_free
    for r in range(state.applied_count):
        own = memory.applied_rows[r]
        if (own.equality != 0) != equalities:
            continue
        own.force = 0.0
        g = memory.applied_columns[r]
        speed = 0.0
        for k in range(n):
            speed += g[k] * free[k]
        if not equalities and own.gap + h * min(speed - own.velocity, 0.0) >= state.margin:
            continue
        i = begin_row(memory, own.bound, speed, APPLIED_ROW, r, 1 if equalities else memory.applied_flags[r])
        if i < 0:
            return
        row = memory.rows[i]
        half = row[0:n]
        for k in range(n):
            half[k] = 0.0 if held[k] else g[k]
        solve_transposed(memory.mass, memory.depth, memory.start, memory.chain, half)
        for k in range(n):
            half[k] *= root[k]
        if own.slack >= 0:
            row[n + own.slack] = 1.0
    if equalities:
        state.equality_count = state.row_count


@kernel(linked=True, fastmath=FAST)
def take_applied(memory: Memory, h: float) -> None:
    """Take from ``right_side`` what forces and constraints exerted in the substep, as it came out."""
    state = memory.state
    n = state.node_count
    depth, start, chain = memory.depth, memory.start, memory.chain
    right, new, u, own = memory.right_side, memory.u_new, memory.u, memory.applied_mass
    for i in range(n):
        right[i] -= memory.applied[i]
        at, d = start[i], depth[i]
        right[i] += own[at + d] * (new[i] - u[i]) / h
        for j in range(d):
            c = chain[at + j]
            right[i] += own[at + j] * (new[c] - u[c]) / h
            right[c] += own[at + j] * (new[i] - u[i]) / h
    for r in range(state.applied_count):
        force = memory.applied_rows[r].force
        for k in range(n):
            right[k] -= memory.applied_columns[r, k] * force
