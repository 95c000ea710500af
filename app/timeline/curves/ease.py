"""The editor of eases: a curve of time and progress with two handles, and presets beside it."""

from __future__ import annotations

import math

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QHBoxLayout, QWidget

from app.look import fonts, style
from app.process.handler_guard import guarded
from app.timeline.curves.actions import CurveActions, titled
from app.widgets.behaviour.base import Painted, ThemedMixin, draw_focus_ring, fill_round
from app.widgets.frames.popover import Popover
from app.words.ease_words import ease_name
from core.animation.shape import EASES, Ease

EVEN = (0.25, 0.25, 0.75, 0.75)
"""Where the handles stand while the span runs evenly."""
LOWEST, HIGHEST = -0.7, 1.7  # ways that the picture shows
REACH = 12.0
STEP = 0.01
ARROWS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
GAP = 4  # between the window and its button, px


def ease_path(numbers: tuple[float, float, float, float], box: QRectF, low: float, high: float) -> QPainterPath:
    """Return the curve of an ease in a box whose lower edge is the progress ``low``."""

    def place(x: float, y: float) -> QPointF:
        return QPointF(box.left() + x * box.width(), box.bottom() - (y - low) / (high - low) * box.height())

    path = QPainterPath(place(0.0, 0.0))
    x1, y1, x2, y2 = numbers
    path.cubicTo(place(x1, y1), place(x2, y2), place(1.0, 1.0))
    return path


class EaseCanvas(Painted):
    """The curve of an ease; its two handles are dragged, or moved by the arrow keys (Space takes the other one).

    Signals:
        began(): A drag has begun.
        changed(object): The handles are elsewhere: an ``Ease``.
        ended(bool): The drag has ended, and whether it is kept.
    """

    began = Signal()
    changed = Signal(object)
    ended = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.numbers: tuple[float, float, float, float] = EVEN
        self.active = 0
        self._dragging = False
        self._before = EVEN
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Ease curve")
        self.setFixedSize(184, 184)

    def show_ease(self, ease: Ease | None) -> None:
        """Show an ease."""
        self.numbers = EVEN if ease is None else ease.numbers
        x1, y1, x2, y2 = self.numbers
        self.setAccessibleDescription(f"First handle {x1:.2f}, {y1:.2f}; second handle {x2:.2f}, {y2:.2f}")
        self.update()

    @property
    def _box(self) -> QRectF:
        return QRectF(self.rect()).adjusted(16, 4, -16, -4)

    def _place(self, x: float, y: float) -> QPointF:
        box = self._box
        progress = (y - LOWEST) / (HIGHEST - LOWEST)
        return QPointF(box.left() + x * box.width(), box.bottom() - progress * box.height())

    def handle(self, i: int) -> QPointF:
        """Return where a handle is, 0 or 1."""
        return self._place(*self.numbers[2 * i : 2 * i + 2])

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill_round(painter, QRectF(self.rect()), style.color("input"))
        start, end = self._place(0, 0), self._place(1, 1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for y in (start.y(), end.y()):
            painter.fillRect(QRectF(6, round(y), self.width() - 12, 1), style.color("line2"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(style.color("line2"), 1.0, Qt.PenStyle.DashLine))
        painter.drawLine(start, end)
        painter.setPen(QPen(style.color("text3"), 1.2))
        painter.drawLine(start, self.handle(0))
        painter.drawLine(end, self.handle(1))
        painter.setPen(QPen(style.color("accent"), 2.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(ease_path(self.numbers, self._box, LOWEST, HIGHEST))
        for i in (0, 1):
            hot = i == self.active and (self._dragging or self.focus_ring)
            painter.setPen(QPen(style.color("accent" if hot else "text"), 1.6))
            painter.setBrush(style.color("accent" if hot else "input"))
            painter.drawEllipse(self.handle(i), 5.0, 5.0)
        painter.setFont(fonts.font(fonts.SMALL))
        painter.setPen(style.color("text3"))
        painter.drawText(QRectF(self.rect()).adjusted(8, 0, -8, -4), Qt.AlignmentFlag.AlignBottom, "time →")
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.rect()))
        painter.end()

    def _put(self, x: float, y: float) -> None:
        numbers = list(self.numbers)
        numbers[2 * self.active : 2 * self.active + 2] = (
            round(min(max(x, 0.0), 1.0), 3), round(min(max(y, LOWEST), HIGHEST), 3),
        )  # fmt: skip
        ease = Ease(*numbers)
        self.show_ease(ease)
        self.changed.emit(ease)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        offs = [self.handle(i) - event.position() for i in (0, 1)]
        far = [math.hypot(off.x(), off.y()) for off in offs]
        self.active = 0 if far[0] <= far[1] else 1
        if far[self.active] > REACH:
            return
        self._dragging, self._before = True, self.numbers
        self.began.emit()
        self.update()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            box = self._box
            x = (event.position().x() - box.left()) / box.width()
            y = LOWEST + (box.bottom() - event.position().y()) / box.height() * (HIGHEST - LOWEST)
            for place in (0.0, 1.0):  # a way that stands still at an end, or none, is what one mostly wants
                y = place if abs(y - place) < 0.04 else y
            self._put(x, y)
        else:
            near = min((self.handle(i) - event.position()).manhattanLength() for i in (0, 1))
            self.setCursor(Qt.CursorShape.SizeAllCursor if near <= REACH else Qt.CursorShape.ArrowCursor)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._dragging = False
            self.ended.emit(True)
            self.update()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self._dragging:
            self._dragging = False
            self.ended.emit(False)
            self.numbers = self._before
            self.update()
        elif event.key() == Qt.Key.Key_Space:
            self.active = 1 - self.active
            self.update()
        elif event.key() in ARROWS:
            x, y = self.numbers[2 * self.active : 2 * self.active + 2]
            factor = 10.0 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1.0
            along, up = ARROWS[Qt.Key(event.key())]
            self.began.emit()
            self._put(x + along * STEP * factor, y + up * STEP * factor)
            self.ended.emit(True)
        else:
            super().keyPressEvent(event)


class EasePreset(ThemedMixin, QAbstractButton):
    """A preset: its curve over its name.

    Args:
        name: The preset.
    """

    def __init__(self, name: str):
        super().__init__()
        self.name = name
        self.setCheckable(True)
        self.setText(titled(ease_name(name)))
        self.setAccessibleName(f"Ease: {ease_name(name)}")
        self.setToolTip(titled(ease_name(name)))
        self.setFixedSize(82, 44)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(82, 44)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box, on = QRectF(self.rect()), self.isChecked()
        ground = "acc_bg" if on else "hover" if self.underMouse() else "input"
        fill_round(painter, box, style.color(ground), style.color("acc_line") if on else None)
        ease = EASES[self.name]
        painter.setPen(QPen(style.color("accent" if on else "text2"), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        numbers = EVEN if ease is None else ease.numbers
        painter.drawPath(ease_path(numbers, QRectF(box.center().x() - 15, 5, 30, 21), -0.2, 1.2))
        painter.setFont(fonts.font(fonts.SMALL))
        painter.setPen(style.color("accent" if on else "text2"))
        painter.drawText(box.adjusted(0, 27, 0, -2), Qt.AlignmentFlag.AlignCenter, self.text())
        if self.focus_ring:
            draw_focus_ring(painter, box)
        painter.end()


class EasePopover(Popover):
    """A small window that edits the ease of the spans after the selected keys.

    Args:
        actions: What can be done with them.
        parent: Parent widget.
    """

    def __init__(self, actions: CurveActions, parent: QWidget | None = None):
        super().__init__("Ease", parent=parent)
        self.actions_of_keys = actions
        row = QHBoxLayout()
        row.setSpacing(8)
        self.column.addLayout(row)
        self.canvas = EaseCanvas()
        row.addWidget(self.canvas)
        grid = QGridLayout()
        grid.setSpacing(3)
        row.addLayout(grid)
        self.presets = {name: EasePreset(name) for name in EASES}
        for i, (name, button) in enumerate(self.presets.items()):
            grid.addWidget(button, i // 2, i % 2)
            button.clicked.connect(lambda _=False, name=name: self._preset(name))
        self.canvas.began.connect(lambda: actions.begin("Set ease"))
        self.canvas.changed.connect(actions.show_ease)
        self.canvas.ended.connect(self._ended)

    def _ended(self, keep: bool) -> None:
        self.actions_of_keys.end(keep)
        self.show_keys()

    def _preset(self, name: str) -> None:
        self.actions_of_keys.set_ease(name)
        self.show_keys()

    def show_keys(self) -> None:
        """Show the ease of the key that was selected last."""
        model = self.actions_of_keys.model
        shape = None if model.primary is None else model.shape(model.primary)
        ease = None if shape is None else shape.ease
        self.canvas.show_ease(ease)
        for name, button in self.presets.items():
            button.setChecked(EASES[name] == ease)

    def open_over(self, button: QWidget) -> None:
        """Open over a button, moved so that all of it is seen."""
        self.show_keys()
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(0, 0))
        right, under = corner.x() + button.width(), corner.y() + button.height()
        self.place_over(right - self.width(), corner.y() - GAP, under + GAP)
        self.show()
        self.canvas.setFocus(Qt.FocusReason.PopupFocusReason)
