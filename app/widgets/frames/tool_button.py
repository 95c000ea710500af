"""Buttons of the toolbar, the title strips and the transport: an icon, a text, or both; flat, with an on state."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QAction, QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from app.look import fonts, icons, style
from app.look.theme import current_theme
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import ThemedMixin, draw_focus_ring, fill_round

LOOKS = ("flat", "raised", "primary", "field")


class ToolButton(ThemedMixin, QToolButton):
    """A button in the look of the editor.

    Works with ``setDefaultAction`` too: text, checked and enabled then come from the action; the icon stays the one
    named here, so that it always has the theme's colours.

    Args:
        icon: Name of the icon; "" for text only.
        text: Label; "" for icon only.
        tip: Tooltip, and accessible name of a button without text.
        look: ``"flat"`` (toolbar), ``"raised"`` (in a panel), ``"primary"`` (accent), ``"field"`` (opens a menu).
        checkable: Whether it stays on.
        size: ``(width, height)``; None takes 32x28 for an icon, or what the text needs.
        parent: Parent widget.
    """

    def __init__(
        self,
        icon: str = "",
        text: str = "",
        tip: str = "",
        look: str = "flat",
        checkable: bool = False,
        size: tuple[int, int] | None = None,
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        if look not in LOOKS:
            raise ValueError(f'look "{look}"; there are {", ".join(LOOKS)}')
        self.icon_name = icon
        self.label = text
        self.look = look
        self.key = ""
        self._size = size
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(text or tip)
        self.setCheckable(checkable)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(
            QSizePolicy.Policy.Fixed if not text else QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed
        )
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def set_action(self, action: QAction) -> None:
        """Let the button show and trigger an action, keeping its own icon and label."""
        self.setDefaultAction(action)
        self.setAccessibleName(self.label or action.text().replace("&", "").rstrip("…"))

    def set_icon(self, name: str) -> None:
        """Change the icon, for example from play to pause."""
        if name != self.icon_name:
            self.icon_name = name
            self.update()

    def set_label(self, text: str) -> None:
        """Change the text."""
        if text == self.label:
            return
        self.label = text
        self.setText(text)
        self.setAccessibleName(text or self.toolTip())
        self.updateGeometry()
        self.update()

    def set_key(self, key: str) -> None:
        """Show the key that does the same after the label, quieter."""
        self.key = key
        self.updateGeometry()
        self.update()

    def _key_width(self) -> float:
        return QFontMetricsF(self._font()).horizontalAdvance(self.key) + 7 if self.key and self.label else 0.0

    def _font(self) -> QFont:
        return fonts.font(fonts.BODY, fonts.MEDIUM)

    @guarded
    def sizeHint(self) -> QSize:
        if self._size is not None:
            return QSize(*self._size)
        if not self.label:
            return QSize(32, style.BUTTON_HEIGHT)
        wide = QFontMetricsF(self._font()).horizontalAdvance(self.label) + 2 * 12
        wide += icons.SIZE + 6 if self.icon_name else 0
        wide += 18 if self.look == "field" else 0
        wide += self._key_width()
        return QSize(round(wide), style.FIELD_HEIGHT if self.look == "field" else style.BUTTON_HEIGHT)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _colors(self) -> tuple[str | None, str | None, str]:
        """Return fill, border and ink tokens."""
        if self.look == "primary" and not self.isEnabled():
            return "panel", "line", "text3"
        if self.look == "primary":
            return "accent", None, "acc_ink"
        if self.isChecked():
            return "acc_bg", "acc_line", "accent"
        over = self.isEnabled() and (self.underMouse() or self.isDown())
        light = current_theme().name == "light"
        if self.look == "raised":
            return "hover" if over else "raised", "line" if light else None, "text"
        if self.look == "field":
            return "input", "line2" if over else "line", "text"
        return "hover" if over else None, None, "text" if over else "text2"

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.isEnabled():
            painter.setOpacity(0.6 if self.look == "primary" else 0.4)
        fill, line, ink = self._colors()
        box = QRectF(self.rect())
        if fill is not None:
            ground = style.color(fill)
            if self.look == "primary" and self.underMouse() and self.isEnabled():
                ground = style.mix("accent", "text", 0.12)
            fill_round(painter, box, ground, style.color(line) if line else None)
        painter.setFont(self._font())
        wide = painter.fontMetrics().horizontalAdvance(self.label) if self.label else 0
        total: float = wide + (icons.SIZE if self.icon_name else 0) + (6 if self.icon_name and self.label else 0)
        total += self._key_width()
        x: float = 10.0 if self.look == "field" else (box.width() - total) / 2
        if self.icon_name:
            size = min(icons.SIZE, box.height() - 4)
            spot = QRectF(round(x) + (icons.SIZE - size) / 2, round((box.height() - size) / 2), size, size)
            icons.paint(painter, self.icon_name, style.color(ink), spot)
            x += icons.SIZE + 6
        if self.label:
            painter.setPen(style.color(ink))
            painter.drawText(QRectF(x, 0, box.width() - x, box.height()), Qt.AlignmentFlag.AlignVCenter, self.label)
            if self.key:
                painter.setPen(style.mix(fill or "head", ink, 0.72))
                spot = QRectF(x + wide + 7, 0, box.width() - x - wide - 7, box.height())
                painter.drawText(spot, Qt.AlignmentFlag.AlignVCenter, self.key)
        if self.look == "field":
            icons.paint(
                painter, "chevron-down", style.color("text2"), QRectF(box.right() - 20, box.center().y() - 6, 12, 12)
            )
        if self.focus_ring:
            draw_focus_ring(painter, box, on_accent=fill == "accent")
        painter.end()


class MenuButton(ToolButton):
    """A field-like button that opens a menu, for example ``1.0×`` or ``Perspective``; set it with ``setMenu``."""

    def __init__(self, text: str, tip: str = "", parent: QWidget | None = None):
        super().__init__("", text, tip, "field", False, None, parent)
