"""A board that stands over a view until it is closed, beside what goes on there."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.look import style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round


class Board(Painted):
    """Esc closes it.

    Args:
        area: What it stands over.
        parent: A parent of ``area``.
    """

    def __init__(self, area: QWidget, parent: QWidget):
        super().__init__(parent)
        self._area = area

    def leave(self) -> None:
        """Go away; the keyboard goes back to the view if it was here."""
        inside = self.isAncestorOf(self.window().focusWidget() or self._area)
        self.hide()
        if inside:
            self._area.setFocus(Qt.FocusReason.OtherFocusReason)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill_round(painter, QRectF(self.rect()), style.color("panel"), style.color("line2"))
        painter.end()
