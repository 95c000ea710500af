"""QuickTime with ProRes 4444, which editing programs take with its transparency; sound as it is, 16 bits a sample."""

from __future__ import annotations

from pathlib import Path

from app.export.av_file import AvEncoder, Streams
from app.export.material import Material

_STREAMS = Streams(
    "mov", "prores_ks", "ProRes", "yuv444p10le", "yuva444p10le",
    {"profile": "4444", "vendor": "apl0", "alpha_bits": "16"}, "pcm_s16le", 0,
)  # fmt: skip


def encoder(path: Path, fps: float, size: tuple[int, int], material: Material) -> AvEncoder:
    """Return what writes a ``.mov`` file."""
    return AvEncoder(path, fps, size, _STREAMS, material)
