"""When feet stand: a row for each, with bands where they do, over the frames of a sequence; stances can be edited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from core.animation.contacts.phases import FLAT, ON_HEEL, ON_TOES, REST, SWING, Phase, stances, with_end

ROW, BAND, NAME, SIDE, SCALE = 18, 10, 92, 8, 16
MOST_ROWS = 8
_STRENGTH = {FLAT: 0.75, REST: 0.75, ON_HEEL: 0.4, ON_TOES: 0.4}
_SAID = {FLAT: "stands", REST: "stays", ON_HEEL: "on its heel", ON_TOES: "on its toes", SWING: "under way"}
_FAINT = 0.35
_GRIP = 5.0  # [px]: a press so near to an end of a stance takes it
_MOVES = 3  # [px]: a press that goes no farther is a click

BODY, FIRST, LAST = "body", "first", "last"
"""What of a stance is under the pointer."""


class Found(NamedTuple):
    """A stance under the pointer.

    Attributes:
        row: Number of its row.
        stance: Its number in the row.
        part: ``BODY``, ``FIRST`` or ``LAST``: the whole of it, or one of its ends.
    """

    row: int
    stance: int
    part: str


class FootRow(NamedTuple):
    """A row.

    Attributes:
        name: Whose it is.
        phases: What it does.
        locked: Whether it gets locks.
        left_out: Numbers of the stances that are not to be locked.
    """

    name: str
    phases: tuple[Phase, ...]
    locked: bool
    left_out: frozenset[int] = frozenset()


class FootBands(Painted):
    """Shows rows of bands: full ones where a foot stands flat, lighter ones where it rolls, a line where it swings.

    A click on a stance leaves it out, or takes it again; its ends are dragged. With the keyboard: Left and Right choose
    a stance, Up and Down the row, Space leaves it out or takes it, Alt+Left and Alt+Right move its end, with Shift its
    beginning.

    Attributes:
        rows: What is shown.
        chosen: The stance that keys act on.
    """

    edited = Signal(int, object)
    """The phases of a row have changed: its number and the phases."""
    toggled = Signal(int, int)
    """A stance is to be left out, or taken again: numbers of its row and of it."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.rows: tuple[FootRow, ...] = ()
        self.range, self.frame = (0, 1), 0
        self.chosen: Found | None = None
        self._hover: Found | None = None
        self._pressed: tuple[Found, QPointF, tuple[Phase, ...]] | None = None
        self._moved = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
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

    def show_left_out(self, row: int, stances: frozenset[int]) -> None:
        """Show which stances of a row are left out."""
        rows = list(self.rows)
        rows[row] = rows[row]._replace(left_out=stances)
        self.rows = tuple(rows)
        self.update()

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
            spans = stances(row.phases)
            for phase in row.phases:
                stance = next((k for k, (a, b) in enumerate(spans) if a <= phase.first and phase.last <= b), -1)
                if phase.kind != SWING and stance not in row.left_out:
                    ground = style.mix("panel", "lock_position", _STRENGTH[phase.kind])
                    painter.fillRect(self.band(phase, n), ground)
            for stance, (a, b) in enumerate(spans):
                self._paint_frame(painter, n, stance, self.band(Phase(REST, a, b), n), stance in row.left_out)
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

    def _paint_frame(self, painter: QPainter, row: int, stance: int, band: QRectF, left_out: bool) -> None:
        """Paint what is round a stance: a dashed line where it is left out, and where the pointer or the keys are."""
        hover = self._hover is not None and self._hover[:2] == (row, stance)
        chosen = self.focus_ring and self.chosen is not None and self.chosen[:2] == (row, stance)
        edge = band.adjusted(0.5, 0.5, -0.5, -0.5)
        if left_out:
            painter.fillRect(band, style.color("panel"))
            painter.setPen(QPen(style.color("text3"), 1.0, Qt.PenStyle.DashLine))
            painter.drawRect(edge)
        if hover or chosen:
            painter.setPen(QPen(style.color("accent" if chosen else "text"), 1.0))
            painter.drawRect(edge)
        if hover and self._hover is not None and self._hover.part != BODY:
            x = band.left() if self._hover.part == FIRST else band.right() - 2.0
            painter.fillRect(QRectF(x, band.top() - 2.0, 2.0, band.height() + 4.0), style.color("text"))

    # -- editing -----------------------------------------------------------------------------------------------------

    def found_at(self, place: QPointF) -> Found | None:
        """Return the stance at a place, or None; near an end that, the nearer one."""
        nearest: tuple[float, Found] | None = None
        for n, row in enumerate(self.rows):
            middle = self.band(Phase(SWING, *self.range), n)
            if abs(place.y() - middle.center().y()) > 0.5 * middle.height() + 3.0:
                continue
            for stance, (a, b) in enumerate(stances(row.phases)):
                band = self.band(Phase(REST, a, b), n)
                grip = min(_GRIP, 0.3 * band.width())
                for part, x in ((FIRST, band.left()), (LAST, band.right())):
                    off = abs(place.x() - x)
                    inside = band.left() <= place.x() <= band.right()
                    if off <= (grip if inside else _GRIP) and (nearest is None or off < nearest[0]):
                        nearest = off, Found(n, stance, part)
                if nearest is None and band.left() <= place.x() <= band.right():
                    nearest = _GRIP, Found(n, stance, BODY)
        return None if nearest is None else nearest[1]

    def frame_at(self, x: float) -> int:
        """Return the frame that is nearest to a place."""
        first, last = self.range
        return round(first + (x - NAME) * (last - first) / max(self.width() - NAME - SIDE, 1))

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self.found_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or found is None:
            super().mousePressEvent(event)
            return
        self._pressed = found, event.position(), self.rows[found.row].phases
        self._moved, self.chosen = False, found
        self.update()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self._show_hover(self.found_at(event.position()))
            return
        found, start, phases = self._pressed
        self._moved = self._moved or abs(event.position().x() - start.x()) > _MOVES
        if self._moved and found.part != BODY:
            spans = stances(phases)
            grabbed = self.x_of(spans[found.stance][found.part == LAST])
            frame = self.frame_at(grabbed + event.position().x() - start.x())
            self._show(found.row, with_end(phases, found.stance, found.part == LAST, frame))

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None or event.button() != Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        found, _, phases = self._pressed
        self._pressed = None
        if self._moved and found.part != BODY:
            if self.rows[found.row].phases != phases:
                self.edited.emit(found.row, self.rows[found.row].phases)
        elif not self._moved:
            self.toggled.emit(found.row, found.stance)

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._show_hover(None)
        super().leaveEvent(event)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        down = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        space = event.key() == Qt.Key.Key_Space
        if not (step or down or space) or not any(stances(row.phases) for row in self.rows):
            super().keyPressEvent(event)
            return
        row, stance, _ = self.chosen or Found(0, -1 if step > 0 else 0, BODY)
        row = min(max(row + down, 0), len(self.rows) - 1)
        number = len(stances(self.rows[row].phases))
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        stance = min(max(stance + (0 if alt else step), 0), max(number - 1, 0))
        self.chosen = Found(row, stance, BODY)
        self.update()
        if space and number:
            self.toggled.emit(row, stance)
        elif alt and step and number:
            last = not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            phases = self.rows[row].phases
            moved = with_end(phases, stance, last, stances(phases)[stance][last] + step)
            if tuple(moved) != tuple(phases):
                self._show(row, moved)
                self.edited.emit(row, self.rows[row].phases)

    def _show(self, row: int, phases: Sequence[Phase]) -> None:
        rows = list(self.rows)
        rows[row] = rows[row]._replace(phases=tuple(phases))
        self.rows = tuple(rows)
        self.update()

    def _show_hover(self, found: Found | None) -> None:
        if found != self._hover:
            self._hover = found
            shape = Qt.CursorShape.ArrowCursor
            if found is not None:
                shape = Qt.CursorShape.PointingHandCursor if found.part == BODY else Qt.CursorShape.SizeHorCursor
            self.setCursor(shape)
            self.update()

    # -- what is there -----------------------------------------------------------------------------------------------

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
                if phase.kind != SWING:
                    text += "\nClick to leave the stance out, or to take it again; drag its ends"
                QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)
