"""Labels in inks of the style sheet: two quieter ones, and that of warnings."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.process.handler_guard import guarded


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


class WholeLabel(QLabel):
    """A remark of several lines that is always seen whole: what stands beside it gives up room for it.

    A layout that is too low for all in it would else cut lines off, since a text that can be wrapped asks for few.
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setProperty("hint", True)
        self.setWordWrap(True)

    def say(self, text: str) -> None:
        """Show another text."""
        self.setText(text)
        self._fit()

    def _fit(self) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()) if self.text() else 0)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def warning_label(text: str = "", parent: QWidget | None = None) -> QLabel:
    """Return a label with what somebody should know before they rely on what they see."""
    label = QLabel(text, parent)
    label.setProperty("warning", True)
    return label
