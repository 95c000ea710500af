"""Small pictures of poses, drawn one at a time while the window has nothing better to do."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from app.look.theme import current_theme

if TYPE_CHECKING:
    from app.document.document import Document
    from core.skeleton import Skeleton

KEPT = 1500
PAUSE_MS = 12
FIRST_MS = 250
"""Before the first one, which a renderer is made for: the views come first."""

Draw = Callable[["Skeleton", NDArray[np.float64], int, int, str], NDArray[np.uint8] | None]
Key = tuple["Skeleton", bytes, int, int, str]


def draw_thumbnail(
    skeleton: Skeleton, q: NDArray[np.float64], width: int, height: int, theme: str
) -> NDArray[np.uint8] | None:
    """Draw one pose on a transparent ground, shape (height, width, 4) premultiplied RGBA; None without graphics."""
    from app.render.context import GraphicsError
    from app.render.thumbnail import thumbnail

    try:
        return thumbnail(skeleton, q, (width, height), theme)
    except GraphicsError:
        return None


class Thumbnails(QObject):
    """Keeps the pictures of key poses.

    Args:
        document: Whose active figure is drawn; nothing is while it plays, a drag goes on or the skeleton is edited.
        draw: How one is drawn.
        parent: Qt parent.

    Signals:
        ready(): A picture that was asked for is there now.
    """

    ready = Signal()

    def __init__(self, document: Document, draw: Draw = draw_thumbnail, parent: QObject | None = None):
        super().__init__(parent)
        self._document = document
        self._draw = draw
        self._skeleton: Skeleton | None = None
        self._images: OrderedDict[Key, QImage] = OrderedDict()
        self._wanted: OrderedDict[Key, tuple[NDArray[np.float64], float]] = OrderedDict()
        self._timer = QTimer(self)
        self._timer.setInterval(FIRST_MS)
        self._timer.timeout.connect(self._work)

    def image(self, q: NDArray[np.float64], width: int, height: int, ratio: float) -> QImage | None:
        """Return the picture of a pose of the active figure, or None while it is being drawn.

        Args:
            q: Pose, shape (nq,).
            width: Logical px.
            height: Logical px.
            ratio: Device pixels a logical one.
        """
        skeleton = self._document.skeleton
        if skeleton is None:
            return None
        if skeleton is not self._skeleton:
            self._forget_closed(skeleton)
        wide, high = round(width * ratio), round(height * ratio)
        key = (skeleton, q.tobytes(), wide, high, current_theme().name)
        found = self._images.get(key)
        if found is not None:
            self._images.move_to_end(key)
            return found
        if key not in self._wanted:
            self._wanted[key] = (np.array(q), ratio)
            if len(self._wanted) > KEPT:
                self._wanted.popitem(last=False)
            self._timer.start()
        return None

    def _forget_closed(self, skeleton: Skeleton) -> None:
        """Let go of pictures of figures that are no longer open; they would keep the figures in memory."""
        self._skeleton = skeleton
        kept = set(self._document.figures.all)
        self._images = OrderedDict((key, image) for key, image in self._images.items() if key[0] in kept)
        self._wanted = OrderedDict((key, what) for key, what in self._wanted.items() if key[0] in kept)

    @property
    def busy(self) -> bool:
        """Whether pictures are still to be drawn."""
        return bool(self._wanted) and self._document.session.mode != "skeleton"

    def _work(self) -> None:
        session = self._document.session
        if session.playback.playing or session.drag.chain is not None or session.mode == "skeleton":
            return
        if self._document.physics.running:
            return
        skeleton = self._document.skeleton
        while self._wanted:
            key, (q, ratio) = self._wanted.popitem(last=False)
            if skeleton is not None and key[0] is skeleton and key[4] == current_theme().name:
                break
        else:
            self._timer.stop()
            return
        self._timer.setInterval(PAUSE_MS)
        pixels = self._draw(skeleton, q, key[2], key[3], key[4])
        if pixels is None:
            self._wanted.clear()
            self._timer.stop()
            return
        data = np.ascontiguousarray(pixels)
        image = QImage(data.data, key[2], key[3], 4 * key[2], QImage.Format.Format_RGBA8888_Premultiplied).copy()
        image.setDevicePixelRatio(ratio)
        self._images[key] = image
        while len(self._images) > KEPT:
            self._images.popitem(last=False)
        self.ready.emit()
