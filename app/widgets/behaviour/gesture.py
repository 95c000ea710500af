"""The life of one edit by hand: it begins, changes many times, and is committed or cancelled."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QColor
from PySide6.QtWidgets import QWidget

from app.widgets.behaviour.accessible import announce
from app.widgets.behaviour.base import Painted
from app.widgets.behaviour.own_keys import OwnKeysMixin
from app.words.quantity import NUMBER, Quantity

FINE, COARSE = 0.1, 10.0


def step_factor(modifiers: Qt.KeyboardModifier, fine: bool = True) -> float:
    """Return how far a step goes: with Ctrl a tenth, if there are such ``fine`` steps, with Shift ten times."""
    if fine and modifiers & Qt.KeyboardModifier.ControlModifier:
        return FINE
    return COARSE if modifiers & Qt.KeyboardModifier.ShiftModifier else 1.0


class ValueWidget(OwnKeysMixin, Painted):
    """A widget that holds one number and edits it in gestures.

    Every edit, by mouse, wheel, key or typing, is ``began``, ``changed`` once or more, then ``committed`` or
    ``cancelled``; so the owner can make each one undo step. ``set_value`` from outside emits nothing.

    Attributes:
        quantity: Unit, decimals and steps; all values are in its unit.
    """

    began = Signal()
    changed = Signal(float)
    committed = Signal(float)
    cancelled = Signal()
    ROLE = QAccessible.Role.Slider

    def __init__(self, quantity: Quantity = NUMBER, parent: QWidget | None = None):
        super().__init__(parent)
        self.quantity = quantity
        self._value = 0.0
        self._lower, self._upper = -float("inf"), float("inf")
        self._before: float | None = None
        self._ground: QColor | None = None

    def set_ground(self, ground: QColor) -> None:
        """Paint on an opaque ground of this colour, which spares repainting what lies behind."""
        if ground != self._ground:
            self._ground = QColor(ground)
            self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
            self.theme_changed()
            self.update()

    @property
    def value(self) -> float:
        """The value, in the quantity's unit."""
        return self._value

    @property
    def editing(self) -> bool:
        """Whether a gesture is open."""
        return self._before is not None

    def set_value(self, value: float) -> None:
        """Show a value; nothing is emitted."""
        if value != self._value:
            self._value = value
            self.update()

    def begin(self) -> None:
        """Open a gesture, unless one is open."""
        if self._before is None:
            self._before = self._value
            self.began.emit()

    def move_to(self, value: float) -> None:
        """Set the value inside the open gesture, clamped into the limits."""
        value = min(max(value, self._lower), self._upper)
        if value != self._value:
            self._value = value
            self.update()
            self.changed.emit(value)
            announce(self)

    def commit(self) -> None:
        """End the open gesture; one that changed nothing is cancelled instead."""
        if self._before is None:
            return
        changed = self._value != self._before
        self._before = None
        if changed:
            self.committed.emit(self._value)
        else:
            self.cancelled.emit()

    def cancel(self) -> None:
        """Give up the open gesture and show the value from before."""
        if self._before is None:
            return
        before, self._before = self._before, None
        self._value = before
        self.update()
        self.cancelled.emit()

    def edit_to(self, value: float) -> None:
        """Set the value as one whole edit."""
        self.begin()
        self.move_to(value)
        self.commit()

    # -- assistive tools -----------------------------------------------------------------------------------------

    def spoken_role(self) -> QAccessible.Role:
        return self.ROLE

    def spoken_value(self) -> str:
        words = self.quantity.say(self._value)
        if abs(self._lower) != float("inf") and abs(self._upper) != float("inf"):
            words += f", {self.quantity.short(self._lower)} to {self.quantity.short(self._upper)}"
        return words

    def spoken_numbers(self) -> tuple[float, float, float, float]:
        return self._value, self._lower, self._upper, self.quantity.step

    def speak_set(self, value: float) -> None:
        self.edit_to(value)
