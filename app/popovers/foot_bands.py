"""When feet stand: a row for each, with bands where they do, over the frames of a sequence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from core.animation.contacts.phases import FLAT, ON_HEEL, ON_TOES, REST, SWING, Phase

ROW, BAND, NAME, SIDE, SCALE = 18, 10, 92, 8, 16
MOST_ROWS = 8
_STRENGTH = {FLAT: 0.75, REST: 0.75, ON_HEEL: 0.4, ON_TOES: 0.4}
_SAID = {FLAT: "stands", REST: "stays", ON_HEEL: "on its heel", ON_TOES: "on its toes", SWING: "under way"}
_FAINT = 0.35


class FootRow(NamedTuple):
    """A row.

    Attributes:
        name: Whose it is.
        phases: What it does.
        locked: Whether it gets locks.
    """

    name: str
    phases: tuple[Phase, ...]
    locked: bool


class FootBands(Painted):
    """Shows rows of bands: full ones where a foot stands flat, lighter ones where it rolls, a line where it swings."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.rows: tuple[FootRow, ...] = ()
        self.range, self.frame = (0, 1), 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("When the feet stand")

    def show_rows(self, rows: Sequence[FootRow], span: tuple[int, int], frame: int) -> None:
        """Show rows over a range of frames, with a line at the current one."""
        self.rows, self.range, self.frame = tuple(rows), (span[0], max(span[1], span[0] + 1)), frame
        said = [f"{row.name}: {sum(p.kind != SWING for p in row.phases)} contacts" for row in rows]
        self.setAccessibleDescription("; ".join(said))
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(NAME + 200, ROW * min(max(len(self.rows), 1), MOST_ROWS) + SCALE)

    def x_of(self, frame: float) -> float:
        """Return where a frame is, [px]."""
        first, last = self.range
        return NAME + (self.width() - NAME - SIDE) * (frame - first) / (last - first)

    def band(self, phase: Phase, row: int) -> QRectF:
        """Return the band of a phase, at least two pixels wide."""
        left, right = self.x_of(phase.first), self.x_of(phase.last)
        high = ROW if len(self.rows) <= MOST_ROWS else ROW * MOST_ROWS / len(self.rows)
        thick = min(BAND, high - 2.0)
        return QRectF(left - 1.0, row * high + 0.5 * (high - thick), max(right - left, 0.0) + 2.0, thick)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(fonts.font(fonts.SECONDARY))
        metrics = QFontMetricsF(painter.font())
        few = len(self.rows) <= MOST_ROWS
        for n, row in enumerate(self.rows):
            middle = self.band(Phase(SWING, *self.range), n).center().y()
            painter.setOpacity(1.0 if row.locked else _FAINT)
            painter.setPen(style.color("text2"))
            if few:
                box = QRectF(6.0, middle - 0.5 * ROW, NAME - 14.0, ROW)
                name = metrics.elidedText(row.name, Qt.TextElideMode.ElideRight, box.width())
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, name)
            left, right = self.x_of(self.range[0]), self.x_of(self.range[1])
            painter.fillRect(QRectF(left, middle - 0.5, right - left, 1.0), style.color("line2"))
            for phase in row.phases:
                if phase.kind != SWING:
                    ground = style.mix("panel", "lock_position", _STRENGTH[phase.kind])
                    painter.fillRect(self.band(phase, n), ground)
        painter.setOpacity(1.0)
        bottom = float(self.height() - SCALE)
        if self.range[0] <= self.frame <= self.range[1]:
            painter.fillRect(QRectF(round(self.x_of(self.frame)) - 0.5, 0.0, 1.0, bottom), style.color("accent"))
        painter.setFont(fonts.font(fonts.SMALL, tabular=True))
        painter.setPen(style.color("text3"))
        scale = QRectF(NAME, bottom, self.width() - NAME - SIDE, SCALE)
        painter.drawText(scale, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, str(self.range[0]))
        painter.drawText(scale, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(self.range[1]))
        painter.end()

    def phase_at(self, place: QPoint) -> tuple[FootRow, Phase] | None:
        """Return the row and the phase at a place, or None."""
        for n, row in enumerate(self.rows):
            band = self.band(Phase(SWING, *self.range), n)
            if abs(place.y() - band.center().y()) <= 0.5 * band.height() + 3.0:
                inside = [p for p in row.phases if self.x_of(p.first) - 1.0 <= place.x() <= self.x_of(p.last + 1)]
                return (row, inside[-1]) if inside else None
        return None

    @guarded
    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            found = self.phase_at(event.pos())
            if found is None:
                QToolTip.hideText()
            else:
                row, phase = found
                text = f"{row.name}, frames {phase.first} to {phase.last}: {_SAID[phase.kind]}"
                QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)
