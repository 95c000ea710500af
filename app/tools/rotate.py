"""Turn one degree of freedom at a time by the rings around the selected joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from app.marks import cone_marks, manipulators, paint
from app.scene.pointing import Pointer, SceneView
from app.tools.base import FINE, Hint, Tool
from app.words.hindrance import value_text
from app.words.part_names import spoken_name
from core.skeleton.clamp import clamp_joint
from core.skeleton.dof import ANGLE, HINGE, LENGTH, NUMBER

if TYPE_CHECKING:
    from app.document.document import Document
    from app.document.gestures.pose_gesture import Gesture
    from app.scene.scene import Scene


SNAPS = {ANGLE: np.radians(15.0), LENGTH: 0.01, NUMBER: 0.25}
"""Steps of a value while Shift is held, [rad], [m] and plain numbers."""
_STEPS = {ANGLE: "steps of 15°", LENGTH: "steps of 1 cm", NUMBER: "steps of ¼"}


@dataclass
class _Turn:
    """One turn, from press to release. ``wanted`` is the value before Shift and the limits."""

    index: int
    dof: int
    wanted: float
    last: tuple[float, float]
    angle: float | None
    gesture: Gesture | None = None


class RotateTool(Tool):
    """Click a part, then drag a ring (or the arrow of a slide): that one degree of freedom changes."""

    name = "rotate"
    title = "Rotate"
    icon = "rotate"

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self._turn: _Turn | None = None
        self._stepped: tuple[int, int, int] | None = None
        self._step_id = 0
        self._hovered: int | None = None

    @property
    def active(self) -> bool:
        """Whether a ring is held."""
        return self._turn is not None

    @property
    def handles(self) -> tuple[manipulators.Handle, ...]:
        """The rings and arrows of the part selected last."""
        skeleton, selection = self.scene.skeleton, self.document.selection.joints
        if skeleton is None or not selection:
            return ()
        return manipulators.handles(skeleton, np.asarray(self.document.pose), self.scene.poses, selection[-1])

    def hints(self) -> list[Hint]:
        """Return what the keys do now."""
        if self._turn is not None:
            return [("Ctrl", "fine"), ("Shift", self._snap()), ("Esc", "cancel")]
        if not self.handles:
            return [("Click", "select a part"), *super().hints()[1:]]
        return [
            ("Drag", "turn a ring"),
            ("Ctrl", "fine"),
            ("Shift", "steps of 15°"),
            ("Click", "select"),
            ("Shift+E", "turn it in place"),
        ]

    def _snap(self) -> str:
        turn, shown = self._turn, self.handles
        return _STEPS[shown[turn.index].unit if turn is not None and turn.index < len(shown) else ANGLE]

    def status(self) -> str:
        """Return the value that is being turned."""
        shown, index = self.handles, self._turn.index if self._turn is not None else self._hovered
        if index is None or index >= len(shown):
            return super().status()
        return f"{shown[index].label} {value_text(shown[index].unit, shown[index].value)}"

    # -- gestures ------------------------------------------------------------------------------------------------

    def takes(self, view: SceneView, pointer: Pointer) -> bool:
        """Whether a ring is under the pointer."""
        return manipulators.hit(view, self.handles, pointer.x, pointer.y) is not None

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        """Light the ring under the pointer, else the part a click would select."""
        found = manipulators.hit(view, self.handles, pointer.x, pointer.y)
        changed, self._hovered = found != self._hovered, found
        if found is None:
            super().hover(view, pointer)
        else:
            self._set_hover(None)
        if changed:
            view.update()

    def leave(self) -> None:
        """Take note that the pointer left the views."""
        self._hovered = None
        super().leave()

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Take hold of a ring, else select."""
        shown = self.handles
        index = manipulators.hit(view, shown, pointer.x, pointer.y)
        if index is None:
            super().press(view, pointer)
            self._hovered = None
            return
        at = (pointer.x, pointer.y)
        angle = manipulators.angle_at(view, shown[index], *at) if shown[index].kind == HINGE else None
        self._turn = _Turn(index, shown[index].dof, shown[index].value, at, angle)

    def move(self, view: SceneView, pointer: Pointer) -> None:
        """Turn the held degree of freedom, no further than its limits."""
        turn = self._turn
        skeleton = self.scene.skeleton
        if turn is None or skeleton is None or self._is_over(turn.gesture):
            return
        handle = self.handles[turn.index]
        step = self._step(view, handle, turn, pointer) * (FINE if pointer.ctrl else 1.0)
        turn.last = (pointer.x, pointer.y)
        if step == 0.0:
            return
        turn.wanted += step
        snap = SNAPS[handle.unit]
        value = snap * round(turn.wanted / snap) if pointer.shift else turn.wanted
        if turn.gesture is None:
            turn.gesture = self.document.posing.begin_gesture(f"Turn {spoken_name(handle.label)}")
        # From the pose at press: what locks moved along with the value comes back with it.
        q = np.array(turn.gesture.start, dtype=np.float64)
        q[3 + turn.dof] = min(max(value, handle.lo), handle.hi)
        joint = skeleton.dof_joints[turn.dof]
        turn.gesture.set_pose(q if skeleton.joints[joint].cone is None else clamp_joint(skeleton, q, joint))

    def step(self, number: int, direction: int, fine: bool) -> str:
        """Turn one degree of freedom of the part selected last without a mouse; turns in a row are one undo step.

        Args:
            number: Which of its degrees of freedom, from 0.
            direction: 1 or -1.
            fine: Whether a tenth of a step.

        Returns:
            What to say: the value that it has now, or why nothing turned.
        """
        shown = [handle for handle in self.handles if handle.dof >= 0]
        skeleton, document = self.scene.skeleton, self.document
        if not shown or skeleton is None:
            return "Select a part that turns first"
        if number >= len(shown):
            label = spoken_name(skeleton.joints[skeleton.dof_joints[shown[0].dof]].name)
            return f"{label[:1].upper()}{label[1:]} has {len(shown)} angle{'s' * (len(shown) != 1)} only"
        handle = shown[number]
        value = handle.value + direction * SNAPS[handle.unit] * (FINE if fine else 1.0)
        q = np.array(document.pose, dtype=np.float64)
        q[3 + handle.dof] = min(max(value, handle.lo), handle.hi)
        joint = skeleton.dof_joints[handle.dof]
        q = q if skeleton.joints[joint].cone is None else clamp_joint(skeleton, q, joint)
        if self._stepped != (handle.dof, document.stack.index(), document.frame):
            self._step_id = document.gesture_id()
        document.posing.set(q, f"Turn {spoken_name(handle.label)}", gesture=self._step_id)
        self._stepped = (handle.dof, document.stack.index(), document.frame)
        now = next((each.value for each in self.handles if each.dof == handle.dof), handle.value)
        stops = " (its limit)" if now <= handle.lo + 1e-9 or now >= handle.hi - 1e-9 else ""
        return f"{handle.label} {value_text(handle.unit, now)}{stops}"

    def _step(self, view: SceneView, handle: manipulators.Handle, turn: _Turn, pointer: Pointer) -> float:
        """Return by how much the value should change since the last move, [rad] or [m]."""
        moved = np.array([pointer.x - turn.last[0], pointer.y - turn.last[1]])
        if handle.kind != HINGE:
            return float(manipulators.slide_rate(view, handle) @ moved)
        if turn.angle is None:
            return float(manipulators.tangent_rate(view, handle, *turn.last) @ moved)
        angle = manipulators.angle_at(view, handle, pointer.x, pointer.y)
        if angle is None:
            return 0.0
        step = float(np.remainder(angle - turn.angle + np.pi, 2.0 * np.pi) - np.pi)
        turn.angle = angle
        return step

    def release(self, view: SceneView, pointer: Pointer) -> None:
        """Let go: one undo step if anything turned."""
        turn, self._turn = self._turn, None
        if turn is not None and turn.gesture is not None:
            turn.gesture.commit()

    def cancel(self) -> None:
        """Put the value back as it was at press."""
        turn, self._turn = self._turn, None
        if turn is not None and turn.gesture is not None:
            turn.gesture.cancel()

    # -- painting ------------------------------------------------------------------------------------------------

    def paint(self, view: SceneView, painter: QPainter) -> None:
        """Draw the rings, and beside the one in use its name and value."""
        shown = self.handles
        if not shown:
            return
        held = self._turn.index if self._turn is not None else None
        lit = held if held is not None else self._hovered
        if lit is not None and lit >= len(shown):
            lit = None
        if lit is not None and shown[lit].dof >= 0 and (skeleton := self.scene.skeleton) is not None:
            swinging = [skeleton.dof_joints[shown[lit].dof]]
            pose = np.asarray(self.document.pose)
            cone_marks.draw(painter, view, cone_marks.cone_marks(skeleton, pose, self.scene.poses, swinging))
        manipulators.draw(painter, view, view.theme, shown, lit, held)
        if lit is None:
            return
        handle = shown[lit]
        text = f"{handle.label} {value_text(handle.unit, handle.value)}"
        at_limit = handle.value <= handle.lo + 1e-9 or handle.value >= handle.hi - 1e-9
        center = QPointF(*view.project(handle.center[None])[0, :2])
        width, height = paint.chip_size(text)
        rect = QRectF(center.x() - 0.5 * width, center.y() - manipulators.RADIUS - 16.0 - height, width, height)
        rect = paint.keep_inside(rect, QRectF(painter.viewport()))
        paint.draw_chip(
            painter, view.theme, rect, text, "warn" if at_limit else "accent", "warn" if at_limit else "acc_line"
        )
