"""PNG pictures, one or a numbered series."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from app.export.errors import ExportError
from app.export.movie import Progress
from app.export.whole_file import whole_file
from core.arrays import Array


def write_picture(picture: NDArray[np.uint8], path: Path) -> None:
    """Write a picture as PNG.

    Args:
        picture: Shape (height, width, 4), uint8, RGBA, premultiplied where it is transparent, top row first.
        path: Where to.

    Raises:
        ExportError: If it cannot be written.
    """
    height, width = picture.shape[:2]
    opaque = bool((picture[:, :, 3] == 255).all())
    form = QImage.Format.Format_RGBX8888 if opaque else QImage.Format.Format_RGBA8888_Premultiplied
    image = QImage(np.ascontiguousarray(picture).data, width, height, 4 * width, form)
    with whole_file(path) as part:
        if not image.save(str(part), "PNG"):  # type: ignore[call-overload]  # the stubs ask for bytes, Qt takes none
            raise ExportError(f"{path}: cannot be written")


def numbered(path: Path, number: int, count: int) -> Path:
    """Return the path of one picture of a series: ``walk.png`` gives ``walk_0001.png`` and so on.

    Args:
        path: Name that the number is put into.
        number: Number of the picture.
        count: The greatest number; gives the digits, four at least.
    """
    return path.with_name(f"{path.stem}_{number:0{max(4, len(str(count)))}d}{path.suffix}")


def first_number(frames: Array) -> int:
    """Return the number of the first picture of a series.

    That of its frame where each picture shows one whole frame after the other, so that files are found by frame; else
    1, for between frames there are no numbers.

    Args:
        frames: Frame numbers of the pictures, shape (m,).
    """
    first = int(frames[0]) if len(frames) else 1
    return first if np.array_equal(frames, first + np.arange(len(frames))) else 1


def write_pictures(
    pictures: Iterable[NDArray[np.uint8]], path: Path, count: int, progress: Progress | None = None, first: int = 1
) -> list[Path]:
    """Write a numbered series of PNG pictures.

    Args:
        pictures: As for :func:`write_picture`.
        path: Name that the numbers are put into.
        count: How many there are; the last number gives the number of digits, four at least.
        progress: Told the share that is done, 0 to 1, after each; may raise ``Cancelled``.
        first: Number of the first one.

    Returns:
        The files, in order. If anything stops the series, those that were written are removed again.

    Raises:
        ExportError: If one cannot be written.
    """
    written: list[Path] = []
    kept: Path | None = None
    try:
        for number, picture in enumerate(pictures):
            target = numbered(path, first + number, first + count - 1)
            kept = target if target.exists() else None  # until it is replaced, it is not ours to remove
            written.append(target)
            write_picture(picture, target)
            kept = None
            if progress is not None:
                progress(min((number + 1) / count, 1.0))
    except BaseException:
        for target in written:
            if target != kept:
                target.unlink(missing_ok=True)
        raise
    return written
