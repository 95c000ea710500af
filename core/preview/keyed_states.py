"""The keyed motion of figures at every step of a simulation, as the stepper takes it, worked out some steps ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.dynamics.engine import Stepper
from core.dynamics.engine.prepared_state import PreparedState
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


_KEPT_TARGETS = 6  # lots of steps


class KeyedTargets:
    """States of the whole model at steps, some of its figures where their keys have them and 0 elsewhere.

    Args:
        stepper: What takes the steps.
        actors: The figures.
        keyed: The keyed motion of each.
    """

    def __init__(self, stepper: Stepper, actors: Sequence[Actor], keyed: Sequence[KeyedStates]):
        self._stepper, self._actors, self._keyed = stepper, actors, keyed
        self._lots: dict[tuple[int, bool, tuple[bool, ...]], PreparedState] = {}

    def at(self, step: int, figures: Sequence[bool], came: bool = False) -> PreparedState:
        """Return the state at a step.

        Args:
            step: The step.
            figures: Which figures are where their keys have them.
            came: Whether rates are those at which the motion came there from the step before; else they are of the
                steps before and after.
        """
        case = step // AHEAD, came, tuple(figures)
        if case not in self._lots:
            if len(self._lots) >= _KEPT_TARGETS:
                del self._lots[next(iter(self._lots))]
            self._lots[case] = self._lot(*case)
        return self._lots[case].at(step % AHEAD)

    def entering(self, step: int, figures: Sequence[bool]) -> PreparedState:
        """Return the state at a step, figures whose strips begin there with the rates at which they come there.

        What forces take over then goes on as it came.

        Args:
            step: The step.
            figures: Which figures are where their keys have them.
        """
        frames = [keyed.frame(step) for keyed in self._keyed]
        each = list(zip(self._actors, self._keyed, frames, figures, strict=True))
        begins = [moves and any(s.start == frame for s in actor.strips) for actor, _, frame, moves in each]
        if not any(begins):
            return self.at(step, figures)
        x, v = np.zeros((1, self._stepper.model.nq)), np.zeros((1, self._stepper.model.nv))
        for (actor, keyed, frame, moves), starts in zip(each, begins, strict=True):
            if moves:
                x[0, actor.span] = keyed.x(step)
                v[0, actor.span] = actor.entry(frame)[1] if starts else keyed.v(step)
        return self._stepper.inputs.prepared(x, v).at(0)

    def _lot(self, number: int, came: bool, figures: tuple[bool, ...]) -> PreparedState:
        model = self._stepper.model
        x, v = np.zeros((AHEAD, model.nq)), np.zeros((AHEAD, model.nv))
        for actor, keyed, moves in zip(self._actors, self._keyed, figures, strict=True):
            if moves:
                x[:, actor.span], v[:, actor.span] = keyed.lot(number, came)
        return self._stepper.inputs.prepared(x, v)
