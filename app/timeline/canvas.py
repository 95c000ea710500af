"""What ruler, key strip and dope sheet have in common: the names at the left, tracks at the right, mouse on keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip

from app import style
from app.timeline.model import NAMES_WIDTH, TimelineModel
from app.widgets.base import Painted

ARROWS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_IDLE, _SCRUB, _KEYS, _BOX, _PAN, _SPREAD = range(6)


def diamond(x: float, y: float, size: float) -> QPolygonF:
    """Return a diamond around a point."""
    half = size / 2
    return QPolygonF([QPointF(x, y - half), QPointF(x + half, y), QPointF(x, y + half), QPointF(x - half, y)])


class TimelineCanvas(Painted):
    """One band of the timeline.

    Left of ``NAMES_WIDTH`` stand names, right of it the tracks share one scale. The mouse scrubs, drags keys, draws a
    selection box or pans; subclasses say what lies under it.

    Args:
        model: The shared scale, rows and selection.

    Signals:
        menu_requested(QPoint, int): A right click at a global position, on the key at a frame.
    """

    menu_requested = Signal(QPoint, int)
    scrubs = False  # whether a press on empty ground goes to that frame
    boxes = False  # whether it begins a selection box instead

    def __init__(self, model: TimelineModel):
        super().__init__()
        self.model = model
        self._mode = _IDLE
        self._press = QPointF()
        self._last = QPointF()
        self._pressed_frame = 0
        self._box_base: frozenset[int] = frozenset()
        self._moved = False
        self._at_last = True  # which end of the selected keys is being moved
        self.box: QRectF | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        model.changed.connect(self.update)

    # -- geometry -------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.model.set_width(self.width() - NAMES_WIDTH)

    def track_x(self, frame: float) -> float:
        """Return where a frame lies in this widget."""
        return NAMES_WIDTH + self.model.x(frame)

    def clip_tracks(self, painter: QPainter) -> None:
        """Keep what is painted next out of the names."""
        painter.setClipRect(QRectF(NAMES_WIDTH, 0, self.width() - NAMES_WIDTH, self.height()))

    def draw_playhead(self, painter: QPainter) -> None:
        """Draw the line of the current frame."""
        if self.model.document.skeleton is None:
            return
        x = self.track_x(self.model.document.frame)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(QRectF(round(x) - 1, 0, 2, self.height()), style.color("accent"))

    def draw_grid(self, painter: QPainter, bottom: float) -> None:
        """Draw a line for each number of the ruler, and shade the frames that do not play."""
        first, last = self.model.visible()
        step = self.model.tick_step()
        number = max(0, int(first // step) * step)
        while number <= last:
            painter.fillRect(QRectF(round(self.track_x(number)), 0, 1, bottom), style.color("line"))
            number += step
        first, last = self.model.range
        if last <= first:  # nothing plays yet
            return
        start, end = self.track_x(first), self.track_x(last)
        painter.setOpacity(0.35)
        painter.fillRect(QRectF(end, 0, max(self.width() - end, 0.0), bottom), style.color("win"))
        painter.fillRect(QRectF(NAMES_WIDTH, 0, max(start - NAMES_WIDTH, 0.0), bottom), style.color("win"))
        painter.setOpacity(1.0)

    def draw_names_ground(self, painter: QPainter, names: str = "panel", tracks: str = "input") -> None:
        """Fill the grounds and draw the line between names and tracks."""
        painter.fillRect(self.rect(), style.color(names))
        painter.fillRect(QRectF(NAMES_WIDTH, 0, self.width() - NAMES_WIDTH, self.height()), style.color(tracks))
        painter.fillRect(QRectF(NAMES_WIDTH - 1, 0, 1, self.height()), style.color("line2"))

    # -- what lies under the mouse --------------------------------------------------------------------------------

    def key_under(self, position: QPointF) -> int | None:
        """Return the frame of the key at a point of this widget."""
        if position.x() < NAMES_WIDTH:
            return None
        return self.model.key_near(position.x() - NAMES_WIDTH)

    def frames_in(self, box: QRectF) -> list[int]:
        """Return the frames of the keys inside a box."""
        first, last = box.left() - NAMES_WIDTH, box.right() - NAMES_WIDTH
        xs = self.model.xs(self.model.frames)
        return [int(frame) for frame in self.model.frames[(first <= xs) & (xs <= last)]]

    def end_under(self, position: QPointF) -> bool | None:
        """Return whether the handle at a point moves the last of the selected keys or the first; None for no handle."""
        return None

    def key_tip(self, frame: int) -> str:
        """Return what a key is, in a line or two."""
        sequence = self.model.document.sequence
        key = sequence.key_at(frame) if sequence is not None else None
        if key is None:
            return ""
        later = self.model.frames[self.model.frames > frame]
        if not len(later):
            return f"Key {frame}, the last"
        turns = ", full turns" if key.turns else ""
        return f"Key {frame}\n{key.interp.capitalize()} to key {later[0]}{turns}"

    def tip(self, position: QPointF) -> str:
        """Return what is at a point, in a line or two; "" for nothing."""
        if self.model.document.skeleton is None or self.scrubs:
            return ""
        key = self.key_under(position)
        return "" if key is None else self.key_tip(key)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = self.tip(QPointF(event.pos()))
            if text:
                QToolTip.showText(event.globalPos(), text, self)
            else:
                QToolTip.hideText()
                event.ignore()
            return True
        return super().event(event)

    def clicked_name(self, position: QPointF) -> None:
        """Take a click on the names."""

    # -- mouse ----------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.model.document.skeleton is None:
            return
        position = self._press = self._last = event.position()
        self._moved = False
        if event.button() == Qt.MouseButton.MiddleButton:
            self._mode = _PAN
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if position.x() < NAMES_WIDTH:
            self.clicked_name(position)
            return
        key, end = self.key_under(position), self.end_under(position)
        if end is not None:
            self._mode, self._at_last = _SPREAD, end
        elif key is not None and not self.scrubs:
            self._press_key(key, event.modifiers())
        elif self.boxes:
            self._mode = _BOX
            adding = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
            self._box_base = self.model.selected if event.modifiers() & adding else frozenset()
        else:
            self._mode = _SCRUB
            self._scrub(position)

    def _press_key(self, key: int, modifiers: Qt.KeyboardModifier) -> None:
        self._mode = _KEYS
        self._pressed_frame = key
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            self.model.toggle(key)
            self._mode = _IDLE
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            self.model.select([key], add=True)
        elif key not in self.model.selected:
            self.model.select([key])

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        key = self.key_under(QPointF(event.pos())) if self.model.document.skeleton is not None else None
        if key is not None and not self.scrubs:
            self.menu_requested.emit(event.globalPos(), key)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._mode == _IDLE:
            self._show_cursor(position)
        elif self._mode == _PAN:
            self.model.pan(position.x() - self._last.x())
        elif self._mode == _SCRUB:
            self._scrub(position)
        elif self._mode == _KEYS:
            if self._moved or abs(position.x() - self._press.x()) >= 4:
                self._moved = True
                self.model.set_shift(round((position.x() - self._press.x()) / self.model.pixels))
        elif self._mode == _SPREAD:
            self.model.set_scale(self._at_last, self.model.frame_at(position.x() - NAMES_WIDTH))
        elif self._mode == _BOX:
            self._moved = True
            self.box = QRectF(self._press, position).normalized()
            self.model.select(set(self.frames_in(self.box)) | self._box_base)
            self.update()
        self._last = position

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        mode, self._mode = self._mode, _IDLE
        if mode == _KEYS:
            if self._moved:
                self.model.drop()
            else:
                if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                    self.model.select([self._pressed_frame])
                self.model.document.set_frame(self._pressed_frame)
        elif mode == _SPREAD:
            self.model.drop()
        elif mode == _BOX:
            if not self._moved:
                self.model.select(self._box_base)
            self.box = None
            self.update()
        self._show_cursor(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.position().x() >= NAMES_WIDTH and self.key_under(event.position()) is None:
            self.model.fit()

    def _scrub(self, position: QPointF) -> None:
        self.model.document.set_frame(self.model.frame_at(position.x() - NAMES_WIDTH))

    def _show_cursor(self, position: QPointF) -> None:
        shape = Qt.CursorShape.ArrowCursor
        if not self.scrubs and self.model.document.skeleton is not None:
            if self.end_under(position) is not None:
                shape = Qt.CursorShape.SplitHCursor
            elif self.key_under(position) is not None:
                shape = Qt.CursorShape.SizeHorCursor
        self.setCursor(shape)

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120.0 or event.angleDelta().x() / 120.0
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not event.angleDelta().y():
            self.model.pan(steps * 60.0)
        elif event.position().x() < NAMES_WIDTH:
            event.ignore()
            return
        else:
            self.model.zoom(1.2**steps, event.position().x() - NAMES_WIDTH)
        event.accept()

    # -- keyboard -------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._mode in (_KEYS, _BOX, _SPREAD):
            if self._mode == _BOX:
                self.model.select(self._box_base)
                self.box = None
            self._mode = _IDLE
            self.model.cancel()
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.model.selected:
            self.model.delete_selected()
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.key() in ARROWS:
            self.model.set_shift(ARROWS[Qt.Key(event.key())])
            self.model.drop()
        else:
            super().keyPressEvent(event)
