"""The view of timing: which frame of the path is taken when, a curve of points beside the path."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QMenu, QWidget

from app.document.gestures.live_gesture import KeyGesture
from app.look import style
from app.timeline.curves.control_points import REACH, ControlPointDrag, ControlPointView
from app.timeline.curves.paint import draw_curve, draw_hint, number_text
from app.timeline.curves.view import CONTROL, CurveDrag, Modifiers
from app.timeline.selected_keys import SNAP
from app.widgets.frames.menu import add_action
from app.words.keys_now import key_of
from core.animation.curves.timing_curves import Points, TimingCurve
from core.animation.sequence import Sequence

GAP = 0.25
"""Least distance between two points along the frames that are shown, [frames]."""


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


class TimingView(ControlPointView):
    """The timing of the whole figure, or of a channel."""

    text = "Set timing"

    @property
    def curve(self) -> TimingCurve | None:
        """The timing that is shown; None where time runs as it is keyed."""
        sequence = self.model.document.sequence
        return None if sequence is None else sequence.timing.curves.get(self.model.timed)

    @property
    def points(self) -> Points:
        """The points that are shown: of the curve, or of one that changes nothing."""
        if self.curve is not None:
            return self.curve.points
        first, last = self.model.timeline.range
        return straight(float(first), float(max(last, first + 1)))

    @property
    def span(self) -> tuple[float, float]:
        points = self.points
        return points[0][0], points[-1][0]

    def point_text(self, frame: float, value: float) -> str:
        return f"Frame {number_text(frame, 0.1)}\nshows {number_text(value, 0.1)} of the path"

    def empty_text(self) -> str:
        document = self.model.document
        if document.skeleton is None:
            return "No figure"
        if document.sequence is not None and not document.sequence.keys:
            return f"No keys yet: pose the figure, then press {key_of('set_key')}"
        return ""

    def bounds(self, selected: bool) -> tuple[float, float] | None:
        point = self.chosen_point
        if selected and point is not None:
            return point[1] - 4.0, point[1] + 4.0
        return self.points[0][1], self.points[-1][1]

    def frames(self, selected: bool) -> tuple[float, float] | None:
        return None if selected and self.curve is None else super().frames(selected)

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
        xs = self.model.timeline.xs(ends)
        draw_curve(painter, xs, self.scale.ys(ends), style.color("line2"), (5.0, 3.0), 1.2)
        curve, points = self.curve, self.points
        frames = np.unique(np.concatenate((np.linspace(first, last, 600), [frame for frame, _ in points])))
        frames = frames[(frames >= points[0][0]) & (frames <= points[-1][0])]
        path = frames if curve is None else curve.at(frames)
        line = style.color("text2" if curve is None else "accent")
        draw_curve(painter, self.model.timeline.xs(frames), self.scale.ys(path), line, (), 1.8)
        self._paint_keys(painter, curve)
        self.paint_points(painter)

    def paint_over(self, painter: QPainter, mouse: QPointF | None) -> None:
        if self.curve is None:
            draw_hint(painter, "Double-click the line to add a point, then drag it", self.size)

    def _paint_keys(self, painter: QPainter, curve: TimingCurve | None) -> None:
        """Draw a short line at each key of the path at the left, where its frame is written."""
        sequence = self.model.document.sequence
        if sequence is None:
            return
        low, high = self.scale.span
        keys = np.array(sequence.keys.frames, dtype=np.float64)
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
            if self.curve is None:
                return "Time runs as keyed", position, "text3"
            return self.point_text(*self.points[i]), position, "accent"
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

    def on_line(self, position: QPointF) -> bool:
        frame, points = self.frame(position.x()), self.points
        if not points[0][0] <= frame <= points[-1][0]:
            return False
        near = np.array([self.frame(position.x() + dx) for dx in (-3.0, 0.0, 3.0)])
        ys = self.scale.ys(near if self.curve is None else self.curve.at(near))
        return bool(ys.min() - REACH <= position.y() <= ys.max() + REACH)

    # -- edits -------------------------------------------------------------------------------------------------------

    def follow(self, frame: float) -> None:
        self.model.document.set_frame(round(frame))

    def show(self, gesture: KeyGesture, points: Points) -> bool:
        name = self.model.timed

        def make(sequence: Sequence) -> dict[str, object]:
            timings = {key: curve for key, curve in sequence.timing.curves.items() if key != name}
            return {"timings": {**timings, name: TimingCurve(points)}}

        return gesture.set_values(make)

    def put(self, points: Points | None) -> bool:
        return self.model.document.sequences.set_timing(
            self.model.timed, None if points is None else TimingCurve(points)
        )

    def with_new(self, frame: float) -> tuple[Points, int] | None:
        points = self.points
        frame = float(round(frame))
        if not points[0][0] < frame < points[-1][0] or any(abs(frame - other) < GAP for other, _ in points):
            self.model.document.say("info", "Each point needs a frame of its own between the two ends")
            return None
        return with_point(points, frame, float(self.curve.at(frame)) if self.curve is not None else frame)

    def moved(self, points: Points, i: int, frame: float, value: float) -> Points:
        return moved_point(points, i, frame, value)

    def snapped(self, frame: float, value: float, x: float) -> tuple[float, float]:
        """Return where a point sticks: to beats and markers along the frames, to keys along the path."""
        timeline = self.model.timeline
        places = timeline.marks.snap_frames()
        off = np.abs(timeline.xs(places) - x)
        near = len(places) and off.min() <= SNAP
        return float(places[int(off.argmin())]) if near else float(round(frame)), self._stuck(value)

    def _stuck(self, at: float) -> float:
        """Return the frame of a key of the path if one is near, else the frame itself, rounded."""
        sequence = self.model.document.sequence
        keys = np.array(sequence.keys.frames if sequence is not None else (), dtype=np.float64)
        if len(keys):
            near = float(keys[int(np.abs(keys - at).argmin())])
            if abs(near - at) <= SNAP * self.scale.unit:
                return near
        return round(at * 10.0) / 10.0

    def reset(self) -> None:
        """Let time run as keyed."""
        self.chosen = None
        if self.curve is not None:
            self.put(None)

    def press(self, position: QPointF, modifiers: Modifiers) -> CurveDrag | None:
        i = self.point_at(position)
        if i is None and self.on_line(position) and modifiers & CONTROL:
            return self.hold_new(position)
        self.choose(i)
        return None if i is None else ControlPointDrag(self, i, position)

    def delete(self) -> bool:
        points = self.points
        if self.chosen is None or self.curve is None:
            return False
        if self.chosen in (0, len(points) - 1):
            self.model.document.say("info", "The ends of a timing cannot be deleted; Reset removes the whole timing")
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
        add_action(menu, f"Add point at frame {round(frame)}", lambda: self.add_point(frame), i is None, "plus")
        add_action(menu, "Delete point", self.delete, self.chosen is not None and self.curve is not None, "trash")
        menu.addSeparator()
        add_action(menu, "Reset timing", self.reset, self.curve is not None, "rest")
        return menu
