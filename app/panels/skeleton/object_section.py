"""The objects that the joint being edited carries: polygon files and simple shapes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from app.document.edits import joint_edits
from app.panels.live_edit import LiveEdits
from app.widgets.frames.menu import make_menu, pop_up
from app.widgets.frames.tool_button import ToolButton
from app.widgets.joints.object_row import ObjectRow
from app.widgets.layouts import column_layout, row_layout
from core.arrays import Array
from core.errors import CoreError
from core.skeleton import Joint
from core.skeleton.objects.loading import SUFFIXES, load_object

if TYPE_CHECKING:
    from app.document.document import Document

FILTER = f"Polygons ({' '.join('*' + suffix for suffix in SUFFIXES)});;All files (*)"
SHAPES = (("box", "Box", "cube"), ("ball", "Ball", "ball-shape"), ("limb", "Limb", "limb"))


class ObjectSection(QWidget):
    """A row for each object, and buttons that add one."""

    def __init__(self, document: Document, edits: LiveEdits):
        super().__init__()
        self.document, self._edits = document, edits
        self._joint: Joint | None = None
        self._shown: Joint | None = None
        self.rows: list[ObjectRow] = []
        column = column_layout(self)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        column.addLayout(self._list)
        buttons = row_layout(margins=(12, 4, 9, 2), spacing=4)
        self.add_file_button = ToolButton("open", "Add file…", "Add polygons from a file", "raised", parent=self)
        self.add_shape_button = ToolButton("plus", "Add shape", "Add a box, a ball or a limb", "raised", parent=self)
        for button, do in ((self.add_file_button, self.ask_file), (self.add_shape_button, self._offer)):
            button._size = (96, 24)
            button.clicked.connect(do)
            buttons.addWidget(button, 1)
        column.addLayout(buttons)

    def show_joint(self, joint: Joint) -> None:
        """Show the objects of a joint; rows are kept, so that the keyboard stays where it is."""
        self._joint = joint
        if self.document.session.preview is None:
            self._shown = joint
        while len(self.rows) > len(joint.objects):
            row = self.rows.pop()
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self.rows) < len(joint.objects):
            self._add_row()
        for row, part in zip(self.rows, joint.objects, strict=True):
            row.show_part(part)

    def _add_row(self) -> None:
        row = ObjectRow(len(self.rows), self)
        row.removed.connect(self._remove)
        row.began.connect(lambda _: self._edits.begin("Change a shape"))
        row.boxed.connect(self._box)
        row.committed.connect(lambda _: self._ended())
        row.cancelled.connect(lambda _: self._edits.cancel())
        row.refused.connect(lambda why: self.document.say("info", why))
        self.rows.append(row)
        self._list.addWidget(row)
        row.show()

    def _box(self, number: int, size: Array, center: Array) -> None:
        if self._joint is not None:
            self._edits.show(joint_edits.with_object_box(self._joint.name, number, size, center))

    def _ended(self) -> None:
        self._edits.commit()
        if self._shown is not None:  # what was is shown in place of what could not be
            self.show_joint(self._shown)

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
