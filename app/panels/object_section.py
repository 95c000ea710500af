"""The objects that the joint being edited carries: polygon files and simple shapes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.document import joint_edits
from app.panels.live_edit import LiveEdits
from app.widgets.menu import make_menu, pop_up
from app.widgets.object_row import ObjectRow
from app.widgets.tool_button import ToolButton
from core.errors import CoreError
from core.skeleton import Joint
from core.skeleton.objects import SUFFIXES, load_object

if TYPE_CHECKING:
    from app.document.document import Document

FILTER = f"Polygons ({' '.join('*' + suffix for suffix in SUFFIXES)});;All files (*)"
SHAPES = (("box", "Box", "cube"), ("ball", "Ball", "ball-shape"), ("limb", "Limb", "limb"))


class ObjectSection(QWidget):
    """A row for each object, and buttons that add one.

    Args:
        document: The open document.
        edits: How the figure is edited.
        parent: Parent widget.
    """

    def __init__(self, document: Document, edits: LiveEdits, parent: QWidget | None = None):
        super().__init__(parent)
        self.document, self._edits = document, edits
        self._joint: Joint | None = None
        self.rows: list[ObjectRow] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        column.addLayout(self._list)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(12, 4, 9, 2)
        buttons.setSpacing(4)
        self.add_file_button = ToolButton("open", "Add file…", "Add polygons from a file", "raised", parent=self)
        self.add_shape_button = ToolButton("plus", "Add shape", "Add a box, a ball or a limb", "raised", parent=self)
        for button, do in ((self.add_file_button, self.ask_file), (self.add_shape_button, self._offer)):
            button._size = (96, 24)
            button.clicked.connect(do)
            buttons.addWidget(button, 1)
        column.addLayout(buttons)

    def show_joint(self, joint: Joint) -> None:
        """Show the objects of a joint."""
        same = [row.part for row in self.rows] == list(joint.objects)
        self._joint = joint
        if same:
            return
        for row in self.rows:
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = []
        for number, part in enumerate(joint.objects):
            row = ObjectRow(number, part, self)
            row.removed.connect(self._remove)
            self.rows.append(row)
            self._list.addWidget(row)
            row.show()

    def _remove(self, number: int) -> None:
        if self._joint is not None:
            self._edits.do("Remove a shape", joint_edits.without_object(self._joint.name, number))

    def _offer(self) -> None:
        items = [(text, lambda shape=shape: self.add_shape(shape), icon) for shape, text, icon in SHAPES]
        for_all = ("For all bare joints", self.add_bodies, "silhouette")
        button = self.add_shape_button
        pop_up(make_menu(self, [*items, None, for_all]), button.mapToGlobal(button.rect().bottomLeft()))

    def add_shape(self, shape: str) -> None:
        """Add a shape as large as the joint's segment: ``"box"``, ``"ball"`` or ``"limb"``."""
        if self._joint is not None:
            self._edits.do(f"Add a {shape}", joint_edits.with_shape(self._joint.name, shape))

    def add_bodies(self) -> None:
        """Add shapes to all joints that have none."""
        self._edits.do("Add shapes", joint_edits.with_bodies)

    def ask_file(self) -> None:
        """Ask for a file with polygons and add it."""
        path, _ = QFileDialog.getOpenFileName(self, "Add polygons", "", FILTER)
        if path:
            self.add_file(Path(path))

    def add_file(self, path: Path) -> None:
        """Add the polygons of a file; they travel with the document."""
        if self._joint is None:
            return
        try:
            mesh = load_object(path, path.name)
        except CoreError as error:
            self.document.say("error", str(error).partition("\n")[0], str(error))
            return
        self._edits.do(f"Add {path.name}", joint_edits.with_object(self._joint.name, path.stem, mesh))
