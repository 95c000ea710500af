"""Draws curves with pyqtgraph. Only ``loading`` imports this: pyqtgraph takes a while.

The scene is in pixels, so that dashes are what they are meant to be at any scale. Paths are kept in pieces of a few
points: a sample that is added, or a step of the playhead, draws again the few pixels that it changes.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
import pyqtgraph
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.look import fonts, style
from app.widgets.behaviour.base import fill_round
from app.widgets.plots.curves import Curves, CurveStyle, dashes
from app.widgets.plots.scale import PlotScale

PIECE = 16  # points that are one path
CROWDED = 2.0  # points for a pixel at most
MARGIN = 40.0  # how far out of sight curves are drawn, px
WIDTH = 1.6  # of a curve, px
BEYOND = 0.4  # how strongly what lies after the playhead is seen
BEHIND = 0.6  # how strongly the keyed motion is seen where it goes on after what was simulated, besides
DOT = 2.5  # radius of the dots where the playhead meets the curves, px
LABEL_HEIGHT, TEXT_WIDTH = 14.0, 110.0  # of what is written at the ends of the axis, px


class _Item(pyqtgraph.GraphicsObject):
    """Something that fills the whole plot."""

    def __init__(self, scale: PlotScale):
        super().__init__()
        self.plot = scale
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)  # tells ``paint`` what is to be drawn again

    def boundingRect(self) -> QRectF:
        return QRectF(0.0, 0.0, self.plot.width, self.plot.height)

    def resized(self) -> None:
        """The plot has another size."""
        self.prepareGeometryChange()


class Ground(_Item):
    """The simulated span and the grid."""

    def __init__(self, scale: PlotScale):
        super().__init__(scale)
        self.span: tuple[float, float] | None = None

    def put_span(self, span: tuple[float, float] | None) -> None:
        """Tint other frames; of a span that grows only what is new is drawn again."""
        before, self.span = self.span, span
        if before is None or span is None or before[0] != span[0]:
            self.update()
        elif before != span:
            left, right = sorted(self.plot.x(each[1]) for each in (before, span))
            self.update(QRectF(left - 1.0, 0.0, right - left + 2.0, self.plot.height))

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        plot = self.plot
        if self.span is not None:
            left, right = (plot.x(frame) for frame in self.span)
            painter.fillRect(QRectF(left, 0.0, right - left, plot.height), style.mix("input", "dyn", 0.10))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        line = style.color("line")
        for y in plot.lines():
            painter.fillRect(QRectF(0.0, round(y), plot.width, 1.0), line)


def draw_on(
    path: QPainterPath, start: tuple[float, float], end: tuple[float, float], pattern: tuple[float, ...], run: float
) -> float:
    """Draw a line on to a point, in dashes where it has some.

    Args:
        path: What is drawn on.
        start, end: Both ends of the new part, [px].
        pattern: Length of a dash and of the gap after it, [px]; () for none.
        run: Length of the line up to ``start``, [px].

    Returns:
        Its length up to ``end``.
    """
    if not pattern:
        path.lineTo(*end)
        return run
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    dash, whole = pattern[0], pattern[0] + pattern[1]
    done = 0.0
    while done < length - 1e-9:
        at = (run + done) % whole
        drawn = at < dash - 1e-9
        done = min(done + ((dash if drawn else whole) - at), length)
        place = (start[0] + dx * done / length, start[1] + dy * done / length)
        if drawn:
            path.lineTo(*place)
        else:
            path.moveTo(*place)
    return run + length


class Lines(_Item):
    """Curves.

    Args:
        scale: Where values are.
        curves: The values.
        styles: How each curve looks.
    """

    def __init__(self, scale: PlotScale, curves: Curves, styles: Sequence[CurveStyle]):
        super().__init__(scale)
        self.curves, self.styles = curves, tuple(styles)
        self.first = -np.inf
        """Frame before which nothing is drawn."""
        self.strength = 1.0
        """How strongly they are seen."""
        self._pieces: list[list[QPainterPath]] = []
        self._points: list[float] = []  # frames of what is drawn: of crowded samples some, and none far out of sight
        self._ends: list[tuple[float, float, float]] = []  # last point of each curve, and how long it is up to there
        self._drawn = 0  # samples that were looked at
        self._made_of: tuple[object, ...] = ()

    def set_styles(self, styles: Sequence[CurveStyle]) -> None:
        """Draw the curves in other ways from the next ``refresh`` on."""
        self.styles, self._made_of = tuple(styles), ()

    def refresh(self) -> None:
        """Take values that were added, or all of them if others have changed or the scale has."""
        made_of = (self.curves.version, self.plot.state())
        count = len(self.curves)
        if made_of != self._made_of or count < self._drawn:
            self._made_of = made_of
            self._build()
            self.update()
        elif count > self._drawn:
            left = self.plot.x(float(self.curves.frames[max(self._drawn - 1, 0)])) - 4.0
            for number in range(self._drawn, count):
                self._extend(number)
            right = self.plot.x(float(self.curves.frames[-1])) + 4.0
            self.update(QRectF(left, 0.0, right - left, self.plot.height))
        self._drawn = count

    def set_first(self, frame: float) -> None:
        """Draw nothing before a frame."""
        if frame != self.first:
            ends = [0.0 if not np.isfinite(each) else self.plot.x(each) for each in (self.first, frame)]
            self.first = frame
            self.update(QRectF(min(ends) - 4.0, 0.0, abs(ends[1] - ends[0]) + 8.0, self.plot.height))

    def _picked(self) -> NDArray[np.intp]:
        """Return which samples are drawn: those in sight, of each half pixel the one that is highest."""
        frames, plot = self.curves.frames, self.plot
        low = max(int(np.searchsorted(frames, plot.frame(-MARGIN))) - 1, 0)
        high = int(np.searchsorted(frames, plot.frame(plot.width + MARGIN))) + 1
        inside = frames[low:high]
        if len(inside) < 2:
            return np.arange(low, low + len(inside))
        wide = max((float(inside[-1]) - float(inside[0])) * plot.pixels, 1.0)
        many = math.ceil(len(inside) / (CROWDED * wide))
        if many < 2:
            return np.arange(low, low + len(inside))
        whole = len(inside) // many * many
        groups = self.curves.values[low : low + whole, 0].reshape(-1, many)
        picked = low + np.arange(0, whole, many) + groups.argmax(axis=1)
        return np.unique(np.concatenate(([low], picked, [low + len(inside) - 1])))

    def _build(self) -> None:
        """Make all paths."""
        self._pieces, self._points, self._ends = [], [], []
        picked = self._picked()
        if not len(picked):
            return
        xs = self.plot.xs(self.curves.frames[picked])
        values = self.curves.values[picked]
        self._points = self.curves.frames[picked].tolist()
        columns = [self.plot.ys(values[:, number] * look.factor) for number, look in enumerate(self.styles)]
        lengths = [0.0] * len(self.styles)
        for start in range(0, len(xs), PIECE):
            part = slice(start, start + PIECE + 1)
            paths = []
            for number, look in enumerate(self.styles):
                px, py = xs[part], columns[number][part]
                if look.pattern:
                    px, py, connect, lengths[number] = dashes(px, py, look.pattern, lengths[number])
                    paths.append(pyqtgraph.arrayToQPath(px, py, connect=connect))
                else:
                    paths.append(pyqtgraph.arrayToQPath(px, py, connect="all"))
            self._pieces.append(paths)
        self._ends = [(float(xs[-1]), float(ys[-1]), run) for ys, run in zip(columns, lengths, strict=True)]

    def _extend(self, number: int) -> None:
        """Draw on to one more sample: without arrays, as this happens with every one."""
        frame = float(self.curves.frames[number])
        x, count = self.plot.x(frame), len(self._points)
        if x > self.plot.width + MARGIN or (count and x - self._ends[0][0] < 1.0 / CROWDED):
            return
        row = self.curves.values[number]
        ends = []
        if not count:
            self._pieces.append([QPainterPath() for _ in self.styles])
        for which, look in enumerate(self.styles):
            y = self.plot.y(float(row[which]) * look.factor)
            path = self._pieces[-1][which]
            run = 0.0
            if not count:
                path.moveTo(x, y)
            else:
                x0, y0, run = self._ends[which]
                if path.isEmpty():
                    path.moveTo(x0, y0)
                run = draw_on(path, (x0, y0), (x, y), look.pattern, run)
            ends.append((x, y, run))
        self._ends = ends
        self._points.append(frame)
        if count and count % PIECE == 0:  # the next piece begins where this one ends
            self._pieces.append([QPainterPath() for _ in self.styles])

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        exposed, points = option.exposedRect, self._points  # type: ignore[attr-defined]
        if not points or self.plot.x(points[-1]) < exposed.left() - 4.0:
            return
        if self.first > -np.inf:
            exposed = exposed.intersected(QRectF(self.plot.x(self.first), 0.0, 1e6, self.plot.height))
            painter.setClipRect(exposed, Qt.ClipOperation.IntersectClip)
        if exposed.isEmpty():
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setOpacity(self.strength)
        low, high = (self.plot.frame(x) for x in (exposed.left() - 4.0, exposed.right() + 4.0))
        begin = max(bisect_left(points, low) - 1, 0) // PIECE
        end = bisect_left(points, high) // PIECE + 1
        for number, look in reversed(list(enumerate(self.styles))):
            # Round caps and joins cannot be told from these at this width, and take twice as long.
            pen = QPen(style.color(look.token), WIDTH, c=Qt.PenCapStyle.FlatCap, j=Qt.PenJoinStyle.BevelJoin)
            painter.setPen(pen)
            for paths in self._pieces[begin:end]:
                painter.drawPath(paths[number])


class Now(_Item):
    """The playhead: what lies beyond it is dimmed; dots where it meets the curves, and where the mouse is.

    The ends of the axis are written over all that.
    """

    def __init__(self, scale: PlotScale):
        super().__init__(scale)
        self.frame: float | None = None
        self.hover: float | None = None
        self.dots: tuple[tuple[float, str], ...] = ()
        self.hover_dots: tuple[tuple[float, str], ...] = ()
        self.texts: tuple[str, str] = ("", "")
        self.empty = ""
        self.at_left = False

    def put(self, frame: float | None, dots: tuple[tuple[float, str], ...]) -> None:
        """Show the playhead at a frame, with dots at heights [px] in colours."""
        if (frame, dots) != (self.frame, self.dots):
            self._changes(self.frame, frame)
            self.frame, self.dots = frame, dots

    def put_hover(self, frame: float | None, dots: tuple[tuple[float, str], ...]) -> None:
        """Show where the mouse is."""
        if (frame, dots) != (self.hover, self.hover_dots):
            for each in (self.hover, frame):
                self._changes(each, each)
            self.hover, self.hover_dots = frame, dots

    def _changes(self, before: float | None, after: float | None) -> None:
        ends = [self.plot.x(each) if each is not None else self.plot.width for each in (before, after)]
        reach = DOT + 3.0
        self.update(QRectF(min(ends) - reach, 0.0, abs(ends[1] - ends[0]) + 2.0 * reach, self.plot.height))

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        plot = self.plot
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self.frame is not None:
            x = plot.x(self.frame)
            dim = style.color("input")
            painter.setOpacity(1.0 - BEYOND)
            painter.fillRect(QRectF(max(x, 0.0), 0.0, max(plot.width - max(x, 0.0), 0.0), plot.height), dim)
            painter.setOpacity(1.0)
            painter.fillRect(QRectF(round(x) - 1.0, 0.0, 2.0, plot.height), style.color("accent"))
            self._paint_dots(painter, x, self.dots)
        if self.hover is not None:
            x = plot.x(self.hover)
            painter.setPen(QPen(style.color("text3"), 1.0, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(round(x) + 0.5, 0.0, round(x) + 0.5, plot.height))
            self._paint_dots(painter, x, self.hover_dots)
        self._paint_texts(painter, option.exposedRect)  # type: ignore[attr-defined]
        if self.empty:
            painter.setFont(fonts.font(fonts.SECONDARY))
            painter.setPen(style.color("text3"))
            box = QRectF(12.0, 0.0, plot.width - 24.0, plot.height)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.empty)

    def _paint_texts(self, painter: QPainter, exposed: QRectF) -> None:
        """Write the ends of the axis, if they are to be drawn again."""
        plot = self.plot
        if exposed.left() > TEXT_WIDTH if self.at_left else exposed.right() < plot.width - TEXT_WIDTH:
            return
        font = fonts.font(fonts.SMALL, tabular=True)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        for text, y in zip(self.texts, (2.0, plot.height - LABEL_HEIGHT - 1.0), strict=True):
            if text:
                wide = metrics.horizontalAdvance(text)
                left = 6.0 if self.at_left else plot.width - wide - 6.0
                fill_round(
                    painter,
                    QRectF(left - 3.0, y, wide + 6.0, LABEL_HEIGHT),
                    style.mix("input", "panel", 0.35),
                    radius=3.0,
                )
                painter.setPen(style.color("text3"))
                painter.drawText(QRectF(left, y, wide + 2.0, LABEL_HEIGHT), Qt.AlignmentFlag.AlignVCenter, text)

    @staticmethod
    def _paint_dots(painter: QPainter, x: float, dots: tuple[tuple[float, str], ...]) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for y, token in dots:
            painter.setPen(QPen(style.color("input"), 1.0))
            painter.setBrush(style.color(token))
            painter.drawEllipse(QPointF(x, y), DOT, DOT)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


class PlotCanvas(pyqtgraph.GraphicsView):
    """Ground, curves, those beyond them, and the playhead, on top of each other.

    Args:
        scale: Where values are.
        layers: Curves, the fainter ones first.
        styles: How each curve of a layer looks.
        parent: Parent widget.
    """

    def __init__(self, scale: PlotScale, layers: Sequence[Curves], styles: Sequence[CurveStyle], parent: QWidget):
        super().__init__(parent, background=None)
        self.plot = scale
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setInteractive(False)
        self.ground, self.now = Ground(scale), Now(scale)
        self.layers = [Lines(scale, curves, styles) for curves in layers]
        self.layers[0].strength = BEHIND
        for item in (self.ground, *self.layers, self.now):
            self.addItem(item)
        self.take_theme()

    def set_styles(self, styles: Sequence[CurveStyle]) -> None:
        """Draw curves in other ways."""
        for lines in self.layers:
            lines.set_styles(styles)

    def take_theme(self) -> None:
        """Draw in the colours of the theme."""
        self.setBackgroundBrush(style.color("input"))
        self.viewport().update()

    def refresh(self) -> None:
        """Take values that have changed, or the scale."""
        for lines in self.layers:
            lines.refresh()

    def rescaled(self) -> None:
        """The scale, or the size, is another one."""
        for item in (self.ground, *self.layers, self.now):
            item.resized()
        self.refresh()
        self.viewport().update()
