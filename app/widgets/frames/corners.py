"""Rounds the corners of a widget whose children fill it to the edge."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.look import style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted

ALL = ("top left", "top right", "bottom left", "bottom right")


class _Corner(Painted):
    def __init__(self, place: str, parent: QWidget):
        super().__init__(parent)
        self.place = place
        self.setFixedSize(style.RADIUS, style.RADIUS)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def put(self) -> None:
        parent = self.parentWidget()
        assert parent is not None
        self.move(
            parent.width() - style.RADIUS if "right" in self.place else 0,
            parent.height() - style.RADIUS if "bottom" in self.place else 0,
        )
        self.raise_()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        radius = float(style.RADIUS)
        circle = QPainterPath()
        left, top = (-radius if "right" in self.place else 0.0), (-radius if "bottom" in self.place else 0.0)
        circle.addEllipse(QRectF(left, top, 2 * radius, 2 * radius))
        outside = QPainterPath()
        outside.addRect(QRectF(self.rect()))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(outside.subtracted(circle), style.color("win"))
        painter.end()


class Corners(QObject):
    """Lays the colour of the gaps over the corners of a widget.

    Four small widgets instead of a mask: a mask has no smooth edge, and painting rounded grounds fails where children
    reach into the corners.

    Args:
        widget: What gets round corners; owns this object.
        places: Which corners, some of ``ALL``.
    """

    def __init__(self, widget: QWidget, places: tuple[str, ...] = ALL):
        super().__init__(widget)
        self._corners = [_Corner(place, widget) for place in places]
        widget.installEventFilter(self)
        self._put()

    def _put(self) -> None:
        for corner in self._corners:
            corner.put()

    def set_shown(self, shown: bool) -> None:
        """Show or hide them, for example while a dock floats."""
        for corner in self._corners:
            corner.setVisible(shown)

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show):
            self._put()
        elif event.type() == QEvent.Type.ChildPolished:  # a widget added later would cover them
            self._put()
        return False
