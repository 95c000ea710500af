"""Control points under the mouse: they go before the figure, and each moves it in the way its place asks for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt

from app.document.edits.holding import posing_options
from app.scene.chain_choice import chosen_mode
from app.scene.pointing import Pointer, SceneView
from app.tools.base import Array, Hint
from app.tools.drag import Drag, DragTool
from app.words.part_names import part_name, spoken_name
from core.kinematics.picking import Hit
from core.posing.drag_session import DragSession
from core.posing.limb_swing import circle, end_locks, place_on_circle, swing_chain
from core.posing.pose_edit import HeldLocks
from core.skeleton.control_points import BEND, CHEST, END, HEAD_POINT, ROOT, ControlPoint

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene

DOES = {
    ROOT: "drag to move the figure",
    CHEST: "drag to bend the trunk",
    HEAD_POINT: "drag to turn",
    END: "drag to move the limb",
    BEND: "drag to swing; the end of the limb stays",
}
"""What a drag of a point does, by its role."""


class ControlTool(DragTool):
    """Takes the mouse from the active tool where a control point is under it.

    The root moves the figure, the chest bends the trunk, an end moves its limb by inverse kinematics as the Drag tool
    does, and a bend swings round the line from the limb's base to its end, which stays. The head is turned by
    ``TurnPartTool``. A click selects, a double click or L holds the point or lets it go.
    """

    name = "control"
    title = "Control point"
    icon = "target"

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self.point: ControlPoint | None = None
        self._circle: tuple[Array, Array, Array] | None = None
        self._turned = 0.0  # how far round its circle the press was, [rad]

    # -- what is under the pointer -----------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether a control point is under the pointer, as far as was looked last."""
        return self.point is not None

    def find(self, view: SceneView, pointer: Pointer) -> bool:
        """Look which control point is under the pointer; return whether any is."""
        self._light(self.scene.controls.at(view, pointer.x, pointer.y))
        return self.over

    def distance(self, view: SceneView, pointer: Pointer) -> float:
        """Return how far the point that was found is from the pointer, [px]; inf without one."""
        if self.point is None:
            return math.inf
        place = self.scene.world(self.point.joint, self.point.point)
        x, y, _ = view.project(np.asarray(place)[None])[0]
        return math.hypot(float(x) - pointer.x, float(y) - pointer.y)

    def forget(self) -> None:
        """Take note that something else is meant, or nothing."""
        self._light(None)

    def _light(self, point: ControlPoint | None) -> None:
        self.point = point
        name = None if point is None else point.name
        if self.document.session.view.hovered_control != name:
            self.document.session.view.hovered_control = name

    def pick(self, view: SceneView, pointer: Pointer) -> Hit | None:
        """Return the part of the point under the pointer."""
        if self.point is None:
            return super().pick(view, pointer)
        return Hit(self.point.joint, self.scene.world(self.point.joint, self.point.point), 0.0)

    def takes(self, view: SceneView, pointer: Pointer) -> bool:
        """Whether a point is under the pointer."""
        return self.find(view, pointer)

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        """Light the part of the point, too: it is what a click selects."""
        self._set_hover(None if self.point is None else self.point.joint)

    def leave(self) -> None:
        """Take note that the pointer left the views."""
        if self._drag is None:
            self.forget()
        super().leave()

    # -- what the editor asks ----------------------------------------------------------------------------------------

    def hints(self) -> list[Hint]:
        """Return what the keys do now."""
        if self._drag is not None or self.point is None:
            return super().hints()
        hold = "let go" if self._held(self.point) else "hold"
        does = DOES[self.point.role].removeprefix("drag to ").partition(";")[0]
        return [("Drag", does), ("Shift Drag", "move the figure"),
                ("L", hold), ("Click", "select"), ("Right-click", "look at and more")]  # fmt: skip

    def status(self) -> str:
        """Return what the point under the pointer is, whether it is held, and what a drag does."""
        point = self.point
        if self._drag is not None or point is None:
            return super().status()
        state = ", held" if self._held(point) else ""
        return f"{part_name(point.name)}{state}: {DOES[point.role]}"

    # -- gestures ----------------------------------------------------------------------------------------------------

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Take hold of the point; the pose stays as it is."""
        point, skeleton = self.point, self.scene.skeleton
        if point is None or skeleton is None:
            return
        if not (pointer.shift or pointer.ctrl):
            self.select(self.pick(view, pointer), pointer)
        ray = view.ray(pointer.x, pointer.y)
        self._circle = circle(skeleton, self.document.pose, point) if point.role == BEND and not pointer.shift else None
        self._turned = 0.0 if self._circle is None else self._angle(ray)
        self.take(view, pointer, point.joint)

    def double_click(self, view: SceneView, pointer: Pointer) -> None:
        """Hold the point under the pointer, or let it go."""
        if self.point is not None:
            self.toggle(self.point)

    def claims(self, key: int) -> bool:
        """Whether L is the point's now."""
        return key == Qt.Key.Key_L and self._drag is None and self.point is not None

    def key(self, key: int) -> bool:
        """L holds the point under the pointer or lets it go."""
        if self.claims(key) and self.point is not None:
            self.toggle(self.point)
            return True
        return super().key(key)

    def toggle(self, point: ControlPoint) -> bool:
        """Hold a point where it is, a bend in place alone, or let it go."""
        return self.document.locks.toggle_hold(
            point.joint, point.point, "position" if point.role == BEND else "pose", spoken_name(point.name)
        )

    def _held(self, point: ControlPoint) -> bool:
        return point.joint in self.scene.controls.held_joints()

    def _session(self, joint: int, **how: Any) -> DragSession:
        """Return a drag of the point."""
        skeleton, document, point = self.scene.skeleton, self.document, self.point
        assert skeleton is not None and point is not None
        options = posing_options(document.model, document.session, document.pose)
        if self._circle is None:
            mode = chosen_mode(document.session, skeleton, joint)
            return DragSession(skeleton, document.pose, joint, point.point, mode, **options, **how)
        holding = HeldLocks.of(options.pop("locks"), skeleton, document.pose) or HeldLocks()
        locks = end_locks(skeleton, point, options["mirror"])
        kept = HeldLocks(
            [*(lock for lock in holding.locks if not _same_place(lock, locks, skeleton)), *locks], holding.figures,
            holding.method, holding.comfort, holding.iterations, holding.firm,
        )  # fmt: skip
        return DragSession(
            skeleton, document.pose, joint, point.point, locks=kept, chain=swing_chain(skeleton, point),
            **options, **how,
        )  # fmt: skip

    def _ask(self, drag: Drag, travel: float) -> None:
        """Ask the session for the pose: a bend goes round its circle, the rest follows the pointer's ray."""
        if self._circle is None or drag.session.moves_root:
            super()._ask(drag, travel)
            return
        middle, axis, away = self._circle
        turn = self._angle(drag.view.ray(*drag.cursor)) - self._turned
        drag.session.move_to(middle + math.cos(turn) * away + math.sin(turn) * np.cross(axis, away), travel)

    def _angle(self, ray: tuple[Array, Array]) -> float:
        """Return how far round its circle from the bend a ray is, [rad]."""
        assert self._circle is not None
        middle, axis, away = self._circle
        way = place_on_circle(middle, axis, away, *ray) - middle
        return math.atan2(float(way @ np.cross(axis, away)), float(way @ away))


def _same_place(lock: Any, others: list[Any], skeleton: Any) -> bool:
    """Whether a lock holds the place of a part that one of others holds as well."""
    if lock.kind not in ("position", "pose"):
        return False
    joints = {skeleton.joint_index(other.joint) for other in others}
    return skeleton.joint_index(lock.joint) in joints
