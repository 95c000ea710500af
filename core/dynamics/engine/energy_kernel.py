"""Energy, momentum and centre of mass of a state; no step adds energy to relative motion that nothing brought in."""

from __future__ import annotations

from core.dynamics.engine.memory import Memory
from core.dynamics.engine.momentum_kernel import kinetic, potential, scale_relative
from core.dynamics.engine.motion_kernel import place, place_bodies, twists
from core.dynamics.node_motion_kernel import FAST
from core.kernels import kernel

SLOWED = 0.81
"""Where so little kinetic energy is left, the step before says nothing about the next one."""


@kernel(python=True, linked=True)
def measure(memory: Memory) -> None:
    """Write energy, [J], momentum about the centre of mass [L; P], centre of mass, and poses of the bodies."""
    armature = memory.armature
    state = memory.state
    n = state.node_count
    nodes = memory.nodes
    u = memory.u
    if not state.placed:  # else as the step left them, so that whoever looks changes no bit
        place(memory)
    place_bodies(memory)
    V = memory.velocity
    twists(memory, u, V)
    energy = mass = 0.0
    f0 = f1 = f2 = l0 = l1 = l2 = p0 = p1 = p2 = 0.0
    for i in range(n):
        W, O = nodes[i], nodes[memory.reference[i]]  # noqa: E741
        m, h0, h1, h2 = W.inertia[0], W.inertia[1], W.inertia[2], W.inertia[3]
        w0, w1, w2, v0, v1, v2 = V[i, 0], V[i, 1], V[i, 2], V[i, 3], V[i, 4], V[i, 5]
        a0 = W.inertia[4] * w0 + W.inertia[5] * w1 + W.inertia[6] * w2 + h1 * v2 - h2 * v1
        a1 = W.inertia[5] * w0 + W.inertia[7] * w1 + W.inertia[8] * w2 + h2 * v0 - h0 * v2
        a2 = W.inertia[6] * w0 + W.inertia[8] * w1 + W.inertia[9] * w2 + h0 * v1 - h1 * v0
        b0, b1, b2 = m * v0 + w1 * h2 - w2 * h1, m * v1 + w2 * h0 - w0 * h2, m * v2 + w0 * h1 - w1 * h0
        energy += 0.5 * (w0 * a0 + w1 * a1 + w2 * a2 + v0 * b0 + v1 * b1 + v2 * b2)
        energy += 0.5 * armature[i] * u[i] * u[i]
        mass += m
        f0, f1, f2 = f0 + m * O.p[0] + h0, f1 + m * O.p[1] + h1, f2 + m * O.p[2] + h2
        l0, l1 = l0 + a0 + O.p[1] * b2 - O.p[2] * b1, l1 + a1 + O.p[2] * b0 - O.p[0] * b2
        l2 += a2 + O.p[0] * b1 - O.p[1] * b0
        p0, p1, p2 = p0 + b0, p1 + b1, p2 + b2
    state.kinetic = energy
    state.potential = -(f0 * state.gravity[0] + f1 * state.gravity[1] + f2 * state.gravity[2])
    if mass > 0.0:
        f0, f1, f2 = f0 / mass, f1 / mass, f2 / mass
    state.center[0], state.center[1], state.center[2] = f0, f1, f2
    state.momentum[0], state.momentum[1] = l0 - f1 * p2 + f2 * p1, l1 - f2 * p0 + f0 * p2
    state.momentum[2] = l2 - f0 * p1 + f1 * p0
    state.momentum[3], state.momentum[4], state.momentum[5] = p0, p1, p2


@kernel(linked=True, fastmath=FAST)
def bound_energy(memory: Memory, share: float, work: float) -> float:
    """Slow relative motion down where the energy has risen by more than work and a share of what a step may add.

    Where nothing touches and nothing is at a limit, nothing may be added. Return what it has risen too far even so:
    more than all that moves. The nodes stand where the coordinates are; momentum stays as it is.
    """
    state = memory.state
    n = state.node_count
    now, height = kinetic(memory, 0, n, memory.u), 0.0
    for i in range(n):
        if memory.depth[i] == 0:
            height += potential(memory, i)
    least = 0.0
    if state.energy_known:
        least = state.energy + work - height
        if state.row_count:
            least += share * state.energy_rise
        if now > least:
            left = scale_relative(memory, least)
            if left < SLOWED * now:
                state.jumped = 1
            now = left
    state.kinetic, state.potential = now, height
    state.energy = now + height
    state.energy_known = 1
    return max(0.0, -least)
