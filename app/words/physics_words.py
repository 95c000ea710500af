"""Numbers of physics as a person reads them, the same over the figure and in the panel."""

from __future__ import annotations

from app.words.quantity import MINUS


def number(value: float) -> str:
    """Return a value with the digits that count: ``438``, ``24``, ``3.2``, ``0.45``, ``0.0021``."""
    size = abs(value)
    text = (
        f"{size:.0f}"
        if size >= 9.95
        else f"{size:.1f}"
        if size >= 0.995
        else f"{float(f'{size:.1e}'):.5f}".rstrip("0").rstrip(".")
    )
    return MINUS + text if value < 0.0 and text.strip("0.") else text


def force_text(value: float) -> str:
    """Return a force as a person reads it: ``438 N``, ``14.2 kN``."""
    return f"{number(value)} N" if value < 9999.5 else f"{value / 1000.0:.1f} kN"
