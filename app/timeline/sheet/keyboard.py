"""The keyboard on the dope sheet: a cursor that goes from row to row, and in its row from key to key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPen

from app.look import style
from app.timeline.model import NAMES_WIDTH
from app.timeline.sheet.picture import ROW_HEIGHT
from app.timeline.sheet.rows import Row
from app.widgets.frames.scroll import scroll_area_of

if TYPE_CHECKING:
    from app.timeline.sheet.dope_sheet import DopeSheet

_SHIFT, _CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
_UP_DOWN = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_LEFT_RIGHT = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class RowCursor:
    """Which row the keyboard is on.

    Up and Down show it and take it to the next row, with Ctrl they close and open the row. While it is shown Left and
    Right go to the key before and after in its row and select it, with Shift all from where the selection began.

    Args:
        sheet: The dope sheet.

    Attributes:
        shown: Whether it is to be seen; before that Left and Right step by frames, as everywhere.
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

    # -- keys -----------------------------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        """Return whether a key is for the cursor."""
        if self._model.document.skeleton is None or self._sheet.mouse.busy:
            return False
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() in _UP_DOWN:
            return modifiers in (Qt.KeyboardModifier.NoModifier, _CONTROL)
        return self.shown and event.key() in _LEFT_RIGHT and modifiers in (Qt.KeyboardModifier.NoModifier, _SHIFT)

    def press(self, event: QKeyEvent) -> None:
        """Take a key that is for the cursor."""
        key = Qt.Key(event.key())
        if key in _LEFT_RIGHT:
            self._go(_LEFT_RIGHT[key], bool(event.modifiers() & _SHIFT))
        elif event.modifiers() & _CONTROL:
            self._open(_UP_DOWN[key] > 0)
        else:
            self._step(_UP_DOWN[key])

    def _step(self, direction: int) -> None:
        rows = self._model.rows
        at = next((i for i, row in enumerate(rows) if row.id == self._row), None)
        if at is not None and (self.shown or self._model.selected):
            at = min(max(at + direction, 0), len(rows) - 1)
        self._show(rows[at if at is not None else 0])
        self._anchor = None

    def _open(self, wanted: bool) -> None:
        row = self.row or self._model.rows[0]
        self._show(row)
        if row.opens and row.is_open != wanted:
            self._model.toggle_row(row)
        elif not wanted and row.depth == 2:  # a joint: its group closes, and has the cursor then
            rows = self._model.rows
            group = next(each for each in reversed(rows[: rows.index(row)]) if each.depth == 1)
            self._show(group)
            self._model.toggle_row(group)

    def _go(self, direction: int, extend: bool) -> None:
        """Go to the next key of the row, and select it or all up to it."""
        row, model = self.row, self._model
        if row is None:
            return
        frames, now = model.view.track(row).frames, model.document.frame
        if direction > 0:
            beyond = frames[np.searchsorted(frames, now, side="right") :][:1]
        else:
            beyond = frames[: np.searchsorted(frames, now)][-1:]
        if not len(beyond):
            return
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
