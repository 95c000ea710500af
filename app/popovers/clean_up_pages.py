"""The pages of the clean-up board: faults, noise, floor, feet, and what is cut."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QWidget

from app.look import fonts
from app.popovers.foot_bands import FootBands
from app.popovers.foot_paths import SPEED
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.fields.setting_slider import SettingRow, log_scale
from app.widgets.fields.switch import Switch
from app.widgets.labels import quiet_label
from app.widgets.layouts import column_layout, row_layout
from app.widgets.rows.setting_line import SettingLine
from app.words.clean_up_words import fault_text
from app.words.quantity import CENTIMETRES, DEGREES, FRAME, Quantity

if TYPE_CHECKING:
    from core.animation.cleaning.faults import Fault

WIDTH, LABEL_WIDTH, FIELD_WIDTH = 372, 122, 68
HERTZ = Quantity("Hz", 1, 0.5, "hertz")
OFF, BUTTERWORTH, SAVITZKY_GOLAY = "off", "butterworth", "savitzky_golay"
EVERY, SELECTED = "every", "selected"
AS_IT_IS, ON_FLOOR, LEVEL = "as_it_is", "floor", "level"
FACING, TRAVEL = "facing", "travel"
LEAST = 2.0
"""Smaller spikes and gaps are left until another size is set, [degrees]."""
_LIST_HEIGHT = 96

Say = Callable[[str, str], object]


class Page(QWidget):
    """A page of the board.

    Args:
        say: Says what cannot be typed: level and text.

    Signals:
        looked(): Something was set that what was found depends on.
        changed(): Something was set that only what is done depends on.
    """

    looked = Signal()
    changed = Signal()

    def __init__(self, say: Say):
        super().__init__()
        self._say = say
        self.column = column_layout(self, (0, 0, 0, 0), 3)
        self.about = quiet_label()
        self.about.setFont(fonts.font(fonts.SECONDARY))
        self.about.setWordWrap(True)
        self.about.setContentsMargins(6, 0, 4, 2)

    def forget(self) -> None:
        """Take everything as it is when the board opens."""

    def switch(self, text: str, tip: str, on: bool) -> Switch:
        """Add a line with a switch."""
        switch = Switch(text)
        switch.setChecked(on)
        switch.toggled.connect(lambda _on: self.changed.emit())
        self.column.addWidget(SettingLine(text, switch, tip))
        return switch

    def bar(self, text: str, choices: tuple[tuple[str, str], ...], tip: str, chosen: str) -> SegmentBar:
        """Add a line with a bar."""
        bar = SegmentBar(choices, name=text)
        bar.set_tight(True)
        bar.set_current(chosen)
        self.column.addWidget(SettingLine(text, bar, tip))
        return bar

    def row(self, text: str, quantity: Quantity, scale: Any, tip: str, set_by_hand: Callable[[], object]) -> SettingRow:
        """Add a slider, whose value is found until it is set."""
        row = SettingRow(text, quantity, scale, None, LABEL_WIDTH, FIELD_WIDTH)
        row.set_tip(tip)
        row.slider.set_open(True)
        row.committed.connect(lambda _value: set_by_hand())
        report_refusals(row, self._say)
        self.column.addWidget(row)
        return row


class FaultsPage(Page):
    """Spikes and gaps: which there are, which are filled, how large they must be.

    Signals:
        gone_to(int): A fault was clicked: its first frame.
    """

    gone_to = Signal(int)

    def __init__(self, say: Say):
        super().__init__(say)
        self._faults: tuple[Fault, ...] = ()
        self._refused: set[Fault] = set()
        self.column.addWidget(self.about)
        self.list = QListWidget()
        self.list.setAccessibleName("Spikes and gaps")
        self.list.setFixedHeight(_LIST_HEIGHT)
        self.list.setFont(fonts.font(fonts.SECONDARY))
        self.list.itemChanged.connect(self._toggle)
        self.list.currentRowChanged.connect(self._go)
        self.column.addWidget(self.list)
        self.least = self.row(
            "Larger than", DEGREES, log_scale(0.2, 45.0, LEAST),
            "Smaller spikes and gaps of joints are left as they are", self.looked.emit,
        )  # fmt: skip
        self.least.slider.set_open(False)
        self.column.addStretch(1)

    @property
    def wanted(self) -> tuple[Fault, ...]:
        """The faults that are to be filled."""
        return tuple(fault for fault in self._faults if fault not in self._refused)

    def show_faults(self, faults: tuple[Fault, ...]) -> None:
        """Show faults; those that were refused before still are."""
        self._faults = faults
        self.list.blockSignals(True)
        self.list.clear()
        for fault in faults:
            item = QListWidgetItem(fault_text(fault))
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            refused = fault in self._refused
            item.setCheckState(Qt.CheckState.Unchecked if refused else Qt.CheckState.Checked)
            self.list.addItem(item)
        self.list.blockSignals(False)
        self.list.setVisible(bool(faults))

    def forget(self) -> None:
        self._refused = set()
        self.least.set_value(LEAST)

    def _toggle(self, item: QListWidgetItem) -> None:
        self._refused ^= {self._faults[self.list.row(item)]}
        self.changed.emit()

    def _go(self, row: int) -> None:
        if 0 <= row < len(self._faults):
            self.gone_to.emit(self._faults[row].first)


class NoisePage(Page):
    """The filter: which, of which parts, and its cutoff."""

    def __init__(self, say: Say):
        super().__init__(say)
        self.by_hand = False
        self.column.addWidget(self.about)
        choices = ((OFF, "Off"), (BUTTERWORTH, "Butterworth"), (SAVITZKY_GOLAY, "Savitzky-Golay"))
        tip = "Butterworth takes away what is faster than the cutoff; Savitzky-Golay keeps peaks higher"
        self.filter = self.bar("Filter", choices, tip, BUTTERWORTH)
        self.filter.chosen.connect(self._choose)
        self.parts = self.bar(
            "Parts",
            ((EVERY, "All"), (SELECTED, "Selected")),
            "Which parts are filtered; none, while none is selected",
            EVERY,
        )
        self.parts.chosen.connect(self._choose_parts)
        self.cutoff = self.row(
            "Cutoff", HERTZ, log_scale(0.5, 60.0, 6.0),
            "What is faster goes. Found for each part by residual analysis until you set one for all", self._set,
        )  # fmt: skip
        self.column.addStretch(1)

    def show_cutoff(self, cutoff: float | None) -> None:
        """Show the cutoff that was found, unless one was set."""
        if not self.by_hand and cutoff is not None:
            self.cutoff.set_value(cutoff)
        self.cutoff.slider.set_open(not self.by_hand)

    def forget(self) -> None:
        self.by_hand = False
        self.filter.set_current(BUTTERWORTH)
        self.cutoff.setEnabled(True)

    def _set(self) -> None:
        self.by_hand = True
        self.cutoff.slider.set_open(False)
        self.looked.emit()

    def _choose(self, key: str) -> None:
        self.filter.set_current(key)
        self.cutoff.setEnabled(key != OFF)
        self.looked.emit()

    def _choose_parts(self, key: str) -> None:
        self.parts.set_current(key)
        self.looked.emit()


class FloorPage(Page):
    """Where the motion is: its floor, and what faces the front."""

    def __init__(self, say: Say):
        super().__init__(say)
        self.column.addWidget(self.about)
        choices = ((AS_IT_IS, "As it is"), (ON_FLOOR, "At height 0"), (LEVEL, "And level"))
        self.floor = self.bar(
            "Floor", choices, "Raise or lower the motion to the floor, and turn the floor level", ON_FLOOR
        )
        ways = ((AS_IT_IS, "As it is"), (FACING, "Faces front"), (TRAVEL, "Travels to front"))
        self.heading = self.bar(
            "Heading",
            ways,
            "Turn the motion so that the figure faces the front at first, or travels towards it (+Z)",
            AS_IT_IS,
        )
        for bar in (self.floor, self.heading):
            bar.chosen.connect(lambda key, bar=bar: self._choose(bar, key))
        self.origin = self.switch("Begin at the origin", "Move the motion so that it begins at the middle", False)
        self.column.addStretch(1)

    def forget(self) -> None:
        self.floor.set_current(ON_FLOOR)
        self.heading.set_current(AS_IT_IS)
        _set_quietly(self.origin, False)

    def _choose(self, bar: SegmentBar, key: str) -> None:
        bar.set_current(key)
        self.changed.emit()


class FeetPage(Page):
    """When feet stand, and whether locks hold them."""

    def __init__(self, say: Say):
        super().__init__(say)
        self.given: dict[str, float] = {}
        self.hold = self.switch(
            "Hold feet where they stand", "Locks keep feet still in each stance; legs and root make up for it", True
        )
        self.bands = FootBands()
        self.column.addWidget(self.bands)
        self.column.addWidget(self.about)
        self.speed = self.row(
            "Stands if slower than", SPEED, log_scale(0.5, 300.0, 30.0),
            "A slower heel or toe rests. Found from how fast the feet swing until you set it",
            lambda: self._set("speed"),
        )  # fmt: skip
        self.height_row = self.row(
            "and not higher than", CENTIMETRES, log_scale(0.1, 20.0, 1.5),
            "A heel or toe that is higher above the ground does not touch it. Found from the figure's size and how "
            "much the heights of slow feet scatter until you set it", lambda: self._set("height"),
        )  # fmt: skip
        self.column.addStretch(1)

    def show_bounds(self, speed: float, height: float) -> None:
        """Show what counts as contact, [m/s] and [m]."""
        for row, name, value in ((self.speed, "speed", speed), (self.height_row, "height", height)):
            row.set_value(100.0 * value)
            row.slider.set_open(name not in self.given)

    def forget(self) -> None:
        self.given = {}
        _set_quietly(self.hold, True)

    def _set(self, name: str) -> None:
        row = self.speed if name == "speed" else self.height_row
        self.given[name] = row.value / 100.0
        self.looked.emit()


class CutPage(Page):
    """What stays of the motion, what is taken out of it, and whether it goes round."""

    def __init__(self, say: Say):
        super().__init__(say)
        self.trim = self.switch("Trim the motion", "What comes before and after these frames is removed", False)
        self.kept = self._frames("Frames to keep")
        self.take_out = self.switch(
            "Remove frames",
            "What follows carries on from where the figure is then; a foot that stands stays where it is",
            False,
        )
        self.removed = self._frames("Frames to remove")
        self.loop = self.switch(
            "Make it a loop",
            "The longest part that closes well is made a cycle: its end goes over into its beginning where the same "
            "feet stand",
            False,
        )
        self.about.setText("Cuts come last, once the feet stand")
        self.column.addWidget(self.about)
        self.column.addStretch(1)
        self.trim.toggled.connect(lambda _on: self._enable())
        self.take_out.toggled.connect(lambda _on: self._enable())
        self._enable()

    def forget(self) -> None:
        for switch in (self.trim, self.take_out, self.loop):
            _set_quietly(switch, False)
        self._enable()

    def _frames(self, name: str) -> tuple[NumberField, NumberField]:
        line = QWidget()
        row = row_layout(line, (6, 0, 2, 0), 6)
        fields = NumberField(FRAME), NumberField(FRAME)
        for field, word in zip(fields, ("first", "last"), strict=True):
            field.setAccessibleName(f"{name}, {word}")
            field.setFixedWidth(FIELD_WIDTH)
            field.committed.connect(lambda _value: self.changed.emit())
            report_refusals(field, self._say)
        row.addWidget(quiet_label(name))
        row.addStretch(1)
        row.addWidget(fields[0])
        row.addWidget(QLabel("to"))
        row.addWidget(fields[1])
        self.column.addWidget(line)
        return fields

    def show_range(self, first: int, last: int) -> None:
        """Show the frames of a motion."""
        third = (last - first) // 3
        for fields, values in ((self.kept, (first, last)), (self.removed, (first + third, last - third))):
            for field, value in zip(fields, values, strict=True):
                field.set_limits(float(first), float(last))
                field.set_value(float(value))

    @staticmethod
    def frames(fields: tuple[NumberField, NumberField]) -> tuple[int, int]:
        """Return the frames of two fields, the earlier one first."""
        a, b = (round(field.value) for field in fields)
        return min(a, b), max(a, b)

    def _enable(self) -> None:
        for switch, fields in ((self.trim, self.kept), (self.take_out, self.removed)):
            for field in fields:
                field.setEnabled(switch.isChecked())


def _set_quietly(switch: Switch, on: bool) -> None:
    """Set a switch without anybody taking that for a wish."""
    switch.blockSignals(True)
    switch.setChecked(on)
    switch.blockSignals(False)
    switch.update()
