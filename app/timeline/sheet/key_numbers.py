"""The numbers of the selected keys: frame, length, factor and shift, typed where the keys are."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QLabel, QWidget

from app.document.changes import Change, FigureChanged, FileChanged, KeysChanged, SequenceChanged, SessionChanged
from app.document.gestures.live_gesture import KeyGesture
from app.look import fonts
from app.process.handler_guard import guarded
from app.timeline.model import TimelineModel
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.switch import Switch
from app.widgets.frames.popover import Popover
from app.widgets.frames.tool_button import ToolButton
from app.widgets.layouts import row_layout
from app.widgets.rows.setting_line import SettingLine
from app.words.quantity import FACTOR, FRAME, Quantity
from core.animation.key import MAX_FRAME
from core.animation.shape import INTERPOLATIONS, KOCHANEK_BARTELS, LARGEST_TCB

WIDTH, FIELD = 236, 76
TIMES = Quantity("×", 3, 0.05, "times", FACTOR.units)
TCB = Quantity("", 2, 0.05)
TCB_TIPS = {
    "tension": "How long the tangent is: −1 long, 1 none",
    "continuity": "0 smooth, −1 a corner, 1 a corner the other way",
    "bias": "−1 the tangent points to the next key, 1 it comes from the one before",
}


class KeyNumbers(Popover):
    """A small window beside the selected keys. Each number is shown in the timeline while it changes, one step each.

    Args:
        model: The timeline.
        parent: Parent widget.
    """

    def __init__(self, model: TimelineModel, parent: QWidget | None = None):
        super().__init__("Numbers of the selected keys", WIDTH, parent)
        self.model, self.document = model, model.document
        self._gesture: KeyGesture | None = None
        self._start = (0, 0)  # first frame and length when an edit begins
        self._wanted: tuple[bool, int] | None = None  # whether the first or the last key was to come to which frame
        self._values: list[tuple[NumberField, Callable[[], float]]] = []
        self.title = QLabel()
        self.title.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        self.title.setContentsMargins(6, 0, 0, 2)
        self.column.addWidget(self.title)
        first, length = self._first, self._length
        self.frame = self._field("Frame", FRAME, "Where the first selected key is", (0, MAX_FRAME),
                                 lambda v: self._shift(v - self._start[0]), first)  # fmt: skip
        self.length = self._field("Length", FRAME, "Frames from the first selected key to the last", (1, MAX_FRAME),
                                  lambda v: self._scale(v), length)  # fmt: skip
        self.factor = self._field("Factor", TIMES, "Stretches from the first key",
                                  (0.001, 1000.0), lambda v: self._scale(v * self._start[1]), lambda: 1.0)  # fmt: skip
        self.shift = self._field("Shift by", FRAME, "Frames later, or earlier if negative", (-MAX_FRAME, MAX_FRAME),
                                 self._shift, lambda: 0.0)  # fmt: skip
        self.ripple = Switch("The rest ripples")
        self.column.addWidget(SettingLine("The rest ripples", self.ripple, "What comes later moves along (Alt)"))
        self._curve: list[QWidget] = []
        self.tension, self.continuity, self.bias = (self._add_tcb(name, tip) for name, tip in TCB_TIPS.items())
        self._add_frames()
        self.document.changed.connect(self._take)

    # -- building -------------------------------------------------------------------------------------------------

    def _line(
        self, text: str, quantity: Quantity, tip: str, limits: tuple[float, float]
    ) -> tuple[NumberField, QWidget]:
        field = NumberField(quantity)
        field.setAccessibleName(text)
        field.setFixedWidth(FIELD)
        field.set_limits(*limits)
        line = SettingLine(text, field, tip)
        self.column.addWidget(line)
        return field, line

    def _field(
        self, text: str, quantity: Quantity, tip: str, limits: tuple[float, float],
        show: Callable[[float], None], value: Callable[[], float],
    ) -> NumberField:  # fmt: skip
        field, _ = self._line(text, quantity, tip, limits)
        field.began.connect(self._begin)
        field.changed.connect(show)
        field.committed.connect(lambda _value: self._drop())
        field.cancelled.connect(self._cancel)
        self._values.append((field, value))
        return field

    def _add_tcb(self, name: str, tip: str) -> NumberField:
        field, line = self._line(name.capitalize(), TCB, tip, (-LARGEST_TCB, LARGEST_TCB))
        field.began.connect(lambda: self._begin_shape(name))
        field.changed.connect(lambda value: self._show_shape(name, value))
        field.committed.connect(lambda _value: self._end_shape(True))
        field.cancelled.connect(lambda: self._end_shape(False))
        self._values.append((field, lambda: self._tcb(name)))
        self._curve.append(line)
        return field

    def _add_frames(self) -> None:
        row = QWidget()
        line = row_layout(row, (6, 6, 2, 0), 6)
        self.insert = ToolButton("plus", "Insert", "Insert frames before the current one; everything later moves")
        self.count = NumberField(FRAME)
        self.count.setAccessibleName("Frames to insert")
        self.count.setFixedWidth(FIELD)
        self.count.set_limits(1, MAX_FRAME)
        self.count.set_value(6.0)
        self.insert.clicked.connect(self._insert)
        line.addWidget(self.insert)
        line.addWidget(QLabel("frames"))
        line.addStretch(1)
        line.addWidget(self.count)
        self.column.addWidget(row)

    def _insert(self) -> None:
        frame, count, selection = self.document.frame, int(self.count.value), self.model.selected
        if self.document.keys.insert_frames(frame, count) and selection:
            self.document.history.select_moved(selection, selection.moved(lambda f: f + count if f >= frame else f))

    # -- what is selected -----------------------------------------------------------------------------------------

    def _span(self) -> tuple[int, int] | None:
        frames = self.model.selected.frames
        return (frames[0], frames[-1]) if frames else None

    def _first(self) -> float:
        span = self._span()
        return 0.0 if span is None else float(span[0])

    def _length(self) -> float:
        span = self._span()
        return 0.0 if span is None else float(span[1] - span[0])

    def _tcb(self, name: str) -> float:
        sequence, selection = self.document.sequence, self.model.selected
        key = None if sequence is None or not selection else sequence.keys.at(selection.frames[0])
        if key is None or sequence is None:
            return 0.0
        own = next(name for name in sequence.channels.names if (key.frame, name) in selection and key.keys(name))
        return float(getattr(key.shape_of(own), name))

    @property
    def _bends(self) -> bool:
        """Whether tension, continuity and bias say something of a selected key."""
        kinds = self.model.table.interp[self.model.chosen]
        return bool((kinds == INTERPOLATIONS.index(KOCHANEK_BARTELS)).any())

    def show_keys(self) -> None:
        """Show the numbers of the keys that are selected now."""
        span, count = self._span(), len(self.model.selected)
        self.title.setText(
            "No key selected" if span is None else f"Key at frame {span[0]}" if count == 1 else f"{count} keys"
        )
        for field, value in self._values:
            if not field.editing:
                field.set_value(value())
        for field in (self.frame, self.shift):
            field.setEnabled(span is not None)
        for field in (self.length, self.factor):
            field.setEnabled(count > 1)
        bends = self._bends
        for line in self._curve:
            line.setVisible(bends)

    def _take(self, change: Change) -> None:
        if self.isVisible() and isinstance(
            change, (KeysChanged, SessionChanged, FigureChanged, FileChanged, SequenceChanged)
        ):
            self.show_keys()

    # -- retiming -------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._start, self._wanted = (int(self._first()), int(self._length())), None

    def _shift(self, by: float) -> None:
        self._wanted = True, self._start[0] + round(by)
        self.model.set_shift(round(by), self.ripple.isChecked())

    def _scale(self, length: float) -> None:
        self._wanted = False, self._start[0] + max(round(length), 1)
        self.model.set_scale(True, self._wanted[1], self.ripple.isChecked())

    def _drop(self) -> None:
        """Put the keys where they are shown; say so if another key was in the way of what was typed."""
        moves, wanted = self.model.moves, self._wanted
        self.model.drop()
        self.show_keys()
        there = None if moves is None or wanted is None else moves.place(moves.first if wanted[0] else moves.last)
        if wanted is not None and there != wanted[1]:
            self.document.say("info", f"Another key is in the way of frame {wanted[1]}: keys never merge")

    def _cancel(self) -> None:
        self.model.cancel()
        self.show_keys()

    # -- tension, continuity, bias ----------------------------------------------------------------------------------

    def _begin_shape(self, name: str) -> None:
        self._gesture = self.document.keys.begin_gesture(f"Set {name}")

    def _show_shape(self, name: str, value: float) -> None:
        if self._gesture is not None:
            self._gesture.set_shape(self.model.selected, **{name: value})

    def _end_shape(self, keep: bool) -> None:
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            (gesture.commit if keep else gesture.cancel)()
        self.show_keys()

    # -- the window -----------------------------------------------------------------------------------------------

    def open_at(self, place: QPoint, field: NumberField | None = None) -> None:
        """Open beside a place on the screen, moved so that all of it is seen, with the keyboard in a field."""
        self.show_keys()
        self.adjustSize()
        self.place_over(place.x() - WIDTH // 2, place.y() - 10, place.y() + 14)
        self.show()
        wanted = self.frame if field is None else field
        if wanted.isEnabled():
            wanted.setFocus(Qt.FocusReason.OtherFocusReason)
            wanted.open_editor()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.hide()
        else:
            super().keyPressEvent(event)

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        for field, _ in self._values:
            if field.editing:
                field.cancel()
        super().hideEvent(event)
