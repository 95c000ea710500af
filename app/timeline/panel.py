"""The timeline under the work area: transport, key strip, ruler, dope sheet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app import style
from app.timeline.dope_sheet import ROW_HEIGHT, DopeSheet
from app.timeline.key_strip import HEIGHT as FULL_HEIGHT
from app.timeline.key_strip import LOW_HEIGHT, KeyStrip, Thumbnails
from app.timeline.model import TimelineModel
from app.timeline.ruler import Ruler
from app.timeline.transport import Transport
from app.widgets.base import Painted
from app.widgets.veil import Veil

if TYPE_CHECKING:
    from app.document.document import Document

NARROW = 720
LOW_BELOW = 260  # in panels lower than this the key strip takes less height


class _Rule(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), style.color("line"))
        painter.end()


class TimelinePanel(Painted):
    """Keys along the frames.

    Args:
        document: The open document.
        actions: The window's actions by name, for the transport's buttons.
        thumbnails: Draws key poses.
    """

    def __init__(self, document: Document, actions: Mapping[str, QAction], thumbnails: Thumbnails):
        super().__init__()
        self.model = TimelineModel(document, self)
        self.transport = Transport(document, actions)
        self.strip = KeyStrip(self.model, thumbnails)
        self.ruler = Ruler(self.model)
        self.sheet = DopeSheet(self.model)
        self.scroll = QScrollArea()
        self.scroll.setWidget(self.sheet)
        self.scroll.setWidgetResizable(True)
        self.scroll.setFrameShape(QFrame.Shape.NoFrame)
        self.scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.scroll.setMinimumHeight(40)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.transport, _Rule(), self.strip, _Rule(), self.ruler, _Rule()):
            column.addWidget(part)
        column.addWidget(self.scroll, 1)
        self._veil = Veil(self)
        self.setAccessibleName("Timeline")

    def sizeHint(self) -> QSize:
        return QSize(1028, 300)

    def rest(self, why: str) -> None:
        """Take no input and say why; "" works again."""
        self._veil.cover(why)

    @property
    def _fixed_height(self) -> int:
        return self.transport.height() + self.ruler.height() + 3  # the thin lines

    @property
    def whole_height(self) -> int:
        """Height at which every row can be seen."""
        return self._fixed_height + FULL_HEIGHT + self.sheet.sizeHint().height()

    def height_within(self, room: int) -> int:
        """Return the height that suits best: every row if ``room`` holds them, else as many whole ones as fit."""
        if self.whole_height <= room:
            return self.whole_height
        strip = LOW_HEIGHT if room < LOW_BELOW else FULL_HEIGHT
        least = self._fixed_height + strip
        rows = min((room - least - 1) // ROW_HEIGHT, len(self.model.rows))
        return max(least + max(rows, 3) * ROW_HEIGHT + 1, self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(480, 160)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.transport.set_narrow(self.width() < NARROW)
        self.strip.set_low(self.height() < min(LOW_BELOW, self.whole_height))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), style.color("panel"))
        painter.end()
