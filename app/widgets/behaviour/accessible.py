"""What assistive tools hear about a widget that holds one number: its name, value, limits, and the value in words."""

from __future__ import annotations

import weakref
from typing import Any, Protocol, runtime_checkable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface, QAccessibleValueChangeEvent, QAccessibleValueInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

from app.process.handler_guard import guarded


@runtime_checkable
class SpeaksValue(Protocol):
    """A widget with one number; the four methods below are all that is needed to announce it."""

    def spoken_role(self) -> QAccessible.Role:
        """Return what the widget is."""

    def spoken_value(self) -> str:
        """Return the value in words, with its unit and limits."""

    def spoken_numbers(self) -> tuple[float, float, float, float]:
        """Return value, lowest, highest and step."""

    def speak_set(self, value: float) -> None:
        """Set the value, as one edit."""


class _Value(QAccessibleValueInterface):
    def __init__(self, widget: QWidget):
        super().__init__()
        self._held = weakref.ref(widget)  # a strong reference would keep closed windows alive

    @property
    def _widget(self) -> Any:
        return self._held()

    @guarded
    def currentValue(self) -> float:
        return self._widget.spoken_numbers()[0]

    @guarded
    def minimumValue(self) -> float:
        return self._widget.spoken_numbers()[1]

    @guarded
    def maximumValue(self) -> float:
        return self._widget.spoken_numbers()[2]

    @guarded
    def minimumStepSize(self) -> float:
        return self._widget.spoken_numbers()[3]

    @guarded
    def setCurrentValue(self, value: Any) -> None:
        self._widget.speak_set(float(value))


class _Interface(QAccessibleWidget):
    def __init__(self, widget: Any):
        super().__init__(widget, widget.spoken_role(), widget.accessibleName())
        self._held = weakref.ref(widget)
        self._value = _Value(widget)

    @property
    def _widget(self) -> Any:
        return self._held()

    @guarded
    def text(self, kind: QAccessible.Text) -> str:
        if kind == QAccessible.Text.Name:
            return self._widget.accessibleName()
        if kind == QAccessible.Text.Value:
            return self._widget.spoken_value()
        if kind == QAccessible.Text.Description:
            return f"{self._widget.accessibleName()}, {self._widget.spoken_value()}"
        return str(super().text(kind))

    @guarded
    def interface_cast(self, kind: QAccessible.InterfaceType) -> Any:  # an interface or None, the stubs say int
        if kind == QAccessible.InterfaceType.ValueInterface:
            return self._value
        return super().interface_cast(kind)


_alive: dict[int, _Interface] = {}  # Qt holds only a pointer; Python must keep the object until the widget is gone


def _factory(_key: str, target: QObject | None) -> QAccessibleInterface | None:
    if not isinstance(target, QWidget) or not isinstance(target, SpeaksValue):
        return None
    made = _Interface(target)
    key = id(target)
    _alive[key] = made
    target.destroyed.connect(lambda: _alive.pop(key, None))
    return made


def announce(widget: Any) -> None:
    """Tell assistive tools, if any is listening, that the widget's value changed."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleValueChangeEvent(widget, widget.spoken_numbers()[0]))


QAccessible.installFactory(_factory)
