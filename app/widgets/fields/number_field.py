"""The number field: drag it sideways, click to type, arithmetic and units welcome."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from app.look import fonts, style
from app.look.theme import current_theme
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import draw_focus_ring, fill_round
from app.widgets.behaviour.gesture import ValueWidget, step_factor
from app.widgets.behaviour.home import home_of
from app.widgets.behaviour.own_keys import is_for_program
from app.words.quantity import NUMBER, Quantity
from core.errors import ExpressionError

DEAD_ZONE = 4
PIXELS_A_STEP = 2.0
WARN_MS = 600
COMPACT_HEIGHT = 19
_STAYING = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)  # who types comes back
_EMPTYING = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, *_EMPTYING)


class NumberField(ValueWidget):
    """A field that holds one number.

    Dragging sideways changes it after a dead zone of 4 px, one step per 2 px (Ctrl a tenth, Shift ten times). A click
    opens it for typing; Enter commits, Esc restores, Up and Down step. After a click both give the keyboard back to
    where the window has it; F2 and similar keys commit and do what they always do. Values out of range are clamped, the
    border turns to the warning colour for 600 ms and ``refused`` says which range holds, after the edit itself is done.
    ``settled`` says that what ``refused`` said of typed text no longer stands: it was put right or given up.

    Args:
        quantity: Unit, decimals, steps, units that may be typed.
        compact: Painted 19 px high, for joint rows; else 24.
        parent: Parent widget.
    """

    refused = Signal(str)
    settled = Signal()
    menu_wanted = Signal(object)
    ROLE = QAccessible.Role.SpinBox

    def __init__(self, quantity: Quantity = NUMBER, compact: bool = False, parent: QWidget | None = None):
        super().__init__(quantity, parent)
        self._compact = compact
        self._at_limit = False
        self._why = ""
        self._warned = False
        self._complained = False  # ``refused`` has named typed text that is still in the editor
        self._refused = ""  # that text
        self._beyond = ""  # why the last value was clamped; said when the edit is done
        self._editor: QLineEdit | None = None
        self._clicked = False  # the editor was opened by the mouse
        self._back: QWidget | None = None  # what gets the keyboard after typing, if something asked for that
        self._press_x: float | None = None
        self._last_x = 0.0
        self._ghost = 0.0
        self._held = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WARN_MS)
        self._timer.timeout.connect(self._calm)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(46 if self._compact else 54, style.FIELD_HEIGHT)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(36, style.FIELD_HEIGHT)

    @property
    def limits(self) -> tuple[float, float]:
        """Lowest and highest value."""
        return self._lower, self._upper

    def set_limits(self, lower: float, upper: float, why: str = "") -> None:
        """Set the lowest and highest value; infinities for none.

        Args:
            lower: The lowest.
            upper: The highest.
            why: What else is said to who wants to go beyond, after the range.
        """
        self._lower, self._upper, self._why = lower, upper, why

    def set_at_limit(self, at_limit: bool) -> None:
        """Show the value as standing at a limit: text and border in the warning colour."""
        if at_limit != self._at_limit:
            self._at_limit = at_limit
            self.update()

    @property
    def typing(self) -> bool:
        """Whether the field is open for typing."""
        return self._editor is not None and not self._editor.isHidden()

    @property
    def warned(self) -> bool:
        """Whether the border warns that something was refused or clamped."""
        return self._warned

    def shown_text(self) -> str:
        """Return the text that the field shows: number and unit."""
        return self.quantity.text(self._value)

    def _font(self) -> QFont:
        small = fonts.font(fonts.SECONDARY, fonts.MEDIUM, tabular=True)
        return small if self._compact else fonts.font(fonts.BODY, tabular=True)

    # -- painting ------------------------------------------------------------------------------------------------

    def _box(self) -> QRectF:
        high = COMPACT_HEIGHT if self._compact else style.FIELD_HEIGHT
        return QRectF(0, (self.height() - high) // 2, self.width(), high)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._ground is not None:
            painter.fillRect(self.rect(), self._ground)
        warn = self._at_limit or self._warned
        box = self._box()
        over = self.underMouse() and self.isEnabled()
        line = style.color("warn" if warn else "line2" if over else "line")
        fill_round(painter, box, style.color("input" if self.isEnabled() else "panel"), line)
        if not self.typing:
            self._paint_text(painter, box.adjusted(3, 0, -5, 0), "warn" if warn else "text")
        if self.focus_ring:
            draw_focus_ring(painter, box)
        painter.end()

    def _paint_text(self, painter: QPainter, box: QRectF, ink: str) -> None:
        if not self.isEnabled():
            ink = "text3"
        painter.setFont(self._font())
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        text, suffix = self.quantity.number(self._value), self.quantity.suffix
        if not self.isEnabled():
            text, suffix, ink = "–", "", "text3"
        metrics = painter.fontMetrics()
        if suffix.startswith(" "):
            painter.setPen(style.color("text3"))
            painter.drawText(box, right, suffix)
            box = box.adjusted(0, 0, -metrics.horizontalAdvance(suffix), 0)
        else:
            text += suffix
        decimals = self.quantity.decimals
        while decimals > 0 and metrics.horizontalAdvance(text) > box.width() + 1:  # a long number loses decimals first
            decimals -= 1
            text = self.quantity.number(self._value, decimals) + ("" if suffix.startswith(" ") else suffix)
        painter.setPen(style.color(ink))
        painter.drawText(box, right, text)

    # -- warning -------------------------------------------------------------------------------------------------

    def _warn(self, why: str) -> None:
        self._warned = True
        self._timer.start()
        if self._editor is not None:
            self._dress_editor()
        self.update()
        self.refused.emit(why)

    def _calm(self) -> None:
        self._warned = False
        if self._editor is not None:
            self._dress_editor()
        self.update()

    def move_to(self, value: float) -> None:
        self._beyond = "" if self._lower <= value <= self._upper else self._range_words()
        super().move_to(value)
        if self._beyond and self.held:
            self._warn(self._beyond)

    def commit(self) -> None:
        super().commit()
        why, self._beyond = self._beyond, ""
        if why:  # not earlier: the edit itself takes messages away
            self._warn(why)

    def cancel(self) -> None:
        self._beyond = ""
        super().cancel()

    @property
    def held(self) -> bool:
        """Whether mouse or key hold an edit open."""
        return self._press_x is not None or self._held

    def _range_words(self) -> str:
        span = f"{self.accessibleName() or 'The value'} can be {self.quantity.span(self._lower, self._upper)}"
        return f"{span} {self._why}" if self._why else span

    # -- mouse and wheel -----------------------------------------------------------------------------------------

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self.commit()
        self._press_x = self._last_x = event.position().x()
        self._ghost = self._value

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._press_x is None:
            return
        x = event.position().x()
        if not self.editing:
            if abs(x - self._press_x) < DEAD_ZONE:
                return
            self.begin()
            self._last_x = self._press_x + (DEAD_ZONE if x > self._press_x else -DEAD_ZONE)
        self._ghost += (x - self._last_x) / PIXELS_A_STEP * self.quantity.step * self._scale(event.modifiers())
        self._last_x = x
        self.move_to(round(self._ghost) if self.quantity.whole else self._ghost)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._press_x is None:
            return
        self._press_x = None
        if self.editing:
            self.commit()
        elif self.rect().contains(event.position().toPoint()):
            self.open_editor()
            self._clicked = self.typing

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus() or self._press_x is not None:
            event.ignore()
            return
        notches = event.angleDelta().y() / 120.0
        if notches:
            self.edit_to(self._value + notches * self.quantity.step * self._scale(event.modifiers()))
        event.accept()

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(event.globalPos())

    def _scale(self, modifiers: Qt.KeyboardModifier) -> float:
        return step_factor(modifiers, fine=not self.quantity.whole)

    # -- keyboard ------------------------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        key, text = event.key(), event.text()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return not event.modifiers() & Qt.KeyboardModifier.AltModifier
        if key in _OPENING:
            return not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key == Qt.Key.Key_Escape:
            return self.editing
        held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        typed = not event.modifiers() & held and bool(text) and text in "0123456789.,+-−*/("
        return typed or (key == Qt.Key.Key_A and event.modifiers() == Qt.KeyboardModifier.ControlModifier)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.takes(event):
            event.ignore()
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            if self._press_x is None:
                self.begin()
                self._held = True
                self._step(1 if event.key() == Qt.Key.Key_Up else -1, event.modifiers())
        elif event.key() == Qt.Key.Key_Escape:
            self._press_x = None
            self.cancel()
        elif event.text() and event.text() in "0123456789.,+-−*/(":
            self.open_editor(event.text())
        else:
            self.open_editor("" if event.key() in _EMPTYING else None)

    @guarded
    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if self._held and not event.isAutoRepeat() and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._held = False
            self.commit()
        else:
            event.ignore()

    def _step(self, direction: int, modifiers: Qt.KeyboardModifier) -> None:
        self.move_to(self._value + direction * self.quantity.step * self._scale(modifiers))

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        if self._held:
            self._held = False
            self.commit()
        super().focusOutEvent(event)

    # -- typing --------------------------------------------------------------------------------------------------

    def open_editor(self, text: str | None = None, back: QWidget | None = None) -> None:
        """Open the field for typing.

        Args:
            text: Replaces the value; None shows the value, selected.
            back: What gets the keyboard when that is done; None keeps it here.
        """
        if not self.isEnabled():
            return
        self._back = back
        if self._editor is None:
            self._editor = QLineEdit(self)
            self._editor.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._editor.installEventFilter(self)
            self._editor.setMaxLength(120)
            self._editor.setContextMenuPolicy(Qt.ContextMenuPolicy.DefaultContextMenu)
        self._editor.setAccessibleName(self.accessibleName())
        self._editor.setFont(self._font())
        self._editor.setGeometry(self._box().toRect())
        self._dress_editor()
        if text is None:
            self._editor.setText(self.quantity.number(self._value))
            self._editor.selectAll()
        else:
            self._editor.setText(text)
        self._editor.show()
        self._editor.setFocus(Qt.FocusReason.OtherFocusReason)
        if text is not None:
            self._editor.end(False)
        self.update()

    def _dress_editor(self) -> None:
        assert self._editor is not None
        theme, high = current_theme(), int(self._box().height()) - 2
        edge = theme.warn if self._warned else theme.accent
        self._editor.setStyleSheet(
            f"QLineEdit {{ background: {theme.input}; color: {theme.text}; border-radius: 4px; padding: 0 3px;"
            f" border: 1px solid {edge}; min-height: {high}px; max-height: {high}px; }}"
        )

    def finish_editing(self) -> bool:
        """Take over what was typed, as one edit; False (and the editor stays open) if it is no number.

        What is left as it was after it had been refused is given up: the field shows its value again.
        """
        assert self._editor is not None
        text = self._editor.text()
        try:
            value = self.quantity.read(text, self._value)
        except ExpressionError as error:
            if self._complained and text == self._refused:
                self._close_editor()
                return True
            self._refused = text
            self._warn(f"{self.accessibleName() or 'Number'}: {error}")
            self._complained = True
            self._editor.selectAll()
            return False
        unchanged = self._editor.text() == self.quantity.number(self._value)  # do not round by opening and closing
        self._close_editor()
        if not unchanged:
            self.edit_to(value)
        return True

    def _close_editor(self) -> None:
        assert self._editor is not None
        had_focus, clicked, back = self._editor.hasFocus(), self._clicked, self._back
        self._clicked, self._back = False, None
        self._editor.hide()
        if self._complained:
            self._complained = False
            self._timer.stop()
            self._calm()
            self.settled.emit()
        if had_focus:
            home = back or (home_of(self) if clicked else None)  # who came by Tab goes on from here
            (home or self).setFocus(Qt.FocusReason.OtherFocusReason if home is None else Qt.FocusReason.NoFocusReason)
        self.update()

    @guarded
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if watched is not self._editor or self._editor is None or not self.typing:
            return False
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            if is_for_program(event) and self.finish_editing():
                return False
            event.accept()  # every other key belongs to the text while typing
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.finish_editing()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self._close_editor()
                return True
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                self._step_typed(1 if event.key() == Qt.Key.Key_Up else -1, event.modifiers())
                return True
            if event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab) and not self.finish_editing():
                return True
        if isinstance(event, QFocusEvent) and event.lostFocus() and event.reason() not in _STAYING:
            if not self.finish_editing():
                self._close_editor()
        return False

    def _step_typed(self, direction: int, modifiers: Qt.KeyboardModifier) -> None:
        clicked = self._clicked
        self._clicked = False  # the keyboard stays
        if self.finish_editing():
            self.edit_to(self._value + direction * self.quantity.step * self._scale(modifiers))
            self.open_editor()
        self._clicked = clicked
