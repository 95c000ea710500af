"""How the selected joints follow a drag: responsiveness, stiffness, and a whole limb from stiff rod to loose chain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.document.changes import Change, FigureChanged, FileChanged, SelectionChanged, SessionChanged
from app.document.edits.following import LOOSEST, STIFFEST, counterparts, dial_of, graded, is_changed, moving
from app.look import style
from app.panels.follow_marks import RESISTANCES, RESPONSIVENESS, STIFFNESS
from app.process.handler_guard import guarded
from app.scene.chain_choice import chosen_chain
from app.widgets.behaviour.base import Painted
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.setting_quantities import PERCENT, TIMES
from app.widgets.fields.setting_slider import Scale, SettingRow, SettingSlider, log_scale
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import column_layout, row_layout
from app.widgets.rows.group_header import GroupHeader
from app.words.part_names import part_name, spoken_name
from app.words.quantity import Quantity
from core.kinematics import drag_chain
from core.skeleton import Skeleton

if TYPE_CHECKING:
    from app.document.document import Document

LABEL_WIDTH = 92
USUAL = MappingProxyType({"weight": 1.0, "resistance": 1.0})
_ROD, _CHAIN = "stiff rod", "loose chain"


@dataclass(frozen=True)
class _Dial(Quantity):
    """From stiff rod to loose chain, in words."""

    def short(self, value: float) -> str:
        return _ROD if value < 0.0 else _CHAIN

    def say(self, value: float) -> str:
        return f"{abs(value) * 100.0:.0f} percent {self.short(value)}" if abs(value) >= 5e-3 else "all joints the same"


class FollowingSection(Painted):
    """Edits how the selected joints follow; each edit is one undo step and holds from the next drag on.

    Several selected joints are edited together, their counterparts too if the mirror is on.
    """

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(parent)
        self.document = document
        self.joints: list[int] = []
        self.chain: list[int] = []
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        column = column_layout(self, (0, 1, 0, 0))
        self.header = GroupHeader("How it follows")
        self.header.toggled.connect(lambda _: self._show_body())
        column.addWidget(self.header)
        self.body = QWidget()
        column.addWidget(self.body)
        rows = column_layout(self.body, (6, 4, 6, 4), 2)
        self.responsiveness = self._setting("Responsiveness", PERCENT, Scale(0.0, 100.0, 100.0), None, RESPONSIVENESS)
        self.responsiveness.committed.connect(lambda value: self._set("weight", value / 100.0))
        scale = log_scale(LOOSEST, STIFFEST, 1.0)
        self.stiffness = self._setting("Stiffness", TIMES, scale, RESISTANCES, STIFFNESS)
        self.stiffness.committed.connect(lambda value: self._set("resistance", value))
        rows.addWidget(self.responsiveness)
        rows.addWidget(self.stiffness)
        rows.addWidget(self._limb_row())
        document.changed.connect(self._on_change)
        self.refresh()

    def _setting(
        self, label: str, quantity: Quantity, scale: Scale, limits: tuple[float, float] | None, tip: str
    ) -> SettingRow:
        row = SettingRow(label, quantity, scale, limits, LABEL_WIDTH)
        row.set_tip(tip)
        report_refusals(row, self.document.say)
        return row

    def _limb_row(self) -> QWidget:
        holder = QWidget()
        row = row_layout(holder, (6, 0, 0, 0), 2)
        self.limb_label = quiet_label("Whole limb")
        self.limb_label.setFixedSize(LABEL_WIDTH - 30, style.FIELD_HEIGHT)
        self.dial = SettingSlider(_Dial(), Scale(-1.0, 1.0, 0.0), (_ROD.capitalize(), _CHAIN.capitalize()))
        self.dial.setAccessibleName("Whole limb, from stiff rod to loose chain")
        self.dial.changed.connect(self._dial_moved)
        self.dial.committed.connect(self._set_chain)
        self.dial.cancelled.connect(self.refresh)
        self.mirror = ToolButton("mirror", "", "Edit both sides", checkable=True, size=(26, 24))
        self.mirror.toggled.connect(lambda _: self.refresh())
        self.reset = ToolButton("rest", "", "Reset how these joints follow to 100%, 1×", size=(26, 24))
        self.reset.clicked.connect(self.reset_joints)
        row.addWidget(self.limb_label, 0)
        row.addWidget(self.dial, 1)
        for button in (self.mirror, self.reset):
            row.addWidget(button)
        for part in (self.limb_label, self.mirror, self.reset):
            row.setAlignment(part, Qt.AlignmentFlag.AlignTop)
        return holder

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, 0, self.width(), 1, style.color("line2"))
        painter.end()

    # -- following the document ----------------------------------------------------------------------------------

    def _on_change(self, change: Change) -> None:
        if isinstance(change, (SelectionChanged, FigureChanged, FileChanged)) or (
            isinstance(change, SessionChanged) and change.name in ("drag_mode", "chain_base", "mode")
        ):
            self.refresh()

    def refresh(self) -> None:
        """Show the joints that are selected now."""
        skeleton = self.document.skeleton
        self.setVisible(skeleton is not None)
        if skeleton is None:
            self.joints, self.chain = [], []
            return
        selected = [joint for joint in self.document.selection.joints if joint < len(skeleton.joints)]
        self.joints = moving(skeleton, selected)
        self.chain = self._chain(skeleton, (self.joints or selected)[-1]) if selected else []
        summary = self._summary(skeleton, selected)
        self.header.set_summary(summary)
        carried = selected and not self.joints and self.chain
        self.header.setToolTip(f"{summary} is fixed: only the joints behind it can follow" if carried else summary)
        if self.chain:
            self._show_values(skeleton)
        self._show_body()

    def _summary(self, skeleton: Skeleton, selected: list[int]) -> str:
        if not selected:
            return "select a part"
        if not self.chain:
            return "cannot move"
        shown = self.joints or selected[-1:]
        return part_name(skeleton.joints[shown[0]].name) if len(shown) == 1 else f"{len(shown)} joints"

    def _show_body(self) -> None:
        self.body.setVisible(self.header.isChecked() and bool(self.chain))
        for row in (self.responsiveness, self.stiffness):
            row.setVisible(bool(self.joints))  # a fixed part has none; the chain behind it can be graded
        self.updateGeometry()

    def _show_values(self, skeleton: Skeleton) -> None:
        if self.joints:
            last = skeleton.joints[self.joints[-1]]
            self.responsiveness.set_value(100.0 * last.weight)
            self.stiffness.set_value(last.resistance)
        others = counterparts(skeleton, [*self.joints, *self.chain])
        self.mirror.setEnabled(bool(others))
        self.reset.setEnabled(any(is_changed(skeleton.joints[joint]) for joint in self._edited()))
        self.dial.setEnabled(len(self.chain) > 1)
        first, tip = (spoken_name(skeleton.joints[joint].name) for joint in (self.chain[0], self.chain[-1]))
        self.dial.setToolTip(
            f"{len(self.chain)} joints, {first} to {tip}: a stiff rod turns about its base, "
            "a loose chain bends at its tip first. In the middle all follow alike, at 100% and 1×"
            if len(self.chain) > 1
            else "A chain of one joint has nothing to share"
        )
        self.limb_label.setText("Chain" if self.document.session.tools.drag_mode in ("up_to", "body") else "Limb")
        if not self.dial.editing:
            found = dial_of([(skeleton.joints[i].weight, skeleton.joints[i].resistance) for i in self.chain])
            self.dial.set_open(found is None)
            self.dial.set_value(found or 0.0)

    def _chain(self, skeleton: Skeleton, joint: int) -> list[int]:
        """Return the joints that a drag of a part moves, of its limb where that is one alone; base first."""
        chain = moving(skeleton, chosen_chain(self.document.session, skeleton, joint).joints)
        return chain if len(chain) > 1 else moving(skeleton, drag_chain(skeleton, joint, "limb").joints)

    # -- editing -------------------------------------------------------------------------------------------------

    def _edited(self) -> list[int]:
        """Return the joints that an edit is of, with the mirror on their counterparts too.

        They are those selected; of a fixed part those behind it.
        """
        skeleton, joints = self.document.skeleton, self.joints or self.chain
        if skeleton is None or not self.mirror.isChecked():
            return joints
        return [*joints, *counterparts(skeleton, joints)]

    def _what(self) -> str:
        skeleton = self.document.skeleton
        if skeleton is None or len(self.joints) != 1:
            return f"{len(self.joints or self.chain)} joints"
        return spoken_name(skeleton.joints[self.joints[0]].name)

    def _set(self, name: str, value: float) -> None:
        word = "responsiveness" if name == "weight" else "stiffness"
        self._write({joint: {name: value} for joint in self._edited()}, f"Set {word} of {self._what()}")

    def _write(self, values: Mapping[int, Mapping[str, float]], text: str) -> None:
        self.document.figures.set_joint_values({**values}, text)
        self.refresh()

    def reset_joints(self) -> None:
        """Let the selected joints follow as joints do by themselves."""
        self._write({joint: USUAL for joint in self._edited()}, f"Reset how {self._what()} follows")

    def reset_all(self) -> None:
        """Let all joints of the figure follow as joints do by themselves."""
        skeleton = self.document.skeleton
        if skeleton is not None:
            self._write({joint: USUAL for joint in range(len(skeleton.joints))}, "Reset how all joints follow")

    def _graded(self, dial: float) -> dict[int, dict[str, float]]:
        """Return what the chain's joints, and their counterparts, get at a place of the dial."""
        skeleton = self.document.skeleton
        values: dict[int, dict[str, float]] = {}
        for joint, (weight, resistance) in zip(self.chain, graded(len(self.chain), dial), strict=True):
            values[joint] = {"weight": weight, "resistance": resistance}
            if self.mirror.isChecked() and skeleton is not None:
                for other in counterparts(skeleton, [joint]):
                    values.setdefault(other, values[joint])
        return values

    def _dial_moved(self, dial: float) -> None:
        """While the dial is dragged, show what the selected joint will have."""
        values = self._graded(dial).get(self.joints[-1]) if self.joints else None
        if values is not None:
            self.responsiveness.set_value(100.0 * values["weight"])
            self.stiffness.set_value(values["resistance"])

    def _set_chain(self, dial: float) -> None:
        name = _ROD if dial < 0.0 else _CHAIN
        self._write(self._graded(dial), f"Make the limb a {name}" if dial else "Let the limb follow evenly")
