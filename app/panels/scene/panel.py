"""The scene panel: figures and props, which of them is edited, hidden or not to be picked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Signal, SignalInstance
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.document.changes import Change, FigureChanged, FileChanged, KeysChanged, SequenceChanged, SessionChanged
from app.panels.scene.figure_list import FIXED, SEEN, FigureList
from app.widgets.frames.dock import Panel
from app.widgets.frames.menu import Item, make_menu, pop_up
from app.widgets.frames.tool_button import ToolButton
from app.widgets.layouts import row_layout

if TYPE_CHECKING:
    from app.document.document import Document

_KINDS = (FigureChanged, FileChanged, KeysChanged, SequenceChanged)
_SESSION = frozenset({"hidden_figures", "fixed_figures"})


class ScenePanel(Panel):
    """All figures and props of the document, and buttons that add some.

    Signals:
        figures_wanted(QPoint): The menu of figures to add is wanted, at a global position.
        props_wanted(QPoint): That of props.
    """

    title = "Scene"
    icon = "world"
    area = "left"
    beside = "Joints"

    figures_wanted = Signal(object)
    props_wanted = Signal(object)

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(document, parent)
        self.document = document
        self.list = FigureList(document, self)
        self.list.menu_wanted.connect(self.show_menu)
        self.more_button = ToolButton("more", tip="What can be done with the figure", size=(26, 26), parent=self)
        self.more_button.clicked.connect(lambda: self.show_menu(self.list.current, self._below(self.more_button)))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.list, 1)
        buttons = row_layout(margins=(9, 4, 9, 8), spacing=4)
        self.add_figure = ToolButton("plus", "Add figure", "Put another figure beside these", "raised", parent=self)
        self.add_prop = ToolButton(
            "cube", "Add prop", "Put a box, a ball or any mesh into the scene", "raised", parent=self
        )
        for button, signal in ((self.add_figure, self.figures_wanted), (self.add_prop, self.props_wanted)):
            button.clicked.connect(partial(self._ask, button, signal))
            buttons.addWidget(button, 1)
        column.addLayout(buttons)
        document.changed.connect(self._take)

    def title_buttons(self) -> Sequence[QWidget]:
        return (self.more_button,)

    def first_focus(self) -> QWidget | None:
        return self.list

    def _below(self, button: QWidget) -> QPoint:
        return button.mapToGlobal(button.rect().bottomLeft())

    def _ask(self, button: QWidget, signal: SignalInstance) -> None:
        signal.emit(self._below(button))

    def _take(self, change: Change) -> None:
        if isinstance(change, _KINDS) or (isinstance(change, SessionChanged) and change.name in _SESSION):
            if not change.live:
                self.list.show_document()
        elif isinstance(change, SessionChanged) and change.name == "hovered_figure":
            self.list.viewport().update()

    def show_menu(self, row: int, place: QPoint) -> None:
        """Show what can be done with the figure of a row, or what can be added if there is none."""
        pop_up(make_menu(self, self.menu_items(row)), place)

    def menu_items(self, row: int) -> list[Item]:
        """Return what the menu of a row offers."""
        adding: list[Item] = [
            ("Add figure…", partial(self._ask, self.add_figure, self.figures_wanted), "plus"),
            ("Add prop…", partial(self._ask, self.add_prop, self.props_wanted), "cube"),
        ]
        if not 0 <= row < len(self.list.lines):
            return adding
        line, figures = self.list.lines[row], self.document.figures
        own: list[Item] = [
            (f"Edit {line.name}", partial(figures.show, row), "pose"),
            ("Rename", partial(self.list.rename, row), "pencil"),
            ("Duplicate", partial(figures.duplicate, row), "copy"),
            (
                "Show" if line.hidden else "Hide",
                partial(self.list.toggle, row, SEEN),
                "eye" if line.hidden else "eye-off",
            ),
            (
                "Let clicks take it" if line.fixed else "Let clicks pass it by",
                partial(self.list.toggle, row, FIXED),
                "lock",
            ),
            ("Remove", partial(figures.remove, row), "trash"),
        ]
        return [*own, None, *adding]
