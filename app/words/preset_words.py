"""Presets of physics as a person reads them: what the figure may be told to do while forces move it."""

from __future__ import annotations

from typing import NamedTuple

from core.animation.hybrid_strips import BRACE, LIMP, MOTOR, STUMBLE


class PresetWords(NamedTuple):
    """One preset.

    Attributes:
        name: Mode of the strips.
        label: What people choose.
        description: What it does, in a sentence.
    """

    name: str
    label: str
    description: str


PRESET_WORDS = (
    PresetWords(MOTOR, "All motor", "Motors in the joints follow the keys, as strong as they need to be"),
    PresetWords(LIMP, "Go limp", "No muscle acts: flesh damps the joints, and the limits of the joints stop them"),
    PresetWords(
        BRACE,
        "Brace",
        "Holds the keys until it loses its balance, then brings its arms up to where it falls, as strong as a person",
    ),
    PresetWords(
        STUMBLE,
        "Stumble",
        "Follows the keys and keeps its balance, by a step if it must; falls if it is not strong enough",
    ),
)
"""All of them, in the order of menus; ``PRESETS`` of ``core.preview.presets``, which a start has no time for, do it."""


def preset_label(name: str) -> str:
    """Return what people call a preset."""
    return next(words.label for words in PRESET_WORDS if words.name == name)
