"""Torques of the selected strip as curves over time: keys are made, dragged and removed by the mouse (Welman 2.3.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.timeline.band_mouse import DRAG_DISTANCE
from app.timeline.canvas import TimelineCanvas
from app.timeline.curves.paint import draw_curve, draw_hint, draw_marks, draw_tag, number_text
from app.timeline.curves.rows import TOKENS
from app.timeline.curves.scale import ValueScale
from app.timeline.curves.view import one_axis
from app.timeline.dynamics.board import DynamicsBoard
from app.timeline.dynamics.edits import DynamicsEdits, torque_menu
from app.timeline.selected_keys import SNAP
from app.timeline.sheet.rows import spoken
from app.timeline.strips.times import snapped
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.behaviour.base import draw_focus_ring
from app.widgets.behaviour.gesture import FINE, step_factor
from app.widgets.behaviour.own_keys import is_plain
from app.widgets.fields.physics_quantities import TORQUES
from app.widgets.frames.menu import pop_up
from app.words.part_names import part_name
from app.words.quantity import Quantity
from core.animation.torque_curves import LARGEST_TORQUE, TorqueCurve
from core.skeleton.dof import LENGTH

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip

LEAST, HEIGHT, MOST = 66, 96, 150
"""Heights it may have, and the one it likes, [px]."""
REACH = 8.0
"""How far from a key it is grabbed, [px]."""
CATCH = 4.0
"""How near a torque sticks to 0 and to those of the keys beside it, [px]."""
FIRST = (10.0, 100.0)
"""How much is shown up and down before there is a key: of a hinge [N m], of a slide [N]."""
EDGE = 11.0
"""What curves keep from the upper and lower edge, [px]."""
_ROUND = (1.0, 2.0, 5.0, 10.0)
_CONTROL = Qt.KeyboardModifier.ControlModifier
_ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)
_REMOVE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
_ADD = (Qt.Key.Key_Insert, Qt.Key.Key_Return, Qt.Key.Key_Enter)
TITLE_TOP, LINE, LEFT = 5.0, 15.0, 12.0


@dataclass(frozen=True)
class TorqueRow:
    """A degree of freedom whose torque can be keyed.

    Attributes:
        dof: Which of its joint's.
        name: What it is called.
        quantity: Unit of its torque.
        token: Colour of its curve.
        curve: Its torque; None while it has no key.
    """

    dof: int
    name: str
    quantity: Quantity
    token: str
    curve: TorqueCurve | None

    def at(self, frame: float) -> float:
        """Return its torque at a frame counted from the start of the strip, [N m] or [N]."""
        return 0.0 if self.curve is None else self.curve.at(frame)


class TorqueKey(NamedTuple):
    """A key of a torque.

    Attributes:
        dof: Which degree of freedom.
        frame: Counted from the start of the strip.
    """

    dof: int
    frame: float


class TorqueDrag:
    """A key on its way, from press to release.

    Args:
        band: The band.
        key: The key.
        press: Where it was pressed, [px].
    """

    def __init__(self, band: TorqueBand, key: TorqueKey, press: QPointF):
        strip, row = band.strip, band.row(key.dof)
        assert strip is not None and row is not None and row.curve is not None
        self.band, self.key, self.press = band, key, press
        self._strip, self._row, self._curve = strip, row, row.curve
        self._torque = row.at(key.frame)
        self.now = key
        self.torque = self._torque
        frames = [frame for frame, _ in row.curve.keys]
        place = frames.index(key.frame)
        last = math.inf if strip.end is None else float(strip.end - strip.start)
        self._first = frames[place - 1] + 1.0 if place else min(0.0, key.frame)
        self._last = frames[place + 1] - 1.0 if place + 1 < len(frames) else max(last, key.frame)
        beside = [torque for frame, torque in row.curve.keys if frame != key.frame]
        self._catches = [0.0, self._torque, *beside]
        document = band.model.document
        self._places = [*band.model.frames.tolist(), document.frame, strip.start + round(key.frame)]
        self._places += [strip.start + round(frame) for curve in strip.torques for frame, _ in curve.keys]
        self._gesture = band.board.gesture(f"Move torque key of {row.curve.joint}")

    @property
    def active(self) -> bool:
        """Whether it is under way; undo or another edit may have ended it."""
        return bool(self._gesture.active)

    def move(self, position: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        """Show what a drag to a point makes of the key: Shift goes along one axis, Ctrl is fine and sticks nowhere."""
        band, fine = self.band, bool(modifiers & _CONTROL)
        dx, dy = one_axis(position - self.press, modifiers)
        frame = self._strip.start + self.key.frame + dx / band.model.pixels
        if dx:
            frame = float(round(frame) if fine else snapped(frame, self._places, SNAP / band.model.pixels))
        torque = self._torque - dy * band.scale.unit * (FINE if fine else 1.0)
        near = min(self._catches, key=lambda each: abs(each - torque))
        if not fine and abs(near - torque) <= CATCH * band.scale.unit:
            torque = near
        elif dy:
            torque = band.rounded(torque, FINE if fine else 1.0)
        self.show(frame - self._strip.start, torque)

    def show(self, frame: float, torque: float) -> None:
        """Show the key at a frame, counted from the start of the strip, and a torque, both as near as may be."""
        low, high = self.band.scale.span
        self.torque = min(max(torque, low, -LARGEST_TORQUE), high, LARGEST_TORQUE)
        self.now = TorqueKey(self.key.dof, min(max(frame, self._first), self._last))
        rest = self._curve.without_key(self.key.frame)
        key = (self.now.frame, self.torque)
        curve = replace(self._curve, keys=(key,)) if rest is None else rest.with_key(*key)
        torques = tuple(curve if each is self._curve else each for each in self._strip.torques)
        changed = replace(self._strip, torques=torques)
        self._gesture.show(changed if each.id == changed.id else each for each in self._gesture.before)

    def tag(self) -> str:
        """Return what stands beside the key."""
        return f"{self._row.name} {self._row.quantity.text(self.torque)}\nFrame {self._strip.start + self.now.frame:g}"

    def drop(self) -> None:
        """End it as one undo step."""
        self._gesture.commit()

    def cancel(self) -> None:
        """Give it up."""
        self._gesture.cancel()


class TorqueBand(TimelineCanvas):
    """The torques of one joint in the strip that was selected last, on the scale of the tracks.

    It is there while such a strip has torques, moves a selected joint, or is of a single one. A double click makes a
    key of the degree of freedom that is chosen at the left, a drag moves one.

    Args:
        board: The rows of the tab.
    """

    def __init__(self, board: DynamicsBoard):
        super().__init__(board.model)
        self.board, self.edits = board, DynamicsEdits(board)
        self.scale = ValueScale()
        self.drag: TorqueDrag | None = None
        self.chosen: TorqueKey | None = None
        self._dof = 0
        self._pressed: tuple[TorqueKey, QPointF] | None = None
        self._hover: TorqueKey | None = None
        self._of: tuple[str, str] | None = None  # the strip and the joint that are shown
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(LEAST)
        self.setMaximumHeight(MOST)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Torques")
        board.changed.connect(self.take_change)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    # -- what is shown --------------------------------------------------------------------------------------------

    @property
    def strip(self) -> HybridStrip | None:
        """The strip that was selected last; None if it has nothing to show."""
        strip = self.board.strip(self.board.selected)
        return None if strip is None else self.board.shown(strip)

    @property
    def joint(self) -> str | None:
        """Name of the joint whose torques are shown."""
        strip = self.strip
        if strip is None:
            return None
        names = [*self.edits.torque_joints(strip), *(curve.joint for curve in strip.torques)]
        skeleton = self.model.document.skeleton
        free = [] if skeleton is None else [n for n in names if skeleton.joints[skeleton.joint_index(n)].dofs]
        return free[0] if free else None

    @property
    def rows(self) -> tuple[TorqueRow, ...]:
        """The degrees of freedom of that joint."""
        strip, name, skeleton = self.strip, self.joint, self.model.document.skeleton
        if strip is None or name is None or skeleton is None:
            return ()
        joint = skeleton.joints[skeleton.joint_index(name)]
        curves = {curve.dof: curve for curve in strip.torques if curve.joint == name}
        return tuple(
            TorqueRow(
                dof, label or f"{part_name(name)} {dof + 1}", TORQUES[unit == LENGTH], TOKENS[dof % len(TOKENS)],
                curves.get(dof),
            )
            for dof, (unit, label) in enumerate(zip(joint.units, joint.dof_labels, strict=True))
        )  # fmt: skip

    def row(self, dof: int | None = None) -> TorqueRow | None:
        """Return a degree of freedom, the one that is chosen unless another is given."""
        wanted = self._dof if dof is None else dof
        return next((row for row in self.rows if row.dof == wanted), None)

    def take_change(self) -> None:
        """Show what the document and the board say now."""
        if self.drag is not None and not self.drag.active:  # undo, or another edit, has ended it
            self.drag = None
        strip, joint = self.strip, self.joint
        shown = None if strip is None or joint is None else (strip.id, joint)
        if shown != self._of:
            self._of, self.chosen, self._hover = shown, None, None
            keyed = [row.dof for row in self.rows if row.curve is not None]
            self._dof = keyed[0] if keyed else 0
        if self.chosen is not None and self.drag is None and self._torque_of(self.chosen) is None:
            self.chosen = None
        if self.drag is None:
            self.fit()
        self._describe()
        self.update()

    def fit(self) -> None:
        """Show all keys, and 0."""
        self.scale.height = float(self.height())
        rows = self.rows
        values = [torque for row in rows if row.curve is not None for _, torque in row.curve.keys]
        row = self.row()
        first = FIRST[row is not None and row.quantity is TORQUES[1]]
        low, high = min([0.0, *values]), max([0.0, *values])
        if low == high:
            low, high = -first, first
        self.scale.middle = 0.5 * (low + high)
        self.scale.unit = max(high - low, 1e-3) / max(self.height() - 2.0 * EDGE, 20.0)

    def _torque_of(self, key: TorqueKey) -> float | None:
        row = self.row(key.dof)
        keys = () if row is None or row.curve is None else row.curve.keys
        return next((torque for frame, torque in keys if frame == key.frame), None)

    def _describe(self) -> None:
        row, key, strip = self.row(), self.chosen, self.strip
        words = ""
        if row is not None and strip is not None:
            count = 0 if row.curve is None else len(row.curve.keys)
            words = f"{row.name}, {count} key{'s' * (count != 1)}"
            torque = None if key is None else self._torque_of(key)
            if key is not None and torque is not None:
                words = f"{row.name}, {row.quantity.say(torque)} at frame {strip.start + key.frame:g}"
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    # -- what lies where ------------------------------------------------------------------------------------------

    def place(self, frame: float, torque: float) -> QPointF:
        """Return where a torque at a frame, counted from the start of the strip, lies."""
        strip = self.strip
        start = 0 if strip is None else strip.start
        return QPointF(self.track_x(start + frame), self.scale.y(torque))

    def key_at(self, position: QPointF) -> TorqueKey | None:
        """Return the key at a point; of several the nearest, those of the chosen degree of freedom first."""
        if position.x() < NAMES_WIDTH:
            return None
        found = []
        for row in self.rows:
            for frame, torque in () if row.curve is None else row.curve.keys:
                away = self.place(frame, torque) - position
                far = math.hypot(away.x(), away.y())
                if far <= REACH:
                    found.append((row.dof != self._dof, far, TorqueKey(row.dof, frame)))
        return min(found)[2] if found else None

    def rounded(self, torque: float, finer: float = 1.0) -> float:
        """Return a torque in whole steps, of which one is about a pixel high."""
        least = self.scale.unit * finer
        power = 10.0 ** math.floor(math.log10(least))
        step = next(power * each for each in _ROUND if power * each >= least * (1.0 - 1e-9))
        return float(round(round(torque / step) * step, 9))

    def _inside(self, position: QPointF) -> float | None:
        """Return the frame at a point, counted from the start of the strip; None outside the strip."""
        strip = self.strip
        if strip is None or position.x() < NAMES_WIDTH:
            return None
        frame = self.model.frame_at(position.x() - NAMES_WIDTH)
        inside = strip.start <= frame and (strip.end is None or frame <= strip.end)
        return float(frame - strip.start) if inside else None

    def _name_at(self, position: QPointF) -> TorqueRow | None:
        if position.x() >= NAMES_WIDTH:
            return None
        return next((row for row, top, step in self._names() if top <= position.y() < top + step), None)

    @property
    def _high(self) -> bool:
        """Whether there is room for the joint's name."""
        return self.height() >= 2.0 * TITLE_TOP + 2.0 * LINE + 15.0 * len(self.rows)

    def _names(self) -> list[tuple[TorqueRow, float, float]]:
        """Return the rows at the left, with where each begins and its height, [px]."""
        rows = self.rows
        top = TITLE_TOP + (2.0 * LINE if self._high else LINE) + 1.0
        step = min((self.height() - top - 3.0) / max(len(rows), 1), 19.0)
        return [(row, top + k * step, step) for k, row in enumerate(rows)]

    # -- mouse ----------------------------------------------------------------------------------------------------

    @property
    def dragging(self) -> bool:
        return self.drag is not None or super().dragging

    def choose(self, dof: int, key: TorqueKey | None = None) -> None:
        """Choose a degree of freedom, and a key of it."""
        self._dof, self.chosen = dof, key
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
                self.choose(name.dof)
            return
        key = self.key_at(position)
        if key is not None:
            self.choose(key.dof, key)
            self._pressed = key, position
            return
        self.choose(self._dof)
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
            self.drag = TorqueDrag(self, key, press)
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

    def add(self, frame: float, torque: float) -> None:
        """Key a torque of the chosen degree of freedom at a frame counted from the start of the strip."""
        strip, joint, row = self.strip, self.joint, self.row()
        if strip is None or joint is None or row is None:
            return
        at = strip.start + round(frame)
        self.edits.key_torque(strip.id, joint, row.dof, at, torque, self.model.document.gesture_id())
        self.choose(row.dof, TorqueKey(row.dof, float(at - strip.start)))
        self.model.document.say("info", f"{row.name}: {row.quantity.text(torque)} at frame {at}")

    def remove(self, key: TorqueKey) -> None:
        """Remove a key."""
        strip, joint = self.strip, self.joint
        if strip is not None and joint is not None:
            self.edits.unkey_torque(strip.id, joint, key.dof, key.frame)

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
        strip, name, key = self.strip, self._name_at(position), self.key_at(position)
        if name is not None:
            return f"{name.name}: a double click on the curve makes a key"
        row = None if key is None else self.row(key.dof)
        if strip is None or key is None or row is None:
            return ""
        return f"{row.name} {row.quantity.text(row.at(key.frame))}\nFrame {strip.start + key.frame:g}"

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        strip, joint = self.strip, self.joint
        if self.drag is not None or strip is None or joint is None:
            return
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            key, frame = self.chosen, float(self.model.document.frame - strip.start)
            place = self.mapToGlobal(self.rect().center())
        else:
            key, place = self.key_at(QPointF(event.pos())), event.globalPos()
            inside = self._inside(QPointF(event.pos()))
            if inside is None and key is None:
                return
            frame = 0.0 if inside is None else inside
        if key is not None:
            self.choose(key.dof, key)
            frame = key.frame
        row = self.row()
        if row is not None:
            pop_up(torque_menu(self, self.edits, strip, joint, row.dof, row.name, strip.start + round(frame)), place)

    # -- keyboard -------------------------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        key = event.key()
        if self.drag is not None:
            return key == Qt.Key.Key_Escape
        if self.chosen is not None and key in (*_ARROWS, *_REMOVE, Qt.Key.Key_Escape):
            return True
        return key in _ADD and is_plain(event)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move the chosen key, Del removes it; Return makes one at the playhead; Escape gives up."""
        key, chosen = Qt.Key(event.key()), self.chosen
        if not self.takes(event):
            super().keyPressEvent(event)
        elif key == Qt.Key.Key_Escape:
            if self.drag is not None:
                self.cancel()
            else:
                self.choose(self._dof)
        elif key in _ADD:
            strip, row = self.strip, self.row()
            frame = self.model.document.frame
            if strip is not None and row is not None:
                if strip.start <= frame and (strip.end is None or frame <= strip.end):
                    self.add(float(frame - strip.start), row.at(float(frame - strip.start)))
                else:
                    self.model.document.say("info", f"Frame {frame} is outside the strip")
        elif chosen is not None and key in _REMOVE:
            self.remove(chosen)
        elif chosen is not None:
            self._step(chosen, key, step_factor(event.modifiers()))

    def _step(self, chosen: TorqueKey, key: Qt.Key, factor: float) -> None:
        row, torque = self.row(chosen.dof), self._torque_of(chosen)
        if row is None or torque is None:
            return
        drag = TorqueDrag(self, chosen, QPointF())
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            by = max(1.0, factor) * (1.0 if key == Qt.Key.Key_Right else -1.0)
            drag.show(chosen.frame + by, torque)
        else:
            sign = 1.0 if key == Qt.Key.Key_Up else -1.0
            drag.show(chosen.frame, round(torque + sign * factor * row.quantity.step, 9))
        drag.drop()
        self.chosen = drag.now
        self.model.document.say("info", drag.tag().replace("\nFrame", " at frame"))
        self.take_change()

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
        for each in sorted(self.rows, key=lambda row: row.dof == self._dof):
            self._paint_curve(painter, each)
        self._paint_axis(painter)
        self.draw_playhead(painter)
        row, room = self.row(), QRectF(NAMES_WIDTH, 0, self.width() - NAMES_WIDTH, self.height())
        if row is not None and all(each.curve is None for each in self.rows):
            draw_hint(painter, "Double-click in the strip to key a torque", room)
        if self.drag is not None and row is not None:
            at = self.place(self.drag.now.frame, self.drag.torque)
            draw_tag(painter, self.drag.tag(), at, room.adjusted(2, 2, -2, -2), row.token)
        painter.setClipping(False)
        painter.fillRect(QRectF(0, 0, self.width(), 1), style.color("line2"))
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.rect()))
        painter.end()

    def _paint_names(self, painter: QPainter) -> None:
        strip, joint = self.strip, self.joint
        if strip is None or joint is None:
            return
        title, font = fonts.font(fonts.BODY, fonts.SEMIBOLD), fonts.font(fonts.SECONDARY, tabular=True)
        room, flags = NAMES_WIDTH - LEFT - 8.0, Qt.AlignmentFlag.AlignVCenter
        painter.setFont(title)
        painter.setPen(style.color("text"))
        painter.drawText(QRectF(LEFT, TITLE_TOP, room, LINE), flags, "Torque")
        painter.setFont(font)
        metrics, chosen = QFontMetricsF(font), self.row()
        frame = float(self.model.document.frame - strip.start)
        inside = frame >= 0.0 and (strip.end is None or frame <= strip.end - strip.start)
        if chosen is not None and chosen.curve is not None and inside:
            painter.setPen(style.color("text2"))
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(LEFT, TITLE_TOP, room, LINE), right, chosen.quantity.text(chosen.at(frame)))
        if self._high:
            painter.setPen(style.color("text3"))
            name = metrics.elidedText(spoken(joint), Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(LEFT, TITLE_TOP + LINE, room, LINE), flags, name)
        for row, top, step in self._names():
            active = row.dof == self._dof
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
        strip, height = self.strip, float(self.height())
        self.draw_grid(painter, height)
        _, ticks = self.scale.ticks()
        for value in ticks.tolist():
            token = "line2" if value == 0.0 else "line"
            painter.fillRect(QRectF(NAMES_WIDTH, round(self.scale.y(value)), self.width(), 1), style.color(token))
        if strip is None:
            return
        left = max(self.track_x(strip.start), float(NAMES_WIDTH))
        right = float(self.width()) if strip.end is None else min(self.track_x(strip.end), float(self.width()))
        painter.setOpacity(0.1)
        painter.fillRect(QRectF(left, 0, max(right - left, 0.0), height), style.color("dyn"))
        painter.setOpacity(1.0)

    def _paint_curve(self, painter: QPainter, row: TorqueRow) -> None:
        strip, active = self.strip, row.dof == self._dof
        if strip is None or row.curve is None:
            return
        first, last = self.model.visible()
        begin = max(0.0, first - strip.start)
        end = min(last - strip.start, math.inf if strip.end is None else float(strip.end - strip.start))
        if end > begin:
            count = max(int((end - begin) * self.model.pixels / 2.0), 2)
            frames = np.linspace(begin, end, min(count, 2000) + 1)
            ys = self.scale.ys(np.array([row.curve.at(frame) for frame in frames.tolist()]))
            draw_curve(painter, NAMES_WIDTH + self.model.xs(strip.start + frames), ys, style.color(row.token),
                       width=2.0 if active else 1.2)  # fmt: skip
        ratio = self.devicePixelRatioF()
        for frame, torque in row.curve.keys:
            key, at = TorqueKey(row.dof, frame), self.place(frame, torque)
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
