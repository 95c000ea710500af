"""Labels in inks of the style sheet: two quieter ones, and that of warnings."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget


def quiet_label(text: str = "", parent: QWidget | None = None) -> QLabel:
    """Return a label that names what stands beside it."""
    label = QLabel(text, parent)
    label.setProperty("quiet", True)
    return label


def hint_label(text: str = "", parent: QWidget | None = None) -> QLabel:
    """Return a label with a remark, the quietest text there is."""
    label = QLabel(text, parent)
    label.setProperty("hint", True)
    return label


def warning_label(text: str = "", parent: QWidget | None = None) -> QLabel:
    """Return a label with what somebody should know before they rely on what they see."""
    label = QLabel(text, parent)
    label.setProperty("warning", True)
    return label
