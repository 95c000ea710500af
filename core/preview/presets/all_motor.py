"""All motor: motors follow the keys, as strong as they need to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.animation.hybrid_strips import MOTOR
from core.preview.presets.preset import Preset

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip
    from core.preview.anatomy import Anatomy
    from core.preview.controllers.controller import Controller


class AllMotor(Preset):
    """Motors of ``core.preview.motors``."""

    name = MOTOR
    noun = "motors to keys"
    follows_gain = True

    def controller(self, anatomy: Anatomy, strip: HybridStrip) -> Controller | None:
        return None
