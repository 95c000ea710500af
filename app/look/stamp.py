"""Many copies of one small picture in a single call: key marks, dots of a trail."""

from __future__ import annotations

from typing import cast

import numpy as np
import shiboken6
from numpy.typing import NDArray
from PySide6.QtGui import QPainter, QPixmap


def stamp(painter: QPainter, picture: QPixmap, places: NDArray[np.float64]) -> None:
    """Draw a picture centred on each of many places.

    Args:
        painter: Where to draw.
        picture: What; its device pixel ratio counts.
        places: Logical px, shape (n, 2).
    """
    if not len(places):
        return
    scale = 1.0 / picture.devicePixelRatio()
    # a PixmapFragment is ten doubles: x, y, source box (4), scale (2), rotation, opacity; Qt takes an array of them
    fragments = np.empty((len(places), 10))
    fragments[:, :2] = places
    fragments[:, 2:] = (0.0, 0.0, picture.width(), picture.height(), scale, scale, 0.0, 1.0)
    first = cast(QPainter.PixmapFragment, shiboken6.wrapInstance(fragments.ctypes.data, QPainter.PixmapFragment))
    painter.drawPixmapFragments(first, len(places), picture)
