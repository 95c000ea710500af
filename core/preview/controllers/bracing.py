"""Brace: the keys are held until the figure falls, and after the time that it takes to react it guards itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.support import margin_of
from core.preview.controllers.controller import Command, Controller, Situation
from core.preview.controllers.guard import guard, held
from core.preview.controllers.support import LEVEL, Soles, frequency

if TYPE_CHECKING:
    from core.preview.anatomy import Anatomy

REACTION = 0.15
"""Time from the loss of balance to the first torque that answers it, [s]: automatic responses of muscles take 0.1 to
0.15 s, a voluntary one 0.2 s and more."""
_FALLS = 0.6  # m/s, downwards: so fast no one sits down


class FallState(NamedTuple):
    """What is remembered of a fall.

    Attributes:
        since: Time at which the balance was lost, [s]; None while it is not.
        way: Where it falls to, level, unit, shape (3,).
    """

    since: float | None
    way: Array


class Fall:
    """Tells whether a figure falls, and where to."""

    def __init__(self, anatomy: Anatomy):
        self._anatomy = anatomy
        self._soles = Soles(anatomy) if anatomy.two_legged else None
        self.begin = FallState(None, np.asarray(anatomy.facing))

    def after(self, before: FallState, now: Situation) -> FallState:
        """Return what is known of the fall in a step."""
        since, way = before
        drift = now.velocity[LEVEL]
        falling = float(now.velocity[1]) < -_FALLS
        if since is None and self._soles is not None:
            poses = now.poses
            feet = self._soles.standing(now)
            polygon = self._soles.polygon(feet, poses)
            if len(polygon):
                ground = float(min(self._soles.corners(foot, poses)[:, 1].min() for foot in feet))
                xi = now.center[LEVEL] + drift / frequency(now, ground, self._anatomy.height)
                if margin_of(polygon, xi) < 0.0:
                    falling, drift = True, xi - polygon.mean(axis=0)
        if float(np.linalg.norm(drift)) > 0.1 and (since is None or now.touching):
            level = np.array([drift[0], 0.0, drift[1]])
            way = level / float(np.linalg.norm(level))
        return FallState(now.time if since is None and falling else since, way)


class Bracing(Controller):
    """Keys, then a guard."""

    def __init__(self, anatomy: Anatomy):
        self._anatomy, self._fall = anatomy, Fall(anatomy)
        self.state: FallState = self._fall.begin

    def command(self, now: Situation) -> Command:
        self.state = self._fall.after(self.state, now)
        since, way = self.state
        if since is None or now.time < since + REACTION:
            return held(self._anatomy, now)
        return guard(self._anatomy, now, way)
