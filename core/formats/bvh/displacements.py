"""Whether position channels below the root take the place of OFFSET or are added to it, measured by bone lengths.

Programs do not agree. Where positions take its place, a bone is as long as its position; where they are displacements
it is as long as OFFSET and position together. Bones of people keep their length, so the reading under which they do is
what the program meant.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.formats.bvh.hierarchy import Node
from core.formats.importing.choices import ADD, REPLACE

_SAMPLES = 200  # rows that are looked at
_STRETCHED = 0.1  # of a bone's length
_CLEAR = 0.75  # share of the bones that must agree
_STILL = 1e-3  # of a bone's length, or of the longest bone's where it has none


class Meaning(NamedTuple):
    """What was measured.

    Attributes:
        positions: ``"replace"`` or ``"add"``; None if no joint but the root has positions to decide it.
        sure: Whether most bones agree.
        bones: How many bones were measured.
    """

    positions: str | None
    sure: bool
    bones: int


def meaning_of(nodes: list[Node], rows: Array) -> Meaning:
    """Return what the positions of joints below the root mean.

    Args:
        nodes: The joints.
        rows: Shape (m, channels).
    """
    placed = [node for node in nodes if node.parent >= 0 and len(node.positions) == 3 and np.any(node.offset)]
    if not len(rows) or not placed:
        return Meaning(None, True, 0)
    step = max(1, len(rows) // _SAMPLES)
    columns = np.array([[channel for _, channel in sorted(node.positions)] for node in placed])
    values = rows[::step][:, columns]
    offsets = np.array([node.offset for node in placed])
    lengths = np.linalg.norm(offsets, axis=1)
    apart = [
        np.median(np.abs(np.linalg.norm(found, axis=2) - lengths), axis=0) / lengths
        for found in (values, values + offsets)
    ]
    shares = [float(np.mean(error < _STRETCHED)) for error in apart]
    meant = ADD if shares[1] > shares[0] else REPLACE
    return Meaning(meant, max(shares) >= _CLEAR and abs(shares[1] - shares[0]) >= 0.5, len(placed))


def displaced(nodes: list[Node], rows: Array) -> tuple[list[Node], Array]:
    """Return joints and rows of a file whose positions are displacements, as one whose positions replace OFFSET.

    Joints that never leave their place lose their position channels: programs write six channels for each of them.

    Args:
        nodes: The joints.
        rows: Shape (m, channels).
    """
    longest = max((float(np.linalg.norm(node.offset)) for node in nodes), default=0.0)
    changed: list[Node] = []
    kept: list[int] = []
    rows = rows.copy()
    for node in nodes:
        channels = list(range(node.first, node.first + len(node.channels)))
        places = node.positions if node.parent >= 0 else []
        for axis, channel in places:
            rows[:, channel] += node.offset[axis]
        still = [
            channel
            for axis, channel in places
            if not np.abs(rows[:, channel] - node.offset[axis]).max(initial=0.0)
            > _STILL * (float(np.linalg.norm(node.offset)) or longest)
        ]
        left_out = set(still) if len(still) == len(places) else set()
        mine = [channel for channel in channels if channel not in left_out]
        own = [what for channel, what in zip(channels, node.channels, strict=True) if channel not in left_out]
        changed.append(replace(node, channels=own, first=len(kept)))
        kept += mine
    return changed, rows[:, kept]
