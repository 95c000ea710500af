"""The quadratic program of a substep's rows is solved, and what comes of it remembered for the next."""

from __future__ import annotations

import math

from core.dynamics.contact.qp_kernel import solve
from core.dynamics.contact.qp_layout import FALLBACKS, ITERATIONS
from core.dynamics.contact.qp_memory_kernel import unpack
from core.dynamics.engine.memory import APPLIED_ROW, BALL_ROW, CONE_ROW, HIGH_ROW, LOCK_ROW, LOW_ROW, Memory
from core.kernels import kernel

CLOSE = 1e-7
"""Sliding speeds times friction that change less than this, [m/s], from pass to pass end the passes."""
LEAST_SHARE = 0.25
"""Sliding speeds are put right by this part at least of what a pass finds them to be off."""
SINKING, MORE = 0.05, 8
"""Where contacts come nearer than they may by more than this speed, [m/s], because they slide less than was thought,
so many more passes follow, in which the sliding speeds only become less."""


@kernel(linked=True)
def solve_rows(memory: Memory) -> None:
    """Solve the quadratic program of the rows into ``y``; the sliding speed of each contact is found in passes.

    Where passes take turns between two answers, as where much that touches hardly slides, each puts the sliding speeds
    right by a part only (Irons and Tuck 1969: as much as would have been best in the pass before).
    """
    state = memory.state
    row_bound, row_right_side, row_speed = memory.row_bound, memory.row_right_side, memory.row_speed
    n, m, contacts = state.unknown_count, state.row_count, state.contact_count
    rows = memory.rows[:m]
    contact = memory.contacts
    states = memory.contact_states
    y = memory.y
    active = memory.active[:m]
    work, index_work = memory.work, memory.index_work
    along = unpack(work, index_work, m, n).slack  # what the program leaves: W y of each row
    passes = int(state.passes)
    share = 1.0
    for taken in range(passes + MORE):
        for i in range(m):
            row_right_side[i] = row_bound[i] - row_speed[i]
        for k in range(contacts):
            if states[k].row_count == 4:
                first = states[k].row
                less = contact[k].friction * states[k].sliding
                for j in range(4):
                    row_right_side[first + j] -= less
        residual = solve(
            rows, row_right_side, m, state.equality_count, active, taken > 0, y, memory.multiplier, work, index_work
        )
        state.kkt = max(state.kkt, residual)
        state.iterations += index_work[ITERATIONS]
        state.fallbacks += index_work[FALLBACKS]
        change = sinking = agreement = spread = 0.0
        for k in range(contacts):
            if states[k].row_count != 4:
                continue
            first = states[k].row
            c, d = row_speed[first] + along[first], row_speed[first + 1] + along[first + 1]
            a, up = c - d, c + d
            b = row_speed[first + 2] + along[first + 2] - row_speed[first + 3] - along[first + 3]
            mu = contact[k].friction
            sliding = math.sqrt(a * a + b * b) / (2.0 * mu)
            off, before = mu * (sliding - states[k].sliding), states[k].correction
            change = max(change, abs(off))
            agreement += before * (before - off)
            spread += (before - off) * (before - off)
            states[k].correction = off
            sinking = max(sinking, row_bound[first] - 0.5 * up)
            row_right_side[first] = sliding
        if change < CLOSE or (taken + 1 >= passes and sinking < SINKING) or taken + 1 == passes + MORE:
            break
        if taken > 0 and spread > 0.0:
            share = min(max(share * agreement / spread, LEAST_SHARE), 1.0)
        for k in range(contacts):
            if states[k].row_count == 4:
                sliding, thought = row_right_side[states[k].row], states[k].sliding
                states[k].sliding = (
                    thought + share * (sliding - thought) if taken + 1 < passes else min(sliding, thought)
                )


@kernel(linked=True)
def remember(memory: Memory, h: float) -> None:
    """Keep forces, and what the next substep starts from."""
    state = memory.state
    multiplier = memory.multiplier
    n = state.node_count
    contact = memory.contacts
    states = memory.contact_states
    locks = memory.locks
    row_kind, row_of = memory.row_kind, memory.row_of
    active = memory.active
    old_flags = memory.remembered_flags
    for k in range(state.lock_room):
        memory.lock_flags[k] = 0
    for k in range(n):
        memory.limit_flags[0, k] = memory.limit_flags[1, k] = 0
    for k in range(state.ball_count):
        for j in range(6):
            memory.ball_flags[k, j] = 0
    for k in range(state.cone_count):
        memory.cone_flags[k] = 0
    for k in range(state.applied_count):
        memory.applied_flags[k] = 0
    for i in range(state.row_count):
        kind, of = row_kind[i], row_of[i]
        if kind == LOCK_ROW:
            memory.lock_flags[of] = active[i]
            locks[of].force = multiplier[i] / h
        elif kind == LOW_ROW:
            memory.limit_flags[0, of] = active[i]
        elif kind == HIGH_ROW:
            memory.limit_flags[1, of] = active[i]
        elif kind == BALL_ROW:
            memory.ball_flags[of // 6, of % 6] = active[i]
        elif kind == CONE_ROW:
            memory.cone_flags[of] = active[i]
        elif kind == APPLIED_ROW:
            memory.applied_flags[of] = active[i]
            memory.applied_rows[of].force = multiplier[i] / h
    for k in range(state.contact_count):
        K, W = contact[k], states[k]
        first, count = W.row, W.row_count
        push = one = two = 0.0
        for j in range(4):
            old_flags[k, j] = active[first + j] if j < count else 0
            if j < count:
                own = multiplier[first + j] / h
                push += own
                if count == 4:
                    sign = own if j % 2 == 0 else -own
                    if j < 2:
                        one += sign
                    else:
                        two += sign
        one, two = one * K.friction, two * K.friction
        for j in range(3):
            W.force[j] = push * K.normal[j] + one * W.first_tangent[j] + two * W.second_tangent[j]
        before = memory.remembered[k]
        before.sliding = W.sliding
        for j in range(3):
            before.tangent[j] = W.first_tangent[j]
        memory.remembered_ids[k] = memory.ids[k]
