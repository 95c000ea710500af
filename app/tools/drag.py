"""Drag a part: the chain behind it follows by inverse kinematics (Welman 6.2); ``core.posing`` finds the poses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer

from app.document.edits.holding import obstacles_for, posing_options
from app.document.session import DragGoal, DragSolve
from app.scene.chain_choice import chain_title, chosen_chain, chosen_mode
from app.scene.pointing import Pointer, SceneView
from app.tools.base import Array, Hint, Tool
from app.tools.pointer_hold import PointerHold
from app.words.hindrance import UNHINDERED, Explanation, explained
from app.words.keys_now import cap_of
from app.words.lengths import distance_text
from app.words.part_names import spoken_name
from core.posing.drag_session import DragSession, is_whole_figure
from core.posing.pointer_ray import Sight, eased
from core.skeleton.mirroring.pose_mirror import other_columns

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene
    from core.kinematics.chain import Chain
    from core.skeleton import Skeleton

BETWEEN = 16
"""Time from one picture to the next while the mouse rests, [ms]."""
EASE_PIXELS = 40.0
"""Over this much motion the distance between cursor and end-effector at press eases to zero."""
HELD_BACK = 5e-3
"""How far from its goal a figure that is moved as a whole may be that is not held back, [m]."""
_AXES = {Qt.Key.Key_X: 0, Qt.Key.Key_Y: 1, Qt.Key.Key_Z: 2}


class PoseGesture(Protocol):
    """What a drag needs of the gesture that it edits through."""

    active: bool

    @property
    def shown(self) -> Array:
        """The pose that it shows, shape (nq,)."""

    def show(self, q: object) -> None:
        """Show a pose now as it is."""

    def commit(self) -> bool:
        """End as one undo step."""

    def cancel(self) -> None:
        """End without an edit."""


@dataclass
class Drag(PointerHold):
    """One drag, from press to release; pixels logical.

    Attributes:
        session: Finds the poses.
        farthest: How far the cursor has been from the press, [px].
        gesture: What is edited through; None until something moves.
        shown: The pose shown last.
        waits: Whether the figure is about to go on by itself.
        locks: Whether the part is locked where it is let go.
        hindrance: Why the part is not at its goal.
        obstacles: What limbs keep away from, as it stood at the press.
    """

    session: DragSession
    farthest: float = 0.0
    gesture: PoseGesture | None = None
    shown: Array | None = None
    waits: bool = False
    locks: bool = False
    hindrance: Explanation = UNHINDERED
    obstacles: Sequence[Any] = ()


class DragTool(Tool):
    """Press on a part and move: its end-effector, half-way along the segment, follows the cursor's ray.

    Nothing moves at the press. The goal of each move is the point of the cursor's ray closest to the end-effector
    (Welman 6.2, figure 6.3): in an orthographic view the end-effector stays in the plane it was picked up in. What runs
    along a spline alone goes where this is seen under the cursor instead.
    """

    name = "drag"
    title = "Drag"
    icon = "drag"

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self._drag: Drag | None = None
        self._nudged: tuple[int, int, int] | None = None
        self._nudge_id = 0

    # -- what the editor asks ------------------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        """Whether a part is held."""
        return self._drag is not None

    def hints(self) -> list[Hint]:
        """Return what the keys do now."""
        if self._drag is None:
            return [
                ("Drag", "move a part"),
                ("Shift Drag", "move the figure"),
                ("Ctrl", "fine"),
                ("Double-click", "whole group"),
            ]
        return [
            ("Ctrl", "fine"),
            ("X Y Z", "along an axis"),
            ("Shift", "move the whole figure"),
            (cap_of("lock_cycle"), "do not lock" if self._drag.locks else "lock where released"),
            ("Esc", "cancel"),
        ]

    def status(self) -> str:
        """Return the drag in one line."""
        drag, skeleton = self._drag, self.scene.skeleton
        if drag is None or skeleton is None or drag.session.goal is None:
            return super().status()
        session = drag.session
        if session.moves_root:
            far = f"{distance_text(session.distance)} to the goal" if session.distance > HELD_BACK else ""
            note = drag.hindrance.note or far
            return f"Moving the whole figure{', ' if note else ''}{note}"
        name = spoken_name(skeleton.joints[session.part].name)
        if session.axis is not None:
            name += f" along {'XYZ'[session.axis]}"
        if drag.hindrance.reason == "straight":
            return drag.hindrance.note
        return f"Dragging {name}, {drag.hindrance.note or distance_text(session.distance) + ' to the goal'}"

    def chip(self) -> str:
        """Return the chain that moves, or would move: mode, part, degrees of freedom."""
        skeleton = self.scene.skeleton
        if skeleton is None:
            return ""
        drag, hover = self._drag, self.document.session.view.hover
        joint = drag.session.part if drag is not None else hover
        if joint is None:
            return ""
        name = spoken_name(skeleton.joints[joint].name)
        if self._whole_figure(skeleton, joint) or (drag is not None and drag.session.moves_root):
            return f"Whole figure · {name} · 3 DOF"
        chain = drag.session.chain if drag is not None else self._chain(skeleton, joint)
        session = self.document.session
        both = session.tools.mirror_editing and other_columns(skeleton, chain.dofs).size > 0
        title = f"{chain_title(session, skeleton, joint)} · {name} · {len(chain.dofs)} DOF"
        return f"{title} · both sides" if both else title

    # -- gestures ------------------------------------------------------------------------------------------------

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Pick a part up; the pose stays as it is."""
        hit = self.pick(view, pointer)
        if not (pointer.shift or pointer.ctrl):
            self.select(hit, pointer)
        if hit is not None:
            self.take(view, pointer, hit.joint)

    def take(self, view: SceneView, pointer: Pointer, joint: int) -> None:
        """Take hold of a part, wherever the pointer is; the pose stays as it is."""
        session = self._session(joint, ray=view.ray(pointer.x, pointer.y), whole=pointer.shift)
        obstacles = obstacles_for(self.document.model, self.document.session)
        self._drag = Drag(view=view, pointer=pointer, start=session.effector, session=session, obstacles=obstacles)

    def move(self, view: SceneView, pointer: Pointer) -> None:
        """Let the chain follow the pointer."""
        drag = self._drag
        if drag is None or self._is_over(drag.gesture):
            return
        rests = drag.last == (pointer.x, pointer.y) and drag.pointer.shift == pointer.shift
        if drag.session.locked and drag.gesture and rests:
            return  # a mouse that rests adds nothing: the pose has come to rest, or is on its way there
        cursor = np.array(drag.cursor)
        drag.follow(pointer)
        moved = float(np.linalg.norm(np.array(drag.cursor) - cursor))
        places = drag.start, drag.session.effector  # what is nearer to the eye goes less far
        away = float(np.hypot(drag.cursor[0] - drag.at[0], drag.cursor[1] - drag.at[1]))
        drag.farthest = max(drag.farthest, away)
        if drag.farthest > 0.0:
            self._follow(drag, moved * min(view.pixel_size(place) for place in places))

    def release(self, view: SceneView, pointer: Pointer) -> None:
        """Put the part down: one undo step if anything moved, else a click that selects."""
        drag, self._drag = self._drag, None
        if drag is not None and drag.gesture is not None:
            drag.gesture.show(drag.session.settle())
            drag.gesture.commit()
            if drag.locks:
                self.document.locks.lock_where_it_is(drag.session.part)
        elif pointer.shift or pointer.ctrl:
            self.select(self.pick(view, pointer), pointer)
        self._clear_session()

    def cancel(self) -> None:
        """Put everything back as it was at press."""
        drag, self._drag = self._drag, None
        if drag is not None and drag.gesture is not None:
            drag.gesture.cancel()
        self._clear_session()

    def key(self, key: int) -> bool:
        """X, Y and Z hold the drag to a world axis, L locks the part where it is let go; again takes it back."""
        drag = self._drag
        if drag is not None and key == Qt.Key.Key_L:
            drag.locks = not drag.locks
            return True
        axis = _AXES.get(Qt.Key(key)) if key in list(_AXES) else None
        if drag is None or axis is None:
            return False
        session = drag.session
        session.hold_to(None if session.axis == axis else axis)
        if drag.gesture is not None:
            self._present(drag)
        return True

    def nudge(self, view: SceneView, right: int, up: int, fine: bool, whole: bool = False) -> None:
        """Move the part selected last in the view plane by keys; nudges in a row are one undo step.

        Args:
            view: Whose plane.
            right, up: 1, 0 or -1 steps that way.
            fine: Whether a step is 1 mm instead of 1 cm.
            whole: Whether the figure moves as a whole.
        """
        skeleton, selection = self.scene.skeleton, self.document.selection.joints
        if skeleton is None or not selection or self._drag is not None:
            return
        joint, document = selection[-1], self.document
        step = (0.001 if fine else 0.01) * (right * view.camera.basis[0] + up * view.camera.basis[1])
        session = self._session(joint, whole=whole)
        q = session.jump_to(session.effector + step)
        if self._nudged != (joint, document.stack.index(), document.frame):
            self._nudge_id = document.gesture_id()
        text = "Nudge figure" if whole else f"Nudge {spoken_name(skeleton.joints[joint].name)}"
        document.posing.set(q, text, gesture=self._nudge_id, hold=False)
        self._nudged = (joint, document.stack.index(), document.frame)

    # -- the drag itself -----------------------------------------------------------------------------------------

    def _session(self, joint: int, **how: Any) -> DragSession:
        """Return a drag of a part of the figure on screen."""
        skeleton, document = self.scene.skeleton, self.document
        assert skeleton is not None
        options = posing_options(document.model, document.session, document.pose)
        mode = chosen_mode(document.session, skeleton, joint)
        return DragSession(skeleton, document.pose, joint, None, mode, **options, **how)

    def _begin(self, text: str) -> PoseGesture:
        return self.document.posing.begin_gesture(text)

    def _follow(self, drag: Drag, travel: float) -> None:
        """Go where the pointer is now, which has moved some distance at the depth of the part, [m]."""
        session, view = drag.session, drag.view
        session.whole = drag.pointer.shift
        session.solve_with(**self.document.session.solver.options(session.start, drag.obstacles))
        session.sight = Sight(view.camera.basis[2], view.camera.orthographic, view.pixel_size(drag.start))
        if drag.gesture is None:
            name = spoken_name(session.skeleton.joints[session.part].name)
            drag.gesture = self._begin("Move figure" if session.moves_root else f"Drag {name}")
        self._ask(drag, travel)
        self._present(drag)

    def _ask(self, drag: Drag, travel: float) -> None:
        """Ask the session for the pose."""
        drag.session.move_along(*drag.view.ray(*drag.cursor), travel, eased(drag.farthest / EASE_PIXELS))

    def _present(self, drag: Drag) -> None:
        """Show the pose that the session has come to, and what it says of it."""
        session, gesture = drag.session, drag.gesture
        assert gesture is not None
        if drag.shown is not session.q:
            drag.shown = session.q
            gesture.show(session.q)
            session.note_shown(gesture.shown)
        drag.hindrance = explained(
            session.skeleton, session.hindrance, session.part, self.document.session.solver.nudge
        )
        if session.result is not None and len(session.result.errors):
            self.document.session.drag.solve = DragSolve.of(session.result, session.seconds)
        self._keep_going(drag)
        self._notify(drag)

    def _keep_going(self, drag: Drag) -> None:
        """Let the figure go on while the mouse rests."""

        def go() -> None:
            drag.waits = False
            if drag is self._drag and drag.session.behind and drag.gesture is not None and drag.gesture.active:
                drag.session.again()
                self._present(drag)

        if drag.session.behind and not drag.waits:
            drag.waits = True
            owner = drag.view if isinstance(drag.view, QObject) else self.document
            QTimer.singleShot(BETWEEN, owner, go)

    def _notify(self, drag: Drag) -> None:
        """Let everybody know what is dragged where."""
        session, drags = self.document.session, drag.session
        chain = None if drags.moves_root else drags.chain
        if session.drag.chain is not chain:
            session.drag.chain = chain
        shown = drags.effector if drag.gesture is None else drags.place_in(drag.gesture.shown)
        session.drag.goal = DragGoal(drags.part, shown, shown if drags.goal is None else drags.goal, drag.hindrance)

    # -- helpers -------------------------------------------------------------------------------------------------

    def chain(self, joint: int) -> Chain | None:
        """Return the chain that dragging a part moves in the session's mode; None without a figure."""
        return self._chain(self.scene.skeleton, joint) if self.scene.skeleton is not None else None

    def _chain(self, skeleton: Skeleton, joint: int) -> Chain:
        return chosen_chain(self.document.session, skeleton, joint)

    def _whole_figure(self, skeleton: Skeleton, joint: int) -> bool:
        """Whether dragging this part can only mean the figure as a whole: it is the root's own segment."""
        return is_whole_figure(skeleton, self._chain(skeleton, joint))

    def _clear_session(self) -> None:
        session = self.document.session
        if session.drag.goal is not None:
            session.drag.goal = None
        if session.drag.chain is not None:
            session.drag.chain = None
