"""What hardly moves is slowed down, then falls asleep."""

from __future__ import annotations

import math

from core.dynamics.engine.memory import Memory
from core.kernels import kernel


@kernel(linked=True)
def sleep(memory: Memory, h: float) -> None:
    """Let everything fall asleep that has hardly moved for a while, on contacts or locks."""
    state = memory.state
    u, u_before = memory.u, memory.u_before
    n, count = state.node_count, state.body_count
    fastest = 0.0
    for i in range(n):
        fastest = max(fastest, abs(u[i]))
    supported = state.contact_count > 0 or state.equality_count > 0
    if not state.may_sleep or state.motors or not supported:
        state.quiet = 0
        return
    calm = False
    if state.bounded and state.energy_known and state.kinetic < state.settle_energy:
        contact = memory.contacts
        for k in range(state.contact_count):
            calm = calm or contact[k].body_b < 0.0
    state.calm = state.calm + 1 if calm else 0
    if state.calm * h > state.settle_time:
        slower = 1.0 - min(1.0, h * state.settle_rate)
        for i in range(n):
            u[i] *= slower
        state.energy -= (1.0 - slower * slower) * state.kinetic
    if not fastest <= state.quiet_speed:
        state.quiet = 0
        return
    rotations = memory.body_rotations
    places, still = memory.body_places, memory.still
    moved = turned = 0.0
    for b in range(count):
        if state.quiet == 0:
            for k in range(9):
                still[b, k] = rotations[b, k // 3, k % 3]
            for k in range(3):
                still[b, 9 + k] = places[b, k]
        away = 0.0
        for k in range(9):
            turned = max(turned, abs(rotations[b, k // 3, k % 3] - still[b, k]))
        for k in range(3):
            away += (places[b, k] - still[b, 9 + k]) ** 2
        moved = max(moved, away)
    if math.sqrt(moved) > state.quiet_length or turned > state.quiet_turn:
        state.quiet = 0
        return
    state.quiet += 1
    if state.quiet * h >= state.quiet_time:
        state.asleep = 1
        for i in range(n):
            u[i] = u_before[i] = 0.0
