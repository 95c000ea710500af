"""The small window that says how ghosts, trails and paths are shown."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.document.changes import Change, SessionChanged
from app.document.document import Document
from app.document.session import GHOST_STRENGTH, LONGEST_TRAIL, MOST_APART, MOST_GHOSTS
from app.look import fonts
from app.widgets.behaviour.keyed_tip import set_keyed_tip
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.fields.setting_quantities import PERCENT
from app.widgets.fields.setting_slider import Scale, SettingRow, log_scale
from app.widgets.fields.switch import Switch
from app.widgets.frames.popover import Popover
from app.widgets.rows.setting_line import SettingLine
from app.words.quantity import FRAME, WHOLE

WIDTH, LABEL_WIDTH = 316, 108
USUAL_TRAIL = 15
"""Frames each way that a trail begins with when it is not that of the whole sequence."""


class MotionPopover(Popover):
    """Settings of ghosts, trails and what lies on the floor; all of them are the session's, and kept."""

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__("Ghosts and trails", WIDTH, parent)
        self.document = document
        self.column.setContentsMargins(8, 8, 10, 10)
        self._shows: list[Callable[[], None]] = []
        self._add_ghosts()
        self._add_trails()
        self._add_floor()
        document.changed.connect(self._take)
        self.show_session()

    # -- building ----------------------------------------------------------------------------------------------------

    def _add_ghosts(self) -> None:
        self._switch("Ghosts", "ghosts", "The figure at neighbouring keys or frames ({})", title=True)
        self.before = self._count("Before", "ghosts_before", MOST_GHOSTS, "How many ghosts before this frame")
        self.after = self._count("After", "ghosts_after", MOST_GHOSTS, "How many ghosts after this frame")
        self.at = self._bar("Ghosts at", "ghosts_at", (("keys", "Keys"), ("frames", "Frames")), "")
        self.step = self._row(
            SettingRow("Frames apart", FRAME, _counting(log_scale(1.0, MOST_APART, 4.0)), None, LABEL_WIDTH, 58),
            "ghost_step", "How many frames lie between one ghost and the next", 1.0,
        )  # fmt: skip
        self.parts = self._bar(
            "Ghosts show", "ghost_parts", (("figure", "Whole figure"), ("limb", "Selected limb")),
            "With nothing selected, the whole figure",
        )  # fmt: skip
        low, high = (100.0 * x for x in GHOST_STRENGTH)
        self.strength = self._row(
            SettingRow("Strength", PERCENT, log_scale(low, high, 100.0), None, LABEL_WIDTH, 58),
            "ghost_strength", "How visible the nearest ghosts are", 100.0,
        )  # fmt: skip
        self.fade = self._row(
            SettingRow("Each further one", PERCENT, Scale(25.0, 100.0, 50.0), None, LABEL_WIDTH, 58),
            "ghost_fade", "How visible each ghost is compared with the one before it", 100.0,
        )  # fmt: skip

    def _add_trails(self) -> None:
        self._gap()
        self._near = USUAL_TRAIL
        self._switch("Trails of the selected parts", "trail", "Paths of the selected parts over time ({})", title=True)
        self.span = SegmentBar((("whole", "Whole sequence"), ("near", "Near this frame")), name="Trails show")
        self.span.set_tight(True)
        self.span.chosen.connect(
            lambda key: self._set("trail_frames", 0 if key == "whole" else self._near or USUAL_TRAIL)
        )
        self.column.addWidget(SettingLine("Trails show", self.span, "How much of the sequence trails and paths show"))
        self.near = SettingRow(
            "Frames each way", FRAME, _counting(log_scale(1.0, LONGEST_TRAIL, USUAL_TRAIL)), None, LABEL_WIDTH, 58
        )
        self._row(self.near, "trail_frames", "How many frames before and after this one", 1.0, show=False)
        self._shows.append(self._show_span)

    def _add_floor(self) -> None:
        self._gap()
        title = QLabel("On the floor")
        title.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        title.setContentsMargins(6, 2, 0, 2)
        self.column.addWidget(title)
        self._switch("Path of the root", "root_path", "Where the root goes over the floor; its keys can be dragged")
        self._switch("Path of the centre of mass", "com_path", "Where the centre of mass goes over the floor")
        self._switch("Footprints of locked feet", "footprints", "Where feet stand while locks hold them")

    def _gap(self) -> None:
        line = QFrame()
        line.setFixedHeight(1)
        line.setStyleSheet("background: palette(mid);")
        self.column.addSpacing(6)
        self.column.addWidget(line)
        self.column.addSpacing(4)

    def _switch(self, text: str, overlay: str, tip: str, title: bool = False) -> Switch:
        switch = Switch(text)
        line = SettingLine(text, switch, tip)
        if "{}" in tip:
            set_keyed_tip(line, tip, f"show_{overlay}")
        if title:
            name = line.findChild(QLabel)
            assert name is not None
            name.setProperty("quiet", False)
            name.setFont(fonts.font(fonts.BODY, fonts.SEMIBOLD))
        overlays = self.document.session.view.overlays
        switch.toggled.connect(lambda on: overlays.__setitem__(overlay, on))
        self._shows.append(lambda: switch.setChecked(overlays[overlay]))
        self.column.addWidget(line)
        return switch

    def _bar(self, text: str, name: str, choices: tuple[tuple[str, str], ...], tip: str) -> SegmentBar:
        bar = SegmentBar(choices, name=text)
        bar.set_tight(True)
        bar.chosen.connect(lambda key: self._set(name, key))
        self._shows.append(lambda: bar.set_current(self.document.session.get(name)))
        self.column.addWidget(SettingLine(text, bar, tip))
        return bar

    def _count(self, text: str, name: str, most: int, tip: str) -> SettingRow:
        scale = Scale(0.0, float(most), 1.0, float, lambda place: float(round(place)))
        return self._row(SettingRow(text, WHOLE, scale, None, LABEL_WIDTH, 58), name, tip, 1.0)

    def _row(self, row: SettingRow, name: str, tip: str, factor: float, show: bool = True) -> SettingRow:
        row.set_tip(tip)
        row.changed.connect(lambda value: self._set(name, value / factor))
        row.cancelled.connect(lambda: self._set(name, row.value / factor))
        report_refusals(row, self.document.say)
        if show:
            self._shows.append(lambda: row.set_value(self.document.session.get(name) * factor))
        self.column.addWidget(row)
        return row

    # -- the session -------------------------------------------------------------------------------------------------

    def _set(self, name: str, value: object) -> None:
        self.document.session.set(name, value)

    def _take(self, change: Change) -> None:
        if isinstance(change, SessionChanged) and self.isVisible():
            self.show_session()

    def show_session(self) -> None:
        """Show what the session has."""
        for show in self._shows:
            show()
        self.step.setEnabled(self.document.session.view.ghosts_at == "frames")

    def _show_span(self) -> None:
        frames = self.document.session.view.trail_frames
        self._near = frames or self._near
        self.span.set_current("near" if frames else "whole")
        self.near.set_value(float(self._near))
        self.near.setEnabled(frames > 0)

    def open_at(self, corner: QPoint) -> None:
        """Open with the left upper corner at a place on the screen, moved so that all of it is seen."""
        self.show_session()
        self.adjustSize()
        self.place(corner.x(), corner.y())
        self.show()


def _counting(scale: Scale) -> Scale:
    """Return a scale that gives whole numbers."""
    return Scale(scale.lower, scale.upper, scale.rest, scale.to_track, lambda place: float(round(10.0**place)))
