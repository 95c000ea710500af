"""Lengths of links: Welman's w_i of eq. 4.11, the way from a joint to the next one."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.skeleton.segment import segment_tip
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Tree


def link_lengths(s: Skeleton, tree: Tree) -> Array:
    """Return for each degree of freedom the length from its compound joint to the next joint, the longest, [m].

    Of a joint that nothing hangs on it is the way to the segment's tip.
    """
    ahead = np.zeros(len(tree.parent))
    for joint in range(len(tree.parent) - 1, -1, -1):
        for child in s.children[joint]:
            # A child at zero offset belongs to the same compound joint: what is ahead of it counts.
            ahead[joint] = max(ahead[joint], tree.length[child] or ahead[child])
        if not s.children[joint]:
            ahead[joint] = float(np.linalg.norm(tree.linear[joint] @ segment_tip(s, joint)))
    return np.asarray(ahead[list(s.dof_joints)])
