"""Keys that a widget keeps for itself while it has the focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from app.process.handler_guard import guarded
from app.words import keys_now


def is_plain(event: QKeyEvent) -> bool:
    """Return whether a key is pressed alone, here or on the keypad."""
    return not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier


def means(event: QKeyEvent, *actions: str) -> bool:
    """Return whether a key is one of some actions' in the key map that holds now, here or on the keypad."""
    held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    pressed = QKeySequence(event.key() | held.value).toString(QKeySequence.SequenceFormat.PortableText)
    return any(pressed in keys_now.keys_of(action) for action in actions)


_MODIFIERS = (Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta)
_EDITING = (
    *(Qt.Key.Key_A, Qt.Key.Key_C, Qt.Key.Key_V, Qt.Key.Key_X, Qt.Key.Key_Y, Qt.Key.Key_Z),
    *(Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End),
    *(Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_Insert),
)


def is_for_program(event: QKeyEvent) -> bool:
    """Return whether a key means nothing to text that is typed: F1 to F35, and Ctrl with what edits no text."""
    key, held = event.key(), event.modifiers()
    if Qt.Key.Key_F1 <= key <= Qt.Key.Key_F35:
        return True
    if key in _MODIFIERS or held & Qt.KeyboardModifier.AltModifier:  # Alt with Ctrl types letters on many keyboards
        return False
    return bool(held & Qt.KeyboardModifier.ControlModifier) and key not in _EDITING


class OwnKeysMixin:
    """Mix into a ``QWidget``: the keys that it takes come to it and not to the shortcuts of the window."""

    def takes(self, event: QKeyEvent) -> bool:
        """Return whether a key belongs to the widget."""
        return False

    @guarded
    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self.takes(event):
            event.accept()
            return True
        return bool(super().event(event))  # type: ignore[misc]  # mixed into a widget
