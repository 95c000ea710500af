"""The point of a part that a lock of its position holds."""

from __future__ import annotations

import numpy as np

from core.constraints.soles import band
from core.skeleton.segment import end_effector, rest_frames, segment_tip
from core.skeleton.skeleton import Array, Skeleton

STEEP = 0.6
"""Part of its length that a segment comes down from its middle to its tip at rest to stand on the tip: toes and feet
lie flatter, the legs of insects and hoofs stand steeper."""


def standing_point(s: Skeleton, joint: int | str) -> Array:
    """Return the point by which a part stays where it is, shape (3,), in the joint's frame, [m].

    A part that nothing hangs on and that stands on its tip, as a spider's tarsus or a hoof does, is held by the tip:
    held by its middle it could roll, and the tip would slide. Any other is held where it is picked up.

    Args:
        s: The figure, whose rest pose says what stands on the ground.
        joint: Index or name.

    Raises:
        JointError: If there is no such joint.
    """
    i = s.joint_index(joint)
    middle = end_effector(s, i)
    if s.children[i]:
        return middle
    tip = segment_tip(s, i)
    X = rest_frames(s)[i]
    down = float(X[1, :3] @ (middle - tip))
    stands = float(X[1, :3] @ tip + X[1, 3]) <= band(s) and down > STEEP * float(np.linalg.norm(tip - middle))
    return tip if stands else middle
