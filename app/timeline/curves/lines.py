"""Curves of the shown rows with the marks of their keys, as values or as speeds: what is drawn without the mouse."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from app.look import fonts, style
from app.timeline.curves.model import NO_FRAMES, CurvesModel, Frames
from app.timeline.curves.paint import draw_curve, draw_limits, draw_marks
from app.timeline.curves.rows import CurveRow
from app.timeline.curves.view import CurveView
from core.arrays import Array

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

    # -- what there is -----------------------------------------------------------------------------------------------

    def empty_text(self) -> str:
        document = self.model.document
        if document.skeleton is None:
            return "No figure"
        if not self.model.rows:
            return "Select a part, or keys in the dope sheet, to see their curves"
        if not self.model.shown:
            return "Open a group at the left to see its curves" if self.model.folding else "All curves are hidden"
        if document.sequence is not None and not document.sequence.keys:
            return "No keys yet: pose the figure, then press S"
        return ""

    def refresh(self) -> bool:
        """Say which frames are to be sampled; return whether there is any motion."""
        sequence, timeline = self.model.document.sequence, self.model.timeline
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
        if len(frames) > MOST_SPEED_KEYS or not len(frames):
            return NO_FRAMES, np.empty(0)
        token = (self.model.motion, int(frames[0]), len(frames))
        kept = self._key_speeds.get(row.id)
        if kept is None or kept[0] != token:
            slopes = self.model.samples.slopes(self.model.motion, row, frames)
            sequence = self.model.document.sequence
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
                    found.append(self.model.key_values(row, chosen))
            else:
                found.append(self.curve(row)[1])
                if not self.speed and not row.turned:
                    found.append(self.model.key_values(row, self.model.key_frames(row)))
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
        if not self.speed:
            return 8.0
        return 10.0 if self._angles == (True, False) else 0.2

    @property
    def _angles(self) -> tuple[bool, bool]:
        """Whether angles are shown, and lengths."""
        kinds = {row.angle for row in self.model.shown if not row.plain}
        return True in kinds, False in kinds

    @property
    def degrees(self) -> bool:
        return not self.speed and self._angles == (True, False)

    @property
    def suffix(self) -> str:
        return "°" if self.degrees else ""

    @property
    def units(self) -> str:
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
            lower, upper = self.scale.y(row.lower), self.scale.y(row.upper)
            draw_limits(painter, lower, upper, self.size, row.token)
        for row in self.model.shown:
            frames, values = self.curve(row)
            color = style.color(row.token)
            draw_curve(painter, self.xs(frames), self.scale.ys(values), color, row.dash)
        for row in self.model.shown:
            self._paint_marks(painter, row)
        self._paint_letters(painter)

    def xs(self, frames: NDArray[np.generic]) -> Array:
        """Return where frames lie, [px]."""
        return np.asarray(self.model.timeline.xs(frames))  # type: ignore[arg-type]

    def _paint_marks(self, painter: QPainter, row: CurveRow) -> None:
        frames, values = self.marks(row)
        if not len(frames):
            return
        chosen = np.isin(frames, self.model.points.get(row.id, NO_FRAMES))
        xs, ys = self.xs(frames), self.scale.ys(values)
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
            y = float(self.scale.y(float(values[at])))
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
