"""The small window that says how the shot's camera moves: along with the figure, through which lens."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from app.document.changes import Change, FileChanged, PoseChanged, SequenceChanged
from app.document.document import Document
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.setting_quantities import PERCENT
from app.widgets.fields.setting_slider import Scale, SettingRow
from app.widgets.fields.switch import Switch
from app.widgets.frames.popover import Popover
from app.widgets.labels import quiet_label
from app.widgets.rows.setting_line import SettingLine

WIDTH, LABEL_WIDTH = 316, 108


class CameraPopover(Popover):
    """Settings of the shot's camera; each is a step to undo."""

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__("Camera", WIDTH, parent)
        self.document = document
        self.column.setContentsMargins(8, 8, 10, 10)
        self._gesture: int | None = None
        self.follow = SettingRow("Follow the figure", PERCENT, Scale(0.0, 100.0, 0.0), None, LABEL_WIDTH, 58)
        self.follow.set_tip("How far the camera goes along with the figure between its keys; steps do not shake it")
        self.follow.began.connect(self._begin)
        self.follow.cancelled.connect(self._cancel)
        self.follow.committed.connect(lambda _value: self._end())
        report_refusals(self.follow, document.say)
        self.turn = Switch("Turn with the figure")
        self.follow.changed.connect(lambda value: self._set(value / 100.0, self.turn.isChecked()))
        self.turn.toggled.connect(lambda on: self._set(self._share, on))
        self.column.addWidget(self.follow)
        self.column.addWidget(
            SettingLine("Turn with the figure", self.turn, "Whether it also turns as the figure does")
        )
        self.column.addWidget(quiet_label("What the camera sees at its keys stays as it is.", self))
        document.changed.connect(self._take)

    @property
    def _share(self) -> float:
        shot = self.document.camera.shot
        return 0.0 if shot is None else shot.follow

    def _begin(self) -> None:
        self._gesture = self.document.gesture_id()

    def _end(self) -> None:
        self._gesture = None

    def _cancel(self) -> None:
        self._set(self.follow.value / 100.0, self.turn.isChecked())
        self._end()

    def _set(self, share: float, turn: bool) -> None:
        shot = self.document.camera.shot
        if shot is not None and (share, turn) != (shot.follow, shot.turn):
            self.document.camera.set_follow(share, turn, self._gesture)

    def _take(self, change: Change) -> None:
        if isinstance(change, (FileChanged, PoseChanged, SequenceChanged)) and self.isVisible():
            self.show_document()

    def show_document(self) -> None:
        """Show what the document has."""
        shot = self.document.camera.shot
        if shot is None:
            return
        self.follow.set_value(100.0 * shot.follow)
        self.turn.blockSignals(True)
        self.turn.setChecked(shot.turn)
        self.turn.blockSignals(False)
        self.turn.setEnabled(shot.follow > 0.0)

    def open_at(self, corner: QPoint) -> None:
        """Open with the left upper corner at a place on the screen, moved so that all of it is seen."""
        self.show_document()
        self.adjustSize()
        self.place(corner.x(), corner.y())
        self.show()
