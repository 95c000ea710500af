"""A button that shows a colour and lets one be chosen."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QColorDialog, QSizePolicy, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import draw_focus_ring, fill_round
from app.widgets.frames.menu import make_menu, pop_up
from app.widgets.frames.tool_button import ToolButton

Color = tuple[float, float, float]


class Swatch(ToolButton):
    """Holds a colour, or none for the theme's.

    Args:
        name: What has the colour, for assistive tools.
        parent: Parent widget.

    Signals:
        picked(object): Another colour was chosen: (r, g, b) in 0..1, or None.
    """

    picked = Signal(object)

    def __init__(self, name: str, parent: QWidget | None = None):
        super().__init__("", "", name, "field", size=(84, style.FIELD_HEIGHT), parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._value: Color | None = None
        self.clicked.connect(self._offer)

    def show_value(self, value: Color | None) -> None:
        """Show a colour."""
        self._value = value
        self.setAccessibleDescription("from the theme" if value is None else self._color().name())
        self.update()

    def _color(self) -> QColor:
        return style.color("body") if self._value is None else QColor.fromRgbF(*self._value)

    def _offer(self) -> None:
        items = [("Choose…", self._choose, ""), ("From the theme", lambda: self.picked.emit(None), "")]
        pop_up(make_menu(self, items), self.mapToGlobal(self.rect().bottomLeft()))

    def _choose(self) -> None:
        options = QColorDialog.ColorDialogOption.DontUseNativeDialog
        color = QColorDialog.getColor(self._color(), self, self.toolTip(), options)
        if color.isValid():
            self.picked.emit((round(color.redF(), 4), round(color.greenF(), 4), round(color.blueF(), 4)))

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        over = self.isEnabled() and self.underMouse()
        fill_round(painter, QRectF(self.rect()), style.color("input"), style.color("line2" if over else "line"))
        fill_round(painter, QRectF(6, 6, 20, self.height() - 12), self._color(), style.color("line2"), 2)
        painter.setFont(fonts.font(fonts.SECONDARY, fonts.MEDIUM))
        painter.setPen(style.color("text3" if self._value is None else "text"))
        text = "theme" if self._value is None else self._color().name()
        painter.drawText(QRectF(self.rect()).adjusted(32, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, text)
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.rect()))
        painter.end()
