"""Forces in the joint that is edited, and how rough its part is: what simulations take from the figure."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType

from PySide6.QtWidgets import QWidget

from app.document.edits import joint_edits
from app.document.edits.joint_edits import Edit
from app.widgets.fields.limit_field import LimitField
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.physics_quantities import FRICTION, TORQUES
from app.widgets.fields.vector_field import VectorField
from app.widgets.layouts import column_layout
from app.widgets.rows.form_row import FormRow
from app.words.quantity import DEGREES, METRES, Quantity
from core.skeleton import Joint
from core.skeleton.dof import HINGE, LENGTH

Bind = Callable[[VectorField | NumberField, str, Callable[[str], Edit]], None]

WIDE_LABEL = 92  # [px]
SPRINGS = (Quantity("N·m/rad", 2, 0.5, "newton metres per radian"), Quantity("N/m", 1, 10.0, "newtons per metre"))
DAMPERS = (Quantity("N·m·s/rad", 3, 0.02, "newton metre seconds per radian"),
           Quantity("N·s/m", 2, 0.2, "newton seconds per metre"))  # fmt: skip
RESTS = (DEGREES, METRES)
SIZE = Quantity("mm", 1, 1.0, "millimetres", MappingProxyType({"mm": 1.0, "cm": 10.0, "m": 1000.0}))
_FIRST_FRICTION = 0.8  # where a missing friction begins
_BALL = "A ball joint takes no torque: one number cannot say about which axis it acts"
_TORQUE = "Torque that drives the joint all the time, on the part and, opposite, on what it hangs on"
_DRY = "Dry friction: coefficient of the bearing, which resists with that share of the load that the joint carries"
_SIZE = "{} of the bearing; 0 stands for {} % of the figure's height"


class PhysicsSection(QWidget):
    """Spring, dampers, friction and torque of a joint.

    Args:
        bind: Lets a field set a value: field, name of the value, and what makes the edit from the joint's name.
    """

    def __init__(self, bind: Bind):
        super().__init__()
        self._slides = False
        self._column = column_layout(self)
        self.spring = self._field("Spring", SPRINGS[0], 0.0, "How strongly a spring pulls the joint to its rest")
        self.rest = self._field("Spring rests at", RESTS[0], -math.inf, "Where the spring rests")
        self.damping = self._field("Damping", DAMPERS[0], 0.0, "Damping of the spring: slows every motion of the joint")
        viscous = "Viscous friction µ, on the relative angular velocity of the two parts"
        self.viscous = self._field("Viscous friction", DAMPERS[0], 0.0, viscous)
        self.torque = self._field("Torque", TORQUES[0], -math.inf, _TORQUE)
        self.dry = self._field("Dry friction", FRICTION, 0.0, _DRY)
        self.bearing_radius = self._field("Bearing radius", SIZE, 0.0, _SIZE.format("Radius", 1))
        self.bearing_height = self._field("Bearing height", SIZE, 0.0, _SIZE.format("Height", 2))
        self.surface = LimitField(1, _FIRST_FRICTION, FRICTION, self, none="usual")
        self.surface.set_limits(0.0, math.inf)
        self._row("Surface", self.surface, "Friction of the part's surface where it touches others; empty is usual")
        edits: tuple[tuple[NumberField, str, Callable[[], dict[str, object]]], ...] = (
            (self.spring, "spring", self._spring),
            (self.rest, "rest of the spring", self._spring),
            (self.damping, "damping", lambda: {"damping": self.damping.value}),
            (self.viscous, "viscous friction", lambda: {"viscous": self.viscous.value}),
            (self.torque, "torque", lambda: {"motor": self.torque.value}),
            (self.dry, "dry friction", self._coulomb),
            (self.bearing_radius, "radius of the bearing", lambda: self._coulomb(self.bearing_radius)),
            (self.bearing_height, "height of the bearing", lambda: self._coulomb(self.bearing_height)),
            (self.surface, "friction of the surface", self._surface),
        )
        for field, text, values in edits:
            bind(field, text, lambda name, values=values: joint_edits.with_values(name, **values()))  # type: ignore[misc]

    def _field(self, label: str, quantity: Quantity, least: float, tip: str) -> NumberField:
        field = NumberField(quantity, parent=self)
        field.set_limits(least, math.inf)
        self._row(label, field, tip)
        return field

    def _row(self, label: str, field: NumberField, tip: str) -> None:
        field.setAccessibleName(label)
        field.setToolTip(tip)
        self._column.addWidget(FormRow(label, [field], label_width=WIDE_LABEL))

    # -- what fields say -----------------------------------------------------------------------------------------

    def _spring(self) -> dict[str, object]:
        rest = self.rest.value if self._slides else math.radians(self.rest.value)
        none = self.spring.value == 0.0 and rest == 0.0
        return {"stiffness": None if none else (self.spring.value, rest)}

    def _coulomb(self, given: NumberField | None = None) -> dict[str, object]:
        """Return the friction of the bearing; one size stands for both until the other one is given."""
        radius, height = self.bearing_radius.value, self.bearing_height.value
        if given is not None and given.value == 0.0:
            radius = height = 0.0
        sizes = (radius or height) / 1000.0, (height or radius) / 1000.0
        if self.dry.value == 0.0 and not any(sizes):
            return {"coulomb": None}
        return {"coulomb": (self.dry.value, *(size or None for size in sizes))}

    def _surface(self) -> dict[str, object]:
        return {"friction": self.surface.value if math.isfinite(self.surface.value) else None}

    # -- showing -------------------------------------------------------------------------------------------------

    def show_joint(self, joint: Joint) -> None:
        """Show the forces in a joint; a field that is being edited stays."""
        self._slides = bool(joint.units) and all(unit == LENGTH for unit in joint.units)
        for field, pair in (
            (self.spring, SPRINGS), (self.rest, RESTS), (self.damping, DAMPERS), (self.viscous, DAMPERS),
            (self.torque, TORQUES),
        ):  # fmt: skip
            field.quantity = pair[self._slides]
        stiffness, rest = joint.stiffness or (0.0, 0.0)
        dry, radius, height = joint.coulomb or (0.0, None, None)
        for field, value in (
            (self.spring, stiffness), (self.rest, rest if self._slides else math.degrees(rest)),
            (self.damping, joint.damping), (self.viscous, joint.viscous), (self.torque, joint.motor), (self.dry, dry),
            (self.bearing_radius, 1000.0 * (radius or 0.0)), (self.bearing_height, 1000.0 * (height or 0.0)),
            (self.surface, math.inf if joint.friction is None else joint.friction),
        ):  # fmt: skip
            if not field.editing:
                field.set_value(value)
        turns = sum(dof.kind == HINGE for dof in joint.dofs)
        sizes = self.bearing_radius, self.bearing_height
        for field in (self.spring, self.rest, self.damping, self.viscous, self.dry, *sizes):
            field.setEnabled(bool(joint.dofs))
        self.torque.setEnabled(bool(joint.dofs) and (turns < 3 or joint.motor != 0.0))
        self.torque.setToolTip(_TORQUE if turns < 3 else _BALL)


def forces_text(joint: Joint) -> str:
    """Return in a few words which forces are in a joint, ``spring, damping``; "none" for none."""
    there = {
        "spring": joint.stiffness is not None and joint.stiffness[0] > 0.0,
        "damping": joint.damping > 0.0,
        "friction": joint.viscous > 0.0 or joint.coulomb is not None,
        "torque": joint.motor != 0.0,
    }
    return ", ".join(name for name, is_there in there.items() if is_there) or "none"
