"""The small board that poses between keys: break down, push and relax, toward a neighbour, by one slider."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    PoseChanged,
    SelectionChanged,
    SessionChanged,
)
from app.document.document import Document
from app.document.gestures.between_gesture import KINDS, RANGES, InBetween, PosingGesture
from app.look import fonts
from app.process.handler_guard import guarded
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.fields.setting_quantities import PERCENT
from app.widgets.fields.setting_slider import Scale, SettingRow
from app.widgets.frames.board import Board
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import column_layout
from app.words.part_names import spoken_name
from core.animation.reshaping import BREAKDOWN, LEAN, PUSH
from core.errors import CoreError

Array = NDArray[np.float64]
Made = tuple[int, tuple[int, ...], Array, float]
"""A breakdown that was made: its frame, the parts posed, the whole pose it led to, its percent."""
REMEMBERED = 32
"""So many breakdowns are known again when their pose comes back by undo and redo."""

WIDTH, MARGIN = 336, 8
CHOICES = ((BREAKDOWN, "Break down"), (PUSH, "Push and relax"), (LEAN, "Toward a key"))
TIPS = {
    BREAKDOWN: "A pose between the key before and the key after, or past them",
    PUSH: "Away from the pose that the neighbouring keys alone would give, or toward it",
    LEAN: "Between this pose and the key before or after",
}
ENDS = {BREAKDOWN: ("previous key", "next key"), PUSH: ("relax", "push"), LEAN: ("previous key", "next key")}
RESTS = {BREAKDOWN: 50.0, PUSH: 0.0, LEAN: 0.0}


class BetweenPopover(Board):
    """Stays open over the work area until it is closed, so that one can go from frame to frame with it.

    A drag of the slider is live and one undo step; Esc during it puts the pose back, else it closes the board.

    Args:
        document: The document.
        area: What it stands over, at the lower left.
        parent: A parent of ``area``.
    """

    def __init__(self, document: Document, area: QWidget, parent: QWidget):
        super().__init__(area, parent)
        self.document = document
        self._gesture: PosingGesture | None = None
        self._made: deque[Made] = deque(maxlen=REMEMBERED)
        self.setAccessibleName("Pose between keys")
        column = column_layout(self, (9, 7, 7, 9), 4)
        self.bar = SegmentBar(CHOICES, name="How to pose between keys")
        self.bar.set_tight(True)
        self.rows: dict[str, SettingRow] = {}
        self._stack = QStackedWidget()
        for kind in KINDS:
            self.bar.segment(kind).setToolTip(TIPS[kind])
            self._stack.addWidget(self._row(kind))
        self.bar.chosen.connect(self.show_kind)
        self.close_button = ToolButton("close", "", "Close (Esc)", size=(24, 24))
        self.close_button.clicked.connect(self.leave)
        line = QHBoxLayout()
        line.setSpacing(6)
        line.addWidget(self.bar)
        line.addStretch(1)
        line.addWidget(self.close_button)
        self.about = quiet_label()
        self.about.setFont(fonts.font(fonts.SECONDARY))
        self.about.setContentsMargins(6, 0, 4, 0)
        column.addLayout(line)
        column.addWidget(self._stack)
        column.addWidget(self.about)
        self.setFixedWidth(WIDTH)
        self.show_kind(BREAKDOWN)
        self.hide()
        area.installEventFilter(self)
        document.changed.connect(self._take)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(WIDTH, super().sizeHint().height())

    def _row(self, kind: str) -> SettingRow:
        least, most = (100.0 * end for end in RANGES[kind])
        row = SettingRow(dict(CHOICES)[kind], PERCENT, Scale(least, most, RESTS[kind]), None, 0, 58)
        row.label.hide()
        row.slider.ends = ENDS[kind]
        row.slider.marks = (0.0, 100.0) if kind == BREAKDOWN else ()
        row.slider.setMinimumHeight(row.slider.sizeHint().height())
        row.set_tip(TIPS[kind])
        row.began.connect(lambda: self._begin(kind))
        row.changed.connect(self._move)
        row.committed.connect(lambda value: self._end(keep=True, value=value))
        row.cancelled.connect(lambda: self._end(keep=False))
        report_refusals(row, self.document.say)
        self.rows[kind] = row
        return row

    # -- showing -----------------------------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """How it poses now, one of ``KINDS``."""
        return KINDS[self._stack.currentIndex()]

    def show_kind(self, kind: str) -> None:
        """Show the slider of one way."""
        self.bar.set_current(kind)
        self._stack.setCurrentIndex(KINDS.index(kind))
        self.show_document()

    def open(self) -> None:
        """Come up over the work area with the keyboard on the slider."""
        self.show_document()
        self.show()
        self._place()
        self.raise_()
        self.rows[self.kind].slider.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place(self) -> None:
        self.adjustSize()
        parent = self.parentWidget()
        assert parent is not None
        corner = self._area.mapTo(parent, QPoint(0, self._area.height()))
        self.move(corner.x() + MARGIN, corner.y() - self.height() - MARGIN)

    def _take(self, change: Change) -> None:
        if self.isVisible() and self._gesture is None and not change.live:
            if isinstance(change, SessionChanged) and change.name == "mode":
                self.leave()
            elif isinstance(
                change, (FrameChanged, KeysChanged, PoseChanged, SelectionChanged, FigureChanged, FileChanged)
            ):
                self.show_document()

    def show_document(self) -> None:
        """Show between which keys of which parts it poses, and let the sliders stand where nothing changes."""
        between, why = None, "Open a figure to pose it"
        try:
            between = InBetween(self.document.model, self.kind, self._joints())
        except CoreError as error:
            why = str(error)
        self.about.setText(why[:1].upper() + why[1:] if between is None else f"{self._parts()} · {_keys(between)}")
        self.about.setToolTip(self.about.text())
        for kind, row in self.rows.items():
            row.setEnabled(between is not None)
            share = 100.0 * between.share if between is not None else RESTS[BREAKDOWN]
            row.set_value(self._made_percent(share) if kind == BREAKDOWN else RESTS[kind])
            row.slider.set_open(True)  # the pose itself says nothing of how it came about

    def _made_percent(self, share: float) -> float:
        """Return the percent of the breakdown that made the pose on screen; of any other pose ``share``."""
        document = self.document
        if document.skeleton is None:
            return share
        now = document.pose
        for frame, parts, pose, percent in reversed(self._made):
            if (frame, parts) == (document.frame, tuple(document.selection.joints)) and pose.shape == now.shape:
                if np.allclose(pose, now, rtol=0.0, atol=1e-9):
                    return percent
        return share

    def _joints(self) -> tuple[int, ...] | None:
        return self.document.selection.joints or None

    def _parts(self) -> str:
        skeleton, chosen = self.document.skeleton, self.document.selection.joints
        if skeleton is None or not chosen:
            return "Whole figure"
        name = spoken_name(skeleton.joints[chosen[0]].name)
        name = name[:1].upper() + name[1:]
        return name if len(chosen) == 1 else f"{name} and {len(chosen) - 1} more"

    # -- editing -----------------------------------------------------------------------------------------------------

    def _begin(self, kind: str) -> None:
        self._gesture = self.document.posing.begin_between(kind, self._joints())

    def _move(self, value: float) -> None:
        if self._gesture is not None:
            self._gesture.set(value / 100.0)

    def _end(self, keep: bool, value: float = 0.0) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.commit() if keep else gesture.cancel()
        if gesture is not None and keep and self.kind == BREAKDOWN:
            document = self.document
            self._made.append((document.frame, tuple(document.selection.joints), np.array(document.pose), value))
        self.show_document()

    # -- events ------------------------------------------------------------------------------------------------------

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._area and event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self.isVisible():
            self._place()
        return False


def _keys(between: InBetween) -> str:
    """Return which keys a pose goes between: ``keys 8 and 16``, ``key 8 before``."""
    names = []
    for frames in between.frames:
        names.append("" if not frames else str(frames[0]) if len(frames) == 1 else f"{frames[0]} to {frames[-1]}")
    if all(names):
        return f"keys {names[0]} and {names[1]}"
    return f"key {names[0]} before, none after" if names[0] else f"key {names[1]} after, none before"
