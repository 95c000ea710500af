"""Add joints to the skeleton by clicking where they should be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen

from app.document.edits import joint_edits
from app.marks import paint
from app.scene.pointing import Pointer, SceneView, view_point
from app.tools.base import Hint
from app.tools.joint_picking import balls_near
from app.tools.joints import Hold, JointTool, place_text

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene


class AddJointTool(JointTool):
    """Click where a joint should be: it becomes a child of the selected one, and is selected then."""

    name = "joint_add"
    title = "Add joints"
    icon = "joint-add"

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self._cursor: tuple[SceneView, float, float] | None = None

    def hints(self) -> list[Hint]:
        """Return what the keys do now."""
        if self._hold is not None:
            return [("Ctrl", "fine"), ("X Y Z", "along an axis"), ("Esc", "cancel")]
        return [("Click", "put a joint there, or branch from one"), ("Drag", "place it"), ("Esc", "done")]

    def status(self) -> str:
        """Return whose child comes next, and where it would be."""
        skeleton, parent = self.scene.skeleton, self._parent
        if skeleton is None or parent is None:
            return ""
        text = f"New child of {skeleton.joints[parent].name.replace('_', ' ')}"
        return text if self._hold is None else f"{text}, {place_text(self._hold.place)}"

    @property
    def _parent(self) -> int | None:
        if self.scene.skeleton is None:
            return None
        return self.document.selection.joints[-1] if self.document.selection.joints else 0

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        """Show which joint a click would branch from, else where it would put one."""
        balls = balls_near(self.scene, view, pointer.x, pointer.y)
        self._set_hover(balls[0] if balls else None)
        self._cursor = (view, pointer.x, pointer.y)
        view.update()

    def leave(self) -> None:
        """Take note that the pointer left the views."""
        self._cursor = None
        super().leave()

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Select the joint to branch from, or begin to place one."""
        balls, parent = balls_near(self.scene, view, pointer.x, pointer.y), self._parent
        if balls:
            self.document.selection.set((balls[0],))
        elif parent is not None:
            self._hold = self._held(view, pointer, parent)
            # As if its parent had been pressed and dragged here: it lies in the plane through the parent.
            x, y, _ = view.project(self._hold.start[None])[0]
            self._hold.at = (float(x), float(y))
            self._hold.moving = True
            self._follow(self._hold)

    def _follow(self, hold: Hold) -> None:
        hold.place = self._place(hold)
        hold.view.update()

    def release(self, view: SceneView, pointer: Pointer) -> None:
        """Add the joint."""
        hold, self._hold = self._hold, None
        skeleton = self.scene.skeleton
        if hold is None or skeleton is None:
            return
        parent = skeleton.joints[hold.joint]
        name = joint_edits.free_name(skeleton)
        if self.document.figures.edit(joint_edits.added(parent.name, name, hold.place), f"Add {name}"):
            self.document.selection.set((name,))

    def double_click(self, view: SceneView, pointer: Pointer) -> None:
        """Take the second press like the first."""
        self.press(view, pointer)

    def key(self, key: int) -> bool:
        """X, Y and Z guide; Esc puts the tool away."""
        if self._hold is None and key == Qt.Key.Key_Escape:
            self.document.session.tools.joint_tool = "move"
            return True
        return super().key(key)

    def paint(self, view: SceneView, painter: QPainter) -> None:
        """Draw the bone that a click would make."""
        super().paint(view, painter)
        parent = self._parent
        if parent is None or view.project(self.scene.poses[parent, :3, 3][None])[0, 2] <= 0.0:
            return
        start = view_point(view, self.scene.poses[parent, :3, 3])
        if self._hold is not None:
            end = view_point(view, self._hold.place)
        elif self._cursor is not None and self._cursor[0] is view and self.document.session.view.hover is None:
            end = QPointF(self._cursor[1], self._cursor[2])
        else:
            return
        paint.stroke_line(painter, view.theme, [start, end], "accent", 1.6, (5.0, 4.0), halo=1.6)
        painter.setPen(QPen(paint.color(view.theme, "halo", 0.9), 1.6))
        painter.setBrush(paint.color(view.theme, "accent", 1.0 if self._hold is not None else 0.6))
        painter.drawEllipse(end, 5.0, 5.0)
