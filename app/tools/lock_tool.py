"""The lock tool: take a lock by its glyph, drag or twist its target; the figure follows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from app.document.gestures.strip_gesture import LockGesture
from app.marks import lock_grip_marks, lock_marks, manipulators
from app.marks.manipulators import Handle
from app.marks.tag_places import TagPlaces
from app.marks.target_path import TargetPath, is_path
from app.scene.lock_places import LockMark
from app.scene.pointing import Pointer, SceneView, view_point
from app.tools import lock_grips
from app.tools.base import Array, Hint, Tool
from app.tools.lock_hold import LockHold
from app.tools.picking import covers_another
from app.tools.turn_part import angle_text
from app.words import lock_words
from app.words.keys_now import cap_of
from app.words.lengths import distance_text
from app.words.part_names import spoken_name
from core.constraints.residuals import PathResidual

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene
    from core.animation.locks.strip import LockStrip

FREE_HIT = 10.0
"""A press no further than this from the middle of a target takes the handle there, [px]."""
MIDDLE = 4.0
"""On a part that may be dragged a glyph is taken only so near to its middle, [px]."""
FREE = -1
"""Stands for the handle in the middle, which moves a target in the plane of the view."""
MISSED, MISSED_TURN = 1e-3, math.radians(0.5)
"""A part that misses its target by more than this cannot follow, [m] and [rad]."""
_REMOVE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
_AXES = {Qt.Key.Key_X: 0, Qt.Key.Key_Y: 1, Qt.Key.Key_Z: 2}


class LockTool(Tool):
    """Click a glyph to select its lock, drag it to move the target; arrows and rings on the selected one.

    The other tools hand a press on a glyph or on a key of a target's path over to this one.
    """

    name = "lock"
    title = "Locks"
    icon = "lock"

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self.path = TargetPath()
        self._hold: LockHold | None = None
        self._over: str | None = None
        self._grip: int | None = None
        self._key: int | None = None
        self._nudged: tuple[str, int, int] | None = None
        self._nudge_id = 0
        self._tags, self._tag_box = TagPlaces(scene), QRectF()

    # -- what the editor asks ------------------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        """Whether a lock's target is held."""
        return self._hold is not None

    @property
    def over(self) -> bool:
        """Whether a glyph, or a key of the selected lock's path, is under the pointer."""
        return self._over is not None or self._key is not None

    @property
    def over_mark(self) -> LockMark | None:
        """The lock whose glyph is under the pointer."""
        return self.scene.locks.mark(self._over)

    @property
    def held(self) -> LockMark | None:
        """The lock that is held, as it is now."""
        return None if self._hold is None else self.scene.locks.mark(self._hold.mark.id) or self._hold.mark

    @property
    def selected(self) -> LockMark | None:
        """The selected lock, if it acts at the current frame."""
        return self.scene.locks.mark(self.document.session.locks.selected)

    @property
    def selected_strip(self) -> LockStrip | None:
        """The strip of the selected lock, whether it acts now or not."""
        wanted = self.document.session.locks.selected
        if wanted is None or self.scene.at_rest:
            return None
        return next((strip for strip in self.document.locks.strips if strip.id == wanted), None)

    @property
    def lit_key(self) -> int | None:
        """Number of the key of the selected lock's path that is dragged or under the pointer."""
        return self._key if self._hold is None else self._hold.key

    @property
    def troubled(self) -> bool:
        """Whether the part cannot follow its target."""
        return self._hold is not None and self._hold.begun and bool(self._missed())

    @property
    def tag_box(self) -> QRectF | None:
        """Where the tag was painted last, [px]."""
        return self._tag_box if self._hold is not None and self._hold.begun else None

    def hints(self) -> list[Hint]:
        """Return what the keys do now."""
        hold = self._hold
        if hold is not None:
            along = "about an axis" if hold.turning else "along an axis"
            guide = [] if hold.guided else [("X Y Z", along)]
            return [("Ctrl", "fine"), *guide, ("Shift", "steps of 15°" if hold.turning else "steps of 1 cm"),
                    ("Esc", "cancel")]  # fmt: skip
        if self._key is not None and (strip := self.selected_strip) is not None:
            if is_path(strip):
                return [
                    ("Drag", "move this point of the path"),
                    ("Del", "remove it"),
                    ("Double-click", "add one beside"),
                ]
            return [("Drag", "move this key of the target"), ("Click", "go to its frame")]
        mark = self.over_mark
        if mark is not None:
            more = [("Click", "select the lock"), ("Shift", "add its part")]
            if mark.kind == "point_pair":
                return [("Drag", "move both parts"), *more]
            if not lock_grips.movable(mark):
                return [*more, (cap_of("lock_cycle"), "lock the part")]
            return [("Drag", "twist the target" if mark.kind == "orientation" else "move the target"), *more]
        if self.selected is not None:
            return [
                ("Drag", "move or twist the target"),
                ("Ctrl", "fine"),
                ("Del", "remove"),
                (cap_of("lock_cycle"), "lock the part"),
            ]
        return [
            ("Click", "select a lock or a part"),
            (cap_of("lock_cycle"), "lock the part"),
            ("Drag", "move a lock's target"),
        ]

    def status(self) -> str:
        """Return the drag in one line, or what a click would take."""
        hold = self._hold
        if hold is not None and hold.begun:
            return " ".join([self._doing(hold), f"{', '.join([self._amount(hold), *self._missed()])}"])
        if self._key is not None and (strip := self.selected_strip) is not None and is_path(strip):
            return f"Point {self._key + 1} of {len(strip.lock.target)} of the path"
        if self._key is not None and (strip := self.selected_strip) is not None and self._key < len(strip.targets):
            return f"Key of the target at frame {strip.targets[self._key].frame}"
        mark = self.scene.locks.mark(self._over)
        if mark is None:
            return super().status()
        what = f"drag to {'twist' if mark.kind == 'orientation' else 'move'} its target"
        what = "drag to move both parts" if mark.kind == "point_pair" else what
        drags = lock_grips.movable(mark) or mark.kind == "point_pair"
        does = f"click to select, {what}" if drags else "click to select, Shift adds its part"
        return f"{lock_marks.one_line(mark, self.scene)} · {does}"

    def chip(self) -> str:
        """Return which lock is selected."""
        mark = self.held or self.selected
        if mark is None:
            return ""
        part = lock_words.part_of(mark.lock, self.scene.skeleton)
        return f"Lock · {part} · {lock_marks.kind_text(mark, self.scene)}"

    def _doing(self, hold: LockHold) -> str:
        part = spoken_name(lock_words.part_of(hold.mark.lock, self.scene.skeleton))
        verb = "Twisting" if hold.turning else "Moving"
        key = "" if hold.frame is None else f" at frame {hold.frame}"
        axis = f" {'about' if hold.turning else 'along'} {'XYZ'[hold.axis]}" if hold.axis is not None else ""
        return f"{verb} the target of {part}{key}{axis},"

    def _amount(self, hold: LockHold) -> str:
        return angle_text(hold.amount) if hold.turning else distance_text(hold.amount)

    def _missed(self) -> list[str]:
        """Return by how much the part could not follow; [] if it does, or if another frame's target is moved."""
        hold, mark = self._hold, self.held
        if hold is None or mark is None or hold.frame not in (None, self.document.frame):
            return []
        words, state = [], mark.state
        if state.position_residual > MISSED:
            words.append(f"{distance_text(state.position_residual)} off")
        if state.angle_residual > MISSED_TURN:
            words.append(f"{angle_text(state.angle_residual)} off")
        return words

    # -- hovering --------------------------------------------------------------------------------------------------

    def find(self, view: SceneView, pointer: Pointer, spares: bool = False) -> bool:
        """Look what is under the pointer, a key of the selected lock's path or a glyph; return whether anything is.

        Args:
            view: The view.
            pointer: Where the pointer is.
            spares: Whether a part under the pointer goes before a glyph, except for the glyph's middle; and another
                part before that too if its handle is nearer.
        """
        if self.scene.skeleton is None or not self.document.locks.strips or self.scene.at_rest:
            self._show_over(None)
            self._key = None
            return False
        session, strip = self.document.session, self.selected_strip
        self._key = None if strip is None else self.path.key_at(view, strip, pointer.x, pointer.y)
        found = None
        if self._key is None:
            found = lock_marks.hit(view, self.scene.locks.marks, pointer.x, pointer.y, session.locks.selected)
        if found is not None and spares and self.scene.pick(*view.ray(pointer.x, pointer.y)) is not None:
            found = lock_marks.hit(view, self.scene.locks.marks, pointer.x, pointer.y, size=MIDDLE)
            if found and covers_another(self.scene, view, pointer.x, pointer.y, found.joint, found.anchor):
                found = None
        self._show_over(None if found is None else found.id)
        return self.over

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        """Light the grip or the glyph under the pointer, else the part a click would select."""
        before = self._grip, self._key
        self._grip = self._grip_at(view, pointer)
        if self._grip is not None:
            self._show_over(None)
            self._key = None
            self._set_hover(None)
        elif self.find(view, pointer):
            self._set_hover(None)
        else:
            super().hover(view, pointer)
        if before != (self._grip, self._key):
            view.update()

    def takes(self, view: SceneView, pointer: Pointer) -> bool:
        """Whether a grip, a key of the selected lock's path or a glyph is under the pointer."""
        return self.gripped(view, pointer) or self.find(view, pointer)

    def gripped(self, view: SceneView, pointer: Pointer) -> bool:
        """Whether a grip of the selected lock is under the pointer."""
        return self._grip_at(view, pointer) is not None

    def _grip_at(self, view: SceneView, pointer: Pointer) -> int | None:
        """Return the grip of the selected lock under the pointer, ``FREE`` for its middle."""
        mark = self.selected
        if mark is None or self.document.session.tools.tool != self.name or not mark.editable:
            return None
        place = lock_grips.grip_place(mark) if mark.kind in lock_grips.MOVED else None
        if place is not None:
            at = view_point(view, place)
            if math.hypot(pointer.x - at.x(), pointer.y - at.y()) <= FREE_HIT:
                return FREE
        shown = tuple(lock_grip_marks.toward(view, each) for each in self._grips(mark))  # as they are drawn
        return manipulators.hit(view, shown, pointer.x, pointer.y)

    def _grips(self, mark: LockMark) -> tuple[Handle, ...]:
        return lock_grips.grips(mark, self.document.session.tools.turn_axes == "world") if mark.editable else ()

    def _show_over(self, id: str | None) -> None:
        """Announce which lock is under the pointer; what a panel lights is left alone."""
        session = self.document.session
        if id != self._over and (id is not None or session.locks.hovered == self._over):
            session.locks.hovered = id
        self._over = id

    def leave(self) -> None:
        """Take note that the pointer left the views."""
        self._show_over(None)
        self._grip = self._key = None
        super().leave()

    # -- gestures ------------------------------------------------------------------------------------------------

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Take hold of a grip, a key of the path or a glyph, else select; nothing moves yet."""
        self._grip = self._grip_at(view, pointer)
        if self._grip is not None and (mark := self.selected) is not None:
            self._take(view, pointer, mark, None if self._grip == FREE else self._grips(mark)[self._grip])
            return
        if not self.find(view, pointer):
            super().press(view, pointer)
            if self.document.session.tools.tool == self.name:
                self.document.session.locks.selected = None
            return
        if (mark := self.over_mark) is not None:
            self._take(view, pointer, mark, None)
        elif self._key is not None and (strip := self.selected_strip) is not None:
            place = self.path.points(strip)[1][self._key]
            mark = self.selected or self._elsewhere(strip, place)
            if mark is not None:
                self._hold = LockHold(view, pointer, place, mark, strip)
                self._hold.key = self._key

    def _elsewhere(self, strip: LockStrip, place: Array) -> LockMark | None:
        """Return a stand-in for a lock that does not act at the current frame."""
        skeleton = self.scene.skeleton
        known = () if skeleton is None else lock_words.found(skeleton, [strip.lock.joint])
        state = next((s for s in self.document.locks.states() if s.strip is not None and s.strip.id == strip.id), None)
        if not known or state is None:
            return None
        return LockMark(strip.id, strip.lock.kind, known[0], strip.lock, "off", state, place, place, place)

    def _take(self, view: SceneView, pointer: Pointer, mark: LockMark, grip: Handle | None) -> None:
        if not mark.editable:
            return
        place = lock_grips.grip_place(mark)
        start = mark.anchor if place is None else place
        self._hold = hold = LockHold(view, pointer, start, mark, mark.state.strip)
        hold.turning = mark.kind == "orientation"
        if grip is not None:
            hold.take_grip(grip)

    def move(self, view: SceneView, pointer: Pointer) -> None:
        """Let the target follow the pointer, and the figure the target."""
        hold = self._hold
        if hold is None or self._is_over(hold.gesture):
            return
        if hold.move(pointer):
            self._follow(hold)

    def _follow(self, hold: LockHold) -> None:
        """Put the target where the pointer has taken it."""
        if hold.gesture is None:
            self._select(hold.mark)
            part = spoken_name(lock_words.part_of(hold.mark.lock, self.scene.skeleton))
            verb = "Twist" if hold.turning else "Move"
            hold.gesture = LockGesture(self.document, hold.mark.id, f"{verb} lock target of {part}")
        hold.gesture.set(**hold.values(self.document.frame))
        hold.view.update()

    def release(self, view: SceneView, pointer: Pointer) -> None:
        """Let go: one undo step if the target moved, else a click that selects the lock."""
        hold, self._hold = self._hold, None
        if hold is None:
            return
        self._tags.forget()
        if hold.gesture is not None:
            hold.gesture.commit()
        elif hold.key is not None and not is_path(hold.strip):
            self.document.set_frame(hold.strip.targets[hold.key].frame)
        else:
            self._select(hold.mark)

    def nudge(self, view: SceneView, right: int, up: int, fine: bool) -> bool:
        """Move the selected lock's target in the view plane by keys; return whether it can be moved so.

        Nudges in a row are one undo step; see ``DragTool.nudge``.
        """
        mark, document = self.selected, self.document
        if self._hold is not None or mark is None or not mark.editable or mark.kind not in lock_grips.MOVED:
            return False
        place = lock_grips.grip_place(mark)
        if place is None:
            return False
        if self._nudged != (mark.id, document.stack.index(), document.frame):
            self._nudge_id = document.gesture_id()
        hold = LockHold(view, Pointer(0.0, 0.0), place, mark, mark.state.strip)
        hold.by = (0.001 if fine else 0.01) * (right * view.camera.basis[0] + up * view.camera.basis[1])
        part = spoken_name(lock_words.part_of(mark.lock, self.scene.skeleton))
        values = hold.values(document.frame)
        document.locks.edit(mark.id, gesture=self._nudge_id, text=f"Nudge lock target of {part}", **values)
        self._nudged = (mark.id, document.stack.index(), document.frame)
        return True

    def _select(self, mark: LockMark) -> None:
        session = self.document.session
        session.locks.selected = mark.id
        if mark.kind != "balance" and tuple(self.document.selection.joints) != (mark.joint,):
            self.document.selection.set((mark.joint,))

    def cancel(self) -> None:
        """Put everything back as it was at the press."""
        hold, self._hold = self._hold, None
        self._tags.forget()
        if hold is not None and hold.gesture is not None:
            hold.gesture.cancel()

    def key(self, key: int) -> bool:
        """X, Y and Z hold the target to a world axis, again lets it go; Del removes the selected lock."""
        hold, session = self._hold, self.document.session
        strip = self.selected_strip
        if hold is None and key in _REMOVE and self._key is not None and strip is not None and is_path(strip):
            return self._remove_point(strip)
        if hold is None and key in _REMOVE and session.tools.tool == self.name and self.selected_strip is not None:
            return bool(self.document.locks.remove(self.selected_strip.id))
        axis = _AXES.get(Qt.Key(key)) if key in list(_AXES) else None
        if hold is None or axis is None:
            return False
        if not hold.guided:
            hold.hold_to(axis)
        if hold.gesture is not None:
            self._follow(hold)
        return True

    def _remove_point(self, strip: LockStrip) -> bool:
        """Take the point under the pointer out of a path."""
        assert self._key is not None
        if len(strip.lock.target) <= 2:
            self.document.say("info", "A path goes through two points at least; Del on the lock's row removes the lock")
            return True
        points = np.delete(strip.lock.target, self._key, axis=0)
        self._key = None
        self.document.locks.edit(strip.id, text="Remove point of path", target=points)
        return True

    def _add_point(self, strip: LockStrip) -> None:
        """Lead a path through one more point, half-way from the one under the pointer to the next."""
        assert self._key is not None
        before = min(self._key, len(strip.lock.target) - 2)
        point = PathResidual(strip.lock.target).at(before + 0.5)
        points = np.insert(strip.lock.target, before + 1, point, axis=0)
        self.document.locks.edit(strip.id, text="Add point to path", target=points)

    def double_click(self, view: SceneView, pointer: Pointer) -> None:
        """On a point of a path add one beside it, on a glyph do what a click does; else select a whole group."""
        if not self.find(view, pointer):
            super().double_click(view, pointer)
        elif self._key is not None and (strip := self.selected_strip) is not None and is_path(strip):
            self._add_point(strip)

    # -- painting ------------------------------------------------------------------------------------------------

    def paint(self, view: SceneView, painter: QPainter) -> None:
        """Draw the grips of the selected lock, and while one is held how far the target has come."""
        hold, mark = self._hold, self.held or self.selected
        if mark is None:
            return
        if hold is not None and hold.begun:
            lock_grip_marks.draw_path(painter, view, hold)
            missed = self._missed()
            text = " · ".join([self._amount(hold), *missed])
            self._tag_box = lock_grip_marks.draw_tag(painter, view, hold, self._tags, text, bool(missed))
        elif self.document.session.tools.tool == self.name:
            place = lock_grips.grip_place(mark) if mark.editable and mark.kind in lock_grips.MOVED else None
            lit = None if self._grip == FREE else self._grip
            lock_grip_marks.draw(painter, view, self._grips(mark), lit, place, self._grip == FREE)
