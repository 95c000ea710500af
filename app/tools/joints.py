"""Edit the skeleton in a view: select joints and move them, and the control frames of splines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter

from app.document.edits import joint_edits, spline_edits
from app.document.gestures.live_gesture import FigureGesture
from app.marks import control_frame_marks, paint
from app.marks.control_frame_marks import control_frames, hit
from app.scene.pointing import Pointer, SceneView, view_point
from app.tools.base import Array, Hint, Tool
from app.tools.joint_picking import balls_near, grid_step, joint_at, snapped, step_text
from app.tools.pointer_hold import PointerHold
from app.words.keys_now import cap_of
from app.words.part_names import spoken_name

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene

DEAD_ZONE = 3.0
"""A joint stays where it is until the pointer has moved this far: clicks only select, [px]."""
_AXES = {Qt.Key.Key_X: 0, Qt.Key.Key_Y: 1, Qt.Key.Key_Z: 2}
_TOKENS = ("axis_x", "axis_y", "axis_z")
_DIGITS = 6  # of the places of control frames, [m]: a micrometre, as files of the library have
_FAR = 100.0  # half of the length of the line that an axis is shown as, [m]


@dataclass
class Hold(PointerHold):
    """What the pressed mouse holds; places in the world, [m], pixels logical.

    Attributes:
        joint: The joint that is moved, or the parent of the one that is added.
        place: Where what is moved is now, shape (3,).
        again: Whether the joint was selected before the press: a mere click then goes to the next in its place.
        frame: The control frame that is moved instead of the joint; None if it is the joint.
    """

    joint: int
    place: Array
    again: bool = False
    frame: int | None = None
    moving: bool = False
    axis: int | None = None
    gesture: FigureGesture | None = None


def place_text(place: Array) -> str:
    """Return a place in the world as the status line says it."""
    x, y, z = (f"{value + 0.0:.3f}".replace("-", "−") for value in np.round(place, 4))
    return f"x {x}  y {y}  z {z} m"


class JointTool(Tool):
    """Click a joint to select it, drag it to move it in the plane of the view."""

    name = "joint_move"
    title = "Move joints"
    icon = "move"

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self._hold: Hold | None = None
        self._frame_over: int | None = None
        self._nudged: tuple[int, int | None, int] | None = None
        self._nudge_id = 0

    # -- what the editor asks ------------------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        """Whether a joint is held."""
        return self._hold is not None

    @property
    def _carries(self) -> bool:
        """Whether children come along now: Shift turns the switch round."""
        hold = self._hold
        return self.document.session.tools.carry_children != (hold is not None and hold.pointer.shift)

    def hints(self) -> list[Hint]:
        """Return what the keys do now."""
        if self._hold is not None:
            shift = "leave children" if self.document.session.tools.carry_children else "carry children"
            shifts = [("Shift", shift)] if self._hold.frame is None else []
            return [("Ctrl", "fine"), ("X Y Z", "along an axis"), *shifts, ("Esc", "cancel")]
        if not self.document.selection.joints:
            return [
                ("Click", "select a joint"),
                ("Drag", "move it"),
                (cap_of("add_joints"), "add joints"),
                (cap_of("next_mode"), "back to posing"),
            ]
        splines = control_frames(self.scene) is not None
        return [
            ("Drag", "move a joint or a control frame" if splines else "move a joint"),
            (cap_of("add_joints"), "add joints"),
            (cap_of("add_child"), "child"),
            (cap_of("remove_branch"), "remove"),
            (cap_of("mirror_side"), "mirror side"),
            (cap_of("next_mode"), "back to posing"),
        ]

    def status(self) -> str:
        """Return the drag in one line."""
        hold, skeleton = self._hold, self.scene.skeleton
        if hold is None or not hold.moving or skeleton is None:
            over, found = self._frame_over, control_frames(self.scene)
            if over is None or found is None or skeleton is None:
                return super().status()
            return f"Control frame {over + 1} of {skeleton.joints[found.joint].name.replace('_', ' ')}"
        if hold.gesture is not None and hold.gesture.problem:
            return hold.gesture.problem
        name = spoken_name(skeleton.joints[hold.joint].name)
        if hold.frame is not None:
            name = f"control frame {hold.frame + 1} of {name}"
        if hold.axis is not None:
            name += f" along {'XYZ'[hold.axis]}"
        stays = hold.frame is None and not self._carries and bool(skeleton.children[hold.joint])
        kept = ", children stay" if stays else ""
        return f"Moving {name}{kept}, {place_text(hold.place)}"

    def chip(self) -> str:
        """Return which joint is edited, and how it moves."""
        skeleton, chosen = self.scene.edited, self.document.selection.joints
        if skeleton is None:
            return ""
        if not chosen:
            count = len(skeleton.joints)
            return f"Skeleton · {count} joint{'' if count == 1 else 's'}"
        joint = skeleton.joints[chosen[-1]]
        text = f"Skeleton · {joint.name.replace('_', ' ')} · {len(joint.dofs)} DOF"
        if self.document.session.tools.snap and self._hold is not None and self._hold.moving:
            text += f" · snap {step_text(grid_step(self._hold.view, self._hold.place))}"
        return text

    # -- gestures ------------------------------------------------------------------------------------------------

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        """Show which joint or control frame a click would take."""
        over = self._frame_at(view, pointer)
        if over != self._frame_over:
            self._frame_over = over
            view.update()
        self._set_hover(joint_at(self.scene, view, pointer.x, pointer.y) if over is None else None)

    def leave(self) -> None:
        """Take note that the pointer left the views."""
        self._frame_over = None
        super().leave()

    def _frame_at(self, view: SceneView, pointer: Pointer) -> int | None:
        """Return the control frame under the pointer, of the joint selected last."""
        found = control_frames(self.scene)
        return None if found is None else hit(view, found, pointer.x, pointer.y)

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Take hold of a joint or of a control frame; it does not move yet."""
        frame, found = self._frame_at(view, pointer), control_frames(self.scene)
        if frame is not None and found is not None and not (pointer.shift or pointer.ctrl):
            self.document.session.tools.control_frame = frame
            start = found.places[frame]
            self._hold = Hold(view, pointer, start, found.joint, np.array(start), frame=frame)
            return
        joint = joint_at(self.scene, view, pointer.x, pointer.y)
        again = joint is not None and self.document.selection.joints == (joint,)
        if not (pointer.shift or pointer.ctrl):
            self._choose(joint, pointer)
        if joint is not None:
            self._hold = self._held(view, pointer, joint, again)

    def _held(self, view: SceneView, pointer: Pointer, joint: int, again: bool = False) -> Hold:
        start = np.array(self.scene.poses[joint, :3, 3])
        return Hold(view, pointer, start, joint, start, again)

    def _choose(self, joint: int | None, pointer: Pointer) -> None:
        """Select by a click: plain replaces or clears, Shift adds, Ctrl removes."""
        if joint is not None:
            mode = "remove" if pointer.ctrl else "add" if pointer.shift else "replace"
            self.document.selection.set((joint,), mode)
        elif not (pointer.shift or pointer.ctrl):
            self.document.selection.set(())

    def move(self, view: SceneView, pointer: Pointer) -> None:
        """Let the joint follow the pointer."""
        hold = self._hold
        if hold is None or self._is_over(hold.gesture):
            return
        hold.follow(pointer)
        if not hold.moving and np.hypot(hold.last[0] - hold.at[0], hold.last[1] - hold.at[1]) < DEAD_ZONE:
            return
        if not hold.moving and hold.joint not in self.document.selection.joints:  # pressed with Shift or Ctrl held
            self.document.selection.set((hold.joint,))
        hold.moving = True
        self._follow(hold)

    def _place(self, hold: Hold) -> Array:
        """Return where the cursor's motion since the press takes the start, shape (3,), [m]."""
        view, axis = hold.view, hold.axis
        place = hold.start + hold.travel(None if axis is None else np.eye(3)[axis])
        if self.document.session.tools.snap:
            goal = snapped(view, place, grid_step(view, place))
            if axis is not None:
                goal = np.where(np.arange(3) == axis, goal, hold.start)
            place = goal
        return place

    def _follow(self, hold: Hold) -> None:
        skeleton = self.scene.skeleton
        if skeleton is None:
            return
        name = skeleton.joints[hold.joint].name
        if hold.gesture is None:
            what = name if hold.frame is None else f"control frame {hold.frame + 1} of {name}"
            hold.gesture = FigureGesture(self.document, f"Move {what}")
        hold.place = self._place(hold)
        if hold.frame is None:
            hold.gesture.show(joint_edits.moved(name, hold.place, self._carries))
        elif (found := control_frames(self.scene)) is not None:
            place = np.round(found.given(hold.frame, hold.place), _DIGITS) + 0.0
            hold.gesture.show(spline_edits.with_control_frame(name, hold.frame, place))

    def release(self, view: SceneView, pointer: Pointer) -> None:
        """Put the joint down: one undo step if it moved, else a click that selects."""
        hold, self._hold = self._hold, None
        if hold is None:
            return
        if hold.gesture is not None:
            hold.gesture.commit()
        elif pointer.shift or pointer.ctrl:
            self._choose(hold.joint, pointer)
        elif hold.again:
            self._go_deeper(view, pointer, hold.joint)

    def _go_deeper(self, view: SceneView, pointer: Pointer, joint: int) -> None:
        """Select the next of the joints that lie in one place."""
        balls = balls_near(self.scene, view, pointer.x, pointer.y)
        if joint in balls and len(balls) > 1:
            self.document.selection.set((balls[(balls.index(joint) + 1) % len(balls)],))

    def cancel(self) -> None:
        """Put everything back as it was at the press."""
        hold, self._hold = self._hold, None
        if hold is not None and hold.gesture is not None:
            hold.gesture.cancel()

    def key(self, key: int) -> bool:
        """X, Y and Z hold the joint to a world axis through where it was; again lets it go."""
        hold = self._hold
        axis = _AXES.get(Qt.Key(key)) if key in list(_AXES) else None
        if hold is None or axis is None:
            return False
        hold.axis = None if hold.axis == axis else axis
        if hold.moving:
            self._follow(hold)
        return True

    def double_click(self, view: SceneView, pointer: Pointer) -> None:
        """Select a joint and everything below it."""
        skeleton, joint = self.scene.skeleton, joint_at(self.scene, view, pointer.x, pointer.y)
        if skeleton is None or joint is None:
            return
        branch = [joint]
        for i in range(joint + 1, len(skeleton.joints)):
            if skeleton.joints[i].parent in branch:
                branch.append(i)
        self.document.selection.set([*branch[1:], joint])  # the one that was clicked is the one that is edited

    def nudge(self, view: SceneView, right: int, up: int, fine: bool) -> None:
        """Move the joint selected last by 1 cm (``fine``: 1 mm) in the view plane; in a row they are one undo step.

        A control frame that the pointer is over is moved instead.
        """
        skeleton, selection = self.scene.skeleton, self.document.selection.joints
        if skeleton is None or not selection or self._hold is not None:
            return
        joint = selection[-1]
        name = skeleton.joints[joint].name
        step = (0.001 if fine else 0.01) * (right * view.camera.basis[0] + up * view.camera.basis[1])
        frame, found = self._frame_over, control_frames(self.scene)
        if self._nudged != (joint, frame, self.document.stack.index()):
            self._nudge_id += 1
        if frame is None or found is None:
            what, edit = name, joint_edits.moved(name, self.scene.poses[joint, :3, 3] + step, self._carries)
        else:
            what, place = f"control frame {frame + 1} of {name}", found.given(frame, found.places[frame] + step)
            edit = spline_edits.with_control_frame(name, frame, np.round(place, _DIGITS) + 0.0)
        self.document.figures.edit(edit, f"Nudge {what}", merge=f"nudge {self._nudge_id}")
        self._nudged = (joint, frame, self.document.stack.index())

    # -- painting ------------------------------------------------------------------------------------------------

    def paint(self, view: SceneView, painter: QPainter) -> None:
        """Draw the control frames of the joint, and the axis that what is moved is held to."""
        hold = self._hold
        control_frame_marks.draw(painter, view, self.scene, self._frame_over if hold is None else hold.frame)
        if hold is not None and hold.moving and hold.axis is not None:
            self._paint_axis(view, painter, hold)

    def _paint_axis(self, view: SceneView, painter: QPainter, hold: Hold) -> None:
        assert hold.axis is not None
        along = _FAR * np.eye(3)[hold.axis]
        ends = [hold.start + t * along for t in np.linspace(-1.0, 1.0, 81)]
        seen = [view_point(view, end) for end in ends if view.project(end[None])[0, 2] > 0.0]
        if len(seen) > 1:
            token = _TOKENS[hold.axis]
            paint.stroke_line(painter, view.theme, [seen[0], seen[-1]], token, 1.4, (6.0, 4.0), halo=1.2, alpha=0.9)
