"""Joints that swing inside a true cone: which two of a chain's nodes it binds."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.skeleton.cones import cones_of
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Ints

NO_CONE = -2.0
"""In place of a cosine, where there is no cone."""


def find_cones(skeleton: Skeleton, q_index: Ints) -> tuple[Ints, Array]:
    """Return the partner node and the cosine of the cone of each node that is a swing of a joint with a cone."""
    node = {int(q): k for k, q in enumerate(q_index)}
    partner, cone = np.full(len(q_index), -1, dtype=np.int64), np.full(len(q_index), NO_CONE)
    cones = cones_of(skeleton)
    for (first, second), cosine in zip(cones.columns.tolist(), cones.cosines.tolist(), strict=True):
        if first in node and second in node:
            a, b = node[first], node[second]
            partner[a], partner[b] = b, a
            cone[a] = cone[b] = cosine
    return partner, cone
