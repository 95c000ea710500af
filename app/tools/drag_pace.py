"""The pace of a drag: no joint turns further in a move than the mouse's way allows; what is left follows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.ik.pacing import allowed_turns, joint_turns, pace_bounds, paced
from core.skeleton import Skeleton

Array = NDArray[np.float64]

RESTING = math.radians(6.0)
"""Most that a joint turns from one picture to the next while the mouse rests and the figure catches up, [rad]."""
STILL = 1e-7
"""A pose that changes by less while it catches up has come to rest, [m] and [rad]."""


@dataclass
class Pace:
    """How far the figure may go now.

    Attributes:
        way: The mouse's way at the depth of the part since the last move, [m].
        behind: Whether the figure is on its way to the pose that the mouse asks for: it catches up.
    """

    way: float = 0.0
    behind: bool = False

    def limited(
        self,
        skeleton: Skeleton,
        before: Array,
        after: Array,
        hold: Callable[[Array], Array | None] | None,
        again: Callable[[tuple[Array, Array]], Array | None],
    ) -> Array:
        """Return the pose to show on the way from one to another, shape (nq,); uses up the way.

        Args:
            skeleton: The figure.
            before: The pose shown, shape (nq,).
            after: The pose that the drag asks for, shape (nq,).
            hold: Brings a pose onto the locks, None where it cannot; None without locks.
            again: Solves anew within bounds of the pose; returns None where that leads no nearer.
        """
        way, self.way = self.way, 0.0
        if way > 0.0:
            allowed = allowed_turns(skeleton, before, way)
        else:  # the mouse rests
            allowed = np.full(len(skeleton.joints), RESTING)
        self.behind = bool((joint_turns(skeleton, before, after) > allowed).any())
        if not self.behind:
            return after
        near = again(pace_bounds(skeleton, before, allowed))
        pose, _ = paced(skeleton, before, after if near is None else near, allowed, hold)
        if float(np.abs(pose - before).max(initial=0.0)) <= STILL:
            self.behind = False
        return pose
