"""Curves of points, timing and speed of a path: the selected point, and how a drag or a step moves it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from app.document.gestures.live_gesture import KeyGesture
from app.timeline.curves.model import CurvesModel
from app.timeline.curves.paint import draw_marks
from app.timeline.curves.view import (
    CONTROL,
    DRAG_DISTANCE,
    CurveDrag,
    CurveView,
    Modifiers,
    one_axis,
)
from app.widgets.behaviour.gesture import FINE
from core.animation.curves.timing_curves import Points

REACH = 7.0


class ControlPointView(CurveView):
    """A view of one curve through points, of which one can be selected.

    Attributes:
        chosen: Number of the selected point, or None.
        step: How far a step moves a point up or down.
    """

    boxes = False
    step = 1.0

    def __init__(self, model: CurvesModel):
        super().__init__(model)
        self.chosen: int | None = None

    # -- what the curve is -------------------------------------------------------------------------------------------

    @property
    def curve(self) -> object | None:
        """The curve that is set; None where all is as it is keyed."""
        raise NotImplementedError

    @property
    def points(self) -> Points:
        """The points that are shown."""
        raise NotImplementedError

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last frame that the curve can reach."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """What the history calls an edit of the curve."""
        raise NotImplementedError

    def point_text(self, frame: float, value: float) -> str:
        """Return what is shown of a point."""
        raise NotImplementedError

    def moved(self, points: Points, i: int, frame: float, value: float) -> Points:
        """Return points with one moved as far as its neighbours let it."""
        raise NotImplementedError

    def snapped(self, frame: float, value: float, x: float) -> tuple[float, float]:
        """Return where a point that the mouse drags to a place sticks, with the mouse at ``x``, [px]."""
        return float(round(frame)), value

    # -- edits -------------------------------------------------------------------------------------------------------

    def begin(self) -> KeyGesture:
        """Return a new edit by hand that is shown while it lasts."""
        return self.model.document.keys.begin_gesture(self.text)

    def follow(self, frame: float) -> None:
        """Let the figure be seen at the frame of a point that is dragged."""

    def show(self, gesture: KeyGesture, points: Points) -> bool:
        """Show other points in an edit that is under way."""
        raise NotImplementedError

    def end(self, gesture: KeyGesture, keep: bool) -> None:
        """End an edit by hand: keep what it shows, or not."""
        if keep:
            gesture.commit()
        else:
            gesture.cancel()
        self.model.touch_points()

    def with_new(self, frame: float) -> tuple[Points, int] | None:
        """Return the points with one more where the curve is, and its number; None, and say why, if there is none."""
        raise NotImplementedError

    def add_point(self, frame: float) -> None:
        """Add a point where the curve is, as one step."""
        made = self.with_new(frame)
        if made is not None and self.put(made[0]):
            self.choose(made[1])

    def put(self, points: Points | None) -> bool:
        """Give the curve other points, as one step, and return whether that is possible; None takes it away."""
        raise NotImplementedError

    # -- the selected point ------------------------------------------------------------------------------------------

    @property
    def chosen_point(self) -> tuple[float, float] | None:
        """The selected point, or None."""
        points = self.points
        return points[self.chosen] if self.chosen is not None and self.chosen < len(points) else None

    def choose(self, i: int | None) -> None:
        """Select a point by its number, or none."""
        self.chosen = i
        self.model.touch_points()

    def set_chosen(self, frame: float | None = None, value: float | None = None) -> None:
        """Move the selected point to another frame, or give it another value."""
        point = self.chosen_point
        if point is not None and self.chosen is not None:
            wanted = point[0] if frame is None else frame, point[1] if value is None else value
            self.put(self.moved(self.points, self.chosen, *wanted))

    def frames(self, selected: bool) -> tuple[float, float] | None:
        if not selected:
            return self.span
        point = self.chosen_point
        return None if point is None else (point[0] - 4.0, point[0] + 4.0)

    def point_at(self, position: QPointF) -> int | None:
        """Return the number of the point at a place."""
        points = np.array(self.points).reshape(-1, 2)
        if not len(points):
            return None
        off = np.hypot(self.model.timeline.xs(points[:, 0]) - position.x(), self.scale.ys(points[:, 1]) - position.y())
        i = int(off.argmin())
        return i if off[i] <= REACH else None

    def paint_points(self, painter: QPainter) -> None:
        """Draw the points, hollow where no curve is set."""
        shown, keyed = np.array(self.points), self.curve is None
        x, y = self.model.timeline.xs(shown[:, 0]), self.scale.ys(shown[:, 1])
        for i in range(len(shown)):
            chosen = i == self.chosen and not keyed
            draw_marks(painter, x[i : i + 1], y[i : i + 1], "accent", chosen, keyed, self.ratio)

    # -- drags -------------------------------------------------------------------------------------------------------

    def on_line(self, position: QPointF) -> bool:
        """Return whether a point can be added at a place."""
        raise NotImplementedError

    def hold_new(self, position: QPointF) -> CurveDrag:
        """Return a drag that begins with a point added at a place: both are one step."""
        made = self.with_new(self.frame(position.x()))
        return CurveDrag() if made is None else ControlPointDrag(self, made[1], position, made[0])

    def double_click(self, position: QPointF, modifiers: Modifiers) -> bool:
        return self.point_at(position) is not None or self.on_line(position)

    def hold_chosen(self, position: QPointF) -> CurveDrag | None:
        if self.point_at(position) is None and self.on_line(position):
            return self.hold_new(position)
        return self._hold(position)

    def _hold(self, position: QPointF) -> CurveDrag | None:
        if self.chosen is None or self.chosen_point is None:
            return None
        return ControlPointDrag(self, self.chosen, position)

    def hold_selected(self) -> CurveDrag | None:
        return self._hold(QPointF())


class CurveEdit(CurveDrag):
    """A drag that edits the curve of a view, as one step.

    Args:
        view: The view.
        position: Where the mouse was pressed, [px].
    """

    def __init__(self, view: ControlPointView, position: QPointF):
        self.view, self.model = view, view.model
        self._press = position
        self._gesture: KeyGesture | None = None

    def release(self, position: QPointF, modifiers: Modifiers) -> None:
        self._end(keep=True)

    def cancel(self) -> None:
        self._end(keep=False)

    def _end(self, keep: bool) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            self.view.end(gesture, keep)


class ControlPointDrag(CurveEdit):
    """A point dragged, or moved by steps; Shift holds it to one axis, Ctrl makes it fine.

    Args:
        view: The view.
        i: Number of the point.
        position: Where it was pressed, [px].
        points: The points with a new one among them, which the drag adds; None if it is one of those there are.
    """

    def __init__(self, view: ControlPointView, i: int, position: QPointF, points: Points | None = None):
        super().__init__(view, position)
        self.i = i
        self._points = view.points if points is None else points
        self._at = self._points[i]
        self._moved, self._adds = False, points is not None
        if self._adds:
            self._show(*self._at)
            self.view.choose(i)

    def _show(self, frame: float, value: float) -> None:
        if self._gesture is None:
            self._gesture = self.view.begin()
        made = self.view.moved(self._points, self.i, frame, value)
        self._at = made[self.i]
        self.view.show(self._gesture, made)
        self.model.touch_points()

    def move(self, position: QPointF, modifiers: Modifiers) -> None:
        away = position - self._press
        if not self._moved and max(abs(away.x()), abs(away.y())) < DRAG_DISTANCE:
            return
        if not self._moved:
            self._moved = True
            self._end(keep=False)  # going to another frame would make a step of the point that is added
            self.view.follow(self._points[self.i][0])
        dx, dy = one_axis(away, modifiers)
        factor = FINE if modifiers & CONTROL else 1.0
        frame, value = self._points[self.i]
        frame += dx / self.model.timeline.pixels * factor
        value -= dy * self.view.scale.unit * factor
        if not modifiers & CONTROL:
            frame, value = self.view.snapped(frame, value, position.x())
        self._show(frame, value)

    def step(self, frames: int, rise: float) -> None:
        frame, value = self._at
        if self._gesture is None:
            self.view.follow(frame)
        self._show(frame + frames, value + rise * self.view.step)

    def cancel(self) -> None:
        super().cancel()
        if self._adds:
            self.view.choose(None)

    def tag(self) -> str:
        return "" if self._gesture is None else self.view.point_text(*self._at)
