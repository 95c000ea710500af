"""What the ground of a scene is: the flat floor, hills or stairs by their numbers, or the triangles of a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QGridLayout, QSizePolicy, QWidget

from app.document.changes import Change, FileChanged, PhysicsChanged, SequenceChanged
from app.process.handler_guard import guarded
from app.widgets.fields.choice import Choice
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.refusals import report_refusals
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label, warning_label
from app.widgets.layouts import column_layout
from app.widgets.rows.form_row import FormRow
from app.words.quantity import METRES, WHOLE, Quantity
from core.errors import CoreError

if TYPE_CHECKING:
    from app.document.document import Document
    from core.preview.grounds import GroundSource

FILTER = "Meshes (*.obj *.stl *.ply *.glb)"
TIP = (
    "What figures and bodies stand on. Ground of triangles takes the floor's place as far as it goes; beside it the "
    "floor goes on. Its friction is that of the floor"
)
WALKED = "The sequence walks on ground of its own, which goes first"
_FLAT, _MESH = "flat", "mesh"
_WIDTHS = (72, 52)  # of the fields of the left and of the right column, as in the other settings [px]


class Number(NamedTuple):
    """One number of a ground.

    Attributes:
        name: What the program calls it.
        label: What people read.
        quantity: Its unit.
        least: Smallest value.
        most: Largest value.
        tip: What it does.
    """

    name: str
    label: str
    quantity: Quantity
    least: float
    most: float
    tip: str


NUMBERS: dict[str, tuple[Number, ...]] = {
    "hills": (
        Number("height", "Height", METRES, 0.0, 100.0, "How high the highest hill is"),
        Number("seed", "Shape", WHOLE, 0, 9999, "Other hills for each number"),
        Number("length", "Apart", METRES, 0.2, 1000.0, "From one hill to the next, about"),
        Number("clearing", "Level", METRES, 0.0, 1000.0, "Radius of the level place round the middle"),
        Number("size", "Size", METRES, 1.0, 1000.0, "Side of the square that the hills fill"),
    ),
    "stairs": (
        Number("rise", "Rise", METRES, 0.001, 10.0, "Height of a step"),
        Number("number", "Steps", WHOLE, 1, 200, "How many steps there are; the last is the landing"),
        Number("tread", "Tread", METRES, 0.01, 100.0, "Depth of a step"),
        Number("width", "Width", METRES, 0.05, 1000.0, "How wide they are, along x"),
        Number("landing", "Landing", METRES, 0.01, 1000.0, "Depth of the landing on top"),
        Number("start", "From", METRES, -1000.0, 1000.0, "Where the first step begins, along z"),
    ),
}
"""Of each kind that is made by numbers what can be set."""


class GroundForm(QWidget):
    """The kind of ground, and what can be set of it."""

    def __init__(self, document: Document):
        super().__init__()
        self.document = document
        self._shown: object = None
        self.kind = Choice("Ground", self)
        self.kind.setToolTip(TIP)
        self.kind.picked.connect(self._pick)
        self.open_button = ToolButton("open", "", "Choose another mesh file", size=(26, 22), parent=self)
        self.open_button.clicked.connect(self.ask_mesh)
        self.note = warning_label()
        self.note.setWordWrap(True)
        self.note.setContentsMargins(12, 0, 9, 2)
        self.fields: dict[str, dict[str, NumberField]] = {}
        self._forms: dict[str, QWidget] = {}
        column = column_layout(self, (0, 2, 0, 2), 2)
        column.addWidget(FormRow("Ground", [self.kind, self.open_button]))
        for kind in NUMBERS:
            self._forms[kind] = self._form(kind)
            column.addWidget(self._forms[kind])
        column.addWidget(self.note)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        document.changed.connect(self._take)

    def _form(self, kind: str) -> QWidget:
        form = QWidget(self)
        grid = QGridLayout(form)
        grid.setContentsMargins(12, 0, 9, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(2, 1)
        self.fields[kind] = {}
        for place, number in enumerate(NUMBERS[kind]):
            field = NumberField(number.quantity, parent=form)
            field.setFixedWidth(_WIDTHS[place % 2])
            field.set_limits(number.least, number.most)
            field.setAccessibleName(f"{number.label} of the {kind}")
            field.setToolTip(number.tip)
            whole, name = number.quantity is WHOLE, number.name
            field.committed.connect(
                lambda value, name=name, whole=whole: self._set(name, round(value) if whole else value)
            )
            report_refusals(field, self.document.say)
            self.fields[kind][name] = field
            label = quiet_label(number.label)
            label.setToolTip(number.tip)
            grid.addWidget(label, place // 2, 2 * (place % 2))
            grid.addWidget(field, place // 2, 2 * (place % 2) + 1)
        return form

    # -- editing -------------------------------------------------------------------------------------------------

    def _pick(self, key: object) -> None:
        from core.preview.grounds import HillsGround, StairsGround

        if key == _MESH:
            self.ask_mesh()
        elif key == "triangles":
            return
        elif key == _FLAT:
            self._edit("Flat floor", None)
        elif key == HillsGround.kind:
            self._edit("Hills", HillsGround())
        else:
            self._edit("Stairs", StairsGround())
        self.show_document(anew=True)

    def ask_mesh(self) -> None:
        """Ask for a file with the triangles of the ground, and take it."""
        ground = self.document.physics.settings.now.ground
        folder = str(Path(getattr(ground, "file", "")).parent) if getattr(ground, "file", "") else ""
        path, _ = QFileDialog.getOpenFileName(self, "Ground of a mesh", folder, FILTER)
        if path:
            self.take_mesh(Path(path))
        self.show_document(anew=True)

    def take_mesh(self, path: Path) -> bool:
        """Make a file's triangles the ground; return whether it could be read. If not, a message has said why."""
        from core.preview.grounds import MeshGround

        ground = MeshGround(str(path.resolve()))
        try:
            _ = ground.terrain
        except CoreError as error:
            self.document.say("error", str(error).partition("\n")[0], str(error))
            return False
        return self._edit(f"Ground of {path.name}", ground)

    def _set(self, name: str, value: float) -> None:
        values: dict[str, Any] = {name: value}
        ground = self.document.physics.settings.now.ground
        if ground is None:
            return
        try:
            changed = replace(ground, **values)  # type: ignore[type-var]  # each kind is a dataclass
        except CoreError as error:
            self.document.say("warning", str(error))
        else:
            self._edit("Change the ground", changed)
        self.show_document(anew=True)

    def _edit(self, text: str, ground: GroundSource | None) -> bool:
        return self.document.physics.settings.edit(text, ground=ground)

    # -- showing -------------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        settings = isinstance(change, PhysicsChanged) and change.name == "settings"
        if self.isVisible() and (isinstance(change, (FileChanged, SequenceChanged)) or settings):
            self.show_document()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_document()

    def show_document(self, anew: bool = False) -> None:
        """Show the ground of the settings."""
        settings = self.document.physics.settings.now
        ground = settings.ground
        simulated = self.document.physics.settings.simulated
        if not anew and self._shown is simulated:
            return
        self._shown = simulated
        file = getattr(ground, "file", None)
        rows = [(_FLAT, "Flat floor"), ("hills", "Hills"), ("stairs", "Stairs")]
        if ground is not None and ground.kind == "triangles":
            rows.append(("triangles", "Triangles"))
        rows.append((_MESH, "Mesh file…" if file is None else Path(file).name))
        self.kind.show_rows(rows, _FLAT if ground is None else ground.kind)
        self.kind.setToolTip(TIP if file is None else f"{file}\n{TIP}")
        self.open_button.setVisible(file is not None)
        for kind, form in self._forms.items():
            here = ground is not None and ground.kind == kind
            form.setVisible(here)
            for name, field in self.fields[kind].items():
                if here and not field.editing:
                    field.set_value(float(getattr(ground, name)))
        problem = settings.ground_problem
        if simulated is not settings:
            problem = WALKED
        self.note.setText(problem[:1].upper() + problem[1:])
        self.note.setVisible(bool(problem))
