"""The Physics panel: simulate, step and bake, the settings, the world, plots and read-outs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    HybridChanged,
    PhysicsChanged,
    SelectionChanged,
    SequenceChanged,
    SessionChanged,
)
from app.panels.physics.method import MethodForm
from app.panels.physics.plots import EnergyPlot, MomentumPlot
from app.panels.physics.readings import Readings
from app.panels.physics.settings import MOTION, PhysicsForm
from app.panels.physics.world import WorldObstacles
from app.process.handler_guard import guarded
from app.widgets.behaviour.keyed_tip import set_keyed_tip
from app.widgets.frames.dock import Panel
from app.widgets.frames.menu import make_menu, pop_up
from app.widgets.frames.scroll import OverlayScrollArea
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import column_layout, row_layout
from app.words.preset_words import PRESET_WORDS

if TYPE_CHECKING:
    from app.document.document import Document

FOLLOW = "Views follow the figure as it falls or travels"
NOTHING_DYNAMIC = "Mark joints dynamic, or the whole figure falls"


class PhysicsPanel(Panel):
    """What is simulated, how, and what comes of it.

    Signals:
        bake_requested(): The person wants keys of what was simulated.
        preset_requested(name): The person directs the selected parts, or the whole figure.
    """

    title = "Physics"
    icon = "gravity"
    area = "right"
    wanted_height = 500
    modes = ("physics",)
    bake_requested = Signal()
    preset_requested = Signal(str)

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(document, parent)
        self.document = document
        physics = document.physics
        self.simulate_button = ToolButton("play", "Simulate", "", "primary", parent=self)
        self.simulate_button.clicked.connect(physics.toggle)
        self.step_button = ToolButton("step", "Step", "", "raised", parent=self)
        self.step_button.clicked.connect(physics.step)
        self.bake_button = ToolButton("bake", "Bake", "", "raised", parent=self)
        for button, tip, action in (
            (self.simulate_button, "Simulate or pause ({})", "simulate"),
            (self.step_button, "Next step of the simulation ({})", "simulation_step"),
            (self.bake_button, "Bake to keys ({})", "bake"),
        ):
            set_keyed_tip(button, tip, action)
        self.bake_button.clicked.connect(self.bake_requested)
        buttons = row_layout(margins=(9, 8, 9, 4), spacing=6)
        for button in (self.simulate_button, self.step_button, self.bake_button):
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            buttons.addWidget(button, 4 if button is self.simulate_button else 3)
        inside = QWidget()
        column = column_layout(inside, (0, 0, 0, 6), 6)
        self.hint = quiet_label(NOTHING_DYNAMIC)
        self.hint.setWordWrap(True)
        self.hint.setContentsMargins(12, 0, 12, 0)
        column.addWidget(self.hint)
        column.addLayout(self._presets())
        self.method = MethodForm(document)
        column.addWidget(self.method)
        self.settings = PhysicsForm(document, MOTION)
        column.addWidget(self.settings)
        column.addLayout(self._restart_line())
        self.plots = (EnergyPlot(document), MomentumPlot(document))
        plots = column_layout(margins=(8, 0, 9, 0), spacing=6)
        for plot in self.plots:
            plots.addWidget(plot, 1)
        column.addLayout(plots, 1)
        self.readings = Readings(document)
        column.addWidget(self.readings)
        self.world = WorldObstacles(document)
        column.addWidget(self.world)
        scroll = OverlayScrollArea(self)
        scroll.setWidget(inside)
        scroll.setWidgetResizable(True)
        outer = column_layout(self)
        outer.addLayout(buttons)
        outer.addWidget(scroll, 1)
        self.follow_button = ToolButton("follow", "", FOLLOW, checkable=True, size=(26, 24))
        self.follow_button.clicked.connect(self._follow)
        self._more_button = ToolButton("more", "", "More for physics", size=(26, 24))
        self._more_button.clicked.connect(self._more)
        document.changed.connect(self._take)
        self.show_state()

    def _presets(self) -> QGridLayout:
        """Return the buttons that direct the selected parts, or the whole figure."""
        grid = QGridLayout()
        grid.setContentsMargins(9, 0, 9, 2)
        grid.setSpacing(4)
        self.preset_buttons: dict[str, ToolButton] = {}
        for number, preset in enumerate(PRESET_WORDS):
            tip = f"{preset.description}, from this frame on: the selected parts, or the whole figure"
            button = ToolButton("", preset.label, tip, "raised", checkable=True, parent=self)
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            button.clicked.connect(partial(self._direct, preset.name))
            self.preset_buttons[preset.name] = button
            grid.addWidget(button, number // 2, number % 2)
        return grid

    def _direct(self, name: str) -> None:
        self.preset_requested.emit(name)
        self._show_presets()

    def _show_presets(self) -> None:
        """Press the button of what moves the selected parts at this frame."""
        document = self.document
        skeleton, frame = document.skeleton, document.frame
        names = set() if skeleton is None else {skeleton.joint_names[joint] for joint in document.selection.joints}
        modes = {
            strip.mode
            for strip in document.hybrid.strips
            if strip.start <= frame
            and (strip.end is None or frame < strip.end)
            and (not names or strip.whole or names & set(strip.parts))
        }
        for name, button in self.preset_buttons.items():
            button.setChecked(modes == {name})
            button.setEnabled(skeleton is not None)

    def _restart_line(self) -> QHBoxLayout:
        line = row_layout(margins=(12, 0, 9, 0), spacing=6)
        label = quiet_label("Restart")
        self.restart_text = QLabel()
        self.restart_button = ToolButton("loop", "", "Simulate again from there", size=(26, 24), parent=self)
        self.restart_button.clicked.connect(self.document.physics.restart)
        line.addWidget(label)
        line.addWidget(self.restart_text, 1)
        line.addWidget(self.restart_button)
        return line

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(296, 520)

    @guarded
    def minimumSizeHint(self) -> QSize:
        """Return a width in which nothing is cut off, folded or not."""
        wide = max(form.minimumSizeHint().width() for form in (self.settings, self.world.surfaces))
        return QSize(max(wide, super().minimumSizeHint().width()), super().minimumSizeHint().height())

    def title_buttons(self) -> Sequence[QWidget]:
        return (self.follow_button, self._more_button)

    def first_focus(self) -> QWidget | None:
        return self.simulate_button

    def _follow(self, on: bool) -> None:
        self.document.session.view.overlays["follow"] = on

    def _more(self) -> None:
        items = [
            ("Rewind to the beginning", self.document.physics.rewind, "first"),
            ("Back to the keyed pose", self.document.physics.stop, "rest"),
            None,
            ("Reset physics settings", self._reset, "rest"),
        ]
        pop_up(make_menu(self, items), self._more_button.mapToGlobal(self._more_button.rect().bottomLeft()))

    def _reset(self) -> None:
        from core.preview.settings import PhysicsSettings

        usual = PhysicsSettings()
        names = (
            "gravity", "step", "motor_gain", "friction", "self_contact", "floor", "integrator", "formulation",
            "contact_method",
        )  # fmt: skip
        self.document.physics.settings.edit("Reset physics settings", **{name: getattr(usual, name) for name in names})

    # -- following -----------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        if isinstance(change, (FigureChanged, FileChanged, SequenceChanged, HybridChanged)):
            self.show_state()
        elif isinstance(change, SessionChanged) and change.name == "overlays":
            self.follow_button.setChecked(self.document.session.view.overlays["follow"])
        elif isinstance(change, SelectionChanged):
            self._show_presets()
        elif isinstance(change, FrameChanged):
            if not self.document.physics.running:
                self.show_state()
        elif isinstance(change, PhysicsChanged) and change.name in ("running", "mode", "settings"):
            self.show_state()
        elif isinstance(change, PhysicsChanged) and change.name == "samples":
            self._show_bake()

    def _show_bake(self) -> None:
        can = not self.document.physics.empty
        if can != self.bake_button.isEnabled():
            self.bake_button.setEnabled(can)
            self.hint.setVisible(not can and not self.document.hybrid.strips)
            self.restart_button.setEnabled(can)

    def show_state(self) -> None:
        """Show whether it runs, from where, and what can be done."""
        document, physics = self.document, self.document.physics
        is_open = document.skeleton is not None
        self.follow_button.setChecked(document.session.view.overlays["follow"])
        self.simulate_button.set_icon("pause" if physics.running else "play")
        self.simulate_button.set_label("Pause" if physics.running else "Simulate")
        for button in (self.simulate_button, self.step_button):
            button.setEnabled(is_open)
        self._show_bake()
        self._show_presets()
        self.hint.setVisible(is_open and not document.hybrid.strips and physics.empty)
        sequence, settings = document.sequence, physics.settings.now
        given = sequence is not None and settings.begins_with_rates(sequence, physics.start_frame)
        source = "the file" if given else "keys"
        self.restart_text.setText(f"frame {physics.start_frame}, velocities from {source}")
