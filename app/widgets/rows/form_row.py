"""One row of a form: a label on the left, and beside it what it names."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.widgets.labels import quiet_label
from app.widgets.layouts import row_layout

LABEL_WIDTH = 60


class FormRow(QWidget):
    """A label and one or more widgets in a row.

    Args:
        label: The label; "" leaves its place free.
        parts: The widgets; the first one takes what room is left.
        unit: The unit of what the row holds, shown after the label.
        label_width: Room for the label, [px].
    """

    def __init__(
        self,
        label: str,
        parts: list[QWidget],
        unit: str = "",
        label_width: int = LABEL_WIDTH,
    ):
        super().__init__()
        row = row_layout(self, (12, 1, 8, 1), 4)
        self.label = quiet_label(f"{label}, {unit}" if unit else label, self)
        self.label.setFixedWidth(label_width)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        row.addWidget(self.label)
        for i, part in enumerate(parts):
            row.addWidget(part, 0 if i else 1)
