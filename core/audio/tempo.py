"""How fast the beat goes along a sound: its onsets beside themselves later, piece by piece, and the steadiest way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.audio.onsets import Onsets

SLOWEST, FASTEST = 60.0, 180.0
"""Tempos that are looked for, [beats a minute]."""
LIKELY, SPREAD = 112.0, 0.7
"""Middle of the tempos that are most likely, and how far they go to both sides, in octaves."""
PIECE, STEP = 8.0, 1.0
"""Length of a piece and the time from one to the next, [s]."""
_STEPS = 160  # tempos that are compared, evenly in octaves
_FINER = 0.5  # how much a pulse is worth less when it goes on just as well at a part of its period
_STEADINESS = 40.0  # what a change of tempo by an octave costs from one piece to the next


@dataclass(frozen=True, eq=False)
class Tempogram:
    """The tempo along a sound.

    Attributes:
        times: Middles of the pieces, shape (k,), [s] from the first onset value.
        periods: Time from beat to beat in each, shape (k,), [s].
        clarity: How much like itself the sound is a period later, over all pieces: 0 not at all, 1 the same.
    """

    times: Array
    periods: Array
    clarity: float


def tempogram(onsets: Onsets, near: float | None = None) -> Tempogram:
    """Return how fast the beat goes along a sound.

    In every piece the onsets are compared with themselves a period later, for periods of 60 to 180 beats a minute
    weighted by how usual they are; the path through all pieces that is best with few changes is taken (Viterbi).
    Source: Grosche and Müller, Tempogram Toolbox, 2011; the prior as in Ellis, Beat Tracking by Dynamic Programming,
    2007.

    Args:
        onsets: From ``onset_strength``.
        near: Tempo that is known already, [beats a minute]: only tempos within a fifth of it count.
    """
    tempos = np.geomspace(SLOWEST, FASTEST, _STEPS)
    if near is not None:
        tempos = np.geomspace(near / 1.2, near * 1.2, _STEPS)
    lags = 60.0 / tempos * onsets.rate
    length = min(round(PIECE * onsets.rate), len(onsets.strength))
    hop = max(1, round(STEP * onsets.rate))
    firsts = np.arange(0, max(len(onsets.strength) - length, 0) + 1, hop)
    likely = np.exp(-0.5 * (np.log2(tempos / LIKELY) / SPREAD) ** 2) if near is None else np.ones(_STEPS)
    scores, alike = np.empty((len(firsts), _STEPS)), np.empty((len(firsts), _STEPS))
    for i, first in enumerate(firsts):
        same = _autocorrelation(onsets.strength[first : first + length])
        at = np.arange(len(same))
        alike[i] = np.interp(lags, at, same, right=0.0)
        finer = np.maximum.reduce([np.interp(lags / parts, at, same, right=0.0) for parts in (2.0, 3.0, 4.0, 5.0)])
        scores[i] = likely * (alike[i] - _FINER * np.maximum(finer, 0.0) * (near is None))
    path = _steadiest(scores, np.log2(tempos))
    clarity = float(np.mean(alike[np.arange(len(path)), path])) if len(path) else 0.0
    times = np.asarray((firsts + length / 2.0) / onsets.rate, dtype=np.float64)
    return Tempogram(times, 60.0 / tempos[path], max(clarity, 0.0))


def _autocorrelation(values: Array) -> Array:
    """Return how much values are like themselves later, by lag; 1 at lag 0, longer lags not weakened by the end."""
    import scipy  # here, as the editor starts without it

    centered = values - values.mean()
    n = len(centered)
    spectrum = scipy.fft.rfft(centered, scipy.fft.next_fast_len(2 * n, real=True))
    same = scipy.fft.irfft(np.abs(spectrum) ** 2, scipy.fft.next_fast_len(2 * n, real=True))[:n]
    if same[0] <= 1e-12:
        return np.zeros(n)
    result: Array = same / same[0] * (n / np.maximum(n - np.arange(n), n / 4.0))
    return result


def _steadiest(scores: Array, octaves: Array) -> np.ndarray:
    """Return for each row the column on the path of the highest sum, less what changes of tempo cost."""
    cost = _STEADINESS * (octaves[:, None] - octaves[None, :]) ** 2
    total, came = scores[0] if len(scores) else np.zeros(len(octaves)), []
    for row in scores[1:]:
        options = total[None, :] - cost
        best = options.argmax(axis=1)
        came.append(best)
        total = row + options[np.arange(len(best)), best]
    path = [int(total.argmax())] if len(scores) else []
    for best in reversed(came):
        path.append(int(best[path[-1]]))
    return np.array(path[::-1], dtype=np.intp)
