"""Asks how a motion file is read, with a picture of how the figure would stand: size, up, floor, front, frames."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QCheckBox, QLabel, QVBoxLayout, QWidget

from app.dialogs.import_picture import PERSON, ImportPicture
from app.dialogs.import_preview import Preview
from app.widgets.fields.choice import Choice
from app.widgets.fields.number_field import NumberField
from app.widgets.frames.form_dialog import FormDialog
from app.widgets.layouts import row_layout, side_by_side
from app.widgets.rows.form_row import FormRow
from app.words.lengths import distance_text, size_text
from app.words.placing_words import FLOORS, FRONTS
from app.words.quantity import FRAME, METRES, RATE
from core.formats.importing import findings as doubt
from core.formats.importing.choices import (
    ADD,
    AUTO,
    LOWEST,
    REPLACE,
    SHORTEST,
    SLOWEST,
    TALLEST,
    UPS,
    ImportChoices,
)
from core.formats.importing.measures import LIKELY_UNITS
from core.formats.importing.units import FILE

if TYPE_CHECKING:
    from app.document.content.model import Model
    from core.formats.importing.findings import Findings

OWN = "own"
READ, MADE = "read", "made"
POSITION_ROWS = ((ADD, "Positions add to the joints' offsets"), (REPLACE, "Positions replace the joints' offsets"))
LABEL = 64
_NEAR = 0.005  # [m] and [rad]: what is nearer to nothing is called nothing


class ImportDialog(FormDialog):
    """How a motion file is to be read.

    Args:
        path: The file.
        model: What was read from it, neither put on the floor nor turned to the front.
        choices: What to begin with; None proposes what is likely.
        read: Reads the file again beside the window with other choices, for those that a picture alone cannot show, and
            hands what it has read, or None, to the function that it is given.
        parent: Owner.

    Attributes:
        picture: How the figure would stand.
        size, height_field, up, floor, front, positions, first, last, rate_choice, rate: The fields.
        remember: Whether the choices hold for further files of this source.
    """

    def __init__(
        self,
        path: Path,
        model: Model,
        choices: ImportChoices | None,
        read: Callable[[ImportChoices, Callable[[Model | None], None]], None],
        parent: QWidget | None = None,
    ):
        super().__init__(f"Import {path.name}", "Import", parent)
        assert model.imported is not None
        assert model.skeleton is not None
        self._read, self._reading = read, False
        self._found: Findings = model.imported
        self._by_format = model.unit_guess == FILE
        moving = [sequence for sequence in model.sequences if len(sequence.keys) > 1]
        self._end = moving[0].keys[-1].frame if len(moving) == 1 else 0  # of several motions no frames are chosen
        self._fps = float(moving[0].fps) if moving else 0.0
        self._previews: dict[str | None, Preview] = {}
        self._take(model)
        self._preview = self._previews[self._found.positions]
        self.picture = ImportPicture(model.skeleton)
        self.unit_choice, self.up = Choice("Size"), Choice("Up")
        self.floor, self.front, self.positions = Choice("Floor"), Choice("Front"), Choice("Joints")
        self.height_field = NumberField(METRES)
        self.height_field.setAccessibleName("Height of the figure")
        self.height_field.setToolTip("How tall the figure is; type another height to scale it")
        self.height_field.set_limits(SHORTEST, TALLEST)
        self.height_field.setFixedWidth(88)
        self.first, self.last = self._frame_field("First frame", 0), self._frame_field("Last frame", self._end)
        self.rate_choice, self.rate = Choice("Frame rate"), NumberField(RATE)
        self.rate.setAccessibleName("Frames per second")
        self.rate.set_limits(SLOWEST, 1000.0)
        self.rate.setFixedWidth(88)
        self.remember = QCheckBox("Use these settings for other files from this source")
        self.remember.setToolTip("Applies to files with the same joint names and about the same size")
        self.remember.setChecked(True)
        self._begin(choices)
        for field in (self.up, self.floor, self.front):
            field.picked.connect(lambda _key: self._show())
        self.unit_choice.picked.connect(self._size_picked)
        self.positions.picked.connect(self._positions_picked)
        self.height_field.committed.connect(lambda _value: self._height_typed())
        self.rate_choice.picked.connect(lambda _key: self._rate_picked())
        for frame_field in (self.first, self.last):
            frame_field.committed.connect(lambda _value: self._show())
        self._arrange()
        self._show()
        self.go.setFocus()

    @property
    def reading(self) -> bool:
        """Whether the file is being read once more."""
        return self._reading

    # -- what is chosen ---------------------------------------------------------------------------------------------

    @property
    def choices(self) -> ImportChoices:
        """What is chosen, nothing of it left to be found."""
        size, floor, facing = self.unit_choice.chosen, self.floor.chosen, self.front.chosen
        return ImportChoices(
            unit=None if size == OWN else float(str(size)),
            height=self.height_field.value if size == OWN else None,
            up=str(self.up.chosen),
            floor=None if floor is None else str(floor),
            facing=None if facing is None else str(facing),
            positions=self._positions,
            rate=self.rate.value if self.rate_choice.chosen == READ else None,
            fps=self.rate.value if self.rate_choice.chosen == MADE else None,
            first=int(self.first.value) or None,
            last=int(self.last.value) if self.last.value < self._end else None,
        )

    def _frame_field(self, name: str, value: int) -> NumberField:
        made = NumberField(FRAME)
        made.setAccessibleName(name)
        made.set_limits(0, self._end)
        made.set_value(float(value))
        made.setFixedWidth(78)
        return made

    # -- the fields -------------------------------------------------------------------------------------------------

    def _begin(self, choices: ImportChoices | None) -> None:
        found = self._found
        self._tall = found.height / found.unit  # [units of the file]
        likely = found.likely_unit
        own = PERSON if found.human else found.height
        unit: object = found.unit
        if choices is not None and choices.height is not None:
            unit, own = OWN, choices.height
        elif choices is not None and choices.unit is not None:
            unit = choices.unit
        elif doubt.SIZE in found.doubts:
            unit = likely if likely is not None else OWN if found.human and not self._by_format else found.unit
        units = dict(LIKELY_UNITS)
        rows: list[tuple[object, str]] = [
            (metres, f"{name[0].upper()}{name[1:]}, {size_text(self._tall * metres)} tall")
            for metres, name in units.items()
        ]
        for other in (found.unit, unit):
            if other != OWN and other not in [key for key, _ in rows]:
                rows.append((other, f"Units of {other:.4g} m, {size_text(self._tall * float(str(other)))} tall"))
        rows.append((OWN, "Scale to this height"))
        self.unit_choice.show_rows(rows, unit)
        self.height_field.set_value(own if unit == OWN else self._tall * float(str(unit)))
        up = found.up if choices is None or choices.up in (None, AUTO) else choices.up
        sure = "found in the data" if found.human and found.up_sure else "likely" if found.human else "usual"
        names = {name: f"{name.upper().replace('-', '−')} points up" for name in UPS}
        self.up.show_rows(
            [(name, f"{text} ({sure})" if name == found.found_up else text) for name, text in names.items()], up
        )
        floor = choices.floor if choices is not None else LOWEST if doubt.FLOOR in found.doubts else None
        self._say_places(floor, None if choices is None else choices.facing)
        self.positions.show_rows(POSITION_ROWS, found.positions)
        self._positions = found.positions
        rate, fps = (None, None) if choices is None else (choices.rate, choices.fps)
        self.rate_choice.show_rows(
            [(None, f"As in the file, {self._fps:g} fps"), (READ, "The file was recorded at"), (MADE, "Resample to")],
            READ if rate is not None else MADE if fps is not None else None,
        )
        self.rate.set_value(rate or fps or self._fps)
        if choices is not None:
            self.first.set_value(float(min(choices.first or 0, self._end)))
            self.last.set_value(float(self._end if choices.last is None else min(choices.last, self._end)))

    def _arrange(self) -> None:
        rows: list[tuple[str, list[QWidget]]] = [
            ("Size", [self.unit_choice, self.height_field]),
            ("Up", [self.up]),
            ("Floor", [self.floor]),
            ("Front", [self.front]),
        ]
        if self._found.found_positions == ADD or doubt.POSITIONS in self._found.doubts:
            rows.append(("Joints", [self.positions]))
        else:
            self.keep_hidden(self.positions)
        to = QLabel("to")
        if self._end > 0:
            rows.append(("Frames", [side_by_side(self.first, to, self.last)]))
        if self._fps > 0.0:
            rows.append(("Rate", [self.rate_choice, self.rate]))
        for part, shown in ((self.first, self._end > 0), (self.last, self._end > 0),
                            (self.rate_choice, self._fps > 0.0), (self.rate, self._fps > 0.0)):  # fmt: skip
            if not shown:
                self.keep_hidden(part)
        whole = row_layout(self, (12, 12, 8, 12), 4)
        whole.addWidget(self.picture, 1)
        column = QVBoxLayout()
        column.setSpacing(6)
        why = QVBoxLayout()
        why.setContentsMargins(12, 0, 8, 4)
        why.addWidget(self.remark)
        column.addLayout(why)
        for label, parts in rows:
            column.addWidget(FormRow(label, parts, label_width=LABEL))
        inner = QVBoxLayout()
        inner.setContentsMargins(12, 6, 8, 0)
        inner.addWidget(self.remember)
        column.addLayout(inner)
        column.addStretch(1)
        inner = QVBoxLayout()
        inner.setContentsMargins(12, 0, 8, 0)
        inner.addWidget(self.buttons)
        column.addLayout(inner)
        right = QWidget()
        right.setLayout(column)
        column.setContentsMargins(0, 0, 0, 0)
        right.setFixedWidth(410)
        whole.addWidget(right)
        fields = (
            self.unit_choice, self.height_field, self.up, self.floor, self.front, self.positions,
            self.first, self.last, self.rate_choice, self.rate,
        )  # fmt: skip
        stops = [*(each for each in fields if each.isVisibleTo(self)), self.remember]
        for one, following in pairwise(stops):
            self.setTabOrder(one, following)
        self.resize(790, 372)

    def _take(self, model: Model) -> None:
        """Keep a preview of one reading."""
        assert model.imported is not None
        assert model.skeleton is not None
        keys = model.sequence.keys if model.sequence is not None else ()
        q = np.array([key.q for key in keys]) if keys else np.zeros((0, model.skeleton.nq))
        self._previews[model.imported.positions] = Preview(model.skeleton, q, model.imported)

    # -- what changes -----------------------------------------------------------------------------------------------

    def _size_picked(self, key: object) -> None:
        if key != OWN:
            self.height_field.set_value(self._tall * float(str(key)))
        self._show()

    def _rate_picked(self) -> None:
        if self.rate_choice.chosen is None:
            self.rate.set_value(self._fps)
        self._show()

    def _height_typed(self) -> None:
        unit = self.unit_choice.chosen
        if unit == OWN or not math.isclose(self.height_field.value, self._tall * float(str(unit)), rel_tol=1e-3):
            self.unit_choice.setCurrentIndex(self.unit_choice.count() - 1)
        self._show()

    def _positions_picked(self, key: object) -> None:
        if key in self._previews:
            self._show_positions(str(key))
            return
        self._reading = True
        self.positions.setEnabled(False)
        self._show()
        choices = ImportChoices(unit=self._found.unit, up=self._found.up, positions=str(key))
        self._read(choices, lambda model: self._read_again(str(key), model))

    def _read_again(self, key: str, model: Model | None) -> None:
        """Go on with what was read with another meaning of positions; with what there was if that failed."""
        self._reading = False
        self.positions.setEnabled(True)
        if model is not None and model.imported is not None:
            self._take(model)
            self._show_positions(key)
        else:
            self.positions.show_rows(POSITION_ROWS, self._positions)
            self._show()

    def _show_positions(self, key: str) -> None:
        self._positions = key
        self._preview = self._previews[key]
        self._tall = self._preview.found.height / self._preview.found.unit
        self._show()

    def _show(self) -> None:
        """Draw how it would stand, and say where its feet and its front are."""
        floor, facing = self.floor.chosen, self.front.chosen
        height = self.height_field.value
        self.first.set_limits(0, self.last.value)
        self.last.set_limits(self.first.value, self._end)
        self.rate.setEnabled(self.rate_choice.chosen is not None)
        self._preview.take(int(self.first.value), int(self.last.value) if self._end else 1 << 30)
        standing = self._preview.standing(
            str(self.up.chosen), height, None if floor is None else str(floor), None if facing is None else str(facing)
        )
        self._low, self._facing = standing.low, standing.facing
        self._say_places(floor, facing)
        self.picture.show_pose(self._preview.skeleton, standing.poses, height)
        self.allow(self._doubts())
        if self._reading:
            self.allow("Reading the file again…")
            self.go.setEnabled(False)

    def _say_places(self, floor: object, facing: object) -> None:
        low = getattr(self, "_low", self._found.first_lowest)
        faces = getattr(self, "_facing", self._found.facing)
        what = "feet" if self._found.human else "lowest point"
        where = f"{what} {distance_text(abs(low))} {'above' if low > 0.0 else 'below'} the floor"
        here = f"{what} on the floor" if abs(low) < _NEAR * max(1.0, self._found.height) else where
        self.floor.show_rows([(None, f"As in the file, {here}"), *FLOORS], floor)
        if faces is None:
            self.front.show_rows([(None, "As in the file")], None)
            self.front.setEnabled(False)
            return
        self.front.setEnabled(True)
        angle = round(abs(math.degrees(faces)))
        turned = "facing the front" if angle < 1 else f"turned {angle}° away"
        self.front.show_rows([(None, f"As in the file, {turned}"), *FRONTS], facing)

    def _doubts(self) -> str:
        """Return what made the question necessary."""
        found = self._found
        doubts = []
        if doubt.SIZE in found.doubts:
            person = ", and in no common unit would this person be the size of an adult" if found.human else ""
            doubts.append(
                f"In the unit of its format, the figure would be {size_text(found.height)} tall."
                if self._by_format
                else f"The file does not state its unit{person}."
            )
        if doubt.UP in found.doubts:
            doubts.append("It is not clear which axis points up.")
        if doubt.POSITIONS in found.doubts:
            doubts.append("It is not clear what the positions of its joints mean.")
        if doubt.FLOOR in found.doubts:
            doubts.append(f"The feet are far {'below' if found.first_lowest < 0.0 else 'above'} the floor.")
        return " ".join(doubts)
