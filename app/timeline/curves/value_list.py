"""The list at the left of the curve editor: what there is to show, and what is shown."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolTip

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.timeline.curves.model import ROOT_SPEED, TIMING, CurvesModel
from app.timeline.curves.root_speed import travelling
from app.timeline.curves.rows import CurveRow
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.behaviour.base import Painted, draw_focus_ring
from app.widgets.frames.menu import add_action, pop_up

ROW_HEIGHT = 18
ICON = 12.0
EYE_LEFT, LOCK_LEFT = NAMES_WIDTH - 20.0, NAMES_WIDTH - 35.0
TITLE, ROW, CHOICE = "title", "row", "choice"
WHOLE = "*"


class Item(NamedTuple):
    """A line of the list.

    Attributes:
        kind: ``"title"`` of a group, ``"row"`` of a curve, or a ``"choice"`` of what is shown.
        text: What it says.
        key: Title of the group, or key of the choice.
        row: The curve, or None.
        marked: Whether a choice has a curve of its own.
    """

    kind: str
    text: str
    key: str = ""
    row: CurveRow | None = None
    marked: bool = False


class CurveList(Painted):
    """Curves by name; the eye shows and hides, the padlock keeps from being edited."""

    def __init__(self, model: CurvesModel):
        super().__init__()
        self.model = model
        self._hover = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumWidth(60)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("Curves that can be shown")
        model.rows_changed.connect(self.refresh)
        model.points_changed.connect(self.update)
        model.changed.connect(self.update)
        self.refresh()

    def refresh(self) -> None:
        """Show other rows."""
        self.items = self._items()
        self.setMinimumHeight(len(self.items) * ROW_HEIGHT + 2)
        self._describe()
        self.update()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(NAMES_WIDTH, len(self.items) * ROW_HEIGHT + 2)

    def _items(self) -> list[Item]:
        model, sequence = self.model, self.model.document.sequence
        if sequence is None:
            return []
        if model.view == TIMING:
            found = [Item(CHOICE, "Whole figure", WHOLE, marked=WHOLE in sequence.timing.curves)]
            names = dict.fromkeys(row.channel for row in model.rows if not row.target)
            names.update(dict.fromkeys(name for name in sequence.timing.curves if name != WHOLE))
            for name in names:
                title = name[:1].upper() + name[1:] or "Position of the root"
                found.append(Item(CHOICE, title, name, marked=name in sequence.timing.curves))
            return found
        if model.view == ROOT_SPEED:
            found = [Item(CHOICE, "Root", "", marked=sequence.timing.root_speed is not None)]
            for strip in travelling(model.document.locks.strips):
                found.append(Item(CHOICE, strip.name or strip.title, strip.id, marked=strip.speed is not None))
            return found
        items = []
        for group in model.groups:
            items.append(Item(TITLE, group.title, group.title))
            if not (model.folding and group.title in model.closed):
                items += [Item(ROW, row.name, row=row) for row in group.rows]
        return items

    # -- painting ----------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), style.color("panel"))
        for i, item in enumerate(self.items):
            y = i * ROW_HEIGHT
            if not event.rect().intersects(QRectF(0, y, self.width(), ROW_HEIGHT).toRect()):
                continue
            if item.kind == ROW and item.row is not None:
                self._paint_row(painter, item.row, y, i == self._hover)
            elif item.kind == TITLE:
                self._paint_title(painter, item, y, i == self._hover)
            else:
                self._paint_choice(painter, item, y, i == self._hover)
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.visibleRegion().boundingRect()))
        painter.end()

    def _text(self, painter: QPainter, text: str, left: float, right: float, y: float) -> None:
        name = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, right - left)
        painter.drawText(QRectF(left, y, right - left, ROW_HEIGHT), Qt.AlignmentFlag.AlignVCenter, name)

    def _icon(self, painter: QPainter, name: str, left: float, y: float, token: str) -> None:
        icons.paint(painter, name, style.color(token), QRectF(left, y + (ROW_HEIGHT - ICON) / 2, ICON, ICON))

    def _paint_row(self, painter: QPainter, row: CurveRow, y: float, hover: bool) -> None:
        model = self.model
        hidden, locked = row.id in model.hidden, row.id in model.locked
        current = row.id == model.current
        if current:
            painter.fillRect(QRectF(0, y, self.width(), ROW_HEIGHT), style.mix("panel", "acc_bg", 0.7))
        elif hover:
            painter.fillRect(QRectF(0, y, self.width(), ROW_HEIGHT), style.color("hover"))
        painter.setOpacity(0.45 if hidden else 1.0)
        middle = round(y + ROW_HEIGHT / 2) + 0.5
        pen = QPen(style.color(row.token), 2.0)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if row.dash:
            pen.setDashPattern([part / 2.0 for part in row.dash])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(pen)
        painter.drawLine(QPointF(10, middle), QPointF(24, middle))
        painter.setFont(fonts.font(fonts.SMALL, fonts.SEMIBOLD))
        painter.setPen(style.color(row.token))
        painter.drawText(QRectF(27, y, 10, ROW_HEIGHT), Qt.AlignmentFlag.AlignCenter, row.letter)
        painter.setOpacity(1.0)
        chosen = len(model.points.get(row.id, ())) > 0
        painter.setFont(fonts.font(fonts.SECONDARY, fonts.MEDIUM if chosen else fonts.REGULAR))
        painter.setPen(style.color("text3" if hidden else "text" if chosen or current else "text2"))
        icons_from = LOCK_LEFT if hover or locked else EYE_LEFT if hidden else float(self.width())
        self._text(painter, row.name, 41, icons_from - 3, y)
        if hover or hidden:
            self._icon(painter, "eye-off" if hidden else "eye", EYE_LEFT, y, "text2")
        if (hover and not row.turned) or locked:
            self._icon(painter, "lock", LOCK_LEFT, y, "text" if locked else "text3")

    def _paint_title(self, painter: QPainter, item: Item, y: float, hover: bool) -> None:
        model = self.model
        painter.fillRect(QRectF(0, y, self.width(), ROW_HEIGHT), style.mix("panel", "head", 0.75))
        left = 8.0
        if model.folding:
            closed = item.key in model.closed
            self._icon(painter, "chevron-right" if closed else "chevron-down", 5, y, "text2")
            left = 20.0
        painter.setFont(fonts.font(fonts.SECONDARY, fonts.SEMIBOLD))
        painter.setPen(style.color("text"))
        self._text(painter, item.text, left, EYE_LEFT - 3 if hover else self.width() - 4, y)
        if hover:
            hidden = {row.id for row in self._rows_of(item.key)} <= model.hidden
            self._icon(painter, "eye-off" if hidden else "eye", EYE_LEFT, y, "text2")

    def _paint_choice(self, painter: QPainter, item: Item, y: float, hover: bool) -> None:
        on = item.key == self._choice
        if on or hover:
            ground = style.mix("panel", "acc_bg", 0.7) if on else style.color("hover")
            painter.fillRect(QRectF(0, y, self.width(), ROW_HEIGHT), ground)
        painter.setFont(fonts.font(fonts.SECONDARY, fonts.MEDIUM if on else fonts.REGULAR))
        painter.setPen(style.color("accent" if on else "text2"))
        self._text(painter, item.text, 10, self.width() - (22 if item.marked else 4), y)
        if item.marked:
            self._icon(painter, "check", EYE_LEFT, y, "accent" if on else "text2")

    # -- what a click does -------------------------------------------------------------------------------------------

    @property
    def _choice(self) -> str:
        """Key of the choice that is shown."""
        if self.model.view == TIMING:
            return self.model.timed
        selected = self.model.document.session.locks.selected
        return selected if selected in {strip.id for strip in travelling(self.model.document.locks.strips)} else ""

    def _choose(self, key: str) -> None:
        if self.model.view == TIMING:
            self.model.set_timed(key)
        else:
            self.model.document.session.locks.selected = key or None
        self.model.scale.stale = True
        self.update()

    def _rows_of(self, title: str) -> list[CurveRow]:
        return [row for group in self.model.groups if group.title == title for row in group.rows]

    def item_at(self, y: float) -> int:
        """Return the number of the line at a height, -1 for none."""
        i = int(y // ROW_HEIGHT)
        return i if 0 <= i < len(self.items) else -1

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        i = self.item_at(event.position().y())
        if i < 0 or event.button() != Qt.MouseButton.LeftButton:
            return
        item, x = self.items[i], event.position().x()
        if item.kind == CHOICE:
            self._choose(item.key)
        elif item.kind == TITLE:
            rows = self._rows_of(item.key)
            if x >= EYE_LEFT - 3:
                self.model.toggle_hidden(row.id for row in rows if not row.turned)
            elif self.model.folding:
                self.model.toggle_closed(item.key)
        elif item.row is not None:
            if x >= EYE_LEFT - 3:
                self.model.toggle_hidden([item.row.id])
            elif x >= LOCK_LEFT - 3 and not item.row.turned:
                self.model.toggle_locked([item.row.id])
            else:
                self._go_to(i)

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        i = self.item_at(event.position().y())
        row = self.items[i].row if i >= 0 else None
        if row is not None and event.position().x() < LOCK_LEFT - 3:
            self.model.show_only(row.id)
        else:
            self.mousePressEvent(event)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hover = self.item_at(event.position().y())
        if hover != self._hover:
            self._hover = hover
            self.update()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._hover = -1
        self.update()
        super().leaveEvent(event)

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        i = self.item_at(event.pos().y()) if event.reason() != QContextMenuEvent.Reason.Keyboard else self._current
        if i < 0 or self.items[i].kind == CHOICE:
            return
        item, menu, model = self.items[i], QMenu(self), self.model
        rows = [item.row] if item.row is not None else self._rows_of(item.key)
        ids = [row.id for row in rows if item.row is not None or not row.turned]
        add_action(menu, "Show" if set(ids) <= model.hidden else "Hide", lambda: model.toggle_hidden(ids), True, "eye")
        if item.row is not None:
            add_action(menu, "Show only this", lambda: model.show_only(ids[0]))
        can = any(not row.turned for row in rows)
        text = "Unlock" if set(ids) <= model.locked else "Lock against edits"
        add_action(menu, text, lambda: model.toggle_locked(ids), can, "lock")
        menu.addSeparator()
        frames = {row.id: model.key_frames(row) for row in rows if not row.turned and row.id not in model.locked}
        add_action(
            menu, "Select its keys" if item.row else "Select their keys", lambda: model.select(frames), bool(frames)
        )
        pop_up(menu, event.globalPos())

    @guarded
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            i = self.item_at(event.pos().y())
            QToolTip.showText(event.globalPos(), self.tip(i, event.pos().x()) if i >= 0 else "", self)
            return True
        return super().event(event)

    def tip(self, i: int, x: float) -> str:
        """Return what is said about a place of a line."""
        item = self.items[i]
        if item.row is None:
            return item.text
        if x >= EYE_LEFT - 3:
            return "Show or hide this curve"
        if x >= LOCK_LEFT - 3 and not item.row.turned:
            return "Lock this curve against edits"
        if item.row.turned:
            return "How far the joint has turned since the key before, by the shortest rotation"
        return f"{item.row.name}, {item.row.letter_text}\nDouble-click shows it alone"

    # -- keyboard ----------------------------------------------------------------------------------------------------

    @property
    def _current(self) -> int:
        if self.items and self.items[0].kind == CHOICE:
            return next((i for i, item in enumerate(self.items) if item.key == self._choice), 0)
        ids = [item.row.id if item.row is not None else None for item in self.items]
        return ids.index(self.model.current) if self.model.current in ids and self.model.current is not None else -1

    def _go_to(self, i: int) -> None:
        item = self.items[i]
        if item.kind == CHOICE:
            self._choose(item.key)
        elif item.row is not None:
            self.model.current = item.row.id
            self.model.touch()
        self._describe()

    def _describe(self) -> None:
        i = self._current
        if not 0 <= i < len(self.items):
            self.setAccessibleDescription("")
            return
        item, words = self.items[i], [self.items[i].text]
        if item.row is not None:
            words.append(item.row.letter_text)
            words.append("hidden" if item.row.id in self.model.hidden else "shown")
            words += ["locked"] if item.row.id in self.model.locked else []
        self.setAccessibleDescription(", ".join(words))

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, i = event.key(), self._current
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.items:
            direction = 1 if key == Qt.Key.Key_Down else -1
            i += direction
            while 0 <= i < len(self.items) and self.items[i].kind == TITLE:
                i += direction
            if 0 <= i < len(self.items):
                self._go_to(i)
        elif key == Qt.Key.Key_Space and i >= 0 and (row := self.items[i].row) is not None:
            self.model.toggle_hidden([row.id])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and i >= 0 and (row := self.items[i].row) is not None:
            self.model.show_only(row.id)
        else:
            super().keyPressEvent(event)
