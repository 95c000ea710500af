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
    """Return the path of one picture of a series: ``walk.png`` gives ``walk_0001.png`` and so on."""
    return path.with_name(f"{path.stem}_{number:0{max(4, len(str(count)))}d}{path.suffix}")


def write_pictures(
    pictures: Iterable[NDArray[np.uint8]], path: Path, count: int, progress: Progress | None = None
) -> list[Path]:
    """Write a numbered series of PNG pictures, from 1 on.

    Args:
        pictures: As for :func:`write_picture`.
        path: Name that the numbers are put into.
        count: How many there are; gives the number of digits, four at least.
        progress: Told the share that is done, 0 to 1, after each; may raise ``Cancelled``.

    Returns:
        The files, in order. If anything stops the series, those that were written are removed again.

    Raises:
        ExportError: If one cannot be written.
    """
    written: list[Path] = []
    kept: Path | None = None
    try:
        for number, picture in enumerate(pictures, start=1):
            target = numbered(path, number, count)
            kept = target if target.exists() else None  # until it is replaced, it is not ours to remove
            written.append(target)
            write_picture(picture, target)
            kept = None
            if progress is not None:
                progress(min(number / count, 1.0))
    except BaseException:
        for target in written:
            if target != kept:
                target.unlink(missing_ok=True)
        raise
    return written
