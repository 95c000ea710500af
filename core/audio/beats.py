"""Finding the beats of a sound: the tempo first, then the row of onsets that keeps to it best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.audio.onsets import Onsets, onset_strength
from core.audio.sound import Sound
from core.audio.tempo import tempogram
from core.progress import Progress, part, report

CLEAR, HEARD = 0.3, 0.15
"""Clarity from which beats are sure, and from which there are any."""
FAINT = 0.02
"""Strength below which nothing in a sound is a stroke; a soft one has 0.05, a drum 0.2."""
BAR = 4
_FEWEST = 10  # onset values above that which a sound with a beat has; the edge of a tone makes five
_TIGHTNESS = 100.0  # how much a step costs that is not as long as the period: its squared logarithm times this
_SMOOTH = 0.01  # onsets that are this far apart count as one stroke, [s]
_AFTER = 0.25  # after a beat, in which its bass is heard, [s]
_AROUND = 4.0  # how far around the strength of onsets is put to one measure, [s]
_STEPS = 2048  # values worked on between two reports of progress


@dataclass(frozen=True, eq=False)
class Beats:
    """Beats of a sound.

    Attributes:
        times: When they are, shape (n,), ascending, [s] from the start of the sound.
        tempo: Mean tempo, [beats a minute]; None without beats.
        downbeat: Index of the first beat that begins a bar of four.
        clarity: How much like itself the sound is from beat to beat, 0 to 1.
        doubtful: Whether there may be no beat at all.
    """

    times: Array
    tempo: float | None
    downbeat: int
    clarity: float
    doubtful: bool


def find_beats(sound: Sound, progress: Progress | None = None, near: float | None = None) -> Beats:
    """Return the beats of a sound; none in silence, and in noise none or doubtful ones.

    Source: Ellis, Beat Tracking by Dynamic Programming, 2007, with a tempo that may change along the sound.

    Args:
        sound: The sound.
        progress: Told what share is done; may raise ``core.errors.Cancelled``.
        near: Tempo that is known already, [beats a minute]; None looks from 60 to 180.
    """
    import scipy  # here, as the editor starts without it

    onsets = onset_strength(sound, part(progress, 0.0, 0.7))
    speed = tempogram(onsets, near)
    if speed.clarity < HEARD or np.count_nonzero(onsets.strength > FAINT) < _FEWEST:
        report(progress, 1.0)
        return Beats(np.zeros(0), None, 0, speed.clarity, True)
    strength = scipy.ndimage.gaussian_filter1d(onsets.strength, _SMOOTH / 2.0 * onsets.rate)
    strength /= _around(strength, onsets.rate)
    periods = np.interp(np.arange(len(strength)) / onsets.rate, speed.times, speed.periods) * onsets.rate
    places = _trimmed(_tracked(strength, periods, part(progress, 0.7, 1.0)), strength)
    times = onsets.times(_between(places, strength))
    inside = (times >= 0.0) & (times <= sound.duration)
    places, times = places[inside], times[inside]
    report(progress, 1.0)
    if len(times) < 2:
        return Beats(np.zeros(0), None, 0, speed.clarity, True)
    tempo = 60.0 * (len(times) - 1) / float(times[-1] - times[0])
    return Beats(times, tempo, _first_downbeat(onsets, places), speed.clarity, speed.clarity < CLEAR)


def _around(strength: Array, rate: float) -> Array:
    """Return how strong onsets are around each place: a soft passage has its beat as well as a loud one."""
    import scipy  # here, as the editor starts without it

    power = scipy.ndimage.gaussian_filter1d(strength**2, _AROUND * rate, mode="nearest")
    return np.asarray(np.sqrt(power + 0.01 * power.max()))


def _tracked(strength: Array, periods: Array, progress: Progress | None) -> np.ndarray:
    """Return the places of the row of beats with the strongest onsets whose steps are nearest to the period.

    Args:
        strength: Onsets, shape (m,).
        periods: Period at each place, shape (m,), in places.
        progress: Told what share is done.
    """
    count = len(strength)
    total, came = strength.copy(), np.full(count, -1, dtype=np.intp)
    for i in range(count):
        period = periods[i]
        first, last = max(0, i - round(2.0 * period)), i - round(0.5 * period)
        if last > first:
            before = np.arange(first, last)
            scores = total[first:last] - _TIGHTNESS * np.log((i - before) / period) ** 2
            best = int(scores.argmax())
            if scores[best] > 0.0:
                total[i] += scores[best]
                came[i] = first + best
        if i % _STEPS == 0:
            report(progress, i / count)
    end = max(0, count - round(1.5 * periods[-1]))
    path = [end + int(total[end:].argmax())]
    while came[path[-1]] >= 0:
        path.append(int(came[path[-1]]))
    return np.array(path[::-1], dtype=np.intp)


def _trimmed(places: np.ndarray, strength: Array) -> np.ndarray:
    """Return the beats without those before the first and after the last that can be heard."""
    at = strength[places]
    heard = np.flatnonzero(at >= 0.3 * np.sqrt(np.mean(at**2)))
    return places[heard[0] : heard[-1] + 1] if len(heard) else places[:0]


def _between(places: np.ndarray, strength: Array) -> Array:
    """Return the summits of the onsets at places, to a fraction of one: those of parabolas through three values."""
    inner = np.clip(places, 1, len(strength) - 2)
    left, middle, right = strength[inner - 1], strength[inner], strength[inner + 1]
    bend = left - 2.0 * middle + right
    summit = (bend < 0.0) & (middle >= left) & (middle >= right) & (inner == places)
    shift = np.where(summit, 0.5 * (left - right) / np.where(summit, bend, 1.0), 0.0)
    return places + shift


def _first_downbeat(onsets: Onsets, places: np.ndarray) -> int:
    """Return which of the first four beats begins a bar: that whose every fourth has most bass right after it."""
    import scipy  # here, as the editor starts without it

    reach = max(1, round(_AFTER * onsets.rate))
    after = scipy.ndimage.uniform_filter1d(onsets.bass, reach, origin=-(reach // 2))[places]
    means = [float(after[k::BAR].mean()) if len(after) > k else 0.0 for k in range(BAR)]
    return int(np.argmax(means))
