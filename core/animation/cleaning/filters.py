"""Filters for motion that shakes: Butterworth by a cutoff frequency, Savitzky-Golay by a window.

Both run over signals (``core.animation.cleaning.signals``) without delay: Butterworth forward and backward, which
doubles its order and leaves -6 dB at the cutoff (Winter 2009, section 2.2.4.4), Savitzky-Golay about the middle of its
window. What goes on evenly at an end of the motion stays: there signals are continued by their mirror image through the
last sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy  # which loads its signal processing, which takes long, when it is first asked for

from core.arrays import Array
from core.errors import SequenceError

ORDER = 2
"""Order of the Butterworth filter in one direction."""
DEGREE = 3
"""Degree of the polynomials that Savitzky and Golay fit."""

_HALVES = 1.28  # periods in a window of which half is left
_CONTINUED = 3.0  # periods of the cutoff that a signal is continued by at its ends


@dataclass(frozen=True)
class Butterworth:
    """Takes away what is faster than a cutoff frequency, forward and backward.

    Attributes:
        cutoff: [Hz]. Walking has most of what it does below 6 Hz; hits and landings reach 15 Hz and more.

    Raises:
        SequenceError: If the cutoff is not a positive number.
    """

    cutoff: float

    def __post_init__(self) -> None:
        _check(self.cutoff, "cutoff frequency", "Hz")

    def __call__(self, values: Array, rate: float) -> Array:
        """Return values without what is faster, shape (m, k).

        Args:
            values: At evenly spaced samples, shape (m, k).
            rate: Samples a second, [1/s].
        """
        if self.cutoff >= 0.5 * rate or len(values) < 3:
            return values  # nothing that samples can hold is faster
        sections = scipy.signal.butter(ORDER, self.cutoff, fs=rate, output="sos")
        length = min(math.ceil(_CONTINUED * rate / self.cutoff), len(values) - 1)
        made = scipy.signal.sosfiltfilt(sections, values, axis=0, padtype="odd", padlen=length)
        return np.asarray(made, dtype=np.float64)


@dataclass(frozen=True)
class SavitzkyGolay:
    """Puts cubics through the samples in a window, by least squares, and takes their middle.

    Peaks keep their height better than in a filter by frequency, and noise is damped less.

    Attributes:
        window: Length of the window, [s].

    Raises:
        SequenceError: If the window is not a positive number.
    """

    window: float

    def __post_init__(self) -> None:
        _check(self.window, "window", "s")

    def __call__(self, values: Array, rate: float) -> Array:
        """Return values that are smoother, shape (m, k); arguments as of ``Butterworth``."""
        length = 2 * round(0.5 * self.window * rate) + 1
        length = min(length, len(values) - (1 - len(values) % 2))
        if length <= DEGREE + 1:
            return values  # a cubic goes through that many samples exactly
        made = scipy.signal.savgol_filter(values, length, DEGREE, axis=0, mode="interp")
        return np.asarray(made, dtype=np.float64)


Filter = Butterworth | SavitzkyGolay


def window_for(cutoff: float) -> float:
    """Return the window of the Savitzky-Golay filter that halves what has a frequency, as Butterworth does there, [s].

    The window holds 1.28 periods of it, whatever the sampling rate: found from the response of the fitted cubics.

    Args:
        cutoff: [Hz].

    Raises:
        SequenceError: If it is not a positive number.
    """
    _check(cutoff, "cutoff frequency", "Hz")
    return _HALVES / cutoff


FILTERS: Mapping[str, Callable[[float], Filter]] = {"butterworth": Butterworth, "savitzky_golay": SavitzkyGolay}
"""Filters by the names that files and the command line have for them; each takes its one number."""


def _check(value: float, name: str, unit: str) -> None:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not (number and math.isfinite(value) and value > 0.0):
        raise SequenceError(f"the filter's {name} is {value!r}; it must be more than 0 {unit}")
