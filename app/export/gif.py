"""Animated GIF: one palette for all pictures, a dither that stands still, and only what changes is written.

Pillow finds the palette and packs the pixels; its own writer for animations keeps all pictures in memory, so the blocks
of the file are put together here.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import GifImagePlugin, Image

from app.export.material import Material


def ordered_dither(width: int, height: int) -> NDArray[np.float32]:
    """Return Bayer's 8 x 8 pattern over a picture: steps of 1/64 from -0.5 to 0.5, mean 0, shape (height, width).

    Source: Bayer, An optimum method for two-level rendition of continuous-tone pictures (1973).
    """
    grid = np.zeros((1, 1))
    for _ in range(3):
        grid = np.block([[4 * grid, 4 * grid + 2], [4 * grid + 3, 4 * grid + 1]])
    pattern = ((grid + 0.5) / 64.0 - 0.5).astype(np.float32)
    return np.tile(pattern, (-(-height // 8), -(-width // 8)))[:height, :width]


Pixels = NDArray[np.uint8]

COLORS = 255  # and one that means "as before"
_UNCHANGED = 255
_LOOKED_AT = 12  # pictures that the palette is made from
_SAMPLE = 25_000  # pixels of each of them
_SPREAD = 3.5  # of the dither, in steps of 1/255: about as far as neighbouring colours of a gradient lie apart


def encoder(path: Path, fps: float, size: tuple[int, int], material: Material) -> GifEncoder:
    """Return what writes a ``.gif`` file; it has no sound."""
    return GifEncoder(path, fps, size, material.samples)


class GifEncoder:
    """Writes a GIF that plays round and round.

    Without samples the first pictures are held back until there are enough to make a palette from.

    Args:
        path: Where to.
        fps: Pictures a second. A picture lasts whole hundredths of a second; they are dealt out so that the sum is
            never off by more than half of one.
        size: Width and height, [px].
        samples: Pictures to make the palette from, shape (height, width, 3 or more).
    """

    def __init__(self, path: Path, fps: float, size: tuple[int, int], samples: Iterable[Pixels] = ()):
        self._file = path.open("wb")
        self._fps, self._size = fps, size
        self._held: list[Pixels] = []
        self._palette: Image.Image | None = None
        self._shown: Pixels | None = None
        self._count = 0
        self._dither = _SPREAD * ordered_dither(*size)[:, :, None]
        chosen = [np.ascontiguousarray(picture[:, :, :3]) for picture in samples]
        if chosen:
            self._begin(chosen)

    def add(self, picture: Pixels) -> None:
        """Take the next picture, shape (height, width, 3)."""
        if self._palette is None:
            self._held.append(picture.copy())
            if len(self._held) < _LOOKED_AT:
                return
            self._write_held()
        else:
            self._write(picture)

    def _begin(self, pictures: Sequence[Pixels]) -> None:
        """Make the palette, and write the header."""
        step = max(1, self._size[0] * self._size[1] // _SAMPLE) | 1  # odd, so that not all come from a few columns
        pixels = np.concatenate([picture.reshape(-1, 3)[::step] for picture in pictures])
        self._palette = Image.fromarray(pixels[None]).quantize(COLORS, method=Image.Quantize.MEDIANCUT, kmeans=2)
        colors = bytes(self._palette.getpalette("RGB") or b"")[: 3 * COLORS].ljust(3 * 256, b"\0")
        self._file.write(b"GIF89a" + struct.pack("<HHBBB", *self._size, 0xF7, 0, 0) + colors)
        self._file.write(b"!\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<HB", 0, 0))  # play for ever

    def _write_held(self) -> None:
        """Begin with the pictures that were held back."""
        held, self._held = self._held, []
        self._begin(held)
        for picture in held:
            self._write(picture)

    def _delay(self) -> int:
        """Return how long the next picture lasts, [1/100 s]."""
        k = self._count
        return max(2, round(100.0 * (k + 1) / self._fps) - round(100.0 * k / self._fps))

    def _write(self, picture: Pixels) -> None:
        assert self._palette is not None
        dithered = np.clip(picture + self._dither, 0.0, 255.0).round().astype(np.uint8)
        indices = np.asarray(Image.fromarray(dithered).quantize(palette=self._palette, dither=Image.Dither.NONE))
        left = top = 0
        part, transparency = indices, {}
        if self._shown is not None:
            changed = indices != self._shown
            rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
            if not len(rows):
                rows = columns = np.zeros(1, dtype=np.int64)
            top, left = int(rows[0]), int(columns[0])
            box = slice(top, int(rows[-1]) + 1), slice(left, int(columns[-1]) + 1)
            part = np.where(changed[box], indices[box], _UNCHANGED).astype(np.uint8)
            transparency = {"transparency": _UNCHANGED}
        self._shown = indices
        image = Image.frombytes("P", (part.shape[1], part.shape[0]), part.tobytes())
        # Pillow's name for "leave the picture where it is" is disposal 1; its durations are in milliseconds.
        blocks = GifImagePlugin.getdata(image, (left, top), duration=10 * self._delay(), disposal=1, **transparency)
        self._file.writelines(blocks)
        self._count += 1

    def finish(self) -> None:
        """Write what is held back, and the end of the file."""
        if self._palette is None and self._held:
            self._write_held()
        self._file.write(b";")
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
