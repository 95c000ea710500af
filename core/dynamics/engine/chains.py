"""Which nodes of the memory move a body, and which move one beside another."""

from __future__ import annotations

from collections.abc import Collection

from core.dynamics.engine.memory import Memory


def chain_of(memory: Memory, node: int) -> list[int]:
    """Return the nodes that a node hangs on, outermost first, and itself; none for the world, -1."""
    if node < 0:
        return []
    start = int(memory.start[node])
    return [int(i) for i in memory.chain[start : start + int(memory.depth[node]) + 1]]


def apart(one: Collection[int], two: Collection[int]) -> tuple[list[int], list[int]]:
    """Return what is in one chain and not in the other, of either: what moves their ends beside each other."""
    return [i for i in one if i not in two], [i for i in two if i not in one]


def on_one_chain(memory: Memory, nodes: Collection[int]) -> bool:
    """Return whether one of the nodes hangs on all the others."""
    if not nodes:
        return True
    return set(nodes) <= set(chain_of(memory, max(nodes, key=lambda node: int(memory.depth[node]))))
