"""Joint range: keep every joint near the middle of what it can do."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.ik.criteria.criterion import Kind, Posture
from core.skeleton.skeleton import Skeleton


class JointRange:
    """Sum of squared distances from mid-range, each as a part of the range.

    Degrees of freedom without two limits, or with a single value between them, are left out.

    Source: Liegeois (1977); Girard and Maciejewski (1985), named in Welman (1993) section 3.2.1.
    """

    def evaluate(self, posture: Posture) -> tuple[float, Array]:
        """Return value and gradient, shape (K,)."""
        own = posture.dofs >= 3
        limits = posture.skeleton.limits[np.where(own, posture.dofs - 3, 0)]
        span = limits[:, 1] - limits[:, 0]
        counts = own & np.isfinite(span) & (span > 0.0)
        safe = np.where(counts, span, 1.0)
        off = np.where(counts, (posture.q[posture.dofs] - limits[:, 0]) / safe - 0.5, 0.0)
        return float(off @ off), 2.0 * off / safe


def _make(skeleton: Skeleton, data: Any) -> JointRange:
    return JointRange()


JOINT_RANGE = Kind("range", "Joint range", "Keeps joints away from their limits.", "", _make)
"""Joint range."""
