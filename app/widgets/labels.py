"""Labels in the two quieter inks of the style sheet."""

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
