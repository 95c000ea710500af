"""Joints that swing inside a true cone: which two of their hinges it binds."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.skeleton.clamp import cone_hinges
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Ints

NO_CONE = -2.0
"""In place of a cosine, where there is no cone."""


def find_cones(skeleton: Skeleton, q_index: Ints) -> tuple[Ints, Array]:
    """Return the partner node and the cosine of the cone of each node that is a swing of a joint with a cone."""
    node = {int(q): k for k, q in enumerate(q_index)}
    partner, cone = np.full(len(q_index), -1, dtype=np.int64), np.full(len(q_index), NO_CONE)
    for i, joint in enumerate(skeleton.joints):
        first = 3 + skeleton.first_dof[i]
        swings = cone_hinges(joint) if first in node else None
        if swings is None:
            continue
        a, b = node[first + swings[0]], node[first + swings[1]]
        partner[a], partner[b] = b, a
        cone[a] = cone[b] = np.cos(joint.cone or 0.0)
    return partner, cone
