"""The picture in the import dialog: the figure as it would stand, on the floor and beside the height of a person."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import fonts, style
from app.look.theme import current_theme
from app.process.handler_guard import guarded
from app.render.camera import Camera
from app.render.context import GraphicsError
from app.render.picture import Picture
from app.render.thumbnail import thumbnail_renderer
from app.widgets.behaviour.base import Painted
from app.words.lengths import size_text
from core.skeleton import Skeleton

PERSON = 1.7  # [m]
_FAR = 12.0  # how much larger or smaller a figure may be for the person's height to be in the picture
_YAW, _PITCH, _FOV = np.radians(-32.0), np.radians(9.0), np.radians(24.0)
_MARGIN = 1.16

Array = NDArray[np.float64]


class ImportPicture(Painted):
    """Draws one pose, soon after it was changed.

    Attributes:
        image: What is shown; None until it is drawn, or where there is no graphics.
    """

    def __init__(self, skeleton: Skeleton, parent: QWidget | None = None):
        super().__init__(parent)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._draw)
        self._skeleton = skeleton
        self._poses: Array | None = None
        self._height = 0.0
        self._lines: list[tuple[QPointF, QPointF]] = []
        self.image: QImage | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(300, 300)
        self.setAccessibleName("How the figure stands")

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(330, 380)

    def show_pose(self, skeleton: Skeleton, poses: Array, height: float) -> None:
        """Show another pose or size.

        Args:
            skeleton: The figure.
            poses: Frames of its joints in the world, shape (n, 4, 4).
            height: How tall it is, [m].
        """
        self._skeleton, self._poses, self._height = skeleton, poses, height
        self._soon.start()

    def theme_changed(self) -> None:
        self._soon.start()

    @guarded
    def resizeEvent(self, event: object) -> None:
        self._soon.start()

    def _draw(self) -> None:
        if self._poses is None or self.width() < 16 or self.height() < 16:
            return
        ratio = self.devicePixelRatioF()
        width, height = round(self.width() * ratio), round(self.height() * ratio)
        try:
            with thumbnail_renderer(self._skeleton) as drawer:
                if any(joint.has_body for joint in self._skeleton.joints):
                    drawer.set_figure(self._skeleton)  # without the rods of joints that have no body, as in a face
                low, high = drawer.bounds(self._poses)
                low[1], high[1] = min(low[1], 0.0), max(high[1], 0.0)  # the floor is always seen
                beside = 1.0 / _FAR < self._height / PERSON < _FAR
                foot = np.array([low[0] - 0.12 * max(self._height, PERSON), 0.0, 0.5 * (low[2] + high[2])])
                head = foot + np.array([0.0, PERSON, 0.0])
                if beside:
                    low = np.minimum(low, foot)
                    high = np.maximum(high, head)
                camera = Camera(yaw=float(_YAW), pitch=float(_PITCH), fov=float(_FOV))
                camera.frame(low, high, width / height, _MARGIN)
                picture = Picture(poses=self._poses, scale=ratio)
                pixels = drawer.render(camera, picture, width, height, current_theme().name, 4)
        except GraphicsError:
            return
        image = QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888_Premultiplied)
        image.setDevicePixelRatio(ratio)
        self.image = image.copy()
        self._lines = []
        if beside:
            ends = camera.project(np.array([foot, head]), self.width(), self.height())
            self._lines = [(QPointF(*ends[0][:2]), QPointF(*ends[1][:2]))]
        self.update()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        if self.image is None:
            painter.fillRect(box, style.color("input"))
        else:
            painter.drawImage(box, self.image)
        painter.setFont(fonts.font(fonts.SECONDARY, tabular=True))
        for start, end in self._lines:
            self._post(painter, start, end)
        self._tag(painter, QPointF(box.center().x(), box.bottom() - 16), f"{size_text(self._height)} tall")
        painter.end()

    def _post(self, painter: QPainter, foot: QPointF, top: QPointF) -> None:
        """Draw the height of a person as a line with its ends."""
        for token, width in (("halo", 4.4), ("accent", 1.6)):
            pen = QPen(style.color(token), width)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawLine(foot, top)
            for end in (foot, top):
                painter.drawLine(end + QPointF(-5, 0), end + QPointF(5, 0))
        self._tag(painter, top + QPointF(0, -14), f"{PERSON:g} m")

    @staticmethod
    def _tag(painter: QPainter, middle: QPointF, text: str) -> None:
        metrics = painter.fontMetrics()
        wide = metrics.horizontalAdvance(text) + 12
        box = QRectF(middle.x() - 0.5 * wide, middle.y() - 9, wide, 18)
        ground = QColor(style.color("panel"))
        ground.setAlphaF(0.86)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(style.color("text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


__all__ = ["PERSON", "ImportPicture"]
