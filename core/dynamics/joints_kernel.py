"""Joints that functions evaluate, before the kernels of the recursion: their transforms, subspaces and biases.

Linked: so there is one machine code for a state and for a row of many, and they give the same bits.
"""

from __future__ import annotations

from core.dynamics.tree_memory import TreeMemory
from core.kernels import F1, I2, behind, call_slot, kernel, local


@kernel(python=True, linked=True)
def evaluate(tree: TreeMemory, joints: I2, slots: F1, constants: F1, x: F1, v: F1) -> None:
    """Write into the nodes of some joints what functions return of them.

    Args:
        tree: The memory.
        joints: For each its first coordinate, its first node, how many coordinates it has, where its constants begin.
        slots: Which functions evaluate them, see ``core.kernels.functions``.
        constants: What these go by.
        x: Coordinates, shape (nv,).
        v: Velocities, shape (nv,).
    """
    out = local(264)
    nodes = tree.nodes
    for g in range(len(slots)):
        first, node, n = joints[g, 0], joints[g, 1], joints[g, 2]
        call_slot(slots[g], behind(x, first), behind(constants, joints[g, 3]), out, 2)
        W = nodes[node]
        for j in range(3):
            for k in range(3):
                W.joint[3 * j + k] = out[4 * j + k]
            W.joint[9 + j] = out[4 * j + 3]
        for j in range(6):
            rate = 0.0
            for k in range(n):
                for m in range(n):
                    rate += out[12 + 6 * n + 6 * (k * n + m) + j] * v[first + k] * v[first + m]
            W.joint_rate[j] = rate
        for k in range(n):
            C = nodes[node + k]
            for j in range(6):
                C.S[j] = out[12 + 6 * k + j]
