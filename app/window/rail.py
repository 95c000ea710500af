"""The docks as icons at the edge of a narrow window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QDockWidget, QVBoxLayout, QWidget

from app.look import style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round
from app.widgets.frames.dock import Panel
from app.widgets.frames.tool_button import ToolButton

RAIL_WIDTH = 36


class Rail(Painted):
    """The docks as icons at the edge, for windows too narrow to keep them open; a click opens and closes one.

    Args:
        kinds: Kinds of panels, in the order of the icons; ``follow`` says which ones and where.
        parent: Parent widget.
    """

    panel_wanted = Signal(object)

    def __init__(self, kinds: Sequence[type[Panel]], parent: QWidget):
        super().__init__(parent)
        self.setFixedWidth(RAIL_WIDTH)
        self.setAccessibleName("Panels")
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.setSpacing(4)
        self._buttons: list[tuple[ToolButton, type[Panel]]] = []
        for kind in kinds:
            button = ToolButton(kind.icon, tip=kind.title, size=(28, 28), parent=self)
            self._buttons.append((button, kind))
            column.addWidget(button)
        column.addStretch(1)

    def follow(self, panels: Sequence[Panel], docks: Sequence[QDockWidget]) -> None:
        """Let the icons stand for panels, in any order, and the docks they are in."""
        for button, kind in self._buttons:
            panel, dock = next(pair for pair in zip(panels, docks, strict=True) if type(pair[0]) is kind)
            if panel.beside:
                button.clicked.connect(lambda _=False, panel=panel: self.panel_wanted.emit(panel))
            else:
                button.set_action(dock.toggleViewAction())

    def show_mode(self, mode: str) -> None:
        """Show the buttons of the panels that a mode has."""
        for button, kind in self._buttons:
            button.setVisible(mode in kind.modes)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill_round(painter, self.rect().toRectF(), style.color("panel"))
        painter.end()
