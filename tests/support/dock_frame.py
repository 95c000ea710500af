"""A frame that holds panels as the window's docks do, for tests of a panel by itself."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from app.widgets.frames.dock import Panel, TitleStrip


class DockFrame(QWidget):
    """Panels as tabs, in order."""

    def __init__(self, panels: Sequence[Panel]):
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 2)
        layout.setSpacing(0)
        self.panels = list(panels)
        self.strip = TitleStrip([], self)
        self._stack = QStackedWidget(self)
        layout.addWidget(self.strip)
        layout.addWidget(self._stack, 1)
        for panel in panels:
            self.strip.add(panel.title)
            self._stack.addWidget(panel)
        self.strip.chosen.connect(self.set_current)
        self.set_current(0)

    def set_current(self, number: int) -> None:
        """Show a panel."""
        self.strip.set_current(number)
        self._stack.setCurrentIndex(number)
        self.strip.set_buttons(self.panels[number].title_buttons())
        self.strip.set_note(self.panels[number].title_note())
