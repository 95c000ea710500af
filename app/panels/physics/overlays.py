"""The overlays panel: which marks of physics are drawn over the figure, how large, and how much of it is seen."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from app.document.changes import Change, FigureChanged, FileChanged, PhysicsChanged
from app.document.physics.overlays import AT_FIRST, LEAST_SCALE, MOST_SCALE, OPACITY
from app.look import icons, style
from app.physics.torques import full_torque
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.setting_quantities import PERCENT, Rounded
from app.widgets.fields.setting_slider import Scale, SettingRow
from app.widgets.fields.switch import Switch
from app.widgets.frames.dock import Panel
from app.widgets.frames.menu import make_menu, pop_up
from app.widgets.frames.tool_button import ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import column_layout, row_layout
from app.words.quantity import NUMBER, Quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.document.document import Document

ROW = 26
FIELD_WIDTH = 66
SIZE = Quantity("×", 1, 0.1, "times", MappingProxyType({"x": 1.0, "×": 1.0}))
METRES_A_KILONEWTON = Rounded("m/kN", 2, 0.1, "metres per kilonewton", digits=3)
TORQUE = Rounded("N·m", 2, 5.0, "newton metres", digits=3)
ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("inertia", "inertia", "Inertia ellipsoids", "Uniform ellipsoids with the mass and inertia of each segment"),
    ("hinges", "hinge", "Hinge cylinders", "Along the axes of hinges; rails where joints slide"),
    ("balls", "ball", "Ball spheres", "Where joints turn in every direction"),
    ("contacts", "force", "Contact forces", "The force on each part, as an arrow from where it acts"),
    ("com", "com", "Centre of mass", "With its point on the floor and the polygon it must stay over"),
    ("momentum", "momentum", "Momentum", "Linear as an arrow, angular about the centre of mass as a ring"),
    ("torques", "rotate", "Joint torques", "Segments coloured by the torque in their joint; red at this value"),
    ("cones", "gravity", "Friction cones", "Where a contact force may point before the part slides"),
)
"""Overlay, icon, label and what it shows."""


class OverlayRow(QWidget):
    """Icon, label, size and switch of one kind of mark.

    Args:
        icon: Name of the icon.
        label: What is switched.
        tip: What it shows.
        quantity: How the size is shown; None for a row without.
        parent: Parent widget.

    Signals:
        switched(bool): It was switched by hand.
    """

    switched = Signal(bool)

    def __init__(self, icon: str, label: str, tip: str, quantity: Quantity | None, parent: QWidget):
        super().__init__(parent)
        self.setFixedHeight(ROW)
        self.setToolTip(tip)
        line = row_layout(self, (8, 0, 4, 0), 4)
        line.addWidget(_Icon(icon, self))
        line.addSpacing(4)
        self.label = QLabel(label, self)
        line.addWidget(self.label)
        line.addStretch(1)
        self.field: NumberField | None = None
        if quantity is not None:
            self.field = NumberField(quantity, compact=True, parent=self)
            self.field.setFixedWidth(FIELD_WIDTH)
            self.field.setAccessibleName(f"{label}, size")
            line.addWidget(self.field)
        self.note = quiet_label(parent=self)
        self.note.hide()
        line.addWidget(self.note)
        line.addSpacing(2)
        self.switch = Switch(label, self)
        self.switch.toggled.connect(self._toggled)
        line.addWidget(self.switch)

    def _toggled(self, on: bool) -> None:
        self._dim(on)
        self.switched.emit(on)

    def _dim(self, on: bool) -> None:
        self.label.setProperty("quiet", not on)
        self.label.style().unpolish(self.label)
        self.label.style().polish(self.label)

    def show_state(self, on: bool, value: float | None, note: str = "") -> None:
        """Show whether it is on, its size and what stands in place of a size; nothing is emitted."""
        if self.switch.isChecked() != on:
            self.switch.blockSignals(True)
            self.switch.setChecked(on)
            self.switch.blockSignals(False)
        if self.label.property("quiet") is not (not on):
            self._dim(on)
        if self.field is not None and value is not None and not self.field.editing:
            self.field.set_value(value)
        if self.note.text() != note:
            self.note.setText(note)
            self.note.setVisible(bool(note))


class _Icon(Painted):
    def __init__(self, name: str, parent: QWidget):
        super().__init__(parent)
        self._name = name
        self.setFixedSize(16, 16)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(16, 16)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        icons.paint(painter, self._name, style.color("text2"), QRectF(1.0, 1.0, 14.0, 14.0))
        painter.end()


class OverlaysPanel(Panel):
    """A row for each kind of mark, the figure's opacity, and what the figure weighs."""

    title = "Overlays"
    icon = "inertia"
    area = "left"
    stretch = 0
    modes = ("physics",)

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(parent)
        self.document = document
        self.rows: dict[str, OverlayRow] = {}
        column = column_layout(self, (4, 5, 4, 6), 1)
        for name, icon, label, tip in ROWS:
            row = self.rows[name] = OverlayRow(icon, label, tip, self._quantity(name), self)
            row.switched.connect(lambda on, name=name: document.physics.set_overlay(name, on=on))
            if row.field is not None:
                row.field.set_limits(LEAST_SCALE, MOST_SCALE)
                row.field.changed.connect(lambda value, name=name: self._resize(name, value))
                row.field.cancelled.connect(lambda name=name: self._restore(name))
                row.field.began.connect(lambda name=name: self._keep(name))
                report_refusals(row.field, document.say)
            column.addWidget(row)
        rule = QFrame(self)
        rule.setFrameShape(QFrame.Shape.NoFrame)
        rule.setFixedHeight(7)
        column.addWidget(rule)
        self.opacity = SettingRow("Figure opacity", PERCENT, Scale(0.0, 100.0, 100.0 * OPACITY), None, 92, 58, self)
        self.opacity.set_tip("How much the figure hides what is behind and inside it")
        self.opacity.changed.connect(self._fade)
        self.opacity.began.connect(lambda: setattr(self, "_kept", document.physics.opacity))
        self.opacity.cancelled.connect(lambda: self._fade(100.0 * self._kept))
        report_refusals(self.opacity, document.say)
        column.addWidget(self.opacity)
        line = QHBoxLayout()
        line.setContentsMargins(6, 4, 6, 2)
        name = quiet_label("Ellipsoid mass", self)
        self.mass = QLabel(self)
        line.addWidget(name)
        line.addStretch(1)
        line.addWidget(self.mass)
        column.addLayout(line)
        self._kept = OPACITY
        self._more_button = ToolButton("more", "", "More for overlays", size=(26, 24))
        self._more_button.clicked.connect(self._more)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        document.changed.connect(self._on_change)
        self._show()

    def title_buttons(self) -> Sequence[QWidget]:
        return (self._more_button,)

    def first_focus(self) -> QWidget | None:
        return self.rows["inertia"].switch

    @staticmethod
    def _quantity(name: str) -> Quantity | None:
        if name in ("com", "cones"):
            return None
        return {"contacts": METRES_A_KILONEWTON, "torques": TORQUE}.get(name, SIZE)

    # -- what is set ---------------------------------------------------------------------------------------------

    @property
    def _full(self) -> float:
        """Torque of the strongest colour at its natural size, [N m]."""
        skeleton = self.document.skeleton
        return 1.0 if skeleton is None else full_torque(skeleton)

    def _resize(self, name: str, value: float) -> None:
        scale = self._full / value if name == "torques" else value
        self.document.physics.set_overlay(name, scale=min(max(scale, LEAST_SCALE), MOST_SCALE))

    def _keep(self, name: str) -> None:
        self._kept = self.document.physics.overlays[name].scale

    def _restore(self, name: str) -> None:
        self.document.physics.set_overlay(name, scale=self._kept)

    def _fade(self, percent: float) -> None:
        self.document.physics.opacity = min(max(0.01 * percent, 0.0), 1.0)

    def _more(self) -> None:
        physics = self.document.physics

        def switch_all(on: bool) -> None:
            for name in AT_FIRST:
                physics.set_overlay(name, on=on)

        def reset() -> None:
            for name, overlay in AT_FIRST.items():
                physics.set_overlay(name, overlay.on, overlay.scale)
            physics.opacity = OPACITY

        rows = [
            ("Show all", lambda: switch_all(True), "eye"),
            ("Hide all", lambda: switch_all(False), "eye-off"),
            ("Reset overlays", reset, "rest"),
        ]
        pop_up(make_menu(self, rows), self._more_button.mapToGlobal(self._more_button.rect().bottomLeft()))

    # -- following the document ----------------------------------------------------------------------------------

    def _on_change(self, change: Change) -> None:
        name = change.name
        if isinstance(change, (FigureChanged, FileChanged)) or (
            isinstance(change, PhysicsChanged) and name in ("overlays", "settings", "mode")
        ):
            self._show()

    def _show(self) -> None:
        physics, skeleton = self.document.physics, self.document.skeleton
        for name, row in self.rows.items():
            overlay = physics.overlays[name]
            value, note = overlay.scale, ""
            if name == "torques" and row.field is not None:
                value = self._full / overlay.scale
                row.field.set_limits(self._full / MOST_SCALE, self._full / LEAST_SCALE)
            elif name == "cones" and physics.mode == "physics":  # the settings bring the whole of dynamics along
                note = f"μ {NUMBER.number(self.document.physics.settings.now.friction, 2)}"
            row.show_state(overlay.on, value, note)
        self.opacity.set_value(100.0 * physics.opacity)
        masses = [joint.mass for joint in skeleton.joints if joint.mass] if skeleton is not None else []
        bodies = "1 body" if len(masses) == 1 else f"{len(masses)} bodies"
        self.mass.setText(f"{NUMBER.number(sum(masses), 1)} kg in {bodies}")
