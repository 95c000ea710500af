"""Beads of trails and ghosts under the mouse: a bead drags its key, a click on either goes to its frame."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter

from app.document.content.key_selection import KeySelection
from app.document.edits.holding import posing_options
from app.document.gestures.pose_gesture import KeyPoseGesture
from app.document.session import DragGoal
from app.marks import reach_marks, trail_marks
from app.marks.tag_places import TagPlaces
from app.scene.chain_choice import chosen_mode
from app.scene.ghosts import ghost_name
from app.scene.pointing import Pointer, SceneView
from app.scene.trails import ROOT_PATH, Bead
from app.tools.base import Array, Hint, Tool
from app.tools.drag import Drag, DragTool, PoseGesture
from app.words.lengths import distance_text
from app.words.part_names import part_name, spoken_name
from core.posing.drag_session import DragSession

if TYPE_CHECKING:
    from PySide6.QtCore import QRectF

    from app.document.document import Document
    from app.scene.scene import Scene

CLICK = 4.0
"""A press that moves no further than this is a click, [px]."""
NEAR = 3.0
"""The goal of a drag is drawn if the part is further from it than this, [px]."""
EDGE_ON = 0.12
"""Where the eye looks along the floor by more than that, sine of the angle, the root follows in the view's plane."""


class MotionTool(DragTool):
    """Takes the mouse from the active tool where a bead or a ghost is under it.

    A bead moves its part at its key as the Drag tool moves it at the current frame: by the same chain and solver, with
    the locks of that frame held. A bead of the root's path moves the figure along the floor at its key.
    """

    name = "motion"
    title = "Motion"
    icon = "trail"

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self.bead: Bead | None = None
        self.ghost: int | None = None
        self._pressed: tuple[float, float] | None = None
        self._retimed: int | None = None  # frame that a key would go to
        self._floor: Array | None = None
        self._tags = TagPlaces(scene)
        self._tag_box: QRectF | None = None

    # -- what is under the pointer -----------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether a bead or a ghost is under the pointer, as far as was looked last."""
        return self.bead is not None or self.ghost is not None

    def find(self, view: SceneView, pointer: Pointer, tool: Tool) -> bool:
        """Look what is under the pointer; return whether a press takes it.

        Beads go before parts of the figure unless a part is under their rim, or is itself where its bead is, both
        before ghosts; those of the path on the floor only where no part is. What the active tool has there, such as a
        ring, goes before all.

        Args:
            view: The view.
            pointer: Where the pointer is.
            tool: The active tool.
        """
        bead = ghost = None
        session, trails = self.document.session, self.scene.trails
        if session.mode == "pose" and self.scene.skeleton is not None and not session.playback.playing:
            if not tool.takes(view, pointer):
                ray = view.ray(pointer.x, pointer.y)
                bead = trails.at(view, pointer.x, pointer.y, self.scene.pick(*ray) is not None)
                if bead is not None and trails.on_part(view, bead) and self.pick(view, pointer) is not None:
                    bead = None
                if bead is None and self.scene.ghosts and self.pick(view, pointer) is None:
                    ghost = self.scene.ghost_figures.at(*ray)
        self._show(view, bead, ghost)
        return self.over

    def distance(self, view: SceneView, pointer: Pointer) -> float:
        """Return how far the bead that was found is from the pointer, [px]; inf for a ghost or nothing."""
        place = None if self.bead is None else self.scene.trails.place(self.bead)
        if place is None:
            return math.inf
        x, y, _ = view.project(np.asarray(place)[None])[0]
        return math.hypot(float(x) - pointer.x, float(y) - pointer.y)

    def _show(self, view: SceneView | None, bead: Bead | None, ghost: int | None) -> None:
        """Light a bead or a ghost."""
        self.ghost = ghost
        if self.document.session.view.hovered_ghost != ghost:
            self.document.session.view.hovered_ghost = ghost
        if bead != self.bead or self.scene.trails.lit != bead:
            self.bead = self.scene.trails.lit = bead
            if view is not None:
                view.update()

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        """Show no part as the one a click takes: a bead or a ghost is lit."""
        self._set_hover(None)

    def leave(self) -> None:
        """Take note that the pointer left the views, or that a press there takes nothing now."""
        if self._pressed is None and self._drag is None:
            self._show(None, None, None)

    def forget(self) -> None:
        """Take note that the figure, or the whole document, may be another one."""
        self.leave()

    # -- what the editor asks ----------------------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        """Whether the mouse holds a bead or a ghost."""
        return self._drag is not None or self._pressed is not None

    def hints(self) -> list[Hint]:
        """Return what the keys do now."""
        if self._retimed is not None:
            return [("Drag", "move the key in time"), ("Esc", "cancel")]
        if self._drag is not None and self._drag.gesture is not None:
            whole = [] if self._is_root else [("Shift", "move the whole figure")]
            return [("Ctrl", "fine"), ("X Y Z", "along an axis"), *whole, ("Esc", "cancel")]
        if self.bead is not None:
            return [("Drag", "move the part at this key"), ("Ctrl+Shift drag", "move the key in time"),
                    ("Click", "go there"), ("Shift-click", "select the key")]  # fmt: skip
        return [("Click", "go there")]

    def status(self) -> str:
        """Return what a click or a drag does."""
        bead, drag, skeleton = self.bead, self._drag, self.scene.skeleton
        if bead is None or skeleton is None:
            sequence = self.document.sequence
            if self.ghost is None or sequence is None:
                return ""
            return f"{ghost_name(self.ghost, sequence.keys.at(self.ghost) is not None)} · click to go there"
        if self._retimed is not None:
            return f"Moving the key at frame {bead.frame} to {self._retimed}"
        if drag is None or drag.session.goal is None:
            what = "move the figure along the floor" if self._is_root else "move it at that key"
            return f"{trail_marks.bead_name(self.scene, bead)} · drag to {what}, click to go there"
        if drag.session.moves_root:
            note = f", {drag.hindrance.note}" if drag.hindrance.note else ""
            return f"Moving the figure in the key at frame {bead.frame}{note}"
        name = spoken_name(skeleton.joints[drag.session.part].name)
        how = drag.hindrance.note or f"{distance_text(drag.session.distance)} to the goal"
        return f"Dragging {name} in the key at frame {bead.frame}, {how}"

    def chip(self) -> str:
        """Return the chain that moves, or would move."""
        skeleton, bead = self.scene.skeleton, self.bead
        if skeleton is None or bead is None:
            return ""
        joint = max(bead.part, 0)
        chain = self._drag.session.chain if self._drag is not None else self._chain(skeleton, joint)
        if self._whole_figure(skeleton, joint) or (self._drag is not None and self._drag.session.moves_root):
            return f"Key at frame {bead.frame} · whole figure"
        return f"Key at frame {bead.frame} · {part_name(skeleton.joints[joint].name)} · {len(chain.dofs)} DOF"

    @property
    def troubled(self) -> bool:
        """Whether the part cannot get to its goal."""
        return self._drag is not None and bool(self._drag.hindrance.tag)

    @property
    def tag_box(self) -> QRectF | None:
        """Where the tag was painted last, [px]."""
        return self._tag_box if self._drag is not None and self._drag.session.goal is not None else None

    @property
    def _is_root(self) -> bool:
        return self.bead is not None and self.bead.part == ROOT_PATH

    # -- gestures ----------------------------------------------------------------------------------------------------

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Take hold of what is under the pointer; nothing moves yet."""
        self._pressed = (pointer.x, pointer.y)
        bead = self.bead
        if bead is None or (pointer.ctrl and pointer.shift):
            return
        self.take(view, pointer, max(bead.part, 0))
        self._floor = self._on_floor(view, pointer.x, pointer.y)

    def move(self, view: SceneView, pointer: Pointer) -> None:
        """Let the key follow the pointer."""
        if self._pressed is None:
            return
        away = math.hypot(pointer.x - self._pressed[0], pointer.y - self._pressed[1])
        drag = self._drag
        if drag is None:
            if self.bead is not None and (self._retimed is not None or away > CLICK):
                self._retimed = self._frame_at(view, pointer)
                view.update()
        elif drag.gesture is not None or away > CLICK:
            super().move(view, pointer)
            view.update()

    def release(self, view: SceneView, pointer: Pointer) -> None:
        """Let go: one undo step if anything moved, else a click that goes to the frame, with Shift one on the key."""
        drag, bead, retimed = self._drag, self.bead, self._retimed
        frame = self.ghost if bead is None else bead.frame
        pressed, moved = self._pressed, drag is not None and drag.gesture is not None
        if moved and drag is not None:
            assert drag.gesture is not None
            drag.gesture.show(drag.session.settle())
            drag.gesture.commit()
        self._let_go()
        if retimed is not None and bead is not None:
            if retimed != bead.frame:
                self.document.keys.move({bead.frame: retimed}, f"Move key from frame {bead.frame} to {retimed}")
        elif not moved and frame is not None and pressed is not None:
            if math.hypot(pointer.x - pressed[0], pointer.y - pressed[1]) <= CLICK:
                self._click(frame, pointer)

    def _click(self, frame: int, pointer: Pointer) -> None:
        if self.bead is not None and (pointer.shift or pointer.ctrl):
            session, key = self.document.session, KeySelection.of_frames([frame])
            session.keys.selected = session.keys.selected - key if pointer.ctrl else session.keys.selected | key
        else:
            self.document.set_frame(frame)

    def cancel(self) -> None:
        """Put everything back as it was at the press."""
        drag = self._drag
        if drag is not None and drag.gesture is not None:
            drag.gesture.cancel()
        self._let_go()

    def _let_go(self) -> None:
        self._drag = self._pressed = self._retimed = None
        self.scene.ghost_figures.dragged_key = None
        self._tags.forget()

    def key(self, key: int) -> bool:
        """X, Y and Z hold the drag to a world axis."""
        return self._drag is not None and key != Qt.Key.Key_L and super().key(key)

    def double_click(self, view: SceneView, pointer: Pointer) -> None:
        """The same as a click."""

    # -- the key that is dragged -------------------------------------------------------------------------------------

    @property
    def _elsewhere(self) -> bool:
        """Whether the key is at another frame than the one on screen."""
        return self.bead is not None and self.bead.frame != self.document.frame

    def _session(self, joint: int, **how: Any) -> DragSession:
        skeleton, document = self.scene.skeleton, self.document
        if not self._elsewhere or self.bead is None or skeleton is None:
            return super()._session(joint, **how)
        q = document.model.keyed_pose(self.bead.frame)
        options = posing_options(document.model, document.session, q, self.bead.frame)
        mode = chosen_mode(document.session, skeleton, joint)
        return DragSession(skeleton, q, joint, None, mode, **options, **how)

    def _begin(self, text: str) -> PoseGesture:
        if not self._elsewhere or self.bead is None:
            return super()._begin(text)
        return KeyPoseGesture(self.document, self.bead.frame, f"{text} in the key at frame {self.bead.frame}")

    def _notify(self, drag: Drag) -> None:
        """Show the figure at the key as it is dragged, as the only ghost."""
        if self._elsewhere and self.bead is not None:
            self.scene.ghost_figures.dragged_key = (
                self.bead.frame,
                drag.session.q if drag.gesture is None else drag.gesture.shown,
            )

    def _ask(self, drag: Drag, travel: float) -> None:
        if not self._is_root:
            return super()._ask(drag, travel)
        found, by = self._on_floor(drag.view, *drag.cursor), np.zeros(3)
        if found is not None and self._floor is not None:
            by = found - self._floor
            by[1] = 0.0
        drag.session.move_to(drag.start + by, travel)

    def _on_floor(self, view: SceneView, x: float, y: float) -> Array | None:
        """Return the floor's point under a pixel; where the floor is seen edge-on a point in the plane of the view."""
        place = None if self.bead is None else self.scene.trails.place(self.bead)
        if place is None:
            return None
        if self._floor is not None and self._drag is not None and self._drag.gesture is not None:
            place = self._floor  # the bead itself moves
        origin, direction = view.ray(x, y)
        normal = np.array([0.0, 1.0, 0.0])
        if abs(float(view.camera.basis[2][1])) < EDGE_ON:
            normal = view.camera.basis[2]
        along = float(normal @ direction)
        if abs(along) < 1e-6:
            return None
        return np.asarray(origin + float(normal @ (place - origin)) / along * direction)

    def _frame_at(self, view: SceneView, pointer: Pointer) -> int:
        """Return the frame between the neighbouring keys whose place on the trail is nearest to the pointer."""
        bead, sequence = self.bead, self.document.sequence
        assert bead is not None and sequence is not None
        trail = self.scene.trails.trail(bead.part)
        if trail is None:
            return bead.frame
        keys = sequence.keys.frames
        first = max((f for f in keys if f < bead.frame), default=-1) + 1
        last = min((f for f in keys if f > bead.frame), default=int(trail.frames[-1]) + 1) - 1
        whole = (trail.frames == np.rint(trail.frames)) & (trail.frames >= first) & (trail.frames <= last)
        if not whole.any():
            return bead.frame
        seen = view.project(trail.path[whole])
        away = np.where(seen[:, 2] > 0.0, np.hypot(seen[:, 0] - pointer.x, seen[:, 1] - pointer.y), np.inf)
        return int(trail.frames[whole][int(np.argmin(away))])

    # -- painting ----------------------------------------------------------------------------------------------------

    def paint(self, view: SceneView, painter: QPainter) -> None:
        """Draw where the part should go, or where on its trail a key would."""
        drag, bead = self._drag, self.bead
        if self._retimed is not None and bead is not None:
            trail_marks.draw_retimed(painter, view, self.scene, bead, self._retimed)
        if drag is None or drag.gesture is None or not self._elsewhere:
            return
        session = drag.session
        if session.goal is None or session.moves_root:
            return
        goal = DragGoal(session.part, session.place_in(drag.gesture.shown), session.goal, drag.hindrance)
        # else the bead itself is there
        if session.distance > NEAR * view.pixel_size(session.goal) or drag.hindrance.reason:
            reach_marks.draw_goal(painter, view, goal)
        self._tag_box = reach_marks.draw_tag(painter, view, goal, self._tags)
