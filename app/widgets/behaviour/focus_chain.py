"""The order in which Tab goes through the widgets of a window, read without harm."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def focus_chain(widget: QWidget) -> list[QWidget]:
    """Return what Tab reaches after ``widget``, in order, until it comes back to it; hidden widgets too.

    PySide takes the widget that ``nextInFocusChain`` returns for a child of the one it was asked of. When that one
    goes, PySide declares everything behind it deleted, though it is shown and working; so each is given back to its
    own parent here. Nothing else may ask for the chain.
    """
    found, at = [], widget.nextInFocusChain()
    while at is not None:
        at.setParent(at.parentWidget())  # nothing to Qt, which sees the parent that it has
        if at is widget:
            break
        if at.focusPolicy() & Qt.FocusPolicy.TabFocus:
            found.append(at)
        at = at.nextInFocusChain()
    return found
