"""The small window that says how few keys a motion can do with, and reduces them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.document.document import Document
from app.document.edits.edits import key_changes
from app.look import fonts
from app.popovers.searching import SearchPopover
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.setting_quantities import TOLERANCE
from app.widgets.fields.setting_slider import SettingRow, log_scale
from app.widgets.fields.switch import Switch
from app.widgets.labels import quiet_label
from app.widgets.rows.setting_line import SettingLine
from app.words.part_names import spoken_name
from app.words.quantity import DEGREES as DEGREE_UNIT
from app.words.quantity import Quantity
from app.words.reduction_words import brief, summary
from app.work.background import Progress
from core.animation.reduction import DEGREES, MILLIMETRES

if TYPE_CHECKING:
    from core.animation.reduction.reduce import Reduction
    from core.animation.sequence import Sequence

WIDTH, LABEL_WIDTH, FIELD_WIDTH = 360, 122, 68
LINES = 4  # room for what was found
TITLE = "Reduce keys"


class Stretch(NamedTuple):
    """What is to be reduced.

    Attributes:
        first: First frame.
        last: Last frame.
        channels: Names of the channels; None for all.
    """

    first: int
    last: int
    channels: tuple[str, ...] | None


class ReduceKeysPopover(SearchPopover["Reduction"]):
    """Looks beside the window for as few keys as stay within a tolerance, and takes them on demand, as one undo step.

    Args:
        document: The document.
        parent: Parent widget.
    """

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(document, TITLE, "Looking for keys", WIDTH, parent)
        self._stretch: Stretch | None = None
        self.column.setContentsMargins(8, 8, 10, 10)
        self.title = QLabel()
        self.title.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        self.title.setContentsMargins(6, 2, 0, 4)
        self.about = quiet_label()
        self.about.setFont(fonts.font(fonts.SECONDARY))
        self.about.setWordWrap(True)
        self.about.setContentsMargins(6, 0, 4, 0)
        self.about.setMinimumHeight(LINES * self.about.fontMetrics().lineSpacing())
        self.about.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.column.addWidget(self.title)
        self.column.addWidget(self.about)
        self._add_progress()
        self.column.addSpacing(6)
        self.within = self._row(
            "Position within", TOLERANCE, log_scale(0.1, 100.0, MILLIMETRES), MILLIMETRES,
            "How far either end of any part may be from where it is now, at any frame. "
            "A larger tolerance means fewer keys",
        )  # fmt: skip
        self.turned = self._row(
            "Rotation within", DEGREE_UNIT, log_scale(0.1, 45.0, DEGREES), DEGREES,
            "How far any part may be turned from how it is now, at any frame",
        )  # fmt: skip
        self.column.addSpacing(4)
        self.whole_poses = Switch("Same frames for all parts")
        self.whole_poses.toggled.connect(lambda _: self.look())
        self.column.addWidget(SettingLine(
            "Same frames for all parts", self.whole_poses,
            "Key whole poses: fewer frames have a key, but there are more keys in all",
        ))  # fmt: skip
        self.column.addSpacing(8)
        self._add_buttons("Leave the keys as they are", "Reduce", "Take these keys, as one step of Undo")

    def _row(self, label: str, quantity: Quantity, scale: object, value: float, tip: str) -> SettingRow:
        row = SettingRow(label, quantity, scale, None, LABEL_WIDTH, FIELD_WIDTH)  # type: ignore[arg-type]
        row.set_tip(tip)
        row.set_value(value)
        row.changed.connect(lambda _: self.look())
        row.cancelled.connect(self.look)
        report_refusals(row, self.document.say)
        self.column.addWidget(row)
        return row

    # -- opening -----------------------------------------------------------------------------------------------------

    def open_at(self, corner: QPoint, first: int, last: int, channels: tuple[str, ...] | None) -> None:
        """Open at a place on the screen and begin to look.

        Args:
            corner: The left upper corner, moved so that all of it is seen.
            first: First frame.
            last: Last frame.
            channels: Names of the channels; None for all.
        """
        self._stretch = Stretch(first, last, channels)
        what = "all parts"
        if channels is not None:
            what = spoken_name(channels[0]) or "place" if len(channels) == 1 else f"{len(channels)} parts"
        self.title.setText(f"Reduce keys of frames {first} to {last}, {what}")
        self._open(corner)

    # -- looking -----------------------------------------------------------------------------------------------------

    def search(self, sequence: Sequence) -> Callable[[Progress], Reduction]:
        stretch, millimetres, degrees = self._stretch, self.within.value, self.turned.value
        whole = self.whole_poses.isChecked()
        assert stretch is not None

        def work(progress: Progress) -> Reduction:
            from core.animation.reduction.reduce import reduced  # it loads scipy

            first, last, channels = stretch
            return reduced(sequence, first, last, millimetres, degrees, channels, progress, whole)

        return work

    def show_found(self, problem: str) -> None:
        self.about.setText(problem or ("Looking for keys…" if self.found is None else summary(self.found)))

    # -- reducing ----------------------------------------------------------------------------------------------------

    @property
    def worth(self) -> bool:
        return self.found is not None and self.found.after < self.found.before

    def outdated(self) -> str:
        return "The motion was edited in the meantime; reduce its keys again"

    def keep(self, found: Reduction) -> None:
        document = self.document
        if document.do(TITLE, lambda: key_changes(document.model, found.keys)):
            document.say("info", brief(found), summary(found))
