"""The small window that moves the selected keys between, away from and toward the keys beside them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from app.document.gestures.between_gesture import BREAKDOWN, LEAN, PUSH, RANGES, title
from app.timeline.curves.actions import CurveActions
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.setting_quantities import PERCENT
from app.widgets.fields.setting_slider import Scale, SettingRow
from app.widgets.frames.popover import Popover

WIDTH, GAP = 320, 4
ROWS = (
    (BREAKDOWN, "Tween", ("key before", "key after"), 50.0, "All go to a place between the keys at either side"),
    (PUSH, "Push", ("relax", "push"), 0.0, "Away from the straight way between the keys at either side, or toward it"),
    (LEAN, "Toward", ("key before", "key after"), 0.0, "Toward the key before or after"),
)
"""How keys are moved: kind, name, what stands at the ends of the slider, where it rests, what its tip says."""


class ManyKeysPopover(Popover):
    """Three sliders; a drag of one is live and one undo step. Each begins anew where the keys are.

    Args:
        actions: What can be done with the selected keys.
        parent: Parent widget.
    """

    def __init__(self, actions: CurveActions, parent: QWidget | None = None):
        super().__init__("Tween, push and relax", WIDTH, parent)
        self.actions_of_keys = actions
        self.rows: dict[str, SettingRow] = {}
        for kind, name, ends, rest, tip in ROWS:
            least, most = (100.0 * end for end in RANGES[kind])
            row = SettingRow(name, PERCENT, Scale(least, most, rest), None, 52, 58)
            row.slider.ends = ends
            row.slider.setMinimumHeight(row.slider.sizeHint().height())
            row.set_tip(tip)
            row.began.connect(partial(actions.begin, name))
            row.changed.connect(partial(self._move, kind))
            row.committed.connect(lambda _: self._ended(True))
            row.cancelled.connect(lambda: self._ended(False))
            report_refusals(row, actions.document.say)
            self.rows[kind] = row
            self.column.addWidget(row)

    def _move(self, kind: str, value: float) -> None:
        self.actions_of_keys.show_between(kind, value / 100.0, title(kind, value / 100.0))

    def _ended(self, keep: bool) -> None:
        self.actions_of_keys.end(keep)
        self.show_rest()

    def show_rest(self) -> None:
        """Let all sliders stand where they begin."""
        for kind, _, _, rest, _ in ROWS:
            self.rows[kind].set_value(rest)
            self.rows[kind].slider.set_open(True)

    def open_over(self, button: QWidget) -> None:
        """Open over a button, moved so that all of it is seen."""
        self.show_rest()
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(0, 0))
        under = corner.y() + button.height()
        self.place_over(corner.x() + button.width() - self.width(), corner.y() - GAP, under + GAP)
        self.show()
        self.rows[BREAKDOWN].slider.setFocus(Qt.FocusReason.PopupFocusReason)
