"""Drags in the view of a path's speed: a line drawn by hand, and points of the curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent

from app.document.key_gesture import KeyGesture
from app.timeline.curves.paint import number_text
from app.timeline.curves.point_drag import FINE, LENGTH_SPEED
from app.timeline.curves.sketch import few_points, merged, moved_speed
from app.timeline.curves.view import CONTROL, DRAG_DISTANCE, SHIFT, CurveDrag, Modifiers

if TYPE_CHECKING:
    from app.timeline.curves.root_speed import RootSpeedView

TOLERANCE = 4.0  # how far the curve may be from the line that was drawn, px


class SketchDrag(CurveDrag):
    """A speed drawn by hand along the frames; a smooth curve of few points is made of it.

    Args:
        view: The view.
        position: Where the mouse was pressed, [px].
    """

    def __init__(self, view: RootSpeedView, position: QPointF):
        self.view, self.model = view, view.model
        self._press = position
        self._gesture: KeyGesture | None = None
        self._before = view.points
        self._span = view.span
        self._unit = view.unit()
        self._line = [self._at(position)]

    def _at(self, position: QPointF) -> tuple[float, float]:
        first, last = self._span
        frame = min(max(self.view.frame(position.x()), first), last)
        return frame, max(self.view.scale.value(position.y()), 0.0)

    def move(self, position: QPointF, modifiers: Modifiers) -> None:
        if self._gesture is None:
            if (position - self._press).manhattanLength() < DRAG_DISTANCE:
                return
            self._gesture = self.model.document.begin_key_gesture(self.view.text)
            self.view.held_unit = 1.0  # the curve's numbers are what was drawn, in m/s, until the hand lets go
        self._line.append(self._at(position))
        self.view.sketch = self._line
        self._show()

    def _show(self) -> None:
        drawn = few_points(self._line, TOLERANCE * self.view.scale.unit)
        if self._gesture is None or not drawn or not any(speed > 0.0 for _, speed in drawn):
            return
        drawn = tuple((frame, max(speed, 0.0)) for frame, speed in drawn)
        self.view.show(self._gesture, merged(self._before, drawn))
        self.model.touch()

    def release(self, position: QPointF, modifiers: Modifiers) -> None:
        gesture, self._gesture = self._gesture, None
        self.view.sketch, self.view.held_unit = [], None
        if gesture is not None:
            if gesture.moved:
                self.view.show(gesture, self.view.points)  # in m/s as the path has them
            gesture.commit()
            self.model.points_changed.emit()
            self.model.touch()

    def cancel(self) -> None:
        gesture, self._gesture = self._gesture, None
        self.view.sketch, self.view.held_unit = [], None
        if gesture is not None:
            gesture.cancel()
            self.model.touch()

    def tag(self) -> str:
        if self._gesture is None:
            return ""
        frame, speed = self._line[-1]
        return f"Frame {number_text(frame, 0.1)}\n{LENGTH_SPEED.text(speed)}"


class SpeedDrag(CurveDrag):
    """A point of a speed curve dragged.

    Args:
        view: The view.
        i: Number of the point.
        position: Where it was pressed, [px].
    """

    def __init__(self, view: RootSpeedView, i: int, position: QPointF):
        self.view, self.model, self.i = view, view.model, i
        self._press = position
        self._points = view.points
        self._wanted = self._points[i]
        self._gesture: KeyGesture | None = None

    def _show(self, frame: float, speed: float) -> None:
        if self._gesture is None:
            self._gesture = self.model.document.begin_key_gesture(self.view.text)
            self.view.held_unit = 1.0
        made = moved_speed(self._points, self.i, frame, speed)
        self._wanted = made[self.i]
        self.view.show(self._gesture, made)
        self.model.points_changed.emit()
        self.model.touch()

    def move(self, position: QPointF, modifiers: Modifiers) -> None:
        dx, dy = position.x() - self._press.x(), position.y() - self._press.y()
        if self._gesture is None and max(abs(dx), abs(dy)) < DRAG_DISTANCE:
            return
        if modifiers & SHIFT:
            dx, dy = (dx, 0.0) if abs(dx) >= abs(dy) else (0.0, dy)
        fine = FINE if modifiers & CONTROL else 1.0
        frame, speed = self._points[self.i]
        frame += dx / self.model.timeline.pixels * fine
        self._show(frame if fine != 1.0 else float(round(frame)), speed - dy * self.view.scale.unit * fine)

    def step(self, event: QKeyEvent) -> None:
        """Move the point by an arrow: a frame, or 0.05 m/s; with Ctrl a tenth, with Shift ten."""
        factor = FINE if event.modifiers() & CONTROL else 10.0 if event.modifiers() & SHIFT else 1.0
        frame, speed = self._wanted
        steps = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
        along, up = steps[Qt.Key(event.key())]
        self._show(frame + along * factor, speed + up * factor * LENGTH_SPEED.step)

    def release(self, position: QPointF, modifiers: Modifiers) -> None:
        gesture, self._gesture = self._gesture, None
        self.view.held_unit = None
        if gesture is not None:
            if gesture.moved:
                self.view.show(gesture, self.view.points)
            gesture.commit()
            self.model.points_changed.emit()
            self.model.touch()

    def cancel(self) -> None:
        gesture, self._gesture = self._gesture, None
        self.view.held_unit = None
        if gesture is not None:
            gesture.cancel()
            self.model.touch()

    def tag(self) -> str:
        if self._gesture is None:
            return ""
        frame, speed = self._wanted
        return f"Frame {number_text(frame, 0.1)}\n{LENGTH_SPEED.text(speed)}"
