"""Numbers keyed over time as curves below the rows of the Dynamics tab: the mouse makes, drags and removes keys.

What the numbers are a kind of band says: the torques of a strip, or how active muscles are (Welman 2.3.1).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QMenu, QSizePolicy

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.timeline.band_mouse import DRAG_DISTANCE
from app.timeline.canvas import TimelineCanvas
from app.timeline.curves.paint import draw_curve, draw_hint, draw_marks, draw_tag, number_text
from app.timeline.curves.scale import ValueScale
from app.timeline.curves.view import one_axis
from app.timeline.model import TimelineModel
from app.timeline.selected_keys import SNAP
from app.timeline.strips.times import snapped
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.behaviour.base import draw_focus_ring
from app.widgets.behaviour.gesture import FINE
from app.widgets.behaviour.own_keys import means
from app.widgets.frames.menu import pop_up
from app.words.quantity import Quantity
from core.keyed_curves.keys import Keys, with_key, without_key

LEAST, HEIGHT, MOST = 66, 96, 150
"""Heights it may have, and the one it likes, [px]."""
REACH = 8.0
"""How far from a key it is grabbed, [px]."""
CATCH = 4.0
"""How near a value sticks to 0 and to those of the keys beside it, [px]."""
EDGE = 11.0
"""What curves keep from the upper and lower edge, [px]."""
_ROUND = (1.0, 2.0, 5.0, 10.0)
_CONTROL = Qt.KeyboardModifier.ControlModifier
TITLE_TOP, LINE, LEFT = 5.0, 15.0, 12.0


class KeyedCurve(Protocol):
    """A number that is keyed over time."""

    @property
    def keys(self) -> Keys:
        """Frame, counted from where the curve begins, and value of each key, in order."""

    def at(self, frame: float) -> float:
        """Return the value at a frame."""


class KeysGesture(Protocol):
    """A live edit of the keys of one curve."""

    @property
    def active(self) -> bool:
        """Whether it still goes on."""

    def show(self, keys: Keys) -> object:
        """Show other keys."""

    def commit(self) -> object:
        """End as one undo step."""

    def cancel(self) -> None:
        """Give it up."""


@dataclass(frozen=True)
class CurveRow:
    """A number that can be keyed.

    Attributes:
        number: By which the band knows it.
        name: What it is called.
        quantity: Its unit.
        token: Colour of its curve.
        curve: Its keys; None while it has none.
        usual: What it is without keys.
    """

    number: int
    name: str
    quantity: Quantity
    token: str
    curve: KeyedCurve | None
    usual: float = 0.0

    def at(self, frame: float) -> float:
        """Return its value at a frame counted from where curves begin."""
        return self.usual if self.curve is None else self.curve.at(frame)


class CurveKey(NamedTuple):
    """A key of a curve.

    Attributes:
        number: Of the row.
        frame: Counted from where the curve begins.
    """

    number: int
    frame: float


class CurveDrag:
    """A key on its way, from press to release.

    Args:
        band: The band.
        key: The key.
        press: Where it was pressed, [px].
    """

    def __init__(self, band: CurveBand, key: CurveKey, press: QPointF):
        span, row = band.span, band.row(key.number)
        assert span is not None and row is not None and row.curve is not None
        self.band, self.key, self.press = band, key, press
        self._row, self._keys, self._start = row, row.curve.keys, span[0]
        self._unit, self._room = band.scale.unit, band.values_span()  # as at press, whatever the drag makes room for
        self._value = row.at(key.frame)
        self.now = key
        self.value = self._value
        frames = [frame for frame, _ in self._keys]
        place = frames.index(key.frame)
        last = span[1] - span[0]
        self._first = frames[place - 1] + 1.0 if place else min(0.0, key.frame)
        self._last = frames[place + 1] - 1.0 if place + 1 < len(frames) else max(last, key.frame)
        self._catches = [0.0, self._value, *(value for frame, value in self._keys if frame != key.frame)]
        self._places = [*band.model.frames.tolist(), band.model.document.frame, self._start + round(key.frame)]
        self._places += [
            self._start + round(frame) for row in band.rows if row.curve is not None for frame, _ in row.curve.keys
        ]
        self._gesture = band.gesture(row)

    @property
    def active(self) -> bool:
        """Whether it is under way; undo or another edit may have ended it."""
        return bool(self._gesture.active)

    def move(self, position: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Show what a drag to a point makes of the key: Shift goes along one axis, Ctrl is fine and sticks nowhere."""
        band, fine = self.band, bool(modifiers & _CONTROL)
        dx, dy = one_axis(position - self.press, modifiers)
        frame = self._start + self.key.frame + dx / band.model.pixels
        if dx:
            frame = float(round(frame) if fine else snapped(frame, self._places, SNAP / band.model.pixels))
        value = self._value - dy * self._unit * (FINE if fine else 1.0)
        near = min(self._catches, key=lambda each: abs(each - value))
        if not fine and abs(near - value) <= CATCH * self._unit:
            value = near
        elif dy:
            value = band.rounded(value, FINE if fine else 1.0)
        self.show(frame - self._start, value)

    def show(self, frame: float, value: float) -> None:
        """Show the key at a frame, counted from where the curve begins, and a value, both as near as may be."""
        least, most = self.band.limits
        self.value = min(max(value, least), most)
        self.band.fit(self._room, self.value)
        self.now = CurveKey(self.key.number, min(max(frame, self._first), self._last))
        self._gesture.show(with_key(without_key(self._keys, self.key.frame), self.now.frame, self.value))

    def tag(self) -> str:
        """Return what stands beside the key."""
        return f"{self._row.name} {self._row.quantity.text(self.value)}\nFrame {self._start + self.now.frame:g}"

    def drop(self) -> None:
        """End it as one undo step."""
        self._gesture.commit()

    def cancel(self) -> None:
        """Give it up."""
        self._gesture.cancel()


class CurveBand(TimelineCanvas):
    """Curves of some numbers on the scale of the tracks; their names are at the left, and one of them is chosen.

    A double click makes a key of the chosen one, a drag moves one.

    Args:
        model: The timeline's scale and keys.

    Attributes:
        title: What the numbers are, in a word.
        hint: What stands there while nothing is keyed.
        limits: Least and largest value.
        usual_shown: Whether what is not keyed has a line too, where it stands all the time.
    """

    usual_shown: ClassVar[bool] = False
    title: ClassVar[str]
    hint: ClassVar[str]
    limits: ClassVar[tuple[float, float]]

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.scale = ValueScale()
        self.drag: CurveDrag | None = None
        self.chosen: CurveKey | None = None
        self._number = 0
        self._pressed: tuple[CurveKey, QPointF] | None = None
        self._hover: CurveKey | None = None
        self._of: object = None  # what is shown
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(LEAST)
        self.setMaximumHeight(MOST)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # -- what kinds differ in ---------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def rows(self) -> tuple[CurveRow, ...]:
        """The numbers that can be keyed; () while there is nothing to show."""

    @property
    @abstractmethod
    def span(self) -> tuple[float, float] | None:
        """Frames over which they act: where curves begin, and the end, infinite for none; None without rows."""

    @property
    @abstractmethod
    def shown(self) -> object:
        """What the rows are of: what is chosen starts anew where that is another; None for nothing."""

    @property
    def caption(self) -> str:
        """What stands under the title."""
        return ""

    @abstractmethod
    def values_span(self) -> tuple[float, float]:
        """Return the least and the largest value to be seen."""

    @abstractmethod
    def gesture(self, row: CurveRow) -> KeysGesture:
        """Begin a live edit of a row's keys."""

    @abstractmethod
    def put(self, row: CurveRow, frame: int, value: float, gesture: int) -> None:
        """Key a value at a frame of the sequence, as one step."""

    @abstractmethod
    def remove(self, key: CurveKey) -> None:
        """Remove a key, as one step."""

    @abstractmethod
    def menu(self, row: CurveRow, frame: int) -> QMenu:
        """Return the menu of a row at a frame of the sequence."""

    def first_chosen(self) -> int:
        """Return the number of the row that is chosen at first: the first one that is keyed."""
        return next((row.number for row in self.rows if row.curve is not None), 0)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    # -- what is shown --------------------------------------------------------------------------------------------

    def row(self, number: int | None = None) -> CurveRow | None:
        """Return a row, the one that is chosen unless another is given."""
        wanted = self._number if number is None else number
        return next((row for row in self.rows if row.number == wanted), None)

    @property
    def start(self) -> float:
        """Frame at which curves begin."""
        return 0.0 if self.span is None else self.span[0]

    def take_change(self) -> None:
        """Show what the document says now."""
        if self.drag is not None and not self.drag.active:  # undo, or another edit, has ended it
            self.drag = None
        shown = self.shown
        if shown != self._of:
            self._of, self.chosen, self._hover = shown, None, None
            self._number = self.first_chosen()
        if self.chosen is not None and self.drag is None and self._value_of(self.chosen) is None:
            self.chosen = None
        if self.drag is None:
            self.fit()
        self._describe()
        self.update()

    def fit(self, span: tuple[float, float] | None = None, value: float = 0.0) -> None:
        """Show all keys, and 0.

        Args:
            span: Least and largest value to be seen; None for those of the keys.
            value: One that is to be seen as well: what is shown grows about 0 until it is.
        """
        self.scale.height = float(self.height())
        low, high = self.values_span() if span is None else span
        edge = high if value > 0.0 else low
        if abs(value) > abs(edge) > 0.0:
            low, high = low * value / edge, high * value / edge
        self.scale.middle = 0.5 * (low + high)
        self.scale.unit = max(high - low, 1e-3) / max(self.height() - 2.0 * EDGE, 20.0)

    def _value_of(self, key: CurveKey) -> float | None:
        row = self.row(key.number)
        keys = () if row is None or row.curve is None else row.curve.keys
        return next((value for frame, value in keys if frame == key.frame), None)

    def _describe(self) -> None:
        row, key = self.row(), self.chosen
        words = ""
        if row is not None:
            count = 0 if row.curve is None else len(row.curve.keys)
            words = f"{row.name}, {count} key{'s' * (count != 1)}"
            value = None if key is None else self._value_of(key)
            if key is not None and value is not None:
                words = f"{row.name}, {row.quantity.say(value)} at frame {self.start + key.frame:g}"
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    # -- what lies where ------------------------------------------------------------------------------------------

    def place(self, frame: float, value: float) -> QPointF:
        """Return where a value at a frame, counted from where curves begin, lies."""
        return QPointF(self.track_x(self.start + frame), self.scale.y(value))

    def key_at(self, position: QPointF) -> CurveKey | None:
        """Return the key at a point; of several the nearest, those of the chosen row first."""
        if position.x() < NAMES_WIDTH:
            return None
        found = []
        for row in self.rows:
            for frame, value in () if row.curve is None else row.curve.keys:
                away = self.place(frame, value) - position
                far = math.hypot(away.x(), away.y())
                if far <= REACH:
                    found.append((row.number != self._number, far, CurveKey(row.number, frame)))
        return min(found)[2] if found else None

    def rounded(self, value: float, finer: float = 1.0) -> float:
        """Return a value in whole steps, of which one is about a pixel high."""
        least = self.scale.unit * finer
        power = 10.0 ** math.floor(math.log10(least))
        step = next(power * each for each in _ROUND if power * each >= least * (1.0 - 1e-9))
        return float(round(round(value / step) * step, 9))

    def _inside(self, position: QPointF) -> float | None:
        """Return the frame at a point, counted from where curves begin; None where they do not act."""
        span = self.span
        if span is None or position.x() < NAMES_WIDTH:
            return None
        frame = self.model.frame_at(position.x() - NAMES_WIDTH)
        return float(frame - span[0]) if span[0] <= frame <= span[1] else None

    def _name_at(self, position: QPointF) -> CurveRow | None:
        if position.x() >= NAMES_WIDTH:
            return None
        return next((row for row, top, step in self._names() if top <= position.y() < top + step), None)

    @property
    def _high(self) -> bool:
        """Whether there is room for the caption."""
        return bool(self.caption) and self.height() >= 2.0 * TITLE_TOP + 2.0 * LINE + 15.0 * len(self.rows)

    def _names(self) -> list[tuple[CurveRow, float, float]]:
        """Return the rows at the left, with where each begins and its height, [px]."""
        rows = self.rows
        top = TITLE_TOP + (2.0 * LINE if self._high else LINE) + 1.0
        step = min((self.height() - top - 3.0) / max(len(rows), 1), 19.0)
        return [(row, top + k * step, step) for k, row in enumerate(rows)]

    # -- mouse ----------------------------------------------------------------------------------------------------

    @property
    def dragging(self) -> bool:
        return self.drag is not None or super().dragging

    def choose(self, number: int, key: CurveKey | None = None) -> None:
        """Choose a row, and a key of it."""
        self._number, self.chosen = number, key
        self._describe()
        self.update()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if event.button() != Qt.MouseButton.LeftButton or self.drag is not None:
            super().mousePressEvent(event)
            return
        name = self._name_at(position)
        if position.x() < NAMES_WIDTH:
            if name is not None:
                self.choose(name.number)
            return
        key = self.key_at(position)
        if key is not None:
            self.choose(key.number, key)
            self._pressed = key, position
            return
        self.choose(self._number)
        if self._inside(position) is None:
            super().mousePressEvent(event)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._pressed is not None and self.drag is None:
            key, press = self._pressed
            away = position - press
            if max(abs(away.x()), abs(away.y())) < DRAG_DISTANCE:
                return
            self._pressed = None
            self.drag = CurveDrag(self, key, press)
        if self.drag is None:
            if event.buttons() == Qt.MouseButton.NoButton:
                hover = self.key_at(position)
                if hover != self._hover:
                    self._hover = hover
                    self.update()
            super().mouseMoveEvent(event)
        elif self.drag.active:
            self.drag.move(position, event.modifiers())
            self.chosen = self.drag.now
            self.update()

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        drag, pressed = self.drag, self._pressed
        self.drag = self._pressed = None
        if drag is not None:
            if drag.active:
                drag.drop()
            self.take_change()
        elif pressed is None:
            super().mouseReleaseEvent(event)
        self.show_cursor(event.position())

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        position, row = event.position(), self.row()
        frame = self._inside(position)
        if event.button() != Qt.MouseButton.LeftButton or row is None or position.x() < NAMES_WIDTH:
            super().mouseDoubleClickEvent(event)
        elif self.key_at(position) is not None:
            self.mousePressEvent(event)
        elif frame is not None:
            self.add(frame, self.rounded(self.scale.value(position.y())))
            self._pressed = None if self.chosen is None else (self.chosen, position)

    def add(self, frame: float, value: float) -> None:
        """Key a value of the chosen row at a frame counted from where curves begin."""
        row = self.row()
        if row is None:
            return
        at, value = round(self.start + frame), min(max(value, self.limits[0]), self.limits[1])
        self.put(row, at, value, self.model.document.gesture_id())
        self.choose(row.number, CurveKey(row.number, float(at - self.start)))
        self.model.document.say("info", f"{row.name}: {row.quantity.text(value)} at frame {at}")

    def cancel(self) -> None:
        """Give up the drag under way."""
        drag, self.drag, self._pressed = self.drag, None, None
        if drag is not None:
            drag.cancel()
            self.chosen = drag.key
            self.edge.give_back()
            self.model.document.say("info", "Cancelled")
            self.take_change()

    def key_under(self, position: QPointF) -> int | None:
        return None  # keys of the figure are in the rows above

    def show_cursor(self, position: QPointF) -> None:
        shape = Qt.CursorShape.ArrowCursor
        if self.key_at(position) is not None:
            shape = Qt.CursorShape.SizeAllCursor
        elif self._inside(position) is not None:
            shape = Qt.CursorShape.CrossCursor
        self.setCursor(shape)

    def tip(self, position: QPointF) -> str:
        if self.drag is not None:
            return ""
        name, key = self._name_at(position), self.key_at(position)
        if name is not None:
            return f"{name.name}: a double click on the curve makes a key"
        row = None if key is None else self.row(key.number)
        if key is None or row is None:
            return ""
        return f"{row.name} {row.quantity.text(row.at(key.frame))}\nFrame {self.start + key.frame:g}"

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.drag is not None or not self.rows:
            return
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            key, frame = self.chosen, float(self.model.document.frame - self.start)
            place = self.mapToGlobal(self.rect().center())
        else:
            key, place = self.key_at(QPointF(event.pos())), event.globalPos()
            inside = self._inside(QPointF(event.pos()))
            if inside is None and key is None:
                return
            frame = 0.0 if inside is None else inside
        if key is not None:
            self.choose(key.number, key)
            frame = key.frame
        row = self.row()
        if row is not None:
            pop_up(self.menu(row, round(self.start + frame)), place)

    # -- keyboard -------------------------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            return self.drag is not None or self.chosen is not None
        return self.drag is None and self.chosen is not None and means(event, "delete_selected_keys")

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape gives up a drag, or chooses no key; the key that deletes keys removes the chosen one."""
        if not self.takes(event):
            super().keyPressEvent(event)
        elif event.key() != Qt.Key.Key_Escape:
            if self.chosen is not None:
                self.remove(self.chosen)
        elif self.drag is not None:
            self.cancel()
        else:
            self.choose(self._number)

    def add_here(self) -> str:
        """Key the value that the chosen row has at the playhead; return what the status line is to say."""
        span, row, frame = self.span, self.row(), self.model.document.frame
        if span is None or row is None:
            return "There is nothing to key here"
        if not span[0] <= frame <= span[1]:
            return f"Frame {frame} is outside the strip"
        self.add(float(frame - span[0]), row.at(float(frame - span[0])))
        return ""

    def step(self, frames: int, rise: float) -> str:
        """Move the chosen key by some frames, and up by some steps; return what the status line is to say."""
        chosen = self.chosen
        row = None if chosen is None else self.row(chosen.number)
        value = None if chosen is None else self._value_of(chosen)
        if chosen is None or row is None or value is None:
            return ""
        drag = CurveDrag(self, chosen, QPointF())
        drag.show(chosen.frame + frames, round(value + rise * row.quantity.step, 9))
        drag.drop()
        self.chosen = drag.now
        self.take_change()
        return drag.tag().replace("\nFrame", " at frame")

    # -- painting -------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_names_ground(painter, "panel", "input")
        if self.scale.height != self.height() and self.drag is None:
            self.fit()
        self._paint_names(painter)
        self.clip_tracks(painter)
        self._paint_ground(painter)
        for each in sorted(self.rows, key=lambda row: row.number == self._number):
            self._paint_curve(painter, each)
        self._paint_axis(painter)
        self.draw_playhead(painter)
        row, room = self.row(), QRectF(NAMES_WIDTH, 0, self.width() - NAMES_WIDTH, self.height())
        if row is not None and all(each.curve is None for each in self.rows):
            draw_hint(painter, self.hint, room)
        if self.drag is not None and row is not None:
            at = self.place(self.drag.now.frame, self.drag.value)
            draw_tag(painter, self.drag.tag(), at, room.adjusted(2, 2, -2, -2), row.token)
        painter.setClipping(False)
        painter.fillRect(QRectF(0, 0, self.width(), 1), style.color("line2"))
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.rect()))
        painter.end()

    def _paint_names(self, painter: QPainter) -> None:
        span = self.span
        if span is None:
            return
        title, font = fonts.font(fonts.BODY, fonts.SEMIBOLD), fonts.font(fonts.SECONDARY, tabular=True)
        room, flags = NAMES_WIDTH - LEFT - 8.0, Qt.AlignmentFlag.AlignVCenter
        painter.setFont(title)
        painter.setPen(style.color("text"))
        painter.drawText(QRectF(LEFT, TITLE_TOP, room, LINE), flags, self.title)
        painter.setFont(font)
        metrics, chosen = QFontMetricsF(font), self.row()
        frame = float(self.model.document.frame - span[0])
        inside = 0.0 <= frame <= span[1] - span[0]
        if chosen is not None and chosen.curve is not None and inside:
            painter.setPen(style.color("text2"))
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(LEFT, TITLE_TOP, room, LINE), right, chosen.quantity.text(chosen.at(frame)))
        if self._high:
            painter.setPen(style.color("text3"))
            name = metrics.elidedText(self.caption, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(LEFT, TITLE_TOP + LINE, room, LINE), flags, name)
        for row, top, step in self._names():
            active = row.number == self._number
            if active and len(self.rows) > 1:
                painter.fillRect(QRectF(0, top, NAMES_WIDTH - 1, step), style.mix("panel", "acc_bg", 0.7))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(style.color(row.token))
            painter.drawEllipse(QPointF(LEFT + 3.5, top + step / 2.0), 3.5, 3.5)
            painter.setPen(style.color("text" if active else "text2"))
            left, space = LEFT + 13.0, room - 13.0
            name = metrics.elidedText(row.name, Qt.TextElideMode.ElideRight, space)
            painter.drawText(QRectF(left, top, space + 4.0, step), flags, name)

    def _paint_ground(self, painter: QPainter) -> None:
        span, height = self.span, float(self.height())
        self.draw_grid(painter, height)
        _, ticks = self.scale.ticks()
        for value in ticks.tolist():
            token = "line2" if value == 0.0 else "line"
            painter.fillRect(QRectF(NAMES_WIDTH, round(self.scale.y(value)), self.width(), 1), style.color(token))
        if span is None:
            return
        left = max(self.track_x(span[0]), float(NAMES_WIDTH))
        right = float(self.width()) if math.isinf(span[1]) else min(self.track_x(span[1]), float(self.width()))
        painter.setOpacity(0.1)
        painter.fillRect(QRectF(left, 0, max(right - left, 0.0), height), style.color("dyn"))
        painter.setOpacity(1.0)

    def _paint_curve(self, painter: QPainter, row: CurveRow) -> None:
        span, active = self.span, row.number == self._number
        if span is None:
            return
        if row.curve is None:
            if self.usual_shown:
                y, left = self.scale.y(row.usual), max(self.track_x(span[0]), float(NAMES_WIDTH))
                right = float(self.width()) if math.isinf(span[1]) else min(self.track_x(span[1]), float(self.width()))
                painter.setPen(QPen(style.color(row.token), 2.0 if active else 1.2, Qt.PenStyle.DashLine))
                painter.drawLine(QPointF(left, y), QPointF(max(left, right), y))
            return
        first, last = self.model.visible()
        begin, end = max(0.0, first - span[0]), min(last, span[1]) - span[0]
        if end > begin:
            count = max(int((end - begin) * self.model.pixels / 2.0), 2)
            frames = np.linspace(begin, end, min(count, 2000) + 1)
            ys = self.scale.ys(np.array([row.curve.at(frame) for frame in frames.tolist()]))
            draw_curve(painter, NAMES_WIDTH + self.model.xs(span[0] + frames), ys, style.color(row.token),
                       width=2.0 if active else 1.2)  # fmt: skip
        ratio = self.devicePixelRatioF()
        for frame, value in row.curve.keys:
            key, at = CurveKey(row.number, frame), self.place(frame, value)
            large = key in (self.chosen, self._hover)
            draw_marks(painter, np.array([at.x()]), np.array([at.y()]), row.token, large, False, ratio)

    def _paint_axis(self, painter: QPainter) -> None:
        step, ticks = self.scale.ticks()
        row = self.row()
        painter.setFont(fonts.font(fonts.SMALL, tabular=True))
        unit = "" if row is None else row.quantity.unit
        top = max((value for value in ticks.tolist() if self.scale.y(value) >= 8.0), default=None)
        for value in ticks.tolist():
            y = self.scale.y(value)
            if 8.0 <= y <= self.height() - 6.0:
                text = number_text(value, step) + (f" {unit}" if value == top else "")
                wide = painter.fontMetrics().horizontalAdvance(text)
                painter.setOpacity(0.8)
                painter.fillRect(QRectF(NAMES_WIDTH + 3, y - 7, wide + 5, 14), style.color("input"))
                painter.setOpacity(1.0)
                painter.setPen(style.color("text3"))
                box = QRectF(NAMES_WIDTH + 5, y - 7, wide + 8, 14)
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
