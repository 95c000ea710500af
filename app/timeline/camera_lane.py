"""The lane of the shot's camera: its keys. The lane is there while there are keys."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QContextMenuEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QSizePolicy

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.timeline.band_mouse import DRAG_DISTANCE
from app.timeline.canvas import TimelineCanvas, diamond
from app.timeline.model import TimelineModel
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.behaviour.base import draw_focus_ring
from app.widgets.behaviour.own_keys import means
from app.widgets.frames.menu import add_action, pop_up
from core.animation.shot_camera import CUT, EVEN, SMOOTH, CameraKey, ShotCamera, angle_of, lens_of

HEIGHT = 20
_LEFT, _KEY, _NEAR = 12, 8.0, 6.0  # px
MOVES = ((SMOOTH, "Smooth"), (EVEN, "Constant speed"), (CUT, "Hold, then cut"))
"""How the camera goes on from a key, and what that is called."""
LENSES = (18, 24, 28, 35, 50, 70, 85, 105, 135, 200)
"""Usual focal lengths, [mm]."""
_SAME = 0.5  # mm


class CameraLane(TimelineCanvas):
    """Keys of the shot's camera: click to go there, drag to move one, Delete to take it away.

    Signals:
        settings_requested(QPoint): The name was clicked; its lower corner, global.
    """

    settings_requested = Signal(QPoint)

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Camera")
        self._press = QPointF()
        self._pressed: int | None = None  # frame of the key under the mouse
        self._dragged: int | None = None
        self._to = 0
        self._hover: int | None = None
        model.changed.connect(self._take)
        self._take()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    @property
    def shot(self) -> ShotCamera | None:
        """The camera, None without a figure."""
        return self.model.document.camera.shot

    @property
    def keys(self) -> tuple[CameraKey, ...]:
        """Its keys."""
        return () if self.shot is None else self.shot.keys

    def _take(self) -> None:
        self.setVisible(bool(self.keys))
        self.setAccessibleDescription(", ".join(f"key at frame {key.frame}" for key in self.keys))
        self.update()

    def key_at(self, position: QPointF) -> CameraKey | None:
        """Return the key near a point, or None."""
        if position.x() < NAMES_WIDTH or not self.keys:
            return None
        nearest = min(self.keys, key=lambda key: abs(self.track_x(key.frame) - position.x()))
        return nearest if abs(self.track_x(nearest.frame) - position.x()) <= _NEAR else None

    def key_under(self, position: QPointF) -> int | None:
        return None

    @property
    def dragging(self) -> bool:
        return self._dragged is not None or super().dragging

    # -- painting ------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_names_ground(painter)
        middle = 0.5 * HEIGHT
        icons.paint(painter, "camera", style.color("text3"), QRectF(_LEFT, middle - 7, 14, 14))
        painter.setFont(fonts.font(12, fonts.REGULAR))
        painter.setPen(style.color("text2"))
        painter.drawText(QRectF(_LEFT + 20, 0, NAMES_WIDTH, HEIGHT), Qt.AlignmentFlag.AlignVCenter, "Camera")
        self.clip_tracks(painter)
        self.draw_grid(painter, HEIGHT)
        self._paint_keys(painter, middle)
        self.draw_playhead(painter)
        painter.setClipping(False)
        painter.fillRect(QRectF(0, 0, self.width(), 1), style.color("line2"))
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.rect()))
        painter.end()

    def _paint_keys(self, painter: QPainter, middle: float) -> None:
        keys = self.keys
        for key, after in pairwise(keys):
            left, right = self.track_x(key.frame), self.track_x(after.frame)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            if key.move != CUT:
                painter.fillRect(QRectF(left, round(middle), right - left, 1), style.color("text3"))
            else:  # it stands, and jumps at the end
                painter.fillRect(QRectF(round(right) - 1, 4, 1, HEIGHT - 8), style.color("text3"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for key in keys:
            frame = self._to if key.frame == self._dragged else key.frame
            lit = key.frame == self._hover or frame == self.model.document.frame
            painter.setBrush(style.color("accent" if lit else "text2"))
            painter.drawPolygon(diamond(self.track_x(frame), middle, _KEY + (1.0 if lit else 0.0)))

    # -- mouse ---------------------------------------------------------------------------------------------------

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton:
            super().mousePressEvent(event)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._press = event.position()
            key = self.key_at(self._press)
            self._pressed = None if key is None else key.frame
            if self._press.x() < NAMES_WIDTH:
                self.settings_requested.emit(self.mapToGlobal(QPoint(_LEFT, HEIGHT)))
            elif key is None:
                self.model.document.set_frame(self.model.frame_at(self._press.x() - NAMES_WIDTH))

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if event.buttons() == Qt.MouseButton.NoButton:
            key = self.key_at(at)
            self._hover = None if key is None else key.frame
            self.setCursor(Qt.CursorShape.ArrowCursor if key is None else Qt.CursorShape.SizeHorCursor)
            self.update()
            return
        if self._pressed is None:
            super().mouseMoveEvent(event)
            return
        if self._dragged is None and abs(at.x() - self._press.x()) >= DRAG_DISTANCE:
            self._dragged = self._to = self._pressed
        if self._dragged is not None:
            frame = max(self.model.frame_at(at.x() - NAMES_WIDTH), 0)
            taken = {key.frame for key in self.keys} - {self._dragged}
            if frame not in taken:
                self._to = frame
            self.model.document.say("info", f"Camera key at frame {self._to}")
            self.update()

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        pressed, dragged = self._pressed, self._dragged
        self._pressed = self._dragged = None
        document = self.model.document
        if dragged is not None and self._to != dragged:
            document.camera.move(dragged, self._to)
            document.set_frame(self._to)
        elif pressed is not None and dragged is None:
            document.set_frame(pressed)
        self.update()

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._hover = None
        self.update()
        super().leaveEvent(event)

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        key = self.key_at(QPointF(event.pos()))
        if key is not None and self._dragged is None:
            pop_up(self.menu_of(key), event.globalPos())

    def menu_of(self, key: CameraKey) -> QMenu:
        """Return the menu of a key."""
        menu, edits = QMenu(self), self.model.document.camera
        group = QActionGroup(menu)
        for move, text in MOVES:
            add_action(menu, text, partial(edits.set_move, key.frame, move), checked=key.move == move, group=group)
        menu.addSeparator()
        lenses = menu.addMenu(f"Lens: {lens_of(key.fov):.0f} mm")
        for lens in LENSES:
            same = abs(lens_of(key.fov) - lens) < _SAME
            add_action(lenses, f"{lens} mm", partial(edits.set_lens, key.frame, angle_of(lens)), checked=same)
        menu.addSeparator()
        add_action(menu, "Delete camera key", partial(edits.remove, key.frame), icon="trash")
        return menu

    def tip(self, position: QPointF) -> str:
        key = self.key_at(position)
        if key is None:
            return "Camera of the shot\nClick for its settings" if position.x() < NAMES_WIDTH else ""
        return f"Camera key at frame {key.frame}\n{lens_of(key.fov):.0f} mm, then {dict(MOVES)[key.move].lower()}"

    # -- keyboard ------------------------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            return self._dragged is not None
        here = self.shot is not None and self.shot.key_at(self.model.document.frame) is not None
        return means(event, "delete_selected_keys") and here

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.takes(event):
            event.ignore()
        elif event.key() == Qt.Key.Key_Escape:
            self._pressed = self._dragged = None
            self.update()
        else:
            self.model.document.camera.remove(self.model.document.frame)
