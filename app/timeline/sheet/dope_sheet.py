"""The dope sheet: rows of keys for the whole figure, its groups and their joints, and a cursor for the keyboard."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QMoveEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy

from app.look import fonts, icons, style
from app.look.theme import current_theme
from app.process.handler_guard import guarded
from app.timeline.canvas import TimelineCanvas, diamond
from app.timeline.model import TimelineModel
from app.timeline.sheet.picture import CURRENT, KEY_SIZE, ROW_HEIGHT, SUMMARY_SIZE, MarkStamps, SheetPicture
from app.timeline.sheet.rows import Row
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.behaviour.base import draw_focus_ring
from app.widgets.frames.scroll import scroll_area_of


class RowCursor:
    """Which row the keyboard is on.

    It goes from row to row, opens and closes them, and goes to the key before and after in its row and selects it, or
    all from where the selection began.

    Attributes:
        shown: Whether it is to be seen.
    """

    def __init__(self, sheet: DopeSheet):
        self._sheet, self._model = sheet, sheet.model
        self.shown = False
        self._row = ""  # its id: rows come and go
        self._anchor: int | None = None  # frame from which Shift selects

    @property
    def row(self) -> Row | None:
        """The row it is on; None if that is not on the screen."""
        return next((row for row in self._model.rows if row.id == self._row), None)

    def put(self, row: Row | None) -> None:
        """Go on from a row that was clicked; until then nothing is to be seen."""
        self._row, self._anchor = "" if row is None else row.id, None
        self.hide()

    def hide(self) -> bool:
        """Take it away; return whether it was there."""
        was, self.shown = self.shown, False
        if was:
            self._sheet.setAccessibleDescription("")
            self._sheet.update()
        return was

    # -- steps ----------------------------------------------------------------------------------------------------

    @property
    def _rests(self) -> bool:
        return self._model.document.skeleton is None or self._sheet.mouse.busy

    def step(self, direction: int) -> None:
        """Go to the next row, the one that was clicked first."""
        rows = self._model.rows
        if self._rests or not rows:
            return
        at = next((i for i, row in enumerate(rows) if row.id == self._row), None)
        if at is not None and (self.shown or self._model.selected):
            at = min(max(at + direction, 0), len(rows) - 1)
        self._show(rows[at if at is not None else 0])
        self._anchor = None

    def open(self, wanted: bool) -> None:
        """Open the row, or close it; a joint's group closes, and has the cursor then."""
        if self._rests or not self._model.rows:
            return
        row = self.row or self._model.rows[0]
        self._show(row)
        if row.opens and row.is_open != wanted:
            self._model.toggle_row(row)
        elif not wanted and row.depth == 2:
            rows = self._model.rows
            group = next(each for each in reversed(rows[: rows.index(row)]) if each.depth == 1)
            self._show(group)
            self._model.toggle_row(group)

    def go(self, direction: int, extend: bool = False) -> bool:
        """Go to the next key of the row, and select it or all up to it; return whether there is one."""
        row, model = self.row, self._model
        if row is None or self._rests:
            return False
        frames, now = model.view.track(row).frames, model.document.frame
        if direction > 0:
            beyond = frames[np.searchsorted(frames, now, side="right") :][:1]
        else:
            beyond = frames[: np.searchsorted(frames, now)][-1:]
        if not len(beyond):
            return False
        frame = int(beyond[0])
        if extend:
            self._anchor = now if self._anchor is None else self._anchor
            model.select_range(self._anchor, frame, row, add=False)
        else:
            self._anchor = None
            model.select([frame], row=row)
        model.document.set_frame(frame)
        model.reveal(frame)
        self._show(row)
        return True

    def _show(self, row: Row) -> None:
        self._row, self.shown = row.id, True
        sheet = self._sheet
        area = scroll_area_of(sheet)
        if area is not None:
            top = self._model.rows.index(row) * ROW_HEIGHT + sheet.y()
            bar, height = area.verticalScrollBar(), area.viewport().height()
            bar.setValue(min(max(bar.value(), top + ROW_HEIGHT - height), top))
        frame = self._model.document.frame
        keyed = bool(np.isin(frame, self._model.view.track(row).frames))
        sheet.setAccessibleDescription(f"{row.name}, {'key' if keyed else 'no key'} at frame {frame}")
        sheet.update()

    # -- painting -------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        """Draw it round its row, while the sheet has the keyboard."""
        row = self.row
        if not self.shown or row is None or not self._sheet.hasFocus():
            return
        top = self._model.rows.index(row) * ROW_HEIGHT
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(QRectF(0, top, 3, ROW_HEIGHT), style.color("accent"))
        painter.setPen(QPen(style.color("acc_line"), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(0.5, top + 0.5, self._sheet.width() - 1.0, ROW_HEIGHT - 1.0))
        painter.fillRect(QRectF(NAMES_WIDTH - 1, top + 1, 1, ROW_HEIGHT - 1), style.color("line2"))


HANDLE_WIDTH, HANDLE_HEIGHT = 6.0, 24.0
FRAME_GAP = 9.0  # between the selected keys and the box round them
INDENT = 12
CHEVRON = 12
NEAR_PLAYHEAD = 10  # what is drawn again at each side when the playhead moves, px
MOST_HEIGHT = 3000  # of the picture that is kept
_ADDS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier


class DopeSheet(TimelineCanvas):
    """Keys by row; open rows, drag keys, draw a box around them, press Del.

    All but the playhead and what belongs to the mouse is a picture that is drawn again only when it must be.
    """

    boxes = True

    def __init__(self, model: TimelineModel):
        self._layer: tuple[QPixmap, tuple[object, ...]] | None = None
        self._ground: tuple[QPixmap, tuple[object, ...]] | None = None
        self._stamps = MarkStamps()
        self._picture = SheetPicture(self._stamps)
        self._playhead_at = 0.0
        super().__init__(model)
        self.cursor_row = RowCursor(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("Dope sheet")
        self._fit_height()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, max(1, len(self.model.rows)) * ROW_HEIGHT + 2)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _fit_height(self) -> None:
        if self.minimumHeight() != self.sizeHint().height():
            self.setMinimumHeight(self.sizeHint().height())
            self.updateGeometry()

    def take_change(self) -> None:
        self._layer = None
        self._fit_height()
        self.update()

    def take_frame(self) -> None:
        """Draw only the place again that the playhead has left and the one where it is."""
        for x in (self._playhead_at, self.track_x(self.model.document.frame)):
            self.update(QRect(round(x) - NEAR_PLAYHEAD, 0, 2 * NEAR_PLAYHEAD + 1, self.height()))

    @guarded
    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self.update()  # the handles of a selection stay in the middle of what is seen of it

    def theme_changed(self) -> None:
        self._stamps.forget()
        self._layer = self._ground = None

    # -- rows -----------------------------------------------------------------------------------------------------

    def clicked_name(self, position: QPointF, modifiers: Qt.KeyboardModifier, twice: bool = False) -> None:
        """Open or close a row at its chevron, or by a double click; else select its parts."""
        row = self.row_under(position)
        if row is None or self.model.document.skeleton is None:
            return
        left = self._indent(row)
        if row.opens and (twice or left - CHEVRON - 4 <= position.x() < left + 2):
            self.model.toggle_row(row)
            return
        document, joints = self.model.document, set(row.joints)
        before = set(document.selection.joints) if modifiers & _ADDS else set()
        taken = joints <= before and not modifiers & Qt.KeyboardModifier.ShiftModifier
        document.selection.set(tuple(sorted(before - joints if taken else before | joints)))

    @staticmethod
    def _indent(row: Row) -> int:
        """Return where a row's name begins."""
        return CHEVRON + 12 + row.depth * INDENT if row.depth < 2 else CHEVRON + 8 + row.depth * INDENT

    def row_under(self, position: QPointF) -> Row | None:
        index = int(position.y() // ROW_HEIGHT)
        return self.model.rows[index] if 0 <= index < len(self.model.rows) else None

    def rows_in(self, box: QRectF) -> tuple[Row, ...]:
        middles = ((i + 0.5) * ROW_HEIGHT for i in range(len(self.model.rows)))
        found = tuple(row for row, y in zip(self.model.rows, middles, strict=True) if box.top() <= y <= box.bottom())
        within = self.row_under(box.center())  # a flat box, drawn along one row
        return found or (() if within is None else (within,))

    def key_under(self, position: QPointF) -> int | None:
        return None if self.row_under(position) is None else super().key_under(position)

    def tip(self, position: QPointF) -> str:
        if position.x() >= NAMES_WIDTH:
            return super().tip(position)
        row = self.row_under(position)
        if row is None:
            return ""
        count = len(self.model.view.track(row).frames)
        return f"{row.name}\n{count} key{'' if count == 1 else 's'}"

    # -- keyboard -------------------------------------------------------------------------------------------------

    def go_row(self, direction: int) -> None:
        self.cursor_row.step(direction)

    def open_row(self, wanted: bool) -> None:
        self.cursor_row.open(wanted)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and not self.mouse.busy and not self.model.selected:
            if not self.cursor_row.hide():
                super().keyPressEvent(event)
        else:
            super().keyPressEvent(event)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self.mouse.busy:
            self.cursor_row.put(self.row_under(event.position()))
        super().mousePressEvent(event)

    # -- painting -------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        layer, top = self._kept_layer(event.rect())
        painter.drawPixmap(0, top, layer)
        if self.model.rows:
            self.clip_tracks(painter)
            self._paint_selection(painter)
            self._paint_current(painter)
            self.draw_playhead(painter)
            self._playhead_at = self.track_x(self.model.document.frame)
            self._paint_pending(painter)
            self.draw_gesture(painter)
            painter.setClipping(False)
            self.cursor_row.paint(painter)
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.visibleRegion().boundingRect()))
        painter.end()

    def _kept_layer(self, wanted: QRect) -> tuple[QPixmap, int]:
        """Return the picture of all that stands still, and at which height it begins."""
        area = self.rect()
        if area.height() > MOST_HEIGHT:
            area = self.visibleRegion().boundingRect().united(wanted)
            area = QRect(0, area.top(), self.width(), area.height())
        key = (area.top(), area.width(), area.height(), self.devicePixelRatioF(), current_theme().name)
        if self._layer is None or self._layer[1] != key:
            lit = self._lit_rows()
            rows = self.model.rows
            names = (key, tuple((row.id, row.name, row.is_open) for row in rows), tuple(sorted(lit)))
            if self._ground is None or self._ground[1] != names:
                self._ground = (
                    self._painted(QPixmap(), area, lambda painter: self._paint_grounds(painter, area, lit)),
                    names,
                )
            self._layer = self._painted(self._ground[0], area, lambda painter: self.paint_layer(painter, area)), key
        return self._layer[0], area.top()

    def _painted(self, ground: QPixmap, area: QRect, paint: Callable[[QPainter], None]) -> QPixmap:
        """Return a picture of an area of this widget, painted on another one."""
        picture = QPixmap(ground)
        if picture.isNull():
            ratio = self.devicePixelRatioF()
            picture = QPixmap(round(area.width() * ratio), round(area.height() * ratio))
            picture.setDevicePixelRatio(ratio)
        painter = QPainter(picture)
        try:
            painter.translate(0, -area.top())
            paint(painter)
        finally:
            painter.end()  # a picture that is still painted on must not be thrown away
        return picture

    def _rows_of(self, area: QRect) -> list[tuple[int, Row]]:
        """Return the rows in an area, with their numbers."""
        first, last = area.top() // ROW_HEIGHT, area.bottom() // ROW_HEIGHT + 1
        return list(enumerate(self.model.rows))[max(first, 0) : last]

    def _paint_grounds(self, painter: QPainter, area: QRect, lit: set[int]) -> None:
        """Paint names and what is under the keys."""
        self.draw_names_ground(painter, "panel", "panel")
        for i, row in self._rows_of(area):
            self._paint_ground(painter, i, row, i in lit)
            self._paint_name(painter, row, i * ROW_HEIGHT, i in lit)
        painter.fillRect(QRectF(NAMES_WIDTH - 1, 0, 1, self.height()), style.color("line2"))
        if self.model.rows:
            painter.fillRect(QRectF(0, self._bottom, self.width(), 1), style.color("line"))

    def paint_layer(self, painter: QPainter, area: QRect) -> None:
        """Paint all else that stands still while the playhead moves."""
        model = self.model
        if not model.rows:
            return
        lit = self._lit_rows()
        painter.setClipRect(QRectF(NAMES_WIDTH, area.top(), self.width() - NAMES_WIDTH, area.height()))
        self.draw_grid(painter, self._bottom)
        rows = [(i, row, i in lit) for i, row in self._rows_of(area)]
        edges = NAMES_WIDTH, self.width()
        self._picture.paint(painter, model.view, rows, self.track_x(0), model.pixels, edges, self.devicePixelRatioF())

    @property
    def _bottom(self) -> int:
        return len(self.model.rows) * ROW_HEIGHT

    def _paint_ground(self, painter: QPainter, i: int, row: Row, lit: bool) -> None:
        ground = style.color("panel")
        if lit:
            ground = style.mix("panel", "acc_bg", 0.7)
        elif row.summary:
            ground = style.mix("panel", "head", 0.75)
        elif row.depth == 1 and (row.is_open or i % 2 == 0):
            ground = style.mix("panel", "head", 0.45 if row.is_open else 0.3)
        painter.fillRect(QRectF(0, i * ROW_HEIGHT, self.width(), ROW_HEIGHT), ground)

    def _lit_rows(self) -> set[int]:
        chosen = set(self.model.document.selection.joints)
        if not chosen:
            return set()
        rows = self.model.rows
        return {i for i, row in enumerate(rows) if not row.summary and not chosen.isdisjoint(row.joints)}

    def _paint_name(self, painter: QPainter, row: Row, y: float, lit: bool) -> None:
        left = self._indent(row)
        if row.opens:
            box = QRectF(left - CHEVRON - 2, y + 3, CHEVRON, CHEVRON)
            icons.paint(painter, "chevron-down" if row.is_open else "chevron-right", style.color("text3"), box)
        font = fonts.font(11 if row.depth == 2 else 12, fonts.SEMIBOLD if row.summary else fonts.REGULAR)
        painter.setFont(font)
        painter.setPen(style.color("accent" if lit else "text" if row.summary else "text2"))
        room = NAMES_WIDTH - left - 6
        name = QFontMetricsF(font).elidedText(row.name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(left, y, room, ROW_HEIGHT), Qt.AlignmentFlag.AlignVCenter, name)

    def _paint_current(self, painter: QPainter) -> None:
        """Paint the keys at the current frame, on top of the others."""
        model, frame = self.model, self.model.document.frame
        if not np.isin(frame, model.view.table.frames):
            return
        x, ratio = self.track_x(frame), self.devicePixelRatioF()
        for size, summary in ((KEY_SIZE, False), (SUMMARY_SIZE, True)):
            places, codes = [], []
            for i, row in enumerate(model.rows):
                if row.summary != summary:
                    continue
                track = model.view.track(row)
                at = int(np.searchsorted(track.frames, frame))
                if at < len(track.frames) and track.frames[at] == frame:
                    places.append((x, i * ROW_HEIGHT + ROW_HEIGHT / 2))
                    codes.append(int(track.kinds[at]) + 16 * CURRENT)
            if codes:
                self._stamps.draw(painter, np.array(places), np.array(codes), size, ratio)

    def _paint_pending(self, painter: QPainter) -> None:
        if not self.model.document.pending:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.color("warn"), 1.6))
        painter.setBrush(style.color("head"))
        painter.drawPolygon(diamond(self.track_x(self.model.document.frame), ROW_HEIGHT / 2, SUMMARY_SIZE + 1))

    # -- the box round the selected keys ----------------------------------------------------------------------------

    def _frame(self) -> QRectF | None:
        """Return the box round the selected keys, if they are at two or more frames."""
        span = self.model.selected_span
        if span is None or not self.model.rows:
            return None
        left, right = self.track_x(span[0]) - FRAME_GAP, self.track_x(span[1]) + FRAME_GAP
        columns = np.any(self.model.chosen, axis=0)
        inside = [i for i, row in enumerate(self.model.rows) if columns[row.channels].any()]
        if columns.all() or not inside:
            first, last = 0, len(self.model.rows)
        else:
            inner = [i for i in inside if not self.model.rows[i].summary] or inside
            first, last = inner[0], inner[-1] + 1
        top, bottom = first * ROW_HEIGHT + 1.5, last * ROW_HEIGHT - 1.5
        return QRectF(round(left) + 0.5, top, round(right) - round(left), bottom - top)

    def _handles(self) -> list[QRectF]:
        frame = self._frame()
        if frame is None:
            return []
        seen = self.visibleRegion().boundingRect()
        middle = (max(seen.top(), frame.top()) + min(seen.bottom() + 1, frame.bottom())) / 2
        if seen.isEmpty() or not frame.top() <= middle <= frame.bottom():
            middle = frame.center().y()
        height = min(HANDLE_HEIGHT, frame.height() + 6)
        size = QPointF(HANDLE_WIDTH / 2, height / 2)
        return [QRectF(QPointF(x, middle) - size, QPointF(x, middle) + size) for x in (frame.left(), frame.right())]

    def end_under(self, position: QPointF) -> bool | None:
        if position.x() < NAMES_WIDTH:
            return None
        for last, handle in enumerate(self._handles()):
            if handle.adjusted(-3, -4, 3, 4).contains(position):
                return bool(last)
        return None

    def _paint_selection(self, painter: QPainter) -> None:
        frame = self._frame()
        if frame is None or self.box is not None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setOpacity(0.05)
        painter.fillRect(frame, style.color("text"))
        painter.setOpacity(1.0)
        painter.setPen(QPen(style.color("text2"), 1.0, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(frame)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.color("panel"), 1.0))
        painter.setBrush(style.color("text"))
        for handle in self._handles():
            painter.drawRoundedRect(handle.adjusted(-0.5, -0.5, 0.5, 0.5), 3, 3)
