"""A thin bar that shows how far something is that is worked out beside the window."""

from __future__ import annotations

from PySide6.QtWidgets import QProgressBar, QWidget


class ProgressLine(QProgressBar):
    """A bar without a number; hidden, it keeps its room, so that nothing around it moves."""

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.setTextVisible(False)
        self.setFixedHeight(4)
        keep = self.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        self.setSizePolicy(keep)

    def show_part(self, part: float) -> None:
        """Show how much is done, 0 to 1."""
        self.setValue(round(100 * part))
