"""Asks for the name of a sequence or a menu of the library, and says while one types whether it can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.widgets.form_row import FormRow
from core.errors import CoreError
from core.formats.library import LONGEST

Check = Callable[[str, str], str]


class LibraryDialog(QDialog):
    """A name, and the menu it goes to.

    Args:
        title: Of the window.
        go: Text of the button that does it.
        name: Name to begin with; None asks for none.
        menus: Menus to choose from, None to ask for none; another may be typed.
        menu: Menu to begin with.
        check: Called with name and menu; returns a remark, or raises ``CoreError`` if they cannot be.
        parent: Owner.
    """

    def __init__(
        self,
        title: str,
        go: str,
        name: str | None,
        menus: Sequence[str] | None,
        menu: str,
        check: Check,
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self.setWindowTitle(title)
        self._check = check
        self.name_field = QLineEdit(name or "")
        self.name_field.setAccessibleName("Name")
        self.name_field.setMaxLength(2 * LONGEST)
        self.menu_field = QComboBox()
        self.menu_field.setAccessibleName("Menu")
        self.menu_field.setEditable(True)
        self.menu_field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.menu_field.addItems(list(menus or ()))
        self.menu_field.setEditText(menu)
        self.remark = QLabel()
        self.remark.setProperty("hint", True)
        self.remark.setWordWrap(True)
        self.remark.setMinimumHeight(32)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.go = self.buttons.addButton(go, QDialogButtonBox.ButtonRole.AcceptRole)
        self.go.setDefault(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 12, 4, 12)
        column.setSpacing(6)
        for label, field, asked in (("Name", self.name_field, name), ("Menu", self.menu_field, menus)):
            if asked is None:
                field.setParent(self)
                field.hide()
            else:
                column.addWidget(FormRow(label, [field]))
        inner = QVBoxLayout()
        inner.setContentsMargins(12, 2, 8, 0)
        inner.setSpacing(8)
        inner.addWidget(self.remark)
        inner.addWidget(self.buttons)
        column.addLayout(inner)
        self.setMinimumWidth(360)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.name_field.textChanged.connect(lambda _text: self._show())
        self.menu_field.editTextChanged.connect(lambda _text: self._show())
        self.name_field.selectAll()
        self._show()

    @property
    def name(self) -> str:
        """The name that was typed."""
        return self.name_field.text().strip()

    @property
    def menu(self) -> str:
        """The menu that was chosen or typed."""
        return self.menu_field.currentText().strip()

    def _show(self) -> None:
        try:
            remark, good = self._check(self.name, self.menu), True
        except CoreError as error:
            remark, good = str(error), False
            remark = remark[:1].upper() + remark[1:]
        self.remark.setText(remark)
        self.go.setEnabled(good)
