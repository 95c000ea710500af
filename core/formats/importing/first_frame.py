"""Whether the first frame of a recording is a pose apart from its motion.

Converters write the rest pose in front of the motion, so that other programs find it: many collections of captured
motion are spread that way. Seen as motion, the figure leaps from one frame to the next.
"""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton

_LOOKED_AT = 30  # frames after the first
_FEWEST = 4
_TIMES = 6.0
_LEAP = 0.05  # of the figure's height: in a frame of 1/120 s a hand moves that far at 10 m/s


def begins_apart(figure: Skeleton, q: Array, height: float) -> bool:
    """Return whether a motion leaps from its first frame to the second, as it does nowhere soon after.

    Args:
        figure: The figure, [m].
        q: Its poses, shape (m, nq).
        height: How tall it stands, [m].
    """
    if len(q) < _FEWEST or not height > 0.0:
        return False
    places = forward_kinematics(figure, np.ascontiguousarray(q[: _LOOKED_AT + 2]))[..., :3, 3]
    steps = np.linalg.norm(np.diff(places, axis=0), axis=-1).max(axis=1)
    return bool(steps[0] > _LEAP * height and steps[0] > _TIMES * steps[1:].max())
