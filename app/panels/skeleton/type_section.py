"""The type of the joint that is edited: its parameters, the control frames of its splines, its cone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.document.edits import spline_edits
from app.document.edits.joint_edits import Edit, default_curve, default_surface, part_size, ring_controls
from app.panels.live_edit import LiveEdits
from app.widgets.fields.choice import Choice
from app.widgets.fields.limit_field import LimitField
from app.widgets.fields.name_field import NameField
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.vector_field import VectorField
from app.widgets.frames.tool_button import ToolButton
from app.widgets.joints.dof_row import AxisError, axis_text, read_axis
from app.widgets.layouts import column_layout
from app.widgets.rows.form_row import FormRow
from app.words.quantity import DEGREES, METRES, WHOLE, Quantity
from core.errors import JointError
from core.joints import (
    JOINT_TYPES,
    Fixed,
    Free,
    Free2D,
    FreeRotationFirst,
    JointModel,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    SphericalEuler,
    SplineCurve,
    SplineSurface,
    Translational,
    Universal,
    joint_types,
)
from core.joints.geometry import CURVES, SURFACES, Shape
from core.joints.parameters import Parameter, parameters_of, with_parameter
from core.joints.splines import BASES
from core.skeleton import Joint, Skeleton
from core.skeleton.control_frames import spline_parts
from core.skeleton.dof import HINGE

if TYPE_CHECKING:
    from app.document.document import Document

ParameterField = NameField | NumberField | VectorField | Choice

PLAIN = "hinges and slides"
TEMPLATES: dict[str, JointModel] = {
    model.type_name: model
    for model in (
        Fixed(), Revolute((1.0, 0.0, 0.0)), Prismatic((1.0, 0.0, 0.0)), Planar(), Translational(), Universal(),
        Spherical(), SphericalEuler("YXZ"), Free2D(), Free(), FreeRotationFirst(), Screw((0.0, 1.0, 0.0)),
    )
}  # fmt: skip
"""Types that a joint can be given by a choice, as they are then."""
MODELS: dict[str, Callable[[Skeleton, int], JointModel]] = {
    SplineCurve.type_name: default_curve,
    SplineSurface.type_name: default_surface,
}
"""Types whose frames are as large as the part that gets one."""
_ORDER = [PLAIN, *TEMPLATES, *MODELS]
_BASES = {"b-spline": "B-spline", "catmull-rom": "Catmull-Rom", "bezier": "Bézier"}
assert set(_BASES) == set(BASES)
_ENDS = {False: "Open", True: "Closed"}
_PLAIN_NUMBER = Quantity("", 4, 0.01)
_QUANTITIES = {"length": METRES, "angle": DEGREES, "number": _PLAIN_NUMBER}
_SHAPES: dict[str, tuple[type[Shape], ...]] = {"curve": CURVES, "surface": SURFACES}
_FIRST_CONE = 45.0  # where a missing cone begins, [deg]
_LENGTH = Quantity("", 3, 0.01, "metres", METRES.units)
_ANGLE = Quantity("", 1, 1.0, "degrees", DEGREES.units)


def type_text(model: JointModel | None) -> str:
    """Return what a joint's type is called in the panel."""
    if model is None:
        return PLAIN.capitalize()
    text = model.type_name.capitalize()
    return f"{text} {model.order.lower()}" if isinstance(model, SphericalEuler) else text


def other_templates(size: float) -> dict[str, JointModel]:
    """Return types of joints by name, each for a part of a size, [m]: those that say how, and those registered."""
    defaults = {"axis": (0.0, 1.0, 0.0), "length": size, "angle": math.radians(30.0), "number": 1.0}
    found: dict[str, JointModel] = {}
    for name, kind in joint_types().items():
        model = kind.template(size)
        if model is not None:
            found[name] = model
        if model is not None or kind in JOINT_TYPES:
            continue
        try:
            found[name] = kind(*(defaults[what] for _, what in kind.parameters))
        except Exception:  # what somebody else wrote may want other numbers: files give it those
            continue
    return found


def _choices(parameter: Parameter) -> list[tuple[object, str]]:
    """Return what a word, a curve or a surface can be; those that take control points only where they are."""
    if isinstance(parameter.value, Shape):
        kinds = [kind for kind in _SHAPES[parameter.what] if kind.template(1.0) or isinstance(parameter.value, kind)]
        return [(kind.name, kind.name.capitalize()) for kind in kinds]
    return [(word, word.capitalize()) for word in parameter.what.split()[1:]]


class TypeSection(QWidget):
    """Chooses the type of a joint and edits what belongs to the type.

    Signals:
        changed(): An edit is done; what the document has now is to be shown.
    """

    changed = Signal()

    def __init__(self, document: Document, edits: LiveEdits):
        super().__init__()
        self.document, self._edits = document, edits
        self._joint: Joint | None = None
        column = column_layout(self)
        self.type = Choice("Type of the joint", self)
        self.type.picked.connect(self._choose)
        column.addWidget(FormRow("Type", [self.type]))
        self._rows = QVBoxLayout()
        self._rows.setSpacing(0)
        column.addLayout(self._rows)
        self.fields: list[ParameterField] = []
        self._shown_parameters: tuple[tuple[tuple[int, ...], str, str], ...] = ()
        self._build_spline(column)
        self.cone = LimitField(1, _FIRST_CONE, DEGREES, self, none="no cone")
        self.cone.setAccessibleName("Cone")
        self.cone.setToolTip("Half-angle of the cone that the part swings in; empty for none")
        self.cone.set_limits(0.0, math.inf)
        self._bind(self.cone, "cone", lambda name: spline_edits.with_cone(name, self._cone_value))
        self.cone_row = FormRow("Cone", [self.cone])
        column.addWidget(self.cone_row)

    def _build_spline(self, column: QVBoxLayout) -> None:
        self.basis = Choice("Basis of the spline")
        self.basis.setToolTip(
            "B-spline: smooth, near its frames; Catmull-Rom: through them; Bézier: through every third"
        )
        self.basis.picked.connect(lambda key: self._do("Set the basis", spline_edits.in_basis, str(key)))
        self.ends = Choice("Ends of the curve")
        self.ends.picked.connect(lambda key: self._do("Set the ends", spline_edits.closed, bool(key)))
        self.frame = NumberField(WHOLE, compact=True)
        self.frame.setAccessibleName("Control frame")
        self.frame.setToolTip("Control frame of the spline; click one in a view to choose it, drag it to move it")
        self.frame.changed.connect(lambda value: self._choose_frame(round(value) - 1))
        size = (24, 22)
        self.add_frame = ToolButton("plus", "", "Add a control frame behind this one", size=size)
        self.add_frame.clicked.connect(lambda: self._do("Add a control frame", spline_edits.with_frame_added))
        self.remove_frame = ToolButton("trash", "", "Remove this control frame", size=size)
        self.remove_frame.clicked.connect(lambda: self._do("Remove a control frame", spline_edits.with_frame_removed))
        self.place, self.turned = VectorField("Control frame", _LENGTH), VectorField("Control frame turned", _ANGLE)
        for field in (self.place, self.turned):
            self._bind(field, "control frame", self._framed)
        rows = [
            FormRow("Basis", [self.basis]),
            FormRow("Ends", [self.ends]),
            FormRow("Frame", [self.frame, self.add_frame, self.remove_frame]),
            FormRow("At", [self.place], "m"),
            FormRow("Turned", [self.turned], "°"),
        ]
        self.ends_row, self._spline_rows = rows[1], rows
        for row in rows:
            column.addWidget(row)

    # -- showing -------------------------------------------------------------------------------------------------

    def show_joint(self, skeleton: Skeleton, index: int) -> None:
        """Show the type of a joint; fields are kept, so that the keyboard stays where it is."""
        joint = self._joint = skeleton.joints[index]
        self._show_type(joint)
        self._show_parameters(joint)
        self._show_spline(joint)
        hinges = sum(dof.kind == HINGE for dof in joint.dofs)
        self.cone_row.setVisible(joint.cone is not None or (joint.curved is None and hinges > 1))
        if not self.cone.editing:
            self.cone.set_value(math.inf if joint.cone is None else math.degrees(joint.cone))

    def _show_type(self, joint: Joint) -> None:
        name = joint.type.type_name if joint.type is not None else PLAIN
        rows: list[tuple[object, str]] = [(PLAIN, PLAIN.capitalize())]
        rows += [(key, type_text(model)) for key, model in TEMPLATES.items() if key != name]
        rows += [(key, key.capitalize()) for key in (*MODELS, *other_templates(1.0)) if key != name]
        if joint.type is not None:
            rows.append((name, type_text(joint.type)))
            rows.sort(key=lambda row: _ORDER.index(str(row[0])) if row[0] in _ORDER else len(_ORDER))
        self.type.show_rows(rows, name)

    def _show_parameters(self, joint: Joint) -> None:
        parameters = parameters_of(joint.curved) if joint.curved is not None else ()
        shape = tuple((each.path, each.attribute, each.what) for each in parameters)
        if shape != self._shown_parameters:
            self._shown_parameters = shape
            while (item := self._rows.takeAt(0)) is not None:
                row = item.widget()
                if row is not None:
                    row.hide()
                    row.deleteLater()
            self.fields = [self._parameter_field(each, len(parameters) > 3) for each in parameters]
        for field, each in zip(self.fields, parameters, strict=True):
            if isinstance(field, NameField):
                field.show_text(axis_text(np.array(each.value)))
            elif isinstance(field, VectorField):
                field.show_value(each.value)
            elif isinstance(field, Choice):
                chosen = each.value.name if isinstance(each.value, Shape) else each.value
                field.show_rows(_choices(each), chosen)
            elif not field.editing:
                field.set_value(math.degrees(each.value) if each.what == "angle" else float(each.value))

    def _parameter_field(self, parameter: Parameter, many: bool) -> ParameterField:
        """Make the row of a parameter, and return its field."""
        title = parameter.attribute.replace("_", " ").capitalize()
        if parameter.path and many:
            title = f"{'.'.join(str(i + 1) for i in parameter.path)} {title}"
        field: ParameterField
        if parameter.what.startswith("word ") or parameter.what in _SHAPES:
            field = Choice(title, self)
            field.picked.connect(lambda key: self._take_choice(parameter, str(key)))
        elif parameter.what == "point":
            vector = field = VectorField(title, _LENGTH)
            self._bind(
                vector,
                title.lower(),
                lambda name: spline_edits.with_joint_parameter(name, parameter.path, parameter.attribute, vector.value),
            )
        elif parameter.what == "axis":
            field = NameField(title, "axis", self)
            field.setToolTip("Axis: x, y, z, -x, -y, -z, or three numbers")
            field.committed.connect(lambda text: self._take_axis(parameter, text))
        else:
            field = NumberField(_QUANTITIES[parameter.what], compact=True, parent=self)
            field.setAccessibleName(title)
            degrees = parameter.what == "angle"

            def edit(name: str, field: NumberField = field) -> Edit:
                value = math.radians(field.value) if degrees else field.value
                return spline_edits.with_joint_parameter(name, parameter.path, parameter.attribute, value)

            self._bind(field, title.lower(), edit)
        row = FormRow(title, [field])
        self._rows.addWidget(row)
        row.show()
        return field

    def _take_choice(self, parameter: Parameter, key: str) -> None:
        """Set a word, or another curve or surface; its coordinates may be others, so that the type is set anew."""
        joint, skeleton = self._joint, self.document.skeleton
        if joint is None or joint.type is None or skeleton is None:
            return
        where = parameter.path, parameter.attribute
        now = next(each.value for each in parameters_of(joint.type) if (each.path, each.attribute) == where)
        value: object = key
        if isinstance(now, Shape):
            size = part_size(skeleton, skeleton.joint_index(joint.name))
            value = next(kind.template(size) for kind in _SHAPES[parameter.what] if kind.name == key)
        if value is not None and key != (now.name if isinstance(now, Shape) else now):
            self._edits.commit()
            try:
                model = with_parameter(joint.type, parameter.path, parameter.attribute, value)
            except JointError as error:
                self.document.say("warning", str(error))
            else:
                self.document.figures.set_joint_type(joint.name, model)
        self.changed.emit()

    def _take_axis(self, parameter: Parameter, text: str) -> None:
        try:
            axis = tuple(read_axis(text).tolist())
        except AxisError as error:
            self.document.say("warning", str(error))
        else:
            if self._joint is not None and axis != parameter.value:
                edit = spline_edits.with_joint_parameter(self._joint.name, parameter.path, parameter.attribute, axis)
                self._edits.do("Set the axis", edit)
        self.changed.emit()

    def _show_spline(self, joint: Joint) -> None:
        parts = spline_parts(joint.type)
        for row in self._spline_rows:
            row.setVisible(bool(parts))
        if not parts:
            return
        rows, number = spline_edits.rows_of(joint), self.number
        part = spline_edits.part_of(joint.type, number)
        curve = isinstance(part.model, SplineCurve)
        self.basis.show_rows([(key, text) for key, text in _BASES.items()], part.model.basis)
        self.ends_row.setVisible(curve)
        self.ends.show_rows(list(_ENDS.items()), part.model.closed if isinstance(part.model, SplineCurve) else None)
        self.add_frame.setVisible(curve)
        self.remove_frame.setVisible(curve)
        self.frame.quantity = replace(WHOLE, unit=f"of {len(rows)}")
        self.frame.set_limits(1.0, float(len(rows)))
        if not self.frame.editing:
            self.frame.set_value(number + 1.0)
        self.place.show_value(rows[number, :3])
        self.turned.show_value(rows[number, 3:])

    @property
    def number(self) -> int:
        """Which of the joint's control frames is edited."""
        parts = () if self._joint is None else spline_parts(self._joint.type)
        last = parts[-1].rows.stop - 1 if parts else 0
        return min(self.document.session.tools.control_frame, last)

    # -- editing -------------------------------------------------------------------------------------------------

    def _bind(self, field: VectorField | NumberField, text: str, edit: Callable[[str], Edit]) -> None:
        """Let a field set a value: ``edit`` makes the edit from the joint's name."""

        def change(_: object) -> None:
            if self._joint is not None:
                self._edits.show(edit(self._joint.name))

        def end(*_: object) -> None:
            self._edits.commit()
            self.changed.emit()

        field.began.connect(lambda: self._edits.begin(f"Set {text}"))
        field.changed.connect(change)
        field.committed.connect(end)
        field.cancelled.connect(self._edits.cancel)
        field.refused.connect(lambda why: self.document.say("info", why))

    @property
    def _cone_value(self) -> float | None:
        return math.radians(self.cone.value) if self.cone.value < 180.0 else None

    def _framed(self, name: str) -> Edit:
        return spline_edits.with_control_frame(name, self.number, (*self.place.value, *self.turned.value))

    def _do(self, text: str, edit: Callable[..., Edit], *values: object) -> None:
        if self._joint is not None:
            done = self._edits.do(text, edit(self._joint.name, self.number, *values))
            if done and edit is spline_edits.with_frame_added:
                self.document.session.tools.control_frame = self.number + 1
            self.changed.emit()

    def _choose_frame(self, number: int) -> None:
        self.document.session.tools.control_frame = max(number, 0)

    def _choose(self, key: object) -> None:
        joint, skeleton = self._joint, self.document.skeleton
        name = joint.type.type_name if joint is not None and joint.type is not None else PLAIN
        if joint is None or key == name or skeleton is None:
            return
        self._edits.commit()
        index = skeleton.joint_index(joint.name)
        if key in MODELS:
            model: JointModel | None = MODELS[str(key)](skeleton, index)
        else:
            model = {**TEMPLATES, **other_templates(part_size(skeleton, index))}.get(str(key))
        controls = ring_controls(skeleton, index) if isinstance(model, SplineCurve) else None
        self.document.figures.set_joint_type(joint.name, model, controls)
        self.changed.emit()
