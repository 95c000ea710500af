"""Keys that a widget keeps for itself while it has the focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent


def is_plain(event: QKeyEvent) -> bool:
    """Return whether a key is pressed alone, here or on the keypad."""
    return not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier


class OwnKeysMixin:
    """Mix into a ``QWidget``: the keys that it takes come to it and not to the shortcuts of the window."""

    def takes(self, event: QKeyEvent) -> bool:
        """Return whether a key belongs to the widget."""
        return False

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self.takes(event):
            event.accept()
            return True
        return bool(super().event(event))  # type: ignore[misc]
