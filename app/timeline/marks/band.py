"""Markers under the ruler: flags with names. The band is there while there are markers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPolygonF,
)
from PySide6.QtWidgets import QLineEdit, QSizePolicy

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.timeline.band_mouse import DRAG_DISTANCE
from app.timeline.canvas import TimelineCanvas
from app.timeline.marks.lines import marker_color
from app.timeline.model import TimelineModel
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.behaviour.base import draw_focus_ring
from app.widgets.behaviour.own_keys import means
from app.widgets.frames.menu import Item, make_menu, pop_up

if TYPE_CHECKING:
    from core.animation.marker import Marker

HEIGHT = 18
FLAG = 8.0
FIELD = 132
_GAP = 5.0


class MarkerBand(TimelineCanvas):
    """Flags of the markers: click to go there, drag to move, double-click to rename."""

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Markers")
        self._press = QPointF()
        self._press_frame = 0.0
        self._pressed: Marker | None = None
        self._dragged: Marker | None = None
        self._hover: int | None = None
        self._edited: int | None = None  # frame of the marker whose name is typed
        self._new = False  # whether that marker is made by it
        self.field = QLineEdit(self)
        self.field.setAccessibleName("Name of the marker")
        self.field.setPlaceholderText("Name")
        self.field.setMaxLength(80)
        self.field.setProperty("low", True)
        self.field.setFont(self._font())
        self.field.setFixedHeight(HEIGHT)
        self.field.hide()
        self.field.installEventFilter(self)
        model.changed.connect(self._take)
        self._take()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    @property
    def markers(self) -> tuple[Marker, ...]:
        """The markers as they are shown."""
        return self.model.marks.markers

    def _take(self) -> None:
        if self._edited is not None and not self._new and self._at(self._edited) is None:
            self._close()
        shown = bool(self.markers) or self._edited is not None
        self.setVisible(shown and self.model.document.skeleton is not None)
        self._place_field()
        self.setAccessibleDescription(", ".join(f"{m.name or 'unnamed'} at frame {m.frame}" for m in self.markers))
        self.update()

    def _at(self, frame: int) -> Marker | None:
        return next((marker for marker in self.markers if marker.frame == frame), None)

    # -- names ----------------------------------------------------------------------------------------------------

    def begin(self, frame: int) -> None:
        """Let a name be typed for the marker at a frame; one that is not there is made with it."""
        self._edited, self._new = frame, self._at(frame) is None
        marker = self._at(frame)
        self.field.setText("" if marker is None else marker.name)
        self.field.selectAll()
        self.model.reveal(frame)
        self._take()
        self.field.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place_field(self) -> None:
        if self._edited is not None:
            x = min(self.track_x(self._edited) + 2.0, self.width() - FIELD)
            self.field.setGeometry(round(max(x, NAMES_WIDTH)), 0, FIELD, HEIGHT)

    def _close(self) -> None:
        self._edited = None
        self.field.hide()

    def _commit(self) -> None:
        frame, new, name = self._edited, self._new, self.field.text().strip()
        if frame is None:
            return
        self._close()
        marker = self._at(frame)
        if new:
            self.model.document.markers.add(frame, name)
        elif marker is not None and marker.name != name:
            self.model.document.markers.rename(frame, name)
        self._take()

    @guarded
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if watched is not self.field:
            return False
        if event.type() == QEvent.Type.FocusOut:
            self._commit()
        elif event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride) and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
                if event.type() == QEvent.Type.KeyPress:
                    if event.key() == Qt.Key.Key_Escape:
                        self._close()
                        self._take()
                    else:
                        self._commit()
                event.accept()
                return True
        return False

    @property
    def dragging(self) -> bool:
        return self._dragged is not None or super().dragging

    # -- what lies where ------------------------------------------------------------------------------------------

    def _boxes(self) -> list[tuple[Marker, QRectF, str]]:
        """Return for each marker where its flag and name are, and the name as far as there is room for it."""
        metrics = QFontMetricsF(self._font())
        boxes: list[tuple[Marker, QRectF, str]] = []
        markers = self.markers
        for i, marker in enumerate(markers):
            x = self.track_x(marker.frame)
            right = self.track_x(markers[i + 1].frame) - 3.0 if i + 1 < len(markers) else self.width() - 4.0
            room = right - x - FLAG - _GAP
            name = metrics.elidedText(marker.name, Qt.TextElideMode.ElideRight, room) if room > 14.0 else ""
            width = FLAG + (_GAP + metrics.horizontalAdvance(name) + 4.0 if name else 0.0)
            boxes.append((marker, QRectF(x - 3.0, 0.0, width + 3.0, HEIGHT), name))
        return boxes

    def marker_at(self, position: QPointF) -> Marker | None:
        """Return the marker whose flag or name is at a point."""
        if position.x() < NAMES_WIDTH:
            return None
        return next((marker for marker, box, _ in reversed(self._boxes()) if box.contains(position)), None)

    def key_under(self, position: QPointF) -> int | None:
        return None

    @staticmethod
    def _font() -> QFont:
        return fonts.font(11, fonts.MEDIUM)

    # -- mouse ----------------------------------------------------------------------------------------------------

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.MiddleButton:
            super().mousePressEvent(event)
        elif event.button() == Qt.MouseButton.LeftButton and event.position().x() >= NAMES_WIDTH:
            self._press = event.position()
            self._press_frame = self.model.exact_frame(self._press.x() - NAMES_WIDTH)
            self._pressed = self.marker_at(self._press)
            if self._pressed is None:
                self.model.document.set_frame(self.model.frame_at(self._press.x() - NAMES_WIDTH))

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._pressed is None and self._dragged is None:
            if event.buttons() == Qt.MouseButton.NoButton:
                marker = self.marker_at(position)
                self._hover = None if marker is None else marker.frame
                shape = Qt.CursorShape.ArrowCursor if marker is None else Qt.CursorShape.SizeHorCursor
                self.setCursor(shape)
                self.update()
            else:
                super().mouseMoveEvent(event)
            return
        if self._dragged is None and abs(position.x() - self._press.x()) >= DRAG_DISTANCE:
            self._dragged, self._pressed = self._pressed, None
        if self._dragged is not None:
            self._show_drag(position)

    def _show_drag(self, position: QPointF) -> None:
        marker, document = self._dragged, self.model.document
        if marker is None or document.sequence is None:
            return
        by = round(self.model.exact_frame(position.x() - NAMES_WIDTH) - self._press_frame)
        frame = self._stuck(max(0, marker.frame + by))
        others = [m for m in document.sequence.markers if m.frame != marker.frame]
        if any(m.frame == frame for m in others):
            document.say("info", f"Frame {frame} already has a marker")
            return
        self.model.marks.moving = tuple(sorted([*others, replace(marker, frame=frame)], key=lambda m: m.frame))
        document.say("info", f"Marker {marker.name} at frame {frame}".replace("  ", " "))
        self.model.changed.emit()

    def _stuck(self, frame: int) -> int:
        """Return the playhead's frame or that of the nearest beat if it is near, else the frame itself."""
        beats = np.rint(self.model.marks.beats.frames)
        places = np.append(beats, self.model.document.frame)
        nearest = int(places[np.abs(places - frame).argmin()])
        return nearest if nearest >= 0 and abs(nearest - frame) * self.model.pixels <= 5.0 else frame

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        pressed, dragged = self._pressed, self._dragged
        moved, self.model.marks.moving = self.model.marks.moving, None
        self._pressed = self._dragged = None
        document = self.model.document
        if dragged is not None and moved is not None and document.sequence is not None:
            before = {marker.frame for marker in document.sequence.markers}
            to = [marker.frame for marker in moved if marker.frame not in before]
            if to:
                document.markers.move(dragged.frame, to[0])
            self.model.changed.emit()
        elif pressed is not None:
            document.set_frame(pressed.frame)

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        marker = self.marker_at(event.position())
        if marker is not None and event.button() == Qt.MouseButton.LeftButton:
            self._pressed = None
            self.begin(marker.frame)

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._hover = None
        self.update()
        super().leaveEvent(event)

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        position = QPointF(event.pos())
        if position.x() >= NAMES_WIDTH and self._dragged is None:
            self._pressed = None
            marker = self.marker_at(position)
            frame = self.model.frame_at(position.x() - NAMES_WIDTH) if marker is None else marker.frame
            self.show_menu(event.globalPos(), frame)

    def show_menu(self, place: QPoint, frame: int) -> None:
        """Open the menu of the marker at a frame, or that which puts one there."""
        document = self.model.document
        if self._at(frame) is None:
            items: list[Item] = [(f"Add marker at frame {frame}", lambda: self.begin(frame), "marker")]
        else:
            items = [
                ("Rename marker", lambda: self.begin(frame), "pencil"),
                ("Go to marker", lambda: document.set_frame(frame), ""),
                ("Delete marker", lambda: document.markers.remove(frame), "trash"),
            ]
        pop_up(make_menu(self, items), place)

    def tip(self, position: QPointF) -> str:
        marker = self.marker_at(position)
        if marker is None:
            return ""
        name = f"{marker.name}\n" if marker.name else ""
        return f"{name}Marker at frame {marker.frame}"

    def takes(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            return self._dragged is not None
        return means(event, "delete_selected_keys") and self.here is not None

    @property
    def here(self) -> Marker | None:
        """The marker at the current frame: that which was clicked last, or was gone to."""
        return self._at(self.model.document.frame)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        marker = self.here
        if not self.takes(event):
            event.ignore()
        elif event.key() == Qt.Key.Key_Escape:
            self._pressed = self._dragged = self.model.marks.moving = None
            self.edge.give_back()
            self.model.changed.emit()
        elif marker is not None:
            self.model.document.markers.remove(marker.frame)

    # -- painting -------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_names_ground(painter, "panel", "panel")
        self.draw_name(painter, "Markers")
        self.clip_tracks(painter)
        self.draw_grid(painter, HEIGHT)
        self.draw_playhead(painter)
        for marker, box, name in self._boxes():
            self._paint_flag(painter, marker, box, name)
        painter.setClipping(False)
        painter.fillRect(QRectF(0, HEIGHT - 1, self.width(), 1), style.color("line"))
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.rect()))
        painter.end()

    def _paint_flag(self, painter: QPainter, marker: Marker, box: QRectF, name: str) -> None:
        x = self.track_x(marker.frame)
        if x < NAMES_WIDTH - 200 or x > self.width() + 10:
            return
        lit = marker.frame in (self._hover, self.model.document.frame)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(marker_color(marker))
        top, low = 4.0, HEIGHT - 6.0
        corners = [(x, top), (x + FLAG, top), (x + FLAG - 2.5, (top + low) / 2), (x + FLAG, low), (x, low)]
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
        painter.fillRect(QRectF(round(x) - 0.5, top, 1.5, HEIGHT - top), marker_color(marker))
        if name:
            painter.setFont(self._font())
            painter.setPen(style.color("text" if lit else "text2"))
            text = QRectF(x + FLAG + _GAP, 0, box.width(), HEIGHT - 1)
            painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, name)
