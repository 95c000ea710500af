"""The view of a path's speed: how fast the root, or the target of a lock, travels along what is keyed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu, QWidget

from app.document.gestures.live_gesture import KeyGesture
from app.look import style
from app.timeline.curves.control_points import REACH, ControlPointDrag, ControlPointView, CurveEdit
from app.timeline.curves.model import CurvesModel
from app.timeline.curves.paint import draw_curve, draw_hint, number_text
from app.timeline.curves.point_drag import SPEEDS
from app.timeline.curves.sketch import GAP, few_points, merged, moved_speed
from app.timeline.curves.view import CONTROL, DRAG_DISTANCE, CurveDrag, Modifiers
from app.widgets.frames.menu import add_action
from core.animation.curves.timing_curves import Points, SpeedCurve
from core.animation.locks.strip import LockStrip
from core.animation.sequence import Sequence
from core.arrays import Array
from core.skeleton.dof import LENGTH

TOLERANCE = 4.0  # how far the curve may be from the line that was drawn, px


class SketchDrag(CurveEdit):
    """A speed drawn by hand along the frames; a smooth curve of few points is made of it.

    Args:
        view: The view.
        position: Where the mouse was pressed, [px].
    """

    view: RootSpeedView

    def __init__(self, view: RootSpeedView, position: QPointF):
        super().__init__(view, position)
        self._before = view.points
        self._span = view.span
        self._line = [self._at(position)]

    def _at(self, position: QPointF) -> tuple[float, float]:
        first, last = self._span
        frame = min(max(self.view.frame(position.x()), first), last)
        return frame, max(self.view.scale.value(position.y()), 0.0)

    def move(self, position: QPointF, modifiers: Modifiers) -> None:
        if self._gesture is None:
            if (position - self._press).manhattanLength() < DRAG_DISTANCE:
                return
            self._gesture = self.view.begin()
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

    def _end(self, keep: bool) -> None:
        self.view.sketch = []
        super()._end(keep)

    def tag(self) -> str:
        return "" if self._gesture is None else self.view.point_text(*self._line[-1])


ROOT = ""
SAMPLES = 300


def travelling(strips: tuple[LockStrip, ...]) -> list[LockStrip]:
    """Return the strips whose target moves along a path."""
    return [strip for strip in strips if len(strip.targets) > 1 and strip.lock.rule.travels]


class RootSpeedView(ControlPointView):
    """The speed along a path.

    Attributes:
        sketch: The line that is being drawn, (frame, speed) each, or ().
        held_unit: While a drag lasts: what one of the curve's numbers is in m/s; None else.
    """

    step = SPEEDS[LENGTH].step

    def __init__(self, model: CurvesModel):
        super().__init__(model)
        self.sketch: list[tuple[float, float]] = []
        self.held_unit: float | None = None
        self._known: tuple[object, Array, Array] | None = None

    # -- what travels ------------------------------------------------------------------------------------------------

    @property
    def strip(self) -> LockStrip | None:
        """The selected lock strip if its target moves along a path: then that is shown, else the root's."""
        selected = self.model.document.session.locks.selected
        return next((strip for strip in travelling(self.model.document.locks.strips) if strip.id == selected), None)

    @property
    def curve(self) -> SpeedCurve | None:
        """The speed that is set; None where the path is travelled as it is keyed."""
        strip, sequence = self.strip, self.model.document.sequence
        if strip is not None:
            return strip.speed
        return None if sequence is None else sequence.timing.root_speed

    @property
    def span(self) -> tuple[float, float]:
        """Frames at which the path begins and ends."""
        strip = self.strip
        if strip is not None:
            return float(strip.targets[0].frame), float(strip.targets[-1].frame)
        sequence = self.model.document.sequence
        if sequence is None:
            return 0.0, 0.0
        frames = sequence.keys.channel_frames(ROOT)
        return (float(frames[0]), float(frames[-1])) if len(frames) else (0.0, 0.0)

    def empty_text(self) -> str:
        document = self.model.document
        if document.skeleton is None:
            return "No figure"
        first, last = self.span
        if last <= first:
            return "The root has no path yet: key its position at two frames"
        return ""

    def speeds(self) -> tuple[Array, Array]:
        """Return frames along the path, and how fast it is travelled there, [m/s]; 0 where it is one frame only."""
        first, last = self.span
        if first == last:
            return np.array([first]), np.zeros(1)
        token = (self.model.motion, first, last, self.model.document.session.locks.selected)
        if self._known is None or self._known[0] != token:
            frames = np.linspace(first, last, SAMPLES)
            places = self._places(frames)
            sequence = self.model.document.sequence
            fps = 1.0 if sequence is None else sequence.fps
            steps = np.sqrt((np.diff(places, axis=0) ** 2).sum(axis=1)) / np.diff(frames) * fps
            self._known = (token, 0.5 * (frames[1:] + frames[:-1]), steps)
        return self._known[1], self._known[2]

    def _places(self, frames: Array) -> Array:
        strip, sequence = self.strip, self.model.document.sequence
        if strip is not None:
            return np.array([strip.lock.rule.place(strip.target_at(frame)) for frame in frames.tolist()])
        assert sequence is not None
        return sequence.interpolated_at_frames(frames)[:, :3]

    def unit(self) -> float:
        """Return what one of the curve's numbers is, [m/s]: they count relative to each other, the path stays."""
        curve = self.curve
        if self.held_unit is not None or curve is None:
            return self.held_unit or 1.0
        frames, speeds = self.speeds()
        inside = (frames >= curve.first) & (frames <= curve.last)
        wanted = curve.speeds(frames[inside])
        total = float(wanted.sum())
        return float(speeds[inside].sum()) / total if total > 0.0 and speeds[inside].any() else 1.0

    @property
    def points(self) -> Points:
        """Points of the curve, speeds in [m/s]."""
        if self.curve is None:
            return ()
        unit = self.unit()
        return tuple((frame, speed * unit) for frame, speed in self.curve.points)

    def bounds(self, selected: bool) -> tuple[float, float] | None:
        _, speeds = self.speeds()
        highest = max([float(speeds.max(initial=0.0)), *(speed for _, speed in self.points)])
        return 0.0, max(highest * 1.5, 0.1)

    def point_text(self, frame: float, value: float) -> str:
        return f"Frame {number_text(frame, 0.1)}\n{SPEEDS[LENGTH].text(value)}"

    @property
    def least(self) -> float:
        return 0.1

    @property
    def units(self) -> str:
        return "m/s"

    # -- painting ----------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter) -> None:
        frames, speeds = self.speeds()
        xs = self.model.timeline.xs(frames)
        draw_curve(painter, xs, self.scale.ys(speeds), style.color("text3"), (5.0, 3.0), 1.4)
        curve = self.curve
        if curve is None:
            return
        unit = self.unit()
        along = np.unique(np.concatenate((np.linspace(curve.first, curve.last, 400), [f for f, _ in curve.points])))
        draw_curve(
            painter, self.model.timeline.xs(along), self.scale.ys(curve.speeds(along) * unit), style.color("accent"),
            (), 1.8,
        )  # fmt: skip
        self.paint_points(painter)

    def paint_over(self, painter: QPainter, mouse: QPointF | None) -> None:
        if self.curve is None and not self.sketch:
            draw_hint(painter, "Draw a speed along the frames with the mouse", self.size)
        if len(self.sketch) > 1:
            line = np.array(self.sketch)
            xs, ys = self.model.timeline.xs(line[:, 0]), self.scale.ys(line[:, 1])
            draw_curve(painter, xs, ys, style.color("text"), (), 1.4)

    def tag(self, position: QPointF) -> tuple[str, QPointF, str] | None:
        i = self.point_at(position)
        if i is not None:
            return self.point_text(*self.points[i]), position, "accent"
        first, last = self.span
        frame = self.frame(position.x())
        if not first <= frame <= last:
            return None
        frames, speeds = self.speeds()
        speed = float(np.interp(frame, frames, speeds))
        if abs(self.scale.y(speed) - position.y()) > REACH:
            return None
        return self.point_text(frame, speed), position, "text3"

    def cursor(self, position: QPointF) -> Qt.CursorShape:
        return Qt.CursorShape.SizeAllCursor if self.point_at(position) is not None else Qt.CursorShape.CrossCursor

    # -- edits -------------------------------------------------------------------------------------------------------

    def values(self, sequence: Sequence, curve: SpeedCurve | None) -> Mapping[str, Any]:
        """Return what the sequence has with another speed, as ``KeyGesture.set_values`` takes it."""
        strip = self.strip
        if strip is None:
            return {"root_speed": curve}
        made = [replace(each, speed=curve) if each.id == strip.id else each for each in sequence.locks.strips]
        return {"strips": made}

    def begin(self) -> KeyGesture:
        gesture = super().begin()
        self.held_unit = 1.0  # the curve's numbers are speeds in m/s until the hand lets go
        return gesture

    def show(self, gesture: KeyGesture, points: Points) -> bool:
        return gesture.set_values(lambda s: self.values(s, SpeedCurve(points)))

    def end(self, gesture: KeyGesture, keep: bool) -> None:
        self.held_unit = None
        if keep and gesture.moved:
            self.show(gesture, self.points)  # in m/s as the path has them
        super().end(gesture, keep)

    def moved(self, points: Points, i: int, frame: float, value: float) -> Points:
        return moved_speed(points, i, frame, value)

    @property
    def text(self) -> str:
        return "Set speed of the root" if self.strip is None else "Set speed of a lock's target"

    def put(self, points: Points | None) -> bool:
        with self.model.document.keys.begin_gesture(self.text) as gesture:
            curve = None if points is None else SpeedCurve(points)
            gesture.set_values(lambda s: self.values(s, curve))
        if gesture.problem:
            self.model.document.say("warning", gesture.problem)
        self.model.touch_points()
        return not gesture.problem

    def constant(self) -> None:
        """Travel the path at one speed, between the ends of the curve or from end to end."""
        first, last = self.span if self.curve is None else (self.curve.first, self.curve.last)
        frames, speeds = self.speeds()
        inside = speeds[(frames >= first) & (frames <= last)]
        mean = float(inside.mean()) if len(inside) else 0.0
        self.chosen = None
        self.put(((first, mean or 1.0), (last, mean or 1.0)))

    def clear(self) -> None:
        """Travel the path as keyed."""
        self.chosen = None
        if self.curve is not None:
            self.put(None)

    def with_new(self, frame: float) -> tuple[Points, int] | None:
        curve, frame = self.curve, float(round(frame))
        if curve is None or any(abs(frame - other) < GAP for other, _ in curve.points):
            self.model.document.say("info", "Each point needs a frame of its own, along a speed that is set")
            return None
        point = frame, float(curve.speeds(frame)) * self.unit()
        made = tuple(sorted([*self.points, point]))
        return made, made.index(point)

    def on_line(self, position: QPointF) -> bool:
        curve = self.curve  # at any height, as a sketch may begin anywhere
        return curve is not None and curve.first < self.frame(position.x()) < curve.last

    def press(self, position: QPointF, modifiers: Modifiers) -> CurveDrag | None:
        i = self.point_at(position)
        self.choose(i)
        if i is None and modifiers & CONTROL:
            return self.hold_new(position)
        return SketchDrag(self, position) if i is None else ControlPointDrag(self, i, position)

    def delete(self) -> bool:
        points = self.points
        if self.chosen is None or self.chosen >= len(points):
            return False
        rest = (*points[: self.chosen], *points[self.chosen + 1 :])
        self.chosen = None
        if len(rest) < 2 or not any(speed > 0.0 for _, speed in rest):
            self.clear()
        else:
            self.put(rest)
        return True

    def menu(self, position: QPointF, parent: QWidget) -> QMenu | None:
        menu, i, frame = QMenu(parent), self.point_at(position), self.frame(position.x())
        if i is not None:
            self.chosen = i
            self.model.touch()
        some = self.curve is not None
        add_action(
            menu, f"Add point at frame {round(frame)}", lambda: self.add_point(frame), some and i is None, "plus"
        )
        add_action(menu, "Delete point", self.delete, self.chosen is not None and some, "trash")
        menu.addSeparator()
        add_action(menu, "Constant speed", self.constant)
        add_action(menu, "As keyed", self.clear, some, "rest")
        return menu
