"""The slider of a setting, on an even or a logarithmic scale, and the row it stands in: label, slider, field."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.slider import HANDLE, MARGIN, TRACK, JointSlider
from app.widgets.labels import quiet_label
from app.widgets.layouts import row_layout
from app.words.quantity import Quantity

STEPS = 60  # arrow keys from one end of a scale to the other
_APART = 8.0  # least room between the words at both ends, px
CATCH = 4.0  # how near to the tick of its usual value a drag holds there, px
_SAME = 1e-9  # share of the track by which sums of steps may miss the usual value


@dataclass(frozen=True)
class Scale:
    """Where values stand on a slider.

    Attributes:
        lower: Value at the left end.
        upper: Value at the right end.
        rest: Where a double click goes. Within the track a tick stands there and the fill begins there; at one of
            its ends the fill begins at the left.
        to_track: Value to a place along the track, in any unit.
        from_track: The other way round.
    """

    lower: float
    upper: float
    rest: float
    to_track: Callable[[float], float] = float
    from_track: Callable[[float], float] = float


def log_scale(lower: float, upper: float, rest: float) -> Scale:
    """Return a scale on which equal distances are equal factors; it gives values of two digits that count."""
    return Scale(
        lower, upper, rest, lambda value: math.log10(max(value, 1e-300)), lambda place: float(f"{10.0**place:.2g}")
    )


class SettingSlider(JointSlider):
    """A slider without limits to be held to: of a setting, not of a degree of freedom.

    It works in places along its track; ``value`` and all signals are such places. The row it stands in translates.

    Args:
        quantity: Unit of the values, for assistive tools.
        scale: Where values stand.
        ends: Words under the two ends of the track, or none.
        parent: Parent widget.
    """

    def __init__(
        self,
        quantity: Quantity,
        scale: Scale,
        ends: tuple[str, str] | None = None,
        parent: QWidget | None = None,
    ):
        self.scale, self.ends = scale, ends
        self.marks: tuple[float, ...] = ()  # two places along the track that the words stand under, not its ends
        self.is_open = False
        lower, upper = scale.to_track(scale.lower), scale.to_track(scale.upper)
        super().__init__(Quantity(step=(upper - lower) / STEPS), True, parent)
        self.spoken = quantity
        self.set_range(lower, upper, (False, False))
        self.set_rest(scale.to_track(scale.rest))
        self.set_value(scale.to_track(scale.rest))

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(76, style.FIELD_HEIGHT if self.ends is None else 36)

    @property
    def _middle(self) -> float:
        return self.height() / 2 if self.ends is None else 12.0

    def set_open(self, is_open: bool) -> None:
        """Show that no place of the track is the true value: the handle is hollow."""
        if is_open != self.is_open:
            self.is_open = is_open
            self.update()

    @property
    def _has_tick(self) -> bool:
        return self._track[0] < self._rest < self._track[1]

    def _caught(self, value: float) -> float:
        near = abs(self.position(value) - self.position(self._rest)) <= CATCH
        return self._rest if near and self._has_tick else value

    def move_to(self, value: float) -> None:
        lower, upper = self._track
        super().move_to(self._rest if abs(value - self._rest) <= _SAME * (upper - lower) else value)

    def ends_within(self, width: float) -> tuple[str, str]:
        """Return the words for both ends that a width, [px], holds side by side: each whole, else its first word."""
        low, high = self.ends or ("", "")
        metrics = QFontMetricsF(fonts.font(fonts.SMALL))
        if metrics.horizontalAdvance(low) + metrics.horizontalAdvance(high) + _APART > width:
            return low.partition(" ")[0], high.partition(" ")[0]
        return low, high

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setOpacity(1.0 if self.isEnabled() else 0.4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        y, x = self._middle, self.position(self._value)
        rest = self.position(self._rest) if self._has_tick else float(MARGIN)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.color("line2"))
        painter.drawRoundedRect(QRectF(MARGIN, y - TRACK / 2, self.width() - 2 * MARGIN, TRACK), 2, 2)
        painter.setBrush(style.color("accent"))
        painter.drawRoundedRect(QRectF(min(x, rest), y - TRACK / 2, abs(x - rest), TRACK), 2, 2)
        if self._has_tick:
            painter.fillRect(QRectF(round(rest) - 0.5, y - 5, 1, 10), style.color("text3"))
        for place in self.marks:
            painter.fillRect(QRectF(round(self.position(place)) - 0.5, y - 4, 1, 8), style.color("text3"))
        if self.ends is not None and self.marks:
            painter.setFont(fonts.font(fonts.SMALL))
            painter.setPen(style.color("text3"))
            for place, word in zip(self.marks, self.ends, strict=True):
                under = QRectF(self.position(place) - 60, y + 8, 120, 14)
                painter.drawText(under, Qt.AlignmentFlag.AlignCenter, word)
        elif self.ends is not None:
            painter.setFont(fonts.font(fonts.SMALL))
            painter.setPen(style.color("text3"))
            words = QRectF(1, y + 8, self.width() - 2, 14)
            low, high = self.ends_within(words.width())
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, low)
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, high)
        hollow = self.is_open and not self.editing
        painter.setPen(QPen(style.color("text3"), 1.5) if hollow else QPen(style.color("panel"), 1.5))
        painter.setBrush(style.color("panel" if hollow else "text"))
        grown = 0.75 + (0.5 if self._hovered or self._pressed else 0.0)
        painter.drawEllipse(QPointF(x, y), HANDLE + grown, HANDLE + grown)
        if self.focus_ring:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(style.color("accent"), 2.0))
            painter.drawEllipse(QPointF(min(max(x, HANDLE + 4), self.width() - HANDLE - 4), y), HANDLE + 3, HANDLE + 3)
        painter.end()

    # -- assistive tools -----------------------------------------------------------------------------------------

    def spoken_value(self) -> str:
        low, high = self.spoken.short(self.scale.lower), self.spoken.short(self.scale.upper)
        return f"{self.spoken.say(self.scale.from_track(self._value))}, {low} to {high}"

    def spoken_numbers(self) -> tuple[float, float, float, float]:
        now = self.scale.from_track(self._value)
        step = abs(self.scale.from_track(self._value + self.quantity.step) - now)
        return now, self.scale.lower, self.scale.upper, step

    def speak_set(self, value: float) -> None:
        self.edit_to(self.scale.to_track(value))


class SettingRow(QWidget):
    """A setting in one row: label, slider, number field. One edit is one gesture, by whichever of the two.

    Args:
        label: What is set.
        quantity: Unit, decimals and steps.
        scale: Where values stand on the slider.
        limits: Lowest and highest value that may be typed; None for the ends of the scale.
        label_width: Room for the label, [px].
        field_width: Room for the field, [px].
        parent: Parent widget.

    Signals:
        began(), changed(float), committed(float), cancelled(): The life of one edit.
        refused(str): Why what was typed cannot be.
        settled(): That what ``refused`` said no longer stands.
    """

    began = Signal()
    changed = Signal(float)
    committed = Signal(float)
    cancelled = Signal()
    refused = Signal(str)
    settled = Signal()

    def __init__(
        self,
        label: str,
        quantity: Quantity,
        scale: Scale,
        limits: tuple[float, float] | None = None,
        label_width: int = 92,
        field_width: int = 58,
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self.quantity, self.scale = quantity, scale
        self._value = scale.rest
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = row_layout(self, (6, 0, 2, 0), 2)
        self.label = quiet_label(label, self)
        self.label.setFixedWidth(label_width)
        self.slider = SettingSlider(quantity, scale, parent=self)
        self.field = NumberField(quantity, parent=self)
        self.field.setFixedWidth(field_width)
        self.field.set_limits(*(limits or (scale.lower, scale.upper)))
        self.field.set_value(scale.rest)
        for part in (self.slider, self.field):
            part.setAccessibleName(label)
            part.began.connect(self.began)
            part.committed.connect(lambda _: self.committed.emit(self._value))
            part.cancelled.connect(self._cancelled)
        self.slider.changed.connect(self._slid)
        self.field.changed.connect(self._typed)
        self.field.refused.connect(self.refused)
        self.field.settled.connect(self.settled)
        self._kept = scale.rest
        self.began.connect(self._keep)
        row.addWidget(self.label)
        row.addWidget(self.slider, 1)
        row.addWidget(self.field)

    @property
    def value(self) -> float:
        """The value."""
        return self._value

    @property
    def editing(self) -> bool:
        """Whether an edit is under way."""
        return self.slider.editing or self.field.editing

    def set_value(self, value: float) -> None:
        """Show a value; nothing is emitted, and an edit under way is not disturbed."""
        if not self.editing:
            self._value = value
            self.slider.set_value(self._place(value))
            self.field.set_value(value)

    def set_tip(self, tip: str) -> None:
        """Give all parts of the row a tooltip."""
        self.setToolTip(tip)

    def _place(self, value: float) -> float:
        return min(max(self.scale.to_track(value), self.slider._track[0]), self.slider._track[1])

    def _keep(self) -> None:
        self._kept = self._value

    def _slid(self, place: float) -> None:
        value = self.scale.from_track(place)
        self._value = min(max(value, self.scale.lower), self.scale.upper)
        self.field.set_value(self._value)
        self.changed.emit(self._value)

    def _typed(self, value: float) -> None:
        self._value = value
        self.slider.set_value(self._place(value))
        self.changed.emit(value)

    def _cancelled(self) -> None:
        self._value = self._kept
        self.slider.set_value(self._place(self._kept))
        self.field.set_value(self._kept)
        self.cancelled.emit()
