"""Draws curves with pyqtgraph. Only ``loading`` imports this: pyqtgraph takes a while.

A curve that grows is laid in pieces of a few points: with a sample that is added, or a step of the playhead, Qt draws
again the few pixels that change.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyqtgraph
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPaintDevice, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.plots.curves import Curves, CurveStyle

PIECE = 16  # points that are one path
CROWDED = 2.0  # points for a pixel at most
MARGIN = 40.0  # how far out of sight curves are drawn, px
WIDTH = 1.6  # of a curve, px
BEYOND = 0.4  # how strongly what lies after the playhead is seen
BEHIND = 0.6  # how strongly the keyed motion is seen where it goes on after what was simulated, besides
DOT = 5.0  # size of the dots where the playhead meets the curves, px
ABOVE, BELOW = 4.0, 3.0  # beside the highest and the lowest value, px
_SPAN, _GRID, _CURVES, _BEYOND, _NOW, _TEXT = range(6)  # what lies on what


def _pen(color: QColor, width: float, device: QPaintDevice, look: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """Return a pen that is as wide at any scale of a plot; Qt counts such a width in pixels of the device."""
    # Round caps and joins cannot be distinguished from these at such a width, and take twice as long.
    pen = QPen(color, width * device.devicePixelRatioF(), look, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.BevelJoin)
    pen.setCosmetic(True)
    return pen


class _Item(pyqtgraph.GraphicsObject):
    """Something that fills the whole plot, and has only what changes drawn again."""

    def __init__(self, plot: PlotCanvas):
        super().__init__()
        self.plot = plot
        self.setFlag(self.GraphicsItemFlag.ItemUsesExtendedStyleOption)  # tells ``paint`` what is to be drawn again

    @guarded
    def boundingRect(self) -> QRectF:
        return self.plot.box

    def resized(self) -> None:
        """The plot has another size, or another scale."""
        self.prepareGeometryChange()

    def between(self, low: float, high: float) -> QRectF:
        """Return the box of some frames, those in sight."""
        box = self.plot.box
        left, right = max(low, box.left()), min(high, box.right())
        return QRectF(left, box.top(), max(right - left, 0.0), box.height())


class _Band(_Item):
    """Frames in another colour."""

    def __init__(self, plot: PlotCanvas):
        super().__init__(plot)
        self.ends = (0.0, 0.0)
        self.color = QColor()

    def put(self, low: float, high: float) -> None:
        """Cover other frames; two equal ones for none."""
        before, self.ends = self.ends, (low, high)
        for ends in zip(before, self.ends, strict=True):
            if ends[0] != ends[1]:
                self.update(self.between(*sorted(ends)))

    @guarded
    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.fillRect(self.between(*self.ends), self.color)


class _Lines(_Item):
    """Curves that share their frames.

    Three ``PlotCurveItem`` take five times as long for a sample that is added: each draws the whole of its curve again.

    Args:
        plot: Where they are drawn.
        curves: The values.
        styles: How each looks.
    """

    def __init__(self, plot: PlotCanvas, curves: Curves, styles: Sequence[CurveStyle]):
        super().__init__(plot)
        self.curves, self.styles = curves, tuple(styles)
        self.points: list[float] = []
        """Frames of what is drawn: of crowded samples some, and none far out of sight."""
        self.pieces: list[list[tuple[QPainterPath, float]]] = []
        """Of each piece each curve's path, and how long the curve is up to it, [px]."""
        self._made_of: tuple[object, ...] = ()
        self._seen = 0  # samples that were looked at
        self._first = -math.inf

    def refresh(self) -> None:
        """Draw on to the samples that were added, or all of them if others have changed or the scale has."""
        made_of, count = (self.curves.version, self.plot.mapping, self.styles), len(self.curves)
        if made_of != self._made_of or count < self._seen:
            self._made_of = made_of
            self.pieces, self.points = [], []
            for number in self._picked().tolist():
                self._add(number)
            self.update()
        elif count > self._seen:
            left, pixels = self.plot.mapping[:2]
            end, apart = (self.plot.width() + MARGIN - left) / pixels, 1.0 / (CROWDED * pixels)
            last = self.points[-1] if self.points else -math.inf
            for number in range(self._seen, count):
                frame = float(self.curves.frames[number])
                if frame <= end and frame - (self.points[-1] if self.points else -math.inf) >= apart:
                    self._add(number)
            if self.points and self.points[-1] > last:
                self.update(self.between(last - 4.0 / pixels, self.points[-1] + 4.0 / pixels))
        self._seen = count

    def set_first(self, frame: float) -> None:
        """Draw nothing before a frame."""
        before, self._first = self._first, frame
        if before != frame:
            self.update(self.between(*sorted((before, frame))))

    def _picked(self) -> NDArray[np.intp]:
        """Return which samples are drawn: those in sight, of each half pixel the one that is highest."""
        frames, (left, pixels, *_) = self.curves.frames, self.plot.mapping
        low = max(int(np.searchsorted(frames, (-MARGIN - left) / pixels)) - 1, 0)
        high = int(np.searchsorted(frames, (self.plot.width() + MARGIN - left) / pixels)) + 1
        inside = frames[low:high]
        wide = max((float(inside[-1]) - float(inside[0])) * pixels, 1.0) if len(inside) else 1.0
        many = math.ceil(len(inside) / (CROWDED * wide))
        if many < 2:
            return np.arange(low, low + len(inside))
        whole = len(inside) // many * many
        groups = self.curves.values[low : low + whole, 0].reshape(-1, many)
        picked = low + np.arange(0, whole, many) + groups.argmax(axis=1)
        return np.unique(np.concatenate(([low], picked, [low + len(inside) - 1])))

    def _add(self, number: int) -> None:
        """Draw on to a sample: without arrays, as this happens with every one."""
        x = float(self.curves.frames[number])
        row = self.curves.values[number].tolist()
        if len(self.points) % PIECE == 0:
            piece = []
            for which in range(len(self.styles)):
                path, length = self.pieces[-1][which] if self.pieces else (QPainterPath(), 0.0)
                next_path = QPainterPath()
                if self.pieces:  # it begins where the one before ends, and so do the dashes
                    next_path.moveTo(path.currentPosition())
                    length += self._length(path)
                piece.append((next_path, length))
            self.pieces.append(piece)
        for (path, _), value, look in zip(self.pieces[-1], row, self.styles, strict=True):
            if self.points:
                path.lineTo(x, value * look.factor)
            else:
                path.moveTo(x, value * look.factor)
        self.points.append(x)

    def _length(self, path: QPainterPath) -> float:
        """Return how long a path is on the screen, [px]."""
        pixels, unit = self.plot.mapping[1], self.plot.pixels_a_unit
        places = [(e.x * pixels, e.y * unit) for e in map(path.elementAt, range(path.elementCount()))]
        return sum(math.dist(*pair) for pair in pairwise(places))

    @guarded
    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        exposed = option.exposedRect & self.between(self._first, math.inf)
        if not self.points or exposed.isEmpty() or self.points[-1] < exposed.left():
            return
        if self._first > -math.inf:
            painter.setClipRect(exposed, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        around = 4.0 / self.plot.mapping[1]
        begin = max(bisect_left(self.points, exposed.left() - around) - 1, 0) // PIECE
        end = bisect_left(self.points, exposed.right() + around) // PIECE + 1
        for number, look in reversed(list(enumerate(self.styles))):
            pen = _pen(style.color(look.token), WIDTH, painter.device())
            if look.pattern:
                pen.setDashPattern([part / WIDTH for part in look.pattern])
            for piece in self.pieces[begin:end]:
                path, length = piece[number]
                if look.pattern:
                    pen.setDashOffset(length / WIDTH)
                painter.setPen(pen)
                painter.drawPath(path)


class _Dots(_Item):
    """Dots where a frame meets the curves."""

    def __init__(self, plot: PlotCanvas):
        super().__init__(plot)
        self.dots: list[tuple[QPointF, str]] = []

    def put(self, dots: list[tuple[QPointF, str]], reach: float) -> None:
        """Show dots at other places, each in a colour; nothing is drawn farther than ``reach`` frames from one."""
        for dot, _ in (*self.dots[:1], *dots[:1]):  # they share their frame
            self.update(self.between(dot.x() - reach, dot.x() + reach))
        self.dots = dots

    @guarded
    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for dot, token in self.dots:
            for color, size in (("input", DOT + 1.0), (token, DOT - 1.0)):
                pen = _pen(style.color(color), size, painter.device())
                pen.setCapStyle(Qt.PenCapStyle.RoundCap)
                painter.setPen(pen)
                painter.drawPoint(dot)


class PlotCanvas(pyqtgraph.PlotWidget):
    """A plot without margins: grid and simulated span, curves and those beyond them, playhead, ends of the axis.

    Args:
        curves: What is shown.
        tail: Fainter curves.
        styles: How each curve looks.
        parent: Parent widget.

    Attributes:
        box: What is in sight, frames and values.
        mapping: Place of frame 0, width of a frame, [px]; lower and upper end of the axis; width and height, [px].
    """

    def __init__(self, curves: Curves, tail: Curves, styles: Sequence[CurveStyle], parent: QWidget):
        super().__init__(parent, background=None, enableMenu=False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setInteractive(False)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        item = self.plotItem
        for axis in ("left", "bottom"):
            item.hideAxis(axis)
        item.hideButtons()
        item.layout.setContentsMargins(0, 0, 0, 0)
        item.layout.setSpacing(0)
        item.vb.disableAutoRange()
        self.mapping, self.box = (0.0, 1.0, 0.0, 1.0, 100.0, 60.0), QRectF(0.0, 0.0, 100.0, 1.0)
        self.lines, self.tail = _Lines(self, curves, styles), _Lines(self, tail, styles)
        self.tail.setOpacity(BEHIND)
        self._grid = [pyqtgraph.InfiniteLine(angle=0) for _ in range(4)]
        self._span, self._beyond = _Band(self), _Band(self)
        self._now, self._hover = pyqtgraph.InfiniteLine(), pyqtgraph.InfiniteLine()
        self._dots, self._hover_dots = _Dots(self), _Dots(self)
        self._texts = [pyqtgraph.TextItem() for _ in range(2)]
        layers = {_SPAN: [self._span], _GRID: self._grid, _CURVES: [self.tail, self.lines], _BEYOND: [self._beyond]}
        layers[_NOW] = [self._now, self._dots, self._hover, self._hover_dots]
        for z, items in layers.items():
            for each in items:
                each.setZValue(z)
                self.addItem(each, ignoreBounds=True)
        for text in self._texts:
            text.setFont(fonts.font(fonts.SMALL, tabular=True))
            text.textItem.document().setDocumentMargin(1.0)
            text.setParentItem(item.vb)
            text.setZValue(_TEXT)
        for line in (self._now, self._hover):
            line.setVisible(False)
        self.take_theme()

    @property
    def pixels_a_unit(self) -> float:
        """Height of a unit of the values, [px]."""
        low, high, height = self.mapping[2], self.mapping[3], self.mapping[5]
        return (height - ABOVE - BELOW) / (high - low)

    def _whole(self, frame: float) -> float:
        """Return the frame of the whole pixel that is next to one."""
        left, pixels = self.mapping[:2]
        return (round(left + frame * pixels) - left) / pixels

    def set_scale(self, left: float, pixels: float, low: float, high: float) -> None:
        """Show frame 0 at ``left`` [px], frames ``pixels`` wide, and an axis from ``low`` to ``high``."""
        wide, tall = float(self.width()), float(self.height())
        self.mapping = (left, pixels, low, high, wide, tall)
        unit = self.pixels_a_unit
        self.box = QRectF(-left / pixels, low - BELOW / unit, wide / pixels, tall / unit)
        self.setRange(self.box, padding=0.0, disableAutoRange=False)
        for item in (self._span, self.tail, self.lines, self._beyond, self._dots, self._hover_dots):
            item.resized()
        for line, value in zip(self._grid, (low, 0.5 * (low + high), high, 0.0), strict=True):
            line.setVisible(value != 0.0 or line is self._grid[-1])
            pixel = round(tall - BELOW - (value - low) * unit) + 0.5
            line.setValue(low + (tall - BELOW - pixel) / unit)
        self.refresh()

    def set_texts(self, upper: str, lower: str, at_left: bool) -> None:
        """Write the ends of the axis."""
        for text, words, y in zip(self._texts, (upper, lower), (1.0, self.height() - 1.0), strict=True):
            text.setVisible(bool(words))
            text.setText(words)
            text.setAnchor((0.0 if at_left else 1.0, 0.0 if y == 1.0 else 1.0))
            text.setPos(5.0 if at_left else self.width() - 5.0, y)

    def set_span(self, span: tuple[float, float] | None) -> None:
        """Tint some frames."""
        self._span.put(*(span or (0.0, 0.0)))

    def set_styles(self, styles: Sequence[CurveStyle]) -> None:
        """Draw the curves in other ways from the next ``refresh`` on."""
        self.lines.styles = self.tail.styles = tuple(styles)

    def refresh(self) -> None:
        """Take values that have changed."""
        frames = self.lines.curves.frames
        self.lines.refresh()
        self.tail.refresh()
        self.tail.set_first(float(frames[-1]) if len(frames) else -math.inf)

    def set_now(self, frame: float | None, values: Sequence[float]) -> None:
        """Show the playhead at a frame, and dots at values as they are drawn, one a curve; () for none."""
        self._beyond.put(*((math.inf, math.inf) if frame is None else (frame, math.inf)))
        self._put(self._now, self._dots, frame, values, 0.0)

    def set_hover(self, frame: float | None, values: Sequence[float]) -> None:
        """Show where the mouse is, likewise."""
        self._put(self._hover, self._hover_dots, frame, values, 0.5)

    def _put(
        self,
        line: pyqtgraph.InfiniteLine,
        dots: _Dots,
        frame: float | None,
        values: Sequence[float],
        shift: float,
    ) -> None:
        line.setVisible(frame is not None)
        if frame is not None:
            line.setValue(self._whole(frame) + shift / self.mapping[1])
        tokens = [look.token for look in self.lines.styles]
        pairs = () if frame is None or not values else zip(values, tokens, strict=True)
        at = 0.0 if frame is None else frame
        dots.put([(QPointF(at, value), token) for value, token in pairs], (DOT + 3.0) / self.mapping[1])

    def take_theme(self) -> None:
        """Draw in the colours of the theme."""
        self.setBackground(style.color("input"))
        for line in self._grid:
            line.setPen(_pen(style.color("line"), 1.0, self))
        self._span.color, dim = style.mix("input", "dyn", 0.10), QColor(style.color("input"))
        dim.setAlphaF(1.0 - BEYOND)
        self._beyond.color = dim
        self._now.setPen(_pen(style.color("accent"), 2.0, self))
        self._hover.setPen(_pen(style.color("text3"), 1.0, self, Qt.PenStyle.DotLine))
        for text in self._texts:
            text.setColor(style.color("text3"))
            text.fill = QBrush(style.mix("input", "panel", 0.35))
        self.viewport().update()

    @guarded
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.take_theme()
        return bool(super().event(event))
