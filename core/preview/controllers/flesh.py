"""What flesh does without muscles: it brakes the joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.preview.controllers.controller import Command, Controller, Situation

if TYPE_CHECKING:
    from core.preview.anatomy import Anatomy

FLESH = 0.008
"""Passive damping of a joint against the strength of its muscles, [s]; estimated: 1 N m s/rad in a knee or hip."""


class Flesh(Controller):
    """Dampers in all joints."""

    def __init__(self, anatomy: Anatomy):
        self._damping = FLESH * anatomy.strength

    def command(self, now: Situation) -> Command:
        still = np.zeros_like(self._damping)
        return Command(still, self._damping, now.x, still, still)
