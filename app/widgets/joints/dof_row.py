"""One degree of freedom of the joint that is edited: kind, axis, label, limits."""

from __future__ import annotations

import math
import re

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.process.handler_guard import guarded
from app.widgets.fields.limit_field import LimitField
from app.widgets.fields.name_field import NameField
from app.widgets.frames.menu import make_menu, pop_up
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import hint_label
from app.widgets.layouts import column_layout
from app.words.quantity import COORDINATES, DEGREES, METRES
from core.arrays import Array
from core.skeleton import Dof
from core.skeleton.dof import ANGLE, COORDINATE, HINGE, LENGTH, NUMBER, SLIDE
from core.skeleton.joint import axis_letter

AXES = ("x", "y", "z", "-x", "-y", "-z")
FIRST = {ANGLE: 90.0, LENGTH: 0.1, NUMBER: 1.0}
"""Where a missing limit begins, [deg], [m] or a plain number."""
_QUANTITIES = {ANGLE: DEGREES, LENGTH: METRES, NUMBER: COORDINATES}
_KINDS = {
    HINGE: ("hinge", "Hinge; click to make it a slide"),
    SLIDE: ("slide", "Slide; click to make it a hinge"),
    COORDINATE: ("spline", "Coordinate of the type of the joint"),
}
_LETTERS = re.compile(r"([+-]?)\s*([xyz])")


class AxisError(ValueError):
    """Typed text that is no axis; the message says what would be right."""


def read_axis(text: str) -> Array:
    """Return the unit axis of a text such as ``-x`` or ``0 0.6 0.8``, shape (3,).

    Raises:
        AxisError: If it is none.
    """
    plain = text.strip().casefold().replace("−", "-")
    letter = _LETTERS.fullmatch(plain)
    if letter is not None:
        return (-1.0 if letter[1] == "-" else 1.0) * np.eye(3)["xyz".index(letter[2])] + 0.0
    words = plain.replace(",", " ").split()
    try:
        axis = np.array([float(word) for word in words])
    except ValueError:
        axis = np.zeros(0)
    if axis.shape != (3,) or not np.isfinite(axis).all():
        raise AxisError(f'"{text.strip()}" is not an axis; type x, y, z, -x, -y, -z or three numbers')
    length = float(np.linalg.norm(axis))
    if not 1e-12 < length < 1e150:
        raise AxisError(f'axis "{text.strip()}" has no direction; at least one of its numbers must differ from 0')
    return axis / length + 0.0


def axis_text(axis: Array) -> str:
    """Return an axis as a person types it: a letter, or three numbers."""
    text = axis_letter(axis) or " ".join(f"{value + 0.0:.3g}" for value in axis)
    return text.replace("-", "−")


class DofRow(QWidget):
    """Shows one degree of freedom and says what should become of it.

    Angles are shown in degrees and given in radians.

    Args:
        number: Which of the joint's degrees of freedom it is.
        parent: Parent widget.

    Signals:
        edited(int, str, object): A value typed or chosen: ``"kind"``, ``"axis"`` (3,) or ``"label"``.
        began(int), limited(int, float, float), committed(int), cancelled(int): The life of an edit of the limits.
        removed(int), shifted(int, int): It should go, or change places with the one before (-1) or after (1) it.
        refused(str): What was typed makes no sense; says why.
    """

    edited = Signal(int, str, object)
    began = Signal(int)
    limited = Signal(int, float, float)
    committed = Signal(int)
    cancelled = Signal(int)
    removed = Signal(int)
    shifted = Signal(int, int)
    refused = Signal(str)

    def __init__(self, number: int, parent: QWidget | None = None):
        super().__init__(parent)
        self.number = number
        self._count = 1
        self._kind, self._angle = HINGE, True
        self.kind = ToolButton("hinge", "", "Hinge; click to make it a slide", size=(24, 24), parent=self)
        self.axis = NameField("Axis", "axis", self)
        self.axis.setFixedWidth(58)
        self.axis.setToolTip("Axis: x, y, z, -x, -y, -z, or three numbers")
        self.label = NameField("Label", "label", self)
        self.more = ToolButton("more", "", "More for this degree of freedom", size=(22, 24), parent=self)
        self.low = LimitField(-1, -FIRST[ANGLE], DEGREES, self)
        self.high = LimitField(1, FIRST[ANGLE], DEGREES, self)
        to = hint_label("to", self)
        first, second = QHBoxLayout(), QHBoxLayout()
        for row, parts in ((first, (self.kind, self.axis, self.label, self.more)), (second, (self.low, to))):
            row.setSpacing(4)
            for part in parts:
                row.addWidget(part)
        second.addWidget(self.high)
        second.setContentsMargins(28, 0, 26, 0)
        for field in (self.low, self.high):
            field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self._connect(field)
        column = column_layout(self, (8, 3, 7, 3))
        column.addLayout(first)
        column.addLayout(second)
        self.kind.clicked.connect(self._change_kind)
        self.axis.committed.connect(self._take_axis)
        self.label.committed.connect(lambda text: self.edited.emit(self.number, "label", text))
        self.more.clicked.connect(self._more)

    def _change_kind(self) -> None:
        self.edited.emit(self.number, "kind", SLIDE if self._kind == HINGE else HINGE)

    def _connect(self, field: LimitField) -> None:
        field.began.connect(lambda: self.began.emit(self.number))
        field.changed.connect(lambda _: self._report_limits())
        field.committed.connect(lambda _: self.committed.emit(self.number))
        field.cancelled.connect(lambda: self.cancelled.emit(self.number))
        field.refused.connect(self.refused)

    def _report_limits(self) -> None:
        turn = math.radians(1.0) if self._angle else 1.0
        self.limited.emit(self.number, self.low.value * turn, self.high.value * turn)

    def _take_axis(self, text: str) -> None:
        try:
            axis = read_axis(text)
        except AxisError as error:
            self.refused.emit(str(error))
        else:
            self.edited.emit(self.number, "axis", axis)

    def show_dof(self, dof: Dof, unit: str, label: str, usual: str, count: int) -> None:
        """Show a degree of freedom.

        Args:
            dof: The degree of freedom.
            unit: What it measures, ``"angle"``, ``"length"`` or ``"number"``.
            label: Its label, "" if it has none of its own.
            usual: What the editor calls it without one.
            count: How many the joint has.
        """
        self._count = count
        self._kind, self._angle, general = dof.kind, unit == ANGLE, dof.kind == COORDINATE
        icon, tip = _KINDS[dof.kind]
        self.kind.set_icon(icon)
        self.kind.setToolTip(tip)
        self.kind.setAccessibleName(tip.partition(";")[0])
        self.kind.setEnabled(not general)
        self.axis.setVisible(not general)
        self.axis.show_text(axis_text(dof.axis))
        self.label.show_text(label)
        self.label.setPlaceholderText(usual)
        self.label.setToolTip(f"Label in the Joints panel, “{label or usual}” now")
        for field, value, word in ((self.low, dof.lo, "lower"), (self.high, dof.hi, "upper")):
            field.quantity = _QUANTITIES[unit]
            field.first = field.side * FIRST[unit]
            field.setAccessibleName(f"{label or usual}, {word} limit")
            field.setToolTip(f"{word.capitalize()} limit; empty for none")
            if not field.editing:
                field.set_value(math.degrees(value) if self._angle else value)
            field.update()

    def _more(self) -> None:
        general = self._kind == COORDINATE
        menu = make_menu(
            self,
            [
                ("Move up", lambda: self.shifted.emit(self.number, -1), "chevron-up"),
                ("Move down", lambda: self.shifted.emit(self.number, 1), "chevron-down"),
                *([] if general else [None]),
                *(
                    (f"Axis {axis.replace('-', '−')}", lambda axis=axis: self._take_axis(axis), "")
                    for axis in (() if general else AXES)
                ),
                None,
                ("No limits", self._drop_limits, ""),
                ("Remove", lambda: self.removed.emit(self.number), "trash"),
            ],
        )
        up, down = menu.actions()[:2]
        up.setEnabled(self.number > 0 and not general)
        down.setEnabled(self.number < self._count - 1 and not general)
        menu.actions()[-1].setEnabled(not general)
        pop_up(menu, self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _drop_limits(self) -> None:
        self.began.emit(self.number)
        self.limited.emit(self.number, -math.inf, math.inf)
        self.committed.emit(self.number)

    @guarded
    def setFocus(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
        """Give the keyboard to its first field."""
        self.axis.setFocus(reason)
