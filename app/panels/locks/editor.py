"""The editor of one lock, under its row: what it holds, how strongly, when, with which joints, and where."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import style
from app.panels.locks.edits import LockEdits
from app.panels.locks.helpers import LockHelpers
from app.panels.locks.target import LockTarget
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.behaviour.own_keys import OwnKeysMixin
from app.widgets.fields.choice import Choice
from app.widgets.fields.limit_field import LimitField
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.setting_slider import Scale, SettingRow
from app.widgets.fields.switch import Switch
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import hint_label, quiet_label
from app.widgets.layouts import column_layout, layout_of, row_layout
from app.widgets.rows.form_row import FormRow
from app.words.lock_words import LOOK_WORDS, OWN, axis_word, ends_of, part_of
from app.words.part_names import part_name
from app.words.quantity import FRAME, Quantity
from core.animation.key import MAX_FRAME
from core.constraints.aiming import named_axis
from core.constraints.lock import KINDS, Lock
from core.kinematics import forward_kinematics

if TYPE_CHECKING:
    from app.document.document import Document
    from core.skeleton import Skeleton

LABEL_WIDTH = 62
WEIGHT = Quantity("", 2, 0.05)
FRAMES = Quantity("", 0, 1.0, "frames", FRAME.units)
NO_END = "no end"
EASES_OUT, NO_EASE = "Frames over which it eases out", "It has no end: set a last frame first"
AXES = ("X", "Y", "Z")
LOOKS = (*LOOK_WORDS.items(), (OWN, "Custom"))


class LockEditor(OwnKeysMixin, Painted):
    """Shows and edits one lock; every edit is one undo step.

    Signals:
        closed(): Esc: the keyboard goes back to the row.
    """

    closed = Signal()

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(parent)
        self.document = document
        self.edits = LockEdits(document)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Lock editor")
        self._column = column_layout(self, (4, 5, 4, 7), 1)
        self._build_kind()
        self._build_weights()
        self._build_strip()
        self.helpers = LockHelpers()
        self.helpers.changed.connect(lambda joints, words: self.edits.do(words, joints=joints))
        self._column.addWidget(self.helpers)
        self._build_target()
        self.setFocusProxy(self.kind)

    # -- building ------------------------------------------------------------------------------------------------

    def _row(self, label: str, parts: list[QWidget]) -> FormRow:
        row = FormRow(label, parts, label_width=LABEL_WIDTH)
        layout_of(row).setContentsMargins(12, 1, 12, 1)
        self._column.addWidget(row)
        return row

    def _build_kind(self) -> None:
        self.kind = Choice("Kind of lock")
        self.kind.picked.connect(self._change_kind)
        self._row("Kind", [self.kind])
        self.other = Choice("Other part")
        self.other.picked.connect(self._change_other)
        self.other_row = self._row("Other part", [self.other])
        self.mutual = Switch("Both figures give way")
        self.mutual.setToolTip("On, both figures give way to the lock; off, the other one leads and this one follows")
        self.mutual.clicked.connect(self._change_mutual)
        self.mutual_words = hint_label()
        holder = QWidget()
        line = row_layout(holder, spacing=6)
        line.addWidget(self.mutual)
        line.addWidget(self.mutual_words, 1)
        self.mutual_row = self._row("Gives way", [holder])
        holder = QWidget()
        line = row_layout(holder, spacing=2)
        self.axes: list[ToolButton] = []
        for letter in AXES:
            button = ToolButton("", letter, f"Hold {letter}", "raised", checkable=True, size=(34, 24))
            button.setAccessibleName(f"Hold {letter}")
            button.clicked.connect(self._change_axes)
            self.axes.append(button)
            line.addWidget(button)
        self.axes_words = hint_label()
        line.addSpacing(6)
        line.addWidget(self.axes_words, 1)
        self.axes_row = self._row("Axes", [holder])

    def _weight(self, label: str, tip: str, text: str) -> SettingRow:
        row = SettingRow(label, WEIGHT, Scale(0.0, 1.0, 1.0), None, LABEL_WIDTH, 46)
        layout_of(row).setContentsMargins(12, 0, 12, 0)
        row.set_tip(tip)
        row.began.connect(lambda: self.edits.begin(text))
        row.committed.connect(lambda _: self.edits.commit())
        row.cancelled.connect(self._cancelled)
        report_refusals(row, self.document.say)
        self._column.addWidget(row)
        return row

    def _build_weights(self) -> None:
        hard = "At 1.00 it holds exactly; the lower the weight, the sooner it yields"
        self.weight = self._weight("Weight", hard, "Set weight of lock")
        self.turn_weight = self._weight("Rotation", hard + ". Orientation only", "Set orientation weight of lock")
        for row in (self.weight, self.turn_weight):
            row.changed.connect(lambda _: self._change_weight())

    def _number(self, name: str, tip: str, field: NumberField, value: str) -> NumberField:
        field.setAccessibleName(name)
        field.setToolTip(tip)
        field.began.connect(lambda: self.edits.begin(f"Set {name.lower()} of lock"))
        field.changed.connect(lambda number: self._change_number(value, number))
        field.committed.connect(lambda _: self.edits.commit())
        field.cancelled.connect(self._cancelled)
        field.refused.connect(lambda why: self.document.say("info", why))
        return field

    def _build_strip(self) -> None:
        self.start = self._number("First frame", "First frame it holds", NumberField(FRAMES, True), "start")
        end = LimitField(1, 0.0, FRAMES, none=NO_END)
        self.end = self._number("Last frame", "Last frame it holds; leave empty for no end", end, "end")
        self.ease_in = self._number("Ease in", "Frames over which it eases in", NumberField(FRAMES, True), "ease_in")
        self.ease_out = self._number("Ease out", EASES_OUT, NumberField(FRAMES, True), "ease_out")
        for label, first, word, second in (
            ("Frames", self.start, "to", self.end),
            ("Ease in", self.ease_in, "out", self.ease_out),
        ):
            between = quiet_label(word)
            between.setFixedWidth(22)
            between.setAlignment(Qt.AlignmentFlag.AlignCenter)
            holder = QWidget()
            line = row_layout(holder, spacing=4)
            line.addWidget(first, 1)
            line.addWidget(between)
            line.addWidget(second, 1)
            self._row(label, [holder])
        self.strip_weight = self._weight(
            "In frames", "Multiplies the weight above, in these frames only", "Set weight of lock strip"
        )
        for part in (self.strip_weight.slider, self.strip_weight.field):
            part.setAccessibleName("Weight in these frames")
        self.strip_weight.changed.connect(lambda value: self.edits.show(strip_weight=value))

    def _build_target(self) -> None:
        self.target_title = quiet_label()
        holder = QWidget()
        line = row_layout(holder, (12, 3, 8, 0), 2)
        line.addWidget(self.target_title, 1)
        self.here = ToolButton("target", "", "Hold the part where it is now", size=(26, 24))
        self.here.clicked.connect(self._hold_here)
        self.key_button = ToolButton("key", "", "Key the target at this frame", checkable=True, size=(26, 24))
        self.key_button.clicked.connect(self._flip_key)
        line.addWidget(self.here)
        line.addWidget(self.key_button)
        self._column.addWidget(holder)
        self.look = Choice("Aiming axis")
        self.look.setToolTip("Which axis of the part points there")
        self.look.picked.connect(self._change_look)
        self.look_row = self._row("Aims", [self.look])
        self.target = LockTarget(LABEL_WIDTH)
        self.target.began.connect(self.edits.begin)
        self.target.changed.connect(self.edits.show_target)
        self.target.committed.connect(self.edits.commit)
        self.target.cancelled.connect(self._cancelled)
        self.target.refused.connect(lambda why: self.document.say("info", why))
        self._column.addWidget(self.target)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect().adjusted(4, 0, -4, 0), style.mix("panel", "head", 0.7))
        painter.fillRect(4, 0, 2, self.height(), style.color("acc_line"))
        painter.end()

    # -- showing -------------------------------------------------------------------------------------------------

    @property
    def key(self) -> str:
        """Id of the lock strip that is shown, "" for none."""
        return self.edits.key

    def show_lock(self, key: str) -> None:
        """Show another lock, or the same again after a change."""
        if key != self.edits.key:
            self.edits.commit()
            self.edits.key = key
        strip, skeleton = self.edits.strip, self.document.skeleton
        if strip is None or skeleton is None:
            return
        lock, rule = strip.lock, strip.lock.rule
        self.kind.show_rows([(name, kind.title) for name, kind in _kinds()], lock.kind)
        self.kind.setToolTip(rule.description)
        self._show_other(lock, skeleton)
        self.axes_row.setVisible(rule.takes_axes)
        on = (True, True, True) if lock.axes is None else lock.axes
        for button, held in zip(self.axes, on, strict=True):
            button.setChecked(bool(held))
        self.axes_words.setText(_axes_words(lock))
        self.weight.label.setText("Position" if rule.takes_pair else "Weight")
        self.weight.set_value(lock.weights[0])
        self.turn_weight.setVisible(rule.takes_pair)
        self.turn_weight.set_value(lock.weights[1])
        self._show_numbers(strip)
        self.helpers.show_lock(key, lock, skeleton)
        self.show_target()
        self.updateGeometry()

    def _show_other(self, lock: Lock, skeleton: Skeleton) -> None:
        self.other_row.setVisible(lock.rule.takes_other)
        self.mutual_row.setVisible(bool(lock.figures))
        self.mutual.setChecked(lock.mutual)
        self.mutual_words.setText("both figures" if lock.mutual else "this figure alone")
        if not lock.rule.takes_other or lock.second is None:
            return
        figure, joint, _ = lock.second
        rows: list[tuple[object, str]] = [
            ((None, name), part_name(name)) for name in skeleton.joint_names if name != lock.joint
        ]
        for other in self.document.figures.all:
            if other is not skeleton:
                rows += [((other.name, name), f"{part_name(name)} of {other.name}") for name in other.joint_names]
        if figure is None and isinstance(joint, int):
            joint = skeleton.joints[joint].name
        self.other.show_rows(rows, (figure, joint))

    def _show_numbers(self, strip: Any) -> None:
        last = math.inf if strip.end is None else float(strip.end)
        for field, value, limits in (
            (self.start, float(strip.start), (0.0, min(last, float(MAX_FRAME)))),
            (self.end, last, (float(strip.start), math.inf)),
            (self.ease_in, strip.ease_in, (0.0, float(MAX_FRAME))),
            (self.ease_out, strip.ease_out, (0.0, float(MAX_FRAME))),
        ):
            field.set_limits(*limits)
            if not field.editing:
                field.set_value(value)
        self.end.first = float(max(self.document.frame, strip.start))  # type: ignore[attr-defined]  # a LimitField
        self.ease_out.setEnabled(strip.end is not None)
        self.ease_out.setToolTip(EASES_OUT if strip.end is not None else NO_EASE)
        self.strip_weight.set_value(strip.weight)

    def show_target(self) -> None:
        """Show the target as it is at the current frame."""
        strip, skeleton = self.edits.strip, self.document.skeleton
        if strip is None or skeleton is None:
            return
        frame, keys = self.document.frame, strip.targets
        lock = replace(strip.lock, target=strip.target_at(frame)) if keys else strip.lock
        at = np.zeros(3)
        if lock.kind == "plane":
            frames = forward_kinematics(skeleton, self.document.pose)[skeleton.joint_index(lock.joint)]
            at = frames[:3, :3] @ lock.point + frames[:3, 3]
        axis = axis_word(lock, skeleton)
        self.look_row.setVisible(axis is not None)
        if axis is not None:
            self.look.show_rows(LOOKS, axis)
        self.target.show_lock(lock, at)
        number = f"Target, {len(keys)} {'key' if len(keys) == 1 else 'keys'}"
        self.target_title.setText(f"{number}, at frame {frame}" if keys else "Target")
        self.key_button.setChecked(any(key.frame == frame for key in keys))
        self.key_button.setEnabled(strip.covers(frame) and lock.bound and lock.target is not None)
        self.here.setEnabled(bool(ends_of(lock, skeleton)))
        self.setAccessibleDescription(f"{part_of(lock, skeleton)}, {lock.rule.title}")

    # -- editing -------------------------------------------------------------------------------------------------

    def _change_kind(self, kind: object) -> None:
        strip, skeleton = self.edits.strip, self.document.skeleton
        if strip is None or skeleton is None or kind == strip.lock.kind:
            return
        values: dict[str, Any] = {"kind": kind}
        rule = dict(_kinds())[str(kind)]
        if rule.takes_other and not strip.lock.rule.takes_other:
            values["other"] = self._likely_other(strip.lock, skeleton)
        elif strip.lock.other is not None and not rule.takes_other:
            values |= {"other": None, "mutual": False}
        if not self.edits.do(f"Turn lock into {rule.title.lower()}", **values):
            self.show_lock(self.key)

    def _likely_other(self, lock: Lock, skeleton: Skeleton) -> tuple[str, Any]:
        """Return what a pair goes to at first: another selected part, the counterpart, or the root."""
        mine = skeleton.joint_index(lock.joint)
        chosen = [joint for joint in self.document.selection.joints if joint != mine]
        mirror = skeleton.joints[mine].mirror
        if chosen:
            other = chosen[-1]
        elif mirror is not None and mirror != skeleton.joints[mine].name:
            other = skeleton.joint_index(mirror)
        else:
            other = next((i for i in range(len(skeleton.joints)) if i != mine), mine)
        return skeleton.joints[other].name, (0.0, 0.0, 0.0)

    def _change_other(self, key: Any) -> None:
        figure, joint = key
        point = (0.0, 0.0, 0.0)
        other = (joint, point) if figure is None else (figure, joint, point)
        strip = self.edits.strip
        mutual = strip is not None and strip.lock.mutual and figure is not None
        if not self.edits.do("Set other part of lock", other=other, mutual=mutual):
            self.show_lock(self.key)

    def _change_mutual(self) -> None:
        on = self.mutual.isChecked()
        if not self.edits.do(f"Let {'both figures' if on else 'this figure alone'} give way", mutual=on):
            self.show_lock(self.key)

    def _change_look(self, word: object) -> None:
        strip, skeleton = self.edits.strip, self.document.skeleton
        if strip is None or skeleton is None:
            return
        if word == OWN:
            self.target.direction.fields[0].setFocus(Qt.FocusReason.OtherFocusReason)
            self.show_target()
            return
        axis = named_axis(skeleton, strip.lock.joint, str(word))
        pointing = strip.lock.rule.pointing
        keys = tuple(
            replace(key, target=pointing(key.target, axis)) for key in strip.targets if strip.lock.rule.travels
        )
        words = f"Aim with the axis {LOOK_WORDS[str(word)].lower()}"
        self.edits.do(words, target=pointing(strip.lock.target, axis), targets=keys)

    def _change_axes(self) -> None:
        held = tuple(button.isChecked() for button in self.axes)
        if not any(held):  # a lock that holds nothing is none
            self.document.say("info", "A lock holds at least one axis; Del removes it")
            self.show_lock(self.key)
            return
        self.edits.do("Set axes of lock", axes=None if all(held) else held)

    def _change_weight(self) -> None:
        strip = self.edits.strip
        if strip is None:
            return
        if strip.lock.rule.takes_pair:
            self.edits.show(weight=(self.weight.value, self.turn_weight.value))
        else:
            self.edits.show(weight=self.weight.value)

    def _change_number(self, value: str, number: float) -> None:
        if value == "end":
            self.edits.show(end=int(number) if math.isfinite(number) else None)
        else:
            self.edits.show(**{value: int(number) if value == "start" else float(number)})

    def _cancelled(self) -> None:
        self.edits.cancel()
        self.show_lock(self.key)

    def _hold_here(self) -> None:
        strip = self.edits.strip
        if strip is not None:
            self.edits.do("Hold part where it is", target=None, targets=())

    def _flip_key(self) -> None:
        done = self.edits.key_target() if self.key_button.isChecked() else self.edits.unkey_target()
        if not done:
            self.show_target()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def takes(self, event: QKeyEvent) -> bool:
        return event.key() == Qt.Key.Key_Escape


def _kinds() -> list[tuple[str, Any]]:
    return [(kind.name, kind) for kind in KINDS]


def _axes_words(lock: Lock) -> str:
    if lock.axes is None or all(lock.axes):
        return "all"
    number = sum(bool(axis) for axis in lock.axes)
    if lock.kind == "position":
        return f"{number} of 3"
    return "free to turn about it" if number == 1 else "all: two define it"
