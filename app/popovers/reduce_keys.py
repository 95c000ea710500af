"""The small window that says how few keys a motion can do with, and reduces them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.document.content.records import sequence_for
from app.document.document import Document
from app.document.edits.edits import key_changes
from app.look import fonts
from app.popovers.searching import SearchPopover
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.setting_quantities import TOLERANCE
from app.widgets.fields.setting_slider import SettingRow, log_scale
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.words.part_names import spoken_name
from app.words.quantity import DEGREES as DEGREE_UNIT
from app.words.quantity import Quantity
from app.words.reduction_words import brief, summary
from app.work.background import Progress
from core.animation.reduction import DEGREES, MILLIMETRES
from core.errors import CoreError

if TYPE_CHECKING:
    from core.animation.reduction.reduce import Reduction

WIDTH, LABEL_WIDTH, FIELD_WIDTH = 360, 122, 68
LINES = 4  # room for what was found
TITLE = "Reduce keys"


class Stretch(NamedTuple):
    """What is to be reduced.

    Attributes:
        first: First frame.
        last: Last frame.
        channels: Names of the channels; None for all.
        step: Where the undo history stands; later the motion may be another.
    """

    first: int
    last: int
    channels: tuple[str, ...] | None
    step: int


class ReduceKeysPopover(SearchPopover):
    """Looks beside the window for as few keys as stay within a tolerance, and takes them on demand, as one undo step.

    Esc, or a press beside it, closes it and leaves the motion as it is.

    Args:
        document: The document.
        parent: Parent widget.

    Attributes:
        found: What was found last; None as long as the search goes on.
    """

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(TITLE, WIDTH, parent)
        self.document = document
        self.found: Reduction | None = None
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
        keep = self.progress.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(keep)
        for widget in (self.title, self.about, self.progress):
            self.column.addWidget(widget)
        self.column.addSpacing(6)
        self.within = self._row(
            "Parts within", TOLERANCE, log_scale(0.1, 100.0, MILLIMETRES), MILLIMETRES,
            "How far either end of any part may be from where it is now, at any frame. More tolerance, fewer keys",
        )  # fmt: skip
        self.turned = self._row(
            "Turned within", DEGREE_UNIT, log_scale(0.1, 45.0, DEGREES), DEGREES,
            "By how much any part may be turned off, at any frame",
        )  # fmt: skip
        self.column.addSpacing(8)
        self._add_buttons()

    def _row(self, label: str, quantity: Quantity, scale: object, value: float, tip: str) -> SettingRow:
        row = SettingRow(label, quantity, scale, None, LABEL_WIDTH, FIELD_WIDTH)  # type: ignore[arg-type]
        row.set_tip(tip)
        row.set_value(value)
        row.changed.connect(lambda _: self._again())
        row.cancelled.connect(self._again)
        report_refusals(row, self.document.say)
        self.column.addWidget(row)
        return row

    def _add_buttons(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(6)
        self.cancel_button = ToolButton("", "Cancel", "Leave the keys as they are (Esc)", "raised")
        self.cancel_button.clicked.connect(self.hide)
        self.reduce_button = ToolButton("", "Reduce", "Take these keys, as one step of Undo (Enter)", "primary")
        self.reduce_button.clicked.connect(self.accept)
        line.addStretch(1)
        line.addWidget(self.cancel_button)
        line.addWidget(self.reduce_button)
        self.column.addLayout(line)

    # -- opening -----------------------------------------------------------------------------------------------------

    def open_at(self, corner: QPoint, first: int, last: int, channels: tuple[str, ...] | None) -> None:
        """Open at a place on the screen and begin to look.

        Args:
            corner: The left upper corner, moved so that all of it is seen.
            first: First frame.
            last: Last frame.
            channels: Names of the channels; None for all.
        """
        self._stretch = Stretch(first, last, channels, self.document.stack.index())
        self._wanted = False
        what = "all parts"
        if channels is not None:
            what = spoken_name(channels[0]) or "place" if len(channels) == 1 else f"{len(channels)} parts"
        self.title.setText(f"Reduce keys of frames {first} to {last}, {what}")
        self._look()
        self.adjustSize()
        self.place(corner.x(), corner.y())
        self.show()
        self.reduce_button.setFocus(Qt.FocusReason.OtherFocusReason)

    # -- looking -----------------------------------------------------------------------------------------------------

    def _again(self) -> None:
        self._work.cancel()
        self.found = None
        self._show()
        self._pause.start()

    def _look(self) -> None:
        """Begin to look for keys; what is under way is of no use any more."""
        self._pause.stop()
        self._work.cancel()
        self.found = None
        sequence, stretch = self.document.sequence, self._stretch
        if sequence is None or stretch is None:
            return
        own = sequence_for(sequence, sequence.skeleton)  # what the window does meanwhile must not reach it
        millimetres, degrees = self.within.value, self.turned.value

        def work(progress: Progress) -> Reduction:
            from core.animation.reduction.reduce import reduced  # it loads scipy

            return reduced(own, stretch.first, stretch.last, millimetres, degrees, stretch.channels, progress)

        self._work.run("Looking for keys", work, self._take, self._failed)
        self._show()

    def _take(self, found: Reduction) -> None:
        self.found = found
        self._show()
        if self._wanted:
            self.accept()

    def _failed(self, error: Exception) -> None:
        text = str(error).partition("\n")[0] if isinstance(error, CoreError) else "This could not be worked out"
        self._wanted = False
        self._show(text[:1].upper() + text[1:])

    def _show(self, problem: str = "") -> None:
        """Say what was found, what is wrong, or that the search goes on."""
        found = self.found
        looking = found is None and not problem
        if looking:
            self.progress.setValue(0)
        self.progress.setVisible(looking)
        self.about.setText(problem or ("Looking for keys…" if found is None else summary(found)))
        self.reduce_button.setEnabled(looking or (found is not None and found.after < found.before))

    # -- reducing ----------------------------------------------------------------------------------------------------

    def accept(self) -> None:
        """Take the keys, as one step; while the search goes on, as soon as it has ended."""
        found, stretch, document = self.found, self._stretch, self.document
        if found is None:
            self._wanted = self._is_looking
            return
        self._wanted = False
        if stretch is None or found.after >= found.before:
            return
        self.hide()
        if document.stack.index() != stretch.step:
            document.say("info", "The motion has changed meanwhile; reduce its keys again")
            return
        if document.do(TITLE, lambda: key_changes(document.model, found.keys)):
            document.say("info", brief(found), summary(found))
