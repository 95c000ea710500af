"""Compound joints that turn about three independent axes: which nodes they are."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Ints
from core.spatial.three_axes import independent


def find_balls(skeleton: Skeleton, q_index: Ints, fixed: Array, distal: Ints) -> Ints:
    """Return 1 for the last of three nodes that are one ball joint, else 0, shape (K,).

    All three must belong to the chain, follow each other at one place and move the same goals.

    Args:
        skeleton: The figure.
        q_index: Pose value of each node, shape (K,).
        fixed: Transforms between the nodes, shape (K, 3, 4).
        distal: 1 where a goal is moved by a node, shape (G, K).
    """
    node = {int(q): k for k, q in enumerate(q_index)}
    ball = np.zeros(len(q_index), dtype=np.int64)
    for compound in skeleton.compounds:
        found = [node.get(3 + dof, -9) for dof in compound]
        if len(found) != 3 or found[0] < 0 or found != list(range(found[0], found[0] + 3)):
            continue
        last = found[2]
        apart = fixed[found[1:], :, 3].any() or (distal[:, found] != distal[:, last : last + 1]).any()
        turned = [fixed[k, :, :3] for k in found]
        lined = np.array([np.eye(3)[2], turned[1][:, 2], turned[1] @ turned[2][:, 2]])
        if not apart and independent(lined):
            ball[last] = 1
    return ball
