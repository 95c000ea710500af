"""Reference pose: stay as near to a given pose as the goals allow."""

from __future__ import annotations

from typing import Any

from core.arrays import Array
from core.ik.criteria.criterion import Kind, Posture
from core.ik.goal import finite
from core.skeleton.skeleton import Skeleton


class ReferencePose:
    """Half the sum of squared differences from a pose, angles in radians, lengths over the figure's size.

    Args:
        pose: The pose to stay near, shape (nq,), [m] and [rad].
    """

    def __init__(self, pose: Array):
        self.pose = pose

    def evaluate(self, posture: Posture) -> tuple[float, Array]:
        """Return value and gradient, shape (K,)."""
        off = (posture.q - self.pose)[posture.dofs] / posture.unit
        return 0.5 * float(off @ off), off / posture.unit


def _make(skeleton: Skeleton, data: Any) -> ReferencePose:
    return ReferencePose(finite(data, (skeleton.nq,), 'pose of the criterion "pose"'))


REFERENCE_POSE = Kind("pose", "Reference pose", "Stays near a pose, that at the start of a drag.", "a pose", _make)
"""Reference pose."""
