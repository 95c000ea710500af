"""The 2 px bar at the lower edge of the toolbar: how far the kernels are compiled, or a file is read."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted


class ProgressBar(Painted):
    """A thin bar that is there only while something is going on; it lies over what is there, so nothing jumps."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self._done, self._total = 0, 0
        self.setFixedHeight(2)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Progress")

    @property
    def share(self) -> float | None:
        """How much is done, 0 to 1; None when nothing is going on."""
        return None if self._total <= 0 or self._done >= self._total else self._done / self._total

    def set_progress(self, done: int, total: int, what: str = "") -> None:
        """Show ``done`` of ``total`` steps; the bar goes away when all are done, or ``total`` is 0."""
        self._done, self._total = done, total
        self.setToolTip(f"{what} ({done} of {total})" if what and self.share is not None else "")
        self.setAccessibleDescription(self.toolTip())
        self.update()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(100, 2)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), style.color("head"))
        if self.share is not None:
            painter.fillRect(QRectF(0, 0, self.width() * self.share, 2), style.color("accent"))
        painter.end()
