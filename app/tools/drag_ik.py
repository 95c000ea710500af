"""Drag a part: the chain behind it follows by inverse kinematics (Welman 6.2)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer

from app.document.session.drag_account import DragGoal
from app.scene.chain_choice import chain_title, chosen_chain, is_whole_figure
from app.scene.hindrance import NONE, Watch, distance_text
from app.scene.pointing import Pointer, ToolView
from app.tools.base import Array, Hint, Tool
from app.tools.drag_held import HeldDrag, finite_reach
from app.tools.drag_rays import closest_point_on_axis, goal_on_ray, kept_offset, point_in_plane
from app.tools.drag_solving import led, led_within, told
from app.tools.drag_state import Drag
from app.tools.drag_way import way_of
from app.tools.nudging import nudged
from app.tools.way_out import BETWEEN, WayOut
from app.words.part_names import part_name, spoken_name
from core.ik import Result
from core.ik.pacing import straight_limbs
from core.ik.reach import chain_reach
from core.kinematics.chain import Chain
from core.kinematics.ray import closest_point_on_ray
from core.skeleton.mirroring.sides import other_columns
from core.skeleton.segment import end_effector

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene
    from app.tools.drag_state import PoseGesture
    from core.skeleton import Skeleton

_AXES = {Qt.Key.Key_X: 0, Qt.Key.Key_Y: 1, Qt.Key.Key_Z: 2}


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
            return [("Drag", "move a part"), ("Shift", "whole body"), ("Ctrl", "fine"), ("Double-click", "whole group")]
        return [
            ("Ctrl", "fine"),
            ("X Y Z", "along an axis"),
            ("Shift", "whole body"),
            ("L", "do not lock" if self._drag.locks else "lock where released"),
            ("Esc", "cancel"),
        ]

    def status(self) -> str:
        """Return the drag in one line."""
        drag, skeleton = self._drag, self.scene.skeleton
        if drag is None or skeleton is None or drag.goal is None:
            return super().status()
        if drag.moves_root:
            return f"Moving the whole figure{', ' if drag.hindrance.note else ''}{drag.hindrance.note}"
        name = spoken_name(skeleton.joints[drag.joint].name)
        if drag.axis is not None:
            name += f" along {'XYZ'[drag.axis]}"
        if drag.hindrance.reason == "straight":
            return drag.hindrance.note
        return f"Dragging {name}, {drag.hindrance.note or distance_text(drag.distance) + ' to the goal'}"

    def chip(self) -> str:
        """Return the chain that moves, or would move: mode, part, degrees of freedom."""
        skeleton = self.scene.skeleton
        if skeleton is None:
            return ""
        drag, hover = self._drag, self.document.session.view.hover
        joint = drag.joint if drag is not None else hover
        if joint is None:
            return ""
        name = spoken_name(skeleton.joints[joint].name)
        if self._whole_figure(skeleton, joint) or (drag is not None and drag.moves_root):
            return f"Whole figure · {name} · 3 DOF"
        chain = drag.chain if drag is not None else self._chain(skeleton, joint)
        session = self.document.session
        both = session.tools.mirror_editing and other_columns(skeleton, chain.dofs).size > 0
        title = f"{chain_title(session, skeleton, joint)} · {name} · {len(chain.dofs)} DOF"
        return f"{title} · both sides" if both else title

    # -- gestures ------------------------------------------------------------------------------------------------

    def press(self, view: ToolView, pointer: Pointer) -> None:
        """Pick a part up; the pose stays as it is."""
        hit = self.pick(view, pointer)
        if not (pointer.shift or pointer.ctrl):
            self.select(hit, pointer)
        if hit is not None:
            self.take(view, pointer, hit.joint)

    def take(self, view: ToolView, pointer: Pointer, joint: int) -> None:
        """Take hold of a part, wherever the pointer is; the pose stays as it is."""
        skeleton = self.scene.skeleton
        assert skeleton is not None
        local = end_effector(skeleton, joint)
        start = self._world(joint, local)
        chain = self._chain(skeleton, joint)
        pose = np.array(self._pose, dtype=np.float64)
        reach = chain_reach(skeleton, pose, joint, local, chain.base)
        offset = start - closest_point_on_ray(*view.ray(pointer.x, pointer.y), start)
        moving = set(chain.joints)
        straight = any({limb.hinge, limb.above} <= moving for limb, _, _ in straight_limbs(skeleton, pose))
        kept = kept_offset(offset, start, reach) if straight and not pointer.shift else np.zeros(3)
        self._drag = Drag(
            view=view,
            pointer=pointer,
            start=start,
            joint=joint,
            chain=chain,
            local=local,
            offset=offset - kept,
            kept=kept,
            pose=pose,
            watch=Watch(skeleton, joint, local, reach, self._limb(skeleton, joint)),
            way_out=WayOut(skeleton, pose, chain.base, chain.dofs, reach),
            held=self._holder(joint, local, chain, pose),
            spline=way_of(skeleton, joint, local, chain),
        )

    def move(self, view: ToolView, pointer: Pointer) -> None:
        """Let the chain follow the pointer."""
        drag = self._drag
        if drag is None or self._is_over(drag.gesture):
            return
        rests = drag.last == (pointer.x, pointer.y) and drag.pointer.shift == pointer.shift
        if drag.held and drag.gesture and rests:
            return  # a mouse that rests adds nothing: the pose has come to rest, or is on its way there
        cursor = np.array(drag.cursor)
        drag.follow(pointer)
        moved = float(np.linalg.norm(np.array(drag.cursor) - cursor))
        places = drag.start, self._world(drag.joint, drag.local)  # what is nearer to the eye goes less far
        drag.pace.way += moved * min(view.pixel_size(place) for place in places)
        away = float(np.hypot(drag.cursor[0] - drag.at[0], drag.cursor[1] - drag.at[1]))
        drag.travel = max(drag.travel, away)
        if drag.held is not None:
            drag.held.fresh()
        if drag.travel > 0.0:
            self._follow(drag)

    def release(self, view: ToolView, pointer: Pointer) -> None:
        """Put the part down: one undo step if anything moved, else a click that selects."""
        drag, self._drag = self._drag, None
        if drag is not None and drag.gesture is not None:
            if drag.held is not None:
                drag.gesture.set_pose(drag.held.settled(self._pose), hold=False)
            drag.gesture.commit()
            if drag.locks:
                self.document.locks.lock_where_it_is(drag.joint)
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
        drag.axis = None if drag.axis == axis else axis
        if drag.gesture is not None:
            self._follow(drag)
        return True

    def nudge(self, view: ToolView, right: int, up: int, fine: bool) -> None:
        """Move the part selected last in the view plane by keys; nudges in a row are one undo step.

        Args:
            view: Whose plane.
            right, up: 1, 0 or -1 steps that way.
            fine: Whether a step is 1 mm instead of 1 cm.
        """
        skeleton, selection = self.scene.skeleton, self.document.selection.joints
        if skeleton is None or not selection or self._drag is not None:
            return
        joint, document = selection[-1], self.document
        step = (0.001 if fine else 0.01) * (right * view.camera.basis[0] + up * view.camera.basis[1])
        chain, whole = self._chain(skeleton, joint), self._whole_figure(skeleton, joint)
        q = nudged(document, self.scene, joint, chain, whole, step)
        if self._nudged != (joint, document.stack.index(), document.frame):
            self._nudge_id = document.gesture_id()
        text, edited = f"Nudge {spoken_name(skeleton.joints[joint].name)}", None if whole else chain.dofs
        document.posing.set(q, text, gesture=self._nudge_id, hold=False, edited=edited)
        self._nudged = (joint, document.stack.index(), document.frame)

    # -- the drag itself -----------------------------------------------------------------------------------------

    def goal_for(self, drag: Drag) -> Array:
        """Return where the end-effector should go now, shape (3,), [m].

        The ray under the cursor, shifted by what is left of the offset at press, is asked for its point closest to
        the end-effector. Parallel rays keep the depth of the press exactly, however the solver strays. Of a ray that
        passes beyond reach it is the point closest to the chain's base: there the stretched limb points, whichever way
        the cursor came.
        """
        origin, direction = drag.view.ray(*drag.cursor)
        origin = origin + drag.beside
        if drag.axis is not None:
            found = closest_point_on_axis(drag.start, np.eye(3)[drag.axis], origin, direction)
            return drag.start if found is None else found
        current = self._world(drag.joint, drag.local)
        if not drag.view.camera.orthographic:
            return goal_on_ray(origin, direction, current, drag.watch.reach)
        current = current + ((drag.start - current) @ direction) * direction
        return closest_point_on_ray(origin, direction, current)

    def _follow(self, drag: Drag) -> None:
        skeleton = self.scene.skeleton
        if skeleton is None:
            return
        drag.moves_root = drag.pointer.shift or self._whole_figure(skeleton, drag.joint)
        if drag.gesture is None:
            name = spoken_name(skeleton.joints[drag.joint].name)
            drag.gesture = self._begin("Move figure" if drag.moves_root else f"Drag {name}")
        session, result = self.document.session, None
        if drag.moves_root and drag.held is None:
            q, goal = self._moved_root(drag)
        elif drag.spline is not None and drag.axis is None and drag.held is None:
            began = time.thread_time()
            result, goal = drag.spline.led(
                self._pose, drag.view, drag.target, drag.watch.reach, session.solver.tolerance
            )
            q = told(session, result, began).q
        else:
            goal = self._root_goal(drag) if drag.moves_root else self.goal_for(drag)
            # The same goal again would let a hindered limb creep; the last good pose stays.
            goes = drag.swinging or drag.pace.behind
            resting = not goes and not (drag.held is not None and drag.held.unfinished)
            if drag.hindrance.reason and resting and np.array_equal(goal, drag.goal):
                return
            result = self._solved(skeleton, drag, goal)
            q = result.q
        drag.gesture.show(self._paced(skeleton, drag, q, goal))
        self._keep_going(drag)
        effector = self._world(drag.joint, drag.local)
        drag.goal = goal
        drag.distance = float(np.linalg.norm(goal - effector))
        drag.hindrance = NONE
        if drag.held is not None:
            drag.hindrance = drag.held.hindrance(q, goal, drag.moves_root, finite_reach(drag.watch.reach.outer))
        if drag.hindrance is NONE and result is not None and not drag.moves_root:
            drag.hindrance = drag.watch.seen(result, self._pose, goal, effector, session.solver.nudge)
        self._tell(drag, effector)

    def _tell(self, drag: Drag, effector: Array) -> None:
        """Let everybody know what is dragged where."""
        session, chain = self.document.session, None if drag.moves_root else drag.chain
        if session.drag.chain is not chain:
            session.drag.chain = chain
        session.drag.goal = DragGoal(drag.joint, effector, drag.goal, drag.hindrance)

    # -- the pose that is dragged, for tools that drag another than the one on screen --------------------------------

    @property
    def _pose(self) -> Array:
        return self.document.pose

    def _world(self, joint: int, point: Array) -> Array:
        return self.scene.world(joint, point)

    def _begin(self, text: str) -> PoseGesture:
        return self.document.posing.begin_gesture(text, self._edited)

    @property
    def _edited(self) -> tuple[int, ...] | None:
        """Places in the pose that the drag is about; None for the whole figure."""
        return None if self._drag is None or self._drag.moves_root else self._drag.chain.dofs

    def _holder(self, joint: int, local: Array, chain: Chain, pose: Array) -> HeldDrag | None:
        """Return what holds the locks while a part is dragged; None if there are none to hold."""
        return HeldDrag(self.document, joint, local, chain, pose) if self.document.locks.holding else None

    def _solved(self, skeleton: Skeleton, drag: Drag, goal: Array) -> Result:
        """Return what brings the end-effector to the goal, from the pose shown now; the session keeps its account."""
        start = time.thread_time()  # not what other threads take meanwhile, such as the one that loads kernels
        if drag.held is not None:
            result = drag.held.solved(self._pose, goal, drag.moves_root, drag.watch)
        else:
            result = led(self.document.session, skeleton, drag, self._pose, goal)
        return told(self.document.session, result, start)

    def _paced(self, skeleton: Skeleton, drag: Drag, q: Array, goal: Array) -> Array:
        """Return the pose to show on the way to one that was found, at the pace of the mouse."""
        gesture = drag.gesture
        assert gesture is not None

        def again(bounds: tuple[Array, Array]) -> Array | None:
            found = led_within(self.document.session, skeleton, drag, self._pose, goal, bounds)
            return None if found is None else gesture.made(found, hold=False)

        posed = gesture.made(q, hold=False)
        if drag.spline is not None or (drag.moves_root and drag.held is None):
            return posed
        return drag.pace.limited(skeleton, self._pose, posed, None if drag.held is None else drag.held.near, again)

    def _keep_going(self, drag: Drag) -> None:
        """Go on freeing a limb, or holding locks, while the mouse rests."""

        def goes() -> bool:
            return drag.pace.behind or (drag.way_out.goes if drag.held is None else drag.held.unfinished)

        def go() -> None:
            drag.waits = False
            if drag is self._drag and goes() and drag.gesture is not None and drag.gesture.active:
                if drag.held is None or drag.held.again():
                    self._follow(drag)

        if goes() and not drag.waits:
            drag.waits = True
            owner = drag.view if isinstance(drag.view, QObject) else self.document
            QTimer.singleShot(BETWEEN, owner, go)

    def _root_goal(self, drag: Drag, through: Array | None = None) -> Array:
        """Return where the part goes with the whole figure, shape (3,), [m]: in the view plane, to the cursor."""
        origin, direction = drag.view.ray(*drag.cursor)
        origin = origin + drag.beside
        if drag.axis is not None:
            found = closest_point_on_axis(drag.start, np.eye(3)[drag.axis], origin, direction)
            return drag.start if found is None else found
        if through is None:  # where locks hold the part back its place says nothing about the plane
            through = drag.start if drag.goal is None else drag.goal
        return point_in_plane(through, drag.view.camera.basis[2], origin, direction)

    def _moved_root(self, drag: Drag) -> tuple[Array, Array]:
        """Return the pose with the figure shifted in the view plane to the cursor, and where the part goes."""
        current = self._world(drag.joint, drag.local)
        goal, q = self._root_goal(drag, current), np.array(self._pose, dtype=np.float64)
        q[:3] += goal - current
        drag.watch.carry(goal - current)
        return q, goal

    # -- helpers -------------------------------------------------------------------------------------------------

    def chain(self, joint: int) -> Chain | None:
        """Return the chain that dragging a part moves in the session's mode; None without a figure."""
        return self._chain(self.scene.skeleton, joint) if self.scene.skeleton is not None else None

    def _chain(self, skeleton: Skeleton, joint: int) -> Chain:
        return chosen_chain(self.document.session, skeleton, joint)

    def _whole_figure(self, skeleton: Skeleton, joint: int) -> bool:
        """Whether dragging this part can only mean the figure as a whole: it is the root's own segment."""
        return is_whole_figure(skeleton, self._chain(skeleton, joint))

    def _limb(self, skeleton: Skeleton, joint: int) -> str:
        """Return what the limb of a part is called: its group, else the part."""
        group = next((name for name, joints in skeleton.groups if name and joint in joints), "")
        return part_name(group or skeleton.joints[joint].name)

    def _clear_session(self) -> None:
        session = self.document.session
        if session.drag.goal is not None:
            session.drag.goal = None
        if session.drag.chain is not None:
            session.drag.chain = None
