"""Three numbers in a row, one along each axis."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.fields.number_field import NumberField
from app.widgets.layouts import row_layout
from app.words.quantity import Quantity

_LETTER = 9
_TOKENS = ("axis_x", "axis_y", "axis_z")


class VectorField(Painted):
    """Three number fields, each with its axis' letter.

    Args:
        name: What the vector is, for assistive tools.
        quantity: Unit, decimals and steps; the unit stands in the row's label, so give one without a sign.

    Signals:
        began(), committed(), cancelled(): The life of one edit, as of a ``ValueWidget``.
        changed(tuple): All three numbers as they are now.
        refused(str): What was typed makes no sense; says why.
    """

    began = Signal()
    changed = Signal(tuple)
    committed = Signal()
    cancelled = Signal()
    refused = Signal(str)

    def __init__(self, name: str, quantity: Quantity):
        super().__init__()
        self.fields = tuple(NumberField(quantity, compact=True, parent=self) for _ in range(3))
        row = row_layout(self, spacing=2)
        for letter, field in zip("xyz", self.fields, strict=True):
            row.addSpacing(_LETTER)
            row.addWidget(field, 1)
            field.setAccessibleName(f"{name} {letter}")
            field.setToolTip(f"{name} {letter}")
            field.began.connect(self.began)
            field.changed.connect(lambda _: self.changed.emit(self.value))
            field.committed.connect(lambda _: self.committed.emit())
            field.cancelled.connect(self.cancelled)
            field.refused.connect(self.refused)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def value(self) -> tuple[float, float, float]:
        """The three numbers."""
        x, y, z = (field.value for field in self.fields)
        return x, y, z

    @property
    def editing(self) -> bool:
        """Whether one of them is being edited."""
        return any(field.editing for field in self.fields)

    def show_value(self, values: Sequence[float]) -> None:
        """Show three numbers; one that is being edited stays."""
        for field, value in zip(self.fields, values, strict=True):
            if not field.editing:
                field.set_value(float(value))

    def set_limits(self, lower: float, upper: float) -> None:
        """Set the lowest and highest value of each."""
        for field in self.fields:
            field.set_limits(lower, upper)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(160, style.FIELD_HEIGHT)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(fonts.font(fonts.SECONDARY, fonts.MEDIUM))
        painter.setOpacity(1.0 if self.isEnabled() else 0.45)
        for letter, token, field in zip("xyz", _TOKENS, self.fields, strict=True):
            painter.setPen(style.color(token))
            box = QRectF(field.x() - _LETTER - 1, 0, _LETTER, self.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)
        painter.end()
