"""One object that a joint carries: its file, its size and place, and a button that takes it away."""

from __future__ import annotations

from pathlib import PurePosixPath

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.fields.vector_field import VectorField
from app.widgets.frames.tool_button import ToolButton
from app.widgets.layouts import column_layout
from app.widgets.rows.form_row import FormRow
from app.words.quantity import METRES, Quantity
from core.skeleton import SegmentObject

LENGTH = Quantity("", 3, 0.01, "metres", METRES.units)
SMALLEST, LARGEST = 1e-3, 1e3  # [m]


class _Head(Painted):
    """The name of an object's file, whether it is mirrored or missing, and the button."""

    def __init__(self, parent: QWidget):
        super().__init__(parent)
        self._part: SegmentObject | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 7, 0)
        row.addStretch(1)
        self.button = ToolButton("close", "", "Remove this shape", size=(22, 24), parent=self)
        row.addWidget(self.button)

    def show_part(self, part: SegmentObject) -> None:
        self._part = part
        count = 0 if part.mesh is None else len(part.mesh.triangles)
        note = "not found" if part.mesh is None else f"{count} triangles" + (", mirrored" * part.mirrored)
        self.setToolTip(f"{part.file}: {note}")
        self.setAccessibleName(f"{part.file}, {note}")
        self.button.setToolTip(f"Remove {PurePosixPath(part.file).name}")
        self.button.setAccessibleName(self.button.toolTip())
        self.update()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(200, 26)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        if self._part is None:
            return
        painter = QPainter(self)
        lost = self._part.mesh is None
        ink = style.color("warn" if lost else "text2")
        icons.paint(painter, "warn" if lost else "cube", ink, QRectF(12, 6, 13, 13))
        box = QRectF(31, 0, self.button.x() - 36, self.height())
        painter.setFont(fonts.font(fonts.SECONDARY))
        painter.setPen(style.color("text3"))
        note = "mirrored" if self._part.mirrored else "not found" if lost else ""
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, note)
        taken = painter.fontMetrics().horizontalAdvance(note) + 8 if note else 0
        painter.setFont(fonts.font())
        painter.setPen(style.color("text"))
        name = PurePosixPath(self._part.file).name
        name = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, int(box.width() - taken))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, name)
        painter.end()


class ObjectRow(QWidget):
    """Shows an object and says what should become of it.

    Args:
        number: Which of the joint's objects it is.
        parent: Parent widget.

    Signals:
        removed(int): It should go.
        began(int), boxed(int, object, object), committed(int), cancelled(int): The life of an edit of its box: size
            (3,) and middle (3,), in the joint's frame, [m].
        refused(str): What was typed makes no sense; says why.
    """

    removed = Signal(int)
    began = Signal(int)
    boxed = Signal(int, object, object)
    committed = Signal(int)
    cancelled = Signal(int)
    refused = Signal(str)

    def __init__(self, number: int, parent: QWidget | None = None):
        super().__init__(parent)
        self.number = number
        self.head = _Head(self)
        self.head.button.clicked.connect(lambda: self.removed.emit(self.number))
        self.size_field = VectorField("Size", LENGTH)
        self.size_field.set_limits(SMALLEST, LARGEST)
        self.center_field = VectorField("Centre", LENGTH)
        column = column_layout(self, (0, 0, 0, 2))
        column.addWidget(self.head)
        self._rows = [FormRow("Size", [self.size_field], "m"), FormRow("Centre", [self.center_field], "m")]
        for row in self._rows:
            column.addWidget(row)
        for field in (self.size_field, self.center_field):
            field.began.connect(lambda: self.began.emit(self.number))
            field.changed.connect(lambda _: self._notify())
            field.committed.connect(lambda: self.committed.emit(self.number))
            field.cancelled.connect(lambda: self.cancelled.emit(self.number))
            field.refused.connect(self.refused)

    def _notify(self) -> None:
        self.boxed.emit(self.number, np.array(self.size_field.value), np.array(self.center_field.value))

    def show_part(self, part: SegmentObject) -> None:
        """Show an object."""
        self.head.show_part(part)
        for row in self._rows:
            row.setVisible(part.mesh is not None)
        if part.mesh is not None:
            lo, hi = part.mesh.bounds
            self.size_field.show_value(hi - lo)
            self.center_field.show_value(0.5 * (lo + hi))
