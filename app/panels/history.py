"""The history panel: every step since the document was opened; a click goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app import fonts, icons, style
from app.panels.history_model import DONE, FRAMES, ICON, LIVE, NOW, ROLE, SAVED, STATE, UNDONE, HistoryModel
from app.widgets.base import draw_focus_ring
from app.widgets.dock import Panel

if TYPE_CHECKING:
    from app.document.document import Document

ROW = 26
LEFT, GAP, RIGHT = 10, 8, 12
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}
_INK = {DONE: ("text2", "text"), NOW: ("accent", "accent"), LIVE: ("accent", "accent"), UNDONE: ("text3", "text3")}
FADED = 0.62
"""How clearly what is undone is seen."""


class StepPainter(QStyledItemDelegate):
    """Paints one step: icon, what was done, whether it is what is saved, at which frame."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(120, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        painter.save()
        box, state = QRectF(option.rect), index.data(STATE)  # type: ignore[attr-defined]
        view = option.widget  # type: ignore[attr-defined]
        over = bool(option.state & QStyle.StateFlag.State_MouseOver)  # type: ignore[attr-defined]
        if state in (NOW, LIVE):
            painter.fillRect(box, style.color("acc_bg"))
            painter.fillRect(QRectF(box.left(), box.top(), 2, box.height()), style.color("accent"))
        elif over:
            painter.fillRect(box, style.color("hover"))
        icon_ink, ink = _INK[state]
        painter.setOpacity(FADED if state == UNDONE else 1.0)
        middle = box.center().y()
        icons.paint(
            painter, index.data(ICON) or "dot", style.color(icon_ink), QRectF(box.left() + LEFT, middle - 8, 16, 16)
        )
        right = box.right() - RIGHT
        frames = index.data(FRAMES)
        font = fonts.font(fonts.SECONDARY, tabular=True)
        if frames:
            wide = QFontMetricsF(font).horizontalAdvance(frames)
            self._text(painter, QRectF(right - wide, box.top(), wide + 1, box.height()), frames, font, "text3", True)
            right -= wide + GAP
        if index.data(SAVED):
            word, small = "saved", fonts.font(fonts.SECONDARY, fonts.MEDIUM)
            wide = QFontMetricsF(small).horizontalAdvance(word)
            self._text(painter, QRectF(right - wide, box.top(), wide + 1, box.height()), word, small, "ok", True)
            right -= wide + GAP
        left = box.left() + LEFT + 16 + GAP
        body = fonts.font(fonts.BODY, fonts.MEDIUM if state in (NOW, LIVE) else fonts.REGULAR)
        said = index.data(ROLE.DisplayRole) + ("…" if state == LIVE else "")
        room = QRectF(left, box.top(), max(right - left, 0.0), box.height())
        said = QFontMetricsF(body).elidedText(said, Qt.TextElideMode.ElideRight, room.width())
        self._text(painter, room, said, body, ink)
        if isinstance(view, StepList) and view.keyboard and view.currentIndex() == index:
            painter.setOpacity(1.0)
            draw_focus_ring(painter, box.adjusted(1, 0, -1, 0))
        painter.restore()

    def _text(self, painter: QPainter, room: QRectF, text: str, font, token: str, right: bool = False) -> None:  # type: ignore[no-untyped-def]
        painter.setFont(font)
        painter.setPen(QColor(style.color(token)))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | side, text)


class StepList(QListView):
    """The list: arrow keys go from state to state, so does a click; what is shown follows the document."""

    def __init__(self, model: HistoryModel, parent: QWidget | None = None):
        super().__init__(parent)
        self._steps = model
        self.keyboard = False
        self.setModel(model)
        self.setItemDelegate(StepPainter(self))
        self.setUniformItemSizes(True)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setAccessibleName("History")
        self.verticalScrollBar().setSingleStep(ROW)

    def follow(self) -> None:
        """Bring the state that the document is in into sight."""
        row = self._steps.at + bool(self._steps.live)
        index = self._steps.index(row)
        self.setCurrentIndex(index)
        self.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)

    def _go(self, row: int) -> None:
        number = self._steps.step_number(min(max(row, 0), self._steps.rowCount() - 1))
        if number >= 0:
            self._steps.document.go_to_step(number)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.keyboard = False
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            self._go(index.row())
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.accept()

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

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if Qt.Key(event.key()) in (*_STEPS, Qt.Key.Key_Home, Qt.Key.Key_End) and not event.modifiers():
                event.accept()
                return True
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            reason = event.reason() if hasattr(event, "reason") else Qt.FocusReason.OtherFocusReason
            self.keyboard = event.type() == QEvent.Type.FocusIn and reason != Qt.FocusReason.MouseFocusReason
            self.viewport().update()
        return super().event(event)


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
        super().__init__(parent)
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

    def showEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().showEvent(event)
        self.list.follow()
