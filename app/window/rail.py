"""The docks as icons at the edge of a narrow window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.look import style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round
from app.widgets.frames.dock import Panel
from app.widgets.frames.tool_button import ToolButton

RAIL_WIDTH = 36


class Rail(Painted):
    """The docks as icons at the edge, for windows too narrow to keep them open; a click opens and closes one.

    Args:
        kinds: Kinds of panels, in the order of the icons.
        parent: Parent widget.

    Signals:
        clicked(type): The icon of a kind of panel was clicked.
    """

    clicked = Signal(object)

    def __init__(self, kinds: Sequence[type[Panel]], parent: QWidget):
        super().__init__(parent)
        self.setFixedWidth(RAIL_WIDTH)
        self.setAccessibleName("Panels")
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.setSpacing(4)
        self._buttons: list[tuple[ToolButton, type[Panel]]] = []
        for kind in kinds:
            button = ToolButton(kind.icon, tip=kind.title, checkable=True, size=(28, 28), parent=self)
            button.clicked.connect(lambda _=False, kind=kind: self.clicked.emit(kind))
            self._buttons.append((button, kind))
            column.addWidget(button)
        column.addStretch(1)

    def show_open(self, panels: Sequence[Panel]) -> None:
        """Light the icons of the panels that are seen, and no others."""
        kinds = {type(panel) for panel in panels}
        for button, kind in self._buttons:
            button.setChecked(kind in kinds)

    def show_mode(self, mode: str) -> None:
        """Show the buttons of the panels that a mode has."""
        for button, kind in self._buttons:
            button.setVisible(mode in kind.modes)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill_round(painter, self.rect().toRectF(), style.color("panel"))
        painter.end()
