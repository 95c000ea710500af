"""How locks are held: by which method, how firmly, how long, and whether at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.document.changes import Change, FigureChanged, FileChanged, LocksChanged, SequenceChanged, SessionChanged
from app.document.session import MOST_STEPS
from app.look import style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.fields.setting_quantities import PERCENT, STEPS
from app.widgets.fields.setting_slider import Scale, SettingRow
from app.widgets.fields.steps_scale import AS_NEEDED, steps_scale
from app.widgets.fields.switch import Switch
from app.widgets.frames.tool_button import ToolButton
from app.widgets.layouts import column_layout
from app.widgets.rows.group_header import GroupHeader
from app.widgets.rows.radio_row import RadioRow
from app.widgets.rows.setting_line import SettingLine

if TYPE_CHECKING:
    from app.document.document import Document

METHODS: tuple[tuple[str, str, str, str], ...] = (
    ("hold", "Hold", "exact, keeps limits", "Locks and joint limits are kept exactly at every step of a drag"),
    (
        "lagrange",
        "Lagrange multipliers",
        "springy, may drift",
        "Forces that keep the locks, with feedback against drift: Welman 5.2",
    ),
    ("ccd", "CCD penalty", "loose, may drift", "Each joint in turn for all goals and locks at once: Welman 5.4"),
)
"""Key, name, character and sentence of each method."""

FIRMNESS: tuple[tuple[str, str, str], ...] = (
    ("firm", "Firm", "The pose depends only on where the pointer is: drag back, and the pose comes back"),
    ("putty", "Putty", "A drag continues from the pose it has reached, and what was bent stays bent"),
)
LABEL_WIDTH = 116
_SESSION = ("lock_method", "hold_mode", "lock_iterations", "comfort", "hold_locks")


class LockSolving(Painted):
    """Methods, firmness, iterations, comfort, switches, and the button that solves now.

    Signals:
        solve_wanted(): The locks of this frame should be solved until all hold.
    """

    solve_wanted = Signal()

    def __init__(self, document: Document):
        super().__init__()
        self.document = document
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        column = column_layout(self, (0, 1, 0, 6))
        self.header = GroupHeader("How locks are held")
        self.header.toggled.connect(lambda _: self._fold())
        column.addWidget(self.header)
        self.body = QWidget()
        column.addWidget(self.body)
        rows = column_layout(self.body, (6, 4, 6, 2), 2)
        self._build_methods(rows)
        self._build_settings(rows)
        line = QHBoxLayout()
        line.setContentsMargins(8, 4, 8, 0)
        self.solve = ToolButton("target", "Solve until all locks hold", "", "raised")
        self.solve.setToolTip("Move every part back to its lock, as far as the figure can")
        self.solve.clicked.connect(self.solve_wanted)
        line.addWidget(self.solve)
        column.addLayout(line)
        document.changed.connect(self._on_change)
        self.show_session()

    # -- building ------------------------------------------------------------------------------------------------

    def _build_methods(self, rows: QVBoxLayout) -> None:
        self.methods: dict[str, RadioRow] = {}
        group = QButtonGroup(self)
        for key, name, character, tip in METHODS:
            row = RadioRow(key, name, character)
            row.setToolTip(tip)
            row.clicked.connect(lambda _=False, key=key: self._set("lock_method", key))
            group.addButton(row)
            rows.addWidget(row)
            self.methods[key] = row
        self.firmness = SegmentBar([(key, name) for key, name, _ in FIRMNESS], name="How a drag holds locks")
        for key, _, tip in FIRMNESS:
            self.firmness.segment(key).setToolTip(tip)
        self.firmness.chosen.connect(lambda key: self._set("hold_mode", key))

    def _build_settings(self, rows: QVBoxLayout) -> None:
        rows.addSpacing(2)
        tip = "How the pose follows a drag under locks"
        rows.addWidget(SettingLine("While dragging", self.firmness, tip, height=style.BUTTON_HEIGHT))
        self.iterations = SettingRow("Iterations per repaint", STEPS, steps_scale(), None, LABEL_WIDTH, 74)
        self.iterations.set_tip("Most iterations on locks before each repaint; far right: as many as they need")
        self.iterations.changed.connect(
            lambda value: self._set("lock_iterations", None if value > MOST_STEPS else int(value))
        )
        self.comfort = SettingRow("Comfort", PERCENT, Scale(0.0, 100.0, 0.0), None, LABEL_WIDTH, 74)
        self.comfort.set_tip("How strongly joints that locks leave free keep to the middle of their range")
        self.comfort.changed.connect(lambda value: self._set("comfort", value / 100.0))
        for row, name in ((self.iterations, "lock_iterations"), (self.comfort, "comfort")):
            report_refusals(row, self.document.say)
            row.cancelled.connect(lambda row=row, name=name: self._cancelled(row, name))
            rows.addWidget(row)
        self.posing = Switch("Hold while posing")
        self.posing.toggled.connect(lambda on: self._set("hold_locks", on))
        tip = "Drags, sliders, rings and pastes keep the locks of the frame"
        rows.addWidget(SettingLine("Hold while posing", self.posing, tip))
        self.between = Switch("Hold between keys")
        self.between.toggled.connect(self._hold_between)
        tip = "Locks hold at every frame between keys too"
        rows.addWidget(SettingLine("Hold between keys", self.between, tip))

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, 0, self.width(), 1, style.color("line2"))
        painter.end()

    @guarded
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    # -- following and setting -----------------------------------------------------------------------------------

    def first_focus(self) -> QWidget | None:
        """Return what takes the keyboard: the method in use, or the heading while all is folded."""
        return self.header if not self.header.isChecked() else self.methods[self.document.session.locks.method]

    def _fold(self) -> None:
        self.body.setVisible(self.header.isChecked())
        self.updateGeometry()

    def set_open(self, on: bool) -> None:
        """Show everything, or the heading and the button alone."""
        self.header.setChecked(on)

    def _set(self, name: str, value: object) -> None:
        self.document.session.set(name, value)

    def _cancelled(self, row: SettingRow, name: str) -> None:
        if name == "comfort":
            self._set(name, row.value / 100.0)
        else:
            self._set(name, None if row.value > MOST_STEPS else int(row.value))

    def _hold_between(self, on: bool) -> None:
        sequence = self.document.sequence
        if sequence is not None and sequence.locks.holds != on:
            self.document.locks.set_holds(on)
            self.show_session()

    def _on_change(self, change: Change) -> None:
        if isinstance(change, SessionChanged) and change.name in _SESSION:
            self.show_session()
        elif isinstance(change, (SequenceChanged, FileChanged, FigureChanged, LocksChanged)) and not change.live:
            self.show_session()

    def show_session(self) -> None:
        """Show what the session and the sequence have."""
        session, sequence = self.document.session, self.document.sequence
        self.methods[session.locks.method].setChecked(True)
        self.firmness.set_current(session.locks.hold_mode)
        self.iterations.set_value(AS_NEEDED if session.locks.iterations is None else float(session.locks.iterations))
        self.comfort.set_value(100.0 * session.locks.comfort)
        name = next(name for key, name, _, _ in METHODS if key == session.locks.method)
        self.header.set_summary(name if session.locks.hold else "off")
        self.posing.setChecked(session.locks.hold)
        self.between.setChecked(sequence is None or sequence.locks.holds)
        for switch in (self.posing, self.between):
            switch.setEnabled(sequence is not None)
        for part in (*self.methods.values(), self.firmness, self.iterations, self.comfort):
            part.setEnabled(session.locks.hold)
        self.solve.setEnabled(sequence is not None and bool(self.document.locks.now()))
