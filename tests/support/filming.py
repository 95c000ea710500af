"""Moving pictures of what the work area shows, for the manual."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app.export.gif import GifEncoder
from app.window.editor import settle
from app.window.main_window import MainWindow


def pictures_of(application: QApplication, window: MainWindow, frames: Iterable[int], width: int) -> list[np.ndarray]:
    """Return what the work area shows of frames, each of shape (height, width, 3), uint8.

    Args:
        application: The application.
        window: The window.
        frames: Which.
        width: Of the pictures, [px].
    """
    found = []
    for frame in frames:
        window.document.set_frame(frame)
        settle(application, 0.05)
        image = window.area.work_view.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
        image = image.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
        found.append(rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy())
    return found


def write_gif(path: Path, pictures: Sequence[np.ndarray], rate: float) -> None:
    """Write pictures as a GIF that shows so many of them a second."""
    height, width = pictures[0].shape[:2]
    gif = GifEncoder(path, rate, (width, height), list(pictures[:: max(len(pictures) // 12, 1)]))
    for picture in pictures:
        gif.add(picture)
    gif.finish()
