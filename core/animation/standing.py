"""How tall a figure stands: measured in its rest pose, or where that is no stance, in the first pose of its motion.

Files of recorded motion often have a pose of zero angles in which no one could stand: lying on its back, or with all
segments along one axis. Measured there, a dancer would be knee-high.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.animation.sequence import Sequence
from core.arrays import Array
from core.skeleton import Skeleton
from core.skeleton.extent import pose_extent, rest_extent

UPRIGHT = 0.45
"""Of the longest way through the skeleton from one end to another: what is as high as that may well be standing."""


def longest_path(s: Skeleton) -> float:
    """Return the length of the longest way along the segments from one end of a figure to another, [m]."""
    n = len(s.joints)
    reach, longest = np.zeros(n), 0.0
    for i in range(n - 1, -1, -1):  # children come after their parents
        joint = s.joints[i]
        tips = np.reshape(joint.tips, (-1, 3))
        if len(tips):
            longest = max(longest, reach[i] + float(np.linalg.norm(tips, axis=1).max()))
            reach[i] = max(reach[i], float(np.linalg.norm(tips, axis=1).max()))
        longest = max(longest, float(reach[i]))
        if joint.parent >= 0:
            length = float(np.linalg.norm(joint.offset)) + float(reach[i])
            longest = max(longest, float(reach[joint.parent]) + length)
            reach[joint.parent] = max(reach[joint.parent], length)
    return longest


def standing_size(s: Skeleton, sequences: Iterable[Sequence] = ()) -> tuple[Array, str]:
    """Return the size of the box around a figure as it stands, shape (3,), [m], and the pose: ``"rest"`` or ``"key"``.

    The rest pose counts, unless it is too low for anyone to stand so and the first key of a motion is higher.

    Args:
        s: The figure.
        sequences: Motions; those of other figures do not count.
    """
    rest = rest_extent(s)
    if float(rest[1]) >= UPRIGHT * longest_path(s):
        return rest, "rest"
    for sequence in sequences:
        if sequence.skeleton is s and sequence.keys:
            size = pose_extent(s, np.asarray(sequence.keys[0].q))
            if float(size[1]) > float(rest[1]):
                return size, "key"
            break
    return rest, "rest"
