"""A field that takes the next key that is pressed, with what is held, instead of text."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QKeyCombination, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget

from app.process.handler_guard import guarded

_HELD = (
    Qt.Key.Key_Control, Qt.Key.Key_Shift, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta, Qt.Key.Key_CapsLock,
    Qt.Key.Key_NumLock, Qt.Key.Key_Super_L, Qt.Key.Key_Super_R, Qt.Key.Key_unknown,
)  # fmt: skip


def key_name(event: QKeyEvent) -> str:
    """Return a key as the key map spells it; "" while only Shift and its like are held."""
    key, held = Qt.Key(event.key()), event.modifiers()
    if key in _HELD or not event.key():
        return ""
    # Shift is part of a sign such as ! already, but not of letters, and not of keys without a sign.
    if held & Qt.KeyboardModifier.ShiftModifier and 0x20 < key < 0x7F and not Qt.Key.Key_A <= key <= Qt.Key.Key_Z:
        held &= ~Qt.KeyboardModifier.ShiftModifier
    return QKeySequence(QKeyCombination(held, key)).toString(QKeySequence.SequenceFormat.PortableText)


class KeyCapture(QLineEdit):
    """Waits for one key. Esc gives up, Tab goes on to the next control; neither can be taken.

    Signals:
        pressed(str): The key, as the key map spells it.
        given_up(): Esc was pressed, or the keyboard went elsewhere.
    """

    pressed = Signal(str)
    given_up = Signal()

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setReadOnly(True)
        self.setPlaceholderText("Press the new key")
        self.setAccessibleName("New key")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)

    @guarded
    def event(self, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            return super().event(event)
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape and not event.modifiers():
                self.given_up.emit()
            elif name := key_name(event):
                self.pressed.emit(name)
            return True
        return super().event(event)

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.ActiveWindowFocusReason:
            self.given_up.emit()
