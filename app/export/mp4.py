"""MP4: H.264, 4:2:0, colours marked as BT.709, so that players show what was drawn; sound as AAC."""

from __future__ import annotations

from pathlib import Path

from numpy._core._multiarray_umath import __cpu_features__ as cpu_features

from app.export.av_file import AvEncoder, Streams
from app.export.material import Material

# At a constant rate factor of 18 no difference is seen; aq-mode 3 leaves dark gradients more bits.
_QUALITY = {"crf": "18", "preset": "medium", "aq-mode": "3"}


def encoder_options() -> dict[str, str]:
    """Return the options for x264.

    With 512-bit instructions, x264's macroblock trees make other bytes of the same pictures from one run to the next
    in some sizes, 600 x 400 for one. Those with 256 bits do not; every processor that has the former has them too.
    """
    return {**_QUALITY, "x264-params": "asm=AVX2"} if cpu_features.get("AVX512F") else dict(_QUALITY)


def encoder(path: Path, fps: float, size: tuple[int, int], material: Material) -> AvEncoder:
    """Return what writes an ``.mp4`` file; width and height must be even."""
    # The index goes to the front, so that a browser can begin to play before it has everything.
    streams = Streams(
        "mp4", "libx264", "H.264", "yuv420p", options=encoder_options(), container_options={"movflags": "+faststart"}
    )
    return AvEncoder(path, fps, size, streams, material)
