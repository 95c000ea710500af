"""The legend of a plot: for each curve a piece of its line, dashed as it is, and its name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.plots.curves import CurveStyle

SAMPLE = 13.0
"""Length of the piece of line, [px]."""
GAP, BETWEEN = 5.0, 10.0
LINE = 15.0
_WIDTH = 1.8


def draw_sample(painter: QPainter, look: CurveStyle, left: float, y: float) -> None:
    """Draw a piece of a curve's line from a place to the right."""
    pen = QPen(style.color(look.token), _WIDTH, c=Qt.PenCapStyle.FlatCap)
    if look.pattern:
        pen.setDashPattern([length / _WIDTH for length in look.pattern])
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(pen)
    painter.drawLine(QPointF(left, y), QPointF(left + SAMPLE, y))


def name_of(look: CurveStyle, short: bool = False) -> str:
    """Return what a curve is called, with the factor it is drawn at: ``"Angular ×10"``."""
    return (look.short if short else look.name) + ("" if look.factor == 1.0 else f" ×{look.factor:g}")


class Legend(Painted):
    """Names of curves side by side, at the right.

    Args:
        styles: The curves.
    """

    def __init__(self, styles: Sequence[CurveStyle]):
        super().__init__()
        self.styles = tuple(styles)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._describe()

    def set_styles(self, styles: Sequence[CurveStyle]) -> None:
        """Show other curves, or the same at other factors."""
        if tuple(styles) != self.styles:
            self.styles = tuple(styles)
            self._describe()
            self.updateGeometry()
            self.update()

    def _describe(self) -> None:
        dashes = {0: "solid", 5: "dashed", 1: "dotted"}
        words = [f"{name_of(look)} {dashes[int(sum(look.pattern[:1]))]}" for look in self.styles]
        self.setAccessibleName("Legend: " + ", ".join(words))

    def _names(self) -> list[tuple[CurveStyle, str, float]]:
        metrics = QFontMetricsF(fonts.font(fonts.SECONDARY))
        names = [(look, name_of(look, short=True)) for look in self.styles]
        return [(look, name, metrics.horizontalAdvance(name)) for look, name in names]

    @guarded
    def sizeHint(self) -> QSize:
        names = self._names()
        wide = sum(width + SAMPLE + GAP for _, _, width in names) + BETWEEN * max(len(names) - 1, 0)
        return QSize(round(wide + 1.5), 16)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(fonts.font(fonts.SECONDARY))
        x, middle = 0.0, self.height() / 2.0
        for look, name, width in self._names():
            draw_sample(painter, look, x, round(middle))
            painter.setPen(style.color("text2"))
            painter.drawText(
                QRectF(x + SAMPLE + GAP, 0, width + 2.0, self.height()), Qt.AlignmentFlag.AlignVCenter, name
            )
            x += SAMPLE + GAP + width + BETWEEN
        painter.end()
