"""What stands in the world of a simulation: a line for each obstacle, which opens to the numbers it has."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.document.changes import Change, FileChanged, PhysicsChanged
from app.panels.physics.settings import SurfaceForm
from app.physics import obstacle_edits
from app.process.handler_guard import guarded
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.physics_quantities import FRICTION
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.vector_field import VectorField
from app.widgets.frames.menu import make_menu, pop_up
from app.widgets.frames.tool_button import ToolButton
from app.widgets.layouts import column_layout, row_layout
from app.widgets.rows.form_row import FormRow
from app.widgets.rows.group_header import GroupHeader
from app.words.lengths import size_text
from app.words.quantity import DEGREES, METRES, WHOLE, Quantity
from core.errors import CoreError

if TYPE_CHECKING:
    from app.document.document import Document
    from core.dynamics.contact.obstacles import Obstacle

LENGTH = Quantity("", 2, 0.01, "metres", METRES.units)
SIZES: dict[str, tuple[tuple[str, str, Quantity, float, float], ...]] = {
    "ball": (("radius", "Radius", METRES, 1e-3, 1e3),),
    "ramp": (
        ("length", "Length", METRES, 1e-2, 1e3), ("height", "Height", METRES, 1e-3, 1e3),
        ("width", "Width", METRES, 1e-2, 1e3),
    ),
    "stairs": (
        ("steps", "Steps", WHOLE, 1, 200), ("rise", "Rise", METRES, 1e-3, 1e2), ("tread", "Tread", METRES, 1e-3, 1e2),
        ("width", "Width", METRES, 1e-2, 1e3),
    ),
}  # fmt: skip
"""Of each kind the numbers that say how large it is: name, label, unit, least and most. A box has three edges."""
ICONS = {"box": "cube", "ball": "ball-shape", "ramp": "ramp", "stairs": "stairs"}


class WorldObstacles(QWidget):
    """Everything that stands still in the world."""

    def __init__(self, document: Document):
        super().__init__()
        self.document = document
        self.rows: list[ObstacleRow] = []
        self.header = GroupHeader("World", "", self)
        self.add_button = ToolButton("plus", "", "Add to the world", size=(26, 22), parent=self)
        self.add_button.clicked.connect(self._offer)
        head = row_layout(margins=(0, 0, 7, 0))
        head.addWidget(self.header, 1)
        head.addWidget(self.add_button)
        self._list = QWidget(self)
        self._column = column_layout(self._list, (0, 2, 0, 0))
        self.surfaces = SurfaceForm(document)
        self._column.addWidget(self.surfaces)
        self._column.addSpacing(4)
        column = column_layout(self)
        column.addLayout(head)
        column.addWidget(self._list)
        self.header.setChecked(False)
        self.header.set_body(self._list)
        document.changed.connect(self._take)
        self._shown: object = None

    def _offer(self) -> None:
        items = [
            (kind.capitalize(), lambda kind=kind: self.add(kind), ICONS[kind])
            for kind in obstacle_edits.KINDS
        ]  # fmt: skip
        pop_up(make_menu(self, items), self.add_button.mapToGlobal(QPoint(0, self.add_button.height())))

    def add(self, kind: str) -> None:
        """Add something in front of the figure, and open its numbers."""
        if obstacle_edits.add(self.document, kind) and self.rows:
            self.header.setChecked(True)
            self.rows[-1].header.setChecked(True)
            self.rows[-1].header.show_body()

    def _take(self, change: Change) -> None:
        settings = isinstance(change, PhysicsChanged) and change.name == "settings"
        if self.isVisible() and (isinstance(change, FileChanged) or settings):
            self.show_document()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_document()

    def show_document(self) -> None:
        """Show what there is; rows are kept, so that the keyboard stays where it is."""
        obstacles = self.document.physics.settings.now.obstacles
        if obstacles is self._shown:
            return
        self._shown = obstacles
        kept = [row for row, obstacle in zip(self.rows, obstacles, strict=False) if row.kind == obstacle.kind]
        for row in self.rows[len(kept) :] if len(kept) == len(self.rows) else self.rows:
            if len(kept) < len(self.rows):
                self._column.removeWidget(row)
                row.hide()
                row.deleteLater()
        if len(kept) < len(self.rows):
            self.rows = []
        for obstacle in obstacles[len(self.rows) :]:
            row = ObstacleRow(self.document, len(self.rows), obstacle.kind, self._list)
            self.rows.append(row)
            self._column.addWidget(row)
            row.show()
        for row, obstacle in zip(self.rows, obstacles, strict=True):
            row.show_obstacle(obstacle)
        count = len(obstacles)
        self.header.set_summary("floor and friction" if not count else f"{count} object{'s' * (count != 1)}")


class ObstacleRow(QWidget):
    """One obstacle.

    Args:
        document: The open document.
        number: Its place among the obstacles.
        kind: What it is.
        parent: Parent widget.
    """

    def __init__(self, document: Document, number: int, kind: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.document, self.number, self.kind = document, number, kind
        self._obstacle: Obstacle | None = None
        self.header = GroupHeader("", "", self)
        self.header.setChecked(False)
        self.remove_button = ToolButton("close", "", "Remove", size=(22, 22), parent=self)
        self.remove_button.clicked.connect(self._remove)
        head = row_layout(margins=(10, 0, 7, 0))
        head.addWidget(self.header, 1)
        head.addWidget(self.remove_button)
        self.body = QWidget(self)
        self._form = column_layout(self.body, (10, 0, 0, 4), 1)
        self.place = self._vector("Place", "position")
        self.size_field = self._vector("Size", "size") if kind == "box" else None
        self.numbers = {
            name: self._number(label, name, quantity, least, most)
            for name, label, quantity, least, most in SIZES.get(kind, ())
        }
        self.turn = self._number("Turn", "turn", DEGREES, -360.0, 360.0)
        self.friction = self._number("Friction", "friction", FRICTION, 0.0, 10.0)
        column = column_layout(self)
        column.addLayout(head)
        column.addWidget(self.body)
        self.header.set_body(self.body)

    def _vector(self, label: str, name: str) -> VectorField:
        field = VectorField(label, LENGTH)
        if name == "size":
            field.set_limits(1e-3, 1e3)
        field.committed.connect(lambda: self._set(name, np.array(field.value)))
        field.refused.connect(lambda why: self.document.say("info", why))
        self._form.addWidget(FormRow(label, [field], "m"))
        return field

    def _number(self, label: str, name: str, quantity: Quantity, least: float, most: float) -> NumberField:
        field = NumberField(quantity)
        field.setAccessibleName(label)
        field.set_limits(least, most)
        field.committed.connect(lambda value: self._set(name, value))
        report_refusals(field, self.document.say)
        self._form.addWidget(FormRow(label, [field]))
        return field

    def _set(self, name: str, value: Any) -> None:
        if name == "turn":
            name, value = "rotation", np.array([0.0, math.radians(value), 0.0])
        elif name == "steps":
            value = int(value)
        obstacles = self.document.physics.settings.now.obstacles
        try:
            changed = obstacle_edits.exchanged(obstacles, self.number, **{name: value})
        except CoreError as error:
            self.document.say("warning", str(error))
        else:
            self.document.physics.settings.edit(f"Change {obstacles[self.number].name or self.kind}", obstacles=changed)
        if self._obstacle is not None:
            self.show_obstacle(self._obstacle)

    def _remove(self) -> None:
        obstacles = self.document.physics.settings.now.obstacles
        rest = (*obstacles[: self.number], *obstacles[self.number + 1 :])
        self.document.physics.settings.edit(f"Remove {obstacles[self.number].name or self.kind}", obstacles=rest)

    def show_obstacle(self, obstacle: Obstacle) -> None:
        """Show the obstacle's numbers."""
        from core.dynamics.contact.obstacles import BoxObstacle  # whoever has an obstacle has loaded it

        self._obstacle = obstacle
        name = obstacle.name or obstacle.kind
        self.header.setText(name[:1].upper() + name[1:])
        self.header.setAccessibleName(self.header.text())
        self.header.set_summary(extent_text(obstacle))
        self.remove_button.setToolTip(f"Remove {name}")
        self.remove_button.setAccessibleName(f"Remove {name}")
        self.place.show_value(obstacle.position)
        if self.size_field is not None:
            assert isinstance(obstacle, BoxObstacle)
            self.size_field.show_value(obstacle.size)
        for what, field in self.numbers.items():
            field.set_value(float(getattr(obstacle, what)))
        self.turn.set_value(math.degrees(float(obstacle.rotation[1])))
        self.friction.set_value(obstacle.friction)


def extent_text(obstacle: Obstacle) -> str:
    """Return how large an obstacle is, in few words."""
    from core.dynamics.contact.obstacles import BallObstacle, BoxObstacle, Ramp, Stairs

    if isinstance(obstacle, BoxObstacle):
        return " × ".join(size_text(float(edge)) for edge in obstacle.size)
    if isinstance(obstacle, Stairs):
        return f"{obstacle.steps} steps"
    if isinstance(obstacle, Ramp):
        angle = math.degrees(math.atan2(obstacle.height, obstacle.length))
        return f"{angle:.0f}°"
    assert isinstance(obstacle, BallObstacle)
    return size_text(2.0 * obstacle.radius)
