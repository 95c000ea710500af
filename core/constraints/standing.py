"""How a part stands: on its tip or flat, and by which point a lock of its position holds it."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.constraints.soles import band
from core.constraints.support import lowest_parts
from core.skeleton.segment import end_effector, rest_frames, segment_tip
from core.skeleton.skeleton import Skeleton

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
    stands = float(X[1, :3] @ tip + X[1, 3]) <= band(s) and _steep(s, i, X)
    return tip if stands else middle


def stands_flat(s: Skeleton, frames: Array, joint: int | str) -> bool:
    """Return whether a part lies on the ground along its length: a foot, or a hand in a handstand.

    What stands so at rest does so wherever it is now: a foot that is lifted is a foot. What only now is as low as any
    part is on the ground too, such as the hands of a figure that crawls.

    Args:
        s: The figure.
        frames: World frames of all joints now, shape (n, 4, 4), [m].
        joint: Index or name.

    Raises:
        JointError: If there is no such joint.
    """
    i = s.joint_index(joint)
    if not s.joints[i].has_body:
        return False
    return any(i in lowest_parts(s, X) and not _steep(s, i, X[i]) for X in (rest_frames(s), frames))


def _steep(s: Skeleton, i: int, X: Array) -> bool:
    """Return whether a segment comes down to its tip steeply, in a world frame, shape (4, 4)."""
    toward_end = end_effector(s, i) - segment_tip(s, i)
    return float(X[1, :3] @ toward_end) > STEEP * float(np.linalg.norm(toward_end))
