"""Hinges that bend one way, as elbows and knees do.

A limb that stands nearly straight can shorten by bending either way, and the way that is steeper at first may be the
wrong one: lifting a foot that reaches forward overextends the knee, which ends at once at its limit. The limits of
such a hinge say which way it bends: the middle of their range lies far on one side of straight.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.skeleton.segment import segment_tip
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import KIND_HINGE, Ints, Tree

LONG_SIDE = math.radians(45.0)
SHORT_SIDE = math.radians(30.0)
SHORT_PART = 0.25
"""Most that the short side of a bend's range may be of the long one."""
STRAIGHT = math.cos(math.radians(30.0))
"""Cosine of the angle between the two segments at zero: less is no straight limb."""
ACROSS = 0.5
"""Most |cos| of the angle between a bend's axis and the segment: more is a twist."""


class Bend(NamedTuple):
    """A hinge with a straight limb at zero that bends to one side.

    Attributes:
        node: Its node.
        sign: 1 if it bends to the positive side, else -1.
        above: Last node of the joint above it in the chain.
        swing: Nodes of that joint that can turn, shape (m,).
    """

    node: int
    sign: float
    above: int
    swing: Ints


def find_bends(
    skeleton: Skeleton, tree: Tree, parent: Ints, owner: Ints, q_index: Ints, fixed: Array
) -> tuple[Bend, ...]:
    """Return the nodes that bend a limb one way.

    Args:
        skeleton: The figure.
        tree: Its packed form.
        parent: Parent of each node, shape (K,).
        owner: Joint of each node, shape (K,).
        q_index: Pose value of each node, shape (K,).
        fixed: Transforms between the nodes, shape (K, 3, 4).
    """
    found = []
    for node, k in enumerate(q_index - 3):
        joint = int(owner[node])
        if k < 0 or tree.kind[k] != KIND_HINGE or tree.parent[joint] < 0:
            continue
        sign = bending_side(float(tree.lower[k]), float(tree.upper[k]))
        above = int(parent[node])
        while above >= 0 and owner[above] == joint:
            above = int(parent[above])
        if sign == 0.0 or above < 0 or not _is_straight(skeleton, tree, joint, tree.axis[k]):
            continue
        swing, current = [], above
        while current >= 0:
            if q_index[current] >= 3 and tree.kind[q_index[current] - 3] == KIND_HINGE:
                swing.append(current)
            if fixed[current, :, 3].any():
                break
            current = int(parent[current])
        found.append(Bend(node, sign, above, np.array(swing[::-1], dtype=np.int64)))
    return tuple(found)


def bending_side(lower: float, upper: float) -> float:
    """Return to which side of zero limits let a hinge bend: 1 or -1, or 0 if both or neither, [rad]."""
    short, long = min(-lower, upper), max(-lower, upper)
    if not 0.0 <= short <= SHORT_SIDE or long < LONG_SIDE or short > SHORT_PART * long:
        return 0.0
    return 1.0 if upper > -lower else -1.0


def _is_straight(skeleton: Skeleton, tree: Tree, joint: int, axis: Array) -> bool:
    """Whether the segments before and after ``joint`` are in line in the zero pose and ``axis`` lies across them."""
    before = tree.linear[tree.parent[joint]] @ tree.offset[joint]
    after = tree.linear[joint] @ segment_tip(skeleton, joint)
    lengths = math.sqrt(float(before @ before)), math.sqrt(float(after @ after))
    if min(lengths) <= 1e-9 * max(lengths):
        return False
    turned = tree.linear[joint] @ axis
    across = abs(float(turned @ after)) <= ACROSS * lengths[1] * math.sqrt(float(turned @ turned))
    return across and float(before @ after) >= STRAIGHT * lengths[0] * lengths[1]
