"""The small window that reshapes the selected keys: tween, push, toward, exaggerate, smooth, overlap."""

from __future__ import annotations

from functools import partial
from typing import Protocol

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from app.document.base import DocumentBase
from app.document.content.key_selection import NOTHING
from app.document.gestures.reshape_gesture import ReshapeGesture
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.setting_quantities import PERCENT, TIMES
from app.widgets.fields.setting_slider import Scale, SettingRow
from app.widgets.frames.popover import Popover
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import row_layout
from app.words.quantity import Quantity
from core.animation.reshaping import BREAKDOWN, EXAGGERATE, KINDS, LEAN, OVERLAP, PUSH, SMOOTH

WIDTH, GAP = 336, 4
FRAMES = Quantity("", 1, 1.0, "frames")
FALLOFF = Quantity("", 0, 1.0, "frames", whole=True)
MOST_SHOWN = 120.0
"""Farthest that the slider of the falloff goes, [frames]; its field takes more."""
_ROWS: tuple[tuple[str, str, Quantity, tuple[str, str], str], ...] = (
    (BREAKDOWN, "Tween", PERCENT, ("key before", "key after"), "All go to a place between the keys at either side"),
    (PUSH, "Push", PERCENT, ("relax", "push"),
     "Away from the straight way between the keys at either side, or toward it"),
    (LEAN, "Toward", PERCENT, ("key before", "key after"), "Toward the key before or after"),
    (EXAGGERATE, "Exaggerate", TIMES, ("calmer", "more"),
     "So many times as far from their mean; the root, from its straight way"),
    (SMOOTH, "Smooth", PERCENT, ("as it is", "smooth"),
     "Toward the way between the neighbours; keys at the ends stay"),
    (OVERLAP, "Overlap", FRAMES, ("earlier", "later"),
     "Joints lag so many frames behind the joint before them; the root leads"),
)  # fmt: skip
"""How keys are reshaped: kind, name, its unit, what stands at the ends of the slider, what its tip says."""


class Reshaped(Protocol):
    """Keys that the sliders reshape."""

    @property
    def document(self) -> DocumentBase: ...
    def begin_reshaping(self) -> None: ...
    def show_reshaped(self, kind: str, amount: float) -> None: ...
    def end_reshaping(self, keep: bool) -> None: ...


class ReshapePopover(Popover):
    """A slider for each way; a drag of one is live and one undo step. Each begins anew where the keys are.

    Args:
        keys: What is reshaped.
        parent: Parent widget.

    Attributes:
        rows: The sliders, by kind.
    """

    def __init__(self, keys: Reshaped, parent: QWidget | None = None):
        super().__init__("Reshape keys", WIDTH, parent)
        self.keys = keys
        self.rows: dict[str, SettingRow] = {}
        for kind, name, quantity, ends, tip in _ROWS:
            factor = 100.0 if quantity is PERCENT else 1.0
            least, most, rest = (factor * each for each in (KINDS[kind].least, KINDS[kind].most, KINDS[kind].rest))
            row = SettingRow(name, quantity, Scale(least, most, rest), None, 72, 58)
            row.slider.ends = ends
            row.slider.setMinimumHeight(row.slider.sizeHint().height())
            row.set_tip(tip)
            row.began.connect(keys.begin_reshaping)
            row.changed.connect(partial(self._move, kind, factor))
            row.committed.connect(lambda _: self._ended(True))
            row.cancelled.connect(lambda: self._ended(False))
            report_refusals(row, keys.document.say)
            self.rows[kind] = row
            self.column.addWidget(row)

    def _move(self, kind: str, factor: float, value: float) -> None:
        self.keys.show_reshaped(kind, value / factor)

    def _ended(self, keep: bool) -> None:
        self.keys.end_reshaping(keep)
        self.show_rest()

    def show_rest(self) -> None:
        """Let all sliders stand where they begin."""
        for row in self.rows.values():
            row.set_value(row.slider.scale.rest)
            row.slider.set_open(True)

    def open_over(self, button: QWidget) -> None:
        """Open over a button, moved so that all of it is seen."""
        self.show_rest()
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(0, 0))
        self.place_over(
            corner.x() + button.width() - self.width(), corner.y() - GAP, corner.y() + button.height() + GAP
        )
        self.show()
        self.rows[BREAKDOWN].slider.setFocus(Qt.FocusReason.PopupFocusReason)


class SelectedKeys:
    """The keys that are selected in the timeline, for the sliders.

    Args:
        document: The document.
    """

    def __init__(self, document: DocumentBase):
        self._document = document
        self._gesture: ReshapeGesture | None = None

    @property
    def document(self) -> DocumentBase:
        """The document."""
        return self._document

    def begin_reshaping(self) -> None:
        """Begin to reshape them; without a selection nothing begins."""
        selected = self._document.session.keys.selected
        if self._gesture is None and selected and self._document.skeleton is not None:
            self._gesture = ReshapeGesture(self._document, dict(selected.parts))

    def show_reshaped(self, kind: str, amount: float) -> None:
        """Show them as they were at press, reshaped; see ``core.animation.reshaping``."""
        if self._gesture is not None:
            self._gesture.show(kind, amount)

    def end_reshaping(self, keep: bool) -> None:
        """End as one undo step, or with everything as it was."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.commit() if keep else gesture.cancel()


class ManyKeysPopover(ReshapePopover):
    """What can be done with several selected keys: how far an edit reaches around them, the sliders, selecting none.

    Args:
        document: The document.
        parent: Parent widget.
    """

    def __init__(self, document: DocumentBase, parent: QWidget | None = None):
        super().__init__(SelectedKeys(document), parent)
        self._document = document
        self.head = quiet_label("")
        self.head.setContentsMargins(6, 2, 4, 4)
        self.none = ToolButton(
            "", "Select none", "Edits of the pose are made at the current frame alone then", parent=self
        )
        self.none.clicked.connect(self._select_none)
        top = row_layout(spacing=4)
        top.addWidget(self.head)
        top.addStretch(1)
        top.addWidget(self.none)
        self.column.insertLayout(0, top)
        self.falloff = SettingRow("Falloff", FALLOFF, Scale(0.0, MOST_SHOWN, 0.0), None, 72, 58)
        self.falloff.slider.ends = ("only these", "keys around")
        self.falloff.slider.setMinimumHeight(self.falloff.slider.sizeHint().height())
        self.falloff.set_tip("How many frames around the selected keys follow an edit of the pose, less and less")
        self.falloff.changed.connect(self._set_falloff)
        self.falloff.committed.connect(self._set_falloff)
        self.column.insertWidget(1, self.falloff)
        self.column.insertSpacing(2, 6)

    def show_rest(self) -> None:
        super().show_rest()
        count = len(self._document.session.keys.selected)
        self.head.setText(f"{count} key{'s' * (count != 1)} selected")
        self.falloff.set_value(float(self._document.session.keys.falloff))

    def _set_falloff(self, value: float) -> None:
        self._document.session.keys.falloff = round(value)

    def _select_none(self) -> None:
        self._document.session.keys.selected = NOTHING
        self.close()
