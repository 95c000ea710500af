"""A plot: curves along the frames, read with the mouse, drawn by pyqtgraph once the plot is seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QSize, QTimer
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip

from app.look import style
from app.widgets.behaviour.base import Painted
from app.widgets.plots import loading
from app.widgets.plots.curves import Curves, CurveStyle, Floats, drawn_range
from app.widgets.plots.scale import PlotScale
from app.words.quantity import MINUS

if TYPE_CHECKING:
    from app.widgets.plots.canvas import PlotCanvas

_POLL_MS = 20


def value_text(value: float, unit: str) -> str:
    """Return a value to three digits or so, with its unit: ``"9.0 J"``, ``"735 N"``."""
    size = abs(value)
    digits = 0 if size >= 99.95 else 1 if size >= 9.995 or unit == "J" else 2
    text = f"{value:.{digits}f}"
    return f"{text.replace('-', MINUS) if float(text) else text.lstrip('-')} {unit}"


class PlotArea(Painted):
    """The ground that curves are drawn on.

    Args:
        styles: The curves.
        name: What is plotted, for assistive tools.

    Attributes:
        curves: What is shown; after a change call ``refresh``.
        tail: Fainter curves that go on where those end.
        at_left: Whether the ends of the axis are written at the left.
    """

    def __init__(self, styles: Sequence[CurveStyle], name: str):
        super().__init__()
        self.styles = tuple(styles)
        self.curves, self.tail = Curves(len(self.styles)), Curves(len(self.styles))
        self.scale = PlotScale()
        self.at_left = False
        self.now: float | None = None
        self._span: tuple[float, float] | None = None
        self._hover: float | None = None
        self._empty = ""
        self._drawn: tuple[int, int, int] = (-1, 0, -1)
        self._extremes = (0.0, 0.0)
        self._axis: tuple[float, float] | None = None
        self._canvas: PlotCanvas | None = None
        self._wait = QTimer(self, interval=_POLL_MS)
        self._wait.timeout.connect(self._try)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        return QSize(240, 84)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 40)

    # -- what is shown --------------------------------------------------------------------------------------------

    @property
    def canvas(self) -> PlotCanvas:
        """What draws; waits until it can."""
        if self._canvas is None:
            self._make()
        assert self._canvas is not None
        return self._canvas

    @property
    def axis(self) -> tuple[float, float]:
        """Lower and upper end of the axis."""
        return self.scale.low, self.scale.high

    def set_frames(self, left: float, pixels: float) -> None:
        """Show frame 0 at ``left`` [px] and frames ``pixels`` wide."""
        if (left, pixels) != (self.scale.left, self.scale.pixels):
            self.scale.left, self.scale.pixels = left, pixels
            self._rescaled()

    def set_span(self, span: tuple[float, float] | None) -> None:
        """Tint some frames: those that are simulated."""
        if span != self._span:
            self._span = span
            if self._canvas is not None:
                self._canvas.ground.put_span(span)

    def set_empty_text(self, text: str) -> None:
        """Say why there are no curves while there are none."""
        self._empty = text
        if self._canvas is not None:
            self._canvas.now.empty = text if not len(self.curves) and not len(self.tail) else ""
            self._canvas.now.update()

    def set_now(self, frame: float | None) -> None:
        """Show the playhead at a frame."""
        self.now = frame
        self._put_now()

    def set_styles(self, styles: Sequence[CurveStyle]) -> None:
        """Draw the curves at other factors; call ``refresh`` after."""
        if tuple(styles) != self.styles:
            self.styles = tuple(styles)
            self._drawn = (-1, 0, -1)
            if self._canvas is not None:
                self._canvas.set_styles(self.styles)

    def refresh(self) -> None:
        """Take values that were added or have changed."""
        self._fit_axis()
        if self._canvas is not None:
            last = float(self.curves.frames[-1]) if len(self.curves) else -np.inf
            self._canvas.layers[0].set_first(last)
            self._canvas.refresh()
        self._put_now()

    def _fit_axis(self) -> None:
        curves, tail = self.curves, self.tail
        version, count, tail_version = self._drawn
        if (version, count, tail_version) == (curves.version, len(curves), tail.version):
            return
        drawn = np.array([look.factor for look in self.styles])
        new = [curves.values * drawn, tail.values * drawn]
        if (version, tail_version) == (curves.version, tail.version):
            new = [curves.values[count:] * drawn]
            high, low = self._extremes
        else:
            high, low = -np.inf, np.inf
        for rows in new:
            if len(rows):
                high, low = max(high, float(rows.max())), min(low, float(rows.min()))
        self._drawn, self._extremes = (curves.version, len(curves), tail.version), (high, low)
        before = self._axis if version == curves.version else None
        axis = drawn_range(high if np.isfinite(high) else 0.0, low if np.isfinite(low) else 0.0, before)
        if axis != self._axis:
            self._axis = axis
            self.scale.low, self.scale.high = axis
            self._rescaled()

    def _rescaled(self) -> None:
        if self._canvas is not None:
            unit = self.styles[0].unit
            low, high = self.axis
            empty = not len(self.curves) and not len(self.tail)
            lower = "0" if low == 0.0 else value_text(low, unit).replace(".0 ", " ")
            top = f"{high:g} {unit}"
            self._canvas.now.texts = ("", "") if empty else (top, lower if self.at_left or low < 0.0 else "")
            self._canvas.now.at_left = self.at_left
            self._canvas.rescaled()
        self._put_now()

    def values_at(self, frame: float) -> Floats | None:
        """Return the values at a frame, those of the tail beyond the curves; None where there are none."""
        values = self.curves.at(frame)
        if values is None and len(self.tail) and (not len(self.curves) or frame > self.curves.frames[-1]):
            values = self.tail.at(frame)
        return values

    def _dots(self, frame: float | None) -> tuple[tuple[float, str], ...]:
        values = None if frame is None else self.values_at(frame)
        if values is None:
            return ()
        pairs = zip(values.tolist(), self.styles, strict=True)
        return tuple((self.scale.y(value * look.factor), look.token) for value, look in pairs)

    def _put_now(self) -> None:
        if self._canvas is not None:
            self._canvas.now.put(self.now, self._dots(self.now))
            self._canvas.now.put_hover(self._hover, self._dots(self._hover))

    # -- words ----------------------------------------------------------------------------------------------------

    def told(self, frame: float) -> str:
        """Return the values at a frame in lines, ``""`` where there are none."""
        values = self.values_at(frame)
        if values is None:
            return ""
        lines = [f"Frame {frame:.4g}"]
        lines += [f"{look.name} {value_text(v, look.unit)}" for look, v in zip(self.styles, values, strict=True)]
        return "\n".join(lines)

    def describe(self) -> None:
        """Tell assistive tools the values at the playhead; called when the playhead rests."""
        words = "" if self.now is None else self.told(self.now).replace("\n", ", ")
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    # -- the mouse ------------------------------------------------------------------------------------------------

    def set_hover(self, frame: float | None) -> None:
        """Show where the mouse is."""
        self._hover = frame
        self._put_now()

    def tell_at(self, x: float, place: QPoint) -> None:
        """Show the values at a place, [px], in a tooltip at a global one."""
        frame = self.scale.frame(x)
        text = self.told(frame) if x >= 0.0 else ""
        self.set_hover(frame if text else None)
        if text:
            QToolTip.showText(place, text, self)
        else:
            QToolTip.hideText()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.tell_at(event.position().x(), event.globalPosition().toPoint())
        super().mouseMoveEvent(event)  # whose the plot is may be dragged on

    def leaveEvent(self, event: QEvent) -> None:
        self.set_hover(None)
        super().leaveEvent(event)

    # -- drawing --------------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._canvas is None:
            loading.begin()
            self._try()

    def _try(self) -> None:
        """Make what draws if it has been loaded."""
        if not loading.ready():
            self._wait.start()
        elif self._canvas is None:
            self._make()

    def _make(self) -> None:
        self._wait.stop()
        module = loading.canvas()
        self._canvas = module.PlotCanvas(self.scale, (self.tail, self.curves), self.styles, self)
        self._canvas.ground.span = self._span
        self.set_empty_text(self._empty)
        self._canvas.setGeometry(self.rect())
        self._canvas.show()
        self._resized()
        self.refresh()

    def _resized(self) -> None:
        self.scale.width, self.scale.height = float(self.width()), float(self.height())
        if self._canvas is not None:
            self._canvas.setGeometry(self.rect())
        self._rescaled()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resized()

    def theme_changed(self) -> None:
        if self._canvas is not None:
            self._canvas.take_theme()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), style.color("input"))
        painter.end()
