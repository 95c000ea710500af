"""A lane for every layer of the sequence: whether it acts, its weight and its keys; the one posed on is marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.document.changes import Change, FigureChanged, FileChanged, LayersChanged, SequenceChanged, SessionChanged
from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.timeline.canvas import TimelineCanvas, diamond
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.fields.name_field import NameField
from app.widgets.frames.menu import Item, make_menu, pop_up
from core.animation.layers.layer import MOST_WEIGHT, Layer
from core.animation.layers.motion import acting

if TYPE_CHECKING:
    from app.document.layers import LayerGesture
    from app.timeline.model import TimelineModel

LANE = 20
EYE, SOLO, WEIGHT, NAME, TRACK = "eye", "solo", "weight", "name", "track"
"""Parts of a lane: whether it acts, whether it acts alone, its weight, its name, its keys."""
_WIDTHS = {EYE: 22.0, SOLO: 18.0, WEIGHT: 42.0}
_KEY, _CLOSE, _NEAR = 7.0, 3.0, 6.0  # px
_SLOW = 150.0  # px for the whole weight
_KINDS = (FigureChanged, FileChanged, LayersChanged, SequenceChanged)
KEYS_NAME = "Keys"


class LayerLanes(TimelineCanvas):
    """The lanes of all layers, the topmost first, and under them that of the keys; hidden while there is no layer.

    A click on a name makes a layer the one that edits of the pose go to; the eye mutes it, S lets it act alone, a drag
    of its weight sets that. Keys are dragged; a right click offers the rest.
    """

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.layers: tuple[Layer, ...] = ()
        self._over: tuple[int, str] = (-1, "")
        self._gesture: LayerGesture | None = None
        self._pressed = QPointF()
        self._dragged: tuple[str, float] = ("", 0.0)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Layers")
        self.field = NameField("Name of the layer", parent=self)
        self.field.hide()
        self.field.committed.connect(self._rename)
        self.field.editingFinished.connect(self.field.hide)
        self._renamed = ""
        model.document.changed.connect(self._take)
        self.show_document()

    def _take(self, change: Change) -> None:
        if isinstance(change, _KINDS):
            self.show_document()
        elif isinstance(change, SessionChanged) and change.name == "active_layer":
            self.update()

    def show_document(self) -> None:
        """Show the layers there are now."""
        before, self.layers = len(self.layers), tuple(reversed(self.model.document.layers.all))
        self.setHidden(not self.layers)
        if len(self.layers) != before:
            self.setFixedHeight(self.sizeHint().height())
            self.updateGeometry()
        told = (f"{layer.name}: {len(layer.keys)} keys, weight {layer.weight:.0%}" for layer in self.layers)
        self.setAccessibleDescription(", ".join(told))
        self.update()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, (len(self.layers) + 1) * LANE + 1 if self.layers else 1)

    # -- places ------------------------------------------------------------------------------------------------------

    def row_of(self, id: str | None) -> int:
        """Return the row of a layer, with None that of the keys."""
        return next((row for row, layer in enumerate(self.layers) if layer.id == id), len(self.layers))

    def part_rect(self, row: int, part: str) -> QRectF:
        """Return where a part of a lane stands, [px]."""
        top = 1.0 + row * LANE
        left = {EYE: 4.0, SOLO: 4.0 + _WIDTHS[EYE], WEIGHT: NAMES_WIDTH - _WIDTHS[WEIGHT]}
        if part == NAME:
            start = left[SOLO] + _WIDTHS[SOLO] + 4
            return QRectF(start, top, left[WEIGHT] - start, LANE)
        if part == TRACK:
            return QRectF(NAMES_WIDTH, top, self.width() - NAMES_WIDTH, LANE)
        return QRectF(left[part], top, _WIDTHS[part], LANE)

    def at(self, place: QPointF) -> tuple[int, str]:
        """Return row and part at a place in this widget, (-1, "") if there is none."""
        row = int((place.y() - 1) // LANE)
        if not 0 <= row <= len(self.layers) or not self.layers:
            return -1, ""
        for part in (EYE, SOLO, WEIGHT, TRACK):
            if self.part_rect(row, part).contains(place):
                return row, NAME if row == len(self.layers) and part != TRACK else part
        return row, NAME

    def key_near(self, row: int, x: float) -> int | None:
        """Return the frame of a layer's key near a place, or None."""
        if x < NAMES_WIDTH or not 0 <= row < len(self.layers) or not self.layers[row].keys:
            return None
        frames = np.array(self.layers[row].keys.frames, dtype=np.float64)
        k = int(np.argmin(np.abs(frames - self.model.exact_frame(x - NAMES_WIDTH))))
        return int(frames[k]) if abs(self.track_x(float(frames[k])) - x) <= _NEAR else None

    # -- painting ----------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_names_ground(painter)
        active = self.row_of(self.model.document.session.keys.layer)
        for row in range(len(self.layers) + 1):
            box = QRectF(0, 1 + row * LANE, self.width(), LANE)
            if row == active:
                painter.fillRect(box, style.color("acc_bg"))
                painter.fillRect(QRectF(0, box.top(), 2, LANE), style.color("accent"))
            elif row == self._over[0]:
                painter.fillRect(box, style.color("hover"))
        self.clip_tracks(painter)
        self.draw_grid(painter, self.height())
        painter.setClipping(False)
        painter.fillRect(QRectF(0, 0, self.width(), 1), style.color("line2"))
        seen = {layer.id for layer in acting(self.layers)}
        for row, layer in enumerate(self.layers):
            painter.setOpacity(1.0 if layer.id in seen or not layer.keys else 0.5)
            self._paint_lane(painter, row, layer, row == active)
        painter.setOpacity(1.0)
        self._paint_name(painter, len(self.layers), KEYS_NAME, active == len(self.layers))
        frames = [] if self.model.document.sequence is None else self.model.document.sequence.keys.frames
        self._paint_keys(painter, len(self.layers), frames, "text3")
        self.clip_tracks(painter)
        self.draw_playhead(painter)
        painter.end()

    def _paint_lane(self, painter: QPainter, row: int, layer: Layer, active: bool) -> None:
        painter.setClipping(False)
        eye = self.part_rect(row, EYE)
        square = QRectF(eye.center().x() - 7, eye.center().y() - 7, 14, 14)
        icons.paint(
            painter, "eye-off" if layer.muted else "eye", style.color("text3" if layer.muted else "text2"), square
        )
        painter.setFont(fonts.font(11, fonts.SEMIBOLD))
        painter.setPen(style.color("accent" if layer.solo else "text3"))
        painter.drawText(self.part_rect(row, SOLO), Qt.AlignmentFlag.AlignCenter, "S")
        weight = layer.weight_at(self.model.document.frame)
        shown = weight != 1.0 or bool(layer.weights) or self._over[0] == row  # else its name has the room
        self._paint_name(painter, row, layer.name, active, 0.0 if shown else _WIDTHS[WEIGHT] - 6.0)
        if shown:
            painter.setFont(fonts.font(11, fonts.REGULAR, tabular=True))
            painter.setPen(style.color("text2" if self._over == (row, WEIGHT) else "text3"))
            box = self.part_rect(row, WEIGHT).adjusted(0, 0, -6, 0)
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(box, flags, f"{100 * weight:.0f} %")
        self._paint_keys(painter, row, layer.keys.frames, "accent" if active else "text2")

    def _paint_name(self, painter: QPainter, row: int, name: str, active: bool, more: float = 0.0) -> None:
        painter.setClipping(False)
        font = fonts.font(12, fonts.MEDIUM if active else fonts.REGULAR)
        painter.setFont(font)
        painter.setPen(style.color("text" if active else "text2"))
        box = self.part_rect(row, NAME).adjusted(0, 0, more, 0)
        text = QFontMetricsF(font).elidedText(name, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_keys(self, painter: QPainter, row: int, frames: Iterable[int], token: str) -> None:
        places = np.array([self.track_x(float(frame)) for frame in frames])
        if not len(places):
            return
        middle = self.part_rect(row, TRACK).center().y()
        self.clip_tracks(painter)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(QRectF(places[0], round(middle), places[-1] - places[0], 1), style.color("line2"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.color(token))
        if len(places) > 2 and float(np.median(np.diff(places))) < _CLOSE:
            painter.drawRect(QRectF(places[0], middle - 2, places[-1] - places[0], 4))
        else:
            for x in places[(places > NAMES_WIDTH - _KEY) & (places < self.width() + _KEY)]:
                painter.drawPolygon(diamond(float(x), middle, _KEY))
        painter.setClipping(False)

    # -- mouse -------------------------------------------------------------------------------------------------------

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        row, part = self.at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or row < 0:
            return
        layers = self.model.document.layers
        layer = self.layers[row] if row < len(self.layers) else None
        if layer is None or part == NAME:
            layers.activate(None if layer is None else layer.id)
            return
        if part == EYE:
            layers.set(layer.id, muted=not layer.muted)
        elif part == SOLO:
            layers.set(layer.id, solo=not layer.solo)
        elif part == WEIGHT:
            self._begin(layer, WEIGHT, layer.weight_at(self.model.document.frame), event)
        else:
            layers.activate(layer.id)
            frame = self.key_near(row, event.position().x())
            if frame is not None:
                self.model.document.set_frame(frame)
                self._begin(layer, TRACK, float(frame), event)

    def _begin(self, layer: Layer, part: str, value: float, event: QMouseEvent) -> None:
        text = "Set weight of layer" if part == WEIGHT else "Move key of layer"
        self._gesture = self.model.document.layers.begin_gesture(layer.id, text)
        self._pressed, self._dragged = event.position(), (part, value)
        self._held = layer

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._gesture is None:
            self._hover(self.at(event.position()))
            return
        part, value = self._dragged
        by = event.position().x() - self._pressed.x()
        if part == WEIGHT:
            weight = round(min(max(value + by / _SLOW, 0.0), MOST_WEIGHT), 2)
            self._gesture.set(**self._weighed(self._held, weight))
        else:
            to = max(round(value + by / self.model.pixels), 0)
            self._gesture.move_keys({int(value): to})

    def _weighed(self, layer: Layer, weight: float) -> dict[str, Any]:
        """Return the values that give a layer a weight at the current frame: a key, if its weight is keyed."""
        if not layer.weights:
            return {"weight": weight}
        keys = {**dict(layer.weights), self.model.document.frame: weight}
        return {"weights": tuple(sorted(keys.items()))}

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.commit()

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row, part = self.at(event.position())
        if part == NAME and row < len(self.layers):
            self.rename(self.layers[row].id)
        elif part == WEIGHT and 0 <= row < len(self.layers):
            self.model.document.layers.set(self.layers[row].id, **self._weighed(self.layers[row], 1.0))
        else:
            self.mousePressEvent(event)

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._hover((-1, ""))
        super().leaveEvent(event)

    def _hover(self, over: tuple[int, str]) -> None:
        if over != self._over:
            self._over = over
            cursor = Qt.CursorShape.SizeHorCursor if over[1] == WEIGHT else Qt.CursorShape.PointingHandCursor
            self.setCursor(Qt.CursorShape.ArrowCursor if over[0] < 0 or over[1] == TRACK else cursor)
            self.update()

    def rename(self, id: str) -> None:
        """Let the person type another name of a layer."""
        layer = self.model.document.layers.get(id)
        if layer is None:
            return
        self._renamed = id
        self.field.show_text(layer.name)
        box = self.part_rect(self.row_of(id), NAME)
        self.field.setGeometry(QRect(round(box.left()) - 4, round(box.top()), round(box.width()) + 4, LANE))
        self.field.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.selectAll()

    def _rename(self, name: str) -> None:
        id, self._renamed = self._renamed, ""
        if id:
            self.model.document.layers.rename(id, name)

    # -- menu --------------------------------------------------------------------------------------------------------

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        row, _ = self.at(QPointF(event.pos()))
        frame = self.key_near(row, float(event.pos().x()))
        pop_up(make_menu(self, self.menu_items(row, frame)), event.globalPos())

    def menu_items(self, row: int, frame: int | None = None) -> list[Item]:
        """Return what the menu of a lane offers; ``frame`` is that of the key under the mouse."""
        document, layers = self.model.document, self.model.document.layers
        whole: list[Item] = [
            ("Add layer", layers.add, "plus"),
            ("Flatten all layers", layers.flatten, ""),
            ("Flatten, a key at every frame", partial(layers.flatten, True), ""),
        ]
        if not 0 <= row < len(self.layers):
            return whole
        layer, here = self.layers[row], document.frame
        place = layers.all.index(layer)
        selected = self._selected_channels()
        keyed = tuple(sorted({**dict(layer.weights), here: layer.weight_at(here)}.items()))
        own: list[Item] = [
            ("Rename", partial(self.rename, layer.id), "pencil"),
            ("Duplicate", partial(layers.duplicate, layer.id), "copy"),
        ]
        if place + 1 < len(layers.all):
            own.append(("Move up", partial(layers.reorder, layer.id, place + 1), ""))
        if place:
            own.append(("Move down", partial(layers.reorder, layer.id, place - 1), ""))
        own += [
            None,
            (f"Set key at frame {here}", partial(layers.set_key, layer.id), "key"),
            (f"Set zero key at frame {here}", partial(layers.set_key, layer.id, zero=True), ""),
        ]
        if frame is not None:
            own.append((f"Delete key at frame {frame}", partial(layers.delete_keys, layer.id, [frame]), "trash"))
        own.append((f"Key weight at frame {here}", self._setting(layer, weights=keyed), ""))
        if layer.weights:
            own.append(("Weight without keys", self._setting(layer, weights=(), weight=layer.weight_at(here)), ""))
        own.append(None)
        if selected:
            own.append(("Move only the selected parts", self._setting(layer, mask=selected), ""))
        if layer.mask is not None:
            own.append(("Move all parts", self._setting(layer, mask=None), ""))
        own += [
            ("Merge down", partial(layers.merge_down, layer.id), ""),
            ("Merge down, a key at every frame", partial(layers.merge_down, layer.id, True), ""),
            ("Delete layer", partial(layers.remove, layer.id), "trash"),
            None,
        ]
        return own + whole

    def _setting(self, layer: Layer, **values: Any) -> Callable[[], object]:
        return partial(self.model.document.layers.set, layer.id, **values)

    def _selected_channels(self) -> frozenset[str]:
        document = self.model.document
        joints = document.selection.joints
        if document.sequence is None or not joints:
            return frozenset()
        return frozenset(document.sequence.channels.of_joints(joints, place=True))

    def tip(self, position: QPointF) -> str:
        row, part = self.at(position)
        if row < 0:
            return ""
        if row == len(self.layers):
            return "The keys themselves\nClick to let edits of the pose go to them"
        layer = self.layers[row]
        if part == EYE:
            return "Let the layer act" if layer.muted else "Mute the layer"
        if part == SOLO:
            return "End solo" if layer.solo else "Let only this layer act, and others that are solo"
        if part == WEIGHT:
            return "How much of the layer is added\nDrag to change it; double-click for 100 %"
        parts = "all parts" if layer.mask is None else f"{len(layer.mask)} part{'s' * (len(layer.mask) != 1)}"
        count = len(layer.keys)
        told = f"{layer.name}: {count} key{'s' * (count != 1)}, {parts}"
        return f"{told}\nClick to let edits of the pose go to it; double-click to rename it"
