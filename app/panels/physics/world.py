"""What is in the world of a simulation besides figures: a line for each, which opens to the numbers it has."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.document.changes import Change, FileChanged, FrameChanged, PhysicsChanged
from app.panels.physics.ground import GroundForm
from app.panels.physics.material_button import MaterialButton
from app.panels.physics.settings import SurfaceForm
from app.physics import line_edits, line_points, obstacle_edits
from app.process.handler_guard import guarded
from app.widgets.fields.name_field import NameField
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.physics_quantities import FRICTION
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.vector_field import VectorField
from app.widgets.frames.menu import make_menu, pop_up
from app.widgets.frames.tool_button import ToolButton
from app.widgets.layouts import column_layout, row_layout
from app.widgets.rows.form_row import FormRow
from app.widgets.rows.group_header import GroupHeader
from app.words.lengths import size_text
from app.words.line_kinds import LINE_KINDS, LineKind, line_kind
from app.words.quantity import DEGREES, KILOGRAMS, METRES, NUMBER, WHOLE, Quantity
from core.errors import CoreError

if TYPE_CHECKING:
    from app.document.document import Document
    from core.dynamics.contact.obstacles import Obstacle
    from core.preview.rigid_bodies import PhysicsString, RigidBody
    from core.preview.strands import Strand

LENGTH = Quantity("", 2, 0.01, "metres", METRES.units)
SIZES: dict[str, tuple[tuple[str, str, Quantity, float, float], ...]] = {
    "ball": (("radius", "Radius", METRES, 1e-3, 1e3),),
    "ramp": (
        ("length", "Length", METRES, 1e-2, 1e3), ("height", "Height", METRES, 1e-3, 1e3),
        ("width", "Width", METRES, 1e-2, 1e3),
    ),
    "stairs": (
        ("steps", "Steps", WHOLE, 1, 200), ("rise", "Rise", METRES, 1e-3, 1e2), ("tread", "Tread", METRES, 1e-3, 1e2),
        ("width", "Width", METRES, 1e-2, 1e3),
    ),
}  # fmt: skip
"""Of each kind the numbers that say how large it is: name, label, unit, least and most. A box has three edges."""
NUMBERS: dict[str, tuple[str, Quantity, float]] = {
    "stiffness": ("Stiffness", Quantity("N/m", 0, 10.0, "newtons per metre"), 1e9),
    "rest_length": ("Length", METRES, 1e4),
    "damping": ("Damping", Quantity("N·s/m", 1, 1.0, "newton seconds per metre"), 1e8),
    "optimal_force": ("Force", Quantity("N", 0, 10.0, "newtons"), 1e7),
    "optimal_length": ("Length", METRES, 1e4),
    "activation": ("Active", Quantity("", 2, 0.02, ""), 1.0),
    "tendon_length": ("Tendon", METRES, 1e4),
    "fastest": ("Fastest", Quantity("/s", 1, 0.5, "of its lengths a second"), 1e4),
}
"""Numbers of forces by their names: label, unit and most."""
STRAND_NUMBERS: tuple[tuple[str, str, Quantity, float, float], ...] = (
    ("length", "Length", METRES, 1e-3, 1e3),
    ("links", "Links", WHOLE, 1, 200),
    ("radius", "Thickness", Quantity("m", 3, 0.001, "metres", METRES.units), 2e-5, 20.0),
    ("mass", "Mass", Quantity("kg", 3, 0.01, "kilograms", KILOGRAMS.units), 1e-6, 1e4),
    ("stretch", "Stiffness", Quantity("N", 1, 1.0, "newtons"), 0.0, 1e9),
    ("bend", "Bending", Quantity("N", 2, 0.1, "newtons"), 0.0, 1e9),
    ("damping", "Damping", Quantity("s", 3, 0.005, "seconds"), 0.0, 10.0),
    ("drag", "Air", Quantity("/s", 1, 0.1, "a second"), 0.0, 1e3),
    ("shape", "Shape", Quantity("/s", 1, 0.5, "a second"), 0.0, 1e3),
)
"""Numbers of strands: name, label, unit, least and most."""
STRAND_TIPS = {
    "links": "How many straight links it is made of: more bend more smoothly and take longer",
    "stretch": "Force that would stretch it to twice its length",
    "bend": "How much it resists being bent",
    "damping": "How soon it stops to swing along itself",
    "drag": "How much the air brakes it",
    "shape": "How strongly it goes back to the way it was drawn: 0 hangs as hair does, 10 is a stiff tail",
}
_NEVER_ZERO = ("optimal_length", "fastest")
KEY_TIP = "Key how active {} is at this frame\nIts curve is on the Dynamics tab"
UNKEY_TIP = "Take away the key of how active {} is at this frame\nIts curve is on the Dynamics tab"
POINT_TIP = (
    "Lead {} through another point, in the middle of its longest stretch\nA double click on it does so in the view"
)
_LABEL_WIDTH = 68  # [px]: "Speed, m/s" is the longest
GROUND_WORDS = {"hills": "hills", "stairs": "stairs"}
ICONS = {"box": "cube", "ball": "ball-shape", "ramp": "ramp", "stairs": "stairs"}


class WorldObstacles(QWidget):
    """Everything in the world: what stands still, bodies that move, strings."""

    def __init__(self, document: Document):
        super().__init__()
        self.document = document
        self.rows: list[WorldRow] = []
        self.header = GroupHeader("World", "", self)
        self.add_button = ToolButton("plus", "", "Add to the world", size=(26, 22), parent=self)
        self.add_button.clicked.connect(self._offer)
        head = row_layout(margins=(0, 0, 7, 0))
        head.addWidget(self.header, 1)
        head.addWidget(self.add_button)
        self._list = QWidget(self)
        self._column = column_layout(self._list, (0, 2, 0, 0))
        self.surfaces = SurfaceForm(document)
        self._column.addWidget(self.surfaces)
        self.ground = GroundForm(document)
        self._column.addWidget(self.ground)
        self._column.addSpacing(4)
        column = column_layout(self)
        column.addLayout(head)
        column.addWidget(self._list)
        self.header.setChecked(False)
        self.header.set_body(self._list)
        document.changed.connect(self._take)
        self._shown: tuple[object, ...] | None = None
        self._to_open = False  # whether something was picked whose numbers nobody has seen yet

    def offered(self) -> list[Any]:
        """Return what can be added, as ``make_menu`` takes it: as *Physics > Add to the world* does."""
        items: list[Any] = [
            (kind.capitalize(), partial(obstacle_edits.add, self.document, kind), ICONS[kind])
            for kind in obstacle_edits.KINDS
        ]
        items.append(None)
        items += [
            (f"{kind.capitalize()} that moves", partial(obstacle_edits.add_body, self.document, kind), ICONS[kind])
            for kind in obstacle_edits.BODIES
        ]
        joint = obstacle_edits.string_joint(self.document)
        string = partial(obstacle_edits.add_string, self.document)
        items.append((f"String that holds {joint or 'the selected part'}", string, "link"))
        items.append(None)
        items += [
            (kind.menu_text, partial(self.document.physics.attach, kind.name), kind.icon)
            for kind in LINE_KINDS
            if kind.offered
        ]
        chosen = self.document.selection.joints
        if len(chosen) > 1:
            items.append(None)
            items += [
                (
                    f"{kind.between_text} between selected parts",
                    partial(line_points.attach_between, self.document, kind, chosen),
                    kind.icon,
                )
                for kind in LINE_KINDS
                if kind.offered
            ]
        return items

    def _offer(self) -> None:
        pop_up(make_menu(self, self.offered()), self.add_button.mapToGlobal(QPoint(0, self.add_button.height())))

    def _open_row(self, row: WorldRow) -> None:
        self.header.setChecked(True)
        row.header.setChecked(True)
        row.header.show_body()

    def _take(self, change: Change) -> None:
        settings = isinstance(change, PhysicsChanged) and change.name == "settings"
        if isinstance(change, PhysicsChanged) and change.name == "picked":
            self._to_open = True
            self._open_picked()
        elif self.isVisible() and (isinstance(change, FileChanged) or settings):
            self.show_document()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_document()
        QTimer.singleShot(0, self, self._open_picked)  # picked while it could not be seen; as soon as it has its place

    def _open_picked(self) -> None:
        """Open the numbers of what was added, attached or clicked last, once, as soon as they can be seen."""
        if not (self._to_open and self.isVisible()):
            return
        self._to_open = False
        picked = self.document.physics.picked
        for row in self.rows:
            if (row.field, row.number) == picked:
                self._open_row(row)

    def show_document(self) -> None:
        """Show what there is; rows are kept, so that the keyboard stays where it is."""
        settings = self.document.physics.settings.now
        shown = (*(getattr(settings, field) for field in ROWS), settings.floor, settings.ground)
        if self._shown is not None and all(now is then for now, then in zip(shown, self._shown, strict=True)):
            return
        self._shown = shown
        items = [
            (field, k, item)
            for field in ROWS
            for k, item in enumerate(getattr(settings, field))
            if field != line_edits.FORCES or line_kind(item) is not None  # others have no place that could be drawn
        ]
        wanted = [(field, k, kind_of(item)) for field, k, item in items]
        same = 0
        while same < min(len(wanted), len(self.rows)) and self.rows[same].key == wanted[same]:
            same += 1
        for row in self.rows[same:]:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        del self.rows[same:]
        for field, k, kind in wanted[same:]:
            row = ROWS[field](self.document, field, k, kind, self._list)
            self.rows.append(row)
            self._column.addWidget(row)
            row.show()
        for row, (_, _, item) in zip(self.rows, items, strict=True):
            row.show_item(item)
        count = len(items)
        empty = "no floor" if settings.floor is None else "floor and friction"
        if settings.ground is not None:
            empty = GROUND_WORDS.get(settings.ground.kind, "ground of a mesh")
        self.header.set_summary(f"{count} object{'s' * (count != 1)}" if count else empty)


class WorldRow(QWidget):
    """One thing in the world.

    Args:
        document: The open document.
        field: In which of the settings it is.
        number: Its place there.
        kind: What it is.
        parent: Parent widget.
    """

    def __init__(self, document: Document, field: str, number: int, kind: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.document, self.field, self.number, self.kind = document, field, number, kind
        self._item: Any = None
        self.header = GroupHeader("", "", self)
        self.header.setChecked(False)
        self.remove_button = ToolButton("close", "", "Remove", size=(22, 22), parent=self)
        self.remove_button.clicked.connect(self._remove)
        head = row_layout(margins=(10, 0, 7, 0))
        head.addWidget(self.header, 1)
        head.addWidget(self.remove_button)
        self.body = QWidget(self)
        self._form = column_layout(self.body, (10, 0, 0, 4), 1)
        self.build()
        column = column_layout(self)
        column.addLayout(head)
        column.addWidget(self.body)
        self.header.set_body(self.body)
        if field in (line_edits.STRINGS, line_edits.FORCES, line_edits.STRANDS):
            self.header.clicked.connect(self._pick)

    def _pick(self) -> None:
        """Let what is opened by hand be picked in the views and on the timeline too."""
        if self.header.isChecked():
            self.document.physics.show_in_world(self.field, self.number)

    @property
    def key(self) -> tuple[str, int, str]:
        """What it is the row of."""
        return self.field, self.number, self.kind

    def build(self) -> None:
        """Make the fields."""

    def show_values(self, item: Any) -> None:
        """Show the numbers of what it is the row of."""

    def _vector(self, label: str, name: str, least: float = -math.inf, unit: str = "m") -> VectorField:
        field = VectorField(label, LENGTH)
        if least > 0.0:
            field.set_limits(least, 1e3)
        field.committed.connect(lambda: self.set_value(name, np.array(field.value)))
        field.refused.connect(lambda why: self.document.say("info", why))
        self._form.addWidget(FormRow(label, [field], unit, _LABEL_WIDTH))
        return field

    def _number(
        self, label: str, name: str, quantity: Quantity, least: float, most: float, *beside: QWidget
    ) -> NumberField:
        field = NumberField(quantity)
        field.setAccessibleName(label)
        field.set_limits(least, most)
        field.committed.connect(lambda value: self.set_value(name, value))
        report_refusals(field, self.document.say)
        self._form.addWidget(FormRow(label, [field, *beside], label_width=_LABEL_WIDTH))
        return field

    def _friction(self) -> NumberField:
        self.material = MaterialButton(
            self.kind, lambda: float(self._item.friction), lambda value: self.set_value("friction", value)
        )
        return self._number("Friction", "friction", FRICTION, 0.0, 10.0, self.material)

    def set_value(self, name: str, value: Any) -> None:
        """Change a value as one step; say why if it makes no sense."""
        items = getattr(self.document.physics.settings.now, self.field)
        try:
            changed = obstacle_edits.exchanged(items, self.number, **{name: value})
        except CoreError as error:
            self.document.say("warning", str(error))
        else:
            values: dict[str, Any] = {self.field: changed}
            self.document.physics.settings.edit(f"Change {self.title(items[self.number])}", **values)
        if self._item is not None:
            self.show_item(self._item)

    def _remove(self) -> None:
        items = getattr(self.document.physics.settings.now, self.field)
        rest: dict[str, Any] = {self.field: (*items[: self.number], *items[self.number + 1 :])}
        self.document.physics.unpick()  # those after it get other numbers
        self.document.physics.settings.edit(f"Remove {self.title(items[self.number])}", **rest)

    def title(self, item: Any) -> str:
        """Return what it is called."""
        return str(item.name or self.kind)

    def summary(self, item: Any) -> str:
        """Return what it is like, in few words."""
        return ""

    def show_item(self, item: Any) -> None:
        """Show what it is the row of."""
        self._item = item
        name = self.title(item)
        self.header.setText(name[:1].upper() + name[1:])
        self.header.setAccessibleName(self.header.text())
        self.header.set_summary(self.summary(item))
        self.remove_button.setToolTip(f"Remove {name}")
        self.remove_button.setAccessibleName(f"Remove {name}")
        self.show_values(item)


class ObstacleRow(WorldRow):
    """One obstacle."""

    def build(self) -> None:
        self.place = self._vector("Place", "position")
        self.size_field = self._vector("Size", "size", 1e-3) if self.kind == "box" else None
        self.numbers = {
            name: self._number(label, name, quantity, least, most)
            for name, label, quantity, least, most in SIZES.get(self.kind, ())
        }
        self.turn = self._number("Turn", "turn", DEGREES, -360.0, 360.0)
        self.friction = self._friction()

    def set_value(self, name: str, value: Any) -> None:
        if name == "turn":
            name, value = "rotation", np.array([0.0, math.radians(value), 0.0])
        elif name == "steps":
            value = int(value)
        super().set_value(name, value)

    def summary(self, item: Obstacle) -> str:
        return extent_text(item)

    def show_values(self, item: Obstacle) -> None:
        from core.dynamics.contact.obstacles import BoxObstacle  # whoever has an obstacle has loaded it

        self.place.show_value(item.position)
        if self.size_field is not None:
            assert isinstance(item, BoxObstacle)
            self.size_field.show_value(item.size)
        for what, field in self.numbers.items():
            field.set_value(float(getattr(item, what)))
        self.turn.set_value(math.degrees(float(item.rotation[1])))
        self.friction.set_value(item.friction)


class BodyRow(WorldRow):
    """One rigid body that moves."""

    def build(self) -> None:
        self.place = self._vector("Place", "position")
        self.size_field = self._vector("Size", "size", 1e-3) if self.kind == "box" else None
        names = {"ball": ("Radius",), "capsule": ("Radius", "Length")}.get(self.kind, ())
        self.numbers = {name: self._number(name, name, METRES, 1e-3, 1e3) for name in names}
        self.mass = self._number("Mass", "mass", KILOGRAMS, 1e-3, 1e6)
        self.velocity = self._vector("Speed", "velocity", unit="m/s")
        self.friction = self._friction()

    def set_value(self, name: str, value: Any) -> None:
        if name in self.numbers:
            name, value = "size", tuple(field.value for field in self.numbers.values())
        super().set_value(name, value)

    def summary(self, item: RigidBody) -> str:
        return KILOGRAMS.text(item.mass)

    def show_values(self, item: RigidBody) -> None:
        self.place.show_value(item.position)
        if self.size_field is not None:
            self.size_field.show_value(item.size)
        for field, value in zip(self.numbers.values(), item.size, strict=False):
            field.set_value(value)
        self.mass.set_value(item.mass)
        self.velocity.show_value(item.velocity)
        self.friction.set_value(item.friction)


class LineRow(WorldRow):
    """One string, spring, rope, muscle or strand: it has a name."""

    def build(self) -> None:
        self.name_field = NameField("Name", "none")
        self.name_field.setToolTip("What it is called, on the Dynamics tab too")
        self.name_field.committed.connect(lambda name: self.set_value(line_edits.NAME, name))
        self._form.addWidget(FormRow("Name", [self.name_field], label_width=_LABEL_WIDTH))

    def set_value(self, name: str, value: Any) -> None:
        if name != line_edits.NAME:
            super().set_value(name, value)
        elif line_edits.rename(self.document, self.field, self.number, value):
            self.show_item(getattr(self.document.physics.settings.now, self.field)[self.number])

    def title(self, item: Any) -> str:
        return line_edits.line_name(item)

    def show_values(self, item: Any) -> None:
        self.name_field.show_text(getattr(item, line_edits.NAME))


class StringRow(LineRow):
    """One string."""

    def build(self) -> None:
        super().build()
        self.anchor = self._vector("Anchor", "anchor")
        self.length = self._number("Length", "length", METRES, 0.0, 1e4)
        self.point = self._vector("Tied at", "point")

    def summary(self, item: PhysicsString) -> str:
        return size_text(item.length)

    def show_values(self, item: PhysicsString) -> None:
        super().show_values(item)
        self.anchor.show_value(item.anchor)
        self.length.set_value(item.length)
        self.point.show_value(item.point)


class ForceRow(LineRow):
    """One spring, rope or muscle: a field for each of its numbers."""

    def build(self) -> None:
        super().build()
        self.point_button: ToolButton | None = None
        if self._line_kind.through:
            self.point_button = self._button("plus", "Lead it through another point", self.name_field)
            self.point_button.clicked.connect(lambda: line_points.add_point(self.document, self.number))
        made = line_edits.force_class(self._line_kind)
        self.numbers = {name: self._number(*number_look(name, made)) for name in line_edits.number_fields(made)}
        self.key_button: ToolButton | None = None
        if line_edits.ACTIVATION in self.numbers:
            self.key_button = self._button(
                "key", "Key the activation at this frame", self.numbers[line_edits.ACTIVATION], checkable=True
            )
            self.key_button.clicked.connect(self._key)
            self.document.changed.connect(self._follow)

    def _button(self, icon: str, name: str, field: QWidget, checkable: bool = False) -> ToolButton:
        """Put a button beside a field."""
        button = ToolButton(icon, "", name, checkable=checkable, size=(22, 22), parent=self)
        button.setAccessibleName(name)
        row = field.parentWidget()
        layout = None if row is None else row.layout()
        assert layout is not None
        layout.addWidget(button)
        return button

    @property
    def _line_kind(self) -> LineKind:
        return next(kind for kind in LINE_KINDS if kind.force == self.kind)

    def summary(self, item: Any) -> str:
        name = next(iter(self.numbers), "")
        return number_look(name, type(item))[2].text(getattr(item, name)) if name else ""

    def set_value(self, name: str, value: Any) -> None:
        if name == line_edits.ACTIVATION and self._item is not None and not isinstance(self._item.activation, float):
            line_edits.key_activation(self.document, self.number, float(value))
        else:
            super().set_value(name, value)

    def _key(self) -> None:
        """Key the activation at this frame, or take that key away."""
        if line_edits.has_key(self.document, self.number):
            line_edits.unkey_activation(self.document, self.number)
        else:
            line_edits.key_activation(self.document, self.number, self.numbers[line_edits.ACTIVATION].value)
        self._show_key()

    def _show_key(self) -> None:
        """Show whether there is a key of the activation at this frame."""
        if self.key_button is not None:
            there = line_edits.has_key(self.document, self.number)
            self.key_button.setChecked(there)
            tip = UNKEY_TIP if there else KEY_TIP
            self.key_button.setToolTip(tip.format(line_edits.definite_name(self._item)))

    def _follow(self, change: Change) -> None:
        shown = isinstance(change, PhysicsChanged) and change.name == "sample"
        if self._item is not None and self.isVisible() and (shown or isinstance(change, FrameChanged)):
            self._show_activation(self._item)

    def _show_activation(self, item: Any) -> None:
        from app.render.world_lines import active_at  # whoever has a muscle has loaded the forces

        self.numbers[line_edits.ACTIVATION].set_value(active_at(item, line_edits.seconds(self.document)))
        self._show_key()

    def show_values(self, item: Any) -> None:
        super().show_values(item)
        if self.point_button is not None:
            self.point_button.setToolTip(POINT_TIP.format(line_edits.definite_name(item)))
        for name, field in self.numbers.items():
            if name == line_edits.ACTIVATION:
                self._show_activation(item)
            else:
                field.set_value(float(getattr(item, name)))


class StrandRow(LineRow):
    """One strand: hair, a tail, a cord."""

    def build(self) -> None:
        super().build()
        self.numbers = {
            name: self._number(label, name, quantity, least, most)
            for name, label, quantity, least, most in STRAND_NUMBERS
        }
        for name, tip in STRAND_TIPS.items():
            self.numbers[name].setToolTip(tip)

    def summary(self, item: Strand) -> str:
        return size_text(line_edits.strand_length(item))

    def set_value(self, name: str, value: Any) -> None:
        if name == "length":
            strands = self.document.physics.settings.now.strands
            try:
                changed = line_edits.with_length(strands[self.number], float(value))
            except CoreError as error:
                self.document.say("warning", str(error))
                return
            values = (*strands[: self.number], changed, *strands[self.number + 1 :])
            self.document.physics.settings.edit(f"Change {self.title(changed)}", strands=values)
            return
        if name == "radius":
            value = 0.5 * value
        super().set_value(name, int(value) if name == "links" else value)

    def show_values(self, item: Strand) -> None:
        super().show_values(item)
        shown = {"length": line_edits.strand_length(item), "links": float(len(item.body().points) - 1)}
        shown["radius"] = 2.0 * item.radius
        for name, field in self.numbers.items():
            field.set_value(shown[name] if name in shown else float(getattr(item, name)))


ROWS: dict[str, type[WorldRow]] = {
    "obstacles": ObstacleRow, "rigid_bodies": BodyRow, "strings": StringRow, "forces": ForceRow, "strands": StrandRow,
}  # fmt: skip
"""What is in the world, by the names that the settings have for it."""


def kind_of(item: Any) -> str:
    """Return what something in the world is: its kind, or the name of a force's class."""
    line = line_kind(item)
    return str(item.kind) if line is None else line.force or line.name


def number_look(name: str, made: type) -> tuple[str, str, Quantity, float, float]:
    """Return how a number of a force is shown: label, name, unit, least and most."""
    label, quantity, most = NUMBERS.get(name, (name.replace("_", " ").capitalize(), NUMBER, 1e6))
    least = 1e-3 if name in _NEVER_ZERO else 0.0
    return label, name, quantity, least, most


def extent_text(obstacle: Obstacle) -> str:
    """Return how large an obstacle is, in few words."""
    from core.dynamics.contact.obstacles import BallObstacle, BoxObstacle, Ramp, Stairs

    if isinstance(obstacle, BoxObstacle):
        return " × ".join(size_text(float(edge)) for edge in obstacle.size)
    if isinstance(obstacle, Stairs):
        return f"{obstacle.steps} steps"
    if isinstance(obstacle, Ramp):
        angle = math.degrees(math.atan2(obstacle.height, obstacle.length))
        return f"{angle:.0f}°"
    assert isinstance(obstacle, BallObstacle)
    return size_text(2.0 * obstacle.radius)
