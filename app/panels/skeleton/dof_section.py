"""The degrees of freedom of the joint that is edited."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.document.edits import joint_edits
from app.panels.live_edit import LiveEdits
from app.widgets.frames.tool_button import ToolButton
from app.widgets.joints.dof_row import DofRow
from app.widgets.layouts import column_layout, row_layout
from core.skeleton import Dof, Joint, Skeleton
from core.skeleton.building.props import free_turn
from core.skeleton.dof import HINGE, SLIDE

if TYPE_CHECKING:
    from app.document.document import Document

Dofs = list[tuple[Dof, str]]


class DofSection(QWidget):
    """A row for each degree of freedom, and buttons that add one."""

    def __init__(self, document: Document, edits: LiveEdits):
        super().__init__()
        self.document, self._edits = document, edits
        self._joint: Joint | None = None
        self._shown: tuple[Skeleton, int] | None = None
        self.rows: list[DofRow] = []
        column = column_layout(self)
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
        for button in (self.add_hinge, self.add_slide, self.make_ball):
            button.setEnabled(joint.curved is None)

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
        hinges = [(dof, "") for dof in free_turn()]
        self._do("Make a ball joint", [*slides, *hinges])
