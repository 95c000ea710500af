"""One object that a joint carries: its file, and a button that takes it away."""

from __future__ import annotations

from pathlib import PurePosixPath

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app import fonts, icons, style
from app.widgets.base import Painted
from app.widgets.tool_button import ToolButton
from core.skeleton import SegmentObject


class ObjectRow(Painted):
    """Shows an object.

    Args:
        number: Which of the joint's objects it is.
        part: The object.
        parent: Parent widget.

    Signals:
        removed(int): It should go.
    """

    removed = Signal(int)

    def __init__(self, number: int, part: SegmentObject, parent: QWidget | None = None):
        super().__init__(parent)
        self.number, self.part = number, part
        count = 0 if part.mesh is None else len(part.mesh.triangles)
        self._note = "not found" if part.mesh is None else f"{count} triangles" + (", mirrored" * part.mirrored)
        self.setToolTip(f"{part.file}: {self._note}")
        self.setAccessibleName(f"{part.file}, {self._note}")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 7, 0)
        row.addStretch(1)
        self.button = ToolButton("close", "", f"Remove {PurePosixPath(part.file).name}", size=(22, 24), parent=self)
        self.button.clicked.connect(lambda: self.removed.emit(self.number))
        row.addWidget(self.button)

    def sizeHint(self) -> QSize:
        return QSize(200, 26)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        lost = self.part.mesh is None
        icons.paint(
            painter, "warn" if lost else "cube", style.color("warn" if lost else "text2"), QRectF(12, 6, 13, 13)
        )
        box = QRectF(31, 0, self.button.x() - 36, self.height())
        painter.setFont(fonts.font(fonts.SECONDARY))
        painter.setPen(style.color("text3"))
        note = "mirrored" if self.part.mirrored else "not found" if lost else ""
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, note)
        taken = painter.fontMetrics().horizontalAdvance(note) + 8 if note else 0
        painter.setFont(fonts.font())
        painter.setPen(style.color("text"))
        name = painter.fontMetrics().elidedText(
            PurePosixPath(self.part.file).name, Qt.TextElideMode.ElideMiddle, int(box.width() - taken)
        )
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, name)
        painter.end()
