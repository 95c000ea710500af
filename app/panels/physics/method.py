"""How a simulation is stepped: with contacts, or by a formulation and an integrator; and what is then left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    HybridChanged,
    LocksChanged,
    PhysicsChanged,
    SequenceChanged,
)
from app.process.handler_guard import guarded
from app.widgets.fields.choice import Choice
from app.widgets.labels import warning_label
from app.widgets.layouts import column_layout
from app.widgets.rows.form_row import FormRow
from app.words.method_words import CONTACT_STEP, formulation_label, left_out_text

if TYPE_CHECKING:
    from app.document.document import Document

FIRST = "linearly_implicit"
"""The integrator that goes with a formulation at first: it takes limits, and springs however stiff."""
_METHOD = "How accelerations are worked out. Only the contact step knows the floor, obstacles, locks and strings"
_CONTACT = "contact"
_SHOWN = (FileChanged, FigureChanged, SequenceChanged, HybridChanged, LocksChanged)


class MethodForm(QWidget):
    """The method, its integrator, and what these leave out of the scene."""

    def __init__(self, document: Document):
        super().__init__()
        self.document = document
        self.method, self.integrator = Choice("Method", self), Choice("Integrator", self)
        self.method.setToolTip(_METHOD)
        self.method.picked.connect(self._set_method)
        self.integrator.picked.connect(self._set_integrator)
        self.note = warning_label()
        self.note.setWordWrap(True)
        self.note.setContentsMargins(12, 0, 9, 2)
        self.note.hide()
        self.integrator_row = FormRow("Integrate", [self.integrator])
        column = column_layout(self, (0, 0, 0, 0), 2)
        column.addWidget(FormRow("Method", [self.method]))
        column.addWidget(self.integrator_row)
        column.addWidget(self.note)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        document.changed.connect(self._take)

    def _set_method(self, name: object) -> None:
        settings = self.document.physics.settings
        if name == _CONTACT:
            settings.edit("Set method", integrator=_CONTACT)
        else:
            integrator = FIRST if settings.now.integrator == _CONTACT else settings.now.integrator
            settings.edit("Set method", integrator=integrator, formulation=name)

    def _set_integrator(self, name: object) -> None:
        self.document.physics.settings.edit("Set integrator", integrator=name)

    def _take(self, change: Change) -> None:
        settings = isinstance(change, PhysicsChanged) and change.name == "settings"
        if self.isVisible() and (settings or isinstance(change, _SHOWN)):
            self.show_document()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_document()  # not before: the settings bring the libraries of dynamics along

    def show_document(self) -> None:
        """Show the settings, and what they leave out."""
        from core.dynamics.formulations import FORMULATIONS
        from core.dynamics.integrators import INTEGRATORS
        from core.preview.method import left_out

        settings, sequence = self.document.physics.settings.now, self.document.sequence
        touches = settings.integrator == _CONTACT
        rows = [(_CONTACT, CONTACT_STEP), *((name, formulation_label(name)) for name in FORMULATIONS)]
        self.method.show_rows(rows, _CONTACT if touches else settings.formulation)
        self.integrator.show_rows([(kind.name, kind.label) for kind in INTEGRATORS], settings.integrator)
        for kind in INTEGRATORS:
            if kind.name == settings.integrator:
                self.integrator.setToolTip(kind.description)
        self.integrator_row.setVisible(not touches)
        text = "" if sequence is None else left_out_text(left_out(settings, sequence))
        self.note.setText(text)
        self.note.setVisible(bool(text))
