"""The box round the selected keys: its sides and corners scale them, its inside moves them, Alt skews."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from app.document.gestures.live_gesture import KeyGesture
from app.look import style
from app.timeline.curves.edits import Stretch, transformed_points
from app.timeline.curves.model import Frames, Point
from app.timeline.curves.point_drag import LATE, MANY, PointDrag, quantity_of
from app.timeline.curves.rows import CurveRow
from app.timeline.curves.view import ALT, CONTROL, DRAG_DISTANCE, SHIFT, CurveDrag, Modifiers
from app.widgets.behaviour.gesture import FINE
from core.arrays import Array

if TYPE_CHECKING:
    from app.timeline.curves.values import ValuesView
    from core.animation.sequence import Sequence

AWAY = 12.0
"""How far the box stays from the outermost keys, so that no grip lies over one of them, [px]."""
GRIP, REACH = 7.0, 8.0
"""Size of a grip, and how near the mouse must be, [px]."""
LEAST_SCALE = 1e-3
FLAT = 1e-9
"""Values that differ by less have no height to be scaled."""

Side = tuple[int, int]
"""Which way a grip lies from the middle: -1, 0 or 1 along the frames and up the values."""

_CURSORS = {
    (1, 0): Qt.CursorShape.SizeHorCursor,
    (0, 1): Qt.CursorShape.SizeVerCursor,
    (1, 1): Qt.CursorShape.SizeBDiagCursor,
    (1, -1): Qt.CursorShape.SizeFDiagCursor,
}


class BoxRow(NamedTuple):
    """The selected keys of a curve.

    Attributes:
        row: The curve.
        frames: Their frames, shape (n,).
        values: Their values as they are drawn, shape (n,).
        signs: Which way stored values move with drawn ones, shape (n,).
    """

    row: CurveRow
    frames: Frames
    values: Array
    signs: Array


class KeyBox(NamedTuple):
    """The box round the selected keys.

    Attributes:
        rows: The keys.
        first: Frame of the first one.
        last: Frame of the last one.
        low: The lowest value as it is drawn.
        high: The highest one.
    """

    rows: tuple[BoxRow, ...]
    first: int
    last: int
    low: float
    high: float

    @property
    def sides(self) -> list[Side]:
        """Where it has grips: none along what it does not extend along."""
        wide, tall = self.last > self.first, self.high - self.low > FLAT
        across = (-1, 0, 1) if wide else (0,)
        up = (-1, 0, 1) if tall else (0,)
        return [(i, j) for i in across for j in up if i or j]

    def rect(self, view: ValuesView) -> QRectF:
        """Return where it is drawn."""
        left, right = view.x(self.first) - AWAY, view.x(self.last) + AWAY
        top, bottom = view.scale.y(self.high) - AWAY, view.scale.y(self.low) + AWAY
        seen = view.size.adjusted(GRIP, GRIP, -GRIP, -GRIP)
        if right < seen.left() or left > seen.right() or bottom < seen.top() or top > seen.bottom():
            return QRectF(QPointF(left, top), QPointF(right, bottom))
        # What is zoomed out of sight has its grips at the edge of the picture.
        across = sorted(min(max(x, seen.left()), seen.right()) for x in (left, right))
        return QRectF(QPointF(across[0], max(top, seen.top())), QPointF(across[1], min(bottom, seen.bottom())))

    def grip(self, view: ValuesView, side: Side) -> QPointF:
        """Return the middle of a grip."""
        box = self.rect(view)
        return box.center() + QPointF(side[0] * box.width() / 2.0, -side[1] * box.height() / 2.0)


def key_box(view: ValuesView) -> KeyBox | None:
    """Return the box round the selected keys of a view; None if there is none or it is put away."""
    model = view.model
    if view.speed or not model.box_shown or model.count < 2 or not view.refresh():
        return None
    token = (model.version, model.motion, model.samples.token)
    if view.kept_box is None or view.kept_box[0] != token:  # the mouse asks for it with every move
        view.kept_box = token, _found_box(view)
    return view.kept_box[1]


def _found_box(view: ValuesView) -> KeyBox | None:
    model = view.model
    rows = []
    for row in model.editable:
        frames = model.points.get(row.id)
        if frames is not None and len(frames):
            values, signs = model.samples.branch(row, frames, model.key_values(row, frames))
            rows.append(BoxRow(row, frames, view.drawn(row, values), signs))
    if not rows:
        return None
    every = np.concatenate([each.values for each in rows])
    first, last = min(int(each.frames[0]) for each in rows), max(int(each.frames[-1]) for each in rows)
    low, high = float(every.min()), float(every.max())
    return KeyBox(tuple(rows), first, last, low, high) if last > first or high - low > FLAT else None


def draw_box(painter: QPainter, view: ValuesView, box: KeyBox, hot: Side | None) -> None:
    """Draw the box with its grips; the one under the mouse stands out."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(style.color("text3"), 1.0))
    painter.drawRect(box.rect(view))
    for side in box.sides:
        middle = box.grip(view, side)
        painter.setPen(QPen(style.color("accent" if side == hot else "text2"), 1.0))
        painter.setBrush(style.color("accent" if side == hot else "input"))
        painter.drawRect(QRectF(round(middle.x() - GRIP / 2.0), round(middle.y() - GRIP / 2.0), GRIP, GRIP))


def side_at(view: ValuesView, box: KeyBox, position: QPointF) -> Side | None:
    """Return the grip at a place, ``(0, 0)`` for the inside of the box, None for anywhere else."""
    best: Side | None = (0, 0) if box.rect(view).contains(position) else None
    near = REACH
    for side in box.sides:
        away = box.grip(view, side) - position
        distance = max(abs(away.x()), abs(away.y()))
        if distance < near:
            best, near = side, distance
    return best


def side_cursor(side: Side) -> Qt.CursorShape:
    """Return the pointer over a grip."""
    return _CURSORS.get(side) or _CURSORS.get((-side[0], -side[1]), Qt.CursorShape.SizeAllCursor)


def press_box(view: ValuesView, position: QPointF, modifiers: Modifiers) -> CurveDrag | None:
    """Return the drag of the box that begins at a place; None where there is none of it.

    Inside, Shift, Ctrl and Alt leave the drag to the rectangle that selects keys.
    """
    box = key_box(view)
    side = None if box is None else side_at(view, box, position)
    if box is None or side is None or view.model.primary is None:
        return None
    if side != (0, 0):
        return BoxDrag(view, box, side, position)
    return None if modifiers & (SHIFT | CONTROL | ALT) else BodyDrag(view, view.model.primary, position, False)


class BodyDrag(PointDrag):
    """The selected keys moved by the inside of their box; a click there is one on empty ground."""

    def release(self, position: QPointF, modifiers: Modifiers) -> None:
        if self._gesture is None:
            self.view.click(position, modifiers)
        else:
            super().release(position, modifiers)


class Change(NamedTuple):
    """What a drag of a grip does.

    Attributes:
        time: Factor of times about ``still``.
        values: Factor of values about ``level``, all over the box or with ``taper`` only at the dragged side.
        still: Frame that stays.
        level: Value that stays.
        skew: How much values at the dragged side rise; those at the other one stay.
        taper: Whether values at the other side stay.
    """

    time: float
    values: float
    still: float
    level: float
    skew: float = 0.0
    taper: bool = False


class BoxDrag(CurveDrag):
    """A grip of the box dragged: keys are scaled in time and value about the other side.

    Shift scales about the middle, Ctrl makes it fine. With Alt a side at the left or right skews the values, and a
    corner scales those at its side only.

    Args:
        view: The view.
        box: The box at press.
        side: The grip.
        position: Where it was pressed, [px].
    """

    def __init__(self, view: ValuesView, box: KeyBox, side: Side, position: QPointF):
        self.view, self.model, self.box, self.side = view, view.model, box, side
        self._press = position
        self._gesture: KeyGesture | None = None
        self._selection = view.model.selection()
        chosen = view.model.document.session.keys.selected
        if chosen and len(self._selection) and all(frame in chosen for frame in self._selection):
            self._selection = chosen  # whole keys that were selected in the timeline move as such
        self._points = dict(view.model.points)
        self._primary = view.model.primary
        self._frames: dict[int, int] = {}
        self.hints = (("Shift", "about the middle"), ("Ctrl", "fine"))
        if side[0]:
            self.hints = (*self.hints, ("Alt", "only at this side" if side[1] else "skew the values"))
        self.change = Change(1.0, 1.0, 0.0, 0.0)
        self._said = ""
        self._rest_until = 0.0
        self._last: tuple[QPointF, Modifiers] | None = None

    # -- what the mouse means ----------------------------------------------------------------------------------------

    def _wanted(self, position: QPointF, modifiers: Modifiers) -> Change:
        box, (across, up) = self.box, self.side
        fine = FINE if modifiers & CONTROL else 1.0
        moved = (position.x() - self._press.x()) / self.model.timeline.pixels * fine
        raised = (self._press.y() - position.y()) * self.view.scale.unit * fine
        middle = bool(modifiers & SHIFT)
        ends, levels = (box.first, box.last), (box.low, box.high)
        still = 0.5 * sum(ends) if middle else float(ends[0] if across > 0 else ends[1])
        level = 0.5 * sum(levels) if middle else levels[0] if up > 0 else levels[1]
        if modifiers & ALT and across and not up:
            return Change(1.0, 1.0, still, level, skew=raised)
        scale = values = 1.0
        if across and not modifiers & ALT:
            side = ends[1] if across > 0 else ends[0]
            scale = max((side + moved - still) / (side - still), LEAST_SCALE)
        if up:
            side_value = levels[1] if up > 0 else levels[0]
            values = (side_value + raised - level) / (side_value - level)
        return Change(scale, values, still, level, taper=bool(modifiers & ALT and across and up))

    def _share(self, frames: Frames) -> Array:
        """Return where frames lie from the other side, 0, to the dragged one, 1; beyond them where Shift is held."""
        side = self.box.last if self.side[0] > 0 else self.box.first
        share: Array = (np.asarray(frames, dtype=np.float64) - self.change.still) / (side - self.change.still)
        return share

    def _made(self, sequence: Sequence) -> tuple[Mapping[str, Any], tuple[int, ...]]:
        change, rises, grown, skews = self.change, {}, {}, {}
        for row, frames, values, signs in self.box.rows:
            factors: Array = np.full(len(frames), change.values)
            if change.taper:
                factors = 1.0 + (change.values - 1.0) * self._share(frames)
            new = change.level + (values - change.level) * factors
            gain = row.factor * self.view.gain(row)
            if change.skew:
                share = self._share(frames)
                new = values + change.skew * share
                width = (self.box.last if self.side[0] > 0 else self.box.first) - change.still
                skews[row.id] = change.skew / width / gain
            rises[row.id] = signs * (new - values) / gain
            grown[row.id] = factors
        still, scale = change.still, change.time
        every = {*self._selection.parts, *(frame for there in self._points.values() for frame in there.tolist())}
        self._frames = {frame: round(still + (frame - still) * scale) for frame in every}
        found = transformed_points(
            sequence, self._selection.parts, self._points, self._frames, rises, "scaling",
            Stretch(scale, grown, skews),
        )  # fmt: skip
        return found.values, found.clamped

    # -- showing it --------------------------------------------------------------------------------------------------

    def move(self, position: QPointF, modifiers: Modifiers) -> None:
        away = position - self._press
        if self._gesture is None:
            if max(abs(away.x()), abs(away.y())) < DRAG_DISTANCE:
                return
            self._gesture = self.model.begin_gesture("Scale keys")
            self.model.dragging = True
        self._last = position, modifiers
        start = time.monotonic()
        if start < self._rest_until:
            return
        self._show(position, modifiers)
        if self.model.count > MANY:
            self._rest_until = time.monotonic() + LATE * (time.monotonic() - start)

    def _show(self, position: QPointF, modifiers: Modifiers) -> None:
        gesture, before, frames = self._gesture, self.change, self._frames
        assert gesture is not None
        self.change = self._wanted(position, modifiers)
        gesture.text = "Skew keys" if self.change.skew else "Scale keys"
        clamped: list[int] = []

        def make(sequence: Sequence) -> Mapping[str, Any]:
            values, clamped[:] = self._made(sequence)
            return values

        if not gesture.set_values(make):
            self.change, self._frames = before, frames
        self._last = None
        self.model.points = {
            row: np.array([self._frames.get(frame, frame) for frame in there.tolist()], dtype=np.int64)
            for row, there in self._points.items()
        }
        if self._primary is not None:
            frame = self._frames.get(self._primary.frame, self._primary.frame)
            self.model.primary = Point(self._primary.row, frame)
        self.model.touch_points()
        self._notify(gesture.problem and "Two keys would share a frame", clamped, gesture.problem)

    def _notify(self, text: str, clamped: list[int], problem: str) -> None:
        for column in clamped[:1]:
            row = self.model.row(column)
            if row is not None and not text:
                text = f"{row.name} stops at its limits, {quantity_of(row).span(row.lower, row.upper)}"
        if text != self._said:
            self._said = text
            self.model.document.say("warning" if problem else "info", text)

    def release(self, position: QPointF, modifiers: Modifiers) -> None:
        if self._gesture is None:
            return
        if self._last is not None:
            self._show(*self._last)
        points, primary = self.model.points, self.model.primary
        self._gesture.commit()
        self.model.dragging = False
        self.model.select(points, primary)
        self._quiet()

    def cancel(self) -> None:
        if self._gesture is not None:
            self._gesture.cancel()
            self.model.dragging = False
            self.model.select(self._points, self._primary)
            self._quiet()

    def _quiet(self) -> None:
        if self._said:
            self.model.document.say("info", "")

    def tag(self) -> str:
        if self._gesture is None:
            return ""
        change, lines = self.change, []
        if self.side[0] and not change.skew and not change.taper:
            lines.append(f"Time × {change.time:.2f}")
        if self.side[1]:
            lines.append(f"Values × {change.values:.2f}".replace("-", "−"))
        if change.skew:
            lines.append(f"Skewed by {change.skew:.1f}".replace("-", "−"))
        return "\n".join(lines)
