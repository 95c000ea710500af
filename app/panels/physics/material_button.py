"""A button beside a number of friction that lists materials."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from app.widgets.fields.physics_quantities import FRICTION
from app.widgets.frames.menu import add_action, pop_up
from app.widgets.frames.tool_button import ToolButton


class MaterialButton(ToolButton):
    """Opens a list of materials with their friction; the one whose friction it is has a check mark.

    Args:
        what: What the friction is of, as people read it: ``"floor"``.
        value: Returns the coefficient that is set.
        choose: Called with the coefficient of what was chosen.
        parent: Parent widget.
    """

    def __init__(
        self, what: str, value: Callable[[], float], choose: Callable[[float], object], parent: QWidget | None = None
    ):
        super().__init__(
            "chevron-down", "", f"Choose the {what}'s friction by its material", size=(18, 22), parent=parent
        )
        self.setAccessibleName(f"Material of the {what}")
        self._value, self._choose = value, choose
        self.clicked.connect(lambda: pop_up(self.make_menu(), self.mapToGlobal(QPoint(0, self.height()))))

    def make_menu(self) -> QMenu:
        """Return the list."""
        from core.dynamics.contact.materials import MATERIALS  # brings the libraries of dynamics along

        menu, now = QMenu(self), self._value()
        for name, friction in MATERIALS.items():
            text = f"{name.capitalize()}\t{FRICTION.short(friction)}"
            add_action(
                menu, text, partial(self._choose, friction),
                checked=math.isclose(friction, now, abs_tol=1e-9),
            )  # fmt: skip
        return menu
