"""The segment bar: one choice of a few, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QSizePolicy, QWidget

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, ThemedMixin, draw_focus_ring, fill_round
from app.widgets.behaviour.own_keys import is_plain
from app.widgets.layouts import layout_of, row_layout

PADDING, TIGHT = 13, 6


class Segment(ThemedMixin, QAbstractButton):
    """One choice of a segment bar; made by the bar."""

    def __init__(self, key: str, label: str, bold: bool, icon: str | None, parent: QWidget):
        super().__init__(parent)
        self.key = key
        self.bold = bold
        self.icon_name = icon
        self.compact = False
        self.padding = PADDING
        self.setCheckable(True)
        self.setText(label)
        self.setAccessibleName(label)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def _font(self) -> QFont:
        return fonts.font(fonts.BODY, fonts.SEMIBOLD if self.bold else fonts.MEDIUM)

    def set_compact(self, compact: bool) -> None:
        """Show the icon alone, or text and icon as given."""
        if compact != self.compact:
            self.compact = compact
            self.updateGeometry()
            self.update()

    @property
    def _shown(self) -> tuple[str, str]:
        """Text and icon that are painted: a primary segment has one of them, the icon where there is little room."""
        if self.bold and self.icon_name:
            return ("", self.icon_name) if self.compact else (self.text(), "")
        return self.text(), self.icon_name or ""

    @guarded
    def sizeHint(self) -> QSize:
        from PySide6.QtGui import QFontMetricsF

        text, icon = self._shown
        wide = QFontMetricsF(self._font()).horizontalAdvance(text) if text else 0.0
        wide += (icons.SIZE + (6 if text else 0)) if icon else 0
        return QSize(round(wide) + 2 * self.padding, style.BUTTON_HEIGHT)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        inset = 2 if self.bold else 1
        box = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        ink = "text2"
        if self.isChecked():
            if self.bold:
                fill_round(painter, box, style.color("accent"), radius=3)
                ink = "acc_ink"
            else:
                fill_round(painter, box, style.color("acc_bg"), style.color("acc_line"))
                ink = "accent"
        elif self.underMouse() and self.isEnabled():
            fill_round(painter, box, style.color("hover"), radius=3)
            ink = "text"
        if not self.isEnabled():
            painter.setOpacity(0.45)
        left, (text, icon) = 0.0, self._shown
        if icon:
            left = self.padding if text else (self.width() - icons.SIZE) / 2
            icons.paint(painter, icon, style.color(ink), QRectF(left, (self.height() - 16) / 2, 16, 16))
            left += icons.SIZE + 6
        painter.setFont(self._font())
        painter.setPen(style.color(ink))
        area = QRectF(left, 0, self.width() - left - (self.padding if left else 0), self.height())
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
        if self.focus_ring:
            draw_focus_ring(painter, box, on_accent=self.bold and self.isChecked())
        painter.end()


class SegmentBar(Painted):
    """One choice of a few, for example Part, Limb, Up to, Body.

    A click or the arrow keys choose; Tab reaches the chosen segment only. ``chosen`` is emitted for choices by hand.

    Args:
        choices: ``(key, label)`` or ``(key, label, icon)`` each.
        primary: The strong look (accent fill, equal widths) for a mode of the whole window.
        name: What is chosen, for assistive tools.
        parent: Parent widget.
    """

    chosen = Signal(str)

    def __init__(
        self, choices: Sequence[tuple[str, ...]], primary: bool = False, name: str = "", parent: QWidget | None = None
    ):
        super().__init__(parent)
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self._segments: dict[str, Segment] = {}
        layout = row_layout(self)
        for key, label, *icon in choices:
            segment = Segment(key, label, primary, icon[0] if icon else None, self)
            segment.setAccessibleDescription(name)
            segment.installEventFilter(self)
            self._group.addButton(segment)
            self._segments[key] = segment
            layout.addWidget(segment)
            segment.clicked.connect(lambda _=False, key=key: self.chosen.emit(key))
        self._primary = primary
        self._even()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        if choices:
            self.set_current(choices[0][0])

    def _even(self) -> None:
        if self._primary:
            widest = max((segment.sizeHint().width() for segment in self._segments.values()), default=0)
            for segment in self._segments.values():
                segment.setMinimumWidth(widest + 1)

    def set_compact(self, compact: bool) -> None:
        """Show the segments' icons in place of their texts where there is little room; all must have one."""
        for segment in self._segments.values():
            segment.set_compact(compact)
        self._even()
        layout_of(self).invalidate()  # at once: whoever asked wants to know what that saves
        self.updateGeometry()

    def set_tight(self, tight: bool) -> None:
        """Set the texts closer to each other, for little room."""
        for segment in self._segments.values():
            segment.padding = TIGHT if tight else PADDING
            segment.updateGeometry()
        self._even()
        layout_of(self).invalidate()
        self.updateGeometry()

    @property
    def current(self) -> str:
        """Key of the chosen segment."""
        return next((key for key, segment in self._segments.items() if segment.isChecked()), "")

    def set_current(self, key: str) -> None:
        """Choose a segment; nothing is emitted.

        Raises:
            KeyError: If there is no such choice.
        """
        self._segments[key].setChecked(True)
        for each in self._segments.values():
            each.setFocusPolicy(Qt.FocusPolicy.StrongFocus if each.isChecked() else Qt.FocusPolicy.ClickFocus)

    def set_label(self, key: str, label: str) -> None:
        """Change a segment's text, for example ``Up to: Chest``."""
        segment = self._segments[key]
        segment.setText(label)
        segment.setAccessibleName(label)
        segment.updateGeometry()
        layout_of(self).invalidate()  # at once, as in set_compact
        self.updateGeometry()

    def segment(self, key: str) -> Segment:
        """Return the button of a choice, to give it a tooltip or a menu."""
        return self._segments[key]

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill_round(painter, QRectF(self.rect()), style.color("input"))
        painter.end()

    @guarded
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}
        if isinstance(event, QKeyEvent) and event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            if event.key() in steps and is_plain(event):
                if event.type() == QEvent.Type.KeyPress:
                    self._step(steps[Qt.Key(event.key())])
                event.accept()
                return True
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonPress:
            for key, segment in self._segments.items():
                if segment is watched and event.button() == Qt.MouseButton.LeftButton and not segment.isChecked():
                    self.set_current(key)
        return False

    def _step(self, direction: int) -> None:
        keys = [key for key, segment in self._segments.items() if segment.isEnabled()]
        if not keys:
            return
        at = keys.index(self.current) if self.current in keys else 0
        key = keys[(at + direction) % len(keys)]
        if key != self.current:
            self.set_current(key)
            self._segments[key].setFocus(Qt.FocusReason.OtherFocusReason)
            self.chosen.emit(key)
