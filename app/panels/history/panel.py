"""The history panel: every step since the document was opened; a click goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QVBoxLayout, QWidget

from app.look import fonts, icons, style
from app.panels.history.steps import DONE, FRAMES, ICON, LIVE, NOW, ROLE, SAVED, STATE, UNDONE, HistoryModel
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import ThemedMixin, draw_focus_ring
from app.widgets.behaviour.own_keys import OwnKeysMixin
from app.widgets.frames.dock import Panel

if TYPE_CHECKING:
    from app.document.document import Document

ROW = 26
LEFT, GAP, RIGHT = 10, 8, 12
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}
_INK = {DONE: ("text2", "text"), NOW: ("accent", "accent"), LIVE: ("accent", "accent"), UNDONE: ("text3", "text3")}
FADED = 0.62
"""How clearly what is undone is seen."""


class StepList(OwnKeysMixin, ThemedMixin, QAbstractScrollArea):
    """The steps, one a row; only those in sight are looked at, so that ten thousand are as quick as ten.

    A click goes to a state, the arrow keys go from one to the next; what is shown follows the document.

    Args:
        model: The steps.
        parent: Parent widget.
    """

    def __init__(self, model: HistoryModel, parent: QWidget | None = None):
        super().__init__(parent)
        self._steps = model
        self._over = -1
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("History")
        self.verticalScrollBar().setSingleStep(ROW)
        for signal in (model.dataChanged, model.rowsInserted, model.rowsRemoved):
            signal.connect(self.refit)
        self.refit()

    # -- places ------------------------------------------------------------------------------------------------------

    def row_rect(self, row: int) -> QRectF:
        """Return where a row stands in the viewport, [px]."""
        return QRectF(0, row * ROW - self.verticalScrollBar().value(), self.viewport().width(), ROW)

    def row_at(self, y: float) -> int:
        """Return the row at a height in the viewport, -1 if there is none."""
        row = int((y + self.verticalScrollBar().value()) // ROW)
        return row if 0 <= row < self._steps.rowCount() else -1

    def refit(self, *_: object) -> None:
        """Take over how many rows there are."""
        bar, high = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(high)
        bar.setRange(0, max(self._steps.rowCount() * ROW - high, 0))
        self.viewport().update()

    def follow(self) -> None:
        """Bring the state that the document is in into sight."""
        self.refit()
        row, bar, high = self._steps.at + bool(self._steps.live), self.verticalScrollBar(), self.viewport().height()
        bar.setValue(min(max(bar.value(), (row + 1) * ROW - high), row * ROW))
        self.setAccessibleDescription(self._said(row, int(ROLE.AccessibleTextRole)))

    def _said(self, row: int, role: int) -> str:
        return str(self._steps.index(row).data(role) or "")

    # -- painting ----------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), style.color("panel"))
        first = max(self.row_at(event.rect().top()), 0)
        for row in range(first, self._steps.rowCount()):
            box = self.row_rect(row)
            if box.top() > event.rect().bottom():
                break
            self._paint_row(painter, row, box)
        painter.end()

    def _paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        """Paint one step: icon, what was done, whether it is what is saved, at which frame."""
        index = self._steps.index(row)
        state = index.data(STATE)
        if state in (NOW, LIVE):
            painter.fillRect(box, style.color("acc_bg"))
            painter.fillRect(QRectF(box.left(), box.top(), 2, box.height()), style.color("accent"))
        elif row == self._over:
            painter.fillRect(box, style.color("hover"))
        icon_ink, ink = _INK[state]
        painter.setOpacity(FADED if state == UNDONE else 1.0)
        place = QRectF(box.left() + LEFT, box.center().y() - 8, 16, 16)
        icons.paint(painter, index.data(ICON) or "dot", style.color(icon_ink), place)
        right = box.right() - RIGHT
        small = fonts.font(fonts.SECONDARY, tabular=True)
        for text, token in ((index.data(FRAMES), "text3"), ("saved" if index.data(SAVED) else "", "ok")):
            if text:
                wide = QFontMetricsF(small).horizontalAdvance(text)
                self._text(painter, QRectF(right - wide, box.top(), wide + 1, ROW), text, small, token)
                right -= wide + GAP
        left = place.right() + GAP
        body = fonts.font(fonts.BODY, fonts.MEDIUM if state in (NOW, LIVE) else fonts.REGULAR)
        said = self._said(row, int(ROLE.DisplayRole)) + ("…" if state == LIVE else "")
        said = QFontMetricsF(body).elidedText(said, Qt.TextElideMode.ElideRight, max(right - left, 0.0))
        self._text(painter, QRectF(left, box.top(), max(right - left, 0.0), ROW), said, body, ink)
        painter.setOpacity(1.0)
        if self.focus_ring and state in (NOW, LIVE):
            draw_focus_ring(painter, box.adjusted(1, 0, -1, 0))

    def _text(self, painter: QPainter, room: QRectF, text: str, font: QFont, token: str) -> None:
        painter.setFont(font)
        painter.setPen(style.color(token))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)

    # -- mouse and keys ----------------------------------------------------------------------------------------------

    def _go(self, row: int) -> None:
        number = self._steps.step_number(min(max(row, 0), self._steps.rowCount() - 1))
        if number >= 0:
            self._steps.document.history.go_to(number)

    def _hover(self, row: int) -> None:
        if row != self._over:
            self._over = row
            self.viewport().update()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and row >= 0:
            self._go(row)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.row_at(event.position().y()))

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refit()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _STEPS:
            self._go(self._steps.at + _STEPS[key])
        elif key == Qt.Key.Key_Home:
            self._go(0)
        elif key == Qt.Key.Key_End:
            self._go(self._steps.rowCount() - 1)
        else:
            event.ignore()

    def takes(self, event: QKeyEvent) -> bool:
        return not event.modifiers() and event.key() in (*_STEPS, Qt.Key.Key_Home, Qt.Key.Key_End)

    @guarded
    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row = self.row_at(event.pos().y())
            QToolTip.showText(event.globalPos(), self._said(row, int(ROLE.ToolTipRole)) if row >= 0 else "", self)
            return True
        return bool(super().viewportEvent(event))


class HistoryPanel(Panel):
    """Every step since the document was opened, the last one done lit, those undone dimmed.

    Args:
        document: The document.
        parent: Parent widget.
    """

    title = "History"
    icon = "undo"
    area = "left"
    stretch = 3
    beside = "Joints"

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(document, parent)
        self.document = document
        self.model = HistoryModel(document, self)
        self.list = StepList(self.model, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 0)
        column.addWidget(self.list)
        for signal in (self.model.dataChanged, self.model.rowsInserted, self.model.rowsRemoved):
            signal.connect(self._follow)
        self.list.follow()

    def first_focus(self) -> QWidget | None:
        return self.list

    def _follow(self, *_: object) -> None:
        if self.isVisible():
            self.list.follow()

    @guarded
    def showEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().showEvent(event)
        self.list.follow()
