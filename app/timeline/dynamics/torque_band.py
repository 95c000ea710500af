"""Torques of the selected strip as curves over time (Welman 2.3.1)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QMenu

from app.timeline.curves.rows import TOKENS
from app.timeline.dynamics.board import DynamicsBoard
from app.timeline.dynamics.curve_band import CurveBand, CurveKey, CurveRow
from app.timeline.dynamics.edits import DynamicsEdits, torque_menu
from app.timeline.sheet.rows import spoken
from app.widgets.fields.physics_quantities import TORQUES
from app.words.part_names import part_name
from core.animation.torque_curves import LARGEST_TORQUE, TorqueCurve
from core.keyed_curves.keys import Keys
from core.skeleton.dof import LENGTH

if TYPE_CHECKING:
    from app.document.gestures.strip_gesture import HybridGesture
    from core.animation.hybrid_strips import HybridStrip

ROOM = 1.25
"""How much larger than the largest key the values are that the band shows."""
FIRST = (10.0, 100.0)
"""How much is shown up and down before there is a key: of a hinge [N m], of a slide [N]."""


class TorqueBand(CurveBand):
    """The torques of one joint in the strip that was selected last.

    It is there while such a strip has torques, moves a selected joint, or is of a single one.

    Args:
        board: The rows of the tab.
    """

    title: ClassVar[str] = "Torque"
    hint: ClassVar[str] = "Double-click in the strip to key a torque"
    limits: ClassVar[tuple[float, float]] = (-LARGEST_TORQUE, LARGEST_TORQUE)

    def __init__(self, board: DynamicsBoard):
        super().__init__(board.model)
        self.board, self.edits = board, DynamicsEdits(board)
        self.setAccessibleName("Torques")
        board.changed.connect(self.take_change)

    @property
    def strip(self) -> HybridStrip | None:
        """The strip that was selected last; None if it has nothing to show."""
        strip = self.board.strip(self.board.selected)
        return None if strip is None else self.board.shown(strip)

    @property
    def joint(self) -> str | None:
        """Name of the joint whose torques are shown."""
        strip = self.strip
        if strip is None:
            return None
        names = [*self.edits.torque_joints(strip), *(curve.joint for curve in strip.torques)]
        skeleton = self.model.document.skeleton
        free = [] if skeleton is None else [n for n in names if skeleton.joints[skeleton.joint_index(n)].dofs]
        return free[0] if free else None

    @property
    def rows(self) -> tuple[CurveRow, ...]:
        """The degrees of freedom of that joint."""
        strip, name, skeleton = self.strip, self.joint, self.model.document.skeleton
        if strip is None or name is None or skeleton is None:
            return ()
        joint = skeleton.joints[skeleton.joint_index(name)]
        curves = {curve.dof: curve for curve in strip.torques if curve.joint == name}
        return tuple(
            CurveRow(
                dof, label or f"{part_name(name)} {dof + 1}", TORQUES[unit == LENGTH], TOKENS[dof % len(TOKENS)],
                curves.get(dof),
            )
            for dof, (unit, label) in enumerate(zip(joint.units, joint.dof_labels, strict=True))
        )  # fmt: skip

    @property
    def span(self) -> tuple[float, float] | None:
        strip = self.strip
        if strip is None or self.joint is None:
            return None
        return float(strip.start), math.inf if strip.end is None else float(strip.end)

    @property
    def shown(self) -> object:
        strip, joint = self.strip, self.joint
        return None if strip is None or joint is None else (strip.id, joint)

    @property
    def caption(self) -> str:
        return spoken(self.joint or "")

    def values_span(self) -> tuple[float, float]:
        """Return what shows all keys with room above and below: the next one may be larger, or of the other sign."""
        sizes = [abs(torque) for row in self.rows if row.curve is not None for _, torque in row.curve.keys]
        row = self.row()
        most = ROOM * max(sizes, default=0.0) or FIRST[row is not None and row.quantity is TORQUES[1]]
        return -most, most

    def gesture(self, row: CurveRow) -> TorqueGesture:
        strip, joint = self.strip, self.joint
        assert strip is not None and isinstance(row.curve, TorqueCurve)
        return TorqueGesture(self.board.gesture(f"Move torque key of {joint}"), strip, row.curve)

    def put(self, row: CurveRow, frame: int, value: float, gesture: int) -> None:
        strip, joint = self.strip, self.joint
        if strip is not None and joint is not None:
            self.edits.key_torque(strip.id, joint, row.number, frame, value, gesture)

    def remove(self, key: CurveKey) -> None:
        strip, joint = self.strip, self.joint
        if strip is not None and joint is not None:
            self.edits.unkey_torque(strip.id, joint, key.number, key.frame)

    def menu(self, row: CurveRow, frame: int) -> QMenu:
        strip, joint = self.strip, self.joint
        assert strip is not None and joint is not None
        return torque_menu(self, self.edits, strip, joint, row.number, row.name, frame)


class TorqueGesture:
    """A live edit of the keys of one torque.

    Args:
        gesture: The live edit of the strips.
        strip: The strip that has the torque.
        curve: The torque at press.
    """

    def __init__(self, gesture: HybridGesture, strip: HybridStrip, curve: TorqueCurve):
        self._gesture, self._strip, self._curve = gesture, strip, curve

    @property
    def active(self) -> bool:
        """Whether it still goes on."""
        return bool(self._gesture.active)

    def show(self, keys: Keys) -> None:
        """Show other keys."""
        curve = replace(self._curve, keys=keys)
        torques = tuple(curve if each is self._curve else each for each in self._strip.torques)
        changed = replace(self._strip, torques=torques)
        self._gesture.show(changed if each.id == changed.id else each for each in self._gesture.before)

    def commit(self) -> None:
        """End as one undo step."""
        self._gesture.commit()

    def cancel(self) -> None:
        """Give it up."""
        self._gesture.cancel()
