"""The small window that says where the key light is and how strong."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from app.document.changes import Change, FileChanged, SessionChanged
from app.document.document import Document
from app.document.session import KEY_LIGHT
from app.render.lights import LIGHTS, key_light_of
from app.widgets.fields.setting_quantities import PERCENT
from app.widgets.fields.setting_slider import Scale, SettingRow
from app.widgets.frames.popover import Popover
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import row_layout
from app.words.quantity import DEGREES

WIDTH, LABEL_WIDTH, FIELD = 316, 72, 58
_ROWS = (
    (
        "Direction",
        DEGREES,
        1.0,
        ("back left", "back right"),
        "Where the main light is: 0° at +z, 90° at +x",
    ),
    ("Height", DEGREES, 1.0, ("low", "overhead"), "How high the main light is above the horizon"),
    ("Strength", PERCENT, 100.0, ("dark", "bright"), "How strong the main light is beside the others"),
)


class LightsPopover(Popover):
    """Direction, height and strength of the key light; they belong to the view, and are saved with the file."""

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__("Light", WIDTH, parent)
        self.document = document
        self.column.setContentsMargins(8, 8, 10, 10)
        self.head = quiet_label("")
        self.head.setContentsMargins(6, 0, 0, 0)
        self.own = ToolButton("", "As the preset", "Put the main light where the preset has it", parent=self)
        self.own.clicked.connect(lambda: self._put(None))
        top = row_layout(spacing=4)
        top.addWidget(self.head)
        top.addStretch(1)
        top.addWidget(self.own)
        self.column.addLayout(top)
        self.rows: list[SettingRow] = []
        for number, (name, quantity, factor, ends, tip) in enumerate(_ROWS):
            least, most = (factor * each for each in KEY_LIGHT[number])
            rest = 100.0 if quantity is PERCENT else least if number else 0.0
            row = SettingRow(name, quantity, Scale(least, most, rest), None, LABEL_WIDTH, FIELD)
            row.slider.ends = ends
            row.slider.setMinimumHeight(row.slider.sizeHint().height())
            row.set_tip(tip)
            row.began.connect(self._begin)
            row.changed.connect(lambda value, number=number, factor=factor: self._set(number, value / factor))
            row.committed.connect(lambda value, number=number, factor=factor: self._set(number, value / factor))
            row.cancelled.connect(self._cancel)
            self.rows.append(row)
            self.column.addWidget(row)
        self._before: tuple[float, float, float] | None = None
        document.changed.connect(self._take)

    @property
    def _now(self) -> tuple[float, float, float]:
        view = self.document.session.view
        return view.key_light or key_light_of(view.lights)

    def _begin(self) -> None:
        self._before = self.document.session.view.key_light

    def _cancel(self) -> None:
        self._put(self._before)

    def _set(self, number: int, value: float) -> None:
        now = list(self._now)
        if abs(now[number] - value) > 1e-9:
            now[number] = value
            self._put((now[0], now[1], now[2]))

    def _put(self, light: tuple[float, float, float] | None) -> None:
        self.document.session.view.key_light = light

    def _take(self, change: Change) -> None:
        known = isinstance(change, SessionChanged) and change.name in ("lights", "key_light")
        if self.isVisible() and (known or isinstance(change, FileChanged)):
            self.show_document()

    def show_document(self) -> None:
        """Show what the document has."""
        view = self.document.session.view
        self.head.setText(LIGHTS[view.lights][0])
        self.own.setEnabled(view.key_light is not None)
        for row, value, (_, _, factor, _, _) in zip(self.rows, self._now, _ROWS, strict=True):
            row.set_value(factor * value)

    def open_at(self, corner: QPoint) -> None:
        """Open with the left upper corner at a place on the screen, moved so that all of it is seen."""
        self.show_document()
        self.adjustSize()
        self.place(corner.x(), corner.y())
        self.show()
