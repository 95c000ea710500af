"""The rows of all locks under each other, those that do not hold at this frame below and dimmed."""

from __future__ import annotations

from collections.abc import Sequence

import shiboken6
from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.look import fonts, style
from app.panels.locks.lock_line import LockLine
from app.panels.locks.row import RIGHT, TEXT, WEIGHT_RIGHT, LockRow
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.frames.scroll import OverlayScrollArea
from app.widgets.rows.group_header import GroupHeader

ELSEWHERE = "Off at this frame"


class ColumnHeads(Painted):
    """What the columns of the list are."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
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

    Args:
        parent: Parent widget.

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

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.rows: dict[str, LockRow] = {}
        self._order: tuple[str, ...] = ()
        self._under: dict[str, list[QWidget]] = {}
        self._selected = ""
        self.setAccessibleName("Locks")
        self.column = QWidget()
        self._layout = QVBoxLayout(self.column)
        self._layout.setContentsMargins(0, 2, 0, 4)
        self._layout.setSpacing(0)
        self.elsewhere = GroupHeader(ELSEWHERE)
        self.elsewhere.toggled.connect(self._toggle_elsewhere)
        self.elsewhere.hide()
        self._lay_out = False
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
