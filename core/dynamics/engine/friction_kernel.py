"""Viscous friction between the two bodies of a joint, ``-mu (omega_i - omega_j)``, equal and opposite (Hakenberg).

By the coordinates of the joint, whose turning parts of the motion subspace are s, that is ``-mu s_a . sum_b s_b v_b``:
the rows of a root have no part in it. It is taken at the end of the substep, so that ``h mu s_a . s_b`` goes to the
mass matrix. Single hinges and balls, whose s are at right angles, have theirs on the diagonal (``stable_pd_kernel``).
"""

from __future__ import annotations

from core.dynamics.engine.memory import Memory
from core.dynamics.node_motion_kernel import FAST
from core.kernels import kernel


@kernel(linked=True, fastmath=FAST)
def joint_friction(memory: Memory, h: float) -> None:
    """Add friction at the end of the substep to the mass matrix, and at its beginning to the right side."""
    nodes, mass, right, u = memory.nodes, memory.mass, memory.right_side, memory.u
    depth, start = memory.depth, memory.start
    for c in range(memory.state.friction_count):
        own = memory.frictions[c]
        for i in range(own.first, own.end):
            A = nodes[i]
            for j in range(own.first, i + 1):
                B = nodes[j]
                term = h * own.mu * (A.S[0] * B.S[0] + A.S[1] * B.S[1] + A.S[2] * B.S[2])
                mass[start[i] + depth[j]] += term
                right[i] -= term * u[j]
                if i != j:
                    right[j] -= term * u[i]


@kernel(linked=True, fastmath=FAST)
def take_friction(memory: Memory) -> None:
    """Take friction at the end of the substep from ``right_side``."""
    nodes, right, new = memory.nodes, memory.right_side, memory.u_new
    for c in range(memory.state.friction_count):
        own = memory.frictions[c]
        for i in range(own.first, own.end):
            A = nodes[i]
            for j in range(own.first, own.end):
                B = nodes[j]
                right[i] += own.mu * (A.S[0] * B.S[0] + A.S[1] * B.S[1] + A.S[2] * B.S[2]) * new[j]
