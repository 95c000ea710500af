"""Settings of physics: step, speed, gravity, motors; floor, friction. All but the speed are the document's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from app.document.changes import Change, FileChanged, PhysicsChanged, SessionChanged
from app.document.session import FASTEST, SLOWEST
from app.panels.physics.material_button import MaterialButton
from app.process.handler_guard import guarded
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.physics_quantities import ACCELERATION, FRICTION, GAIN, SHARE, SPEED
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.switch import Switch
from app.widgets.labels import quiet_label
from app.widgets.layouts import row_layout
from app.words.quantity import DEGREES, METRES, Quantity

if TYPE_CHECKING:
    from app.document.document import Document
    from core.dynamics.contact.world import Floor

_WIDTHS = (72, 52)  # of the fields of the left and of the right column [px]
_STEEPEST = 80.0  # [degrees]
_FRICTION = "Friction of the {}; between two surfaces it is the square root of their product"


class Setting(NamedTuple):
    """One number.

    Attributes:
        name: What the program calls it.
        label: What people read.
        spoken: What assistive tools say.
        quantity: Its unit.
        least: Smallest value.
        most: Largest value.
        tip: What it does.
    """

    name: str
    label: str
    spoken: str
    quantity: Quantity
    least: float
    most: float
    tip: str


MOTION: tuple[Setting, ...] = (
    Setting("step", "Step", "Step", SHARE, 1e-4, 0.02, "Length of a step; shorter steps are more accurate"),
    Setting("speed", "Speed", "Speed", SPEED, SLOWEST, FASTEST, "Seconds simulated or played per second"),
    Setting("gravity", "Gravity", "Gravity", ACCELERATION, -100.0, 100.0, "Acceleration of free fall, downwards"),
    Setting("motor_gain", "Motor gain", "Motor gain", GAIN, 0.0, 10.0, "How closely motors follow the keys; 0 is limp"),
)
SURFACES: tuple[Setting, ...] = (
    Setting("height", "Floor at", "Height of the floor", METRES, -1e4, 1e4, "How high the floor is"),
    Setting("tilt", "Tilt", "Tilt of the floor", DEGREES, 0.0, _STEEPEST, "How steep the floor is"),
    Setting("floor_friction", "Its friction", "Friction of the floor", FRICTION, 0.0, 10.0, _FRICTION.format("floor")),
    Setting("heading", "Rises to", "Floor rises to", DEGREES, -180.0, 180.0, "Where a tilted floor rises to; 0° is z"),
    Setting("friction", "Friction", "Friction of the figure", FRICTION, 0.0, 10.0, _FRICTION.format("figure")),
)
_SHOWN = {(PhysicsChanged, "settings"), (SessionChanged, "speed")}
_OF_FLOOR = ("height", "tilt", "heading", "floor_friction")
_MADE_OF = {"floor_friction": "floor", "friction": "figure"}
_STEPS = {"step": "Set step", "gravity": "Set gravity", "motor_gain": "Set motor gain", "friction": "Set friction"}


class PhysicsForm(QWidget):
    """Settings, two a line.

    Args:
        document: The open document.
        settings: Which ones.
    """

    def __init__(self, document: Document, settings: tuple[Setting, ...]):
        super().__init__()
        self.document = document
        self.fields: dict[str, NumberField] = {}
        self._shown: object = None
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(12, 0, 9, 0)
        self.grid.setHorizontalSpacing(6)
        self.grid.setVerticalSpacing(4)
        self.grid.setColumnStretch(0, 1)
        self.grid.setColumnStretch(2, 1)
        for number, setting in enumerate(settings):
            self._add(number, setting)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        document.changed.connect(self._take)

    def _add(self, number: int, setting: Setting) -> None:
        field = NumberField(setting.quantity, parent=self)
        field.setFixedWidth(_WIDTHS[number % 2])
        field.set_limits(setting.least, setting.most)
        field.setAccessibleName(setting.spoken)
        field.setToolTip(setting.tip)
        field.committed.connect(lambda value: self._set(setting.name, value))
        report_refusals(field, self.document.say)
        self.fields[setting.name] = field
        self.put(number, setting.label, self.with_more(setting.name, field), setting.tip)

    def with_more(self, name: str, field: NumberField) -> QWidget:
        """Return a field with what stands beside it."""
        return field

    def put(self, number: int, text: str, part: QWidget, tip: str) -> None:
        """Put a label and what sets its value in a place, counted along the lines."""
        label = quiet_label(text)
        label.setToolTip(tip)
        self.grid.addWidget(label, number // 2, 2 * (number % 2))
        self.grid.addWidget(part, number // 2, 2 * (number % 2) + 1)

    # -- editing -------------------------------------------------------------------------------------------------

    def _set(self, name: str, value: float) -> None:
        if name == "speed":
            self.document.session.playback.speed = value
        elif name in _OF_FLOOR:
            self._set_floor(name, value)
        else:
            values: dict[str, Any] = {name: value}
            self.document.physics.settings.edit(_STEPS[name], **values)
        self.show_document(anew=True)

    def _set_floor(self, name: str, value: float) -> None:
        from core.dynamics.contact.world import Floor

        floor = self.document.physics.settings.now.floor or Floor()
        tilt, heading = tilt_of(floor)
        tilt, heading = (value if name == "tilt" else tilt), (value if name == "heading" else heading)
        height = value if name == "height" else floor.height
        friction = value if name == "floor_friction" else floor.friction
        changed = Floor.tilted(math.radians(tilt), math.radians(heading), height, friction)
        self.document.physics.settings.edit("Change the floor", floor=changed)

    # -- showing -------------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        if self.isVisible() and (isinstance(change, FileChanged) or (type(change), change.name) in _SHOWN):
            self.show_document()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_document()  # not before: the settings bring the libraries of dynamics along

    def show_document(self, anew: bool = False) -> None:
        """Show the settings."""
        settings, factor = self.document.physics.settings.now, self.document.physics.factor
        if not anew and self._shown == (id(settings), factor):
            return
        self._shown = (id(settings), factor)
        floor = settings.floor
        tilt, heading = (0.0, 0.0) if floor is None else tilt_of(floor)
        values = {
            "step": settings.step, "speed": factor, "gravity": settings.gravity, "motor_gain": settings.motor_gain,
            "friction": settings.friction, "height": 0.0 if floor is None else floor.height, "tilt": tilt,
            "heading": heading, "floor_friction": 0.0 if floor is None else floor.friction,
        }  # fmt: skip
        for name, field in self.fields.items():
            if not field.editing:
                field.set_value(values[name])
            if name in _OF_FLOOR:
                field.setEnabled(floor is not None and (name != "heading" or tilt > 0.0))


class SurfaceForm(PhysicsForm):
    """The floor, friction, and whether parts of a figure touch each other."""

    def __init__(self, document: Document):
        self.floor, self.self_contact = Switch("Floor"), Switch("Self-contact")
        self.materials: dict[str, MaterialButton] = {}
        super().__init__(document, SURFACES)
        self.put(5, "Self-contact", self.self_contact, "Whether parts of the figure touch each other")
        self.put(6, "Floor", self.floor, "Whether there is a floor at all")
        self.self_contact.toggled.connect(self._set_self_contact)
        self.floor.toggled.connect(self._set_there)

    def with_more(self, name: str, field: NumberField) -> QWidget:
        if name not in _MADE_OF:
            return field
        button = MaterialButton(_MADE_OF[name], lambda: self._friction(name), lambda value: self._set(name, value))
        self.materials[name] = button
        both = QWidget(self)
        row = row_layout(both, (0, 0, 0, 0), 0)
        row.addWidget(field)
        row.addWidget(button)
        return both

    def _friction(self, name: str) -> float:
        settings = self.document.physics.settings.now
        if name == "friction":
            return float(settings.friction)
        return math.nan if settings.floor is None else float(settings.floor.friction)

    def _set_self_contact(self, on: bool) -> None:
        if on != self.document.physics.settings.now.self_contact:
            self.document.physics.settings.edit("Set self-contact", self_contact=on)

    def _set_there(self, on: bool) -> None:
        from core.dynamics.contact.world import Floor

        if on != (self.document.physics.settings.now.floor is not None):
            self.document.physics.settings.edit(
                "Add the floor" if on else "Remove the floor", floor=Floor() if on else None
            )

    def show_document(self, anew: bool = False) -> None:
        super().show_document(anew)
        settings = self.document.physics.settings.now
        self.self_contact.setChecked(settings.self_contact)
        self.floor.setChecked(settings.floor is not None)
        self.materials["floor_friction"].setEnabled(settings.floor is not None)


def tilt_of(floor: Floor) -> tuple[float, float]:
    """Return how steep a floor is and which way it rises, [degrees]."""
    x, y, z = (float(value) for value in np.asarray(floor.normal))
    tilt = math.degrees(math.atan2(math.hypot(x, z), y))
    return (tilt, math.degrees(math.atan2(-x, -z))) if tilt > 1e-9 else (0.0, 0.0)
