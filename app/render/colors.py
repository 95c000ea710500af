"""Colour tokens as the shaders want them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.look.theme import THEMES, Theme
from core.srgb import to_linear

Float = NDArray[np.float32]

# Tokens that only the viewport knows, by theme the token they are made of.
_ALIASES = {
    "dark": {"ghost_keyed": "text3", "obstacle": "grid"},
    "light": {"ghost_keyed": "text3", "obstacle": "line2"},
}
_kept: dict[str, Float] = {}  # by "#rrggbb", as many as the themes have colours


def theme_named(theme: Theme | str) -> Theme:
    """Return a theme given by itself or its name."""
    return THEMES[theme] if isinstance(theme, str) else theme


def srgb(theme: Theme, token: str) -> Float:
    """Return a token in sRGB, 0 to 1, shape (3,); read-only."""
    name = _ALIASES[theme.name].get(token, token)
    written = getattr(theme, name)
    found = _kept.get(written)
    if found is None:
        found = _kept[written] = np.array(theme.rgb(name), dtype=np.float32)
        found.setflags(write=False)
    return found


def linear(values: NDArray[np.floating] | tuple[float, float, float]) -> Float:
    """Return sRGB values as linear light."""
    return to_linear(values).astype(np.float32)
