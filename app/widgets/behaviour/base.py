"""What all painted widgets share: the theme's colours, the focus ring, and repainting when the theme changes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.look import style
from app.process.handler_guard import guarded

_BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
    Qt.FocusReason.OtherFocusReason,
)


class ThemedMixin:
    """Mix into a ``QWidget``: focus ring for the keyboard only, ``theme_changed`` when the colours change."""

    focus_ring = False

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        self.focus_ring = event.reason() in _BY_KEYBOARD
        super().focusInEvent(event)  # type: ignore[misc]
        self.update()  # type: ignore[attr-defined]

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.focus_ring = False
        super().focusOutEvent(event)  # type: ignore[misc]
        self.update()  # type: ignore[attr-defined]

    @guarded
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)  # type: ignore[misc]
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self.theme_changed()
            self.update()  # type: ignore[attr-defined]
        elif event.type() == QEvent.Type.EnabledChange:
            self.update()  # type: ignore[attr-defined]

    def theme_changed(self) -> None:
        """Throw away what was made in the old colours."""


class Painted(ThemedMixin, QWidget):
    """A plain widget that paints itself."""


class Filled(Painted):
    """A widget on a ground of one colour of the theme.

    Attributes:
        ground: Name of the colour.
    """

    ground = "panel"

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), style.color(self.ground))
        painter.end()


def fill_round(
    painter: QPainter,
    box: QRectF,
    fill: QColor | None,
    line: QColor | None = None,
    radius: float = style.RADIUS,
    width: float = 1.0,
) -> None:
    """Draw a rounded box whose border lies inside ``box``."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(line, width) if line is not None else Qt.PenStyle.NoPen)
    painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
    inset = width / 2 if line is not None else 0.0
    painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), radius - inset, radius - inset)


def draw_focus_ring(painter: QPainter, box: QRectF, radius: float = style.RADIUS, on_accent: bool = False) -> None:
    """Draw the 2 px accent ring just inside ``box``; inside what is accent itself in the ink that is read there."""
    if on_accent:
        fill_round(painter, box.adjusted(2, 2, -2, -2), None, style.color("acc_ink"), max(radius - 1.5, 0.0), 2.0)
    else:
        fill_round(painter, box, None, style.color("accent"), radius, 2.0)
