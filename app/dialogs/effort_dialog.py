"""Asks what a motion of least effort has to keep, and whether torques are limited."""

from __future__ import annotations

import math
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from app.widgets.fields.choice import Choice
from app.widgets.fields.number_field import NumberField
from app.widgets.frames.form_dialog import FormDialog
from app.words.quantity import FACTOR

NEW, KEPT = "new", "kept"
ANY, LIMITED = "any", "limited"
_LEAST, _MOST = 0.2, 5.0


class Wishes(NamedTuple):
    """What is asked for.

    Attributes:
        keep: Whether the poses of the keys within the span stay.
        strength: Largest share of the strength of people that a joint has, infinite if that does not matter; None of a
            figure whose strength is not known.
    """

    keep: bool
    strength: float | None


class EffortDialog(FormDialog):
    """How to find the motion of least effort.

    Args:
        span: First and last frame.
        inner: How many keys there are between.
        strong: Whether the strength of the figure is known.
        parent: Owner.
    """

    def __init__(self, span: tuple[int, int], inner: int, strong: bool, parent: QWidget | None = None):
        super().__init__("Least effort between keys", "Find", parent)
        self._span, self._inner, self._strong = span, inner, strong
        self.keys = Choice("Keys between the first and the last")
        self.keys.show_rows([(NEW, "Replace those between"), (KEPT, "Keep those between")], NEW)
        self.keys.picked.connect(lambda _: self._show())
        self.limit = Choice("Torques")
        self.limit.show_rows([(ANY, "Unlimited"), (LIMITED, "Limited to human strength")], ANY)
        self.limit.picked.connect(lambda _: self._show())
        self.times = NumberField(FACTOR)
        self.times.set_limits(_LEAST, _MOST)
        self.times.set_value(1.0)
        self.times.setAccessibleName("How many times human strength")
        self.times.setFixedWidth(64)
        rows: list[tuple[str, list[QWidget]]] = []
        for part, asked in ((self.keys, inner > 0), (self.limit, strong)):
            if not asked:
                self.keep_hidden(part)
        if inner > 0:
            rows.append(("Keys", [self.keys]))
        if strong:
            rows.append(("Torques", [self.limit, self.times]))
        else:
            self.keep_hidden(self.times)
        self.lay_out(rows)
        self.setMinimumWidth(380)
        self.go.setFocus()
        self._show()

    @property
    def wishes(self) -> Wishes:
        """What is asked for."""
        limited = self.limit.currentIndex() == 1
        strength = (float(self.times.value) if limited else math.inf) if self._strong else None
        return Wishes(self._inner > 0 and self.keys.currentIndex() == 1, strength)

    def _show(self) -> None:
        self.times.setEnabled(self.limit.currentIndex() == 1)
        keep, _ = self.wishes
        count = (
            f"{self._inner} {'pose' if self._inner == 1 else 'poses'} between kept" if keep else "keys between replaced"
        )
        self.allow(f"Frames {self._span[0]} to {self._span[1]}: {count}; one undo step")
