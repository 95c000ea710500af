"""Stumble: the figure follows its keys, keeps its balance, and catches itself by a step where it cannot otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.animation.hybrid_strips import STUMBLE
from core.preview.presets.preset import Preset

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip
    from core.preview.anatomy import Anatomy
    from core.preview.controllers.controller import Controller


class Stumble(Preset):
    """Keys, balance, and steps."""

    name = STUMBLE
    noun = "stumbling"

    def controller(self, anatomy: Anatomy, strip: HybridStrip) -> Controller | None:
        from core.preview.controllers.balancing import Balancing, Holding
        from core.preview.controllers.controller import whole_body

        if anatomy.two_legged and whole_body(anatomy.actor, strip):
            return Balancing(anatomy)
        return Holding(anatomy)
