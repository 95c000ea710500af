"""The frame rate that a rounded frame time stands for: ".0083333" is 120 frames a second, not 120.00048."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

RATES = (24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 150, 180, 200, 240, 250, 300, 360, 480, 500, 600, 960, 1000)
"""Rates that cameras, films and games have."""

NTSC = tuple(rate * 1000 / 1001 for rate in (24, 30, 60, 120))
"""23.976 and its like."""

SLOWEST, FASTEST = 1e-3, 1e6  # [frames/s]
_EXACT = 1e-9
_NOISE = 1e-5  # of the frame time: what single precision and unit changes leave behind


def frame_rate(text: str) -> float | None:
    """Return the frames a second that a frame time, as the file writes it, stands for; None if it makes no sense.

    A whole rate that the number states exactly comes first, then the usual rates, then 23.976 and its like, all
    within half of the last digit that is written; then those within a whole one (the number was cut off); then any
    whole rate; and last what the number says.

    Args:
        text: A finite decimal number, [s].
    """
    written = Decimal(text)
    seconds = float(written)
    if not 1.0 / FASTEST <= seconds <= 1.0 / SLOWEST:
        return None
    rate = 1.0 / seconds
    nearest = float(round(rate))
    if nearest and abs(rate - nearest) <= _EXACT * rate:
        return nearest
    exponent = written.as_tuple().exponent
    digit = 10.0**exponent if isinstance(exponent, int) else 0.0
    half, whole = max(0.5 * digit, _NOISE * seconds), max(digit, _NOISE * seconds)
    for rates, tolerance in ((RATES, half), (NTSC, half), (RATES, whole), (NTSC, whole), ((nearest,), half)):
        found = _nearest(rates, seconds, tolerance)
        if found is not None:
            return found
    return rate


def _nearest(rates: Iterable[float], seconds: float, tolerance: float) -> float | None:
    """Return the rate whose frame time is nearest to ``seconds``, None if it is farther than ``tolerance``."""
    near = min((rate for rate in rates if rate > 0.0), key=lambda rate: abs(1.0 / rate - seconds), default=None)
    # The last bit of the decimal must not decide.
    if near is None or abs(1.0 / near - seconds) > tolerance * (1.0 + 1e-9):
        return None
    return float(near)
