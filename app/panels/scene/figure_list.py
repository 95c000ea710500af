"""The rows of the scene panel: a figure or prop each, with what says whether it is seen and whether it is picked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import ThemedMixin, draw_focus_ring
from app.widgets.behaviour.own_keys import OwnKeysMixin, is_plain
from app.widgets.fields.name_field import NameField
from core.skeleton.joined import is_prop

if TYPE_CHECKING:
    from app.document.document import Document

ROW = 28
LEFT, GAP, SWITCH = 10, 8, 26  # px
NAME, FIXED, SEEN = "name", "fixed", "seen"
"""Parts of a row: the figure itself, whether clicks pass it by, whether it is drawn."""
_FAINT = 0.3  # opacity of a switch that is as usual, until the pointer comes
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_Home: -(10**6), Qt.Key.Key_End: 10**6}
_REMOVING = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)


class FigureLine(NamedTuple):
    """What a row shows.

    Attributes:
        name: What the figure is called.
        icon: Name of its icon.
        note: What is said at the right of the name.
        active: Whether it is the one that is edited.
        hidden: Whether it is left out of the views while it is not active.
        fixed: Whether clicks pass it by.
    """

    name: str
    icon: str
    note: str
    active: bool
    hidden: bool
    fixed: bool

    @property
    def spoken(self) -> str:
        """The row in words."""
        words = (("edited", self.active), ("hidden", self.hidden), ("not picked", self.fixed))
        return ", ".join([self.name, self.note, *(word for word, on in words if on)])


class RowNameField(NameField):
    """The name of a row while it is being typed.

    Signals:
        done(): Enter or Esc, or the keyboard has gone elsewhere.
    """

    done = Signal()

    def __init__(self, parent: QWidget):
        super().__init__("Name of the figure", parent=parent)
        self.editingFinished.connect(self.done)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        super().keyPressEvent(event)
        if self.takes(event):
            self.done.emit()


class FigureList(OwnKeysMixin, ThemedMixin, QAbstractScrollArea):
    """All figures of the document, one a row.

    A click makes a figure the one that is edited, a double click renames it; its two switches at the right hide it and
    let clicks in the views pass it by.

    Args:
        document: The document.
        parent: Parent widget.

    Signals:
        menu_wanted(int, QPoint): The menu of a figure is wanted, at a global position.
    """

    menu_wanted = Signal(int, object)

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(parent)
        self.document = document
        self.lines: list[FigureLine] = []
        self._over: tuple[int, str] = (-1, "")
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Figures and props")
        self.verticalScrollBar().setSingleStep(ROW)
        self.field = RowNameField(self.viewport())
        self.field.hide()
        self.field.committed.connect(self._rename)
        self.field.done.connect(self._close_field)
        self._renamed = -1
        self.show_document()

    # -- what there is -------------------------------------------------------------------------------------------

    def show_document(self) -> None:
        """Show the figures there are now."""
        model, figures = self.document.model, self.document.figures
        lines = []
        for k, figure in enumerate(model.figures):
            skeleton = figure.skeleton
            keys = len(model.sequences[model.active.sequences[k]].keys)
            lines.append(
                FigureLine(
                    skeleton.name, "cube" if is_prop(skeleton) else "pose",
                    f"{keys} key{'s' * (keys != 1)}" if keys else "no keys", k == model.active.figure,
                    figures.is_hidden(k), figures.is_fixed(k),
                )
            )  # fmt: skip
        if lines == self.lines:
            return
        if [line.name for line in lines] != [line.name for line in self.lines]:
            self._close_field()
        self.lines = lines
        self.setAccessibleDescription("; ".join(line.spoken for line in lines if line.active))
        self._refit()

    def row_rect(self, row: int) -> QRectF:
        """Return where a row stands in the viewport, [px]."""
        return QRectF(0, row * ROW - self.verticalScrollBar().value(), self.viewport().width(), ROW)

    def part_rect(self, row: int, part: str) -> QRectF:
        """Return where a part of a row stands: ``NAME``, ``FIXED`` or ``SEEN``, [px]."""
        box = self.row_rect(row)
        places = {SEEN: box.right() - SWITCH - 4, FIXED: box.right() - 2 * SWITCH - 4}
        if part == NAME:
            return QRectF(box.left(), box.top(), places[FIXED], ROW)
        return QRectF(places[part], box.top(), SWITCH, ROW)

    def at(self, x: float, y: float) -> tuple[int, str]:
        """Return row and part at a place in the viewport, (-1, "") if there is none."""
        row = int((y + self.verticalScrollBar().value()) // ROW)
        if not 0 <= row < len(self.lines):
            return -1, ""
        return row, next((part for part in (SEEN, FIXED) if self.part_rect(row, part).contains(x, y)), NAME)

    def _refit(self) -> None:
        bar, high = self.verticalScrollBar(), self.viewport().height()
        bar.setPageStep(high)
        bar.setRange(0, max(len(self.lines) * ROW - high, 0))
        self.viewport().update()

    @property
    def current(self) -> int:
        """The row of the figure that is edited, -1 if there is none."""
        return self.document.model.active.figure

    # -- what can be done ----------------------------------------------------------------------------------------

    def toggle(self, row: int, part: str) -> None:
        """Turn a switch of a row: ``FIXED`` or ``SEEN``."""
        view, name = self.document.session.view, self.lines[row].name
        if part == SEEN:
            view.hidden_figures ^= {name}
            if self.lines[row].active and name in view.hidden_figures:
                self.document.say("info", f"{name} is edited now; it is hidden once another figure is")
        else:
            view.fixed_figures ^= {name}

    def rename(self, row: int) -> None:
        """Let the person type another name of a figure."""
        if not 0 <= row < len(self.lines):
            return
        self._renamed = row
        self.field.show_text(self.lines[row].name)
        self._place_field()
        self.field.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.selectAll()

    def _place_field(self) -> None:
        box = self.part_rect(self._renamed, NAME)
        self.field.setGeometry(QRect(LEFT + 20, round(box.top()) + 2, round(box.width()) - LEFT - 24, ROW - 4))

    def _rename(self, name: str) -> None:
        row, self._renamed = self._renamed, -1
        if row >= 0:
            self.document.figures.rename(row, name)

    def _close_field(self) -> None:
        if self.field.isVisible():
            had = self.field.hasFocus()
            self.field.hide()
            if had:
                self.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- painting ------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), style.color("panel"))
        for row, line in enumerate(self.lines):
            self._paint_row(painter, row, line)
        painter.end()

    def _paint_row(self, painter: QPainter, row: int, line: FigureLine) -> None:
        box, over = self.row_rect(row), self._over[0] == row
        hovered = self.document.session.view.hovered_figure == row
        if line.active:
            painter.fillRect(box, style.color("acc_bg"))
            painter.fillRect(QRectF(box.left(), box.top(), 2, box.height()), style.color("accent"))
        elif over or hovered:
            painter.fillRect(box, style.color("hover"))
        dim = line.hidden and not line.active
        painter.setOpacity(0.55 if dim else 1.0)
        place = QRectF(box.left() + LEFT, box.center().y() - 8, 16, 16)
        icons.paint(painter, line.icon, style.color("accent" if line.active else "text2"), place)
        small, body = fonts.font(fonts.SECONDARY, tabular=True), fonts.font(fonts.BODY, fonts.MEDIUM)
        left, right = place.right() + GAP, self.part_rect(row, FIXED).left() - 2
        wide = QFontMetricsF(small).horizontalAdvance(line.note)
        named = QFontMetricsF(body).horizontalAdvance(line.name)
        room = right - left
        if named + GAP + wide <= room:
            painter.setFont(small)
            painter.setPen(style.color("text3"))
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(QRectF(left, box.top(), room, ROW), flags, line.note)
        painter.setFont(body)
        painter.setPen(style.color("text" if line.active else "text2"))
        text = QFontMetricsF(body).elidedText(line.name, Qt.TextElideMode.ElideRight, max(room, 0.0))
        painter.drawText(QRectF(left, box.top(), max(room, 0.0), ROW), Qt.AlignmentFlag.AlignVCenter, text)
        for part, icon, on in ((FIXED, "lock", line.fixed), (SEEN, "eye-off" if line.hidden else "eye", line.hidden)):
            lit = self._over == (row, part)
            usual = 0.7 if part == SEEN or over else _FAINT
            painter.setOpacity(1.0 if on or lit else usual)
            switch = self.part_rect(row, part)
            square = QRectF(switch.center().x() - 8, switch.center().y() - 8, 16, 16)
            icons.paint(painter, icon, style.color("text" if on or lit else "text3"), square)
        painter.setOpacity(1.0)
        if self.focus_ring and line.active:
            draw_focus_ring(painter, box.adjusted(1, 0, -1, 0))

    # -- mouse and keys ------------------------------------------------------------------------------------------

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        row, part = self.at(event.position().x(), event.position().y())
        if event.button() != Qt.MouseButton.LeftButton or row < 0:
            return
        if part == NAME:
            self.document.figures.show(row)
        else:
            self.toggle(row, part)

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row, part = self.at(event.position().x(), event.position().y())
        if part == NAME:
            self.rename(row)
        elif row >= 0:
            self.toggle(row, part)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.at(event.position().x(), event.position().y()))

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._hover((-1, ""))
        super().leaveEvent(event)

    def _hover(self, over: tuple[int, str]) -> None:
        if over != self._over:
            self._over = over
            row = over[0]
            view = self.document.session.view
            view.hovered_figure = row if row >= 0 and not self.lines[row].active else None
            self.viewport().update()

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        row, _ = self.at(event.pos().x(), event.pos().y())
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            row = self.current
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard and row >= 0:
            place = self.viewport().mapToGlobal(QPoint(LEFT, round(self.row_rect(row).bottom())))
        self.menu_wanted.emit(row, place)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refit()
        if self.field.isVisible():
            self._place_field()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _STEPS and self.lines:
            self.document.figures.show(min(max(self.current + _STEPS[key], 0), len(self.lines) - 1))
        elif key in _REMOVING and self.current >= 0:
            self.document.figures.remove(self.current)
        elif key in (Qt.Key.Key_F2, Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current >= 0:
            self.rename(self.current)
        else:
            event.ignore()

    def takes(self, event: QKeyEvent) -> bool:
        own = (*_STEPS, *_REMOVING, Qt.Key.Key_F2, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        return is_plain(event) and event.key() in own

    @guarded
    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            row, part = self.at(event.pos().x(), event.pos().y())
            QToolTip.showText(event.globalPos(), self._tip(row, part) if row >= 0 else "", self)
            return True
        return bool(super().viewportEvent(event))

    def _tip(self, row: int, part: str) -> str:
        line = self.lines[row]
        if part == SEEN:
            return "Show it in the views" if line.hidden else "Hide it in the views while another figure is edited"
        if part == FIXED:
            return "Let clicks in the views take it" if line.fixed else "Let clicks in the views pass it by"
        return f"{line.name}: {'edited now' if line.active else 'click to edit it'}; double-click to rename it"
