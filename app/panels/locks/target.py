"""The target of a lock in numbers: places in centimetres, angles in degrees."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.widgets.fields.number_field import NumberField
from app.widgets.fields.vector_field import VectorField
from app.widgets.layouts import column_layout
from app.widgets.rows.form_row import FormRow
from app.words.quantity import CENTIMETRES, DEGREES, Quantity
from core.constraints.kinds.target_parts import ANGLE, DIRECTION, LENGTH, PLACE, ROTATION, put_together
from core.constraints.lock import Lock
from core.spatial import so3

_CENTIMETRES = Quantity("", 1, 0.5, "centimetres", CENTIMETRES.units)
_DEGREES = Quantity("", 1, 1.0, "degrees", DEGREES.units)
_SHARES = Quantity("", 3, 0.05)
_FIELDS = {PLACE: "place", ROTATION: "turn", DIRECTION: "direction", LENGTH: "length", ANGLE: "angle"}
"""The row that shows each form of a target's part."""


class LockTarget(QWidget):
    """Shows and edits the target of one lock.

    Args:
        label_width: Room for the labels, [px].

    Signals:
        began(str), changed(object), committed(), cancelled(): The life of one edit: what it is called, and the target
            as it is now.
        refused(str): What was typed makes no sense; says why.
    """

    began = Signal(str)
    changed = Signal(object)
    committed = Signal()
    cancelled = Signal()
    refused = Signal(str)

    def __init__(self, label_width: int):
        super().__init__()
        self.lock: Lock | None = None
        self._at = np.zeros(3)
        self._wanted: Any = None
        column = column_layout(self)
        self.place = VectorField("Place", _CENTIMETRES)
        self.turn = VectorField("Turned", _DEGREES)
        self.direction = VectorField("Direction", _SHARES)
        self.length = NumberField(CENTIMETRES, compact=True)
        self.angle = NumberField(DEGREES, compact=True)
        self.rows: dict[str, FormRow] = {}
        for name in _FIELDS.values():
            field = getattr(self, name)
            unit = {"place": "cm", "turn": "°"}.get(name, "")
            row = FormRow("", [field], unit, label_width=label_width)
            row.layout().setContentsMargins(12, 1, 12, 1)  # type: ignore[union-attr]
            column.addWidget(row)
            self.rows[name] = row
            field.began.connect(self._begin)
            field.changed.connect(lambda _: self._notify())
            field.committed.connect(lambda *_: self._end(self.committed))
            field.cancelled.connect(lambda: self._end(self.cancelled))
            field.refused.connect(self.refused)

    def show_lock(self, lock: Lock | None, at: Any = (0.0, 0.0, 0.0)) -> None:
        """Show the target of a lock; numbers that are being edited stay.

        Args:
            lock: The lock.
            at: Where its point is in the world, shape (3,), [m]: a plane is tilted about it.
        """
        self.lock, self._at = lock, np.asarray(at, dtype=float)
        parts = () if lock is None or not lock.bound else lock.rule.parts
        names = {_FIELDS[part.form]: part.name for part in parts}
        for name, row in self.rows.items():
            row.setVisible(name in names)
            if name in names:
                unit = {"place": ", cm", "turn": ", °"}.get(name, "")
                row.label.setText(names[name] + unit)
                field = getattr(self, name)
                field.setAccessibleName(names[name])
                for letter, each in zip("xyz", getattr(field, "fields", ()), strict=False):
                    each.setAccessibleName(f"{names[name]} {letter}")
        if lock is None:
            return
        for part in parts:
            value, field = part.of(_target(lock)), getattr(self, _FIELDS[part.form])
            if part.form == ROTATION:
                angles = np.degrees(so3.to_euler("zyx", value))[::-1]
                field.show_value(np.where(np.abs(angles) < 5e-10, 0.0, angles))
            elif not part.is_number:
                field.show_value(100.0 * value if part.form == PLACE else value)
            elif not field.editing:
                field.set_value(100.0 * float(value) if part.form == LENGTH else math.degrees(float(value)))

    @property
    def editing(self) -> bool:
        """Whether one of the numbers is being edited."""
        return any(getattr(self, name).editing for name in _FIELDS.values())

    # -- editing -------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._wanted = self.lock
        self.began.emit(f"Move {self.lock.rule.title.lower()} lock's target" if self.lock is not None else "")

    def _end(self, signal: Any) -> None:
        self._wanted = None
        signal.emit()

    def _notify(self) -> None:
        lock = self._wanted
        if lock is None:
            return
        target = self._target(lock)
        if target is not None:
            self.changed.emit(target)

    def _target(self, lock: Lock) -> Any:
        """Return the target that the numbers say; parts whose numbers are not edited keep every bit."""
        before, values = _target(lock), []
        for part in lock.rule.parts:
            value, field = part.of(before), getattr(self, _FIELDS[part.form])
            if part.form == PLACE:
                value = _edited(field, value, np.array(field.value) / 100.0)
            elif part.is_number:
                if field.editing or len(lock.rule.parts) == 1:
                    value = field.value / 100.0 if part.form == LENGTH else math.radians(field.value)
            elif field.editing and part.form == ROTATION:
                value = so3.from_euler("zyx", np.radians(field.value[::-1]))
            elif field.editing:
                long = float(np.linalg.norm(field.value))
                if long < 1e-9:
                    return None
                value = np.array(field.value) / long
            values.append(value)
        if lock.kind == "plane" and self.direction.editing:  # it is tilted about the part's point
            values[1] = values[0] @ self._at
        return put_together(lock.rule.parts, values, before)


def _edited(field: VectorField, before: Any, now: Any) -> Any:
    """Return what was typed, and every bit of the numbers beside it as it was."""
    return np.where([each.editing for each in field.fields], now, before)


def _target(lock: Lock) -> Any:
    """Return a lock's target; of a kind that does without one, what it means then."""
    return lock.rule.target_at(lock, None) if lock.target is None else lock.target  # type: ignore[arg-type]
