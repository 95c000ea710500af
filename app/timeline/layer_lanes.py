"""A lane for every layer of the sequence: whether it acts, its weight and its keys; the one posed on is marked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    LayersChanged,
    SequenceChanged,
    SessionChanged,
)
from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.timeline.canvas import TimelineCanvas, diamond
from app.timeline.layer_menu import menu_items
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.fields.name_field import NameField
from app.widgets.frames.menu import Item, make_menu, pop_up
from core.animation.layers.layer import MOST_WEIGHT, Layer
from core.animation.layers.motion import acting

if TYPE_CHECKING:
    from app.document.layers import LayerGesture, LayerKey, LayerKeysGesture
    from app.timeline.model import TimelineModel

LANE, TALL = 20, 34  # px; a lane whose name has a line of its own is tall
EYE, SOLO, WEIGHT, NAME, TRACK = "eye", "solo", "weight", "name", "track"
"""Parts of a lane: whether it acts, whether it acts alone, its weight, its name, its keys."""
_WIDTHS = {EYE: 21.0, SOLO: 17.0, WEIGHT: 42.0}
_LEFT = 2.0
_NAME_LEFT = _LEFT + _WIDTHS[EYE] + _WIDTHS[SOLO] + 2.0
_KEY, _CHOSEN_KEY, _CLOSE, _NEAR, _STILL = 7.0, 10.0, 3.0, 6.0, 3.0  # px
_MOST_NAMED = 3
_SLOW = 150.0  # px for the whole weight
_KINDS = (FigureChanged, FileChanged, LayersChanged, SequenceChanged)
KEYS_NAME = "Keys"


class LayerLanes(TimelineCanvas):
    """The lanes of all layers, the topmost first, and under them that of the keys; hidden while there is no layer.

    A click on a name makes a layer the one that edits of the pose go to; the eye mutes it, S lets it act alone, a drag
    of its weight sets that. Keys are selected by clicks and boxes, over several lanes too, and dragged together; a
    right click offers the rest. A name that has no room beside a weight has a line of its own.
    """

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.layers: tuple[Layer, ...] = ()
        self._over: tuple[int, str] = (-1, "")
        self._gesture: LayerGesture | None = None
        self._pressed = QPointF()
        self._value = 0.0  # of the weight, at press
        self._moving: tuple[LayerKeysGesture, frozenset[LayerKey], int] | None = None
        self._box: QRectF | None = None
        self._kept: frozenset[LayerKey] = frozenset()  # what was selected before the box
        self._row = -1  # where it began
        self._heights = [LANE]
        self._chosen: frozenset[LayerKey] = frozenset()  # what was selected when it was painted
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
        elif isinstance(change, SessionChanged) and change.name in ("active_layer", "layer_keys", "selected_keys"):
            self.update()

    def show_document(self) -> None:
        """Show the layers there are now."""
        self.layers = tuple(reversed(self.model.document.layers.all))
        self.setHidden(not self.layers)
        self._fit()
        told = (f"{layer.name}: {len(layer.keys)} keys, weight {layer.weight:.0%}" for layer in self.layers)
        self.setAccessibleDescription(", ".join(told))
        self.update()

    def _fit(self) -> None:
        """Give each lane the height that its name needs; not while a weight is dragged, which would jump."""
        if self._gesture is not None and len(self._heights) == len(self.layers) + 1:
            return
        heights = [TALL if self._needs_two_lines(layer) else LANE for layer in self.layers]
        if [*heights, LANE] != self._heights:
            self._heights = [*heights, LANE]
            self.setFixedHeight(self.sizeHint().height())
            self.updateGeometry()
            self.update()

    def _shows_weight(self, layer: Layer) -> bool:
        """Return whether a weight is always shown, not only with the mouse over it."""
        return bool(layer.weights) or layer.weight != 1.0

    def _needs_two_lines(self, layer: Layer) -> bool:
        wide = QFontMetricsF(fonts.font(12, fonts.MEDIUM)).horizontalAdvance(layer.name)
        return self._shows_weight(layer) and wide > NAMES_WIDTH - _WIDTHS[WEIGHT] - _NAME_LEFT

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, sum(self._heights) + 1 if self.layers else 1)

    def height_of(self, most: int) -> int:
        """Return the height of the uppermost lanes, so many at most, and of that of the keys, [px]."""
        return sum(self._heights[:-1][:most]) + LANE if self.layers else 0

    # -- places ------------------------------------------------------------------------------------------------------

    def row_of(self, id: str | None) -> int:
        """Return the row of a layer, with None that of the keys."""
        return next((row for row, layer in enumerate(self.layers) if layer.id == id), len(self.layers))

    def part_rect(self, row: int, part: str) -> QRectF:
        """Return where a part of a lane stands, [px]."""
        top, height = 1.0 + sum(self._heights[:row]), self._heights[row]
        two = height == TALL
        left = {EYE: _LEFT, SOLO: _LEFT + _WIDTHS[EYE], WEIGHT: NAMES_WIDTH - _WIDTHS[WEIGHT]}
        if part == NAME:
            end = NAMES_WIDTH - 2.0 if two or row == len(self.layers) else left[WEIGHT]
            return QRectF(_NAME_LEFT, top + 1.0 * two, end - _NAME_LEFT, LANE - 2.0 * two)
        if part == TRACK:
            return QRectF(NAMES_WIDTH, top, self.width() - NAMES_WIDTH, height)
        if part == WEIGHT and two:
            return QRectF(_NAME_LEFT, top + LANE - 3.0, NAMES_WIDTH - _NAME_LEFT, TALL - LANE + 3.0)
        return QRectF(left[part], top, _WIDTHS[part], height if part != WEIGHT else LANE)

    def at(self, place: QPointF) -> tuple[int, str]:
        """Return row and part at a place in this widget, (-1, "") if there is none."""
        edges = 1.0 + np.cumsum([0, *self._heights])
        row = int(np.searchsorted(edges, place.y(), side="right")) - 1
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
            box = self.part_rect(row, TRACK)
            box.setLeft(0.0)
            if row == active:
                painter.fillRect(box, style.color("acc_bg"))
                painter.fillRect(QRectF(0, box.top(), 2, box.height()), style.color("accent"))
            elif row == self._over[0]:
                painter.fillRect(box, style.color("hover"))
        self.clip_tracks(painter)
        self.draw_grid(painter, self.height())
        painter.setClipping(False)
        painter.fillRect(QRectF(0, 0, self.width(), 1), style.color("line2"))
        seen, self._chosen = {layer.id for layer in acting(self.layers)}, self.model.document.layers.selected
        for row, layer in enumerate(self.layers):
            painter.setOpacity(1.0 if layer.id in seen or not layer.keys else 0.5)
            self._paint_lane(painter, row, layer, row == active)
        painter.setOpacity(1.0)
        self._paint_name(painter, len(self.layers), KEYS_NAME, active == len(self.layers))
        frames = [] if self.model.document.sequence is None else self.model.document.sequence.keys.frames
        self._paint_keys(painter, len(self.layers), frames, "text3")
        self.clip_tracks(painter)
        self.draw_playhead(painter)
        if self._box is not None:
            self.draw_box(painter, self._box)
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
        over = self._over == (row, WEIGHT)
        shown = self._shows_weight(layer) or over  # else its name has the room
        self._paint_name(painter, row, layer.name, active, 0.0 if shown else _WIDTHS[WEIGHT] - 6.0)
        if shown:
            painter.setFont(fonts.font(11, fonts.REGULAR, tabular=True))
            painter.setPen(style.color("text2" if over else "text3"))
            side = Qt.AlignmentFlag.AlignLeft if self._heights[row] == TALL else Qt.AlignmentFlag.AlignRight
            box = self.part_rect(row, WEIGHT).adjusted(0, 0, -6, 0)
            weight = layer.weight_at(self.model.document.frame)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | side, f"{100 * weight:.0f} %")
        frames = layer.keys.frames
        self._paint_keys(painter, row, frames, "text2")
        self._paint_chosen(painter, row, [frame for frame in frames if (layer.id, frame) in self._chosen])

    def _paint_chosen(self, painter: QPainter, row: int, frames: Iterable[int]) -> None:
        """Paint selected keys over the others: as large as those of the dope sheet, with a rim."""
        middle, now = self.part_rect(row, TRACK).center().y(), self.model.document.frame
        self.clip_tracks(painter)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for frame in frames:
            painter.setPen(QPen(style.color("input"), 1.0))
            painter.setBrush(style.color("accent" if frame == now else "text"))
            painter.drawPolygon(diamond(self.track_x(float(frame)), middle, _CHOSEN_KEY))
        painter.setClipping(False)

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
        if part == TRACK:
            self._press_track(layer, row, event)
        elif layer is None or part == NAME:
            layers.activate(None if layer is None else layer.id)
        elif part == EYE:
            layers.set(layer.id, muted=not layer.muted)
        elif part == SOLO:
            layers.set(layer.id, solo=not layer.solo)
        elif part == WEIGHT:
            self._pressed, self._held = event.position(), layer
            self._value = layer.weight_at(self.model.document.frame)
            self._gesture = layers.begin_gesture(layer.id, "Set weight of layer")

    def _press_track(self, layer: Layer | None, row: int, event: QMouseEvent) -> None:
        """Select the key under the mouse and begin to move what is selected, or begin a box on empty ground."""
        layers, modifiers = self.model.document.layers, event.modifiers()
        frame, chosen = self.key_near(row, event.position().x()), layers.selected
        extend = bool(modifiers & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier))
        self._pressed = event.position()
        if layer is None or frame is None:
            self._box, self._kept = QRectF(self._pressed, self._pressed), chosen if extend else frozenset()
            self._row = row
            return
        key = (layer.id, frame)
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            layers.select(chosen ^ {key})
            return
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            own = [other for id, other in chosen if id == layer.id]
            first, last = min([frame, *own]), max([frame, *own])
            layers.select(chosen | {(layer.id, each) for each in layer.keys.frames if first <= each <= last})
            return
        if key not in chosen:
            layers.select([key])
        layers.activate(layer.id)
        self.model.document.set_frame(frame)
        self._moving = layers.begin_moving(layers.selected), layers.selected, 0

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        by = event.position() - self._pressed
        if self._gesture is not None:
            weight = round(min(max(self._value + by.x() / _SLOW, 0.0), MOST_WEIGHT), 2)
            self._gesture.set(**self._weighed(self._held, weight))
        elif self._moving is not None:
            gesture, chosen, shown = self._moving
            wanted = max(round(by.x() / self.model.pixels), -min(frame for _, frame in chosen))
            if wanted != shown and gesture.move(chosen, wanted):
                self._moving = gesture, chosen, wanted
                self.model.document.session.keys.layer_keys = frozenset((id, frame + wanted) for id, frame in chosen)
        elif self._box is not None:
            self._box = QRectF(self._pressed, event.position()).normalized()
            if max(self._box.width(), self._box.height()) > _STILL:
                self.model.document.layers.select(self._kept | self.keys_in(self._box))
            self.update()
        else:
            self._hover(self.at(event.position()))

    @property
    def busy(self) -> bool:
        """Whether the mouse drags something."""
        return not (self._gesture is None and self._moving is None and self._box is None)

    def keys_in(self, box: QRectF) -> frozenset[LayerKey]:
        """Return the keys of layers whose middles are in a box in this widget."""
        found: set[LayerKey] = set()
        for row, layer in enumerate(self.layers):
            lane = self.part_rect(row, TRACK)
            if box.top() <= lane.bottom() and box.bottom() >= lane.top():
                inside = (frame for frame in layer.keys.frames if box.left() <= self.track_x(frame) <= box.right())
                found.update((layer.id, frame) for frame in inside)
        return frozenset(found)

    def _weighed(self, layer: Layer, weight: float) -> dict[str, Any]:
        """Return the values that give a layer a weight at the current frame: a key, if its weight is keyed."""
        if not layer.weights:
            return {"weight": weight}
        keys = {**dict(layer.weights), self.model.document.frame: weight}
        return {"weights": tuple(sorted(keys.items()))}

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        gesture, self._gesture = self._gesture, None
        moving, self._moving = self._moving, None
        box, self._box = self._box, None
        if gesture is not None:
            gesture.commit()
            self._fit()
        elif moving is not None:
            moving[0].commit()
        elif box is not None and max(box.width(), box.height()) <= _STILL:
            layers = self.model.document.layers
            layers.select(self._kept)
            layers.activate(self.layers[self._row].id if self._row < len(self.layers) else None)
        self.update()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        layers, key = self.model.document.layers, event.key()
        chosen = layers.selected
        if key == Qt.Key.Key_Escape and self._cancel():
            return
        if key == Qt.Key.Key_Escape and chosen:
            layers.select(())
        else:
            super().keyPressEvent(event)

    def _cancel(self) -> bool:
        """Give up what the mouse is doing; return whether it was doing something."""
        was_busy = self.busy
        moving, self._moving = self._moving, None
        gesture, self._gesture = self._gesture, None
        box, self._box = self._box, None
        if moving is not None:
            moving[0].cancel()
            self.model.document.session.keys.layer_keys = moving[1]
        if gesture is not None:
            gesture.cancel()
        if box is not None:
            self.model.document.layers.select(self._kept)
        self.update()
        return was_busy

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row, part = self.at(event.position())
        if part == NAME and row < len(self.layers):
            self.rename(self.layers[row].id)
        elif part == WEIGHT and 0 <= row < len(self.layers):
            self.model.document.layers.set(self.layers[row].id, **self._weighed(self.layers[row], 1.0))
        elif part != TRACK:
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
        frame, layers = self.key_near(row, float(event.pos().x())), self.model.document.layers
        if frame is not None and (self.layers[row].id, frame) not in layers.selected:
            layers.select([(self.layers[row].id, frame)])
        pop_up(make_menu(self, self.menu_items(row, frame)), event.globalPos())

    def menu_items(self, row: int, frame: int | None = None) -> list[Item]:
        """Return what the menu of a lane offers; ``frame`` is that of the key under the mouse."""
        layer = self.layers[row] if 0 <= row < len(self.layers) else None
        layers = self.model.document.layers
        count, own = len(layers.selected), list[Item]()
        if frame is not None and layer is not None and (layer.id, frame) in layers.selected:
            what = "key" if count == 1 else f"{count} keys"
            own = [
                (f"Cut {what}", layers.cut, ""),
                (f"Copy {what}", layers.copy, "copy"),
                (f"Delete {what}", layers.delete_selected, "trash"),
            ]
        return menu_items(self.model.document, layer, frame, self.rename, own)

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
        parts = "all parts" if layer.mask is None else f"only {_listed(layer)}"
        count = len(layer.keys)
        told = f"{layer.name}: {count} key{'s' * (count != 1)}, {parts}"
        if part == TRACK:
            return f"{told}\nDrag to select keys; Del deletes them, Ctrl+C and Ctrl+V copy them"
        return f"{told}\nClick to let edits of the pose go to it; double-click to rename it"


def _listed(layer: Layer) -> str:
    """Return the parts that a layer moves, the first ones by name."""
    names = [name or "place" for name in layer.keys.channels.names if layer.takes(name)]
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
