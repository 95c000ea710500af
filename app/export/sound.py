"""The sound of a movie: the sequence's music from the first picture to the last, as loud as it is heard."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.export.errors import ExportError
from app.export.material import SOUND_RATE
from core.animation import Sequence
from core.audio import AudioRecord, Sound, read_sound
from core.errors import CoreError
from core.formats.project import resolved_source

Samples = NDArray[np.float32]


def movie_sound(sequence: Sequence | None, first: float, seconds: float, repeats: int = 1) -> Samples | None:
    """Return the sound of a movie; None if the sequence has no music.

    Args:
        sequence: Whose music.
        first: Frame of the first picture, whole or not.
        seconds: Length of one round of the movie, [s].
        repeats: How often the round is shown; the music begins again with each.

    Returns:
        Shape (n,), ``SOUND_RATE`` a second.

    Raises:
        ExportError: If the music cannot be read.
    """
    if sequence is None or sequence.audio is None:
        return None
    try:
        record = AudioRecord.of(sequence.audio)
        path = resolved_source(record.file, None)
        if path is None or not path.is_file():
            raise ExportError(f"the music {record.file} is not where it was; load it again, or leave the sound out")
        sound = read_sound(path)
    except CoreError as error:
        if isinstance(error, ExportError):
            raise
        raise ExportError(f"the music cannot be read: {error}; or leave the sound out") from None
    start = first / sequence.fps - record.offset
    one = record.gain * stretch(sound, start, round(seconds * SOUND_RATE))
    return np.clip(np.tile(one, repeats), -1.0, 1.0).astype(np.float32)


def stretch(sound: Sound, start: float, count: int) -> Samples:
    """Return so many samples at ``SOUND_RATE`` from a time of a sound on, silent where there is none.

    Args:
        sound: The sound.
        start: Time of the first one, [s] after the sound's start; may be negative.
        count: How many.
    """
    import scipy  # here, as the window starts without it

    # A band-limited reading at any time: to whole samples of the new rate first, then the rest of one by a straight
    # line, which is far above what is heard once there are several samples between two of the sound's.
    up = SOUND_RATE * max(1, 96_000 // SOUND_RATE)
    margin = 64
    begin = int(np.floor(start * sound.rate)) - margin
    end = int(np.ceil((start + count / SOUND_RATE) * sound.rate)) + margin
    part = np.zeros(end - begin, dtype=np.float64)
    low, high = max(begin, 0), min(end, len(sound.samples))
    if high > low:
        part[low - begin : high - begin] = sound.samples[low:high]
    divisor = np.gcd(up, sound.rate)
    fine = scipy.signal.resample_poly(part, up // divisor, sound.rate // divisor)
    places = (start + np.arange(count) / SOUND_RATE - begin / sound.rate) * up
    return np.interp(places, np.arange(len(fine)), fine).astype(np.float32)
