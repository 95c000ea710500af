"""The views of values and of speeds: curves of the shown rows with their keys and tangents."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu, QWidget

from app.look import fonts, style
from app.timeline.curves.actions import CurveActions, key_menu
from app.timeline.curves.box import KeyBox, draw_box, key_box, press_box, side_at, side_cursor
from app.timeline.curves.edits import ALIKE, IN, OUT, is_broken
from app.timeline.curves.model import NO_FRAMES, CurvesModel, Frames, Point
from app.timeline.curves.normalised import NormalisedRows
from app.timeline.curves.paint import draw_curve, draw_handle, draw_limits, draw_marks
from app.timeline.curves.point_drag import HandleDrag, PointDrag, value_text
from app.timeline.curves.rows import CurveRow
from app.timeline.curves.view import ALT, CONTROL, SHIFT, CurveDrag, CurveView, Modifiers
from app.timeline.curves.weights import reach_in, reach_out, steepness
from app.timeline.sheet.picture import CROWDED
from app.words.keys_now import key_of
from core.animation.shape import FREE, LINEAR, STEPPED
from core.arrays import Array
from core.skeleton.dof import ANGLE, LENGTH

MOST_SPEED_KEYS = 1500
"""Speeds of so many keys in sight are marked; more would stand closer than their marks are wide."""


class CurveLines(CurveView):
    """Values or speeds over frames.

    Args:
        model: What the parts of the curve editor share.
        speed: Whether speeds are shown.
    """

    def __init__(self, model: CurvesModel, speed: bool):
        super().__init__(model)
        self.speed = speed
        self._curves: dict[int, tuple[object, Array, Array]] = {}
        self._key_speeds: dict[int, tuple[object, Frames, Array, Array]] = {}
        self._normalised = NormalisedRows(model)

    # -- where values are drawn --------------------------------------------------------------------------------------

    @property
    def normalised(self) -> bool:
        """Whether every curve is drawn over the same height."""
        return self.model.normalised and not self.speed

    def gain(self, row: CurveRow) -> float:
        """Return how much of the axis one unit on screen of a row is."""
        return self._normalised.gain(row) if self.normalised else 1.0

    def drawn(self, row: CurveRow, values: Array) -> Array:
        """Return at which values of the axis values of a row are drawn."""
        return self._normalised.drawn(row, values) if self.normalised else values

    def ys(self, row: CurveRow, values: Array) -> Array:
        """Return where values of a row are drawn, [px]."""
        return self.scale.ys(self.drawn(row, values))

    def y(self, row: CurveRow, value: float) -> float:
        """Return where a value of a row is drawn, [px]."""
        return float(self.ys(row, np.array([value]))[0])

    # -- what there is -----------------------------------------------------------------------------------------------

    def empty_text(self) -> str:
        document = self.model.document
        if document.skeleton is None:
            return "No figure"
        if self.model.layer is not None and not self.model.layer.keys:
            return "The layer has no keys yet: pose the figure"
        if not self.model.rows:
            return "Select a part, or keys in the dope sheet, to see their curves"
        if not self.model.shown:
            return "Open a group at the left to see its curves" if self.model.folding else "All curves are hidden"
        if document.sequence is not None and not document.sequence.keys:
            return f"No keys yet: pose the figure, then press {key_of('set_key')}"
        return ""

    def refresh(self) -> bool:
        """Say which frames are to be sampled; return whether there is any motion."""
        sequence, timeline = self.model.sequence, self.model.timeline
        if sequence is None or not sequence.keys:
            return False
        first, last = timeline.visible()
        self.model.samples.show(sequence, self.model.motion, first, last, timeline.pixels)
        return True

    def curve(self, row: CurveRow) -> tuple[Array, Array]:
        """Return frames and values of a row's curve as they are drawn."""
        samples = self.model.samples
        kept = self._curves.get(row.id)
        if kept is None or kept[0] != samples.token:
            kept = self._curves[row.id] = (samples.token, *self._curve(row))
        return kept[1], kept[2]

    def _curve(self, row: CurveRow) -> tuple[Array, Array]:
        samples = self.model.samples
        if self.speed:
            return samples.frames, samples.speeds(row) * row.speed_factor
        frames, values = samples.frames, samples.values(row)
        if row.turned:
            return frames, values
        keys = self.seen_keys(row)
        if len(keys) > len(frames):  # what rises between two samples must not be lost
            frames = np.concatenate((frames, keys))
            values = np.concatenate((values, self.model.key_values(row, keys)))
            order = np.argsort(frames, kind="stable")
            frames, values = frames[order], values[order]
        return frames, values

    def seen_keys(self, row: CurveRow) -> Frames:
        """Return the frames of a row's keys that can be seen."""
        if row.turned:
            return NO_FRAMES
        frames = self.model.key_frames(row)
        first, last = self.model.timeline.visible()
        a, b = np.searchsorted(frames, (first - 1.0, last + 1.0))
        return frames[a:b]

    def marks(self, row: CurveRow) -> tuple[Frames, Array]:
        """Return frames and values of the keys of a row that can be seen."""
        frames = self.seen_keys(row)
        if not self.speed:
            values = self.model.key_values(row, frames)
            return (frames, self.model.samples.branch(row, frames, values)[0]) if self.refresh() else (frames, values)
        if len(frames) > MOST_SPEED_KEYS or not len(frames) or row.target:
            return NO_FRAMES, np.empty(0)
        token = (self.model.motion, int(frames[0]), len(frames))
        kept = self._key_speeds.get(row.id)
        if kept is None or kept[0] != token:
            slopes = self.model.samples.slopes(self.model.motion, row, frames)
            sequence = self.model.sequence
            rate = (sequence.fps if sequence is not None else 1.0) * row.speed_factor
            leave = slopes.leave.copy()
            if len(leave) and frames[-1] == self.model.key_frames(row)[-1]:
                leave[-1] = slopes.come[-1]  # after the last key nothing moves
            kept = self._key_speeds[row.id] = (token, frames, leave * rate, slopes.come * rate)
        return kept[1], kept[2]

    def bounds(self, selected: bool) -> tuple[float, float] | None:
        if not self.refresh():
            return None
        found: list[Array] = []
        for row in self.model.shown:
            if selected:
                chosen = self.model.points.get(row.id, NO_FRAMES)
                frames, values = self.marks(row)
                if self.speed:
                    found.append(values[np.isin(frames, chosen)])
                else:
                    found.append(self.drawn(row, self.model.key_values(row, chosen)))
            else:
                found.append(self.drawn(row, self.curve(row)[1]))
                if not self.speed and not row.turned:
                    found.append(self.drawn(row, self.model.key_values(row, self.model.key_frames(row))))
        values = np.concatenate(found) if found else np.empty(0)
        values = values[np.isfinite(values)]
        if not len(values):
            return None
        return float(values.min()), float(values.max())

    def frames(self, selected: bool) -> tuple[float, float] | None:
        if not selected:
            first, last = self.model.timeline.range
            return float(first), float(last)
        rows = [frames for frames in self.model.points.values() if len(frames)]
        if not rows:
            return None
        return float(min(frames[0] for frames in rows)), float(max(frames[-1] for frames in rows))

    @property
    def least(self) -> float:
        if self.normalised:
            return 1.0
        if not self.speed:
            return 8.0
        return 10.0 if self._angles == (True, False) else 0.2

    @property
    def _angles(self) -> tuple[bool, bool]:
        """Whether angles are shown, and lengths."""
        kinds = {row.unit for row in self.model.shown}
        return ANGLE in kinds, LENGTH in kinds

    @property
    def degrees(self) -> bool:
        return not self.speed and not self.normalised and self._angles == (True, False)

    @property
    def suffix(self) -> str:
        return "°" if self.degrees else ""

    @property
    def units(self) -> str:
        if self.normalised:
            return ""
        angles, lengths = self._angles
        names = ("°/s", "m/s") if self.speed else ("°", "cm")
        shown = [name for name, there in zip(names, (angles, lengths), strict=True) if there]
        return "" if self.degrees else ", ".join(shown)

    # -- painting ----------------------------------------------------------------------------------------------------

    @property
    def focus_row(self) -> CurveRow | None:
        """The row whose limits are shown: the only one, else that of the selected key or of the keyboard."""
        shown = self.model.shown
        if len(shown) == 1:
            return shown[0]
        primary = self.model.primary
        wanted = primary.row.id if primary is not None else self.model.current
        return next((row for row in shown if row.id == wanted), None)

    def paint(self, painter: QPainter) -> None:
        if not self.refresh():
            return
        row = self.focus_row
        if row is not None and not self.speed and row.limited:
            lower, upper = self.y(row, row.lower), self.y(row, row.upper)
            draw_limits(painter, lower, upper, self.size, row.token)
        self._paint_kept(painter)
        for row in self.model.shown:
            frames, values = self.curve(row)
            color = style.color(row.token)
            draw_curve(painter, self.xs(frames), self.ys(row, values), color, row.dash)
        for row in self.model.shown:
            self._paint_marks(painter, row)
        self._paint_letters(painter)

    def _paint_kept(self, painter: QPainter) -> None:
        """Paint the curves that are kept to compare with, behind the others."""
        kept, timeline = self.model.kept, self.model.timeline
        if (
            kept is None
            or self.speed
            or not kept.belongs_to(None if (shown := self.model.sequence) is None else shown.skeleton)
        ):
            return
        first, last = timeline.visible()
        for row in self.model.shown:
            if not row.turned and not row.target:
                frames, values = kept.curve(row, first, last, timeline.pixels)
                color = style.mix("input", row.token, 0.55)
                draw_curve(painter, self.xs(frames), self.ys(row, values), color, (2.0, 4.0), 1.4)

    def xs(self, frames: NDArray[np.int64] | NDArray[np.float64]) -> Array:
        """Return where frames lie, [px]."""
        return self.model.timeline.xs(frames)

    def _paint_marks(self, painter: QPainter, row: CurveRow) -> None:
        frames, values = self.marks(row)
        if not len(frames):
            return
        chosen = np.isin(frames, self.model.points.get(row.id, NO_FRAMES))
        xs, ys = self.xs(frames), self.ys(row, values)
        quiet = row.id in self.model.locked
        draw_marks(painter, xs[~chosen], ys[~chosen], row.token, False, quiet, self.ratio)
        draw_marks(painter, xs[chosen], ys[chosen], row.token, True, quiet, self.ratio)

    def _paint_letters(self, painter: QPainter) -> None:
        """Paint the letter of each curve where it ends or leaves the picture."""
        painter.setFont(fonts.font(fonts.SMALL, fonts.SEMIBOLD))
        taken: list[float] = []
        for row in self.model.shown:
            frames, values = self.curve(row)
            xs = self.xs(frames)
            inside = np.flatnonzero((xs < self.size.width() - 14) & np.isfinite(values))
            if not len(inside):
                continue
            _, end = self.model.timeline.range
            at = inside[-1] if frames[inside[-1]] <= end else inside[np.searchsorted(frames[inside], end)]
            y = self.y(row, float(values[at]))
            y = min(max(y, 8.0), self.size.height() - 8.0)
            free = [y + away for step in range(3) for away in (11.0 * step, -11.0 * step)]
            free = [at_y for at_y in free if all(abs(at_y - other) >= 11.0 for other in taken)]
            if not free or not 0.0 < free[0] < self.size.height():
                continue  # where many curves end in one place, the list tells them apart
            y = free[0]
            taken.append(y)
            x = min(float(xs[at]) + 7.0, self.size.width() - 13.0)
            painter.fillRect(QRectF(x, y - 6, 12, 12), style.color("input"))
            painter.setPen(style.color(row.token))
            painter.drawText(QRectF(x, y - 7, 12, 14), Qt.AlignmentFlag.AlignCenter, row.letter)


REACH = 7.0  # how near to a key or handle counts, px
HANDLE_LENGTH = 46.0
MOST_HANDLES = 12
_STRAIGHT = (LINEAR, STEPPED)


class ValuesView(CurveLines):
    """Values or speeds over frames: keys and tangents are dragged.

    Args:
        model: What the parts of the curve editor share.
        speed: Whether speeds are shown.

    Attributes:
        ahead: Frames and units that the mouse is ahead of very many keys it drags, or None.
        kept_box: The box round the selected keys, after what it was worked out for.
    """

    ahead: tuple[int, float] | None = None
    kept_box: tuple[object, KeyBox | None] | None = None

    def paint_over(self, painter: QPainter, mouse: QPointF | None) -> None:
        if not self.refresh():
            return
        self._paint_current(painter)
        self._paint_ahead(painter)
        hot = None if mouse is None else self.handle_at(mouse)
        box = key_box(self)
        if box is not None:
            free = mouse is not None and hot is None and self.key_at(mouse) is None
            draw_box(painter, self, box, side_at(self, box, mouse) if mouse is not None and free else None)
        for point, side, key, handle in self.handles():
            shape = self.model.shape(point)
            own = shape is not None and shape.interp == FREE and shape.has_slopes
            draw_handle(painter, key, handle, point.row.token, own, hot == (point, side))
        if mouse is not None and hot is None and self.key_at(mouse) is None:
            found = self.curve_at(mouse)
            if found is not None:
                row, value = found
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(style.color(row.token))
                painter.drawEllipse(QPointF(mouse.x(), self.y(row, value)), 3.0, 3.0)

    def _paint_ahead(self, painter: QPainter) -> None:
        """Paint the marks of very many dragged keys where the mouse has them."""
        if self.ahead is None:
            return
        by, rise = self.ahead
        for row in self.model.editable:
            frames, values = self.marks(row)
            chosen = np.isin(frames, self.model.points.get(row.id, NO_FRAMES))
            xs, ys = self.xs(frames[chosen] + by), self.scale.ys(self.drawn(row, values[chosen]) + rise)
            draw_marks(painter, xs, ys, row.token, True, False, self.ratio)

    def _paint_current(self, painter: QPainter) -> None:
        """Paint the keys at the current frame once more, over the playhead."""
        now = self.model.document.frame
        for row in self.model.shown:
            frames, values = self.marks(row)
            at = int(np.searchsorted(frames, now))
            if at < len(frames) and frames[at] == now:
                x, y = self.xs(frames[at : at + 1]), self.ys(row, values[at : at + 1])
                chosen, quiet = self.model.is_selected(row, now), row.id in self.model.locked
                draw_marks(painter, x, y, row.token, chosen, quiet, self.ratio)

    # -- tangents ----------------------------------------------------------------------------------------------------

    def handles(self) -> Iterable[tuple[Point, int, QPointF, QPointF]]:
        """Return the handles of the selected keys: key, side, where the key is, where the handle is."""
        if self.speed or self.model.count > MOST_HANDLES:
            return []
        found = []
        pixels, unit = self.model.timeline.pixels, self.scale.unit
        for row in self.model.editable:
            frames = np.intersect1d(self.model.points.get(row.id, NO_FRAMES), self.seen_keys(row))
            if not len(frames) or row.target:
                continue
            slopes = self.model.samples.slopes(self.model.motion, row, frames)
            values = self.model.samples.branch(row, frames, self.model.key_values(row, frames))[0]
            every = self.model.key_frames(row)
            for i, frame in enumerate(frames.tolist()):
                point = Point(row, frame)
                key = QPointF(self.x(frame), self.y(row, float(values[i])))
                for side, slope in ((IN, float(slopes.come[i])), (OUT, float(slopes.leave[i]))):
                    if not self._bends(point, side, every):
                        continue
                    reach = self.reach(point, side)
                    slope /= steepness(reach)
                    rise = slope * row.factor * self.gain(row) / unit / pixels  # px up a px along
                    length = HANDLE_LENGTH / math.hypot(1.0, rise)
                    if reach is not None:
                        length = reach * self.span(point, side) * pixels
                    found.append((point, side, key, key + QPointF(side * length, -side * rise * length)))
        return found

    def reach(self, point: Point, side: int) -> float | None:
        """Return how far a handle reaches, as a share of its span; None if it has no length of its own."""
        return reach_in(self.model.before(point)) if side == IN else reach_out(self.model.shape(point))

    def span(self, point: Point, side: int) -> int:
        """Return how many frames the span at a side of a key is long; 0 if there is none."""
        every = self.model.key_frames(point.row)
        at = int(np.searchsorted(every, point.frame)) + side
        return abs(int(every[at]) - point.frame) if 0 <= at < len(every) else 0

    def _bends(self, point: Point, side: int, every: Frames) -> bool:
        """Return whether the span on a side of a key has a tangent there."""
        if side == IN:
            before = self.model.before(point) if point.frame > every[0] else None
            return before is not None and before.interp not in _STRAIGHT
        shape = self.model.shape(point)
        return point.frame < every[-1] and shape is not None and shape.interp != STEPPED

    def handle_at(self, position: QPointF) -> tuple[Point, int] | None:
        """Return the handle at a place: its key and its side."""
        best, near = None, REACH + 1.0
        for point, side, _, handle in self.handles():
            distance = math.hypot(position.x() - handle.x(), position.y() - handle.y())
            if distance < near:
                best, near = (point, side), distance
        return best

    def broken(self, point: Point) -> bool:
        """Return whether the two tangents of a key have been set apart."""
        shape, sequence = self.model.shape(point), self.model.sequence
        if shape is None or sequence is None:
            return False
        place = int(np.searchsorted(sequence.channels.columns[point.row.number], point.row.id))
        if not is_broken(shape, place):
            return False
        come = None if shape.slopes_in is None else shape.slopes_in[place]
        leave = None if shape.slopes_out is None else shape.slopes_out[place]
        if come is None or leave is None:
            return True
        sides = self.reach(point, IN), self.reach(point, OUT)
        if sides == (None, None):
            return True
        come, leave = come / steepness(sides[0]), leave / steepness(sides[1])
        return abs(come - leave) > ALIKE * (1.0 + abs(come) + abs(leave))

    # -- what lies where ---------------------------------------------------------------------------------------------

    def key_at(self, position: QPointF, editable: bool = True) -> Point | None:
        """Return the key at a place; selected ones come first."""
        if not self.refresh():
            return None
        best, near = None, REACH
        for row in self.model.editable if editable else self.model.shown:
            frames, values = self.marks(row)
            if not len(frames):
                continue
            distance = np.hypot(self.xs(frames) - position.x(), self.ys(row, values) - position.y())
            i = int(distance.argmin())
            point = Point(row, int(frames[i]))
            off = float(distance[i]) - (1.5 if self.model.is_selected(*point) else 0.0)
            if off < near:
                best, near = point, off
        return best

    def curve_at(self, position: QPointF) -> tuple[CurveRow, float] | None:
        """Return the curve at a place, and its value at that frame."""
        if not self.refresh():
            return None
        best, near = None, REACH + 2.0
        frame = self.frame(position.x())
        for row in self.model.shown:
            frames, values = self.curve(row)
            if not len(frames):
                continue
            value = float(np.interp(frame, frames, values))
            a, b = np.searchsorted(frames, (self.frame(position.x() - 3.0), self.frame(position.x() + 3.0)))
            ys = self.ys(row, np.append(values[a:b], value))
            ys = ys[np.isfinite(ys)]
            if not len(ys):
                continue
            off = max(float(ys.min()) - position.y(), position.y() - float(ys.max()), 0.0)
            if off < near and math.isfinite(value):
                best, near = (row, value), off
        return best

    def tag(self, position: QPointF) -> tuple[str, QPointF, str] | None:
        point = self.key_at(position, editable=False)
        if point is not None:
            frames, values = self.marks(point.row)
            value = float(values[int(np.searchsorted(frames, point.frame))])
            text = f"{point.row.name} {self.text(point.row, value)}\nKey at frame {point.frame}"
            return text, position, point.row.token
        found = self.curve_at(position)
        if found is None:
            return None
        row, value = found
        frame = f"{self.frame(position.x()):.1f}".removesuffix(".0")
        return f"{row.name} {self.text(row, value)}\nFrame {frame}", position, row.token

    def keep_seen(self) -> Array:
        found = [(at.x(), at.y()) for _, _, key, handle in self.handles() for at in (key, (key + handle) / 2.0, handle)]
        return np.array(found).reshape(-1, 2)

    def text(self, row: CurveRow, value: float) -> str:
        """Return a value of a row with its unit."""
        return value_text(row, value, self.speed)

    def cursor(self, position: QPointF) -> Qt.CursorShape:
        if self.handle_at(position) is not None:
            return Qt.CursorShape.PointingHandCursor
        if self.key_at(position) is not None:
            return Qt.CursorShape.SizeAllCursor
        box = key_box(self)
        side = None if box is None else side_at(self, box, position)
        return Qt.CursorShape.ArrowCursor if side is None else side_cursor(side)

    def over_box(self, position: QPointF) -> bool:
        box = key_box(self)
        return box is not None and self.key_at(position) is None and side_at(self, box, position) is not None

    # -- mouse and keyboard ------------------------------------------------------------------------------------------

    def press(self, position: QPointF, modifiers: Modifiers) -> CurveDrag | None:
        handle = self.handle_at(position)
        if handle is not None:
            return HandleDrag(self, *handle, position)
        point = self.key_at(position)
        if point is None:
            return press_box(self, position, modifiers)
        if modifiers & ALT:
            return None  # a rectangle that selects
        was = self.model.is_selected(*point)
        if not was and not modifiers & CONTROL and self._crowded(point):
            return None  # one of many that look like a line: a drag is for several of them
        row, one = point.row.id, np.array([point.frame], dtype=np.int64)
        if modifiers & CONTROL and not modifiers & SHIFT:
            here = self.model.points.get(row, NO_FRAMES)
            self.model.select({**self.model.points, row: np.setxor1d(here, one)}, None if was else point)
            return CurveDrag()
        if modifiers & SHIFT and not was:
            here = self.model.points.get(row, NO_FRAMES)
            self.model.select({**self.model.points, row: np.union1d(here, one)}, point)
        elif not was:
            self.model.select({row: one}, point)
        else:
            self.model.primary = point
            self.model.points_changed.emit()
        return PointDrag(self, point, position, self.speed)

    def _crowded(self, point: Point) -> bool:
        """Return whether a key is no further from its neighbours than keys whose marks run into each other."""
        frames = self.model.key_frames(point.row)
        at = int(np.searchsorted(frames, point.frame))
        gaps = np.diff(frames[max(at - 1, 0) : at + 2]) * self.model.timeline.pixels
        return bool(len(gaps) and gaps.max() < CROWDED)

    def click(self, position: QPointF, modifiers: Modifiers) -> None:
        point = self.key_at(position)
        if point is None:
            super().click(position, modifiers)
            return
        row, one = point.row.id, np.array([point.frame], dtype=np.int64)
        here = self.model.points.get(row, NO_FRAMES)
        adds = bool(modifiers & SHIFT)
        self.model.select({**self.model.points, row: np.union1d(here, one)} if adds else {row: one}, point)
        if not adds:
            self.model.document.set_frame(point.frame)

    def select_box(self, box: QRectF, modifiers: Modifiers) -> None:
        found: dict[int, Frames] = dict(self.model.points) if modifiers & (SHIFT | CONTROL) else {}
        self.refresh()
        for row in self.model.editable:
            frames, values = self.marks(row)
            xs, ys = self.xs(frames), self.ys(row, values)
            inside = (xs >= box.left()) & (xs <= box.right()) & (ys >= box.top()) & (ys <= box.bottom())
            if inside.any():
                found[row.id] = np.union1d(found.get(row.id, NO_FRAMES), frames[inside])
        self.model.select(found)

    def select_all(self) -> None:
        self.model.select({row.id: self.model.key_frames(row) for row in self.model.editable})

    def clear_selection(self) -> None:
        if self.model.points:
            self.model.select({})

    def menu(self, position: QPointF, parent: QWidget) -> QMenu | None:
        point = self.key_at(position)
        if point is not None and not self.model.is_selected(*point):
            self.model.select({point.row.id: np.array([point.frame], dtype=np.int64)}, point)
        found = None if point is not None else self.curve_at(position)
        frame = round(self.frame(position.x()))
        return key_menu(self.model, parent, None if found is None else found[0], frame)

    def delete(self) -> bool:
        if not self.model.pose_points:
            return False
        CurveActions(self.model).delete()
        return True

    def hold_selected(self) -> CurveDrag | None:
        primary = self.model.primary
        return None if primary is None else PointDrag(self, primary, QPointF(), self.speed)
