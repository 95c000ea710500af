"""Beats from taps: the tempo and the phase that gather a person's taps best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Array
from core.audio.beats import Beats

FEWEST = 3
SURE = 0.8
"""From this mean length of the taps' phases on they count as steady; 1 is a machine, chance is 0."""
_SPAN, _STEPS = 0.06, 1201  # how far around the median the period is looked for, and in how many steps
_FASTEST, _SLOWEST = 0.2, 3.0  # periods a person can tap, [s]


def beats_of_taps(taps: Sequence[float], duration: float) -> Beats | None:
    """Return the beats that taps mean.

    Steady ones become a steady beat from the start of the sound to its end; with unsteady ones only the taps
    themselves are beats. The first tap begins a bar. Taps may jump back in time, where the playing looped: what counts
    is when they fall, from beat to beat.

    Args:
        taps: When they came, in the order in which they did, [s] after the start of the sound.
        duration: Length of the sound, [s].

    Returns:
        The beats; None if there are fewer than ``FEWEST`` taps or no two of them are a period apart.
    """
    times = np.array(taps, dtype=np.float64)
    steps = np.diff(times)
    steps = steps[(steps >= _FASTEST) & (steps <= _SLOWEST)]
    if len(times) < FEWEST or not len(steps):
        return None
    periods = float(np.median(steps)) * np.linspace(1.0 - _SPAN, 1.0 + _SPAN, _STEPS)
    gathered = np.exp(2j * np.pi * times[None, :] / periods[:, None]).mean(axis=1)
    best = int(np.abs(gathered).argmax())
    period, steadiness = float(periods[best]), float(np.abs(gathered[best]))
    if steadiness >= SURE:
        phase = float(np.angle(gathered[best])) / (2.0 * np.pi) * period % period
        beats: Array = np.arange(phase, max(duration, times.max() + 0.5 * period), period)
    else:
        beats = np.unique(times[times >= 0.0])
    first = int(np.abs(beats - times[0]).argmin()) if len(beats) else 0
    downbeat = first % 4 if steadiness >= SURE else first
    return Beats(beats, 60.0 / period, downbeat, steadiness, steadiness < SURE)
