"""What a person chooses before motion is written for another program, or for a browser."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QLabel, QWidget

from app.export.plan import playing_range
from app.process.handler_guard import guarded
from app.widgets.fields.choice import Choice
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.fields.switch import Switch
from app.widgets.frames.form_dialog import FormDialog
from app.widgets.layouts import side_by_side
from app.words.placing_words import FLOORS, FRONTS
from app.words.quantity import FRAME, RATE, Quantity
from core.animation import Sequence
from core.errors import CoreError, FormatError
from core.formats import FORMATS, PAGE_MODULE, PAGE_NAME, PAGE_SUFFIX, Format, format_of
from core.formats.exchange.recording import Recording
from core.formats.exporting import ExportChoices
from core.formats.extras import missing
from core.formats.fbx import find_blender
from core.formats.importing.choices import SLOWEST
from core.formats.importing.measures import LIKELY_UNITS

_OFFERED = tuple(format for format in FORMATS if format.short)
KINDS = (*((format.suffixes[0], format.short) for format in _OFFERED), (PAGE_SUFFIX, PAGE_NAME))
"""Kinds of files by their usual suffixes."""
SHOWN, ALONE = "shown", "alone"
LABEL = 72


@dataclass
class MotionWishes:
    """What was chosen last, kept while the window is open.

    Attributes:
        kind: Kind of file.
        unit: Metres in one unit of files that leave it open; None takes the unit that the figure came in.
        up: Axis that points up in them.
        figures: ``"shown"`` for all figures that are shown, ``"alone"`` for the one that is edited.
    """

    kind: str = ".glb"
    unit: float | None = None
    up: str = "y"
    figures: str = SHOWN


class MotionDialog(FormDialog):
    """Asks which motion is written, and how.

    Args:
        sequences: What is exported: that of the figure that is edited, and those of the others.
        hidden: Numbers of those whose figures are hidden in the views.
        wishes: What to begin with; takes what is chosen.
        unit: Metres in one unit of the file that the figure came from.
        recording: What was simulated, or None.
        simulated: Whether that is proposed.
        parent: Owner.
    """

    def __init__(
        self,
        sequences: Seq[Sequence],
        hidden: frozenset[int],
        wishes: MotionWishes,
        unit: float = 1.0,
        recording: Recording | None = None,
        simulated: bool = False,
        parent: QWidget | None = None,
    ):
        super().__init__("Export motion", "Export…", parent)
        self._sequences, self._hidden, self._wishes = tuple(sequences), hidden, wishes
        self._own_unit, self._recording = unit, recording
        self.kinds = SegmentBar(KINDS, name="File type")
        self.kinds.set_current(wishes.kind)
        self.simulated = Switch("Simulated motion")
        self.simulated.setChecked(recording is not None and simulated)
        self.first, self.last = (self._field(name, FRAME) for name in ("First frame", "Last frame"))
        self.rate = self._field("Frames per second", RATE)
        self.rate.set_limits(SLOWEST, 1000.0)
        self.rate.set_value(float(sequences[0].fps))
        self.unit_choice, self.up, self.floor = Choice("Unit"), Choice("Up"), Choice("Floor")
        self.front, self.figures = Choice("Front"), Choice("Figures")
        self._own_rate = self.rate.value
        self._take_range()
        self._fill()
        self._build()
        self._connect()
        self._show()

    @staticmethod
    def _field(name: str, quantity: Quantity) -> NumberField:
        made = NumberField(quantity)
        made.setAccessibleName(name)
        made.setFixedWidth(78)
        return made

    def _take_range(self) -> None:
        """Propose all frames of what is exported."""
        first, last = playing_range(self._sequences[0], self._taken)
        self._whole = (first, last)
        for field, value in ((self.first, first), (self.last, last)):
            field.set_limits(first, max(last, first))
            field.set_value(float(value))

    def _fill(self) -> None:
        for choice, rows in ((self.floor, FLOORS), (self.front, FRONTS)):
            choice.show_rows([(None, "As in the sequence"), *rows], None)
        shown = len(self._sequences) - len(self._hidden)
        self.figures.show_rows(
            [
                (SHOWN, f"All visible figures, {shown} of {len(self._sequences)}"),
                (ALONE, "Only the figure you are editing"),
            ],
            self._wishes.figures if 0 not in self._hidden and shown > 1 else SHOWN if shown else ALONE,
            {} if shown else {SHOWN: "All figures are hidden"},
        )

    def _build(self) -> None:
        rows: list[tuple[str, list[QWidget]]] = [
            ("File", [side_by_side(self.kinds)]),
            ("Frames", [side_by_side(self.first, QLabel("to"), self.last)]),
            ("Frame rate", [side_by_side(self.rate)]),
            ("Unit", [self.unit_choice]),
            ("Up", [self.up]),
            ("Floor", [self.floor]),
            ("Front", [self.front]),
        ]
        if len(self._sequences) > 1:
            rows.append(("Figures", [self.figures]))
        if self._recording is not None:
            rows.insert(1, ("Simulated", [side_by_side(self.simulated)]))
        self.lay_out(rows, LABEL)
        if len(self._sequences) < 2:
            self.keep_hidden(self.figures)
        if self._recording is None:
            self.keep_hidden(self.simulated)
        self.setMinimumWidth(460)

    def _connect(self) -> None:
        self.kinds.chosen.connect(lambda _key: self._show())
        self.simulated.toggled.connect(lambda _on: self._simulated_picked())
        for choice in (self.unit_choice, self.up, self.floor, self.front, self.figures):
            choice.picked.connect(lambda _key: self._show())
        for field in (self.first, self.last, self.rate):
            field.changed.connect(lambda _value: self._show())

    def _simulated_picked(self) -> None:
        self._take_range()
        self._show()

    # -- what is chosen -------------------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """Kind of file, of ``KINDS``: its usual suffix."""
        return self.kinds.current

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Suffixes that such a file may have, the usual one first."""
        if self._format is None:
            return (PAGE_SUFFIX,)
        return tuple(each for each in self._format.suffixes if each not in self._format.figures_alone)

    @property
    def kind_name(self) -> str:
        """What a file dialog calls the kind."""
        return PAGE_NAME if self._format is None else self._format.name

    @property
    def _format(self) -> Format | None:
        """The format; None for a web page."""
        return format_of(f"x{self.kind}")

    @property
    def _one_figure(self) -> bool:
        return self._format is not None and self._format.one_figure

    @property
    def recording(self) -> Recording | None:
        """What was simulated, if that is written."""
        return self._taken

    @property
    def _taken(self) -> Recording | None:
        return self._recording if self.simulated.isChecked() else None

    @property
    def _open(self) -> bool:
        """Whether the kind of file leaves unit and axis open."""
        return self._format is not None and self._format.open_unit

    @property
    def left_out(self) -> frozenset[int]:
        """Numbers of the figures that are not written."""
        if len(self._sequences) > 1 and (self.figures.chosen == ALONE or self._one_figure):
            return frozenset(range(1, len(self._sequences)))
        return self._hidden if len(self._sequences) > 1 else frozenset()

    def choices(self) -> ExportChoices:
        """Return what is chosen."""
        first, last = int(self.first.value), int(self.last.value)
        whole = (first, last) == self._whole
        unit = self.unit_choice.chosen if self._open else None
        return ExportChoices(
            None if whole else first,
            None if whole else last,
            None if self.rate.value == self._own_rate else self.rate.value,
            None if unit is None else float(str(unit)),
            str(self.up.chosen) if self._open else None,
            None if self.floor.chosen is None else str(self.floor.chosen),
            None if self.front.chosen is None else str(self.front.chosen),
            self.left_out,
        )

    # -- what is shown --------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Show what the choices come to, or why they cannot be."""
        self._show_axes()
        try:
            choices = self.choices().checked(Path(f"x{self.kind}"))
            if missing := self._missing():
                raise CoreError(missing)
            if len(self.left_out) >= len(self._sequences):
                raise CoreError("all figures are hidden; choose the figure you are editing")
        except CoreError as error:
            self.remark.setProperty("quiet", False)
            bare = error.problems[0].message if isinstance(error, FormatError) else str(error)
            self.refuse(CoreError(bare))
            return
        self.remark.setProperty("quiet", True)
        seconds = (self.last.value - self.first.value) / self._own_rate
        frames = int(seconds * self.rate.value + 1e-6) + 1
        text = f"{frames} frame{'s' * (frames != 1)}, {seconds:.2f} s"
        count = len(self._sequences) - len(choices.left_out)
        if len(self._sequences) > 1:
            text += f", {count} figure{'s' * (count != 1)}"
            text += f" (an {self._format.short} file holds only one)" if self._format and self._one_figure else ""
        self.allow(text + "\n" + self._about())

    def _about(self) -> str:
        """Return what such a file holds."""
        if self.kind == ".amc":
            return "Also writes the figure, as an ASF file in the same folder"
        if self.kind == ".bvh":
            return "Joints and motion only: no shapes, and nothing around the figures"
        if self._format is None:
            return "One file that plays in any browser, even offline"
        return "Joints, shapes, motion, camera, ground and rigid bodies"

    def _show_axes(self) -> None:
        """Offer units and axes where the format has them; else say those of the format."""
        for choice in (self.unit_choice, self.up):
            choice.setEnabled(self._open)
        if not self._open:
            stated = "Centimetres" if self.kind == ".fbx" else "Metres"
            self.unit_choice.show_rows([(None, f"{stated} (fixed by the format)")], None)
            self.up.show_rows([(None, "Y points up (fixed by the format)")], None)
            return
        unit = self.unit_choice.chosen
        if unit is None:
            usual = self._own_unit if self.kind != ".usdc" else 1.0
            unit = self._wishes.unit if self._wishes.unit is not None else usual
        units = dict(LIKELY_UNITS)
        rows = [(metres, f"{name[0].upper()}{name[1:]}") for metres, name in units.items()]
        if unit not in units:
            rows.append((float(str(unit)), f"Units of {float(str(unit)):.4g} m"))
        self.unit_choice.show_rows(rows, unit)
        up = self.up.chosen or self._wishes.up
        self.up.show_rows([("y", "Y points up"), ("z", "Z points up")], up)

    def _missing(self) -> str:
        """Return what such a file needs and is not installed; "" if nothing is missing."""
        if self.kind == ".fbx" and find_blender() is None:
            return "FBX files are written through Blender, which is not installed"
        module = PAGE_MODULE if self._format is None else self._format.module
        package = missing(module) if module else ""
        return f"this needs the package {package}, which is not installed" if package else ""

    @guarded
    def accept(self) -> None:
        """Close, and remember what was chosen."""
        self._wishes.kind, self._wishes.figures = self.kind, str(self.figures.chosen or SHOWN)
        if self._open:
            self._wishes.unit, self._wishes.up = float(str(self.unit_choice.chosen)), str(self.up.chosen)
        super().accept()
