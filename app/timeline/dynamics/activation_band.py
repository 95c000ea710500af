"""How active muscles are as curves over time: the muscles of the world below the rows while one of them is picked."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu

from app.document.changes import Change, FigureChanged, FileChanged, PhysicsChanged, SequenceChanged
from app.document.gestures.physics_gesture import PhysicsGesture
from app.physics import line_edits
from app.timeline.curves.rows import TOKENS
from app.timeline.dynamics.curve_band import CurveBand, CurveKey, CurveRow
from app.timeline.dynamics.edits import key_menu
from app.words.quantity import Quantity
from core.animation.locks.strip import place_by_keys
from core.arrays import Array
from core.keyed_curves import curve_rows
from core.keyed_curves.keyed_curve_kernel import value_at
from core.keyed_curves.keys import Keys, placed_keys, without_key

if TYPE_CHECKING:
    from app.document.document import Document
    from app.timeline.model import TimelineModel

ACTIVE = Quantity("", 2, 0.05, "")


@dataclass(frozen=True)
class ActivationCurve:
    """How active a muscle is over time.

    Attributes:
        keys: Frame of the sequence and activation, 0 to 1, of each.
    """

    keys: Keys

    @cached_property
    def _rows(self) -> Array:
        return curve_rows(self.keys)

    def at(self, frame: float) -> float:
        """Return how active it is at a frame."""
        return float(value_at(self._rows, frame))


class ActivationBand(CurveBand):
    """The activation of all muscles; that of the picked one is chosen.

    Args:
        model: The timeline's scale and keys.

    Signals:
        grown(): There are curves to show now, or none any more.
    """

    grown = Signal()
    title: ClassVar[str] = "Activation"
    hint: ClassVar[str] = "Double-click to key how active the muscle is"
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    usual_shown: ClassVar[bool] = True

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self._there = False
        self.setAccessibleName("Activation of muscles")
        model.document.changed.connect(self._take)

    def _take(self, change: Change) -> None:
        name = change.name
        world = isinstance(change, PhysicsChanged) and name in ("settings", "picked", "mode")
        if world or isinstance(change, (FileChanged, FigureChanged, SequenceChanged)):
            picked = self.picked
            if name == "picked" and picked is not None and picked != self._number:
                self.choose(picked)
            self.take_change()
            there, self._there = self._there, bool(self.rows)
            if there != self._there:
                self.grown.emit()

    @property
    def picked(self) -> int | None:
        """Number of the muscle that is picked among the forces of the settings; None if none is."""
        physics = self.model.document.physics
        if physics.picked is None or physics.picked[0] != line_edits.FORCES or physics.mode != "physics":
            return None
        forces, number = physics.settings.now.forces, physics.picked[1]
        return number if number < len(forces) and line_edits.is_muscle(forces[number]) else None

    @property
    def rows(self) -> tuple[CurveRow, ...]:
        """The muscles."""
        document = self.model.document
        if self.picked is None or document.sequence is None:
            return ()
        found: list[CurveRow] = []
        for number, force in enumerate(document.physics.settings.now.forces):
            if line_edits.is_muscle(force):
                keys = self._shown_keys(number)
                found.append(
                    CurveRow(
                        number, _title(force), ACTIVE, TOKENS[len(found) % len(TOKENS)],
                        ActivationCurve(keys) if keys else None, 0.0 if keys else float(force.activation),
                    )
                )  # fmt: skip
        return tuple(found)

    def _shown_keys(self, number: int) -> Keys:
        """Return the keys of a muscle as they are shown: while keys of the figure are dragged, as they will be then."""
        keys, model = line_edits.keys_of(self.model.document, number), self.model
        moves = model.whole_moves() if model.dragging else {}
        return placed_keys(keys, place_by_keys(model.frames.tolist(), moves)) if moves else keys

    @property
    def span(self) -> tuple[float, float] | None:
        return (0.0, math.inf) if self.rows else None

    @property
    def shown(self) -> object:
        document = self.model.document
        return None if self.picked is None else (id(document.sequence), len(self.rows))

    def first_chosen(self) -> int:
        return self.picked or 0

    def choose(self, number: int, key: CurveKey | None = None) -> None:
        """Choose a muscle, and a key of it; it is picked in the views and in the panel too."""
        super().choose(number, key)
        if self.picked is not None and number != self.picked:
            self.model.document.physics.show_in_world(line_edits.FORCES, number)

    def values_span(self) -> tuple[float, float]:
        return 0.0, 1.0

    def gesture(self, row: CurveRow) -> ActivationGesture:
        return ActivationGesture(self.model.document, row, f"Move activation key of {self._called(row)}")

    def put(self, row: CurveRow, frame: int, value: float, gesture: int) -> None:
        line_edits.key_activation(self.model.document, row.number, value, gesture, frame)

    def remove(self, key: CurveKey) -> None:
        self._unkey(key.number, key.frame)

    def menu(self, row: CurveRow, frame: int) -> QMenu:
        document = self.model.document
        keys = () if row.curve is None else row.curve.keys

        def put(value: float, gesture: int) -> None:
            line_edits.key_activation(document, row.number, value, gesture, frame)

        return key_menu(
            self, f"{row.name}, frame {frame}", ("Activation", row.at(float(frame)), self.limits, ACTIVE), put,
            document.gesture_id(), self._remover(row, frame) if any(key[0] == frame for key in keys) else None,
            (f"Remove all keys of {self._called(row)}", lambda: self._put(row.number, ())), bool(keys),
        )  # fmt: skip

    def _called(self, row: CurveRow) -> str:
        return line_edits.definite_name(self.model.document.physics.settings.now.forces[row.number])  # type: ignore[arg-type]

    def _remover(self, row: CurveRow, frame: int) -> Callable[[], object]:
        return lambda: self._unkey(row.number, float(frame))

    def _unkey(self, number: int, frame: float) -> None:
        self._put(number, without_key(line_edits.keys_of(self.model.document, number), frame))

    def _put(self, number: int, keys: Keys) -> None:
        gone = len(line_edits.keys_of(self.model.document, number)) - len(keys)
        line_edits.put_keys(self.model.document, number, keys, f"Remove activation key{'s' * (gone != 1)}")


class ActivationGesture(PhysicsGesture):
    """A live edit of the keys of one muscle's activation.

    Args:
        document: The open document.
        row: The muscle.
        text: What the undo step is called.
    """

    def __init__(self, document: Document, row: CurveRow, text: str):
        super().__init__(document, text)
        self._number, self._of = row.number, document

    def show(self, keys: Keys) -> bool:  # type: ignore[override]  # of one number alone
        """Show other keys."""
        return super().show(forces=line_edits.keyed_forces(self._of, self.before.forces, self._number, keys))


def _title(force: Any) -> str:
    """Return what the row of a muscle is called."""
    name = line_edits.line_name(force)
    return name[:1].upper() + name[1:]
