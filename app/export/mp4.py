"""MP4 through PyAV: H.264, 4:2:0, colours marked as BT.709, so that players show what was drawn."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace, Interpolation
from numpy._core._multiarray_umath import __cpu_features__ as cpu_features
from numpy.typing import NDArray

from app.export.errors import ExportError

# At a constant rate factor of 18 no difference is seen; aq-mode 3 leaves dark gradients more bits.
_QUALITY = {"crf": "18", "preset": "medium", "aq-mode": "3"}
# Colour differences of all columns and with exact rounding, halved by their mean.
_HALVING = Interpolation.AREA | Interpolation.FULL_CHR_H_INP | Interpolation.ACCURATE_RND
_BT709 = 1  # ISO/IEC 23091-2, for primaries, transfer and matrix alike


def exact_rate(fps: float) -> Fraction:
    """Return a rate as the fraction that is meant: 30, 12.5, or 30000/1001 for 29.97."""
    ntsc = Fraction(1000 * round(fps * 1.001), 1001)
    if abs(fps - round(fps)) > 1e-3 and abs(float(ntsc) - fps) < 5e-3:
        return ntsc
    return Fraction(fps).limit_denominator(1000)


def encoder_options() -> dict[str, str]:
    """Return the options for x264.

    With 512-bit instructions, x264's macroblock trees make other bytes of the same pictures from one run to the next
    in some sizes, 600 x 400 for one. Those with 256 bits do not; every processor that has the former has them too.
    """
    return {**_QUALITY, "x264-params": "asm=AVX2"} if cpu_features.get("AVX512F") else dict(_QUALITY)


def video_frame(picture: NDArray[np.uint8]) -> av.VideoFrame:
    """Return a picture, shape (height, width, 3), as brightness and halved colour differences after BT.709.

    Sixteen bits make FFmpeg dither on the way to eight: dark gradients would show bands otherwise.
    """
    return av.VideoFrame.from_ndarray(np.left_shift(picture, 8, dtype=np.uint16), format="rgb48le").reformat(
        format="yuv420p",
        src_colorspace=Colorspace.ITU709,
        dst_colorspace=Colorspace.ITU709,
        src_color_range=ColorRange.JPEG,
        dst_color_range=ColorRange.MPEG,
        interpolation=_HALVING,
    )


class Mp4Encoder:
    """Writes an ``.mp4`` file picture by picture.

    Args:
        path: Where to; its suffix does not matter.
        fps: Pictures a second.
        size: Width and height, both even, [px].

    Raises:
        ExportError: If this PyAV has no H.264 encoder.
    """

    def __init__(self, path: Path, fps: float, size: tuple[int, int]):
        rate = exact_rate(fps)
        # The index goes to the front, so that a browser can begin to play before it has everything.
        self._container = av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"})
        try:
            stream = self._container.add_stream("libx264", rate=rate, options=encoder_options())
        except Exception as error:
            self._container.close()
            raise ExportError(f"the installed PyAV cannot write H.264: {error}") from None
        stream.width, stream.height = size
        stream.pix_fmt = "yuv420p"
        context = stream.codec_context
        context.time_base = 1 / rate
        context.color_primaries = context.color_trc = context.colorspace = _BT709
        context.color_range = ColorRange.MPEG
        self._stream = stream
        self._count = 0
        self._open = True

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Take the next picture, shape (height, width, 3)."""
        frame = video_frame(picture)
        frame.pts = self._count
        frame.time_base = self._stream.codec_context.time_base
        self._count += 1
        self._container.mux(self._stream.encode(frame))

    def finish(self) -> None:
        """Write the pictures that the encoder still holds, and the index."""
        self._container.mux(self._stream.encode(None))
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._open:
            self._open = False
            self._container.close()
