"""How a simulation is stepped: with contacts, or by a formulation and an integrator; what they refuse and leave out."""

from __future__ import annotations

from dataclasses import replace
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
from app.words.method_words import CONTACT_STEP, NO_CONTACTS, OWN_EQUATIONS, formulation_label, method_text

if TYPE_CHECKING:
    from app.document.document import Document
    from core.preview.method import Method
    from core.preview.settings import PhysicsSettings

FIRST = ("linearly_implicit", "rk4")
"""The integrators that go with a formulation at first: one that takes limits, and springs however stiff, but only two
of the formulations, and one that takes them all."""
_METHOD = (
    "How accelerations are worked out. Only the contact step knows locks and strings; others know the floor and "
    "obstacles where they have a choice of contacts"
)
_CONTACTS = "How the floor, obstacles and bodies push each other, and rub"
_ITS_OWN = "{} has equations of its own. Choose a formulation to go back to an integrator that works by it"
_INSTEAD = "{} works by this formulation here. Choose another one to change to an integrator that works by it"
_CONTACT, _OWN = "contact", ""
_SHOWN = (FileChanged, FigureChanged, SequenceChanged, HybridChanged, LocksChanged)


class MethodForm(QWidget):
    """The method, its integrator and how that finds contacts, and what these leave out of the scene."""

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
        self.contacts = Choice("Contacts", self)
        self.contacts.picked.connect(self._set_contacts)
        self.contacts_row = FormRow("Contacts", [self.contacts])
        column = column_layout(self, (0, 0, 0, 0), 2)
        column.addWidget(FormRow("Method", [self.method]))
        column.addWidget(self.integrator_row)
        column.addWidget(self.contacts_row)
        column.addWidget(self.note)
        # Not fixed: a fixed height is that of the note at some other width, and cuts its lines off.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        document.changed.connect(self._take)

    def _set_method(self, name: object) -> None:
        settings = self.document.physics.settings
        if name == _CONTACT:
            settings.edit("Set method", integrator=_CONTACT)
        elif name != _OWN:
            settings.edit("Set method", integrator=self._integrator_for(str(name)), formulation=name)

    def _integrator_for(self, formulation: str) -> str:
        """Return an integrator with which a formulation counts: the present one if it does there."""
        now = self.document.physics.settings.now
        for name in (*(() if now.integrator == _CONTACT else (now.integrator,)), *FIRST):
            if self._method_of(replace(now, integrator=name, formulation=formulation)).formulation == formulation:
                return name
        return now.integrator

    def _method_of(self, settings: PhysicsSettings) -> Method:
        from core.preview.method import Method, method_of

        sequence = self.document.sequence
        if sequence is None:
            return Method(settings.formulation, "")
        return method_of(settings, sequence, self.document.physics.start_frame, self.document.model.others)

    def _set_integrator(self, name: object) -> None:
        self.document.physics.settings.edit("Set integrator", integrator=name)

    def _set_contacts(self, name: object) -> None:
        self.document.physics.settings.edit("Set contacts", contact_method=name)

    def _take(self, change: Change) -> None:
        settings = isinstance(change, PhysicsChanged) and change.name == "settings"
        if self.isVisible() and (settings or isinstance(change, _SHOWN)):
            self.show_document()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_document()  # not before: the settings bring the libraries of dynamics along

    def show_document(self) -> None:
        """Show the settings, by what they work, and what they refuse and leave out."""
        from core.dynamics.contact.methods import CONTACT_METHODS
        from core.dynamics.formulations import FORMULATIONS
        from core.dynamics.integrators import INTEGRATORS
        from core.preview.method import left_out
        from core.preview.settings import NOTHING_TOUCHES

        settings, sequence = self.document.physics.settings.now, self.document.sequence
        touches = settings.integrator == _CONTACT
        found = self._method_of(settings)
        rows = [(_CONTACT, CONTACT_STEP), *((name, formulation_label(name)) for name in FORMULATIONS)]
        if not touches and found.formulation is None:
            rows.append((_OWN, OWN_EQUATIONS))
        self.method.show_rows(rows, _CONTACT if touches else found.formulation or _OWN)
        self.integrator.show_rows([(kind.name, kind.label) for kind in INTEGRATORS], settings.integrator)
        self.method.setToolTip(_METHOD)
        for kind in INTEGRATORS:
            if kind.name == settings.integrator:
                self.integrator.setToolTip(kind.description)
                if found.formulation is None:
                    self.method.setToolTip(_ITS_OWN.format(kind.label))
                elif found.formulation != settings.formulation:
                    self.method.setToolTip(_INSTEAD.format(kind.label, formulation_label(found.formulation)))
        self.integrator_row.setVisible(not touches)
        ways = [(NOTHING_TOUCHES, NO_CONTACTS), *((kind.name, kind.label) for kind in CONTACT_METHODS)]
        self.contacts.show_rows(ways, settings.contact_method)
        tips = [kind.description for kind in CONTACT_METHODS if kind.name == settings.contact_method]
        self.contacts.setToolTip("".join(tips) or _CONTACTS)
        self.contacts_row.setVisible(any(kind.meets for kind in INTEGRATORS if kind.name == settings.integrator))
        text = "" if sequence is None else method_text(found.refusal, left_out(settings, sequence))
        self.note.setText(text)
        self.note.setVisible(bool(text))
