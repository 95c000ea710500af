"""The keyed motion of a figure at every step of a simulation, worked out some steps ahead."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.arrays import Array
from core.preview.actor import Actor

AHEAD = 32
"""So many steps are worked out together."""
_KEPT = 8  # such lots


class KeyedStates:
    """Poses, coordinates and rates of the keyed motion at steps counted from the start.

    Args:
        actor: The figure.
        start: Frame of its sequence at step 0.
        per_frame: Steps in a frame of it.
    """

    def __init__(self, actor: Actor, start: float, per_frame: float):
        self._actor, self._start, self._per_frame = actor, start, per_frame
        self._step = 1.0 / (per_frame * actor.sequence.fps)
        self._poses: dict[int, Array] = {}
        self._x: dict[int, Array] = {}
        self._v: dict[int, Array] = {}
        self._came: dict[int, Array] = {}

    def frame(self, step: Any) -> Any:
        """Return the frame at a step, or at several."""
        return self._start + step / self._per_frame

    def _lot_of_poses(self, number: int) -> Array:
        """Return the poses of a lot of steps, one before it, and one after it."""
        if number not in self._poses:
            steps = np.arange(number * AHEAD - 1, (number + 1) * AHEAD + 1)
            _kept(self._poses)[number] = self._actor.sequence.poses_at_frames(np.maximum(self.frame(steps), 0.0))
        return self._poses[number]

    def _lot_of_x(self, number: int) -> Array:
        if number not in self._x:
            _kept(self._x)[number] = self._actor.states(self._lot_of_poses(number))
        return self._x[number]

    def _lot_of_v(self, number: int) -> Array:
        if number not in self._v:
            x, rate = self._lot_of_x(number), 1.0 / self._step
            both = np.stack([x[:-2], x[2:]], axis=1)
            _kept(self._v)[number] = self._actor.rates(x[1:-1], both, np.array([-0.5 * rate, 0.5 * rate]))
        return self._v[number]

    def _lot_of_came(self, number: int) -> Array:
        if number not in self._came:
            x = self._lot_of_x(number)
            _kept(self._came)[number] = self._actor.rates(x[1:-1], x[:-2, None], np.array([-1.0 / self._step]))
        return self._came[number]

    def lot(self, number: int, came: bool) -> tuple[Array, Array]:
        """Return the motion at ``AHEAD`` steps, ``number`` times as many from the start on.

        Args:
            number: Number of the lot.
            came: Whether rates are as of :meth:`came`; else they are as of :meth:`v`.

        Returns:
            Coordinates, shape (m, nq), and their rates, shape (m, nv).
        """
        return self._lot_of_x(number)[1:-1], self._lot_of_came(number) if came else self._lot_of_v(number)

    def pose(self, step: int) -> Array:
        """Return the pose at a step, shape (nq of the figure,)."""
        return self._lot_of_poses(step // AHEAD)[step % AHEAD + 1]

    def x(self, step: int) -> Array:
        """Return the coordinates of the model at a step, shape (nq,)."""
        return self._lot_of_x(step // AHEAD)[step % AHEAD + 1]

    def v(self, step: int) -> Array:
        """Return their rates, shape (nv,), from the steps before and after."""
        return self._lot_of_v(step // AHEAD)[step % AHEAD]

    def came(self, step: int) -> Array:
        """Return the rates at which the motion came there from the step before, shape (nv,), as a stepper has them."""
        return self._lot_of_came(step // AHEAD)[step % AHEAD]


def _kept(lots: dict[int, Any]) -> dict[int, Any]:
    """Return lots after the oldest was dropped where there are many."""
    if len(lots) >= _KEPT:
        del lots[next(iter(lots))]
    return lots
