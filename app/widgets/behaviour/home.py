"""Where the keyboard goes back to when a control no longer needs it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def home_of(widget: QWidget) -> QWidget | None:
    """Return what the nearest panel or window around a widget names as its ``home``, or None: a dialog has none."""
    at = widget.parentWidget()
    while at is not None:
        home = getattr(at, "home", None)
        if isinstance(home, QWidget) and home.isVisible():
            return home
        at = None if at.isWindow() else at.parentWidget()
    return None
