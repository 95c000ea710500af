"""Drags in the views of values and speeds: keys in time and value, handles of tangents."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPointF, QTimer

from app.document.gestures.live_gesture import KeyGesture
from app.timeline.curves.edits import IN, OUT, moved_points, with_many_slopes
from app.timeline.curves.model import NO_FRAMES, Point
from app.timeline.curves.rows import CurveRow
from app.timeline.curves.view import ALT, CONTROL, DRAG_DISTANCE, SHIFT, CurveDrag, Modifiers, one_axis
from app.timeline.curves.weights import LEAST, MOST, steepness, with_reach
from app.timeline.selected_keys import SNAP
from app.widgets.behaviour.gesture import FINE
from app.words.quantity import CENTIMETRES, DEGREES, NUMBER, Quantity
from core.skeleton.dof import ANGLE, LENGTH
from core.skeleton.dof import NUMBER as PLAIN

if TYPE_CHECKING:
    from app.timeline.curves.values import ValuesView
    from core.animation.key import Key
    from core.animation.sequence import Sequence

CATCH = 4.0  # how near a value sticks to a limit, zero and its neighbours, px
MANY, LATE = 400, 2.0
"""While so many keys are dragged, the motion follows after pauses of so many times what it takes."""
STEEPEST = 2.0  # least way along the frames from a key to the mouse that gives a slope, px
_VALUES = {ANGLE: DEGREES, LENGTH: CENTIMETRES, PLAIN: NUMBER}
SPEEDS = {
    ANGLE: Quantity("°/s", 1, 1.0, "degrees per second"),
    LENGTH: Quantity("m/s", 2, 0.05, "metres per second"),
    PLAIN: Quantity("/s", 2, 0.05, "per second"),
}
_SLOPES = {
    ANGLE: Quantity("°/f", 2, 0.1, "degrees per frame"),
    LENGTH: Quantity("cm/f", 2, 0.1, "centimetres per frame"),
    PLAIN: Quantity("/f", 3, 0.01, "per frame"),
}


def quantity_of(row: CurveRow, speed: bool = False) -> Quantity:
    """Return how values of a row are shown and typed, or its speeds."""
    return (SPEEDS if speed else _VALUES)[row.unit]


def value_text(row: CurveRow, value: float, speed: bool = False) -> str:
    """Return a value of a row with its unit."""
    return quantity_of(row, speed).text(value)


class PointDrag(CurveDrag):
    """Selected keys moved in time and value, or in the view of speeds their slopes.

    Shift holds the drag to one axis, Ctrl makes it fine. Frames stick to markers, beats and the playhead, values to
    limits, zero and the keys either side.

    Args:
        view: The view.
        point: The key under the mouse.
        position: Where it was pressed, [px].
        speed: Whether speeds are changed.
    """

    def __init__(self, view: ValuesView, point: Point, position: QPointF, speed: bool):
        self.view, self.model, self.point, self.speed = view, view.model, point, speed
        self._press = position
        self.scrolls = not speed
        self._gesture: KeyGesture | None = None
        self._points = {row: frames for row, frames in view.model.points.items() if len(frames)}
        self._selection = view.model.selection()
        chosen = view.model.document.session.keys.selected
        if chosen and len(self._selection) and all(frame in chosen for frame in self._selection):
            self._selection = chosen  # whole keys that were selected in the timeline move as such
        self._by, self._rise = 0, 0.0
        self._good = 0
        self._value = self._start_value()
        self._level = self._drawn(self._value)
        self._catches = [self._drawn(place) for place in self._places_to_stick()]
        self._slopes: dict[int, dict[int, tuple[float, float]]] = {}
        self._said = ""
        self._wanted: tuple[int, float] | None = None
        self._late = QTimer(singleShot=True)
        self._late.timeout.connect(self._catch_up)
        self._signs = {}
        for row_id, frames in self._points.items():
            row = self.model.row(row_id)
            if row is not None:
                values = self.model.key_values(row, frames)
                self._signs[row_id] = self.model.samples.branch(row, frames, values)[1]

    def _start_value(self) -> float:
        frames, values = self.view.marks(self.point.row)
        at = int(np.searchsorted(frames, self.point.frame))
        return float(values[at]) if at < len(frames) and frames[at] == self.point.frame else 0.0

    def _drawn(self, value: float) -> float:
        return float(self.view.drawn(self.point.row, np.array([value]))[0])

    def _places_to_stick(self) -> list[float]:
        row = self.point.row
        places = [0.0, self._value]
        if self.speed:
            return places
        places += [limit for limit in (row.lower, row.upper) if math.isfinite(limit)]
        frames = self.model.key_frames(row)
        at = int(np.searchsorted(frames, self.point.frame))
        near = frames[[i for i in (at - 1, at + 1) if 0 <= i < len(frames)]]
        return places + self.model.key_values(row, near).tolist()

    # -- the gesture -------------------------------------------------------------------------------------------------

    def _begin(self) -> KeyGesture:
        if self._gesture is None:
            document = self.model.document
            document.set_frame(self.point.frame)  # the figure shows what is dragged
            text = "Set tangents" if self.speed else "Move keys" if self.model.count > 1 else "Move key"
            if self.speed:
                for each, frames in self._points.items():
                    row = self.model.row(each)
                    if row is not None and not row.target:
                        found = self.model.samples.slopes(self.model.motion, row, frames)
                        pairs = zip(found.come.tolist(), found.leave.tolist(), strict=True)
                        self._slopes[each] = dict(zip(frames.tolist(), pairs, strict=True))
            self._gesture = self.model.begin_gesture(text)
            self.model.dragging = True
        return self._gesture

    def show(self, by: int, rise: float) -> None:
        """Show the keys moved; very many of them now and then only, and their marks alone in between.

        Args:
            by: Frames to move by.
            rise: How much values rise, in units of the axis.
        """
        if self._late.isActive():
            self._wanted = (by, rise)
            self.view.ahead = (by - self._by, rise - self._rise)
            return
        start = time.monotonic()
        self._show_now(by, rise)
        self._wanted, self.view.ahead = None, None
        if self.model.count > MANY:
            self._late.start(round(LATE * 1000.0 * (time.monotonic() - start)))

    def _catch_up(self) -> None:
        self._late.stop()
        if self._wanted is not None:
            self.show(*self._wanted)

    def _show_now(self, by: int, rise: float) -> None:
        gesture = self._begin()
        self._rise = rise
        clamped: list[int] = []
        for wanted in dict.fromkeys((by, self._good)):
            if self._show(gesture, wanted, rise, clamped):
                self._by = self._good = wanted
                break
        problem = gesture.problem
        if not problem and by != self._by:
            problem = "Another key is in the way"
        self._follow()
        self._notify(problem, clamped)

    def _show(self, gesture: KeyGesture, by: int, rise: float, clamped: list[int]) -> bool:
        if self.speed:
            return gesture.set_values(lambda s: {"keys": with_many_slopes(s, self._wanted_slopes(s, rise))})
        rises = {}
        for each in self._points:
            row = self.model.row(each)
            if row is not None:
                rises[each] = self._signs[each] * rise / (row.factor * self.view.gain(row))

        def make(sequence: Sequence) -> Mapping[str, Any]:
            found = moved_points(sequence, self._selection.parts, self._points, by, rises)
            clamped[:] = found.clamped
            return found.values

        return gesture.set_values(make)

    def _wanted_slopes(
        self, sequence: Sequence, rise: float
    ) -> dict[int, dict[int, tuple[float | None, float | None]]]:
        wanted: dict[int, dict[int, tuple[float | None, float | None]]] = {}
        for each, slopes in self._slopes.items():
            row = self.model.row(each)
            if row is None:
                continue
            change, own = rise / row.speed_factor / sequence.fps, wanted.setdefault(each, {})
            for frame, (come, leave) in slopes.items():
                if self.view.broken(Point(row, frame)):
                    own[frame] = (come, leave + change)
                else:
                    last = frame == int(self.model.key_frames(row)[-1])
                    own[frame] = ((come if last else leave) + change,) * 2
        return wanted

    def _follow(self) -> None:
        by = self._by
        self.model.points = {row: frames + by for row, frames in self._points.items()}
        self.model.primary = Point(self.point.row, self.point.frame + by)
        self.model.touch_points()

    def _notify(self, problem: str, clamped: list[int]) -> None:
        text = problem
        for column in clamped[:1]:
            row = self.model.row(column)
            if row is not None:
                text = f"{row.name} stops at its limits, {quantity_of(row).span(row.lower, row.upper)}"
        if text != self._said:
            self._said = text
            self.model.document.say("warning" if problem else "info", text)

    # -- mouse -------------------------------------------------------------------------------------------------------

    def move(self, position: QPointF, modifiers: Modifiers) -> None:
        away = position - self._press
        if self._gesture is None and max(abs(away.x()), abs(away.y())) < DRAG_DISTANCE:
            return
        dx, dy = (0.0, away.y()) if self.speed else one_axis(away, modifiers)
        fine = bool(modifiers & CONTROL)
        by = round(dx / self.model.timeline.pixels)
        if dx and not fine:
            by = self._stuck_frame(position.x(), by)
        rise = -dy * self.view.scale.unit * (FINE if fine else 1.0)
        if dy and not fine:
            wanted = self._level + rise
            near = min(self._catches, key=lambda place: abs(place - wanted))
            if abs(near - wanted) <= CATCH * self.view.scale.unit:
                rise = near - self._level
        self.show(by, rise)

    def _stuck_frame(self, x: float, by: int) -> int:
        timeline = self.model.timeline
        places = np.append(timeline.marks.snap_frames(), timeline.document.frame) - self.point.frame
        off = np.abs(timeline.xs(places + self.point.frame) - x)
        i = int(off.argmin())
        return int(places[i]) if off[i] <= SNAP else by

    def release(self, position: QPointF, modifiers: Modifiers) -> None:
        if self._gesture is None:
            if not modifiers & (SHIFT | CONTROL):
                one = np.array([self.point.frame], dtype=np.int64)
                self.model.select({self.point.row.id: one}, self.point)
                self.model.document.set_frame(self.point.frame)
            return
        self._catch_up()
        self._late.stop()
        points, primary = self.model.points, self.model.primary
        self._gesture.commit()
        self.model.dragging = False
        self.model.select(points, primary)
        self._quiet()

    def cancel(self) -> None:
        self._late.stop()
        self._wanted, self.view.ahead = None, None
        if self._gesture is not None:
            self._gesture.cancel()
            self.model.dragging = False
            self.model.select(self._points, self.point)
            self._quiet()

    def _quiet(self) -> None:
        if self._said:
            self.model.document.say("info", "")

    def tag(self) -> str:
        if self._gesture is None:
            return ""
        value = self.view.text(self.point.row, self._shown_value())
        return f"{self.point.row.name} {value}\nKey at frame {self.point.frame + self._by}"

    def _shown_value(self) -> float:
        frames, values = self.view.marks(self.point.row)
        at = int(np.searchsorted(frames, self.point.frame + self._by))
        return float(values[at]) if at < len(frames) else self._value

    # -- keyboard ----------------------------------------------------------------------------------------------------

    def step(self, frames: int, rise: float) -> None:
        """Move the keys by some frames, and up by some degrees or centimetres; speeds stay at their frames."""
        by, up = self._wanted or (self._by, self._rise)
        unit = quantity_of(self.point.row, self.speed).step * self.view.gain(self.point.row)
        self.show(by if self.speed else by + frames, up + rise * unit)


class HandleDrag(CurveDrag):
    """A tangent's handle dragged: the slope is the key's own from then on. Alt breaks the two sides apart.

    Args:
        view: The view of values.
        point: The key.
        side: Which handle.
        position: Where it was pressed, [px].
    """

    scrolls = False

    def __init__(self, view: ValuesView, point: Point, side: int, position: QPointF):
        self.view, self.model, self.point, self.side = view, view.model, point, side
        self._press = position
        self._gesture: KeyGesture | None = None
        one = np.array([point.frame], dtype=np.int64)
        slopes = view.model.samples.slopes(view.model.motion, point.row, one)
        self._reach = view.reach(point, side)
        self._span = view.span(point, side)
        # Slopes of the path in terms of those that are seen.
        self._steep = view.model.steepness(point)
        self._before = float(slopes.come[0]) / self._steep[0], float(slopes.leave[0]) / self._steep[1]
        self._broken = view.broken(point)
        self._value = float(view.model.key_values(point.row, one)[0])
        self._slope = 0.0

    def move(self, position: QPointF, modifiers: Modifiers) -> None:
        if self._gesture is None:
            if (position - self._press).manhattanLength() < DRAG_DISTANCE:
                return
            self.model.document.set_frame(self.point.frame)
            self._gesture = self.model.begin_gesture("Set tangent")
            self.model.dragging = True
        x, y = self.view.x(self.point.frame), self.view.y(self.point.row, self._value)
        along = max((position.x() - x) * self.side, STEEPEST) * self.side
        rise = y - position.y()
        if abs(rise) <= CATCH and not modifiers & CONTROL:
            rise = 0.0
        gain = self.point.row.factor * self.view.gain(self.point.row)
        slope = rise * self.view.scale.unit / (along / self.model.timeline.pixels) / gain
        apart = self._broken or bool(modifiers & ALT)
        come, leave = self._before
        if not apart:
            come = leave = slope
        elif self.side == IN:
            come = slope
        else:
            leave = slope
        self._slope = slope
        steep, reach = list(self._steep), None
        if self._reach is not None:
            reach = min(max(abs(along) / self.model.timeline.pixels / self._span, LEAST), MOST)
            steep[0 if self.side == IN else 1] = steepness(reach)
        wanted = {self.point.row.id: {self.point.frame: (come * steep[0], leave * steep[1])}}
        self._gesture.set_values(lambda s: {"keys": self._pulled(s, wanted, reach)})
        self.model.touch()

    def _pulled(
        self, sequence: Sequence, wanted: Mapping[int, dict[int, tuple[float, float]]], reach: float | None
    ) -> list[Key]:
        """Return the keys with the handle where the mouse has it, as long as that where it has a length."""
        keys = with_many_slopes(sequence, wanted)
        if reach is None:
            return keys
        name = self.point.row.channel
        if self.side == OUT:
            return with_reach(keys, name, self.point.frame, reach, None)
        return with_reach(keys, name, self.point.frame - self._span, None, reach)

    def release(self, position: QPointF, modifiers: Modifiers) -> None:
        if self._gesture is not None:
            self._gesture.commit()
            self._end()

    def cancel(self) -> None:
        if self._gesture is not None:
            self._gesture.cancel()
            self._end()

    def _end(self) -> None:
        self.model.dragging = False
        self.model.touch_points()

    def tag(self) -> str:
        if self._gesture is None:
            return ""
        sequence = self.model.sequence
        fps = sequence.fps if sequence is not None else 1.0
        speed = value_text(self.point.row, self._slope * fps * self.point.row.speed_factor, True)
        return f"Slope {slope_text(self.point.row, self._slope)}\n{speed}"


def slope_quantity(row: CurveRow) -> Quantity:
    """Return how slopes of a row are shown: degrees or centimetres a frame."""
    return _SLOPES[row.unit]


def slope_text(row: CurveRow, slope: float) -> str:
    """Return a slope with its unit; ``slope`` is in the pose's unit, [1/frame]."""
    return slope_quantity(row).text(slope * row.factor)


__all__ = [
    "NO_FRAMES", "HandleDrag", "PointDrag", "quantity_of", "slope_quantity", "slope_text", "value_text",
]  # fmt: skip
