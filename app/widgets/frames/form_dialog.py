"""A dialog that asks for a few things and says at once what they come to, or why they cannot be."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QWidget

from app.process.handler_guard import guarded
from app.widgets.layouts import column_layout
from app.widgets.rows.form_row import LABEL_WIDTH, FormRow


class FormDialog(QDialog):
    """Rows of a form, a remark under them, Cancel, and the button that does it.

    Args:
        title: Of the window.
        go: Text of the button that does it.
        parent: Owner.

    Attributes:
        remark: Says what is asked for comes to.
        go: The button that does it; Enter presses it.
    """

    def __init__(self, title: str, go: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.setWindowTitle(title)
        self.remark = QLabel()
        self.remark.setWordWrap(True)
        self.remark.setTextFormat(Qt.TextFormat.PlainText)
        self.remark.setMinimumHeight(34)
        self.remark.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.go = self.buttons.addButton(go, QDialogButtonBox.ButtonRole.AcceptRole)
        for button in self.buttons.buttons():
            button.setAutoDefault(button is self.go)  # else Cancel becomes the one that Enter presses
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    def lay_out(self, rows: Sequence[tuple[str, list[QWidget]]], label_width: int = LABEL_WIDTH) -> None:
        """Put everything in its place, in the order in which Tab goes through it.

        Args:
            rows: Label and parts of each row, from above.
            label_width: Room for the labels, [px].
        """
        column = column_layout(self, (4, 12, 4, 12), 6)
        for label, parts in rows:
            column.addWidget(FormRow(label, parts, label_width=label_width))
        inner = column_layout(margins=(12, 6, 8, 0), spacing=10)
        inner.addWidget(self.remark)
        inner.addWidget(self.buttons)
        column.addLayout(inner)

    def exec(self) -> int:
        """Ask, and return what was pressed; the dialog can be read until the event loop goes on, and is gone then."""
        answer = super().exec()
        self.deleteLater()
        return answer

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        """Make the button that does it the default one; Qt takes that from a button that is in its dialog only."""
        super().showEvent(event)
        self.go.setDefault(False)
        self.go.setDefault(True)

    def keep_hidden(self, part: QWidget) -> None:
        """Take a field that is not asked for: it keeps its value and is not shown."""
        part.setParent(self)
        part.hide()

    def allow(self, text: str) -> None:
        """Say what is asked for comes to, and let it be done."""
        self.remark.setText(text)
        self.go.setEnabled(True)

    def refuse(self, error: Exception) -> None:
        """Say why what is asked for cannot be."""
        text = str(error)
        self.remark.setText(text[:1].upper() + text[1:])
        self.go.setEnabled(False)
