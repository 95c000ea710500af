"""The transport: go to keys and ends, play, and the numbers that say when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    LayersChanged,
    LocksChanged,
    PhysicsChanged,
    SequenceChanged,
    SessionChanged,
)
from app.document.edits.many_keys import ManyKeys
from app.look import fonts
from app.timeline.reshape_board import ManyKeysPopover
from app.widgets.behaviour.base import Filled
from app.widgets.fields.number_field import NumberField
from app.widgets.frames.menu import ActionsByName, add_action
from app.widgets.frames.popover import Popover
from app.widgets.frames.tool_button import MenuButton, ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import layout_of, row_layout
from app.widgets.rows.setting_line import SettingLine
from app.widgets.rows.tab_row import TabRow
from app.widgets.rows.upright_line import UprightLine
from app.words.quantity import FPS, FRAME, Quantity

if TYPE_CHECKING:
    from app.document.document import Document

HEIGHT = 36
TABS = (
    ("keys", "Dope sheet"),
    ("curves", "Curves"),
    ("locks", "Locks"),
    ("script", "Script"),
    ("dynamics", "Dynamics"),
)
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
LAST_FRAME = 1_000_000
_BUTTONS = (
    ("first", "first_frame"), ("prev-key", "previous_key"), ("step-back", "step_back"), ("play", "play"),
    ("step", "step_forward"), ("next-key", "next_key"), ("last", "last_frame"), ("loop", "loop"),
)  # fmt: skip
_TARGETS = frozenset({"active_layer", "selected_keys", "keys_together", "key_falloff", "auto_key"})


class Transport(Filled):
    """VCR keys, frame, range, frames per second and speed.

    Args:
        document: The open document.
        actions: The window's actions by name; those that are not there get no button.
    """

    ground = "head"

    def __init__(self, document: Document, actions: ActionsByName):
        super().__init__()
        self.document = document
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = row_layout(self, (8, 0, 8, 0), 2)
        self._ends: list[ToolButton] = []
        for icon, name in _BUTTONS:
            primary = name == "play"
            look, size = ("primary", (36, 26)) if primary else ("flat", (28, 26))
            button = ToolButton(icon, look=look, size=size, parent=self)
            button.set_action(actions[name])
            row.addSpacing(4 if primary or name in ("step_forward", "loop") else 0)
            row.addWidget(button)
            if primary:
                self.play_button = button
            elif name in ("first_frame", "last_frame"):
                self._ends.append(button)
        row.addWidget(UprightLine(HEIGHT, 8))
        self.frame = self._field("Frame", FRAME, 56)
        self.time = quiet_label("")
        self.time.setFont(fonts.font(tabular=True))
        self.time.setMinimumWidth(56)
        self.frame_word = quiet_label("Frame")
        self.frame_word.setContentsMargins(0, 0, 6, 0)
        self.time.setContentsMargins(6, 0, 0, 0)
        row.addWidget(self.frame_word)
        row.addWidget(self.frame)
        row.addWidget(self.time)
        self.range_line = UprightLine(HEIGHT, 8)
        row.addWidget(self.range_line)
        self.first = self._field("First frame of the range", FRAME, 46)
        self.last = self._field("Last frame of the range", FRAME, 46)
        self.range_word, dash = quiet_label("Range"), quiet_label("–")
        self.range_word.setContentsMargins(0, 0, 4, 0)
        dash.setContentsMargins(4, 0, 4, 0)
        self.range_parts: list[QWidget] = [self.first, dash, self.last]
        for part in (self.range_word, *self.range_parts):
            row.addWidget(part)
        row.addSpacing(8)
        self.fps = self._field("Frames per second", FPS, 62)
        self.fps.set_limits(1, 1000)
        row.addWidget(self.fps)
        row.addSpacing(6)
        self.speed = MenuButton("1.0×", "Speed", self)
        self.speed.setMenu(self._speed_menu())
        row.addWidget(self.speed)
        self.more = ToolButton("more", size=(28, 26), parent=self)
        self.more.setAccessibleName("More")
        self.more.clicked.connect(self._show_more)
        row.addWidget(self.more)
        row.addStretch(1)
        self.target = ToolButton("key", " ", look="raised", parent=self)
        self.target.clicked.connect(self._change_target)
        row.addWidget(self.target)
        self._target_text = ""
        self.many = ManyKeysPopover(document, self)
        row.addSpacing(10)
        self.tabs = TabRow(TABS, "What the timeline shows")
        row.addWidget(self.tabs)
        row.addSpacing(4)
        self._wire()
        document.changed.connect(self._take)
        self.show_document()

    def _field(self, name: str, quantity: Quantity, width: int) -> NumberField:
        field = NumberField(quantity, parent=self)
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
        old_first, old_last = self.document.model.played
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
        elif isinstance(change, LayersChanged) or (isinstance(change, SessionChanged) and change.name in _TARGETS):
            self.show_target()
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
        for field, value in zip((self.first, self.last, self.fps), (*document.model.played, sequence.fps), strict=True):
            if not field.editing:
                field.set_value(float(value))
        if not self.frame.editing:
            self.frame.set_value(float(document.frame))
        self.time.setText(f"{document.frame / sequence.fps:.3f} s")
        self.show_target()

    def show_target(self) -> None:
        """Say where an edit of the pose goes if that is not the key at the current frame alone."""
        document = self.document
        layer, many = document.layers.active, None
        if layer is None and document.sequence is not None and not document.session.playback.playing:
            many = ManyKeys.at(document.model, document.session, document.frame)
        before = self.target.isHidden()
        self.target.setVisible(layer is not None or many is not None)
        if layer is not None:
            text, tip = f"On {layer.name}", f"Edits of the pose go to layer {layer.name}; click to go back to the keys"
        else:
            count = 0 if many is None else many.count
            reach = document.session.keys.falloff
            around = f", and less and less to those up to {reach} frames away" if reach else ""
            text = f"{count} keys" + (f" ± {reach}" if reach else "")
            tip = f"Edits of the pose are made to all {count} selected keys{around}; click for falloff and sliders"
        self.target.setToolTip(tip)
        if (self.target.isHidden(), text) != (before, self._target_text):
            self._target_text = text
            self.target.set_label(text)
            self.set_room(self.width())
        self.target.setAccessibleName(tip.partition(";")[0])

    def _change_target(self) -> None:
        """Let edits of the pose go to the keys again, not to a layer; or offer what can be done with many keys."""
        if self.document.layers.active is not None:
            self.document.layers.activate(None)
        else:
            self.open_many()

    def open_many(self) -> None:
        """Open what can be done with the selected keys, at the right, where it hides least of the figure."""
        self.many.open_over(self.tabs)

    # -- room -----------------------------------------------------------------------------------------------------

    def set_room(self, width: int) -> None:
        """Show as much as a width holds: the least needed goes first, and the button with three dots offers it.

        Args:
            width: Of the transport, [px].
        """
        least_needed: tuple[tuple[QWidget, ...], ...] = (
            (self.time,), (self.range_word,), (self.fps,), tuple(self.range_parts), (self.speed, self.range_line),
            (self.frame_word,), tuple(self._ends),  # the Sequence menu has the ends too
        )  # fmt: skip
        self.target.set_label(self._target_text)
        for part in chain(*least_needed):
            part.show()
        self.more.hide()
        self.tabs.set_folded(False)
        steps: list[Callable[[], object]] = [partial(self._leave_out, parts) for parts in least_needed]
        steps.append(partial(self.tabs.set_folded, True))
        for step in steps:
            if self._least_width() <= width:
                break
            step()
        self._put_back(least_needed, width)
        if self._least_width() > width and not self.target.isHidden():
            self.target.set_label("")
        left_out = [name for name, part in self._optional() if part.isHidden()]
        self.more.setToolTip(", ".join(left_out).capitalize())
        self.more.setAccessibleName(self.more.toolTip())

    def _optional(self) -> tuple[tuple[str, QWidget], ...]:
        return ("range", self.first), ("frames per second", self.fps), ("speed", self.speed)

    def _put_back(self, left_out: Sequence[Sequence[QWidget]], width: int) -> None:
        """Use the room that is there for what was left out, the most needed first."""
        for parts in reversed(left_out):
            if not parts[0].isHidden():
                continue
            for part in parts:
                part.show()
            self._show_more_button()
            if self._least_width() > width:
                self._leave_out(parts)
                break

    def _leave_out(self, parts: Sequence[QWidget]) -> None:
        for part in parts:
            part.hide()
        self._show_more_button()

    def _show_more_button(self) -> None:
        self.more.setHidden(not any(part.isHidden() for _, part in self._optional()))

    def _least_width(self) -> int:
        """Return the width that what is shown now needs, [px]."""
        row = layout_of(self)
        row.invalidate()  # at once: what was hidden just now is not to count
        return row.sizeHint().width()

    def _show_more(self) -> None:
        """Offer in a small window what there is no room for."""
        popover = self.more_popover = _MorePopover(self)
        popover.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popover.adjustSize()
        corner = self.more.mapToGlobal(QPoint(0, 0))
        popover.place_over(corner.x(), corner.y() - 4, corner.y() + self.more.height() + 4)
        popover.show()


class _MorePopover(Popover):
    """What a narrow transport leaves out, in lines under each other."""

    def __init__(self, transport: Transport):
        super().__init__(transport.more.toolTip(), parent=transport)
        self._pairs: list[tuple[NumberField, NumberField]] = []
        if transport.first.isHidden():
            both = QWidget()
            row = row_layout(both, spacing=4)
            row.addWidget(self._twin(transport.first))
            row.addWidget(quiet_label("–"))
            row.addWidget(self._twin(transport.last))
            self.column.addWidget(SettingLine("Range", both, "First and last frame that are played"))
        if transport.fps.isHidden():
            self.column.addWidget(SettingLine("Frames per second", self._twin(transport.fps), ""))
        if transport.speed.isHidden():
            self.speed = MenuButton(transport.speed.label, "Speed", self)
            self.speed.setMenu(transport.speed.menu())
            self.speed.setEnabled(transport.speed.isEnabled())
            self.column.addWidget(SettingLine("Speed", self.speed, "How fast it plays"))
        transport.document.changed.connect(self._take)
        self._transport = transport

    def _twin(self, field: NumberField) -> NumberField:
        """Return a field that shows and sets what another one does."""
        twin = NumberField(field.quantity, parent=self)
        twin.setAccessibleName(field.accessibleName())
        twin.setToolTip(field.toolTip())
        twin.setFixedWidth(62)
        twin.set_limits(*field.limits)
        twin.set_value(field.value)
        twin.setEnabled(field.isEnabled())
        twin.committed.connect(field.committed)
        self._pairs.append((twin, field))
        return twin

    def _take(self, change: Change) -> None:
        """Show what the transport shows, which has taken the change already."""
        for twin, field in self._pairs:
            if not twin.editing:
                twin.set_value(field.value)
        if self._transport.speed.isHidden():
            self.speed.set_label(self._transport.speed.label)
