"""Lengths in words: how far apart two things are, and how large one is."""

from __future__ import annotations

from app.words.quantity import NUMBER


def distance_text(metres: float) -> str:
    """Return a distance as people read it off: ``4.2 cm``, ``1.31 m``, below a centimetre ``3.4 mm``."""
    for unit, size, decimals in (("m", 1.0, 2), ("cm", 0.01, 1)):
        if round(metres / size, decimals) >= 1.0:
            return f"{metres / size:.{decimals}f} {unit}"
    return f"{metres * 1000.0:.1f} mm"


def size_text(metres: float) -> str:
    """Return a size in the unit a person would use: ``1.74 m``, ``45 cm``, ``3 mm``; three digits say enough."""
    for unit, size in (("km", 1000.0), ("m", 1.0), ("cm", 0.01)):
        if abs(metres) >= 0.9995 * size:
            return f"{NUMBER.short(float(f'{metres / size:.3g}'))} {unit}"
    return f"{NUMBER.short(float(f'{metres / 0.001:.3g}'))} mm"
