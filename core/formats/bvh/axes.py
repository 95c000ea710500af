"""A BVH file with another axis upwards: the same figure and motion, expressed in axes of which y points up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.arrays import Array
from core.formats.bvh.hierarchy import Node


def turned(nodes: list[Node], rows: Array, turn: Array) -> tuple[list[Node], Array]:
    """Return the joints and the rows of a file in other axes; new, unless nothing turns.

    A rotation about one axis is one about the axis that it becomes, the other way round if that points backwards.

    Args:
        nodes: The joints.
        rows: Shape (m, channels).
        turn: From the file's axes to the new ones, shape (3, 3): quarter turns only.
    """
    if np.array_equal(turn, np.eye(3)):
        return nodes, rows
    became = [int(np.flatnonzero(turn[:, axis])[0]) for axis in range(3)]
    signs = [float(turn[became[axis], axis]) for axis in range(3)]
    rows = rows.copy()
    made: list[Node] = []
    for node in nodes:
        for axis, channel in (*node.positions, *node.rotations):
            if rows.size and signs[axis] < 0.0:
                rows[:, channel] = 0.0 - rows[:, channel]
        channels = [(moves, became[axis]) for moves, axis in node.channels]
        tips = [turn @ tip + 0.0 for tip in node.tips]
        made.append(replace(node, offset=turn @ node.offset + 0.0, channels=channels, tips=tips))
    return made, rows
