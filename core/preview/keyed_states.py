"""The keyed motion of a figure at every step of a simulation, worked out some steps ahead."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.preview.actor import Actor

Array = NDArray[np.float64]

_AHEAD = 32  # steps that are worked out together
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
        self._lots: dict[int, tuple[Array, ...]] = {}

    def frame(self, step: Any) -> Any:
        """Return the frame at a step, or at several."""
        return self._start + step / self._per_frame

    def _lot(self, number: int) -> tuple[Array, ...]:
        if number not in self._lots:
            if len(self._lots) >= _KEPT:
                del self._lots[next(iter(self._lots))]
            steps = np.arange(number * _AHEAD - 1, (number + 1) * _AHEAD + 1)
            poses = self._actor.sequence.poses_at_frames(np.maximum(self.frame(steps), 0.0))
            x = self._actor.states(poses)
            own, rate = range(1, len(x) - 1), 1.0 / self._step
            both, back = np.array([-0.5 * rate, 0.5 * rate]), np.array([-rate])
            v = np.stack([self._actor.rates(x[k], x[k - 1 : k + 2 : 2], both) for k in own])
            came = np.stack([self._actor.rates(x[k], x[k - 1 : k], back) for k in own])
            self._lots[number] = poses[1:-1], x[1:-1], v, came
        return self._lots[number]

    def pose(self, step: int) -> Array:
        """Return the pose at a step, shape (nq of the figure,)."""
        return self._lot(step // _AHEAD)[0][step % _AHEAD]

    def x(self, step: int) -> Array:
        """Return the coordinates of the model at a step, shape (nq,)."""
        return self._lot(step // _AHEAD)[1][step % _AHEAD]

    def v(self, step: int) -> Array:
        """Return their rates, shape (nv,), from the steps before and after."""
        return self._lot(step // _AHEAD)[2][step % _AHEAD]

    def came(self, step: int) -> Array:
        """Return the rates at which the motion came there from the step before, shape (nv,), as a stepper has them."""
        return self._lot(step // _AHEAD)[3][step % _AHEAD]
