"""The two limits under a slider: as many decimals as there is room for, and never one number over the other."""

from __future__ import annotations

from collections.abc import Callable

from app.words.quantity import Quantity

GAP = 5.0  # between the two numbers, px


def limit_texts(
    quantity: Quantity, lower: float, upper: float, measure: Callable[[str], float], room: float
) -> tuple[str, str]:
    """Return both numbers without needless decimals; both "" where not even whole ones have room.

    Args:
        quantity: How numbers are written.
        lower: The lower limit.
        upper: The upper limit.
        measure: Gives the width of a text, [px].
        room: For both side by side, [px].
    """
    for decimals in range(quantity.decimals, -1, -1):
        low, high = (_plain(quantity.number(value, decimals)) for value in (lower, upper))
        if measure(low) + measure(high) + GAP <= room:
            return low, high
    return "", ""


def _plain(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
