"""The transport: go to keys and ends, play, and the numbers that say when."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    LocksChanged,
    PhysicsChanged,
    SequenceChanged,
    SessionChanged,
)
from app.look import fonts
from app.widgets.behaviour.base import Filled
from app.widgets.fields.number_field import NumberField
from app.widgets.frames.menu import add_action
from app.widgets.frames.tool_button import MenuButton, ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import row_layout
from app.widgets.rows.tab_row import TabRow
from app.widgets.rows.upright_line import UprightLine
from app.words.quantity import FPS, FRAME

if TYPE_CHECKING:
    from app.document.document import Document

HEIGHT = 36
TABS = (("keys", "Dope sheet"), ("curves", "Curves"), ("locks", "Locks"), ("dynamics", "Dynamics"))
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
LAST_FRAME = 1_000_000
FOR_FPS, FOR_SPEED, FOR_RANGE, FOR_WORD, FOR_TIME = 755, 832, 930, 990, 1020
"""Widths from which there is room for frames a second, speed, range, the word before it, and the time."""
_BUTTONS = (
    ("first", "first_frame"), ("prev-key", "previous_key"), ("step-back", "step_back"), ("play", "play"),
    ("step", "step_forward"), ("next-key", "next_key"), ("last", "last_frame"), ("loop", "loop"),
)  # fmt: skip


class Transport(Filled):
    """VCR keys, frame, range, frames per second and speed.

    Args:
        document: The open document.
        actions: The window's actions by name; those that are not there get no button.
    """

    ground = "head"

    def __init__(self, document: Document, actions: Mapping[str, QAction]):
        super().__init__()
        self.document = document
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = row_layout(self, (8, 0, 8, 0), 2)
        for icon, name in _BUTTONS:
            primary = name == "play"
            look, size = ("primary", (36, 26)) if primary else ("flat", (28, 26))
            button = ToolButton(icon, look=look, size=size, parent=self)
            button.set_action(actions[name])
            row.addSpacing(4 if primary or name in ("step_forward", "loop") else 0)
            row.addWidget(button)
            if primary:
                self.play_button = button
        row.addWidget(UprightLine(HEIGHT, 8))
        self.frame = self._field("Frame", FRAME, 56)
        self.time = quiet_label("")
        self.time.setFont(fonts.font(tabular=True))
        self.time.setMinimumWidth(56)
        row.addWidget(quiet_label("Frame"))
        row.addSpacing(6)
        row.addWidget(self.frame)
        row.addSpacing(6)
        row.addWidget(self.time)
        self.range_line = UprightLine(HEIGHT, 8)
        row.addWidget(self.range_line)
        self.first = self._field("First frame of the range", FRAME, 46)
        self.last = self._field("Last frame of the range", FRAME, 46)
        self.range_parts: list[QWidget] = [quiet_label("Range"), self.first, quiet_label("–"), self.last]
        for part in self.range_parts:
            row.addWidget(part)
            row.addSpacing(4)
        row.addSpacing(8)
        self.fps = self._field("Frames per second", FPS, 62)
        self.fps.set_limits(1, 1000)
        row.addWidget(self.fps)
        row.addSpacing(6)
        self.speed = MenuButton("1.0×", "Speed", self)
        self.speed.setMenu(self._speed_menu())
        row.addWidget(self.speed)
        row.addStretch(1)
        row.addSpacing(10)
        self.tabs = TabRow(TABS, "What the timeline shows")
        row.addWidget(self.tabs)
        row.addSpacing(4)
        self._wire()
        document.changed.connect(self._take)
        self.show_document()

    def _field(self, name: str, quantity: object, width: int) -> NumberField:
        field = NumberField(quantity, parent=self)  # type: ignore[arg-type]
        field.setAccessibleName(name)
        field.setToolTip(name)
        field.setFixedWidth(width)
        field.set_limits(0, LAST_FRAME)
        return field

    def _wire(self) -> None:
        self.frame.changed.connect(lambda value: self.document.set_frame(int(value)))
        self.first.committed.connect(lambda value: self._set_range(int(value), None))
        self.last.committed.connect(lambda value: self._set_range(None, int(value)))
        self.fps.committed.connect(self._set_fps)

    def _set_range(self, first: int | None, last: int | None) -> None:
        sequence = self.document.sequence
        if sequence is None:
            return
        old_first, old_last = sequence.range
        new_first = old_first if first is None else min(first, old_last)
        new_last = old_last if last is None else max(last, old_first)
        self.document.sequences.set_range(new_first, new_last)
        self.show_document()

    def _set_fps(self, value: float) -> None:
        if self.document.sequence is not None:
            self.document.sequences.set_fps(value)

    def _speed_menu(self) -> QMenu:
        menu = QMenu(self)
        group = QActionGroup(menu)
        self._speeds: dict[float, QAction] = {}
        for speed in SPEEDS:
            choose = partial(setattr, self.document.session.playback, "speed", speed)
            self._speeds[speed] = add_action(menu, f"{speed:g}×", choose, checked=False, group=group)
        return menu

    # -- showing --------------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        if isinstance(change, (FrameChanged, FigureChanged, FileChanged, SequenceChanged, KeysChanged, LocksChanged)):
            self.show_document()
        elif isinstance(change, SessionChanged) and change.name in ("playing", "speed"):
            self.show_document()
        elif isinstance(change, PhysicsChanged) and change.name == "running":
            self.show_document()

    def show_document(self) -> None:
        """Show what the document says now."""
        document, sequence = self.document, self.document.sequence
        is_open = sequence is not None
        for field in (self.frame, self.first, self.last, self.fps, self.speed):
            field.setEnabled(is_open)
        plays = document.session.playback.playing or document.physics.running
        self.play_button.set_icon("pause" if plays else "play")
        speed = document.session.playback.speed
        self.speed.set_label(f"{speed:.1f}×" if speed * 10 == int(speed * 10) else f"{speed:g}×")
        if speed in self._speeds:
            self._speeds[speed].setChecked(True)
        if sequence is None:
            self.time.setText("")
            return
        for field, value in zip((self.first, self.last, self.fps), (*sequence.range, sequence.fps), strict=True):
            if not field.editing:
                field.set_value(float(value))
        if not self.frame.editing:
            self.frame.set_value(float(document.frame))
        self.time.setText(f"{document.frame / sequence.fps:.3f} s")

    def set_room(self, width: int) -> None:
        """Leave out what there is no room for: the time first, then the range; at last the frames a second."""
        for part in self.range_parts:
            part.setVisible(width >= FOR_RANGE)
        self.range_parts[0].setVisible(width >= FOR_WORD)
        self.time.setVisible(width >= FOR_TIME)
        self.speed.setVisible(width >= FOR_SPEED)
        self.fps.setVisible(width >= FOR_FPS)
        self.range_line.setVisible(width >= FOR_FPS)  # with nothing after it, it would part the frame from nothing
