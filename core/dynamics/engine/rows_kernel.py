"""The rows of a substep: what a velocity must keep to. They are written half solved, ``W = D^-1/2 L^-T C^T``.

A row of a point or joint touches only the chain of nodes that it hangs on, and of the sparse factor only the rows of
that chain: those of the inner nodes are beginnings of those of the outer ones.
"""

from __future__ import annotations

from core.dynamics.engine.memory import Memory
from core.dynamics.node_motion_kernel import FAST
from core.kernels import F1, F2, kernel


@kernel(internal=True, fastmath=FAST)
def half_solve(memory: Memory, columns: F2, node: int, count: int) -> None:
    """Solve rows in place: ``columns[r, j]`` belongs to the jth node of a node's chain."""
    mass = memory.mass
    depth, start = memory.depth, memory.start
    chain, held, root = memory.chain, memory.held, memory.root
    at, d = start[node], depth[node]
    if count == 3:
        one, two, three = columns[0], columns[1], columns[2]
        for p in range(d, -1, -1):
            k = chain[at + p]
            if held[k]:
                one[p] = two[p] = three[p] = 0.0
                continue
            a, b, c, over = one[p], two[p], three[p], root[k]
            row = mass[start[k] : start[k] + p]
            for j in range(p):
                one[j] -= row[j] * a
                two[j] -= row[j] * b
                three[j] -= row[j] * c
            one[p], two[p], three[p] = a * over, b * over, c * over
        return
    for r in range(count):
        c = columns[r]
        for p in range(d, -1, -1):
            k = chain[at + p]
            if held[k]:
                c[p] = 0.0
            a = c[p]
            if a != 0.0:
                row = mass[start[k] : start[k] + p]
                for j in range(p):
                    c[j] -= row[j] * a
            c[p] = a * root[k]


@kernel(internal=True, fastmath=FAST)
def begin_row(memory: Memory, bound: float, speed: float, kind: int, of: int, flag: int) -> int:
    """Begin a row of zeros; return its number, or -1 if there is no room for it."""
    state = memory.state
    row_bound, row_speed = memory.row_bound, memory.row_speed
    n, i = state.unknown_count, state.row_count
    if i >= state.row_room:
        return -1
    state.row_count = i + 1
    row_bound[i], row_speed[i] = bound, speed
    memory.row_kind[i], memory.row_of[i], memory.active[i] = kind, of, flag
    row = memory.rows[i]
    for k in range(n):
        row[k] = 0.0
    return i


@kernel(internal=True, fastmath=FAST)
def scatter(memory: Memory, column: F1, node: int, i: int, factor: float) -> None:
    """Add a multiple of a solved row along a node's chain to row i."""
    at, last = memory.start[node], memory.depth[node]
    row = memory.rows[i]
    chain = memory.chain[at : at + last + 1]
    for j in range(last + 1):
        row[chain[j]] += factor * column[j]


@kernel(internal=True, fastmath=FAST)
def gap_bound(memory: Memory, gap: float, deep: float, h: float) -> float:
    """Return the least speed along a row of a gap; gaps below zero open slowly."""
    state = memory.state
    if gap >= 0.0:
        return -gap / h
    speed, more = state.push_out, -gap - deep
    if more > 0.0:
        speed += state.push_rate * more * more / (more + deep)
    return min(speed * state.push_share, min(state.push_most, -state.lock_pull * gap / h))
