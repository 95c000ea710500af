"""One degree of freedom of the joint that is edited: kind, axis, label, limits."""

from __future__ import annotations

import math
import re

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.process.handler_guard import guarded
from app.widgets.behaviour.gesture import ValueWidget
from app.widgets.fields.limit_field import LimitField
from app.widgets.fields.name_field import NameField
from app.widgets.frames.menu import make_menu, pop_up
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import hint_label
from app.widgets.layouts import column_layout
from app.words.quantity import COORDINATES, DEGREES, METRES
from core.arrays import Array
from core.skeleton import Dof
from core.skeleton.dof import COORDINATE, HINGE, SLIDE
from core.skeleton.joint import axis_letter

AXES = ("x", "y", "z", "-x", "-y", "-z")
FIRST_ANGLE, FIRST_LENGTH = 90.0, 0.1  # where a missing limit begins, [deg], [m]
_KINDS = {
    HINGE: ("hinge", "Hinge; click to make it a slide"),
    SLIDE: ("slide", "Slide; click to make it a hinge"),
    COORDINATE: ("spline", "Coordinate along a spline that the type of the joint defines"),
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
        self._angle, self._plain = True, False
        self.kind = ToolButton("hinge", "", "Hinge; click to make it a slide", size=(24, 24), parent=self)
        self.axis = NameField("Axis", "axis", self)
        self.axis.setFixedWidth(58)
        self.axis.setToolTip("Axis: x, y, z, -x, -y, -z, or three numbers")
        self.label = NameField("Label", "label", self)
        self.more = ToolButton("more", "", "More for this degree of freedom", size=(22, 24), parent=self)
        self.lower = LimitField(-1, -FIRST_ANGLE, DEGREES, self)
        self.upper = LimitField(1, FIRST_ANGLE, DEGREES, self)
        to = hint_label("to", self)
        first, second = QHBoxLayout(), QHBoxLayout()
        for row, parts in ((first, (self.kind, self.axis, self.label, self.more)), (second, (self.lower, to))):
            row.setSpacing(4)
            for part in parts:
                row.addWidget(part)
        second.addWidget(self.upper)
        second.setContentsMargins(28, 0, 26, 0)
        for field in (self.lower, self.upper):
            field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self._connect(field)
        column = column_layout(self, (8, 3, 7, 3))
        column.addLayout(first)
        column.addLayout(second)
        self.kind.clicked.connect(lambda: self.edited.emit(self.number, "kind", SLIDE if self._angle else HINGE))
        self.axis.committed.connect(self._take_axis)
        self.label.committed.connect(lambda text: self.edited.emit(self.number, "label", text))
        self.more.clicked.connect(self._more)

    def _connect(self, field: ValueWidget) -> None:
        field.began.connect(lambda: self.began.emit(self.number))
        field.changed.connect(lambda _: self._report_limits())
        field.committed.connect(lambda _: self.committed.emit(self.number))
        field.cancelled.connect(lambda: self.cancelled.emit(self.number))
        field.refused.connect(self.refused)  # type: ignore[attr-defined]

    def _report_limits(self) -> None:
        turn = math.radians(1.0) if self._angle else 1.0
        self.limited.emit(self.number, self.lower.value * turn, self.upper.value * turn)

    def _take_axis(self, text: str) -> None:
        try:
            axis = read_axis(text)
        except AxisError as error:
            self.refused.emit(str(error))
        else:
            self.edited.emit(self.number, "axis", axis)

    def show_dof(self, dof: Dof, label: str, usual: str, count: int) -> None:
        """Show a degree of freedom.

        Args:
            dof: The degree of freedom.
            label: Its label, "" if it has none of its own.
            usual: What the editor calls it without one.
            count: How many the joint has.
        """
        self._count = count
        self._angle, self._plain = dof.kind == HINGE, dof.kind == COORDINATE
        icon, tip = _KINDS[dof.kind]
        self.kind.set_icon(icon)
        self.kind.setToolTip(tip)
        self.kind.setAccessibleName(tip.partition(";")[0])
        self.kind.setEnabled(not self._plain)
        self.axis.setVisible(not self._plain)
        self.axis.show_text(axis_text(dof.axis))
        self.label.show_text(label)
        self.label.setPlaceholderText(usual)
        self.label.setToolTip(f"Label in the Joints panel, “{label or usual}” now")
        for field, value, word in ((self.lower, dof.lo, "lower"), (self.upper, dof.hi, "upper")):
            field.quantity = COORDINATES if self._plain else DEGREES if self._angle else METRES
            field.first = field.side * (FIRST_ANGLE if self._angle else FIRST_LENGTH)
            field.setAccessibleName(f"{label or usual}, {word} limit")
            field.setToolTip(f"{word.capitalize()} limit; empty for none")
            if not field.editing:
                field.set_value(math.degrees(value) if self._angle else value)
            field.update()

    def _more(self) -> None:
        menu = make_menu(
            self,
            [
                ("Move up", lambda: self.shifted.emit(self.number, -1), "chevron-up"),
                ("Move down", lambda: self.shifted.emit(self.number, 1), "chevron-down"),
                *([] if self._plain else [None]),
                *(
                    (f"Axis {axis.replace('-', '−')}", lambda axis=axis: self._take_axis(axis), "")
                    for axis in (() if self._plain else AXES)
                ),
                None,
                ("No limits", self._drop_limits, ""),
                ("Remove", lambda: self.removed.emit(self.number), "trash"),
            ],
        )
        up, down = menu.actions()[:2]
        up.setEnabled(self.number > 0 and not self._plain)
        down.setEnabled(self.number < self._count - 1 and not self._plain)
        menu.actions()[-1].setEnabled(not self._plain)
        pop_up(menu, self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _drop_limits(self) -> None:
        self.began.emit(self.number)
        self.limited.emit(self.number, -math.inf, math.inf)
        self.committed.emit(self.number)

    @guarded
    def setFocus(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
        """Give the keyboard to its first field."""
        self.axis.setFocus(reason)
