"""Go limp: no muscle acts; flesh brakes the joints a little, and their limits hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.animation.hybrid_strips import LIMP
from core.preview.presets.preset import Preset

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip
    from core.preview.anatomy import Anatomy
    from core.preview.controllers.controller import Controller


class GoLimp(Preset):
    """No torques but those of flesh and of limits."""

    name = LIMP
    noun = "damping by flesh"
    motors = False

    def controller(self, anatomy: Anatomy, strip: HybridStrip) -> Controller | None:
        from core.preview.controllers.flesh import Flesh

        return Flesh(anatomy)
