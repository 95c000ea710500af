"""The small board after a sequence was put in: inserted, blended in or over what was there, and how long it blends."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.process.handler_guard import guarded
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.fields.setting_slider import Scale, SettingRow
from app.widgets.frames.board import Board
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import column_layout
from app.words.quantity import Quantity

WIDTH, MARGIN = 336, 8
INSERTED, BLENDED, OVER, ADDED = "insert", "blend", "blend_over", "add"
WAYS = ((INSERTED, "Insert"), (BLENDED, "Blend in"), (OVER, "Blend over"))
TIPS = {
    INSERTED: "Keys are put in as they are; what follows makes room",
    BLENDED: "Both motions go over into each other; what follows goes on after it",
    OVER: "Blend in over as much of what was there",
}
LONGEST = 2.0  # [s], of a cross-fade
FRAMES = Quantity("f", 0, 1.0, "frames", whole=True)


class PutInPopover(Board):
    """Stays open over the work area until it is closed or the next step is made; never takes the keyboard by itself.

    Signals:
        wanted(str, int): Another way, or another length of the cross-fade, [frames].

    Args:
        area: What it stands over, at its lower edge.
        say: Says what cannot be typed: level and text.
        parent: A parent of ``area``.
    """

    wanted = Signal(str, int)

    def __init__(self, area: QWidget, say: Callable[[str, str], object], parent: QWidget):
        super().__init__(area, parent)
        self._say = say
        self._x = 0
        self.setAccessibleName("What was put in")
        column = column_layout(self, (9, 7, 7, 9), 4)
        self.title = quiet_label()
        self.bar = SegmentBar(WAYS, name="How it is put in")
        self.bar.set_tight(True)
        for way, _ in WAYS:
            self.bar.segment(way).setToolTip(TIPS[way])
        self.bar.chosen.connect(lambda _way: self._ask())
        self.close_button = ToolButton("close", "", "Close (Esc)", size=(24, 24))
        self.close_button.clicked.connect(self.leave)
        line = QHBoxLayout()
        line.setSpacing(6)
        line.addWidget(self.title, 1)
        line.addWidget(self.close_button)
        column.addLayout(line)
        column.addWidget(self.bar)
        self._column = column
        self.row = self._row(60, 9)
        column.addWidget(self.row)
        self.setFixedWidth(WIDTH)
        self.hide()

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(WIDTH, super().sizeHint().height())

    def _row(self, longest: int, usual: int) -> SettingRow:
        row = SettingRow("Cross-fade", FRAMES, Scale(0.0, float(longest), float(usual)), None, 76, 58)
        row.set_tip("How long one motion goes over into the other, in frames; 0 cuts")
        row.committed.connect(lambda _value: self._ask())
        report_refusals(row, self._say)
        return row

    def show_put(self, name: str, frame: int, way: str, frames: int, rate: float, usual: int) -> None:
        """Show what was put in.

        Args:
            name: What it is called.
            frame: Where it begins.
            way: One of ``WAYS``, or ``ADDED`` at the end, where there is nothing to choose.
            frames: How long it blends, [frames].
            rate: Frames a second.
            usual: How long it would if nobody had chosen.
        """
        title = self.title.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, WIDTH - 150)
        self.title.setText(f"{title} at frame {frame}")
        self.bar.setVisible(way != ADDED)
        if way != ADDED:
            self.bar.set_current(way)
        longest = max(round(LONGEST * rate), frames)
        if (self.row.scale.upper, self.row.scale.rest) != (longest, usual):
            fresh = self._row(longest, usual)
            self._column.replaceWidget(self.row, fresh)
            self.row.hide()
            self.row.deleteLater()
            self.row = fresh
        self.row.set_value(float(frames))
        self.row.setEnabled(way != INSERTED)

    def open(self, x: int) -> None:
        """Come up at the lower edge of the work area, near a place of the window; the keyboard stays where it is."""
        self._x = x
        self.adjustSize()
        parent = self.parentWidget()
        assert parent is not None
        corner = self._area.mapTo(parent, QPoint(0, self._area.height()))
        left = min(max(x - WIDTH // 2, corner.x() + MARGIN), corner.x() + self._area.width() - WIDTH - MARGIN)
        self.move(max(left, MARGIN), corner.y() - self.height() - MARGIN)
        self.show()
        self.raise_()

    def _ask(self) -> None:
        way = ADDED if self.bar.isHidden() else self.bar.current
        self.wanted.emit(way, round(self.row.value))
