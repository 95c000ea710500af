"""Asks how what was simulated becomes keys: of which frames, how many, and where they go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QWidget

from app.widgets.fields.choice import Choice
from app.widgets.fields.number_field import NumberField
from app.widgets.frames.form_dialog import FormDialog
from app.widgets.layouts import row_layout
from app.words.quantity import FRAME, MILLIMETRES

if TYPE_CHECKING:
    from core.preview.sample import Sample

ALL, FEW = "all", "few"
HERE, NEW = "here", "new"
_USUAL = 5.0  # [mm]
_LEAST, _MOST = 0.1, 200.0  # [mm]


class BakeDialog(FormDialog):
    """What to bake, and how.

    Args:
        samples: What was simulated; at least one frame of it.
        parent: Owner.
    """

    def __init__(self, samples: list[Sample], parent: QWidget | None = None):
        super().__init__("Bake to keys", "Bake", parent)
        first, last = round(samples[0].frame), int(samples[-1].frame + 1e-6)
        self._span = (first, last)
        self.first, self.last = NumberField(FRAME), NumberField(FRAME)
        for field, value, name in ((self.first, first, "First frame"), (self.last, last, "Last frame")):
            field.set_limits(first, last)
            field.set_value(float(value))
            field.setAccessibleName(name)
            field.committed.connect(lambda _: self._show())
        self.keys = Choice("Keys")
        self.keys.show_rows([(ALL, "One at every frame"), (FEW, "As few as stay within")], FEW)
        self.keys.picked.connect(lambda _: self._show())
        self.within = NumberField(MILLIMETRES)
        self.within.set_limits(_LEAST, _MOST)
        self.within.set_value(_USUAL)
        self.within.setAccessibleName("How far a joint may be from its simulated position")
        self.within.setFixedWidth(84)
        self.into = Choice("Into")
        self.into.show_rows([(HERE, "This sequence"), (NEW, "A new sequence")], HERE)
        self.into.picked.connect(lambda _: self._show())
        rows: list[tuple[str, list[QWidget]]] = [
            ("Frames", [self._span_line()]),
            ("Keys", [self.keys, self.within]),
            ("Into", [self.into]),
        ]
        self.lay_out(rows)
        self.setMinimumWidth(360)
        self.go.setFocus()  # what is proposed is mostly what is wanted; in a number Enter would open that for typing
        self._show()

    def _span_line(self) -> QWidget:
        part = QWidget()
        line = row_layout(part, spacing=6)
        for field in (self.first, self.last):
            field.setFixedWidth(64)
        line.addWidget(self.first)
        line.addWidget(QLabel("–"))
        line.addWidget(self.last)
        line.addStretch(1)
        return part

    @property
    def frames(self) -> tuple[int, int]:
        """First and last frame."""
        first, last = int(self.first.value), int(self.last.value)
        return min(first, last), max(first, last)

    @property
    def tolerance(self) -> float | None:
        """How far a joint may be from its simulated position, [m]; None for a key at every frame."""
        return 1e-3 * self.within.value if self.keys.currentIndex() == 1 else None

    @property
    def new(self) -> bool:
        """Whether the keys go into a new sequence."""
        return self.into.currentIndex() == 1

    def _show(self) -> None:
        self.within.setEnabled(self.keys.currentIndex() == 1)
        first, last = self.frames
        if last <= first:
            self.refuse(ValueError("nothing to bake between these frames; simulate more, or choose more frames"))
            return
        where = "in a new sequence" if self.new else "in place of those already there"
        count = f"{last - first + 1} keys" if self.tolerance is None else f"At most {last - first + 1} keys"
        self.allow(f"{count} of the parts that forces moved, {where}; one undo step")
