"""The rows of all locks under each other, those that do not hold at this frame below and dimmed."""

from __future__ import annotations

from collections.abc import Sequence

import shiboken6
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.look import fonts, lock_glyphs, style
from app.look.theme import current_theme
from app.panels.locks.row_texts import LockLine
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, ThemedMixin, draw_focus_ring, fill_round
from app.widgets.behaviour.own_keys import OwnKeysMixin, is_plain, means
from app.widgets.frames.scroll import OverlayScrollArea
from app.widgets.layouts import column_layout
from app.widgets.rows.group_header import GroupHeader
from app.words.lock_words import TOKENS

HEIGHT = 35
LEAST_ROWS = 3  # that can be seen at once, if there are as many
GLYPH, TEXT, WEIGHT_RIGHT, RIGHT = 20, 36, 98, 12  # middle, left edge, and ways from the right edge, [px]
BAR_WIDE, BAR_HIGH = 32, 4
_GAP = 8
_HELP = " help"  # left out first where there is little room
_OFF = 0.5  # opacity of what does not hold at this frame
_KEYS = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Home: -(10**6),
    Qt.Key.Key_End: 10**6,
}


class LockRow(OwnKeysMixin, ThemedMixin, QAbstractButton):
    """Shows one lock; a list puts it in its place.

    Signals:
        chosen(str): It was clicked.
        opened(str): Its editor is wanted: Enter or a double click.
        removed(str): It should go: Del.
        stepped(int): The arrow keys want so many rows further down.
        hovered(str, bool): The pointer came or went.
        menu_wanted(str, QPoint): Its menu is wanted at a global position.
    """

    chosen = Signal(str)
    opened = Signal(str)
    removed = Signal(str)
    stepped = Signal(int)
    hovered = Signal(str, bool)
    menu_wanted = Signal(str, object)

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.line: LockLine | None = None
        self.lit = False
        self.is_open = False
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    @property
    def key(self) -> str:
        """Which lock it shows."""
        return self.line.key if self.line is not None else ""

    def show_line(self, line: LockLine) -> None:
        """Show a lock; costs nothing if nothing of it changed."""
        before = self.line
        if line == before:
            return
        self.line = line
        if before is None or line.spoken != before.spoken:
            self.setAccessibleName(line.spoken)
            if before is not None and before.word != line.word and QAccessible.isActive():
                QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.NameChanged))
        if before is None or line.tip != before.tip:
            self.setToolTip(line.tip)
        self.update()

    def set_lit(self, lit: bool) -> None:
        """Show that the pointer is over the lock, here or in a view."""
        if lit != self.lit:
            self.lit = lit
            self.update()

    def set_open(self, is_open: bool) -> None:
        """Show that the row's editor is open."""
        self.is_open = is_open
        self.update()

    @guarded
    def nextCheckState(self) -> None:
        """Stay as it is: the session says which row is the selected one."""

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(240, HEIGHT)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(160, HEIGHT)

    # -- painting ------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        line = self.line
        if line is None:
            return
        painter = QPainter(self)
        box = QRectF(self.rect()).adjusted(4, 0, -4, 0)
        if self.isChecked():
            fill_round(painter, box, style.color("acc_bg"))
            painter.fillRect(QRectF(box.left(), box.top() + 4, 2, box.height() - 8), style.color("accent"))
        elif self.lit or self.underMouse():
            fill_round(painter, box, style.mix("panel", "hover", 0.6))
        off = line.word == "off"
        state = "conflict" if line.word == "conflict" else ""
        lock_glyphs.draw(
            painter,
            current_theme(),
            line.kind,
            QPointF(GLYPH, 0.5 * HEIGHT),
            lock_glyphs.LIST,
            state=state,
            halo=False,
            alpha=_OFF if off else 1.0,
        )
        left = self._paint_weight(painter, line, off)
        right = self._paint_residual(painter, line, off)
        self._paint_names(painter, line, off, left, right)
        if self.focus_ring:
            draw_focus_ring(painter, box)
        painter.end()

    def _paint_residual(self, painter: QPainter, line: LockLine, off: bool) -> float:
        """Paint what stands on the right; return how wide its lower line is."""
        edge = self.width() - RIGHT
        room = edge - (self.width() - WEIGHT_RIGHT) - _GAP
        painter.setFont(fonts.font(fonts.BODY, tabular=True))
        painter.setPen(style.color(TOKENS.get(line.word, "text2")))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        upper = QRectF(edge - room, 2, room, 17)
        painter.drawText(upper, flags | Qt.TextFlag.TextDontClip, line.residual)
        painter.setFont(fonts.font(fonts.SECONDARY))
        painter.setPen(style.color(TOKENS["conflict"] if line.word == "conflict" else "text3" if off else "text2"))
        painter.drawText(QRectF(edge - 110, 17, 110, 15), flags, line.below)
        return painter.fontMetrics().horizontalAdvance(line.below)

    def _paint_weight(self, painter: QPainter, line: LockLine, off: bool) -> float:
        """Paint the weight and its bar; return where its text begins."""
        edge = self.width() - WEIGHT_RIGHT
        painter.setFont(fonts.font(fonts.BODY, tabular=True))
        painter.setPen(style.color("text3" if off else "text"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        wide = painter.fontMetrics().horizontalAdvance(line.weight_text)
        painter.drawText(QRectF(edge - wide - 2, 2, wide + 2, 17), right, line.weight_text)
        even = len(set(line.weights)) == 1
        for number, weight in enumerate(line.weights[:1] if even else line.weights):
            y = 22.0 if even else 21.0 + 5.0 * number
            high = BAR_HIGH if even else BAR_HIGH - 1
            bar = QRectF(edge - BAR_WIDE, y, BAR_WIDE, high)
            fill_round(painter, bar, style.color("line2"), radius=0.5 * high)
            fill = QRectF(bar.left(), y, BAR_WIDE * min(max(weight, 0.0), 1.0), high)
            if fill.width() > 0.5:
                fill_round(painter, fill, style.color("text3" if off else "text2"), radius=0.5 * high)
        return edge - max(wide, BAR_WIDE)

    def _paint_names(self, painter: QPainter, line: LockLine, off: bool, left: float, below: float) -> None:
        upper = QRectF(TEXT, 2, left - _GAP - TEXT, 17)
        lower_right = min(self.width() - WEIGHT_RIGHT - BAR_WIDE, self.width() - RIGHT - below) - _GAP
        lower = QRectF(TEXT, 17, lower_right - TEXT, 15)
        small = fonts.font(fonts.SECONDARY)
        detail = fitted(line, QFontMetricsF(small), lower.width())
        for box, font, text, ink in (
            (upper, fonts.font(fonts.BODY, fonts.MEDIUM), line.part, "text3" if off else "text"),
            (lower, small, detail, "text3" if off else "text2"),
        ):
            painter.setFont(font)
            painter.setPen(style.color(ink))
            text = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, box.width() + 1.0)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    # -- input ---------------------------------------------------------------------------------------------------

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self.chosen.emit(self.key)
        elif event.button() != Qt.MouseButton.RightButton:
            event.ignore()

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.opened.emit(self.key)

    def takes(self, event: QKeyEvent) -> bool:
        return (is_plain(event) and event.key() in _KEYS) or means(event, "edit_lock", "remove_strip")

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if not self.takes(event):
            event.ignore()
        elif is_plain(event) and key in _KEYS:
            self.stepped.emit(_KEYS[key])
        elif means(event, "edit_lock"):
            self.opened.emit(self.key)
        else:
            self.removed.emit(self.key)

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.focus_ring:  # by the keyboard: what has the focus is the selected one
            self.chosen.emit(self.key)

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.chosen.emit(self.key)
        at = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            at = self.mapToGlobal(self.rect().center())
        self.menu_wanted.emit(self.key, at)

    @guarded
    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.hovered.emit(self.key, True)

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit(self.key, False)


def fitted(line: LockLine, metrics: QFontMetricsF, width: float) -> str:
    """Return what a row says of a lock in so many pixels; of what is too long the number of helpers stays."""
    brief = line.brief.removesuffix(_HELP)
    for text in (line.detail, line.detail.removesuffix(_HELP), line.brief, brief):
        if metrics.horizontalAdvance(text) <= width:
            return text
    kind, dot, count = brief.rpartition(" · ")
    room = width - metrics.horizontalAdvance(dot + count)
    return metrics.elidedText(kind, Qt.TextElideMode.ElideRight, room) + dot + count


ELSEWHERE = "Off at this frame"


class ColumnHeads(Painted):
    """What the columns of the list are."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(200, 22)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(fonts.font(fonts.SECONDARY))
        painter.setPen(style.color("text3"))
        high, wide = self.height(), self.width()
        middle, right = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(TEXT, 1, wide, high), middle, "Part and kind")
        painter.drawText(QRectF(0, 1, wide - WEIGHT_RIGHT, high), right, "Weight")
        painter.drawText(QRectF(0, 1, wide - RIGHT, high), right, "Residual")
        painter.fillRect(QRectF(TEXT, high - 1, wide - TEXT - RIGHT, 1), style.color("line"))
        painter.end()


class LockList(OverlayScrollArea):
    """Shows locks as rows, with the editor and what conflicts say among them.

    Signals:
        chosen(str), opened(str), removed(str), hovered(str, bool), menu_wanted(str, QPoint): As of ``LockRow``.
        empty_menu_wanted(QPoint): The menu of the list itself, at a global position.
        elsewhere_toggled(bool): The locks of other frames were shown or hidden by hand.
    """

    chosen = Signal(str)
    opened = Signal(str)
    removed = Signal(str)
    hovered = Signal(str, bool)
    menu_wanted = Signal(str, object)
    elsewhere_toggled = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, LockRow] = {}
        self._order: tuple[str, ...] = ()
        self._under: dict[str, list[QWidget]] = {}
        self._selected = ""
        self.setAccessibleName("Locks")
        self.column = QWidget()
        self._layout = column_layout(self.column, (0, 2, 0, 4))
        self.elsewhere = GroupHeader(ELSEWHERE)
        self.elsewhere.toggled.connect(self._toggle_elsewhere)
        self.elsewhere.hide()
        self.setWidget(self.column)
        self.setWidgetResizable(True)

    # -- showing -------------------------------------------------------------------------------------------------

    def show_lines(self, lines: Sequence[LockLine]) -> None:
        """Show locks, in this order; those that are off come last, under a heading of their own."""
        here = [line for line in lines if line.word != "off"]
        away = [line for line in lines if line.word == "off"]
        order = (*(line.key for line in here), "", *(line.key for line in away))
        changed = order != self._order
        if changed:
            focused = next((key for key, row in self.rows.items() if row.hasFocus()), None)
            for key in [key for key in self.rows if key not in order]:
                row = self.rows.pop(key)
                row.hide()
                row.setParent(None)
                row.deleteLater()
            for key in order:
                if key and key not in self.rows:
                    self.rows[key] = self._made()
        for line in lines:
            self.rows[line.key].show_line(line)
        self.elsewhere.set_summary(str(len(away)))
        if changed:
            before, self._order = self._order, order
            self._arrange()
            if focused is not None and focused not in order:
                self._focus_near(before.index(focused))

    def _made(self) -> LockRow:
        row = LockRow(self.column)
        row.chosen.connect(self.chosen)
        row.opened.connect(self.opened)
        row.removed.connect(self.removed)
        row.hovered.connect(self.hovered)
        row.menu_wanted.connect(self.menu_wanted)
        row.stepped.connect(self.step)
        return row

    def _arrange(self) -> None:
        while self._layout.count():
            self._layout.takeAt(0)
        at = self._order.index("") if "" in self._order else len(self._order)
        before: QWidget | None = None
        for number, key in enumerate(self._order):
            if not key:
                self.elsewhere.setParent(self.column)
                self._layout.addSpacing(4 if at else 0)
                self._layout.addWidget(self.elsewhere)
                self.elsewhere.setVisible(len(self._order) > at + 1)
                continue
            row, below = self.rows[key], self._under.get(key, [])
            shown = number < at or self.elsewhere.isChecked()
            for widget in (row, *below):
                self._layout.addWidget(widget)
                widget.setVisible(shown)
                if before is not None:
                    QWidget.setTabOrder(before, widget)
                before = widget
        self._layout.addStretch(1)
        self._show_selected()
        self._layout.activate()  # at once: what is opened next is brought into sight

    def place_under(self, under: dict[str, list[QWidget]]) -> None:
        """Put widgets under rows, in place of those that were there; widgets that are left out are hidden."""
        if under == self._under:
            return
        for widgets in self._under.values():
            for widget in widgets:
                if not any(widget in others for others in under.values()):
                    widget.hide()
        self._under = {key: list(widgets) for key, widgets in under.items()}
        for widgets in self._under.values():
            for widget in widgets:
                widget.setParent(self.column)
        self._arrange()

    def reveal(self, *widgets: QWidget) -> None:
        """Bring widgets into sight as far as there is room, the last one for certain, once they have their sizes."""

        def show() -> None:
            for widget in widgets:
                if shiboken6.isValid(widget) and self.column.isAncestorOf(widget) and widget.isVisible():
                    self.ensureWidgetVisible(widget, 0, 4)

        QTimer.singleShot(0, self, show)  # what has just been shown or has grown is laid out by then

    def show_selected(self, key: str) -> None:
        """Show which lock is selected, and bring it into sight if it is another one."""
        if key == self._selected:
            return
        self._selected = key
        self._show_selected()
        row = self.rows.get(key)
        if row is not None and row.isVisible():
            self.ensureWidgetVisible(row, 0, 2)

    def _show_selected(self) -> None:
        selected = self._selected if self._selected in self.rows else ""
        first = selected or next((key for key in self._order if key), "")
        for key, row in self.rows.items():
            row.setChecked(key == selected)
            focus = Qt.FocusPolicy.StrongFocus if key == first else Qt.FocusPolicy.ClickFocus
            row.setFocusPolicy(focus)  # one stop for Tab, the arrow keys go on from there

    def show_lit(self, key: str) -> None:
        """Tint the row of the lock that is hovered, here or in a view."""
        for each, row in self.rows.items():
            row.set_lit(each == key)

    def _toggle_elsewhere(self, on: bool) -> None:
        self._arrange()
        self.elsewhere_toggled.emit(on)

    # -- keyboard ------------------------------------------------------------------------------------------------

    def step(self, direction: int) -> None:
        """Go some rows further down, or up."""
        keys = [key for key in self._order if key and self.rows[key].isVisibleTo(self.column)]
        if not keys:
            return
        at = keys.index(self._selected) if self._selected in keys else 0
        self._focus(keys[min(max(at + direction, 0), len(keys) - 1)])

    def _focus(self, key: str) -> None:
        self.rows[key].setFocus(Qt.FocusReason.OtherFocusReason)
        self.chosen.emit(key)

    def _focus_near(self, number: int) -> None:
        keys = [key for key in self._order if key and self.rows[key].isVisibleTo(self.column)]
        if keys:
            self._focus(keys[min(number, len(keys) - 1)])

    def first_focus(self) -> QWidget | None:
        """Return the row that takes the keyboard."""
        return next((row for row in self.rows.values() if row.focusPolicy() == Qt.FocusPolicy.StrongFocus), None)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(240, min(self.column.sizeHint().height(), 320))

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(160, min(len(self.rows), LEAST_ROWS) * HEIGHT)
