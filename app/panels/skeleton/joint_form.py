"""The properties of the joint that is edited: what it is called, where it sits, how heavy it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.document.edits import joint_edits
from app.document.edits.joint_edits import Edit
from app.panels.follow_marks import RESISTANCES, RESPONSIVENESS, STIFFNESS, follow_text
from app.panels.live_edit import LiveEdits
from app.panels.skeleton.dof_section import DofSection
from app.panels.skeleton.object_section import ObjectSection
from app.panels.skeleton.physics_section import PhysicsSection, forces_text
from app.panels.skeleton.tie_section import TieSection, ties_text
from app.panels.skeleton.type_section import TypeSection
from app.widgets.fields.choice import Choice
from app.widgets.fields.name_field import NameField
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.setting_quantities import PERCENT, TIMES
from app.widgets.fields.swatch import Swatch
from app.widgets.fields.vector_field import VectorField
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import column_layout
from app.widgets.rows.form_row import FormRow
from app.widgets.rows.group_header import GroupHeader
from app.words.quantity import DEGREES, KILOGRAMS, METRES, Quantity
from core.arrays import Array
from core.skeleton import Joint, Skeleton

if TYPE_CHECKING:
    from app.document.document import Document

LENGTH = Quantity("", 3, 0.01, "metres", METRES.units)
ANGLE = Quantity("", 1, 1.0, "degrees", DEGREES.units)
FACTOR = Quantity("", 3, 0.01, "times")
INERTIA = Quantity("", 2, 0.1, "gram square metres")
NONE = ""
TIES = "Ties to other joints"
WIDE_LABEL = 92  # for the words of how a joint follows, [px]


class JointForm(QWidget):
    """Shows and edits one joint."""

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(parent)
        self.document = document
        self.edits = LiveEdits(document)
        self.joint: Joint | None = None
        self._column = column_layout(self, (0, 0, 0, 8), 1)
        self.sections: dict[str, GroupHeader] = {}
        self._build_joint()
        self._build_place()
        self.dofs = DofSection(document, self.edits)
        self.type = TypeSection(document, self.edits)
        self.type.changed.connect(self.refresh)
        self._section("Degrees of freedom", [self.type, self.dofs])
        self._build_mass()
        self.physics = PhysicsSection(self._bind)
        self._section("Forces in the joint", [self.physics])
        self._build_following()
        self.ties = TieSection(self.edits, self._bind, self.refresh)
        self._section(TIES, [self.ties])
        self.objects = ObjectSection(document, self.edits)
        self._section("Shapes", [self.objects])
        self._column.addStretch(1)

    # -- building ------------------------------------------------------------------------------------------------

    def _section(self, title: str, rows: Sequence[QWidget]) -> GroupHeader:
        header = GroupHeader(title)
        body = QWidget()
        column = column_layout(body, (0, 3, 0, 5))
        for row in rows:
            column.addWidget(row)
        header.set_body(body)
        self._column.addWidget(header)
        self._column.addWidget(body)
        self.sections[title] = header
        return header

    def _build_joint(self) -> None:
        self.name = NameField("Name of the joint")
        self.name.committed.connect(self._rename)
        self.parent_joint = Choice("Parent")
        self.parent_joint.picked.connect(self._hang)
        self.group = Choice("Group")
        self.group.setEditable(True)
        self.group.setInsertPolicy(Choice.InsertPolicy.NoInsert)
        line = self.group.lineEdit()
        assert line is not None
        line.setAccessibleName("Group")
        line.setPlaceholderText("no group")
        line.editingFinished.connect(self._regroup)
        self.group.picked.connect(lambda _: self._regroup())
        self.mirror = Choice("Counterpart on the other side")
        self.mirror.picked.connect(self._pair)
        self.color = Swatch("Colour of the part")
        self.color.picked.connect(lambda color: self._set("colour", color=color))
        rows = (("Name", self.name), ("Parent", self.parent_joint), ("Group", self.group), ("Mirror", self.mirror))
        self._section("Joint", [FormRow(label, [part]) for label, part in (*rows, ("Colour", self.color))])

    def _build_place(self) -> None:
        self.offset = VectorField("Offset", LENGTH)
        self._bind(self.offset, "offset", lambda name: joint_edits.with_offset(name, self.offset.value, self._carries))
        self.orientation = VectorField("Orientation", ANGLE)
        self._bind(
            self.orientation,
            "orientation",
            lambda name: joint_edits.with_orientation(name, self.orientation.value, self._carries),
        )
        self.scale = VectorField("Scale", FACTOR)
        self._bind(self.scale, "scale", lambda name: joint_edits.with_values(name, scale=np.array(self.scale.value)))
        self.scale.set_limits(1e-3, 1e3)
        rows = [
            FormRow("Offset", [self.offset], "m"),
            FormRow("Turned", [self.orientation], "°"),
            FormRow("Scale", [self.scale]),
        ]
        self._section("Place in the parent", rows)

    def _build_mass(self) -> None:
        self.mass = NumberField(KILOGRAMS)
        self.mass.setAccessibleName("Mass")
        self.mass.set_limits(0.0, 1e9)
        self._bind(self.mass, "mass", lambda name: joint_edits.with_values(name, mass=self.mass.value))
        self.mass_from_shape = self._from_shape("Mass", "mass")
        self.center = VectorField("Centre of mass", LENGTH)
        self._bind(
            self.center,
            "centre of mass",
            lambda name: joint_edits.with_values(name, center=np.array(self.center.value)),
        )
        self.center_from_shape = self._from_shape("Centre of mass", "center")
        self.inertia, self.products = VectorField("Inertia", INERTIA), VectorField("Products of inertia", INERTIA)
        self.inertia.setToolTip("Moments of inertia about the centre of mass: xx, yy, zz")
        self.products.setToolTip("Products of inertia: xy, xz, yz")
        for field in (self.inertia, self.products):
            self._bind(field, "inertia", lambda name: joint_edits.with_values(name, inertia=self._inertia_value))
        self.inertia_from_shape = self._from_shape("Inertia", "inertia")
        unit = quiet_label("in g·m²")  # beside the names there is no room for it
        rows = [
            FormRow("Mass", [self.mass, self.mass_from_shape]),
            FormRow("Centre", [self.center], "m"),
            FormRow("", [QWidget(), self.center_from_shape]),
            FormRow("Inertia", [self.inertia]),
            FormRow("Products", [self.products]),
            FormRow("", [unit, self.inertia_from_shape]),
        ]
        self._section("Mass", rows)

    def _build_following(self) -> None:
        self.weight = NumberField(PERCENT)
        self.weight.setAccessibleName("Responsiveness")
        self.weight.set_limits(0.0, 100.0)
        self.weight.setToolTip(RESPONSIVENESS)
        self._bind(
            self.weight,
            "responsiveness",
            lambda name: joint_edits.with_values(name, weight=self.weight.value / 100.0),
        )
        self.resistance = NumberField(TIMES)
        self.resistance.setAccessibleName("Stiffness")
        self.resistance.set_limits(*RESISTANCES)
        self.resistance.setToolTip(STIFFNESS)
        self._bind(
            self.resistance,
            "stiffness",
            lambda name: joint_edits.with_values(name, resistance=self.resistance.value),
        )
        pairs = (("Responsiveness", self.weight), ("Stiffness", self.resistance))
        rows = [FormRow(label, [field], label_width=WIDE_LABEL) for label, field in pairs]
        self._section("How it follows", rows)

    def _from_shape(self, name: str, value: str) -> ToolButton:
        button = ToolButton("", "From shape", f"{name} taken from the shape", "raised", checkable=True)
        button.setAccessibleName(f"{name} from the shape")
        button._size = (84, 24)

        def toggle() -> None:
            assert self.joint is not None
            now = None if button.isChecked() else np.array(getattr(self.joint, value))
            self._set(name.lower(), **{value: float(now) if now is not None and now.ndim == 0 else now})

        button.clicked.connect(toggle)
        return button

    @property
    def _inertia_value(self) -> Array:
        """The inertia as the fields have it, shape (3, 3), [kg m^2]."""
        xy, xz, yz = self.products.value
        return 1e-3 * (np.diag(self.inertia.value) + np.array([[0, xy, xz], [xy, 0, yz], [xz, yz, 0]]))

    def _bind(self, field: VectorField | NumberField, text: str, edit: Callable[[str], Edit]) -> None:
        """Let a field set a value: ``edit`` makes the edit from the joint's name."""

        def change(_: object) -> None:
            if self.joint is not None:
                self.edits.show(edit(self.joint.name))

        field.began.connect(lambda: self.edits.begin(f"Set {text}"))
        field.changed.connect(change)
        field.committed.connect(lambda *_: self._ended())
        field.cancelled.connect(self.edits.cancel)
        field.refused.connect(lambda why: self.document.say("info", why))

    @property
    def _carries(self) -> bool:
        return self.document.session.tools.carry_children

    # -- editing -------------------------------------------------------------------------------------------------

    def _ended(self) -> None:
        self.edits.commit()
        self.refresh()

    def _do(self, text: str, edit: Edit) -> None:
        if self.joint is not None:
            self.edits.do(text, edit)
            self.refresh()  # the old value takes the place of one that was refused

    def _set(self, what: str, **values: object) -> None:
        if self.joint is not None:
            self._do(f"Set {what}", joint_edits.with_values(self.joint.name, **values))

    def _rename(self, name: str) -> None:
        if self.joint is not None:
            self._do(f"Rename {self.joint.name}", joint_edits.renamed(self.joint.name, name))

    def _hang(self, parent: object) -> None:
        if self.joint is not None and parent != NONE:
            self._do(f"Attach {self.joint.name} to {parent}", joint_edits.reparented(self.joint.name, str(parent)))

    def _regroup(self) -> None:
        group = self.group.currentText().strip()
        skeleton = self.document.skeleton
        if self.joint is None or skeleton is None or group == joint_edits.group_of(skeleton, self.joint.name):
            return
        self._do(f"Put {self.joint.name} in a group", joint_edits.grouped(self.joint.name, group))

    def _pair(self, other: object) -> None:
        if self.joint is not None:
            self._set("counterpart", mirror=str(other) or None)

    # -- showing -------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show the joint as the document has it now."""
        skeleton, chosen = self.document.skeleton, self.document.selection.joints
        self.show_joint(skeleton, chosen[-1] if chosen else None)

    def show_joint(self, skeleton: Skeleton | None, index: int | None) -> None:
        """Show a joint of a figure, or nothing.

        Args:
            skeleton: The figure; while an edit is under way, as the edit makes it.
            index: The joint.
        """
        if skeleton is None or index is None or index >= len(skeleton.joints):
            self.joint = None
            return
        joint = self.joint = skeleton.joints[index]
        below = joint_edits.branch(skeleton, index)
        names = skeleton.joint_names
        self.name.show_text(joint.name)
        rows = [(name, name) for i, name in enumerate(names) if i not in below]
        is_root = joint.parent < 0
        self.parent_joint.show_rows(
            [(NONE, "the world")] if is_root else rows, NONE if is_root else names[joint.parent]
        )
        self.parent_joint.setEnabled(not is_root)
        group = joint_edits.group_of(skeleton, joint.name)
        self.group.show_rows([(NONE, ""), *((name, name) for name in joint_edits.group_names(skeleton))], group)
        others = [(name, name) for name in names if name != joint.name]
        self.mirror.show_rows([(NONE, "none"), *others], joint.mirror or NONE)
        self.color.show_value(joint.color)
        self.offset.show_value(joint.offset)
        self.orientation.show_value(joint.orientation)
        self.scale.show_value(joint.scale)
        if not self.mass.editing:
            self.mass.set_value(float(joint.mass or 0.0))
        if joint.center is not None:
            self.center.show_value(joint.center)
        if joint.inertia is not None:
            grams = 1e3 * joint.inertia
            self.inertia.show_value(np.diag(grams))
            self.products.show_value((grams[0, 1], grams[0, 2], grams[1, 2]))
        for button, what in (
            (self.mass_from_shape, "mass"), (self.center_from_shape, "center"), (self.inertia_from_shape, "inertia"),
        ):  # fmt: skip
            button.setChecked(what in joint.assumed)
            button.setEnabled(what not in joint.assumed or joint.has_body)
        self.sections["Mass"].set_summary(f"{KILOGRAMS.text(float(joint.mass or 0.0))}")
        for field, value in ((self.weight, 100.0 * joint.weight), (self.resistance, joint.resistance)):
            if not field.editing:
                field.set_value(value)
        self.physics.show_joint(joint)
        self.sections["Forces in the joint"].set_summary(forces_text(joint))
        self.sections["How it follows"].set_summary(follow_text(joint))
        self.type.show_joint(skeleton, index)
        self.dofs.show_joint(skeleton, index)
        self.sections["Degrees of freedom"].set_summary(str(len(joint.dofs)) if joint.dofs else "fixed")
        self.ties.show_joint(skeleton, index)
        self.sections[TIES].set_summary(ties_text(skeleton, index))
        self.objects.show_joint(joint)
        self.sections["Shapes"].set_summary(str(len(joint.objects)) if joint.objects else "none")

    def focus_name(self) -> None:
        """Let the person type a name."""
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)
        self.name.selectAll()
