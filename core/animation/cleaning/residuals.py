"""How fast the motion of each joint is, and what is noise: the cutoff frequency that Winter's residual analysis finds.

The residual at a cutoff is how far the filtered motion is from the recorded one, root mean square. Of noise alone it
falls along nearly a straight line as the cutoff rises; where the motion itself is cut it is above that line. The line,
carried on to a cutoff of 0, says how much noise there is, and the cutoff at which the residual is that large takes away
as much of the noise as it costs of the motion (Winter 2009, section 2.2.4.5).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.animation.channels import channels_of
from core.animation.cleaning.filters import Butterworth
from core.animation.cleaning.samples import Samples
from core.animation.cleaning.signals import Signal
from core.animation.sequence import Sequence
from core.arrays import Array
from core.progress import Progress, report

LOWEST = 1.0
"""The least cutoff that is tried, [Hz]."""

_NOISE = 0.4, 0.7  # of half the sampling rate: there is nothing but noise, and the line is nearly straight
_STEP = 0.25  # [Hz]
_MOST = 120  # cutoffs that are tried
_SEEN = np.radians(0.02), 5e-5  # [rad], [m]: less noise than that is none
_FEWEST = 12


class Residual(NamedTuple):
    """What was found of a channel.

    Attributes:
        channel: Its name.
        cutoff: The cutoff frequency, [Hz]; None where there is no noise to speak of, or nothing that moves.
        noise: How much noise there is, root mean square, [rad], or [m] of the root's place.
    """

    channel: str
    cutoff: float | None
    noise: float


def find_cutoffs(
    sequence: Sequence,
    first: int,
    last: int,
    channels: frozenset[str] | None = None,
    progress: Progress | None = None,
) -> list[Residual]:
    """Return the noise of each channel in a stretch, and the cutoff that parts it from the motion.

    Args:
        sequence: The sequence; it does not change.
        first: First frame.
        last: Last frame.
        channels: Names of the channels that are looked at; None for all.
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.

    Raises:
        SequenceError: If the range is not valid or too short, or there are no keys.
        JointError: If the figure has no such channel.
    """
    samples = Samples.of(sequence, first, last, channels)
    names, found = channels_of(sequence.skeleton).names, []
    for number, signal in enumerate(samples.signals):
        report(progress, number / len(samples.signals))
        least = _SEEN[1] if signal.channel == 0 else _SEEN[0]
        cutoff, noise = _found(signal, sequence.fps, least)
        found.append(Residual(names[signal.channel], cutoff, noise))
    report(progress, 1.0)
    return found


def residuals(signal: Signal, rate: float, cutoffs: Array) -> Array:
    """Return how far a signal is from itself filtered, root mean square, at some cutoffs, shape (k,), [rad] or [m].

    Args:
        signal: The signal.
        rate: Samples a second, [1/s].
        cutoffs: Shape (k,), [Hz].
    """
    found = []
    for cutoff in cutoffs.tolist():
        made = signal.unit(Butterworth(cutoff)(signal.values, rate))
        found.append(np.sqrt(np.mean(signal.apart(made, signal.values) ** 2)))
    return np.array(found)


def _found(signal: Signal, rate: float, least: float) -> tuple[float | None, float]:
    """Return the cutoff of a signal, None for none, and its noise."""
    nyquist = 0.5 * rate
    step = max(_STEP, nyquist / _MOST)
    cutoffs = np.arange(LOWEST, _NOISE[1] * nyquist, step)
    if len(cutoffs) < _FEWEST or np.ptp(signal.values, axis=0).max() == 0.0:
        return None, 0.0
    off = residuals(signal, rate, cutoffs)
    straight = cutoffs >= _NOISE[0] * nyquist
    slope, noise = np.polyfit(cutoffs[straight], off[straight], 1)
    if slope >= 0.0 or noise < least:
        return None, max(float(noise), 0.0)
    below = np.flatnonzero(off <= noise)
    return float(cutoffs[below[0]]), float(noise)
