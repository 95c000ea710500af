"""Presets of physics: what a figure is told to do while forces move it, each a mode of hybrid strips."""

from __future__ import annotations

from core.preview.presets.all_motor import AllMotor
from core.preview.presets.brace import Brace
from core.preview.presets.go_limp import GoLimp
from core.preview.presets.preset import Preset
from core.preview.presets.stumble import Stumble

PRESETS: tuple[Preset, ...] = (AllMotor(), GoLimp(), Brace(), Stumble())
"""All of them, in the order of ``MODES``; the modes of strips in ``core.animation.hybrid_strips`` have their names."""


def preset_of(mode: str) -> Preset | None:
    """Return the preset of a strip's mode; None for one of forces alone."""
    return next((preset for preset in PRESETS if preset.name == mode), None)


__all__ = ["PRESETS", "Preset", "preset_of"]
