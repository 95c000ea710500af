"""Limits that are moved by dragging the brackets of the joints panel's sliders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.document.edits import joint_edits
from app.panels.live_edit import LiveEdits
from app.widgets.joints.joint_row import JointRow

if TYPE_CHECKING:
    from app.document.document import Document

FIRST = 3  # place in the pose vector of the first degree of freedom: the root's position has no limits


class LimitDrag:
    """Turns the drag of a bracket into one edit of the figure.

    Args:
        document: The open document.
    """

    def __init__(self, document: Document):
        self.document = document
        self._edits = LiveEdits(document)

    def connect(self, row: JointRow) -> None:
        """Let a row's brackets move its limits; those of the root's position cannot be moved."""
        if row.index < FIRST:
            return
        row.limit_began.connect(lambda row: self._edits.begin(f"Set limit of {row.label}"))
        row.limit_moved.connect(self._move)
        row.limit_ended.connect(self._end)

    def _move(self, row: JointRow, side: int, value: float) -> None:
        skeleton = self.document.skeleton
        if skeleton is None:
            return
        number = row.index - FIRST
        joint = skeleton.dof_joints[number]
        dof = skeleton.all_dofs[number]
        lo, hi = (value, dof.hi) if side < 0 else (dof.lo, value)
        place = number - skeleton.first_dof[joint]
        self._edits.show(joint_edits.with_limits(skeleton.joints[joint].name, place, lo, hi))
        shown = row.quantity.text(row.to_screen(value))
        self.document.say("info", f"{row.label}: {'lower' if side < 0 else 'upper'} limit {shown}")

    def _end(self, row: JointRow, keep: bool) -> None:
        if keep:
            self._edits.commit()
        else:
            self._edits.cancel()
            self.document.say("info", "")
