"""Go limp: no muscle acts; flesh brakes the joints a little, and their limits hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.animation.hybrid_strips import LIMP
from core.preview.presets.preset import Command, Controller, Preset, Situation

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip
    from core.preview.anatomy import Anatomy

FLESH = 0.008
"""Passive damping of a joint against the strength of its muscles, [s]; estimated: 1 N m s/rad in a knee or hip."""


class GoLimp(Preset):
    """No torques but those of flesh and of limits."""

    name, label = LIMP, "Go limp"
    description = "No muscle acts: flesh damps the joints, and their limits hold"
    motors = False

    def controller(self, anatomy: Anatomy, strip: HybridStrip) -> Controller | None:
        return Flesh(anatomy)


class Flesh(Controller):
    """Dampers in all joints."""

    def __init__(self, anatomy: Anatomy):
        self._damping = FLESH * anatomy.strength

    def command(self, now: Situation) -> Command:
        still = np.zeros_like(self._damping)
        return Command(still, self._damping, now.x, still, still)
