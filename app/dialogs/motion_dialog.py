"""What a person chooses before motion is written for another program, or for a browser."""

from __future__ import annotations

import importlib.util
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
from app.words.quantity import FRAME, Quantity
from core.animation import Sequence
from core.errors import CoreError, FormatError
from core.formats import PAGE_SUFFIX
from core.formats.exchange.recording import Recording
from core.formats.exporting import OPEN_UNIT, ExportChoices
from core.formats.fbx import find_blender
from core.formats.importing.choices import AVERAGE, FIRST, LOWEST, SLOWEST
from core.formats.importing.measures import LIKELY_UNITS

BVH, AMC, GLTF, USD, FBX, PAGE = "bvh", "amc", "gltf", "usd", "fbx", "page"
KINDS = ((BVH, "BVH"), (AMC, "AMC"), (GLTF, "glTF"), (USD, "USD"), (FBX, "FBX"), (PAGE, "Web page"))
SUFFIXES = {BVH: ".bvh", AMC: ".amc", GLTF: ".glb", USD: ".usdc", FBX: ".fbx", PAGE: PAGE_SUFFIX}
ENDINGS = {GLTF: (".glb", ".gltf"), USD: (".usdc", ".usda", ".usd", ".usdz")}
"""Endings that a kind of file may have besides its usual one."""
NAMES = {BVH: "BVH motion", AMC: "Acclaim motion", GLTF: "glTF scene", USD: "USD scene", FBX: "FBX scene",
         PAGE: "Web pages"}  # fmt: skip
_PACKAGES = {GLTF: ("pygltflib", "pygltflib"), PAGE: ("pygltflib", "pygltflib"), USD: ("pxr", "usd-core")}
RATE = Quantity("fps", 3, 1.0, "frames per second")
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

    kind: str = GLTF
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
        self.floor.show_rows(
            [
                (None, "As in the sequence"),
                (LOWEST, "Put its lowest point on the floor"),
                (FIRST, "Put its first frame on the floor"),
            ],
            None,
        )
        self.front.show_rows(
            [
                (None, "As in the sequence"),
                (FIRST, "Face the front in the first frame"),
                (AVERAGE, "Face the front on average"),
            ],
            None,
        )
        shown = len(self._sequences) - len(self._hidden)
        self.figures.show_rows(
            [(SHOWN, f"All that are shown, {shown} of {len(self._sequences)}"), (ALONE, "The one that is edited")],
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
        """Kind of file, of ``KINDS``."""
        return self.kinds.current

    @property
    def suffix(self) -> str:
        """Suffix of the file."""
        return SUFFIXES[self.kind]

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
        return self.suffix in OPEN_UNIT

    @property
    def left_out(self) -> frozenset[int]:
        """Numbers of the figures that are not written."""
        if len(self._sequences) > 1 and (self.figures.chosen == ALONE or self.kind == AMC):
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
            choices = self.choices().checked(Path("x" + self.suffix))
            if missing := self._missing():
                raise CoreError(missing)
            if len(self.left_out) >= len(self._sequences):
                raise CoreError("all figures are hidden; choose the one that is edited")
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
            text += " (an AMC file holds one)" if self.kind == AMC else ""
        self.allow(text + "\n" + self._about())

    def _about(self) -> str:
        """Return what such a file holds."""
        if self.kind == AMC:
            return "Writes the figure as an ASF file beside it"
        if self.kind == BVH:
            return "Joints and motion; neither shapes nor what is around them"
        if self.kind == PAGE:
            return "One file that plays in any browser, without a network"
        return "Joints, shapes, motion, camera, ground and rigid bodies"

    def _show_axes(self) -> None:
        """Offer units and axes where the format has them; else say those of the format."""
        for choice in (self.unit_choice, self.up):
            choice.setEnabled(self._open)
        if not self._open:
            stated = "Centimetres" if self.kind == FBX else "Metres"
            self.unit_choice.show_rows([(None, f"{stated}, as the format has it")], None)
            self.up.show_rows([(None, "Y points up, as the format has it")], None)
            return
        unit = self.unit_choice.chosen
        if unit is None:
            usual = self._own_unit if self.kind != USD else 1.0
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
        if self.kind == FBX and find_blender() is None:
            return "FBX is written through Blender, which is not installed here"
        module, package = _PACKAGES.get(self.kind, ("", ""))
        if module and importlib.util.find_spec(module) is None:
            return f"this needs the package {package}, which is not installed"
        return ""

    @guarded
    def accept(self) -> None:
        """Close, and remember what was chosen."""
        self._wishes.kind, self._wishes.figures = self.kind, str(self.figures.chosen or SHOWN)
        if self._open:
            self._wishes.unit, self._wishes.up = float(str(self.unit_choice.chosen)), str(self.up.chosen)
        super().accept()
