"""A number field for a limit that may be missing."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from app.look import style
from app.process.handler_guard import guarded
from app.widgets.fields.number_field import NumberField
from app.words.quantity import Quantity
from core.errors import ExpressionError

NO_LIMIT = "no limit"
_NONE_WORDS = ("", "no", "none", "no limit", "inf", "-inf", "∞", "-∞", "−∞", "-")


class LimitField(NumberField):
    """Holds a limit; infinity is shown as ``no limit``, and typed as that or as nothing.

    Dragging or stepping a missing limit begins at ``first``.

    Args:
        side: -1 for a lower limit, 1 for an upper one.
        first: Where a limit that was missing begins.
        quantity: Unit and steps.
        parent: Parent widget.
        none: What it shows while there is none.
    """

    def __init__(
        self, side: int, first: float, quantity: Quantity, parent: QWidget | None = None, none: str = NO_LIMIT
    ):
        super().__init__(quantity, compact=True, parent=parent)
        self.side = side
        self.first = first
        self.none = none
        self.set_value(side * math.inf)

    def shown_text(self) -> str:
        """Return the text that the field shows."""
        return super().shown_text() if math.isfinite(self.value) else self.none

    def spoken_value(self) -> str:
        return super().spoken_value() if math.isfinite(self.value) else self.none

    def _paint_text(self, painter: QPainter, box: QRectF, ink: str) -> None:
        if math.isfinite(self.value) or not self.isEnabled():
            super()._paint_text(painter, box, ink)
            return
        painter.setFont(self._font())
        painter.setPen(style.color("text3"))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self.none)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        if not math.isfinite(self._ghost):
            self._ghost = self.first

    def _step(self, direction: int, modifiers: Qt.KeyboardModifier) -> None:
        if math.isfinite(self.value):
            super()._step(direction, modifiers)
        else:
            self.move_to(self.first)

    def open_editor(self, text: str | None = None, back: QWidget | None = None) -> None:
        """Open the field for typing; a missing limit opens empty."""
        super().open_editor("" if text is None and not math.isfinite(self.value) else text, back)
        if self._editor is not None:
            self._editor.setPlaceholderText(self.none)

    def finish_editing(self) -> bool:
        """Take over what was typed, as one edit; words such as ``none`` take the limit away."""
        assert self._editor is not None
        if self._editor.text().strip().casefold() in (*_NONE_WORDS, self.none):
            self._close_editor()
            self.edit_to(self.side * math.inf)
            return True
        if not math.isfinite(self.value):
            try:  # there is no number yet that "+5" could be added to
                value = self.quantity.read(self._editor.text())
            except ExpressionError:
                return super().finish_editing()
            self._close_editor()
            self.edit_to(value)
            return True
        return super().finish_editing()
