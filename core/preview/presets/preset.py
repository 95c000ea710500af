"""What a preset of physics is: what moves joints while forces do, as one mode of hybrid strips."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip
    from core.preview.anatomy import Anatomy
    from core.preview.controllers.controller import Controller


class Preset:
    """A mode of hybrid strips that is offered as a direction to the figure. One object each, in ``PRESETS``.

    Attributes:
        name: Mode of the strips.
        noun: What it does, as it is listed where an integrator leaves it out.
        motors: Whether joints are driven, as ``MOTORED`` says.
        follows_gain: Whether the gain of motors in the settings counts: else torques are those of muscles.
    """

    name: str
    noun: str
    motors = True
    follows_gain = False

    def controller(self, anatomy: Anatomy, strip: HybridStrip) -> Controller | None:
        """Return what moves the joints of a strip; None for motors that follow the keys, however strong."""
        raise NotImplementedError
