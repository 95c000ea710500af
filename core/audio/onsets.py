"""How strongly something begins to sound, moment by moment: rises of the loudness in bands of the spectrum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from core.arrays import Array
from core.audio.sound import Sound
from core.progress import Progress, report

WINDOW, HOP = 0.0232, 0.0058
"""Length of a spectrum's window and the time from one to the next, [s]; as whole samples a little different."""
BANDS = 40
LOWEST, HIGHEST = 30.0, 11_000.0
"""Ends of the bands, [Hz]."""
BASS = 150.0
"""What lies below counts as bass, which marks the first beat of a bar, [Hz]."""
SILENCE = 1e-3
"""A sound whose loudest sample stays below is silent: 60 dB under full scale."""
_LAG = 2  # spectra between which a rise is measured
_COMPRESSION = 10.0  # how much of a whisper is heard beside a bang; with more, off-beats count like beats
_EARLY = 0.0012  # [s] by which a window feels a stroke before its middle reaches it; measured on clicks
_BLOCK = 2048  # spectra worked out at a time


@dataclass(frozen=True, eq=False)
class Onsets:
    """Strength of onsets along a sound.

    Attributes:
        strength: Mean rise over all bands, shape (m,), 0 or more.
        bass: How loud the lowest bands are, shape (m,).
        rate: Values a second, [1/s].
        start: Time that the first value stands for, [s].
    """

    strength: Array
    bass: Array
    rate: float
    start: float

    def times(self, places: Array) -> Array:
        """Return the times of places in ``strength``, whole or between, [s]."""
        return self.start + places / self.rate


def onset_strength(sound: Sound, progress: Progress | None = None) -> Onsets:
    """Return how strongly something begins to sound along a sound: its spectral flux.

    Bands lie evenly on the mel scale, their loudness is compressed, and a rise counts only where it exceeds the
    neighboring bands before it, so that vibrato is no onset. Sources: Dixon, Onset Detection Revisited, 2006; Böck and
    Widmer, Maximum Filter Vibrato Suppression for Onset Detection, 2013.

    Args:
        sound: The sound.
        progress: Told what share is done; may raise ``core.errors.Cancelled``.
    """
    import scipy  # here, as the editor starts without it

    size = max(16, round(WINDOW * sound.rate / 2) * 2)
    hop = max(1, round(HOP * sound.rate))
    peak = float(np.abs(sound.samples).max(initial=0.0))
    rate, start = sound.rate / hop, _EARLY
    count = len(sound.samples) // hop + 1
    strength, bass = np.zeros(count), np.zeros(count)
    if peak < SILENCE:
        return Onsets(strength, bass, rate, start)
    padded = np.pad(sound.samples, (size // 2, size // 2 + hop))
    windows = sliding_window_view(padded, size)[::hop][:count]
    # The periodic Hann window; scipy.signal has it too, but brings half of scipy with it whenever the editor starts.
    window = (0.5 - 0.5 * np.cos(2.0 * np.pi / size * np.arange(size))).astype(np.float32)
    bands, low = _bands(size, sound.rate)
    scale = _COMPRESSION / (peak * float(window.sum()))
    before: Array | None = None
    for first in range(0, count, _BLOCK):
        spectra = np.abs(scipy.fft.rfft(windows[first : first + _BLOCK] * window, axis=1))
        power = scale * (spectra @ bands.T)
        loudness = np.log1p(power)
        if before is None:
            before = np.repeat(loudness[:1], _LAG, axis=0)
        joined = np.concatenate([before, loudness])
        held = scipy.ndimage.maximum_filter1d(joined[:-_LAG], 3, axis=1)
        rises = np.maximum(joined[_LAG:] - held, 0.0)
        last = first + len(loudness)
        strength[first:last] = rises.mean(axis=1)
        bass[first:last] = power[:, :low].sum(axis=1)
        before = joined[-_LAG:]
        report(progress, last / count)
    return Onsets(strength, bass, rate, start)


def _bands(size: int, rate: int) -> tuple[Array, int]:
    """Return the triangular bands over a spectrum, shape (bands, size // 2 + 1), and how many of them are bass."""

    def mel(frequency: Array) -> Array:
        return 2595.0 * np.log10(1.0 + frequency / 700.0)

    highest = min(HIGHEST, 0.45 * rate)
    lowest, top = mel(np.array([LOWEST, highest])).tolist()
    ends = np.linspace(lowest, top, BANDS + 2)
    edges = 700.0 * (10.0 ** (ends / 2595.0) - 1.0)
    frequencies = np.fft.rfftfreq(size, 1.0 / rate)
    left, middle, right = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rising, falling = (frequencies - left) / (middle - left), (right - frequencies) / (right - middle)
    bands = np.clip(np.minimum(rising, falling), 0.0, None)
    empty = bands.sum(axis=1) == 0.0  # narrower than the spectrum is fine: they take the nearest of its values
    bands[empty, np.abs(frequencies - middle).argmin(axis=1)[empty]] = 1.0
    return bands, max(1, int(np.count_nonzero(edges[1:-1] < BASS)))
