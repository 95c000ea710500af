"""One line that says what is going on in the background and how far it has come, with Cancel."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round
from app.widgets.frames.tool_button import ToolButton

HEIGHT = 28
LATE_MS = 250  # what is done sooner needs no line
BAR = QSize(120, 4)


class BusyLine(Painted):
    """Shown while work is under way.

    Signals:
        cancelled(): The person wants it to stop.
        shown(): It has just come up.
        hidden(): It has just gone.
    """

    cancelled = Signal()
    shown = Signal()
    hidden = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.text, self.part = "", 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 2, 4, 2)
        layout.addStretch(1)
        self.cancel_button = ToolButton("", "Cancel", "Stop this", "raised", parent=self)
        self.cancel_button._size = (self.cancel_button.sizeHint().width(), 22)
        self.cancel_button.clicked.connect(self.cancelled)
        layout.addWidget(self.cancel_button)
        self._late = QTimer(self, singleShot=True, interval=LATE_MS)
        self._late.timeout.connect(self._come)
        self.hide()

    def begin(self, text: str) -> None:
        """Show what has begun, unless it ends within a moment."""
        self.text, self.part = text, 0.0
        self.setAccessibleName(text)
        self._late.start()

    def set_text(self, text: str) -> None:
        """Show what there is so far."""
        self.text = text
        self.setAccessibleName(text)
        self.update()

    def set_part(self, part: float) -> None:
        """Show how much is done, 0 to 1."""
        self.part = min(max(part, 0.0), 1.0)
        self.setAccessibleDescription(f"{self.part:.0%}")
        self.update()

    def end(self) -> None:
        """Take the line away."""
        self._late.stop()
        self.hide()
        self.hidden.emit()

    def _come(self) -> None:
        self.show()
        self.shown.emit()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(320, HEIGHT)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill_round(painter, QRectF(self.rect()), style.color("head"), style.color("line2"))
        painter.setFont(fonts.font())
        painter.setPen(style.color("text"))
        right = self.cancel_button.x() - 12
        percent = f"{self.part:.0%}"
        painter.drawText(QRectF(right - 44, 0, 44, self.height()), _RIGHT, percent)
        bar = QRectF(right - 52 - BAR.width(), (self.height() - BAR.height()) / 2, BAR.width(), BAR.height())
        fill_round(painter, bar, style.color("line2"), radius=2)
        fill_round(
            painter,
            QRectF(bar.topLeft(), bar.size()).adjusted(0, 0, -bar.width() * (1 - self.part), 0),
            style.color("accent"),
            radius=2,
        )
        room = QRectF(12, 0, bar.left() - 24, self.height())
        painter.setPen(style.color("text"))  # the bar was filled without one
        text = painter.fontMetrics().elidedText(self.text, Qt.TextElideMode.ElideMiddle, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()


_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
