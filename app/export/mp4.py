"""MP4 through PyAV: H.264, 4:2:0, colours marked as BT.709, so that players show what was drawn."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace
from llvmlite.binding import get_host_cpu_features
from numpy.typing import NDArray

from app.export.dither import ordered_dither
from app.export.errors import ExportError

# At a constant rate factor of 18 no difference is seen; aq-mode 3 leaves dark gradients more bits.
_QUALITY = {"crf": "18", "preset": "medium", "aq-mode": "3"}
_BT709 = 1  # ISO/IEC 23091-2, for primaries, transfer and matrix alike
_KR, _KB = 0.2126, 0.0722  # share of red and blue in brightness, ITU-R BT.709


def _to_yuv() -> NDArray[np.float32]:
    """Return the matrix from RGB, 0 to 255, to brightness 16 to 235 and colour differences -112 to 112."""
    bright = np.array([_KR, 1.0 - _KR - _KB, _KB])
    rows = [bright * 219.0]
    for channel, share in ((2, _KB), (0, _KR)):
        rows.append((np.eye(3)[channel] - bright) * 112.0 / (1.0 - share))
    return (np.array(rows) / 255.0).astype(np.float32)


def exact_rate(fps: float) -> Fraction:
    """Return a rate as the fraction that is meant: 30, 12.5, or 30000/1001 for 29.97."""
    ntsc = Fraction(1000 * round(fps * 1.001), 1001)
    if abs(fps - round(fps)) > 1e-3 and abs(float(ntsc) - fps) < 5e-3:
        return ntsc
    return Fraction(fps).limit_denominator(1000)


_TO_YUV = _to_yuv()


def encoder_options() -> dict[str, str]:
    """Return the options for x264.

    With 512-bit instructions, x264's macroblock trees make other bytes of the same pictures from one run to the next
    in some sizes, 600 x 400 for one. Those with 256 bits do not; every processor that has the former has them too.
    """
    return {**_QUALITY, "x264-params": "asm=AVX2"} if get_host_cpu_features().get("avx512f") else dict(_QUALITY)


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
        self._dither = ordered_dither(*size)
        self._count = 0
        self._open = True

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Take the next picture, shape (height, width, 3)."""
        frame = av.VideoFrame(picture.shape[1], picture.shape[0], "yuv420p")
        for plane, values in zip(frame.planes, self._yuv(picture), strict=True):
            rows = np.frombuffer(plane, dtype=np.uint8).reshape(-1, plane.line_size)  # wider than the picture
            rows[: values.shape[0], : values.shape[1]] = values
        frame.colorspace, frame.color_range = Colorspace.ITU709, ColorRange.MPEG
        frame.pts = self._count
        frame.time_base = self._stream.codec_context.time_base
        self._count += 1
        self._container.mux(self._stream.encode(frame))

    def _yuv(self, picture: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
        """Return brightness and halved colour differences, dithered: dark gradients would show bands otherwise."""
        bright, blue, red = np.moveaxis(picture.astype(np.float32) @ _TO_YUV.T, 2, 0)
        planes = [bright + (16.5 + self._dither)]
        for color in (blue, red):
            halved = 0.25 * (color[::2, ::2] + color[1::2, ::2] + color[::2, 1::2] + color[1::2, 1::2])
            planes.append(halved + (128.5 + self._dither[: halved.shape[0], : halved.shape[1]]))
        return [plane.astype(np.uint8) for plane in planes]

    def finish(self) -> None:
        """Write the pictures that the encoder still holds, and the index."""
        self._container.mux(self._stream.encode(None))
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._open:
            self._open = False
            self._container.close()
