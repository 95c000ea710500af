"""A plot: curves along the frames, read with the mouse, drawn by pyqtgraph once the plot is seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.plots import loading
from app.widgets.plots.curves import Curves, CurveStyle, Floats, drawn_range
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
        left: Place of frame 0; ``pixels`` the width of a frame, [px].
        axis: Lower and upper end of the axis.
        at_left: Whether those are written at the left.
    """

    def __init__(self, styles: Sequence[CurveStyle], name: str):
        super().__init__()
        self.styles = tuple(styles)
        self.curves, self.tail = Curves(len(self.styles)), Curves(len(self.styles))
        self.left, self.pixels = 0.0, 1.0
        self.at_left = False
        self.now: float | None = None
        self._span: tuple[float, float] | None = None
        self._empty = QLabel(self)
        self._empty.setProperty("hint", True)
        self._empty.setFont(fonts.font(fonts.SECONDARY))
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._empty.setContentsMargins(12, 0, 12, 0)
        self._empty.hide()
        self._empty.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._drawn: tuple[int, int, int] = (-1, 0, -1)
        self._extremes = (0.0, 0.0)
        self.axis = (0.0, 1.0)
        self._canvas: PlotCanvas | None = None
        self._wait = QTimer(self, interval=_POLL_MS)
        self._wait.timeout.connect(self._try)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(name)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(240, 84)

    @guarded
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

    def set_frames(self, left: float, pixels: float) -> None:
        """Show frame 0 at ``left`` [px] and frames ``pixels`` wide."""
        if (left, pixels) != (self.left, self.pixels):
            self.left, self.pixels = left, pixels
            self._rescaled()

    def set_span(self, span: tuple[float, float] | None) -> None:
        """Tint some frames: those that are simulated."""
        if span != self._span:
            self._span = span
            if self._canvas is not None:
                self._canvas.set_span(span)

    def set_empty_text(self, text: str) -> None:
        """Say why there are no curves while there are none."""
        self._empty.setText("" if len(self.curves) or len(self.tail) else text)
        self._empty.setVisible(bool(self._empty.text()))

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
        before = self.axis if version == curves.version else None
        axis = drawn_range(high if np.isfinite(high) else 0.0, low if np.isfinite(low) else 0.0, before)
        if axis != self.axis or not count:
            self.axis = axis
            self._rescaled()

    def _rescaled(self) -> None:
        if self._canvas is not None:
            unit = self.styles[0].unit
            low, high = self.axis
            empty = not len(self.curves) and not len(self.tail)
            lower = "0" if low == 0.0 else value_text(low, unit).replace(".0 ", " ")
            texts = ("", "") if empty else (f"{high:g} {unit}", lower if self.at_left or low < 0.0 else "")
            self._canvas.set_texts(*texts, self.at_left)
            self._canvas.set_scale(self.left, self.pixels, low, high)
        self._put_now()

    def values_at(self, frame: float) -> Floats | None:
        """Return the values at a frame, those of the tail beyond the curves; None where there are none."""
        values = self.curves.at(frame)
        if values is None and len(self.tail) and (not len(self.curves) or frame > self.curves.frames[-1]):
            values = self.tail.at(frame)
        return values

    def _heights(self, frame: float | None) -> list[float]:
        """Return the values at a frame as they are drawn; [] where there are none."""
        values = None if frame is None else self.values_at(frame)
        return [] if values is None else [v * look.factor for v, look in zip(values, self.styles, strict=True)]

    def _put_now(self) -> None:
        if self._canvas is not None:
            self._canvas.set_now(self.now, self._heights(self.now))

    def frame_at(self, x: float) -> float:
        """Return the frame at a place, [px]."""
        return (x - self.left) / self.pixels

    # -- words ----------------------------------------------------------------------------------------------------

    def text_at(self, frame: float) -> str:
        """Return the values at a frame in lines, ``""`` where there are none."""
        values = self.values_at(frame)
        if values is None:
            return ""
        lines = [f"Frame {frame:.4g}"]
        lines += [f"{look.name} {value_text(v, look.unit)}" for look, v in zip(self.styles, values, strict=True)]
        return "\n".join(lines)

    def describe(self) -> None:
        """Tell assistive tools the values at the playhead; called when the playhead rests."""
        words = "" if self.now is None else self.text_at(self.now).replace("\n", ", ")
        if words != self.accessibleDescription():
            self.setAccessibleDescription(words)

    # -- the mouse ------------------------------------------------------------------------------------------------

    def set_hover(self, frame: float | None) -> None:
        """Show where the mouse is."""
        if self._canvas is not None:
            self._canvas.set_hover(frame, self._heights(frame))

    def show_values_at(self, x: float, place: QPoint) -> None:
        """Show the values at a place, [px], in a tooltip at a global one."""
        frame = self.frame_at(x)
        text = self.text_at(frame) if x >= 0.0 else ""
        self.set_hover(frame if text else None)
        if text:
            QToolTip.showText(place, text, self)
        else:
            QToolTip.hideText()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.show_values_at(event.position().x(), event.globalPosition().toPoint())
        super().mouseMoveEvent(event)  # whose the plot is may be dragged on

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self.set_hover(None)
        super().leaveEvent(event)

    # -- drawing --------------------------------------------------------------------------------------------------

    @guarded
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
        self._canvas = loading.canvas().PlotCanvas(self.curves, self.tail, self.styles, self)
        self._canvas.lower()
        self._canvas.set_span(self._span)
        self._canvas.show()
        self._resized()
        self.refresh()

    def _resized(self) -> None:
        self._empty.setGeometry(self.rect())
        if self._canvas is not None:
            self._canvas.setGeometry(self.rect())
        self._rescaled()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resized()

    def theme_changed(self) -> None:
        if self._canvas is not None:
            self._canvas.take_theme()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), style.color("input"))
        painter.end()
