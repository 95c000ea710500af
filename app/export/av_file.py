"""A movie file through PyAV: one stream of pictures, and one of sound beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace, Interpolation
from numpy.typing import NDArray

from app.export.errors import ExportError
from app.export.material import SOUND_RATE, Material

# Colour differences of all columns and with exact rounding, halved by their mean.
_HALVING = Interpolation.AREA | Interpolation.FULL_CHR_H_INP | Interpolation.ACCURATE_RND
_BT709 = 1  # ISO/IEC 23091-2, for primaries, transfer and matrix alike


@dataclass(frozen=True)
class Streams:
    """How a kind of movie is written.

    Attributes:
        container: FFmpeg's name of the container.
        codec: And of the encoder of pictures.
        name: What a person calls it.
        pixels: Pixel format of opaque pictures.
        clear_pixels: And of transparent ones.
        options: Of the encoder.
        sound: FFmpeg's name of the encoder of sound.
        sound_rate: Bits a second of sound; 0 for what the encoder has.
        container_options: Of the container.
    """

    container: str
    codec: str
    name: str
    pixels: str
    clear_pixels: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    sound: str = "aac"
    sound_rate: int = 192_000
    container_options: Mapping[str, str] = field(default_factory=dict)


def exact_rate(fps: float) -> Fraction:
    """Return a rate as the fraction that is meant: 30, 12.5, or 30000/1001 for 29.97."""
    ntsc = Fraction(1000 * round(fps * 1.001), 1001)
    if abs(fps - round(fps)) > 1e-3 and abs(float(ntsc) - fps) < 5e-3:
        return ntsc
    return Fraction(fps).limit_denominator(1000)


def video_frame(picture: NDArray[np.uint8], pixels: str = "yuv420p") -> av.VideoFrame:
    """Return a picture, shape (height, width, 3 or 4), as brightness and colour differences after BT.709, and opacity.

    Sixteen bits make FFmpeg dither on the way to eight: dark gradients would show bands otherwise.
    """
    deep = np.left_shift(picture, 8, dtype=np.uint16)
    if picture.shape[2] == 4:
        deep[:, :, 3] |= picture[:, :, 3]  # what is opaque stays wholly so
    return av.VideoFrame.from_ndarray(deep, format="rgb48le" if picture.shape[2] == 3 else "rgba64le").reformat(
        format=pixels,
        src_colorspace=Colorspace.ITU709,
        dst_colorspace=Colorspace.ITU709,
        src_color_range=ColorRange.JPEG,
        dst_color_range=ColorRange.MPEG,
        interpolation=_HALVING,
    )


class AvEncoder:
    """Writes a movie picture by picture.

    Args:
        path: Where to; its suffix does not matter.
        fps: Pictures a second.
        size: Width and height, [px].
        streams: How.
        material: What else goes into it.

    Raises:
        ExportError: If this PyAV has not the encoder.
    """

    def __init__(self, path: Path, fps: float, size: tuple[int, int], streams: Streams, material: Material):
        rate = exact_rate(fps)
        self._container = av.open(str(path), "w", format=streams.container, options=dict(streams.container_options))
        self._open, self._rate, self._count = True, rate, 0
        self._pixels = streams.clear_pixels if material.clear else streams.pixels
        self._sound = material.sound
        self._sounded = 0
        try:
            # The stubs cannot know from a name what kind of stream it is.
            stream: Any = self._container.add_stream(streams.codec, rate=rate, options=dict(streams.options))
            if self._sound is not None:
                speaker: Any = self._container.add_stream(streams.sound, rate=SOUND_RATE, layout="mono")
                if streams.sound_rate:
                    speaker.bit_rate = streams.sound_rate
                self._speaker = speaker
        except Exception as error:
            self.close()
            raise ExportError(f"the installed PyAV cannot write {streams.name}: {error}") from None
        stream.width, stream.height = size
        stream.pix_fmt = self._pixels
        context = stream.codec_context
        context.time_base = 1 / rate
        context.color_primaries = context.color_trc = context.colorspace = _BT709
        context.color_range = ColorRange.MPEG
        self._stream = stream

    def add(self, picture: NDArray[np.uint8]) -> None:
        """Take the next picture, shape (height, width, 3), or 4 with opacity, its colours not multiplied by it."""
        frame = video_frame(picture, self._pixels)
        frame.pts = self._count
        frame.time_base = 1 / self._rate
        self._count += 1
        self._container.mux(self._stream.encode(frame))
        self._add_sound(round(SOUND_RATE * self._count / self._rate))

    def _add_sound(self, end: int) -> None:
        """Write the sound up to a sample, so that it lies beside its pictures in the file."""
        if self._sound is None:
            return
        part = self._sound[self._sounded : end]
        if not len(part):
            return
        form = self._speaker.codec_context.format.name
        if form.startswith("s16"):
            samples = np.clip(np.rint(part * 32767.0), -32768, 32767).astype(np.int16)
        else:
            samples = part.astype(np.float32)
        frame = av.AudioFrame.from_ndarray(samples[None], format=form, layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = SOUND_RATE, self._sounded, Fraction(1, SOUND_RATE)
        self._sounded += len(part)
        self._container.mux(self._speaker.encode(frame))

    def finish(self) -> None:
        """Write what the encoders still hold, and the index."""
        self._container.mux(self._stream.encode(None))
        if self._sound is not None:
            self._container.mux(self._speaker.encode(None))
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._open:
            self._open = False
            self._container.close()
