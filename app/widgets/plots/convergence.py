"""How the last move was solved: a small plot of the error over the steps, and two lines of words beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round

HEIGHT = 48
_PLOT_SHARE = 0.4
_MOST_DOTS = 12
_MOST_POINTS = 24
_LEAST = 1e-16  # [m]: errors below are drawn as this one


class Convergence(Painted):
    """Shows a solve, or what to do to see one.

    Args:
        hint: What it says while there is nothing to show.
        parent: Parent widget.
    """

    def __init__(self, hint: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.hint = hint
        self.title = self.detail = ""
        self.good = True
        self._target = 0.0
        self._logs: list[float] = []
        self._steps: list[int] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Last move")
        self.setAccessibleDescription(hint)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(220, HEIGHT)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(150, HEIGHT)

    def show_solve(self, errors: Sequence[float], target: float, title: str, detail: str, good: bool) -> None:
        """Show how the error fell.

        Args:
            errors: Least error so far at the start and after each step, [m]; may be empty.
            target: Error at which a goal counts as met, [m].
            title: First line: steps and time.
            detail: Second line: how near, or why not nearer.
            good: Whether the goal was met.
        """
        number = len(errors)
        every = max(1, -(-number // _MOST_POINTS))
        self._steps = [*range(0, number, every)]
        if number and self._steps[-1] != number - 1:
            self._steps.append(number - 1)
        self._logs = [math.log10(max(float(errors[k]), _LEAST)) for k in self._steps]
        self._target = math.log10(max(target, _LEAST))
        self.title, self.detail, self.good = title, detail, good
        self.setAccessibleDescription(f"{title}, {detail}")
        self.update()

    def show_nothing(self) -> None:
        """Go back to the hint."""
        if self.title:
            self.title = self.detail = ""
            self._logs, self._steps = [], []
            self.setAccessibleDescription(self.hint)
            self.update()

    @guarded
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = f"{self.title}\n{self.detail}\nThe line is the error, the dashes are the tolerance"
            QToolTip.showText(event.globalPos(), words if self.title else "", self)
            return True
        return super().event(event)

    @property
    def points(self) -> list[tuple[int, float]]:
        """What is plotted: steps and logarithms of errors."""
        return list(zip(self._steps, self._logs, strict=True))

    # -- painting ------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        fill_round(painter, box, style.color("input"), style.color("line"))
        if not self.title:
            painter.setFont(fonts.font(fonts.SECONDARY))
            painter.setPen(style.color("text3"))
            painter.drawText(box.adjusted(12, 0, -12, 0), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap,
                             self.hint)  # fmt: skip
            painter.end()
            return
        wide = round(box.width() * _PLOT_SHARE)
        self._paint_plot(painter, QRectF(box.left() + 9, box.top() + 8, wide - 14, box.height() - 16))
        words = box.adjusted(wide + 4, 6, -8, -6)
        upper = QRectF(words.left(), words.top(), words.width(), words.height() / 2)
        lower = upper.translated(0.0, words.height() / 2)
        painter.setPen(style.color("text"))
        self._paint_line(painter, upper, self.title, fonts.font(fonts.BODY, fonts.MEDIUM, tabular=True))
        painter.setPen(style.color("text2" if self.good else "warn"))
        self._paint_line(painter, lower, self.detail, fonts.font(fonts.SECONDARY, tabular=True))
        painter.end()

    def _paint_line(self, painter: QPainter, box: QRectF, text: str, font: QFont) -> None:
        painter.setFont(font)
        if len(text) * font.pointSizeF() > 1.2 * box.width():  # measuring takes longer than drawing
            text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_plot(self, painter: QPainter, box: QRectF) -> None:
        low = min([self._target - 0.4, *self._logs])
        high = max([self._target + 0.6, *self._logs])

        left, bottom = box.left(), box.bottom()
        wide = box.width() / max(self._steps[-1] if self._steps else 0, 1)
        high = box.height() / (high - low)
        pen = QPen(style.color("text3"), 1.0)
        pen.setDashPattern([2.0, 2.0])
        painter.setPen(pen)
        target = round(bottom - high * (self._target - low)) + 0.5
        painter.drawLine(QLineF(left, target, box.right(), target))
        ink = style.color("accent" if self.good else "warn")
        points = [
            QPointF(left + wide * step, bottom - high * (log - low))
            for step, log in zip(self._steps, self._logs, strict=True)
        ]
        painter.setPen(QPen(ink, 1.5))
        if len(points) > 1:
            painter.drawPolyline(QPolygonF(points))
        painter.setPen(QPen(ink, 4.0, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPoints(QPolygonF(points if len(points) <= _MOST_DOTS else points[-1:]))
