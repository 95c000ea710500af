"""How a figure would stand after other choices, worked out from one reading: axes, size, floor and front in one turn.

All of these are one similarity of the world, so nothing has to be read again while somebody looks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.formats.importing.choices import FIRST, LOWEST
from core.formats.importing.findings import Findings
from core.formats.importing.measures import sampled, upright
from core.formats.importing.placing import Stance, level_angle, level_turn
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton

Array = NDArray[np.float64]

_SAMPLES = 60


@dataclass(frozen=True)
class Standing:
    """How a figure stands in its first frame.

    Attributes:
        poses: Frames of its joints in the world, shape (n, 4, 4), scaled.
        low: Height of the lowest point of its feet in the first frame before it was put on the floor, [m].
        lowest: The same over the motion.
        facing: Where it faces in the first frame before it was turned to the front, [rad]; None if nobody knows.
    """

    poses: Array
    low: float
    lowest: float
    facing: float | None


class Preview:
    """A figure as it was read, neither put on the floor nor turned to the front.

    Args:
        skeleton: The figure.
        q: Poses of its motion, shape (m, nq); none for a figure alone.
        found: What was found while it was read.
    """

    def __init__(self, skeleton: Skeleton, q: Array, found: Findings):
        self.skeleton, self.found = skeleton, found
        self._q, self._taken = q, (0, max(len(q) - 1, 0))
        self._frames = self._sampled()
        self._stance = Stance(skeleton)

    def _sampled(self) -> Array:
        first, last = self._taken
        rows = self._q[first : last + 1]
        return forward_kinematics(
            self.skeleton, sampled(rows, _SAMPLES) if len(rows) else np.zeros((1, self.skeleton.nq))
        )

    def take(self, first: int, last: int) -> None:
        """Look at some of its frames only: the first and the last of them."""
        if (first, last) != self._taken:
            self._taken = (first, last)
            self._frames = self._sampled()

    @property
    def height(self) -> float:
        """How tall the figure is as it was read, [m]."""
        return self.found.height

    def standing(self, up: str, height: float, floor: str | None, facing: str | None) -> Standing:
        """Return how it stands after other choices.

        Args:
            up: The file's upward axis.
            height: How tall it is made, [m].
            floor: As in ``ImportChoices``.
            facing: As in ``ImportChoices``.
        """
        turn = np.eye(4)
        turn[:3, :3] = upright(up) @ upright(self.found.up).T * (height / self.found.height)
        frames = turn @ self._frames
        ahead = self._stance.forward_of(frames)
        faces = level_angle(ahead[0])
        wanted = faces if facing == FIRST else level_angle(ahead.sum(axis=0)) if facing is not None else None
        if wanted is not None:
            back = np.eye(4)
            back[:3, :3] = level_turn(-wanted)
            pivot = frames[0, 0, :3, 3] * np.array([1.0, 0.0, 1.0])
            back[:3, 3] = pivot - back[:3, :3] @ pivot
            frames = back @ frames
        lows = self._stance.lowest_of(frames)
        low, lowest = float(lows[0]), float(lows.min())
        poses = frames[0].copy()
        if floor is not None:
            poses[:, 1, 3] -= lowest if floor == LOWEST else low
        return Standing(poses, low, lowest, faces)
