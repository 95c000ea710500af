"""How exactly and how long a solver works, and what it does with the freedom it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.document.changes import Change, SessionChanged
from app.document.session.session import MOST_STEPS, SPARE_SOLVERS
from app.widgets.fields.choice import Choice
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.setting_quantities import STEPS, TOLERANCE
from app.widgets.fields.setting_slider import SettingRow, log_scale
from app.widgets.fields.steps_scale import AS_NEEDED, steps_scale
from app.widgets.fields.switch import Switch
from app.widgets.rows.setting_line import SettingLine

if TYPE_CHECKING:
    from app.document.document import Document

LABEL_WIDTH = 96
_UNUSED = ""
SPARE: tuple[tuple[str, str, str], ...] = (
    (_UNUSED, "Nothing", "The solver alone decides what the goal leaves free"),
    ("range", "Mid-range joints", "Joints keep to the middle of their range as far as the goal leaves them free"),
    ("pose", "Near start pose", "The pose stays as close to that at the start of the drag as the goal allows"),
    ("manipulability", "Off singular poses", "The chain avoids poses in which it cannot move in every direction"),
)
"""Key, name and sentence of each use of what freedom a goal leaves."""


class SolverSettings(QWidget):
    """Tolerance, steps, bending and spare freedom; what is set is the session's.

    Args:
        document: The document.
        parent: Parent widget.
    """

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(parent)
        self.document = document
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        self.tolerance = SettingRow("Tolerance", TOLERANCE, log_scale(0.001, 10.0, 0.1), None, LABEL_WIDTH)
        self.tolerance.set_tip("How close to the goal is close enough")
        self.tolerance.changed.connect(lambda value: self._set("tolerance", value * 1e-3))
        self.steps = SettingRow("Steps per move", STEPS, steps_scale(), None, LABEL_WIDTH, 70)
        self.steps.set_tip("Most steps a solver takes for one move of the pointer; far right: as many as it needs")
        self.steps.changed.connect(lambda value: self._set("max_steps", None if value > MOST_STEPS else int(value)))
        for row, name in ((self.tolerance, "tolerance"), (self.steps, "max_steps")):
            row.field.setFixedWidth(70)
            report_refusals(row, document.say)
            row.cancelled.connect(lambda row=row, name=name: self._cancelled(row, name))
            column.addWidget(row)
        self.nudge = Switch("Bend straight limbs")
        self.nudge.toggled.connect(lambda on: self._set("nudge", on))
        column.addWidget(
            SettingLine(
                "Bend straight limbs",
                self.nudge,
                "Straight elbows and knees bend when pulled inward. CCD bends them by itself, even when this is off",
            )
        )
        self.spare = Choice("Spare freedom")
        self.spare.picked.connect(lambda key: self._set("secondary", key or None))
        self._spare_row = SettingLine("Spare freedom", self.spare, "", LABEL_WIDTH)
        column.addWidget(self._spare_row)
        document.changed.connect(self._on_change)
        self.show_session()

    def _set(self, name: str, value: object) -> None:
        self.document.session.set(name, value)

    def _cancelled(self, row: SettingRow, name: str) -> None:
        if name == "tolerance":
            self._set(name, row.value * 1e-3)
        else:
            self._set(name, None if row.value > MOST_STEPS else int(row.value))

    def _on_change(self, change: Change) -> None:
        if isinstance(change, SessionChanged) and change.name in (
            "solver",
            "tolerance",
            "max_steps",
            "nudge",
            "secondary",
        ):
            self.show_session()

    def show_session(self) -> None:
        """Show what the session has."""
        session = self.document.session
        self.tolerance.set_value(session.solver.tolerance * 1e3)
        self.steps.set_value(AS_NEEDED if session.solver.steps is None else float(session.solver.steps))
        self.nudge.setChecked(session.solver.nudge)
        takes = session.solver.name in SPARE_SOLVERS
        chosen = session.solver.secondary or _UNUSED
        self.spare.show_rows([(key, name) for key, name, _ in SPARE], chosen)
        self.spare.setEnabled(takes)
        sentence = next((words for key, _, words in SPARE if key == chosen), "")
        self._spare_row.setToolTip(
            sentence if takes else "Pseudoinverse and Damped least squares can use spare freedom"
        )
