"""The views of values and of speeds: curves of the shown rows with their keys and tangents."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QMenu, QWidget

from app.look import style
from app.timeline.curves.edits import IN, OUT, is_broken
from app.timeline.curves.lines import CurveLines
from app.timeline.curves.menu import key_menu
from app.timeline.curves.model import NO_FRAMES, Frames, Point
from app.timeline.curves.paint import draw_handle, draw_marks
from app.timeline.curves.point_drag import HandleDrag, PointDrag, value_text
from app.timeline.curves.rows import CurveRow
from app.timeline.curves.view import ALT, CONTROL, SHIFT, CurveDrag, Modifiers
from app.timeline.sheet.picture import CROWDED
from core.animation.shape import FREE, LINEAR, STEPPED
from core.arrays import Array

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
    """

    ahead: tuple[int, float] | None = None

    def paint_over(self, painter: QPainter, mouse: QPointF | None) -> None:
        if not self.refresh():
            return
        self._paint_current(painter)
        self._paint_ahead(painter)
        hot = None if mouse is None else self.handle_at(mouse)
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
                painter.drawEllipse(QPointF(mouse.x(), self.scale.y(value)), 3.0, 3.0)

    def _paint_ahead(self, painter: QPainter) -> None:
        """Paint the marks of very many dragged keys where the mouse has them."""
        if self.ahead is None:
            return
        by, rise = self.ahead
        for row in self.model.editable:
            frames, values = self.marks(row)
            chosen = np.isin(frames, self.model.points.get(row.id, NO_FRAMES))
            xs, ys = self.xs(frames[chosen] + by), self.scale.ys(values[chosen] + rise)
            draw_marks(painter, xs, ys, row.token, True, False, self.ratio)

    def _paint_current(self, painter: QPainter) -> None:
        """Paint the keys at the current frame once more, over the playhead."""
        now = self.model.document.frame
        for row in self.model.shown:
            frames, values = self.marks(row)
            at = int(np.searchsorted(frames, now))
            if at < len(frames) and frames[at] == now:
                x, y = self.xs(frames[at : at + 1]), self.scale.ys(values[at : at + 1])
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
            if not len(frames):
                continue
            slopes = self.model.samples.slopes(self.model.motion, row, frames)
            values = self.model.samples.branch(row, frames, self.model.key_values(row, frames))[0]
            every = self.model.key_frames(row)
            for i, frame in enumerate(frames.tolist()):
                point = Point(row, frame)
                key = QPointF(self.x(frame), self.scale.y(float(values[i])))
                for side, slope in ((IN, float(slopes.come[i])), (OUT, float(slopes.leave[i]))):
                    if not self._bends(point, side, every):
                        continue
                    rise = slope * row.factor / unit / pixels  # px up a px along
                    length = HANDLE_LENGTH / math.hypot(1.0, rise)
                    found.append((point, side, key, key + QPointF(side * length, -side * rise * length)))
        return found

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
        shape, sequence = self.model.shape(point), self.model.document.sequence
        if shape is None or sequence is None:
            return False
        columns = sequence.channels.columns[point.row.number]
        return is_broken(shape, int(np.searchsorted(columns, point.row.id)))

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
            distance = np.hypot(self.xs(frames) - position.x(), self.scale.ys(values) - position.y())
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
            ys = self.scale.ys(np.append(values[a:b], value))
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
            text = f"{point.row.name} {self.text(point.row, value)}\nKey {point.frame}"
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
        return Qt.CursorShape.SizeAllCursor if self.key_at(position) is not None else Qt.CursorShape.ArrowCursor

    # -- mouse and keyboard ------------------------------------------------------------------------------------------

    def press(self, position: QPointF, modifiers: Modifiers) -> CurveDrag | None:
        handle = self.handle_at(position)
        if handle is not None:
            return HandleDrag(self, *handle, position)
        point = self.key_at(position)
        if point is None or modifiers & ALT:
            return None  # a box
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
            xs, ys = self.xs(frames), self.scale.ys(values)
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
        if not self.model.points:
            return False
        self.model.document.keys.delete(self.model.selection())
        return True

    def arrow(self, event: QKeyEvent) -> CurveDrag | None:
        if self.model.primary is None:
            return None
        drag = PointDrag(self, self.model.primary, QPointF(), self.speed)
        drag.step(event)
        return drag

    def arrow_again(self, drag: CurveDrag, event: QKeyEvent) -> None:
        if isinstance(drag, PointDrag):
            drag.step(event)
