"""The view of timing: which frame of the path is taken when, a curve of points beside the path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QMenu, QWidget

from app import style
from app.document.key_gesture import KeyGesture
from app.timeline.curves.menu import add
from app.timeline.curves.model import CurvesModel
from app.timeline.curves.paint import draw_curve, draw_hint, draw_marks, number_text
from app.timeline.curves.view import CONTROL, DRAG_DISTANCE, SHIFT, CurveDrag, CurveView, Modifiers
from app.timeline.model import SNAP
from core.animation.curves.timing import TimingCurve

Array = NDArray[np.float64]
Points = tuple[tuple[float, float], ...]

REACH = 7.0
GAP = 0.25
"""Least way between two points along the frames that are shown, [frames]."""
FINE = 0.1


def straight(first: float, last: float) -> Points:
    """Return the points of a timing that changes nothing."""
    return (first, first), (last, last)


def with_point(points: Points, frame: float, at: float) -> tuple[Points, int]:
    """Return points with one more between its neighbours, and its number; it is kept from crossing them."""
    i = next((i for i, point in enumerate(points) if point[0] > frame), len(points) - 1)
    i = max(i, 1)
    made = (*points[:i], (frame, at), *points[i:])
    return moved_point(made, i, frame, at), i


def moved_point(points: Points, i: int, frame: float, at: float) -> Points:
    """Return points with one moved as far as its neighbours let it; an end keeps on the diagonal.

    Args:
        points: (frame shown, frame of the path), ascending.
        i: Number of the point.
        frame: Frame shown it is wanted at.
        at: Frame of the path.
    """
    if i in (0, len(points) - 1):
        if i == 0:
            frame = min(max(frame, 0.0), points[1][0] - GAP, points[1][1])
        else:
            frame = max(frame, points[-2][0] + GAP, points[-2][1])
        at = frame
    else:
        before, after = points[i - 1], points[i + 1]
        frame = min(max(frame, before[0] + GAP), after[0] - GAP)
        at = min(max(at, before[1]), after[1])
    return (*points[:i], (frame, at), *points[i + 1 :])


class TimingView(CurveView):
    """The timing of the whole figure, or of a channel.

    Args:
        model: What the parts of the curve editor share.

    Attributes:
        chosen: Number of the selected point, or None.
    """

    boxes = False

    def __init__(self, model: CurvesModel):
        super().__init__(model)
        self.chosen: int | None = None

    @property
    def curve(self) -> TimingCurve | None:
        """The timing that is shown; None where time runs as it is keyed."""
        sequence = self.model.document.sequence
        return None if sequence is None else sequence.timings.get(self.model.timed)

    @property
    def points(self) -> Points:
        """The points that are shown: of the curve, or of one that changes nothing."""
        if self.curve is not None:
            return self.curve.points
        first, last = self.model.timeline.range
        return straight(float(first), float(max(last, first + 1)))

    def empty_text(self) -> str:
        document = self.model.document
        if document.skeleton is None:
            return "No figure"
        if document.sequence is not None and not document.sequence.keys:
            return "No keys yet: pose the figure, then press S"
        return ""

    def bounds(self, selected: bool) -> tuple[float, float] | None:
        points = self.points
        if selected and self.chosen is not None and self.chosen < len(points):
            value = points[self.chosen][1]
            return value - 4.0, value + 4.0
        return points[0][1], points[-1][1]

    def frames(self, selected: bool) -> tuple[float, float] | None:
        points = self.points
        if selected:
            if self.chosen is None or self.chosen >= len(points) or self.curve is None:
                return None
            return points[self.chosen][0] - 4.0, points[self.chosen][0] + 4.0
        return points[0][0], points[-1][0]

    @property
    def least(self) -> float:
        return 4.0

    @property
    def units(self) -> str:
        return "path frame"

    # -- painting ----------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        first, last = self.model.timeline.visible()
        ends = np.array([first, last])
        xs = self.model.timeline.xs(ends)  # type: ignore[arg-type]
        draw_curve(painter, xs, self.scale.ys(ends), style.color("line2"), (5.0, 3.0), 1.2)
        curve, points = self.curve, self.points
        frames = np.unique(np.concatenate((np.linspace(first, last, 600), [frame for frame, _ in points])))
        frames = frames[(frames >= points[0][0]) & (frames <= points[-1][0])]
        path = frames if curve is None else curve.at(frames)
        line = style.color("text2" if curve is None else "accent")
        draw_curve(painter, self.model.timeline.xs(frames), self.scale.ys(path), line, (), 1.8)
        self._paint_keys(painter, curve)
        shown = np.array(points)
        x, y = self.model.timeline.xs(shown[:, 0]), self.scale.ys(shown[:, 1])
        for i in range(len(points)):
            chosen = i == self.chosen and curve is not None
            draw_marks(painter, x[i : i + 1], y[i : i + 1], "accent", chosen, curve is None, self.ratio)

    def paint_over(self, painter: QPainter, mouse: QPointF | None) -> None:
        if self.curve is None:
            draw_hint(painter, "Double-click the line to add a point, then drag it", self.size)

    def _paint_keys(self, painter: QPainter, curve: TimingCurve | None) -> None:
        """Draw a short line at each key of the path at the left, where its frame is told."""
        sequence = self.model.document.sequence
        if sequence is None:
            return
        low, high = self.scale.span
        keys = np.array(sequence.frames, dtype=np.float64)
        keys = keys[(keys >= low) & (keys <= high)]
        if len(keys) > 400:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(style.color("text3"), 1.0))
        for y in self.scale.ys(keys).tolist():
            painter.drawLine(QPointF(0, round(y) + 0.5), QPointF(3, round(y) + 0.5))

    def tag(self, position: QPointF) -> tuple[str, QPointF, str] | None:
        i = self.point_at(position)
        if i is not None:
            frame, at = self.points[i]
            if self.curve is None:
                return "Time runs as it is keyed", position, "text3"
            return f"Frame {number_text(frame, 0.1)}\nshows {number_text(at, 0.1)} of the path", position, "accent"
        if not self.on_line(position):
            return None
        frame = self.frame(position.x())
        at = float(self.curve.at(frame)) if self.curve is not None else frame
        pace = float(self.curve.paces(frame)) if self.curve is not None else 1.0
        text = f"Frame {number_text(frame, 0.1)} shows {number_text(at, 0.1)}\nPace {number_text(pace, 0.01)}×"
        return text, position, "accent" if self.curve is not None else "text3"

    def cursor(self, position: QPointF) -> Qt.CursorShape:
        if self.point_at(position) is not None:
            return Qt.CursorShape.SizeAllCursor
        return Qt.CursorShape.PointingHandCursor if self.on_line(position) else Qt.CursorShape.ArrowCursor

    # -- what lies where ---------------------------------------------------------------------------------------------

    def point_at(self, position: QPointF) -> int | None:
        """Return the number of the point at a place."""
        points = np.array(self.points)
        x, y = self.model.timeline.xs(points[:, 0]), self.scale.ys(points[:, 1])
        off = np.hypot(x - position.x(), y - position.y())
        i = int(off.argmin())
        return i if off[i] <= REACH else None

    def on_line(self, position: QPointF) -> bool:
        """Return whether the curve passes a place."""
        frame, points = self.frame(position.x()), self.points
        if not points[0][0] <= frame <= points[-1][0]:
            return False
        near = np.array([self.frame(position.x() + dx) for dx in (-3.0, 0.0, 3.0)])
        ys = self.scale.ys(near if self.curve is None else self.curve.at(near))
        return bool(ys.min() - REACH <= position.y() <= ys.max() + REACH)

    # -- edits -------------------------------------------------------------------------------------------------------

    def show(self, gesture: KeyGesture, points: Points) -> bool:
        """Show other points in an edit that is under way."""
        name = self.model.timed

        def make(sequence: object) -> dict[str, object]:
            timings = {key: curve for key, curve in sequence.timings.items() if key != name}  # type: ignore[attr-defined]
            return {"timings": {**timings, name: TimingCurve(points)}}

        return gesture.set_values(make)

    def put(self, points: Points | None, text: str = "Set timing") -> bool:
        """Give the timing other points, as one step; None takes it away."""
        return self.model.document.set_timing(self.model.timed, None if points is None else TimingCurve(points))

    def add_point(self, frame: float, at: float | None = None) -> None:
        """Add a point, where the curve is unless told otherwise."""
        points = self.points
        frame = float(round(frame))
        if not points[0][0] < frame < points[-1][0] or any(abs(frame - other) < GAP for other, _ in points):
            self.model.document.say("info", "A point needs a frame of its own between the two ends")
            return
        value = at if at is not None else float(self.curve.at(frame)) if self.curve is not None else frame
        made, i = with_point(points, frame, value)
        if self.put(made):
            self.chosen = i
            self.model.points_changed.emit()
            self.model.touch()

    def set_chosen(self, frame: float | None = None, at: float | None = None) -> None:
        """Move the selected point to a frame shown, or a frame of the path."""
        points = self.points
        if self.chosen is None or self.chosen >= len(points):
            return
        old = points[self.chosen]
        self.put(moved_point(points, self.chosen, old[0] if frame is None else frame, old[1] if at is None else at))

    def reset(self) -> None:
        """Let time run as it is keyed."""
        self.chosen = None
        if self.curve is not None:
            self.put(None)

    def press(self, position: QPointF, modifiers: Modifiers) -> CurveDrag | None:
        i = self.point_at(position)
        if i is None and self.on_line(position) and modifiers & CONTROL:
            self.add_point(self.frame(position.x()))
            return self.hold_chosen(position) or CurveDrag()
        self.chosen = i
        self.model.points_changed.emit()
        self.model.touch()
        return None if i is None else TimingDrag(self, i, position)

    def clear_selection(self) -> None:
        self.chosen = None
        self.model.points_changed.emit()
        self.model.touch()

    def double_click(self, position: QPointF, modifiers: Modifiers) -> bool:
        if self.point_at(position) is None and self.on_line(position):
            self.add_point(self.frame(position.x()))
            return True
        return self.point_at(position) is not None

    def hold_chosen(self, position: QPointF) -> CurveDrag | None:
        return None if self.chosen is None else TimingDrag(self, self.chosen, position)

    def delete(self) -> bool:
        points = self.points
        if self.chosen is None or self.curve is None:
            return False
        if self.chosen in (0, len(points) - 1):
            self.model.document.say("info", "The ends of a timing stay; Reset takes all of it away")
            return True
        rest = (*points[: self.chosen], *points[self.chosen + 1 :])
        self.chosen = None
        self.put(rest)
        return True

    def menu(self, position: QPointF, parent: QWidget) -> QMenu | None:
        menu, i = QMenu(parent), self.point_at(position)
        if i is not None:
            self.chosen = i
            self.model.touch()
        frame = self.frame(position.x())
        add(menu, f"Add point at frame {round(frame)}", lambda: self.add_point(frame), i is None, "plus")
        add(menu, "Delete point", self.delete, self.chosen is not None and self.curve is not None, "trash")
        menu.addSeparator()
        add(menu, "Reset timing", self.reset, self.curve is not None, "rest")
        return menu

    def arrow(self, event: QKeyEvent) -> CurveDrag | None:
        if self.chosen is None:
            return None
        drag = TimingDrag(self, self.chosen, QPointF())
        drag.step(event)
        return drag

    def arrow_again(self, drag: CurveDrag, event: QKeyEvent) -> None:
        if isinstance(drag, TimingDrag):
            drag.step(event)


class TimingDrag(CurveDrag):
    """A point of a timing curve dragged; it does not cross its neighbours.

    Args:
        view: The view.
        i: Number of the point.
        position: Where it was pressed, [px].
    """

    def __init__(self, view: TimingView, i: int, position: QPointF):
        self.view, self.model, self.i = view, view.model, i
        self._press = position
        self._points = view.points
        self._wanted = self._points[i]
        self._gesture: KeyGesture | None = None

    def _show(self, frame: float, at: float) -> None:
        if self._gesture is None:
            self.model.document.set_frame(round(self._points[self.i][0]))  # the figure shows what is dragged
            self._gesture = self.model.document.begin_key_gesture("Set timing")
        self.view.show(self._gesture, moved_point(self._points, self.i, frame, at))
        self.model.points_changed.emit()
        self.model.touch()

    def move(self, position: QPointF, modifiers: Modifiers) -> None:
        dx, dy = position.x() - self._press.x(), position.y() - self._press.y()
        if self._gesture is None and max(abs(dx), abs(dy)) < DRAG_DISTANCE:
            return
        if modifiers & SHIFT:
            dx, dy = (dx, 0.0) if abs(dx) >= abs(dy) else (0.0, dy)
        fine, timeline = bool(modifiers & CONTROL), self.model.timeline
        frame, at = self._points[self.i]
        frame += dx / timeline.pixels * (FINE if fine else 1.0)
        at -= dy * self.view.scale.unit * (FINE if fine else 1.0)
        if not fine:
            frame, at = float(round(frame)), self._stuck(at)
            places = timeline.marks.snap_frames()
            off = np.abs(timeline.xs(places) - position.x())
            if len(places) and off.min() <= SNAP:
                frame = float(places[int(off.argmin())])
        self._show(frame, at)

    def _stuck(self, at: float) -> float:
        """Return the frame of a key of the path if one is near, else the frame itself, rounded."""
        sequence = self.model.document.sequence
        keys = np.array(sequence.frames if sequence is not None else (), dtype=np.float64)
        if len(keys):
            near = float(keys[int(np.abs(keys - at).argmin())])
            if abs(near - at) <= SNAP * self.view.scale.unit:
                return near
        return round(at * 10.0) / 10.0

    def step(self, event: QKeyEvent) -> None:
        """Move the point by an arrow: a frame; with Ctrl a tenth, with Shift ten."""
        factor = FINE if event.modifiers() & CONTROL else 10.0 if event.modifiers() & SHIFT else 1.0
        frame, at = self._wanted
        steps = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
        along, up = steps[Qt.Key(event.key())]
        self._wanted = frame + along * factor, at + up * factor
        self._show(*self._wanted)
        self._wanted = self.view.points[self.i]

    def release(self, position: QPointF, modifiers: Modifiers) -> None:
        if self._gesture is not None:
            self._gesture.commit()
            self.model.touch()

    def cancel(self) -> None:
        if self._gesture is not None:
            self._gesture.cancel()
            self.model.touch()

    def tag(self) -> str:
        if self._gesture is None:
            return ""
        frame, at = self.view.points[self.i]
        return f"Frame {number_text(frame, 0.1)}\nshows {number_text(at, 0.1)} of the path"
