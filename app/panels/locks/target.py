"""The target of a lock in numbers: places in centimetres, angles in degrees."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.widgets.fields.number_field import NumberField
from app.widgets.fields.vector_field import VectorField
from app.widgets.layouts import column_layout
from app.widgets.rows.form_row import FormRow
from app.words.quantity import CENTIMETRES, DEGREES, Quantity
from core.constraints.lock import Lock
from core.spatial import so3

LENGTH = Quantity("", 1, 0.5, "centimetres", CENTIMETRES.units)
ANGLE = Quantity("", 1, 1.0, "degrees", DEGREES.units)
SHARE = Quantity("", 3, 0.05)
_PARTS: dict[str, dict[str, str]] = {
    "position": {"place": "Place"},
    "orientation": {"turn": "Turned"},
    "pose": {"place": "Place", "turn": "Turned"},
    "plane": {"direction": "Normal", "length": "Height"},
    "line": {"place": "Through", "direction": "Along"},
    "point_pair": {"place": "Offset"},
    "distance": {"length": "Apart"},
    "aim": {"direction": "Axis"},
    "balance": {"length": "Margin"},
}
"""Which rows a kind has, and what they are called."""


class LockTarget(QWidget):
    """Shows and edits the target of one lock.

    Args:
        label_width: Room for the labels, [px].
        parent: Parent widget.

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

    def __init__(self, label_width: int, parent: QWidget | None = None):
        super().__init__(parent)
        self.lock: Lock | None = None
        self._at = np.zeros(3)
        self._wanted: Any = None
        column = column_layout(self)
        self.place = VectorField("Place", LENGTH)
        self.turn = VectorField("Turned", ANGLE)
        self.direction = VectorField("Direction", SHARE)
        self.length = NumberField(CENTIMETRES, compact=True)
        self.rows: dict[str, FormRow] = {}
        named = {"place": self.place, "turn": self.turn, "direction": self.direction, "length": self.length}
        for name, field in named.items():
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
        names = {} if lock is None or not lock.bound else _PARTS.get(lock.kind, {})
        for name, row in self.rows.items():
            row.setVisible(name in names)
            if name in names:
                unit = {"place": ", cm", "turn": ", °"}.get(name, "")
                row.label.setText(names[name] + unit)
                field = getattr(self, name)
                field.setAccessibleName(names[name])
                for letter, each in zip("xyz", getattr(field, "fields", ()), strict=False):
                    each.setAccessibleName(f"{names[name]} {letter}")
        if lock is None or not names:
            return
        if "place" in names:
            self.place.show_value(100.0 * _place(lock))
        if "turn" in names:
            rotation = _target(lock)[:3, :3]
            angles = np.degrees(so3.to_euler("zyx", rotation))[::-1]
            self.turn.show_value(np.where(np.abs(angles) < 5e-10, 0.0, angles))
        if "direction" in names:
            self.direction.show_value(_direction(lock))
        if "length" in names and not self.length.editing:
            self.length.set_value(100.0 * _length(lock))

    @property
    def editing(self) -> bool:
        """Whether one of the numbers is being edited."""
        return any(field.editing for field in (self.place, self.turn, self.direction, self.length))

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
        if lock.kind in ("balance", "distance"):
            return self.length.value / 100.0
        target = np.array(_target(lock), dtype=float)
        place = np.array(self.place.value) / 100.0
        if lock.kind in ("position", "point_pair"):
            return _edited(self.place, target, place)
        if self.turn.editing:
            target[:3, :3] = self._rotation()
        elif lock.kind == "pose":
            target[:3, 3] = _edited(self.place, target[:3, 3], place)
        elif lock.kind == "line" and self.place.editing:
            target[0] = _edited(self.place, target[0], place)
        elif lock.kind == "plane" and self.length.editing:
            target[3] = self.length.value / 100.0
        elif self.direction.editing:
            direction = np.array(self.direction.value)
            long = float(np.linalg.norm(direction))
            if long < 1e-9:
                return None
            if lock.kind == "plane":
                target = np.append(direction / long, direction @ self._at / long)
            else:
                target[...] = np.stack([target[0], direction / long]) if lock.kind == "line" else direction / long
        return target

    def _rotation(self) -> Any:
        return so3.from_euler("zyx", np.radians(self.turn.value[::-1]))


def _edited(field: VectorField, before: Any, now: Any) -> Any:
    """Return what was typed, and every bit of the numbers beside it as it was."""
    return np.where([each.editing for each in field.fields], now, before)


def _target(lock: Lock) -> Any:
    """Return a lock's target; of a kind that does without one, what it means then."""
    return lock.rule.target_at(lock, None) if lock.target is None else lock.target  # type: ignore[arg-type]


def _place(lock: Lock) -> Any:
    target = _target(lock)
    return target[:3, 3] if lock.kind == "pose" else target[0] if lock.kind == "line" else target


def _direction(lock: Lock) -> Any:
    target = _target(lock)
    return target[:3] if lock.kind == "plane" else target[1] if lock.kind == "line" else target


def _length(lock: Lock) -> float:
    return float(_target(lock)[3] if lock.kind == "plane" else _target(lock))
