"""The joint slider: a track between limit brackets, filled from rest to the value."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.gesture import FINE, ValueWidget, step_factor
from app.widgets.fields.limit_numbers import GAP, limit_texts
from app.words.quantity import NUMBER, Quantity

MARGIN = 7  # room for half a handle, and the ring around it, beyond the ends of the track
HANDLE = 5.0  # radius
BRACKET = 11.0  # height
LIMITS = "text2"  # colour of the numbers: they are small, so they contrast more than other hints
TRACK = 4.0  # height
BRACKET_REACH = 9.0  # how near to an end of the track a press with Shift takes its bracket, px
_AT_LIMIT = 1e-7
_KEYS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Down: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Up: 1,
    Qt.Key.Key_PageDown: -10,
    Qt.Key.Key_PageUp: 10,
}


class JointSlider(ValueWidget):
    """A slider for one degree of freedom.

    Drag is live, Ctrl drags at a tenth of the speed, a double click goes to rest, the wheel works only with focus,
    arrow keys step (Ctrl a tenth, Shift ten times), Home and End go to the limits, Esc cancels. Shift and a drag of a
    bracket move the limit.

    Args:
        quantity: Unit and steps.
        plain: Without brackets, limit numbers and rest tick: an ordinary setting.
        parent: Parent widget.

    Signals:
        menu_wanted(QPoint): The menu at a global position.
        limit_began(int), limit_moved(int, float), limit_ended(int, bool): The life of a drag of a limit: the lower one
            (-1) or the upper one (1), its value, and whether to keep it.
    """

    menu_wanted = Signal(object)
    limit_began = Signal(int)
    limit_moved = Signal(int, float)
    limit_ended = Signal(int, bool)

    def __init__(self, quantity: Quantity = NUMBER, plain: bool = False, parent: QWidget | None = None):
        super().__init__(quantity, parent)
        self._plain = plain
        self._rest = 0.0
        self._limited = (False, False)
        self._round: float | None = None
        self._lit = plain
        self._still: QPixmap | None = None
        self._grab: tuple[float, float] | None = None
        self._ghost = 0.0
        self._pressed = self._held = False
        self._hovered = False
        self._side = 0  # the limit that is dragged
        self._rate = 0.0
        self._kept = ((0.0, 1.0), (False, False))
        self.set_range(0.0, 1.0, (False, False))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(97, style.FIELD_HEIGHT if self._plain else style.ROW_HEIGHT)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(56, self.sizeHint().height())

    def set_range(self, lower: float, upper: float, limited: tuple[bool, bool] = (True, True)) -> None:
        """Set what the ends of the track stand for.

        Args:
            lower: Value at the left end.
            upper: Value at the right end.
            limited: Which ends are true limits: those get a bracket, and values beyond them are clamped.
        """
        self._reach = (-math.inf, math.inf)
        self._track = (float(lower), float(upper))
        self._limited = limited
        self._lower = lower if limited[0] or self._plain else -float("inf")
        self._upper = upper if limited[1] or self._plain else float("inf")
        self._redraw()

    def set_reach(self, lower: float, upper: float) -> None:
        """Set how far the value can go just now, inside the track: brackets and numbers stand there.

        Args:
            lower: Lowest value; minus infinity where the limit alone is the bound.
            upper: Highest value, likewise.
        """
        if (lower, upper) != self._reach:
            self._reach = lower, upper
            low, high = self._track
            self._lower = max(lower, low if self._limited[0] or self._plain else -math.inf)
            self._upper = min(upper, high if self._limited[1] or self._plain else math.inf)
            self._redraw()

    @property
    def reachable(self) -> tuple[float, float]:
        """The values at which brackets and numbers stand."""
        return max(self._track[0], self._reach[0]), min(self._track[1], self._reach[1])

    def set_rest(self, rest: float) -> None:
        """Set where the tick stands, where the fill starts, and where a double click goes."""
        self._rest = rest
        self._redraw()

    def set_round(self, length: float | None) -> None:
        """Set after how much a value means the same again; None if it never does.

        A value beyond the track stands where it is in its own round, unless both ends are limits.
        """
        self._round = length
        self.update()

    def set_lit(self, lit: bool) -> None:
        """Fill with the accent colour (in the drag chain) or quietly."""
        if lit != self._lit and not self._plain:
            self._lit = lit
            self.update()

    @property
    def at_limit(self) -> int:
        """-1 at the lower limit, 1 at the upper, else 0."""
        span = max(abs(self._track[0]), abs(self._track[1]), 1.0) if all(self._limited) else 1.0
        if math.isfinite(self._lower) and self._value <= self._lower + _AT_LIMIT * span:
            return -1
        if math.isfinite(self._upper) and self._value >= self._upper - _AT_LIMIT * span:
            return 1
        return 0

    def _redraw(self) -> None:
        self._still = None
        self.update()

    def theme_changed(self) -> None:
        self._still = None

    # -- geometry ------------------------------------------------------------------------------------------------

    @property
    def _middle(self) -> float:
        return self.height() / 2 if self._plain else 12.0

    def position(self, value: float) -> float:
        """Return where a value stands, in px from the left edge."""
        lower, upper = self._track
        value -= self._rounds(value)
        share = (value - lower) / (upper - lower) if upper > lower else 0.5
        return MARGIN + min(max(share, 0.0), 1.0) * (self.width() - 2 * MARGIN)

    def _rounds(self, value: float) -> float:
        """Return how far a value's round is from the one that the track shows."""
        lower, upper = self._track
        if self._round is None or all(self._limited) or lower <= value <= upper:
            return 0.0
        return self._round * math.floor((value - lower) / self._round)

    def _per_pixel(self) -> float:
        return (self._track[1] - self._track[0]) / max(self.width() - 2 * MARGIN, 1)

    def value_at(self, x: float) -> float:
        """Return the value that stands at ``x`` px from the left edge."""
        return self._track[0] + (x - MARGIN) * self._per_pixel()

    # -- painting ------------------------------------------------------------------------------------------------

    @guarded
    def resizeEvent(self, event: object) -> None:
        self._still = None

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        ratio = self.devicePixelRatioF()
        if self._still is None or self._still.devicePixelRatio() != ratio:
            self._still = self._draw_still(ratio)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._still)
        y, x, rest = self._middle, self.position(self._value), self.position(self._rest)
        side = 0 if self._plain else self.at_limit
        fill = style.color("warn" if side else "accent" if self._lit else "text2")
        if self._plain:
            rest = float(MARGIN)
        painter.setOpacity(1.0 if self.isEnabled() else 0.4)
        painter.fillRect(QRectF(min(rest, x), y - TRACK / 2, abs(x - rest), TRACK), fill)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if side:
            self._bracket(painter, side, fill)
        if not self._plain and self._track[0] < self._rest < self._track[1]:
            painter.fillRect(
                QRectF(round(rest) - 0.5 if self.devicePixelRatioF() > 1 else round(rest) - 1, y - 5, 1, 10),
                style.color("text3"),
            )
        ground = self._ground if self._ground is not None else style.color("panel")
        painter.setPen(QPen(ground, 1.5))
        painter.setBrush(style.color("warn" if side else "text"))
        grown = 0.75 + (0.5 if self._hovered or self._pressed else 0.0)
        painter.drawEllipse(QPointF(x, y), HANDLE + grown, HANDLE + grown)
        if self.focus_ring:  # around the handle: a box would cross the limit numbers
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(style.color("accent"), 2.0))
            painter.drawEllipse(QPointF(min(max(x, HANDLE + 4), self.width() - HANDLE - 4), y), HANDLE + 3, HANDLE + 3)
        painter.end()

    def limit_texts(self) -> tuple[str, str]:
        """Return the numbers that stand under the ends of the track."""
        metrics = QFontMetricsF(fonts.font(fonts.SMALL, tabular=True))
        return limit_texts(self.quantity, *self.reachable, metrics.horizontalAdvance, self.width() - 2 * MARGIN - 2)

    def _draw_still(self, ratio: float) -> QPixmap:
        still = QPixmap(self.size() * ratio)
        still.setDevicePixelRatio(ratio)
        still.fill(self._ground if self._ground is not None else Qt.GlobalColor.transparent)
        painter = QPainter(still)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, right, y = float(MARGIN), float(self.width() - MARGIN), self._middle
        painter.setOpacity(1.0 if self.isEnabled() else 0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        first, last = (self.position(end) for end in self.reachable)
        if (first, last) != (left, right):
            painter.setBrush(style.color("line"))
            painter.drawRect(QRectF(left, y - TRACK / 4, right - left, TRACK / 2))
        painter.setBrush(style.color("line2"))
        painter.drawRoundedRect(QRectF(first, y - TRACK / 2, last - first, TRACK), *((2, 2) if self._plain else (0, 0)))
        if not self._plain:
            for side, end in ((-1, self._lower), (1, self._upper)):
                if math.isfinite(end):
                    self._bracket(painter, side, style.color("text3"))
            painter.setFont(fonts.font(fonts.SMALL, tabular=True))
            painter.setPen(style.color(LIMITS))
            texts = self.limit_texts()
            metrics = painter.fontMetrics()
            need = sum(metrics.horizontalAdvance(text) for text in texts) + GAP
            beyond = max(0.5 * (need - (last - first - 2)), 0.0)  # on either side, where brackets stand close together
            first, last = max(first + 1 - beyond, left + 1), min(last - 1 + beyond, right - 1)
            box = QRectF(first, y + 6, last - first, 13)
            for text, edge in zip(texts, ("AlignLeft", "AlignRight"), strict=True):
                painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag[edge], text)
        painter.end()
        return still

    def _bracket(self, painter: QPainter, side: int, color: QColor) -> None:
        painter.setPen(QPen(color, 1.4, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.MiterJoin))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        x = self.position(self.reachable[0]) + 0.2 if side < 0 else self.position(self.reachable[1]) - 0.2
        y, inward = self._middle, -side * 3.4
        half = BRACKET / 2 + 0.2
        painter.drawPolyline(
            [QPointF(x + inward, y - half), QPointF(x, y - half), QPointF(x, y + half), QPointF(x + inward, y + half)]
        )

    # -- mouse and wheel -----------------------------------------------------------------------------------------

    @guarded
    def enterEvent(self, event: QEvent) -> None:
        self._hovered = True
        self.update()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = False
        self.update()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self.commit()
        self._pressed = True
        x = event.position().x()
        self._grab = (x, x)
        self._side = self._bracket_at(x) if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 0
        if self._side:
            self._begin_limit()
            return
        near = abs(x - self.position(self._value)) <= HANDLE + 3
        # Away from the handle a mere click changes nothing; the drag starts with the handle under the cursor.
        self._ghost = self._value if near else self.value_at(x) + self._rounds(self._value)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._pressed or self._grab is None:
            return
        first, last = self._grab
        x = event.position().x()
        if self._side:
            self._drag_limit(x - last, bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
            self._grab = (first, x)
            return
        if not self.editing:
            if abs(x - first) < 1:
                return
            self.begin()
        fine = FINE if event.modifiers() & Qt.KeyboardModifier.ControlModifier else 1.0
        self._ghost += (x - last) * self._per_pixel() * fine
        self._grab = (first, x)
        self.move_to(self._ghost if fine < 1.0 else self._caught(self._ghost))

    def _caught(self, value: float) -> float:
        """Return the value that a drag takes instead of another, because it holds there."""
        return value

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._pressed:
            self._pressed = False
            self._grab = None
            if self._side:
                self._end_limit(keep=True)
            self.commit()
            self.update()

    # -- limits ---------------------------------------------------------------------------------------------------

    def _bracket_at(self, x: float) -> int:
        """Return which limit's bracket, or open end, lies near ``x``: -1, 1, or 0 for neither."""
        if self._plain:
            return 0
        left, right = abs(x - MARGIN), abs(x - (self.width() - MARGIN))
        return 0 if min(left, right) > BRACKET_REACH else -1 if left < right else 1

    def _begin_limit(self) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._kept = (self._track, self._limited)
        self._rate = self._per_pixel()  # stays while the track changes its scale under the pointer
        self._ghost = self._track[0 if self._side < 0 else 1]
        self.limit_began.emit(self._side)

    def _drag_limit(self, pixels: float, fine: bool) -> None:
        self._ghost += pixels * self._rate * (FINE if fine else 1.0)
        lower, upper = self._track
        value = min(self._ghost, upper) if self._side < 0 else max(self._ghost, lower)
        if self._side < 0:
            self.set_range(value, upper, (True, self._limited[1]))
        else:
            self.set_range(lower, value, (self._limited[0], True))
        self.limit_moved.emit(self._side, value)

    def _end_limit(self, keep: bool) -> None:
        side, self._side = self._side, 0
        moved = (self._track, self._limited) != self._kept
        if not keep:
            self.set_range(*self._kept[0], self._kept[1])
        self.limit_ended.emit(side, keep and moved)

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = False
            self.commit()
            self.edit_to(self._rest)

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus() or self._pressed:
            event.ignore()
            return
        notches = event.angleDelta().y() / 120.0
        fine = FINE if event.modifiers() & Qt.KeyboardModifier.ControlModifier else 1.0
        if notches:
            self.edit_to(self._value + notches * self.quantity.step * fine)
        event.accept()

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())

    # -- keyboard ------------------------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return False
        return (
            event.key() in _KEYS
            or event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End)
            or (event.key() == Qt.Key.Key_Escape and (self.editing or self._side != 0))
        )

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key == Qt.Key.Key_Escape and (self.editing or self._side):
            self._pressed = False
            self._grab = None
            if self._side:
                self._end_limit(keep=False)
            self.cancel()
        elif not self.takes(event) or self._pressed:
            event.ignore()
        elif key in _KEYS:
            self.begin()
            self._held = True  # a held key is one edit, ended by its release
            self.move_to(self._value + _KEYS[Qt.Key(key)] * step_factor(event.modifiers()) * self.quantity.step)
        else:
            self.edit_to(self.reachable[0] if key == Qt.Key.Key_Home else self.reachable[1])

    @guarded
    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if self._held and not event.isAutoRepeat() and event.key() in _KEYS:
            self._held = False
            self.commit()
        else:
            event.ignore()

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        if self._held:
            self._held = False
            self.commit()
        super().focusOutEvent(event)
