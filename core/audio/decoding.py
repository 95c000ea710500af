"""Sounds that libsndfile does not read (M4A, AAC) through PyAV, which is an optional package."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.audio.checks import check_length, refuse
from core.audio.sound import Samples, Sound
from core.extras import how_to_install
from core.progress import Progress, report

MOST_RATE = 48_000
"""Sounds with more samples a second are taken down to this."""
_MOST_BAD = 100  # packets that may be damaged before a file is given up


def decode(path: Path, why: str, progress: Progress | None = None) -> Sound:
    """Return the sound in a file that PyAV can decode, its channels mixed into one.

    Args:
        path: The file.
        why: Why libsndfile does not read it, for messages.
        progress: Told what share is done; may raise ``core.errors.Cancelled``.

    Raises:
        FormatError: If PyAV is not installed, or finds no sound in it, or it is too long.
    """
    try:
        import av
    except ImportError:
        how = how_to_install("export")
        refuse(path, f"cannot be read as a sound ({why}); M4A and AAC are read with PyAV, not installed: {how}")
    try:
        with av.open(str(path)) as container:
            if not container.streams.audio:
                refuse(path, "holds no sound; expected an audio track")
            stream = container.streams.audio[0]
            if getattr(stream, "codec_context", None) is None or not stream.rate:
                refuse(path, "holds a sound of a kind that is not known; expected WAV, MP3, Ogg, FLAC or M4A")
            rate = min(stream.rate, MOST_RATE)
            seconds = (container.duration or 0) / av.time_base
            if stream.duration is not None and stream.time_base is not None:
                seconds = float(stream.duration * stream.time_base)
            check_length(path, int(seconds * rate), rate)
            resampler = av.AudioResampler(format="flt", layout="mono", rate=rate)
            parts: list[Samples] = []
            count = bad = 0
            for packet in container.demux(stream):
                try:
                    frames = [resampled for frame in packet.decode() for resampled in resampler.resample(frame)]
                except av.error.InvalidDataError:
                    bad += 1
                    if bad > _MOST_BAD:
                        refuse(path, f"is damaged after {count / rate:.2f} s; expected a whole sound file")
                    continue
                for frame in frames:
                    parts.append(frame.to_ndarray().reshape(-1).astype(np.float32))
                    count += len(parts[-1])
                check_length(path, count, rate)
                report(progress, count / (seconds * rate) if seconds > 0.0 else 0.0)
            for frame in resampler.resample(None):
                parts.append(frame.to_ndarray().reshape(-1).astype(np.float32))
    except (av.error.FFmpegError, ValueError):
        refuse(path, f"cannot be read as a sound ({why}); expected WAV, MP3, Ogg, FLAC or M4A")
    samples = np.concatenate(parts) if parts else np.empty(0, dtype=np.float32)
    if not len(samples):
        refuse(path, "holds no samples; expected a sound")
    return Sound(np.nan_to_num(samples), rate, path.name)
