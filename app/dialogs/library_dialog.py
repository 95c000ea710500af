"""Asks for the name of a sequence or a menu of the library, and says while one types whether it can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from app.widgets.frames.form_dialog import FormDialog
from core.errors import CoreError
from core.formats.library import LONGEST

Check = Callable[[str, str], str]


class LibraryDialog(FormDialog):
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
        super().__init__(title, go, parent)
        self._check = check
        self.name_field = QLineEdit(name or "")
        self.name_field.setAccessibleName("Name")
        self.name_field.setMaxLength(2 * LONGEST)
        self.menu_field = QComboBox()
        self.menu_field.setAccessibleName("Menu")
        self.menu_field.setEditable(True)
        line = self.menu_field.lineEdit()
        assert line is not None
        line.setAccessibleName("Menu")
        self.menu_field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.menu_field.addItems(list(menus or ()))
        self.menu_field.setEditText(menu)
        self.menu_field.setToolTip("Choose a menu, or type the name of a new one")
        self.remark.setProperty("hint", True)
        rows: list[tuple[str, list[QWidget]]] = []
        for label, field, asked in (("Name", self.name_field, name), ("Menu", self.menu_field, menus)):
            if asked is None:
                self.keep_hidden(field)
            else:
                rows.append((label, [field]))
        self.lay_out(rows)
        self.setMinimumWidth(360)
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
            self.allow(self._check(self.name, self.menu))
        except CoreError as error:
            self.refuse(error)
