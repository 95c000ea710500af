"""The solver panel: which inverse-kinematics solver a drag uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QVBoxLayout, QWidget

from app.widgets.dock import Panel
from app.widgets.menu import make_menu, pop_up
from app.widgets.radio_row import RadioRow
from app.widgets.tool_button import ToolButton
from core.ik import SOLVERS

if TYPE_CHECKING:
    from app.document.change import Change
    from app.document.document import Document

CHARACTER = {
    "ccd": "fast, tips move first",
    "jacobian_transpose": "springy",
    "damped_least_squares": "smooth",
    "pseudoinverse": "exact",
    "optimization": "weighs limits",
}
DEFAULT = "damped_least_squares"


class SolverPanel(Panel):
    """Radio rows for the solvers; the choice is the session's and holds from the next drag on.

    Args:
        document: The document.
        parent: Parent widget.
    """

    title = "Solver"
    icon = "target"
    area = "left"
    stretch = 0

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(parent)
        self.document = document
        self.rows: dict[str, RadioRow] = {}
        group = QButtonGroup(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 5, 6, 6)
        layout.setSpacing(2)
        for solver in SOLVERS:
            row = RadioRow(solver.name, solver.label, CHARACTER.get(solver.name, ""), self)
            row.setToolTip(solver.description)
            row.clicked.connect(lambda _=False, key=solver.name: self._choose(key))
            group.addButton(row)
            layout.addWidget(row)
            self.rows[solver.name] = row
        layout.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._more_button = ToolButton("more", "", "More for the solver", size=(26, 24))
        self._more_button.clicked.connect(self._more)
        document.changed.connect(self._on_change)
        self._show()

    def title_buttons(self) -> Sequence[QWidget]:
        return (self._more_button,)

    def first_focus(self) -> QWidget | None:
        return next((row for row in self.rows.values() if row.isChecked()), None)

    def _choose(self, key: str) -> None:
        self.document.session.solver = key

    def _on_change(self, change: Change) -> None:
        if change.kind == "session" and change.detail.get("name") == "solver":
            self._show()

    def _show(self) -> None:
        row = self.rows.get(self.document.session.solver)
        if row is not None:
            row.setChecked(True)

    def _more(self) -> None:
        menu = make_menu(self, [("Back to the default", lambda: self._choose(DEFAULT), "")])
        pop_up(menu, self._more_button.mapToGlobal(self._more_button.rect().bottomLeft()))
