"""Where keys have figures at every step, as the stepper takes it, worked out some steps ahead."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.dynamics.engine import Stepper
from core.dynamics.engine.prepared_state import PreparedState
from core.preview.actor import Actor
from core.preview.keyed_states import AHEAD, KeyedStates

_KEPT = 6  # lots of steps


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
            if len(self._lots) >= _KEPT:
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
