"""The degrees of freedom of the joint that is edited."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.document.edits import joint_edits
from app.document.edits.joint_edits import default_curve, default_surface, ring_controls
from app.look import fonts
from app.panels.live_edit import LiveEdits
from app.widgets.fields.choice import Choice
from app.widgets.frames.tool_button import ToolButton
from app.widgets.joints.dof_row import DofRow
from app.widgets.labels import hint_label
from app.widgets.layouts import column_layout, row_layout
from app.widgets.rows.form_row import FormRow
from app.words.quantity import METRES
from core.joints import (
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
)
from core.skeleton import Dof, Joint, Skeleton
from core.skeleton.dof import HINGE, SLIDE

if TYPE_CHECKING:
    from app.document.document import Document

Dofs = list[tuple[Dof, str]]

PLAIN = "hinges and slides"
TEMPLATES: dict[str, JointModel] = {
    model.type_name: model
    for model in (
        Fixed(), Revolute((1.0, 0.0, 0.0)), Prismatic((1.0, 0.0, 0.0)), Planar(), Translational(), Universal(),
        Spherical(), SphericalEuler("YXZ"), Free2D(), Free(), FreeRotationFirst(), Screw(),
    )
}  # fmt: skip
"""Types that a joint can be given by a choice, as they are then."""
MODELS: dict[str, Callable[[Skeleton, int], JointModel]] = {
    SplineCurve.type_name: default_curve,
    SplineSurface.type_name: default_surface,
}
"""Types whose frames are as large as the part that gets one."""
_ORDER = [PLAIN, *TEMPLATES, *MODELS]
_MOST_FRAMES = 12


def type_text(model: JointModel | None) -> str:
    """Return what a joint's type is called in the panel."""
    if model is None:
        return PLAIN.capitalize()
    text = model.type_name.capitalize()
    if isinstance(model, SplineCurve):
        return f"{text}, {'closed' if model.closed else 'open'}"
    if isinstance(model, Screw):
        return f"{text}, {METRES.number(model.pitch)} m a turn"
    return f"{text} {model.order.lower()}" if isinstance(model, SphericalEuler) else text


def frames_text(model: JointModel | None) -> str:
    """Return the control frames of a spline in a few lines, "" for other types."""
    if isinstance(model, SplineCurve):
        places, count = model.frames[:, :3, 3], f"{len(model.frames)} control frames"
    elif isinstance(model, SplineSurface):
        _, rows, columns = model.values.shape
        places = model.values[:3].reshape(3, -1).T
        count = f"{rows} × {columns} control frames"
    else:
        return ""
    numbered = enumerate(places.tolist(), 1)
    # Figure spaces are as wide as a digit, so that the columns stand straight.
    lines = ["".join([f"{k:<4}", *(f"{METRES.number(value):>8}" for value in row)]) for k, row in numbered]
    lines = [line.replace(" ", "\N{FIGURE SPACE}") for line in lines]
    more = [f"… {len(lines) - _MOST_FRAMES} more"] if len(lines) > _MOST_FRAMES else []
    head = f"{count}, at x y z [m]:"
    return "\n".join([head, *lines[:_MOST_FRAMES], *more, "Frames are edited in the file"])


class DofSection(QWidget):
    """A row for each degree of freedom, and buttons that add one."""

    def __init__(self, document: Document, edits: LiveEdits):
        super().__init__()
        self.document, self._edits = document, edits
        self._joint: Joint | None = None
        self._shown: tuple[Skeleton, int] | None = None
        self.rows: list[DofRow] = []
        column = column_layout(self)
        self.type = Choice("Type of the joint", self)
        self.type.picked.connect(self._choose)
        column.addWidget(FormRow("Type", [self.type]))
        self.frames = hint_label(parent=self)
        self.frames.setFont(fonts.font(fonts.SMALL, tabular=True))
        self.frames.setContentsMargins(14, 2, 12, 4)
        column.addWidget(self.frames)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        column.addLayout(self._list)
        buttons = row_layout(margins=(12, 4, 9, 2), spacing=4)
        self.add_hinge = self._button("hinge", "Hinge", "Add a hinge", lambda: self.add(HINGE))
        self.add_slide = self._button("slide", "Slide", "Add a slide", lambda: self.add(SLIDE))
        self.make_ball = self._button("ball", "Ball", "Turn, bend and side: three hinges that replace what is there",
                                      self.set_ball)  # fmt: skip
        for button in (self.add_hinge, self.add_slide, self.make_ball):
            buttons.addWidget(button, 1)
        column.addLayout(buttons)

    def _button(self, icon: str, text: str, tip: str, do: Callable[[], None]) -> ToolButton:
        button = ToolButton(icon, text, tip, "raised", parent=self)
        button._size = (60, 24)
        button.clicked.connect(do)
        return button

    # -- showing -------------------------------------------------------------------------------------------------

    def show_joint(self, skeleton: Skeleton, index: int) -> None:
        """Show the degrees of freedom of a joint; rows are kept, so that the keyboard stays where it is."""
        joint = self._joint = skeleton.joints[index]
        if self.document.session.preview is None:
            self._shown = (skeleton, index)
        self._show_type(joint)
        while len(self.rows) > len(joint.dofs):
            row = self.rows.pop()
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        while len(self.rows) < len(joint.dofs):
            self._add_row()
        first = skeleton.first_dof[index]
        for k, (dof, unit, label) in enumerate(zip(joint.dofs, joint.units, joint.dof_labels, strict=True)):
            name = skeleton.dof_names[first + k].replace(".", " ")
            self.rows[k].show_dof(dof, unit, label, name[:1].upper() + name[1:], len(joint.dofs))

    def _show_type(self, joint: Joint) -> None:
        name = joint.type.type_name if joint.type is not None else PLAIN
        rows: list[tuple[object, str]] = [(PLAIN, PLAIN.capitalize())]
        rows += [(key, type_text(model)) for key, model in TEMPLATES.items() if key != name]
        rows += [(key, key.capitalize()) for key in MODELS if key != name]
        if joint.type is not None:
            rows.append((name, type_text(joint.type)))
            rows.sort(key=lambda row: _ORDER.index(str(row[0])) if row[0] in _ORDER else 0)
        self.type.show_rows(rows, name)
        text = frames_text(joint.type)
        self.frames.setText(text)
        self.frames.setVisible(bool(text))
        for button in (self.add_hinge, self.add_slide, self.make_ball):
            button.setEnabled(joint.curved is None)

    def _choose(self, key: object) -> None:
        joint = self._joint
        name = joint.type.type_name if joint is not None and joint.type is not None else PLAIN
        skeleton = self.document.skeleton
        if joint is None or key == name or skeleton is None:
            return
        self._edits.commit()
        index = skeleton.joint_index(joint.name)
        model = MODELS[str(key)](skeleton, index) if key in MODELS else TEMPLATES.get(str(key))
        controls = ring_controls(skeleton, index) if isinstance(model, SplineCurve) else None
        self.document.figures.set_joint_type(joint.name, model, controls)
        if self._shown is not None:
            self.show_joint(*self._shown)

    def _add_row(self) -> None:
        row = DofRow(len(self.rows), self)
        row.edited.connect(self._edit)
        row.began.connect(lambda _: self._edits.begin("Set limits"))
        row.limited.connect(self._limit)
        row.committed.connect(lambda _: self._ended())
        row.cancelled.connect(lambda _: self._edits.cancel())
        row.removed.connect(self._remove)
        row.shifted.connect(self._shift)
        row.refused.connect(lambda why: self.document.say("warning", why))
        self.rows.append(row)
        self._list.addWidget(row)
        row.show()

    # -- editing -------------------------------------------------------------------------------------------------

    def _dofs(self) -> Dofs:
        """Return the degrees of freedom as the document has them, with their labels."""
        skeleton, joint = self.document.skeleton, self._joint
        if skeleton is None or joint is None or joint.name not in skeleton.joint_names:
            return []
        now = skeleton.joints[skeleton.joint_index(joint.name)]
        return list(zip(now.dofs, now.dof_labels, strict=True))

    def _ended(self) -> None:
        self._edits.commit()
        if self._shown is not None:  # what was is shown in place of what could not be
            self.show_joint(*self._shown)

    def _do(self, text: str, dofs: Dofs) -> None:
        if self._joint is not None:
            self._edits.do(text, joint_edits.with_dofs(self._joint.name, dofs))
            if self._shown is not None:
                self.show_joint(*self._shown)

    def _edit(self, number: int, what: str, value: object) -> None:
        dofs = self._dofs()
        dof, label = dofs[number]
        if what == "label":
            dofs[number] = (dof, str(value))
        elif what == "kind":  # an angle is no length: the limits go
            dofs[number] = (Dof(str(value), dof.axis, -math.inf, math.inf), label)
        else:
            dofs[number] = (Dof(dof.kind, np.asarray(value), dof.lo, dof.hi), label)
        self._do(f"Set {what}", dofs)

    def _limit(self, number: int, lo: float, hi: float) -> None:
        dofs = self._dofs()
        dof, label = dofs[number]
        dofs[number] = (Dof(dof.kind, dof.axis, lo, hi), label)
        if self._joint is not None:
            self._edits.show(joint_edits.with_dofs(self._joint.name, dofs))

    def _remove(self, number: int) -> None:
        dofs = self._dofs()
        del dofs[number]
        self._do("Remove a degree of freedom", dofs)

    def _shift(self, number: int, step: int) -> None:
        dofs = self._dofs()
        other = number + step
        if 0 <= other < len(dofs):
            dofs[number], dofs[other] = dofs[other], dofs[number]
            self._do("Reorder degrees of freedom", dofs)

    def add(self, kind: str) -> None:
        """Add a degree of freedom about or along the first axis that has none of its kind yet."""
        dofs = self._dofs()
        taken = {int(np.argmax(np.abs(dof.axis))) for dof, _ in dofs if dof.kind == kind}
        letter = next((k for k in (0, 1, 2) if k not in taken), 0)
        dofs.append((Dof(kind, np.eye(3)[letter], -math.inf, math.inf), ""))
        self._do(f"Add a {kind}", dofs)

    def set_ball(self) -> None:
        """Give the joint three hinges that turn it every way; its slides stay."""
        slides = [(dof, label) for dof, label in self._dofs() if dof.kind != HINGE]
        hinges = [(dof, "") for dof in joint_edits.ball_dofs()]
        self._do("Make a ball joint", [*slides, *hinges])
