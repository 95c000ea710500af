"""Brace: the keys are held until the figure falls, and after the time that it takes to react it guards itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.animation.hybrid_strips import BRACE
from core.preview.presets.preset import Preset

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip
    from core.preview.anatomy import Anatomy
    from core.preview.controllers.controller import Controller


class Brace(Preset):
    """A guard, with the strength of the joints."""

    name = BRACE
    noun = "bracing"

    def controller(self, anatomy: Anatomy, strip: HybridStrip) -> Controller | None:
        from core.preview.controllers.bracing import Bracing

        return Bracing(anatomy)
